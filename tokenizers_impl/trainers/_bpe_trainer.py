"""The trainer of byte-pair encodings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.arrays import I64
from .._core.component import Call
from .._core.options import options_of
from .._core.parallel import PROGRESS_FORMATS, Shown
from .._text.words import WordCounts
from ..models._bpe import BPE
from ..models._model import Model
from ._bpe_training import BpeOptions, LearntMerges, learn_merges
from ._trainer import Trainer

# The library's default vocab_size.
DEFAULT_SIZE = 30000


@dataclass(kw_only=True, eq=False, repr=False)
class BpeTrainer(BpeOptions, Trainer):
    """Trains byte-pair encodings: merges the most frequent pair of symbols until the vocabulary is full.

    Algorithm: Sennrich et al. 2016, "Neural machine translation of rare words with subword units", section 3.2.
    The options of `tokenizers.trainers.BpeTrainer` 0.23.3, with the same vocabulary and merges as result:
    vocab_size: training stops at this number of tokens.  Special tokens, the alphabet and the affixed characters are
      added even if they exceed it.  None: 30000, or no limit if num_merges is given.
    min_frequency: pairs with a smaller count are not merged.
    show_progress: whether progress is shown.
    progress_format: how progress is shown: "indicatif" (bars), "json" (one JSON object per line on standard error, with
      stage, current and total) or "silent".
    special_tokens: strings or AddedTokens that get the first ids.
    limit_alphabet: the number of characters to keep, the most frequent ones; the others are removed from the words.
    initial_alphabet: characters to keep even if they do not occur; of each string only the first character counts.
    continuing_subword_prefix: precedes every character that does not begin its word.
    end_of_word_suffix: follows the last character of every word.
    max_token_length: the longest token, in characters without affixes; see compat.

    Options that the library lacks:
    num_merges: training stops after this number of merges, or at vocab_size if that is given and reached first.
    end_of_word: "symbol": end_of_word_suffix is a separate symbol after the word, as in the paper, of length 0.
      "glued": it is part of the last character's token, as in the library.
    tie_break: which of several most frequent pairs is merged.  "hf": the pair with the smaller ids, left id first.
      "lexicographic", as subword-nmt 0.3.8: the greater pair of strings by code points.
      "first", as minbpe: the pair that occurs first in the corpus after all merges so far, words in the order given.
      "sentencepiece", as its BPE trainer: the shorter token, then the smaller string, then as "hf".
      "bytes", for byte-level BPE: the greater pair of byte strings, left string first, as in the training of Stanford's
      course CS336.  Characters of `ByteLevel.alphabet()` are compared as the bytes they stand for, others after them.
    affix_order: affixed characters in the order of their ids; the others follow, sorted.  The library's order differs
      from run to run; with the order of a run of the library, the result equals that run's.
    alphabet_order: characters to prefer where limit_alphabet cuts between equally frequent ones; among the others,
      smaller code points are kept.  The library may keep any of them.
    compat: "hf-0.23" keeps two quirks of the library: tokens of three or more characters are shorter than
      max_token_length, and tokens of two are not checked; of a pair that is merged twice, the last merge counts.
      None: no token is longer than max_token_length, and the first merge counts.
    extend: continue from the given model: its ids are kept, its merges run first, and new ones follow.

    `history` has one row per merge: step, pair, count, token, and vocab_size and corpus_tokens after the merge.
    No words give a vocabulary of the special tokens and initial_alphabet.  Invalid options raise ValueError.

    >>> trainer = BpeTrainer(vocab_size=7, special_tokens=["[UNK]"], show_progress=False)
    >>> model = trainer.train_words(WordCounts.of({"low": 5, "lot": 2}), BPE(unk_token="[UNK]"))
    >>> list(model.get_vocab())
    ['[UNK]', 'l', 'o', 't', 'w', 'lo', 'low']
    >>> trainer.history[0]
    {'step': 1, 'pair': ('l', 'o'), 'count': 7, 'token': 'lo', 'vocab_size': 6, 'corpus_tokens': 14}
    """

    _kind = BPE

    def __post_init__(self) -> None:
        super().__post_init__()
        self._learnt: LearntMerges | None = None
        self._word_count = 0
        if self.vocab_size is None and self.num_merges is None:
            self.vocab_size = DEFAULT_SIZE

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> BPE:
        """Train on counted words; returns a BPE with the other settings of `model`, which must be a BPE."""
        own: BPE = self.checked_model(model)
        learnt = learn_merges(counts, options_of(BpeOptions, self), own, self.shown_progress)
        trained = self._model(learnt, own)
        self._learnt, self._word_count = learnt, len(counts.counts)
        return trained

    @property
    def history(self) -> list[dict[str, Any]]:
        """One row per merge of the last training; empty before the first training."""
        return self._learnt.history if self._learnt else []

    @property
    def shown_progress(self) -> Shown:
        """Whether progress is shown, and in which format."""
        return self.show_progress and PROGRESS_FORMATS[self.progress_format]

    def shown(self) -> Call:
        """The options that `repr` shows, and that `str` abbreviates."""
        options = ("min_frequency", "vocab_size", "show_progress", "progress_format", "special_tokens")
        symbols = ("limit_alphabet", "initial_alphabet", "continuing_subword_prefix", "end_of_word_suffix")
        return self._shown("BpeTrainer", *options, *symbols, "max_token_length")

    def get_word_count(self) -> int:
        """Return the number of distinct words of the last training; 0 before the first training."""
        return self._word_count

    def _model(self, learnt: LearntMerges, model: BPE) -> BPE:
        merges, counts = learnt.merges(), learnt.rows[:, 3]
        if self.extend:
            merges, counts = model.merges + merges, _with_older(model, counts)
        if self.compat is None:
            # The library's models use the last merge of a pair, so only the first one is passed on.
            first = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
            ranks = sorted(first.values())
            merges, counts = [merges[rank] for rank in ranks], counts[ranks]
        trained = BPE(
            {token: id for id, token in enumerate(learnt.tokens)},
            merges,
            dropout=model.dropout,
            unk_token=model.unk_token,
            continuing_subword_prefix=self.continuing_subword_prefix,
            end_of_word_suffix=self.end_of_word_suffix,
            fuse_unk=model.fuse_unk,
            byte_fallback=model.byte_fallback,
            ignore_merges=model.ignore_merges,
            match=model.match,
            end_of_word=self.end_of_word,
            seed=model.seed,
        )
        trained.merge_counts = counts
        return trained


def _with_older(model: BPE, counts: I64) -> I64:
    """Prepend the counts of the model's own merges; 0 each if the model lacks them."""
    older = np.zeros(len(model.merges), np.int64) if model.merge_counts is None else model.merge_counts
    return np.concatenate((older, counts))
