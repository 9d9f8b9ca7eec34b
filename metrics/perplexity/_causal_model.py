"""Causal language models as a source: every token given those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._encoding import Encoded
from ._model_source import ModelSource
from ._token_batches import Frame
from ._windows import Windows, first_windows, strided_windows


class CausalModel(ModelSource):
    """log P(token | all before it), in windows where a text is longer than the model can read."""

    def _start(self) -> Sequence[int]:
        return start_ids(self._loaded.tokenizer, self._settings.start_token)

    def _frame(self) -> Frame:
        return Frame()

    def _windows(self, encoded: Encoded) -> Windows:
        spans, settings = encoded.spans, self._settings
        room = self._room(least=2 if settings.long_texts == "first" else 1)
        window = room or max(1, int(encoded.sequences.lengths.max(initial=0)))
        if settings.long_texts == "first":
            spans = first_windows(spans, window)
        stride = window if settings.long_texts == "disjoint" else settings.stride or max(1, window // 2)
        if stride > window:
            raise ValueError(f"stride={stride}: give at most the window's {window} tokens, or tokens are left out")
        return strided_windows(spans, window, stride)


def start_ids(tokenizer: Any, start_token: str | bool | None) -> list[int]:
    """The ids that stand before every text: one, or none.

    Raises ValueError if the tokenizer has no such token.
    """
    if start_token is None or start_token is False:
        return []
    if start_token in ("bos", "eos"):
        found = getattr(tokenizer, f"{start_token}_token_id")
        if found is None:
            raise ValueError(
                f"start_token={start_token!r}: the tokenizer has no such token; give start_token='eos', as lm-eval "
                f"does then, another token of its vocabulary, or add_start_token=False: the first token is not scored"
            )
        return [int(found)]
    known = tokenizer.get_vocab()
    if start_token not in known:
        raise ValueError(
            f"start_token={start_token!r}: not in the tokenizer's vocabulary; give 'bos', 'eos' or a token"
        )
    return [int(known[start_token])]
