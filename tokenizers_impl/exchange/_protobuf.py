"""The wire format of protocol buffers."""

from __future__ import annotations

import struct
from collections.abc import Iterator

# https://protobuf.dev/programming-guides/encoding: the last three bits of a field's key.
_VARINT, _LENGTH = 0, 2
_FIXED = {1: 8, 5: 4}


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and the value of every field: an unsigned integer, or the bytes of anything else.

    ValueError where the bytes are no message.

    >>> list(fields(integer_field(1, 300) + bytes_field(2, b"ab")))
    [(1, 300), (2, b'ab')]
    """
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _read_varint(message, at)
            yield key >> 3, value
            continue
        if kind == _LENGTH:
            size, at = _read_varint(message, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise ValueError(f"no protocol buffer: a field of kind {kind} before byte {at}")
        if at + size > len(message):
            raise ValueError(f"no protocol buffer: it ends inside the field at byte {at}")
        yield key >> 3, message[at : at + size]
        at += size


def integer_field(number: int, value: int) -> bytes:
    """A field with an integer, 0 or more; flags are 0 and 1."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """A field with bytes, such as UTF-8 or a message."""
    return _varint(number << 3 | _LENGTH) + _varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """A field with a number rounded to 32 bits."""
    return _varint(number << 3 | 5) + struct.pack("<f", value)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = 0
    for i, byte in enumerate(message[at : at + 10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise ValueError(f"no protocol buffer: no number at byte {at}")
