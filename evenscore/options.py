"""Options, each declared once: by a name of a TypedDict, whose annotation holds type, default, meaning and check.

A declaration looks like this, and gives the keyword parameters that type checkers, `help` and completion know, the
checks, the table of a metric's card and the command's help:

    class WerOptions(Options, total=False):
        unit: Annotated[Literal["word", "char"], Option("word", "What is compared.", counts=True)]

`resolve` makes of the options that were given a mapping with all of them, checked.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import numbers
import operator
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

# Raises ValueError unless the value, of an option of that name, is a good one.
Check = Callable[[str, Any], None]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """What an annotation says of an option besides its type.

    default: None may stand for it.
    meaning: in words, for people.
    check: of values that the type allows; a Literal, a bool and None are checked by the type.
    counts: whether it decides what is counted of rows; others decide only what is made of the sum.
    sets: by a value of this option, other defaults of other options.
    """

    default: Any
    meaning: str
    check: Check | None = None
    counts: bool = False
    sets: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Alias:
    """A name that the stock metrics use, with what a value of it means in our options."""

    meant: Callable[[Any], Mapping[str, Any]]


class Declared(TypedDict):
    """The options and aliases of a metric, by name, in order.

    options: with a check of all values, None where the type and the option allow everything.
    types: of the options, as annotated.
    """

    options: Mapping[str, Option]
    aliases: Mapping[str, Alias]
    types: Mapping[str, Any]


# --- checks


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of those allowed."""
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in allowed):
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(map(repr, allowed))}")


def check_number(
    name: str, value: Any, *, least: float | None = None, above: float | None = None, below: float | None = None
) -> None:
    """Raise ValueError unless the value is a finite number in the range."""
    bounds = [("at least", least, operator.ge), ("above", above, operator.gt), ("below", below, operator.lt)]
    given = [(word, bound, holds) for word, bound, holds in bounds if bound is not None]
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    # Finite: no whole number beyond all floats, either.
    is_finite = is_number and abs(value) <= sys.float_info.max
    if not is_finite or not all(holds(value, bound) for _, bound, holds in given):
        wanted = " and ".join(f"{word} {bound:g}" for word, bound, _ in given)
        raise ValueError(f"{name}={value!r}: give a number {wanted}".rstrip())


def check_integer(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Raise ValueError unless the value is a whole number in the range, ends included."""
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        raise ValueError(f"{name}={value!r}: give a whole number {wanted}")


def number(*, least: float | None = None, above: float | None = None, below: float | None = None) -> Check:
    """A check for finite numbers in a range."""
    return functools.partial(check_number, least=least, above=above, below=below)


def integer(least: int, most: int | None = None) -> Check:
    """A check for whole numbers in a range, ends included."""
    return functools.partial(check_integer, least=least, most=most)


def rename(name: str) -> Alias:
    """An alias that is another name; None keeps the default, as the stock metrics mean it."""
    return Alias(lambda value: {} if value is None else {name: value})


# --- what every metric has


class Options(TypedDict, total=False):
    """The options that every metric has."""

    per_example: Annotated[bool, Option(False, "also one score a row")]
    confidence: Annotated[float | None, Option(None, "level of an interval, such as 0.95", number(above=0, below=1))]
    n_resamples: Annotated[int, Option(1000, "how many resamples the interval is taken from", integer(least=2))]
    seed: Annotated[int, Option(12345, "of every random draw", integer(least=0, most=2**32 - 1))]
    scalars_only: Annotated[bool, Option(False, "leave only numbers in the result")]
    keep_rows: Annotated[bool, Option(True, "`False` keeps of added rows the sum alone, in little memory", counts=True)]


# What evaluate and other hosts hand to every metric's constructor; it has no meaning here.
class HostOptions(TypedDict, total=False):
    config_name: str | None
    num_process: int
    process_id: int
    keep_in_memory: bool
    cache_dir: str | None
    experiment_id: str | None
    hash: str | None
    max_concurrent_cache_files: int
    timeout: float
    trust_remote_code: bool
    verification_mode: Any
    download_mode: Any
    download_config: Any
    revision: str | None
    token: str | bool | None
    module_type: str  # fmt: skip


# --- from a declaration


@functools.cache
def declared(options_type: type) -> Declared:
    """What a TypedDict declares."""
    options: dict[str, Option] = {}
    aliases: dict[str, Alias] = {}
    kinds: dict[str, Any] = {}
    # The common options come last: the metric's own are what a reader looks for.
    hints = get_type_hints(options_type, include_extras=True)
    common = {name: hints.pop(name) for name in Options.__annotations__ if options_type is not Options}
    for name, annotated in {**hints, **common}.items():
        kind, said = get_args(annotated)
        if isinstance(said, Alias):
            aliases[name] = said
        else:
            options[name], kinds[name] = replace(said, check=_checker(kind, said)), kind
    return {"options": options, "aliases": aliases, "types": kinds}


def keywords(options_type: type) -> Callable[[Function], Function]:
    """Show the options as keyword parameters, with their defaults, in the signature of a function of **options."""

    def shown(function: Function) -> Function:
        known = declared(options_type)
        own = inspect.signature(function)
        named = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kind)
            for (name, option), kind in zip(known["options"].items(), known["types"].values(), strict=True)
        ]
        function.__signature__ = own.replace(parameters=[*named, *options])  # type: ignore[attr-defined]
        return function

    return shown


def translate(options_type: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options under their own names, aliases resolved.

    Raises ValueError for an unknown name, with the nearest one, or for two names of one option that disagree.
    """
    known = declared(options_type)
    own: dict[str, Any] = {}
    said: dict[str, str] = {}
    for name, value in given.items():
        if name in known["options"]:
            # As in the stock metrics, None is the default.
            meaning: Mapping[str, Any] = {} if value is None else {name: value}
        elif name in known["aliases"]:
            meaning = known["aliases"][name].meant(value)
        else:
            raise ValueError(unknown_option(name, [*known["options"], *known["aliases"]]))
        for key, meant in meaning.items():
            if key in own and own[key] != meant:
                raise ValueError(f"{name}={value!r} contradicts {said[key]}={given[said[key]]!r}: give one of them")
            own[key], said[key] = _own(meant), name
    return own


def resolve(options_type: type, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All options, read-only: the given ones, under their own names, over the defaults.

    Raises ValueError for a value that cannot be.

    >>> resolve(Options, {"seed": 1})["seed"], resolve(Options, {})["seed"]
    (1, 12345)
    """
    options = {**_defaults(options_type, given), **given}
    for name, option in declared(options_type)["options"].items():
        if option.check is not None:
            option.check(name, options[name])
    return types.MappingProxyType(options)


def row_options(options_type: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of the given options, under their own names, those that can move what is counted of a row, or its scores.

    What every metric has is about many rows; a default says nothing.

    >>> row_options(Options, {"seed": 1, "confidence": 0.9})
    {}
    """
    usual, about_many = _defaults(options_type, given), declared(Options)["options"]
    own = {name: value for name, value in given.items() if name not in about_many}
    # Of one type alone: an array would be compared number by number.
    return {name: v for name, v in own.items() if type(v) is not type(usual[name]) or v != usual[name]}


def _defaults(options_type: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults, as far as no option that is given sets others."""
    known = declared(options_type)["options"]
    usual = {name: option.default for name, option in known.items()}
    for name, option in known.items():
        if option.sets and name in given:
            check_choice(name, given[name], tuple(option.sets))
            usual.update(option.sets[given[name]])
    return usual


def _checker(kind: Any, option: Option) -> Check | None:
    """The check of an option: None by its type, all else by its own check, or by its type as far as that says."""
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    choices = [choice for each in kinds if get_origin(each) is Literal for choice in get_args(each)]
    choices += [True, False] if bool in kinds else []
    none = [None] if type(None) in kinds else []
    check = option.check
    if check is None:
        return functools.partial(check_choice, allowed=(*none, *choices)) if choices else None
    return (lambda name, value: None if value is None else check(name, value)) if none else check


def _own(value: Any) -> Any:
    """Lists anew, so that the caller's may change later, and Python's numbers for numpy's."""
    if type(value) in (list, tuple):
        return type(value)(map(_own, value))
    return value.item() if isinstance(value, np.generic) else value


def option_lines(options_type: type, dash: str = "_") -> list[str]:
    """A line for every option: its name, its meaning, its default; those that every metric has come last."""
    options = declared(options_type)["options"]
    return [f"{name.replace('_', dash)}: {one.meaning} (default: {one.default!r})" for name, one in options.items()]


def unknown_option(name: str, known: Iterable[str]) -> str:
    """The message for a name that is none of the known ones."""
    names = sorted(set(known))
    return f"unknown option {name!r}{did_you_mean(name, names)} Known options: {', '.join(names)}"


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The end of a message about an unknown name: the nearest known one, or a full stop if none is near.

    likeness: how much of the names must agree, from 0 to 1.

    >>> did_you_mean("bleu", ["bleu_corpus", "wer_dp"], 0.4), did_you_mean("x", ["wer_dp"])
    ("; did you mean 'bleu_corpus'?", '.')
    """
    nearest = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=likeness)
    return f"; did you mean {nearest[0]!r}?" if nearest else "."


def callable_name(function: Any) -> str:
    """What stands for a function in signatures: its place, or that of its type where it is an object.

    >>> callable_name(str.lower), callable_name(difflib.get_close_matches)
    ('str.lower', 'difflib.get_close_matches')
    """
    named = function if hasattr(function, "__qualname__") else type(function)
    # Methods of builtin types have no module.
    module = getattr(named, "__module__", None)
    return f"{module}.{named.__qualname__}" if module else str(named.__qualname__)
