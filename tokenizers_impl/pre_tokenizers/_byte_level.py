"""The byte-level pre-tokenizers: GPT-2's, and words with an end-of-word symbol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U8, U32
from .._core.component import takes_its_type, unchanging
from .._core.options import check_character
from .._text.bytes import byte_to_char, in_byte_chars
from .._text.splits import BEGINS, INSIDE, TEXT, Splits, cut_at_marks, prepended_once
from .._text.unicode import LETTER, NUMBER, SPACE, character_classes
from ._cuts import WhitespaceSplit
from ._pre_tokenizer import PreTokenizer

# --- GPT-2's byte-level words

_SPACE_CHAR, _APOSTROPHE = 32, 39
_D, _E, _L, _M, _R, _S, _T, _V = map(ord, "delmrstv")
# The kind before the first character.
_NO_KIND = 255


@takes_its_type
@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(PreTokenizer):
    """Splits with GPT-2's pattern and shows bytes as characters, like `tokenizers.pre_tokenizers.ByteLevel` 0.23.3.

    add_prefix_space: put a space before a text that does not begin with one.
    trim_offsets: has no effect here; it is stored in the file.
    use_regex: whether to split.

    >>> ByteLevel().pre_tokenize_str("Hi you're é")
    [('ĠHi', (0, 2)), ('Ġyou', (2, 6)), ("'re", (6, 9)), ('ĠÃ©', (9, 11))]
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True

    @property
    def takes_pieces(self) -> bool:
        """Whether it splits: every match before a space ends there, and a piece gets no second space."""
        return self.use_regex

    def cut(self, splits: Splits) -> Splits:
        """Split into words, each with the space before it, in byte characters."""
        spaced = prepended_once(splits, _SPACE_CHAR, splits.added == TEXT) if self.add_prefix_space else splits
        words = cut_at_marks(spaced, _mark_gpt2, _kinds()) if self.use_regex else spaced.without_empty()
        return in_byte_chars(words)

    @staticmethod
    def alphabet() -> list[str]:
        """Return the 256 characters that stand for bytes, sorted by code point."""
        return sorted(map(chr, byte_to_char().tolist()))


@cache
def _kinds() -> U8:
    """LETTER, NUMBER, SPACE or 0 of every code point."""
    return character_classes() & np.uint8(LETTER | NUMBER | SPACE)


@kernel
def _mark_gpt2(chars: U32, starts: I64, ends: I64, added: I32, kinds: U8, marks: U8) -> None:
    r"""Mark the matches of  's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ .

    Matches cover the whole text, so marking their beginnings suffices.  A match begins at a change of kind, except
    after U+0020, which belongs to what follows, and at the last character of white space before something else.
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
            marks[i] = BEGINS if begins else INSIDE
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
    """The length of 's 't 'm 'd 're 've 'll at i, else 0."""
    if i + 1 < end:
        one = chars[i + 1]
        if one in (_S, _T, _M, _D):
            return 2
        if i + 2 < end:
            two = chars[i + 2]
            if (two == _E and one in (_R, _V)) or (two == _L and one == _L):
                return 3
    return 0


# --- Byte-level words with an end-of-word symbol


@unchanging
@dataclass(frozen=True, repr=False)
class ByteWords(PreTokenizer):
    """Splits at white space, appends an end-of-word symbol, and converts to bytes (Wang, Cho & Gu 2020).

    The library `tokenizers` lacks it and refuses a file with it.  Bytes are shown as the characters of ByteLevel;
    `hexadecimal` converts these to the paper's form.
    end_of_word: one character, which decodes to a space even if it is in the text: "a·b" decodes to "a b" unless you
      choose another character.

    >>> [word for word, _ in ByteWords().pre_tokenize_str("to  be")]
    ['toÂ·', 'beÂ·']
    >>> hexadecimal('beÂ·')
    '62 65 C2 B7'
    """

    end_of_word: str = "·"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_character("end_of_word", self.end_of_word)

    @property
    def takes_pieces(self) -> bool:
        """Always True, because no word holds a space."""
        return True

    def cut(self, splits: Splits) -> Splits:
        """Split into words with the end-of-word symbol, in byte characters."""
        words = WhitespaceSplit().cut(splits)
        marked = words.rewritten(*_append(words.chars, words.starts, words.ends, words.added, ord(self.end_of_word)))
        return in_byte_chars(marked)


def hexadecimal(token: str) -> str:
    """Convert a token of byte characters to hexadecimal; ValueError for a character that stands for no byte.

    >>> hexadecimal("Ã©")
    'C3 A9'
    """
    shown = {chr(char): byte for byte, char in enumerate(byte_to_char().tolist())}
    if strange := [char for char in token if char not in shown]:
        raise ValueError(f"{strange[0]!r} in {token!r} stands for no byte: give a token of ByteLevel or ByteWords")
    return " ".join(f"{shown[char]:02X}" for char in token)


@kernel
def _append(chars: U32, starts: I64, ends: I64, added: I32, char: int) -> tuple[U32, I32, I64, I64]:
    """Append `char` to the words that are text; also returns the source character of each character."""
    new_ends = np.cumsum(ends - starts + (added == TEXT))
    new_starts = np.empty(len(ends), np.int64)
    total = new_ends[-1] if len(ends) > 0 else 0
    new_chars, source = np.empty(total, np.uint32), np.empty(total, np.int32)
    for j in range(len(starts)):
        new_starts[j] = 0 if j == 0 else new_ends[j - 1]
        for k in range(new_ends[j] - new_starts[j]):
            i = min(starts[j] + k, ends[j] - 1)
            new_chars[new_starts[j] + k] = chars[i] if starts[j] + k < ends[j] else char
            source[new_starts[j] + k] = i
    return new_chars, source, new_starts, new_ends
