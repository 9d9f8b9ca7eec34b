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

# So many rounds without any change are taken for a training that never ends.
_PATIENCE = 100


class Trained(NamedTuple):
    """vocab: (piece, score) by id; unk_id: the id of the unknown token; history: a row a step."""

    vocab: Scored
    unk_id: int | None
    history: list[dict[str, Any]]


class _Training:
    """The pieces of one training on their way, `lexicon`, with their places in the words, `matches`."""

    def __init__(self, counted: WordCounts, options: UnigramOptions, existing: Scored, executor: Any) -> None:
        self.options = options
        self.executor = executor
        self.text = WordText.of(counted)
        leading = set(options.leading_tokens)
        old = [piece for piece, _ in existing if piece not in leading]
        self.lexicon, self.matches = seed_lexicon(counted, self.text, options, old)
        # Pruning ends with a tenth more new pieces than asked for, the rest is cut at the end; the unknown piece is a
        # new one for the library.
        self.desired_size = max(0, options.vocab_size - len(existing)) * 11 // 10
        if options.extend:
            self.desired_size += 1 + int(self.lexicon.stays.sum())
        starts = self.text.starts
        self.blocks = [(int(starts[first]), int(starts[last])) for first, last in self.text.blocks()]
        self.history: list[dict[str, Any]] = []
        self._note("seed")

    @property
    def size(self) -> int:
        """The number of pieces, with the unknown one, as the library counts."""
        return len(self.lexicon.scores)

    def _note(self, kind: str, **found: float) -> None:
        row = {"step": len(self.history), "kind": kind, "vocab_size": self.size}
        self.history.append({**row, **dict.fromkeys(("corpus_tokens", "objective", "loss")), **found})

    def _keep(self, kept: I64, scores: F64) -> None:
        """Go on with these pieces, in this order."""
        new_ids = np.full(self.size, DROPPED, np.int32)
        new_ids[UNKNOWN] = UNKNOWN
        new_ids[kept] = np.arange(1, len(kept) + 1)
        if not np.array_equal(new_ids, np.arange(self.size)):
            rename(self.matches, self.lexicon.lengths, self.blocks, new_ids)
        self.lexicon = self.lexicon.keep(kept, scores)

    def improve(self) -> None:
        """One EM step."""
        expected, objective = expectation(self.text, self.matches, self.lexicon, self.executor)
        tokens, stays = float(expected.sum()), self.lexicon.stays
        expected[stays] = np.maximum(expected[stays], RARE)
        self._keep(*maximization(expected, self.options.em))
        self._note("em", corpus_tokens=tokens, objective=float(objective))

    def prune(self) -> None:
        """Drop the pieces that matter least."""
        # The target counts the unknown piece, which is not among the survivors.
        target = max(self.desired_size, int(self.size * self.options.shrinking_factor)) - 1
        by_loss = self._kept_by_exact_loss if self.options.prune_loss == "exact" else self._kept_by_loss
        kept, losses = by_loss(target)
        # Pieces that stood nowhere have none.
        lost = float(np.nansum(np.delete(losses, kept)))
        self._keep(kept, self.lexicon.scores[kept])
        self._note("prune", loss=lost)

    def _kept_by_exact_loss(self, target: int) -> tuple[I64, F64]:
        """The pieces that stay, and what is lost without each."""
        stays = self.lexicon.stays | (self.lexicon.lengths == 1)
        losses = exact_losses(self.text, self.matches, self.lexicon)
        return survivors_of(losses, stays, target), losses

    def _kept_by_loss(self, target: int) -> tuple[I64, F64]:
        """The same by an approximation."""
        freq = viterbi(self.text, self.matches, self.lexicon)
        alternatives = second_best(self.matches, self.lexicon)
        losses = approximate_losses(freq, alternatives, int(self.text.counts.sum()), self.options.prune_loss)
        return survivors(freq, alternatives, losses, self.lexicon.stays, target, self.options.quirks), losses

    def pieces(self) -> Scored:
        """The pieces with their scores, in the order of their numbers."""
        spans = zip(*(array[1:].tolist() for array in self.lexicon[:3]), strict=True)
        return [(self.text.chars(place, length), score) for place, length, score in spans]


def _required_chars(counted: WordCounts, options: UnigramOptions) -> list[str]:
    """The characters that every vocabulary has, sorted; ValueError if it has no room for them."""
    seen = set(map(chr, np.unique(counted.words.chars).tolist()))
    required = sorted(seen | {text[0] for text in options.initial_alphabet if text})
    # The library forgets the special tokens here, and gives a larger vocabulary than asked for.
    leading = [] if options.quirks else options.leading_tokens
    least = len(set(required) | set(leading))
    if least > options.vocab_size and not options.extend:
        raise ValueError(
            f"vocab_size is {options.vocab_size}, but there are {len(required)} characters"
            f"{' beside the special tokens' if leading else ''}: take {least} or more"
        )
    return required


def _check_lengths(words: Words, options: UnigramOptions) -> None:
    """ValueError for a word of which exact losses would never end."""
    if options.prune_loss != "exact" or len(words.lengths) == 0 or words.lengths.max() <= LONGEST_EXACT:
        return
    longest = int(words.lengths.argmax())
    raise ValueError(
        f"prune_loss='exact' takes time in the square of a word's length, and the word that begins with "
        f"{words.text(longest)[:20]!r} has {words.lengths[longest]} characters, more than {LONGEST_EXACT}: cut it by a "
        "pre-tokenizer, or take prune_loss='hf'"
    )


def _without_empty(counted: WordCounts) -> WordCounts:
    """The words that have characters."""
    (chars, offsets), counts = counted
    filled = offsets[1:] > offsets[:-1]
    return WordCounts(Words(chars, np.append(offsets[:-1][filled], offsets[-1])), counts[filled])


def _rounds(training: _Training, show_progress: Shown) -> None:
    """EM steps, then pruning, until there are few enough pieces."""
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
        f"the pruning of compat='hf-0.23' stays at {before} pieces for ever, vocab_size is {options.vocab_size}: "
        "take more, or compat=None"
    )


def _with_unk_of(model: Unigram, options: UnigramOptions) -> UnigramOptions:
    """The options with the unknown token of the model; ValueError for another one."""
    if model.unk_id is None:
        return options
    theirs = model.vocab[model.unk_id][0]
    if options.unk_token not in (None, theirs):
        raise ValueError(
            f"unk_token is {options.unk_token!r} but the model to extend has {theirs!r}: give the trainer the model's"
        )
    return replace(options, unk_token=theirs)


def _learnt(
    counted: WordCounts, options: UnigramOptions, existing: Scored, show_progress: Shown, executor: Any
) -> tuple[Scored, list[dict[str, Any]]]:
    """The pieces before the last cut, with the history."""
    with progress("Seed pieces", len(counted.counts), show_progress) as bar:
        training = _Training(counted, options, existing, executor)
        bar.update(len(counted.counts))
    _rounds(training, show_progress)
    return training.pieces(), _with_tokens(training.history)


def _with_tokens(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, where those that count no tokens have the number that the E step behind them counted."""
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
    """Learn scored pieces from counted words, as the Unigram trainer of tokenizers 0.23.3 (Kudo 2018, section 3.2).

    1. Seed pieces. 2. EM steps. 3. If there are too many pieces: prune, go on with 2. 4. Cut to the size asked for.

    model: what the training goes on from, where the options say extend.
    executor: takes the E steps elsewhere; None: here.
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

    def __post_init__(self) -> None:
        super().__post_init__()
        self._history: list[dict[str, Any]] = []

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> Unigram:
        """A Unigram with the learnt pieces; `model` must be a Unigram.

        With compat="hf-0.23" only the model's seed is taken over, with None or extend also byte_fallback, alpha and
        nbest_size.
        """
        if not isinstance(model, Unigram):
            raise ValueError(
                f"UnigramTrainer trains models.Unigram, not {type(model).__name__}: take the trainer of that model"
            )
        options = options_of(UnigramOptions, self)
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
