"""The trainer of WordPiece vocabularies: as BPE, or by gain in likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from .._core.added_token import AddedToken
from .._core.arrays import F64, I32, I64
from .._core.component import Call
from .._core.kernel import inner_kernel, kernel
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

# --- Which pair gains most, kept up to date from merge to merge
#
# A merge makes its two parts rarer, so the gains of all their other pairs rise: every pair that has one of the parts is
# looked at again after each merge, and moved in a heap that always has the best pair on top.  Scores are floats: where
# the products of counts pass 2**53, equal ones may differ in the last bit.

QUOTIENT, UNION = range(2)
# The places in Candidates.used.
KNOWN, HEAP = range(2)


class Candidates(NamedTuple):
    """frequency: of every token as a symbol.  first, second: a pair that begins, ends with the token, NONE without one.

    next_first, next_second: the next such pair.  score, together: of every pair, with its frequency, when it got its
    place in the heap, whose top is the best pair.  place: where a pair stands there, NONE for one that is too rare.
    used: how many pairs are known, are in the heap.
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
    """criterion: QUOTIENT or UNION; a pair needs min_count, which is at least 1."""

    criterion: int
    min_count: int


@inner_kernel
def _score(pairs: Pairs, candidates: Candidates, criterion: int, p: int) -> None:
    """Writes down the score of pair p, its place still to be found."""
    first, second = candidates.frequency[pairs.first[p]], candidates.frequency[pairs.second[p]]
    together = pairs.frequency[p]
    product = float(first) * float(second)
    if criterion == UNION:
        product *= float(first + second - together)
    candidates.score[p] = float(together) / product
    candidates.together[p] = together


@inner_kernel
def _better(score: F64, together: I64, first: I32, second: I32, p: int, q: int) -> bool:
    """Whether pair p goes before pair q: by score, then by frequency, then the smaller ids."""
    if score[p] != score[q]:
        return bool(score[p] > score[q])
    if together[p] != together[q]:
        return bool(together[p] > together[q])
    if first[p] != first[q]:
        return bool(first[p] < first[q])
    return bool(second[p] < second[q])


@inner_kernel
def _up(pairs: Pairs, candidates: Candidates, p: int) -> None:
    """Moves pair p towards the top as far as it belongs."""
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
    """Moves pair p away from the top as far as it belongs."""
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
    """Takes pair p out of the heap; the last one gets its place."""
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
    """Scores the pairs of a list again; those that are too rare leave the heap and the list, for good."""
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
    """Enters all pairs up to the n-th that are not known yet."""
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
    """Counts the symbols and enters their pairs."""
    symbols, counts = state.symbols, state.counts
    word = 0
    for i in range(len(symbols.id)):
        while symbols.ends[word] <= i:
            word += 1
        candidates.frequency[symbols.id[i]] += counts[word]
    _enter(state.pairs, candidates, rule, state.used[PAIRS])


@kernel
def update(state: State, candidates: Candidates, rule: Rule, a: int, b: int, new: int, merged: int) -> None:
    """Puts everything right after `merged` occurrences of tokens a, b became `new`."""
    candidates.frequency[a] -= merged
    candidates.frequency[b] -= merged
    candidates.frequency[new] += merged
    for token in (a, b, new):
        _look_again(state.pairs, candidates, rule, candidates.first, candidates.next_first, token)
        _look_again(state.pairs, candidates, rule, candidates.second, candidates.next_second, token)
    _enter(state.pairs, candidates, rule, state.used[PAIRS])


@kernel
def merge_one(state: State, max_length: int, p: int) -> int:
    """As `merge`, called from Python."""
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
    """Merges, each time, the pair with the highest gain; the definitions are those of WordPieceTrainer.

    model: what the training goes on from, where the options say extend.

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
    """The gain of a pair with this score, which is as the kernel has it."""
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

# Without it a gain merges what is rarest first: two characters that occur once, together, gain most of all.
MIN_FREQUENCY_BY_GAIN = 20

K = TypeVar("K", bound=BpeOptions)


@dataclass(kw_only=True, eq=False, repr=False)
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
        """A WordPiece with the learnt vocabulary, and the other settings of `model`, which must be a WordPiece."""
        if not isinstance(model, WordPiece):
            raise ValueError(
                f"WordPieceTrainer trains models.WordPiece: use another trainer for models.{type(model).__name__}"
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
        trainer = self._as(BpeTrainer)
        # None is the default there.
        trainer.vocab_size = self.vocab_size
        return Call("WordPieceTrainer", {"bpe_trainer": trainer.shown()})

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row a merge of the last training, empty before."""
        return self._learnt.history if self._learnt else []

    def _learn(self, counts: WordCounts, model: WordPiece) -> LearntMerges:
        self._check_gain()
        options = self._as(BpeOptions)
        if self.criterion == "frequency":
            return learn_merges(counts, options, model, self.show_progress)
        return learn_by_gain(counts, options, self.criterion, self.min_gain, model, self.show_progress)

    def _as(self, kind: Callable[..., K]) -> K:
        """The options that byte-pair encoding has, too."""
        return options_of(kind, self, min_frequency=self.min_frequency or 0)

    def _check_gain(self) -> None:
        """ValueError for a least gain that cannot be."""
        if self.min_gain is not None and self.criterion == "frequency":
            raise ValueError(
                f"min_gain is {self.min_gain!r}, but 'frequency' has no gain: give another criterion, or None"
            )
        if self.min_gain is not None and math.isnan(self.min_gain):
            raise ValueError("min_gain is nan: give a number, or None")
