"""Perplexity of probabilities that are given, and what is made of it: exact sums, rows, intervals, tests."""

from __future__ import annotations

import json
import math
import pickle
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa
import pytest
from datasets.fingerprint import Hasher
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import refusal

import evenscore

INF = math.inf
# Rows of every kind: certain, likely, tiny, huge, long.
LOG_PROBS = [[-1.5, -0.25, -3.0], [0.0], [-1e-12, -700.25], [-0.1] * 50, [-2.0, -1e300 / 1e298]]
TEXTS = ["a b c", "one", " two  spaces", "é" * 3, "日本語 です"]

PARSED = examples(200)


def metric(**options: Any) -> Any:
    return evenscore.load("perplexity", **options)


def computed(**given: Any) -> dict[str, Any]:
    return dict(metric().compute(**given))


def naive(rows: Sequence[Sequence[float]]) -> dict[str, float]:
    """The definition in fractions, rounded once: what sums in any order must come to."""
    nll = sum((Fraction(-x) for row in rows for x in row), Fraction(0))
    tokens = sum(map(len, rows))
    mean = float(nll / tokens)
    return {"perplexity": math.exp(mean) if mean < 709.78 else INF, "nll": float(nll), "tokens": tokens}


# --- the definition


def test_worked_examples() -> None:
    uniform = [[math.log(1 / 8)] * 5, [math.log(1 / 8)] * 2]
    assert computed(log_probs=uniform)["perplexity"] == pytest.approx(8, rel=1e-15)
    assert computed(log_probs=[[0.0, 0.0], [0.0]])["perplexity"] == 1.0
    assert computed(log_probs=[[math.log(0.5)], [math.log(0.125)]])["perplexity"] == pytest.approx(4, rel=1e-15)


def test_probability_zero_is_infinite_and_no_token_is_skipped() -> None:
    result = computed(log_probs=[[-1.0, -INF], [-1.0]], predictions=["a b", "c"], per_example=True)
    for name in ("perplexity", "nll", "mean_perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"):
        assert result[name] == INF, name
    assert result["tokens"] == 3
    assert result["perplexities"] == result["perplexity_per_example"] == [INF, math.e]


def test_what_no_float_holds_is_infinite() -> None:
    result = computed(log_probs=[[-1e4], [-709.0], [-709.5]])
    assert result["perplexities"] == [INF, math.exp(709.0), math.exp(709.5)]
    assert result["mean_perplexity"] == INF
    assert computed(log_probs=[[-709.5], [-709.6], [-709.7], [-709.7]])["mean_perplexity"] == INF
    assert computed(log_probs=[[-1.0] * 3, [-1e4]])["perplexity"] == INF


@PARSED
@given(st.lists(st.lists(st.floats(-800, -(2.0**-43)) | st.just(0.0), min_size=1, max_size=6), min_size=1, max_size=6))
def test_sums_are_exact(rows: list[list[float]]) -> None:
    result = computed(log_probs=rows)
    assert {name: result[name] for name in ("perplexity", "nll", "tokens")} == naive(rows)
    assert result["nll"] == math.fsum(-x for row in rows for x in row)


def test_what_no_sum_would_bear_is_impossible() -> None:
    assert computed(log_probs=[[-(2.0**41), -1.0]])["nll"] == INF
    assert computed(log_probs=[[-(2.0**40), -1.0]])["nll"] == 2.0**40 + 1


def test_rows_with_and_without_texts_have_no_sizes_together() -> None:
    added = metric()
    added.add_batch(log_probs=[[-1.0]], predictions=["a"])
    added.add_batch(log_probs=[[-1.0]])
    assert "bits_per_byte" not in added.compute()
    added.add_batch(log_probs=[[-1.0]])
    assert "needs rows with texts" in refusal(lambda: added.compute(headlines=["bits_per_byte"], confidence=0.9))


@pytest.mark.parametrize(
    "given",
    [
        {"source": "ngram"}, {"source": "ngram", "train_texts": ["a"]}, {"source": "ngram", "ngram_order": 2},
        {"source": "ngram", "ngram_unit": "characters"}, {"source": "ngram", "discount": 0.5},
        {"source": "ngram", "end_token": False}, {"model_id": "a"}, {"model": "a"}, {"tokenizer": "a"},
        {"model_type": "masked"}, {"device": "cpu"}, {"dtype": "float32"}, {"start_token": False}, {"window": 9},
        {"stride": 2}, {"long_texts": "first"}, {"shift": True}, {"ignore_index": 0}, {"keep_rows": False},
    ],
    ids=str,
)  # fmt: skip
def test_rows_added_under_any_other_option_that_counts_are_not_scored(given: dict[str, Any]) -> None:
    added = metric(**({"source": "ngram"} if len(given) == 2 else {}))
    added._added.add([np.ones((1, len(added.statistic_names())), np.int64)])
    assert "rows were added under other options" in refusal(lambda: added.compute(**given))


def test_smaller_surprisals_than_2_to_the_minus_43_are_held_to_2_to_the_minus_96() -> None:
    result = computed(log_probs=[[-(2.0**-50), -(2.0**-97), -(2.0**-300)]])
    assert result["nll"] == 2.0**-50


@PARSED
@given(st.randoms(use_true_random=False))
def test_no_order_and_no_partition_of_the_rows_moves_a_bit(draw: random.Random) -> None:
    rows = [[draw.uniform(-30, 0) for _ in range(draw.randint(1, 9))] for _ in range(draw.randint(1, 8))]
    whole = computed(log_probs=rows)
    shuffled = draw.sample(rows, len(rows))
    result = computed(log_probs=shuffled)
    for name in ("perplexity", "nll", "mean_perplexity"):
        assert result[name] == whole[name], name
    added = metric()
    cut = draw.randint(0, len(rows))
    added.add_batch(log_probs=rows[:cut])
    for row in rows[cut:]:
        added.add(log_probs=row)
    assert len(added) == len(rows)
    assert added.compute() == whole
    parts = [metric().statistics(log_probs=part).sum(axis=0) for part in (rows[:cut], rows[cut:]) if part]
    assert metric().score_statistics(sum(parts))["perplexity"] == whole["perplexity"]


# --- per word, per byte, in bits


# --- rows, intervals, tests


def test_rows_score_as_alone() -> None:
    result = computed(
        log_probs=LOG_PROBS, predictions=TEXTS, per_example=True, headlines=["perplexity", "bits_per_byte"]
    )
    for i, (row, text) in enumerate(zip(LOG_PROBS, TEXTS, strict=True)):
        alone = computed(log_probs=[row], predictions=[text])
        assert result["perplexity_per_example"][i] == result["perplexities"][i] == alone["perplexity"]
        assert result["bits_per_byte_per_example"][i] == alone["bits_per_byte"]
    assert result["mean_perplexity"] == math.fsum(result["perplexities"]) / len(TEXTS)


def test_the_mean_is_that_of_the_stock_metric() -> None:
    perplexities = computed(log_probs=LOG_PROBS)["perplexities"]
    assert computed(log_probs=LOG_PROBS)["mean_perplexity"] == pytest.approx(np.mean(perplexities), rel=1e-14)


def test_an_interval_is_taken_over_texts() -> None:
    rows = [[-float(k % 7) - 0.5] * (1 + k % 3) for k in range(60)]
    result = computed(log_probs=rows, confidence=0.95, n_resamples=200, seed=3)
    draws = np.random.default_rng(3).choice(60, size=(200, 60), replace=True)
    scores = sorted(naive([rows[k] for k in draw])["perplexity"] for draw in draws.tolist())
    assert (result["perplexity_low"], result["perplexity_high"]) == (scores[5], scores[194])


def test_models_are_compared_on_the_same_texts() -> None:
    draw = random.Random(5)
    worse = [[-draw.uniform(1, 4) for _ in range(5)] for _ in range(80)]
    better = [[x + 0.5 for x in row[:4]] for row in worse]
    texts = ["some text"] * 80
    with pytest.warns(UserWarning, match=r"systems\[0\] has other tokens"):
        tested = metric().compare(
            {"log_probs": worse}, {"log_probs": better}, {"log_probs": worse[::-1]},
            predictions=texts, headlines=["perplexity", "bits_per_byte"], n_trials=200,
        )  # fmt: skip
    assert tested["baseline"]["perplexity"] == computed(log_probs=worse)["perplexity"]
    first, second = tested["systems"]
    assert first["perplexity"] == computed(log_probs=better)["perplexity"]
    assert first["perplexity_p_value"] < 0.02
    assert first["bits_per_byte_p_value"] < 0.02
    assert second["perplexity_p_value"] > 0.2
    assert tested["signature"].startswith("bs:200|seed:12345|source:given")


def test_models_with_other_tokens_are_warned_of() -> None:
    first, second = {"log_probs": [[-1.0], [-2.0]]}, {"log_probs": [[-1.0], [-2.0, -1.0]]}
    with pytest.warns(UserWarning, match=r"systems\[0\] has other tokens than the baseline.*bits_per_byte"):
        metric().compare(first, second, n_trials=3)
    tested = metric().compare(first, second, predictions=["a", "b"], headlines=["bits_per_byte"], n_trials=3)
    assert tested["sources"] == ["given", "given"]
    for wrong in ("gpt2", [[-1.0]], None):
        assert "give options, as in {'model_id': 'a'}" in refusal(lambda wrong=wrong: metric().compare(first, wrong))


def test_sizes_are_those_of_what_is_scored() -> None:
    table = np.log([[0.5, 0.5], [0.25, 0.75]])
    whole = computed(logits=[table], labels=[[0, 1]], predictions=["ab"])
    assert whole["bits_per_byte"] == -math.log2(0.5 * 0.75) / 2
    part = {"logits": [table], "labels": [[0, -100]], "predictions": ["ab"]}
    assert "bytes" not in computed(**part)
    assert "needs texts that are scored completely" in refusal(lambda: computed(**part, headlines=["bits_per_byte"]))
    assert "bytes" not in computed(logits=[table], labels=[[0, 1]], predictions=["ab"], shift=True)


def test_a_test_of_infinite_perplexities_is_refused() -> None:
    message = refusal(lambda: metric().compare({"log_probs": [[-1.0], [-2.0]]}, {"log_probs": [[-1.0], [-INF]]}))
    assert message == "systems[0] gives row 1 an infinite perplexity: leave the row out"
    assert "systems[0] has 1" in refusal(
        lambda: metric().compare({"log_probs": [[-1.0], [-2.0]]}, {"log_probs": [[-1.0]]})
    )
    assert "no system" in refusal(lambda: metric().compare({"log_probs": [[-1.0]]}))
    assert "test='t'" in refusal(lambda: metric().compare({"log_probs": [[-1.0]]}, {"log_probs": [[-1.0]]}, test="t"))


# --- what the numbers may be given as


FORMS: dict[str, Callable[[list[list[float]]], Any]] = {
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "arrays": lambda rows: [np.array(row) for row in rows],
    "objects": lambda rows: np.array([np.array(row) for row in rows] + [None], dtype=object)[:-1],
    "arrow": pa.array,
    "column": lambda rows: datasets.Dataset.from_dict({"x": rows})["x"],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_log_probs_come_in_any_form(form: Callable[[list[list[float]]], Any]) -> None:
    assert computed(log_probs=form(LOG_PROBS)) == computed(log_probs=LOG_PROBS)


def test_rows_of_one_length_may_be_one_array() -> None:
    rows = np.full((3, 4), -0.5, dtype=np.float32)
    assert computed(log_probs=rows) == computed(log_probs=rows.tolist())


# --- distributions


@PARSED
@given(st.randoms(use_true_random=False), st.booleans())
def test_logits_and_probabilities_of_labels(draw: random.Random, shift: bool) -> None:
    values, rows, labels = draw.randint(2, 9), [], []
    for _ in range(draw.randint(1, 4)):
        length = draw.randint(2, 6)
        rows.append(np.array([[draw.uniform(-20, 20) for _ in range(values)] for _ in range(length)]))
        labels.append(
            [draw.choice([-100, draw.randrange(values)]) for _ in range(length - 1)] + [draw.randrange(values)]
        )
    expected = []
    for table, ids in zip(rows, labels, strict=True):
        pairs = zip(table[:-1], ids[1:], strict=True) if shift else zip(table, ids, strict=True)
        expected.append([row[k] - math.log(math.fsum(math.exp(x) for x in row)) for row, k in pairs if k != -100])
    result = computed(logits=rows, labels=labels, shift=shift)
    assert result["nll"] == pytest.approx(naive(expected)["nll"], rel=1e-12)
    assert result["tokens"] == sum(map(len, expected))
    softmax = [np.exp(table) / np.exp(table).sum(axis=1, keepdims=True) for table in rows]
    given_probabilities = computed(probabilities=softmax, labels=labels, shift=shift)
    assert given_probabilities["nll"] == pytest.approx(result["nll"], rel=1e-9)


def test_a_logit_of_minus_infinity_is_an_impossible_label() -> None:
    assert computed(logits=[[[0.0, -INF]]], labels=[[1]])["perplexity"] == INF
    assert computed(logits=[[[0.0, -INF]]], labels=[[0]])["perplexity"] == 1.0


def test_other_labels_may_be_ignored() -> None:
    table = np.log([[0.5, 0.5], [0.25, 0.75]])
    result = computed(logits=[table], labels=[[0, 1]], ignore_index=1)
    assert (result["tokens"], result["perplexity"]) == (1, 2.0)


def test_rows_of_ignored_labels_may_be_among_others() -> None:
    table = np.log([[0.5, 0.5], [0.25, 0.75]])
    given = {"logits": [table] * 3, "labels": [[-100, -100], [0, 1], [-100, -100]]}
    result = computed(**given)
    assert result["perplexities"] == [None, result["perplexity"], None]
    assert result["mean_perplexity"] == result["perplexity"] == computed(logits=[table], labels=[[0, 1]])["perplexity"]
    assert result["tokens"] == 2
    assert "no token to score" in refusal(lambda: computed(**given, per_example=True))
    # In batches, as a Trainer hands them over, and in resamples.
    added = metric()
    for values, row in zip(given["logits"], given["labels"], strict=True):
        added.add_batch(logits=[values], labels=[row])
    assert added.compute() == result
    assert computed(**given, confidence=0.9, n_resamples=50)["perplexity_low"] == result["perplexity"]


# --- models of one's own


class Coin:
    """Every character costs as many halvings as the context has characters, plus one."""

    def log_probs(self, texts: list[str], contexts: list[str] | None = None) -> list[list[float]]:
        before = contexts or [""] * len(texts)
        return [[math.log(0.5) * (1 + len(c))] * len(t) for t, c in zip(texts, before, strict=True)]

    def tokens(self, texts: list[str], contexts: list[str] | None = None) -> list[list[tuple[str, int, int]]]:
        return [[(character, k, k + 1) for k, character in enumerate(text)] for text in texts]


def test_an_object_or_a_function_may_be_the_source() -> None:
    texts = ["ab", "c"]
    result = computed(predictions=texts, source=Coin())
    assert result["perplexity"] == pytest.approx(2, rel=1e-15)
    assert result["bits_per_character"] == pytest.approx(1, rel=1e-15)
    same = computed(predictions=texts, source=Coin().log_probs)
    assert {**same, "signature": ""} == {**result, "signature": ""}
    assert result["signature"] == f"source:{Coin.__module__}.Coin|version:evenscore-{evenscore.__version__}"
    assert computed(predictions=texts, contexts=["", "xyz"], source=Coin())["nll"] == pytest.approx(6 * math.log(2))


def test_tokens_are_shown_when_asked() -> None:
    result = computed(predictions=["ab", "c"], source=Coin(), per_token=True)
    half = math.log(0.5)
    assert result["token_log_probs"] == [[half, half], [half]]
    assert result["token_texts"] == [["a", "b"], ["c"]]
    assert result["token_offsets"] == [[(0, 1), (1, 2)], [(0, 1)]]
    del result["token_log_probs"], result["token_texts"], result["token_offsets"]
    assert result == computed(predictions=["ab", "c"], source=Coin())
    given = computed(log_probs=[[-1.0], [-2.0, -3.0]], per_token=True)
    assert given["token_log_probs"] == [[-1.0], [-2.0, -3.0]]
    assert "token_texts" not in given
    added = metric(per_token=True)
    added.add(log_probs=[-1.0])
    assert "kept without their tokens" in refusal(added.compute)
    assert "with a method tokens(texts)" in refusal(
        lambda: computed(predictions=["a"], source=Coin().log_probs, per_token=True)
    )


# --- refusals


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing to score: give predictions with a source of probabilities, or log_probs"),
        ({"predictions": ["a"]}, "no source of probabilities: give log_probs=, model_id="),
        ({"log_probs": []}, "nothing to score"),
        ({"log_probs": [[-1.0], [0.5]]}, "log_probs[1] has 0.5 at position 0: a natural log-probability"),
        ({"log_probs": [[-1.0, math.nan]]}, "log_probs[0] has nan at position 1"),
        ({"log_probs": [[INF]]}, "log_probs[0] has inf at position 0"),
        ({"log_probs": [[-1.0], []]}, "log_probs[1] has no token to score: leave it out"),
        ({"log_probs": [[]], "predictions": [""]}, "log_probs[0] ('') has no token to score: leave it out"),
        ({"log_probs": [-1.0]}, "log_probs[0] is a number: give one list per text, as in [log_probs] for one text"),
        ({"log_probs": [[None, -1.0]]}, "log_probs[0] has None at position 0: leave out tokens"),
        ({"labels": [[1]]}, "labels are given without logits or probabilities"),
        ({"predictions": [], "log_probs": []}, "nothing to score: predictions and log_probs are empty"),
        ({"predictions": ["a"], "source": "ngram", "train_texts": ["a"], "window": 3}, "window=3 does not apply to"),
        (
            {"predictions": ["a"], "source": __file__, "ngram_order": 2},
            "ngram_order=2 does not apply to an ARPA",
        ),
        ({"predictions": ["a"], "source": Coin(), "start_token": False}, "start_token=False does not apply to this"),
        ({"predictions": ["a"], "source": "ngram", "model_id": "x"}, "source= and a model are both given: give one"),
        ({"predictions": ["a"], "source": "gpt2"}, "source='gpt2': there is no such file; give 'ngram' or an ARPA"),
        ({"predictions": ["a"], "source": "ngram", "train_texts": ["a"], "ngram_unit": "chars"}, "ngram_unit='chars'"),
        ({"log_probs": [["x"]]}, "log_probs[0] has shape (1,) and type <U1: give a list of numbers"),
        ({"log_probs": [[[-1.0]]]}, "log_probs[0] has shape (1, 1) and type float64: give a list of numbers"),
        ({"log_probs": "abc"}, "log_probs is of type str: give a list with one row per text"),
        ({"log_probs": -1.0}, "log_probs is of type float: give a list with one row per text"),
        ({"log_probs": [[-1.0]], "predictions": ["a", "b"]}, "2 predictions but 1 row of log_probs"),
        ({"log_probs": [[-1.0]], "predictions": ["a"], "contexts": ["b"]}, "contexts and log_probs are both given"),
        ({"log_probs": [[-1.0]], "labels": [[1]]}, "labels are given without logits or probabilities"),
        ({"log_probs": [[-1.0]], "logits": [[[1.0]]]}, "log_probs and logits are given: give one of them"),
        ({"log_probs": [[-1.0]], "source": Coin()}, "log_probs and a source of probabilities are both given"),
        ({"log_probs": [[-1.0]], "headlines": ["bits_per_byte"]}, "headlines='bits_per_byte' needs texts"),
        ({"log_probs": [[-1.0]], "headlines": ["nll"]}, "headlines='nll': choose one of 'perplexity'"),
        ({"log_probs": [[-1.0]], "headlines": "perplexity"}, "headlines='perplexity': give a list of names among"),
        ({"logits": [[[0.0, 1.0]]]}, "labels is missing: give one row per text"),
        (
            {"logits": [[[0.0, 1.0]]], "labels": [[0], [1]]},
            "1 row of logits but 2 of labels: give one row",
        ),
        ({"logits": [[[0.0, 1.0]]], "labels": [[0, 1]]}, "logits[0] has 1 position but labels[0] 2"),
        ({"logits": [[[0.0, 1.0]]], "labels": [[2]]}, "labels[0] contains 2: give ids from 0 to 1, or -100"),
        ({"logits": [[[0.0, 1.0]]], "labels": [[-1]]}, "labels[0] contains -1: give ids from 0 to 1, or -100"),
        ({"logits": [[[0.0, 1.0]]], "labels": [[0.5]]}, "labels[0] has shape (1,) and type float64: give a list of"),
        ({"logits": [[0.0, 1.0]], "labels": [[0]]}, "logits[0] has shape (2,) and type float64: give a table of"),
        ({"logits": [[[0.0], [0.0, 1.0]]], "labels": [[0, 0]]}, "logits[0] is not a table of shape"),
        ({"logits": [[[0.0, math.nan]]], "labels": [[0]]}, "give finite logits or -inf"),
        ({"logits": [[[0.0, INF]]], "labels": [[0]]}, "give finite logits or -inf"),
        ({"logits": [[[-INF, -INF]]], "labels": [[0]]}, "give finite logits or -inf"),
        ({"logits": [[[0.0, 1.0]]], "labels": [[-100]]}, "no token to score, since all labels equal ignore_index"),
        ({"logits": [[[0.0, 0.0], [0.0, math.nan]]], "labels": [[-100, 1]]}, "logits[0] has [ 0. nan] at position 1"),
        ({"predictions": ["a"], "contexts": ["b"], "source": lambda texts: [[-1.0]]}, "the source accepts texts only"),
        ({"probabilities": [[[0.5, 0.6]]], "labels": [[0]]}, "has 1.1 at position 0: give probabilities that sum to 1"),
        ({"probabilities": [[[1.5, -0.5]]], "labels": [[0]]}, "give probabilities from 0 to 1"),
        ({"probabilities": [[[math.nan, 1.0]]], "labels": [[0]]}, "give probabilities from 0 to 1"),
        ({"predictions": ["a"], "source": 3}, "source=3: give 'ngram', an ARPA file's path, a function, or an object"),
        ({"predictions": ["a", ""], "source": Coin()}, "predictions[1] ('') has no token to score: leave it out"),
        ({"predictions": ["a"], "source": lambda texts: []}, "the source gives 0 rows of log_probs for 1 text"),
        ({"predictions": ["a"], "source": lambda texts: [[1.0]]}, "log_probs of the source[0] has 1.0 at position 0"),
        ({"predictions": ["a", "b"], "contexts": ["c"], "source": Coin()}, "2 predictions but 1 context"),
        ({"predictions": ["a", None], "source": Coin()}, "predictions[1] is None"),
        ({"predictions": "a", "source": Coin()}, "predictions is 'a' (str): give a list of strings"),
        ({"log_probs": [[-1.0]], "start_token": True}, "start_token=True: give 'bos', 'eos', a token, or False"),
        ({"log_probs": [[-1.0]], "add_start_token": "no"}, "add_start_token='no': choose one of None, True, False"),
        ({"log_probs": [[-1.0]], "stride": 0}, "stride=0: give a whole number of at least 1"),
        ({"predictions": ["a"], "source": "ngram"}, "source='ngram' needs training texts: give train_texts="),
        ({"predictions": ["a"], "source": "ngram", "train_texts": ["a"], "start_token": "eos"}, "only have <s>"),
        ({"log_probs": [[-1.0]], "train_texts": [1]}, "train_texts[0] is 1"),
        ({"log_probs": [[-1.0]], "modle_id": "x"}, "unknown option 'modle_id'; did you mean 'model_id'?"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    assert message in refusal(lambda: computed(**given))


def test_rounding_above_zero_is_zero() -> None:
    assert computed(log_probs=[[1e-7]])["perplexity"] == 1.0


def test_sums_of_nothing_are_refused() -> None:
    names = metric().statistic_names()
    assert "total sums up 0 rows" in refusal(lambda: metric().score_statistics([0] * len(names)))
    assert "no token to score" in refusal(lambda: metric().score_statistics([1] + [0] * (len(names) - 1)))


# --- the host


def test_evaluate_loads_it_and_combines_it() -> None:
    loaded = evaluate.load(evenscore.path("perplexity"), source=Coin())
    assert loaded._feature_names() == ["predictions"]
    both = evaluate.combine([loaded, evenscore.load("wer_dp")])
    result = both.compute(predictions=["a b"], references=["a c"])
    assert (result["perplexity"], result["wer"]) == (pytest.approx(2), 0.5)
    both.add_batch(predictions=["a b"], references=["a c"])
    assert both.compute()["tokens"] == 3


def test_rows_added_score_like_rows_given(tmp_path: Any) -> None:
    loaded = metric(source=Coin())
    loaded.add(prediction="ab", context="x")
    loaded.add_batch(predictions=["c"], contexts=[""])
    copied = pickle.loads(pickle.dumps(loaded))
    expected = computed(predictions=["ab", "c"], contexts=["x", ""], source=Coin())
    assert copied.compute() == loaded.compute() == expected
    file = evaluate.save(tmp_path / "result.json", **expected)
    assert json.loads(file.read_text())["perplexity"] == expected["perplexity"]


def test_rows_added_under_other_options_are_not_scored() -> None:
    loaded = metric(source=Coin())
    loaded.add(prediction="a")
    assert "rows were added under other options" in refusal(lambda: loaded.compute(source=Coin()))
    assert loaded.compute(confidence=0.9, n_resamples=2)["perplexity_low"] == pytest.approx(2)


def test_unknown_columns_are_refused() -> None:
    assert "unknown columns ['reference']: give predictions" in refusal(lambda: metric().add(reference="a"))


def test_the_hash_depends_on_options_alone() -> None:
    fresh = Hasher.hash(metric(window=8))
    used = metric(window=8)
    used.compute(log_probs=[[-1.0]])
    assert Hasher.hash(used) == fresh != Hasher.hash(metric(window=9))
    assert Hasher.hash(metric(max_length=8)) == Hasher.hash(metric(window=8, long_texts="first"))


def test_scalars_only_leaves_numbers() -> None:
    result = computed(log_probs=LOG_PROBS, predictions=TEXTS, scalars_only=True)
    assert {type(value) for value in result.values()} == {int, float}
    assert result["perplexity"] == computed(log_probs=LOG_PROBS)["perplexity"]


def test_rows_are_scored_in_map() -> None:
    rows = datasets.Dataset.from_dict({"x": LOG_PROBS})
    scored = rows.map(lambda batch: {"p": metric().compute(log_probs=batch["x"])["perplexities"]}, batched=True)
    assert scored["p"][:] == computed(log_probs=LOG_PROBS)["perplexities"]


def test_a_sum_names_the_values_that_it_leaves_out() -> None:
    whole = computed(log_probs=[[-1.0], [-2.0, -3.0]])
    stream = evenscore.load("perplexity", keep_rows=False)
    stream.add_batch(log_probs=[[-1.0], [-2.0, -3.0]])
    total = stream.statistics(log_probs=[[-1.0], [-2.0, -3.0]]).sum(axis=0)
    for result in (stream.score_statistics(total), stream.compute()):
        assert whole.keys() - result.keys() == set(result["left_out"]) == {"mean_perplexity", "perplexities"}
        assert result.keys() - whole.keys() == {"left_out"}
    assert "left_out" not in stream.compute(log_probs=[[-1.0]], scalars_only=True)
