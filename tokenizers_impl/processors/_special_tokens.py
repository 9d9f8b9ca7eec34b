"""The post-processors of BERT, RoBERTa and byte-level models."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from .._core.arrays import I64
from .._core.component import takes_its_type, unchanging
from .._core.options import LARGEST_ID, plain
from .._core.token_lists import TokenLists
from .._text.unicode import SPACE, character_classes
from ._post_processor import Layout, Piece, PostProcessor, SequencePiece, SpecialPiece

# --- Special tokens before and after a sequence and its overflow

Token = tuple[str, int]


def wrapped(row: TokenLists, before: list[Token], after: list[Token], sequence: int, type_id: int) -> TokenLists:
    """Put special tokens of a type before and after a sequence and each part of its overflow."""
    whole = _wrapped(row, before, after, sequence, type_id)
    return whole.with_changed_overflow(row, lambda part: _wrapped(part, before, after, sequence, type_id))


def _wrapped(row: TokenLists, before: list[Token], after: list[Token], sequence: int, type_id: int) -> TokenLists:
    # All tokens of the sequence count as text, even padding.
    body = row.as_text()
    first, last = (
        TokenLists.of_special([id for _, id in side], [name for name, _ in side], type_id) for side in (before, after)
    )
    return TokenLists.joined([first, body.of_sequence(sequence), last])


def wrapped_layout(sides: list[tuple[list[Token], list[Token]]], types: list[int], trims: tuple[bool, ...]) -> Layout:
    """The layout of sequences between special tokens; all tokens of a sequence have one type."""
    pieces: list[Piece] = []
    for sequence, ((before, after), type_id) in enumerate(zip(sides, types, strict=True)):
        pieces += [_special(before, type_id), SequencePiece(sequence, type_id), _special(after, type_id)]
    return Layout(tuple(pieces), trims)


def _special(tokens: list[Token], type_id: int) -> SpecialPiece:
    return SpecialPiece(tuple(id for _, id in tokens), tuple(name for name, _ in tokens), type_id)


def checked_token(name: str, value: object) -> Token:
    """Check a (token, id) pair; ValueError for anything else."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], str):
        with suppress(TypeError):
            id = plain(value[1], int)
            if 0 <= id <= LARGEST_ID:
                return value[0], id
    raise ValueError(f"{name}={value!r}: give a token with its id, such as ('[SEP]', 102)")


def checked_fields(kind: str, data: Mapping[str, Any], flags: tuple[str, ...] = ()) -> list[Any]:
    """sep, cls and the flags of an object of tokenizer.json; ValueError names a missing key or an invalid flag."""
    if missing := [name for name in ("sep", "cls", *flags) if name not in data]:
        raise ValueError(f"the {kind} lacks the key {missing[0]}")
    for name in flags:
        if not isinstance(data[name], bool):
            raise ValueError(f"{name} of the {kind} is {data[name]!r}: expected bool")
    return [data[name] for name in ("sep", "cls", *flags)]


# --- Trimming white space from offsets

# The space as ByteLevel shows it.
_BYTE_SPACE = "Ġ"


@cache
def _spaces() -> str:
    return _BYTE_SPACE + "".join(map(chr, np.flatnonzero(character_classes() & SPACE).tolist()))


def margins(token: str) -> tuple[int, int]:
    """The number of spaces at the beginning and at the end of a token.

    >>> margins("Ġlow "), margins("  ")
    ((1, 1), (2, 2))
    """
    return len(token) - len(token.lstrip(_spaces())), len(token) - len(token.rstrip(_spaces()))


def trimmed_lists(row: TokenLists, *, add_prefix_space: bool) -> TokenLists:
    """Trim the white space of tokens from their offsets in a row."""
    reach = np.array(row.offset_list, np.int64).reshape(-1, 2)
    spaces = np.array(list(map(margins, row.token_list)), np.int64).reshape(-1, 2)
    found = without_spaces(reach, spaces, np.arange(min(1, len(row))), add_prefix_space)
    return replace(row, offset_list=list(map(tuple, found.tolist())))


def without_spaces(reach: I64, spaces: I64, firsts: I64, add_prefix_space: bool) -> I64:
    """Trim the spaces of tokens from their offsets, except one space that was prepended to a text."""
    (starts, ends), (leading, trailing) = reach.T, spaces.T
    is_first = starts == 0
    is_first[firsts] = True
    kept = is_first & (leading == 1) & add_prefix_space
    new_starts = np.minimum(starts + np.where(kept, 0, leading), ends)
    can_shrink = (trailing > 0) & (ends >= trailing)
    new_ends = np.where(can_shrink, np.maximum(ends - trailing, new_starts), ends)
    return np.stack((new_starts, new_ends), axis=1)


# --- Trimming the offsets of byte-level tokens


@takes_its_type
@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(PostProcessor):
    """Trims white space from the offsets, like `tokenizers.processors.ByteLevel` 0.23.3; adds no tokens.

    add_prefix_space: whether the pre-tokenizer prepends a space, which is not in the text.
    trim_offsets: whether to trim.  use_regex: has no effect here; it is stored in the file.

    >>> from tokenizers_impl import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "Ġb": 1}, "a"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    >>> ByteLevel(trim_offsets=True).process(tokenizer.encode("a b")).offsets
    [(0, 1), (2, 3)]
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return 0."""
        return 0

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences with trimmed offsets."""
        if self.trim_offsets:
            sequences = [trimmed_parts(each, self.add_prefix_space) for each in sequences]
        return [each.of_sequence(i) for i, each in enumerate(sequences)]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences without special tokens."""
        trims = (self.add_prefix_space,) if self.trim_offsets else ()
        return replace(Layout.plain(is_pair), trims=trims)


def trimmed_parts(row: TokenLists, add_prefix_space: bool) -> TokenLists:
    """Trim the offsets of a row and its overflow."""
    whole = trimmed_lists(row, add_prefix_space=add_prefix_space)
    return whole.with_changed_overflow(row, lambda part: trimmed_lists(part, add_prefix_space=add_prefix_space))


# --- BERT: [CLS] first [SEP] second [SEP]


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class BertProcessing(PostProcessor):
    """Adds BERT's special tokens, like `tokenizers.processors.BertProcessing` 0.23.3: [CLS] first [SEP] second [SEP].

    sep, cls_token: (token, id) pairs; ValueError for anything else.  The type id of the second sequence is 1.

    >>> BertProcessing(("[SEP]", 102), ("[CLS]", 101)).num_special_tokens_to_add(True)
    3
    """

    sep: Token
    cls: Token

    def __init__(self, sep: Token, cls_token: Token) -> None:
        object.__setattr__(self, "sep", checked_token("sep", sep))
        object.__setattr__(self, "cls", checked_token("cls_token", cls_token))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return 2, or 3 for a pair."""
        return 3 if is_pair else 2

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences, each with its tokens."""
        if not add_special_tokens:
            return sequences
        return [
            wrapped(each, [] if i else [self.cls], [self.sep], min(i, 1), min(i, 1)) for i, each in enumerate(sequences)
        ]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences with their tokens."""
        if not add_special_tokens:
            return Layout.plain(is_pair)
        sides = [([self.cls], [self.sep]), ([], [self.sep])]
        return wrapped_layout(sides[: 1 + is_pair], [0, 1][: 1 + is_pair], ())

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        return {"type": "BertProcessing", "sep": list(self.sep), "cls": list(self.cls)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BertProcessing:
        """Read such an object; ValueError names what is invalid."""
        return cls(*checked_fields("BertProcessing", data))


# --- RoBERTa: <s> first </s> </s> second </s>, with trimmed offsets


@unchanging
@dataclass(frozen=True, init=False, repr=False)
class RobertaProcessing(PostProcessor):
    """Adds RoBERTa's special tokens, like `tokenizers.processors.RobertaProcessing` 0.23.3.

    A row is <s> first </s> </s> second </s>; all type ids are 0.
    sep, cls_token: (token, id) pairs; ValueError for anything else.
    trim_offsets: whether to trim white space from the offsets of tokens.
    add_prefix_space: whether the pre-tokenizer prepends a space, which is not in the text.

    >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(True)
    4
    """

    sep: Token
    cls: Token
    trim_offsets: bool
    add_prefix_space: bool

    def __init__(self, sep: Token, cls_token: Token, trim_offsets: bool = True, add_prefix_space: bool = True) -> None:
        object.__setattr__(self, "sep", checked_token("sep", sep))
        object.__setattr__(self, "cls", checked_token("cls_token", cls_token))
        object.__setattr__(self, "trim_offsets", trim_offsets)
        object.__setattr__(self, "add_prefix_space", add_prefix_space)
        self.__post_init__()

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return 2, or 4 for a pair."""
        return 4 if is_pair else 2

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences, each with its tokens."""
        if self.trim_offsets:
            sequences = [trimmed_parts(each, self.add_prefix_space) for each in sequences]
        # Without special tokens, the overflow keeps its type ids.
        sequences = [each.of_type(0) for each in sequences]
        if not add_special_tokens:
            return sequences
        rows = [
            wrapped(each, [self.sep if i else self.cls], [self.sep], min(i, 1), 0) for i, each in enumerate(sequences)
        ]
        return [_of_type_zero(row) for row in rows]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences with their tokens."""
        trims = (self.add_prefix_space,) if self.trim_offsets else ()
        if not add_special_tokens:
            return Layout(tuple(SequencePiece(sequence, 0) for sequence in range(1 + is_pair)), trims)
        sides = [([self.cls], [self.sep]), ([self.sep], [self.sep])]
        return wrapped_layout(sides[: 1 + is_pair], [0, 0][: 1 + is_pair], trims)

    def to_json(self) -> dict[str, Any]:
        """The `post_processor` object of tokenizer.json."""
        flags = {"trim_offsets": self.trim_offsets, "add_prefix_space": self.add_prefix_space}
        return {"type": "RobertaProcessing", "sep": list(self.sep), "cls": list(self.cls), **flags}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RobertaProcessing:
        """Read such an object; ValueError names what is invalid."""
        return cls(*checked_fields("RobertaProcessing", data, ("trim_offsets", "add_prefix_space")))


def _of_type_zero(row: TokenLists) -> TokenLists:
    return row.of_type(0).with_changed_overflow(row, _of_type_zero)
