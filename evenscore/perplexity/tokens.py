"""The columns that perplexity takes, checked, as scores of tokens."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenscore.inputs import check_predictions
from evenscore.perplexity.options import TEXTLESS, PerplexityOptions, kind_of, scores_all
from evenscore.perplexity.source import Source, TokenScores, from_labels, from_log_probs

COLUMNS = ("predictions", "contexts", "log_probs", "probabilities", "logits", "labels")
_GIVEN = ("log_probs", "probabilities", "logits")


class Scored(NamedTuple):
    """Scores of tokens with what they are of.

    texts, contexts: None where they were not given.
    source: what scored them; None where scores were given.
    measured: the texts again if all of them is scored, so that their sizes can be divided by; else None.
    """

    scores: TokenScores
    texts: list[str] | None
    contexts: list[str] | None
    source: Source | None
    measured: list[str] | None


def token_scores(columns: Mapping[str, Any], options: PerplexityOptions, source: Callable[[], Source]) -> Scored:
    """The scores of what stands in the columns, of which those not given may be missing, or None.

    source: makes the source of probabilities; it is asked only if they are not given.
    Raises ValueError for columns that contradict each other, or a text without a token to score; labels of a row may
    all be ignored.
    """
    columns = {**dict.fromkeys(COLUMNS), **columns}
    given = [name for name in _GIVEN if columns[name] is not None]
    if not given and columns["predictions"] is None and columns["labels"] is None:
        raise ValueError("nothing to score: give predictions with a source of probabilities, or log_probs")
    _check_columns(columns, given, options)
    texts = None if given and columns["predictions"] is None else check_predictions(columns["predictions"])
    if given:
        name, labels = given[0], columns["labels"]
        if name == "log_probs":
            scores = from_log_probs(columns[name])
        else:
            scores = from_labels(name, columns[name], labels, options["shift"], options["ignore_index"])
        is_whole = labels is None or len(scores.log_probs) == sum(map(len, labels))
        result = Scored(scores, texts, None, None, texts if is_whole else None)
    else:
        contexts, model = _contexts(columns["contexts"], texts or []), source()
        scores = model.score(texts or [], contexts)
        is_whole = contexts is not None or scores_all(options)
        result = Scored(scores, texts, contexts, model, texts if is_whole else None)
    _check_headlines(result, options)
    # Labels of which none counts are usual in training: a prompt that fills the window.
    _check_rows(result, given[0] if given else "predictions", may_be_empty=columns["labels"] is not None)
    return result


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
    for name in given:
        if kind_of(options) is not None:
            raise ValueError(f"{name} are given beside a source of probabilities: give one of them")
        if columns["contexts"] is not None:
            raise ValueError(f"contexts are given with {name}: give {name} of the texts after them, without contexts")
    if columns["labels"] is not None and given not in (["logits"], ["probabilities"]):
        raise ValueError(
            "labels are given without logits or probabilities: log_probs are of the tokens that came already"
        )


def _check_headlines(result: Scored, options: PerplexityOptions) -> None:
    for name in options["headlines"] if result.measured is None else ():
        if name not in TEXTLESS:
            why = "predictions are needed" if result.texts is None else "only a part of the texts is scored"
            raise ValueError(f"headlines={name!r}: {why}, whose words and bytes it counts")


def _check_rows(result: Scored, name: str, may_be_empty: bool) -> None:
    rows = len(result.scores.offsets) - 1
    if result.texts is not None and len(result.texts) != rows:
        raise ValueError(f"{len(result.texts)} predictions but {rows} rows of {name}: give one row each")
    empty = np.flatnonzero(np.diff(result.scores.offsets) == 0)
    if len(empty) and not may_be_empty:
        text = "" if result.texts is None else f" ({reprlib.repr(result.texts[empty[0]])})"
        raise ValueError(f"{name}[{empty[0]}]{text} has no token to score: leave it out")
