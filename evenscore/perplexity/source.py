"""The interface of sources of log-probabilities, and the conversion of probabilities that the caller passes."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.inputs import amount
from evenscore.parallel import with_bar
from evenscore.text.segments import IntArray
from evenscore.text.words import Mask

FloatArray = npt.NDArray[np.float64]


class TokenScores(NamedTuple):
    """Log-probabilities of the tokens of n texts, text after text.

    log_probs: float64, shape (tokens,), natural logarithms; -inf for probability 0. They are at most 0, except from
      ARPA files whose back-off weights give probabilities above 1.
    offsets: int64, shape (n + 1,); text i has log_probs[offsets[i]:offsets[i + 1]].
    unknown: shape (tokens,), whether the source does not know the token; None if the source has no unknown tokens.
    lengths: int64, shape (tokens,), the words of the n-gram that gave the probability; None if the source has none.
    """

    log_probs: FloatArray
    offsets: IntArray
    unknown: Mask | None = None
    lengths: IntArray | None = None


class Token(NamedTuple):
    """A token with its start and end in the text, in characters; both are None if it has no place there."""

    text: str
    start: int | None
    end: int | None


class Source(abc.ABC):
    """A language model that gives log-probabilities of tokens."""

    # The name in signatures.
    name: str
    # Whether `tokens` is available.
    names_tokens: bool = True

    @abc.abstractmethod
    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """Return the log-probability of each token of each text, given the tokens before it.

        contexts: a text before each text, which is not scored itself; None for no contexts.
        """

    @abc.abstractmethod
    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """Return the tokens that `score` scores, in the same order."""


# --- probabilities that the caller passes

# Values to convert to float64 at once.
_CHUNK_VALUES = 1 << 22
# Rounding can lift a log-softmax in float32 this much above 0.
_ROUNDING = 1e-6
# Rounding can change the sum of half-precision probabilities over a large vocabulary this much.
_SUM_ROUNDING = 1e-2

Values = npt.NDArray[Any]
# Maps logits or probabilities, shape (positions, vocabulary), their positions and the row's name to log-probabilities.
ToLogs = Callable[[Values, IntArray, str], FloatArray]


def from_log_probs(rows: Any, name: str = "log_probs") -> TokenScores:
    """Convert log-probabilities, a list or array of numbers per text.

    Raises ValueError, which names the first text with a number above 0, a NaN, or a value that is not a list.

    >>> from_log_probs([[-1.0, -0.5], [float("-inf")]]).log_probs.tolist()
    [-1.0, -0.5, -inf]
    """
    listed = _rows(rows, name)
    if listed and isinstance(listed[0], (float, int, np.number)):
        raise ValueError(f"{name}[0] is a number: give one list per text, as in [{name}] for one text")
    numbers = (_numbers(row, f"{name}[{i}]", 1) for i, row in enumerate(listed))
    log_probs, offsets, *_ = _joined([*with_bar(numbers, "Read rows", " rows", lambda _: 1, len(listed))])
    bad = ~(log_probs <= _ROUNDING)
    if bad.any():
        i = int(np.searchsorted(offsets, np.argmax(bad), side="right")) - 1
        own = slice(offsets[i], offsets[i + 1])
        places = np.arange(offsets[i + 1] - offsets[i])
        _check(log_probs[own], bad[own], places, f"{name}[{i}]", "a natural log-probability is at most 0")
    return TokenScores(np.minimum(log_probs, 0.0), offsets)


def from_labels(name: str, rows: Any, labels: Any, shift: bool, ignore_index: int) -> TokenScores:
    """Convert "probabilities" or "logits", shape (positions, vocabulary) per text, with the ids of the actual tokens.

    The log-softmax of logits is computed in float64 after subtracting the maximum, so that it does not overflow.

    >>> np.exp(from_labels("probabilities", [[[0.25, 0.75], [1.0, 0.0]]], [[1, 1]], False, -100).log_probs).tolist()
    [0.75, 0.0]
    >>> from_labels("logits", [[[0.0, 0.0], [1e4, 0.0]]], [[0, 1]], False, -100).log_probs.round(4).tolist()
    [-0.6931, -10000.0]
    """
    to_logs = _log_softmax if name == "logits" else _log_of_probabilities
    given, ids = _rows(rows, name), _rows(labels, "labels")
    if len(given) != len(ids):
        rows = amount(len(given), "rows")
        raise ValueError(f"{rows} of {name} but {len(ids)} of labels: give one row of labels per text")
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
        given = f"{name} has {amount(len(table), 'positions')} but {labels_name} {len(ids)}"
        raise ValueError(f"{given}: give one label per position")
    if shift:
        table, ids = table[:-1], ids[1:]
    places = np.flatnonzero(ids != ignore_index)
    strange = places[(ids[places] < 0) | (ids[places] >= table.shape[1])]
    if len(strange):
        raise ValueError(
            f"{labels_name} contains {ids[strange[0]]}: give ids from 0 to {table.shape[1] - 1}, or {ignore_index} "
            f"for positions that are not scored"
        )
    step = max(1, _CHUNK_VALUES // max(1, table.shape[1]))
    chunks = [places[start : start + step] for start in range(0, len(places), step)]
    logs = [to_logs(table[chunk], chunk, name)[np.arange(len(chunk)), ids[chunk]] for chunk in chunks]
    return np.minimum(np.concatenate(logs), 0.0) if logs else np.empty(0)


def _log_of_probabilities(table: Values, places: IntArray, name: str) -> FloatArray:
    probabilities = table.astype(np.float64)
    # NaN fails both comparisons, so it counts as bad.
    bad = ~(probabilities.min(axis=1) >= 0) | ~(probabilities.max(axis=1) <= 1 + _ROUNDING)
    _check(table, bad, places, name, "give probabilities from 0 to 1")
    sums: FloatArray = probabilities.sum(axis=1)
    uneven: Mask = np.abs(sums - 1) > _SUM_ROUNDING
    _check(sums, uneven, places, name, "give probabilities that sum to 1, or unnormalized values as logits=")
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def _log_softmax(table: Values, places: IntArray, name: str) -> FloatArray:
    logits = table.astype(np.float64)
    greatest = logits.max(axis=1, keepdims=True)
    bad = np.isnan(logits).any(axis=1) | ~np.isfinite(greatest[:, 0])
    _check(table, bad, places, name, "give finite logits or -inf, with at least one finite logit per position")
    shifted = logits - greatest
    logs: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def _check(values: Values, bad: Mask, places: IntArray, name: str, rule: str) -> None:
    """Raise ValueError with the first bad value of a row."""
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        value = values[first]
        shown = np.array2string(value, threshold=4, edgeitems=2) if value.ndim else str(value)
        raise ValueError(f"{name} has {shown} at position {places[first]}: {rule}")


def _rows(column: Any, name: str) -> Sequence[Any]:
    if column is None:
        raise ValueError(f"{name} is missing: give one row per text")
    column = _detached(column)
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method) and not isinstance(column, np.ndarray):
            return list(getattr(column, method)())
    is_list = isinstance(column, Sequence) and not isinstance(column, (str, bytes))
    if not is_list and not (isinstance(column, np.ndarray) and column.ndim):
        raise ValueError(f"{name} is of type {type(column).__name__}: give a list with one row per text")
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
        raise ValueError(f"{name} has None at position {place}: leave out tokens without a probability")
    if array.ndim != dimensions or array.dtype.kind not in "fiu":
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}: give {shape}")
    return array


def _whole_numbers(row: Any, name: str) -> IntArray:
    array = np.asarray(_detached(row))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}: give a list of token ids")
    return array.astype(np.int64)


def _detached(value: Any) -> Any:
    """Convert a torch tensor on any device to numpy; return other values unchanged."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    # numpy has no bfloat16.
    return (tensor.float() if tensor.is_floating_point() and tensor.element_size() < 4 else tensor).numpy()


def _joined(arrays: Sequence[Values]) -> TokenScores:
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    return TokenScores(np.concatenate([np.empty(0), *arrays], dtype=np.float64), offsets)
