"""One view of the tokenizers of several libraries: the ids of texts, and where each token lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ._core.arrays import I64

# Texts that are encoded at once; more take more memory and no less time.
_BATCH = 1000


class TextTokens(NamedTuple):
    """The tokens of one text.

    ids: n ids.  spans: int64, shape (n, 2); token i covers the characters text[spans[i, 0]:spans[i, 1]].
    """

    ids: Sequence[int]
    spans: I64


class AnyTokenizer(NamedTuple):
    """A tokenizer of any library.

    encode: from texts to their tokens, without special tokens.
    size: the number of tokens in its vocabulary, added tokens included.
    unknown: the id of its unknown token, None without one.
    bytes: the ids of <0x00>, <0x01> ... <0xFF> that its vocabulary has.
    spaces: the ids of "▁" and "Ġ", which stand for a space.
    """

    encode: Callable[[list[str]], list[TextTokens]]
    size: int
    unknown: int | None = None
    bytes: frozenset[int] = frozenset()
    spaces: Mapping[int, str] = MappingProxyType({})

    @classmethod
    def of(cls, tokenizer: Any) -> AnyTokenizer:
        """Take a tokenizer; ValueError unless it has one of the three interfaces that `measures.measure` names."""
        if hasattr(tokenizer, "encode_ordinary_batch"):
            return cls(partial(_of_tiktoken, tokenizer), tokenizer.n_vocab)
        if hasattr(tokenizer, "encode_batch"):
            _refuse_other_lengths(tokenizer)
            vocab = tokenizer.get_vocab()
            return cls._of_vocab(partial(_of_batch, tokenizer), vocab, _unknown_id(tokenizer, vocab))
        if getattr(tokenizer, "is_fast", False):
            return cls._of_vocab(partial(_of_call, tokenizer), tokenizer.get_vocab(), tokenizer.unk_token_id)
        raise ValueError(
            f"tokenizer is {tokenizer!r:.80}: give one with encode_batch, a fast tokenizer of transformers, or an "
            "Encoding of tiktoken"
        )

    @classmethod
    def _of_vocab(
        cls, encode: Callable[[list[str]], list[TextTokens]], vocab: Mapping[str, int], unknown: int | None
    ) -> AnyTokenizer:
        byte_names = (f"<0x{byte:02X}>" for byte in range(256))
        found = frozenset(vocab[name] for name in byte_names if name in vocab)
        spaces = {vocab[name]: name for name in ("▁", "Ġ") if name in vocab}
        return cls(encode, len(vocab), unknown, found, spaces)

    def encoded(self, texts: Sequence[str]) -> Iterator[tuple[str, TextTokens]]:
        """Yield every text with its tokens; a space that the tokenizer put before the text covers nothing."""
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            for text, tokens in zip(batch, self.encode(batch), strict=True):
                space = self.spaces.get(tokens.ids[0]) if len(tokens.ids) else None
                if space is not None and not text.startswith(space):
                    tokens.spans[0] = 0
                yield text, tokens


def _refuse_other_lengths(tokenizer: Any) -> None:
    """ValueError if the tokenizer cuts or fills texts, since its tokens are then not those of the text."""
    for name in ("truncation", "padding"):
        if getattr(tokenizer, name, None) is not None:
            raise ValueError(f"the tokenizer has {name} on: call no_{name}() first")


# --- encode_batch: tokenizers_impl, tokenizers


def _of_batch(tokenizer: Any, texts: list[str]) -> list[TextTokens]:
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [TextTokens(encoding.ids, _spans(encoding.offsets)) for encoding in encodings]


def _spans(offsets: Sequence[tuple[int, int]]) -> I64:
    return np.array(offsets, np.int64).reshape(-1, 2)


def _unknown_id(tokenizer: Any, vocab: dict[str, int]) -> int | None:
    """The id that the model of a tokenizer.json names; the objects of `tokenizers` do not show it for Unigram."""
    if not hasattr(tokenizer, "to_str"):
        return None
    model = json.loads(tokenizer.to_str())["model"]
    unknown: int | None = model.get("unk_id")
    return vocab.get(model.get("unk_token")) if unknown is None else unknown


# --- transformers


def _of_call(tokenizer: Any, texts: list[str]) -> list[TextTokens]:
    found = tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    rows = zip(found["input_ids"], found["offset_mapping"], strict=True)
    return [TextTokens(ids, _spans(offsets)) for ids, offsets in rows]


# --- tiktoken


def _of_tiktoken(encoding: Any, texts: list[str]) -> list[TextTokens]:
    rows = encoding.encode_ordinary_batch(texts)
    lengths = {id: len(encoding.decode_single_token_bytes(id)) for row in rows for id in row}
    return [
        TextTokens(row, _in_characters(text, [lengths[id] for id in row]))
        for text, row in zip(texts, rows, strict=True)
    ]


def _in_characters(text: str, lengths: Sequence[int]) -> I64:
    """The spans of tokens of these lengths in UTF-8 bytes; one with a part of a character covers the character.

    >>> _in_characters("aé", [2, 1]).tolist()
    [[0, 2], [1, 2]]
    """
    sizes = [len(character.encode()) for character in text]
    character_of = np.repeat(np.arange(len(sizes)), sizes)
    edges = accumulate(lengths, initial=0)
    return _spans([(character_of[start], character_of[end - 1] + 1) for start, end in pairwise(edges)])
