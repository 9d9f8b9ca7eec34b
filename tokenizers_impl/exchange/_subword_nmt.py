"""Conversion from and to the codes of subword-nmt."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

from .. import decoders, pre_tokenizers
from .._core.component import refuse_library
from .._core.files import read_text, write_text
from ..models import BPE
from ..tokenizer import Tokenizer

END_OF_WORD = "</w>"
# Version 0.1 has the end of word as a separate symbol, version 0.2 glued to the last character.
_VERSIONS: dict[str, Literal["glued", "symbol"]] = {"0.1": "symbol", "0.2": "glued"}
_BLANKS = "\r\n "

Merge = tuple[str, str]


def to_subword_nmt(tokenizer: Tokenizer) -> str:
    """Convert a tokenizer to the codes of `subword_nmt.apply_bpe.BPE` (0.3.8): a version, then one merge per line.

    The version is 0.2, or 0.1 for a model with end_of_word="symbol".  subword-nmt differs in four ways: it does not
    find added tokens; it keeps unknown characters; words end only at U+0020, not at other white space; and it merges
    all equal pairs of a word at once, which matters only if their result is part of an earlier merge.

    ValueError for a tokenizer that has no codes: another model than BPE with end_of_word_suffix "</w>", another
    pre-tokenizer than WhitespaceSplit, a prefix, dropout or a normalizer, no merges, or a merge with a space or a line
    feed in it.

    >>> from tokenizers_impl import pipelines
    >>> tokenizer, trainer = pipelines.bpe(num_merges=2, show_progress=False)
    >>> tokenizer.train_from_iterator(["low slow lot"], trainer)
    >>> print(to_subword_nmt(tokenizer), end="")
    #version: 0.2
    l o
    lo w</w>
    """
    model = _checked_model(tokenizer)
    version = next(version for version, end_of_word in _VERSIONS.items() if end_of_word == model.end_of_word)
    # Of a pair that is listed twice, the last merge counts here and the first one in subword-nmt.
    order = {pair: rank for rank, pair in enumerate(model.merges)}
    merges = [pair for rank, pair in enumerate(model.merges) if order[pair] == rank]
    if not merges:
        raise _refused("it has no merges, and subword-nmt does not read a file without one")
    for pair in merges:
        if not set(_BLANKS).isdisjoint("".join(pair)):
            raise _refused(f"the merge {pair!r} has a space or a line end in it")
    return f"#version: {version}\n" + "".join(f"{left} {right}\n" for left, right in merges)


def save_subword_nmt(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write the codes of `to_subword_nmt` to a file, atomically.  Errors as in `to_subword_nmt`."""
    write_text(path, to_subword_nmt(tokenizer))


def from_subword_nmt(
    codes: str | os.PathLike[str], alphabet: Iterable[str] = (), unk_token: str | None = "<unk>"
) -> Tokenizer:
    """Build a BPE tokenizer that splits words like `subword_nmt.apply_bpe.BPE` (0.3.8) with these codes.

    codes: a path, or the codes themselves, a string with a line feed.  Of a pair listed twice, the first counts.
    alphabet: characters to encode in addition to those of the codes, such as all of a text; subword-nmt accepts any
      character, but a tokenizer needs an id for each.
    unk_token: the token of all other characters; None: they are dropped.
    Ids: unk_token, characters, characters at the end of a word (or the end-of-word symbol), then one token per merge.

    To write pieces as subword-nmt does, append "@@ " to those that do not end in "</w>", and remove "</w>".
    `to_subword_nmt` lists the differences.  ValueError for another version, and for a line that is not two symbols with
    one space between them.

    >>> tokenizer = from_subword_nmt("#version: 0.2\\nl o\\nlo w</w>\\n", alphabet="s")
    >>> tokenizer.encode("low slow x").tokens
    ['low</w>', 's', 'low</w>', '<unk>']
    """
    version, merges = _parsed(*_named_text(codes))
    if unk_token in {left + right for left, right in merges}:
        raise ValueError(f"unk_token={unk_token!r} is also the result of a merge: choose another one, or None")
    vocab: dict[str, int] = {}
    for token in _tokens(merges, alphabet, version, unk_token):
        vocab.setdefault(token, len(vocab))
    model = BPE(vocab, merges, unk_token=unk_token, end_of_word_suffix=END_OF_WORD, end_of_word=_VERSIONS[version])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder(END_OF_WORD)
    return tokenizer


def _checked_model(tokenizer: Tokenizer) -> BPE:
    """The model; ValueError if subword-nmt lacks something that the tokenizer has."""
    refuse_library(tokenizer)
    model = tokenizer.model
    if not isinstance(model, BPE):
        raise _refused(f"its model is {type(model).__name__}, not BPE")
    if tokenizer.normalizer is not None:
        raise _refused(f"it has the normalizer {tokenizer.normalizer!r}; normalise texts beforehand, without it")
    if tokenizer.pre_tokenizer != pre_tokenizers.WhitespaceSplit():
        raise _refused(f"its pre-tokenizer is {tokenizer.pre_tokenizer!r}, not WhitespaceSplit()")
    if model.end_of_word_suffix != END_OF_WORD:
        raise _refused(f"its model has end_of_word_suffix={model.end_of_word_suffix!r}, not {END_OF_WORD!r}")
    for name in ("continuing_subword_prefix", "dropout", "ignore_merges"):
        if getattr(model, name):
            raise _refused(f"its model has {name}={getattr(model, name)!r}")
    if model.match != "merges":
        raise _refused(f"its model has match={model.match!r}")
    return model


def _refused(reason: str) -> ValueError:
    return ValueError(f"subword-nmt has no codes for this tokenizer: {reason}")


def _named_text(codes: str | os.PathLike[str]) -> tuple[str, str]:
    """The codes, and what messages call them; ValueError for an empty file."""
    if isinstance(codes, str) and "\n" in codes:
        return codes, "codes"
    text, name = read_text(codes), os.fspath(codes)
    if not text.strip():
        raise ValueError(f"{name}: the file is empty: give a file of codes that subword-nmt has learned")
    return text, name


def _parsed(text: str, name: str) -> tuple[str, list[Merge]]:
    """The version and the merges, without duplicates; name: that of the codes in messages."""
    lines = text.rstrip("\n").split("\n")
    version, first = "0.1", 1
    if lines[0].startswith("#version:"):
        version, first = lines.pop(0).removeprefix("#version:").strip(), 2
    if version not in _VERSIONS:
        raise ValueError(f"{name}: the version is {version!r}, none of {', '.join(_VERSIONS)}")
    merges: dict[Merge, None] = {}
    for number, line in enumerate(lines if lines != [""] else [], first):
        parts = line.strip(_BLANKS).split(" ")
        if len(parts) != 2:
            raise ValueError(f"{name}: line {number} is {line!r}, not two symbols with one space between them")
        merges[parts[0], parts[1]] = None
    return version, list(merges)


def _tokens(merges: list[Merge], alphabet: Iterable[str], version: str, unk_token: str | None) -> Iterable[str]:
    """All tokens in the order of their ids; some occur twice."""
    if unk_token is not None:
        yield unk_token
    parts = {part.removesuffix(END_OF_WORD) for merge in merges for part in merge}
    chars = sorted({char for text in alphabet for char in text} | {part for part in parts if len(part) == 1})
    yield from chars
    yield from [END_OF_WORD] if version == "0.1" else [char + END_OF_WORD for char in chars]
    for left, right in merges:
        # The parts are there already, except those that no word is ever split into.
        yield from (left, right, left + right)
