"""Checks the columns of perplexity, and converts them to scores of tokens."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenscore.inputs import amount, check_predictions
from evenscore.perplexity.options import TEXTLESS, PerplexityOptions, kind_of, scores_all
from evenscore.perplexity.source import Source, TokenScores, from_labels, from_log_probs

COLUMNS = ("predictions", "contexts", "log_probs", "probabilities", "logits", "labels")
_GIVEN = ("log_probs", "probabilities", "logits")


class Scored(NamedTuple):
    """Scores of tokens and their origin.

    texts, contexts: None if not given.
    source: the source that scored the texts; None if the caller passed scores.
    measured: the texts if all their tokens are scored, so that scores per word and byte are defined; else None.
    """

    scores: TokenScores
    texts: list[str] | None
    contexts: list[str] | None
    source: Source | None
    measured: list[str] | None


def token_scores(columns: Mapping[str, Any], options: PerplexityOptions, source: Callable[[], Source]) -> Scored:
    """Return the scores of the columns; a column that is missing or None is not given.

    source: creates the source of probabilities; called only if the columns have none.
    Raises ValueError for columns that contradict each other, and for a text without a token to score, unless it has
    labels.
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
    # In training, a prompt that fills the window is a row whose labels are all ignored.
    _check_rows(result, given[0] if given else "predictions", may_be_empty=columns["labels"] is not None)
    return result


def _contexts(column: Any, texts: Sequence[str]) -> list[str] | None:
    if column is None:
        return None
    contexts = check_predictions(column, "contexts")
    if len(contexts) != len(texts):
        given = f"{amount(len(texts), 'predictions')} but {amount(len(contexts), 'contexts')}"
        raise ValueError(f"{given}: give one context per prediction")
    return contexts


def _check_columns(columns: Mapping[str, Any], given: Sequence[str], options: PerplexityOptions) -> None:
    """Raise ValueError for columns that contradict each other or the options."""
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are given: give one of them")
    for name in given:
        if kind_of(options) is not None:
            raise ValueError(f"{name} and a source of probabilities are both given: give one of them")
        if columns["contexts"] is not None:
            raise ValueError(f"contexts and {name} are both given: leave contexts out, and give {name} of the texts")
    if columns["labels"] is not None and given not in (["logits"], ["probabilities"]):
        raise ValueError("labels are given without logits or probabilities: leave them out, or give one of these")


def _check_headlines(result: Scored, options: PerplexityOptions) -> None:
    for name in options["headlines"] if result.measured is None else ():
        if name not in TEXTLESS:
            advice = "give predictions" if result.texts is None else "leave this headline out"
            raise ValueError(f"headlines={name!r} needs texts that are scored completely: {advice}")


def _check_rows(result: Scored, name: str, may_be_empty: bool) -> None:
    rows = len(result.scores.offsets) - 1
    if result.texts is not None and len(result.texts) != rows:
        given, own = amount(len(result.texts), "predictions"), amount(rows, "rows")
        raise ValueError(f"{given} but {own} of {name}: give one row per prediction")
    empty = np.flatnonzero(np.diff(result.scores.offsets) == 0)
    if len(empty) and not may_be_empty:
        text = "" if result.texts is None else f" ({reprlib.repr(result.texts[empty[0]])})"
        raise ValueError(f"{name}[{empty[0]}]{text} has no token to score: leave it out")
