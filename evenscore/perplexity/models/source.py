"""The source of probabilities from pretrained models."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evenscore.options import check_integer, resolve
from evenscore.parallel import with_bar
from evenscore.perplexity.models.forward import (
    Frame,
    by_onednn,
    evaluation,
    in_batches,
    padded,
    token_log_probs,
    vocabulary_size,
)
from evenscore.perplexity.models.pretrained import LOADING, Pretrained, adapters_name, load_pretrained
from evenscore.perplexity.models.windows import Spans, Windows, centred_windows, first_windows, strided_windows
from evenscore.perplexity.options import PerplexityOptions
from evenscore.perplexity.source import FloatArray, Source, Token, TokenScores
from evenscore.text.segments import IntArray, Segments, offsets_of


class Encoded(NamedTuple):
    """n texts as token ids.

    sequences: start token, context and text.
    spans: the positions of the texts in the sequences.
    """

    sequences: Segments
    spans: Spans


def encode(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None, start: Sequence[int]) -> Encoded:
    """Return the token ids of each text; start: ids before each text.

    With a context of k tokens, after stripping its trailing spaces, the ids are those k, then all but the first k of
    context and text tokenized together (lm-eval 0.4.13, TemplateLM._encode_pair). So spaces between the two belong to
    the text. A token across the boundary can cost a text without a leading space its first characters.
    """
    befores = _before(tokenizer, texts, contexts)
    wholes = _encoded(tokenizer, _joined(texts, contexts))["input_ids"]
    rows = [[*start, *before, *whole[len(before) :]] for before, whole in zip(befores, wholes, strict=True)]
    ids = np.fromiter(itertools.chain.from_iterable(rows), np.int64)
    offsets = offsets_of(np.fromiter(map(len, rows), np.int64, len(rows)))
    lengths_before = len(start) + np.fromiter(map(len, befores), np.int64, len(befores))
    return Encoded(Segments(ids, offsets), Spans(offsets[:-1], offsets[:-1] + lengths_before, offsets[1:]))


def text_tokens(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
    """Return the tokens of each text without its context. A token that starts in the context gets the start 0."""
    encoded = _encoded(tokenizer, _joined(texts, contexts), return_offsets_mapping=bool(tokenizer.is_fast))
    rows = encoded["input_ids"]
    # Slow tokenizers have no offsets.
    places = encoded.get("offset_mapping") or [[(None, None)] * len(ids) for ids in rows]
    shifts = [0] * len(texts) if contexts is None else list(map(len, contexts))
    named = [
        [Token(name, *_moved(place, shift)) for name, place in zip(names, row, strict=True)]
        for names, row, shift in zip(map(tokenizer.convert_ids_to_tokens, rows), places, shifts, strict=True)
    ]
    befores = _before(tokenizer, texts, contexts)
    return [tokens[len(before) :] for tokens, before in zip(named, befores, strict=True)]


def _before(tokenizer: Any, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[int]]:
    """Return the ids of each context, empty lists without contexts."""
    if contexts is None:
        return [[] for _ in texts]
    ids: list[list[int]] = _encoded(tokenizer, [context.rstrip() for context in contexts])["input_ids"]
    return ids


def _joined(texts: Sequence[str], contexts: Sequence[str] | None) -> list[str]:
    return list(texts) if contexts is None else [c + text for c, text in zip(contexts, texts, strict=True)]


def _moved(place: tuple[int | None, int | None], shift: int) -> tuple[int | None, int | None]:
    start, end = place
    return (None, None) if start is None or end is None else (max(start - shift, 0), max(end - shift, 0))


def _encoded(tokenizer: Any, texts: list[str], **options: Any) -> Any:
    if not texts:
        # Some tokenizers do not accept an empty list.
        return {"input_ids": []}
    # verbose=False: windows handle long texts, so the tokenizer's warning about them would be wrong.
    return tokenizer(texts, add_special_tokens=False, padding=False, truncation=False, verbose=False, **options)


# Tokens per batch. Larger batches are not faster on a CPU: measured from 256 to 8192, with GPT-2 of 4 layers of 256.
_TOKENS_ON_CPU, _TOKENS_ELSEWHERE = 1024, 1 << 14
# Logits of a batch if the head needs all positions: 512 MB as float32.
_WHOLE_LOGITS = 1 << 27


class ModelSource(Source):
    """A pretrained model as a source. Subclasses define the windows."""

    def __init__(self, loaded: Pretrained, options: Mapping[str, Any]) -> None:
        self._loaded = loaded
        self._options = options
        stride, long_texts = options["stride"], options["long_texts"]
        if stride is not None and long_texts != "strided":
            raise ValueError(f"stride={stride} does not apply to long_texts={long_texts!r}: leave it out")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The model's type, name, dtype and active adapters."""
        return f"{self._loaded.model_type}:{self._loaded.name}{adapters_name(self._loaded.model)}"

    def _start(self) -> Sequence[int]:
        """Return the ids before each text and its context."""
        return []

    def _frame(self) -> Frame:
        """Return the ids around each window."""
        return Frame()

    @abc.abstractmethod
    def _windows(self, encoded: Encoded) -> Windows:
        """Return the windows to read and their targets."""

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        """Return the log-probabilities of each text's tokens; see Source.score.

        Raises ValueError for tokens outside the model's vocabulary and for NaN outputs, and MemoryError if a single
        window does not fit into memory.
        """
        encoded = encode(self._loaded.tokenizer, texts, contexts, self._start())
        windows = self._windows(encoded)
        self._check_vocabulary(encoded.sequences.ids)
        places = windows.targets()
        log_probs = self._log_probs(encoded.sequences.ids, windows)[places]
        offsets = np.searchsorted(places, encoded.sequences.offsets)
        wrong = np.flatnonzero(np.isnan(log_probs))
        if len(wrong):
            text = np.searchsorted(offsets, wrong[0], side="right") - 1
            raise ValueError(
                f"the model's output is NaN for texts[{text}]: give dtype='float32' or 'bfloat16' if its dtype is too "
                f"small, else check its weights"
            )
        return TokenScores(log_probs, offsets)

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        encoded = encode(self._loaded.tokenizer, texts, contexts, self._start())
        places = self._windows(encoded).targets()
        ends = np.searchsorted(places, encoded.sequences.offsets[1:])
        # The index of each scored token in its text.
        numbers = np.split(places - np.repeat(encoded.spans.firsts, np.diff(ends, prepend=0)), ends)[:-1]
        named = text_tokens(self._loaded.tokenizer, texts, contexts)
        return [[row[number] for number in own] for row, own in zip(named, numbers, strict=True)]

    def _log_probs(self, ids: IntArray, windows: Windows) -> FloatArray:
        """Return the log-probability of each target at its position, shape (len(ids),); others are undefined."""
        model, frame = self._loaded.model, self._frame()
        is_causal = self._loaded.model_type == "causal"
        run = partial(token_log_probs, has_head=self._loaded.has_head, is_causal=is_causal)
        result = np.empty(len(ids))

        def score(rows: IntArray) -> None:
            batch = padded(ids, windows.take(rows), frame)
            result[batch.places] = run(model, batch, ids[batch.places])

        with evaluation(model), by_onednn(model, self._options["onednn"]):
            lengths = windows.lengths + frame.size
            most = self._options["batch_size"] if self._loaded.ignores_padding else 1
            batches = in_batches(lengths, score, self._max_tokens(), most, partial(self._loaded.warn_once, "memory"))
            for _ in with_bar(batches, "Score", " tokens", lambda rows: int(lengths[rows].sum()), int(lengths.sum())):
                pass
        return result

    def _max_tokens(self) -> int:
        model = self._loaded.model
        usual = _TOKENS_ON_CPU if model.device.type == "cpu" else _TOKENS_ELSEWHERE
        wanted = self._options["max_batch_tokens"] or usual
        return wanted if self._loaded.has_head else min(wanted, _WHOLE_LOGITS // vocabulary_size(model))

    def _room(self, least: int) -> int | None:
        """Return the number of tokens that the model can read at once; None for no limit."""
        positions = self._loaded.positions
        window: int | None = self._options["window"]
        if window is None:
            return positions
        check_integer("window", window, least=least)
        if positions is not None and window > positions:
            raise ValueError(f"window={window}: give at most {positions}, the model's maximum")
        return window

    def _check_vocabulary(self, ids: IntArray) -> None:
        known, frame = vocabulary_size(self._loaded.model), self._frame()
        largest = max(int(ids.max(initial=0)), *frame.prefix, *frame.suffix, frame.mask or 0)
        if largest >= known:
            token = self._loaded.tokenizer.convert_ids_to_tokens(largest)
            raise ValueError(
                f"the tokenizer's {token!r} has id {largest}, but the model has a vocabulary of {known}: "
                f"give the model's own tokenizer"
            )


class CausalModel(ModelSource):
    """log P(token | all tokens before it), by windows if a text is longer than the model can read."""

    def _start(self) -> Sequence[int]:
        """Return the start token's id, or no id; ValueError if the tokenizer lacks the token."""
        start_token, tokenizer = self._options["start_token"], self._loaded.tokenizer
        if start_token is False:
            return []
        if start_token in ("bos", "eos"):
            found = getattr(tokenizer, f"{start_token}_token_id")
            if found is None:
                raise ValueError(
                    f"start_token={start_token!r}: the tokenizer has no such token; give start_token='eos', like "
                    f"lm-eval in this case, a token of its vocabulary, or start_token=False to leave the first token "
                    f"unscored"
                )
            return [int(found)]
        known = tokenizer.get_vocab()
        if start_token not in known:
            raise ValueError(
                f"start_token={start_token!r}: not in the tokenizer's vocabulary; give 'bos', 'eos' or a token"
            )
        return [int(known[start_token])]

    def _windows(self, encoded: Encoded) -> Windows:
        spans, options = encoded.spans, self._options
        room = self._room(least=2 if options["long_texts"] == "first" else 1)
        window = room or max(1, int(encoded.sequences.lengths.max(initial=0)))
        if options["long_texts"] == "first":
            spans = first_windows(spans, window)
        stride = window if options["long_texts"] == "disjoint" else options["stride"] or max(1, window // 2)
        if stride > window:
            raise ValueError(f"stride={stride}: give at most {window}, the window, so that no token is left out")
        return strided_windows(spans, window, stride)


class MaskedModel(ModelSource):
    """log P(token | all other tokens), masking each token in turn: pseudo-log-likelihood.

    Source: Salazar et al. (2020), section 2.1. Each window gets the special tokens that the tokenizer adds around a
    text; they are not scored. In a text longer than the window, each token has a window centred on it.
    """

    def __init__(self, loaded: Pretrained, options: Mapping[str, Any]) -> None:
        super().__init__(loaded, options)
        if options["long_texts"] == "disjoint" or options["stride"] is not None:
            raise ValueError("masked models use a window around each token: leave stride and long_texts='disjoint' out")
        if loaded.tokenizer.mask_token_id is None:
            raise ValueError("model_type='masked': the tokenizer has no mask token; give model_type='causal'")

    def _frame(self) -> Frame:
        mask = int(self._loaded.tokenizer.mask_token_id)
        # Tokenizing the mask token alone shows the special tokens around a text.
        around = self._loaded.tokenizer(self._loaded.tokenizer.mask_token, verbose=False)["input_ids"]
        place = around.index(mask)
        return Frame(tuple(around[:place]), tuple(around[place + 1 :]), mask)

    def _windows(self, encoded: Encoded) -> Windows:
        frame = self._frame().size
        room = self._room(least=frame + 1)
        window = max(1, int(encoded.sequences.lengths.max(initial=0))) if room is None else room - frame
        cut = self._options["long_texts"] == "first"
        return centred_windows(first_windows(encoded.spans, window) if cut else encoded.spans, window)


def model_source(loaded: Pretrained, options: Mapping[str, Any]) -> ModelSource:
    """Return a source for the loaded model with these options."""
    return (CausalModel if loaded.model_type == "causal" else MaskedModel)(loaded, options)


def load_source(**given: Any) -> ModelSource:
    """Load a model and return its source, from the options of a model."""
    options = resolve(PerplexityOptions, given)
    return model_source(load_pretrained(**{name: options[name] for name in LOADING}), options)
