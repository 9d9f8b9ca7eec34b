"""The inputs of `encode` and its variants, checked and flattened to one list of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .._core.arrays import I64
from .._core.options import as_list, checked_flag
from .._core.parallel import part_size

# --- Type aliases of the inputs

Offsets: TypeAlias = tuple[int, int]

TextInputSequence: TypeAlias = str
PreTokenizedInputSequence: TypeAlias = list[str] | tuple[str, ...]
InputSequence: TypeAlias = TextInputSequence | PreTokenizedInputSequence

TextEncodeInput: TypeAlias = TextInputSequence | tuple[TextInputSequence, TextInputSequence] | list[TextInputSequence]
PreTokenizedEncodeInput: TypeAlias = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
EncodeInput: TypeAlias = TextEncodeInput | PreTokenizedEncodeInput


# --- Inputs as one list of texts


class InputError(ValueError, TypeError):
    """An input of a wrong type: a ValueError like other mistakes, and a TypeError as in the library."""


# What the library says about an input of a wrong type.
_NO_TEXT = "TextInputSequence must be str, but"
_NO_WORDS = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]], but"

# Texts of more characters in all are encoded as arrays.  Stretches that are kept are looked up faster up to 10,000
# characters, but new ones take longer than in arrays.
FEW = 5000

_LIST_HINT = "; a list of words needs is_pretokenized=True"


class Inputs(NamedTuple):
    """n inputs of one or two sequences; a sequence is a text, or a list of words.

    texts: all texts, or all words, concatenated.
    words: int64, shape (s + 1,); sequence j has the words words[j]:words[j + 1]; None if sequences are texts.
    sequences: int64, shape (n + 1,); input i has the sequences sequences[i]:sequences[i + 1]; None if each has one.
    first: the index of the first input in the caller's batch.
    """

    texts: Sequence[str]
    words: I64 | None = None
    sequences: I64 | None = None
    first: int = 0

    @classmethod
    def of(cls, batch: Iterable[Any], *, is_pretokenized: bool) -> Inputs:
        """Read a batch of texts and pairs of texts, or of lists of words and pairs of lists if is_pretokenized."""
        listed = as_list("the input is", batch, "strings; one string is for encode", InputError)
        if checked_flag("is_pretokenized", is_pretokenized):
            return cls._of_words([_words_or_pair(each, i) for i, each in enumerate(listed)])
        # The usual case, single texts only, is fast to recognize.
        if set(map(type, listed)) <= {str}:
            return cls(listed)
        return cls._of_texts([_text_or_pair(each, i) for i, each in enumerate(listed)])

    @classmethod
    def of_one(cls, sequence: Any, pair: Any, *, is_pretokenized: bool) -> Inputs:
        """Read a single input."""
        if checked_flag("is_pretokenized", is_pretokenized):
            return cls._of_words([[_words(each, 0) for each in ((sequence,) if pair is None else (sequence, pair))]])
        if not isinstance(sequence, str):
            hint = _LIST_HINT + ", several texts encode_batch" if isinstance(sequence, (list, tuple)) else ""
            raise InputError(f"{_NO_TEXT} the text is {sequence!r}: give a string{hint}")
        if pair is None:
            return cls([sequence])
        if not isinstance(pair, str):
            raise InputError(f"{_NO_TEXT} the second text is {pair!r}: give a string")
        return cls._of_texts([[sequence, pair]])

    @classmethod
    def _of_texts(cls, rows: list[list[Any]]) -> Inputs:
        return cls([text for row in rows for text in row], None, _bounds(rows))

    @classmethod
    def _of_words(cls, rows: list[list[list[str]]]) -> Inputs:
        sequences = [sequence for row in rows for sequence in row]
        return cls([word for sequence in sequences for word in sequence], _bounds(sequences), _bounds(rows))

    @property
    def size(self) -> int:
        """The number of inputs, n."""
        return len(self.texts) if self.sequences is None else len(self.sequences) - 1

    @property
    def are_few(self) -> bool:
        """Whether they are few texts with few characters in all."""
        return self.words is None and len(self.texts) <= FEW and sum(map(len, self.texts)) <= FEW

    @property
    def bounds(self) -> list[int] | None:
        """The first sequence of each input as a list; None if each has one."""
        return None if self.sequences is None else self.sequences.tolist()

    def sequence_bounds(self) -> I64:
        """The first sequence of each input, shape (n + 1,)."""
        return np.arange(len(self.texts) + 1) if self.sequences is None else self.sequences

    def name(self, i: int) -> str:
        """What messages call text i, or word i: its input in the caller's batch, and its place there.

        >>> Inputs.of([("a", "b"), ("c", "d")], is_pretokenized=False).name(3)
        'text 1 (second of the pair)'
        """
        places, row = list[str](), i
        if self.words is not None:
            row = int(np.searchsorted(self.words, i, side="right")) - 1
            places = [f"word {i - int(self.words[row])}"]
        if self.sequences is not None:
            sequence, row = row, int(np.searchsorted(self.sequences, row, side="right")) - 1
            if self.sequences[row + 1] - self.sequences[row] == 2:
                places = ["second of the pair" if sequence > self.sequences[row] else "first of the pair", *places]
        return f"text {self.first + row}" + (f" ({', '.join(places)})" if places else "")

    def parts(self, *, is_whole: bool) -> list[Inputs]:
        """Split the inputs into one or more parts for threads; is_whole: keep them in one part."""
        if is_whole or len(self.texts) < 2 or len(self.texts) <= (size := part_size(self.texts)):
            return [self]
        if self.sequences is None:
            firsts = range(0, len(self.texts), size)
            return [Inputs(self.texts[first : first + size], None, None, first) for first in firsts]
        return list(self._parts(size * (len(self.sequences) - 1) // len(self.texts), self.sequences))

    def _parts(self, size: int, sequences: I64) -> Iterator[Inputs]:
        """Yield parts of `size` inputs, some of which have several texts."""
        words = np.arange(len(self.texts) + 1) if self.words is None else self.words
        for first in range(0, len(sequences) - 1, max(size, 1)):
            own = sequences[first : first + max(size, 1) + 1]
            inner = words[own[0] : own[-1] + 1]
            texts = self.texts[inner[0] : inner[-1]]
            yield Inputs(texts, None if self.words is None else inner - inner[0], own - own[0], first)


def _bounds(rows: Iterable[Sequence[Any]]) -> I64:
    return np.fromiter(accumulate(map(len, rows), initial=0), np.int64)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _text_or_pair(value: Any, i: int) -> list[str]:
    """One or two texts; InputError with the index of the row for anything else."""
    if isinstance(value, str):
        return [value]
    is_list = _is_list(value)
    if not is_list or len(value) != 2:
        raise InputError(f"text {i} is {value!r}: give a string or a pair of strings{_LIST_HINT if is_list else ''}")
    for text, place in zip(value, ("first", "second"), strict=True):
        if not isinstance(text, str):
            raise InputError(f"{_NO_TEXT} text {i} is the pair {value!r} with the {place} text {text!r}: give strings")
    return list(value)


def _words_or_pair(value: Any, i: int) -> list[list[str]]:
    is_pair = _is_list(value) and len(value) == 2 and not isinstance(value[0], str)
    return [_words(each, i) for each in value] if is_pair else [_words(value, i)]


def _words(value: Any, i: int) -> list[str]:
    if not _is_list(value):
        raise InputError(f"{_NO_WORDS} input {i} is {value!r}: give a list of words, or a pair of such lists")
    if strange := [word for word in value if not isinstance(word, str)]:
        raise InputError(f"{_NO_WORDS} input {i} holds {strange[0]!r} among its words: give strings")
    return list(value)
