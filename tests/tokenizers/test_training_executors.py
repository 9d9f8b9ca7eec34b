"""Tokenizers trained by threads, processes, a cluster: the same files as by one process, though workers die."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import re
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from executors import Deadly, Noting, dask_executor
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import refusal

from tokenizers_impl import Tokenizer, models, pipelines, pre_tokenizers, trainers
from tokenizers_impl._core.arrays import packed
from tokenizers_impl._encoding.training import file_ranges, range_blocks
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.trainers._unigram_expectation import expectation
from tokenizers_impl.trainers._unigram_seed import UnigramOptions, WordText, seed_lexicon

_DRAW = random.Random(8)
_WORDS = ["".join(_DRAW.choices("aeilnorstäß漢", k=_DRAW.randint(1, 9))) for _ in range(400)]
TEXTS = [" ".join(_DRAW.choices(_WORDS, k=_DRAW.randint(0, 12))) for _ in range(900)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizers_impl._encoding.training._RANGE", 3000)
    monkeypatch.setattr("tokenizers_impl._encoding.training.BLOCK", 1000)
    monkeypatch.setattr("tokenizers_impl.trainers._unigram_seed._BLOCK", 500)
    monkeypatch.setattr("tokenizers_impl.trainers._unigram_expectation._FEW_WORDS", 300)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file with its last line feed, one without, one with other line ends, one line, nothing."""
    folder = tmp_path_factory.mktemp("files")
    contents = ["\n".join(TEXTS[:500]) + "\n", "\n".join(TEXTS[500:800]), "\r\n".join(TEXTS[800:]), " ".join(TEXTS), ""]
    paths = [folder / str(i) for i in range(len(contents))]
    for path, text in zip(paths, contents, strict=True):
        path.write_bytes(text.encode())
    return paths


def trained(name: str, files: list[Path], executor: Any = None, **options: Any) -> str:
    tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=350, show_progress=False, **options)
    tokenizer.train(files, trainer, executor=executor)  # type: ignore[arg-type]
    return str(tokenizer.to_str())


# --- parts of files


@given(
    texts=st.lists(st.text("ab\n\ré漢", max_size=30), max_size=3),
    size=st.integers(1, 12),
    block=st.integers(1, 12),
)
@examples(150)
def test_ranges_are_whole_lines_and_all_of_them(texts: list[str], size: int, block: int, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("ranges")
    paths = [folder / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tokenizers_impl._encoding.training._RANGE", size)
        patched.setattr("tokenizers_impl._encoding.training.BLOCK", block)
        ranges = list(file_ranges(paths))
        lines = [line for part in ranges for each in range_blocks(part, offsets=False) for line in each.texts()]
    assert lines == [line for text in texts for line in re.findall(r"[^\n]*\n|[^\n]+", text)]
    assert all(part.last - part.first >= min(size, part.path.stat().st_size - part.first) for part in ranges)  # type: ignore[union-attr]
    borders = [part.first for part in ranges if part.first]
    assert all(border > 0 for border in borders)


@pytest.mark.parametrize("name", pipelines.PIPELINES)
def test_work_goes_out_in_parts_and_comes_back_the_same(name: str, files: list[Path]) -> None:
    executor = Noting()
    assert trained(name, files, executor) == trained(name, files)
    assert len(executor.jobs["_counted"]) > 10
    assert {part.path for part in executor.jobs["_counted"]} == {path for path in files if path.stat().st_size}
    assert ("_expect_packed" in executor.jobs) == (name == "unigram")
    texts = Noting()
    by_texts = []
    for chosen in (None, texts):
        tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=350, show_progress=False)
        tokenizer.train_from_iterator(iter(TEXTS), trainer, executor=chosen)
        by_texts.append(tokenizer.to_str())
    assert by_texts[0] == by_texts[1]
    assert [text for part in texts.jobs["_counted"] for text in part] == TEXTS


def test_counted_words_need_an_executor_for_unigram_alone() -> None:
    counts = {word: i + 1 for i, word in enumerate(dict.fromkeys(_WORDS))}
    for name in pipelines.PIPELINES:
        executor, documents = Noting(), []
        for chosen in (None, executor):
            tokenizer, trainer = pipelines.PIPELINES[name](vocab_size=350, show_progress=False)
            tokenizer.train_from_counts(counts, trainer, executor=chosen)
            documents.append(tokenizer.to_str())
        assert documents[0] == documents[1]
        assert set(executor.jobs) == ({"_expect_packed"} if name == "unigram" else set())


def test_what_is_sent_is_small() -> None:
    """A trained model stays at home, and so do origins that nobody asks for."""
    sizes = []
    for vocab in ({"a": 0}, {f"word{i}": i for i in range(5000)}):
        tokenizer, executor = Tokenizer(models.WordPiece(vocab, unk_token="a")), Noting()
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.WordPieceTrainer(vocab_size=50, show_progress=False)
        tokenizer.train_from_iterator(["low lower"], trainer, executor=executor)
        sizes.append(executor.sizes)
    assert sizes[0] == sizes[1]
    assert max(sizes[0]) < 3000


# --- the same bits


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.slow
def test_processes_and_threads_write_the_same_file(start: str, files: list[Path]) -> None:
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as processes, ThreadPoolExecutor(3) as threads:
        for name in pipelines.PIPELINES:
            here = trained(name, files)
            assert trained(name, files, processes) == here
            assert trained(name, files, threads) == here


@pytest.mark.slow
def test_a_cluster_writes_the_same_file_though_workers_die(files: list[Path], tmp_path: Path) -> None:
    with dask_executor(tmp_path) as executor:
        deaths = tmp_path / "deaths"
        deaths.mkdir()
        assert trained("unigram", files, Deadly(executor, deaths)) == trained("unigram", files)
        # One died of counting, one in an expectation step.
        assert sorted(path.name for path in deaths.iterdir()) == ["_counted", "_expect_packed"]
        assert trained("byte-level-bpe", files, executor) == trained("byte-level-bpe", files)


@pytest.mark.parametrize("times", [1, 10**12])
@pytest.mark.parametrize("few_words", [0, 1000])
def test_an_expectation_step_elsewhere_is_the_same_to_the_last_bit(
    times: int, few_words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenizers_impl.trainers._unigram_expectation._FEW_WORDS", few_words)
    counted = WordCounts.of({word: (i + 1) * times for i, word in enumerate(dict.fromkeys(_WORDS))})
    text = WordText.of(counted)
    lexicon, matches = seed_lexicon(counted, text, UnigramOptions(vocab_size=200), [])
    assert len(text.blocks()) > 3
    here = expectation(text, matches, lexicon)
    elsewhere = expectation(text, matches, lexicon, Noting())
    assert (here[0].tobytes(), here[1]) == (elsewhere[0].tobytes(), elsewhere[1])


@pytest.mark.parametrize("most", [0, 1, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1])
def test_packed_integers_come_back(most: int) -> None:
    numbers = np.array([0, most], np.int64)
    small = packed(numbers)
    assert small.astype(np.int64).tolist() == [0, most]
    assert small.itemsize == next(size for size in (1, 2, 4, 8) if most < 256**size)


@pytest.mark.parametrize("counts", [{}, {"": 1}, {"é漢\U0001f600": 2**63 - 1, "a": 1, "": 300}])
def test_counts_are_pickled_small_and_come_back(counts: dict[str, int]) -> None:
    counted = pickle.loads(pickle.dumps(WordCounts.of(counts)))
    assert dict(zip(counted.words.texts(), counted.counts.tolist(), strict=True)) == counts
    assert (counted.words.chars.dtype, counted.words.offsets.dtype, counted.counts.dtype) == (np.uint32, "i8", "i8")
    assert all(array.flags.writeable for array in (counted.words.chars, counted.words.offsets, counted.counts))


# --- refusals


def test_what_is_wrong_with_a_file_is_said(files: list[Path], tmp_path: Path) -> None:
    executor = Noting()
    tokenizer, trainer = pipelines.bpe(show_progress=False)
    before = tokenizer.to_str()
    bad = tmp_path / "bad"
    bad.write_bytes(b"good line\n" * 1000 + b"caf\xe9\n" + b"good line\n" * 1000)
    for chosen in (None, executor):
        message = refusal(lambda chosen=chosen: tokenizer.train([bad], trainer, executor=chosen))
        assert message == f"{bad} is not UTF-8 text (byte 4 of line 1001): convert it to UTF-8"
    other = Noting()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        tokenizer.train([*map(str, files), str(tmp_path / "nowhere")], trainer, executor=other)
    os.mkfifo(tmp_path / "pipe")
    for strange in (tmp_path / "pipe", tmp_path):
        message = refusal(lambda strange=strange: tokenizer.train(str(strange), trainer, executor=other))
        assert message == f"{strange} is not a regular file, as an executor needs: copy it to one"
    assert other.jobs == {}
    message = refusal(lambda: tokenizer.train(list(map(str, files)), trainer, executor="processes"))
    assert message.startswith("executor='processes' has no submit")
    assert tokenizer.to_str() == before
