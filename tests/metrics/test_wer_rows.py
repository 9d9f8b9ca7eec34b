"""wer_dp over rows: the reference that counts, sums, intervals, paired tests, against slow recomputation with jiwer."""

from __future__ import annotations

import statistics
from fractions import Fraction
from typing import Any

import jiwer
import naive
import numpy as np
import pytest
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from wer_corpora import COUNTS, NORMALIZERS, by_jiwer, jiwer_counts, librispeech, scored, sides, word_rows

import evenscore

# --- several references


@examples(200)
@given(
    st.lists(st.tuples(st.lists(word_rows, min_size=1, max_size=4), word_rows), min_size=1, max_size=4),
    st.sampled_from(NORMALIZERS),
)
def test_the_first_reference_with_the_lowest_rate_counts(rows: list[tuple[list[str], str]], normalize_by: str) -> None:
    def rate(pair: tuple[str, str]) -> Fraction:
        return naive.error_rate([jiwer_counts(pair)], normalize_by)

    references, predictions = map(list, zip(*rows, strict=True))
    best = [min([(reference, row[1]) for reference in row[0]], key=rate) for row in rows]
    result = WerDp(normalize_by=normalize_by).compute(predictions=predictions, references=references, per_example=True)
    alone = scored(best, normalize_by=normalize_by, per_example=True)
    assert {**result, "signature": alone["signature"]} == alone
    assert result["wer_per_example"] == [float(rate(pair)) for pair in best]
    drawn = jiwer.visualize_alignment(by_jiwer(best), show_measures=False)
    wer = WerDp(normalize_by=normalize_by)
    assert wer.visualize(predictions, references, show_measures=False) == drawn


def test_an_empty_reference_counts_where_nothing_was_said() -> None:
    references = [["", "a b"], ["", "a b"], ["a b", ""]]
    result = WerDp().compute(predictions=["a c", "", "x"], references=references, per_example=True)
    assert result["wer_per_example"] == [0.5, 0.0, 1.0]
    assert [result[name] for name in COUNTS] == [1, 2, 1, 0]


def test_errors_choose_the_reference_whatever_they_cost() -> None:
    """The headline is the word error rate, also where costs differ."""
    result = WerDp(costs=(10, 1, 1)).compute(predictions=["a b"], references=[["a b c d e", "a x"]])
    assert (result["wer"], result["weighted_error_rate"]) == (3 / 5, 3 / 5)
    result = WerDp(costs=(10, 9, 9)).compute(predictions=["a b"], references=[["a b c d e", "a x"]])
    assert (result["wer"], result["weighted_error_rate"]) == (1 / 2, 10 / 2)


def test_signature_tells_the_number_of_references() -> None:
    def signature(references: list[Any]) -> str:
        return WerDp().compute(predictions=["a", "b"], references=references)["signature"]

    assert signature(["a", "b"]).startswith("nrefs:1|")
    assert signature([["a", "c"], ["b", "d"]]).startswith("nrefs:2|")
    assert signature([["a"], ["b", "d"]]).startswith("nrefs:var|")


# --- sums, intervals, tests


@pytest.fixture(scope="module")
def small() -> tuple[list[str], list[str], list[str]]:
    """References, a system, a worse one that now and then drops its first word."""
    references, system = sides(librispeech()[:60])
    worse = [text.partition(" ")[2] if i % 4 == 0 else text for i, text in enumerate(system)]
    return references, system, worse


def slow_rates(references: list[str], predictions: list[str], drawn: np.ndarray) -> np.ndarray:
    """jiwer's rate of each set of rows, shape (sets,)."""
    rows = np.array([jiwer_counts(pair) for pair in zip(references, predictions, strict=True)])
    return np.array([rows[rows_drawn, 1:].sum() / rows[rows_drawn, :3].sum() for rows_drawn in drawn])


def test_statistics_add_up(small: tuple[list[str], list[str], list[str]]) -> None:
    references, system, _ = small
    wer = evenscore.load("wer_dp", normalize_by="max", costs=(4, 3, 3))
    whole = wer.compute(predictions=system, references=references)
    parts = [wer.statistics(system[part], references[part]) for part in (slice(0, 7), slice(7, 8), slice(8, None))]
    assert wer.score_statistics(np.concatenate(parts).sum(axis=0)) == whole
    for part in (slice(0, 7), slice(7, None)):
        wer.add_batch(predictions=system[part], references=references[part])
    assert wer.compute() == whole
    names = wer.statistic_names()[3:]
    assert names == [*COUNTS, "wrong_rows", "normalizer"]
    longest = [max(len(r.split()), len(p.split())) for r, p in zip(references, system, strict=True)]
    assert np.concatenate(parts)[:, 3 + names.index("normalizer")].tolist() == longest


def test_interval_is_that_of_slow_resampling(small: tuple[list[str], list[str], list[str]]) -> None:
    references, system, _ = small
    result = evenscore.load("wer_dp", confidence=0.95, n_resamples=200, seed=7).compute(
        predictions=system, references=references
    )
    drawn = np.random.default_rng(7).choice(60, size=(200, 60), replace=True)
    rates = sorted(slow_rates(references, system, drawn).tolist())
    assert (result["wer_low"], result["wer_high"]) == (rates[5], rates[-6])
    assert result["wer_mean"] == statistics.mean(rates)
    assert rates[0] < result["wer_low"] < result["wer"] < result["wer_high"] < rates[-1]


def test_p_values_are_those_of_slow_resampling(small: tuple[list[str], list[str], list[str]]) -> None:
    references, system, worse = small
    everything = np.arange(60)[None]
    scores = [slow_rates(references, column, everything)[0] for column in (system, worse)]

    drawn = np.random.default_rng(3).choice(60, size=(300, 60), replace=True)
    differences = np.abs(slow_rates(references, worse, drawn) - slow_rates(references, system, drawn))
    exceeding = int((differences - differences.mean() > abs(scores[1] - scores[0])).sum())
    result = WerDp(seed=3).compare(system, worse, references=references, n_trials=300)
    assert result["baseline"] == {"wer": scores[0]}
    assert result["systems"] == [{"wer": scores[1], "wer_p_value": (exceeding + 1) / 301}]

    kept = np.random.default_rng(3).integers(2, size=(300, 60), dtype=bool)
    sides = [np.where(kept, everything, everything + 60), np.where(kept, everything + 60, everything)]
    first, second = (slow_rates(references * 2, system + worse, side) for side in sides)
    exceeding = int((np.abs(first - second) > abs(scores[1] - scores[0])).sum())
    result = WerDp(seed=3).compare(system, worse, references=references, test="randomization", n_trials=300)
    assert result["systems"][0]["wer_p_value"] == (exceeding + 1) / 301
