"""The trainer of Unigram models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from .._added_token import AddedToken
from .._representation import Call
from .._words import WordCounts
from ..models._model import Model
from ..models._unigram import Unigram
from ._option_checks import contents, strings
from ._trainer import Trainer
from ._unigram_options import UnigramOptions
from ._unigram_training import train_unigram


class UnigramTrainer(Trainer):
    """Learns pieces with probabilities: many at first, fewer after each round of EM steps (Kudo 2018, section 3.2).

    The options of `tokenizers.trainers.UnigramTrainer` 0.23.3, whose pieces it finds:
    vocab_size: the size of the vocabulary, with special tokens and all characters.
    special_tokens: the first tokens, with score 0.
    shrinking_factor: which share of the pieces a pruning keeps, those with the highest loss; from 0 up to, without, 1.
    unk_token: the token of unknown characters; it comes first if it is none of the special tokens.
    max_piece_length: in characters.
    n_sub_iterations: EM steps before each pruning.
    initial_alphabet: characters to have although they do not occur: the first one of each string.
    seed_size: the number of pieces to begin with.

    Ours alone:
    em: "bayes", score digamma(e) - digamma(sum of e) of the expected counts e, as the library; "plain", log(e / sum of
      e).
    prune_loss: by what a piece is judged.  "hf": the likelihood lost if its second-best segmentation stood for it,
      with the library's slip, the number of all pieces where that of its alternatives is meant; "sentencepiece":
      without the slip; "exact": L(V) - L(V - x), the likelihood of the corpus with and without the piece, the other
      scores as they are, which takes time in the square of the length of a word, so that words of more than 100,000
      characters are refused.
    seed: "suffix_array": substrings that two different characters follow; "bpe": the symbols of byte-pair encoding.
    compat: "hf-0.23" keeps the library's ways where it matters: of the surviving pieces those that its last pruning put
      first are taken, not those with the highest scores; special tokens may be there twice, and with many of them the
      vocabulary may become larger than asked for; the model loses byte_fallback.  Where the library never ends, this
      is a ValueError.  None: none of that.
    extend: goes on from the given model: its pieces keep their ids and are never dropped; new special tokens follow,
      then new pieces by falling score.  Scores are learnt anew from these words, where each of the model's pieces
      counts as expected half a time at least; special tokens, and pieces that the words do not have, keep theirs.
      unk_token None is that of the model.  New special tokens and characters are added at any rate, though vocab_size,
      that of the whole, may be smaller than the model.  compat does not matter, as the library cannot go on.

    Words and required characters are taken by code points; the library takes both in another order each time, so that
    its scores change in the last digits.  Ours do not, whatever the number of threads.

    `history` has a row a step: step, kind ("seed", "em", "prune"), vocab_size (pieces after the step, with the unknown
    one), corpus_tokens (expected number in the corpus, for "em" before the step, else after it), for "em" objective
    (nats a word, before the step), for "prune" loss (nats a word, the sum over the dropped pieces, as prune_loss weighs
    each alone); what a row has not is None.
    Raises ValueError for an option that cannot be, and for a vocab_size below the number of characters.

    >>> trainer = UnigramTrainer(vocab_size=7, unk_token="<unk>", show_progress=False)
    >>> model = trainer.train_words(WordCounts.of({"low": 5, "lower": 2, "lowest": 4}), Unigram())
    >>> [(piece, round(score, 2)) for piece, score in model.vocab][:3]
    [('<unk>', 0.0), ('lowe', -1.32), ('low', -1.51)]
    >>> trainer.history[1]["kind"], trainer.history[1]["vocab_size"]
    ('em', 8)
    >>> more = UnigramTrainer(vocab_size=12, extend=True, show_progress=False)
    >>> words = WordCounts.of({"newer": 40, "news": 20, "renew": 20})
    >>> [piece for piece, _ in more.train_words(words, model).vocab][model.get_vocab_size() :]
    ['new', 'n']
    """

    def __init__(
        self,
        *,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[str | AddedToken] = (),
        initial_alphabet: Sequence[str] = (),
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        seed_size: int = 1_000_000,
        em: Literal["bayes", "plain"] = "bayes",
        prune_loss: Literal["hf", "sentencepiece", "exact"] = "hf",
        seed: Literal["suffix_array", "bpe"] = "suffix_array",
        compat: Literal["hf-0.23"] | None = "hf-0.23",
        extend: bool = False,
    ) -> None:
        self.special_tokens = AddedToken.special_tokens(special_tokens)
        self.show_progress = show_progress
        self._history: list[dict[str, Any]] = []
        self.vocab_size = vocab_size
        self.initial_alphabet = strings("initial_alphabet", initial_alphabet)
        self.shrinking_factor = shrinking_factor
        self.unk_token = unk_token
        self.max_piece_length = max_piece_length
        self.n_sub_iterations = n_sub_iterations
        self.seed_size = seed_size
        self.em = em
        self.prune_loss = prune_loss
        self.seed = seed
        self.compat = compat
        self.extend = extend
        self._options()

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Unigram:
        """A Unigram with the learnt pieces; `model` must be a Unigram.

        With compat="hf-0.23" only the model's seed is taken over, with None or extend also byte_fallback, alpha and
        nbest_size.
        """
        if not isinstance(model, Unigram):
            raise ValueError(
                f"UnigramTrainer trains models.Unigram, not {type(model).__name__}: take the trainer of that model"
            )
        options = self._options()
        vocab, unk_id, history = train_unigram(counts, options, model, self.show_progress, executor)
        if options.quirks:
            trained = Unigram(vocab, unk_id, seed=model.seed)
        else:
            trained = Unigram(vocab, unk_id, model.byte_fallback, model.alpha, model.nbest_size, seed=model.seed)
        self._history = history
        return trained

    def shown(self) -> Call:
        """What `repr` shows, and `str` shorter."""
        options = ("show_progress", "vocab_size", "n_sub_iterations", "shrinking_factor", "special_tokens")
        more = ("initial_alphabet", "unk_token", "max_piece_length", "seed_size")
        return self._shown("UnigramTrainer", *options, *more)

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row a step of the last training, empty before."""
        return self._history

    def _options(self) -> UnigramOptions:
        return UnigramOptions(
            vocab_size=self.vocab_size,
            special_tokens=contents(self.special_tokens),
            shrinking_factor=self.shrinking_factor,
            unk_token=self.unk_token,
            max_piece_length=self.max_piece_length,
            n_sub_iterations=self.n_sub_iterations,
            initial_alphabet=tuple(text[0] for text in self.initial_alphabet if text),
            seed_size=self.seed_size,
            em=self.em,
            prune_loss=self.prune_loss,
            seed=self.seed,
            compat=self.compat,
            extend=self.extend,
        )
