"""Texts, each with what stands before it, as token ids."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._segments import IntArray, Segments
from ._source import Token
from ._windows import Spans


class Encoded(NamedTuple):
    """n texts as token ids: the start token, the context, the text itself.

    sequences: all of it.
    firsts: shape (n,), how many tokens stand before the text.
    """

    sequences: Segments
    firsts: IntArray

    @property
    def spans(self) -> Spans:
        """Where the texts stand among the ids."""
        begins, ends = self.sequences.offsets[:-1], self.sequences.offsets[1:]
        return Spans(begins, begins + self.firsts, ends)


def encode(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None, start: Sequence[int]) -> Encoded:
    """The token ids of every text; start: ids that stand before each.

    With a context, the ids are those of the context alone, without the spaces at its end, then what context with text,
    tokenised as one, has beyond as many (lm-eval 0.4.13, TemplateLM._encode_pair): so spaces between the two belong to
    the text.  A text that does not start with a space may lose to a token that reaches over from the context.
    """
    befores = _before(tokenizer, texts, contexts)
    wholes = _ids(tokenizer, _joined(texts, contexts))
    rows = [[*start, *before, *whole[len(before) :]] for before, whole in zip(befores, wholes, strict=True)]
    firsts = len(start) + np.fromiter(map(len, befores), np.int64, len(befores))
    return Encoded(_segments(rows), firsts)


def text_tokens(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
    """The tokens of each text, without its context; one that starts in the context is said to start at 0."""
    encoded = _encoded(tokenizer, _joined(texts, contexts), return_offsets_mapping=bool(tokenizer.is_fast))
    rows = encoded["input_ids"]
    # Slow tokenizers do not say where a token stands.
    places = encoded.get("offset_mapping") or [[(None, None)] * len(ids) for ids in rows]
    shifts = [0] * len(texts) if contexts is None else list(map(len, contexts))
    named = [
        [Token(name, *_moved(place, shift)) for name, place in zip(names, row, strict=True)]
        for names, row, shift in zip(map(tokenizer.convert_ids_to_tokens, rows), places, shifts, strict=True)
    ]
    befores = _before(tokenizer, texts, contexts)
    return [tokens[len(before) :] for tokens, before in zip(named, befores, strict=True)]


def _before(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[int]]:
    """The ids of every context."""
    if contexts is None:
        return [[] for _ in texts]
    return _ids(tokenizer, [context.rstrip() for context in contexts])


def _joined(texts: Sequence[str], contexts: Sequence[str] | None) -> list[str]:
    return list(texts) if contexts is None else [c + text for c, text in zip(contexts, texts, strict=True)]


def _moved(place: tuple[int | None, int | None], shift: int) -> tuple[int | None, int | None]:
    start, end = place
    return (None, None) if start is None or end is None else (max(start - shift, 0), max(end - shift, 0))


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    ids: list[list[int]] = _encoded(tokenizer, texts)["input_ids"]
    return ids


def _encoded(tokenizer: Any, texts: list[str], **options: Any) -> Any:
    if not texts:
        # Not every tokenizer takes an empty list.
        return {"input_ids": []}
    # Windows see to the length: a warning of too long texts would be wrong.
    return tokenizer(texts, add_special_tokens=False, padding=False, truncation=False, verbose=False, **options)


def _segments(rows: list[list[int]]) -> Segments:
    ids = np.fromiter(itertools.chain.from_iterable(rows), np.int64)
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return Segments(ids, np.concatenate(([0], np.cumsum(lengths))))
