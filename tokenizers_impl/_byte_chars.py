"""GPT-2's table between bytes and visible characters."""

from __future__ import annotations

from functools import cache

import numpy as np

from ._arrays import U32


@cache
def byte_to_char() -> U32:
    """The code point that shows each byte, shape (256,), read only (Radford et al. 2019, `bytes_to_unicode`).

    Printable Latin-1 shows itself; the 68 others, in order, are the characters from U+0100 on.

    >>> chr(byte_to_char()[ord("a")]), chr(byte_to_char()[ord(" ")])
    ('a', 'Ġ')
    """
    shown = np.arange(256, dtype=np.uint32)
    visible = (shown >= 0x21) & (shown <= 0x7E) | (shown >= 0xA1) & (shown <= 0xFF) & (shown != 0xAD)
    shown[~visible] = 0x100 + np.arange((~visible).sum())
    shown.flags.writeable = False
    return shown


@cache
def char_to_byte() -> dict[str, int]:
    """The byte that each character shows, the way back."""
    return {chr(char): byte for byte, char in enumerate(byte_to_char().tolist())}
