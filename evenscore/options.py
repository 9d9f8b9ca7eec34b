"""Options by name: what was given becomes one frozen, checked dataclass."""

from __future__ import annotations

import dataclasses
import difflib
import numbers
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

# What hosts hand to every metric's constructor, whether it has a meaning here or not.
HOST_OPTIONS = frozenset(
    {"trust_remote_code", "verification_mode", "download_mode", "download_config", "revision", "token", "module_type"}
)

Alias = Callable[[Any], Mapping[str, Any]]
AnyOptions = TypeVar("AnyOptions", bound="Options")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """The options that every metric has.

    per_example: also give one score a row.
    confidence: None, or the level of a bootstrap interval, between 0 and 1, such as 0.95.
    n_resamples: how many resamples the interval is taken from.
    seed: of every random draw.
    scalars_only: leave only numbers in the result, for hosts that average values.
    keep_rows: of rows that are added, keep the statistics of each; False keeps their sum alone, so that memory does not
      grow with them, and what is made of rows (per_example, confidence) is refused.
    """

    per_example: bool = False
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int = 12345
    scalars_only: bool = False
    keep_rows: bool = True

    # The names of fields that decide the statistics; the others decide only what is made of their sum.
    COUNTING: ClassVar[tuple[str, ...]] = ()
    # Names that the stock metrics use, each with what it means in ours.
    ALIASES: ClassVar[Mapping[str, Alias]] = {}
    # Each convention is a set of defaults.
    CONVENTIONS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __post_init__(self) -> None:
        check_flags(self, "per_example", "scalars_only", "keep_rows")
        if self.confidence is not None:
            check_number("confidence", self.confidence, above=0, below=1)
        check_integer("n_resamples", self.n_resamples, least=2)
        check_integer("seed", self.seed, least=0, most=2**32 - 1)

    def counting(self) -> tuple[Any, ...]:
        """The values that decide what is kept of rows."""
        return tuple(getattr(self, name) for name in (*self.COUNTING, "keep_rows"))

    def files(self) -> tuple[Any, ...]:
        """The files and folders that options name, whose content decides the statistics."""
        return ()


def build(options_type: type[AnyOptions], given: Mapping[str, Any]) -> AnyOptions:
    """The options with everything given, over the defaults of the convention that is given.

    Raises ValueError for an unknown name or value.
    """
    conventions = options_type.CONVENTIONS
    convention = given.get("convention")
    if convention is None or not conventions:
        return options_type(**given)
    check_choice("convention", convention, tuple(conventions))
    return options_type(**{**conventions[convention], **given})


def translate(options_type: type[Options], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options under their own names, aliases resolved.

    Raises ValueError for an unknown name, with the nearest one, or for two names of one option that disagree.
    """
    known = known_options(options_type)
    own: dict[str, Any] = {}
    said: dict[str, str] = {}
    for name, value in given.items():
        if name in known:
            # As in the stock metrics, None is the default.
            meaning: Mapping[str, Any] = {} if value is None else {name: value}
        elif name in options_type.ALIASES:
            meaning = options_type.ALIASES[name](value)
        else:
            raise ValueError(unknown_option(name, [*known, *options_type.ALIASES]))
        for key, meant in meaning.items():
            if key in own and own[key] != meant:
                raise ValueError(f"{name}={value!r} contradicts {said[key]}={given[said[key]]!r}: give one of them")
            own[key], said[key] = _own(meant), name
    return own


def row_options(options_type: type[Options], given: Mapping[str, Any]) -> dict[str, Any]:
    """Of the given options, under their own names, those that can move what is counted of a row, or its scores.

    What every metric has is about many rows; a default says nothing, unless the convention has another one.

    Raises ValueError for a value that cannot be.

    >>> row_options(Options, {"seed": 1, "confidence": 0.9})
    {}
    """
    build(options_type, given)
    usual = {field.name: field.default for field in dataclasses.fields(options_type)}
    usual.update(options_type.CONVENTIONS.get(given.get("convention", ""), {}))
    about_many = known_options(Options)
    return {name: value for name, value in given.items() if name not in about_many and not _equal(value, usual[name])}


def _equal(value: Any, default: Any) -> bool:
    # Of one type alone: an array would be compared number by number.
    return type(value) is type(default) and bool(value == default)


def _own(value: Any) -> Any:
    """Lists anew, so that the caller's may change later, and Python's numbers for numpy's."""
    if type(value) in (list, tuple):
        return type(value)(map(_own, value))
    return value.item() if isinstance(value, np.generic) else value


def known_options(options_type: type[Options]) -> list[str]:
    """The names of a metric's own options, aliases left out."""
    return [field.name for field in dataclasses.fields(options_type)]


def rename(name: str) -> Alias:
    """An alias that is another name; None keeps the default, as the stock metrics mean it."""
    return lambda value: {} if value is None else {name: value}


def unknown_option(name: str, known: Iterable[str]) -> str:
    """The message for a name that is none of the known ones."""
    names = sorted(set(known))
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else "."
    return f"unknown option {name!r}{hint} Known options: {', '.join(names)}"


def callable_name(function: Any) -> str:
    """What stands for a function in signatures: its place, or that of its type where it is an object.

    >>> callable_name(str.lower), callable_name(difflib.get_close_matches)
    ('str.lower', 'difflib.get_close_matches')
    """
    named = function if hasattr(function, "__qualname__") else type(function)
    # Methods of builtin types have no module.
    module = getattr(named, "__module__", None)
    return f"{module}.{named.__qualname__}" if module else str(named.__qualname__)


def check_flags(options: Options, *names: str) -> None:
    """Raise ValueError unless the named options are True or False."""
    for name in names:
        check_choice(name, getattr(options, name), (True, False))


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of those allowed."""
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in allowed):
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(map(repr, allowed))}")


def check_number(
    name: str, value: Any, *, least: float | None = None, above: float | None = None, below: float | None = None
) -> None:
    """Raise ValueError unless the value is a finite number in the range."""
    bounds = [("at least", least), ("above", above), ("below", below)]
    wanted = " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not _is_between(value, least, above, below):
        raise ValueError(f"{name}={value!r}: give a number {wanted}".rstrip())


def _is_between(value: Any, least: float | None, above: float | None, below: float | None) -> bool:
    return bool(
        # No whole number beyond them, either.
        abs(value) <= sys.float_info.max
        and (least is None or value >= least)
        and (above is None or value > above)
        and (below is None or value < below)
    )


def check_integer(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Raise ValueError unless the value is a whole number in the range, ends included."""
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        raise ValueError(f"{name}={value!r}: give a whole number {wanted}")
