"""Components: steps of a pipeline as objects, as JSON and as text; sequences of them; those of the user's own."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from itertools import islice
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar, get_type_hints

import numpy as np

from .files import dumps
from .options import described, of_kind

# --- Steps of a pipeline as objects of tokenizer.json


def json_form(
    name: str | None = None, write: Callable[[Any], Any] = copy.copy, read: Callable[[Any], Any] = copy.copy
) -> dict[str, Any]:
    """The metadata of a field of a component that looks otherwise in tokenizer.json.

    name: the key there, if it is not the name of the field.  write, read: from the value to what stands there and back.
    """
    return {"name": name, "write": write, "read": read}


class Component(ABC):
    """What is an object of tokenizer.json."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """That object."""

    def __getstate__(self) -> bytes:
        """The JSON of that object, as the library's gives it; a pickle holds `_state`."""
        return dumps(self.to_json()).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self._state()  # type: ignore[attr-defined]  # not in typeshed

    def _state(self) -> dict[str, Any]:
        """Its attributes but for what is made at its first use: a pickle is the same before and after it."""
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def shown(self) -> Any:
        """What `repr` and `str` show, as `Style.text` takes it."""
        return component(self.to_json())

    def __repr__(self) -> str:
        return REPR.text(self.shown())

    def __str__(self) -> str:
        return STR.text(self.shown())


C = TypeVar("C", bound=type[Component])


def unchanging(cls: C) -> C:
    """The class with a message for the attempt to set or delete an attribute; frozen dataclasses have a shorter one."""

    def refuse(self: Component, name: str, value: object = None) -> NoReturn:
        raise dataclasses.FrozenInstanceError(
            f"{name} of the {type(self).__name__} stays as it is, since components never change: "
            "make a new one and set that"
        )

    for method in ("__setattr__", "__delattr__"):
        setattr(cls, method, refuse)
    return cls


class Step(Component):
    """A component of a pipeline: an unchanging dataclass, whose fields are what that object has.

    role: what such components are called in messages.
    """

    role: ClassVar[str]

    def __post_init__(self) -> None:
        """ValueError for an option of another type than its field's; numbers of numpy become Python's."""
        for name, kind in _kinds(type(self)).items():
            value = of_kind(name, getattr(self, name), kind, f"{self.role} {type(self).__name__}")
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """The object of tokenizer.json: `type`, the name of the class, then the fields in their order."""
        document = {"type": type(self).__name__}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # the subclasses are dataclasses
            value = getattr(self, field.name)
            document[_key(field)] = field.metadata["write"](value) if field.metadata else value
        return document


def component_from_json(kind: str, known: Mapping[str, Any], data: Any) -> Any:
    """The component of that object; ValueError names a type or an option that is not there, or of the wrong type.

    kind: what it is called in messages, such as "pre-tokenizer".  known: from type to class.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        raise ValueError(f"the {kind} is {repr(data)[:200]}: expected an object with a type, or null")
    if data["type"] not in known:
        there = ", ".join(sorted({*known, "Sequence"}))
        raise ValueError(f"{kind} {data['type']} is not implemented: there are {there}")
    found = known[data["type"]]
    fields = {_key(field): field for field in dataclasses.fields(found)}
    options = {key: value for key, value in data.items() if key != "type"}
    if unknown := sorted(options.keys() - fields):
        raise ValueError(
            f"{kind} {data['type']} has no option {unknown[0]}: there are {', '.join(sorted(fields)) or 'none'}"
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
    """The type of every field."""
    hints = get_type_hints(found)
    return {field.name: hints[field.name] for field in dataclasses.fields(found)}  # type: ignore[arg-type]


def members(data: Mapping[str, Any], key: str) -> list[Any]:
    """The components of a Sequence; ValueError if they are no list."""
    if not isinstance(data.get(key), list):
        raise ValueError(f"{key} of a Sequence is {data.get(key)!r}: expected a list")
    listed: list[Any] = data[key]
    return listed


def without_older_keys(data: Any) -> Any:
    """A Metaspace with today's keys: older files have add_prefix_space, and str_rep, which means nothing."""
    if not isinstance(data, Mapping) or data.get("type") != "Metaspace" or "add_prefix_space" not in data:
        return data
    scheme = "always" if data["add_prefix_space"] else "never"
    kept = {key: value for key, value in data.items() if key not in ("add_prefix_space", "str_rep")}
    return {"prepend_scheme": scheme, **kept}


# --- Steps of one kind, one after another

S = TypeVar("S", bound=Component)
F = TypeVar("F", bound="FlatSequence[Any]")


@unchanging
class StepSequence(Component, Generic[S]):
    """What the Sequence of every kind of step has in common.

    kind: the class of the steps.  key: what they are called, in tokenizer.json too.
    """

    kind: ClassVar[type]
    key: ClassVar[str]
    steps: tuple[S, ...]

    def __init__(self, steps: Iterable[S]) -> None:
        """ValueError for what is no such step of this package, or of the library `tokenizers`."""
        object.__setattr__(self, "steps", tuple(map(self._own, steps)))
        for i, each in enumerate(self.steps):
            if not isinstance(each, self.kind):
                raise ValueError(f"{self.key}[{i}] is {each!r}: give {self.key} of this package")

    @classmethod
    def _own(cls, step: Any) -> Any:
        """A step of the library as ours."""
        package = cls.kind.__module__.rpartition(".")[0]
        # Looked up late: what reads all steps reads sequences, too.
        return own_component(step, lambda data: import_module(package).from_json(data))

    def to_json(self) -> dict[str, Any]:
        """The object of tokenizer.json."""
        return {"type": "Sequence", self.key: [each.to_json() for each in self.steps]}

    def shown(self) -> Call:
        """What `repr` and `str` show."""
        return Call("Sequence", {self.key: [each.shown() for each in self.steps]})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)


class FlatSequence(StepSequence[S]):
    """One that takes sequences for the steps that they have; those of a file stay what they are, as in the library."""

    def __init__(self, steps: Iterable[S]) -> None:
        super().__init__(self._flat(steps))

    def _flat(self, steps: Iterable[S]) -> Iterator[S]:
        for each in map(self._own, steps):
            yield from each.steps if isinstance(each, type(self)) else (each,)

    @classmethod
    def nested(cls: type[F], steps: Iterable[Any]) -> F:
        """The sequence of these steps, of which each stays one."""
        sequence = cls.__new__(cls)
        StepSequence.__init__(sequence, steps)
        return sequence

    def __getitem__(self, index: int) -> S:
        """The step of that number; IndexError for another one, also below 0, as the library takes none."""
        number = operator.index(index)
        if not 0 <= number < len(self.steps):
            raise IndexError(f"there is no {self.key}[{number}]: there are {len(self.steps)}")
        return self.steps[number]

    def __setitem__(self, index: int, step: object) -> NoReturn:
        raise TypeError(
            f"{self.key}[{index}] stays as it is, since components never change: make a new Sequence and set that"
        )


# --- What components of the user's own have in common


class CustomComponent:
    """A component that hands its work to an object of the user's own.

    role: what it is called in messages.  base: the class whose `custom` makes it.  part: the attribute of a Tokenizer
    that it is for.  method: what the object must have.
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
        """True."""
        return True

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"the custom {self.role} {type(self.component).__qualname__}"

    def change(self, text: Any) -> None:
        """Let the object change the text in place; ValueError if it returns another one, which would be lost."""
        returned = getattr(self.component, self.method)(text)
        if returned is not None and returned is not text:
            raise ValueError(
                f"{self.name} returned {returned!r} from {self.method}: change what it is given, and return nothing"
            )

    def to_json(self) -> NoReturn:
        """ValueError: a file cannot hold code."""
        self._refuse("written to tokenizer.json")

    def __reduce__(self) -> NoReturn:
        self._refuse("pickled")

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(
            f"{self.name} is code of your own, which cannot be {what}: set tokenizer.{self.part} to None or to one of "
            "this package before, and set it again on the tokenizer that comes of it"
        )

    def shown(self) -> Name:
        """What `repr` and `str` show."""
        return Name(f"{self.base}.custom({self.component!r})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.component is other.component

    def __hash__(self) -> int:
        return id(self.component)


# --- Objects of the library `tokenizers` as ours, told by the module of their class: nothing here imports it

_LIBRARY = "tokenizers"


def is_of_library(value: object, name: str | None = None) -> bool:
    """Whether the class of an object is one of the library, or the one of that name."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == _LIBRARY and name in (None, kind.__name__)


def own_component(value: Any, from_json: Callable[[Any], Any]) -> Any:
    """A component of the library as ours, read from its state; anything else as it is.

    from_json: what reads the component of that object of tokenizer.json.
    ValueError for one that has no state, being of the user's own, or one that is not implemented here.
    """
    if not is_of_library(value):
        return value
    try:
        state = value.__getstate__()
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(
            f"a {type(value).__name__} of the library tokenizers cannot be taken ({error}): make one of tokenizers_impl"
        ) from None
    if not isinstance(state, bytes):
        return value
    # Not as a file is read: the digits are those of the number itself.
    return from_json(json.loads(state))


# --- Objects as text, as the library's `repr` and `str` have them


class Name(str):
    """The name of a choice, which stands without quotation marks."""

    __slots__ = ()


class Call(NamedTuple):
    """A name with arguments, as an object is made; a mapping has the names of the arguments."""

    name: str
    arguments: Mapping[str, Any] | tuple[Any, ...]


class Style(NamedTuple):
    """How many entries of a list or a mapping are shown, and how many bytes of a string."""

    entries: int
    bytes: int | None

    def text(self, value: Any) -> str:
        """The value as text.

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
        # The library fails where a character lies across the limit; here it is left out.
        encoded = text.encode()
        is_whole = self.bytes is None or len(encoded) <= self.bytes
        return text if is_whole else f"{encoded[: self.bytes].decode(errors='ignore')}..."


REPR = Style(entries=99, bytes=None)
STR = Style(entries=5, bytes=100)

# What tokenizer.json writes as a string, the library as a name.
_CHOICES = ("behavior", "direction", "prepend_scheme", "strategy")
_PARAMETERS = {"truncation": "TruncationParams", "padding": "PaddingParams"}


def component(data: Mapping[str, Any]) -> Call:
    """The object of tokenizer.json, with a `type`, as it is shown.

    >>> REPR.text(component({"type": "Punctuation", "behavior": "Isolated"}))
    'Punctuation(behavior=Isolated)'
    """
    return Call(data["type"], _shown_values({key: value for key, value in data.items() if key != "type"}))


def document(data: Mapping[str, Any]) -> Call:
    """The whole of tokenizer.json as it is shown; its components are shown already."""
    return Call("Tokenizer", _shown_values(data))


def _shown_values(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _shown(key, value) for key, value in data.items()}


def _shown(key: str, value: Any) -> Any:
    """The value of that key of tokenizer.json as it is shown."""
    match key, value:
        case _, None:
            return None
        case "dropout", _:
            # The library keeps 32 bits, and shows what they are.
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
