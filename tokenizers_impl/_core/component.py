"""Components of a pipeline: their JSON and text forms, sequences, and custom components."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, wraps
from importlib import import_module
from itertools import islice
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar, get_type_hints

import numpy as np

from .files import dumps
from .options import as_list, described, of_kind

# --- Components as objects of tokenizer.json


def json_form(
    name: str | None = None, write: Callable[[Any], Any] = copy.copy, read: Callable[[Any], Any] = copy.copy
) -> dict[str, Any]:
    """The metadata of a component's field whose form in tokenizer.json differs.

    name: the key in the file, None for the field's name.  write, read: convert the value to the file's form and back.
    """
    return {"name": name, "write": write, "read": read}


class Component(ABC):
    """The base class of everything that is an object of tokenizer.json."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the object of tokenizer.json."""

    def __getstate__(self) -> bytes:
        """Return the JSON of the object, as in the library; a pickle stores `_state` instead."""
        return dumps(self.to_json()).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self._state()  # type: ignore[attr-defined]  # not in typeshed

    def _state(self) -> dict[str, Any]:
        """The attributes without cached properties, so that a pickle does not depend on earlier use."""
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def shown(self) -> Any:
        """The content of `repr` and `str`, a value for `Style.text`."""
        return component(self.to_json())

    def __repr__(self) -> str:
        return REPR.text(self.shown())

    def __str__(self) -> str:
        return STR.text(self.shown())


C = TypeVar("C", bound=type[Component])


def unchanging(cls: C) -> C:
    """Make a class immutable, with a clearer error message than that of frozen dataclasses."""

    def refuse(self: Component, name: str, value: object = None) -> NoReturn:
        raise dataclasses.FrozenInstanceError(
            f"{name} of the {type(self).__name__} cannot be changed, because components are immutable: "
            "make a new component instead"
        )

    for method in ("__setattr__", "__delattr__"):
        setattr(cls, method, refuse)
    return cls


def takes_its_type(cls: C) -> C:
    """Let a class also take the `type` of its object of tokenizer.json, so that it can be called with that object.

    Each ByteLevel of the library does; no other component.
    """
    made = cls.__init__

    @wraps(made)
    def init(self: Component, *given: Any, type: str | None = None, **options: Any) -> None:
        made(self, *given, **options)
        own = self.to_json()["type"]
        if type not in (None, own):
            raise ValueError(f"type={type!r}: give {own!r}, the type of these options, or leave it out")

    cls.__init__ = init  # type: ignore[assignment]
    return cls


class Step(Component):
    """A component that is an immutable dataclass; its fields are the keys of its object in tokenizer.json.

    role: the kind of component in messages, such as "normalizer".
    """

    role: ClassVar[str]

    def __post_init__(self) -> None:
        """Convert numpy's numbers to Python's; ValueError for an option of a wrong type."""
        for name, kind in _kinds(type(self)).items():
            value = of_kind(name, getattr(self, name), kind, f"{self.role} {type(self).__name__}")
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """Return the object of tokenizer.json: `type` (the class name), then the fields in their order."""
        document = {"type": type(self).__name__}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # the subclasses are dataclasses
            value = getattr(self, field.name)
            document[_key(field)] = field.metadata["write"](value) if field.metadata else value
        return document


def component_from_json(kind: str, known: Mapping[str, Any], data: Any) -> Any:
    """Read a component; ValueError names a type that is not supported, or an option that is unknown or invalid.

    kind: the kind of component in messages, such as "pre-tokenizer".  known: from type to class.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"the {kind} is {repr(data)[:200]}: expected an object with a type, or null")
    if data["type"] not in known:
        there = ", ".join(sorted({*known, "Sequence"}))
        raise ValueError(f"{kind} {data['type']} is not supported: use one of {there}")
    found = known[data["type"]]
    fields = {_key(field): field for field in dataclasses.fields(found)}
    options = {key: value for key, value in data.items() if key != "type"}
    if unknown := sorted(options.keys() - fields):
        raise ValueError(
            f"{kind} {data['type']} has no option {unknown[0]}: its options are {', '.join(sorted(fields)) or 'none'}"
        )
    kinds = _kinds(found)
    for key, field in fields.items():
        expected = kinds[field.name]
        if key not in options:
            if field.default is dataclasses.MISSING:
                raise ValueError(f"{kind} {data['type']} lacks {key}: expected {described(expected)}")
            continue
        if field.metadata:
            options[key] = field.metadata["read"](options[key])
        of_kind(key, options[key], expected, f"{kind} {data['type']}")
    return found(**{fields[key].name: value for key, value in options.items()})


def _key(field: dataclasses.Field[Any]) -> str:
    """The key of a field in tokenizer.json."""
    return field.metadata.get("name") or field.name


@cache
def _kinds(found: type[Step]) -> dict[str, Any]:
    """The type of each field, by name."""
    hints = get_type_hints(found)
    return {field.name: hints[field.name] for field in dataclasses.fields(found)}  # type: ignore[arg-type]


def members(data: Mapping[str, Any], key: str) -> list[Any]:
    """The components of a Sequence; ValueError unless they are a list."""
    if not isinstance(data.get(key), list):
        raise ValueError(f"{key} of a Sequence is {data.get(key)!r}: expected a list")
    listed: list[Any] = data[key]
    return listed


def without_older_keys(data: Any) -> Any:
    """Replace the keys of an older Metaspace: add_prefix_space, and str_rep, which has no effect."""
    if not isinstance(data, Mapping) or data.get("type") != "Metaspace" or "add_prefix_space" not in data:
        return data
    scheme = "always" if data["add_prefix_space"] else "never"
    if scheme == "never" != data.get("prepend_scheme", scheme):
        raise ValueError(
            f"add_prefix_space of a Metaspace is {data['add_prefix_space']!r}, but prepend_scheme is "
            f"{data['prepend_scheme']!r}: leave add_prefix_space out"
        )
    kept = {key: value for key, value in data.items() if key not in ("add_prefix_space", "str_rep")}
    return {"prepend_scheme": scheme, **kept}


# --- Sequences of components

S = TypeVar("S", bound=Component)
F = TypeVar("F", bound="FlatSequence[Any]")


@unchanging
class StepSequence(Component, Generic[S]):
    """The base class of the Sequence of each kind of component.

    kind: the class of the steps.  key: their key in tokenizer.json, also used in messages.
    """

    kind: ClassVar[type]
    key: ClassVar[str]
    steps: tuple[S, ...]

    def __init__(self, steps: Iterable[S]) -> None:
        """Take steps of this package or of the library `tokenizers`; ValueError for anything else."""
        object.__setattr__(self, "steps", tuple(map(self._own, as_list(f"{self.key} are", steps, self.key))))
        for i, each in enumerate(self.steps):
            if not isinstance(each, self.kind):
                advice = "make it, with parentheses" if isinstance(each, type) else f"give {self.key} of this package"
                raise ValueError(f"{self.key}[{i}] is {each!r}: {advice}")

    @classmethod
    def _own(cls, step: Any) -> Any:
        """Convert a step of the library to ours."""
        package = cls.kind.__module__.rpartition(".")[0]
        # Imported late, because the package's `from_json` reads sequences, too.
        return own_component(step, lambda data: import_module(package).from_json(data))

    def to_json(self) -> dict[str, Any]:
        """Return the object of tokenizer.json."""
        return {"type": "Sequence", self.key: [each.to_json() for each in self.steps]}

    def shown(self) -> Call:
        """The content of `repr` and `str`."""
        return Call("Sequence", {self.key: [each.shown() for each in self.steps]})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)


class FlatSequence(StepSequence[S]):
    """A Sequence that replaces nested sequences by their steps; `nested` keeps them, as the library does for files."""

    def __init__(self, steps: Iterable[S]) -> None:
        super().__init__(self._flat(as_list(f"{self.key} are", steps, self.key)))

    def _flat(self, steps: Iterable[S]) -> Iterator[S]:
        for each in map(self._own, steps):
            yield from each.steps if isinstance(each, type(self)) else (each,)

    @classmethod
    def nested(cls: type[F], steps: Iterable[Any]) -> F:
        """Build a sequence that keeps nested sequences as single steps."""
        sequence = cls.__new__(cls)
        StepSequence.__init__(sequence, steps)
        return sequence

    def __getitem__(self, index: int) -> S:
        """Return the step with this index; IndexError if it is out of range or negative, as in the library."""
        number = operator.index(index)
        if not 0 <= number < len(self.steps):
            raise IndexError(f"{self.key}[{number}] does not exist: there are {len(self.steps)} {self.key}")
        return self.steps[number]

    def __setitem__(self, index: int, step: object) -> NoReturn:
        raise TypeError(
            f"{self.key}[{index}] cannot be changed, because components are immutable: make a new Sequence instead"
        )


# --- The base class of custom components


class CustomComponent:
    """A component that delegates to an object of the user.

    role: the kind of component in messages.  base: the class whose `custom` builds it.
    part: the attribute of a Tokenizer that holds it.  method: the method that the object must have.
    """

    role: ClassVar[str]
    base: ClassVar[str]
    part: ClassVar[str]
    method: ClassVar[str]

    def __init__(self, component: Any) -> None:
        if not callable(getattr(component, self.method, None)):
            raise ValueError(f"the custom {self.role} is {component!r}: give an object with a method {self.method}")
        self.component = component

    @property
    def is_custom(self) -> bool:
        """Always True: the component runs code of the user."""
        return True

    @property
    def name(self) -> str:
        """The name of the component in messages."""
        return f"the custom {self.role} {type(self.component).__qualname__}"

    def change(self, text: Any) -> None:
        """Let the object change the text in place; ValueError if it returns another object, which would be lost."""
        returned = getattr(self.component, self.method)(text)
        if returned is not None and returned is not text:
            raise ValueError(
                f"{self.name} returned {returned!r} from {self.method}: change the argument in place and return None"
            )

    def to_json(self) -> NoReturn:
        """Raise ValueError, because a file cannot store code."""
        self._refuse("written to tokenizer.json")

    def __reduce__(self) -> NoReturn:
        self._refuse("pickled")

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(
            f"{self.name} is your own code, which cannot be {what}: first set tokenizer.{self.part} to None or to a "
            "component of this package, then set yours again on the new tokenizer"
        )

    def shown(self) -> Name:
        """The content of `repr` and `str`."""
        return Name(f"{self.base}.custom({self.component!r})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.component is other.component

    def __hash__(self) -> int:
        return id(self.component)


# --- Conversion of the library's objects, which are recognized by their module, so that nothing here imports it

_LIBRARY = "tokenizers"


def is_of_library(value: object, name: str | None = None) -> bool:
    """Whether the class of an object belongs to the library `tokenizers`, and has this name if one is given."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == _LIBRARY and name in (None, kind.__name__)


def refuse_library(tokenizer: object) -> None:
    """ValueError for a tokenizer of the library, which looks like one of this package."""
    if is_of_library(tokenizer):
        raise ValueError(
            f"the tokenizer is a {type(tokenizer).__name__} of the library tokenizers: convert it with "
            "tokenizers_impl.Tokenizer.from_tokenizers"
        )


def own_component(value: Any, from_json: Callable[[Any], Any]) -> Any:
    """Convert a component of the library to ours, from its state; anything else is returned as it is.

    from_json: reads a component from its object of tokenizer.json.
    ValueError for a custom component, which has no state, and for a component that is not supported here.
    """
    if not is_of_library(value):
        return value
    try:
        state = value.__getstate__()
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(
            f"a {type(value).__name__} of the library tokenizers cannot be converted ({error}): use tokenizers_impl's"
        ) from None
    if not isinstance(state, bytes):
        return value
    # json.loads instead of `files.loads`: these digits are exact, so they need no rounding like the library's.
    return from_json(json.loads(state))


# --- Objects as text, as in the library's `repr` and `str`


class Name(str):
    """A name that is shown without quotation marks."""

    __slots__ = ()


class Call(NamedTuple):
    """A constructor call; a mapping gives the arguments names."""

    name: str
    arguments: Mapping[str, Any] | tuple[Any, ...]


class Style(NamedTuple):
    """A text form: how many entries of a list or mapping it shows, and how many bytes of a string (None: all)."""

    entries: int
    bytes: int | None

    def text(self, value: Any) -> str:
        """Format a value.

        >>> STR.text(Call("Split", {"pattern": Call("String", ("a",)), "invert": False, "ids": [*range(7)]}))
        'Split(pattern=String("a"), invert=False, ids=[0, 1, 2, 3, 4, ...])'
        """
        match value:
            case Name():
                return value
            case str():
                return f'"{self._cut(value)}"'
            case float():
                from decimal import Decimal

                return f"{Decimal(repr(value)):f}".removesuffix(".0")
            case Call(name, Mapping() as arguments):
                return f"{name}({', '.join(f'{key}={self.text(each)}' for key, each in arguments.items())})"
            case Call(name, arguments):
                return name + self.text(arguments)
            case tuple():
                return f"({', '.join(map(self.text, value))})"
            case list():
                return f"[{self._listed(list(map(self.text, islice(value, self.entries))), len(value))}]"
            case Mapping():
                shown = [f"{self.text(key)}:{self.text(each)}" for key, each in islice(value.items(), self.entries)]
                return f"{{{self._listed(shown, len(value))}}}"
            case _:
                return str(value)

    def _listed(self, shown: list[str], count: int) -> str:
        return ", ".join([*shown, "..."] if count > len(shown) else shown)

    def _cut(self, text: str) -> str:
        # A character that crosses the limit is left out; the library fails there.
        encoded = text.encode()
        is_whole = self.bytes is None or len(encoded) <= self.bytes
        return text if is_whole else f"{encoded[: self.bytes].decode(errors='ignore')}..."


REPR = Style(entries=99, bytes=None)
STR = Style(entries=5, bytes=100)

# Keys whose string in tokenizer.json is shown as a name.
_CHOICES = ("behavior", "direction", "prepend_scheme", "strategy")
_PARAMETERS = {"truncation": "TruncationParams", "padding": "PaddingParams"}


def component(data: Mapping[str, Any]) -> Call:
    """Convert an object of tokenizer.json with a `type` to its shown form.

    >>> REPR.text(component({"type": "Punctuation", "behavior": "Isolated"}))
    'Punctuation(behavior=Isolated)'
    """
    return Call(data["type"], _shown_values({key: value for key, value in data.items() if key != "type"}))


def document(data: Mapping[str, Any]) -> Call:
    """Convert a whole tokenizer.json, whose components are converted already, to its shown form."""
    return Call("Tokenizer", _shown_values(data))


def _shown_values(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _shown(key, value) for key, value in data.items()}


def _shown(key: str, value: Any) -> Any:
    """Convert the value of a key of tokenizer.json to its shown form."""
    match key, value:
        case _, None:
            return None
        case "dropout", _:
            # The library stores and shows a float32.
            return float(np.float32(value))
        case _, str():
            return Name(value) if key in _CHOICES else value
        case (("truncation" | "padding"), _):
            return Call(_PARAMETERS[key], _shown_values(value))
        case (("strategy" | "pattern"), _):
            [(name, inner)] = value.items()
            return Call(name, (inner,))
        case (("single" | "pair"), _):
            return [_template_piece(each) for each in value]
        case "special_tokens", _:
            return {id: Call("SpecialToken", token) for id, token in value.items()}
        case (("sep" | "cls"), _):
            return tuple(value)
        case (("merges" | "vocab"), list()):
            return [tuple(each) for each in value]
    return value


def _template_piece(data: Mapping[str, Any]) -> Call:
    [(name, inner)] = data.items()
    id = Name(inner["id"]) if name == "Sequence" else inner["id"]
    return Call(name, {"id": id, "type_id": inner["type_id"]})
