"""The picture of a tokenized text: its tokens, then how its words were cut."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import islice

from evenscore.pictures import Block, Columns, Kind, Line, Mark, Picture

from ._encoding_object import Encoding
from ._explaining import WordExplanation
from ._word_blocks import KINDS, PIECE, SPECIAL, UNKNOWN, word_blocks
from .models import Model, Unigram

_MOST_TOKENS = 1000
_MOST_WORDS = 20
# In characters: steps and their size grow with its square.
LONGEST_WORD = 128
# How much of a longer one is shown.
_BEGINNING = 60


def tokenizer_picture(
    model: Model, added: Container[int], encoding: Encoding, words: Sequence[WordExplanation]
) -> Picture:
    """added: the ids of added tokens.  encoding, words: of the same text; steps None for words over LONGEST_WORD."""
    title = f"{type(model).__name__} tokens: {len(encoding)}"
    return Picture(title, [*_tokens(encoding, added, _unknown_id(model)), *_words(words, model.is_random)], KINDS)


def _unknown_id(model: Model) -> int | None:
    """The id of what stands for unknown text."""
    if isinstance(model, Unigram):
        return model.unk_id
    name = getattr(model, "unk_token", None)
    return None if name is None else model.token_to_id(name)


def _tokens(encoding: Encoding, added: Container[int], unknown: int | None) -> list[Block]:
    rows = zip(encoding.tokens, encoding.ids, encoding.offsets, encoding.special_tokens_mask, strict=True)
    columns = [
        (Mark(token, _kind(id, masked, added, unknown)), Mark(str(id)), Mark(f"{start}:{end}"))
        for token, id, (start, end), masked in islice(rows, _MOST_TOKENS)
    ]
    if not columns:
        return [Line("the text", [Mark("has no tokens")])]
    return [Columns(("token", "id", "offsets"), columns), *_left_out("tokens", len(encoding) - _MOST_TOKENS)]


def _kind(id: int, masked: int, added: Container[int], unknown: int | None) -> Kind:
    if masked:
        return SPECIAL
    # The unknown token may be an added token, too.
    return UNKNOWN if id == unknown else SPECIAL if id in added else PIECE


def _words(words: Sequence[WordExplanation], is_random: bool) -> list[Block]:
    """Each distinct word that has steps, or has too many, in the order of the text."""
    distinct = list({word.word: word for word in words if word.steps is None or word.steps}.values())
    blocks = [block for word in distinct[:_MOST_WORDS] for block in _word(word)]
    before = [Line("words", [Mark("as they are cut where nothing is left to chance")])] if is_random else []
    return [*before, *blocks, *_left_out("words", len(distinct) - _MOST_WORDS)]


def _word(word: WordExplanation) -> list[Block]:
    if word.steps is not None:
        return word_blocks(word)
    why = f"({len(word.word)} characters: too long to show how it was cut)"
    return [Line("word", [Mark(f"{word.word[:_BEGINNING]}…"), Mark(why)])]


def _left_out(what: str, count: int) -> list[Block]:
    return [Line(f"{what} not shown:", [Mark(str(count))])] if count > 0 else []
