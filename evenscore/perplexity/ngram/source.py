"""The source of probabilities from n-gram models."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenscore.inputs import byte_place, check_predictions, not_utf8, warn_caller
from evenscore.options import callable_name, called, check_choice, check_integer, check_number
from evenscore.parallel import with_bar
from evenscore.perplexity.ngram.arpa import opened, read_arpa
from evenscore.perplexity.ngram.kneser_ney import FALLBACK, Discounts, estimate
from evenscore.perplexity.ngram.model import (
    END_WORD,
    OTHER_UNKNOWN_WORD,
    START_WORD,
    UNKNOWN_WORD,
    NgramModel,
    WordScores,
    blocks,
)
from evenscore.perplexity.source import FloatArray, Source, Token, TokenScores
from evenscore.text.segments import Segments, repeated, side_by_side
from evenscore.text.words import Words, encode, from_token_lists, split_at, split_characters, translate

_SPACES = b" \t\n\v\f\r"
_SPACE_TABLE = bytes(byte in _SPACES for byte in range(256))
_WORD = re.compile(rf"[^{_SPACES.decode()}]+")
_CODE_POINTS = 0x110000


class Unit(NamedTuple):
    """A way to split texts into tokens.

    name: the name in signatures.
    split: returns the token ids of many texts.
    cut: returns the tokens of one text.
    """

    name: str
    split: Callable[[list[str]], Words]
    cut: Callable[[str], list[str]]

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of one text, each with its next occurrence in the text, or None if there is none."""
        tokens, end = [], 0
        for token in self.cut(text):
            start = text.find(token, end)
            end = end if start < 0 else start + len(token)
            tokens.append(Token(token, None, None) if start < 0 else Token(token, start, end))
        return tokens


def _split_words(texts: list[str]) -> Words:
    text = encode(texts)
    return split_at(text, translate(text.data, _SPACE_TABLE).view(np.bool_))


def _split_characters(texts: list[str]) -> Words:
    points = split_characters(texts).segments
    is_used = np.zeros(_CODE_POINTS, dtype=np.bool_)
    is_used[points.ids] = True
    ids = np.cumsum(is_used)[points.ids] - 1
    return Words(Segments(ids, points.offsets), lambda: pa.array(map(chr, np.flatnonzero(is_used)), pa.large_string()))


_UNITS = {
    # Split at ASCII white space like bytes.split(), which KenLM's Python module uses.
    "words": Unit("words", _split_words, _WORD.findall),
    # All code points, including white space.
    "characters": Unit("characters", _split_characters, list),
}


def _unit_of(tokenize: Callable[[str], Any]) -> Unit:
    """Return the unit of a function; it raises ValueError if the function does not return a list of strings."""
    name = callable_name(tokenize)

    def cut(text: str) -> list[str]:
        tokens = called(tokenize, text)
        if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
            raise ValueError(f"{name} returned {tokens!r} for {text!r}: return a list of strings")
        return list(tokens)

    def split(texts: list[str]) -> Words:
        return from_token_lists([*with_bar(map(cut, texts), "Tokenize", " texts", lambda _: 1, len(texts))])

    return Unit(name, split, cut)


def as_unit(unit: Any) -> Unit:
    """Return the unit for "words", "characters" or a function from a text to its tokens.

    >>> [token.text for token in as_unit("words").tokens("a  b\\u00a0c")]
    ['a', 'b\\xa0c']
    >>> as_unit(str.split).split(["a b", "a"]).segments.ids.tolist()
    [0, 1, 0]
    """
    if callable(unit):
        return _unit_of(unit)
    if isinstance(unit, str) and unit in _UNITS:
        return _UNITS[unit]
    raise ValueError(f"unit={unit!r}: give 'words', 'characters', or a function from a text to a list of strings")


# Large enough for numpy to be fast, small enough to bound the memory.
_BLOCK_WORDS = 1 << 19
# Characters of a training text: a small compressed file may hold a line of gigabytes.
_LONGEST_LINE = 1 << 27
_MARKERS = pa.array([START_WORD, END_WORD, UNKNOWN_WORD, OTHER_UNKNOWN_WORD], pa.large_string())
# Pruned or rounded models give probabilities somewhat above 1, as KenLM does.  Beyond this log10 they mean nothing.
_MOST_LOG10 = 10.0


class NgramSource(Source):
    """A back-off n-gram model of words, characters or the tokens of a function.

    A token is predicted from those before it: <s>, the tokens of the context, and those of the text. The context is
    tokenized separately, as if a space separated it from the text. </s> after each text is scored like a token, so an
    empty text has one token. <s>, </s> and <unk> in a text are the model's words of these names, as in KenLM; `score`
    warns of the first two, and of an ARPA file whose words cannot be those of the unit.
    log_probs are the float32 log10 probabilities of KenLM's full_scores, times ln 10. They can exceed 0 if the back-off
    weights of an ARPA file give probabilities above 1; ValueError for one above 10**10, where KenLM goes on.

    name: the name in signatures.
    model: the model, as write_arpa takes it.
    discounts: of each order of a trained model; empty for an ARPA file, which does not hold them.
    fallback_orders: orders whose discounts could not be estimated from the training texts.

    >>> source = NgramSource.trained(["a b a", "a a b b c"], discount=0.5)
    >>> source.name, source.score(["a b"], None).log_probs.round(3).tolist()
    ('ngram:3:words:kn0.5', [-0.174, -0.73, -2.824])
    """

    def __init__(
        self,
        name: str,
        model: NgramModel,
        unit: Unit,
        start_token: bool = True,
        end_token: bool = True,
        discounts: tuple[Discounts, ...] = (),
        fallback_orders: tuple[int, ...] = (),
    ) -> None:
        """start_token, end_token: whether <s> precedes each text, and whether </s> is scored after it."""
        self.name = name
        self.model = model
        self.discounts = discounts
        self.fallback_orders = fallback_orders
        self._unit = unit
        self._start = self._marker(START_WORD, "start_token", start_token)
        self._end = self._marker(END_WORD, "end_token", end_token)

    @classmethod
    def trained(
        cls,
        train_texts: Any,
        order: int = 3,
        unit: str | Callable[[str], Sequence[str]] = "words",
        discount: float | Sequence[float] | None = None,
        start_token: bool = True,
        end_token: bool = True,
    ) -> NgramSource:
        """Estimate a model with interpolated modified Kneser-Ney smoothing (see `estimate` for the definition).

        train_texts: a list of texts, or the path of a UTF-8 file with one text per line, plain or compressed.
        discount: None to estimate three for each order; a number above 0 and below 1 for all; or three, for n-grams
            counted once, twice and more often, above 0 and at most 1, 2 and 3.
        Warns about orders whose discounts cannot be estimated, and uses 0.5, 1 and 1.5, like lmplz --discount_fallback.
        Raises ValueError for invalid options, texts without tokens, and texts with the token <s> or </s>.
        """
        check_integer("order", order, least=1)
        chosen, smoothing = _discounts(discount)
        split = as_unit(unit)
        words = split.split(_texts(train_texts))
        if not len(words.segments.ids) and isinstance(train_texts, (str, os.PathLike)):
            raise ValueError(f"train_texts={os.fspath(train_texts)!r} has no token: give a file with at least one")
        found = estimate(words, order, chosen)
        if found.fallback_orders:
            orders, missing = _ranges(found.fallback_orders), _orders_without_ngrams(found.model)
            warn_caller(
                f"the training texts are too short or too regular to estimate the discounts of order {orders}; using "
                f"{', '.join(f'{value:g}' for value in FALLBACK)}: give more texts or discount={missing}"
            )
        fallback = "".join(f",fallback{n}" for n in found.fallback_orders)
        name = f"ngram:{order}:{split.name}:{smoothing}{fallback}"
        return cls(name, found.model, split, start_token, end_token, found.discounts, found.fallback_orders)

    @classmethod
    def of_arpa(
        cls,
        path: str | os.PathLike[str],
        unit: str | Callable[[str], Sequence[str]] = "words",
        start_token: bool = True,
        end_token: bool = True,
    ) -> NgramSource:
        """Read the model of an ARPA file; see read_arpa."""
        split, model = as_unit(unit), read_arpa(path)
        name = f"arpa:{os.path.basename(path)}:{model.order}:{split.name}"
        return cls(name, model, split, start_token, end_token)

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """Return the log-probabilities of each text's tokens and of its end; see Source.score."""
        n, words = len(texts), self._unit.split(list(texts))
        self._warn_of_other_unit(words.vocabulary)
        own = self._ids(words, "predictions")
        before = repeated([], n) if contexts is None else self._ids(self._unit.split(list(contexts)), "contexts")
        scored, given = side_by_side(own, repeated(self._end, n)), side_by_side(repeated(self._start, n), before)
        parts = with_bar(blocks(scored, _BLOCK_WORDS), "Score", " texts", lambda rows: rows[1] - rows[0], n)
        found = [self._scores(given.rows(*rows), scored.rows(*rows)) for rows in parts]
        log10 = np.concatenate([np.empty(0), *(each.log_probs for each in found)])
        lengths = np.concatenate([np.empty(0, np.int64), *(each.lengths for each in found)])
        self._refuse_nonsense(log10, scored.offsets)
        unknown = scored.ids == self.model.id_of(UNKNOWN_WORD)
        return TokenScores(log10 * math.log(10), scored.offsets, unknown, lengths)

    def _refuse_nonsense(self, log10: FloatArray, offsets: npt.NDArray[np.int64]) -> None:
        if (log10 > _MOST_LOG10).any():
            token = int((log10 > _MOST_LOG10).argmax())
            text = int(np.searchsorted(offsets, token, side="right")) - 1
            raise ValueError(
                f"{self.name} gives token {token - int(offsets[text])} of text {text} the probability "
                f"10**{log10[token]:g}: the back-off weights of the file are wrong"
            )

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """Return the tokens of each text; the last one is its end, without a place in the text."""
        end = [Token(END_WORD, None, None)] if self._end else []
        return [self._unit.tokens(text) + end for text in texts]

    def _marker(self, word: str, option: str, is_wanted: bool) -> list[int]:
        """Return a list with the id of a marker, or an empty list if it is not wanted."""
        check_choice(option, is_wanted, (True, False))
        found = self.model.id_of(word)
        if is_wanted and found < 0:
            raise ValueError(f"{self.name} has no 1-gram {word}: set {option}=False")
        return [found] if is_wanted else []

    def _ids(self, words: Words, column: str) -> Segments:
        """Return the ids of the words of a column; warns of the first row with a marker as a word."""
        ids = self.model.ids(words)
        # A marker that is not added may be one that the caller writes; but <s> never follows a word.
        markers = {START_WORD: bool(self._start) or column == "predictions", END_WORD: bool(self._end)}
        for marker in (marker for marker, is_added in markers.items() if is_added):
            found = np.flatnonzero(ids.ids == self.model.id_of(marker))
            if len(found):
                row = int(np.searchsorted(ids.offsets, found[0], side="right")) - 1
                warn_caller(
                    f"row {row} of {column} has the word {marker!r}, which marks the start or end of a text, and "
                    "counts as a word here, as in KenLM: remove it, since each text gets both marks automatically"
                )
                break
        return ids

    def _warn_of_other_unit(self, vocabulary: pa.LargeStringArray) -> None:
        """Warn if the words of an ARPA file cannot be those of the unit; vocabulary: the words of the texts."""
        # A trained model has the unit of its texts.
        if self.discounts or self._unit.name not in _UNITS:
            return
        known = self.model.vocabulary.filter(pc.invert(pc.is_in(self.model.vocabulary, value_set=_MARKERS)))
        is_long = pc.greater(pc.utf8_length(known), 1)
        n_long = pc.sum(is_long).as_py() or 0
        if self._unit.name == "characters" and 2 * n_long > len(known):
            warn_caller(
                f"{self.name} has words such as {known.filter(is_long)[0].as_py()!r}, which no character equals: set "
                "ngram_unit='words' if the model is one of words"
            )
        if self._unit.name == "words" and len(known) and not n_long:
            longer = vocabulary.filter(pc.greater(pc.utf8_length(vocabulary), 1))
            longer = longer.filter(pc.invert(pc.is_in(longer, value_set=_MARKERS)))
            if len(longer):
                warn_caller(
                    f"every word of {self.name} is one character, so {longer[0].as_py()!r} is unknown: set "
                    "ngram_unit='characters' if the model is one of characters"
                )

    def _scores(self, given: Segments, scored: Segments) -> WordScores:
        """Return the scores of the scored words, each row after its given words."""
        lengths = np.stack((given.lengths, scored.lengths), axis=1).ravel()
        is_scored = np.repeat(np.tile((False, True), len(lengths) // 2), lengths)
        every = self.model.scores(side_by_side(given, scored))
        return WordScores(every.log_probs[is_scored], every.lengths[is_scored])


def _ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers as text, three or more in a row as a range.

    >>> _ranges([1, 2, 4, 5, 6])
    '1, 2, 4 to 6'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _orders_without_ngrams(model: NgramModel) -> str:
    """Return what to say of the highest orders if no text is that long, else an empty text."""
    longest = max(n for n, level in enumerate(model.levels, 1) if len(level.keys))
    if longest == model.order:
        return ""
    return f"; no text is long enough for n-grams of more than {longest} tokens: give ngram_order={longest} or less"


def _discounts(discount: Any) -> tuple[Discounts | None, str]:
    """Return the discounts of an option, None to estimate them, and their name in signatures."""
    if discount is None:
        return None, "mkn"
    if not isinstance(discount, (list, tuple)):
        check_number("discount", discount, above=0, below=1)
        return (float(discount),) * 3, f"kn{discount:.15g}"
    if len(discount) != 3:
        raise ValueError(
            f"discount={discount!r}: give one number, or three, for n-grams counted once, twice and more often"
        )
    for most, value in enumerate(discount, 1):
        check_number("discount", value, above=0)
        if value > most:
            raise ValueError(f"discount={discount!r}: give at most {most} for a count of {most}")
    one, two, more = map(float, discount)
    return (one, two, more), f"mkn{one:.15g},{two:.15g},{more:.15g}"


def _texts(given: Any) -> list[str]:
    """Return the training texts as a list."""
    if not isinstance(given, (str, os.PathLike)):
        return check_predictions(given, "train_texts")
    if not os.path.isfile(given):
        raise ValueError(f"train_texts={os.fspath(given)!r}: no such file; give a file's path, or a list of texts")
    with opened(given) as file:
        try:
            return _lines(os.fspath(given), io.TextIOWrapper(file, encoding="utf-8-sig")) or [""]
        except UnicodeDecodeError as error:
            raise not_utf8(f"train_texts={os.fspath(given)!r}", _bad_place(given)) from error


def _bad_place(path: str | os.PathLike[str]) -> str:
    """Return the place of the first byte of a file that is not UTF-8."""
    with opened(path) as file:
        for number, line in enumerate(file):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return byte_place([b"\n" * number, line[: error.start]])
    raise ValueError(f"{os.fspath(path)} has changed while it was read: try again")


def _lines(path: str, file: io.TextIOWrapper) -> list[str]:
    """Return the lines of a file; ValueError for one that is too long."""
    lines: list[str] = []
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise ValueError(
                f"train_texts={path!r}, line {len(lines) + 1}: it has more than {_LONGEST_LINE} characters: "
                "put each text on a line of its own"
            )
        lines.append(line.removesuffix("\n"))
    return lines
