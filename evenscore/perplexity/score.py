"""The columns that perplexity takes, as scores of tokens, and what is made of them."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenscore.inputs import check_predictions
from evenscore.perplexity.given import from_log_probs, from_logits, from_probabilities
from evenscore.perplexity.options import TEXTLESS, PerplexityOptions
from evenscore.perplexity.source import Source, TokenScores
from evenscore.perplexity.statistics import STATISTICS, statistics
from evenscore.pictures import Line, Mark, Picture
from evenscore.scorer import Result
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

COLUMNS = ("predictions", "contexts", "log_probs", "probabilities", "logits", "labels")
_GIVEN = ("log_probs", "probabilities", "logits")


class Scored(NamedTuple):
    """Scores of tokens with what they are of.

    texts, contexts: None where they were not given.
    source: what scored them; None where scores were given.
    all_of_texts: whether all of the texts is scored, so that their sizes can be divided by.
    """

    scores: TokenScores
    texts: list[str] | None
    contexts: list[str] | None
    source: Source | None
    all_of_texts: bool

    @property
    def measured(self) -> list[str] | None:
        """The texts whose sizes count; None if they do not."""
        return self.texts if self.all_of_texts else None


def scored(columns: Mapping[str, Any], options: PerplexityOptions, source: Callable[[], Source]) -> Scored:
    """The scores of what stands in the columns, of which those missing are None.

    source: makes the source of probabilities; it is asked only if they are not given.
    Raises ValueError for columns that contradict each other, or a text without a token to score; labels of a row may
    all be ignored.
    """
    given = [name for name in _GIVEN if columns[name] is not None]
    if not given and columns["predictions"] is None and columns["labels"] is None:
        raise ValueError("nothing to score: give predictions with a source of probabilities, or log_probs")
    _check_columns(columns, given, options)
    texts = None if given and columns["predictions"] is None else check_predictions(columns["predictions"])
    if given:
        scores = _given_scores(columns, given[0], options)
        result = Scored(scores, texts, None, None, columns["labels"] is None or _all_count(scores, columns["labels"]))
    else:
        contexts, model = _contexts(columns["contexts"], texts or []), source()
        scores = model.score(texts or [], contexts)
        result = Scored(scores, texts, contexts, model, options.scores_all or contexts is not None)
    _check_headlines(result, options)
    name = given[0] if given else "predictions"
    _check_count(result, name)
    # Labels of which none counts are usual in training: a prompt that fills the window.
    if columns["labels"] is None:
        _check_tokens(result, name)
    return result


def _given_scores(columns: Mapping[str, Any], name: str, options: PerplexityOptions) -> TokenScores:
    if name == "log_probs":
        return from_log_probs(columns[name])
    read = from_logits if name == "logits" else from_probabilities
    return read(columns[name], columns["labels"], shift=options.shift, ignore_index=options.ignore_index)


def _contexts(column: Any, texts: Sequence[str]) -> list[str] | None:
    if column is None:
        return None
    contexts = check_predictions(column, "contexts")
    if len(contexts) != len(texts):
        raise ValueError(f"{len(texts)} predictions but {len(contexts)} contexts: give one row each")
    return contexts


def _check_columns(columns: Mapping[str, Any], given: Sequence[str], options: PerplexityOptions) -> None:
    """Raise ValueError for columns that say too much, or too little."""
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are given: give one of them")
    if given and options.kind is not None:
        raise ValueError(f"{given[0]} are given beside a source of probabilities: give one of them")
    if given and columns["contexts"] is not None:
        raise ValueError(
            f"contexts are given with {given[0]}: give {given[0]} of the texts after them, without contexts"
        )
    with_labels = given in (["logits"], ["probabilities"])
    if columns["labels"] is not None and not with_labels:
        raise ValueError(
            "labels are given without logits or probabilities: log_probs are of the tokens that came already"
        )


def _check_headlines(result: Scored, options: PerplexityOptions) -> None:
    for name in options.headlines if result.measured is None else ():
        if name not in TEXTLESS:
            why = "predictions are needed" if result.texts is None else "only a part of the texts is scored"
            raise ValueError(f"headlines={name!r}: {why}, whose words and bytes it counts")


def _all_count(scores: TokenScores, labels: Any) -> bool:
    return len(scores.log_probs) == sum(map(len, labels))


def _check_count(result: Scored, name: str) -> None:
    rows = len(result.scores.offsets) - 1
    if result.texts is not None and len(result.texts) != rows:
        raise ValueError(f"{len(result.texts)} predictions but {rows} rows of {name}: give one row each")


def _check_tokens(result: Scored, name: str) -> None:
    empty = np.flatnonzero(np.diff(result.scores.offsets) == 0)
    if len(empty):
        text = "" if result.texts is None else f" ({reprlib.repr(result.texts[empty[0]])})"
        raise ValueError(f"{name}[{empty[0]}]{text} has no token to score: leave it out")


# exp(700) is about the largest float.
_LARGEST_MEAN = 700


def check_rows(rows: Sequence[IntArray]) -> None:
    """Raise ValueError for systems of other rows, or impossible tokens: a difference of infinities is no number."""
    for name, own in zip(("baseline", *(f"systems[{i}]" for i in range(len(rows)))), rows, strict=False):
        if len(own) != len(rows[0]):
            raise ValueError(f"baseline has {len(rows[0])} rows but {name} has {len(own)}")
        counts = dict(zip(STATISTICS, own[:, 1:].T, strict=True))
        infinite = (counts["impossible_tokens"] > 0) | (counts["nll_whole"] > _LARGEST_MEAN * counts["tokens"])
        if infinite.any():
            row = int(np.flatnonzero(infinite)[0])
            raise ValueError(f"{name} gives row {row} a perplexity that no float holds: leave the row out")


def warn_of_other_tokens(rows: Sequence[IntArray], options: PerplexityOptions) -> None:
    """Warn of perplexities of the same texts cut in other ways."""
    tokens = [own[:, 1 + STATISTICS.index("tokens")] for own in rows]
    for i, own in enumerate(tokens[1:]):
        if "perplexity" in options.headlines and not np.array_equal(own, tokens[0]):
            warnings.warn(
                f"systems[{i}] has other tokens than the baseline, so that their perplexities cannot be compared: "
                f"give headlines=['bits_per_byte']",
                stacklevel=3,
            )


# Where, in nats, the next darker colour begins; e^-1, e^-3, e^-6, e^-9 are about 1/3, 1/20, 1/400, 1/8000.
_STEPS = (1.0, 3.0, 6.0, 9.0)


def surprise_picture(title: str, token_log_probs: FloatArray, token_texts: Sequence[str] | None) -> Picture:
    """Every token on a colour that is the darker the less likely it was, with -ln P below it, in nats.

    token_texts: None: the tokens are numbered.

    >>> print(surprise_picture("Why", np.array([-0.5, -10.0]), ["the", "zebra"]).text(colour=False))
    Why
    -ln P the<0.5> zebra<10.0>
    """
    surprises = 0.0 - token_log_probs
    levels = np.searchsorted(_STEPS, surprises, side="right").tolist()
    names = list(map(str, range(1, len(surprises) + 1))) if token_texts is None else token_texts
    marks = [
        Mark(name, f"heat{level}", f"{surprise:.1f}")
        for name, level, surprise in zip(names, levels, surprises.tolist(), strict=True)
    ]
    return Picture(title, [Line("-ln P", marks)])


def _statistics(tokens: Scored) -> IntArray:
    own = statistics(tokens.scores, tokens.measured)
    return np.concatenate((np.ones((len(own), 1), np.int64), own), axis=1)


def _refuse_executor(executor: Any) -> None:
    if executor is not None:
        raise ValueError(
            "executor= is for metrics with references: here, load the metric once in every worker, let it call "
            "statistics(...).sum(axis=0) for its share of the rows, add the sums, call score_statistics(total)"
        )


def _options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in COLUMNS}


def _shown(tokens: Scored) -> Result:
    """The tokens of every text: log-probabilities; with a source, also what they are, and where."""
    rows = np.split(tokens.scores.log_probs, tokens.scores.offsets[1:-1])
    result: Result = {"token_log_probs": [row.tolist() for row in rows]}
    if tokens.source is None or tokens.texts is None:
        return result
    named = tokens.source.tokens(tokens.texts, tokens.contexts)
    result["token_texts"] = [[token.text for token in row] for row in named]
    result["token_offsets"] = [[(token.start, token.end) for token in row] for row in named]
    return result


def _names(tokens: Scored) -> list[str] | None:
    """What the tokens of a single text are: what the source says, or the text's words if there are as many."""
    if tokens.texts is None:
        return None
    if tokens.source is not None and tokens.source.names_tokens:
        return [token.text for token in tokens.source.tokens(tokens.texts, tokens.contexts)[0]]
    words = tokens.texts[0].split()
    return words if len(words) == len(tokens.scores.log_probs) else None
