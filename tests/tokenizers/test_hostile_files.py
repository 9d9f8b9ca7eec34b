"""Files from strangers: each is read, or refused with a ValueError, in bounded time and memory."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from tokenizers_impl import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers_impl._encoding import training as _training
from tokenizers_impl.models import from_json as model_from_json

BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def document(**changed: Any) -> str:
    return json.dumps({"version": "1.0", "model": BPE, **changed})


def bpe(**changed: Any) -> str:
    return document(model={**BPE, **changed})


def unigram(*vocab: Any, **changed: Any) -> str:
    return document(model={"type": "Unigram", "unk_id": 0, "vocab": list(vocab), **changed})


def nested(key: str, depth: int) -> str:
    """So many Sequences inside each other, as text, because json.dumps has no room for them either."""
    parts = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
    parts["post_processor"] = "processors"
    inner = f'{{"type":"Sequence","{parts[key]}":['
    return f'{{"version":"1.0","{key}":{inner * depth}{"]}" * depth},"model":{json.dumps(BPE)}}}'


def regex_step(pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"}


def replace(pattern: str) -> str:
    return document(normalizer=regex_step(pattern))


def sequence(key: str, name: str, *steps: dict[str, Any], **more: Any) -> str:
    return document(**{key: {"type": "Sequence", name: list(steps)}}, **more)


def template(single: list[Any], tokens: dict[str, Any], **more: Any) -> str:
    pair = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
    made = {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}
    return document(post_processor=made, **more)


def padding(truncation: Any = None, **changed: Any) -> str:
    sane = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
    made = {**sane, "pad_id": 0, "pad_type_id": 0, "pad_token": "p", **changed}
    return document(padding=made, truncation=truncation)


SURROGATE = "a string has a lone surrogate"
NESTED = "nested more than 127 deep|recursion"
REFUSED = {
    "deep lists": ("[" * 10**6, "not a valid tokenizer.json: .*recursion"),
    "deep objects": ('{"a":' * 10**6, "not a valid tokenizer.json: .*recursion"),
    "a deep model": ('{"model":' + "[" * 10**6, "not a valid tokenizer.json: .*recursion"),
    **{
        f"{key} {depth} deep": (nested(key, depth), NESTED)
        for key in ("normalizer", "pre_tokenizer", "decoder", "post_processor")
        for depth in (64, 400, 100_000)
    },
    "a normalizer of many sequences": (
        sequence("normalizer", "normalizers", *[{"type": "Sequence", "normalizers": []}] * 10_000),
        "its steps have more than 10000 lists and objects",
    ),
    "many steps before one that is wrong": (
        sequence("decoder", "decoders", *[{"type": "Fuse"}] * 9_999, {"type": "x"}),
        "its steps have more than 10000 lists and objects",
    ),
    "a step of many lists": (document(pre_tokenizer=[[]] * 10_000), "its steps have more than 10000 lists and objects"),
    "many steps of all kinds": (
        document(normalizer=[{}] * 4_999, pre_tokenizer=[[]] * 4_999, post_processor=[], decoder=[]),
        "its steps have more than 10000 lists and objects",
    ),
    "many patterns": (
        sequence("normalizer", "normalizers", *(regex_step(f"a{i}") for i in range(251))),
        r"its steps have more than 250 patterns \(Regex\)",
    ),
    "an integer of 5000 digits": (
        '{"model":{"type":"BPE","merges":[],"vocab":{"a":' + "9" * 5000 + "}}}",
        "not a valid tokeni",
    ),
    "a huge float": ('{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",1e999]]}}', "the number 1e999 is too large"),
    "NaN": (unigram(["a", float("nan")]), "give a string and a finite number"),
    "infinity": (unigram(["a", float("-inf")]), "give a string and a finite number"),
    "a score as a string": (unigram(["a", "0.5"]), r"vocab\[0\] is \['a', '0.5'\]"),
    "a row of three": (unigram(["a", -1.0], ["a", -1.0, 2]), r"vocab\[1\] is \['a', -1.0, 2\]"),
    "scores as an object": (document(model={"type": "Unigram", "vocab": {"ab": 1}}), "vocab is .*: expected a list"),
    "a score of 400 digits": (unigram(["a", 10**400]), "OverflowError"),
    "a huge unk_id": (unigram(["a", -1.0], unk_id=10**30), "vocab has 1 pieces"),
    "two tokens with one id": (bpe(vocab={"a": 0, "b": 0, "ab": 2}), "gives id 0 to both 'a' and 'b'"),
    "an id beyond int32": (bpe(vocab={"a": 0, "b": 1, "ab": 2**31}), r"vocab\['ab'\] is 2147483648: give"),
    "an id below 0": (bpe(vocab={"a": 0, "b": 1, "ab": -1}), r"vocab\['ab'\] is -1: give"),
    "an id that is true": (bpe(vocab={"a": True}, merges=[]), "is True: give an integer id"),
    "a merge that names no token": (bpe(merges=[["a", "c"]]), "Token `c` out of vocabulary: merges"),
    "a merge that makes no token": (bpe(merges=[["b", "a"]]), "Token `ba` out of vocabulary: merges"),
    "a merge of three": (bpe(merges=[["a", "b", "ab"]]), r"merges\[0\].* is not a pair of tokens"),
    "a merge in words": (bpe(merges=["a b ab"]), "expected two tokens with one space between"),
    "merges of three tokens and one": (
        bpe(merges=["#version: 0.2", "a b", "a b a", "b"]),
        "line 2 is 'a b a': expected",
    ),
    "merges that are numbers": (bpe(merges=[1, 2]), r"merges\[0\]: 1 is not a pair of tokens"),
    "a dropout that is a list": (bpe(dropout=[]), r"dropout is \[\]: give a number, or None"),
    "a seed that is none": (bpe(seed=1.5), "seed is 1.5: give an integer"),
    "a model of no type": (document(model={"type": ["BPE"]}), "is not supported: use one of BPE"),
    "a pattern too long": (replace("a|" * 10**6), "has 2000000 characters: give 20000 at most"),
    "a pattern too deep": (replace("(" * 5000 + "a" + ")" * 5000), "nested more than"),
    "a pattern whose repeats double": (replace("(?:" * 40 + "a" + "){1,3}" * 40), r"ask for \d+ characters: more than"),
    "a pattern of edges": (replace(r"\b" * 9000), "ask for 72000 characters: more than"),
    "a pattern that ends early": (replace("("), "a group that is not closed"),
    "a pattern that calls itself": (replace(r"(?<x>a\g<x>)"), "not implemented"),
    "a template's unknown token": (
        template([{"SpecialToken": {"id": "[CLS]", "type_id": 0}}], {}),
        "Missing SpecialTo",
    ),
    "a template's third sequence": (template([{"Sequence": {"id": "C", "type_id": 0}}], {}), "expected a Sequence or"),
    "a template's type below 0": (template([{"Sequence": {"id": "A", "type_id": -1}}], {}), "expected a Sequence or"),
    "tokens without ids": (template([], {"x": {"id": "x", "ids": [1, 2], "tokens": ["x"]}}), "of the same length"),
    "an id beyond uint32": (template([], {"x": {"id": "x", "ids": [2**40], "tokens": ["x"]}}), "from 0 to 2"),
    "endless padding": (padding(strategy={"Fixed": 10**15}), "length=1000000000000000: give an integer from 0 to"),
    "a multiple beyond uint64": (padding(pad_to_multiple_of=2**64), "pad_to_multiple_of=1844.*: give an integer from"),
    "padding to no length": (padding(strategy={"Fixed": None}), "strategy of the padding is Fixed"),
    "a choice that is another's": (padding(direction={"Up": None}), "Unknown `direction` in tokenizer.json"),
    "two choices": (padding(direction={"Left": None, "Right": None}), "Unknown `direction` in tokenizer.json"),
    "words of no length": (document(pre_tokenizer={"type": "FixedLength", "length": 0}), "length=0: give a number"),
    "no base64": (document(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA!"}), "is not base64"),
    "a map cut off": (document(normalizer={"type": "Precompiled", "precompiled_charsmap": "////////"}), "is cut off"),
    "half a character in the vocab": (bpe(vocab={"\ud800": 0}, merges=[]), SURROGATE),
    "half a character in a step": (document(normalizer={"type": "Prepend", "prepend": "\ud800"}), SURROGATE),
    "half a character as it is": ('{"model":{"type":"BPE","merges":[],"vocab":{"\udc00":0}}}', SURROGATE),
    "code": (document(normalizer={"type": "__import__('os').abort()"}), "is not supported: use one of"),
    "a class of Python": (document(decoder={"py/object": "os.system"}), "expected an object with a type"),
    "an option of Python": (document(decoder={"type": "Fuse", "__class__": "x"}), "has no option __class__"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        Tokenizer.from_str(text)


TAKEN = {
    "a merge with nothing": bpe(vocab={"a": 0, "": 1}, merges=[["a", ""], ["", "a"], ["", ""]]),
    "a prefix merged into nothing": bpe(vocab={"a": 0, "##": 1}, merges=[["a", "##"]], continuing_subword_prefix="##"),
    "the largest id": bpe(vocab={"a": 0, "b": 1, "ab": 2**31 - 1}),
    "a number of 1000 digits as exponent": '{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",1e-'
    + "9" * 1000
    + "]]}}",
    "equal pieces": unigram(["a", -1.0], ["a", -2.0], ["", -1.0]),
    "words as long as can be": document(
        model={
            "type": "WordPiece",
            "vocab": {"[UNK]": 0, "a" * 10**5: 1},
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 10**30,
        }
    ),
    "a huge strip": document(decoder={"type": "Strip", "content": " ", "start": 10**18, "stop": 10**18}),
    "added tokens with one id": document(
        added_tokens=[{"id": 7, "content": content, **FLAGS} for content in ("<s>", "</s>")]
    ),
    "a backslash before the digits of a surrogate": bpe(vocab={"a": 0, "b": 1, "ab": 2, "\\ud800": 3}),
    "nested as deep as can be": nested("normalizer", 60),
    "as many steps as can be": sequence("decoder", "decoders", *[{"type": "Fuse"}] * 9_998),
    "as many patterns as can be": sequence("normalizer", "normalizers", *(regex_step(f"b{i}") for i in range(250))),
}


@pytest.mark.parametrize("name", TAKEN)
def test_odd_but_taken(name: str) -> None:
    tokenizer = Tokenizer.from_str(TAKEN[name])
    encoding = tokenizer.encode("a" * 40)
    assert encoding.ids
    tokenizer.decode([*encoding.ids, 2**32 - 1])
    assert Tokenizer.from_str(tokenizer.to_str()).encode("a" * 40).ids == encoding.ids


def test_a_pattern_that_backtracks_without_end_is_stopped() -> None:
    tokenizer = Tokenizer.from_str(replace("(a|aa)+$"))
    with pytest.raises(ValueError, match=r"did not come to an end within \d+ seconds on"):
        tokenizer.encode("a" * 60 + "b")


# --- valid files, changed a little


def valid_documents() -> list[dict[str, Any]]:
    """Files of several pipelines, which use every part."""
    vocab = {token: id for id, token in enumerate(["[UNK]", "a", "b", "ab", "##b", "▁", "▁a", "Ġ", "<0x61>"])}
    made = [
        Tokenizer(models.BPE(vocab, [("a", "b"), ("▁", "a")], unk_token="[UNK]", byte_fallback=True)),
        Tokenizer(models.WordPiece(vocab, unk_token="[UNK]")),
        Tokenizer(models.Unigram([("[UNK]", 0.0), ("a", -1.0), ("▁a", -1.5)], unk_id=0)),
        Tokenizer(models.WordLevel(vocab, "[UNK]")),
    ]
    gpt2, bert, t5, words = made
    gpt2.pre_tokenizer, gpt2.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    bert.normalizer, bert.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    bert.decoder = decoders.WordPiece()
    bert.post_processor = processors.TemplateProcessing("a $A", "a $A b:1 $B:1", [("a", 1), ("b", 2)])
    bert.enable_truncation(5, stride=1)
    bert.enable_padding(length=8)
    t5.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t5.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Digits()])
    t5.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Strip(" ", 1, 0)])
    words.pre_tokenizer = pre_tokenizers.Split(" ", "isolated")
    for each in made:
        each.add_special_tokens([AddedToken("[CLS]", lstrip=True)])
        each.add_tokens(["b a"])
    return [json.loads(each.to_str()) for each in made]


VALID = valid_documents()


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every part of a document stands."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [before, *(path for key, child in children for path in paths(child, (*before, key)))]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1, 2, 255, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**40, 0.5, -0.0, 1e308]),
    st.sampled_from(
        ["", "a", "Sequence", "Right", "\x00", "\ud800", "[UNK]", "(", "a*", "$A", "\U0010ffff", "__class__"]
    ),
    st.sampled_from(
        [[], {}, [[]], [None], ["a"], {"type": "Sequence"}, {"Regex": "(a*)*"}, {"String": ""}, {"Fixed": 3}]
    ),
    st.sampled_from(VALID).flatmap(
        lambda document: st.sampled_from(paths(document)).map(lambda path: at(document, path))
    ),
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid file of which one or two parts are replaced, left out, doubled or given another name."""
    changed = copy.deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 2))):
        *before, key = draw(st.sampled_from(paths(changed)[1:]))
        parent = at(changed, tuple(before))
        how = draw(st.sampled_from(["replace", "replace", "leave out", "double", "rename"]))
        if how == "replace":
            parent[key] = copy.deepcopy(draw(STRANGE))
        elif how == "leave out":
            del parent[key]
        elif isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        else:
            parent[draw(st.sampled_from(["", "a", "type", "vocab", "unk_token", "x"]))] = parent[key]
    return json.dumps(changed)


@given(mutated())
@examples(1200)
def test_a_changed_file_is_read_or_refused_with_a_value_error(text: str) -> None:
    try:
        tokenizer = Tokenizer.from_str(text)
        again = Tokenizer.from_str(tokenizer.to_str())
        encoding = tokenizer.encode("ab b a [CLS] é1", "b")
        tokenizer.decode(encoding.ids)
    except ValueError:
        return
    if not tokenizer.model.is_random:
        assert again.encode("ab b a [CLS] é1", "b").ids == encoding.ids


@pytest.mark.parametrize("data", [b"", b"\xff{}", b"\x80\x04K\x01.", b"PK\x03\x04", "{}".encode("utf-16")])
def test_bytes_that_are_no_file(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(data)
    with pytest.raises(ValueError, match=r"tokenizer\.json"):
        Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ValueError, match="Cannot instantiate Tokenizer from buffer: "):
        Tokenizer.from_buffer(data)


def test_valid_files_are_read() -> None:
    for valid in VALID:
        assert json.loads(Tokenizer.from_str(json.dumps(valid)).to_str()) == valid
        assert model_from_json(valid["model"]).to_json() == valid["model"]


# --- what grows


GROWING = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
MANY_A = [{"Sequence": {"id": "A", "type_id": 0}}]
ROWS_OF_ONE = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
LONG_ROWS = {**ROWS_OF_ONE, "max_length": 10_001, "stride": 10_000}
# What is done with the tokenizer of a file, and what is then said.
TOO_LARGE: dict[str, tuple[str, str, str]] = {
    "an added token that grows": (
        sequence(
            "normalizer",
            "normalizers",
            *[GROWING] * 5,
            added_tokens=[{"id": 9, "content": "a", **FLAGS, "normalized": True}],
        ),
        "tokenizer",
        "the texts grow to 100000000 characters",
    ),
    "a text that grows": (
        sequence("normalizer", "normalizers", *[GROWING] * 5),
        "tokenizer.encode('a')",
        "the texts grow to 100000000 characters",
    ),
    "bytes of bytes": (
        sequence("normalizer", "normalizers", *[{"type": "ByteLevel"}] * 40),
        "tokenizer.encode('é')",
        "the texts grow to",
    ),
    "bytes of bytes in words": (
        sequence("pre_tokenizer", "pretokenizers", *[BYTES] * 40),
        "tokenizer.encode('é')",
        "the texts grow to",
    ),
    "a long text before many": (
        document(normalizer={"type": "Prepend", "prepend": "x" * 10**5}),
        "tokenizer.encode_batch(['a'] * 10**5)",
        "the texts grow to 10000100000 characters",
    ),
    "tokens that grow": (
        sequence("decoder", "decoders", *[GROWING] * 5),
        "tokenizer.decode([0])",
        "the texts grow to 100000000 characters",
    ),
    "rows that grow": (
        sequence("decoder", "decoders", {"type": "Fuse"}, *[GROWING] * 5),
        "tokenizer.decode_batch([[0]])",
        "the texts grow to 100000000 characters",
    ),
    "one token many times": (
        sequence("decoder", "decoders", {**GROWING, "content": "a" * 10**6}),
        "tokenizer.decode_batch([[0] * 10**5])",
        "the texts grow to 100000000000 characters",
    ),
    "spaces between characters": (
        sequence("decoder", "decoders", *[{"type": "BPEDecoder", "suffix": ""}] * 40),
        "tokenizer.decode([0, 0])",
        "the texts grow to",
    ),
    "padding of what overflows": (
        padding(strategy={"Fixed": 2**24}, truncation=ROWS_OF_ONE),
        "tokenizer.encode('ab' * 50).overflowing",
        "what overflows would take the memory of 822083584 tokens",
    ),
    "padding of many": (
        padding(strategy={"Fixed": 2**24}),
        "tokenizer.encode_batch(['a'] * 50)",
        "padding and post-processor would add 838860750 tokens to 50 inputs",
    ),
    "rows that overlap": (
        document(truncation=LONG_ROWS),
        "tokenizer.encode('b' * 20_000).overflowing",
        "what overflows would take the memory of",
    ),
    "a template of many pieces": (template(MANY_A * 10**3, {}), "tokenizer", "has 1000 pieces: give 100 at most"),
    "a text many times": (
        template(MANY_A * 100, {}),
        "tokenizer.encode('ba' * 10**6)",
        "padding and post-processor would add 99000099 tokens to 1 inputs",
    ),
    "rows joined with rows": (
        template(MANY_A * 100, {}, truncation={**ROWS_OF_ONE, "max_length": 100}),
        "tokenizer.encode('ba' * 10**4).overflowing",
        "what overflows would take the memory of",
    ),
}


@pytest.mark.slow
def test_what_grows_beyond_measure_is_refused_before_it_takes_memory() -> None:
    """In a process that may take no more."""
    program = (
        "import json, resource, sys\n"
        "from tokenizers_impl import Tokenizer\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "said = {}\n"
        "for name, (text, use, _) in json.load(sys.stdin).items():\n"
        "    try:\n"
        "        tokenizer = Tokenizer.from_str(text)\n"
        "        eval(use)\n"
        "    except (ValueError, MemoryError) as error:\n"
        "        said[name] = repr(error)\n"
        "print(json.dumps(said))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        input=json.dumps(TOO_LARGE),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    wrong = {name: said.get(name) for name, (_, _, message) in TOO_LARGE.items() if message not in said.get(name, "")}
    assert wrong == {}


def test_what_pipelines_need_is_no_growth_beyond_measure() -> None:
    """The largest that is known: each character becomes 18, and each of these up to three bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.ByteLevel()])
    length = 1 << 19
    assert len(tokenizer.normalizer.normalize_str("\ufdfa" * length)) == 33 * length


@pytest.mark.parametrize("pattern", [{"String": "a"}, {"Regex": "a"}, {"Regex": "(?>a)"}])
@pytest.mark.parametrize("key", ["normalizer", "decoder"])
def test_a_short_text_that_doubles_is_refused_at_a_million_characters(key: str, pattern: dict[str, str]) -> None:
    """Sixteen times as many would take half a minute."""
    doubling = {"type": "Replace", "pattern": pattern, "content": "aa"}
    tokenizer = Tokenizer.from_str(sequence(key, f"{key}s", *[doubling] * 60))
    with pytest.raises(ValueError, match="the texts grow to 2097152 characters"):
        tokenizer.encode("a") if key == "normalizer" else tokenizer.decode([0])


def blank_token(**flags: bool) -> Tokenizer:
    return Tokenizer.from_str(document(added_tokens=[{"id": 9, "content": " ", **FLAGS, **flags}]))


def test_a_token_that_takes_all_white_space_along() -> None:
    """One token, in linear time; with rstrip alone each space is a token of all behind it, as in the library."""
    assert blank_token(lstrip=True, rstrip=True).encode(" " * 10**6).tokens == [" " * 10**6]
    assert blank_token(rstrip=True).encode("   ").tokens == ["   ", "  ", " "]
    with pytest.raises(ValueError, match="the texts grow to 500000500000 characters"):
        blank_token(rstrip=True).encode(" " * 10**6)


def test_a_token_that_has_lost_white_space_is_shown_as_it_stands() -> None:
    tokens = [
        {"id": 9 + i, "content": content, **FLAGS, "rstrip": True, "lstrip": True}
        for i, content in enumerate([" ", " b"])
    ]
    assert Tokenizer.from_str(document(added_tokens=tokens)).encode(" a  b ").tokens == [" ", "a", "  ", "b "]


def test_an_enormous_line_of_a_training_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_training, "_LONGEST_LINE", 1 << 19)
    path = tmp_path / "texts"
    path.write_bytes(b"a b\n" + b"a" * (1 << 20) + b"\n")
    with pytest.raises(ValueError, match="texts: the line at byte 4 has more than 524288 bytes"):
        Tokenizer(models.BPE()).train([str(path)])


# --- memory


def test_reading_takes_memory_in_proportion_to_the_file() -> None:
    """In a process that may take no more: the kernels and numpy need most of it."""
    program = (
        "import json, resource, sys\n"
        "from tokenizers_impl import Tokenizer\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "for text in json.load(sys.stdin):\n"
        "    try:\n"
        "        Tokenizer.from_str(text)\n"
        "    except ValueError:\n"
        "        pass\n"
        "print('read')\n"
    )
    texts = [text for name, (text, _) in REFUSED.items() if not name.startswith("half")] + list(TAKEN.values())
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "read\n", done.stderr[-2000:]
