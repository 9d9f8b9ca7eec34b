"""Chooses among the readings of a reference: its words as written, or with synonyms in their place.

A reading replaces some occurrences of left sides of synonyms in the reference by the right sides, once: what a
replacement brings in is not replaced again. The reading whose alignment with the prediction costs least counts, and of
several the first in the order of `readings`. It then takes the place of the reference, so that counts and alignments
are those of any other reference.

fstalign 1.13 (SynonymEngine.cpp) calls the readings paths of a graph, and counts the words of the path that it takes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray, Segments
from evenscore.text.words import Mask
from evenscore.wer.costs import WholeCosts

T = TypeVar("T", bound=Hashable)
# The tokens of a left side, and those of its right side.
Synonym: TypeAlias = tuple[Sequence[T], Sequence[T]]
# Where an occurrence ends in the reference, and the tokens that may stand there.
Replacement: TypeAlias = tuple[int, Sequence[T]]
Row = npt.NDArray[Any]


def readings(reference: Sequence[T], synonyms: Iterable[Synonym[T]]) -> Iterator[tuple[T, ...]]:
    """Yield every reading, by the definition: as written first, then those that differ from it as late as possible.

    Synonyms that begin at the same place come in the order given. Takes time exponential in the number of occurrences.

    >>> for reading in readings("i am ok".split(), [(["i", "am"], ["i'm"]), (["ok"], ["okay"])]):
    ...     print(*reading)
    i am ok
    i am okay
    i'm ok
    i'm okay
    """
    if not reference:
        yield ()
        return
    given = list(synonyms)
    replacements = [(len(left), right) for left, right in given if list(reference[: len(left)]) == list(left)]
    for length, words in [(1, reference[:1]), *replacements]:
        for rest in readings(reference[length:], given):
            yield (*words, *rest)


class Occurrences(Generic[T]):
    """Finds occurrences of the left sides of synonyms; sides have at least one token each."""

    def __init__(self, synonyms: Iterable[Synonym[T]]) -> None:
        self.by_first: dict[T, list[tuple[list[T], list[T]]]] = {}
        for left, right in synonyms:
            self.by_first.setdefault(left[0], []).append((list(left), list(right)))

    def __bool__(self) -> bool:
        return bool(self.by_first)

    def of(self, reference: Sequence[T]) -> dict[int, list[Replacement[T]]]:
        """Return the replacements that begin at each place, in the order of the synonyms; other places are absent.

        >>> Occurrences([("ab", "x"), ("b", "y")]).of("cab")
        {1: [(3, ['x'])], 2: [(3, ['y'])]}
        """
        found: dict[int, list[Replacement[T]]] = {}
        for place, token in enumerate(reference):
            for left, right in self.by_first.get(token, ()):
                end = place + len(left)
                if list(reference[place:end]) == left:
                    found.setdefault(place, []).append((end, right))
        return found


def best_reading(
    reference: Sequence[T], prediction: Sequence[T], synonyms: Occurrences[T], costs: WholeCosts
) -> Sequence[T]:
    """Return the first of `readings` of least cost, or the reference itself if nothing in it can be replaced.

    Takes O((n + r) m) time and O(k m) memory for n and m tokens of both sides and k occurrences, whose right sides
    have r tokens in all.

    >>> synonyms = Occurrences([(["i", "am"], ["i'm"]), (["ok"], ["okay"])])
    >>> best_reading("i am ok".split(), "i'm ok".split(), synonyms, WholeCosts(1, 1, 1))
    ["i'm", 'ok']
    """
    replacements = _worthwhile(synonyms.of(reference), set(prediction), costs)
    if not replacements or list(reference) == list(prediction):
        return reference
    # Cut off common ends in which no replacement begins or ends: they cost nothing in any reading.
    start = _equal_tokens(reference, prediction, min(replacements))
    last = max(end for listed in replacements.values() for end, _ in listed)
    rest = _equal_tokens(reference[::-1], prediction[start:][::-1], len(reference) - last)
    stop = len(reference) - rest
    within = {place - start: [(end - start, words) for end, words in own] for place, own in replacements.items()}
    chosen = _best_path(reference[start:stop], prediction[start : len(prediction) - rest], within, costs)
    return [*reference[:start], *chosen, *reference[stop:]]


def _worthwhile(
    replacements: Mapping[int, list[Replacement[T]]], said: Collection[T], costs: WholeCosts
) -> dict[int, list[Replacement[T]]]:
    """Leave out replacements that cannot cost less than the tokens as written: no shorter, and none of them is said."""
    if costs.insertion > costs.substitution:
        return dict(replacements)
    # Written tokens can take the place of as many that hit nothing. Each of the others, left out, saves a deletion or
    # makes an insertion of a substitution.
    kept = {
        place: [(end, words) for end, words in listed if len(words) < end - place or any(map(said.__contains__, words))]
        for place, listed in replacements.items()
    }
    return {place: listed for place, listed in kept.items() if listed}


def _equal_tokens(left: Sequence[T], right: Sequence[T], most: int) -> int:
    """Return how many tokens both begin with, at most `most`."""
    pairs = enumerate(zip(left[:most], right, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(most, len(right)))


def _best_path(
    reference: Sequence[T], prediction: Sequence[T], replacements: Mapping[int, list[Replacement[T]]], costs: WholeCosts
) -> list[T]:
    """Walk from the start, and at each place take the first choice that leads to the least cost."""
    longest = len(reference) + sum(len(words) for listed in replacements.values() for _, words in listed)
    ahead, back = (_Table(side, costs, longest) for side in (prediction, prediction[::-1]))
    after = _rows_after(reference, replacements, back)
    least = after[0][-1]
    row, place, chosen = ahead.first, 0, list[T]()
    last = max(replacements)
    while place <= last:
        choices = [(place + 1, reference[place : place + 1]), *replacements.get(place, ())]
        for end, words in choices:
            reached = ahead.through(row, words)
            if len(choices) == 1 or (reached + after[end][::-1]).min() == least:
                break
        row, place = reached, end
        chosen += words
    return [*chosen, *reference[place:]]


def _rows_after(
    reference: Sequence[T], replacements: Mapping[int, list[Replacement[T]]], back: _Table[T]
) -> dict[int, Row]:
    """Return the least costs of all that follows a place, for the first place and those where the walk has a choice.

    back: the table of the reversed prediction, so that the last number of a row is for the whole prediction.
    """
    kept = {0, *(place + 1 for place in replacements), *(end for own in replacements.values() for end, _ in own)}
    rows = {len(reference): back.first}
    for place in reversed(range(len(reference))):
        row = back.through(rows[place + 1], reference[place : place + 1])
        for end, words in replacements.get(place, ()):
            row = np.minimum(row, back.through(rows[end], words[::-1]))
        rows[place] = row
        if place + 1 not in kept:
            del rows[place + 1]
    return rows


class _Table(Generic[T]):
    """Computes rows of the table of least costs against a prediction of m tokens.

    Number j of a row, shape (m + 1,), is the cost for the first j tokens of the prediction, less that of j insertions.
    """

    def __init__(self, prediction: Sequence[T], costs: WholeCosts, longest: int) -> None:
        """Rows are of at most `longest` tokens."""
        substitution, self.deletion, insertion = costs
        most = max(costs) * (longest + len(prediction) + 2)
        dtype = np.int64 if 2 * most < 1 << 63 else object
        self.numbers: dict[T, int] = {}
        numbered = [self.numbers.setdefault(token, len(self.numbers)) for token in prediction]
        self.tokens = np.array(numbered, np.int64)
        self.diagonal = np.array([substitution - insertion, -insertion], dtype)
        self.first: Row = np.zeros(len(prediction) + 1, dtype)

    def through(self, row: Row, words: Sequence[T]) -> Row:
        """Return the row after these words of a reference, from the row before them."""
        for word in words:
            is_equal = self.tokens == self.numbers.get(word, -1)
            below = row + self.deletion
            np.minimum(below[1:], row[:-1] + self.diagonal[is_equal.view(np.int8)], out=below[1:])
            row = np.minimum.accumulate(below)
        return row


# --- many pairs


def with_best_readings(references: Segments, predictions: Segments, sides: Segments, costs: WholeCosts) -> Segments:
    """Return the reading of least cost of each reference.

    references, predictions: n segments each; pair i consists of segment i of both.
    sides: the left and the right side of each synonym, in turn; all segments have the same ids.

    >>> references = Segments(np.array([1, 2, 3, 1]), np.array([0, 3, 4]))
    >>> predictions = Segments(np.array([5, 3, 1]), np.array([0, 2, 3]))
    >>> sides = Segments(np.array([1, 2, 5]), np.array([0, 2, 3]))
    >>> read = with_best_readings(references, predictions, sides, WholeCosts(1, 1, 1))
    >>> read.row(0).tolist(), read.row(1).tolist()
    ([5, 3], [1])
    """
    tokens = [sides.row(i).tolist() for i in range(len(sides.lengths))]
    synonyms = Occurrences(zip(tokens[::2], tokens[1::2], strict=True))
    changed: dict[int, list[int]] = {}
    for i in _rows_with(synonyms, references).tolist():
        written = references.row(i).tolist()
        reading = best_reading(written, predictions.row(i).tolist(), synonyms, costs)
        if reading != written:
            changed[i] = [*reading]
    return _with_rows(references, changed) if changed else references


def _with_rows(segments: Segments, rows: Mapping[int, list[int]]) -> Segments:
    """Return the segments with other ids in these rows."""
    added = np.array([number for own in rows.values() for number in own], segments.ids.dtype)
    ends = segments.offsets[-1] + np.cumsum([len(own) for own in rows.values()])
    order = np.arange(len(segments.lengths))
    order[list(rows)] = len(order) + np.arange(len(rows))
    joined = Segments(np.concatenate((segments.ids, added)), np.concatenate((segments.offsets, ends)))
    return joined.take(order)


def _rows_with(synonyms: Occurrences[int], references: Segments) -> IntArray:
    """Return the rows in which a left side may occur: its first token does, before the second one of a left side."""
    lefts = [left for listed in synonyms.by_first.values() for left, _ in listed]
    longer = [left for left in lefts if len(left) > 1]
    ids = references.ids
    may_begin = _among(ids, [left[0] for left in lefts if len(left) == 1])
    may_begin[:-1] |= _among(ids[:-1], [left[0] for left in longer]) & _among(ids[1:], [left[1] for left in longer])
    places = np.flatnonzero(may_begin)
    return np.unique(np.searchsorted(references.offsets, places, side="right") - 1)


def _among(ids: IntArray, values: Collection[int]) -> Mask:
    """Return which ids are among the values, shape (ids,)."""
    known = np.unique(np.array([*values], np.int64))
    if not len(known):
        return np.zeros(len(ids), np.bool_)
    found: Mask = known.take(np.searchsorted(known, ids), mode="clip") == ids
    return found
