"""The WordPiece training by gain in likelihood, from counted words to merges."""

from __future__ import annotations

import math

import numpy as np

from .._progress import Shown, progress
from .._words import WordCounts
from ..models._wordpiece import WordPiece
from ._bpe_options import BpeOptions
from ._bpe_training import LearntMerges, state_with_pairs, tokens_of
from ._likelihood_kernel import HEAP, QUOTIENT, UNION, Candidates, Rule, start, update
from ._merge_arrays import CORPUS, HF, NONE, TOKENS, State
from ._merge_arrays import Rule as MergeRule
from ._merge_kernel import NOTHING, ROW, lack, merge
from ._merge_state import with_more_occurrences, with_more_pairs, with_more_tokens

# More than any count, so that the queue of the merge loop, which is not used here, stays empty.
NEVER = 2**62


def learn_by_gain(
    counts: WordCounts,
    options: BpeOptions,
    criterion: str,
    min_gain: float | None = None,
    model: WordPiece | None = None,
    show_progress: Shown = False,
) -> LearntMerges:
    """Merges, each time, the pair with the highest gain; the definitions are those of WordPieceTrainer.

    model: what the training goes on from, where the options say extend.

    >>> words = WordCounts.of({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> learnt = learn_by_gain(words, BpeOptions(continuing_subword_prefix="##", num_merges=2), "quotient")
    >>> learnt.merges(), [round(gain, 4) for gain in learnt.gains]
    ([('##g', '##s'), ('p', '##u')], [0.05, 0.0278])
    """
    merge_rule = MergeRule(HF, NEVER, options.most_tokens, options.longest)
    rule = Rule(UNION if criterion == "union" else QUOTIENT, max(1, options.min_frequency))
    first_rule = merge_rule._replace(max_length=options.longest_first)
    state = state_with_pairs(counts, options, first_rule, model, show_progress)
    candidates = _no_candidates(state)
    start(state, candidates, rule)
    rows: list[tuple[int, ...]] = []
    gains: list[float] = []
    wanted = min(options.most_tokens - int(state.used[TOKENS]), options.most_merges)
    with progress("Compute merges", max(0, wanted), show_progress) as bar:
        while (
            state.used[TOKENS] < options.most_tokens and len(rows) < options.most_merges and candidates.used[HEAP] > 0
        ):
            best = int(candidates.heap[0])
            gain = _gain(float(candidates.score[best]), int(state.used[CORPUS]), criterion)
            if min_gain is not None and gain < min_gain:
                break
            while lack(state, best) != NOTHING:
                state = with_more_tokens(with_more_occurrences(with_more_pairs(state)))
                candidates = _with_room(candidates, state)
            a, b, count = (int(array[best]) for array in (state.pairs.first, state.pairs.second, state.pairs.frequency))
            before = int(state.used[CORPUS])
            new = merge(state, merge_rule, best)
            update(state, candidates, rule, a, b, new, before - int(state.used[CORPUS]))
            rows.append((a, b, new, count, int(state.used[TOKENS]), int(state.used[CORPUS])))
            gains.append(gain)
            bar.update(1)
        bar.total = len(rows)
    return LearntMerges(tokens_of(state).texts(), np.array(rows, np.int64).reshape(-1, ROW), gains)


def _gain(score: float, corpus: int, criterion: str) -> float:
    """The gain of a pair with this score, which is as the kernel has it."""
    if criterion == "quotient":
        return score
    return math.log(score) + (2 if criterion == "union" else 1) * math.log(corpus)


def _no_candidates(state: State) -> Candidates:
    tokens, pairs = len(state.tokens.length), len(state.pairs.first)
    return Candidates(
        frequency=np.zeros(tokens, np.int64),
        first=np.full(tokens, NONE),
        second=np.full(tokens, NONE),
        next_first=np.empty(pairs, np.int64),
        next_second=np.empty(pairs, np.int64),
        score=np.empty(pairs, np.float64),
        together=np.empty(pairs, np.int64),
        heap=np.empty(pairs, np.int64),
        place=np.empty(pairs, np.int32),
        used=np.zeros(2, np.int64),
    )


def _with_room(candidates: Candidates, state: State) -> Candidates:
    """The same candidates with room for as many tokens and pairs as the state has."""
    longer = _no_candidates(state)
    for name, old in candidates._asdict().items():
        getattr(longer, name)[: len(old)] = old
    return longer
