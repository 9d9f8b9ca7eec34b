"""The bytes of characters in UTF-8, for kernels."""

from __future__ import annotations

from ._kernel import inner_kernel


@inner_kernel
def utf8_length(char: int) -> int:
    """Number of bytes of a character in UTF-8."""
    return 1 + (char >= 0x80) + (char >= 0x800) + (char >= 0x10000)


@inner_kernel
def utf8_byte(char: int, length: int, i: int) -> int:
    """Byte i of a character that has this many in UTF-8.

    >>> [utf8_byte(ord("é"), 2, i) for i in range(2)] == list("é".encode())
    True
    """
    if length == 1:
        return char
    six_bits = (char >> (6 * (length - 1 - i))) & 0x3F
    if i > 0:
        return 0x80 | six_bits
    return (0xF00 >> length) & 0xFF | six_bits
