"""A pretrained model, by its type, as a source."""

from __future__ import annotations

from typing import Any

from ._causal_model import CausalModel
from ._masked_model import MaskedModel
from ._model_source import ModelSettings, ModelSource
from ._pretrained import Pretrained, load_pretrained

_SOURCES: dict[str, type[ModelSource]] = {"causal": CausalModel, "masked": MaskedModel}


def model_source(loaded: Pretrained, settings: ModelSettings) -> ModelSource:
    """The loaded model as a source with these settings."""
    return _SOURCES[loaded.model_type](loaded, settings)


def load_source(
    *,
    model_id: Any = None,
    model: Any = None,
    tokenizer: Any = None,
    model_type: Any = None,
    device: Any = None,
    dtype: Any = None,
    **settings: Any,
) -> ModelSource:
    """A source in one step: what load_pretrained takes, with the fields of ModelSettings."""
    loaded = load_pretrained(
        model_id=model_id, model=model, tokenizer=tokenizer, model_type=model_type, device=device, dtype=dtype
    )
    return model_source(loaded, ModelSettings(**settings))
