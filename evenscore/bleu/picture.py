"""The picture of BLEU: which n-grams of a prediction are matched, clipped, missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenscore.pictures import Bars, Block, Line, Mark, Picture
from evenscore.text.words import Units

NGram = tuple[int, ...]


def n_gram_picture(title: str, tokens: Units, result: Mapping[str, Any]) -> Picture:
    """Precisions and brevity penalty as bars; below, the n-grams of each order, in the order of the text.

    tokens: of the prediction, then of its references.
    result: of one row, as compute gives it.
    """
    prediction, *references = [tokens.segments.row(k).tolist() for k in range(len(tokens.segments.lengths))]
    names = tokens.row(0)
    orders = range(1, len(result["counts"]) + 1)
    lines = [_n_gram_line(prediction, references, names, order) for order in orders]
    return Picture(title, [_bars(result), Line("prediction", list(map(Mark, names))), *lines])


def _bars(result: Mapping[str, Any]) -> Bars:
    shares = [
        (f"{n}-grams", count / total if total else 0.0, f"{count} of {total}")
        for n, (count, total) in enumerate(zip(result["counts"], result["totals"], strict=True), 1)
    ]
    lengths = f"{result['translation_length']} tokens, reference {result['reference_length']}"
    penalty = float(result["brevity_penalty"])
    return Bars([*shares, ("brevity penalty", penalty, f"{penalty:.3f} ({lengths})")])


def _n_gram_line(prediction: Sequence[int], references: Sequence[Sequence[int]], names: list[str], order: int) -> Block:
    kinds = n_gram_kinds(prediction, references, order)
    marks = [Mark(" ".join(names[i : i + order]), kind) for i, kind in enumerate(kinds)]
    return Line(f"{order}-grams", marks, separator="  ")


def n_gram_kinds(prediction: Sequence[int], references: Sequence[Sequence[int]], order: int) -> list[str]:
    """What became of each n-gram: "match"; "clipped", if it is in a reference, but not so often; "miss".

    Of an n-gram that is clipped, the first ones match (Papineni et al. 2002, section 2.1.1).

    >>> n_gram_kinds([7, 7, 8], [[7, 9]], 1)
    ['match', 'clipped', 'miss']
    """
    highest: Counter[NGram] = Counter()
    for reference in references:
        highest |= Counter(_n_grams(reference, order))
    seen: Counter[NGram] = Counter()
    kinds = []
    for n_gram in _n_grams(prediction, order):
        seen[n_gram] += 1
        most = highest[n_gram]
        kinds.append("match" if seen[n_gram] <= most else "clipped" if most else "miss")
    return kinds


def _n_grams(tokens: Sequence[int], order: int) -> Iterable[NGram]:
    return (tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
