"""Reading and writing tokenizer.json."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ._core.added_token import AddedToken
from ._core.component import Call, Component, document
from ._core.files import dumps, loads, read_text, write_text
from ._encoding.parts import READERS, Parts
from ._encoding.post_processing import Padding, Truncation

_VERSION = "1.0"
# The components of a tokenizer, in the order of the file.
_STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_NAMES = ("truncation", "padding", "added_tokens", *_STEPS, "model")
_KEYS = ("version", *_NAMES)
# The library's limit of nesting.
_DEEPEST = 127
# The most lists and objects of all steps, and the most regular expressions among them, a hundred times what tokenizers
# have.  Reading so many takes a tenth of a second, and compiling so many about one.
_MOST_PARTS, _MOST_PATTERNS = 10_000, 250
# The escape of a surrogate, or an escaped backslash before such letters.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
# A path instead of JSON: no white space or brackets, but a slash or the extension .json.
_PATH = re.compile(r"[^\s{}\[\]\"]{0,250}(?:[/\\]|\.json)[^\s{}\[\]\"]{0,250}")


# --- Writing


def to_document(parts: Parts, *, pretty: bool) -> str:
    """The text of the file, identical to that of `tokenizers` 0.23.3 for the same tokenizer."""
    return dumps(_values(parts, lambda component: component.to_json()), indent=2 if pretty else None)


def shown_document(parts: Parts) -> Call:
    """The tokenizer as `repr` and `str` show it."""
    return document(_values(parts, lambda component: component.shown()))


def _values(parts: Parts, written: Callable[[Component], Any]) -> dict[str, Any]:
    """The keys and values of the file, in its order."""

    def value(part: Any) -> Any:
        if part is None:
            return None
        return written(part) if isinstance(part, Component) else part.to_json()

    return {"version": _VERSION, **{name: value(getattr(parts, name)) for name in _NAMES}}


# --- Reading


def text_of_file(path: str | os.PathLike[str]) -> str:
    """Read the text of a tokenizer.json; OSError for a folder, ValueError for a file that is no text."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "Is a directory: give the path of its tokenizer.json", os.fspath(path))
    try:
        return read_text(path)
    except ValueError:
        # The first field of a SentencePiece model is a piece, whose tag is this byte.
        if Path(path).read_bytes().startswith(b"\n"):
            raise ValueError(
                f"{os.fspath(path)}: not a valid tokenizer.json: it may be a model of SentencePiece, which "
                "tokenizers_impl.exchange.from_sentencepiece reads"
            ) from None
        raise


def from_document(text: str) -> Parts:
    """Read the parts of a tokenizer; ValueError names what is invalid or not supported."""
    data = _parsed(text)
    if unknown := [key for key in data if key not in _KEYS]:
        raise ValueError(f"unknown key {unknown[0]!r:.80} in tokenizer.json: its keys are {', '.join(_KEYS)}")
    if (version := data.get("version", _VERSION)) != _VERSION:
        raise ValueError(f"version of tokenizer.json is {version!r}: expected {_VERSION!r}")
    added = data.get("added_tokens", [])
    if not isinstance(added, list):
        raise ValueError(f"added_tokens of tokenizer.json is {str(added)[:80]}: expected a list")
    try:
        parts, tokens = _read(data, added)
    except (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, UnicodeError) as error:
        # Data of an unexpected type; the error's own message describes it best.
        raise ValueError(f"this tokenizer.json is malformed: {type(error).__name__}: {str(error)[:200]}") from error
    # Ids are assigned again in the order of the file, as in the library, so no id can occur twice.
    return parts.with_tokens(tokens)[0]


def _read(data: Mapping[str, Any], added: list[Any]) -> tuple[Parts, list[AddedToken]]:
    """The parts without added tokens, and the added tokens."""

    def read(name: str, from_json: Callable[[Any], Any]) -> Any:
        return None if data.get(name) is None else from_json(data[name])

    truncation, padding = read("truncation", Truncation.from_json), read("padding", Padding.from_json)
    tokens = list(map(AddedToken.from_json, added))
    steps = {name: read(name, READERS[name]) for name in _STEPS}
    model = READERS["model"](data.get("model"))
    return Parts.of(model, **steps, truncation=truncation, padding=padding), tokens


def _parsed(text: str) -> Mapping[str, Any]:
    if not isinstance(text, str):
        raise ValueError(f"json is {text!r:.80}: give a string; for bytes use from_buffer, for a path from_file")
    if not text.strip():
        raise ValueError("not a valid tokenizer.json: it is empty")
    try:
        document = loads(text)
    except (ValueError, RecursionError) as error:
        hint = "; this looks like a path: use from_file" if _PATH.fullmatch(text) else ""
        raise ValueError(f"not a valid tokenizer.json: {error}{hint}") from None
    _refuse_others(document)
    values: Mapping[str, Any] = document
    _refuse_many([document.get(name) for name in _STEPS])
    _refuse_depth([value for name, value in document.items() if name != "model"])
    _refuse_surrogates(text, values)
    return values


def _refuse_others(document: Any) -> None:
    """ValueError for JSON of another kind, such as a vocabulary, whose keys may be any words."""
    if not isinstance(document, dict):
        raise ValueError(f"not a valid tokenizer.json: expected an object, not {str(document)[:40]}")
    if document and set(map(type, document.values())) == {int}:
        raise ValueError(
            "not a valid tokenizer.json: it looks like a vocabulary; use Tokenizer(models.WordLevel.from_file(path)), "
            "or, with its merges.txt, Tokenizer(models.BPE.from_file(path, merges_path))"
        )
    if "model" not in document:
        raise ValueError("not a valid tokenizer.json: the key 'model' is missing")


def _refuse_depth(values: list[Any]) -> None:
    """ValueError for deep nesting, which may exceed the recursion limit later."""
    if any(depth == _DEEPEST for depth, _ in enumerate(_levels(values))):
        raise ValueError(f"not a valid tokenizer.json: its lists and objects are nested more than {_DEEPEST} deep")


def _refuse_many(steps: list[Any]) -> None:
    """ValueError for more parts than any pipeline needs, because each takes time to read."""
    parts = patterns = 0
    for level in _levels(steps):
        parts += len(level)
        if parts > _MOST_PARTS:
            raise ValueError(f"not a valid tokenizer.json: its steps have more than {_MOST_PARTS} lists and objects")
        patterns += sum(isinstance(each, dict) and "Regex" in each for each in level)
        if patterns > _MOST_PATTERNS:
            raise ValueError(f"not a valid tokenizer.json: its steps have more than {_MOST_PATTERNS} patterns (Regex)")


def _levels(values: list[Any]) -> Iterator[list[Any]]:
    """The lists and objects among the values, then those in these, and so on."""
    while values:
        inner = [each for each in values if isinstance(each, (dict, list))]
        yield inner
        values = [part for each in inner for part in (each.values() if isinstance(each, dict) else each)]


def _refuse_surrogates(text: str, document: Mapping[str, Any]) -> None:
    """ValueError for a lone surrogate, which JSON can contain and UTF-8 cannot."""
    try:
        text.encode("utf-8")
        if _SURROGATE.search(text):
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"not a valid tokenizer.json: a string has a lone surrogate: {error}") from None


# --- The Hub and the library `tokenizers`


def hub_file(identifier: str, revision: str, token: str | None) -> str:
    """Download the tokenizer.json of a repository on the Hugging Face Hub to its cache; returns the path."""
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise ImportError("from_pretrained needs a package: pip install huggingface_hub") from error
    path: str = hf_hub_download(repo_id=identifier, filename="tokenizer.json", revision=revision, token=token)
    return path


def canonical_text(tokenizer: Any) -> str:
    """The tokenizer.json of a `tokenizers.Tokenizer`, or of a fast tokenizer of transformers."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if isinstance(tokenizer, type) or not callable(getattr(backend, "to_str", None)):
        raise ValueError(
            f"tokenizer is {tokenizer!r:.99}: give a tokenizers.Tokenizer or a fast tokenizer of transformers; for a "
            "path use from_file, for a name on the Hub from_pretrained"
        )
    text: str = backend.to_str()
    return text


def canonical_tokenizer(text: str) -> Any:
    """Read the text of a tokenizer.json with the library `tokenizers`."""
    try:
        import tokenizers
    except ImportError as error:
        raise ImportError("to_tokenizers needs the package tokenizers: pip install tokenizers") from error
    try:
        return tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"tokenizers {tokenizers.__version__} cannot read this tokenizer: {error}") from None


# --- The folder that AutoTokenizer of transformers loads

Side = Literal["right", "left"]
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def save_pretrained(
    text: str,
    token_to_id: Callable[[str], int | None],
    folder: str | os.PathLike[str],
    roles: dict[str, str | None],
    model_max_length: int | None,
    sides: dict[str, Side],
) -> list[str]:
    """Write tokenizer.json and tokenizer_config.json, as `Tokenizer.save_pretrained` says; returns their paths.

    text: the content of tokenizer.json.
    """
    known = {role: token for role, token in roles.items() if token is not None}
    for role, token in known.items():
        if token_to_id(token) is None:
            raise ValueError(f"{role}={token!r} is no token: add it with add_special_tokens, or name another one")
    for name, side in sides.items():
        if side not in ("right", "left"):
            raise ValueError(f"{name}={side!r}: choose 'right' or 'left'")
    if model_max_length is not None and model_max_length < 1:
        raise ValueError(f"model_max_length={model_max_length}: give 1 token or more, or None for no limit")
    if Path(folder).exists() and not Path(folder).is_dir():
        raise ValueError(f"save_directory={os.fspath(folder)!r} is a file: name a folder")
    limit = {} if model_max_length is None else {"model_max_length": model_max_length}
    # transformers cleans decoded text up by default, which changes it.
    own = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    config = {**own, **known, **limit, **sides}
    os.makedirs(folder, exist_ok=True)
    contents = {
        "tokenizer.json": text,
        "tokenizer_config.json": f"{json.dumps(config, ensure_ascii=False, indent=2)}\n",
    }
    for name, content in contents.items():
        write_text(Path(folder, name), content)
    return [str(Path(folder, name)) for name in contents]
