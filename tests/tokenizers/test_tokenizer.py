"""Whole tokenizers beside `tokenizers`: what they learn, write, read, encode, decode."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path
from typing import Any

import bpe_corpora
import pytest
import tokenizers
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import beginning

import tokenizers_impl
from tokenizers_impl._core import parallel as _progress

CORPORA = ["gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.valid.txt", "iso_names/hi.txt", "iso_names/th.txt"]
PIPELINES = ["bpe", "bpe, unk", "byte-level", "byte-level, regex off", "bpe, metaspace", "wordpiece", "unigram"]


def megabyte(corpus: str, folder: Path) -> Path:
    """The first million characters of a corpus, cut at a line, as a file."""
    text = beginning(f"text/{corpus}")
    target = folder / "corpus.txt"
    target.write_text(text[: text.rfind("\n") + 1], encoding="utf-8", newline="")
    return target


def pipeline(library: Any, name: str, size: int) -> tuple[Any, Any]:
    """The same tokenizer and trainer from either library."""
    models, pre, trainers = library.models, library.pre_tokenizers, library.trainers
    norm, dec = library.normalizers, library.decoders
    model: Any = models.BPE()
    options: dict[str, Any] = {"vocab_size": size, "show_progress": False}
    parts: list[Any]
    if name == "bpe":
        parts = [None, pre.Whitespace(), None]
    elif name == "bpe, unk":
        model = models.BPE(unk_token="[UNK]", fuse_unk=True)
        options |= {"special_tokens": ["[UNK]", "</s>"], "min_frequency": 2, "limit_alphabet": 40}
        parts = [norm.Sequence([norm.NFD(), norm.StripAccents(), norm.Lowercase()]), pre.BertPreTokenizer(), None]
    elif name == "byte-level":
        options |= {"initial_alphabet": pre.ByteLevel.alphabet(), "special_tokens": ["<|endoftext|>"]}
        parts = [norm.NFC(), pre.ByteLevel(add_prefix_space=False), dec.ByteLevel()]
    elif name == "byte-level, regex off":
        parts = [None, pre.Sequence([pre.WhitespaceSplit(), pre.ByteLevel(use_regex=False)]), dec.ByteLevel()]
    elif name == "bpe, metaspace":
        options |= {"max_token_length": 8}
        parts = [norm.NFKC(), pre.Metaspace(prepend_scheme="first"), dec.Metaspace(prepend_scheme="first")]
    elif name == "wordpiece":
        model = models.WordPiece(unk_token="[UNK]")
        options |= {"special_tokens": ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]}
        parts = [norm.BertNormalizer(), pre.BertPreTokenizer(), dec.WordPiece()]
    else:
        model = models.Unigram()
        options |= {"special_tokens": ["<unk>", "<s>"], "unk_token": "<unk>"}
        parts = [norm.NFKC(), pre.Metaspace(), dec.Metaspace()]
    tokenizer = library.Tokenizer(model)
    for attribute, part in zip(("normalizer", "pre_tokenizer", "decoder"), parts, strict=True):
        if part is not None:
            setattr(tokenizer, attribute, part)
    kind = {"wordpiece": "WordPieceTrainer", "unigram": "UnigramTrainer"}.get(name, "BpeTrainer")
    return tokenizer, getattr(trainers, kind)(**options)


def trained(library: Any, name: str, size: int, corpus: Path) -> Any:
    tokenizer, trainer = pipeline(library, name, size)
    tokenizer.train([str(corpus)], trainer)
    return tokenizer


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("name", [name for name in PIPELINES if name.startswith("b")])
def test_bpe_learns_the_same_file(name: str, corpus: str, tmp_path: Path) -> None:
    text = megabyte(corpus, tmp_path)
    mine, theirs = (trained(library, name, 2000, text) for library in (tokenizers_impl, tokenizers))
    assert mine.to_str() == theirs.to_str()
    mine.save(str(tmp_path / "mine.json"))
    theirs.save(str(tmp_path / "theirs.json"))
    assert (tmp_path / "mine.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()


@pytest.mark.parametrize("corpus", bpe_corpora.CORPORA)
def test_every_corpus_gives_the_same_bytes(corpus: str, tmp_path: Path) -> None:
    """The beginnings of those that are long; BpeTrainer's own tests have a megabyte of each."""
    (tmp_path / "text").write_text(bpe_corpora.megabyte(corpus)[:200_000], encoding="utf-8", newline="")
    for size in (1000, 8000):
        for library in (tokenizers_impl, tokenizers):
            trained(library, "byte-level", size, tmp_path / "text").save(str(tmp_path / library.__name__))
        assert (tmp_path / "tokenizers_impl").read_bytes() == (tmp_path / "tokenizers").read_bytes()


def test_unigram_and_wordpiece_learn_the_same_pieces(tmp_path: Path) -> None:
    text = megabyte("wikitext2.valid.txt", tmp_path)
    for name in ("wordpiece", "unigram"):
        mine, theirs = (trained(library, name, 2000, text) for library in (tokenizers_impl, tokenizers))
        assert mine.get_vocab().keys() == theirs.get_vocab().keys()


SPECIAL = ["<|endoftext|>", "</s>", "[UNK]", "[SEP]", "<s>", "<unk>", "[CLS]"]
ODD = [
    "é",
    "e\u0301",
    "ﬁ",
    "漢字",
    "한국",
    "ก็",
    "क्ष",
    "👩‍👩‍👧",
    "\u00a0",
    "\u200b",
    "\t",
    "\n",
    "  ",
    "\x00",
    "İ",
    "ẞ",
    "½",
    "'s",
    "▁",
]


# The library takes long to train Unigram.
LOADED = [pytest.param(name, marks=[pytest.mark.slow] if name == "unigram" else []) for name in PIPELINES]


@pytest.fixture(scope="module", params=LOADED)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, str]:
    """A tokenizer that the library trained on text of several scripts, in both, and that text."""
    folder = tmp_path_factory.mktemp("corpus")
    parts = [megabyte(corpus, folder).read_text(encoding="utf-8")[:150_000] for corpus in CORPORA]
    corpus = folder / "mixed.txt"
    corpus.write_text("\n".join(parts), encoding="utf-8")
    theirs = trained(tokenizers, request.param, 1000, corpus)
    document = theirs.to_str()
    # The library reads scores as it writes them but for the last bit: both start from the file.
    return tokenizers_impl.Tokenizer.from_str(document), tokenizers.Tokenizer.from_str(document), "\n".join(parts)


def assert_same_encoding(mine: Any, theirs: Any) -> None:
    assert mine.ids == theirs.ids
    assert mine.tokens == theirs.tokens
    assert mine.offsets == theirs.offsets
    assert len(mine) == len(theirs)


def test_a_file_is_written_as_it_was_read(loaded: tuple[Any, Any, str]) -> None:
    mine, theirs, _ = loaded
    assert mine.to_str() == theirs.to_str()
    assert mine.to_str(pretty=True) == theirs.to_str(pretty=True)
    assert mine.get_vocab() == theirs.get_vocab()
    assert mine.get_vocab_size() == theirs.get_vocab_size()
    assert mine.to_tokenizers().to_str() == theirs.to_str()
    assert tokenizers_impl.Tokenizer.from_tokenizers(theirs).to_str() == theirs.to_str()


def test_real_text_is_encoded_and_decoded_the_same(loaded: tuple[Any, Any, str]) -> None:
    mine, theirs, text = loaded
    texts = [f"{line} <s>{line[:9]}[SEP]" if i % 7 == 0 else line for i, line in enumerate(text.split("\n"))]
    encodings, expected = mine.encode_batch(texts), theirs.encode_batch(texts)
    assert len(encodings) == len(expected) == len(texts)
    for a, b in zip(encodings, expected, strict=True):
        assert_same_encoding(a, b)
    ids = [each.ids for each in expected]
    assert [each.ids for each in mine.encode_batch_fast(texts)] == ids
    for skip in (True, False):
        assert mine.decode_batch(ids, skip_special_tokens=skip) == theirs.decode_batch(ids, skip_special_tokens=skip)


@given(data=st.data())
@examples(150)
def test_generated_text_is_encoded_and_decoded_the_same(loaded: tuple[Any, Any, str], data: st.DataObject) -> None:
    mine, theirs, text = loaded
    words = st.sampled_from(text.split()[:3000])
    characters = st.characters(exclude_categories=["Cs"])
    parts = st.lists(words | st.sampled_from(SPECIAL + ODD + [" "] * 5) | characters, max_size=12)
    sample = "".join(data.draw(parts))
    assert_same_encoding(mine.encode(sample), theirs.encode(sample))
    ids = theirs.encode(sample).ids
    assert mine.decode(ids) == theirs.decode(ids)


def test_an_empty_text_has_no_tokens(loaded: tuple[Any, Any, str]) -> None:
    mine, theirs, _ = loaded
    assert [each.ids for each in mine.encode_batch(["", "a", ""])] == [
        e.ids for e in theirs.encode_batch(["", "a", ""])
    ]
    assert mine.encode_batch([]) == []
    assert mine.decode_batch([]) == []
    assert mine.decode([]) == theirs.decode([])


def test_explain_tells_the_same_tokens(loaded: tuple[Any, Any, str]) -> None:
    mine, _, text = loaded
    sample = f"{text[:300]} [SEP]<s>"
    words = mine.explain(sample)
    assert [token for word in words for token in word.tokens] == mine.encode(sample).tokens
    assert all(word.steps or len(word.tokens) >= 1 for word in words)


def test_counts_of_merges_are_told_until_the_tokenizer_is_read_from_a_file() -> None:
    tokenizer = tokenizers_impl.Tokenizer(tokenizers_impl.models.BPE())
    trainer = tokenizers_impl.trainers.BpeTrainer(show_progress=False)
    tokenizer.train_from_counts({"low": 5, "lot": 2}, trainer)
    copied, read = pickle.loads(pickle.dumps(tokenizer)), tokenizers_impl.Tokenizer.from_str(tokenizer.to_str())
    told = [[step.count for step in each.explain("low")[0].steps] for each in (tokenizer, copied, read)]
    assert told == [[7, 5], [7, 5], [None, None]]


@pytest.mark.parametrize("from_counts", [False, True])
@pytest.mark.parametrize("format_", ["indicatif", "json"])
def test_the_loading_of_kernels_is_a_stage(
    from_counts: bool, format_: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As where nothing is compiled: the first training, which is that of two words, takes until its bar is shown."""
    trainer_type, shown, calls = tokenizers_impl.trainers.BpeTrainer, threading.Event(), []
    train, progress = trainer_type.train_words, _progress.progress

    def slow(*arguments: Any) -> Any:
        calls.append(arguments)
        assert shown.wait(60)
        return train(*arguments)

    def told(*arguments: Any) -> Any:
        shown.set()
        return progress(*arguments)

    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "progress", told)
    monkeypatch.setattr(trainer_type, "train_words", slow)
    tokenizer = tokenizers_impl.Tokenizer(tokenizers_impl.models.BPE())
    trainer = trainer_type(progress_format=format_)
    if from_counts:
        tokenizer.train_from_counts({"low": 5, "lot": 2}, trainer)
    else:
        tokenizer.train_from_iterator(["low low lot"], trainer)
    written = capfd.readouterr().err
    stages = ["Compile kernels (first use only)", "Tokenize words", "Compute merges"]
    places = [written.index(stage) for stage in stages]
    assert places == sorted(places)
    assert len(calls) == 2


# --- feeding a training


def small(library: Any) -> tuple[Any, Any]:
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    return tokenizer, library.trainers.BpeTrainer(vocab_size=40, show_progress=False)


def test_an_iterator_may_hold_texts_and_lists_of_texts() -> None:
    texts = ["low lower\n", ["newer", "wider low"], "", ("new",)]
    for library in (tokenizers_impl, tokenizers):
        tokenizer, trainer = small(library)
        tokenizer.train_from_iterator(iter(texts), trainer, length=4)
        if library is tokenizers_impl:
            mine = tokenizer.to_str()
    assert mine == tokenizer.to_str()


def test_line_ends_belong_to_the_line(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "empty.txt"]
    for path, data in zip(paths, (b"low\r\nlower\n\nlow", b"\nnew new", b""), strict=True):
        path.write_bytes(data)
    documents = []
    for library in (tokenizers_impl, tokenizers):
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.train(list(map(str, paths)), library.trainers.BpeTrainer(vocab_size=40, show_progress=False))
        documents.append(tokenizer.to_str())
    assert documents[0] == documents[1]
    assert '"\\r\\n"' in documents[0]


def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = megabyte("wikitext2.valid.txt", tmp_path)
    whole = trained(tokenizers_impl, "byte-level", 600, corpus).to_str()
    for block, threads in ((1 << 10, "1"), (1 << 14, "2"), (1 << 24, "3")):
        monkeypatch.setattr("tokenizers_impl._encoding.training.BLOCK", block)
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        assert trained(tokenizers_impl, "byte-level", 600, corpus).to_str() == whole


def test_counts_train_as_the_words_do() -> None:
    tokenizer, trainer = small(tokenizers_impl)
    tokenizer.train_from_counts({"low": 3, "lower": 2, "new": 1}, trainer)
    other, _ = small(tokenizers_impl)
    other.train_from_iterator(["low lower low", "new low lower"], trainer)
    assert tokenizer.to_str() == other.to_str()
    with pytest.raises(ValueError, match="the count of 'low' is 0: give a positive integer"):
        tokenizer.train_from_counts({"low": 0}, trainer)


def test_an_interrupted_training_leaves_the_tokenizer_as_it_was() -> None:
    tokenizer, trainer = small(tokenizers_impl)
    tokenizer.train_from_iterator(["low lower"], trainer)
    before = tokenizer.to_str()

    def texts() -> Any:
        yield "entirely other"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tokenizer.train_from_iterator(texts(), trainer)
    assert tokenizer.to_str() == before


def test_an_interrupted_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, trainer = small(tokenizers_impl)
    tokenizer.train_from_iterator(["low lower"], trainer)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    before = path.read_bytes()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tokenizer.save(str(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_tokenizer_that_has_encoded_can_be_trained_again() -> None:
    tokenizer, trainer = small(tokenizers_impl)
    tokenizer.train_from_iterator(["low lower"], trainer)
    assert tokenizer.encode("low new").tokens == ["low", "e", "w"]
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.train_from_iterator(["new newer <s>"], trainer)
    again, _ = small(tokenizers_impl)
    again.add_special_tokens(["<s>"])
    again.train_from_iterator(["new newer <s>"], trainer)
    assert tokenizer.to_str() == again.to_str()
    assert tokenizer.encode("low new<s>").tokens == ["w", "new", "<s>"]


def test_progress_bars_name_the_stages(capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer, _ = small(tokenizers_impl)
    tokenizer.train_from_iterator(["low lower"], tokenizers_impl.trainers.BpeTrainer(vocab_size=9))
    shown = capsys.readouterr().err
    for stage in (
        "Count words",
        "Tokenize words",
        "Count pairs",
        "Compute merges",
    ):
        assert f"{stage}: " in shown


def test_what_is_no_part_is_refused() -> None:
    tokenizer, _ = small(tokenizers_impl)
    with pytest.raises(ValueError, match=r"pre_tokenizer=.*: give a PreTokenizer of tokenizers_impl"):
        tokenizer.pre_tokenizer = str.split
    with pytest.raises(ValueError, match="model=None: give a Model"):
        tokenizer.model = None
    with pytest.raises(ValueError, match="pre_tokeniser is not an attribute of a Tokenizer: set one of model"):
        tokenizer.pre_tokeniser = None


@pytest.mark.slow
def test_without_compilation_everything_is_the_same(tmp_path: Path) -> None:
    program = """
        import numba, tokenizers, tokenizers_impl
        assert numba.config.DISABLE_JIT
        from test_tokenizer import PIPELINES, pipeline
        corpus = ["Low lower lowest, it's é 漢字!", "new  newer\tnewest wider"] * 3
        for name in PIPELINES:
            pairs = [pipeline(library, name, 60) for library in (tokenizers_impl, tokenizers)]
            for tokenizer, trainer in pairs:
                tokenizer.train_from_iterator(corpus, trainer)
            mine, theirs = pairs[0][0], pairs[1][0]
            # Of WordPiece's equally frequent pairs the library takes another one in each run.
            assert name == "wordpiece" or mine.get_vocab().keys() == theirs.get_vocab().keys(), name
            mine = tokenizers_impl.Tokenizer.from_str(theirs.to_str())
            for text in [*corpus, "unknown ☃ <s>[SEP]</s> é", ""]:
                a, b = mine.encode(text), theirs.encode(text)
                assert (a.ids, a.tokens, a.offsets) == (b.ids, b.tokens, b.offsets), (name, text)
                assert mine.decode_batch([a.ids, []]) == theirs.decode_batch([a.ids, []]), (name, text)
        print("same")
    """
    root = Path(__file__).resolve().parents[2]
    # This file itself is imported by its name.
    path = os.pathsep.join(map(str, [root, Path(__file__).parent, root / "tests" / "support"]))
    assert run_python(program, tmp_path, PYTHONPATH=path, NUMBA_DISABLE_JIT="1").split() == ["same"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    tokenizer, trainer = small(tokenizers_impl)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        tokenizer.train([str(tmp_path / "nowhere.txt")], trainer)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("naïve".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.txt is not UTF-8 text \(byte 3 of line 1\)"):
        tokenizer.train(str(latin), trainer)
    with pytest.raises(ValueError, match="element 1 of the iterator is 3: give strings"):
        tokenizer.train_from_iterator(["a", 3], trainer)
    with pytest.raises(ValueError, match="text 1 is None: give a string"):
        tokenizer.encode_batch(["a", None])
    with pytest.raises(ValueError, match="give a list of strings"):
        tokenizer.encode_batch("a text")
    with pytest.raises(ValueError, match="the text is \\['a'\\]: give a string"):
        tokenizer.encode(["a"])
