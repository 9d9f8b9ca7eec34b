"""Models: a vocabulary, the rule that cuts words into its pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._bpe import BPE, OWN_TYPE
from ._model import Model, Pieces
from ._unigram import Unigram
from ._wordpiece import WordPiece

__all__ = ["BPE", "Model", "Pieces", "Unigram", "WordPiece", "from_json"]

_KNOWN: dict[str, Any] = {"BPE": BPE, OWN_TYPE: BPE, "Unigram": Unigram, "WordPiece": WordPiece}


def from_json(data: Any) -> Model:
    """The model of that object of tokenizer.json; ValueError names what is wrong or not there.

    A file older than the key `type` is told by its other keys, as the library does.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"the model is {str(data)[:80]}: expected an object")
    kind = data.get("type", "BPE" if "merges" in data else "WordPiece" if "unk_token" in data else "Unigram")
    if kind not in _KNOWN:
        raise ValueError(f"model {kind} is not implemented: there are {', '.join(_KNOWN)}")
    found: Model = _KNOWN[kind].from_json(data)
    return found
