"""The tokenizers of ROUGE: rouge_score's, one for every script, white space, callables."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ._options import callable_name
from ._stemmer import stem_words
from ._words import Units, Utf8, Words, encode, from_token_lists, map_words, split_at, split_words, translate

TOKENIZERS = ("rouge_score", "unicode", "whitespace")


def tokenize(texts: list[str], tokenizer: Any, stemmer: bool) -> Units:
    """The tokens of every text, as ids of one vocabulary, with their names.

    tokenizer: one of TOKENIZERS, or a function from a text to its tokens, which is then also to stem if it wants to
    (as in rouge_score 0.1.2).

    >>> tokenize(["The cats, the CAT", "чай"], "rouge_score", False).segments.ids.tolist()
    [0, 1, 0, 2]
    """
    if callable(tokenizer):
        return from_token_lists([_checked(tokenizer(text), text) for text in texts]).units
    words = _SPLITTERS[tokenizer](texts)
    return (map_words(words, _stemmed) if stemmer else words).units


def tokenizer_name(tokenizer: Any) -> str:
    """What stands for a tokenizer in signatures; the classes of characters are those of Python's Unicode version."""
    if callable(tokenizer):
        return callable_name(tokenizer)
    return f"unicode-{unicodedata.unidata_version}" if tokenizer == "unicode" else str(tokenizer)


def warn_of_nothing_left(texts: Iterable[str], rows: Iterable[int]) -> None:
    """Warn of the first text that has letters but no tokens: a script that rouge_score's tokenizer does not know.

    rows: the row that each text belongs to.
    """
    for text, row in zip(texts, rows, strict=True):
        if not text.isascii() and not _ANY_TOKEN.search(text) and any(map(str.isalpha, text)):
            warnings.warn(
                f"a text of row {row} has letters but no tokens: the tokenizer of rouge_score knows only a-z and 0-9 "
                f'and scores it as 0. Give tokenizer="unicode" for other scripts',
                stacklevel=6,
            )
            return


def _stemmed(words: list[str]) -> Words:
    return from_token_lists([[stem] for stem in stem_words(words)])


def _checked(tokens: Any, text: str) -> list[str]:
    if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"the tokenizer returned {tokens!r} for {text!r}: it must return a list of strings")
    return list(tokens)


# a-z and 0-9 stay, A-Z become a-z, every other byte a space.
_FOLDED = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else ord(" ") for byte in range(256))
# The only characters outside ASCII whose lower case holds a letter inside it (all code points are tried in a test).
_LOWERED: dict[str, str | int | None] = {"\u212a": "k", "\u0130": "i\u0307"}
_LOWERED_BYTES = [character.encode() for character in _LOWERED]
_ANY_TOKEN = re.compile("[a-zA-Z0-9\u212a\u0130]")


def _rouge_score(texts: list[str]) -> Words:
    """Runs of a-z and 0-9 of the lower-cased text (rouge_score 0.1.2, tokenize.py)."""
    text = encode(texts)
    as_bytes = text.data.tobytes()
    if any(character in as_bytes for character in _LOWERED_BYTES):
        text = encode([text.translate(str.maketrans(_LOWERED)) for text in texts])
    folded = translate(text.data, _FOLDED)
    return split_at(Utf8(folded, text.offsets), folded == ord(" "))


def _unicode(texts: list[str]) -> Words:
    """Runs of letters, marks and numbers of any script, lower-cased and composed; a Han or Kana character is a token.

    Joiners and soft hyphens, which only shape a word, are left out.  Scripts that write no spaces but are no Han or
    Kana, such as Thai, stay whole: give a callable for them.
    """
    composed = [unicodedata.normalize("NFC", text.lower()).translate(_SHAPING) for text in texts]
    return map_words(split_words(composed), lambda words: from_token_lists(list(map(_unicode_tokens, words))))


def _unicode_tokens(word: str) -> list[str]:
    """
    >>> _unicode_tokens("naïve-हिन्दी漢字")
    ['naïve', 'हिन्दी', '漢', '字']
    """
    classes = word.translate(_CLASSES)
    return [word[found.start() : found.end()] for found in _TOKEN_CLASSES.finditer(classes)]


# Soft hyphen, zero-width non-joiner and joiner, word joiner, byte order mark.
_SHAPING = dict.fromkeys([0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF])
# Han or Kana with its marks, or a run of anything else that is a letter, mark or number.
_TOKEN_CLASSES = re.compile("hm*|[wm]+")


class _Classes(dict[int, str]):
    """Code point to class: h Han or Kana, m mark, w other letter or number, a space for all else."""

    def __missing__(self, point: int) -> str:
        self[point] = self._class(chr(point))
        return self[point]

    @staticmethod
    def _class(character: str) -> str:
        category = unicodedata.category(character)[0]
        if category == "L" and unicodedata.name(character, "").startswith(_ONE_TOKEN_A_CHARACTER):
            return "h"
        return {"L": "w", "N": "w", "M": "m"}.get(category, " ")


_ONE_TOKEN_A_CHARACTER = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION MARK",
    "HIRAGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
)
_CLASSES = _Classes()

_SPLITTERS: dict[str, Callable[[list[str]], Words]] = {
    "rouge_score": _rouge_score,
    "unicode": _unicode,
    "whitespace": split_words,
}
