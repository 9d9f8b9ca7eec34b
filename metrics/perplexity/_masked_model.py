"""Masked language models as a source: every token given all others around it."""

from __future__ import annotations

from collections.abc import Sequence

from ._encoding import Encoded
from ._model_source import ModelSettings, ModelSource
from ._pretrained import Pretrained
from ._token_batches import Frame
from ._windows import Windows, centred_windows, first_windows


class MaskedModel(ModelSource):
    """log P(token | the others), each token masked in turn: pseudo-log-likelihood (Salazar et al. 2020, section 2.1).

    The tokens that the tokenizer puts around a text stand around every window; they are not scored.  A longer text has
    each token in a window of its own, with as much of the text before as after it.
    """

    def __init__(self, loaded: Pretrained, settings: ModelSettings) -> None:
        super().__init__(loaded, settings)
        if settings.long_texts == "disjoint" or settings.stride is not None:
            raise ValueError(
                "masked models have a window around each token: leave stride and long_texts='disjoint' out"
            )
        if loaded.tokenizer.mask_token_id is None:
            raise ValueError("model_type='masked': the tokenizer has no mask token; is the model a causal one?")

    def _start(self) -> Sequence[int]:
        return []

    def _frame(self) -> Frame:
        mask = int(self._loaded.tokenizer.mask_token_id)
        # The mask token by itself shows what the tokenizer puts around.
        around = self._loaded.tokenizer(self._loaded.tokenizer.mask_token, verbose=False)["input_ids"]
        place = around.index(mask)
        return Frame(tuple(around[:place]), tuple(around[place + 1 :]), mask)

    def _windows(self, encoded: Encoded) -> Windows:
        frame = self._frame().size
        room = self._room(least=frame + 1)
        window = max(1, int(encoded.sequences.lengths.max(initial=0))) if room is None else room - frame
        cut = self._settings.long_texts == "first"
        return centred_windows(first_windows(encoded.spans, window) if cut else encoded.spans, window)
