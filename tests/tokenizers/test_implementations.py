"""The tokenizers that are put together already are those of the library."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2
from shared_data import beginning

import tokenizers_impl

SPECIAL = ["[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"]
WORDPIECES = {token: id for id, token in enumerate([*SPECIAL, "a", "##b", "x"])}
VOCAB = {"a": 0, "b": 1, "ab": 2, "<unk>": 3, "Ġ": 4, "▁": 5}
MERGES = [("a", "b")]
KNOWN = {"vocab": VOCAB, "merges": MERGES}
TEXT = "ab A  É\u0301b\u3000ﬁ a\tb漢 [MASK]<unk>"

# For each class sets of options, with every option at a value that is not its default.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "BertWordPieceTokenizer": [
        {},
        {"vocab": WORDPIECES},
        {"vocab": {"[SEP]": 1, "[CLS]": 0, "[UNK]": 2}},
        {"vocab": WORDPIECES, "unk_token": "x", "sep_token": "[MASK]", "cls_token": "a", "wordpieces_prefix": "@"},
        {"vocab": WORDPIECES, "pad_token": "x", "mask_token": "y"},
        {"clean_text": False, "handle_chinese_chars": False, "strip_accents": True, "lowercase": False},
        {"unk_token": "X", "wordpieces_prefix": "@"},
    ],
    "ByteLevelBPETokenizer": [
        {},
        KNOWN,
        {"vocab": VOCAB},
        {"merges": MERGES},
        KNOWN | {"dropout": 0.0, "continuing_subword_prefix": "", "end_of_word_suffix": "é"},
        {"vocab": VOCAB, "merges": [], "continuing_subword_prefix": "#", "end_of_word_suffix": "b"},
        {"dropout": 0.5, "continuing_subword_prefix": "#", "end_of_word_suffix": "</w>"},
        {"lowercase": True, "add_prefix_space": True, "trim_offsets": True},
        {"unicode_normalizer": "nfkd"},
        {"unicode_normalizer": "nfc", "lowercase": True},
    ],
    "CharBPETokenizer": [
        {},
        KNOWN,
        {"vocab": VOCAB},
        {"merges": MERGES},
        KNOWN | {"unk_token": "b", "suffix": "ab", "dropout": 0.0},
        {"unk_token": "x", "suffix": "_", "dropout": 0.5},
        {"lowercase": True},
        {"unicode_normalizer": "nfkc", "lowercase": True},
        {"bert_normalizer": False},
        {"bert_normalizer": False, "unicode_normalizer": "nfd"},
        {"bert_normalizer": False, "unicode_normalizer": "nfd", "lowercase": True, "split_on_whitespace_only": True},
    ],
    "SentencePieceBPETokenizer": [
        {},
        KNOWN,
        {"vocab": VOCAB},
        {"merges": MERGES},
        KNOWN | {"unk_token": "a", "dropout": 0.0, "fuse_unk": True},
        {"unk_token": "x", "replacement": "_", "add_prefix_space": False, "dropout": 0.5, "fuse_unk": True},
    ],
    "SentencePieceUnigramTokenizer": [
        {},
        {"vocab": [("<unk>", 0.0), ("a", -1.0), ("▁", -1.5)]},
        {"replacement": "_", "add_prefix_space": False},
    ],
}
# The same for training.
TRAINED: dict[str, list[dict[str, Any]]] = {
    "BertWordPieceTokenizer": [
        {"vocab_size": 600},
        {"vocab_size": 500, "min_frequency": 9, "limit_alphabet": 40, "wordpieces_prefix": "@"},
        {"vocab_size": 500, "initial_alphabet": ["é", "漢"], "special_tokens": ["[UNK]", "x"]},
    ],
    "ByteLevelBPETokenizer": [
        {"vocab_size": 600},
        {"min_frequency": 30},
        {"vocab_size": 500, "special_tokens": ["<s>", "</s>"]},
    ],
    "CharBPETokenizer": [
        {"vocab_size": 600},
        {"vocab_size": 500, "min_frequency": 9, "limit_alphabet": 40, "suffix": "_"},
        {"vocab_size": 500, "initial_alphabet": ["é", "漢"], "special_tokens": ["<unk>", "x"]},
    ],
    "SentencePieceBPETokenizer": [
        {"vocab_size": 600},
        {"vocab_size": 500, "min_frequency": 9, "limit_alphabet": 40},
        {"vocab_size": 500, "initial_alphabet": ["é", "漢"], "special_tokens": ["<unk>", "x"]},
    ],
    "SentencePieceUnigramTokenizer": [
        {"vocab_size": 400, "unk_token": "<unk>"},
        {"vocab_size": 350, "special_tokens": ["<s>", "<u>"], "initial_alphabet": ["é", "漢"], "unk_token": "<u>"},
    ],
}
# Their order, and with it that of equally frequent merges, is another one in each run of the library.
AFFIXED = ("BertWordPieceTokenizer", "CharBPETokenizer")


def both(name: str) -> tuple[Any, Any]:
    return getattr(tokenizers_impl, name), getattr(tokenizers, name)


def lines(characters: int) -> list[str]:
    """The beginning of a real text."""
    return beginning("text/wikitext2.valid.txt", characters).splitlines()


@pytest.mark.parametrize(("name", "options"), [(name, each) for name, rows in OPTIONS.items() for each in rows])
def test_every_option(name: str, options: dict[str, Any]) -> None:
    ours, theirs = (each(**options) for each in both(name))
    assert ours.to_str() == theirs.to_str()
    assert repr(ours) == repr(theirs)
    assert ours.normalize(TEXT) == theirs.normalize(TEXT) if theirs.normalizer else ours.normalize(TEXT) == TEXT
    if ours.get_vocab_size() > 1 and name != "SentencePieceUnigramTokenizer":
        assert ours.encode(TEXT).tokens == theirs.encode(TEXT).tokens
        assert ours.decode([0, 1, 2, 5]) == theirs.decode([0, 1, 2, 5])


@pytest.mark.parametrize("name", OPTIONS)
def test_no_option_is_left_out(name: str) -> None:
    """The options are the library's, in its order, with its defaults; each has another value in a test above."""
    ours, theirs = both(name)
    assert defaults(ours.__init__) == defaults(theirs.__init__)
    given = set().union(*OPTIONS[name])
    assert given == defaults(theirs.__init__).keys()
    training = defaults(ours.trainer)
    assert training == {key: value for key, value in defaults(theirs.train).items() if key != "files"}
    assert set().union(*TRAINED[name]) | {"show_progress"} == training.keys()


def defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    listed = {each.name: each.default for each in parameters if each.name != "self"}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in listed.items()}


@pytest.mark.parametrize(("name", "options"), [(name, each) for name, rows in TRAINED.items() for each in rows])
def test_training(name: str, options: dict[str, Any]) -> None:
    texts = lines(100_000)
    ours, theirs = (each() for each in both(name))
    for each in (ours, theirs):
        each.train_from_iterator(texts, length=len(texts), show_progress=False, **options)
    documents = [json.loads(each.to_str()) for each in (ours, theirs)]
    if name in AFFIXED:
        assert_nearly_the_same(ours.get_vocab(), theirs.get_vocab())
        for document in documents:
            document["model"].update(vocab=None, merges=None)
    if name == "SentencePieceUnigramTokenizer":
        # The library adds up in another order in each run.
        mine, their = (document["model"].pop("vocab") for document in documents)
        assert sorted(piece for piece, _ in mine) == sorted(piece for piece, _ in their)
        assert sorted(score for _, score in mine) == pytest.approx(sorted(score for _, score in their), rel=1e-6)
    assert documents[0] == documents[1]


def assert_nearly_the_same(ours: dict[str, int], theirs: dict[str, int]) -> None:
    """All but the last few merges, of which several are equally frequent."""
    assert len(ours) == len(theirs)
    assert len(ours.keys() & theirs.keys()) > 0.98 * len(ours)


@pytest.mark.parametrize(
    "options",
    [
        {"normalization_rule_name": "identity"},
        {"normalization_rule_name": "nmt_nfkc_cf", "user_defined_symbols": ["<sep>", "the"], "unk_id": 3, "pad_id": 0},
        {"byte_fallback": True, "add_dummy_prefix": False, "character_coverage": 0.99},
    ],
)
def test_a_sentencepiece_model_is_read_as_the_library_reads_it(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library imports the module of protobuf from the working directory."""
    monkeypatch.setitem(sys.modules, "sentencepiece_model_pb2", sentencepiece_model_pb2)
    path, written = tmp_path / "unigram.model", io.BytesIO()
    given = {"model_writer": written, "vocab_size": 500, "minloglevel": 2, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines(100_000)), **given)
    path.write_bytes(written.getvalue())
    ours, theirs = (each.from_spm(str(path)) for each in both("SentencePieceUnigramTokenizer"))
    assert ours.to_str() == theirs.to_str()
    assert repr(ours) == repr(theirs)
    for text in (TEXT, "", " two  spaces ", "ﬁ ½ <sep>the <unk>", "漢字 🙂", *lines(20_000)):
        mine, their = (each.encode(text) for each in (ours, theirs))
        assert (mine.ids, mine.tokens, mine.offsets) == (their.ids, their.tokens, their.offsets)
        assert ours.decode(mine.ids) == theirs.decode(their.ids)


@pytest.mark.parametrize(
    ("kind", "remedy"), [("bpe", "read it with exchange.from_sentencepiece"), ("char", "give a unigram model")]
)
def test_a_model_of_another_type_is_refused(kind: str, remedy: str, tmp_path: Path) -> None:
    path, written = tmp_path / "their.model", io.BytesIO()
    given = {"model_writer": written, "vocab_size": 300, "minloglevel": 2, "model_type": kind}
    texts = iter(lines(20_000))
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, hard_vocab_limit=False, **given)
    path.write_bytes(written.getvalue())
    with pytest.raises(ValueError, match=f"their.model is a model of type {kind}: {remedy}"):
        tokenizers_impl.SentencePieceUnigramTokenizer.from_spm(str(path))
    with pytest.raises(ValueError, match=r"their.model: not a valid tokenizer.json: it may be a model of"):
        tokenizers_impl.Tokenizer.from_file(str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<unk>\t0\na\t-1\n", "is no .model file of SentencePiece; exchange.from_sentencepiece reads .vocab files"),
        (b"", "is no .model file"),
        (b"\n\xff", r"their.model: no protocol buffer: "),
    ],
)
def test_other_files_than_a_model_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "their.model"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        tokenizers_impl.SentencePieceUnigramTokenizer.from_spm(str(path))


def test_training_on_a_file(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines(20_000)), encoding="utf-8")
    for name in ("ByteLevelBPETokenizer", "SentencePieceBPETokenizer"):
        ours, theirs = (each() for each in both(name))
        for each in (ours, theirs):
            each.train([str(path)], 400, show_progress=False)
        assert ours.to_str() == theirs.to_str()
        assert ours.get_vocab_size() == 400


def test_files_of_models(tmp_path: Path) -> None:
    for name, options in (("BertWordPieceTokenizer", {"vocab": WORDPIECES}), ("CharBPETokenizer", KNOWN)):
        ours, theirs = both(name)
        paths = ours(**options).save_model(str(tmp_path), "mine")
        assert paths == theirs(**options).save_model(str(tmp_path), "mine")
        assert ours.from_file(*paths, lowercase=False).to_str() == theirs.from_file(*paths, lowercase=False).to_str()
    for name in ("ByteLevelBPETokenizer", "SentencePieceBPETokenizer"):
        ours, theirs = both(name)
        assert ours.from_file(*paths, dropout=0.0).to_str() == theirs.from_file(*paths, dropout=0.0).to_str()


def test_it_does_what_a_tokenizer_does() -> None:
    results = []
    for library in (tokenizers_impl, tokenizers):
        tokenizer = library.BertWordPieceTokenizer(WORDPIECES)
        tokenizer.enable_padding("left", 4, 3, pad_token="[PAD]")
        tokenizer.enable_truncation(5, strategy="only_first")
        tokenizer.add_tokens(["zz"])
        tokenizer.add_special_tokens(special_tokens=["yy"])
        tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
        batch = tokenizer.encode_batch(inputs=["a zz", ("ab", "yy")])
        results.append(
            [
                [(each.ids, each.offsets, each.attention_mask) for each in batch],
                [each.ids for each in asyncio.run(tokenizer.async_encode_batch(inputs=["a zz", ("ab", "yy")]))],
                [each.ids for each in asyncio.run(tokenizer.async_encode_batch_fast(inputs=["a zz"]))],
                tokenizer.decode_batch([[5, 6], [8]]),
                asyncio.run(tokenizer.async_decode_batch([[5, 6], [8]])),
                (tokenizer.token_to_id("zz"), tokenizer.id_to_token(9), tokenizer.get_vocab_size()),
                tokenizer.post_process(tokenizer.encode("a", add_special_tokens=False)).tokens,
                (tokenizer.num_special_tokens_to_add(True), tokenizer.truncation, tokenizer.padding),
                tokenizer.to_str(pretty=True),
            ]
        )
        tokenizer.no_padding()
        tokenizer.no_truncation()
        results[-1].append(pickle.loads(pickle.dumps(tokenizer)).to_str())
    assert results[0] == results[1]


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match=r"lacks the sep_token '\[SEP\]'"):
        tokenizers_impl.BertWordPieceTokenizer({"a": 0})
    with pytest.raises(ValueError, match="'nfx' is not a normalization form of Unicode"):
        tokenizers_impl.CharBPETokenizer(unicode_normalizer="nfx")
    with pytest.raises(AttributeError, match="_nothing"):
        _ = tokenizers_impl.CharBPETokenizer()._nothing


def test_a_class_of_ones_own_may_call_what_it_replaces() -> None:
    """The library's classes have the methods themselves, which `super()`, `help` and `dir` find."""

    class Shouting(tokenizers_impl.ByteLevelBPETokenizer):
        def encode(self, sequence: Any, *arguments: Any, **named: Any) -> Any:
            return super().encode(sequence.upper(), *arguments, **named)

    tokenizer = Shouting({"A": 0, "B": 1, "AB": 2}, [("A", "B")])
    assert tokenizer.encode("ab").tokens == ["AB"]
    for name in OPTIONS:
        theirs = {each for each, value in vars(tokenizers.implementations.BaseTokenizer).items() if callable(value)}
        missing = {each for each in theirs if each[0] != "_"} - set(dir(getattr(tokenizers_impl, name)))
        assert missing == set()
