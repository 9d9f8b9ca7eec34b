"""Trainers: from counted words to a model."""

from __future__ import annotations

from ..models import Model, Unigram, WordLevel, WordPiece
from ._bpe_trainer import BpeTrainer
from ._trainer import Trainer
from ._unigram_trainer import UnigramTrainer
from ._wordlevel_trainer import WordLevelTrainer
from ._wordpiece_trainer import WordPieceTrainer

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer", "default_trainer"]


def default_trainer(model: Model) -> Trainer:
    """The trainer of that kind of model, with its default options."""
    if isinstance(model, WordPiece):
        return WordPieceTrainer()
    if isinstance(model, WordLevel):
        return WordLevelTrainer()
    return UnigramTrainer() if isinstance(model, Unigram) else BpeTrainer()
