"""Special tokens before and behind a sequence, and behind whatever overflows from it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .._layout import Layout, Piece, SequencePiece, SpecialPiece
from .._option_values import LARGEST_ID
from .._plain_values import plain
from .._token_lists import TokenLists

Token = tuple[str, int]


def wrapped(row: TokenLists, before: list[Token], after: list[Token], sequence: int, type_id: int) -> TokenLists:
    """A sequence, and each part that overflows from it, between special tokens of a type."""
    whole = _wrapped(row, before, after, sequence, type_id)
    return whole.with_changed_overflow(row, lambda part: _wrapped(part, before, after, sequence, type_id))


def _wrapped(row: TokenLists, before: list[Token], after: list[Token], sequence: int, type_id: int) -> TokenLists:
    # Its own tokens count as text, be they padding.
    body = row.as_text()
    first, last = (
        TokenLists.of_special([id for _, id in side], [name for name, _ in side], type_id) for side in (before, after)
    )
    return TokenLists.joined([first, body.of_sequence(sequence), last])


def wrapped_layout(sides: list[tuple[list[Token], list[Token]]], types: list[int], trims: tuple[bool, ...]) -> Layout:
    """Each sequence between special tokens, all of one type."""
    pieces: list[Piece] = []
    for sequence, ((before, after), type_id) in enumerate(zip(sides, types, strict=True)):
        pieces += [_special(before, type_id), SequencePiece(sequence, type_id), _special(after, type_id)]
    return Layout(tuple(pieces), trims)


def _special(tokens: list[Token], type_id: int) -> SpecialPiece:
    return SpecialPiece(tuple(id for _, id in tokens), tuple(name for name, _ in tokens), type_id)


def checked_token(name: str, value: object) -> Token:
    """A token with its id as a tuple; ValueError for anything else."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], str):
        with suppress(TypeError):
            id = plain(value[1], int)
            if 0 <= id <= LARGEST_ID:
                return value[0], id
    raise ValueError(f"{name}={value!r}: give a token with its id, such as ('[SEP]', 102)")


def checked_fields(kind: str, data: Mapping[str, Any], flags: tuple[str, ...] = ()) -> list[Any]:
    """sep, cls and the flags of an object of tokenizer.json; ValueError names what is missing or no bool."""
    if missing := [name for name in ("sep", "cls", *flags) if name not in data]:
        raise ValueError(f"the {kind} has no {missing[0]}")
    for name in flags:
        if not isinstance(data[name], bool):
            raise ValueError(f"{name} of the {kind} is {data[name]!r}: expected bool")
    return [data[name] for name in ("sep", "cls", *flags)]
