"""Long lines and texts: a training cuts them into pieces before spaces, which changes no word and bounds the memory."""

from __future__ import annotations

import os
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import NORMALIZERS, PRE_TOKENIZERS
from properties import examples

from tokenizers_impl import AddedToken, Tokenizer, models, normalizers, pipelines, pre_tokenizers, trainers
from tokenizers_impl._encoding import training
from tokenizers_impl._encoding.encoded import Cutter

TEMPTING = st.lists(
    st.sampled_from(
        [
            *(" ", "  ", "   ", "\n", " \n ", "\t", "\r\n", "\x0b", "\x00", "\x7f", "\x85"),
            *("\u00a0", "\u2003", "\u200b", "\u3000", "\u2028", "\ufeff", "\u00ad", "\ufe70", "\u037a", "\u00a8"),
            *("'s", "'", "' s", "'ll", " 'll", "I'M", "1", "12 ", "²", "½", "٣", ".", "...", "-", "~", "!", "▁", "Ġ"),
            *("a", "A ", "ab c", "é", "e\u0301", "\u0301", "\u0308 ", "ﬁ", "ß", "İ", "Σ", "漢", "中 国", "は"),
            *("\U0001f600", "\U0001f600 ", "𝔸", "\U000e0041", "<s>", " <s> ", "<m>", "<m> "),
        ]
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=40,
).map("".join)

TAKING = [
    pre_tokenizers.ByteLevel(),
    pre_tokenizers.ByteLevel(add_prefix_space=False),
    pre_tokenizers.ByteWords(),
    pre_tokenizers.Whitespace(),
    pre_tokenizers.WhitespaceSplit(),
    pre_tokenizers.BertPreTokenizer(),
    pre_tokenizers.CharDelimiterSplit(" "),
    pre_tokenizers.Metaspace(),
    pre_tokenizers.Metaspace("_", "first"),
    pre_tokenizers.Metaspace(prepend_scheme="never"),
    pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(), pre_tokenizers.FixedLength(2)]),
    pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(), pre_tokenizers.ByteLevel()]),
    pre_tokenizers.Sequence([pre_tokenizers.Metaspace(prepend_scheme="first"), pre_tokenizers.Split("a", "isolated")]),
]
REFUSING = [
    None,
    pre_tokenizers.ByteLevel(use_regex=False),
    pre_tokenizers.CharDelimiterSplit("-"),
    pre_tokenizers.Metaspace(split=False),
    pre_tokenizers.FixedLength(3),
    pre_tokenizers.UnicodeScripts(),
    pre_tokenizers.Split(" ", "isolated"),
    pre_tokenizers.Sequence([]),
    pre_tokenizers.Sequence([pre_tokenizers.FixedLength(3), pre_tokenizers.ByteLevel()]),
    pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(), pre_tokenizers.Metaspace(prepend_scheme="first")]),
]
NORMAL = [
    None,
    normalizers.Lowercase(),
    normalizers.StripAccents(),
    normalizers.Nmt(),
    normalizers.NFC(),
    normalizers.NFD(),
    normalizers.NFKC(),
    normalizers.NFKD(),
    normalizers.BertNormalizer(),
    normalizers.BertNormalizer(lowercase=False, strip_accents=True, handle_chinese_chars=False),
    normalizers.Sequence([]),
    normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Nmt(), normalizers.NFC()]),
]
TOKENS = [
    AddedToken("<s>", special=True),
    AddedToken("<m>", lstrip=True, special=True),
    AddedToken("12", single_word=True),
]


def cutter(normalizer: Any, pre_tokenizer: Any, tokens: list[AddedToken]) -> Cutter:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    tokenizer.add_tokens(tokens)
    return tokenizer._parts.cutter


def words(cutter: Cutter, corpus: training.Corpus) -> list[str]:
    blocks = [block for part in corpus.parts for block in corpus.read(part)]
    return [word for block in blocks for word in cutter.cut(block).without_empty().texts()]


def assert_same_words(cutter: Cutter, text: str, block: int, path: Path) -> None:
    """The words of a text in pieces of `block` characters, and of its lines in a file, are those of the whole."""
    path.write_text(text, encoding="utf-8", newline="")
    options: dict[str, Any] = {"offsets": cutter.needs_origins}
    for_file: dict[str, Any] = {**options, "elsewhere": False}
    whole = words(cutter, training.iterator_corpus([text, "b a"], **options))
    lines = words(cutter, training.file_corpus([path], **for_file))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(training, "BLOCK", block)
        assert words(cutter, training.iterator_corpus([text, "b a"], **options, pieces=True)) == whole
        assert words(cutter, training.file_corpus([path], **for_file, pieces=True)) == lines


@given(
    text=TEMPTING,
    block=st.integers(1, 5),
    normalizer=st.sampled_from(NORMAL),
    pre_tokenizer=st.sampled_from(TAKING),
    tokens=st.sampled_from([[], TOKENS]),
)
@examples(3000)
def test_pieces_have_the_words_of_the_whole(
    text: str, block: int, normalizer: Any, pre_tokenizer: Any, tokens: list[AddedToken], tmp_path_factory: Any
) -> None:
    made = cutter(normalizer, pre_tokenizer, tokens)
    assert made.takes_pieces
    assert_same_words(made, text, block, tmp_path_factory.getbasetemp() / "text")


@given(
    text=TEMPTING,
    block=st.integers(1, 5),
    normal=st.lists(st.sampled_from(NORMALIZERS), max_size=2),
    steps=st.lists(st.sampled_from(PRE_TOKENIZERS), min_size=1, max_size=2),
)
@examples(3000)
def test_whatever_pipeline_takes_pieces(
    text: str, block: int, normal: list[Any], steps: list[Any], tmp_path_factory: Any
) -> None:
    normalizer = normalizers.from_json({"type": "Sequence", "normalizers": normal})
    pre_tokenizer = pre_tokenizers.from_json({"type": "Sequence", "pretokenizers": steps})
    made = cutter(normalizer, pre_tokenizer, [])
    if made.takes_pieces:
        assert_same_words(made, text, block, tmp_path_factory.getbasetemp() / "text")


@pytest.mark.slow
@pytest.mark.parametrize("normalizer", NORMAL)
def test_no_character_next_to_a_cut_changes_it(normalizer: Any) -> None:
    """Every code point on both sides of "a b", cut before its space."""
    made = cutter(normalizer, pre_tokenizers.ByteLevel(), [])
    for first in range(0, sys.maxunicode + 1, 1 << 16):
        chars = [chr(code) for code in range(first, first + (1 << 16)) if not 0xD800 <= code < 0xE000]
        whole = made.words([f"{char}a {char}" for char in chars])
        pieces = made.words([piece for char in chars for piece in (f"{char}a", f" {char}")])
        assert whole.texts() == pieces.texts()


@pytest.mark.parametrize("pre_tokenizer", REFUSING)
def test_pipelines_that_need_the_whole_text(pre_tokenizer: Any) -> None:
    assert not cutter(None, pre_tokenizer, []).takes_pieces


def test_normalizers_and_tokens_that_need_the_whole_text() -> None:
    level = pre_tokenizers.ByteLevel()
    for normalizer in (
        normalizers.Strip(),
        normalizers.Prepend(),
        normalizers.Replace(" ", "_"),
        normalizers.ByteLevel(),
        normalizers.Sequence([normalizers.NFC(), normalizers.Strip()]),
        normalizers.Normalizer.custom(type("Same", (), {"normalize": lambda self, text: None})()),
    ):
        assert not cutter(normalizer, level, []).takes_pieces
    for token in (AddedToken("a b"), AddedToken("<s>", rstrip=True), AddedToken("a b", normalized=False)):
        assert not cutter(None, level, [token]).takes_pieces


SENTENCES = " ".join(f"it's {n} 'll  do\u3000漢{n % 7}. \n \U0001f600 café x{n % 11}" for n in range(300))


AFFIXES = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in pipelines.PIPELINES), ("bpe", AFFIXES), ("byte-level-bpe", AFFIXES)],
)
def test_the_same_file_as_without_cuts(
    name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_text(SENTENCES, encoding="utf-8", newline="")
    monkeypatch.setattr(training, "BLOCK", 100)

    def trained() -> Any:
        for train in (
            lambda tokenizer, trainer: tokenizer.train([str(path)], trainer),
            lambda tokenizer, trainer: tokenizer.train_from_iterator(["it's", SENTENCES, "so"], trainer),
        ):
            tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=400, show_progress=False, **options)
            train(tokenizer, trainer)
            yield tokenizer.to_str()

    cut = list(trained())
    monkeypatch.setattr(Cutter, "takes_pieces", False)
    assert list(trained()) == cut


def test_pieces_are_about_as_large_as_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BLOCK", 100)
    path = tmp_path / "text"
    path.write_text("word " * 1000, encoding="utf-8")
    for corpus in (
        training.iterator_corpus(["word " * 1000], offsets=False, pieces=True),
        training.file_corpus([path], offsets=False, elsewhere=False, pieces=True),
    ):
        sizes = [len(block.chars) for part in corpus.parts for block in corpus.read(part)]
        assert sum(sizes) == 5000
        assert max(sizes) <= 105
        assert len(sizes) >= 48


def test_a_text_in_pieces_counts_once(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(training, "BLOCK", 20)
    tokenizer, _ = pipelines.byte_level_bpe()
    trainer = trainers.BpeTrainer(vocab_size=300, progress_format="json")
    tokenizer.train_from_iterator(["low lower " * 50, "new"], trainer, length=2)
    lines = [line for line in capfd.readouterr().err.splitlines() if '"Count words"' in line]
    assert lines[-1] == '{"stage":"Count words","current":2,"total":2}'


def test_what_is_wrong_is_said_with_its_place_in_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BLOCK", 20)
    tokenizer, trainer = pipelines.byte_level_bpe(show_progress=False)
    with pytest.raises(ValueError, match=r"text 0 holds the lone surrogate '\\udc00' at character 500, "):
        tokenizer.train_from_iterator(["word " * 100 + "\udc00"], trainer)
    path = tmp_path / "text"
    path.write_bytes(b"word\n" + b"word " * 100 + b"\xff" + b" word" * 100)
    with pytest.raises(ValueError, match=r"text is not UTF-8 text \(byte 501 of line 2\)"):
        tokenizer.train([str(path)], trainer)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a\nb\xff",))
    writer.start()
    with pytest.raises(ValueError, match=r"pipe is not UTF-8 text \(byte 4 from its start\)"):
        tokenizer.train([str(pipe)], trainer)
    writer.join()


# --- memory


def test_finding_the_end_of_a_line_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "line"
    path.write_bytes(b"word " * (3 << 20))
    tracemalloc.start()
    try:
        ranges = list(training.file_ranges([path]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ranges == [training.FileRange(path, 0, 15 << 20)]
    assert peak < 3 << 20


LINE = "it was 7 words, not \U0001f600 " * 1_600_000
_PEAKS = """
import resource, sys
from tokenizers_impl import pipelines

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

path, name, how = sys.argv[1:]
tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=300, show_progress=False)
tokenizer.train_from_iterator(["low lower " * 100_000], trainer)
text = open(path, encoding="utf-8").read() if how == "text" else None
before = peak()
tokenizer.train([path], trainer) if how == "file" else tokenizer.train_from_iterator([text], trainer)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["file", "text"])
@pytest.mark.parametrize("name", ["bpe", "byte-level-bpe", "wordpiece"])
def test_one_long_line_takes_no_more_memory_than_its_text(name: str, how: str, tmp_path: Path) -> None:
    """Without cuts it takes 11 to 20 times the text."""
    path = tmp_path / "line"
    path.write_text(LINE, encoding="utf-8")
    assert int(run_python(_PEAKS, tmp_path, str(path), name, how)) < path.stat().st_size
