"""Text with every byte of its UTF-8 as a visible character."""

from __future__ import annotations

import numpy as np

from ._arrays import I32, I64, U32
from ._byte_chars import byte_to_char
from ._kernel import kernel
from ._splits import TEXT, Splits
from ._utf8 import utf8_byte, utf8_length


def in_byte_chars(splits: Splits) -> Splits:
    """The splits with every byte of their UTF-8 as a visible character."""
    tracked = len(splits.origins) > 0
    return splits.rewritten(
        *_in_byte_chars(splits.chars, splits.starts, splits.ends, splits.added, byte_to_char(), tracked)
    )


@kernel
def _in_byte_chars(
    chars: U32, starts: I64, ends: I64, added: I32, byte_chars: U32, tracked: bool
) -> tuple[U32, I32, I64, I64]:
    """The splits with every character as its UTF-8 bytes; if tracked, for each of these the character it came from."""
    total = 0
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            total += 1 if added[j] != TEXT else utf8_length(chars[i])
    new_chars, source = np.empty(total, np.uint32), np.empty(total if tracked else 0, np.int32)
    new_starts, new_ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    at = 0
    for j in range(len(starts)):
        new_starts[j] = at
        for i in range(starts[j], ends[j]):
            char = int(chars[i])
            length = 1
            if added[j] != TEXT:
                new_chars[at] = char
            else:
                length = utf8_length(char)
                for k in range(length):
                    new_chars[at + k] = byte_chars[utf8_byte(char, length, k)]
            if tracked:
                source[at : at + length] = i
            at += length
        new_ends[j] = at
    return new_chars, source, new_starts, new_ends
