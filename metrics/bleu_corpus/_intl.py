"""The tokens of mteval-v14's international tokenization, as sacrebleu 2.6.0 has it (tokenizer_intl.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._optional import require
from ._segments import Segments
from ._words import Units, Words, encode, expand, split_lines, split_words, white_space


def split_intl(lowercase: bool) -> Callable[[list[str]], Units]:
    """The tokenizer; it needs the package regex for Unicode's classes."""
    rules = _rules()
    return lambda texts: _with_edges(texts, rules, lowercase)


def _rules() -> Callable[[str], str]:
    regex = require("regex", "regex", "tokenizer='intl'")
    after_no_number = regex.compile(r"(\P{N})(\p{P})")
    before_no_number = regex.compile(r"(\p{P})(\P{N})")
    symbol = regex.compile(r"(\p{S})")

    def rules(text: str) -> str:
        text = after_no_number.sub(r"\1 \2 ", text)
        text = before_no_number.sub(r" \1 \2", text)
        return str(symbol.sub(r" \1 ", text))

    return rules


def _with_edges(texts: list[str], rules: Callable[[str], str], lowercase: bool) -> Units:
    """Every distinct word through the rules once; at the ends of a text, where it has no neighbour, by itself."""
    words = split_words(texts)
    segments = words.segments
    filled = np.flatnonzero(segments.lengths)
    # 1. Give each word a number that also says whether a space precedes it and whether one follows.
    no_space_before = segments.offsets[filled]
    no_space_before = no_space_before[~_starts_with_space(texts)[filled]]
    numbers = segments.ids.astype(np.int64) * 4
    numbers[no_space_before] += 1
    numbers[segments.offsets[filled + 1] - 1] += 2
    distinct, ids = np.unique(numbers, return_inverse=True)
    # 2. Words inside a text go through the rules together, each between spaces; words at an edge alone.
    at_edge = distinct % 4 != 0
    vocabulary = words.vocabulary.to_pylist()
    inside = " \n ".join(["", *(vocabulary[i] for i in distinct[~at_edge] // 4), ""])
    lines = rules(inside.lower() if lowercase else inside).split("\n")[1:-1]
    for number in distinct[at_edge]:
        word = vocabulary[number // 4]
        before, after = "" if number & 1 else " ", "" if number & 2 else " "
        lines.append(rules(before + (word.lower() if lowercase else word) + after))
    # 3. Lines are in the order inside, edge: number the words likewise.
    line_of = np.empty(len(distinct), dtype=np.int64)
    line_of[np.argsort(at_edge, kind="stable")] = np.arange(len(distinct))
    tokens = split_lines("\n".join(lines))
    return Words(expand(Segments(line_of[ids], segments.offsets), tokens.segments), tokens.vocabulary).units


def _starts_with_space(texts: list[str]) -> Any:
    text = encode(texts)
    # An empty text starts with the line feed after it, which makes no difference to its words.
    return white_space(text.data)[text.offsets[:-1]]
