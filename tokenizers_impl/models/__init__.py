"""Models: a vocabulary, the rule that cuts words into its pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._bpe import BPE, OWN_TYPE
from ._model import Model, Pieces
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
    """The model of that object of tokenizer.json; ValueError names what is wrong or not there.

    A file older than the key `type` is told by its other keys, as the library does.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"the model is {str(data)[:80]}: expected an object")
    kind = data.get("type", _older_kind(data))
    if not isinstance(kind, str) or kind not in _KNOWN:
        raise ValueError(f"model {kind} is not implemented: there are {', '.join(_KNOWN)}")
    _refuse_shared_ids(data.get("vocab"))
    found: Model = _KNOWN[kind].from_json(data)
    return found


def _older_kind(data: Mapping[str, Any]) -> str:
    if "merges" in data:
        return "BPE"
    if "continuing_subword_prefix" in data:
        return "WordPiece"
    return "WordLevel" if "unk_token" in data else "Unigram"


def _refuse_shared_ids(vocab: Any) -> None:
    """ValueError for two tokens with one id: the library gives back either of them, another one in each run."""
    if not isinstance(vocab, Mapping) or set(map(type, vocab.values())) - {int}:
        return
    tokens = {id: token for token, id in vocab.items()}
    if len(tokens) < len(vocab):
        token, id = next((token, id) for token, id in vocab.items() if tokens[id] != token)
        raise ValueError(f"the vocab gives the id {id} to {token!r} and to {tokens[id]!r}: give each token its own")
