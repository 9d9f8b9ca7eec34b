"""The packages that pretrained models need, imported when the first one is asked for."""

from __future__ import annotations

from typing import Any

from ._optional import require


def torch() -> Any:
    """The module torch; ImportError that says what to install if it is missing."""
    return require("torch", "torch", "a pretrained model")


def transformers() -> Any:
    """The module transformers; ImportError that says what to install if it is missing."""
    return require("transformers", "transformers", "a pretrained model")


def huggingface_hub() -> Any:
    """The module huggingface_hub, which transformers brings along."""
    return require("huggingface_hub", "transformers", "a pretrained model")


def peft() -> Any:
    """The module peft; ImportError that says what to install if it is missing."""
    return require("peft", "peft", "an adapter")
