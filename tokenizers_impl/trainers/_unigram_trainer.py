"""The trainer of Unigram models: rounds of expectation, maximization and pruning (Kudo 2018)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._core.arrays import F64, I64
from .._core.component import Call
from .._core.options import options_of
from .._core.parallel import Shown, progress
from .._text.words import WordCounts, Words
from ..models._model import Model
from ..models._unigram import Unigram
from ._trainer import Trainer
from ._unigram_expectation import RARE, exact_losses, expectation, maximization, viterbi
from ._unigram_pruning import Scored, approximate_losses, final_pieces, second_best, survivors, survivors_of
from ._unigram_seed import DROPPED, LONGEST_EXACT, UNKNOWN, UnigramOptions, WordText, rename, seed_lexicon

# --- The Unigram training from counted words to scored pieces

# A training whose size does not change for this many rounds never ends.
_PATIENCE = 100


class Trained(NamedTuple):
    """vocab: (piece, score) by id; unk_id: the id of the unknown token; history: one row per step."""

    vocab: Scored
    unk_id: int | None
    history: list[dict[str, Any]]


class _Training:
    """The state of one training: `lexicon`, the current pieces, and `matches`, their positions in the words."""

    def __init__(self, counted: WordCounts, options: UnigramOptions, existing: Scored, executor: Any) -> None:
        self.options = options
        self.executor = executor
        self.text = WordText.of(counted)
        leading = set(options.leading_tokens)
        old = [piece for piece, _ in existing if piece not in leading]
        self.lexicon, self.matches = seed_lexicon(counted, self.text, options, old)
        # Pruning stops at 10 % more new pieces than vocab_size asks for; `final_pieces` cuts the rest.  The library
        # counts the unknown piece as a new one.
        self.desired_size = max(0, options.vocab_size - len(existing)) * 11 // 10
        if options.extend:
            self.desired_size += 1 + int(self.lexicon.stays.sum())
        starts = self.text.starts
        self.blocks = [(int(starts[first]), int(starts[last])) for first, last in self.text.blocks()]
        self.history: list[dict[str, Any]] = []
        self._note("seed")

    @property
    def size(self) -> int:
        """The number of pieces, the unknown one included, as in the library."""
        return len(self.lexicon.scores)

    def _note(self, kind: str, **found: float) -> None:
        row = {"step": len(self.history), "kind": kind, "vocab_size": self.size}
        self.history.append({**row, **dict.fromkeys(("corpus_tokens", "objective", "loss")), **found})

    def _keep(self, kept: I64, scores: F64) -> None:
        """Replace the pieces by these, in this order, with new scores."""
        new_ids = np.full(self.size, DROPPED, np.int32)
        new_ids[UNKNOWN] = UNKNOWN
        new_ids[kept] = np.arange(1, len(kept) + 1)
        if not np.array_equal(new_ids, np.arange(self.size)):
            rename(self.matches, self.lexicon.lengths, self.blocks, new_ids)
        self.lexicon = self.lexicon.keep(kept, scores)

    def improve(self) -> None:
        """Run one EM step."""
        expected, objective = expectation(self.text, self.matches, self.lexicon, self.executor)
        tokens, stays = float(expected.sum()), self.lexicon.stays
        expected[stays] = np.maximum(expected[stays], RARE)
        self._keep(*maximization(expected, self.options.em))
        self._note("em", corpus_tokens=tokens, objective=float(objective))

    def prune(self) -> None:
        """Drop the pieces with the smallest loss."""
        # `size` counts the unknown piece; the target does not, because it is never dropped.
        target = max(self.desired_size, int(self.size * self.options.shrinking_factor)) - 1
        by_loss = self._kept_by_exact_loss if self.options.prune_loss == "exact" else self._kept_by_loss
        kept, losses = by_loss(target)
        # The loss of a piece without occurrences is NaN.
        lost = float(np.nansum(np.delete(losses, kept)))
        self._keep(kept, self.lexicon.scores[kept])
        self._note("prune", loss=lost)

    def _kept_by_exact_loss(self, target: int) -> tuple[I64, F64]:
        """The pieces to keep, and the exact loss of each piece."""
        stays = self.lexicon.stays | (self.lexicon.lengths == 1)
        losses = exact_losses(self.text, self.matches, self.lexicon)
        return survivors_of(losses, stays, target), losses

    def _kept_by_loss(self, target: int) -> tuple[I64, F64]:
        """The pieces to keep, and the approximate loss of each piece."""
        freq = viterbi(self.text, self.matches, self.lexicon)
        alternatives = second_best(self.matches, self.lexicon)
        losses = approximate_losses(freq, alternatives, int(self.text.counts.sum()), self.options.prune_loss)
        return survivors(freq, alternatives, losses, self.lexicon.stays, target, self.options.quirks), losses

    def pieces(self) -> Scored:
        """The pieces with their scores, in order of their numbers."""
        spans = zip(*(array[1:].tolist() for array in self.lexicon[:3]), strict=True)
        return [(self.text.chars(place, length), score) for place, length, score in spans]


def _required_chars(counted: WordCounts, options: UnigramOptions) -> list[str]:
    """The characters that the vocabulary must have, sorted; ValueError if vocab_size has no room for them."""
    seen = set(map(chr, np.unique(counted.words.chars).tolist()))
    required = sorted(seen | {text[0] for text in options.initial_alphabet if text})
    # The library does not count the special tokens here, so its vocabulary may exceed vocab_size.
    leading = [] if options.quirks else options.leading_tokens
    least = len(set(required) | set(leading))
    if least > options.vocab_size and not options.extend:
        raise ValueError(
            f"vocab_size is {options.vocab_size}, but the vocabulary needs {len(required)} characters"
            f"{' and the special tokens' if leading else ''}: set vocab_size to {least} or more"
        )
    return required


def _check_lengths(words: Words, options: UnigramOptions) -> None:
    """ValueError for a word that is too long for exact losses."""
    if options.prune_loss != "exact" or len(words.lengths) == 0 or words.lengths.max() <= LONGEST_EXACT:
        return
    longest = int(words.lengths.argmax())
    raise ValueError(
        f"prune_loss='exact' needs quadratic time in the word length, and the word that begins with "
        f"{words.text(longest)[:20]!r} has {words.lengths[longest]} characters, more than {LONGEST_EXACT}: split it "
        "with a pre-tokenizer, or use prune_loss='hf'"
    )


def _without_empty(counted: WordCounts) -> WordCounts:
    """The words without the empty ones."""
    (chars, offsets), counts = counted
    filled = offsets[1:] > offsets[:-1]
    return WordCounts(Words(chars, np.append(offsets[:-1][filled], offsets[-1])), counts[filled])


def _rounds(training: _Training, show_progress: Shown) -> None:
    """Alternate EM steps and pruning until the number of pieces is at most `desired_size`."""
    options = training.options
    unchanged = 0
    with progress("EM training", None, show_progress) as bar:
        while unchanged < _PATIENCE:
            before = training.size
            for _ in range(options.n_sub_iterations):
                training.improve()
                bar.update()
            bar.set_postfix(vocab_size=training.size)
            if training.size <= training.desired_size:
                return
            training.prune()
            unchanged = unchanged + 1 if training.size == before else 0
            if unchanged and not options.quirks:
                return
    raise ValueError(
        f"with compat='hf-0.23' pruning stops at {before} pieces and never reaches vocab_size {options.vocab_size}: "
        "set a larger vocab_size, or compat=None"
    )


def _with_unk_of(model: Unigram, options: UnigramOptions) -> UnigramOptions:
    """The options with the unknown token of the model; ValueError if they name another one."""
    if model.unk_id is None:
        return options
    theirs = model.vocab[model.unk_id][0]
    if options.unk_token not in (None, theirs):
        raise ValueError(
            f"unk_token is {options.unk_token!r}, but the model to extend has {theirs!r}: give unk_token={theirs!r}"
        )
    return replace(options, unk_token=theirs)


def _learnt(
    counted: WordCounts, options: UnigramOptions, existing: Scored, show_progress: Shown, executor: Any
) -> tuple[Scored, list[dict[str, Any]]]:
    """The pieces before `final_pieces` cuts them, with the history."""
    with progress("Seed pieces", len(counted.counts), show_progress) as bar:
        training = _Training(counted, options, existing, executor)
        bar.update(len(counted.counts))
    _rounds(training, show_progress)
    return training.pieces(), _with_tokens(training.history)


def _with_tokens(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows; those that count no tokens take over the corpus_tokens of the next E step."""
    behind = [row["corpus_tokens"] for row in history[1:]]
    return [
        row if row["kind"] == "em" else {**row, "corpus_tokens": tokens}
        for row, tokens in zip(history, [*behind, None], strict=True)
    ]


def train_unigram(
    counted: WordCounts,
    options: UnigramOptions,
    model: Unigram | None = None,
    show_progress: Shown = False,
    executor: Any = None,
) -> Trained:
    """Learn scored pieces from counted words, like the Unigram trainer of tokenizers 0.23.3 (Kudo 2018, section 3.2).

    1. Find seed pieces.  2. Run EM steps.  3. If there are too many pieces, prune and go back to 2.  4. Cut the pieces
    to vocab_size.

    model: the model to extend, used only with `extend`.
    executor: runs the E steps; None: they run in this process.
    """
    existing: Scored = []
    if options.extend and model is not None:
        options, existing = _with_unk_of(model, options), list(model.vocab)
    counted = _without_empty(counted)
    _check_lengths(counted.words, options)
    required = _required_chars(counted, options)
    pieces, history = _learnt(counted, options, existing, show_progress, executor) if len(counted.counts) else ([], [])
    vocab = final_pieces(pieces, required, options, existing)
    unk_id = None if options.unk_token is None else [piece for piece, _ in vocab].index(options.unk_token)
    return Trained(vocab, unk_id, history)


# --- The trainer of Unigram models


@dataclass(kw_only=True, eq=False, repr=False)
class UnigramTrainer(UnigramOptions, Trainer):
    """Trains Unigram models: starts from many pieces and prunes them after each round of EM steps.

    Algorithm: Kudo 2018, "Subword regularization", section 3.2.
    The options of `tokenizers.trainers.UnigramTrainer` 0.23.3, with the same pieces as result:
    vocab_size: the number of tokens, special tokens and all characters included.
    show_progress: whether progress bars are shown.
    special_tokens: strings or AddedTokens that get the first ids, with score 0.
    shrinking_factor: the share of pieces that each pruning keeps, those with the highest loss; in [0, 1).
    unk_token: the token of unknown characters; it comes first unless it is one of the special tokens.
    max_piece_length: the longest piece, in characters.
    n_sub_iterations: the number of EM steps before each pruning.
    initial_alphabet: characters to add even if they do not occur; of each string only the first character counts.
    seed_size: the number of seed pieces.

    Options that the library lacks:
    em: how expected counts e become scores.  "bayes", as the library: digamma(e) - digamma(sum of e).
      "plain": log(e / sum of e).
    prune_loss: the loss of a piece.  "hf": the likelihood lost if its second-best segmentation replaces it, with a bug
      of the library, which uses the number of all pieces instead of the number of the piece's alternatives.
      "sentencepiece": the same without the bug.  "exact": L(V) - L(V - x), the likelihood of the corpus with and
      without the piece, the other scores unchanged; this needs quadratic time in the word length, so words of more than
      100,000 characters are refused.
    seed: the seed pieces.  "suffix_array": substrings that at least two different characters follow.
      "bpe": the symbols of byte-pair encoding.
    compat: "hf-0.23" keeps the library's quirks.  The last cut keeps the pieces that the last pruning put first, not
      those with the highest scores; special tokens may occur twice; with many special tokens the vocabulary may exceed
      vocab_size; the model loses byte_fallback.  A training that never ends in the library raises ValueError.
      None: no quirks.
    extend: continue from the given model.  Its pieces keep their ids and are never dropped; new special tokens follow,
      then new pieces by falling score.  Scores are learnt again from the words, with an expected count of at least 0.5
      for each piece of the model; special tokens, and pieces that the words lack, keep their scores.
      unk_token=None takes the model's.  vocab_size counts the model's pieces too; new special tokens and characters are
      added even if they exceed it.  compat has no effect, because the library cannot continue a training.

    Words and required characters are processed in order of code points, and sums do not depend on the number of
    threads, so the scores are identical in every run.  The library's order differs from run to run, and with it the
    last digits of its scores.

    `history` has one row per step, with None for missing values: step; kind ("seed", "em" or "prune"); vocab_size (the
    pieces after the step, the unknown one included); corpus_tokens (expected tokens of the corpus, before an "em" step,
    after other steps); objective ("em" only: nats per word before the step); loss ("prune" only: nats per word, the sum
    of the losses of the dropped pieces).
    No words give the special tokens and the characters of initial_alphabet.  Invalid options, and a vocab_size below
    the number of characters, raise ValueError.

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

    _kind = Unigram

    def __post_init__(self) -> None:
        super().__post_init__()
        self._history: list[dict[str, Any]] = []

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Unigram:
        """Train on counted words; returns a Unigram with the learnt pieces.  `model` must be a Unigram.

        The result has the seed of `model`, and with compat=None or extend also its byte_fallback, alpha and nbest_size.
        """
        own: Unigram = self.checked_model(model)
        options = options_of(UnigramOptions, self)
        vocab, unk_id, history = train_unigram(counts, options, own, self.show_progress, executor)
        if options.quirks:
            trained = Unigram(vocab, unk_id, seed=own.seed)
        else:
            trained = Unigram(vocab, unk_id, own.byte_fallback, own.alpha, own.nbest_size, seed=own.seed)
        self._history = history
        return trained

    def shown(self) -> Call:
        """The options that `repr` shows, and that `str` abbreviates."""
        options = ("show_progress", "vocab_size", "n_sub_iterations", "shrinking_factor", "special_tokens")
        more = ("initial_alphabet", "unk_token", "max_piece_length", "seed_size")
        return self._shown("UnigramTrainer", *options, *more)

    @property
    def history(self) -> list[dict[str, Any]]:
        """One row per step of the last training; empty before the first training."""
        return self._history
