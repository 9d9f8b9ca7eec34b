"""Scores of rows as columns of datasets, found again in the cache; corpus scores from columns of statistics."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import datasets
import evaluate
import evenscore
import pandas as pd
import pyarrow as pa
import pytest
from datasets.fingerprint import Hasher
from fresh_process import run_python
from small_corpus import METRICS, PREDICTIONS, SINGLE, VARYING, refusal, scores

ROWS = {"hyp": PREDICTIONS, "refs": VARYING}
OTHERS = {"hyp": SINGLE, "refs": VARYING}


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def mapped(name: str, rows: dict[str, Any] = ROWS, **options: Any) -> datasets.Dataset:
    scorer = evenscore.load(name).row_scorer("hyp", "refs", **options)
    return datasets.Dataset.from_dict(rows).map(scorer, batched=True, batch_size=2)


def expected(name: str) -> dict[str, list[float]]:
    return {f"{name}_{score}": scores(name)[f"{score}_per_example"] for score in evenscore.load(name).headlines()}


def test_rows_get_columns_of_scores(name: str) -> None:
    result = mapped(name)
    assert {column: result[column][:] for column in result.column_names} == {**ROWS, **expected(name)}


def test_columns_may_be_chosen_and_named(name: str) -> None:
    headline = evenscore.load(name).headlines()[-1]
    result = mapped(name, prefix="x.", scores=[headline])
    assert result.column_names == ["hyp", "refs", f"x.{headline}"]
    assert result[f"x.{headline}"][:] == expected(name)[f"{name}_{headline}"]


@pytest.mark.parametrize("form", [None, "numpy", "pandas", "arrow"])
def test_every_format_gets_the_same_columns_and_keeps_its_own(name: str, form: str | None) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs", statistics=True)
    rows = datasets.Dataset.from_dict(ROWS)
    result = rows.with_format(form).map(scorer, batched=True).with_format(None)
    plain = rows.map(scorer, batched=True)
    assert result.column_names == plain.column_names
    assert result.to_dict() == plain.to_dict()
    assert set(ROWS) < set(result.column_names)


def test_columns_that_are_read_are_not_written_anew(name: str) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs")

    def score(batch: Any) -> Any:
        new = scorer(batch)
        assert batch.keys_to_format == {"hyp", "refs"}
        return new

    assert datasets.Dataset.from_dict(ROWS).map(score, batched=True).to_dict() == mapped(name).to_dict()


def test_a_stream_and_several_splits_get_columns(name: str) -> None:
    metric = evenscore.load(name)
    scorer = metric.row_scorer("hyp", "refs", statistics=True)
    rows = datasets.Dataset.from_dict(ROWS)
    stream = rows.to_iterable_dataset()
    scored = stream.map(scorer, batched=True, features=scorer.features(stream.features))
    plain = rows.map(scorer, batched=True)
    assert list(scored) == list(plain)
    assert {type(row[f"{name}_{metric.headlines()[0]}"]) for row in scored} == {float}
    assert scored.features == plain.features
    splits = datasets.DatasetDict({"a": rows, "b": rows.select([1])}).map(scorer, batched=True)
    assert splits["b"].to_dict() == plain.select([1]).to_dict()
    assert metric.score_columns(splits)["b"] == metric.score_columns(plain.select([1]))
    assert metric.score_columns(scored) == metric.score_columns(plain)


def test_corpus_scores_come_from_columns_of_statistics(name: str) -> None:
    result = mapped(name, statistics=True)
    assert [f"{name}_{each}" for each in evenscore.load(name).statistic_names()] == result.column_names[-len(
        evenscore.load(name).statistic_names()) :]  # fmt: skip
    metric = evenscore.load(name)
    options = {"per_example": True, "confidence": 0.9, "n_resamples": 20}
    direct = metric.compute(predictions=PREDICTIONS, references=VARYING, **options)
    forms = [result, result.shuffle(seed=1).sort("hyp", reverse=True), result.to_pandas(), result.data.table, result[:]]
    assert metric.score_columns(forms[0], **options) == direct
    for form in forms:
        assert metric.score_columns(form) == metric.compute(predictions=PREDICTIONS, references=VARYING)


def test_systems_are_compared_by_columns(name: str) -> None:
    metric = evenscore.load(name)
    tested = metric.compare_columns(mapped(name, statistics=True), mapped(name, OTHERS, statistics=True), n_trials=20)
    assert tested == metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=20)
    assert "systems[0] has 2" in refusal(
        lambda: metric.compare_columns(
            mapped(name, statistics=True), mapped(name, statistics=True).select([0, 1]), n_trials=20
        )
    )


def test_options_are_those_of_the_scorer(name: str) -> None:
    options = {"bleu_corpus": {"lowercase": True}, "wer_dp": {"unit": "char"}}.get(name, {"rouge_types": ["rouge1"]})
    metric = evenscore.load(name)
    own = datasets.Dataset.from_dict(ROWS).map(
        metric.row_scorer("hyp", "refs", statistics=True, **options), batched=True
    )
    assert metric.score_columns(own, **options) == metric.compute(
        predictions=PREDICTIONS, references=VARYING, **options
    )


def test_perplexity_has_columns_too() -> None:
    metric = evenscore.load("perplexity", source="ngram", train_texts=["a b c", "b c d"], discount=0.5)
    texts = ["a b", "c", "d e"]
    rows = datasets.Dataset.from_dict({"t": texts, "l": [[-1.0], [-2.0, -0.5], [-3.0]]})
    result = rows.map(metric.row_scorer(predictions="t", statistics=True), batched=True)
    assert result["perplexity_perplexity"][:] == metric.compute(predictions=texts)["perplexities"]
    assert metric.score_columns(result) == metric.compute(predictions=texts)
    given = evenscore.load("perplexity").row_scorer(log_probs="l", predictions="t", headlines=["bits_per_byte"])
    assert "perplexity_bits_per_byte" in rows.map(given, batched=True).column_names


# --- the cache


def test_the_hash_depends_on_options_and_names_alone(name: str) -> None:
    metric = evenscore.load(name)
    fresh = Hasher.hash(metric.row_scorer("hyp", "refs"))
    metric.add_batch(predictions=PREDICTIONS, references=VARYING)
    used = metric.row_scorer("hyp", "refs")
    used({"hyp": PREDICTIONS, "refs": VARYING})
    assert Hasher.hash(used) == Hasher.hash(pickle.loads(pickle.dumps(used))) == fresh
    others = [
        metric.row_scorer("hyp", "refs", prefix=""),
        metric.row_scorer("hyp", "refs", statistics=True),
        metric.row_scorer("other", "refs"),
        metric.row_scorer("hyp", "refs", seed=1),
    ]
    assert len({fresh, *map(Hasher.hash, others)}) == 5


def test_a_spawned_process_has_the_same_hash() -> None:
    loads = [evenscore.load, lambda name, **options: evaluate.load(evenscore.path(name), **options)]
    scorers = [load(name, seed=3).row_scorer("hyp", "refs") for name in METRICS for load in loads]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(Hasher.hash, scorers)) == list(map(Hasher.hash, scorers))


_SCORE = """
    import datasets, evaluate, json
    if __name__ == "__main__":
        rows = datasets.load_from_disk("rows")
        metric = evaluate.load(sys.argv[1])
        calls = rows.map(metric.row_scorer("hyp", "refs", statistics=True), batched=True, num_proc=int(sys.argv[2]))
        metric.compute(predictions=["a"], references=["a"])
        again = rows.map(metric.row_scorer("hyp", "refs", statistics=True), batched=True, num_proc=int(sys.argv[2]))
        assert calls.cache_files == again.cache_files
        print(json.dumps([calls._fingerprint, calls.cache_files, calls.to_dict()]))
"""


def test_a_second_process_finds_the_rows_and_changed_code_does_not(tmp_path: Path) -> None:
    name = "wer_dp"
    datasets.Dataset.from_dict(ROWS).save_to_disk(tmp_path / "rows")
    folder = tmp_path / name
    shutil.copytree(evenscore.path(name), folder, symlinks=False, ignore=shutil.ignore_patterns("__pycache__"))
    fingerprint, files, rows = json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))
    stamps = {each["filename"]: Path(each["filename"]).stat().st_mtime_ns for each in files}
    assert stamps
    assert {key: rows[key] for key in expected(name)} == expected(name)
    assert json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))[0] == fingerprint
    assert stamps == {path: Path(path).stat().st_mtime_ns for path in stamps}
    helper = folder / "_segments.py"
    helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    assert json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))[0] != fingerprint


def test_changed_code_of_the_package_changes_the_hash(tmp_path: Path) -> None:
    """A class keeps its module's name when the code there changes; what is pickled must not stay the same."""
    package = tmp_path / "evenscore"
    shutil.copytree(
        Path(evenscore.__file__).parent, package, symlinks=False, ignore=shutil.ignore_patterns("__pycache__")
    )
    program = """
        sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
        import evenscore
        from datasets.fingerprint import Hasher
        assert evenscore.__file__.startswith(sys.argv[1])
        print(*(Hasher.hash(evenscore.load(name).row_scorer("hyp", "refs")) for name in sys.argv[2:]))
    """

    def hashes() -> list[str]:
        return run_python(program, tmp_path, str(tmp_path), *METRICS, PYTHONPATH=str(tmp_path)).split()

    first = hashes()
    assert len(set(first)) == len(METRICS)
    assert hashes() == first
    helper = package / "wer_dp" / "_words.py"
    helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    changed = METRICS.index("wer_dp")
    assert [old == new for old, new in zip(first, hashes(), strict=True)] == [i != changed for i in range(len(METRICS))]


# --- refusals


def test_what_is_not_there_is_named(name: str) -> None:
    metric = evenscore.load(name)
    rows = datasets.Dataset.from_dict(ROWS)
    said = refusal(lambda: metric.row_scorer("hypothesis", "refs")(ROWS))
    assert said == "there is no column 'hypothesis': the columns are hyp, refs"
    assert "scores='nothing': choose one of" in refusal(lambda: metric.row_scorer("hyp", "refs", scores=["nothing"]))
    assert "unknown option" in refusal(lambda: metric.row_scorer("hyp", "refs", lowercasing=True))
    for data in (rows, rows.to_pandas(), rows.data.table, rows.to_iterable_dataset(), ROWS):
        assert f"there is no column '{name}_rows'" in refusal(lambda data=data: metric.score_columns(data))
    floats = pd.DataFrame({f"{name}_{each}": [0.5] for each in metric.statistic_names()})
    assert "is of type float64: statistics are integers" in refusal(lambda: metric.score_columns(floats))
    empty = pa.table({f"{name}_{each}": pa.array([], pa.int64()) for each in metric.statistic_names()})
    assert "nothing to score: the columns are empty" in refusal(lambda: metric.score_columns(empty))


def test_evaluates_copy_scores_alike(name: str) -> None:
    scorer = evaluate.load(evenscore.path(name)).row_scorer("hyp", "refs")
    assert scorer(ROWS) == evenscore.load(name).row_scorer("hyp", "refs")(ROWS)
