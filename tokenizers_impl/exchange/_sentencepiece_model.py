"""The files of a SentencePiece model, and the wire format of protocol buffers."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

# --- The wire format of protocol buffers

# The wire type, the last three bits of a field's key: https://protobuf.dev/programming-guides/encoding.
_VARINT, _LENGTH = 0, 2
_FIXED = {1: 8, 5: 4}


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Decode a message: yields the number and the value of every field, an unsigned integer or bytes.

    ValueError if the bytes are not a message.

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
    """Encode a field with an integer of 0 or more; flags are 0 and 1."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """Encode a field with bytes, such as UTF-8 text or a message."""
    return _varint(number << 3 | _LENGTH) + _varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """Encode a field with a 32-bit float."""
    return _varint(number << 3 | 5) + struct.pack("<f", value)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """Decode the number at this position; returns it and its end."""
    value = 0
    for i, byte in enumerate(message[at : at + 10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise ValueError(f"no protocol buffer: no number at byte {at}")


# --- The files of a SentencePiece model

UNIGRAM, BPE = 1, 2
MODEL_TYPES = {UNIGRAM: "unigram", BPE: "bpe", 3: "word", 4: "char"}


class Kind(IntEnum):
    """The type of a piece: `ModelProto.SentencePiece.Type`."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class Piece(NamedTuple):
    """A piece; score: a 32-bit float, the natural logarithm of its probability."""

    text: str
    score: float
    kind: Kind = Kind.NORMAL


@dataclass(frozen=True)
class SentencePieceModel:
    """The fields of `sentencepiece_model.proto` (0.2.3) that determine how text is encoded, with its defaults.

    charsmap: the normalization rules, empty if there are none; denormalizer: whether there are rules for decoded text.
    byte_fallback: whether unknown characters become pieces of type BYTE.
    """

    pieces: tuple[Piece, ...]
    model_type: int = UNIGRAM
    treat_whitespace_as_suffix: bool = False
    normalization: str = ""
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizer: bool = False
    byte_fallback: bool = False

    @classmethod
    def parse(cls, data: bytes) -> SentencePieceModel:
        """Read the bytes of a .model file; ValueError if they are invalid."""
        parts = [(number, _bytes({number: value}, number)) for number, value in fields(data)]
        pieces = tuple(_piece(part) for number, part in parts if number == 1)
        if not pieces:
            raise ValueError("no SentencePiece model: it has no pieces")
        trainer, normalizer, denormalizer = (
            dict(fields(b"".join(part for number, part in parts if number == each))) for each in (2, 3, 5)
        )
        return cls(
            pieces,
            model_type=int(trainer.get(3, UNIGRAM)),
            treat_whitespace_as_suffix=bool(trainer.get(24, False)),
            normalization=_bytes(normalizer, 1).decode(),
            charsmap=_bytes(normalizer, 2),
            add_dummy_prefix=bool(normalizer.get(3, True)),
            remove_extra_whitespaces=bool(normalizer.get(4, True)),
            escape_whitespaces=bool(normalizer.get(5, True)),
            denormalizer=bool(denormalizer.get(2)),
            byte_fallback=bool(trainer.get(35, False)),
        )

    @property
    def replacements(self) -> bytes:
        """The replacements of the normalization rules in UTF-8, each followed by a NUL."""
        return self.charsmap[4 + int.from_bytes(self.charsmap[:4], "little") :]

    def serialized(self) -> bytes:
        """Return the bytes of a .model file, without rules for decoded text."""
        unk_id = next(id for id, piece in enumerate(self.pieces) if piece.kind == Kind.UNKNOWN)
        trainer = (
            integer_field(3, self.model_type)
            + integer_field(4, len(self.pieces))
            + integer_field(24, self.treat_whitespace_as_suffix)
            + integer_field(35, self.byte_fallback)
            + integer_field(40, unk_id)
            + bytes_field(45, self.pieces[unk_id].text.encode())
        )
        flags = (self.add_dummy_prefix, self.remove_extra_whitespaces, self.escape_whitespaces)
        normalizer = bytes_field(1, self.normalization.encode()) + bytes_field(2, self.charsmap)
        normalizer += b"".join(integer_field(number, flag) for number, flag in enumerate(flags, 3))
        pieces = b"".join(bytes_field(1, _serialized(piece)) for piece in self.pieces)
        return pieces + bytes_field(2, trainer) + bytes_field(3, normalizer)


def vocab_text(pieces: Collection[Piece]) -> str:
    """The text of a .vocab file: one line per piece, with the piece, a tab, and its score with all digits it needs.

    >>> vocab_text([Piece("<unk>", 0.0), Piece("▁a", -1.25)])
    '<unk>\\t0\\n▁a\\t-1.25\\n'
    """
    for id, piece in enumerate(pieces):
        if "\n" in piece.text:
            raise ValueError(f"a .vocab file cannot hold piece {id}, {piece.text!r}: it has a line feed in it")
    return "".join(f"{text}\t{_digits(score)}\n" for text, score, _ in pieces)


def parse_vocab(text: str) -> list[tuple[str, float]]:
    """Read the pieces and scores of a .vocab file's text; ValueError names an invalid line.

    >>> parse_vocab("<unk>\\t0\\n▁a\\t-1.25\\n")
    [('<unk>', 0.0), ('▁a', -1.25)]
    """
    pieces = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        piece, _, score = line.rpartition("\t")
        try:
            pieces.append((piece, float(np.float32(score))))
        except ValueError:
            raise ValueError(f"line {number} is {line!r}, not a piece, a tab and its score") from None
    return pieces


def _digits(score: float) -> str:
    return str(np.float32(score)).removesuffix(".0")


def _piece(message: bytes) -> Piece:
    found = dict(fields(message))
    score = _bytes(found, 2) or bytes(4)
    if len(score) != 4:
        raise ValueError(f"no SentencePiece model: a score has {len(score)} bytes")
    return Piece(_bytes(found, 1).decode(), struct.unpack("<f", score)[0], Kind(int(found.get(3, Kind.NORMAL))))


def _bytes(found: Mapping[int, int | bytes], number: int) -> bytes:
    value = found.get(number, b"")
    if not isinstance(value, bytes):
        raise ValueError(f"no SentencePiece model: field {number} is a number")
    return value


def _serialized(piece: Piece) -> bytes:
    text = bytes_field(1, piece.text.encode())
    return text + float_field(2, piece.score) + integer_field(3, piece.kind)
