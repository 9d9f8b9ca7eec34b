"""Writes the frozen unicode_*.txt, measured on the installed `tokenizers`.

python tools/unicode_tables.py
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path

import tokenizers
from tokenizers import NormalizedString, normalizers, pre_tokenizers

EVERY = range(0x110000)
# The folder of the package's tables.
DATA = Path(__file__).resolve().parent.parent / "tokenizers_impl" / "data"
SURROGATES = range(0xD800, 0xE000)
HANGUL = range(0xAC00, 0xD7A4)


def _cuts(pre_tokenizer: pre_tokenizers.PreTokenizer) -> Callable[[str], int]:
    """Return a function that counts the words the pre-tokenizer splits a text into."""
    return lambda text: len(pre_tokenizer.pre_tokenize_str(text))


def _bert(**options: bool) -> Callable[[str], str]:
    """Return BertNormalizer with only these options enabled."""
    off = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**off, **options}).normalize_str


gpt2 = _cuts(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True))
words = _cuts(pre_tokenizers.Whitespace())
punctuation = _cuts(pre_tokenizers.Punctuation())
digits = _cuts(pre_tokenizers.Digits(individual_digits=True))
nfc, nfd, nfkd, lowercase, strip_accents = (
    getattr(normalizers, name)().normalize_str for name in ("NFC", "NFD", "NFKD", "Lowercase", "StripAccents")
)
bert_clean_text, bert_strip_accents = _bert(clean_text=True), _bert(strip_accents=True)

# Each test puts a character next to one of a known class, and checks whether the two form one word or are separated.
CLASSES: dict[str, Callable[[str], bool]] = {
    "letter": lambda char: gpt2("a" + char) == 1,
    "number": lambda char: gpt2("1" + char) == 1,
    "space": lambda char: words(char) == 0,
    "word": lambda char: words("a" + char + "a") == 1,
    "punctuation": lambda char: punctuation("a" + char + "a") == 3,
    "numeric": lambda char: digits("a" + char + "a") == 3,
}
REMOVALS: dict[str, Callable[[str], bool]] = {
    "strip_accents": lambda char: strip_accents(char) == "",
    # BertNormalizer decomposes characters before it strips accents, so one that decomposes is never stripped itself.
    "bert_strip_accents": lambda char: nfd(char) == char and bert_strip_accents(char) == "",
    "bert_clean_text": lambda char: bert_clean_text(char) == "",
}


def named(tests: dict[str, Callable[[str], bool]]) -> Callable[[str], str]:
    """Return a function that names the tests a character passes."""
    return lambda char: " ".join(name for name, passes in tests.items() if passes(char))


def moves(char: str) -> bool:
    """Whether NFD swaps the character with a mark of the lowest or highest combining class."""
    low, high = "\u0334", "\u0345"
    return nfd(char) == char and bool(nfd(char + low) == low + char or nfd(high + char) == char + high)


@cache
def samples() -> dict[int, str]:
    """Return the first mark of each combining class that the library knows."""
    marks = filter(moves, (chr(code) for code in reversed(EVERY) if code not in SURROGATES))
    return {unicodedata.combining(mark): mark for mark in marks}


def combining_class(char: str) -> str:
    """Return the combining class of a mark: that of the marks with which NFD does not swap it."""
    equal = (rank for rank, mark in samples().items() if in_order(char, mark) and in_order(mark, char))
    return str(next(equal)) if moves(char) else ""


def in_order(first: str, second: str) -> bool:
    """Whether NFD leaves two characters unchanged."""
    return bool(nfd(first + second) == first + second)


def changed(normalize: Callable[[str], str], base: Callable[[str], str] = str) -> Callable[[str], str]:
    """Return a function that gives a character's normalized code points, or an empty string if `base` agrees."""
    return lambda char: "" if normalize(char) == base(char) or ord(char) in HANGUL else hexadecimal(normalize(char))


def uppercase(text: str) -> str:
    """Return the text in upper case; `tokenizers` has no normalizer for it."""
    normalized = NormalizedString(text)
    normalized.uppercase()
    return str(normalized)


def composed(char: str) -> str:
    """Return the pair that composes to the character, or an empty string."""
    parts = nfd(char)
    if parts == char or nfc(char) != char or ord(char) in HANGUL:
        return ""
    return hexadecimal(nfc(parts[:-1]) + parts[-1])


def hexadecimal(text: str) -> str:
    """Return the code points of a text in hexadecimal."""
    return " ".join(f"{ord(char):04X}" for char in text)


def table(what: str, value: Callable[[str], str], writer: str = "unicode_tables.py") -> str:
    """Return a row per run of code points with the same value; empty values, as of surrogates, have no row."""
    values = ("" if code in SURROGATES else value(chr(code)) for code in EVERY)
    lines = [f"# {what}", f"# tokenizers {tokenizers.__version__}, written by {writer}"]
    for shared, run in groupby(enumerate(values), lambda item: item[1]):
        if shared:
            codes = [code for code, _ in run]
            lines.append(f"{codes[0]:04X}" + (f"..{codes[-1]:04X}" if len(codes) > 1 else "") + f";{shared}")
    return "\n".join(lines) + "\n"


TABLES = {
    "unicode_classes.txt": ("code points;classes that pre-tokenizers ask for", named(CLASSES)),
    "unicode_removals.txt": ("code points;normalizers that take them out", named(REMOVALS)),
    "unicode_combining.txt": ("code points;combining class", combining_class),
    "unicode_decompositions.txt": ("code point;NFD, but for Hangul", changed(nfd)),
    "unicode_compatibility.txt": ("code point;NFKD where it is not NFD", changed(nfkd, nfd)),
    "unicode_compositions.txt": ("code point;the pair that composes to it, but for Hangul", composed),
    "unicode_lowercase.txt": ("code point;lowercase", changed(lowercase)),
    "unicode_uppercase.txt": ("code point;uppercase", changed(uppercase)),
}

if __name__ == "__main__":
    for name, (what, value) in TABLES.items():
        (DATA / name).write_text(table(what, value), encoding="ascii")
