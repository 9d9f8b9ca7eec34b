"""PEFT's adapters: folders that hold them without the model that they adapt; what stands for them in names."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._checkpoints import Checkpoint, checkpoint
from ._model_packages import peft, torch

Model = Any

_CONFIGURATION = "adapter_config.json"
_TOKENIZER_FILES = ("tokenizer_config.json", "tokenizer.json")


def adapted_by(source: Checkpoint) -> Checkpoint | None:
    """The model that the adapter in a folder is for; None for a folder, or a name, that is a model's own.

    Raises ValueError if the adapter does not say, or names a folder that is not there.
    """
    folder = Path(source.place)
    if not source.is_folder or (folder / "config.json").exists() or not (folder / _CONFIGURATION).exists():
        return None
    said = json.loads((folder / _CONFIGURATION).read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not said:
        raise ValueError(
            f"model_id={source.place!r} is an adapter that does not say of which model: load both with peft, and give "
            f"model= and tokenizer="
        )
    return checkpoint(said, f"the base model that the adapter model_id={source.place!r} names")


def with_adapter(model: Model, source: Checkpoint) -> Model:
    """The model with the adapter of a folder in its layers.

    Raises ImportError without peft; ValueError for an adapter that is another model's, or not whole.
    """
    load = peft().PeftModel.from_pretrained
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Found missing adapter keys")
            return load(model, source.place)
    # PEFT raises, and warns of, what it likes.
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise ValueError(
            f"model_id={source.place!r}: the adapter does not fit {type(model).__name__}: {said[:200]}"
        ) from error


def tokenizer_place(source: Checkpoint, base: Checkpoint) -> str:
    """Where the tokenizer is: with the adapter if it brings one, else with its base model."""
    own = any((Path(source.place) / name).exists() for name in _TOKENIZER_FILES)
    return source.place if own else base.place


def adapters_name(model: Model) -> str:
    """What tells adapted models apart: "+name@digest of its weights" of every adapter that is on; "" without one."""
    # PEFT's layers have a flag of that name, transformers' models a method.
    if any(getattr(module, "disable_adapters", False) is True for module in model.modules()):
        return ""
    if hasattr(model, "get_base_model"):
        states = {name: peft().get_peft_model_state_dict(model, adapter_name=name) for name in model.active_adapters}
    elif getattr(model, "_hf_peft_config_loaded", False):
        states = {name: model.get_adapter_state_dict(name) for name in model.active_adapters()}
    else:
        return ""
    return "".join(f"+{name}@{_digest(state)}" for name, state in states.items())


def _digest(state: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    # The same weights in PEFT's model and in transformers' own have names that begin differently.
    for name, weight in sorted((name.removeprefix("base_model.model."), weight) for name, weight in state.items()):
        digest.update(name.encode() + weight.detach().cpu().contiguous().view(torch().uint8).numpy().tobytes())
    return digest.hexdigest()[:8]
