"""Random steps of NormalizedString and PreTokenizedString, done with the strings of either library."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import tokenizers
from hypothesis import strategies as st
from pipeline_steps import NORMALIZERS, PRE_TOKENIZERS

import tokenizers_impl

LIBRARIES = (tokenizers_impl, tokenizers)
BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
# A text as a string, an expression in a list of one.
PATTERNS: list[Any] = ["a", "ab", " ", "", "é", [r"\s+"], [r"\w"], ["a*"], ["(?=b)"], [r"\p{L}+"]]
PLAIN = ("nfc", "nfd", "nfkc", "nfkd", "lowercase", "uppercase", "strip", "lstrip", "rstrip", "clear")
KEEPS: list[Callable[[str], bool]] = [str.isalpha, str.isascii, lambda char: char not in "a ", lambda char: False]
MAPS: list[Callable[[str], str]] = [
    lambda char: "é" if char == "a" else char,
    lambda char: "x" if char > "\x7f" else char,
]
NUMBERS = st.integers(0, 9)

STEPS = st.one_of(
    st.tuples(st.sampled_from(PLAIN)),
    st.tuples(st.sampled_from(["prepend", "append"]), st.sampled_from(["x", "é_", "漢\u0301"])),
    st.tuples(st.just("replace"), st.sampled_from(PATTERNS), st.sampled_from(["", "_", "xé"])),
    st.tuples(st.just("filter"), st.sampled_from(KEEPS)),
    st.tuples(st.just("map"), st.sampled_from(MAPS)),
)
PARTS = st.one_of(
    st.tuples(st.just("slice"), st.one_of(NUMBERS, st.tuples(NUMBERS, NUMBERS).map(sorted).map(tuple))),
    st.tuples(st.just("slice"), st.tuples(NUMBERS, NUMBERS).map(sorted).map(lambda ends: slice(*ends))),
    st.tuples(st.just("split"), st.sampled_from(PATTERNS), st.sampled_from(BEHAVIORS)),
)


def called(library: Any, string: Any, step: tuple[Any, ...]) -> Any:
    """What the method of that name returns."""
    name, *arguments = step
    return getattr(string, name)(*(library.Regex(*each) if isinstance(each, list) else each for each in arguments))


CUTS = st.one_of(
    st.tuples(st.just("split"), st.sampled_from(PATTERNS[:3] + PATTERNS[4:]), st.sampled_from(BEHAVIORS)),
    st.tuples(st.just("pieces"), st.integers(1, 4)),
    st.tuples(st.just("whole"), st.booleans()),
    st.tuples(st.just("normalize"), STEPS),
    st.tuples(st.just("normalizer"), st.sampled_from(NORMALIZERS)),
    st.tuples(st.just("pre_tokenizer"), st.sampled_from(PRE_TOKENIZERS)),
    st.tuples(st.just("tokenize"), st.integers(1, 3)),
)


def component(library: Any, part: str, data: object) -> Any:
    """The component of that object of tokenizer.json."""
    whole = library.Tokenizer(library.models.BPE())
    document = json.loads(whole.to_str())
    return getattr(library.Tokenizer.from_str(json.dumps({**document, part: data})), part)


def change(library: Any, text: Any, cut: tuple[Any, ...]) -> None:
    """One step of a pre-tokenizer."""
    name, *arguments = cut
    if name == "split":
        text.split(lambda i, split: called(library, split, cut))
    elif name == "pieces":
        [size] = arguments
        text.split(lambda i, split: [split[k : k + size + i % 2] for k in range(0, len(str(split)), size + i % 2)])
    elif name == "whole":
        text.split(lambda i, split: [split] if i % 2 == arguments[0] else [])
    elif name == "normalize":
        text.normalize(lambda split: called(library, split, arguments[0]))
    elif name == "normalizer":
        text.normalize(component(library, "normalizer", arguments[0]).normalize)
    elif name == "pre_tokenizer":
        component(library, "pre_tokenizer", arguments[0]).pre_tokenize(text)
    else:
        [size] = arguments
        text.tokenize(lambda split: tokens(library, split, size))


def tokens(library: Any, text: str, size: int) -> list[Any]:
    """A token of every few characters, and an empty one before them."""
    places = [len(text[:k].encode()) for k in [*range(0, len(text), size), len(text)]]
    spans = [(0, 0), *pairwise(places)]
    return [library.Token(number, f"t{number}", span) for number, span in enumerate(spans)]
