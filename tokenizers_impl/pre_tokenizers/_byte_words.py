"""Byte-level words whose end is marked by a symbol."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import I32, I64, U32
from .._byte_chars import byte_to_char
from .._byte_text import in_byte_chars
from .._component import unchanging
from .._kernel import kernel
from .._splits import TEXT, Splits
from ._kinds import WhitespaceSplit
from ._pre_tokenizer import PreTokenizer


@unchanging
@dataclass(frozen=True, repr=False)
class ByteWords(PreTokenizer):
    """Words between white space, an end-of-word symbol behind each, as the bytes of its UTF-8 (Wang, Cho & Gu 2020).

    Ours alone: a file with it is refused by `tokenizers`.  Bytes are shown as the characters of ByteLevel, which
    `hexadecimal` turns into the paper's form.  end_of_word: one character, which stands for a space in decoding,
    also where it stands in a text: "a·b" comes back as "a b", unless another character is taken.

    >>> [word for word, _ in ByteWords().pre_tokenize_str("to  be")]
    ['toÂ·', 'beÂ·']
    >>> hexadecimal('beÂ·')
    '62 65 C2 B7'
    """

    end_of_word: str = "·"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.end_of_word) != 1:
            raise ValueError(f"end_of_word={self.end_of_word!r}: give one character")

    def cut(self, splits: Splits) -> Splits:
        """Words with their end, in byte characters."""
        words = WhitespaceSplit().cut(splits)
        marked = words.rewritten(*_append(words.chars, words.starts, words.ends, words.added, ord(self.end_of_word)))
        return in_byte_chars(marked)


def hexadecimal(token: str) -> str:
    """A token of byte characters as bytes in hexadecimal.

    ValueError for a character that shows no byte.
    """
    shown = {chr(char): byte for byte, char in enumerate(byte_to_char().tolist())}
    if strange := [char for char in token if char not in shown]:
        raise ValueError(f"{strange[0]!r} in {token!r} shows no byte: give a token of ByteLevel or ByteWords")
    return " ".join(f"{shown[char]:02X}" for char in token)


@kernel
def _append(chars: U32, starts: I64, ends: I64, added: I32, char: int) -> tuple[U32, I32, I64, I64]:
    """The words with `char` behind them, and the character that each character came from or follows."""
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
