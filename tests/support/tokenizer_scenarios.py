"""A small scenario for every public name of `tokenizers`, run on either library: the coverage table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

import tokenizers
from string_scenarios import STRING_METHODS
from tokenizer_methods import METHODS, READY_METHODS, used
from tokenizer_samples import ENUMERATIONS, READY_MADE, SAMPLES, VALUES, found, held, made, value_of

import tokenizers_impl

MODULES = ("", "models", "trainers", "normalizers", "pre_tokenizers", "decoders", "processors")
# What every object answers, beside its public names.
ALWAYS = ("()", "pickle", "==", "repr")
MISSING, FAILED = "missing", "failed"


def names() -> dict[str, list[str]]:
    """From each public class, function or value of the library to what is public of it, options in brackets."""
    listed: dict[str, list[str]] = {}
    for module in MODULES:
        place = getattr(tokenizers, module) if module else tokenizers
        for name in dir(place):
            value = getattr(place, name)
            if name.startswith("_") or inspect.ismodule(value) or _is_of_typing(value) or value is str:
                continue
            row = f"{module}.{name}".lstrip(".")
            listed[row] = [*_options(row, value), *_members(value), *ALWAYS] if _is_alive(row) else ["()"]
    return listed


def _is_of_typing(value: Any) -> bool:
    return getattr(value, "__module__", "") in ("typing", "enum") or type(value).__module__ == "typing"


def _members(value: Any) -> list[str]:
    return [each for each in dir(value) if not each.startswith("_")]


def _options(row: str, value: Any) -> list[str]:
    if row in ENUMERATIONS:
        return []
    try:
        options = inspect.signature(value).parameters
    except ValueError:
        # Two classes of the library do not say: their options have the names of their attributes.
        options = dict.fromkeys(_members(value))
    # What is no plain value is part of every sample.
    return [f"[{each}]" for each in options if each in VALUES]


def _is_alive(row: str) -> bool:
    """Whether there is an object of it to ask; of the others there is one question, whether they are there."""
    return row in SAMPLES


def _plain(value: Any) -> Any:
    """The same from either library."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (str, int, float, bytes, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (dict, set)):
        return sorted((str(key), _plain(value[key])) if isinstance(value, dict) else key for key in value)
    if hasattr(value, "as_tuple"):
        return _plain(value.as_tuple())
    if hasattr(value, "offsets"):
        return _plain(held(value))
    return str(value) if hasattr(value, "content") else type(value).__name__


def attribute(name: str, library: Any, row: str, it: Any) -> Any:
    """Its value, then what comes of another one, where it may be set."""
    value = _plain(getattr(it, name))
    if name not in VALUES or row == "Encoding":
        return value
    try:
        setattr(it, name, value_of(row, name))
    except (AttributeError, TypeError):
        return value
    return value, _plain(getattr(it, name)), used(library, row, it)


def scenario(row: str, member: str) -> Callable[[Any], Any]:
    """The scenario of that name."""
    if row not in SAMPLES:
        return lambda library: found(library, row) is not None
    if member.startswith("["):
        return lambda library: used(library, row, made(library, row, **{member[1:-1]: value_of(row, member[1:-1])}))
    methods = METHODS | STRING_METHODS | (READY_METHODS if row in READY_MADE else {})
    method = methods.get(f"{row}.{member}", methods.get(member))
    if method is not None:
        return lambda library: method(library, row, made(library, row))
    return lambda library: attribute(member, library, row, made(library, row))


def outcome(library: Any, row: str, member: str) -> Any:
    """What the scenario gives; that it fails; that there is no such name."""
    try:
        return _plain(scenario(row, member)(library))
    except (AttributeError, TypeError):
        return MISSING if library is tokenizers_impl else FAILED
    except BaseException as error:  # the library's panics are no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        return FAILED


def failing() -> list[str]:
    """The scenarios at which the library itself fails."""
    listed = ((row, member) for row, members in names().items() for member in members)
    return [f"{row} {member}" for row, member in listed if outcome(tokenizers, row, member) == FAILED]


def coverage() -> dict[str, dict[str, list[str]]]:
    """From each public class to its names that are mirrored, that differ, that are refused."""
    table: dict[str, dict[str, list[str]]] = {}
    for row, members in names().items():
        judged: dict[str, list[str]] = {"mirrored": [], "differs": [], "refused": []}
        for member in members:
            run = partial(outcome, row=row, member=member)
            ours, theirs = run(tokenizers_impl), run(tokenizers)
            kind = "mirrored" if ours == theirs else "refused" if ours in (MISSING, FAILED) else "differs"
            judged[kind].append(member)
        table[row] = judged
    return table


def markdown(table: dict[str, dict[str, list[str]]]) -> str:
    """The table of the README; a class that is not there is a row of its own kind."""
    rows = ["| name | mirrored | differs | refused |", "|---|---|---|---|"]
    for row, kinds in table.items():
        cells = [str(len(kinds["mirrored"])) if kinds["mirrored"] else ""]
        cells += [", ".join(f"`{each}`" for each in kinds[kind]) for kind in ("differs", "refused")]
        rows.append(f"| `{row}` | {' | '.join('all' if each == '`()`' else each for each in cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(markdown(coverage()))
