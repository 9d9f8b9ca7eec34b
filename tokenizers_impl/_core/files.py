"""Files: texts, JSON in the byte format of `tokenizers`, the files of models."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from evenscore.files import replacing
from evenscore.inputs import byte_place, not_utf8

# --- Text files


def checked_paths(files: Any) -> list[str | os.PathLike[str]]:
    """One or several paths as a list; ValueError for anything else: open() takes a number for an open file."""
    paths = [files] if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable) else list(files)
    for i, path in enumerate(paths):
        if not isinstance(path, (str, os.PathLike)):
            raise ValueError(f"files[{i}] is {path!r}: give paths, or use train_from_iterator for texts")
    return paths


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 file with its line ends; ValueError names the first invalid byte."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(os.fspath(path), byte_place([data[: error.start]])) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of UTF-8 text, as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all, as `evenscore.files.replacing` says."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


# --- JSON in the byte format of `tokenizers`, with numbers read to the same bits

# Separators in place of "," and ":", because no JSON string contains these characters.
_NEXT, _COLON = "\0", "\1"
# A number with a negative exponent, which Python writes differently, between two separators.
_SMALL = re.compile(r"([\0\1]\[*)(-?[\d.]+e-\d+)(?=[\]}]*[\0\1])")
# Most vocabularies have no such number, and need no rewriting.
_MAYBE_SMALL = re.compile(r"e-\d\d")
_SCALARS = {str, int, float, bool, type(None)}
# Any number of 19 digits, or of 18 digits and a sign, is below 2**64.
_SAFE_DIGITS = 19
_POWERS = [float(f"1e{exponent}") for exponent in range(309)]


def dumps(value: Any, indent: int | None = None) -> str:
    """Write a JSON value without spaces, or with indent=2 in the layout of `save`.

    >>> dumps({"type": "Unigram", "vocab": [["é", -1e-07], ["1e-07", 0.00001]]})
    '{"type":"Unigram","vocab":[["é",-1e-7],["1e-07",0.00001]]}'
    """
    return _marked(value).replace(_NEXT, ",").replace(_COLON, ":") if indent is None else _laid_out(value, "\n")


def _marked(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(_NEXT, _COLON), allow_nan=False)
    return _SMALL.sub(_rewritten, f"{_NEXT}{text}{_NEXT}")[1:-1] if _MAYBE_SMALL.search(text) else text


def _rewritten(found: re.Match[str]) -> str:
    return found[1] + json_number(float(found[2]))


def _laid_out(value: Any, line: str) -> str:
    """The JSON of a value in the layout of `save`; line: the line feed and the spaces before its closing bracket.

    `json` lays out in Python, several times slower than it writes plain JSON, which is laid out here.
    """
    if not isinstance(value, (dict, list, tuple)) or not value:
        return _marked(value)
    inner = f"{line}  "
    members = list(value.values()) if isinstance(value, dict) else value
    if set(map(type, members)) <= _SCALARS:
        content = _marked(value)[1:-1].replace(_NEXT, f",{inner}").replace(_COLON, ": ")
    elif isinstance(value, dict):
        content = f",{inner}".join(f"{_marked(key)}: {_laid_out(each, inner)}" for key, each in value.items())
    elif _are_rows(members):
        row = f"{inner}  "
        rows = _marked(value)[2:-2].replace(f"]{_NEXT}[", f"{inner}],{inner}[{row}").replace(_NEXT, f",{row}")
        content = f"[{row}{rows}{inner}]"
    else:
        content = f",{inner}".join(_laid_out(each, inner) for each in members)
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}{inner}{content}{line}{last}"


def _are_rows(members: Sequence[Any]) -> bool:
    """Whether these are lists of scalars, none of them empty."""
    if set(map(type, members)) != {list} or not all(members):
        return False
    return set(map(type, chain.from_iterable(members))) <= _SCALARS


def loads(text: str) -> Any:
    """Read a JSON text as the library does; see `library_float`."""
    return json.loads(text, parse_float=library_float)


def json_number(value: float) -> str:
    """Write a finite number as the library does (Rust's serde_json 1.0): the shortest digits that round-trip.

    Python's `repr` has the same digits, but uses an exponent already for 0.00001, the library only for 0.000001 and
    less, and it writes e-07 instead of e-7.

    >>> [json_number(x) for x in (-0.0, 1e16, 0.00012, 0.00001, 0.00000012)]
    ['-0.0', '1e+16', '0.00012', '0.00001', '1.2e-7']
    """
    mantissa, _, exponent = repr(float(value)).partition("e-")
    if not exponent:
        return mantissa
    if int(exponent) > 5:
        return f"{mantissa}e-{int(exponent)}"
    sign = "-" * mantissa.startswith("-")
    return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"


def library_float(text: str) -> float:
    """Read a JSON number with a fraction or an exponent, with the rounding errors of the library.

    tokenizers 0.23.3 uses serde_json without the feature float_roundtrip.  This reads up to 64 bits of digits as one
    integer, then multiplies or divides it by a power of ten.  Each step rounds, so the result may differ by one unit in
    the last place from the nearest float, which Python's `float` gives.  ValueError for a number too large for a float.

    >>> library_float("-14.231798543705459"), float("-14.231798543705459")
    (-14.23179854370546, -14.231798543705459)
    """
    integer, _, decimals = text.partition(".")
    digits = integer + decimals
    # The fast path for nearly every score: all digits fit into one integer.
    if len(digits) <= _SAFE_DIGITS and decimals.isdecimal() and (plain := int(digits)):
        return plain / _POWERS[len(decimals)]
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    significand, power = int(whole + fraction), -len(fraction)
    if significand >= 2**64:
        significand, power = _leading(whole, fraction)
    value = _scaled(float(significand), power + int(exponent or 0))
    if value == math.inf:
        raise ValueError(f"the number {text} is too large for a 64-bit float")
    return -value if mantissa.startswith("-") else value


def _leading(whole: str, fraction: str) -> tuple[int, int]:
    """The leading digits that fit into 64 bits, and the power of ten of the last one."""
    significand, kept = 0, 0
    for digit in whole:
        if significand * 10 + int(digit) >= 2**64:
            break
        significand, kept = significand * 10 + int(digit), kept + 1
    power = len(whole) - kept
    for digit in fraction:
        if significand * 10 + int(digit) >= 2**64:
            break
        significand, power = significand * 10 + int(digit), power - 1
    return significand, power


def _scaled(value: float, power: int) -> float:
    while value and power < -308:
        value, power = value / 1e308, power + 308
    if not value or power < 0:
        return value / _POWERS[-power] if value else value
    return value * _POWERS[power] if power <= 308 else math.inf


# --- The files of models


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file; as in the library, only LF and CR LF end a line."""
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def written(path: Path, text: str) -> str:
    """Write a file of a model; returns its path as a string."""
    write_text(path, text)
    return str(path)


def chosen_prefix(prefix: str | None, name: str | None) -> str | None:
    """The prefix of a `save`; `name` is its deprecated name."""
    if name is None:
        return prefix
    message = "Deprecated in 0.10.0: Parameter `name` of Model.save has been renamed `prefix`"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return name


def named(folder: str | os.PathLike[str], prefix: str | None, name: str) -> Path:
    """The path of a model's file: folder/name or folder/prefix-name, as in the library."""
    return Path(folder) / (name if prefix is None else f"{prefix}-{name}")


def required(data: Mapping[str, Any], key: str, model: str) -> Any:
    """data[key]; ValueError if a model's JSON lacks it."""
    if key not in data:
        raise ValueError(f"{model}: the key {key!r} is missing")
    return data[key]
