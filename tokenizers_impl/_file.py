"""The tokenizer.json file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ._core.added_token import AddedToken
from ._core.component import Call, Component, document
from ._core.files import dumps, loads
from ._encoding.parts import READERS, Parts
from ._encoding.post_processing import Padding, Truncation

_VERSION = "1.0"
# The parts of a tokenizer in the order of the file.
_STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_NAMES = ("truncation", "padding", "added_tokens", *_STEPS, "model")
_KEYS = ("version", *_NAMES)
# As deep as the library reads.
_DEEPEST = 127
# No JSON: without a space, with a slash or the ending of a file.
_PATH = re.compile(r"[^\s{}\[\]\"]{0,250}(?:[/\\]|\.json)[^\s{}\[\]\"]{0,250}")


# --- Written


def to_document(parts: Parts, *, pretty: bool) -> str:
    """The text of the file, byte for byte what `tokenizers` 0.23.3 writes for the same tokenizer."""
    return dumps(_values(parts, lambda component: component.to_json()), indent=2 if pretty else None)


def shown_document(parts: Parts) -> Call:
    """The same as `repr` and `str` show it."""
    return document(_values(parts, lambda component: component.shown()))


def _values(parts: Parts, written: Callable[[Component], Any]) -> dict[str, Any]:
    """The values of the file, in its order."""

    def value(part: Any) -> Any:
        if part is None:
            return None
        return written(part) if isinstance(part, Component) else part.to_json()

    return {"version": _VERSION, **{name: value(getattr(parts, name)) for name in _NAMES}}


# --- Read


def from_document(text: str) -> Parts:
    """The parts in such a text; ValueError names what is wrong or not implemented."""
    data = _parsed(text)
    if unknown := [key for key in data if key not in _KEYS]:
        raise ValueError(f"tokenizer.json has no key {unknown[0]!r:.80}: there are {', '.join(_KEYS)}")
    if (version := data.get("version", _VERSION)) != _VERSION:
        raise ValueError(f"the version of tokenizer.json is {version!r}: {_VERSION} is read")
    added = data.get("added_tokens", [])
    if not isinstance(added, list):
        raise ValueError(f"the added_tokens of tokenizer.json are {str(added)[:80]}: expected a list")
    try:
        parts, tokens = _read(data, added)
    except (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, UnicodeError) as error:
        # Data of a type that nothing here expects; the message of the error names it best.
        raise ValueError(f"this tokenizer.json is malformed: {type(error).__name__}: {str(error)[:200]}") from error
    # In the order of the file; ids are given anew, as the library does, so that none can be taken twice.
    return parts.with_tokens(tokens)[0]


def _read(data: Mapping[str, Any], added: list[Any]) -> tuple[Parts, list[AddedToken]]:
    """The parts, still without the added tokens, and these."""

    def read(name: str, from_json: Callable[[Any], Any]) -> Any:
        return None if data.get(name) is None else from_json(data[name])

    truncation, padding = read("truncation", Truncation.from_json), read("padding", Padding.from_json)
    tokens = list(map(AddedToken.from_json, added))
    steps = {name: read(name, READERS[name]) for name in _STEPS}
    model = READERS["model"](data.get("model"))
    return Parts.of(model, **steps, truncation=truncation, padding=padding), tokens


def _parsed(text: str) -> Mapping[str, Any]:
    if not isinstance(text, str):
        raise ValueError(f"the text is {text!r:.80}: give a string; from_buffer takes bytes, from_file a path")
    try:
        document = loads(text)
    except (ValueError, RecursionError) as error:
        hint = "; this looks like a path, which from_file takes" if _PATH.fullmatch(text) else ""
        raise ValueError(f"this is no tokenizer.json: {error}{hint}") from None
    _refuse_others(document)
    values: Mapping[str, Any] = document
    _refuse_depth([value for name, value in document.items() if name != "model"])
    _refuse_surrogates(text, values)
    return values


def _refuse_others(document: Any) -> None:
    """ValueError for JSON that is something else, such as a vocabulary, of which any word may be a key."""
    if not isinstance(document, dict):
        raise ValueError(f"this is no tokenizer.json: expected an object, which it is not: {str(document)[:40]}")
    if document and set(map(type, document.values())) == {int}:
        raise ValueError(
            "this is no tokenizer.json: it looks like a vocabulary, which Tokenizer(models.WordLevel.from_file(path)) "
            "takes, or with its merges.txt Tokenizer(models.BPE.from_file(path, merges_path))"
        )
    if "model" not in document:
        raise ValueError("this is no tokenizer.json: it has no model")


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


# --- Of the Hub and of the library `tokenizers`


def hub_file(identifier: str, revision: str, token: str | None) -> str:
    """The path of the tokenizer.json in a repository of the Hugging Face Hub, once it is in its cache."""
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise ImportError("from_pretrained needs a package: pip install huggingface_hub") from error
    path: str = hf_hub_download(repo_id=identifier, filename="tokenizer.json", revision=revision, token=token)
    return path


def canonical_text(tokenizer: Any) -> str:
    """The text of the tokenizer.json of a `tokenizers.Tokenizer`, or of a tokenizer that is made of one."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if isinstance(tokenizer, type) or not callable(getattr(backend, "to_str", None)):
        raise ValueError(
            f"the tokenizer is {tokenizer!r:.99}: give a tokenizers.Tokenizer or a fast tokenizer of transformers; "
            "from_file takes the path of a tokenizer.json, from_pretrained a name on the Hub"
        )
    text: str = backend.to_str()
    return text


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
