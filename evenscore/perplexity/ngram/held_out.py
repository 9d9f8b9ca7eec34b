"""The bits that tokens cost under an n-gram model of other tokens of the same kind."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evenscore.perplexity.ngram.kneser_ney import estimate
from evenscore.perplexity.ngram.model import END_WORD, START_WORD, UNKNOWN_WORD
from evenscore.text.segments import repeated, side_by_side
from evenscore.text.words import from_token_lists


def held_out_bits(train: Sequence[Sequence[int]], held_out: Sequence[Sequence[int]], size: int, order: int) -> float:
    """Return the bits of the held-out texts under an n-gram model of the training texts, ends of texts included.

    train, held_out: the ids of every text.
    size: the number of ids in the vocabulary.  Those that the training texts lack share the probability of the
        unknown word evenly, so all ids have a probability, and sizes are comparable.
    order: the longest n-grams; smoothing is interpolated modified Kneser-Ney (see `estimate`).
    Returns 0.0 without held-out texts. Raises ValueError if no training text has a token.

    Here P(0) and P(end) are (2 - 1) / 4 + 2 / 4 / 3 = 5 / 12, and ids 1 and 2 share the other 2 / 12:

    >>> [round(held_out_bits([[0], [0]], [[id]], 3, 1), 3) for id in range(3)]
    [2.526, 4.848, 4.848]
    """
    known = from_token_lists([list(map(str, ids)) for ids in train])
    model = estimate(known, order, None).model
    n = len(held_out)
    own = model.ids(from_token_lists([list(map(str, ids)) for ids in held_out]))
    start, end = model.id_of(START_WORD), model.id_of(END_WORD)
    sentences = side_by_side(repeated([start], n), own, repeated([end], n))
    log10 = model.log_probs(sentences)[sentences.ids != start]
    unknown = int((own.ids == model.id_of(UNKNOWN_WORD)).sum())
    bits = -math.fsum(log10.tolist()) * math.log2(10)
    return bits + unknown * math.log2(max(1, size - len(known.vocabulary)))
