"""N-gram models by their definitions, one probability at a time: what the tests hold the arrays against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

Ngram = tuple[str, ...]
# log10 probability and back-off weight of the n-grams of every order.
Levels = Sequence[Mapping[Ngram, tuple[float, float]]]


class KneserNey:
    """Interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998, section 4.1.6), in fractions."""

    def __init__(self, sentences: Sequence[Sequence[str]], order: int, discounts: Sequence[float] | None) -> None:
        self.order = order
        marked = [("<s>", *sentence, "</s>") for sentence in sentences]
        occurrences = Counter(
            sentence[i : i + n]
            for sentence in marked
            for n in range(1, order + 1)
            for i in range(len(sentence) - n + 1)
        )
        words_before = Counter(gram[1:] for gram in occurrences if len(gram) > 1)
        self.counts = {
            gram: count if len(gram) == order or gram[0] == "<s>" else words_before[gram]
            for gram, count in occurrences.items()
            if gram != ("<s>",)
        }
        self.words = {"<unk>"} | {gram[0] for gram in self.counts if len(gram) == 1}
        self.discounts = {
            n: [Fraction(value) for value in discounts] if discounts else self._estimated(n)
            for n in range(1, order + 1)
        }

    def _estimated(self, n: int) -> list[Fraction]:
        times = Counter(count for gram, count in self.counts.items() if len(gram) == n)
        if times[1] and times[2] and times[3]:
            y = Fraction(times[1], times[1] + 2 * times[2])
            found = [j - (j + 1) * y * Fraction(times[j + 1], times[j]) for j in (1, 2, 3)]
            if min(found) > 0:
                return found
        return [Fraction(1, 2), Fraction(1), Fraction(3, 2)]

    def probability(self, context: Ngram, word: str) -> Fraction:
        """P(word | context), of which the last order - 1 words count."""
        context = context[max(0, len(context) - self.order + 1) :]
        shorter = self.probability(context[1:], word) if context else Fraction(1, len(self.words))
        followers = {
            gram: count for gram, count in self.counts.items() if gram[:-1] == context and len(gram) == len(context) + 1
        }
        if not followers:
            return shorter
        taken_off = {gram: self.discounts[len(gram)][min(count, 3) - 1] for gram, count in followers.items()}
        gram = (*context, word)
        own = followers.get(gram, 0) - taken_off.get(gram, 0)
        return (own + sum(taken_off.values()) * shorter) / Fraction(sum(followers.values()))


def backed_off(levels: Levels, context: Ngram, word: str) -> np.float32:
    """log10 P(word | context): of the longest n-gram there is, plus the weights of longer contexts, shortest first."""
    context = context[max(0, len(context) - len(levels) + 1) :]
    skipped = next(k for k in range(len(context) + 1) if (*context[k:], word) in levels[len(context) - k])
    log_prob = np.float32(levels[len(context) - skipped][(*context[skipped:], word)][0])
    for k in reversed(range(skipped)):
        log_prob += np.float32(levels[len(context) - k - 1].get(context[k:], (0, 0))[1])
    return log_prob
