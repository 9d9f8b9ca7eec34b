"""The trainer of WordPiece vocabularies: by frequency, like BPE, or by gain in likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.added_token import AddedToken
from .._core.arrays import F64, I32, I64
from .._core.component import Call
from .._core.options import options_of
from .._core.parallel import Shown, progress
from .._text.words import WordCounts
from ..models._model import Model
from ..models._wordpiece import WordPiece
from ._bpe_trainer import BpeTrainer
from ._bpe_training import BpeOptions, LearntMerges, learn_merges, state_with_pairs, tokens_of
from ._merge_loop import ROW, merge, with_more_occurrences, with_more_pairs, with_more_tokens
from ._merge_pairs import CORPUS, NONE, PAIRS, TOKENS, Pairs, State
from ._trainer import Trainer

# --- The pair with the highest gain, updated after each merge
#
# A merge makes its two parts rarer, so the gains of all their other pairs rise.  After each merge, every pair that
# contains one of the parts is scored again and moved in a heap that always has the best pair on top.  Scores are
# floats: if products of counts exceed 2**53, equal scores may differ in the last bit.

QUOTIENT, UNION = range(2)
# Indices into Candidates.used.
KNOWN, HEAP = range(2)


class Candidates(NamedTuple):
    """The pairs that may be merged, in a heap with the best pair on top.

    frequency: how often each token occurs as a symbol.  first, second: per token, the head of a linked list of the
    pairs that begin, or end, with it; NONE if empty.  next_first, next_second: per pair, the next one in these lists.
    score, together: the score and the frequency of each pair when it was last scored.
    place: the index of each pair in the heap; NONE if it is too rare.
    used: at KNOWN the number of pairs entered so far, at HEAP the number of pairs in the heap.
    """

    frequency: I64
    first: I64
    second: I64
    next_first: I64
    next_second: I64
    score: F64
    together: I64
    heap: I64
    place: I32
    used: I64


class Rule(NamedTuple):
    """criterion: QUOTIENT or UNION.  min_count: pairs with a smaller count are not merged; at least 1."""

    criterion: int
    min_count: int


@inner_kernel
def _score(pairs: Pairs, candidates: Candidates, criterion: int, p: int) -> None:
    """Store the score of pair p; its place in the heap stays as it is."""
    first, second = candidates.frequency[pairs.first[p]], candidates.frequency[pairs.second[p]]
    together = pairs.frequency[p]
    product = float(first) * float(second)
    if criterion == UNION:
        product *= float(first + second - together)
    candidates.score[p] = float(together) / product
    candidates.together[p] = together


@inner_kernel
def _better(score: F64, together: I64, first: I32, second: I32, p: int, q: int) -> bool:
    """Whether pair p goes before pair q: by higher score, then higher frequency, then smaller ids."""
    if score[p] != score[q]:
        return bool(score[p] > score[q])
    if together[p] != together[q]:
        return bool(together[p] > together[q])
    if first[p] != first[q]:
        return bool(first[p] < first[q])
    return bool(second[p] < second[q])


@inner_kernel
def _up(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Move pair p up to its place in the heap."""
    heap, place, score = candidates.heap, candidates.place, candidates.score
    together, first, second = candidates.together, pairs.first, pairs.second
    i = place[p]
    while i > 0 and _better(score, together, first, second, p, heap[(i - 1) // 2]):
        heap[i] = heap[(i - 1) // 2]
        place[heap[i]] = i
        i = (i - 1) // 2
    heap[i] = p
    place[p] = i


@inner_kernel
def _down(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Move pair p down to its place in the heap."""
    heap, place, score, n = candidates.heap, candidates.place, candidates.score, candidates.used[HEAP]
    together, first, second = candidates.together, pairs.first, pairs.second
    i = place[p]
    while 2 * i + 1 < n:
        j = 2 * i + 1
        if j + 1 < n and _better(score, together, first, second, heap[j + 1], heap[j]):
            j += 1
        if _better(score, together, first, second, p, heap[j]):
            break
        heap[i] = heap[j]
        place[heap[i]] = i
        i = j
    heap[i] = p
    place[p] = i


@inner_kernel
def _remove(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Remove pair p from the heap; the last pair takes its place."""
    heap, place, used = candidates.heap, candidates.place, candidates.used
    used[HEAP] -= 1
    last = heap[used[HEAP]]
    if last != p:
        place[last] = place[p]
        _up(pairs, candidates, last)
        _down(pairs, candidates, last)
    place[p] = NONE


@inner_kernel
def _look_again(pairs: Pairs, candidates: Candidates, rule: Rule, head: I64, following: I64, token: int) -> None:
    """Score the pairs of a list again; remove those that are too rare from the heap and the list, permanently."""
    frequency, place = pairs.frequency, candidates.place
    p, before = head[token], NONE
    while p != NONE:
        after = following[p]
        if frequency[p] >= rule.min_count:
            _score(pairs, candidates, rule.criterion, p)
            _up(pairs, candidates, p)
            _down(pairs, candidates, p)
            before = p
        else:
            if place[p] != NONE:
                _remove(pairs, candidates, p)
            if before == NONE:
                head[token] = after
            else:
                following[before] = after
        p = after


@inner_kernel
def _enter(pairs: Pairs, candidates: Candidates, rule: Rule, n: int) -> None:
    """Add the pairs before the n-th that are not known yet."""
    used, place = candidates.used, candidates.place
    for p in range(used[KNOWN], n):
        place[p] = NONE
        if pairs.frequency[p] >= rule.min_count:
            a, b = pairs.first[p], pairs.second[p]
            candidates.next_first[p], candidates.first[a] = candidates.first[a], p
            candidates.next_second[p], candidates.second[b] = candidates.second[b], p
            _score(pairs, candidates, rule.criterion, p)
            place[p] = used[HEAP]
            used[HEAP] += 1
            _up(pairs, candidates, p)
    used[KNOWN] = n


@kernel
def start(state: State, candidates: Candidates, rule: Rule) -> None:
    """Count the symbols and add their pairs."""
    symbols, counts = state.symbols, state.counts
    word = 0
    for i in range(len(symbols.id)):
        while symbols.ends[word] <= i:
            word += 1
        candidates.frequency[symbols.id[i]] += counts[word]
    _enter(state.pairs, candidates, rule, state.used[PAIRS])


@kernel
def update(state: State, candidates: Candidates, rule: Rule, a: int, b: int, new: int, merged: int) -> None:
    """Update frequencies, scores and the heap after `merged` occurrences of tokens a, b became `new`."""
    candidates.frequency[a] -= merged
    candidates.frequency[b] -= merged
    candidates.frequency[new] += merged
    for token in (a, b, new):
        _look_again(state.pairs, candidates, rule, candidates.first, candidates.next_first, token)
        _look_again(state.pairs, candidates, rule, candidates.second, candidates.next_second, token)
    _enter(state.pairs, candidates, rule, state.used[PAIRS])


@kernel
def merge_one(state: State, max_length: int, p: int) -> int:
    """Run `merge`; can be called from Python."""
    return merge(state, max_length, p)


# --- The WordPiece training by gain in likelihood, from counted words to merges


def learn_by_gain(
    counts: WordCounts,
    options: BpeOptions,
    criterion: str,
    min_gain: float | None = None,
    model: WordPiece | None = None,
    show_progress: Shown = False,
) -> LearntMerges:
    """Repeatedly merge the pair with the highest gain, as defined by `WordPieceTrainer`.

    model: the model to extend, used only with `extend`.

    >>> words = WordCounts.of({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> learnt = learn_by_gain(words, BpeOptions(continuing_subword_prefix="##", num_merges=2), "quotient")
    >>> learnt.merges(), [round(gain, 4) for gain in learnt.gains]
    ([('##g', '##s'), ('p', '##u')], [0.05, 0.0278])
    """
    rule = Rule(UNION if criterion == "union" else QUOTIENT, max(1, options.min_frequency))
    state = state_with_pairs(counts, options, model, show_progress)
    candidates = _no_candidates(state)
    start(state, candidates, rule)
    rows: list[tuple[int, ...]] = []
    gains: list[float] = []
    wanted = min(options.most_tokens - int(state.used[TOKENS]), options.most_merges)
    with progress("Compute merges", max(0, wanted), show_progress) as bar:
        while (
            state.used[TOKENS] < options.most_tokens and len(rows) < options.most_merges and candidates.used[HEAP] > 0
        ):
            best = int(candidates.heap[0])
            gain = _gain(float(candidates.score[best]), int(state.used[CORPUS]), criterion)
            if min_gain is not None and gain < min_gain:
                break
            a, b, count = (int(array[best]) for array in (state.pairs.first, state.pairs.second, state.pairs.frequency))
            before = int(state.used[CORPUS])
            while (new := merge_one(state, options.longest, best)) < 0:
                state = with_more_tokens(with_more_occurrences(with_more_pairs(state)))
                candidates = _with_room(candidates, state)
            update(state, candidates, rule, a, b, new, before - int(state.used[CORPUS]))
            rows.append((a, b, new, count, int(state.used[TOKENS]), int(state.used[CORPUS])))
            gains.append(gain)
            bar.update(1)
        bar.total = len(rows)
    return LearntMerges(tokens_of(state).texts(), np.array(rows, np.int64).reshape(-1, ROW), gains)


def _gain(score: float, corpus: int, criterion: str) -> float:
    """The gain of a pair, computed from the kernel's score."""
    if criterion == "quotient":
        return score
    return math.log(score) + (2 if criterion == "union" else 1) * math.log(corpus)


def _no_candidates(state: State) -> Candidates:
    tokens, pairs = len(state.tokens.length), len(state.pairs.first)
    return Candidates(
        frequency=np.zeros(tokens, np.int64),
        first=np.full(tokens, NONE),
        second=np.full(tokens, NONE),
        next_first=np.empty(pairs, np.int64),
        next_second=np.empty(pairs, np.int64),
        score=np.empty(pairs, np.float64),
        together=np.empty(pairs, np.int64),
        heap=np.empty(pairs, np.int64),
        place=np.empty(pairs, np.int32),
        used=np.zeros(2, np.int64),
    )


def _with_room(candidates: Candidates, state: State) -> Candidates:
    """The same candidates with room for as many tokens and pairs as the state has."""
    longer = _no_candidates(state)
    for name, old in candidates._asdict().items():
        getattr(longer, name)[: len(old)] = old
    return longer


# --- The trainer of WordPiece vocabularies

# Without this limit, the rarest pairs have the highest gains: first of all two characters that occur once, together.
MIN_FREQUENCY_BY_GAIN = 20

K = TypeVar("K", bound=BpeOptions)


@dataclass(kw_only=True, eq=False, repr=False)
class WordPieceTrainer(Trainer):
    """Trains WordPiece vocabularies by merging pairs of symbols; the merges are not kept.

    The options of `tokenizers.trainers.WordPieceTrainer` 0.23.3, with the same vocabulary as result.  They are those of
    `BpeTrainer`, except that vocab_size=None means no limit.

    Options that the library lacks:
    criterion: which pair xy is merged.  freq counts the symbols of the words after all merges so far.
      "frequency": the most frequent pair, as in the library, whose WordPiece is BPE with "##".
      "likelihood": the pair with the highest gain log P(xy) - log P(x) - log P(y), where P(t) = freq(t) / freq(any) and
      log is the natural logarithm (Schuster & Nakajima 2012).
      "quotient": the pair with the highest gain freq(xy) / (freq(x) freq(y)); the same order as "likelihood".
      "union": as "likelihood" with P(xy) = freq(xy) / (freq(x) + freq(y) - freq(xy)).
      Ties: the most frequent pair, then the pair with the smaller ids, left id first.  Gains are 64-bit floats: if
      products of counts exceed 2**53, equal gains may differ in the last bit, which then decides.
    min_frequency: pairs with a smaller count are not merged.  None: 0 for "frequency", as in the library; 20 for the
      gains, which are highest for the rarest pairs.
    min_gain: training stops when every gain is below this.  NaN raises ValueError.
    affix_order, alphabet_order: as in `BpeTrainer`.
    extend: continue from the given model: its ids are kept, and new ones follow.  The model has no merges to run first.
      Instead, it cuts the words, the longest token first, with the new special tokens and characters added.  It also
      cuts words that are too long for it; characters that limit_alphabet leaves out are skipped.  If merging would have
      cut the words the same way, training in two parts equals training in one; otherwise it may differ.
      A WordPiece stores no end_of_word_suffix, so extend does not work with one.

    `history` has one row per merge: step, pair, count, token, vocab_size and corpus_tokens after the merge, and gain.
    Invalid options raise ValueError.

    >>> trainer = WordPieceTrainer(vocab_size=9, criterion="quotient", min_frequency=5, show_progress=False)
    >>> model = trainer.train_words(WordCounts.of({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), WordPiece())
    >>> list(model.get_vocab())
    ['b', 'g', 'h', 'n', 'p', 's', 'u', '##g', '##n', '##s', '##u']
    >>> more = WordPieceTrainer(vocab_size=14, extend=True, show_progress=False)
    >>> list(more.train_words(WordCounts.of({"pug": 2, "bug": 1, "mug": 1}), model).get_vocab())[11:]
    ['m', '##ug', 'pug']
    """

    _kind = WordPiece
    vocab_size: int | None = 30000
    min_frequency: int | None = None
    show_progress: bool = True
    special_tokens: Sequence[str | AddedToken] = ()
    limit_alphabet: int | None = None
    initial_alphabet: Sequence[str] = ()
    continuing_subword_prefix: str | None = "##"
    end_of_word_suffix: str | None = None
    criterion: Literal["frequency", "likelihood", "quotient", "union"] = "frequency"
    min_gain: float | None = None
    affix_order: Sequence[str] | None = None
    alphabet_order: Sequence[str] | None = None
    extend: bool = False

    def __post_init__(self) -> None:
        self._learnt: LearntMerges | None = None
        if self.min_frequency is None:
            self.min_frequency = 0 if self.criterion == "frequency" else MIN_FREQUENCY_BY_GAIN
        self._check_gain()

    def train_words(self, counts: WordCounts, model: Model, executor: Any = None) -> WordPiece:
        """Train on counted words; returns a WordPiece with the other settings of `model`, which must be a WordPiece."""
        own: WordPiece = self.checked_model(model)
        learnt = self._learn(counts, own)
        trained = WordPiece(
            {token: id for id, token in enumerate(learnt.tokens)},
            unk_token=own.unk_token,
            max_input_chars_per_word=own.max_input_chars_per_word,
            continuing_subword_prefix=self.continuing_subword_prefix or "",
        )
        self._learnt = learnt
        return trained

    def shown(self) -> Call:
        """The BPE trainer that `repr` shows, and that `str` abbreviates, as in the library."""
        trainer = self._as(BpeTrainer)
        # The constructor would replace None by the default size.
        trainer.vocab_size = self.vocab_size
        return Call("WordPieceTrainer", {"bpe_trainer": trainer.shown()})

    @property
    def history(self) -> list[dict[str, Any]]:
        """One row per merge of the last training; empty before the first training."""
        return self._learnt.history if self._learnt else []

    def _learn(self, counts: WordCounts, model: WordPiece) -> LearntMerges:
        self._check_gain()
        options = self._as(BpeOptions)
        if self.criterion == "frequency":
            return learn_merges(counts, options, model, self.show_progress)
        return learn_by_gain(counts, options, self.criterion, self.min_gain, model, self.show_progress)

    def _as(self, kind: Callable[..., K]) -> K:
        """The options that this trainer shares with BPE."""
        return options_of(kind, self, min_frequency=self.min_frequency or 0)

    def _check_gain(self) -> None:
        """ValueError if min_gain is invalid, or given without a gain."""
        if self.min_gain is not None and self.criterion == "frequency":
            raise ValueError(
                f"min_gain is {self.min_gain!r}, but 'frequency' has no gain: give another criterion, or None"
            )
        if self.min_gain is not None and math.isnan(self.min_gain):
            raise ValueError("min_gain is nan: give a number, or None")
