"""From texts or counted words to a trained model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy

from ._counting import Measure, count_words
from ._progress import progress
from ._splits import Splits
from ._words import WordCounts
from .models import Model
from .trainers import Trainer, default_trainer


def chosen_trainer(trainer: Trainer | None, model: Model) -> Trainer:
    """The trainer, or that of the model; ValueError for one that is not of this package."""
    if trainer is not None and not isinstance(trainer, Trainer):
        raise ValueError(f"trainer={trainer!r}: give a Trainer of tokenizers_impl")
    return trainer or default_trainer(model)


def trained_on_texts(
    blocks: Iterable[Splits], cut: Callable[[Splits], Splits], measure: Measure, trainer: Trainer, model: Model
) -> Model:
    """A model learnt from the words that `cut` makes of these texts."""
    if trainer.show_progress:
        with progress("Load kernels, compiled at first use", None, True):
            _rehearse(cut, trainer, model)
    return trained_on_counts(count_words(blocks, cut, measure, show_progress=trainer.show_progress), trainer, model)


def trained_on_counts(counts: WordCounts, trainer: Trainer, model: Model) -> Model:
    """A model learnt from counted words."""
    if len(counts.counts) == 0:
        warnings.warn("the corpus has no words: the vocabulary is what the options ask for", stacklevel=4)
    return trainer.train_words(counts, model)


def checked_counts(counts: Mapping[str, int]) -> WordCounts:
    """The words and their counts; ValueError for a word that is no string, a count outside 1 to 2**63 - 1."""
    for word, count in dict(counts).items():
        if not isinstance(word, str):
            raise ValueError(f"the word {word!r} is no string")
        if not isinstance(count, int) or not 0 < count < 1 << 63:
            raise ValueError(f"the count of {word!r} is {count!r}: give a positive integer below 2**63")
    return WordCounts.of(counts)


def _rehearse(cut: Callable[[Splits], Splits], trainer: Trainer, model: Model) -> None:
    """Train on two words, so that what takes seconds where nothing is compiled yet has a bar of its own."""
    counts = count_words([Splits.of(["low lower"], offsets=False)], cut, Measure(), show_progress=False)
    rehearsal = copy(trainer)
    rehearsal.show_progress = False
    # The options may ask for more than two words can give.
    with suppress(ValueError):
        rehearsal.train_words(counts, model)
