"""Explanations of words, and the picture of a tokenized text."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from evenscore.pictures import BLUE, MATCH, MISS, ORANGE, PURPLE, Block, Columns, Kind, Line, Mark, Picture, Table, box

from ._core.encoding import Encoding
from ._text.splits import TEXT, Splits
from ._text.words import Words
from .models import Model, Unigram
from .models._explanation import MatchStep, MergeStep, UnigramExplanation, UnigramPath

# --- Explanations of words


@dataclass(frozen=True)
class WordExplanation:
    """The explanation of one word of a text.

    word: the word after normalizer and pre-tokenizer.  offsets: its (start, end) in the text as given, in characters.
    tokens, ids: its tokens.
    steps: the result of the model's `explain_word`; empty for an added token and for a word that is one token without
      merges; None for a word above the length limit.
    """

    word: str
    offsets: tuple[int, int]
    tokens: list[str]
    ids: list[int]
    steps: Any


def explained(splits: Splits, model: Model, longest: float = math.inf) -> list[WordExplanation]:
    """Explain every split, in order; words of more than `longest` characters get no steps."""
    rows = zip(splits.texts(), splits.offsets(), splits.added.tolist(), strict=True)
    return [_explained(word, offsets, added, model, longest) for word, offsets, added in rows]


def _explained(word: str, offsets: tuple[int, int], added: int, model: Model, longest: float) -> WordExplanation:
    if added != TEXT:
        return WordExplanation(word, offsets, [word], [added], [])
    words = Words.of([word])
    pieces = model.encode_words(words)
    steps = model.explain_word(word) if len(word) <= longest else None
    return WordExplanation(word, offsets, model.token_texts(words, pieces), pieces.ids.tolist(), steps)


# --- The steps of a word, as blocks of a picture

PIECE = Kind("piece", "", "span", "border:1px solid rgb(136,136,136);border-radius:4px", "4", "|", "|")
MERGED = Kind("merged", "merged in this step", "mark", box(BLUE, "underline double"), "30;46", "{", "}")
UNKNOWN = Kind("unknown", "unknown", "mark", box(ORANGE, "underline overline"), "30;43", "?", "?")
SPECIAL = Kind("special", "special or added token", "mark", box(PURPLE, "overline"), "30;45", "[", "]")
KINDS = (MATCH, MISS, PIECE, MERGED, UNKNOWN, SPECIAL)

# The most rows of a table; further rows are counted.
_MOST_ROWS = 30

Row = list[list[Mark]]


def word_blocks(explanation: WordExplanation) -> list[Block]:
    """The word, then its steps as a table: merges, look-ups, or segmentations; there must be one.

    >>> steps = [MergeStep(0, "l", "o", "lo", 7, 0, ("lo", "w"), 12)]
    >>> for block in word_blocks(WordExplanation("low", (0, 3), ["lo", "w"], [3, 2], steps)):
    ...     print(block.text(colour=False, width=80))
    word low
    merge  seen  symbols
                 |l| |o| |w|
    7      12    {lo} |w|
    """
    heads, rows = _table(explanation.steps)
    blocks: list[Block] = [Line("word", [Mark(explanation.word)]), Table(heads, rows[:_MOST_ROWS])]
    left_out = len(rows) - _MOST_ROWS
    return [*blocks, Line("steps not shown:", [Mark(str(left_out))])] if left_out > 0 else blocks


def _table(steps: list[MergeStep] | list[MatchStep] | UnigramExplanation) -> tuple[Sequence[str], list[Row]]:
    if isinstance(steps, UnigramExplanation):
        return ("probability", "ln P", "pieces with ln P"), list(map(_path_row, steps.paths))
    if isinstance(steps[0], MatchStep):
        places = groupby(steps, lambda step: step.start)
        return ("from", "looked up", "id"), [_match_row(list(own)) for _, own in places]
    return _merge_table(steps)


def _merge_table(steps: Sequence[MergeStep]) -> tuple[Sequence[str], list[Row]]:
    """The symbols before the first merge and after each merge; the column `seen` only if counts are known."""
    first, at = steps[0], steps[0].position
    before = (*first.symbols[:at], first.left, first.right, *first.symbols[at + 1 :])
    rows = [_symbols_row("", "", before, None)]
    rows += [_symbols_row(str(step.rank), str(step.count), step.symbols, step.position) for step in steps]
    if first.count is None:
        return ("merge", "symbols"), [[merge, symbols] for merge, _, symbols in rows]
    return ("merge", "seen", "symbols"), rows


def _symbols_row(rank: str, count: str, symbols: Sequence[str], merged: int | None) -> Row:
    marks = [Mark(symbol, MERGED if at == merged else PIECE) for at, symbol in enumerate(symbols)]
    return [[Mark(rank)], [Mark(count)], marks]


def _match_row(steps: Sequence[MatchStep]) -> Row:
    """The look-ups at one position, of which only the last may have found a token."""
    marks = [Mark(step.token, MISS if step.id is None else MATCH) for step in steps]
    found = steps[-1].id
    return [[Mark(str(steps[0].start))], marks, [Mark("none" if found is None else str(found))]]


def _path_row(path: UnigramPath) -> Row:
    marks = [Mark(step.piece, UNKNOWN if step.id is None else PIECE, f"{step.score:.2f}") for step in path.steps]
    return [[Mark(f"{path.probability:.4f}")], [Mark(f"{path.score:.2f}")], marks]


# --- The picture of a tokenized text: its tokens, then the steps of its words

_MOST_TOKENS = 1000
_MOST_WORDS = 20
# In characters; the size of the steps grows with its square.
LONGEST_WORD = 128
# The characters of a longer word that are shown.
_BEGINNING = 60


def tokenizer_picture(
    model: Model, added: Container[int], encoding: Encoding, words: Sequence[WordExplanation]
) -> Picture:
    """added: the ids of added tokens.  encoding, words: of the same text; steps None for words over LONGEST_WORD."""
    title = f"{type(model).__name__} tokens: {len(encoding)}"
    return Picture(title, [*_tokens(encoding, added, _unknown_id(model)), *_words(words, model.is_random)], KINDS)


def _unknown_id(model: Model) -> int | None:
    """The id of the model's unknown token, None without one."""
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
    """The blocks of each distinct word that has steps or is too long for them, in the order of the text."""
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
