"""The BPE training from counted words to merges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from .._arrays import I64
from .._memory import give_back
from .._progress import Shown, progress
from .._words import WordCounts, Words
from ._alphabet import alphabet
from ._bpe_options import TIE_BREAKS, BpeOptions
from ._extension import Extended, cut_words, model_tokens
from ._initial_symbols import END, InitialSymbols, renumber
from ._merge_arrays import TOKENS, Rule, State
from ._merge_kernel import FINISHED, MORE_OCCURRENCES, MORE_PAIRS, MORE_TOKENS, NOTHING, ROW, run_merges
from ._merge_state import new_state, with_more_occurrences, with_more_pairs, with_more_tokens, with_usual_pairs
from ._pair_counts import count_pairs

# Merges between two looks at the progress bar and at Ctrl-C.
SLICE = 256


@dataclass(frozen=True)
class LearntMerges:
    """What a training found.

    tokens: the vocabulary in the order of the ids.
    rows: int64, shape (merges, 6): left part, right part, result, count of the pair, then the size of the vocabulary
      and the number of tokens in the corpus after the merge.
    gains: the gain of every merge, in a training by gain.

    >>> learnt = learn_merges(WordCounts.of({"low": 5, "lot": 2}), BpeOptions(num_merges=2))
    >>> learnt.tokens, learnt.merges()
    (['l', 'o', 't', 'w', 'lo', 'low'], [('l', 'o'), ('lo', 'w')])
    >>> learnt.history[-1]
    {'step': 2, 'pair': ('lo', 'w'), 'count': 5, 'token': 'low', 'vocab_size': 6, 'corpus_tokens': 9}
    """

    tokens: list[str]
    rows: I64
    gains: Sequence[float] | None = None

    def merges(self) -> list[tuple[str, str]]:
        """The parts of every merge, in the order of the training."""
        return [(self.tokens[a], self.tokens[b]) for a, b in self.rows[:, :2].tolist()]

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        """A row a merge; made when it is asked for, as 30,000 of them take 20 MB."""
        gains = repeat({}) if self.gains is None else ({"gain": gain} for gain in self.gains)
        return [
            {
                "step": step,
                "pair": (self.tokens[a], self.tokens[b]),
                "count": count,
                "token": self.tokens[token],
                "vocab_size": vocab_size,
                "corpus_tokens": corpus_tokens,
                **gain,
            }
            for step, ((a, b, token, count, vocab_size, corpus_tokens), gain) in enumerate(
                zip(self.rows.tolist(), gains, strict=False), 1
            )
        ]


def learn_merges(
    counts: WordCounts, options: BpeOptions, model: Extended | None = None, show_progress: Shown = False
) -> LearntMerges:
    """The merges of these words, in the steps of BpeTrainer::do_train of `tokenizers` 0.23.3.

    model: what the training goes on from, where the options say extend.
    """
    rule = Rule(
        TIE_BREAKS.index(options.tie_break), max(1, options.min_frequency), options.most_tokens, options.longest
    )
    first_rule = rule._replace(max_length=options.longest_first)
    # 5. The merges.  Nothing here holds the state, so that it is gone when the strings of the tokens are made.
    tokens, rows = _merged(
        state_with_pairs(counts, options, first_rule, model, show_progress), rule, options.most_merges, show_progress
    )
    return LearntMerges(tokens.texts(), rows)


def state_with_pairs(
    counts: WordCounts, options: BpeOptions, rule: Rule, model: Extended | None, show_progress: Shown
) -> State:
    """The words as symbols with their pairs, the steps 1 to 4."""
    state = initial_state(counts, options, model, show_progress)
    # 4. The pairs.
    with progress("Count pairs", len(counts.counts), show_progress) as bar:
        count_pairs(state, rule)
        bar.update(len(counts.counts))
    return with_usual_pairs(state)


def initial_state(counts: WordCounts, options: BpeOptions, model: Extended | None, show_progress: Shown) -> State:
    """The words as symbols, the steps 1 to 3; the tokens of a model to extend come before all others."""
    extended = model if options.extend else None
    tokens = {} if extended is None else model_tokens(extended, options)
    # 1. The special tokens.
    _add(tokens, options.special_tokens)
    # 2. The alphabet.
    _add(tokens, alphabet(counts, options.initial_alphabet, options.limit_alphabet, options.alphabet_order))
    if options.end_of_word == "symbol":
        _add(tokens, [options.suffix])
    # 3. The words.
    with progress("Tokenize words", len(counts.counts), show_progress) as bar:
        known = [token for token in tokens if len(token) == 1]
        initial = InitialSymbols(counts.words, known, options.prefix, options.suffix, options.end_of_word)
        strings = initial.strings()
        _add(tokens, _in_order(set(strings.values()) - set(tokens), options.affix_order))
        table = np.zeros(max(strings, default=0) + 1, np.int32)
        table[list(strings)] = [tokens[string] for string in strings.values()]
        lengths = np.zeros(len(tokens), np.int32)
        lengths[table[list(strings)]] = [number < END * len(known) for number in strings]
        symbols, offsets = initial.symbols, initial.offsets
        renumber(symbols, table)
        if extended is not None:
            pieces = cut_words(counts.words, tokens, extended)
            lengths[pieces.ids] = pieces.ends - pieces.starts
            symbols, offsets = pieces.ids, pieces.offsets
        bar.update(len(counts.counts))
    return new_state(list(tokens), lengths, symbols, offsets, counts.counts, options.prefix)


def _merged(state: State, rule: Rule, most_merges: int, show_progress: Shown) -> tuple[Words, I64]:
    """Merges until the rule, the number of merges or the words end it; the tokens, and a row a merge."""
    rows, done, reason = [np.empty((0, ROW), np.int64)], 0, None
    wanted = min(rule.vocab_size - int(state.used[TOKENS]), most_merges)
    with progress("Compute merges", max(0, wanted), show_progress) as bar:
        while reason != FINISHED and done < most_merges:
            if reason != NOTHING:
                # What is free behind the arrays of before.
                give_back()
            rows.append(np.empty((min(SLICE, most_merges - done), ROW), np.int64))
            steps, reason = run_merges(state, rule, rows[-1])
            rows[-1] = rows[-1][:steps]
            done += steps
            bar.update(steps)
            if reason == MORE_TOKENS:
                state = with_more_tokens(state)
            elif reason == MORE_PAIRS:
                state = with_more_pairs(state)
            elif reason == MORE_OCCURRENCES:
                state = with_more_occurrences(state)
        bar.total = done
    return tokens_of(state), np.concatenate(rows)


def tokens_of(state: State) -> Words:
    """The strings of the tokens, in the order of the ids."""
    n, ends = int(state.used[TOKENS]), state.strings.ends
    return Words(state.strings.chars[: ends[n]], ends[: n + 1])


def _add(tokens: dict[str, int], strings: Iterable[str]) -> None:
    for string in strings:
        tokens.setdefault(string, len(tokens))


def _in_order(strings: set[str], order: Iterable[str]) -> list[str]:
    """The strings that `order` has, in its order, then the others, sorted."""
    first = [string for string in dict.fromkeys(order) if string in strings]
    return first + sorted(strings.difference(first))
