"""Scores of rows as columns of datasets; corpus scores from columns of statistics."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate
import pandas as pd
import pyarrow as pa
import pytest
from small_corpus import ALL_METRICS, METRICS, PREDICTIONS, SINGLE, VARYING, refusal, scores

import evenscore

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


# --- perplexity

TEXTS = ["a b", "c", "d e"]
NGRAM: dict[str, Any] = {"source": "ngram", "train_texts": ["a b c", "b c d"], "discount": 0.5}


def test_perplexity_has_columns_too() -> None:
    metric = evenscore.load("perplexity", **NGRAM)
    rows = datasets.Dataset.from_dict({"t": TEXTS, "l": [[-1.0], [-2.0, -0.5], [-3.0]]})
    result = rows.map(metric.row_scorer(predictions="t", statistics=True), batched=True)
    assert result["perplexity_perplexity"][:] == metric.compute(predictions=TEXTS)["perplexities"]
    assert metric.score_columns(result) == metric.compute(predictions=TEXTS)
    given = evenscore.load("perplexity").row_scorer(log_probs="l", predictions="t", headlines=["bits_per_byte"])
    assert "perplexity_bits_per_byte" in rows.map(given, batched=True).column_names


@pytest.mark.parametrize("form", [None, "numpy", "pandas", "arrow"])
def test_perplexity_has_them_in_every_format(form: str | None) -> None:
    rows = datasets.Dataset.from_dict({"t": TEXTS, "l": [[-1.0], [-2.0, -0.5], [-3.0]]}).with_format(form)
    texts, metric = evenscore.load("perplexity", **NGRAM), evenscore.load("perplexity")
    # Every format reads the numbers of a row as float32, or float64, as it likes; these are the same in both.
    for scorer, result in (
        (texts.row_scorer("t", statistics=True), texts.compute(predictions=TEXTS)),
        (metric.row_scorer(log_probs="l", statistics=True), metric.compute(log_probs=[[-1.0], [-2.0, -0.5], [-3.0]])),
    ):
        scored = rows.map(scorer, batched=True).with_format(None)
        assert scored["perplexity_perplexity"][:] == result["perplexities"]
        assert scored.column_names[:3] == ["t", "l", "perplexity_perplexity"]
        assert metric.score_columns(scored)["nll"] == result["nll"]
        stream = rows.to_iterable_dataset()
        streamed = stream.map(scorer, batched=True, features=scorer.features(stream.features))
        assert metric.score_columns(streamed)["nll"] == result["nll"]


def test_perplexity_of_several_splits() -> None:
    rows, metric = datasets.Dataset.from_dict({"t": TEXTS}), evenscore.load("perplexity", **NGRAM)
    splits = datasets.DatasetDict({"a": rows, "b": rows.select([1])})
    scored = splits.map(metric.row_scorer("t", statistics=True), batched=True)
    direct = {name: metric.compute(predictions=split["t"]) for name, split in splits.items()}
    assert metric.score_columns(scored) == direct


def test_perplexity_takes_the_names_of_columns_that_it_has_elsewhere() -> None:
    metric = evenscore.load("perplexity", **NGRAM)
    for scorer in (metric.row_scorer("t"), metric.row_scorer(prediction="t"), metric.row_scorer(predictions="t")):
        assert scorer({"t": TEXTS}) == metric.row_scorer()({"text": TEXTS})
    said = refusal(lambda: metric.row_scorer(prediction="t", predictions="t"))
    assert said == "prediction= and predictions= name the same column: give one of them"


# --- columns that are there, or are to go


FORMATS = [None, "numpy", "pandas", "arrow"]


@pytest.mark.parametrize("form", FORMATS)
def test_columns_that_exist_are_written_over(form: str | None) -> None:
    rows = datasets.Dataset.from_dict({"wer_dp_wer": ["x", "y", "z"], **ROWS}).with_format(form)
    scorer = evenscore.load("wer_dp").row_scorer("hyp", "refs", statistics=True)
    once = rows.map(scorer, batched=True)
    twice = once.map(scorer, batched=True)
    assert once.column_names[:3] == ["wer_dp_wer", "hyp", "refs"]
    assert twice.features == once.features
    assert twice.with_format(None).to_dict() == once.with_format(None).to_dict()
    assert once.with_format(None)["wer_dp_wer"][:] == expected("wer_dp")["wer_dp_wer"]
    streamed = rows.to_iterable_dataset().map(scorer, batched=True).map(scorer, batched=True)
    assert evenscore.load("wer_dp").score_columns(streamed)["wer"] == scores("wer_dp")["wer"]


@pytest.mark.parametrize("form", FORMATS)
def test_columns_can_be_removed(form: str | None) -> None:
    rows = datasets.Dataset.from_dict(ROWS).with_format(form)
    scorer = evenscore.load("wer_dp").row_scorer("hyp", "refs")
    # What map does with a table or data frame is out of a function's reach; the docstring says so.
    kept = ["hyp", "refs"] if form in ("pandas", "arrow") else []
    assert rows.map(scorer, batched=True, remove_columns=["hyp", "refs"]).column_names == [*kept, "wer_dp_wer"]
    removed = rows.map(scorer, batched=True).remove_columns(["hyp", "refs"])
    assert removed.with_format(None).to_dict() == expected("wer_dp")
    stream = rows.to_iterable_dataset().map(scorer, batched=True, remove_columns=["hyp", "refs"])
    assert [list(row) for row in stream.with_format(None)] == [["wer_dp_wer"]] * len(PREDICTIONS)


# --- many processes


@pytest.mark.parametrize("name", ALL_METRICS)
def test_two_processes_make_the_same_columns(name: str) -> None:
    options = NGRAM if name == "perplexity" else {"references": "refs"}
    scorer = evenscore.load(name).row_scorer(prediction="hyp", statistics=True, **options)
    rows = datasets.Dataset.from_dict(ROWS)
    one, two = (rows.map(scorer, batched=True, num_proc=n, load_from_cache_file=False) for n in (None, 2))
    assert one.to_dict() == two.to_dict()


# --- refusals


def test_what_is_not_there_is_named(name: str) -> None:
    metric = evenscore.load(name)
    rows = datasets.Dataset.from_dict(ROWS)
    said = refusal(lambda: metric.row_scorer("hypothesis", "refs")(ROWS))
    assert said == "there is no column 'hypothesis': the columns are hyp, refs"
    assert "scores='nothing': choose one of" in refusal(lambda: metric.row_scorer("hyp", "refs", scores=["nothing"]))
    assert "unknown option" in refusal(lambda: metric.row_scorer("hyp", "refs", lowercasing=True))
    for data in (rows, rows.to_pandas(), rows.data.table, rows.to_iterable_dataset(), ROWS):
        said = refusal(lambda data=data: metric.score_columns(data))
        assert said.startswith(f"there is no column '{name}_rows': the columns are hyp, refs. row_scorer(..., stat")
        assert said.endswith("adds the columns of counts; if it had a prefix=, give the same one here")
    floats = pd.DataFrame({f"{name}_{each}": [0.5] for each in metric.statistic_names()})
    assert "is of type float64: give the integers" in refusal(lambda: metric.score_columns(floats))
    empty = pa.table({f"{name}_{each}": pa.array([], pa.int64()) for each in metric.statistic_names()})
    assert "nothing to score: the columns are empty" in refusal(lambda: metric.score_columns(empty))
    added = metric.row_scorer(statistics=True)({"prediction": [], "references": []})
    assert added == {f"{name}_{each}": [] for each in (*metric.headlines(), *metric.statistic_names())}
    assert metric.row_scores(metric.statistics([], [])).shape == (0, len(metric.headlines()))


def test_evaluates_copy_scores_alike(name: str) -> None:
    scorer = evaluate.load(evenscore.path(name)).row_scorer("hyp", "refs")
    assert scorer(ROWS) == evenscore.load(name).row_scorer("hyp", "refs")(ROWS)


def test_a_refused_row_is_named_as_the_dataset_has_it(name: str) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs")
    rows = datasets.Dataset.from_dict({"hyp": [*"abcde", None], "refs": [*"abcdef"]})
    advice = "a text is missing; drop the row, or give '' for an empty text"
    for form, missing in ((None, "None (NoneType)"), ("arrow", "None (NoneType)"), ("pandas", "nan (float)")):
        formatted = rows.with_format(form)
        said = refusal(lambda rows=formatted: rows.map(scorer, batched=True, batch_size=2))
        assert said == (
            f"hyp[1] is {missing}: {advice}. The number counts from the start of a batch of 2 rows whose first hyp is "
            f"'e'; map(..., batched=True, with_indices=True) shows the number in the dataset"
        )
        said = refusal(lambda rows=formatted: rows.map(scorer, batched=True, batch_size=2, with_indices=True))
        assert said == f"hyp[5] is {missing}: {advice}"
        stream = formatted.to_iterable_dataset().map(scorer, batched=True, batch_size=2, with_indices=True)
        assert refusal(lambda rows=stream: list(rows)).startswith("hyp[5] is ")
    assert "refs[1][0] is 3 (int)" in refusal(lambda: scorer({"hyp": ["a", "b"], "refs": [["a"], [3]]}))
    # Not of a single row.
    assert refusal(lambda: scorer({"hyp": ["a"], "refs": []})).startswith("1 prediction but 0 rows of references")


def test_numbers_of_rows_and_of_processes_change_no_column(name: str) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs")
    numbered = datasets.Dataset.from_dict(ROWS).map(scorer, batched=True, with_indices=True, with_rank=True)
    ranked = datasets.Dataset.from_dict(ROWS).map(scorer, batched=True, with_rank=True)
    assert numbered.to_dict() == ranked.to_dict() == mapped(name).to_dict()


def test_a_stream_without_features_is_told_to_give_them(name: str) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs")
    rows = datasets.Dataset.from_dict(ROWS)
    stream = datasets.IterableDataset.from_generator(lambda: iter(rows))
    assert refusal(lambda: scorer.features(stream.features)).startswith("features is None: the stream does not know")
    plain = rows.map(scorer, batched=True)
    # What the message says works.
    cast = stream.cast(rows.features)
    given = datasets.IterableDataset.from_generator(lambda: iter(rows), features=rows.features)
    for known in (cast, given):
        scored = known.map(scorer, batched=True, features=scorer.features(known.features))
        assert (scored.features, list(scored)) == (plain.features, list(plain))
    assert list(stream.map(scorer, batched=True)) == list(plain)


def test_how_map_is_to_be_called_is_said(name: str) -> None:
    scorer = evenscore.load(name).row_scorer("hyp", "refs")
    for form in (None, "numpy"):
        rows = datasets.Dataset.from_dict(ROWS).with_format(form)
        for each in (rows, rows.to_iterable_dataset()):
            said = refusal(lambda rows=each: list(rows.map(scorer)))
            assert said == f"column 'hyp' is {PREDICTIONS[0]!r}, a single row: call map with batched=True"
    for form in FORMATS:
        rows = datasets.Dataset.from_dict(ROWS).with_format(form)
        for columns in (["hyp"], ["hyp", "refs"], ["hyp", "refs", "hyp"]):
            said = refusal(lambda rows=rows, own=columns: rows.map(scorer, batched=True, input_columns=own))
            assert said.endswith("call map without input_columns, since row_scorer selects the columns hyp, refs")


def test_columns_under_other_names_are_named(name: str) -> None:
    said = refusal(lambda: evenscore.load(name).row_scorer(predictions="hyp"))
    assert said.startswith("unknown option 'predictions'; did you mean 'prediction'?")
    assert said.endswith("; name the dataset's columns with prediction=, references=")
    said = refusal(lambda: evenscore.load("perplexity").row_scorer(references="refs"))
    columns = "prediction=, contexts=, log_probs=, probabilities=, logits=, labels="
    assert said.endswith(f"; name the dataset's columns with {columns}")
