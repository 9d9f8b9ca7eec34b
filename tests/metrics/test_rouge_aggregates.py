"""What rouge_l_multi makes of its rows: means, the stock metric's lists and mids, intervals, paired tests."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
from hypothesis import given
from properties import examples
from rouge_corpora import TED, WMT17, corpus_with_two_references, parts_of, rouge_score_rows, row_by_row, rows
from rouge_score import scoring
from shared_data import lines

STOCK_TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


# --- the stock metric of evaluate


def stock_rows(predictions: list[str], references: list[Any], use_stemmer: bool, split: Any) -> list[Any]:
    """What evaluate's rouge hands to its aggregator, or lists."""

    class Tokenizer:
        def tokenize(self, text: str) -> list[str]:
            return list(split(text))

    tokenizer = None if split is None else Tokenizer()
    return rouge_score_rows(predictions, references, STOCK_TYPES, use_stemmer=use_stemmer, tokenizer=tokenizer)


@pytest.mark.parametrize("use_stemmer", [False, True])
@pytest.mark.parametrize("tokenizer", [None, str.split, lambda text: list(text.upper())])
def test_a_stock_call_without_aggregator_gives_the_stock_lists(
    use_stemmer: bool, tokenizer: Callable[[str], list[str]] | None
) -> None:
    predictions, references = corpus_with_two_references()
    stock = stock_rows(predictions, references, use_stemmer, tokenizer)
    own = {} if tokenizer is None else {"tokenizer": tokenizer}
    result = RougeLMulti(rouge_types=STOCK_TYPES).compute(
        predictions=predictions, references=references, use_aggregator=False, use_stemmer=use_stemmer, **own
    )
    assert {name: result[name] for name in STOCK_TYPES} == {
        name: [row[name].fmeasure for row in stock] for name in STOCK_TYPES
    }


@pytest.mark.parametrize(("seed", "n_resamples"), [(12345, 1000), (0, 1000), (7, 33), (7, 2)])
def test_a_stock_call_with_aggregator_gives_the_seeded_mid(seed: int, n_resamples: int) -> None:
    predictions, references = corpus_with_two_references()
    aggregator = scoring.BootstrapAggregator(n_samples=n_resamples)
    for row in stock_rows(predictions, references, True, None):
        aggregator.add_scores(row)
    np.random.seed(seed)
    expected = {name: tuple(score.mid) for name, score in aggregator.aggregate().items()}
    metric = RougeLMulti(rouge_types=STOCK_TYPES, seed=seed, n_resamples=n_resamples)
    result = metric.compute(predictions=predictions, references=references, use_aggregator=True, use_stemmer=True)
    assert {name: parts_of(result, name) for name in STOCK_TYPES} == expected
    assert "agg:bootstrap" in result["signature"]


# --- what is made of the rows


def exact_mean(values: Any) -> float:
    values = list(values)
    return float(sum(map(Fraction, values), Fraction()) / len(values))


@pytest.mark.filterwarnings("ignore:.*most of its letters")
@examples(80)
@given(rows)
def test_the_mean_is_rounded_once(corpus: list[tuple[str, list[str]]]) -> None:
    predictions, references = [list(column) for column in zip(*corpus, strict=True)]
    result = RougeLMulti(rouge_types=STOCK_TYPES).compute(predictions=predictions, references=references)
    for name, scores in row_by_row(predictions, references, rouge_types=STOCK_TYPES).items():
        assert parts_of(result, name) == tuple(map(exact_mean, zip(*scores, strict=True)))


def test_the_mean_of_real_rows_is_rounded_once_in_any_order() -> None:
    predictions, references = lines(f"{WMT17}/newstest2017.FBK.4870.en-de.txt"), lines(f"{WMT17}/ref.txt")
    metric = RougeLMulti()
    statistics = metric.statistics(predictions, references)
    assert len(statistics) > 3000
    result = metric.compute(predictions=predictions, references=references)
    assert metric.score_statistics(statistics[::-1].sum(axis=0)) == result
    assert metric.score_statistics(statistics[:1000].sum(axis=0) + statistics[1000:].sum(axis=0)) == result
    for name, scores in row_by_row(predictions, references).items():
        assert parts_of(result, name) == tuple(map(exact_mean, zip(*scores, strict=True)))


def test_a_sum_is_averaged_and_nothing_else() -> None:
    metric = RougeLMulti()
    total = metric.statistics(["a b", "b"], ["a c", "b"]).sum(axis=0)
    assert metric.score_statistics(total)["rougeL"] == 0.75
    for aggregate in ("bootstrap", "none"):
        with pytest.raises(ValueError, match=f"aggregate='{aggregate}' needs rows"):
            metric.score_statistics(total, aggregate=aggregate)


def test_rows_added_in_batches_are_listed_and_averaged_as_one_corpus() -> None:
    predictions, references = corpus_with_two_references()
    for aggregate in ("mean", "bootstrap", "none"):
        metric = RougeLMulti(aggregate=aggregate)
        for start in (0, 7, 40):
            stop = {0: 7, 7: 40, 40: 60}[start]
            metric.add_batch(predictions=predictions[start:stop], references=references[start:stop])
        assert metric.compute() == metric.compute(predictions=predictions, references=references)


def test_per_example_scores_are_the_rows() -> None:
    predictions, references = corpus_with_two_references()
    result = RougeLMulti(per_example=True).compute(predictions=predictions, references=references)
    for name, scores in row_by_row(predictions, references).items():
        assert result[f"{name}_per_example"] == [f for _, _, f in scores]


@pytest.mark.parametrize("seed", [12345, 3])
def test_the_interval_is_that_of_exact_means_of_drawn_rows(seed: int) -> None:
    predictions, references = corpus_with_two_references()
    metric = RougeLMulti(confidence=0.95, n_resamples=200, seed=seed)
    result = metric.compute(predictions=predictions, references=references)
    rng = np.random.default_rng(seed)
    draws = [rng.choice(60, size=60, replace=True).tolist() for _ in range(200)]
    for name, scores in row_by_row(predictions, references).items():
        means = sorted(exact_mean(scores[i][2] for i in drawn) for drawn in draws)
        ends = [result[f"{name}_{end}"] for end in ("low", "mean", "high")]
        assert ends == [means[200 // 40], exact_mean(means), means[-200 // 40 - 1]]
        assert ends[0] < result[name] < ends[2]


def test_paired_tests_equal_their_definition() -> None:
    predictions, references = corpus_with_two_references()
    systems = [lines(f"{TED}/{name}.txt")[:60] for name in ("IIE-MT", "DIDI-NLP")]
    options: dict[str, Any] = {"rouge_types": ["rougeL"], "seed": 5}
    columns = [
        [f for *_, f in row_by_row(column, references, rouge_types=["rougeL"])["rougeL"]]
        for column in (predictions, *systems)
    ]
    rng = np.random.default_rng(5)
    draws = [rng.choice(60, size=60, replace=True).tolist() for _ in range(90)]
    rng = np.random.default_rng(5)
    kept = rng.integers(2, size=(90, 60), dtype=bool).tolist()
    results = {
        test: RougeLMulti(**options).compare(predictions, *systems, references=references, test=test, n_trials=90)
        for test in ("bootstrap", "randomization")
    }
    baseline = columns[0]
    for k, system in enumerate(columns[1:]):
        real = abs(exact_mean(system) - exact_mean(baseline))
        drawn = [abs(exact_mean(system[i] for i in d) - exact_mean(baseline[i] for i in d)) for d in draws]
        centred = [difference - np.mean(drawn) for difference in drawn]
        assert results["bootstrap"]["systems"][k]["rougeL_p_value"] == (sum(d > real for d in centred) + 1) / 91
        # A trial gives each of two pseudo-systems one row of every pair; the draws are the same for every system.
        swapped = []
        for chosen in kept:
            first = exact_mean(b if keep else s for keep, b, s in zip(chosen, baseline, system, strict=True))
            second = exact_mean(s if keep else b for keep, b, s in zip(chosen, baseline, system, strict=True))
            swapped.append(abs(first - second))
        assert results["randomization"]["systems"][k]["rougeL_p_value"] == (sum(d > real for d in swapped) + 1) / 91
        assert results["randomization"]["systems"][k]["rougeL"] == exact_mean(system)
        assert 1 / 91 <= results["bootstrap"]["systems"][k]["rougeL_p_value"] <= 1


def test_scores_that_are_tested_together_get_the_p_values_that_each_gets_alone() -> None:
    """The last bit of the mean of the differences decides here, and it hangs on the order of the sum."""
    given: dict[str, Any] = {"references": ["a b c d e f g", "a"], "n_trials": 50, "seed": 3}

    def p_values(*rouge_types: str) -> list[float]:
        tested = RougeLMulti(rouge_types=rouge_types).compare(["a", "a"], ["a b c d e", "a"], **given)["systems"][0]
        return [tested[f"{name}_p_value"] for name in rouge_types]

    assert p_values(*STOCK_TYPES) == [p for name in STOCK_TYPES for p in p_values(name)]


def test_a_bootstrap_mid_is_signed_with_its_draws() -> None:
    rouge = RougeLMulti(aggregate="bootstrap", n_resamples=30, seed=7)
    assert "|bs:30|seed:7|" in rouge.compute(predictions=["a b"], references=["a c"])["signature"]


@pytest.mark.parametrize("aggregate", ["bootstrap", "none"])
def test_tests_and_sums_are_of_means(aggregate: str) -> None:
    rouge = RougeLMulti(aggregate=aggregate)
    with pytest.raises(ValueError, match=f"aggregate='{aggregate}' needs rows"):
        rouge.compare(["a"], ["b"], references=["a"])
    with pytest.raises(ValueError, match=f"aggregate='{aggregate}' needs rows"):
        rouge.score_statistics(rouge.statistics(["a"], ["a"]).sum(axis=0))
