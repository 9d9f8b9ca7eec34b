"""The Unigram training from counted words to scored pieces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import F64, I64
from .._progress import Shown, progress
from .._words import WordCounts, Words
from ..models._unigram import Unigram
from ._final_pieces import Scored, final_pieces
from ._forward_backward import exact_losses, expectation
from ._lexicon import UNKNOWN
from ._maximization import RARE, maximization
from ._piece_matches import DROPPED, rename
from ._pruning import approximate_losses, survivors, survivors_of
from ._second_best import second_best
from ._seed_lexicon import seed_lexicon
from ._unigram_options import LONGEST_EXACT, UnigramOptions
from ._viterbi import viterbi
from ._word_text import WordText

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
    required = sorted(seen | set(options.initial_alphabet))
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
