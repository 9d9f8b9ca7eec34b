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
    """BertNormalizer with these options alone."""
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

# A character beside one of a known class is in this class if both stay one word, or if it is cut from another.
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
    # It decomposes before it strips; what decomposes never comes to be stripped.
    "bert_strip_accents": lambda char: nfd(char) == char and bert_strip_accents(char) == "",
    "bert_clean_text": lambda char: bert_clean_text(char) == "",
}


def named(tests: dict[str, Callable[[str], bool]]) -> Callable[[str], str]:
    """The names of the tests that a character passes."""
    return lambda char: " ".join(name for name, passes in tests.items() if passes(char))


def moves(char: str) -> bool:
    """Whether the character changes places with a mark of the lowest or of the highest combining class."""
    low, high = "\u0334", "\u0345"
    return nfd(char) == char and bool(nfd(char + low) == low + char or nfd(high + char) == char + high)


@cache
def samples() -> dict[int, str]:
    """For each combining class the first mark of it that the library knows."""
    marks = filter(moves, (chr(code) for code in reversed(EVERY) if code not in SURROGATES))
    return {unicodedata.combining(mark): mark for mark in marks}


def combining_class(char: str) -> str:
    """The class by which a mark is ordered: that of the marks with which it does not change places."""
    equal = (rank for rank, mark in samples().items() if in_order(char, mark) and in_order(mark, char))
    return str(next(equal)) if moves(char) else ""


def in_order(first: str, second: str) -> bool:
    """Whether two characters stay as they are."""
    return bool(nfd(first + second) == first + second)


def changed(normalize: Callable[[str], str], base: Callable[[str], str] = str) -> Callable[[str], str]:
    """The code points that a character becomes, nothing where it becomes no other than with `base`."""
    return lambda char: "" if normalize(char) == base(char) or ord(char) in HANGUL else hexadecimal(normalize(char))


def uppercase(text: str) -> str:
    """The text in upper case, for which there is no normalizer."""
    normalized = NormalizedString(text)
    normalized.uppercase()
    return str(normalized)


def composed(char: str) -> str:
    """The pair that composes to the character, nothing if there is none."""
    parts = nfd(char)
    if parts == char or nfc(char) != char or ord(char) in HANGUL:
        return ""
    return hexadecimal(nfc(parts[:-1]) + parts[-1])


def hexadecimal(text: str) -> str:
    """The code points of a text."""
    return " ".join(f"{ord(char):04X}" for char in text)


def table(what: str, value: Callable[[str], str], writer: str = "unicode_tables.py") -> str:
    """One row for each run of code points with the same value; none where it is empty, as it is for surrogates."""
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
