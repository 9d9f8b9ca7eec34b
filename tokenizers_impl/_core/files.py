"""Files: text written whole or not at all, JSON to the byte as `tokenizers` writes it, a model's files."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import secrets
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# --- Text files, read with plain messages, written whole or not at all


def checked_paths(files: Any) -> list[str | os.PathLike[str]]:
    """One path or several as a list; ValueError for anything else: a number would be read as an open file."""
    paths = [files] if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable) else list(files)
    for i, path in enumerate(paths):
        if not isinstance(path, (str, os.PathLike)):
            raise ValueError(f"files[{i}] is {path!r}: give paths; train_from_iterator takes texts")
    return paths


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, line ends as they are; ValueError says which byte is none."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is no UTF-8 text (byte {error.start}): convert it first") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write the file beside its place, then put it there: an interrupted run leaves the old one, or none.

    A link is followed.  What is no ordinary file, such as a pipe, is written to as it stands.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8", newline="")
        return
    try:
        _put_in_place(target, text.encode("utf-8"))
    except OSError as error:
        # The name that was asked for, not the one that was tried, or none for a full disk.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


def _put_in_place(target: Path, content: bytes) -> None:
    """Write the file under another name, then rename it; the rights of a file that was there stay."""
    written = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(written, "xb") as file:
            file.write(content)
        if target.exists():
            os.chmod(written, target.stat().st_mode & 0o7777)
        os.replace(written, target)
    except BaseException:
        # A Ctrl-C may come when it is in its place already.
        written.unlink(missing_ok=True)
        raise


# --- JSON to the byte as `tokenizers` writes it, its numbers to the bit as it reads them

# A string, which is left alone, or a number of the kind that Python writes in another way.
_STRING_OR_SMALL = re.compile(r'"(?:[^"\\]|\\.)*"|-?[\d.]+e-\d+')
# Where there is none of these, as with most vocabularies, nothing has to be looked at.
_SMALL = re.compile(r"e-\d")
# As many digits, or a sign with one digit less, are below 2^64 whatever they are.
_SAFE_DIGITS = 19
_POWERS = [float(f"1e{exponent}") for exponent in range(309)]


def dumps(value: Any, indent: int | None = None) -> str:
    """The text of a JSON value: without spaces, or with indent=2 as `save` lays it out.

    >>> dumps({"type": "Unigram", "vocab": [["é", -1e-07], ["1e-07", 0.00001]]})
    '{"type":"Unigram","vocab":[["é",-1e-7],["1e-07",0.00001]]}'
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)
    return _STRING_OR_SMALL.sub(_rewritten, text) if _SMALL.search(text) else text


def _rewritten(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else json_number(float(found[0]))


def loads(text: str) -> Any:
    """The value of a JSON text, as the library has it: see `library_float`."""
    return json.loads(text, parse_float=library_float)


def json_number(value: float) -> str:
    """A finite number as the library writes it (Rust's serde_json 1.0): the shortest digits that give it back.

    Python's `repr` has the same digits; it gives small numbers an exponent from 0.00001 on, the library from 0.000001
    on, and writes e-07 for e-7.

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
    """The number that the library reads from the text of a JSON number with a fraction or an exponent.

    tokenizers 0.23.3 is built with serde_json without the feature float_roundtrip: this takes up to 64 bits of digits
    as one integer and multiplies or divides that by a power of ten.  Each step rounds: the result may lie one unit in
    the last place beside the nearest number, which Python's `float` gives.  ValueError where it is too large for a
    float.

    >>> library_float("-14.231798543705459"), float("-14.231798543705459")
    (-14.23179854370546, -14.231798543705459)
    """
    integer, _, decimals = text.partition(".")
    digits = integer + decimals
    # Nearly every score of a vocabulary: all digits at once, one division.
    if len(digits) <= _SAFE_DIGITS and decimals.isdecimal() and (plain := int(digits)):
        return plain / _POWERS[len(decimals)]
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    significand, power = int(whole + fraction), -len(fraction)
    if significand >= 2**64:
        significand, power = _leading(whole, fraction)
    value = _scaled(float(significand), power + int(exponent or 0))
    if value == math.inf:
        raise ValueError(f"the number {text} is too large")
    return -value if mantissa.startswith("-") else value


def _leading(whole: str, fraction: str) -> tuple[int, int]:
    """As many digits as 64 bits hold, and the power of ten that makes up for the others."""
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


# --- Files that a model reads or writes


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file, as the library reads them: they end with LF or CR LF, and with nothing else."""
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def written(path: Path, text: str) -> str:
    """Writes a file of a model; returns its path as a string."""
    write_text(path, text)
    return str(path)


def chosen_prefix(prefix: str | None, name: str | None) -> str | None:
    """The prefix of a `save`, of which `name` is an older word."""
    if name is None:
        return prefix
    message = "Deprecated in 0.10.0: Parameter `name` of Model.save has been renamed `prefix`"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return name


def named(folder: str | os.PathLike[str], prefix: str | None, name: str) -> Path:
    """The path of a model's file: folder/name or folder/prefix-name, as the library calls it."""
    return Path(folder) / (name if prefix is None else f"{prefix}-{name}")


def required(data: Mapping[str, Any], key: str, model: str) -> Any:
    """data[key]; ValueError if a model's JSON lacks it."""
    if key not in data:
        raise ValueError(f"{model}: the key {key!r} is missing")
    return data[key]
