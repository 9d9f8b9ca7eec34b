"""The model that a training of merges goes on from."""

from __future__ import annotations

from .._words import Words
from ..models._bpe import BPE
from ..models._model import Pieces
from ..models._wordpiece import WordPiece
from ._bpe_options import BpeOptions

Extended = BPE | WordPiece


def model_tokens(model: Extended, options: BpeOptions) -> dict[str, int]:
    """The vocabulary of the model in the order of the ids; ValueError for gaps, and for other affixes than its own."""
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "end_of_word"):
        # What a WordPiece has not is as by default: no suffix.
        ours, theirs = getattr(options, name), getattr(model, name, getattr(BpeOptions, name))
        if (ours or None) != (theirs or None):
            raise ValueError(f"{name} is {ours!r} but the model to extend has {theirs!r}: give the trainer the model's")
    tokens = dict(sorted(model.get_vocab().items(), key=lambda entry: entry[1]))
    for place, (token, id) in enumerate(tokens.items()):
        if id != place:
            raise ValueError(f"the model to extend has no id {place} but {id} for {token!r}: renumber its vocabulary")
    return tokens


def cut_words(words: Words, tokens: dict[str, int], model: Extended) -> Pieces:
    """The words as the model cuts them once it has these tokens; characters that are no token are left out."""
    if isinstance(model, WordPiece):
        return WordPiece(tokens, continuing_subword_prefix=model.continuing_subword_prefix).known_parts(words)
    same = BPE(
        tokens,
        model.merges,
        continuing_subword_prefix=model.continuing_subword_prefix,
        end_of_word_suffix=model.end_of_word_suffix,
        end_of_word="symbol" if model.end_of_word == "symbol" else "glued",
    )
    return same.encode_words(words)
