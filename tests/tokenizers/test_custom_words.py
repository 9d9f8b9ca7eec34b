"""After a pre-tokenizer of the user's, few texts have the tokens that many have, and those of `tokenizers`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from encoding_scenarios import held
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import NORMALIZERS, TEXTS
from properties import examples
from string_steps import CUTS, LIBRARIES, PATTERNS, PLAIN, STEPS, called, change, component

import tokenizers_impl
from tokenizers_impl import NormalizedString, Regex, Tokenizer, models, normalizers, pre_tokenizers
from tokenizers_impl._encoding import inputs, stretches
from tokenizers_impl._encoding.custom_steps import CustomRow
from tokenizers_impl._normalized_string import origins_at
from tokenizers_impl._patterns.search import edges_of, matches
from tokenizers_impl._text.char_map import lower_case
from tokenizers_impl._text.forms import in_form
from tokenizers_impl._text.splits import Splits, stripped
from tokenizers_impl._text.unicode import white_space

SNIPPETS = ["low", "lower", " ", "tok", "\U0001d400", "e\u0301", "\u1100\u1161", "a\u0323\u0307", "\U0001d15e", "①"]
WIDE_TEXTS = TEXTS | st.lists(st.sampled_from(SNIPPETS), max_size=8).map("".join)
# The library takes what comes from nowhere for no character: see `test_normalized_string`.
SAFE_STEPS = STEPS.filter(lambda step: step[0] != "replace" or step[1] not in (["a*"], ["(?=b)"]))
SAFE_CUTS = CUTS.filter(
    lambda cut: (
        cut[0] not in ("tokenize", "pre_tokenizer")
        and not (cut[0] == "normalize" and (cut[1][0] == "append" or cut[1][1:2] in ((["a*"],), (["(?=b)"],))))
    )
)
TOKENS = {token: id for id, token in enumerate(["?", *"abelotwkr漢①", "lo", "low", "tok"])}
MODELS: list[Any] = [
    lambda library: library.models.BPE(TOKENS, [("l", "o"), ("lo", "w")], unk_token="?"),
    lambda library: library.models.WordPiece(TOKENS, unk_token="?"),
    lambda library: library.models.Unigram([(token, -1.0 - id / 4) for token, id in TOKENS.items()], 0),
]


class Own:
    """A normalizer and a pre-tokenizer of the user's, which do these steps and remember what they were given."""

    def __init__(self, library: Any, steps: Sequence[tuple[Any, ...]], cuts: Sequence[tuple[Any, ...]]) -> None:
        self.library, self.steps, self.cuts, self.seen = library, steps, cuts, list[Any]()

    def normalize(self, normalized: Any) -> None:
        self.seen.append((normalized.original, normalized.normalized))
        for step in self.steps:
            if step[0] != "append" or normalized.normalized:
                called(self.library, normalized, step)

    def pre_tokenize(self, pretok: Any) -> None:
        self.seen.append([(text, offsets) for text, offsets, _ in pretok.get_splits()])
        for cut in self.cuts:
            change(self.library, pretok, cut)
        # Takes out empty splits.
        pretok.split(lambda i, split: [split])


def pipeline(library: Any, normalizer: Any, own: Own, model: Any, added: Sequence[str]) -> Any:
    """A tokenizer whose pre-tokenizer is the user's; normalizer: an object of tokenizer.json, or None: the user's."""
    tokenizer = library.Tokenizer(model(library))
    if normalizer is None:
        tokenizer.normalizer = library.normalizers.Normalizer.custom(own)
    else:
        tokenizer.normalizer = component(library, "normalizer", normalizer)
    tokenizer.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(own)
    tokenizer.add_special_tokens([token for token in added if token == "tok"])
    # The library panics where it looks for an added token of which the normalizer leaves nothing.
    if tokenizer.normalizer.normalize_str("lower"):
        tokenizer.add_tokens([token for token in added if token == "lower"])
    own.seen.clear()
    return tokenizer


@examples(500)
@given(
    st.none() | st.sampled_from(NORMALIZERS),
    st.lists(SAFE_STEPS, max_size=2),
    st.lists(SAFE_CUTS, max_size=3),
    st.sampled_from(MODELS),
    st.lists(st.sampled_from(["tok", "lower"]), max_size=2),
    st.lists(WIDE_TEXTS, min_size=1, max_size=3),
)
def test_a_pre_tokenizer_of_the_users(
    normalizer: Any, steps: Any, cuts: Any, model: Any, added: list[str], texts: list[str]
) -> None:
    mine, theirs = (Own(library, steps, cuts) for library in LIBRARIES)
    ours = pipeline(tokenizers_impl, normalizer, mine, model, added)
    peer = pipeline(LIBRARIES[1], normalizer, theirs, model, added)
    expected = [held(peer.encode(text)) for text in texts]
    # The second time nothing is new.
    for _ in range(2):
        mine.seen.clear()
        assert [held(ours.encode(text)) for text in texts] == expected
        assert mine.seen == theirs.seen
    mine.seen.clear()
    with patch.object(inputs, "FEW", -1):
        assert [held(ours.encode(text)) for text in texts] == expected
    assert mine.seen == theirs.seen


def small(*cuts: tuple[Any, ...], model: Any = None) -> tuple[Tokenizer, Own]:
    """A small tokenizer with a pre-tokenizer of the user's alone."""
    own = Own(tokenizers_impl, [], cuts)
    tokenizer = Tokenizer(MODELS[0](tokenizers_impl) if model is None else model)
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(own)
    return tokenizer, own


def is_looked_up(tokenizer: Tokenizer, text: str) -> bool:
    return isinstance(tokenizer.encode(text)._rows, CustomRow)


def test_words_are_looked_up() -> None:
    tokenizer, _ = small(("split", " ", "removed"))
    tokenizer.add_special_tokens(["tok"])
    tokenizer.add_tokens(["lower"])
    assert is_looked_up(tokenizer, "low")
    assert is_looked_up(tokenizer, "")
    assert not is_looked_up(tokenizer, "low tok")
    assert not is_looked_up(tokenizer, "low lower")
    assert not is_looked_up(tokenizer, "low" * 100)
    tokenizer.normalizer = normalizers.Lowercase()
    assert is_looked_up(tokenizer, "LOW")
    assert not is_looked_up(tokenizer, "LOWER")
    assert not is_looked_up(small(model=models.BPE(TOKENS, [("l", "o")], dropout=0.5, unk_token="?"))[0], "low")


def test_an_option_that_is_set_makes_the_words_anew() -> None:
    tokenizer, _ = small()
    before = tokenizer.encode("x").ids
    tokenizer.model.unk_token = "a"  # type: ignore[attr-defined]
    assert tokenizer.encode("x").ids != before


def test_words_beyond_the_most_are_made_anew() -> None:
    tokenizer, _ = small(("split", " ", "removed"))
    with patch.object(stretches, "_MOST", 3):
        for text in ("a b", "b low", "lo a", "a b"):
            assert tokenizer.encode(text).tokens == text.split()


def test_errors_are_those_of_the_arrays_and_no_text_is_given_twice() -> None:
    tokenizer, own = small(("split", " ", "removed"), model=models.Unigram([("a", -1.0), ("b", -2.0)]))
    for batch, calls in ((["a b", "b c"], 2), (["a", "a \ud800"], 0)):
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as expected, patch.object(inputs, "FEW", -1):
            tokenizer.encode_batch(batch)
        own.seen.clear()
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as found:
            tokenizer.encode_batch(batch)
        assert str(found.value) == str(expected.value)
        assert len(own.seen) == calls


class Keeps:
    """Keeps the words that it makes."""

    def __init__(self) -> None:
        self.kept = list[NormalizedString]()

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(self.words)

    def words(self, i: int, split: NormalizedString) -> list[NormalizedString]:
        self.kept = split.split(" ", "removed")
        return self.kept


def test_words_that_are_kept_change_no_encoding_afterwards() -> None:
    tokenizer, own = Tokenizer(MODELS[0](tokenizers_impl)), Keeps()
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(own)
    encoding = tokenizer.encode("low a")
    for word in own.kept:
        word.prepend("lo")
        word.filter(lambda char: char == "o")
    assert encoding.offsets == [(0, 3), (4, 5)]
    assert tokenizer.encode("low a").tokens == encoding.tokens == ["low", "a"]


class ChangesWhatItKept:
    """Changes the strings that it got and made for earlier texts."""

    def __init__(self) -> None:
        self.kept = list[NormalizedString]()

    def change_kept(self) -> None:
        for string in self.kept:
            string.uppercase()
        self.kept = []

    def normalize(self, normalized: NormalizedString) -> None:
        self.change_kept()
        self.kept.append(normalized)

    def pre_tokenize(self, pretok: Any) -> None:
        self.change_kept()
        pretok.normalize(self.kept.append)
        pretok.split(self.words)

    def words(self, i: int, split: NormalizedString) -> list[NormalizedString]:
        made = split.split(" ", "removed")
        self.kept += made
        return made


@pytest.mark.parametrize("few", [inputs.FEW, -1])
@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer"])
def test_strings_that_are_kept_change_no_earlier_text_of_the_batch(part: str, few: int) -> None:
    tokenizer, own = Tokenizer(models.WordLevel({"lo": 0, "a": 1, "?": 2}, unk_token="?")), ChangesWhatItKept()
    if part == "normalizer":
        tokenizer.normalizer = normalizers.Normalizer.custom(own)
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(own)
    with patch.object(inputs, "FEW", few):
        assert [each.tokens for each in tokenizer.encode_batch(["lo a", "a", "lo"])] == [["lo", "a"], ["a"], ["lo"]]


# Strings change texts in Python as arrays do


@examples(500)
@given(WIDE_TEXTS, st.sampled_from(PATTERNS))
def test_edges_are_those_of_the_matches_in_arrays(text: str, wanted: Any) -> None:
    pattern = Regex(*wanted) if isinstance(wanted, list) else wanted
    found = matches(pattern, Splits.of([text], offsets=False))
    spans = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    inner = [edge for span in spans for edge in span] if pattern != "" else []
    assert edges_of(pattern, text) == [0, *inner, len(text)]


def in_arrays(text: str, method: str) -> Splits:
    """What the arrays make of a text."""
    splits = Splits.of([text], offsets=True)
    if method.startswith("nf"):
        return in_form(splits, compatibility="k" in method, composes=method.endswith("c"))
    if method.endswith("strip"):
        return stripped(splits, left=method != "rstrip", right=method != "lstrip")
    return lower_case().apply(splits)


@examples(1000)
@given(WIDE_TEXTS, st.sampled_from([name for name in PLAIN if name not in ("uppercase", "clear")]))
def test_methods_do_what_the_arrays_do(text: str, method: str) -> None:
    string, splits = NormalizedString(text), in_arrays(text, method)
    getattr(string, method)()
    part = slice(int(splits.starts[0]), int(splits.ends[0]))
    assert [string.normalized] == splits.texts()
    assert origins_at([string.places]).tolist() == splits.origins[part].tolist()


def test_lower_case_is_that_of_the_arrays() -> None:
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    string = NormalizedString(text)
    string.lowercase()
    assert [string.normalized] == lower_case().apply(Splits.of([text], offsets=False)).texts()


def test_white_space_is_that_of_the_library() -> None:
    chars = {*white_space(), *(chr(code) for code in range(0x3001) if chr(code).isspace()), "\u200b", "\ufeff"}
    for char in sorted(chars):
        strings = [library.NormalizedString(f"{char}a{char}") for library in LIBRARIES]
        for string in strings:
            string.strip()
        assert strings[0].normalized == strings[1].normalized
    assert len(white_space()) == 25
