"""The symbols that words consist of before the first merge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._arrays import I32, I64, U32, Bools
from .._kernel import kernel
from .._words import Words

# A character stands plain, with prefix, with suffix or with both; END is the suffix as a symbol of its own.
PLAIN, PREFIXED, SUFFIXED, END = 0, 1, 2, 4


class InitialSymbols:
    """The words as numbers of affixed characters.

    symbols: int32; the ones of word w are symbols[offsets[w]:offsets[w + 1]].  Number f * n + c is character c of the
    n known ones in form f; what is not known is left out, the others keep the form of their place in the word.
    """

    def __init__(self, words: Words, known: Sequence[str], prefix: str, suffix: str, end_of_word: str) -> None:
        self.known, self.prefix, self.suffix = known, prefix, suffix
        codes = [ord(char) for char in known]
        index = np.full(max([int(words.chars.max(initial=0)), *codes]) + 1, -1, np.int32)
        index[codes] = np.arange(len(known))
        glued, end = (bool(suffix) and end_of_word == kind for kind in ("glued", "symbol"))
        self.symbols, self.offsets, self._seen = _affixed(*words, index, len(known), bool(prefix), glued, end)

    def strings(self) -> dict[int, str]:
        """The number of every symbol that occurs with its string."""
        numbers = np.flatnonzero(self._seen).tolist()
        return {number: self._string(*divmod(number, max(1, len(self.known)))) for number in numbers}

    def _string(self, form: int, char: int) -> str:
        if form == END or not self.known:
            return self.suffix
        return self.prefix * (form & PREFIXED) + self.known[char] + self.suffix * (form >> 1)


@kernel
def _affixed(
    chars: U32, offsets: I64, index: I32, n: int, prefixed: bool, glued: bool, end: bool
) -> tuple[I32, I64, Bools]:
    """The symbols, where the words begin among them, and which numbers occur."""
    n_words = len(offsets) - 1
    symbols, firsts, size = np.empty(len(chars) + n_words * end, np.int32), np.empty(n_words + 1, np.int64), 0
    seen = np.zeros(END * n + 1, np.bool_)
    for w in range(n_words):
        firsts[w] = size
        start, stop = offsets[w], offsets[w + 1]
        for i in range(start, stop):
            char = index[chars[i]]
            if char >= 0:
                form = PREFIXED * (prefixed and i > start) + SUFFIXED * (glued and i == stop - 1)
                symbols[size] = form * n + char
                seen[symbols[size]] = True
                size += 1
        if end and stop > start:
            symbols[size] = END * n
            seen[END * n] = True
            size += 1
    firsts[n_words] = size
    return symbols[:size], firsts, seen


@kernel
def renumber(symbols: I32, numbers: I32) -> None:
    """Puts numbers[s] in the place of every symbol s.  (numpy would make 64-bit indices of all symbols first.)"""
    for i in range(len(symbols)):
        symbols[i] = numbers[symbols[i]]
