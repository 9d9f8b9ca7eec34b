"""The trainer of WordPiece vocabularies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from .._added_token import AddedToken
from .._representation import Call
from .._words import WordCounts
from ..models._model import Model
from ..models._wordpiece import WordPiece
from ._bpe_options import BpeOptions
from ._bpe_trainer import BpeTrainer
from ._bpe_training import LearntMerges, learn_merges
from ._likelihood_training import learn_by_gain
from ._option_checks import contents, strings
from ._trainer import Trainer

CRITERIA = ("frequency", "likelihood", "quotient", "union")
# Those of the library.
_OPTIONS = (
    "vocab_size",
    "min_frequency",
    "show_progress",
    "special_tokens",
    "limit_alphabet",
    "initial_alphabet",
    "continuing_subword_prefix",
    "end_of_word_suffix",
)
# Without it a gain merges what is rarest first: two characters that occur once, together, gain most of all.
MIN_FREQUENCY_BY_GAIN = 20


class WordPieceTrainer(Trainer):
    """Learns the vocabulary of a WordPiece by merging pairs of symbols; the merges are not kept.

    The options of `tokenizers.trainers.WordPieceTrainer` 0.23.3, whose vocabulary it finds: those of `BpeTrainer`, but
    that vocab_size None is no limit.

    Ours alone:
    criterion: which pair xy is merged; freq counts symbols of the words as they are cut by then.
      "frequency": the most frequent one, as the library does, whose WordPiece is BPE with "##".
      "likelihood": with the highest gain log P(xy) - log P(x) - log P(y), P(t) = freq(t) / freq(any), natural logarithm
      (Schuster & Nakajima 2012).
      "quotient": with the highest gain freq(xy) / (freq(x) freq(y)); the same order as "likelihood".
      "union": as "likelihood" with P(xy) = freq(xy) / (freq(x) + freq(y) - freq(xy)).
      Of several the most frequent one, then the one with the smaller ids, first part first.  Gains are 64-bit floats:
      where products of counts pass 2**53, those that are equal may differ in the last bit, and so decide.
    min_frequency: a pair that is rarer is not merged.  None: 0 for "frequency", as in the library, 20 for the gains,
      which are highest for the rarest pairs.
    min_gain: training ends where no gain is as high.  NaN, which compares with nothing, is refused.
    affix_order, alphabet_order: as in `BpeTrainer`.
    extend: goes on from the given model: its ids stay, then comes what is new.  There are no merges to do first: the
      words begin as the model cuts them, the longest token first, once it has the new special tokens and characters;
      words that are too long for it are cut, too, and characters that limit_alphabet leaves out are no obstacle.
      Where that is how merging had left the words, a training in two parts is the same as one; else it need not be.
      A model knows no end_of_word_suffix: with one it cannot be extended.

    `history` has a row a merge: step, pair, count, token, then vocab_size and corpus_tokens after it, and the gain.
    Raises ValueError for an option that cannot be.

    >>> trainer = WordPieceTrainer(vocab_size=9, criterion="quotient", min_frequency=5, show_progress=False)
    >>> model = trainer.train_words(WordCounts.of({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), WordPiece())
    >>> list(model.get_vocab())
    ['b', 'g', 'h', 'n', 'p', 's', 'u', '##g', '##n', '##s', '##u']
    >>> more = WordPieceTrainer(vocab_size=14, extend=True, show_progress=False)
    >>> list(more.train_words(WordCounts.of({"pug": 2, "bug": 1, "mug": 1}), model).get_vocab())[11:]
    ['m', '##ug', 'pug']
    """

    def __init__(
        self,
        *,
        vocab_size: int | None = 30000,
        min_frequency: int | None = None,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] = (),
        continuing_subword_prefix: str | None = "##",
        end_of_word_suffix: str | None = None,
        criterion: Literal["frequency", "likelihood", "quotient", "union"] = "frequency",
        min_gain: float | None = None,
        affix_order: Sequence[str] | None = None,
        alphabet_order: Sequence[str] | None = None,
        extend: bool = False,
    ) -> None:
        self.special_tokens = AddedToken.special_tokens(special_tokens)
        self.show_progress = show_progress
        self._learnt: LearntMerges | None = None
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        if min_frequency is None:
            self.min_frequency = 0 if criterion == "frequency" else MIN_FREQUENCY_BY_GAIN
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = strings("initial_alphabet", initial_alphabet)
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.criterion = criterion
        self.min_gain = min_gain
        self.affix_order = None if affix_order is None else strings("affix_order", affix_order)
        self.alphabet_order = None if alphabet_order is None else strings("alphabet_order", alphabet_order)
        self.extend = extend
        self._options()

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> WordPiece:
        """A WordPiece with the learnt vocabulary, and the other settings of `model`, which must be a WordPiece."""
        if not isinstance(model, WordPiece):
            raise ValueError(
                f"WordPieceTrainer trains models.WordPiece: take another trainer for models.{type(model).__name__}"
            )
        learnt = self._learn(counts, model)
        trained = WordPiece(
            {token: id for id, token in enumerate(learnt.tokens)},
            unk_token=model.unk_token,
            max_input_chars_per_word=model.max_input_chars_per_word,
            continuing_subword_prefix=self.continuing_subword_prefix or "",
        )
        self._learnt = learnt
        return trained

    def shown(self) -> Call:
        """What `repr` shows, and `str` shorter: the trainer of BPE that it is in the library."""
        trainer = BpeTrainer(**{name: getattr(self, name) for name in _OPTIONS})
        # None is the default there.
        trainer.vocab_size = self.vocab_size
        return Call("WordPieceTrainer", {"bpe_trainer": trainer.shown()})

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row a merge of the last training, empty before."""
        return self._learnt.history if self._learnt else []

    def _learn(self, counts: WordCounts, model: WordPiece) -> LearntMerges:
        if self.criterion == "frequency":
            return learn_merges(counts, self._options(), model, self.show_progress)
        return learn_by_gain(counts, self._options(), self.criterion, self.min_gain, model, self.show_progress)

    def _options(self) -> BpeOptions:
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion is {self.criterion!r}: take one of {', '.join(map(repr, CRITERIA))}")
        if self.min_gain is not None and self.criterion == "frequency":
            raise ValueError(
                f"min_gain is {self.min_gain!r}, but 'frequency' has no gain: take another criterion or None"
            )
        if self.min_gain is not None and math.isnan(self.min_gain):
            raise ValueError("min_gain is nan: take a number, or None")
        return BpeOptions(
            vocab_size=self.vocab_size,
            min_frequency=0 if self.min_frequency is None else self.min_frequency,
            special_tokens=contents(self.special_tokens),
            limit_alphabet=self.limit_alphabet,
            initial_alphabet=tuple(self.initial_alphabet),
            continuing_subword_prefix=self.continuing_subword_prefix,
            end_of_word_suffix=self.end_of_word_suffix,
            affix_order=tuple(self.affix_order or ()),
            alphabet_order=tuple(self.alphabet_order or ()),
            extend=self.extend,
        )
