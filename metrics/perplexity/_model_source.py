"""What causal, masked models have in common as sources of log-probabilities."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ._adapters import adapters_name
from ._cpu_products import by_onednn
from ._encoding import Encoded, encode, text_tokens
from ._forward_pass import evaluation, token_log_probs, vocabulary_size
from ._options import check_choice, check_integer
from ._pretrained import Pretrained
from ._progress import with_bar
from ._segments import IntArray
from ._source import FloatArray, Source, Token, TokenScores
from ._token_batches import Frame, in_batches, padded
from ._windows import Windows

# On a cpu more of them at once are no faster: measured from 256 to 8192, with GPT-2 of 4 layers of 256.
_USUAL_TOKENS = {"cpu": 1024}
_USUAL_TOKENS_ELSEWHERE = 1 << 14
# Logits of a whole batch, where they cannot be had by position: 512 MB as float32.
_WHOLE_LOGITS = 1 << 27


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """How a loaded model scores.

    start_token: "bos", "eos", or a token of the vocabulary, which stands before every text; None or False for none:
      then the first token is not scored.  Masked models have no use for it.
    window: how many tokens the model reads at once; None for as many as it can.
    long_texts: what is done with longer texts.  "strided": windows that overlap; for masked models each token in the
      middle of its own.  "disjoint": windows of which each scores a whole window's length.  "first": only the first
      window counts.
    stride: how many tokens each further one of the strided windows scores; None for half a window.
    batch_size: the most windows in a batch; None for any number.
    max_batch_tokens: the most tokens in a batch, padding counted; None for what suits the device.
    """

    start_token: str | bool | None = "bos"
    window: int | None = None
    stride: int | None = None
    long_texts: Literal["strided", "disjoint", "first"] = "strided"
    batch_size: int | None = None
    max_batch_tokens: int | None = None

    def __post_init__(self) -> None:
        check_choice("long_texts", self.long_texts, ("strided", "disjoint", "first"))
        for name in ("window", "stride", "batch_size", "max_batch_tokens"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), least=1)
        if self.stride is not None and self.long_texts != "strided":
            raise ValueError(f"stride={self.stride} has no meaning with long_texts={self.long_texts!r}: leave it out")


class ModelSource(Source):
    """A pretrained model as a source; a kind of model says what it reads."""

    def __init__(self, loaded: Pretrained, settings: ModelSettings) -> None:
        self._loaded = loaded
        self._settings = settings

    @property
    def name(self) -> str:  # type: ignore[override]
        """The kind of model, its name, its number type, the adapters that are on."""
        return f"{self._loaded.model_type}:{self._loaded.name}{adapters_name(self._loaded.model)}"

    @abc.abstractmethod
    def _start(self) -> Sequence[int]:
        """The ids that stand before every text, or its context."""

    @abc.abstractmethod
    def _frame(self) -> Frame:
        """What stands around each window."""

    @abc.abstractmethod
    def _windows(self, encoded: Encoded) -> Windows:
        """What the model reads, to score which tokens."""

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """The log-probabilities of every text's tokens; see Source.score.

        Raises ValueError for tokens that the model does not have, and for a model that puts out no numbers; MemoryError
        if memory does not suffice for a single window.
        """
        encoded = encode(self._loaded.tokenizer, texts, contexts, self._start())
        windows = self._windows(encoded)
        self._check_vocabulary(encoded.sequences.ids)
        places = windows.targets()
        log_probs = self._log_probs(encoded.sequences.ids, windows)[places]
        offsets = np.searchsorted(places, encoded.sequences.offsets)
        _check_numbers(log_probs, offsets)
        return TokenScores(log_probs, offsets)

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        """The tokens that `score` scores, in its order."""
        encoded = encode(self._loaded.tokenizer, texts, contexts, self._start())
        places = self._windows(encoded).targets()
        ends = np.searchsorted(places, encoded.sequences.offsets[1:])
        # The number of each scored token in its text.
        numbers = np.split(places - np.repeat(encoded.spans.firsts, np.diff(ends, prepend=0)), ends)[:-1]
        named = text_tokens(self._loaded.tokenizer, texts, contexts)
        return [[row[number] for number in own] for row, own in zip(named, numbers, strict=True)]

    def _log_probs(self, ids: IntArray, windows: Windows) -> FloatArray:
        """The log-probability of each target at its place, shape (len(ids),); what stands elsewhere means nothing."""
        model, frame = self._loaded.model, self._frame()
        is_causal = self._loaded.model_type == "causal"
        result = np.empty(len(ids))

        def score(rows: IntArray) -> None:
            batch = padded(ids, windows.take(rows), frame)
            result[batch.places] = token_log_probs(
                model, batch, ids[batch.places], has_head=self._loaded.has_head, is_causal=is_causal
            )

        with evaluation(model), by_onednn(model):
            lengths = windows.lengths + frame.size
            most = self._settings.batch_size if self._loaded.ignores_padding else 1
            batches = in_batches(lengths, score, self._max_tokens(), most, self._warn)
            for _ in with_bar(batches, "Score", " tokens", lambda rows: int(lengths[rows].sum()), int(lengths.sum())):
                pass
        return result

    def _warn(self, message: str) -> None:
        self._loaded.warn_once("memory", message)

    def _max_tokens(self) -> int:
        model = self._loaded.model
        usual = _USUAL_TOKENS.get(model.device.type, _USUAL_TOKENS_ELSEWHERE)
        wanted = self._settings.max_batch_tokens or usual
        return wanted if self._loaded.has_head else min(wanted, _WHOLE_LOGITS // vocabulary_size(model))

    def _room(self, least: int) -> int | None:
        """How many tokens the model reads at once; None for any number."""
        positions, window = self._loaded.positions, self._settings.window
        if window is None:
            return positions
        check_integer("window", window, least=least)
        if positions is not None and window > positions:
            raise ValueError(f"window={window}: the model reads {positions} tokens at most")
        return window

    def _check_vocabulary(self, ids: IntArray) -> None:
        known = vocabulary_size(self._loaded.model)
        largest = max(int(ids.max(initial=0)), self._frame().largest)
        if largest >= known:
            token = self._loaded.tokenizer.convert_ids_to_tokens(largest)
            raise ValueError(
                f"the tokenizer's {token!r} has id {largest}, but the model has a vocabulary of {known}: "
                f"the tokenizer is another model's"
            )


def _check_numbers(log_probs: FloatArray, offsets: IntArray) -> None:
    wrong = np.flatnonzero(np.isnan(log_probs))
    if len(wrong):
        text = np.searchsorted(offsets, wrong[0], side="right") - 1
        raise ValueError(
            f"the model's output is not a number for texts[{text}]: its weights are, or its type is too small for them "
            f"(give dtype='float32' or 'bfloat16')"
        )
