"""UTF-8 bytes of characters and texts, and GPT-2's visible characters for them."""

from __future__ import annotations

from functools import cache

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32
from .splits import TEXT, Splits

# --- GPT-2's table between bytes and visible characters


@cache
def byte_to_char() -> U32:
    """The code point of each byte's visible character, shape (256,), read-only (Radford et al. 2019).

    As in GPT-2's `bytes_to_unicode`, printable Latin-1 characters stand for their own bytes; the 68 other bytes, in
    order, have the characters from U+0100 on.

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
    """The byte of each character, the inverse of `byte_to_char`."""
    return {chr(char): byte for byte, char in enumerate(byte_to_char().tolist())}


@inner_kernel
def visible_byte(char: int) -> int:
    """The byte that a visible character stands for; 0x200 more than its code point for any other character."""
    if 0x100 <= char <= 0x120:
        return char - 0x100
    if 0x121 <= char <= 0x142:
        return char - 0x121 + 0x7F
    if char == 0x143:
        return 0xAD
    shown = 0x21 <= char <= 0x7E or (0xA1 <= char <= 0xFF and char != 0xAD)
    return char if shown else char + 0x200


# --- The UTF-8 bytes of characters, for kernels


@inner_kernel
def utf8_length(char: int) -> int:
    """The number of UTF-8 bytes of a character."""
    return 1 + (char >= 0x80) + (char >= 0x800) + (char >= 0x10000)


@inner_kernel
def utf8_byte(char: int, length: int, i: int) -> int:
    """Byte i of the UTF-8 form of a character, which has `length` bytes.

    >>> [utf8_byte(ord("é"), 2, i) for i in range(2)] == list("é".encode())
    True
    """
    if length == 1:
        return char
    six_bits = (char >> (6 * (length - 1 - i))) & 0x3F
    if i > 0:
        return 0x80 | six_bits
    return (0xF00 >> length) & 0xFF | six_bits


# --- Text with each UTF-8 byte as a visible character


def in_byte_chars(splits: Splits) -> Splits:
    """Replace each UTF-8 byte of the splits' text by its visible character."""
    tracked = len(splits.origins) > 0
    return splits.rewritten(
        *_in_byte_chars(splits.chars, splits.starts, splits.ends, splits.added, byte_to_char(), tracked)
    )


@kernel
def _in_byte_chars(
    chars: U32, starts: I64, ends: I64, added: I32, byte_chars: U32, tracked: bool
) -> tuple[U32, I32, I64, I64]:
    """Replace each character by those of its UTF-8 bytes; if tracked, also return the source of each new character."""
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
