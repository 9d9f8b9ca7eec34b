"""Few texts are encoded stretch by stretch, with the results of the arrays and of `tokenizers`."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import patch

import pytest
import tokenizers
from encoding_scenarios import held
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import NORMALIZERS as NORMALIZER_FILES
from pipeline_steps import PRE_TOKENIZERS as PRE_TOKENIZER_FILES
from properties import examples
from string_steps import LIBRARIES, STEPS, called

import tokenizers_impl
from tokenizers_impl import AddedToken, NormalizedString, Tokenizer, models, normalizers, pre_tokenizers, processors
from tokenizers_impl._encoding import inputs, post_processing, stretches
from tokenizers_impl._encoding.custom_steps import CustomRow
from tokenizers_impl._encoding.stretches import Stretch, StretchRow
from tokenizers_impl._normalized_string import Strings

NORMALIZERS = [
    *map(normalizers.from_json, NORMALIZER_FILES),
    *(
        normalizers.BertNormalizer(strip_accents=strips, lowercase=lowers)
        for strips, lowers in ((True, False), (False, True))
    ),
    *(normalizers.Replace(pattern, content) for pattern in ("a", "tok") for content in ("", " ", " \u0301", "-+")),
]
PRE_TOKENIZERS = [
    *map(pre_tokenizers.from_json, PRE_TOKENIZER_FILES),
    pre_tokenizers.ByteLevel(add_prefix_space=False),
    pre_tokenizers.Metaspace("▁", "never"),
]
TOKENS = {token: id for id, token in enumerate(["<unk>", *"abcelotwk<>m[S]é漢", "lo", "low", "##w", "ab", "to", "tok"])}
SCORED = [(token, -float(len(token) % 7) - 0.5 * (id % 3)) for token, id in TOKENS.items()]
MODELS: list[models.Model] = [
    models.BPE(TOKENS, [("l", "o"), ("lo", "w"), ("a", "b"), ("t", "o")], unk_token="<unk>"),
    models.BPE({**TOKENS, "low</w>": 50}, [], end_of_word_suffix="</w>"),
    models.Unigram(SCORED, 0),
    models.WordLevel(TOKENS, unk_token="<unk>"),
    models.WordPiece(TOKENS, unk_token="<unk>"),
]
PROCESSORS = [
    processors.BertProcessing(("low", 20), ("<unk>", 0)),
    processors.RobertaProcessing(("low", 20), ("<unk>", 0), trim_offsets=True, add_prefix_space=False),
    processors.ByteLevel(trim_offsets=True),
    processors.TemplateProcessing("<unk> $A low", "<unk> $A low $B:1 low:1", [("low", 20), ("<unk>", 0)]),
    processors.TemplateProcessing("$A $A", "$B:1 $A", []),
]
SNIPPETS = [
    "low",
    "tok",
    "xtok",
    "you're",
    "'s",
    "ab",
    "a.b",
    "12",
    "a-b",
    "漢字",
    "[S]",
    "a[S]b",
    "<m>",
    "▁a",
    "é",
    "e\u0301",
]
LOCAL = [each for each in NORMALIZERS if stretches._is_local(each)]
SPLITTING = [each for each in PRE_TOKENIZERS if each.takes_pieces]
# What normalizers remove, turn into spaces or compose, next to spaces.
ODD = [
    "  ",
    "\t",
    "\u3000",
    "\u00a0",
    "\x0b",
    "\x07",
    "\u200b",
    "\ufeff",
    "\u0301",
    "\u0600",
    "\ufe70",
    "\u00a8",
    "\u1161",
]
TEXTS = st.lists(st.sampled_from([*SNIPPETS, *ODD, " ", " ", " "]), max_size=9).flatmap(
    lambda snippets: st.sampled_from(["", " "]).map(lambda between: between.join(snippets))
)
NORMAL = st.builds(
    lambda steps, strips: normalizers.Sequence([*steps, normalizers.Strip()] if strips else steps),
    st.lists(st.sampled_from(LOCAL), max_size=3),
    st.booleans(),
)
CUTTING = st.sampled_from(SPLITTING) | st.builds(
    lambda first, second: pre_tokenizers.Sequence([first, second]),
    st.sampled_from(SPLITTING),
    st.sampled_from([each for each in PRE_TOKENIZERS if not each.is_custom]),
)
ADDED = [
    AddedToken("tok"),
    AddedToken("tok", single_word=True),
    AddedToken("é", normalized=True),
    AddedToken("<m>", lstrip=True),
    AddedToken("[S]", special=True),
    AddedToken(" a"),
    AddedToken("w "),
]


@pytest.fixture(autouse=True, scope="module")
def of_any_length() -> Iterator[None]:
    """The stretches of all texts are kept at once, not only those of short texts."""
    with patch.object(stretches, "_SHORT", inputs.FEW):
        yield


def in_arrays(tokenizer: Tokenizer, batch: Sequence[Any], **options: Any) -> list[Any]:
    with patch.object(inputs, "FEW", -1), patch.object(post_processing, "_FEW", 0):
        return list(map(held, tokenizer.encode_batch(batch, **options)))


def stretch_by_stretch(tokenizer: Tokenizer, batch: Sequence[Any], **options: Any) -> list[Any]:
    return list(map(held, tokenizer.encode_batch(batch, **options)))


def is_stretched(tokenizer: Tokenizer, text: str) -> bool:
    return isinstance(tokenizer.encode(text)._rows, StretchRow)


def small(**parts: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece({"low": 0, "##er": 1, "new": 2, "[UNK]": 3}))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    return tokenizer


@examples(3000)
@given(
    NORMAL, CUTTING, st.sampled_from(MODELS), st.lists(st.sampled_from(ADDED), max_size=2), st.lists(TEXTS, min_size=1)
)
def test_any_pipeline(
    normalizer: Any, pre_tokenizer: Any, model: Any, added: list[AddedToken], batch: list[str]
) -> None:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    tokenizer.add_tokens(added)
    expected = in_arrays(tokenizer, batch)
    # Twice: when the stretches are new, and when they are known from other texts.
    for text, each in zip(batch, expected, strict=True):
        assert held(tokenizer.encode(text)) == each
    assert stretch_by_stretch(tokenizer, batch[::-1]) == expected[::-1]
    fast = [encoding.ids for encoding in tokenizer.encode_batch_fast(batch)]
    assert fast == [each[1] for each in expected]


@examples(500)
@given(
    st.sampled_from(PROCESSORS) | st.none(),
    st.lists(TEXTS | st.tuples(TEXTS, TEXTS), min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_any_post_processing(processor: Any, batch: list[Any], cuts: bool, pads: bool, adds: bool) -> None:
    tokenizer = Tokenizer(MODELS[0])
    tokenizer.pre_tokenizer, tokenizer.post_processor = pre_tokenizers.ByteLevel(), processor
    if cuts:
        tokenizer.enable_truncation(6, stride=1)
    if pads:
        tokenizer.enable_padding(pad_to_multiple_of=4)

    def outcome(run: Any) -> Any:
        try:
            return run(tokenizer, batch, add_special_tokens=adds)
        except ValueError as error:
            return str(error)

    expected = outcome(in_arrays)
    assert outcome(stretch_by_stretch) == expected
    assert outcome(stretch_by_stretch) == expected


def library(tokenizer: Tokenizer) -> Any:
    return tokenizers.Tokenizer.from_str(tokenizer.to_str())


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_texts_at_the_crossing_point(more: int) -> None:
    tokenizer = small()
    text = "low lower newer " * 320
    batch = [text[: inputs.FEW + more - 16], "lower new low er"]
    assert sum(map(len, batch)) == inputs.FEW + more
    expected = [(each.ids, each.tokens, each.offsets, each.word_ids) for each in library(tokenizer).encode_batch(batch)]
    for _ in range(3):
        found = tokenizer.encode_batch(batch)
        assert [(each.ids, each.tokens, each.offsets, each.word_ids) for each in found] == expected
        assert isinstance(found[0]._rows, StretchRow) is (more <= 0)


def test_stretches_are_used() -> None:
    tokenizer = small()
    assert is_stretched(tokenizer, "low lower")
    for steps in ([normalizers.Strip()], [normalizers.NFKC(), normalizers.Strip()]):
        tokenizer = small(normalizer=normalizers.Sequence(steps))
        assert is_stretched(tokenizer, "low lower")
        assert not is_stretched(tokenizer, " low lower")
        assert not is_stretched(tokenizer, "low lower ")


def test_stretches_of_chinese_are_kept_by_berts_pipeline() -> None:
    """BertNormalizer puts spaces around every character, next to those of the text."""
    tokenizer = Tokenizer(models.WordPiece(TOKENS, unk_token="<unk>"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    text = "漢漢 漢 low"
    assert held(tokenizer.encode(text)) == in_arrays(tokenizer, [text])[0]
    assert is_stretched(tokenizer, text)


@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": None},
        {"pre_tokenizer": pre_tokenizers.Digits()},
        {"normalizer": normalizers.Prepend("low")},
        {"normalizer": normalizers.Replace(" ", "_")},
        {"normalizer": normalizers.Sequence([normalizers.Strip(), normalizers.Lowercase()])},
        {"model": models.BPE({"l": 0, "o": 1, "lo": 2}, [("l", "o")], dropout=0.5)},
    ],
)
def test_pipelines_that_are_not_divided(parts: dict[str, Any]) -> None:
    assert not is_stretched(small(**parts), "low lower")


def test_an_added_token_with_a_space_is_found() -> None:
    tokenizer = small()
    tokenizer.add_tokens(["low new"])
    assert tokenizer.encode("low new").tokens == ["low new"]


def test_another_option_of_the_model_counts_at_once() -> None:
    model = models.WordPiece({"low": 0, "##er": 1, "[UNK]": 2, "?": 3})
    tokenizer = small(model=model)
    assert tokenizer.encode("low xyz").tokens == ["low", "[UNK]"]
    model.unk_token = "?"
    assert tokenizer.encode("low xyz").tokens == ["low", "?"]
    bpe = models.BPE({"l": 0, "o": 1, "lo": 2}, [("l", "o")])
    tokenizer = small(model=bpe)
    assert tokenizer.encode("lo lo").tokens == ["lo", "lo"]
    bpe.dropout = 1.0
    assert tokenizer.encode("lo lo").tokens == ["l", "o", "l", "o"]
    bpe.dropout = None
    assert tokenizer.encode("lo x").tokens == ["lo"]
    bpe.unk_token = "l"
    assert tokenizer.encode("lo x").tokens == ["lo", "l"]


def test_another_part_counts_at_once() -> None:
    tokenizer = small()
    assert tokenizer.encode("LOW low").tokens == ["[UNK]", "low"]
    tokenizer.normalizer = normalizers.Lowercase()
    assert tokenizer.encode("LOW low").tokens == ["low", "low"]
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    assert tokenizer.encode("low,low low").tokens == ["low", "[UNK]", "low", "low"]
    tokenizer.add_tokens(["wer"])
    assert tokenizer.encode("LOW lower").tokens == ["low", "[UNK]", "wer"]


def test_what_was_seen_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "_MOST", 50)
    tokenizer = small()
    for number in range(300):
        text = f"low lower{number} new{number}"
        assert held(tokenizer.encode(text)) == in_arrays(tokenizer, [text])[0]
    assert len(tokenizer._parts.stretches._seen) <= 50 + 3
    text = "low " + "new" * 200
    assert held(tokenizer.encode(text)) == in_arrays(tokenizer, [text])[0]
    assert not is_stretched(tokenizer, text)


def test_stretches_of_longer_texts_are_kept_when_these_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "_SHORT", 7)
    tokenizer = small()
    assert is_stretched(tokenizer, "low new")
    assert [is_stretched(tokenizer, "lower newer") for _ in range(3)] == [False, True, True]
    assert is_stretched(tokenizer, "low newer")
    batch = ["low", "newlow"]
    kinds = [isinstance(tokenizer.encode_batch(batch)[1]._rows, StretchRow) for _ in range(2)]
    assert kinds == [False, True]


def test_pickles_and_copies_do_not_depend_on_what_was_seen() -> None:
    for model in MODELS:
        tokenizer = small(model=model)
        before = pickle.dumps(tokenizer)
        tokens = tokenizer.encode("low lower").tokens
        assert pickle.dumps(tokenizer) == before
        assert copy.deepcopy(tokenizer).encode("low lower").tokens == tokens


def test_results_are_the_callers_own() -> None:
    tokenizer = small()
    for name in ("ids", "tokens", "offsets", "word_ids"):
        expected = list(getattr(tokenizer.encode("low"), name))
        getattr(tokenizer.encode("low"), name).clear()
        assert getattr(tokenizer.encode("low"), name) == expected


def test_threads_share_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "_MOST", 40)
    tokenizer = small()
    texts = [f"low{i % 37} lower{i % 11} new" for i in range(600)]
    expected = in_arrays(tokenizer, texts)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: held(tokenizer.encode(text)), texts)) == expected


def test_another_thread_may_keep_the_stretches_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, new, texts = small(), stretches.Seen.new, list[str]()

    def meanwhile(seen: stretches.Seen, text: str) -> set[str]:
        texts.append(text)
        if len(texts) == 1:
            assert is_stretched(tokenizer, text)
        return new(seen, text)

    monkeypatch.setattr(stretches.Seen, "new", meanwhile)
    assert is_stretched(tokenizer, "low newer")
    assert texts == ["low newer"] * 2


def test_errors_are_those_of_the_arrays() -> None:
    tokenizer = small(model=models.Unigram([("a", -1.0), ("b", -2.0)]), pre_tokenizer=pre_tokenizers.Whitespace())
    for batch in (["a b", "b c"], ["a b", "b c"], ["a", "a \ud800"]):
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as expected:
            in_arrays(tokenizer, batch)
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as found:
            tokenizer.encode_batch(batch)
        assert str(found.value) == str(expected.value)


def test_template_and_padding_after_stretches() -> None:
    tokenizer = small(post_processor=processors.TemplateProcessing("low $A", None, [("low", 0)]))
    tokenizer.enable_padding(pad_token="[UNK]", pad_id=3)
    theirs = library(tokenizer).encode_batch(["lower new", "new"])
    for _ in range(2):
        mine = tokenizer.encode_batch(["lower new", "new"])
        assert [(a.ids, a.type_ids, a.offsets) for a in mine] == [(b.ids, b.type_ids, b.offsets) for b in theirs]


# --- After a normalizer of the user's


class Normalizes:
    """Does other steps with each text that it gets, in turn, and remembers what it was given."""

    def __init__(self, library: Any, *turns: list[tuple[Any, ...]]) -> None:
        self.library, self.turns, self.seen = library, turns, list[tuple[str, str]]()

    def normalize(self, normalized: Any) -> None:
        turn = self.turns[len(self.seen) % len(self.turns)]
        self.seen.append((normalized.original, normalized.normalized))
        for step in turn:
            # What is put into nothing comes from nowhere, and the library loses it.
            if step[0] != "append" or normalized.normalized:
                called(self.library, normalized, step)


def customized(own: Any, *others: Any, **parts: Any) -> Tokenizer:
    """The small tokenizer with a normalizer of the user's before others."""
    steps = [normalizers.Normalizer.custom(own), *others]
    return small(normalizer=normalizers.Sequence(steps), **parts)


# What takes the empty string at the beginning for a match puts characters there that the library then loses.
OWN_STEPS = STEPS.filter(lambda step: step[0] != "replace" or step[1] not in (["a*"], ["(?=b)"])) | st.tuples(
    st.sampled_from(["prepend", "append"]), st.sampled_from([" ", "low ", " low", "tok", "[S]", "\u0301"])
)
TURNS = st.lists(st.lists(OWN_STEPS, max_size=3), min_size=1, max_size=2)


def outcomes(tokenizer: Tokenizer, own: Normalizes, texts: list[str], run: Any) -> tuple[Any, Any]:
    own.seen.clear()
    return run(tokenizer, texts), own.seen.copy()


@examples(2000)
@given(
    TURNS,
    st.lists(st.sampled_from(LOCAL), max_size=2),
    st.sampled_from([[], [normalizers.Strip()], [normalizers.Prepend("low")]]),
    CUTTING,
    st.sampled_from(MODELS),
    st.lists(st.sampled_from(ADDED), max_size=2),
    st.lists(TEXTS, min_size=1, max_size=5),
)
def test_any_pipeline_after_the_users(
    turns: Any, local: Any, last: Any, pre_tokenizer: Any, model: Any, added: Any, texts: list[str]
) -> None:
    own = Normalizes(tokenizers_impl, *turns)
    tokenizer = customized(own, *local, *last, model=model, pre_tokenizer=pre_tokenizer)
    tokenizer.add_tokens(added)
    expected = outcomes(tokenizer, own, texts, in_arrays)
    # Twice: when the stretches are new, and when they are known.
    assert outcomes(tokenizer, own, texts, stretch_by_stretch) == expected
    assert outcomes(tokenizer, own, texts, stretch_by_stretch) == expected
    own.seen.clear()
    assert [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)] == [each[1] for each in expected[0]]


def shared(library: Any, turns: Any, cut: Any, normalized: bool) -> tuple[Any, Normalizes]:
    """A tokenizer of either library with a normalizer of the user's, byte-level words and added tokens."""
    own = Normalizes(library, *turns)
    alphabet = [*sorted(library.pre_tokenizers.ByteLevel.alphabet()), "lo", "low", "Ġlow"]
    vocabulary = {token: id for id, token in enumerate(alphabet)}
    tokenizer = library.Tokenizer(library.models.BPE(vocabulary, [("l", "o"), ("lo", "w"), ("Ġ", "low")]))
    first = library.normalizers.Normalizer.custom(own)
    tokenizer.normalizer = library.normalizers.Sequence([first, library.normalizers.Lowercase()])
    tokenizer.pre_tokenizer = cut(library)
    tokenizer.post_processor = library.processors.ByteLevel(trim_offsets=True)
    tokenizer.add_special_tokens(["[S]"])
    # The library panics where it looks for an added token of which the normalizer leaves nothing.
    if normalized and tokenizer.normalizer.normalize_str("tok"):
        tokenizer.add_tokens(["tok"])
    own.seen.clear()
    return tokenizer, own


@examples(1000)
@given(
    st.lists(OWN_STEPS, max_size=3).map(lambda steps: [steps]),
    st.sampled_from(
        [
            lambda library: library.pre_tokenizers.ByteLevel(add_prefix_space=False),
            lambda library: library.pre_tokenizers.Sequence(
                [library.pre_tokenizers.WhitespaceSplit(), library.pre_tokenizers.ByteLevel(add_prefix_space=True)]
            ),
            lambda library: library.pre_tokenizers.Metaspace(prepend_scheme="first"),
        ]
    ),
    st.booleans(),
    st.lists(TEXTS, min_size=1, max_size=3),
)
def test_a_normalizer_of_the_users_in_either_library(turns: Any, cut: Any, normalized: bool, texts: list[str]) -> None:
    (mine, own), (theirs, their_own) = [shared(library, turns, cut, normalized) for library in LIBRARIES]
    pairs = list(zip(texts, texts[::-1], strict=True))
    for _ in range(2):
        own.seen.clear()
        their_own.seen.clear()
        for text in texts:
            assert held(mine.encode(text)) == held(theirs.encode(text))
        assert own.seen == their_own.seen
        # The library's threads give the object these in any order.
        assert list(map(held, mine.encode_batch(pairs))) == list(map(held, theirs.encode_batch(pairs)))


def test_stretches_after_a_normalizer_of_the_users_are_used() -> None:
    def is_customized(tokenizer: Tokenizer, text: str) -> bool:
        return isinstance(tokenizer.encode(text)._rows, CustomRow)

    own = Normalizes(tokenizers_impl, [("lowercase",)])
    tokenizer = customized(own)
    tokenizer.add_special_tokens(["[S]"])
    assert is_customized(tokenizer, "LOW lower")
    assert not is_customized(tokenizer, "LOW [S] lower")
    assert is_customized(customized(own, normalizers.NFC(), normalizers.Strip()), "LOW lower")
    assert is_customized(small(normalizer=normalizers.Normalizer.custom(own)), "LOW lower")
    assert not is_customized(customized(own, normalizers.Prepend("low")), "LOW lower")
    assert not is_customized(customized(own, pre_tokenizer=pre_tokenizers.Metaspace("_", "first")), "LOW lower")
    assert not is_customized(customized(Normalizes(tokenizers_impl, [("append", " low" * 1300)])), "low")


def test_a_token_that_covers_no_character_is_at_the_end_of_its_word() -> None:
    stretch = Stretch([0, 1], ["w", "</w>"], [(0, 1), (1, 1)], [0, 0], 1, 1)
    word = NormalizedString("low").slice(2)
    assert word
    assert CustomRow([stretch], True, Strings([word])).offsets(slice(None)) == [(2, 3), (3, 3)]


def test_the_users_normalizer_gets_no_text_twice_where_the_arrays_take_over() -> None:
    own = Normalizes(tokenizers_impl, [("prepend", "low" * 100)])
    tokenizer = customized(own)
    texts = ["new", "", "low"]
    assert stretch_by_stretch(tokenizer, texts) == in_arrays(tokenizer, texts)
    assert own.seen == [("new", "new"), ("low", "low")] * 2


def test_errors_after_a_normalizer_of_the_users_are_those_of_the_arrays() -> None:
    own = Normalizes(tokenizers_impl, [("lowercase",)])
    model = models.Unigram([("a", -1.0), ("b", -2.0)])
    tokenizer = customized(own, model=model, pre_tokenizer=pre_tokenizers.Whitespace())
    for batch, calls in ((["a b", "b c"], 4), (["a", "a \ud800"], 0)):
        own.seen.clear()
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as expected:
            in_arrays(tokenizer, batch)
        with pytest.raises(ValueError, match=r"unk_id|surrogate") as found:
            tokenizer.encode_batch(batch)
        assert str(found.value) == str(expected.value)
        assert len(own.seen) == calls
