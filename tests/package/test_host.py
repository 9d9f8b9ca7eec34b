"""The metrics inside evaluate, datasets, trainers, harnesses, pickles, threads and processes."""

from __future__ import annotations

import copy
import itertools
import json
import multiprocessing
import os
import pickle
import random
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import dill
import evaluate
import numpy as np
import pytest
from datasets.fingerprint import Hasher
from executors import Noting
from fresh_process import run_python
from hub_folders import hub_folder
from small_corpus import ALL_METRICS, COLUMNS, COUNTING, METRICS, PREDICTIONS, SINGLE, VARYING, scores

import evenscore
from evenscore.added_rows import AddedRows

LOADERS = {
    "evenscore": evenscore.load,
    "evaluate": lambda name, **options: evaluate.load(evenscore.path(name), **options),
}


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=LOADERS)
def load(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return LOADERS[request.param]


# --- torch


def test_torch_is_imported_by_its_module_alone(tmp_path: Path) -> None:
    program = """
        import evenscore
        print("torch" in sys.modules)
        # evaluate imports torch by itself where it is installed.
        import evaluate
        sys.modules["torch"] = None
        print(evenscore.load("wer_dp").compute(predictions=["a"], references=["b"])["wer"])
        try:
            import evenscore.torch
        except ImportError as error:
            print(error)
    """
    said = "evenscore.torch needs the package torch: pip install torch"
    assert run_python(program, tmp_path).splitlines() == ["False", "1.0", said]


# --- evaluate.load


def test_a_fresh_offline_process_loads_and_scores(tmp_path: Path) -> None:
    program = """
        import json, evaluate, evenscore
        results = {}
        for name in ("bleu_corpus", "rouge_l_multi", "wer_dp"):
            metric = evaluate.load(evenscore.path(name))
            assert type(metric).__module__.startswith("evaluate_modules.metrics."), type(metric)
            predictions, references = json.loads(sys.argv[1])
            results[name] = metric.compute(predictions=predictions, references=references, per_example=True)
        print(json.dumps(results))
    """
    printed = run_python(program, tmp_path, json.dumps([PREDICTIONS, VARYING]))
    assert json.loads(printed) == {name: scores(name) for name in METRICS}


def test_the_package_lists_its_public_names() -> None:
    assert sorted(evenscore.__all__) == [
        "METRICS",
        "__version__",
        "combine",
        "load",
        "path",
        "plot_comparison",
        "report",
    ]
    assert all(hasattr(evenscore, name) for name in evenscore.__all__)


def test_the_script_itself_may_be_loaded(name: str) -> None:
    metric = evaluate.load(os.path.join(evenscore.path(name), f"{name}.py"), "default", experiment_id="7")
    assert metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True) == scores(name)


def test_options_are_given_to_evaluate_load(name: str) -> None:
    metric = evaluate.load(evenscore.path(name), **COUNTING[name])
    result = metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True)
    assert result == scores(name, **COUNTING[name])


def test_evaluate_knows_what_the_metric_is(name: str, load: Callable[..., Any]) -> None:
    metric = load(name)
    assert (metric.name, metric.module_type) == (name, "metric")
    assert metric.citation
    assert metric.description
    assert "predictions:" in metric.inputs_description
    assert metric._feature_names() == ["predictions", "references"]


# --- add, add_batch


def added(metric: Any, predictions: list[str], references: Any, size: int | None = None) -> Any:
    """The metric with rows added in batches of that size, or one by one."""
    if size is None:
        for prediction, reference in zip(predictions, references, strict=True):
            metric.add(prediction=prediction, reference=reference)
        return metric
    for start in range(0, len(predictions), size):
        metric.add_batch(predictions=predictions[start : start + size], references=references[start : start + size])
    return metric


@pytest.mark.parametrize("size", [None, 1, 2, 3])
@pytest.mark.parametrize("references", [SINGLE, VARYING], ids=["single", "varying"])
def test_rows_added_in_any_parts_score_as_all_at_once(
    name: str, load: Callable[..., Any], references: Any, size: int | None
) -> None:
    metric = added(load(name, per_example=True), PREDICTIONS, references, size)
    assert len(metric) == len(PREDICTIONS)
    assert metric.compute() == scores(name, references=references)


def test_a_row_may_be_added_under_the_names_of_the_columns(name: str) -> None:
    metric = evenscore.load(name, per_example=True)
    for prediction, reference in zip(PREDICTIONS, VARYING, strict=True):
        metric.add(predictions=prediction, references=reference)
    assert metric.compute() == scores(name)


def test_rows_of_one_and_of_several_references_may_be_added(name: str) -> None:
    metric = evenscore.load(name, per_example=True)
    metric.add(prediction=PREDICTIONS[0], reference=VARYING[0][0])
    metric.add_batch(predictions=PREDICTIONS[1:], references=VARYING[1:])
    assert metric.compute() == scores(name)


def test_a_computed_corpus_is_gone(name: str) -> None:
    metric = added(evenscore.load(name), PREDICTIONS, VARYING)
    first = metric.compute()
    assert len(metric) == 0
    with pytest.raises(ValueError, match="predictions is missing"):
        metric.compute()
    assert added(metric, PREDICTIONS[:1], VARYING[:1]).compute() == scores(
        name, PREDICTIONS[:1], VARYING[:1], per_example=False
    )
    assert added(metric, PREDICTIONS, VARYING).compute() == first


def test_rows_added_and_rows_given_are_scored_together(name: str) -> None:
    metric = added(evenscore.load(name, per_example=True), PREDICTIONS[:1], VARYING[:1])
    assert metric.compute(predictions=PREDICTIONS[1:], references=VARYING[1:]) == scores(name)
    assert len(metric) == 0
    assert bool(metric)


def test_a_refused_batch_adds_nothing(name: str) -> None:
    metric = added(evenscore.load(name, per_example=True), PREDICTIONS, VARYING)
    for bad in ({"predictions": ["a", None], "references": ["a", "b"]}, {"predictions": ["a"]}, {}):
        with pytest.raises(ValueError, match="is missing"):
            metric.add_batch(**bad)
    with pytest.raises(ValueError, match=r"unknown columns \['sources'\]: give predictions and references"):
        metric.add_batch(predictions=["a"], references=["a"], sources=["a"])
    with pytest.raises(ValueError, match=r"unknown columns \['source'\]: give predictions and references"):
        metric.add(prediction="a", reference="a", source="a")
    assert len(metric) == len(PREDICTIONS)
    assert metric.compute() == scores(name)


def test_rows_are_counted_under_the_options_at_load(name: str) -> None:
    metric = added(evenscore.load(name), PREDICTIONS, VARYING)
    with pytest.raises(ValueError, match="rows were added under other options: set the options at load"):
        metric.compute(**COUNTING[name])
    # Nothing is lost, and other options may still be given.
    assert metric.compute(per_example=True, confidence=0.9, n_resamples=5) == scores(
        name, confidence=0.9, n_resamples=5
    )


def test_nothing_but_empty_batches_is_nothing_to_score(name: str) -> None:
    metric = evenscore.load(name)
    metric.add_batch(predictions=[], references=[])
    with pytest.raises(ValueError, match="nothing to score"):
        metric.compute()
    metric.add_batch(predictions=[], references=[])
    assert added(metric, PREDICTIONS, VARYING).compute() == scores(name, per_example=False)


@pytest.mark.parametrize("keep_rows", [True, False])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("any_name", ALL_METRICS)
def test_metrics_that_saw_other_rows_are_merged_in_any_order(
    any_name: str, load: Callable[..., Any], order: tuple[int, ...], keep_rows: bool
) -> None:
    parts = []
    for i in range(3):
        part = load(any_name, keep_rows=keep_rows)
        part.add_batch(**{column: rows[i : i + 1] for column, rows in COLUMNS[any_name].items()})
        parts.append(pickle.loads(pickle.dumps(part)))
    merged = load(any_name, keep_rows=keep_rows)
    for i in order:
        merged.merge(parts[i])
    assert len(merged) == 3
    result, whole = merged.compute(), evenscore.load(any_name, keep_rows=True).compute(**COLUMNS[any_name])
    if any_name == "perplexity":
        # The means of the rows have an order, and sums have no rows.
        assert result.pop("perplexities", None) == ([whole["perplexities"][i] for i in order] if keep_rows else None)
        assert result.pop("mean_perplexity", None) == (whole["mean_perplexity"] if keep_rows else None)
        assert result.pop("left_out", None) == (None if keep_rows else ["mean_perplexity", "perplexities"])
        whole = {key: value for key, value in whole.items() if key not in ("perplexities", "mean_perplexity")}
    assert result == whole
    # What was merged stays with the other.
    assert [len(part) for part in parts] == [1, 1, 1]
    assert len(merged) == 0


def test_rows_come_in_the_order_of_the_merges(name: str) -> None:
    metric = added(evenscore.load(name, per_example=True, confidence=0.9), PREDICTIONS[2:], VARYING[2:])
    metric.merge(added(evenscore.load(name), PREDICTIONS[:2], VARYING[:2]))
    order = [2, 0, 1]
    expected = scores(name, [PREDICTIONS[i] for i in order], [VARYING[i] for i in order], confidence=0.9)
    assert metric.compute() == expected


def test_what_cannot_be_merged_is_refused(name: str) -> None:
    metric = added(evenscore.load(name), PREDICTIONS, VARYING)
    for other in (evenscore.load(next(each for each in METRICS if each != name)), "metric", None):
        with pytest.raises(ValueError, match=f"give a {name} metric"):
            metric.merge(other)
    with pytest.raises(ValueError, match="other is this metric itself: its rows would count twice"):
        metric.merge(metric)
    assert len(metric) == len(PREDICTIONS)
    for options in (COUNTING[name], {"keep_rows": False}):
        with pytest.raises(ValueError, match="rows were added under other options"):
            metric.merge(added(evenscore.load(name, **options), PREDICTIONS, VARYING))
    assert metric.compute() == scores(name, per_example=False)


def test_sums_alone_may_be_kept(name: str) -> None:
    metric = evenscore.load(name, keep_rows=False)
    for _ in range(50):
        added(metric, PREDICTIONS, VARYING)
    assert len(metric) == 150
    assert [len(part) for part in metric._added.parts()] == [1]
    copied = pickle.loads(pickle.dumps(metric))
    for options in ({"per_example": True}, {"confidence": 0.9}):
        with pytest.raises(ValueError, match="per_example and confidence need rows"):
            copied.compute(**options)
    whole = evenscore.load(name).compute(predictions=PREDICTIONS * 50, references=VARYING * 50)
    assert metric.compute() == whole
    assert len(metric) == 0


# --- a compute that fails or is interrupted


@pytest.mark.parametrize("keep_rows", [True, False])
def test_rows_stay_where_compute_fails(name: str, keep_rows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = added(evenscore.load(name, keep_rows=keep_rows), PREDICTIONS, VARYING)
    with monkeypatch.context() as patch:
        patch.setattr(type(metric._scorer), "score", fail)
        for _ in range(2):
            with pytest.raises(MemoryError):
                metric.compute()
            with pytest.raises(MemoryError):
                metric.compute(predictions=PREDICTIONS[:1], references=VARYING[:1])
    with pytest.raises(ValueError, match="predictions"):
        metric.compute(predictions=[None], references=["a"])
    assert len(metric) == len(PREDICTIONS)
    assert metric.compute() == scores(name, per_example=False)
    assert len(metric) == 0


def fail(*_: Any) -> None:
    raise MemoryError


def test_rows_that_came_back_precede_those_added_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = evenscore.load("wer_dp", per_example=True)
    metric.add(prediction="a b", reference="a c")

    def add_and_fail(*_: Any) -> None:
        metric.add(prediction="a", reference="a")
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(type(metric._scorer), "score", add_and_fail)
        with pytest.raises(MemoryError):
            metric.compute()
    assert metric.compute()["wer_per_example"] == [0.5, 0.0]


class _Interrupt:
    """Raises KeyboardInterrupt before one of the lines of evenscore that run in this thread: number `at`, from 0.

    Not where the lock is held: at the end of its block, Python could then not give it back, and no signal comes there.
    """

    def __init__(self, at: int, lock: Any) -> None:
        self.left, self.lock = at, lock

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if "evenscore" not in frame.f_globals.get("__name__", "").split("."):
            return None
        if event == "line" and not self.lock.locked():
            self.left -= 1
            if self.left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


@pytest.mark.parametrize("keep_rows", [True, False])
def test_rows_stay_wherever_compute_is_interrupted(keep_rows: bool) -> None:
    metric = added(evenscore.load("wer_dp", keep_rows=keep_rows), PREDICTIONS, VARYING)
    expected, usual = scores("wer_dp", per_example=False), sys.gettrace()
    points = 0
    while True:
        sys.settrace(_Interrupt(points, metric._added._lock))
        try:
            result = metric.compute()
        except KeyboardInterrupt:
            points += 1
        else:
            break
        finally:
            sys.settrace(usual)
        assert len(metric) == len(PREDICTIONS)
    assert points > 50
    assert result == expected
    assert len(metric) == 0


def test_rows_stay_in_all_combined_metrics_where_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    both = evenscore.combine(["wer_dp", "bleu_corpus"])
    both.add_batch(predictions=["a b c d"], references=["a b c d e"])
    with monkeypatch.context() as patch:
        patch.setattr(type(both.evaluation_modules[1]._scorer), "score", fail)
        with pytest.raises(MemoryError):
            both.compute()
    assert [len(metric) for metric in both.evaluation_modules] == [1, 1]
    assert both.compute(scalars_only=True)["wer"] == 0.2
    assert [len(metric) for metric in both.evaluation_modules] == [0, 0]


# --- rows that threads and forked processes add


@pytest.fixture
def _switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("_switching")
@pytest.mark.parametrize("keep_rows", [True, False])
def test_threads_lose_no_row(name: str, keep_rows: bool) -> None:
    metric, other = (evenscore.load(name, keep_rows=keep_rows) for _ in range(2))
    added(other, PREDICTIONS, VARYING)
    # What is slow is counted once, so that adding meets adding.
    counted = metric.statistics(PREDICTIONS, VARYING)
    metric._scorer.count_columns = lambda *_: counted
    batch = {"predictions": PREDICTIONS, "references": VARYING}

    def work(i: int) -> None:
        for _ in range(300):
            metric.add_batch(**batch) if i % 2 else metric.merge(other)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(metric) == 8 * 300 * 3


@pytest.mark.usefixtures("_switching")
@pytest.mark.parametrize("keep_rows", [True, False])
def test_every_row_is_in_one_result_though_threads_score_meanwhile(keep_rows: bool) -> None:
    metric = evenscore.load("wer_dp", keep_rows=keep_rows)
    counted = metric.statistics(["a b"], ["a c"])
    metric._scorer.count_columns = lambda *_: counted
    scored: list[int] = []

    def work(i: int) -> None:
        for _ in range(200):
            metric.add(prediction="a b", reference="a c")
            if i < 2:
                # With a row of its own, there is always something to score.
                scored.append(metric.compute(predictions=["a b"], references=["a c"])["hits"] - 1)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert sum(scored) + len(metric) == 6 * 200


def test_a_forked_process_does_not_wait_for_a_thread_that_it_lacks() -> None:
    metric = added(evenscore.load("wer_dp"), PREDICTIONS, VARYING)
    with metric._added._lock:
        process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(len(metric)))
        process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 3


@pytest.mark.parametrize("keep_rows", [True, False])
def test_added_rows_are_touched_by_who_holds_their_lock_alone(keep_rows: bool) -> None:
    """Whatever turns threads take: between reading the rows and leaving others there, none may come."""

    class Watched(AddedRows):
        def __getattribute__(self, name: str) -> Any:
            assert name != "_parts" or self._lock.locked()
            return super().__getattribute__(name)

    rows = Watched(keep_rows)
    for i in range(2):
        rows.add([np.array([[1, i]])])
    assert [len(part) for part in rows.parts()] == [2 if keep_rows else 1]
    assert np.concatenate(rows.take()).sum(axis=0).tolist() == [2, 1]
    assert rows.take() == []


def test_an_added_row_copies_none_that_is_there() -> None:
    rows = AddedRows(keep_rows=True)
    kept = rows._parts
    for i in range(5):
        rows.add([np.array([[1, i]])])
    assert rows._parts is kept
    assert [part.tolist() for part in rows.parts()] == [[[1, i] for i in range(5)]]


# --- combine, save


def own_entries(name: str, combined: dict[str, Any], prefix: str) -> dict[str, Any]:
    expected = scores(name, per_example=False)
    return {key: combined[f"{prefix}_{key}" if f"{prefix}_{key}" in combined else key] for key in expected}


@pytest.mark.parametrize("step", [None, "add", "add_batch"])
def test_combine_takes_a_list_of_metrics(load: Callable[..., Any], step: str | None) -> None:
    combined = evaluate.combine([load(name) for name in METRICS])
    if step == "add":
        for prediction, reference in zip(PREDICTIONS, VARYING, strict=True):
            combined.add(prediction=prediction, reference=reference)
    elif step == "add_batch":
        combined.add_batch(predictions=PREDICTIONS, references=VARYING)
    result = combined.compute(**({} if step else {"predictions": PREDICTIONS, "references": VARYING}))
    for name in METRICS:
        assert own_entries(name, result, name) == scores(name, per_example=False)


def test_our_combine_gives_an_option_to_the_members_that_have_it(load: Callable[..., Any]) -> None:
    loaded = [load(name) for name in METRICS]
    options = {"lowercase": True, "unit": "char", "seed": 7, "confidence": 0.9}
    result = evenscore.combine(loaded).compute(predictions=PREDICTIONS, references=VARYING, **options)
    for metric in loaded:
        own = {name: value for name, value in options.items() if name in metric.option_names()}
        assert len(own) < len(options)
        expected = metric.compute(predictions=PREDICTIONS, references=VARYING, **own)
        assert {key: result.get(f"{metric.name}_{key}", result.get(key)) for key in expected} == expected
    no_lower_case = evenscore.combine([evenscore.load("wer_dp"), evenscore.load("perplexity")])
    hint = "'lowercase': for wer_dp, transforms='to_lower_case' does the same; perplexity has nothing like it$"
    with pytest.raises(ValueError, match=hint):
        no_lower_case.compute(predictions=["a"], references=["a"], lowercase=True)
    with pytest.raises(ValueError, match="unknown option 'lowercse'; did you mean 'lowercase'"):
        evenscore.combine(loaded).compute(predictions=PREDICTIONS, references=VARYING, lowercse=True)


def test_our_combine_takes_names_mappings_columns_and_rows_that_were_added() -> None:
    both = evenscore.combine({"cased": "bleu_corpus", "lower": evenscore.load("bleu_corpus", lowercase=True)})
    both.add_batch(predictions=["A b c d"], references=["a b c d"])
    result = both.compute(scalars_only=True)
    assert (result["cased_score"], result["lower_score"]) == (59.460355750136046, 100.00000000000004)
    assert {type(value) for value in result.values()} == {float, int}
    forced = evenscore.combine(["wer_dp"], force_prefix=True).compute(predictions=["a"], references=["b"])
    assert forced["wer_dp_wer"] == 1
    perplexity = evenscore.load("perplexity", source="ngram", train_texts=["a b c"], discount=0.5)
    row = {"predictions": ["b c"], "references": ["b"], "contexts": ["a"]}
    result = evenscore.combine([perplexity, "wer_dp"]).compute(**row)
    assert result["perplexity"] == perplexity.compute(predictions=["b c"], contexts=["a"])["perplexity"]
    assert result["wer"] == 1


def test_combine_takes_paths_and_named_metrics() -> None:
    result = evaluate.combine([evenscore.path(name) for name in METRICS]).compute(
        predictions=PREDICTIONS, references=VARYING
    )
    for name in METRICS:
        assert own_entries(name, result, name) == scores(name, per_example=False)
    cased = evenscore.load("bleu_corpus")
    lower = evenscore.load("bleu_corpus", lowercase=True, scalars_only=True)
    both = evaluate.combine({"cased": cased, "lower": lower}, force_prefix=True)
    result = both.compute(predictions=["A b c d"], references=["a b c d"])
    assert (result["cased_score"], result["lower_score"]) == (59.460355750136046, 100.00000000000004)
    assert [key for key, value in result.items() if key.startswith("lower_") and type(value) not in (int, float)] == []


def test_results_are_saved_as_json(name: str, tmp_path: Path) -> None:
    result = scores(name, confidence=0.9, n_resamples=5)
    file = evaluate.save(tmp_path / "result.json", **result)
    assert json.loads(file.read_text()).items() >= json.loads(json.dumps(result)).items()


# --- values


def plain_types(value: Any) -> set[type]:
    """The types that a value is made of."""
    return {list, *(kind for item in value for kind in plain_types(item))} if type(value) is list else {type(value)}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in METRICS),
        *((name, {"confidence": 0.9, "n_resamples": 3, "per_example": True}) for name in METRICS),
        *(("bleu_corpus", {"convention": convention}) for convention in ("evaluate", "nltk", "paper")),
        ("bleu_corpus", {"reference_length": "average", "weights": [[0.5, 0.5], [1, 0]], "effective_order": True}),
        ("bleu_corpus", {"smoothing_value": np.float64(0.5), "smoothing": "floor", "max_order": np.int64(2)}),
        ("rouge_l_multi", {"rouge_types": ["rougeL", "rougeLsum", "rouge1"], "aggregate": "bootstrap"}),
        ("rouge_l_multi", {"aggregate": "none", "beta": np.float64(2)}),
        ("wer_dp", {"costs": (4, 3.5, np.float64(3))}),
        ("wer_dp", {"unit": "char", "normalize_by": "max"}),
    ],
)
def test_results_are_made_of_plain_values(name: str, options: dict[str, Any]) -> None:
    for predictions in (PREDICTIONS, ["", "", ""]):
        result = scores(name, predictions, VARYING, **options)
        kinds = {key: plain_types(value) - {float, int, str, list} for key, value in result.items()}
        assert {key: kind for key, kind in kinds.items() if kind} == {}
        assert json.loads(json.dumps(result, allow_nan=False)) == result
        means = {**options, "aggregate": "mean"} if "aggregate" in options else options
        tested = evenscore.load(name).compare(PREDICTIONS[::-1], predictions, references=VARYING, n_trials=3, **means)
        assert json.loads(json.dumps(tested, allow_nan=False)) == tested


def test_scalars_only_leaves_numbers(name: str) -> None:
    full, numbers = scores(name, confidence=0.9, n_resamples=3), scores(name, scalars_only=True)
    assert {type(value) for value in numbers.values()} <= {int, float}
    assert numbers == {key: full[key] for key in numbers}
    assert set(evenscore.load(name).headlines()) <= set(numbers)


# --- trainers and harnesses


class EvalPrediction(NamedTuple):
    """What transformers' Trainer hands to compute_metrics."""

    predictions: Any
    label_ids: Any


VOCABULARY = np.array(["<pad>", "the", "cat", "sat", "on", "a", "mat"])


def decoded(ids: Any) -> list[str]:
    return [" ".join(VOCABULARY[row[row > 0]]) for row in np.where(ids == -100, 0, ids)]


TRAINED = EvalPrediction(
    np.array([[1, 2, 3, 4, 1, 6], [5, 2, 3, 0, 0, 0]]), np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, -100, -100, -100]])
)


def test_a_trainer_gets_scalars(name: str) -> None:
    metric = evenscore.load(name, scalars_only=True)

    def compute_metrics(given: EvalPrediction) -> dict[str, Any]:
        predictions, labels = given
        return dict(metric.compute(predictions=decoded(predictions), references=decoded(labels)))

    result = compute_metrics(TRAINED)
    texts = ["the cat sat on the mat", "a cat sat"], ["the cat sat on a mat", "the cat sat"]
    assert result == scores(name, *texts, per_example=False, scalars_only=True)
    assert all(type(value) in (int, float) for value in result.values())


def test_a_trainer_may_evaluate_batch_by_batch(name: str) -> None:
    metric = evenscore.load(name, scalars_only=True)

    def compute_metrics(given: EvalPrediction, compute_result: bool) -> dict[str, Any] | None:
        metric.add_batch(predictions=decoded(given.predictions), references=decoded(given.label_ids))
        return dict(metric.compute()) if compute_result else None

    whole = metric.compute(predictions=decoded(TRAINED.predictions), references=decoded(TRAINED.label_ids))
    for _ in range(2):
        first = EvalPrediction(TRAINED.predictions[:1], TRAINED.label_ids[:1])
        last = EvalPrediction(TRAINED.predictions[1:], TRAINED.label_ids[1:])
        assert compute_metrics(first, compute_result=False) is None
        assert compute_metrics(last, compute_result=True) == whole


def test_a_harness_scores_documents_one_by_one(name: str, load: Callable[..., Any]) -> None:
    compute = load(name, scalars_only=True).compute
    for gold, result in zip(SINGLE, PREDICTIONS, strict=True):
        numbers = compute(references=[gold], predictions=[result])
        assert {type(value) for value in numbers.values()} <= {int, float}
        assert numbers == scores(name, [result], [gold], per_example=False, scalars_only=True)
        # Several references of one document.
        assert compute(references=[[gold, "other"]], predictions=[result]).keys() == numbers.keys()


# --- copies


def by_cloudpickle(metric: Any) -> Any:
    cloudpickle = pytest.importorskip("cloudpickle")
    return pickle.loads(cloudpickle.dumps(metric))


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda metric: pickle.loads(pickle.dumps(metric)),
    "dill": lambda metric: dill.loads(dill.dumps(metric)),
    "cloudpickle": by_cloudpickle,
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_score_alike_before_and_after_use_and_between_rows(
    name: str, load: Callable[..., Any], copied: Callable[[Any], Any]
) -> None:
    options = {**COUNTING[name], "per_example": True}
    metric, expected = load(name, **options), scores(name, **options)
    fresh = copied(metric)
    assert fresh.compute(predictions=PREDICTIONS, references=VARYING) == expected
    used = copied(fresh)
    assert used.compute(predictions=PREDICTIONS, references=VARYING) == expected
    added(metric, PREDICTIONS[:2], VARYING[:2])
    pending = copied(metric)
    # Each goes its own way.
    assert added(pending, PREDICTIONS[2:], VARYING[2:]).compute() == expected
    assert len(metric) == 2
    assert added(metric, PREDICTIONS[2:], VARYING[2:]).compute() == expected


def test_a_pickle_keeps_the_configuration(name: str) -> None:
    assert pickle.loads(pickle.dumps(evenscore.load(name, config_name="mine"))).config_name == "mine"


_UNPICKLE = """
    import pickle
    from datasets.fingerprint import Hasher
    metric, scorer, name = pickle.load(open("metric.pkl", "rb"))
    print(type(metric).__module__, len(metric), Hasher.hash(metric), Hasher.hash(scorer))
"""


@pytest.mark.slow
@pytest.mark.parametrize("any_name", ALL_METRICS)
def test_evaluates_copy_is_unpickled_by_a_process_that_has_not_loaded_it(any_name: str, tmp_path: Path) -> None:
    metric = evaluate.load(evenscore.path(any_name), seed=3)
    columns = {"log_probs": "l"} if any_name == "perplexity" else {"prediction": "p", "references": "r"}
    scorer = metric.row_scorer(**columns)
    metric.add_batch(**COLUMNS[any_name])
    (tmp_path / "metric.pkl").write_bytes(pickle.dumps((metric, scorer, any_name)))
    assert run_python(_UNPICKLE, tmp_path).split() == [
        f"evenscore.metrics.{any_name}.{any_name}", "3", Hasher.hash(metric), Hasher.hash(scorer)
    ]  # fmt: skip


@pytest.mark.parametrize("any_name", ALL_METRICS)
def test_a_generated_folder_has_the_pickles_and_hashes_of_the_installed_metric(any_name: str, tmp_path: Path) -> None:
    copied, own = (
        load(any_name) for load in (lambda name: evaluate.load(str(hub_folder(name, tmp_path))), evenscore.load)
    )
    assert type(copied) is not type(own)
    columns = {"log_probs": "l"} if any_name == "perplexity" else {"prediction": "p", "references": "r"}
    for metric in (copied, own):
        metric.add_batch(**COLUMNS[any_name])
    assert pickle.dumps(copied) == pickle.dumps(own)
    assert Hasher.hash(copied) == Hasher.hash(own)
    assert Hasher.hash(copied.row_scorer(**columns)) == Hasher.hash(own.row_scorer(**columns))
    assert copied.compute() == own.compute()


def test_what_evaluates_copy_sends_to_executors_can_be_imported_there(name: str) -> None:
    executor = Noting()
    metric = evaluate.load(evenscore.path(name), **COUNTING[name])
    result = metric.compute(predictions=PREDICTIONS, references=VARYING, executor=executor, per_example=True)
    assert result == scores(name, **COUNTING[name])
    assert executor.sent
    assert [sent for sent in executor.sent if b"evaluate_modules" in sent] == []


def test_a_copy_of_other_code_stays_what_it_is(tmp_path: Path) -> None:
    folder = hub_folder("wer_dp", tmp_path)
    # As it was generated, it is the installed metric.
    assert type(pickle.loads(pickle.dumps(evaluate.load(str(folder))))).__module__ == "evenscore.metrics.wer_dp.wer_dp"
    helper = folder / "_text_segments.py"
    helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    metric = evaluate.load(str(folder))
    assert type(pickle.loads(pickle.dumps(metric))) is type(metric)
    # Where evaluate knows its cache, it can be read.
    (tmp_path / "metric.pkl").write_bytes(pickle.dumps((metric, metric.row_scorer("p", "r"), "wer_dp")))
    first = "import evaluate, evenscore\nevaluate.load(evenscore.path('bleu_corpus'))\n"
    printed = run_python(first + textwrap.dedent(_UNPICKLE), tmp_path, HF_HOME=os.environ["HF_HOME"])
    assert printed.split()[0] == type(metric).__module__


# --- hashes, Dataset.map


def test_the_hash_depends_on_options_alone(name: str, load: Callable[..., Any]) -> None:
    metric = load(name)
    fresh = Hasher.hash(metric)
    metric.compute(predictions=PREDICTIONS, references=VARYING, confidence=0.9, n_resamples=3)
    added(metric, PREDICTIONS, VARYING).compute()
    assert Hasher.hash(metric) == fresh == Hasher.hash(load(name))
    other = {Hasher.hash(load(name, **options)) for options in (COUNTING[name], {"seed": 1}, {"per_example": True})}
    assert len({fresh, *other}) == 4
    one, same = load(name, seed=1, n_resamples=9), load(name, n_resamples=9, seed=1)
    assert (Hasher.hash(one), pickle.dumps(one)) == (Hasher.hash(same), pickle.dumps(same))


@pytest.mark.slow
def test_the_hash_is_the_same_in_every_process(tmp_path: Path) -> None:
    program = """
        import evaluate, evenscore, json
        import numpy as np
        np.random.seed(int(sys.argv[1]))
        from datasets.fingerprint import Hasher
        hashes = []
        for name in ("bleu_corpus", "rouge_l_multi", "wer_dp"):
            for metric in (evenscore.load(name, seed=3), evaluate.load(evenscore.path(name), seed=3)):
                hashes.append(Hasher.hash(metric))
                metric.compute(predictions=["a b"], references=["a c"])
                hashes.append(Hasher.hash(metric))
        print(json.dumps(hashes))
    """
    first, second = (json.loads(run_python(program, tmp_path, seed, PYTHONHASHSEED=seed)) for seed in ("1", "2"))
    assert first == second
    # evaluate's copy is the same metric.
    assert len(set(first)) == len(METRICS)


@pytest.mark.slow
def test_map_scores_rows_in_two_processes_and_finds_them_again(tmp_path: Path) -> None:
    program = """
        import datasets, evaluate, evenscore, json
        predictions, references = json.loads(sys.argv[1])
        datasets.Dataset.from_dict({"p": predictions, "r": references}).save_to_disk("rows")
        rows = datasets.load_from_disk("rows")
        results = {}
        for name in ("bleu_corpus", "rouge_l_multi", "wer_dp"):
            for load in (evenscore.load, lambda name, **options: evaluate.load(evenscore.path(name), **options)):
                metric = load(name, scalars_only=True)
                headline = metric.headlines()[0]
                def score(row):
                    return {"score": metric.compute(predictions=[row["p"]], references=[row["r"]])[headline]}
                first = rows.map(score, num_proc=2)
                metric.compute(predictions=predictions, references=references)
                again = rows.map(score, num_proc=2)
                assert first._fingerprint == again._fingerprint
                results.setdefault(name, []).append(again["score"][:])
        print(json.dumps(results))
    """
    printed = json.loads(run_python(program, tmp_path, json.dumps([PREDICTIONS, VARYING])))
    for name in METRICS:
        headline = evenscore.load(name).headlines()[0]
        rows = [scores(name, [p], [r])[headline] for p, r in zip(PREDICTIONS, VARYING, strict=True)]
        assert printed[name] == [rows, rows]


def test_map_scores_batches_of_rows(name: str) -> None:
    metric = evenscore.load(name, per_example=True)
    headline = f"{metric.headlines()[0]}_per_example"
    rows = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": VARYING})
    for form in (None, "numpy", "pandas", "arrow"):
        scored = rows.with_format(form).map(
            lambda batch: {"score": metric.compute(predictions=batch["p"], references=batch["r"])[headline]},
            batched=True,
            remove_columns=["p", "r"],
        )
        assert scored.with_format(None)["score"][:] == scores(name)[headline]


# --- threads, global state, files


def test_one_metric_serves_many_threads(name: str) -> None:
    metric = evenscore.load(name)
    rng = random.Random(5)
    corpora = [
        [" ".join(rng.choices("abcdefg", k=rng.randrange(1, 12))) for _ in range(2 * rng.randrange(1, 6))]
        for _ in range(300)
    ]

    def score(texts: list[str]) -> Any:
        half = len(texts) // 2
        return metric.compute(predictions=texts[:half], references=texts[half:], confidence=0.9, n_resamples=3)

    expected = list(map(score, corpora))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(score, corpora)) == expected


def test_random_states_are_left_alone(name: str) -> None:
    np.random.seed(7)
    random.seed(7)
    before = np.random.get_state(), random.getstate()
    metric = evenscore.load(name)
    metric.compute(predictions=PREDICTIONS, references=VARYING, confidence=0.9, n_resamples=5)
    for test in ("bootstrap", "randomization"):
        metric.compare(PREDICTIONS, SINGLE, references=VARYING, test=test, n_trials=5)
    if name == "rouge_l_multi":
        metric.compute(predictions=PREDICTIONS, references=VARYING, aggregate="bootstrap", n_resamples=5)
    after = np.random.get_state(), random.getstate()
    np.testing.assert_equal(after, before)


def test_random_states_decide_nothing(name: str) -> None:
    results = []
    for seed in (1, 2):
        np.random.seed(seed)
        metric = evenscore.load(name, confidence=0.9, n_resamples=5)
        assert metric.seed == 12345
        results.append(metric.compute(predictions=PREDICTIONS, references=VARYING))
        results[-1].update(metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=5))
    assert results[0] == results[1]
    assert scores(name, confidence=0.9, n_resamples=5, seed=1) != scores(name, confidence=0.9, n_resamples=5)


def used(metric: Any) -> None:
    """Everything that a metric does."""
    metric.compute(predictions=PREDICTIONS, references=VARYING)
    added(metric, PREDICTIONS, VARYING).compute()
    metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=3)


@pytest.mark.parametrize("keep_in_memory", [False, True])
@pytest.mark.parametrize("folder", ["/proc/nope", "/dev/null/nope", ""])
def test_the_cache_folder_need_not_exist(
    name: str, load: Callable[..., Any], folder: str, keep_in_memory: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    used(load(name, cache_dir=folder, keep_in_memory=keep_in_memory))
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_left_in_the_cache_folder(name: str, tmp_path: Path) -> None:
    metrics = [evenscore.load(name, cache_dir=str(tmp_path)) for _ in range(2)]
    for metric in metrics:
        used(metric)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_use_writes_no_file_anywhere(tmp_path: Path) -> None:
    program = """
        import os, sys
        sys.dont_write_bytecode = True
        import datasets, evaluate, evenscore
        def watch(event, arguments):
            if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
                raise SystemExit(f"written: {arguments}")
            if event in ("os.mkdir", "os.rename", "os.remove", "tempfile.mkstemp", "tempfile.mkdtemp"):
                raise SystemExit(f"{event}: {arguments}")
        sys.addaudithook(watch)
        for name in ("bleu_corpus", "rouge_l_multi", "wer_dp"):
            metric = evenscore.load(name, confidence=0.9, n_resamples=3)
            metric.compute(predictions=["a b"], references=["a c"])
            metric.add(prediction="a b", reference="a c")
            metric.compute()
            metric.compare(["a b"], ["a c"], references=["a c"], n_trials=3)
    """
    assert run_python(program, tmp_path) == ""


# --- several processes: sums of statistics


@pytest.mark.parametrize("num_process", [2, 8])
def test_several_processes_are_told_the_way_that_works(name: str, load: Callable[..., Any], num_process: int) -> None:
    message = rf"num_process={num_process}, process_id=1: .*statistics.*add the sums.*score_statistics"
    with pytest.raises(ValueError, match=message):
        load(name, num_process=num_process, process_id=1, experiment_id="x")


@pytest.mark.parametrize("process_id", [1, -1, "0"])
def test_a_process_id_alone_is_told_the_same(name: str, load: Callable[..., Any], process_id: Any) -> None:
    with pytest.raises(ValueError, match=f"num_process=1, process_id={process_id}: leave both out"):
        load(name, process_id=process_id)
    assert load(name, num_process=1, process_id=0).compute(predictions=["a"], references=["a"])


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_any_partition_in_any_order_score_as_one_corpus(name: str, seed: int) -> None:
    rng = random.Random(seed)
    n = 40
    texts = [" ".join(rng.choices("abcdefg", k=rng.randrange(12))) for _ in range(n)]
    references = [
        [" ".join(rng.choices("abcdefg", k=rng.randrange(12))) for _ in range(rng.randrange(1, 4))] for _ in range(n)
    ]
    metric = evenscore.load(name)
    order = rng.sample(range(n), n)
    cuts = sorted(rng.choices(range(n + 1), k=5))
    parts = [order[start:stop] for start, stop in zip([0, *cuts], [*cuts, n], strict=True)]
    sums = [
        metric.statistics([texts[i] for i in part], [references[i] for i in part]).sum(axis=0)
        for part in rng.sample(parts, len(parts))
    ]
    assert sum(map(len, parts)) == n
    assert metric.score_statistics(sum(sums)) == metric.compute(predictions=texts, references=references)


def test_statistics_are_integers_with_names(name: str) -> None:
    metric = evenscore.load(name)
    rows = metric.statistics(PREDICTIONS, VARYING)
    names = metric.statistic_names()
    assert rows.dtype == np.int64
    assert rows.shape == (len(PREDICTIONS), len(names))
    assert names[:3] == ["rows", "references", "references_squared"]
    assert rows[:, :3].tolist() == [[1, len(row), len(row) ** 2] for row in VARYING]
    assert len(set(names)) == len(names)
    assert metric.statistics([], []).shape == (0, len(names))
    one_by_one = [metric.statistics([p], [r])[0].tolist() for p, r in zip(PREDICTIONS, VARYING, strict=True)]
    assert rows.tolist() == one_by_one


def test_sums_that_are_none_are_refused(name: str) -> None:
    metric = evenscore.load(name)
    rows = metric.statistics(PREDICTIONS, VARYING)
    total = rows.sum(axis=0)
    expected = metric.compute(predictions=PREDICTIONS, references=VARYING)
    for good in (total, total.tolist(), tuple(total.tolist()), total.astype(np.uint64)):
        assert metric.score_statistics(good) == expected
    bad: list[Any] = [rows, total[:-1], [*total, 0], total[None], total.astype(float), total > 0, total.astype(str)]
    for wrong in (*bad, total.astype(object), None, 3, [], "1", {}):
        with pytest.raises(ValueError, match=rf"give statistics\(\.\.\.\)\.sum\(axis=0\), {len(total)} integers"):
            metric.score_statistics(wrong)


def test_sums_are_scored_under_any_option_that_does_not_count(name: str) -> None:
    metric = evenscore.load(name)
    total = metric.statistics(PREDICTIONS, VARYING).sum(axis=0)
    assert metric.score_statistics(total, scalars_only=True) == scores(name, per_example=False, scalars_only=True)


# --- compare


def test_compare_refuses_what_cannot_be_compared(name: str) -> None:
    compare = evenscore.load(name).compare
    short = PREDICTIONS[:2]
    for call, message in [
        (lambda: compare(PREDICTIONS, references=VARYING), "no system to compare with the baseline: give its predict"),
        (lambda: compare([], [], references=[]), "nothing to compare: baseline and references are empty"),
        (lambda: compare(PREDICTIONS, short, references=VARYING), r"baseline has 3 rows but systems\[0\] has 2"),
        (lambda: compare(short, short, PREDICTIONS, references=SINGLE[:2]), r"baseline has 2 rows but systems\[1\] ha"),
        (lambda: compare(short, short, references=VARYING), "2 predictions but 3 rows of references"),
        (lambda: compare("ab", "ab", references=["a", "b"]), r"baseline is 'ab' \(str\).*as in \[baseline\]"),
        (lambda: compare(short, [short, short], references=SINGLE[:2]), r"systems\[0\]\[0\] is \['the cat .*nested"),
        (lambda: compare(short, None, references=SINGLE[:2]), r"systems\[0\] is missing"),
        (lambda: compare(short, short, references=None), "references is missing"),
        (
            lambda: compare(short, short, SINGLE[:2]),
            "references is missing: give references=, by name; what is given by",
        ),
        (lambda: compare(short, short, VARYING[:2]), "references is missing: give references=, by name; what is given"),
        (lambda: compare(short, short, references=SINGLE[:2], test="t"), "test='t': choose one of 'bootstrap', 'rand"),
        (lambda: compare(short, short, references=SINGLE[:2], n_trials=0), "n_trials=0: give a whole number"),
        (lambda: compare(short, short, references=SINGLE[:2], n_trials=2.5), "n_trials=2.5: give a whole number"),
        (lambda: compare(short, short, references=SINGLE[:2], seed=-1), "seed=-1: give a whole number"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_compare_gives_the_scores_of_compute_and_p_values(name: str) -> None:
    metric = evenscore.load(name)
    headlines = metric.headlines()
    tested = metric.compare(PREDICTIONS, SINGLE, PREDICTIONS, references=VARYING, n_trials=20, seed=1)
    for result, predictions in zip(
        [tested["baseline"], *tested["systems"]], [PREDICTIONS, SINGLE, PREDICTIONS], strict=True
    ):
        whole = scores(name, predictions)
        assert {headline: result[headline] for headline in headlines} == {key: whole[key] for key in headlines}
    assert set(tested["baseline"]) == set(headlines)
    for system in tested["systems"]:
        assert set(system) == {*headlines, *(f"{headline}_p_value" for headline in headlines)}
        assert all(1 / 21 <= system[f"{headline}_p_value"] <= 1 for headline in headlines)
    assert "|bs:20|seed:1|" in tested["signature"]
    assert (
        "|ar:20|seed:1|"
        in metric.compare(PREDICTIONS, SINGLE, references=VARYING, n_trials=20, seed=1, test="randomization")[
            "signature"
        ]
    )


# --- what has no rows, and what has the same rows


@pytest.mark.parametrize("options", [{"per_example": True}, {"confidence": 0.9}])
def test_a_sum_gives_neither_rows_nor_intervals(name: str, options: dict[str, Any]) -> None:
    metric = evenscore.load(name)
    total = metric.statistics(PREDICTIONS, VARYING).sum(axis=0)
    with pytest.raises(ValueError, match="per_example and confidence need rows"):
        metric.score_statistics(total, **options)
    with pytest.raises(ValueError, match="total sums up 0 rows"):
        metric.score_statistics(total * 0)


def test_a_system_compared_with_itself_is_warned_of(name: str) -> None:
    metric = evenscore.load(name)
    with pytest.warns(UserWarning, match=r"systems\[1\] has the same counts as the baseline in every row"):
        metric.compare(PREDICTIONS, PREDICTIONS[::-1], PREDICTIONS, references=VARYING, n_trials=10)


def test_signatures_say_what_was_drawn(name: str) -> None:
    metric = evenscore.load(name, confidence=0.9, n_resamples=70)
    signature = metric.compute(predictions=PREDICTIONS, references=VARYING)["signature"]
    assert "|bs:70|ci:0.9|seed:12345|" in signature
    other = PREDICTIONS[::-1]
    for test, field in (("bootstrap", "bs"), ("randomization", "ar")):
        tested = metric.compare(PREDICTIONS, other, references=VARYING, test=test, n_trials=50, seed=3)
        assert f"|{field}:50|ci:0.9[70]|seed:3|" in tested["signature"]


@pytest.mark.parametrize("characters", [1, 20, 60])
def test_rows_counted_in_blocks_score_the_same(name: str, characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    predictions, references = PREDICTIONS * 3, VARYING * 3
    whole = scores(name, predictions, references)
    metric = evenscore.load(name, per_example=True)
    monkeypatch.setattr(metric._scorer, "block_characters", characters)
    # A few rows are counted without blocks.
    monkeypatch.setattr(metric._scorer, "has_few", lambda *_: False)
    counted: list[int] = []
    count = metric._scorer.count
    monkeypatch.setattr(
        metric._scorer, "count", lambda texts, *others: counted.append(len(texts)) or count(texts, *others)
    )
    assert metric.compute(predictions=predictions, references=references) == whole
    assert len(counted) > 1
    assert sum(counted) == len(predictions)


def test_what_evaluate_shows_of_a_metric_is_of_its_types() -> None:
    for metric in map(evenscore.load, ALL_METRICS):
        assert metric.reference_urls == metric.info.reference_urls
        assert [url.partition(":")[0] for url in metric.reference_urls] == ["https"] * len(metric.reference_urls)
        assert isinstance(metric.features, datasets.Features if metric.name == "perplexity" else list)


def test_a_class_from_a_metric_needs_no_file(tmp_path: Path) -> None:
    program = f"""
        import evenscore
        class Mine(type(evenscore.load("wer_dp"))):
            pass
        print(Mine(per_example=True).compute(predictions={PREDICTIONS!r}, references={VARYING!r}))
    """
    assert run_python(program, tmp_path) == f"{scores('wer_dp')}\n"
