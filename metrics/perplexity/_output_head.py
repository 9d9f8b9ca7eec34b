"""The logits of chosen positions, by the head of a model alone."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

Model = Any
Tensor = Any
# Which logits of a batch: rows, columns -> shape (positions, vocabulary).
Logits = Callable[[Tensor, Tensor], Tensor]


def logits_by_head(model: Model, ids: Tensor, mask: Tensor | None) -> Logits:
    """Runs the base model; its head will run on positions that are asked for."""
    inner = without_adapters(model)
    output = base_output(inner, ids, mask)
    hidden = output.last_hidden_state
    return lambda rows, columns: head_logits(inner, output, hidden[rows, columns][None])[0]


def whole_logits(model: Model, ids: Tensor, mask: Tensor) -> Logits:
    """Runs the model as it is, for models that do more than apply a head to hidden states."""
    logits = model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning has logits of its own tokens first.
    before = logits.shape[1] - ids.shape[1]
    return lambda rows, columns: logits[rows, columns + before]


def without_adapters(model: Model) -> Model:
    """The transformers model in a model of PEFT, whose layers its adapters are in; any other model itself."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def base_output(model: Model, ids: Tensor, mask: Tensor) -> Any:
    """What the model without its head puts out, with `last_hidden_state` of shape (rows, longest, width)."""
    # Keys and values of every layer are of use only to a text that goes on.
    takes_cache = "use_cache" in inspect.signature(model.base_model.forward).parameters
    return model.base_model(input_ids=ids, attention_mask=mask, **{"use_cache": False} if takes_cache else {})


def head_logits(model: Model, output: Any, hidden: Tensor) -> Tensor:
    """What the model makes of its base model's output with these hidden states in it.

    A head is more than one layer in some architectures, and some scale or cap the logits after it; so the model's own
    forward runs, in a shallow copy where the base model is replaced by what it gave.
    """
    after = copy.copy(model)
    # What stands in an object's own dictionary comes before the modules that nn.Module registers.
    after.__dict__[model.base_model_prefix] = _Given(dataclasses.replace(output, last_hidden_state=hidden))
    return after().logits


class _Given:
    """In the place of a base model, or of the part of it that a head calls (OPT's decoder): what is already there."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._output

    def __getattr__(self, name: str) -> _Given:
        return self
