"""Splits texts into ROUGE's tokens and sentences.

The rules for sentences miss an end after "U.S." or a single initial ("He left the U.S. She stayed."), after a full stop
or ellipsis without white space after it ("end.Next"), and after abbreviations of other languages than English. They cut
too early in Japanese speech that continues after 。」. To control the split, join sentences by newlines, which always
separate.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenscore.inputs import warn_caller
from evenscore.options import callable_name, called
from evenscore.rouge.stems import stem_words
from evenscore.text.words import (
    Bytes,
    Mask,
    Points,
    Units,
    Utf8,
    Utf16,
    Wide,
    Words,
    character_begins,
    checked_tokens,
    encode,
    encode_lines,
    from_token_lists,
    has_pairs,
    map_words,
    points_of,
    split_at,
    split_words,
    translate,
    white_space_of,
    without,
)

TOKENIZERS = ("rouge_score", "unicode", "whitespace")


def tokenize(texts: list[str], tokenizer: Any, stemmer: bool | str) -> Units:
    """Return the tokens of each text as ids of one vocabulary.

    tokenizer: one of TOKENIZERS, or a function from a text to its tokens, to which `stemmer` does not apply (as in
    rouge_score 0.1.2).
    stemmer: False: no stems; else a stemmer of `stem_words`.

    >>> tokenize(["The cats, the CAT", "чай"], "rouge_score", False).segments.ids.tolist()
    [0, 1, 0, 2]
    """
    if callable(tokenizer):
        return from_token_lists([checked_tokens(called(tokenizer, text), text) for text in texts]).units
    words = _SPLITTERS[tokenizer](texts)
    if stemmer:
        words = map_words(words, lambda distinct: _stems(distinct.to_pylist(), stemmer))
    return words.units


def _stems(words: list[str], stemmer: bool | str) -> Words:
    return from_token_lists([[stem] for stem in stem_words(words, stemmer)])


def tokens_of_few(texts: list[str], tokenizer: Any, stemmer: bool | str) -> list[list[Any]]:
    """Return the tokens of each text, as strings or ids: what `tokenize` does for many, faster for a few.

    >>> tokens_of_few(["The cats, the CAT"], "rouge_score", False)
    [['the', 'cats', 'the', 'cat']]
    """
    if callable(tokenizer):
        ids, offsets = tokenize(texts, tokenizer, stemmer).segments
        return [ids[start:end].tolist() for start, end in itertools.pairwise(offsets.tolist())]
    rows = list(map(_SPLITTERS_OF_FEW[tokenizer], texts))
    if not stemmer:
        return rows
    distinct = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    stems = dict(zip(distinct, stem_words(distinct, stemmer), strict=True))
    return [list(map(stems.__getitem__, row)) for row in rows]


def tokenizer_name(tokenizer: Any) -> str:
    """Return a tokenizer's name in signatures. "unicode" depends on Python's Unicode version, and includes it."""
    if callable(tokenizer):
        return callable_name(tokenizer)
    return f"unicode-{unicodedata.unidata_version}" if tokenizer == "unicode" else str(tokenizer)


def warn_of_other_scripts(texts: list[str]) -> None:
    """Warn if rouge_score's tokenizer ignores the script of a text.

    Looks for a text that loses all its letters and digits, and in a sample of a hundred for one that loses most.
    The message names no row, so that Python shows it once for all batches of a data set.
    """
    some = texts[:: len(texts) // 100 + 1]
    if any(not text.isascii() and not _ANY_TOKEN.search(text) and _loses_most(text) for text in texts) or any(
        2 * len(text.encode()) > 3 * len(text) and _loses_most(text) for text in some
    ):
        warn_caller(
            "a text loses most of its letters or digits: tokenizer='rouge_score' keeps only a-z and 0-9. Set "
            "tokenizer='unicode' for other scripts"
        )


def _loses_most(text: str) -> bool:
    """Whether most letters and digits make no token."""
    letters = list(filter(str.isalnum, text))
    return 2 * sum(map(bool, map(_ANY_TOKEN.match, letters))) < len(letters)


# Lower-cases ASCII letters, keeps digits and replaces all other bytes by spaces.
_FOLDED = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else ord(" ") for byte in range(256))
# The only characters outside ASCII whose lower case contains ASCII letters (a test tries all code points).
_LOWERED = ("\u212a".encode(), "\u0130".encode())
_RUNS = re.compile("[a-z0-9]+")
_ANY_TOKEN = re.compile("[a-zA-Z0-9\u212a\u0130]")


def _rouge_score(texts: list[str]) -> Words:
    """Split lower-cased texts into runs of a-z and 0-9. Source: rouge_score 0.1.2, tokenize.py."""
    text = encode(texts)
    as_bytes = text.data.tobytes()
    if any(character in as_bytes for character in _LOWERED):
        text = encode(list(map(str.lower, texts)))
    folded = translate(text.data, _FOLDED)
    return split_at(Utf8(folded, text.offsets), folded == ord(" "))


def _unicode(texts: list[str]) -> Words:
    """Split lower-cased NFC texts into runs of letters, marks and numbers; each Han or Kana character is a token.

    Joiners, soft hyphens and variation selectors are removed. Other scripts without spaces between words, such as
    Thai, are not split: pass a callable for them.
    """
    lines = "\n".join([*texts, ""])
    text = encode_lines(lines)
    if len(text.offsets) != len(texts) + 1:
        return _unicode([text.replace("\n", " ") for text in texts])
    lowered = _lowered(text) if isinstance(text, Utf8) else None
    if lowered is not None:
        return _cut(lowered, _classes(lowered))
    if isinstance(text, Utf16) and is_east_asian(lines):
        cut = _lowered_with_classes(text)
        return _cut(*cut) if cut is not None else _cut_composed(lines)
    # Lower case and NFC of such text take longer than all else, so each distinct word goes through them once.
    return map_words(split_at(text, white_space_of(text)), _tokens_of_words)


def is_east_asian(lines: str) -> bool:
    """Whether many characters of a sample are one token each: between spaces, such text has few words twice."""
    # The step is odd, since in some texts every second character is a space.
    sample = lines[:: len(lines) // _SAMPLE | 1].translate(_CLASSES)
    return 8 * sample.count("h") > len(sample)


def _lowered_with_classes(text: Utf16) -> tuple[Utf16, Bytes] | None:
    """Return texts in lower case and the class of each unit, or None.

    None if a character takes two units, or if lower case depends on neighbours or may not be NFC. Each distinct
    character is looked at once.
    """
    if has_pairs(text.data):
        return None
    places = text.data.astype(np.intp)
    seen = np.zeros(int(places.max(initial=0)) + 1, np.bool_)
    seen[places] = True
    distinct = seen.nonzero()[0]
    characters = distinct.astype("<u2").tobytes().decode("utf-16-le")
    lowered = characters.lower()
    classes = lowered.translate(_CLASSES)
    # As in `_lowered`. Only marks, such as the dot of a capital I, make lower case longer.
    if "Σ" in characters or "m" in classes or _COMPOSING_LETTER.search(lowered):
        return None
    if not unicodedata.is_normalized("NFC", lowered):
        return None
    to_lower, to_class = np.zeros(len(seen), np.uint16), np.zeros(len(seen), np.uint8)
    to_lower[distinct] = np.frombuffer(lowered.encode("utf-16-le"), "<u2")
    to_class[distinct] = np.frombuffer(classes.encode("ascii"), np.uint8)
    return Utf16(to_lower.take(places), text.offsets), to_class.take(places)


# The vowels and final consonants of Hangul: all but them that compose with the character before them are marks.
_COMPOSING_LETTER = re.compile("[\u1160-\u11ff]")


def _lowered(text: Utf8) -> Utf8 | None:
    """Return texts in lower case, or None if that is not NFC, depends on neighbours or changes the number of bytes.

    Most of UTF-8 is ASCII, which bytes lower fast. All other characters are lowered as one string.
    """
    data = np.frombuffer(bytearray(text.data).lower(), np.uint8)
    places = (data >= 128).nonzero()[0]
    units = data[places]
    wide = units.tobytes().decode()
    # Only a final capital sigma is lowered by its neighbours, and only marks compose with or pass characters of ASCII.
    if "Σ" in wide or (_classes_of_points(points_of(units)) == ord("m")).any():
        return None
    lowered = wide.lower()
    new = np.frombuffer(lowered.encode(), np.uint8)
    same_bytes = np.array_equal(character_begins(new), character_begins(units))
    # NFC must change nothing: characters that are apart in the texts stand side by side here, and would compose.
    if not (same_bytes and unicodedata.is_normalized("NFC", lowered)):
        return None
    data[places] = new
    return Utf8(data, text.offsets)


def _tokens_of_words(words: pa.LargeStringArray) -> Words:
    """Return what `_unicode_tokens` returns for each word."""
    whole = pa.ListArray.from_arrays(pa.array([0, len(words)], pa.int32()), words)
    lines = pc.binary_join(whole, pa.scalar("\n", words.type))[0].as_py()
    return _cut_composed(f"{lines}\n" if len(words) else "")


# About this many characters decide how texts are lowered.
_SAMPLE = 200
# Some 200 characters and the rest of a word: Python only looks at a text without marks, but one mark makes it compose
# all. Neither lower case nor NFC looks beyond white space.
_PART = re.compile(r".{0,200}\S*\s", re.DOTALL)


# Marks of combining class 0, mostly vowel signs of India. They compose with some characters before them, but with none
# after them (a test tries all code points).
_SIGNS = "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u0fb5\u0fb7\u102e\u1b35"
_IS_SIGN = np.isin(np.arange(1 << 16), list(map(ord, _SIGNS)))


def _composed(lines: str) -> str:
    """Return lines in lower case and NFC; a line feed must end each."""
    if not set(_SIGNS).isdisjoint(lines[:: len(lines) // _SAMPLE + 1]):
        lowered = lines.lower()
        if _is_composed(lowered):
            return lowered
    return "".join(unicodedata.normalize("NFC", part.lower()) for part in _PART.findall(lines))


def _is_composed(lines: str) -> bool:
    """Whether lines are in NFC; may be False for lines that are.

    One sign makes Python compose all of a text. Instead, this checks the distinct pairs of a character and the sign
    behind it, and the lines with a control character in place of each sign. What stands before a sign or a control
    character never composes with what stands behind it.
    """
    units = np.frombuffer(lines.encode("utf-16-le"), "<u2")
    if has_pairs(units):
        return False
    signs = _IS_SIGN.take(units).nonzero()[0]
    # In little-endian order, the lower half of a number comes first.
    pairs = np.unique(units[signs].astype("<u4") << 16 | units[signs - 1])
    rest = units.copy()
    rest[signs] = 0
    decoded = (part.tobytes().decode("utf-16-le") for part in (pairs, rest))
    return all(unicodedata.is_normalized("NFC", part) for part in decoded)


def _cut_composed(lines: str) -> Words:
    """Lower and compose lines, and split them into tokens."""
    text = encode_lines(_composed(lines))
    return _cut(text, _classes(text))


def _cut(text: Utf8 | Utf16, classes: Bytes) -> Words:
    """Split texts in lower case and NFC into tokens; classes: those of `_classes`."""
    invisible = classes == ord("i")
    if invisible.any():
        text, classes = without(text, invisible), classes[~invisible]
    return split_at(text, classes == ord(" "), _starts_of_tokens(text, classes))


def _classes(text: Utf8 | Utf16) -> Bytes:
    """Return the class of the character of each unit."""
    if isinstance(text, Utf16) and not has_pairs(text.data):
        return _classes_of_points(text.data)
    classes = np.frombuffer(bytearray(text.low).translate(_CLASSES_OF_ASCII), np.uint8)
    places = (text.data >= 128).nonzero()[0]
    if len(places):
        units = text.data[places]
        classes[places] = _classes_of_points(points_of(units))[np.cumsum(character_begins(units)) - 1]
    return classes


def _classes_of_points(points: Points | Wide) -> Bytes:
    """Return the class of each code point."""
    # Convert to indices once; numpy would do so at each use.
    places = points.astype(np.intp)
    classes = np.zeros(int(points.max(initial=0)) + 1, np.uint8)
    classes[places] = 1
    distinct = classes.nonzero()[0]
    classes[distinct] = list(map(_CLASSES.__getitem__, distinct.tolist()))
    return classes.take(places)


def _starts_of_tokens(text: Utf8 | Utf16, classes: Bytes) -> Mask | None:
    """Return which units start a token, besides those after a space; the classes match `_TOKEN_CLASSES`."""
    single = classes == ord("h")
    if not single.any():
        return None
    begins = character_begins(text.data)
    starts: Mask = single & begins
    # So does the character after one of these and its marks.
    bases = (begins & (classes != ord("m"))).nonzero()[0]
    starts[bases[1:]] |= starts[bases[:-1]]
    return starts


def _unicode_tokens(text: str) -> list[str]:
    """Lower-case and compose a text, and split it into runs of letters, marks and numbers, and Han or Kana characters.

    >>> _unicode_tokens("Naïve-हिन्दी漢字")
    ['naïve', 'हिन्दी', '漢', '字']
    """
    composed = unicodedata.normalize("NFC", text.lower()).translate(_SHAPING)
    classes = composed.translate(_CLASSES)
    return [composed[found.start() : found.end()] for found in _TOKEN_CLASSES.finditer(classes)]


# Soft hyphen, zero-width non-joiner and joiner, word joiner, byte order mark, and variation selectors, as of emoji.
_INVISIBLE = "\xad\u200c\u200d\u2060\ufeff" + "".join(map(chr, range(0xFE00, 0xFE10)))
_SHAPING = dict.fromkeys(map(ord, _INVISIBLE))
# A Han or Kana character with its marks, or a run of other letters, marks and numbers, as in `_starts_of_tokens`.
_TOKEN_CLASSES = re.compile("hm*|[wm]+")


class _Classes(dict[int, int]):
    """Maps code points to the code points of their classes.

    h Han or Kana, m mark, w other letter or number, i invisible, space all others.
    """

    def __missing__(self, point: int) -> int:
        self[point] = ord(self._letter(point))
        return self[point]

    def _letter(self, point: int) -> str:
        if point in _SHAPING:
            return "i"
        category = unicodedata.category(chr(point))[0]
        is_token = category == "L" and unicodedata.name(chr(point), "").startswith(_ONE_TOKEN_A_CHARACTER)
        return "h" if is_token else {"L": "w", "N": "w", "M": "m"}.get(category, " ")


_ONE_TOKEN_A_CHARACTER = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION MARK",
    "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA",
)  # fmt: skip
_CLASSES = _Classes()
_CLASSES_OF_ASCII = bytes(_CLASSES[byte] if byte < 128 else 0 for byte in range(256))

_SPLITTERS: dict[str, Callable[[list[str]], Words]] = {
    "rouge_score": _rouge_score,
    "unicode": _unicode,
    "whitespace": split_words,
}
_SPLITTERS_OF_FEW: dict[str, Callable[[str], list[str]]] = {
    "rouge_score": lambda text: _RUNS.findall(text.lower()),
    "unicode": _unicode_tokens,
    "whitespace": str.split,
}


# Abbreviations without their final full stop. These precede a name and hardly ever end a sentence.
_TITLE = re.compile(
    "mr|mrs|ms|dr|prof|rev|hon|st|mt|messrs|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|supt|vs|cf|viz|approx"
)
# These do not end a sentence if a number follows: No. 5, Fig. 2, Jan. 31.
_NUMBERED = re.compile(
    "no|nos|nr|pp|figs?|eq|vols?|ch|chap|sec|art|par|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
# These end a sentence only if a capital follows: not in 5 p.m. on Monday, Li et al. (2004).
_OFTEN_LAST = re.compile(r"[ap]\.m|etc|al|inc|ltd|co|corp|bros|jr|sr|ph\.d|dept|est|ave|blvd|rd|univ")

# Longer than any abbreviation. The limit keeps the time linear in the length of a line.
_LOOK_BACK = 20

_OPENING = "\"'([{“‘«„‹「『（【《〈"
_CLOSING = "\"')\\]}”’»›」』）】》〉"
# Marks of the first kind end a sentence before white space. Marks of the second kind always do: Chinese and Japanese,
# Devanagari, Arabic and Urdu, Armenian, Ethiopic, Burmese, Khmer, Mongolian, Greek (its question mark).
_SPACED = ".!?…‼⁇⁈⁉．"
_UNSPACED = "。！？｡।॥؟۔։።፧။។៕᠃᠉\u037e"
# The look-behind does not change matches. It avoids quadratic time on a long run of full stops before a letter.
_END = re.compile(
    rf"(?<![{_SPACED}])(?P<mark>[{_SPACED}]+)(?P<closing>[{_CLOSING}]*)(?=\s+(?P<following>\S)|\s*$)"
    rf"|[{_UNSPACED}][{_SPACED}{_UNSPACED}]*[{_CLOSING}]*"
)


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, stripped of white space; [] for a text of white space only.

    A line break (str.splitlines) always separates. Closing quotes and brackets belong to the sentence before them.

    >>> split_sentences('Dr. J. Smith paid $3.5 for No. 5, e.g. in the U.S. "Why?" he asked. (Nobody knew.) The end...')
    ['Dr. J. Smith paid $3.5 for No. 5, e.g. in the U.S. "Why?" he asked.', '(Nobody knew.)', 'The end...']
    >>> split_sentences("今日は雨です。「本当？」はい！\\nवह आया। वह गया।")
    ['今日は雨です。', '「本当？」', 'はい！', 'वह आया।', 'वह गया।']
    """
    return [sentence for line in text.splitlines() for sentence in _split_line(line)]


def _split_line(line: str) -> list[str]:
    pieces, start = [], 0
    for end in _END.finditer(line):
        if end["mark"] is None or _ends_sentence(line[max(start, end.start() - _LOOK_BACK) : end.start()], end):
            pieces.append(line[start : end.end()])
            start = end.end()
    pieces.append(line[start:])
    return [piece.strip() for piece in pieces if piece.strip()]


def _ends_sentence(before: str, end: re.Match[str]) -> bool:
    """Whether this mark ends its sentence; `before` is the text before it, at most _LOOK_BACK characters."""
    following = end["following"]
    if following is None:
        return True
    # "Stop!" he said; well ... perhaps
    if following.islower() and (end["closing"] or end["mark"] in ("...", "…")):
        return False
    return end["mark"] != "." or not _is_abbreviated(before, following)


def _is_abbreviated(before: str, following: str) -> bool:
    """Whether a full stop after `before` is part of an abbreviation.

    >>> _is_abbreviated("met Mr", "A"), _is_abbreviated("said no", "A"), _is_abbreviated("said no", "5")
    (True, False, True)
    """
    words = before.split()
    last = words[-1].lstrip(_OPENING).lower() if words else ""
    if _OFTEN_LAST.fullmatch(last):
        return not following.isupper()
    if _NUMBERED.fullmatch(last):
        return following.isdigit()
    is_item_number = len(words) == 1 and last.isdigit()  # 1. First item
    is_initials = all(len(letter) == 1 and letter.islower() for letter in last.split("."))  # J. Smith, e.g., U.S.
    return is_item_number or is_initials or _TITLE.fullmatch(last) is not None
