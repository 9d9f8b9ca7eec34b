"""Finds added tokens in texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ._arrays import I32, I64, U8, U32, Bools
from ._kernel import inner_kernel, kernel
from ._splits import TEXT, Splits
from ._unicode import SPACE, WORD, character_classes
from .models._trie import ABSENT, ROOT, Trie, step

# The bits of a token's flags.  A match that is to be IGNORED is text, and is passed over as a whole.
SINGLE_WORD, LSTRIP, RSTRIP, IGNORED = 1, 2, 4, 8
# First characters are told apart by their last eight bits, which is enough to pass over most of a text.
_FIRST_BITS = 255


@dataclass(frozen=True)
class TokenFinder:
    """Finds t tokens: of those that begin at a place the longest, from left to right.

    trie: from the characters of a token to its number.  begins: shape (256,), the last eight bits of first characters.
    ids: int32, shape (t,).  flags: uint8, shape (t,).
    """

    trie: Trie
    begins: Bools
    ids: I32
    flags: U8

    @classmethod
    def of(cls, tokens: Mapping[str, tuple[int, int]]) -> TokenFinder:
        """A finder of these strings, each with its id and flags; the empty one is never found."""
        found = {content: each for content, each in tokens.items() if content}
        begins = np.zeros(_FIRST_BITS + 1, np.bool_)
        begins[[ord(content[0]) & _FIRST_BITS for content in found]] = True
        ids, flags = ([each[i] for each in found.values()] for i in (0, 1))
        trie = Trie.of({content: number for number, content in enumerate(found)})
        return cls(trie, begins, np.array(ids, np.int32), np.array(flags, np.uint8))

    def cut(self, splits: Splits) -> Splits:
        """The splits with every such token as a split of its own, nothing empty; as they were if there is none."""
        if len(self.ids) == 0:
            return splits
        classes = character_classes() if self.flags.any() else np.empty(0, np.uint8)

        def find(cuts: I64) -> tuple[int, bool]:
            texts = splits.chars, splits.starts, splits.ends, splits.added
            return _find(*texts, self.trie.edges, self.trie.ids, self.begins, self.ids, self.flags, classes, cuts)

        cuts = np.empty((2 * len(splits.starts) + 64, 4), np.int64)
        size, found = find(cuts)
        if not found:
            return splits
        if size > len(cuts):
            cuts = np.empty((size, 4), np.int64)
            find(cuts)
        starts, ends, parent, added = np.ascontiguousarray(cuts[:size].T)
        return _disjoint(splits.recut(starts, ends, parent)._replace(added=added.astype(np.int32)))


def _disjoint(splits: Splits) -> Splits:
    """The splits side by side: a token may take white space along that is then found once more by another."""
    if not np.any(splits.starts[1:] < splits.ends[:-1]):
        return splits
    lengths = splits.ends - splits.starts
    splits.check_room(int(lengths.sum()))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    source = np.repeat(splits.starts - starts, lengths) + np.arange(lengths.sum())
    return splits.rewritten(splits.chars[source], source.astype(np.int32), starts, ends)


@kernel
def _find(
    chars: U32,
    starts: I64,
    ends: I64,
    added: I32,
    edges: I64,
    numbers: I32,
    begins: Bools,
    ids: I32,
    flags: U8,
    classes: U8,
    cuts: I64,
) -> tuple[int, bool]:
    """How many cuts there are, and whether there is a token; those that have room are written.

    A row of `cuts`: start, end, number of the split, id of the token or TEXT.
    """
    size, found = 0, False
    for j in range(len(starts)):
        done, i, blank = starts[j], starts[j], starts[j]
        while added[j] == TEXT and i < ends[j]:
            token, end = ABSENT, i + 1
            if begins[chars[i] & _FIRST_BITS]:
                token, end = _longest(chars, i, ends[j], edges, numbers)
            if token != ABSENT and _counts(chars, starts[j], i, end, ends[j], flags[token], classes):
                first, last = i, end
                if flags[token] & RSTRIP:
                    # What the token before has found to be white is not looked at again.
                    blank = _after_space(chars, max(end, blank), ends[j], classes)
                    last = blank
                if flags[token] & LSTRIP:
                    first = _before_space(chars, i, last, max(starts[j], done), classes)
                if done < first:
                    size = _put(cuts, size, done, first, j, TEXT)
                if first < last:
                    size = _put(cuts, size, first, last, j, ids[token])
                done, found = last, True
            i = end
        if done < ends[j]:
            size = _put(cuts, size, done, ends[j], j, added[j])
    return size, found


@inner_kernel
def _longest(chars: U32, start: int, end: int, edges: I64, numbers: I32) -> tuple[int, int]:
    """The longest token that begins at `start`, or ABSENT; where it ends, or the next place."""
    node, i = ROOT, start
    token, token_end = ABSENT, start + 1
    while i < end:
        node = step(edges, node, int(chars[i]))
        if node == ABSENT:
            break
        i += 1
        if numbers[node] != ABSENT:
            token, token_end = int(numbers[node]), i
    return token, token_end


@inner_kernel
def _counts(chars: U32, first: int, start: int, end: int, last: int, flags: int, classes: U8) -> bool:
    """Whether what is found at start:end in the text first:last is the token."""
    if flags & IGNORED:
        return False
    if flags & SINGLE_WORD:
        if start > first and classes[chars[start - 1]] & WORD:
            return False
        return end == last or not classes[chars[end]] & WORD
    return True


@inner_kernel
def _before_space(chars: U32, start: int, end: int, least: int, classes: U8) -> int:
    """Where the white space before the token start:end begins, not before `least`.

    A token that begins in white space which the one before it has taken along begins after that; where it lies in it as
    a whole, so that the library fails, it stays.
    """
    if start < least:
        return least if least <= end else start
    while start > least and classes[chars[start - 1]] & SPACE:
        start -= 1
    return start


@inner_kernel
def _after_space(chars: U32, end: int, last: int, classes: U8) -> int:
    """Where the white space from `end` on ends."""
    while end < last and classes[chars[end]] & SPACE:
        end += 1
    return end


@inner_kernel
def _put(cuts: I64, size: int, start: int, end: int, parent: int, added: int) -> int:
    if size < len(cuts):
        cuts[size, 0], cuts[size, 1], cuts[size, 2], cuts[size, 3] = start, end, parent, added
    return size + 1
