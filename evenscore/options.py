"""Declares each option once, as a key of a TypedDict whose annotation has the type, default, meaning and check.

For example:

    class WerOptions(Options, total=False):
        unit: Annotated[Literal["word", "char"], Option("word", "What is compared.", counts=True)]

Everything else derives from the declaration: keyword parameters for type checkers, `help` and completion, the checks,
the table of the metric's card and the command's help. `resolve` checks given options and adds the defaults.
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

# Called with an option's name and value; raises ValueError for an invalid value.
Check = Callable[[str, Any], None]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """The annotation of an option, next to its type.

    default: also used when the caller passes None.
    meaning: one line for the card and `--help`.
    check: validates values that the type allows; Literal, bool and None are validated by the type.
    counts: whether the option changes the statistics of rows; other options only change how sums are scored.
    sets: maps values of this option to new defaults of other options.
    """

    default: Any
    meaning: str
    check: Check | None = None
    counts: bool = False
    sets: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Alias:
    """A parameter name of another library.

    meant: translates its value to options of ours.
    check: as in `Option`.
    """

    meant: Callable[[Any], Mapping[str, Any]]
    check: Check | None = None


class Declared(TypedDict):
    """The options and aliases of a metric, by name, in order of declaration.

    options, aliases: each with its full check, or None if every value is valid.
    types: the annotated types of the options.
    """

    options: Mapping[str, Option]
    aliases: Mapping[str, Alias]
    types: Mapping[str, Any]


# For a metric without hints.
NO_HINTS: Mapping[str, str] = types.MappingProxyType({})

# --- checks


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of the allowed ones, of the same type."""
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in allowed):
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(map(repr, allowed))}")


def check_number(
    name: str, value: Any, *, least: float | None = None, above: float | None = None, below: float | None = None
) -> None:
    """Raise ValueError unless the value is a finite number in the range."""
    bounds = [("at least", least, operator.ge), ("above", above, operator.gt), ("below", below, operator.lt)]
    given = [(word, bound, holds) for word, bound, holds in bounds if bound is not None]
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    # An int beyond the largest float is refused like infinity.
    is_finite = is_number and abs(value) <= sys.float_info.max
    if not is_finite or not all(holds(value, bound) for _, bound, holds in given):
        wanted = " and ".join(f"{word} {bound:g}" for word, bound, _ in given)
        raise ValueError(f"{name}={value!r}: give a number {wanted}".rstrip())


def check_integer(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Raise ValueError unless the value is an integer in the range, ends included."""
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        raise ValueError(f"{name}={value!r}: give a whole number {wanted}")


def number(*, least: float | None = None, above: float | None = None, below: float | None = None) -> Check:
    """Return a check for finite numbers in a range."""
    return functools.partial(check_number, least=least, above=above, below=below)


def integer(least: int, most: int | None = None) -> Check:
    """Return a check for integers in a range, ends included."""
    return functools.partial(check_integer, least=least, most=most)


def rename(name: str) -> Alias:
    """Return an alias with the same values as the option. None keeps the default, as in the other libraries."""
    return Alias(lambda value: {} if value is None else {name: value})


# --- what every metric has


def _check_level(name: str, value: Any) -> None:
    try:
        check_number(name, value, above=0, below=1)
    except ValueError as error:
        raise ValueError(f"{error}, such as 0.95") from error


class Options(TypedDict, total=False):
    """The options that every metric has."""

    per_example: Annotated[bool, Option(False, "also return one score per row")]
    confidence: Annotated[
        float | None, Option(None, "level of the interval, such as 0.95; `None`: no interval", _check_level)
    ]
    n_resamples: Annotated[int, Option(1000, "number of bootstrap resamples", integer(least=2))]
    seed: Annotated[int, Option(12345, "seed of every random draw", integer(least=0, most=2**32 - 1))]
    scalars_only: Annotated[bool, Option(False, "return only the values that are single numbers")]
    keep_rows: Annotated[bool, Option(True, "`False`: keep only the sum of added rows, to save memory", counts=True)]


# Arguments that evaluate and other hosts pass to every metric's constructor. Metrics ignore them.
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


# --- reading a declaration


@functools.cache
def declared(options_type: type) -> Declared:
    """Return the options and aliases that a TypedDict declares."""
    options: dict[str, Option] = {}
    aliases: dict[str, Alias] = {}
    kinds: dict[str, Any] = {}
    # The metric's own options come first, because readers look for them.
    hints = get_type_hints(options_type, include_extras=True)
    common = {name: hints.pop(name) for name in Options.__annotations__ if options_type is not Options}
    for name, annotated in {**hints, **common}.items():
        kind, said = get_args(annotated)
        if isinstance(said, Alias):
            aliases[name] = replace(said, check=_checker(kind, said))
        else:
            options[name], kinds[name] = replace(said, check=_checker(kind, said)), kind
    return {"options": options, "aliases": aliases, "types": kinds}


def keywords(options_type: type) -> Callable[[Function], Function]:
    """Return a decorator that replaces **options in a function's signature by the options and their defaults."""

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


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that a function takes by name, other than those of **options.

    >>> parameter_names(check_integer)
    ['name', 'value', 'least', 'most']
    """
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in inspect.signature(function).parameters.values() if each.kind in by_name]


def check_known(
    given: Iterable[str],
    options_type: type,
    method: Callable[..., Any] | None,
    columns: Iterable[str] = (),
    instead: Mapping[str, str] = NO_HINTS,
    remedy: str = "",
) -> None:
    """Raise ValueError for a name that is no option. It may be meant for a column or a parameter of `method`.

    instead: for names that are no options, what does the same.
    remedy: ends the message.
    """
    known = declared(options_type)
    for name in given:
        if name not in known["options"] and name not in known["aliases"]:
            own = [] if method is None else parameter_names(method)
            # Shared methods have parameters that some metrics refuse.
            others = {*known["options"], *known["aliases"], *columns, *own} - {name}
            raise ValueError(unknown_option(name, others, instead.get(name)) + remedy)


def translate(options_type: type, given: Mapping[str, Any], instead: Mapping[str, str] = NO_HINTS) -> dict[str, Any]:
    """Return the given options with aliases replaced by the options they stand for.

    instead: for names that are no options, what does the same.
    Raises ValueError for an unknown name, with the nearest known one, and for an alias that contradicts its option.
    """
    known = declared(options_type)
    own: dict[str, Any] = {}
    said: dict[str, str] = {}
    for name, value in given.items():
        if name in known["options"]:
            # None means the default, as in the other libraries.
            meaning: Mapping[str, Any] = {} if value is None else {name: value}
        elif name in known["aliases"]:
            alias = known["aliases"][name]
            if alias.check is not None:
                alias.check(name, _own(value))
            meaning = alias.meant(value)
        else:
            raise ValueError(unknown_option(name, [*known["options"], *known["aliases"]], instead.get(name)))
        for key, meant in meaning.items():
            if key in own and own[key] != meant:
                raise ValueError(f"{name}={value!r} contradicts {said[key]}={given[said[key]]!r}: give one of them")
            own[key], said[key] = _own(meant), name
    return own


def resolve(options_type: type, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return all options, read-only: the given ones, without aliases, and defaults for the rest.

    Raises ValueError for an invalid value.

    >>> resolve(Options, {"seed": 1})["seed"], resolve(Options, {})["seed"]
    (1, 12345)
    """
    options = {**_defaults(options_type, given), **given}
    for name, option in declared(options_type)["options"].items():
        if option.check is not None:
            option.check(name, options[name])
    return types.MappingProxyType(options)


def row_options(options_type: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options that can change a row's statistics or scores.

    The common options concern many rows, and a value equal to the default changes nothing; both are left out.

    >>> row_options(Options, {"seed": 1, "confidence": 0.9})
    {}
    """
    usual, about_many = _defaults(options_type, given), declared(Options)["options"]
    own = {name: value for name, value in given.items() if name not in about_many}
    # Compare types first, since == of two arrays is an array.
    return {name: v for name, v in own.items() if type(v) is not type(usual[name]) or v != usual[name]}


def _defaults(options_type: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults, including those that a given option sets."""
    known = declared(options_type)["options"]
    usual = {name: option.default for name, option in known.items()}
    for name, option in known.items():
        if option.sets and name in given:
            check_choice(name, given[name], tuple(option.sets))
            usual.update(option.sets[given[name]])
    return usual


def _checker(kind: Any, option: Option | Alias) -> Check | None:
    """Return the check of an option or alias: its own if any, else its choices; None passes if the type allows it."""
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    choices: list[Any] = [True, False] if bool in kinds else []
    choices += [choice for each in kinds if get_origin(each) is Literal for choice in get_args(each)]
    none = [None] if type(None) in kinds else []
    check = option.check
    if check is None:
        return functools.partial(check_choice, allowed=(*none, *choices)) if choices else None
    return (lambda name, value: None if value is None else check(name, value)) if none else check


def _own(value: Any) -> Any:
    """Copy lists, so that later changes of the caller have no effect, and convert numpy numbers to Python's."""
    if type(value) in (list, tuple):
        return type(value)(map(_own, value))
    return value.item() if isinstance(value, np.generic) else value


def option_lines(options_type: type) -> list[str]:
    """Return a line per option with its name, meaning and default; the common options come last."""
    options = declared(options_type)["options"]
    return [f"{name}: {one.meaning} (default: {one.default!r})" for name, one in options.items()]


def unknown_option(
    name: str, known: Iterable[str], instead: str | None = None, spelled: Callable[[str], str] = str
) -> str:
    """Return the error message for an unknown option, with what does the same or the nearest known name.

    spelled: returns a name as messages show it.

    >>> unknown_option("lowercase", ["unit"], "transforms='to_lower_case' does the same")
    "unknown option 'lowercase': transforms='to_lower_case' does the same"
    """
    if instead:
        return f"unknown option {spelled(name)!r}: {instead}"
    names = sorted(set(known))
    nearest = did_you_mean(name, names, spelled=spelled)
    return f"unknown option {spelled(name)!r}{nearest} Known options: {', '.join(map(spelled, names))}"


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6, spelled: Callable[[str], str] = str) -> str:
    """The end of a message about an unknown name: the nearest known one, or a full stop if none is near.

    likeness: how much of the names must agree, from 0 to 1.
    spelled: returns a name as messages show it.

    >>> did_you_mean("bleu", ["bleu_corpus", "wer_dp"], 0.4), did_you_mean("x", ["wer_dp"])
    ("; did you mean 'bleu_corpus'?", '.')
    """
    nearest = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=likeness)
    return f"; did you mean {spelled(nearest[0])!r}?" if nearest else "."


def callable_name(function: Any) -> str:
    """Return a function's qualified name for signatures, or that of its type if it is a callable object.

    >>> callable_name(str.lower), callable_name(difflib.get_close_matches)
    ('str.lower', 'difflib.get_close_matches')
    """
    named = function if hasattr(function, "__qualname__") else type(function)
    # Methods of built-in types have no module.
    module = getattr(named, "__module__", None)
    return f"{module}.{named.__qualname__}" if module else str(named.__qualname__)


def called(function: Callable[[str], Any], text: str) -> Any:
    """Return what the caller's function returns for a text; what it raises gets a note with the text.

    Python 3.10 has no notes.
    """
    try:
        return function(text)
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(f"{callable_name(function)} raised this for {text!r:.200}")
        raise
