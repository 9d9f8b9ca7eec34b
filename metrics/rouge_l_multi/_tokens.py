"""The tokenizers of ROUGE: rouge_score's, one for every script, white space, callables."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ._segments import Segments
from ._stemmer import stem_words
from ._words import Words, encode, from_token_lists, map_words, split_at, split_words

TOKENIZERS = ("rouge_score", "unicode", "whitespace")


def tokenize(texts: list[str], tokenizer: Any, stemmer: bool) -> Segments:
    """The tokens of every text, as ids of one vocabulary.

    tokenizer: one of TOKENIZERS, or a function from a text to its tokens, which is then also to stem if it wants to
    (as in rouge_score 0.1.2).

    >>> tokenize(["The cats, the CAT", "чай"], "rouge_score", False).ids.tolist()
    [0, 1, 0, 2]
    """
    if callable(tokenizer):
        return from_token_lists([_checked(tokenizer(text), text) for text in texts]).segments
    words = _SPLITTERS[tokenizer](texts)
    return map_words(words, _stemmed).segments if stemmer else words.segments


def warn_of_nothing_left(texts: list[str], tokens: Segments, name: str) -> None:
    """Warn of the first text that has letters but no tokens: a script that the tokenizer does not know."""
    for i in np.flatnonzero(tokens.lengths == 0).tolist():
        if any(map(str.isalpha, texts[i])):
            warnings.warn(
                f"{name}[{i}] has letters but no tokens: the tokenizer of rouge_score knows only a-z and 0-9 and "
                f'scores this as 0. Give tokenizer="unicode" for other scripts',
                stacklevel=2,
            )
            return


def _stemmed(words: list[str]) -> Words:
    return from_token_lists([[stem] for stem in stem_words(words)])


def _checked(tokens: Any, text: str) -> list[str]:
    if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"the tokenizer returned {tokens!r} for {text!r}: it must return a list of strings")
    return list(tokens)


_LETTERS_AND_DIGITS = np.zeros(256, dtype=np.bool_)
_LETTERS_AND_DIGITS[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True


def _rouge_score(texts: list[str]) -> Words:
    """Runs of a-z and 0-9 of the lower-cased text (rouge_score 0.1.2, tokenize.py)."""
    text = encode(list(map(str.lower, texts)))
    return split_at(text, ~_LETTERS_AND_DIGITS[text.data])


def _unicode(texts: list[str]) -> Words:
    """Runs of letters, marks and numbers of any script, lower-cased and composed; a Han or Kana character is a token.

    Scripts that write no spaces but are no Han or Kana, such as Thai, stay whole: give a callable for them.
    """
    composed = [unicodedata.normalize("NFC", text.lower()) for text in texts]
    return map_words(split_words(composed), lambda words: from_token_lists(list(map(_unicode_tokens, words))))


def _unicode_tokens(word: str) -> list[str]:
    """
    >>> _unicode_tokens("naïve-हिन्दी漢字")
    ['naïve', 'हिन्दी', '漢', '字']
    """
    classes = word.translate(_CLASSES)
    return [word[found.start() : found.end()] for found in _TOKEN_CLASSES.finditer(classes)]


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
