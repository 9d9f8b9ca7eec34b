"""Pre-tokenizers cut where `tokenizers` cuts, and say the same offsets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tokenizers.pre_tokenizers as canonical
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import lines
from tokenizers import Regex as CanonicalRegex

from tokenizers_impl import Regex, Tokenizer, decoders, models, trainers
from tokenizers_impl import pre_tokenizers as ours
from tokenizers_impl._text.splits import Splits

PAIRS = {
    "Whitespace": (ours.Whitespace(), canonical.Whitespace()),
    "WhitespaceSplit": (ours.WhitespaceSplit(), canonical.WhitespaceSplit()),
    "BertPreTokenizer": (ours.BertPreTokenizer(), canonical.BertPreTokenizer()),
    "ByteLevel": (ours.ByteLevel(), canonical.ByteLevel()),
    "ByteLevel, no space": (ours.ByteLevel(add_prefix_space=False), canonical.ByteLevel(add_prefix_space=False)),
    "ByteLevel, no regex": (ours.ByteLevel(use_regex=False), canonical.ByteLevel(use_regex=False)),
    "Metaspace": (ours.Metaspace(), canonical.Metaspace()),
    "Metaspace, first": (ours.Metaspace(prepend_scheme="first"), canonical.Metaspace(prepend_scheme="first")),
    "Metaspace, never": (ours.Metaspace("_", "never"), canonical.Metaspace("_", "never")),
    "Metaspace, whole": (ours.Metaspace(split=False), canonical.Metaspace(split=False)),
    "Sequence of two": (
        ours.Sequence([ours.WhitespaceSplit(), ours.Metaspace(prepend_scheme="first")]),
        canonical.Sequence([canonical.WhitespaceSplit(), canonical.Metaspace(prepend_scheme="first")]),
    ),
    "Sequence of three": (
        ours.Sequence([ours.BertPreTokenizer(), ours.ByteLevel(), ours.Metaspace("Ã")]),
        canonical.Sequence([canonical.BertPreTokenizer(), canonical.ByteLevel(), canonical.Metaspace("Ã")]),
    ),
}
BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
for behavior in BEHAVIORS:
    PAIRS[f"Punctuation, {behavior}"] = (ours.Punctuation(behavior), canonical.Punctuation(behavior))
    for invert in (False, True):
        for pattern in ("a", " ", "", "'s"):
            PAIRS[f"Split {pattern!r}, {behavior}, invert={invert}"] = (
                ours.Split(pattern, behavior, invert),
                canonical.Split(pattern, behavior, invert),
            )
        for pattern in (r"\p{L}+", r"\s+(?!\S)|\s+", "a*", "|a", "^", r"$|\b", "(?<=a)1*"):
            PAIRS[f"Split /{pattern}/, {behavior}, invert={invert}"] = (
                ours.Split(Regex(pattern), behavior, invert),
                canonical.Split(CanonicalRegex(pattern), behavior, invert),
            )
PAIRS |= {
    "Punctuation": (ours.Punctuation(), canonical.Punctuation()),
    "Digits": (ours.Digits(), canonical.Digits()),
    "Digits, individual": (ours.Digits(individual_digits=True), canonical.Digits(individual_digits=True)),
    "CharDelimiterSplit": (ours.CharDelimiterSplit("a"), canonical.CharDelimiterSplit("a")),
    "FixedLength": (ours.FixedLength(), canonical.FixedLength()),
    "FixedLength, 2": (ours.FixedLength(length=2), canonical.FixedLength(length=2)),
    "UnicodeScripts": (ours.UnicodeScripts(), canonical.UnicodeScripts()),
    "Sequence of patterns": (
        ours.Sequence([ours.Split(" ", "merged_with_next"), ours.Digits(), ours.UnicodeScripts(), ours.FixedLength(3)]),
        canonical.Sequence(
            [
                canonical.Split(" ", "merged_with_next"),
                canonical.Digits(),
                canonical.UnicodeScripts(),
                canonical.FixedLength(3),
            ]
        ),
    ),
    "Sequence of Falcon": (
        ours.Sequence(
            [
                ours.Punctuation("contiguous"),
                ours.ByteLevel(add_prefix_space=False),
                ours.Digits(),
                ours.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
            ]
        ),
        canonical.Sequence(
            [
                canonical.Punctuation("contiguous"),
                canonical.ByteLevel(add_prefix_space=False),
                canonical.Digits(),
                canonical.Split(CanonicalRegex("[0-9][0-9][0-9]"), "isolated"),
            ]
        ),
    ),
}
both = pytest.mark.parametrize("name", PAIRS)
# On real text one of each kind.
main = pytest.mark.parametrize("name", [name for name in PAIRS if not name.startswith("Split") or "removed" in name])

# Every class of character, and the strings that rules look for.
PARTS = st.sampled_from(
    [
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\xa0",
        "\u2028",
        "\u3000",
        "\u200d",
        "a",
        "Z",
        "é",
        "ß",
        "漢",
        "क",
        "्",
        "ก",
        "ิ",
        "1",
        "½",
        "٣",
        "'",
        "'s",
        "'re",
        "'ll",
        "'l",
        "’",
        "!",
        "_",
        "▁",
        "Ġ",
        "-",
        "…",
        "€",
        "👩\u200d👩\u200d👧",
        "𝒳",
        "́",
        "\x00",
    ]
)
TEXTS = st.lists(PARTS | st.characters(exclude_categories=["Cs"]), max_size=20).map("".join)


@both
@given(text=TEXTS)
@examples(100)
def test_same_words_at_the_same_places(name: str, text: str) -> None:
    mine, theirs = PAIRS[name]
    assert mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)


CODE_POINT_NAMES = ["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "ByteLevel, no space", "UnicodeScripts"]


@pytest.mark.parametrize(
    "name",
    [
        "BertPreTokenizer",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in [*CODE_POINT_NAMES, "Punctuation, removed", "Digits"]
            if name != "BertPreTokenizer"
        ),
    ],
)
def test_every_code_point(name: str) -> None:
    mine, theirs = PAIRS[name]
    everything = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for begin in range(0, len(everything), 65536):
        text = "\n".join(f"a{char} {char}1" for char in everything[begin : begin + 65536])
        # Compared first as a whole: a picture of the difference between such lists would take minutes.
        same = mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)
        assert same, hex(ord(everything[begin]))


@main
@pytest.mark.parametrize("corpus", ["wikitext2.valid.txt", "iso_names/hi.txt", "iso_names/th.txt", "iso_names/ar.txt"])
def test_real_text(name: str, corpus: str) -> None:
    mine, theirs = PAIRS[name]
    text = "\n".join(lines(f"text/{corpus}"))[:100_000]
    same = mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)
    assert same


@both
def test_the_file_names_them_as_the_library_does(name: str) -> None:
    mine, theirs = PAIRS[name]
    document = canonical_document(theirs)
    assert mine.to_json() == document
    assert ours.from_json(document) == mine


def canonical_document(component: object) -> object:
    """The object of tokenizer.json that the library writes for one of its pre-tokenizers."""
    import json

    from tokenizers import Tokenizer, models

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = component
    return json.loads(tokenizer.to_str())["pre_tokenizer"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ours.Split("a", "Removed"), "behavior='Removed': choose one of removed, isolated"),
        (lambda: ours.Split(3, "removed"), "pattern of the pre-tokenizer Split is 3: expected str or Regex"),
        (lambda: ours.Punctuation(None), "behavior of the pre-tokenizer Punctuation is None: expected str"),
        (lambda: ours.CharDelimiterSplit(""), "delimiter='': expected a string of length 1"),
        (lambda: ours.FixedLength(-1), "length=-1: give a number of characters"),
    ],
)
def test_wrong_options_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_added_tokens_and_gaps_stay() -> None:
    # " a1 |a1b|! a", of which the first character was taken out and the part between bars is an added token.
    splits = Splits.of([" a1 a1b! a"], offsets=True)
    starts, ends, added = np.array([1, 4, 7]), np.array([4, 7, 10]), np.array([-1, 5, -1], np.int32)
    cut = splits._replace(starts=starts, ends=ends, added=added, firsts=np.array([0, 3]))
    expected = {
        ours.Digits(): ["a", "1", " ", "a1b", "! a"],
        ours.Punctuation(): ["a1 ", "a1b", "!", " a"],
        ours.Split("a", "removed"): ["1 ", "a1b", "! "],
        ours.Split("a", "removed", invert=True): ["a", "a1b", "a"],
        ours.Split(Regex(r"^.|\z"), "isolated"): ["a", "1 ", "a1b", "!", " a"],
        ours.FixedLength(2): ["a1", " ", "a1b", "! ", "a"],
        ours.UnicodeScripts(): ["a", "1 ", "a1b", "! ", "a"],
    }
    for pre_tokenizer, texts in expected.items():
        made = pre_tokenizer.cut(cut)
        assert made.texts() == texts, pre_tokenizer
        assert made.added[made.texts().index("a1b")] == 5
        assert made.firsts.tolist() == [0, len(texts)]


NOTHING_LEFT = {
    "-": ({"type": "CharDelimiterSplit", "delimiter": "-"}, {"type": "Punctuation", "behavior": "Isolated"}),
    " ": ({"type": "WhitespaceSplit"}, {"type": "CharDelimiterSplit", "delimiter": " "}),
    "1": (
        {"type": "Split", "pattern": {"String": "1"}, "behavior": "Removed", "invert": False},
        {"type": "Digits", "individual_digits": False},
    ),
    "]": (
        {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": True},
        {"type": "Punctuation", "behavior": "Removed"},
    ),
}


@pytest.mark.parametrize("text", ["", " ", "a b"])
def test_a_sequence_of_nothing_leaves_a_text_whole(text: str) -> None:
    for module in (ours, canonical):
        for steps in ([], [module.Sequence([])]):
            assert module.Sequence(steps).pre_tokenize_str(text) == [(text, (0, len(text)))]
    tokenizer = Tokenizer(models.WordLevel({"a b": 0}, unk_token="a b"))
    tokenizer.pre_tokenizer = ours.Sequence([])
    assert tokenizer.encode(text).ids == [0] * bool(text)


@pytest.mark.parametrize("text", NOTHING_LEFT)
def test_a_step_behind_one_that_left_nothing(text: str) -> None:
    whole = ours.from_json({"type": "Sequence", "pretokenizers": list(NOTHING_LEFT[text])})
    assert whole.pre_tokenize_str(text) == []
    tokenizer = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    tokenizer.pre_tokenizer = whole
    assert [each.ids for each in (tokenizer.encode(text), *tokenizer.encode_batch([text, text]))] == [[], [], []]
    with pytest.warns(UserWarning, match="the corpus has no words"):
        tokenizer.train_from_iterator([text], trainers.WordLevelTrainer(show_progress=False))
    assert tokenizer.get_vocab() == {}


def test_alphabet() -> None:
    assert sorted(ours.ByteLevel.alphabet()) == sorted(canonical.ByteLevel.alphabet())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "Words"}, "pre-tokenizer Words is not supported: use one of .*Whitespace"),
        (
            {"type": "Digits", "individual_digits": 1},
            "individual_digits of the pre-tokenizer Digits is 1: expected bool",
        ),
        ({"type": "CharDelimiterSplit"}, "pre-tokenizer CharDelimiterSplit lacks delimiter: expected str"),
        ({"type": "CharDelimiterSplit", "delimiter": "ab"}, "delimiter='ab': expected a string of length 1"),
        ({"type": "FixedLength", "length": True}, "length of the pre-tokenizer FixedLength is True: expected int"),
        ({"type": "FixedLength", "length": 0}, "length=0: give a number of characters, 1 or more"),
        ({"type": "Punctuation", "behavior": "isolated"}, "the behavior is 'isolated': expected one of Removed, Isol"),
        ({"type": "Punctuation", "behavior": []}, r"the behavior is \[\]: expected one of Removed"),
        ({"type": "Split", "pattern": {"String": "a"}}, "pre-tokenizer Split lacks behavior"),
        ({"type": "Split", "pattern": "a", "behavior": "Removed"}, "the pattern is 'a': expected"),
        (
            {"type": "Split", "pattern": {"Glob": "a"}, "behavior": "Removed"},
            "the pattern is a 'Glob': expected String",
        ),
        ({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Removed"}, "a group that is not closed"),
        ({"type": "Whitespace", "size": 3}, "pre-tokenizer Whitespace has no option size"),
        ({"type": "Metaspace", "replacement": "ab"}, "replacement='ab': expected a string of length 1"),
        ({"type": "Metaspace", "prepend_scheme": "last"}, "prepend_scheme='last': choose one of always, first, never"),
        ([], "the pre-tokenizer is \\[\\]: expected an object"),
    ],
)
def test_a_file_that_asks_for_something_else_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.from_json(data)


def test_a_lone_surrogate_is_named_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"text 0 holds the lone surrogate '\\udc80' at character 2"):
        ours.Whitespace().pre_tokenize_str("ab\udc80")


def test_the_end_of_a_word_in_a_text_comes_back_as_a_space() -> None:
    for end, back in (("·", "a b c"), ("|", "a·b c")):
        words = [word for word, _ in ours.ByteWords(end).pre_tokenize_str("a·b c")]
        assert decoders.ByteWords(end_of_word=end).decode(words) == back
