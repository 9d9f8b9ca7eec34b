"""The tokenizer.json file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from . import decoders, models, normalizers, pre_tokenizers
from ._added_token import AddedToken
from ._json_text import dumps, loads

_VERSION = "1.0"
# Parts of the file that this package does not have; a file that sets one is refused.
_ABSENT = ("truncation", "padding", "post_processor")


Parts: TypeAlias = tuple[
    list[AddedToken],
    normalizers.Normalizer | None,
    pre_tokenizers.PreTokenizer | None,
    decoders.Decoder | None,
    models.Model,
]


def to_document(
    added_tokens: list[dict[str, Any]],
    normalizer: normalizers.Normalizer | None,
    pre_tokenizer: pre_tokenizers.PreTokenizer | None,
    decoder: decoders.Decoder | None,
    model: models.Model,
    *,
    pretty: bool,
) -> str:
    """The text of the file, byte for byte what `tokenizers` 0.23.3 writes for the same tokenizer."""
    document = {
        "version": _VERSION,
        "truncation": None,
        "padding": None,
        "added_tokens": added_tokens,
        "normalizer": normalizer and normalizer.to_json(),
        "pre_tokenizer": pre_tokenizer and pre_tokenizer.to_json(),
        "post_processor": None,
        "decoder": decoder and decoder.to_json(),
        "model": model.to_json(),
    }
    return dumps(document, indent=2 if pretty else None)


def from_document(text: str) -> Parts:
    """Added tokens, normalizer, pre-tokenizer, decoder and model of such a text."""
    document = _parsed(text)
    for part in _ABSENT:
        if document.get(part) is not None:
            raise ValueError(f"the {part} of tokenizer.json is not implemented: {str(document[part])[:80]}")
    if (version := document.get("version", _VERSION)) != _VERSION:
        raise ValueError(f"the version of tokenizer.json is {version!r}: {_VERSION} is read")
    added = document.get("added_tokens") or []
    if not isinstance(added, list):
        raise ValueError(f"the added_tokens of tokenizer.json are {str(added)[:80]}: expected a list")
    try:
        return _parts(document, added)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, UnicodeError) as error:
        # Data of a type that nothing here expects; the message of the error names it best.
        raise ValueError(f"this tokenizer.json is malformed: {type(error).__name__}: {str(error)[:200]}") from error


def _parts(document: Mapping[str, Any], added: list[Any]) -> Parts:
    parts = [document.get(name) for name in ("normalizer", "pre_tokenizer", "decoder")]
    return (
        list(map(AddedToken.from_json, added)),
        None if parts[0] is None else normalizers.from_json(parts[0]),
        None if parts[1] is None else pre_tokenizers.from_json(parts[1]),
        None if parts[2] is None else decoders.from_json(parts[2]),
        models.from_json(document.get("model")),
    )


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        document = loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is no tokenizer.json: {error}") from None
    if not isinstance(document, dict) or "model" not in document:
        raise ValueError("this is no tokenizer.json: it has no model")
    return document


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
