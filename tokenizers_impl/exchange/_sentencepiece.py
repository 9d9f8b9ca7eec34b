"""Conversion of Unigram tokenizers from and to SentencePiece's files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from .. import decoders, models, normalizers, pre_tokenizers
from .._core.component import refuse_library
from .._core.files import write_bytes, write_text
from .._patterns import Regex
from ..models import Unigram
from ..tokenizer import Tokenizer
from ._sentencepiece_model import BPE, MODEL_TYPES, UNIGRAM, Kind, Piece, SentencePieceModel, parse_vocab, vocab_text

SPACE = "▁"
# How the files begin: a .vocab file with a piece, a tab and a score; a .model file with the protobuf tag of its pieces.
_VOCAB_START = re.compile(rb"[^\n]+\t[-+]?[0-9.]")
_MODEL_START = b"\n"


def to_sentencepiece_vocab(tokenizer: Tokenizer) -> str:
    """Convert a tokenizer to the text of a .vocab file: per line a piece, a tab, and its score as a 32-bit float.

    SentencePiece encodes with .model files only; see `to_sentencepiece_model`, also for the errors.

    >>> from tokenizers_impl import models
    >>> tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -2.0), ("▁a", -1.0)], unk_id=0))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    >>> to_sentencepiece_vocab(tokenizer)
    '<unk>\\t0\\n▁\\t-2\\n▁a\\t-1\\n'
    """
    return vocab_text(_exported(tokenizer).pieces)


def save_sentencepiece_vocab(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write the text of `to_sentencepiece_vocab` to a file, atomically.  Errors as in `to_sentencepiece_model`."""
    write_text(path, to_sentencepiece_vocab(tokenizer))


def to_sentencepiece_model(tokenizer: Tokenizer) -> bytes:
    """Convert a tokenizer to the bytes of a .model file for `sentencepiece.SentencePieceProcessor(model_proto=...)`.

    The unknown piece has the type UNKNOWN, special tokens CONTROL, the pieces <0x00> to <0xFF> of a model with
    byte_fallback BYTE, strings that `SentencePieceMap` keeps USER_DEFINED, all others NORMAL.
    `from_sentencepiece` lists the differences to SentencePiece 0.2.3.

    ValueError for a tokenizer that SentencePiece cannot represent: another model than Unigram with unk_id, another
    pre-tokenizer than Metaspace(), alpha, byte_fallback without all 256 pieces, another normalizer than
    `from_sentencepiece` makes, added tokens that are not special, a piece that extends beyond a word, and an unknown
    piece, special token or byte that scores less than all other pieces.

    >>> from tokenizers_impl import pipelines
    >>> tokenizer, trainer = pipelines.unigram(vocab_size=20, show_progress=False)
    >>> tokenizer.normalizer = None
    >>> tokenizer.train_from_iterator(["low lower lowest"], trainer)
    >>> to_sentencepiece_model(tokenizer)[:9]
    b'\\n\\x0e\\n\\x05<unk>'
    """
    return _exported(tokenizer).serialized()


def to_sentencepiece(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write the bytes of `to_sentencepiece_model` to a .model file, atomically.  Errors as there.

    >>> import tempfile
    >>> from tokenizers_impl import pipelines
    >>> tokenizer, trainer = pipelines.unigram(vocab_size=20, show_progress=False)
    >>> tokenizer.normalizer = None
    >>> tokenizer.train_from_iterator(["low lower lowest"], trainer)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_sentencepiece(tokenizer, Path(folder, "low.model"))
    ...     from_sentencepiece(Path(folder, "low.model")).encode("low").tokens == tokenizer.encode("low").tokens
    True
    """
    write_bytes(path, to_sentencepiece_model(tokenizer))


def from_sentencepiece(
    path: str | os.PathLike[str],
    normalizer: normalizers.Normalizer | Literal["own", "precompiled"] | None = "own",
    unk_token: str = "<unk>",
    special_tokens: Collection[str] = ("<s>", "</s>", "<pad>"),
) -> Tokenizer:
    """Read a SentencePiece model (Kudo & Richardson 2018; version 0.2.3) from a .model or .vocab file.

    Pieces keep their ids and, in a unigram model, their scores.  The unknown piece and control pieces become special
    tokens; user-defined pieces get the score that SentencePiece gives them, 0.1 for each byte after the first.
    A BPE model, which only a .model file can hold, becomes `models.BPE`: each piece is made of every two pieces that it
    consists of, and merges run in the order of the pieces' scores.

    path: the path of a .model file, or of a .vocab file, which has no normalization and scores of six digits only.
      The content decides which one it is; the name decides only for a damaged file.
    normalizer: "own": the model's normalization by `normalizers.SentencePieceMap`, which `tokenizers` cannot read;
      "precompiled": the same by `Precompiled`, which `tokenizers` can read, but which differs on text that is not
      composed (NFC).  A Normalizer, or None, replaces the model's normalization.
    unk_token, special_tokens: the unknown piece and the control pieces of a .vocab file, which does not mark them.

    Ids, pieces and decoded texts equal those of `SentencePieceProcessor.encode` and `decode`, with these exceptions:
    - SentencePiece sums scores as 32-bit floats from the start of the text, this package word by word as 64-bit floats.
      SentencePiece may choose another segmentation if two scores differ by less than its rounding error, about 1e-7 of
      the score of the text so far.  On real text, it has the same pieces in another order: "ww", "w" for "w", "ww".
    - In a BPE model it merges the leftmost of the pairs that make the same piece, whichever pairs they are: "aaaa" may
      become "aaa", "a" instead of "a", "aaa".
    - It never encodes the name of a control, unknown or byte piece in a text as that piece.
    - It prepends a space even to a text that begins with one.
    - With remove_extra_whitespaces off, it keeps that space if its map removes the whole text.
    - It decodes an unknown piece as " ⁇ ".  With remove_extra_whitespaces on, it strips a space from several leading
      pieces, for ids that no text encodes to.

    ValueError names the file if it is of another kind, or an unsupported feature: another model type, rules for decoded
    text, remove_extra_whitespaces with rules or user-defined pieces that have two adjacent spaces, pieces of type
    UNUSED, pieces of type BYTE without byte_fallback, user-defined pieces of a BPE model, treat_whitespace_as_suffix,
    and duplicate pieces.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.vocab")
    ...     _ = path.write_text("<unk>\\t0\\n▁\\t-2\\n▁a\\t-1\\nb\\t-3\\n", encoding="utf-8")
    ...     from_sentencepiece(path).encode("a bc").tokens
    ['▁a', '▁', 'b', 'c']
    """
    model = _read(Path(path), unk_token, special_tokens)
    _check(model)
    space = SPACE if model.escape_whitespaces else " "
    tokenizer = Tokenizer(_bpe(model) if model.model_type == BPE else _unigram(model))
    tokenizer.normalizer = _normalizer(model, normalizer) if isinstance(normalizer, str) else normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        space, _scheme(model.add_dummy_prefix), _ends_at_words(model.pieces, space)
    )
    tokenizer.decoder = _decoder(model)
    tokenizer.add_special_tokens([piece.text for piece in model.pieces if piece.kind in (Kind.UNKNOWN, Kind.CONTROL)])
    return tokenizer


def from_spm(path: str | os.PathLike[str]) -> Tokenizer:
    """Read a unigram model as `SentencePieceUnigramTokenizer.from_spm` of tokenizers 0.23.3 does.

    It takes every score as it is, normalizes by Precompiled, prepends a space to every text, and has no special tokens.
    """
    data, name = Path(path).read_bytes(), os.fspath(path)
    if not data.startswith(_MODEL_START):
        raise ValueError(f"{name} is no .model file of SentencePiece; exchange.from_sentencepiece reads .vocab files")
    try:
        model = SentencePieceModel.parse(data)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if model.model_type != UNIGRAM:
        kind = MODEL_TYPES.get(model.model_type, model.model_type)
        remedy = "read it with exchange.from_sentencepiece" if model.model_type == BPE else "give a unigram model"
        raise ValueError(f"{name} is a model of type {kind}: {remedy}")
    _check_unknown(model.pieces)
    scored = [(piece.text, piece.score) for piece in model.pieces]
    tokenizer = Tokenizer(Unigram(scored, _unk_id(model.pieces), model.byte_fallback))
    charsmap = [normalizers.Precompiled(model.charsmap)] if model.charsmap else []
    tokenizer.normalizer = normalizers.Sequence([*charsmap, normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, "always")
    tokenizer.decoder = decoders.Metaspace(SPACE, "always")
    return tokenizer


# Import


def _read(path: Path, unk_token: str, special_tokens: Collection[str]) -> SentencePieceModel:
    """Read a file; ValueError names it, and says what was expected, if it is another kind of file."""
    data = path.read_bytes()
    try:
        if not data:
            raise ValueError("the file is empty")
        if data.startswith(_MODEL_START) or (path.suffix == ".model" and not _VOCAB_START.match(data)):
            return SentencePieceModel.parse(data)
        try:
            found = parse_vocab(data.decode())
        except UnicodeDecodeError:
            raise ValueError("the file is neither a model nor text") from None
    except ValueError as error:
        instead = "; read a tokenizer.json with Tokenizer.from_file" if data.lstrip().startswith(b"{") else ""
        raise ValueError(f"{path}: {error}: give a .model or .vocab file of SentencePiece{instead}") from error
    return _of_vocab(path, found, unk_token, special_tokens)


def _of_vocab(
    path: Path, found: Sequence[tuple[str, float]], unk_token: str, special_tokens: Collection[str]
) -> SentencePieceModel:
    pieces = []
    for text, score in found:
        kind = Kind.UNKNOWN if text == unk_token else Kind.CONTROL if text in special_tokens else Kind.NORMAL
        if kind == Kind.NORMAL and score == 0:
            raise ValueError(
                f"{path}: the piece {text!r} has score 0: if it is a control piece, name it in special_tokens; if it "
                "is a user-defined piece, give the .model file; BPE models are not supported"
            )
        pieces.append(Piece(text, score, kind))
    return SentencePieceModel(tuple(pieces), remove_extra_whitespaces=False)


def _unigram(model: SentencePieceModel) -> Unigram:
    return Unigram(_scored(model.pieces), _unk_id(model.pieces), model.byte_fallback)


def _bpe(model: SentencePieceModel) -> models.BPE:
    """The BPE that makes a piece of any two pieces which it consists of, pieces with higher scores first."""
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    normal = {text: score for text, score, kind in model.pieces if kind == Kind.NORMAL}
    merges: list[tuple[str, str]] = []
    for text in sorted(normal, key=lambda text: (-normal[text], ids[text])):
        halves = [(text[:i], text[i:]) for i in range(1, len(text))]
        pairs = [pair for pair in halves if pair[0] in normal and pair[1] in normal]
        merges += sorted(pairs, key=lambda pair: (ids[pair[0]], ids[pair[1]]))
    unknown = model.pieces[_unk_id(model.pieces)].text
    return models.BPE(ids, merges, unk_token=unknown, fuse_unk=True, byte_fallback=model.byte_fallback)


def _normalizer(model: SentencePieceModel, kind: str) -> normalizers.Normalizer | None:
    """The normalization of a model."""
    if kind not in ("own", "precompiled"):
        raise ValueError(f"normalizer={kind!r}: choose 'own', 'precompiled', a Normalizer or None")
    steps: list[normalizers.Normalizer] = []
    if model.charsmap and kind == "own":
        steps.append(normalizers.SentencePieceMap(model.charsmap, tuple(piece.text for piece in _kept(model))))
    elif model.charsmap:
        steps.append(normalizers.Precompiled(model.charsmap))
    if model.remove_extra_whitespaces:
        # Characters that represent a space are removed at the end as well, wherever they come from.
        last = f"[ {SPACE}]" if model.escape_whitespaces else " "
        steps.append(normalizers.Replace(Regex(rf"\A +|{last}+\z"), ""))
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    return normalizers.Sequence(steps) if steps else None


def _decoder(model: SentencePieceModel) -> decoders.Decoder:
    """The decoder of a model: it restores spaces, and removes a leading one that the model prepends."""
    prefixed = model.add_dummy_prefix or model.remove_extra_whitespaces
    if model.byte_fallback:
        leading = [decoders.Strip(" ", 1, 0)] if prefixed else []
        return decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *leading])
    if not prefixed or not any(SPACE in piece.text[1:] for piece in model.pieces):
        return decoders.Metaspace(SPACE, _scheme(prefixed))
    # Metaspace would remove every "▁" from the first piece.
    return decoders.Sequence([decoders.Replace(SPACE, " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])


def _scheme(prefixed: bool) -> Literal["always", "never"]:
    return "always" if prefixed else "never"


def _kept(model: SentencePieceModel) -> list[Piece]:
    """The pieces that normalization keeps unchanged."""
    return [piece for piece in model.pieces if piece.kind == Kind.USER_DEFINED]


def _check(model: SentencePieceModel) -> None:
    if model.model_type not in (UNIGRAM, BPE):
        raise _missing(
            f"model type {MODEL_TYPES.get(model.model_type, model.model_type)!r} (only unigram and bpe are supported)"
        )
    for is_there, name in (
        (model.model_type == BPE and bool(_kept(model)), "user-defined pieces of a BPE model"),
        (model.denormalizer, "a denormalizer"),
        (model.treat_whitespace_as_suffix, "treat_whitespace_as_suffix"),
        (
            model.remove_extra_whitespaces and b"  " in model.replacements,
            "remove_extra_whitespaces beside a rule that makes two spaces in a row",
        ),
        (
            model.remove_extra_whitespaces and any("  " in piece.text for piece in _kept(model)),
            "remove_extra_whitespaces beside a user-defined piece with two spaces in a row",
        ),
    ):
        if is_there:
            raise _missing(name)
    _check_pieces(model.pieces, model.byte_fallback)


def _check_pieces(pieces: Sequence[Piece], byte_fallback: bool) -> None:
    known: dict[str, int] = {}
    for id, (text, score, kind) in enumerate(pieces):
        if kind == Kind.UNUSED or (kind == Kind.BYTE and not byte_fallback):
            raise _missing(f"piece {id}, {text!r}, of type {kind.name}")
        if kind == Kind.NORMAL and not score <= 0:
            raise ValueError(f"piece {id}, {text!r}, has the score {score}: no logarithm of a probability")
        if known.setdefault(text, id) != id:
            raise ValueError(f"pieces {known[text]} and {id} are both {text!r}: remove one of them")
    _check_unknown(pieces)


def _check_unknown(pieces: Sequence[Piece]) -> None:
    if [piece.kind for piece in pieces].count(Kind.UNKNOWN) != 1:
        raise ValueError("there is not exactly one unknown piece: name it in unk_token, if this is a .vocab file")


def _missing(what: str) -> ValueError:
    return ValueError(f"the SentencePiece model has an unsupported feature: {what}")


def _scored(pieces: Sequence[Piece]) -> list[tuple[str, float]]:
    """The pieces with the scores that SentencePiece gives them."""
    # It never finds bytes in a text: the lowest score comes closest to that, and leaves unknown characters' as it is.
    lowest = min((score for _, score, kind in pieces if kind == Kind.NORMAL), default=0.0)
    return [(piece.text, lowest if piece.kind == Kind.BYTE else _score(piece)) for piece in pieces]


def _score(piece: Piece) -> float:
    if piece.kind == Kind.NORMAL:
        return piece.score
    # SentencePiece 0.2.3 ignores the scores of user-defined pieces; this value was measured with competing pieces.
    return 0.1 * (len(piece.text.encode()) - 1) if piece.kind == Kind.USER_DEFINED else 0.0


def _unk_id(pieces: Sequence[Piece]) -> int:
    return next(id for id, piece in enumerate(pieces) if piece.kind == Kind.UNKNOWN)


def _ends_at_words(pieces: Sequence[Piece], space: str = SPACE) -> bool:
    """Whether words can be encoded one by one, because no piece or run of unknown characters extends beyond a word."""
    found = [piece.text for piece in pieces if piece.kind in (Kind.NORMAL, Kind.USER_DEFINED)]
    return space in found and not any(space in text[1:] for text in found)


# Export

_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def _exported(tokenizer: Tokenizer) -> SentencePieceModel:
    model, scheme = _checked_model(tokenizer)
    normalization = _normalization(tokenizer.normalizer)
    pieces = _typed(tokenizer, model, [piece.text for piece in normalization.pieces])
    result = replace(
        normalization,
        pieces=tuple(pieces),
        add_dummy_prefix=scheme.prepend_scheme != "never",
        byte_fallback=model.byte_fallback,
    )
    _check(result)
    lowest = min((score for _, score, kind in pieces if kind == Kind.NORMAL), default=0.0)
    if any(score < lowest for _, score in model.vocab):
        raise _refused("the unknown piece or a special token has the lowest score: set their scores to 0")
    if scheme.split and not _ends_at_words(pieces):
        raise _refused(f"a piece has {SPACE!r} inside, or {SPACE!r} is no piece, although Metaspace splits at it")
    return result


def _typed(tokenizer: Tokenizer, model: Unigram, kept: Collection[str]) -> list[Piece]:
    """The pieces of a tokenizer with their types."""
    kinds = dict.fromkeys(_BYTES if model.byte_fallback else (), Kind.BYTE) | dict.fromkeys(kept, Kind.USER_DEFINED)
    # The scores of the others do not matter; SentencePiece writes 0.
    pieces = [Piece(text, 0.0, kinds[text]) if text in kinds else Piece(text, score) for text, score in model.vocab]
    for id, token in tokenizer.get_added_tokens_decoder().items():
        if not token.special or id > len(pieces):
            raise _refused(f"the added token {token.content!r} is not special, or there are no ids before its {id}")
        pieces[id : id + 1] = [Piece(token.content, 0.0, Kind.CONTROL)]
    unk_id = model.unk_id or 0
    pieces[unk_id] = Piece(pieces[unk_id].text, 0.0, Kind.UNKNOWN)
    return pieces


def _normalization(normalizer: normalizers.Normalizer | None) -> SentencePieceModel:
    """A model with this normalization, and with the strings that it keeps as pieces; ValueError if there is none."""
    steps = normalizer.steps if isinstance(normalizer, normalizers.Sequence) else (normalizer,)
    maps = [step for step in steps if isinstance(step, normalizers.SentencePieceMap)]
    charsmap, kept = (maps[0].precompiled_charsmap, maps[0].kept) if maps else (b"", ())
    pieces = tuple(Piece(text, 0.0, Kind.USER_DEFINED) for text in kept)
    name = "" if maps else "identity"
    for strips in (False, True):
        model = SentencePieceModel(pieces, normalization=name, charsmap=charsmap, remove_extra_whitespaces=strips)
        if _normalizer(model, "own") == normalizer:
            return model
    raise _refused(
        f"it has the normalizer {normalizer!r:.80}; train without it on normalised texts, or with the normalizer of a "
        "tokenizer from from_sentencepiece(normalizer='own')"
    )


def _checked_model(tokenizer: Tokenizer) -> tuple[Unigram, pre_tokenizers.Metaspace]:
    """Model and pre-tokenizer; ValueError if SentencePiece lacks something that the tokenizer has."""
    refuse_library(tokenizer)
    model, words = tokenizer.model, tokenizer.pre_tokenizer
    if not isinstance(model, Unigram):
        raise _refused(f"its model is {type(model).__name__}, not Unigram")
    if not isinstance(words, pre_tokenizers.Metaspace) or words.replacement != SPACE:
        raise _refused(f"its pre-tokenizer is {words!r}, not Metaspace()")
    if model.unk_id is None or model.is_random:
        raise _refused("its model has no unk_id, or has alpha")
    if model.byte_fallback and not model.get_vocab().keys() >= set(_BYTES):
        raise _refused("its model has byte_fallback, but not all pieces from <0x00> to <0xFF>")
    return model, words


def _refused(reason: str) -> ValueError:
    return ValueError(f"SentencePiece cannot represent this tokenizer: {reason}")
