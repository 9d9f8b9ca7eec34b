"""Bars for those who wait: shown as datasets shows its own, and nothing for short calls."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import datasets
import pytest
from fresh_process import run_python
from small_corpus import METRICS, PREDICTIONS, SINGLE, VARYING

import evenscore
from evenscore import parallel
from evenscore.cli import main
from tokenizers_impl import Tokenizer, models, pre_tokenizers, trainers

ROWS = {"predictions": PREDICTIONS * 3, "references": VARYING * 3}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits at all waits too long, and every row is a block, every resample a part."""
    monkeypatch.setattr(import_module("evenscore.parallel"), "_PATIENCE", -1.0)
    monkeypatch.setattr(import_module("evenscore.significance"), "_DRAWS", 1)
    monkeypatch.setattr(import_module("evenscore.scorer"), "_TRAVELLING_CHARACTERS", 1)
    for name in METRICS:
        monkeypatch.setattr(evenscore.load(name).scorer_type, "block_characters", 1)
        # A few rows are counted without blocks.
        monkeypatch.setattr(evenscore.load(name).scorer_type, "has_few", lambda *_: False)


@pytest.fixture
def _no_bars() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def streamed(metric: Any) -> Any:
    """Scores from columns of statistics that come in many batches."""
    columns = {"predictions": "predictions", "references": "references"}
    rows = datasets.Dataset.from_dict(ROWS).to_iterable_dataset()
    scorer = metric.row_scorer(*columns, statistics=True)
    return metric.score_columns(rows.map(scorer, batched=True, batch_size=1))


# By what is waited for: the titles of its bars.
LONG: dict[str, tuple[Callable[[Any], Any], set[str]]] = {
    "compute": (lambda metric: metric.compute(**ROWS), {"Count rows"}),
    "add_batch": (lambda metric: metric.add_batch(**ROWS), {"Count rows"}),
    "interval": (lambda metric: metric.compute(**ROWS, confidence=0.9, n_resamples=5), {"Count rows", "Resample"}),
    "bootstrap": (
        lambda metric: metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=5),
        {"Count rows", "Resample"},
    ),
    "randomization": (
        lambda metric: metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=70, test="randomization"),
        {"Count rows", "Resample"},
    ),
    "stream": (streamed, {"Read statistics"}),
}


def titles(printed: str) -> set[str]:
    """The titles of the bars; with carriage returns tqdm draws them anew."""
    return {line.partition(":")[0].strip() for line in printed.replace("\r", "\n").splitlines() if ":" in line}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("job", LONG)
def test_who_waits_sees_a_bar(
    name: str, job: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    run, bars = LONG[job]
    plain = run(evenscore.load(name))
    assert capfd.readouterr().err == ""
    request.getfixturevalue("impatient")
    monkeypatch.setattr(import_module("evenscore.columns"), "_BATCH", 1)
    assert run(evenscore.load(name)) == plain
    assert titles(capfd.readouterr().err) == bars
    request.getfixturevalue("_no_bars")
    assert run(evenscore.load(name)) == plain
    assert capfd.readouterr().err == ""


GIVEN = {"log_probs": [[-1.0], [-2.0, -0.5], [-3.0]]}
LONG_GIVEN: dict[str, tuple[Callable[[Any], Any], set[str]]] = {
    "compute": (lambda metric: metric.compute(**GIVEN), {"Read rows", "Score rows"}),
    "per_example": (lambda metric: metric.compute(**GIVEN, per_example=True), {"Read rows", "Score rows"}),
    "add_batch": (lambda metric: metric.add_batch(**GIVEN), {"Read rows"}),
    "interval": (
        lambda metric: metric.compute(**GIVEN, confidence=0.9, n_resamples=5),
        {"Read rows", "Score rows", "Resample"},
    ),
}


@pytest.mark.parametrize("job", LONG_GIVEN)
def test_who_waits_for_log_probs_sees_a_bar(job: str, request: pytest.FixtureRequest, capfd: Any) -> None:
    run, bars = LONG_GIVEN[job]
    plain = run(evenscore.load("perplexity"))
    assert capfd.readouterr().err == ""
    request.getfixturevalue("impatient")
    assert run(evenscore.load("perplexity")) == plain
    assert titles(capfd.readouterr().err) == bars


@pytest.mark.parametrize("name", METRICS)
def test_who_waits_for_scores_of_rows_sees_a_bar(name: str, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    plain = evenscore.load(name).compute(**ROWS, per_example=True)
    monkeypatch.setattr(import_module("evenscore.parallel"), "_PATIENCE", -1.0)
    monkeypatch.setattr(import_module("evenscore.scorer"), "_ROWS", 2)
    assert evenscore.load(name).compute(**ROWS, per_example=True) == plain
    assert titles(capfd.readouterr().err) == {"Score rows"}


@pytest.mark.usefixtures("impatient")
def test_a_bar_counts_rows_to_their_number(capfd: Any) -> None:
    with ThreadPoolExecutor(2) as pool:
        evenscore.load("wer_dp").compute(**ROWS, executor=pool)
    assert "Count rows: 100%" in (printed := capfd.readouterr().err)
    assert f"{len(ROWS['predictions'])}/{len(ROWS['predictions'])}" in printed
    evenscore.load("rouge_l_multi").compute(**ROWS, aggregate="bootstrap", n_resamples=5)
    assert "Resample: 100%" in (printed := capfd.readouterr().err)
    assert "5/5" in printed


@pytest.mark.usefixtures("impatient")
def test_what_is_one_part_has_no_bar_and_no_thread(capfd: Any) -> None:
    before = threading.active_count()
    evenscore.load("wer_dp").compute(predictions=["a"], references=["b"])
    assert capfd.readouterr().err == ""
    assert threading.active_count() == before


def test_parts_come_one_by_one_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that never ends has a bar too."""

    monkeypatch.setattr(parallel, "_PATIENCE", -1.0)
    taken = itertools.count()
    parts = parallel.with_bar(taken, "Count", "part", lambda _: 1)
    assert list(itertools.islice(parts, 5)) == [0, 1, 2, 3, 4]
    assert next(taken) == 5


@pytest.mark.parametrize("name", ["bleu_corpus", "rouge_l_multi"])
def test_who_cuts_text_by_text_sees_a_bar(name: str, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(import_module("evenscore.parallel"), "_PATIENCE", -1.0)
    texts = ["a b c " * 6000] * 3
    metric = evenscore.load(name)
    expected = metric.compute(predictions=texts, references=texts)
    assert "Count rows" not in capfd.readouterr().err
    result = metric.compute(predictions=texts, references=texts, tokenizer=str.split)
    assert "Count rows" in capfd.readouterr().err
    assert [result[key] for key in metric.headlines()] == [expected[key] for key in metric.headlines()]


@pytest.mark.usefixtures("impatient")
def test_who_waits_for_alignments_sees_a_bar(capfd: Any) -> None:
    evenscore.load("wer_dp").error_counts(**ROWS)
    assert "Align rows" in capfd.readouterr().err


def test_who_tokenizes_many_lines_sees_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(import_module("evenscore.parallel"), "_PATIENCE", -1.0)
    monkeypatch.setattr(import_module("evenscore.commands.tokenize"), "_BLOCK", 2)
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "t.json"))
    (tmp_path / "text").write_text("a b\n\nb\nb a\na\n")
    assert main(["tokenize", "--tokenizer", str(tmp_path / "t.json"), str(tmp_path / "text")]) == 0
    out, err = capfd.readouterr()
    assert out == "a b\n\nb\nb a\na\n"
    assert "Tokenize lines" in err


def test_trainings_show_no_bar_where_datasets_shows_none(capfd: Any) -> None:
    def train() -> str:
        Tokenizer(models.BPE()).train_from_counts({"low": 2}, trainers.BpeTrainer())
        return str(capfd.readouterr().err)

    assert "Compute merges" in train()
    datasets.disable_progress_bars()
    try:
        assert "Compute merges" not in train()
    finally:
        datasets.enable_progress_bars()


_WITHOUT_A_CONSOLE = """
    import os, sys, warnings
    import datasets, evenscore
    from evenscore import parallel
    from evenscore.cli import main
    from tokenizers_impl import Tokenizer, models, trainers
    said, parallel._PATIENCE = sys.stdout, -1.0
    warnings.simplefilter("always")
    sys.stderr = None
    for name in ("bleu_corpus", "wer_dp"):
        metric = evenscore.load(name)
        type(metric._scorer).block_characters, type(metric._scorer).has_few = 1, lambda *_: False
        rows = {"predictions": ["a b", "c"], "references": ["a", "c"]}
        metric.compute(**rows, confidence=0.9, n_resamples=5)
        table = datasets.Dataset.from_dict(rows)
        table.map(metric.row_scorer("predictions", "references"), batched=True)
    for shown in ("indicatif", "json"):
        trainer = trainers.BpeTrainer(progress_format=shown)
        Tokenizer(models.BPE()).train_from_iterator([""], trainer)
        Tokenizer(models.BPE()).train_from_iterator(["low lower"], trainer)
    Tokenizer(models.Unigram()).train_from_iterator(["low lower"], trainers.UnigramTrainer())
    assert main(["publish", "wer_dp", "--to", "no Space"]) == 2
    sys.stdout = None
    repr(metric.picture("a b", "a c"))
    assert main(["publish", "wer_dp", "--to", "me/wer_dp", "--dry-run", "out"]) == 0
    assert main(["publish", "wer_dp", "--to", "no Space"]) == 2
    for words in ([], ["bleu"]):
        try:
            main(words)
        except SystemExit as end:
            assert end.code == 2
    print(sorted(os.listdir("out"))[0], file=said, flush=True)
"""


@pytest.mark.slow
def test_who_has_no_console_misses_bars_warnings_and_errors_alone(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    assert run_python(_WITHOUT_A_CONSOLE, tmp_path, PYTHONPATH=root) == "README.md\n"
