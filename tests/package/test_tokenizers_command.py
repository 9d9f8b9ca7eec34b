"""`evenscore tokenizers`, and the plot of `evenscore train`."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from example_files import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import evenscore
from evenscore.cli import main
from evenscore.perplexity.ngram.held_out import held_out_bits
from tokenizers_impl import Tokenizer, models
from tokenizers_impl.measures import measure

CORPUS = [str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt")]
LINES = [line for path in CORPUS for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A tokenizer each of BPE, byte-level BPE, Unigram."""
    folder = tmp_path_factory.mktemp("tokenizers")
    paths = []
    for model in ("bpe", "byte-level-bpe", "unigram"):
        paths.append(str(folder / f"{model}.json"))
        assert main(["train", "--model", model, "--vocab-size", "300", "--quiet", "-o", paths[-1], *CORPUS]) == 0
    return paths


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["tokenizers", *words]) == 0
    return capsys.readouterr().out


def test_json_has_every_measure_of_every_tokenizer(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, *files, "--text", *CORPUS, "--json"))
    assert (found["texts"], found["ngram_order"]) == (len(LINES), 5)
    names = ["bpe.json", "byte-level-bpe.json", "unigram.json"]
    assert [row.pop("tokenizer") for row in found["tokenizers"]] == names
    for path, row in zip(files, found["tokenizers"], strict=True):
        tokenizer = Tokenizer.from_file(path)
        assert row.pop("vocabulary") == tokenizer.get_vocab_size()
        assert 1 < row.pop("bits_per_byte") < 8
        assert row == measure(tokenizer, LINES)


def test_bits_per_byte_are_those_of_perplexity_where_every_token_is_known(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Every text twice: both halves are the same.
    (tmp_path / "twice.txt").write_text("".join(f"{line}\n{line}\n" for line in LINES), encoding="utf-8")
    found = json.loads(run(capsys, *files, "--text", str(tmp_path / "twice.txt"), "--json", "--ngram-order", "3"))
    for path, row in zip(files, found["tokenizers"], strict=True):
        tokenize = Tokenizer.from_file(path).tokenize
        metric = evenscore.load("perplexity", source="ngram", ngram_order=3, ngram_unit=tokenize)
        wanted = metric.compute(predictions=LINES, train_texts=LINES)["bits_per_byte"]
        assert row["bits_per_byte"] == pytest.approx(wanted, rel=1e-9)


def test_the_table_has_a_row_for_each_measure(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, *files, "--text", *CORPUS, "--json"))["tokenizers"]
    *rows, empty, note = run(capsys, *files, "--text", *CORPUS).splitlines()
    wanted = [[name, *(f"{row[name]:.4f}" if isinstance(row[name], float) else str(row[name]) for row in found)]
              for name in found[0] if name != "tokenizer"]  # fmt: skip
    assert [row.split() for row in rows] == [["measure", *(row["tokenizer"] for row in found)], *wanted]
    assert (empty, note) == (
        "", "bits_per_byte: a 5-gram model of every other text predicts the others; lower is better"
    )  # fmt: skip


def test_unknown_tokens_leave_no_bits_per_byte(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "zh.txt"
    text.write_text("今天天气很好\n我们去公园\n" * 3, encoding="utf-8")
    plot = tmp_path / "a.svg"
    found = json.loads(run(capsys, *files, "--text", str(text), "--json", "--plot", str(plot)))["tokenizers"]
    assert [row["unknown_rate"] > 0 for row in found] == [True, False, True]
    assert [row["bits_per_byte"] is None for row in found] == [True, False, True]
    *_, bits, empty, _, note = run(capsys, *files, "--text", str(text)).splitlines()
    assert bits.split() == ["bits_per_byte", "-", f"{found[1]['bits_per_byte']:.4f}", "-"]
    reason = "no bits_per_byte for bpe.json, unigram.json: unknown characters are lost, and then cost no bits"
    assert (empty, note) == ("", reason)
    assert plot.stat().st_size > 0


def test_characters_that_a_model_drops_leave_no_bits_per_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, file = tmp_path / "t.txt", tmp_path / "t.json"
    Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])).save(str(file))
    for content, has_bits in (("ab\nba\n", True), ("ab\nbax\n", False)):
        text.write_text(content)
        (found,) = json.loads(run(capsys, str(file), "--text", str(text), "--json"))["tokenizers"]
        assert (found["unknown_rate"], found["bits_per_byte"] is not None) == (0.0, has_bits)


def test_tables_are_read_and_equal_names_get_their_folders(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.json").write_bytes(Path(files[0]).read_bytes())
    (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps({'said': line})}\n" for line in LINES), encoding="utf-8")
    both = [str(tmp_path / folder / "t.json") for folder in ("a", "b")]
    found = json.loads(run(capsys, *both, "--text", str(tmp_path / "t.jsonl"), "--text-column", "said", "--json"))
    one, other = found["tokenizers"]
    assert (one.pop("tokenizer"), other.pop("tokenizer")) == ("a/t.json", "b/t.json")
    (lines,) = json.loads(run(capsys, files[0], "--text", *CORPUS, "--json"))["tokenizers"]
    assert one == other == {name: value for name, value in lines.items() if name != "tokenizer"}


def test_truncation_and_padding_of_a_file_do_not_count(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = Tokenizer.from_file(files[0])
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "bpe.json"))
    words = ["--text", *CORPUS]
    assert run(capsys, str(tmp_path / "bpe.json"), *words) == run(capsys, files[0], *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{0}/no.json", "--text", CORPUS[0]], "no.json: No such file"),
        (["{1}", "--text", "{0}/one.txt"],
         "/one.txt: only one text is not empty: give at least one among texts 1, 3, 5 ... and one among texts"),
        (["{1}", "--text", "{0}/nothing.txt"], "/nothing.txt: no text: give at least two that are not empty"),
        (["{1}", "--text", "{0}/none.txt"], "/none.txt: every text is empty: give at least one"),
        (["{1}", "--text", "{0}/none.txt", "{0}/odd.txt"],
         "/none.txt, {0}/odd.txt: only texts at odd places are not empty: give at least one"),
        (["{1}", "--text", CORPUS[0], "--ngram-order", "0"], "--ngram-order 0: give 1 or more"),
        (["{1}", "--text", CORPUS[0], "--plot", "{0}/a.gif"], "a.gif: name a file that ends in .svg or .png or .pdf"),
        (["{1}", "--text", CORPUS[0], "--plto", "{0}/a.svg"], "unexpected argument '--plto'"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_told_in_one_line(
    words: list[str], message: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("one", "one\n"), ("nothing", ""), ("none", "\n\n"), ("odd", "one\n\nthree\n")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert main(["tokenizers", *(word.format(tmp_path, files[0]) for word in words)]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("evenscore: ")
    assert printed.count("\n") == 1
    assert message.format(tmp_path) in printed


# --- bits under an n-gram model


IDS = st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=6).filter(any)


@given(IDS, st.integers(0, 4))
@examples(200)
def test_the_probabilities_of_all_ids_and_the_end_sum_to_one(train: Any, further: int) -> None:
    size = 6 + further
    end = held_out_bits(train, [[]], size, 1)
    ids = [held_out_bits(train, [[id]], size, 1) - end for id in range(size)]
    known = len({id for row in train for id in row})
    wanted = 1.0 if known < size else 1.0 - 2.0 ** -(held_out_bits(train, [[size]], size, 1) - end)
    assert math.fsum(2.0**-bits for bits in [*ids, end]) == pytest.approx(wanted, rel=1e-5)


def test_bits_add_up_over_texts_and_renamed_ids_cost_the_same() -> None:
    draw = random.Random(4)
    rows = [draw.choices(range(8), k=draw.randint(0, 9)) for _ in range(60)]
    train, held_out = rows[::2], rows[1::2]
    whole = held_out_bits(train, held_out, 9, 3)
    assert whole == pytest.approx(math.fsum(held_out_bits(train, [row], 9, 3) for row in held_out), rel=1e-9)
    renamed = [[[100 - id for id in row] for row in part] for part in (train, held_out)]
    assert held_out_bits(*renamed, 9, 3) == pytest.approx(whole, rel=1e-9)
    assert held_out_bits(train, [], 9, 3) == 0.0


# --- plots


def test_the_plot_is_that_of_the_printed_measures(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from evenscore.plots import write_plot
    from evenscore.tokenizer_plots import plot_measures

    printed = run(capsys, *files, "--text", *CORPUS, "--json", "--plot", str(tmp_path / "a.svg"))
    rows = json.loads(printed)["tokenizers"]
    shown = ("tokens_per_word", "bytes_per_token", "renyi_efficiency", "bits_per_byte")
    figure = plot_measures([row["tokenizer"] for row in rows], {name: [row[name] for row in rows] for name in shown})
    write_plot(figure, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_train_draws_the_curve_of_its_vocabulary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "--model", "bpe", "--vocab-size", "200", "--quiet", "-o", str(tmp_path / "t.json")]
    assert main([*words, "--plot", str(tmp_path / "a.svg"), *CORPUS]) == 0
    assert "tokens in the vocabulary" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert main([*words, "--plot", str(tmp_path / "a.txt"), *CORPUS]) == 2
    assert "a.txt: name a file that ends in .svg" in capsys.readouterr().err


def test_plots_without_values_are_refused() -> None:
    from evenscore.tokenizer_plots import plot_curve, plot_measures

    with pytest.raises(ValueError, match="0 sizes and 0 lengths: give as many of both, and at least one"):
        plot_curve([], [])
    with pytest.raises(ValueError, match="give at least one measure, and 1 values of each"):
        plot_measures(["a"], {"tokens": [1, 2]})
