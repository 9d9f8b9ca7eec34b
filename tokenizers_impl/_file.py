"""The tokenizer.json file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import decoders, models, normalizers, pre_tokenizers, processors
from ._added_token import AddedToken
from ._json_text import dumps, loads
from ._padding import Padding
from ._truncation import Truncation

_VERSION = "1.0"
# As deep as the library reads.
_DEEPEST = 127


class Parts(NamedTuple):
    """What the file holds."""

    truncation: Truncation | None
    padding: Padding | None
    added_tokens: Mapping[int, AddedToken]
    normalizer: normalizers.Normalizer | None
    pre_tokenizer: pre_tokenizers.PreTokenizer | None
    post_processor: processors.PostProcessor | None
    decoder: decoders.Decoder | None
    model: models.Model


def to_document(parts: Parts, *, pretty: bool) -> str:
    """The text of the file, byte for byte what `tokenizers` 0.23.3 writes for the same tokenizer."""
    values = {
        name: [token.to_json(id) for id, token in part.items()] if name == "added_tokens" else part and part.to_json()
        for name, part in parts._asdict().items()
    }
    return dumps({"version": _VERSION, **values}, indent=2 if pretty else None)


def from_document(text: str) -> Parts:
    """The parts in such a text; the added tokens are numbered in its order."""
    document = _parsed(text)
    if (version := document.get("version", _VERSION)) != _VERSION:
        raise ValueError(f"the version of tokenizer.json is {version!r}: {_VERSION} is read")
    added = document.get("added_tokens") or []
    if not isinstance(added, list):
        raise ValueError(f"the added_tokens of tokenizer.json are {str(added)[:80]}: expected a list")
    try:
        return _parts(document, added)
    except (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, UnicodeError) as error:
        # Data of a type that nothing here expects; the message of the error names it best.
        raise ValueError(f"this tokenizer.json is malformed: {type(error).__name__}: {str(error)[:200]}") from error


def _parts(document: Mapping[str, Any], added: list[Any]) -> Parts:
    def read(name: str, from_json: Callable[[Any], Any]) -> Any:
        return None if document.get(name) is None else from_json(document[name])

    return Parts(
        read("truncation", Truncation.from_json),
        read("padding", Padding.from_json),
        dict(enumerate(map(AddedToken.from_json, added))),
        read("normalizer", normalizers.from_json),
        read("pre_tokenizer", pre_tokenizers.from_json),
        read("post_processor", processors.from_json),
        read("decoder", decoders.from_json),
        models.from_json(document.get("model")),
    )


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        document = loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no tokenizer.json: {error}") from None
    if not isinstance(document, dict) or "model" not in document:
        raise ValueError("this is no tokenizer.json: it has no model")
    _refuse_depth([value for name, value in document.items() if name != "model"])
    _refuse_surrogates(text, document)
    return document


def _refuse_depth(values: list[Any]) -> None:
    """ValueError for lists and objects inside each other so deep that a later step may have no room for them."""
    for _ in range(_DEEPEST):
        inner = [each for each in values if isinstance(each, (dict, list))]
        values = [part for each in inner for part in (each.values() if isinstance(each, dict) else each)]
    if values:
        raise ValueError(f"this is no tokenizer.json: its lists and objects are nested more than {_DEEPEST} deep")


def _refuse_surrogates(text: str, document: Mapping[str, Any]) -> None:
    """ValueError for half a character, which JSON can write and UTF-8 cannot."""
    try:
        text.encode("utf-8")
        if "\\ud" in text or "\\uD" in text:
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"this is no tokenizer.json: a string holds half a character: {error}") from None


def canonical_tokenizer(text: str) -> Any:
    """What `tokenizers` makes of the text of a tokenizer.json."""
    try:
        import tokenizers
    except ImportError as error:
        raise ImportError("to_tokenizers needs the package tokenizers: pip install tokenizers") from error
    try:
        return tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"tokenizers {tokenizers.__version__} has no such tokenizer: {error}") from None
