"""Trainers, which learn a model from counted words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from .._core import missing
from ..models import BPE, Model, Unigram, WordLevel, WordPiece
from ._bpe_trainer import BpeTrainer
from ._trainer import Trainer, WordLevelTrainer
from ._unigram_trainer import UnigramTrainer
from ._wordpiece_trainer import WordPieceTrainer

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers would otherwise accept any name

    def __getattr__(name: str) -> NoReturn:
        raise missing(__name__, name)


Model.trainers.update(
    {BPE: BpeTrainer, Unigram: UnigramTrainer, WordLevel: WordLevelTrainer, WordPiece: WordPieceTrainer}
)
