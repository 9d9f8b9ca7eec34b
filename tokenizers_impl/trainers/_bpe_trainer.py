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

# The library's.
DEFAULT_SIZE = 30000


@dataclass(kw_only=True, eq=False, repr=False)
class BpeTrainer(BpeOptions, Trainer):
    """Learns merges: again and again the most frequent pair of neighbours becomes one symbol (Sennrich et al. 2016).

    The options of `tokenizers.trainers.BpeTrainer` 0.23.3, whose vocabulary and merges it finds:
    vocab_size: the size at which training ends; the special tokens, the alphabet and the affixed characters are there
      at any rate.  None: 30000, and no limit where num_merges is given.
    progress_format: how progress is shown: "indicatif", as bars; "json", as a JSON object a line on standard error with
      stage, current and total; "silent", not at all.
    min_frequency: a pair that is rarer is not merged.
    special_tokens: the first tokens.
    limit_alphabet: how many characters are kept; the others are left out of the words.
    initial_alphabet: characters to keep although they do not occur: the first one of each string.
    continuing_subword_prefix: stands before every character that does not begin its word.
    end_of_word_suffix: stands behind the last character.
    max_token_length: in characters without affixes; see compat.

    Ours alone:
    num_merges: the number of merges at which training ends; a vocab_size that is given holds beside it.
    end_of_word: "symbol": end_of_word_suffix is a symbol of its own behind the word, as in the paper; it has no length.
    tie_break: which of several most frequent pairs is merged.  "hf": the one with the smaller ids, first part first.
      "lexicographic", as subword-nmt 0.3.8: the greater pair of strings by code points.
      "first", as minbpe: the pair that comes first in the corpus as it stands by then, words in the order given.
      "sentencepiece", as its BPE trainer: the shorter token, then the smaller string, then as "hf".
    affix_order: the affixed characters that get ids first, in this order; the others follow, sorted.  (The library's
      order is another one in each run; with the order of its result, the result is the same.)
    alphabet_order: which characters are kept first where limit_alphabet cuts between equally frequent ones; then those
      with the smaller code point.  (The library keeps any.)
    compat: "hf-0.23" keeps two quirks: tokens of three characters or more have less than max_token_length characters,
      those of two are not checked; of a pair that was merged twice the last merge counts.
      None: no token has more than max_token_length characters, and the first merge counts.
    extend: goes on from the given model: its ids stay, its merges are done first, then comes what is new.

    `history` has a row a merge: step, pair, count, token, and vocab_size and corpus_tokens after it.
    Raises ValueError for an option that cannot be.

    >>> trainer = BpeTrainer(vocab_size=7, special_tokens=["[UNK]"], show_progress=False)
    >>> model = trainer.train_words(WordCounts.of({"low": 5, "lot": 2}), BPE(unk_token="[UNK]"))
    >>> list(model.get_vocab())
    ['[UNK]', 'l', 'o', 't', 'w', 'lo', 'low']
    >>> trainer.history[0]
    {'step': 1, 'pair': ('l', 'o'), 'count': 7, 'token': 'lo', 'vocab_size': 6, 'corpus_tokens': 14}
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._learnt: LearntMerges | None = None
        self._word_count = 0
        if self.vocab_size is None and self.num_merges is None:
            self.vocab_size = DEFAULT_SIZE

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> BPE:
        """A BPE with the learnt vocabulary and merges, and the other settings of `model`, which must be a BPE."""
        if not isinstance(model, BPE):
            raise ValueError(f"BpeTrainer trains models.BPE: take another trainer for models.{type(model).__name__}")
        learnt = learn_merges(counts, options_of(BpeOptions, self), model, self.shown_progress)
        trained = self._model(learnt, model)
        self._learnt, self._word_count = learnt, len(counts.counts)
        return trained

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row a merge of the last training, empty before."""
        return self._learnt.history if self._learnt else []

    @property
    def shown_progress(self) -> Shown:
        """How progress is shown."""
        return self.show_progress and PROGRESS_FORMATS[self.progress_format]

    def shown(self) -> Call:
        """What `repr` shows, and `str` shorter."""
        options = ("min_frequency", "vocab_size", "show_progress", "progress_format", "special_tokens")
        symbols = ("limit_alphabet", "initial_alphabet", "continuing_subword_prefix", "end_of_word_suffix")
        return self._shown("BpeTrainer", *options, *symbols, "max_token_length")

    def get_word_count(self) -> int:
        """The number of distinct words of the last training, 0 before."""
        return self._word_count

    def _model(self, learnt: LearntMerges, model: BPE) -> BPE:
        merges, counts = learnt.merges(), learnt.rows[:, 3]
        if self.extend:
            merges, counts = model.merges + merges, _with_older(model, counts)
        if self.compat is None:
            # The library's models take the last one: only the first is handed over.
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
    """The counts of a model's merges before these; 0 for a model that does not know them."""
    older = np.zeros(len(model.merges), np.int64) if model.merge_counts is None else model.merge_counts
    return np.concatenate((older, counts))
