"""A user of `tokenizers` and transformers changes over: objects of both, pickles, mistakes, names, warnings."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import time
import typing
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
import tokenizers
import transformers
from boundary_tables import charsmap
from datasets.fingerprint import Hasher

import tokenizers_impl
from tokenizers_impl import Tokenizer, decoders, models, normalizers, processors, trainers
from tokenizers_impl._core import parallel as _progress
from tokenizers_impl._core.parallel import progress_if_slow

CORPUS = ["hello world how are you", "I am fine thanks", "the quick brown fox"]
NAMED = ["<unk>", "<s>", "</s>", "<pad>", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "<mask>", "<|endoftext|>"]
BY_LIBRARY = pytest.mark.parametrize("library", [tokenizers, tokenizers_impl], ids=["tokenizers", "tokenizers_impl"])


def ab(library: Any = tokenizers_impl) -> Any:
    return library.Tokenizer(library.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))


# Special tokens


def test_special_tokens_are_left_out_by_their_text() -> None:
    found = []
    for library in (tokenizers, tokenizers_impl):
        model = library.models.Unigram([("<unk>", 0.0), ("a", -1.0), ("<unk>", -2.0)], 0)
        tokenizer = library.Tokenizer(model)
        tokenizer.add_special_tokens(["<unk>"])
        rows = [[1, 0, 1], [2], [2, 1]]
        found.append([[*tokenizer.decode_batch(rows, skip), tokenizer.decode(rows[0], skip)] for skip in (True, False)])
    assert found[0] == found[1]
    assert found[0][0] == ["a a", "", "a", "a a"]


# Pickles


MODELS: dict[str, Callable[[], models.Model]] = {
    "BPE": lambda: models.BPE({"a": 0, "b": 1, "ab": 2, "b</w>": 3}, [("a", "b")], end_of_word_suffix="</w>", seed=3),
    "BPE of shared ids": lambda: models.BPE({"a": 0, "b": 1, "c": 1, "ab": 2, "ac": 2}, [("a", "b"), ("a", "c")]),
    "Unigram": lambda: models.Unigram([("<unk>", 0.0), ("a", -14.231798543705459), ("a", -1.0)], 0, alpha=0.1, seed=3),
    "WordPiece": lambda: models.WordPiece({"[UNK]": 7, "a": 300, "##b": 2}),
    "WordLevel": lambda: models.WordLevel({"a": 0, "": 1}, "a"),
}


def with_all_parts(model: models.Model) -> Tokenizer:
    tokenizer = Tokenizer(model)
    steps = [
        normalizers.Lowercase(),
        normalizers.Replace(tokenizers_impl.Regex("c+"), "b"),
        normalizers.Precompiled(charsmap({"ß": "ss"})),
    ]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = tokenizers_impl.pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.Sequence([decoders.Fuse()])
    tokenizer.add_special_tokens([tokenizers_impl.AddedToken("zz", lstrip=True), "[S]"])
    tokenizer.post_processor = processors.TemplateProcessing("[S] $A", None, [("[S]", 301)])
    tokenizer.enable_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.slow
def test_a_pickle_is_the_same_before_and_after_use(name: str) -> None:
    tokenizer = with_all_parts(MODELS[name]())
    before, hashed = pickle.dumps(tokenizer), Hasher.hash(tokenizer)
    of_model = pickle.dumps(tokenizer.model)
    tokenizer.encode_batch(["a b", "aB zz"])
    tokenizer.decode([0, 1])
    assert (pickle.dumps(tokenizer), Hasher.hash(tokenizer)) == (before, hashed)
    assert pickle.dumps(tokenizer.model) == of_model
    for copied in (pickle.loads(before), copy.deepcopy(tokenizer), copy.copy(tokenizer)):
        assert copied.to_str() == tokenizer.to_str()
        assert copied.encode_special_tokens
        assert pickle.dumps(copied) == before
        assert vars(copied.model).keys() >= vars(MODELS[name]()).keys()
        assert copied.get_vocab() == tokenizer.get_vocab()
        assert copied.encode("a b zz").ids == tokenizer.encode("a b zz").ids


def test_a_model_of_its_pickle_is_the_model() -> None:
    merged = MODELS["BPE of shared ids"]()
    assert isinstance(merged, models.BPE)
    merged.merge_counts = np.array([300, 2])
    again = pickle.loads(pickle.dumps(merged))
    assert (again.merges, again.merge_counts.tolist(), again.merge_counts.dtype) == (merged.merges, [300, 2], np.int64)
    assert [each.dtype for each in again._merges[:4]] == [each.dtype for each in merged._merges[:4]]
    scored = MODELS["Unigram"]()
    assert isinstance(scored, models.Unigram)
    copied = pickle.loads(pickle.dumps(scored))
    # To the bit, where JSON as the library reads it is not.
    assert (copied.vocab, copied.alpha, copied.seed) == (scored.vocab, 0.1, 3)


@pytest.mark.parametrize("ids", [(1, 0, 2), (0, 2, 1), (2, 1, 0), (0, 1, 3), (1, 2, 3), (5, 0, 2**31 - 1)])
def test_a_pickle_keeps_ids_that_are_not_in_order(ids: tuple[int, ...]) -> None:
    vocab = dict(zip(["b", "a", "c"], ids, strict=True))
    for make in (models.WordLevel, models.WordPiece, lambda vocab: models.BPE(vocab, [])):
        model = pickle.loads(pickle.dumps(make(vocab)))
        assert list(model.get_vocab().items()) == list(make(vocab).get_vocab().items())
        assert model.get_vocab() == vocab
        assert [model.id_to_token(id) for id in ids] == ["b", "a", "c"]


def test_a_pickle_knows_what_added_tokens_have_been() -> None:
    tokenizer = ab()
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.add_tokens(["AB", "ab", tokenizers_impl.AddedToken("AB", normalized=False)])
    copied = pickle.loads(pickle.dumps(tokenizer))
    kept, first = copied._parts.added_tokens, tokenizer._parts.added_tokens
    assert (kept.ids, kept.forms, kept.shown) == (first.ids, first.forms, first.shown)
    assert pickle.dumps(copied) == pickle.dumps(tokenizer)


def test_a_pickle_is_smaller_than_that_of_the_library() -> None:
    codes = [f"{i:x}" for i in range(5000)]
    vocab = {token: id for id, token in enumerate(dict.fromkeys([*"0123456789abcdef", *codes]))}
    merges = [(token[:-1], token[-1]) for token in codes if len(token) > 1]
    ours = Tokenizer(models.BPE(vocab, merges))
    theirs = ours.to_tokenizers()
    assert 2 * len(pickle.dumps(ours)) < len(pickle.dumps(theirs))


def test_map_finds_what_it_did(tmp_path: Path) -> None:
    rows = datasets.Dataset.from_dict({"text": CORPUS})
    tokenizer = with_all_parts(MODELS["Unigram"]())

    def ids(batch: dict[str, list[str]]) -> dict[str, list[int]]:
        return {"ids": [encoding.ids for encoding in tokenizer.encode_batch(batch["text"])]}

    prints = [rows.map(ids, batched=True)._fingerprint for _ in range(3)]
    assert len(set(prints)) == 1


# Objects of the library


COMPONENTS: list[tuple[str, Callable[[Any], Any]]] = [
    ("normalizer", lambda library: library.normalizers.BertNormalizer(strip_accents=False)),
    (
        "normalizer",
        lambda library: library.normalizers.Sequence(
            [library.normalizers.NFC(), library.normalizers.Replace(library.Regex("a+"), "b")]
        ),
    ),
    ("pre_tokenizer", lambda library: library.pre_tokenizers.Split(library.Regex("a+"), "isolated")),
    ("pre_tokenizer", lambda library: library.pre_tokenizers.Metaspace("_")),
    ("post_processor", lambda library: library.processors.TemplateProcessing("a $A", None, [("a", 1)])),
    ("post_processor", lambda library: library.processors.RobertaProcessing(("a", 1), ("b", 2))),
    ("decoder", lambda library: library.decoders.CTC()),
    ("decoder", lambda library: library.decoders.Replace("a", "é")),
    ("model", lambda library: library.models.WordPiece({"a": 0})),
    ("model", lambda library: library.models.Unigram([("a", -14.231798543705459)], 0)),
]


@pytest.mark.parametrize(("part", "make"), COMPONENTS)
def test_components_of_the_library_are_taken(part: str, make: Callable[[Any], Any]) -> None:
    tokenizer = ab()
    setattr(tokenizer, part, make(tokenizers))
    taken = getattr(tokenizer, part)
    assert type(taken).__module__.startswith("tokenizers_impl.")
    assert taken.to_json() == make(tokenizers_impl).to_json()
    # As the library's, which code for both reads.
    assert json.loads(taken.__getstate__()) == json.loads(make(tokenizers).__getstate__())


def test_a_sequence_takes_steps_of_the_library() -> None:
    for part, name in (
        ("normalizers", "NFC"),
        ("pre_tokenizers", "Digits"),
        ("processors", "ByteLevel"),
        ("decoders", "Fuse"),
    ):
        ours, theirs = getattr(tokenizers_impl, part), getattr(tokenizers, part)
        made = [getattr(place, name)() for place in (theirs, ours)]
        nested = [place.Sequence([getattr(place, name)()]) for place in (theirs, ours)]
        found, expected = (ours.Sequence([each, inner]) for each, inner in zip(made, nested, strict=True))
        assert found == expected
        assert json.loads(theirs.Sequence([made[0], nested[0]]).__getstate__()) == found.to_json()


def test_added_tokens_of_the_library_are_taken() -> None:
    for special in (True, False):
        # The library sets `special` of what it is given.
        theirs = tokenizers.AddedToken("zz", lstrip=True, special=special)
        state = theirs.__getstate__()
        ours = tokenizers_impl.AddedToken("zz", lstrip=True, special=special)
        for method in ("add_tokens", "add_special_tokens"):
            both = [ab(tokenizers), ab()]
            for tokenizer in both:
                getattr(tokenizer, method)([theirs])
            assert both[0].to_str() == both[1].to_str()
        assert trainers.BpeTrainer(special_tokens=[theirs]).special_tokens == [
            tokenizers_impl.AddedToken("zz", lstrip=True, special=True)
        ]
        assert ours.__getstate__() == state
        assert pickle.loads(pickle.dumps(ours)) == ours


def test_what_cannot_be_taken_of_the_library_is_told() -> None:
    class Own:
        def normalize(self, normalized: Any) -> None: ...

    tokenizer = ab()
    with pytest.raises(ValueError, match=r"a Normalizer of the library tokenizers cannot be converted .Error.*use"):
        tokenizer.normalizer = tokenizers.normalizers.Normalizer.custom(Own())
    with pytest.raises(ValueError, match=r"normalizer=.*: give a Normalizer of tokenizers_impl"):
        tokenizer.normalizer = tokenizers.AddedToken("a")
    with pytest.raises(ValueError, match=r"decode of a Tokenizer cannot be set.*tokenizer\.to_tokenizers\(\)"):
        tokenizer.decode = None


def test_nothing_imports_the_library() -> None:
    program = (
        "import sys, tokenizers_impl as t\n"
        "x = t.Tokenizer(t.models.WordLevel({'a': 0}, 'a'))\n"
        "x.add_tokens(['b']); x.normalizer = t.normalizers.NFC()\n"
        "assert 'tokenizers' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


# transformers


@cache
def document(kind: str) -> str:
    if kind == "WordPiece":
        tokenizer = Tokenizer(models.WordPiece())
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = tokenizers_impl.pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=120, special_tokens=NAMED, show_progress=False)
    else:
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = tokenizers_impl.pre_tokenizers.ByteLevel()
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=NAMED, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer.to_str()


def looks(fast: Any, folder: Path) -> list[Any]:
    """What there is to see of a fast tokenizer."""
    seen = [
        fast("hello world").data,
        fast(["hello", "the quick"], ["a", "b"], return_offsets_mapping=True).data,
        fast(CORPUS, truncation=True, max_length=5, return_overflowing_tokens=True, stride=1).data,
        fast.decode(fast("hello fox").input_ids, skip_special_tokens=True),
        fast.batch_decode([[30, 1, 31]]),
        fast.tokenize("the fox"),
        fast.get_vocab(),
        str(fast.added_tokens_decoder),
        fast.backend_tokenizer.to_str(),
    ]
    fast.add_tokens(["zork", tokenizers.AddedToken("zerk", lstrip=True)])
    fast.add_special_tokens({"cls_token": "[C]"})
    seen += [fast("zork hello zerk [C]").data, fast.num_special_tokens_to_add(pair=True)]
    fast.save_pretrained(folder)
    seen.append({path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())})
    copied = pickle.loads(pickle.dumps(fast))
    return [*seen, copied("hello [C]").data, Tokenizer.from_tokenizers(fast).to_str()]


CLASSES = [
    ("PreTrainedTokenizerFast", "BPE", {}),
    ("PreTrainedTokenizerFast", "WordPiece", {"bos_token": "<s>"}),
    (
        "PreTrainedTokenizerFast",
        "BPE",
        {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "add_bos_token": True, "add_eos_token": True},
    ),
    ("PreTrainedTokenizerFast", "BPE", {"extra_special_tokens": [tokenizers.AddedToken("xx", lstrip=True)]}),
    ("GPT2TokenizerFast", "BPE", {}),
    ("BertTokenizerFast", "WordPiece", {}),
    ("LlamaTokenizerFast", "BPE", {}),
    ("T5TokenizerFast", "BPE", {}),
    ("RobertaTokenizerFast", "BPE", {}),
]


@pytest.mark.parametrize(("name", "kind", "options"), CLASSES)
@pytest.mark.slow
def test_transformers_takes_it_as_it_takes_the_library(
    name: str, kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    seen = []
    for library in (tokenizers, tokenizers_impl):
        tokenizer = library.Tokenizer.from_str(document(kind))
        fast = getattr(transformers, name)(tokenizer_object=tokenizer, **options)
        folder = tmp_path / library.__name__
        folder.mkdir()
        seen.append(looks(fast, folder))
    assert seen[0] == seen[1]


def test_a_class_that_replaces_methods_needs_the_library() -> None:
    ours = Tokenizer(models.BPE({"a</w>": 0, "<|endoftext|>": 1}, [], end_of_word_suffix="</w>"))
    with pytest.raises(ValueError, match=r"decode of a Tokenizer cannot be set.*tokenizer\.to_tokenizers\(\)"):
        transformers.CLIPTokenizer(tokenizer_object=ours)
    fast = transformers.CLIPTokenizer(tokenizer_object=ours.to_tokenizers())
    assert fast.tokenize("a") == ["a</w>"]


@pytest.mark.parametrize("wrong", [None, "a/path", Tokenizer])
def test_from_tokenizers_says_what_it_takes(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"give a tokenizers.Tokenizer or a fast tokenizer of transf.*use from_file"):
        Tokenizer.from_tokenizers(wrong)


# Mistakes


def encoding() -> tokenizers_impl.Encoding:
    return ab().encode("ab")


MISTAKES: list[tuple[Callable[[Tokenizer], Any], str]] = [
    (lambda t: t.decode([[1, 2]]), r"the ids hold \[1, 2\]: .*lists of ids are for decode_batch"),
    (lambda t: t.decode(np.array([[1, 2]])), r"the ids hold array\(\[1, 2\]\): .*are for decode_batch"),
    (lambda t: t.decode(None), "the ids are None: give a list of integers"),
    (lambda t: t.decode(1), "the ids are 1: give a list of integers, also for one id"),
    (lambda t: t.decode("a"), "the ids are 'a': give a list of integers"),
    (lambda t: t.decode(encoding()), "the ids are Encoding.*: give its attribute ids"),
    (lambda t: t.decode_batch([1, 2]), "row 0 is 1: give a list of ids; one list is for decode"),
    (lambda t: t.decode_batch(None), "the rows are None: give a list of lists of ids"),
    (lambda t: t.decode_batch([[1], None]), "row 1 is None: give a list of ids"),
    (lambda t: t.decode_batch([[1], ["a"]]), "row 1 holds 'a': give integers from 0"),
    (lambda t: t.decode_batch([[1], [[2]]]), r"row 1 holds \[2\]: give integers"),
    (lambda t: t.decode_batch([encoding()]), "row 0 is Encoding.*: give its attribute ids"),
    (lambda t: Tokenizer.from_buffer("x"), "buffer is 'x': give bytes; for a string use from_str"),
    (lambda t: tokenizers_impl.Encoding.merge([encoding(), None]), r"encodings\[1\]=None: give an Encoding"),
    (lambda t: tokenizers_impl.Encoding.merge(None), "encodings=None: give a list of Encodings"),
    (
        lambda t: tokenizers_impl.Encoding("a"),
        r"Encoding\('a'\): give no arguments; to encode a text, call Tokenizer.encode",
    ),
    (lambda t: t.post_process("a"), "encoding='a': give an Encoding"),
    (lambda t: t.post_process(encoding(), "b"), "pair='b': give an Encoding"),
    (lambda t: processors.ByteLevel().process("a"), "encoding='a': give an Encoding"),
    (lambda t: processors.ByteLevel().process(None), "encoding=None: give an Encoding"),
    (lambda t: models.Unigram({"a": -1.0}), r"vocab is {'a': -1.0}: give a list of .piece, score. pairs"),
    (lambda t: models.Unigram(["a"]), r"vocab\[0\] is 'a': give a string and a finite number"),
    (lambda t: models.Unigram([("a", None)]), r"vocab\[0\] is \('a', None\): give a string and a finite number"),
    (lambda t: models.Unigram([("a", "-1")]), r"vocab\[0\] is \('a', '-1'\): give a string and a finite number"),
    (lambda t: models.Unigram(5), "vocab is 5: give a list of .piece, score. pairs"),
    (lambda t: models.Unigram([("a", -1.0)], unk_id="0"), "unk_id(=| is )'0'"),
    (lambda t: models.Unigram([("a", -1.0)], 0, alpha="x"), "alpha(=| is )'x'"),
    (lambda t: decoders.WordPiece().decode([1]), r"tokens\[0\] is 1: give strings; Tokenizer.decode takes ids"),
    (lambda t: decoders.Fuse().decode([None]), r"tokens\[0\] is None: give strings"),
    (lambda t: decoders.ByteLevel().decode("abc"), "the tokens are 'abc': give a list of strings"),
    (lambda t: t.train([5]), r"files\[0\] is 5: give paths, or use train_from_iterator for texts"),
    (lambda t: t.train(0), r"files\[0\] is 0: give paths"),
    (lambda t: t.train_from_counts(["a"]), r"counts is \['a'\]: give a mapping from word to count"),
    (
        lambda t: t.encode(["a", "b"]),
        "the text is .*: give a string; .*is_pretokenized=True, several texts encode_batch",
    ),
    (lambda t: t.encode("a", 5), "the second text is 5: give a string"),
    (
        lambda t: t.encode_batch([("a", "b"), ("a", "b"), ("c", None)]),
        r"text 2 is the pair \('c', None\) with the second text None: give strings",
    ),
    (lambda t: t.encode_batch([["a", "b", "c"]]), "text 0 is .*: give a string or a pair.*needs is_pretokenized=True"),
    (lambda t: Tokenizer.from_str("[1]"), r"expected an object, not \[1\]"),
    (lambda t: Tokenizer.from_str("/path/tok.json"), "this looks like a path: use from_file"),
    (lambda t: Tokenizer.from_str("tokenizer.json"), "this looks like a path: use from_file"),
    (lambda t: Tokenizer.from_str(b"{}"), "for bytes use from_buffer"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_told(mistake: Callable[[Tokenizer], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mistake(ab())


def test_a_text_that_is_no_path_has_no_hint() -> None:
    for text in ("", "{", "[", '"a.json'):
        with pytest.raises(ValueError, match=r"not a valid tokenizer.json") as told:
            Tokenizer.from_str(text)
        assert "path" not in str(told.value)


def test_files_in_each_others_place_are_named(tmp_path: Path) -> None:
    vocab, merges = tmp_path / "v.json", tmp_path / "m.txt"
    vocab.write_text('{"a": 0, "b": 1, "ab": 2, "version": 597, "model": 5}', encoding="utf-8")
    merges.write_text("#version: 0.2\na b\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"m\.txt is not a valid vocab\.json .*: give the path of vocab\.json, then that of merges"
    ):
        models.BPE.from_file(str(merges), str(vocab))
    with pytest.raises(ValueError, match=r"v\.json: .*it looks like a vocabulary; use .*models\.WordLevel\.from_file"):
        Tokenizer.from_file(str(vocab))


# Patterns

PATTERNS = [
    *["(", "a)", "[a", "[", "[^", "[]", "[]a]", "[a&&]", "[z-a]", "[a-\\d]", "[\\d-a]", "[\\d-&&a]", "[a-c-e]"],
    *["[[:alpha:]]", "[[:foo:]]", "*a", "a|+", "{,3}", "a**", "^*", "(?=a)+", "a{3,2}", "a{200000}", "a\\", "(a)\\1"],
    *["\\Ga", "a\\K", "\\X", "\\xe2", "\\x{110000}", "\\p{Emoji}", "\\p{Foo}", "(?<name>a)", "(?'n'a)", "(?x: a)"],
    *[
        "(?z)",
        "(?~a)",
        "(?P<n>a)",
        "(*FAIL)",
        "(?#a",
        "(?i)é",
        "(?i)[à-é]",
        "(?i)mass",
        "[--a]",
        "[a-[b]]",
        "[a\\",
        "\\q",
    ],
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_wrong_with_a_pattern_is_what_the_library_says(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"which is (not implemented( or wrong)?|wrong)(: [^:]*)?$") as told:
        tokenizers_impl.Regex(pattern)
    fault = str(told.value).rpartition("which is ")[2].partition(":")[0]
    try:
        tokenizers.Regex(pattern)
        is_wrong = False
    except Exception:  # the library raises nothing narrower
        is_wrong = True
    assert fault == "not implemented or wrong" or is_wrong == (fault == "wrong")


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("(?i)straße", 8),
        ("ab(?i)xfi", 7),
        ("ab(c", 2),
        ("x[a-", 1),
        ("ab{3,2}", 2),
        ("abc**", 4),
        ("a(?<n>b)", 1),
        ("x[[:foo:]]", 2),
        ("xx\\Ga", 2),
        ("ab\\", 2),
        ("a(?#b", 1),
        ("ab\\p{Foo}", 2),
        ("a[bz-y]", 3),
    ],
)
def test_the_place_is_where_it_begins(pattern: str, place: int) -> None:
    with pytest.raises(ValueError, match=f"has, at character {place}, "):
        tokenizers_impl.Regex(pattern)


# Warnings, progress


def test_the_warning_of_a_corpus_without_words_is_the_callers() -> None:
    trainer = trainers.BpeTrainer(show_progress=False)
    calls: list[Callable[[], Any]] = [
        lambda: ab().train_from_iterator([""], trainer),
        lambda: ab().train_from_counts({}, trainer),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match="the corpus has no words") as told:
            call()
        assert [each.filename for each in told] == [__file__]


def test_progress_is_shown_of_what_takes_long_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress_if_slow("Stage", True):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_progress, "_PATIENCE", 0.01)
    with progress_if_slow("Stage", False):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
    with progress_if_slow("Stage", True):
        time.sleep(0.5)
    assert "Stage" in capsys.readouterr().err


# State and the base of ready-made tokenizers


@pytest.mark.parametrize("library", [tokenizers, tokenizers_impl])
def test_the_state_is_the_json_in_bytes(library: Any) -> None:
    tokenizer = library.Tokenizer(library.models.BPE({"a": 0, "é": 1}, []))
    tokenizer.add_special_tokens(["<s>"])
    assert tokenizer.__getstate__() == tokenizer.to_str().encode()
    other = library.Tokenizer(library.models.BPE())
    other.__setstate__(tokenizer.__getstate__())
    assert other.to_str() == tokenizer.to_str() == pickle.loads(pickle.dumps(tokenizer)).to_str()
    assert copy.deepcopy(other).encode("aé<s>").ids == [0, 1, 2]


TRAINERS = {
    "BpeTrainer": {"min_frequency": 2, "progress_format": "json", "initial_alphabet": ["é"], "max_token_length": 4},
    "WordPieceTrainer": {"vocab_size": 90, "limit_alphabet": 5, "end_of_word_suffix": "</w>"},
    "WordLevelTrainer": {"min_frequency": 3, "show_progress": False},
    "UnigramTrainer": {"shrinking_factor": 0.5, "unk_token": "<unk>", "initial_alphabet": ["b"], "seed_size": 1000},
}


@pytest.mark.parametrize("name", TRAINERS)
def test_the_state_of_a_trainer_is_its_options_in_json(name: str) -> None:
    special = {"special_tokens": ["<unk>", "é"]}
    made, theirs = (getattr(each.trainers, name) for each in (tokenizers_impl, tokenizers))
    for options in ({}, TRAINERS[name] | special):
        trainer = made(**options)
        assert trainer.__getstate__() == theirs(**options).__getstate__()
        for copied in (copy.copy(trainer), copy.deepcopy(trainer), pickle.loads(pickle.dumps(trainer))):
            assert (type(copied), vars(copied)) == (made, vars(trainer))


def test_a_pickle_of_a_trainer_keeps_its_training() -> None:
    tokenizer, trainer = Tokenizer(models.BPE()), trainers.BpeTrainer(show_progress=False, extend=True)
    tokenizer.train_from_iterator(["low lower"], trainer)
    copied = pickle.loads(pickle.dumps(trainer))
    assert copied.history == trainer.history != []
    assert (copied.extend, copied.get_word_count()) == (True, trainer.get_word_count())


BYTE_LEVELS = ["pre_tokenizers", "decoders", "processors"]


@BY_LIBRARY
@pytest.mark.parametrize("part", BYTE_LEVELS)
def test_a_byte_level_is_made_of_its_own_state(part: str, library: Any) -> None:
    kind = getattr(library, part).ByteLevel
    state = kind(add_prefix_space=False).__getstate__()
    assert kind(**json.loads(state)).__getstate__() == state


@pytest.mark.parametrize("part", BYTE_LEVELS)
def test_another_type_than_its_own_is_refused(part: str) -> None:
    kind = getattr(tokenizers_impl, part).ByteLevel
    with pytest.raises(ValueError, match="type='Whitespace': give 'ByteLevel', the type of these options"):
        kind(type="Whitespace")
    strict = decoders.ByteLevel(errors="strict")
    assert decoders.ByteLevel(**json.loads(strict.__getstate__())) == strict


@pytest.mark.parametrize("library", [tokenizers, tokenizers_impl])
def test_a_base_tokenizer_wraps_any_tokenizer(library: Any) -> None:
    made = library.implementations.BaseTokenizer(library.Tokenizer(library.models.BPE({"a": 0, "b": 1}, [])))
    assert (made.encode("ab").tokens, made.get_vocab_size()) == (["a", "b"], 2)
    assert repr(made) == "Tokenizer(vocabulary_size=2, )"


def test_a_base_tokenizer_has_no_trainer() -> None:
    made = tokenizers_impl.implementations.BaseTokenizer(tokenizers_impl.Tokenizer(models.BPE()))
    with pytest.raises(NotImplementedError, match="train the Tokenizer that it is made of"):
        made.train(["a.txt"])


# Names


MODULES = ["", "models", "trainers", "normalizers", "pre_tokenizers", "decoders", "processors", "implementations"]


def module(library: Any, name: str) -> Any:
    return getattr(library, name) if name else library


@pytest.mark.parametrize("name", MODULES)
def test_dir_shows_public_names(name: str) -> None:
    ours = module(tokenizers_impl, name)
    shown = dir(ours)
    assert [each for each in shown if each.startswith("_") and each != "__version__"] == []
    assert sorted(ours.__all__) == shown
    for each in shown:
        place = getattr(getattr(ours, each), "__module__", "tokenizers_impl")
        assert place.startswith(("tokenizers_impl", "builtins", "typing", "types")), each


def test_names_of_the_library_are_there_or_refused() -> None:
    added = {"Enum", "List", "Tuple", "Union"}
    missing = []
    for name in MODULES[:-1]:
        theirs = {each for each in dir(module(tokenizers, name)) if not each.startswith("_")} - added
        # The compiled module, and the modules by their own names.
        public = {each for each in theirs if not str(getattr(module(tokenizers, name), each)).startswith("<module")}
        missing += [f"{name}.{each}" for each in sorted(public) if not hasattr(module(tokenizers_impl, name), each)]
    assert set(missing) <= {"trainers.ParityBpeTrainer"}
    for place in missing:
        with pytest.raises(AttributeError, match=r"is not implemented.*Coverage in tokenizers_impl/README.md"):
            getattr(trainers, place.rpartition(".")[2])
    with pytest.raises(
        AttributeError,
        match=r"tools is not implemented .instead of its EncodingVisualizer.*Coverage in",
    ):
        tokenizers_impl.tools  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="module 'tokenizers_impl' has no attribute 'tokeniser'"):
        tokenizers_impl.tokeniser  # type: ignore[attr-defined]  # noqa: B018


def test_the_version_is_that_of_the_package() -> None:
    import evenscore

    assert tokenizers_impl.__version__ == evenscore.__version__


def test_types_of_inputs_are_unions_as_in_the_library() -> None:
    assert tokenizers_impl.TextInputSequence is str
    assert typing.get_args(tokenizers_impl.Offsets) == typing.get_args(tokenizers.Offsets)
    names = ["InputSequence", "PreTokenizedInputSequence", "TextEncodeInput", "PreTokenizedEncodeInput", "EncodeInput"]
    for name in names:
        ours, theirs = (typing.get_args(getattr(library, name)) for library in (tokenizers_impl, tokenizers))
        assert [typing.get_origin(each) or each for each in ours] == [
            typing.get_origin(each) or each for each in theirs
        ]


@BY_LIBRARY
def test_save_takes_the_older_word(library: Any, tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match=r"Parameter `name` of Model.save has been renamed `prefix`") as told:
        paths = ab(library).model.save(str(tmp_path), name="x")
    assert [Path(path).name for path in paths] == ["x-vocab.json", "x-merges.txt"]
    assert told[0].filename == __file__


@pytest.mark.parametrize("kind", [models.BPE, models.Unigram, models.WordPiece, models.WordLevel])
def test_help_shows_what_a_user_writes(kind: type) -> None:
    text = kind.__doc__ or ""
    assert "encode(" in text
    assert "from tokenizers_impl import Tokenizer" in text
    assert "Words" not in text
