"""Byte-level words: GPT-2's cut, every byte shown as a character."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .._arrays import I32, I64, U8, U32
from .._byte_chars import byte_to_char
from .._byte_text import in_byte_chars
from .._component import unchanging
from .._kernel import inner_kernel, kernel
from .._prepending import prepended_once
from .._splits import TEXT, Splits
from .._unicode import LETTER, NUMBER, SPACE, character_classes
from ._marks import BEGINS, INSIDE, cut_at_marks
from ._pre_tokenizer import PreTokenizer

_SPACE_CHAR, _APOSTROPHE = 32, 39
_D, _E, _L, _M, _R, _S, _T, _V = map(ord, "delmrstv")
# What stands before the first character.
_NO_KIND = 255


@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(PreTokenizer):
    """GPT-2's regular expression, then every byte as a visible character, as `tokenizers.pre_tokenizers.ByteLevel`.

    add_prefix_space: put a space before a text that begins with none.  trim_offsets: of no effect here, kept for the
    file.  use_regex: cut at all.

    >>> ByteLevel().pre_tokenize_str("Hi you're é")
    [('ĠHi', (0, 2)), ('Ġyou', (2, 6)), ("'re", (6, 9)), ('ĠÃ©', (9, 11))]
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True

    def cut(self, splits: Splits) -> Splits:
        """Words with the space before them, in byte characters."""
        spaced = prepended_once(splits, _SPACE_CHAR, splits.added == TEXT) if self.add_prefix_space else splits
        words = cut_at_marks(spaced, _mark_gpt2, _kinds()) if self.use_regex else spaced.without_empty()
        return in_byte_chars(words)

    @staticmethod
    def alphabet() -> list[str]:
        """The 256 characters that stand for bytes, sorted by code point."""
        return sorted(map(chr, byte_to_char().tolist()))


@cache
def _kinds() -> U8:
    """LETTER, NUMBER, SPACE or 0 of every code point."""
    return character_classes() & np.uint8(LETTER | NUMBER | SPACE)


@kernel
def _mark_gpt2(chars: U32, starts: I64, ends: I64, added: I32, kinds: U8, marks: U8) -> None:
    r"""Marks the matches of  's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ .

    Matches cover everything, so it is enough to say where one begins: at a change of kind, save after U+0020, which
    goes to what follows; at white space also where it is the last of several before something else.
    """
    for j in range(len(starts)):
        i, end = starts[j], ends[j]
        if added[j] != TEXT:
            marks[i:end] = INSIDE
            marks[i] = BEGINS
            continue
        kind_before, char_before = _NO_KIND, 0
        while i < end:
            char = chars[i]
            kind = kinds[char]
            if kind == SPACE:
                begins = kind_before != SPACE or (i + 1 < end and kinds[chars[i + 1]] != SPACE)
            else:
                begins = kind != kind_before and char_before != _SPACE_CHAR
            marks[i] = begins
            kind_before, char_before = kind, char
            i += 1
            if begins and char == _APOSTROPHE:
                length = _contraction(chars, i - 1, end)
                if length > 0:
                    marks[i : i - 1 + length] = INSIDE
                    i += length - 1
                    kind_before, char_before = _NO_KIND, 0


@inner_kernel
def _contraction(chars: U32, i: int, end: int) -> int:
    """Length of 's 't 'm 'd 're 've 'll at i, or 0."""
    if i + 1 < end:
        one = chars[i + 1]
        if one in (_S, _T, _M, _D):
            return 2
        if i + 2 < end:
            two = chars[i + 2]
            if (two == _E and one in (_R, _V)) or (two == _L and one == _L):
                return 3
    return 0
