"""Which patterns no text makes slow: these are searched without a limit, and the others in time of their own thread."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st
from known_patterns import KNOWN
from naive_patterns import NaiveSearch
from properties import examples

from tokenizers_impl import Regex
from tokenizers_impl._patterns import compiled as _compiled
from tokenizers_impl._patterns import search as _search
from tokenizers_impl._patterns import work as _work
from tokenizers_impl._patterns.char_sets import CharSet
from tokenizers_impl._patterns.nodes import (
    EDGE,
    Alphabet,
    Anchor,
    Atomic,
    Chain,
    Char,
    Choice,
    Look,
    Node,
    OneOf,
    Place,
    Repeat,
)
from tokenizers_impl._patterns.syntax import parsed
from tokenizers_impl.normalizers import Replace, Sequence
from tokenizers_impl.pre_tokenizers import Split

# The real Kimi pattern goes on; alone, this part reads a row of capitals anew from each of them.
QUADRATIC = {"DeepSeek LLM, spaces", "Kimi", "StarCoder digits"}


@pytest.mark.parametrize("name", KNOWN)
def test_well_known_patterns(name: str) -> None:
    assert _compiled.compiled(KNOWN[name]).is_linear == (name not in QUADRATIC)


@pytest.mark.parametrize(
    "pattern", ["a", "a|ab|abc", "<[^<>]*>", ".+", "[^\n]+\n?", "a+?b?", "(?>a|b)c", "\\d{2,}(?!\\d)"]
)
def test_linear(pattern: str) -> None:
    assert _compiled.compiled(pattern).is_linear


SLOW = [
    "(a|aa)+$",
    "(?:a+)+b",
    "a*a*b",
    "a+b",
    "\\s+$",
    "<[^>]*>",
    "x.*?y",
    "(?:a*b|a)+",
    "(?=.*b)a",
    "\\w+@\\w+",
    "a*",
]
# Finite, but of exponential size in the pattern.
SLOW += ["a?" * 25 + "a" * 25, "(?:a|a)" * 25 + "b", "(?=" + "(?:a|a)" * 25 + "b)a", "(?:a?){25}b"]
# What the atomic group leaves out could have ended the second alternative's search.
SLOW += ["(?>a|ab)cd*|a.*.*x"]


@pytest.mark.parametrize("pattern", SLOW)
def test_not_linear(pattern: str) -> None:
    assert not _compiled.compiled(pattern).is_linear


# --- The definition

SETS = st.sampled_from(["a", "b", "ab", "abc", "bc", "\n", "a\n"]).map(lambda chars: OneOf(CharSet.of(chars)))
CHARS = st.sampled_from("abc").map(lambda char: Char(ord(char))) | SETS | SETS.map(lambda part: OneOf(~part.chars))
ANCHORS = st.sampled_from(list(Place)).map(Anchor)
BOUNDS = st.sampled_from([(0, None), (1, None), (0, 1), (0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None)])


def repeat(part: Node, bounds: tuple[int, int | None], mode: str) -> Repeat:
    return Repeat(part, *bounds, mode if mode == "?" or bounds in [(0, None), (1, None), (0, 1)] else "")


REPEATS = st.builds(repeat, CHARS, BOUNDS, st.sampled_from(["", "", "?", "+"]))
LOOKS = st.builds(Look, CHARS, st.booleans(), st.booleans())


def extended(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    listed = st.lists(inner, min_size=2, max_size=3).map(tuple)
    repeated = st.builds(repeat, inner, BOUNDS, st.sampled_from(["", "", "?", "+"]))
    return listed.map(Chain) | listed.map(Choice) | listed.map(Chain) | repeated | inner.map(Atomic)


NODES = st.recursive(CHARS | REPEATS | REPEATS | LOOKS | ANCHORS, extended, max_leaves=7)
PARTS = st.text("abc\n", max_size=3)


@given(node=NODES, parts=st.lists(PARTS, min_size=3, max_size=5))
@examples(4000)
def test_no_character_is_read_more_often_than_promised(node: Node, parts: list[str]) -> None:
    """In texts that repeat one or two of their parts, where backtracking is worst."""
    alphabet = Alphabet.of(node)
    assume(_work.is_linear(node, alphabet))
    text = "".join(part * (30 if i % 2 else 1) for i, part in enumerate(parts))
    found = NaiveSearch(node, text)
    assert max(found.reads, default=0) <= _work._MOST
    numbers = "".join(chr(alphabet.number(ord(char))) for char in text)
    written = regex.compile(_compiled._written(node, alphabet))
    assert found.matches == [
        (start - 1, end - 1)
        for start, end in (match.span() for match in written.finditer(chr(EDGE) + numbers + chr(EDGE)))
    ]


RUNS = ["a", "A", " ", "\n", " \n", "\r\n", "1", "!", "'", "'l", " a", "漢", "\u0301", "aB", "A\u0301", " !\n", "\xa0"]


@pytest.mark.parametrize("name", sorted(set(KNOWN) - QUADRATIC))
@pytest.mark.slow
def test_long_runs_come_to_an_end(name: str) -> None:
    """In work that grows with the square of the length, each would take minutes."""
    cut = Split(Regex(KNOWN[name]), "isolated")
    for run in RUNS:
        for end in ("", "x", "\n"):
            text = run * (150_000 // len(run)) + end
            assert "".join(piece for piece, _ in cut.pre_tokenize_str(text)) == text


def test_the_pattern_of_nodes_is_that_of_the_text() -> None:
    text = "".join(RUNS) * 3
    matches = NaiveSearch(parsed(KNOWN["GPT-4o"]), text).matches
    assert [text[start:end] for start, end in matches] == [
        piece for piece, _ in Split(Regex(KNOWN["GPT-4o"]), "isolated").pre_tokenize_str(text)
    ]


# --- Many threads


@pytest.mark.parametrize("name", ["GPT-4, Llama 3", "DeepSeek LLM, spaces"])
@pytest.mark.slow
def test_other_threads_take_no_time_away(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search needs a tenth of the limit, and all together ten times as much."""
    monkeypatch.setattr(_search, "_SECONDS", 0.2)
    monkeypatch.setattr(_search, "_CHARACTERS_A_SECOND", 10**9)
    cut, text = Split(Regex(KNOWN[name]), "isolated"), "Some words of a text, 1234 times.\n" * 2000
    expected, refused, start = cut.pre_tokenize_str(text), [], threading.Barrier(100)

    def search() -> None:
        start.wait()
        try:
            assert cut.pre_tokenize_str(text) == expected
        except ValueError as error:
            refused.append(error)

    threads = [threading.Thread(target=search) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []


def test_many_short_searches_have_the_time_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "_SECONDS", 0.0)
    monkeypatch.setattr(_search, "_CHARACTERS_A_SECOND", 10**9)
    with pytest.raises(ValueError, match="did not come to an end within 0 seconds"):
        Split(Regex("b*"), "isolated").pre_tokenize_str("a" * 10_000)


def test_what_a_text_has_become_gives_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "_CHARACTERS_A_SECOND", 1)
    grown = Sequence([Replace("a", "b" * 50), Replace(Regex("(?:b|bb)+$"), "c")])
    with pytest.raises(ValueError, match="did not come to an end within 3 seconds"):
        grown.normalize_str("ad")
