"""From texts or counted words to a trained model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from ._corpus import Corpus, iterator_corpus
from ._counting import Measure, count_words
from ._cutting import Cutter
from ._memory import give_back
from ._progress import progress_if_slow
from ._splits import Splits
from ._warnings import warn_caller
from ._words import WordCounts
from .models import Model
from .trainers import Trainer, default_trainer


def chosen_trainer(trainer: Trainer | None, model: Model) -> Trainer:
    """The trainer, or that of the model; ValueError for one that is not of this package."""
    if trainer is not None and not isinstance(trainer, Trainer):
        raise ValueError(f"trainer={trainer!r}: give a Trainer of tokenizers_impl")
    return trainer or default_trainer(model)


def trained_on_texts(
    corpus: Corpus, cutter: Cutter, measure: Measure, trainer: Trainer, model: Model, executor: Any
) -> Model:
    """A model learnt from the words of these texts."""
    words = iterator_corpus(["low lower"], offsets=cutter.needs_origins)
    _load_kernels(trainer, model, partial(count_words, words, cutter.rehearsal, Measure(), show_progress=False))
    # The tables of normalizer and pre-tokenizer: once here, not at the same time in every thread.
    cutter.rehearsal.cut(Splits.of(["low lower"], offsets=cutter.needs_origins))
    give_back()
    counts = count_words(corpus, cutter, measure, show_progress=trainer.shown_progress, executor=executor)
    give_back()
    return _learnt(counts, trainer, model, executor)


def trained_on_counts(counts: WordCounts, trainer: Trainer, model: Model, executor: Any) -> Model:
    """A model learnt from counted words."""
    _load_kernels(trainer, model, partial(WordCounts.of, {"low": 1, "lower": 1}))
    return _learnt(counts, trainer, model, executor)


def _learnt(counts: WordCounts, trainer: Trainer, model: Model, executor: Any) -> Model:
    if len(counts.counts) == 0:
        warn_caller("the corpus has no words: the vocabulary is what the options ask for")
    return trainer.train_words(counts, model, executor)


def checked_counts(counts: Mapping[str, int]) -> WordCounts:
    """The words and their counts.

    ValueError for a word that is no string, a count outside 1 to 2**63 - 1, and for counts that come to 2**63 symbols.
    """
    if not isinstance(counts, Mapping):
        raise ValueError(
            f"the counts are {counts!r:.80}: give a mapping from word to count; texts are for train_from_iterator"
        )
    for word, count in dict(counts).items():
        if not isinstance(word, str):
            raise ValueError(f"the word {word!r} is no string")
        if not isinstance(count, (int, np.integer)) or not 0 < count < 1 << 63:
            raise ValueError(f"the count of {word!r} is {count!r}: give a positive integer below 2**63")
    # A symbol more a word: its end.
    total = sum(int(count) * (len(word) + 1) for word, count in counts.items())
    if total >= 1 << 63:
        raise ValueError(
            f"the words have {total} characters in all, each as often as it is counted: divide the counts, so that it "
            "is below 2**63"
        )
    return WordCounts.of(counts)


def _load_kernels(trainer: Trainer, model: Model, two_words: Callable[[], WordCounts]) -> None:
    """Train on two words, so that what takes seconds where nothing is compiled yet has a bar of its own."""
    if not trainer.shown_progress:
        return
    with progress_if_slow("Load kernels, compiled at first use", trainer.shown_progress):
        counts = two_words()
        rehearsal = copy(trainer)
        rehearsal.show_progress = False
        # The options may ask for more than two words can give.
        with suppress(ValueError):
            rehearsal.train_words(counts, model)
