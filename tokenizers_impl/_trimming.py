"""White space taken out of offsets."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ._arrays import I32, I64
from ._token_lists import TokenLists
from ._unicode import SPACE, character_classes

if TYPE_CHECKING:
    from ._encoding import EncodedBatch

# The space as ByteLevel shows it.
_BYTE_SPACE = "Ġ"


@cache
def _spaces() -> str:
    return _BYTE_SPACE + "".join(map(chr, np.flatnonzero(character_classes() & SPACE).tolist()))


def margins(token: str) -> tuple[int, int]:
    """Number of spaces at the beginning and at the end of a token.

    >>> margins("Ġlow "), margins("  ")
    ((1, 1), (2, 2))
    """
    return len(token) - len(token.lstrip(_spaces())), len(token) - len(token.rstrip(_spaces()))


def trimmed_lists(row: TokenLists, *, add_prefix_space: bool) -> TokenLists:
    """A row with the spaces of its tokens taken out of their offsets."""
    reach = np.array(row.offset_list, np.int64).reshape(-1, 2)
    spaces = np.array(list(map(margins, row.token_list)), np.int64).reshape(-1, 2)
    found = _without_spaces(reach, spaces, np.arange(min(1, len(row))), add_prefix_space)
    return replace(row, offset_list=list(map(tuple, found.tolist())))


def trimmed(reach: I32, batch: EncodedBatch, firsts: I64, *, add_prefix_space: bool) -> I32:
    """The offsets of all tokens of a batch, their spaces taken out; firsts: the tokens with which rows begin."""
    known = {text: margins(text) for text in set(batch.piece_texts)}
    of_pieces = np.array([known[text] for text in batch.piece_texts], np.int64).reshape(-1, 2)
    spaces = np.zeros((len(reach), 2), np.int64)
    inner = np.flatnonzero(batch.places >= 0)
    spaces[inner] = of_pieces[batch.places[inner]]
    added = np.flatnonzero(batch.places < 0)
    texts = batch.texts_of(batch.token_ids[added], batch.places[added])
    spaces[added] = np.array(list(map(margins, texts)), np.int64).reshape(-1, 2)
    return _without_spaces(reach.astype(np.int64), spaces, firsts, add_prefix_space).astype(np.int32)


def _without_spaces(reach: I64, spaces: I64, firsts: I64, add_prefix_space: bool) -> I64:
    """Offsets, each shorter by its spaces, but for one space that was put before a text."""
    (starts, ends), (leading, trailing) = reach.T, spaces.T
    is_first = starts == 0
    is_first[firsts] = True
    kept = is_first & (leading == 1) & add_prefix_space
    new_starts = np.minimum(starts + np.where(kept, 0, leading), ends)
    can_shrink = (trailing > 0) & (ends >= trailing)
    new_ends = np.where(can_shrink, np.maximum(ends - trailing, new_starts), ends)
    return np.stack((new_starts, new_ends), axis=1)
