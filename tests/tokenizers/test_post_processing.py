"""Whole inputs beside `tokenizers`: added tokens, pairs, lists of words, truncation, special tokens, padding."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest
import tokenizers
from encoding_scenarios import (
    TEXTS,
    added_tokens,
    answers,
    built,
    held,
    model,
    options_of_padding,
    options_of_truncation,
    outcome,
    processors,
    tells_sequences_apart,
    without_texts,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties import examples
from shared_data import beginning

import tokenizers_impl
from tokenizers_impl import processors as mine
from tokenizers_impl._encoding import post_processing
from tokenizers_impl._encoding.arranged import ArrangedBatch
from tokenizers_impl._encoding.laid_out import LaidOutRow

LIBRARIES = (tokenizers_impl, tokenizers)


def assert_no_worse(ours: Any, theirs: Any) -> None:
    """Equal, save where the library panics on a token in white space that the one before has taken along."""
    assert theirs == "failed" or ours == theirs


@given(data=st.data())
@settings(examples(150), suppress_health_check=list(HealthCheck))
def test_everything_an_encoding_holds_is_the_same(data: st.DataObject) -> None:
    description = {
        "tokens": data.draw(added_tokens()),
        "normalizer": data.draw(st.sampled_from([None, "NFC", "Lowercase"])),
        "pre_tokenizer": data.draw(st.sampled_from([None, "ByteLevel", "Whitespace", "Metaspace"])),
        "processor": data.draw(st.none() | processors()),
        "truncation": data.draw(st.none() | options_of_truncation()),
        "padding": data.draw(st.none() | options_of_padding()),
        "encode_special_tokens": data.draw(st.booleans()),
    }
    pretokenized, special = data.draw(st.booleans()), data.draw(st.booleans())
    sequence: Any = st.lists(TEXTS, max_size=3) if pretokenized else TEXTS
    inputs = data.draw(st.lists(sequence | st.tuples(sequence, sequence), max_size=4))
    options = {"is_pretokenized": pretokenized, "add_special_tokens": special}
    ours, theirs = (built(library, description) for library in LIBRARIES)
    for is_pair in (True, False):
        assert ours.num_special_tokens_to_add(is_pair) == theirs.num_special_tokens_to_add(is_pair)
    assert (ours.truncation, ours.padding) == (theirs.truncation, theirs.padding)
    assert ours.to_str() == theirs.to_str() == tokenizers_impl.Tokenizer.from_str(theirs.to_str()).to_str()
    # The rows of few inputs are made one by one, those of many at once.
    with patch.object(post_processing, "_FEW", data.draw(st.sampled_from([0, 8]))):
        batches = [outcome(each.encode_batch, inputs, **options) for each in (ours, theirs)]
    assert_no_worse(*[each if each == "failed" else [held(e) for e in each] for each in batches])
    for pair in zip(*batches, strict=True) if "failed" not in batches else ():
        if tells_sequences_apart(pair[0]):
            assert answers(pair[0]) == answers(pair[1])
    fast = [outcome(each.encode_batch_fast, inputs, **options) for each in (ours, theirs)]
    assert_no_worse(*[each if each == "failed" else [without_texts(held(e)) for e in each] for each in fast])
    for each in inputs:
        arguments = each if isinstance(each, tuple) else (each,)
        single = [outcome(tokenizer.encode, *arguments, **options) for tokenizer in (ours, theirs)]
        assert_no_worse(*[found if found == "failed" else held(found) for found in single])


@pytest.mark.parametrize("more", [0, 1])
def test_rows_at_the_crossing_point(more: int) -> None:
    description = {
        "processor": (
            "TemplateProcessing",
            {"single": "[S] $A [S]", "pair": "$A [S] $B:1", "special_tokens": [("[S]", 300)]},
        ),
        "truncation": {"max_length": 9, "stride": 2},
        "padding": {"pad_to_multiple_of": 4, "direction": "left"},
    }
    inputs = [("ab" * i, "a b c" * i) if i % 3 else "c a b" * i for i in range(post_processing._FEW + more)]
    ours, theirs = (built(library, description).encode_batch(inputs) for library in LIBRARIES)
    assert [held(each) for each in ours] == [held(each) for each in theirs]
    assert {type(each._rows) for each in ours} == {ArrangedBatch if more else LaidOutRow}


CORPORA = ["gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.valid.txt", "iso_names/hi.txt", "iso_names/th.txt"]


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.slow
def test_real_text_is_the_same(corpus: str, direction: str) -> None:
    lines = [line[:150] for line in beginning(f"text/{corpus}").split("\n")[:200]]
    inputs = [(line, lines[i - 1]) if i % 3 == 0 else line for i, line in enumerate(lines)]
    tokens = [("<m>", {"lstrip": True}), ("the", {"single_word": True}), ("の", {"rstrip": True, "normalized": False})]
    wrapping = {"sep": ("[SEP]", 301), "cls_token": ("[CLS]", 300), "add_prefix_space": direction == "left"}
    description = {
        "tokens": tokens,
        "normalizer": "NFC",
        "pre_tokenizer": "ByteLevel",
        "processor": ("RobertaProcessing", wrapping),
        "truncation": {"max_length": 40, "stride": 7, "direction": direction},
        "padding": {"pad_to_multiple_of": 8, "direction": direction, "pad_id": 5},
        "encode_special_tokens": False,
    }
    ours, theirs = (built(library, description).encode_batch(inputs) for library in LIBRARIES)
    assert [held(each, 1) for each in ours] == [held(each, 1) for each in theirs]


def test_many_parts_are_padded_to_one_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizers_impl._core.parallel._SMALLEST_PART", 20)
    monkeypatch.setattr("tokenizers_impl._core.parallel._LARGEST_PART", 30)
    inputs = [("ab" * (i % 9), "c" * (i % 4)) if i % 3 else "a b" * (i % 13) for i in range(60)]
    words = [[["a", "b" * (i % 7)], []] if i % 2 else ["a"] * (i % 5) for i in range(60)]
    found: list[Any] = []
    for library in LIBRARIES:
        tokenizer = library.Tokenizer(model(library))
        tokenizer.enable_padding()
        batches = tokenizer.encode_batch(inputs), tokenizer.encode_batch(words, is_pretokenized=True)
        found.append([held(each) for batch in batches for each in batch])
    assert found[0] == found[1]
    with pytest.raises(ValueError, match="text 41 is 3: give a string"):
        built(tokenizers_impl, {}).encode_batch(["a long text of some words"] * 41 + [3])


def test_a_token_in_white_space_that_is_taken_stays() -> None:
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    tokens = [("<m>", {"rstrip": True}), (" ", {"lstrip": True})]
    tokenizer.add_tokens([tokenizers_impl.AddedToken(content, **flags) for content, flags in tokens])
    assert tokenizer.encode("a<m>  b").offsets == [(0, 1), (1, 6), (4, 5), (5, 6), (6, 7)]


# --- what is refused


def tokenizer_with_bert() -> Any:
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    tokenizer.post_processor = mine.BertProcessing(("[SEP]", 301), ("[CLS]", 300))
    return tokenizer


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda t: t.enable_truncation(-1), "max_length=-1: give an integer from 0"),
        (
            lambda t: t.enable_truncation(9, strategy="x"),
            "Unknown `strategy`: `x`. Use one of `longest_first`, `only_f",
        ),
        (lambda t: t.enable_truncation(9, direction="up"), "Unknown `direction`: `up`. Use one of `left` or `right`"),
        (lambda t: t.enable_truncation(4, stride=3), "tokenizer stride set to 3, which is greater than .* of 2 "),
        (lambda t: t.enable_truncation(1), "max_length=1 is less than the 2 tokens of the post-processor"),
        (lambda t: t.enable_padding(direction="up"), "Unknown `direction`: `up`"),
        (lambda t: t.enable_padding(pad_id=-1), "pad_id=-1: give an integer from 0 to 4294967295"),
        (lambda t: t.enable_padding(length=10**9), "length=1000000000: give an integer from 0 to 16777216"),
        (lambda t: t.enable_padding(pad_token=3), "pad_token=3: give a string"),
        (lambda t: t.encode("a", 3), "the second text is 3: give a string"),
        (lambda t: t.encode("a", is_pretokenized=True), "input 0 is 'a': give a list of words"),
        (lambda t: t.encode_batch([["a"], ["a", 3]], is_pretokenized=True), "input 1 holds 3 among its words"),
        (lambda t: t.encode_batch([("a", "b", "c")]), r"text 0 is \('a', 'b', 'c'\): give a string"),
        (lambda t: setattr(t, "post_processor", 3), "post_processor=3: give a PostProcessor of tokenizers_impl"),
        (lambda t: setattr(t, "encode_special_tokens", None), "encode_special_tokens=None: give True or False"),
        (
            lambda t: tokenizers_impl.Tokenizer.from_buffer(b"x"),
            "Cannot instantiate Tokenizer from buffer: not",
        ),
        (lambda t: tokenizers_impl.AddedToken("a", lstrip=1), "lstrip of the token 'a' is 1: give True or False"),
        (lambda t: mine.TemplateProcessing("[CLS] $0"), r"Missing SpecialToken\(s\) with id\(s\) `\[CLS\]`: give"),
        (lambda t: mine.TemplateProcessing(pair="$A"), "Template for `pair` must use both sequences"),
        (lambda t: mine.TemplateProcessing("$x"), 'Cannot build Piece from string "\\$x": write '),
        (lambda t: mine.TemplateProcessing("$A:x"), 'Cannot build Piece from string "\\$A:x"'),
        (lambda t: mine.TemplateProcessing("a:1:2"), 'Cannot build Piece from string "a:1:2"'),
        (lambda t: mine.TemplateProcessing(["a", 3]), r"the template is \['a', 3\]: give a string, or a list"),
        (lambda t: mine.TemplateProcessing(special_tokens=[3]), "the special token is 3: give a token and its id"),
        (lambda t: mine.TemplateProcessing(special_tokens=[{"id": "a"}]), "`ids` must be specified"),
        (
            lambda t: mine.TemplateProcessing(special_tokens=[{"id": "a", "ids": [1], "tokens": []}]),
            "SpecialToken: ids and tokens must be of the same length",
        ),
        (lambda t: mine.BertProcessing("a", ("b", 1)), "sep='a': give a token with its id"),
        (lambda t: mine.Sequence([3]), r"processors\[0\] is 3: give processors of this package"),
    ],
)
def test_a_mistake_is_told(mistake: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mistake(tokenizer_with_bert())


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"max_length": 4, "strategy": "only_second"}, ("aabb",), "Truncation error: Second sequence not provided"),
        (
            {"max_length": 5, "strategy": "only_first"},
            ("a", "aabb"),
            "Truncation error: Sequence to truncate too short",
        ),
        ({"max_length": 4, "stride": 2}, ("xabxb",), "`stride` must be strictly less than `max_len=2`.*smaller stride"),
        ({"max_length": 2}, ("a", "b"), "max_length=2 is less than the 3 tokens"),
    ],
)
def test_an_input_that_cannot_be_truncated_is_refused(
    options: dict[str, Any], arguments: tuple[str, ...], message: str
) -> None:
    tokenizer = tokenizer_with_bert()
    tokenizer.enable_truncation(**options)
    with pytest.raises(ValueError, match=message):
        tokenizer.encode(*arguments)
    with pytest.raises(ValueError, match=message):
        tokenizer.encode_batch([arguments if len(arguments) == 2 else arguments[0]])


@pytest.mark.parametrize("copies", [1, 9])
@pytest.mark.parametrize("batch", [[("a", "bbb"), "aab"], ["aab", ("a", "bbb")]])
def test_the_first_input_that_cannot_be_truncated_is_told(
    batch: list[Any], copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With several threads, the library tells any of them.
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    messages = []
    for library in LIBRARIES:
        tokenizer = library.Tokenizer(model(library))
        tokenizer.enable_truncation(1, strategy="only_second")
        with pytest.raises(Exception, match="Truncation error") as refused:
            tokenizer.encode_batch(batch * copies)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_a_template_takes_one_sequence_or_two() -> None:
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    template = mine.TemplateProcessing("$A x", "$A x $B x", [("x", 1)])
    tokenizer.post_processor = mine.Sequence([template, template])
    with pytest.raises(ValueError, match=r"a template takes one or two sequences, but .* gives 4 pieces"):
        tokenizer.encode("a", "b")
    tokenizer.post_processor = mine.TemplateProcessing("$B")
    with pytest.raises(ValueError, match=r"the template for a single sequence has \$B"):
        tokenizer.encode("a")
    assert tokenizer.encode("a", "b").tokens == ["a", "b"]


def document(**changed: Any) -> str:
    return json.dumps({**json.loads(tokenizers_impl.Tokenizer(model(tokenizers_impl)).to_str()), **changed})


PADDING = {"strategy": "BatchLongest", "direction": "Left", "pad_id": 0, "pad_type_id": 0, "pad_token": "x"}
TEMPLATE = {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document(truncation=3), "the truncation of tokenizer.json is 3: expected an object"),
        (document(truncation={"max_length": 3}), "the truncation of tokenizer.json lacks the key strategy"),
        (
            document(truncation={"max_length": 2**64, "strategy": "OnlyFirst", "stride": 0}),
            "max_length=18446744073709551616: give an integer",
        ),
        (document(truncation={"max_length": 3, "strategy": ["x"], "stride": 0}), "Unknown `strategy`"),
        (document(padding=[]), r"the padding of tokenizer.json is \[\]: expected an object"),
        (document(padding={"strategy": {"Fixed": 3}}), "the padding of tokenizer.json lacks the key direction"),
        (document(padding={**PADDING, "strategy": {"Fixed": 10**12}}), "length=1000000000000: give an integer from 0"),
        (document(padding={**PADDING, "strategy": "Longest"}), "the strategy of the padding is Longest"),
        (document(padding={**PADDING, "pad_id": "0"}), "pad_id='0': give an integer"),
        (document(post_processor={"type": "Unknown"}), "post-processor Unknown is not supported: use one of BertProc"),
        (document(post_processor={"type": "BertProcessing", "sep": ["a", 1]}), "the BertProcessing lacks the key cls"),
        (document(post_processor={"type": "Sequence", "processors": 3}), "processors of a Sequence is 3"),
        (document(post_processor={**TEMPLATE, "single": 3}), "single of the TemplateProcessing is 3"),
        (
            document(post_processor={**TEMPLATE, "single": [{"Sequence": {"id": "C", "type_id": 0}}]}),
            "a piece of the t",
        ),
        (
            document(post_processor={**TEMPLATE, "single": [{"SpecialToken": {"id": "x", "type_id": 0}}]}),
            r"Missing SpecialToken\(s\) with id\(s\) `x`",
        ),
        (
            document(post_processor={**TEMPLATE, "special_tokens": {"x": {"id": "x", "ids": [-1], "tokens": ["x"]}}}),
            r"the special token 'x' has the ids \(-1,\)",
        ),
    ],
)
def test_a_file_that_is_wrong_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tokenizers_impl.Tokenizer.from_str(text)


def test_a_template_may_name_a_sequence_often_without_cost() -> None:
    # The library makes all that overflows at once: 3 to the power of 40 rows.
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    template = mine.TemplateProcessing(["$A"] * 40)
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=50)
    for processor in (template, mine.Sequence([template, mine.ByteLevel()])):
        tokenizer.post_processor = processor
        assert tokenizer.encode("xbx").attention_mask == [1] * 40 + [0] * 10


def test_the_tokenizer_of_a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path, asked = tmp_path / "tokenizer.json", list[Any]()
    tokenizers_impl.Tokenizer(model(tokenizers_impl)).save(str(path))

    def download(**options: Any) -> str:
        asked.append(options)
        return str(path)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    loaded = tokenizers_impl.Tokenizer.from_pretrained("some/model", token="t")
    assert asked == [{"repo_id": "some/model", "filename": "tokenizer.json", "revision": "main", "token": "t"}]
    assert loaded.to_str() == tokenizers_impl.Tokenizer.from_buffer(path.read_bytes()).to_str()
