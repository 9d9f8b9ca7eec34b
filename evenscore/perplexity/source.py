"""Where log-probabilities of tokens come from: a source, or the caller, who has them already."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.parallel import with_bar
from evenscore.text.segments import IntArray
from evenscore.text.words import Mask

FloatArray = npt.NDArray[np.float64]


class TokenScores(NamedTuple):
    """Log-probabilities of the tokens of n texts, one text after another.

    log_probs: shape (tokens,), float64, natural logarithms; -inf is a probability of 0.  They are at most 0, but for
      ARPA files whose numbers are no probabilities.
    offsets: shape (n + 1,), int64; those of text i are log_probs[offsets[i]:offsets[i + 1]].
    unknown: shape (tokens,): which tokens the source does not know; None where there is no such thing.
    """

    log_probs: FloatArray
    offsets: IntArray
    unknown: Mask | None = None


class Token(NamedTuple):
    """A token of a text, with its place there in characters; None for both ends where it has none."""

    text: str
    start: int | None
    end: int | None


class Source(abc.ABC):
    """A language model, as far as perplexity asks."""

    # What stands for it in signatures.
    name: str
    # Whether `tokens` can say what its tokens are.
    names_tokens: bool = True

    @abc.abstractmethod
    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """The log-probabilities of every text's tokens, each given those before it.

        contexts: a text before each one, which is not scored itself; None for none.
        """

    @abc.abstractmethod
    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """The tokens that `score` scores, in its order."""


# --- what the caller already has

# Of a chunk of positions whose logits are turned into float64 at once.
_CHUNK_VALUES = 1 << 22
# A log-softmax in float32 may come out this much above 0.
_ROUNDING = 1e-6
# Half precision moves the sum over a large vocabulary this far.
_SUM_ROUNDING = 1e-2

Values = npt.NDArray[Any]
# From logits or probabilities of some positions, shape (positions, vocabulary), their places and the name of their row,
# to logs.
ToLogs = Callable[[Values, IntArray, str], FloatArray]


def from_log_probs(rows: Any, name: str = "log_probs") -> TokenScores:
    """The log-probabilities of every text's tokens as they were given: a list, or an array, of numbers a text.

    Raises ValueError that names the first text with a number above 0, one that is none (NaN), or no list.

    >>> from_log_probs([[-1.0, -0.5], [float("-inf")]]).log_probs.tolist()
    [-1.0, -0.5, -inf]
    """
    listed = _rows(rows, name)
    if listed and isinstance(listed[0], (float, int, np.number)):
        raise ValueError(f"{name}[0] is a number: give a list a text, as in [{name}] for one text")
    numbers = (_numbers(row, f"{name}[{i}]", 1) for i, row in enumerate(listed))
    log_probs, offsets, _ = _joined([*with_bar(numbers, "Read rows", " rows", lambda _: 1, len(listed))])
    bad = ~(log_probs <= _ROUNDING)
    if bad.any():
        i = int(np.searchsorted(offsets, np.argmax(bad), side="right")) - 1
        own = slice(offsets[i], offsets[i + 1])
        places = np.arange(offsets[i + 1] - offsets[i])
        _check(log_probs[own], bad[own], places, f"{name}[{i}]", "a natural log-probability is at most 0")
    return TokenScores(np.minimum(log_probs, 0.0), offsets)


def from_labels(name: str, rows: Any, labels: Any, shift: bool, ignore_index: int) -> TokenScores:
    """The same of "probabilities" or "logits", shape (positions, vocabulary) a text, with the ids of what came.

    The log-softmax of logits is taken in float64, from the greatest down, so that nothing overflows.

    >>> np.exp(from_labels("probabilities", [[[0.25, 0.75], [1.0, 0.0]]], [[1, 1]], False, -100).log_probs).tolist()
    [0.75, 0.0]
    >>> from_labels("logits", [[[0.0, 0.0], [1e4, 0.0]]], [[0, 1]], False, -100).log_probs.round(4).tolist()
    [-0.6931, -10000.0]
    """
    to_logs = _log_softmax if name == "logits" else _log_of_probabilities
    given, ids = _rows(rows, name), _rows(labels, "labels")
    if len(given) != len(ids):
        raise ValueError(f"{len(given)} rows of {name} but {len(ids)} of labels: give one row each")
    arrays = [
        _scored_row(values, row, to_logs, shift, ignore_index, f"{name}[{i}]", f"labels[{i}]")
        for i, (values, row) in enumerate(zip(given, ids, strict=True))
    ]
    return _joined(arrays)


def _scored_row(
    values: Any, labels: Any, to_logs: ToLogs, shift: bool, ignore_index: int, name: str, labels_name: str
) -> FloatArray:
    table, ids = _numbers(values, name, 2), _whole_numbers(labels, labels_name)
    if len(table) != len(ids):
        raise ValueError(f"{name} has {len(table)} positions but {labels_name} {len(ids)}: give a label a position")
    if shift:
        table, ids = table[:-1], ids[1:]
    places = np.flatnonzero(ids != ignore_index)
    strange = places[(ids[places] < 0) | (ids[places] >= table.shape[1])]
    if len(strange):
        raise ValueError(
            f"{labels_name} holds {ids[strange[0]]}: give ids from 0 to {table.shape[1] - 1}, or {ignore_index} for "
            f"what is not scored"
        )
    step = max(1, _CHUNK_VALUES // max(1, table.shape[1]))
    chunks = [places[start : start + step] for start in range(0, len(places), step)]
    logs = [to_logs(table[chunk], chunk, name)[np.arange(len(chunk)), ids[chunk]] for chunk in chunks]
    return np.minimum(np.concatenate(logs), 0.0) if logs else np.empty(0)


def _log_of_probabilities(table: Values, places: IntArray, name: str) -> FloatArray:
    probabilities = table.astype(np.float64)
    # Not-a-number is neither, so it is among the bad ones.
    bad = ~(probabilities.min(axis=1) >= 0) | ~(probabilities.max(axis=1) <= 1 + _ROUNDING)
    _check(table, bad, places, name, "a probability is from 0 to 1")
    sums: FloatArray = probabilities.sum(axis=1)
    uneven: Mask = np.abs(sums - 1) > _SUM_ROUNDING
    _check(sums, uneven, places, name, "probabilities add up to 1; give logits= for what is not normalised")
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def _log_softmax(table: Values, places: IntArray, name: str) -> FloatArray:
    logits = table.astype(np.float64)
    greatest = logits.max(axis=1, keepdims=True)
    bad = np.isnan(logits).any(axis=1) | ~np.isfinite(greatest[:, 0])
    _check(table, bad, places, name, "a logit is a number or -inf, and one of a position at least a number")
    shifted = logits - greatest
    logs: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def _check(values: Values, bad: Mask, places: IntArray, name: str, rule: str) -> None:
    """Raise ValueError that shows the first bad value of a row."""
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        shown = np.array2string(np.asarray(values[first]), threshold=4, edgeitems=2)
        raise ValueError(f"{name} has {shown} at position {places[first]}: {rule}")


def _rows(column: Any, name: str) -> Sequence[Any]:
    if column is None:
        raise ValueError(f"{name} is missing: give one row a text")
    column = _detached(column)
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method) and not isinstance(column, np.ndarray):
            return list(getattr(column, method)())
    is_list = isinstance(column, Sequence) and not isinstance(column, (str, bytes))
    if not is_list and not (isinstance(column, np.ndarray) and column.ndim):
        raise ValueError(f"{name} is of type {type(column).__name__}: give a list with one row a text")
    return list(column)


def _numbers(row: Any, name: str, dimensions: int) -> Values:
    shape = {1: "a list of numbers", 2: "a table of shape (positions, vocabulary)"}[dimensions]
    try:
        array = np.asarray(_detached(row))
    except ValueError as error:
        raise ValueError(f"{name} is not {shape}: its rows differ in length") from error
    if array.size == 0 and dimensions == 1:
        return np.empty(0)
    if array.ndim == 1 and array.dtype == object and None in array.tolist():
        place = array.tolist().index(None)
        raise ValueError(f"{name} has None at position {place}: leave out tokens that have no probability")
    if array.ndim != dimensions or array.dtype.kind not in "fiu":
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}: give {shape}")
    return array


def _whole_numbers(row: Any, name: str) -> IntArray:
    array = np.asarray(_detached(row))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}: give a list of token ids")
    return array.astype(np.int64)


def _detached(value: Any) -> Any:
    """A torch tensor as what numpy can read, wherever it is; anything else as it is."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    # numpy has no bfloat16.
    return (tensor.float() if tensor.is_floating_point() and tensor.element_size() < 4 else tensor).numpy()


def _joined(arrays: Sequence[Values]) -> TokenScores:
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    return TokenScores(np.concatenate([np.empty(0), *arrays], dtype=np.float64), offsets)
