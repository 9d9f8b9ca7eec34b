"""Models, which split words into pieces of a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._bpe import BPE, OWN_TYPE
from ._model import Model, Pieces, TokenModel
from ._unigram import Unigram
from ._wordlevel import WordLevel
from ._wordpiece import WordPiece

__all__ = ["BPE", "Model", "Pieces", "Unigram", "WordLevel", "WordPiece"]


def __dir__() -> list[str]:
    return __all__


_KNOWN: dict[str, Any] = {
    "BPE": BPE,
    OWN_TYPE: BPE,
    "Unigram": Unigram,
    "WordLevel": WordLevel,
    "WordPiece": WordPiece,
}


def from_json(data: Any) -> Model:
    """Read a model from the `model` object of tokenizer.json; ValueError names what is invalid or missing.

    If the object has no `type`, as in older files, its other keys tell the kind of model, as in the library.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"model is {str(data)[:80]}: expected an object")
    kind = data.get("type", _older_kind(data))
    if not isinstance(kind, str) or kind not in _KNOWN:
        raise ValueError(f"model type {kind} is not supported: use one of {', '.join(_KNOWN)}")
    found: Model = _KNOWN[kind].from_json(data)
    if isinstance(found, TokenModel):
        found.refuse_shared_ids()
    return found


def _older_kind(data: Mapping[str, Any]) -> str:
    if "merges" in data:
        return "BPE"
    if "continuing_subword_prefix" in data:
        return "WordPiece"
    return "WordLevel" if "unk_token" in data else "Unigram"
