"""bleu_corpus equals sacrebleu, mteval, nltk and evaluate's bleu: scores, counts, intervals, p-values."""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import naive
import numpy as np
import pytest
import sacrebleu
from evenscore.metrics.bleu_corpus.bleu_corpus import BleuCorpus
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate import bleu_score as nltk_bleu
from properties import examples
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from shared_data import lines, shared

from evenscore import significance
from evenscore.bleu.tokenizers import get_tokenizer

WMT17 = "mt/wmt17_en_de"
TED = "mt/ted_zh_en"
SYSTEMS = [
    "C-3MA.4959", "FBK.4870", "KIT.4950", "LIUM-NMT.4900", "LMU-nmt-reranked.4934", "LMU-nmt-single.4893",
    "PROMT-Rule-based.4735", "RWTH-nmt-ensemble.4921", "SYSTRAN.4847", "TALP-UPC.4834", "online-A.0", "online-B.0",
    "online-F.0", "online-G.0", "uedin-nmt.4722", "xmu.4910",
]  # fmt: skip
TED_SYSTEMS = ["DIDI-NLP", "Facebook-AI", "IIE-MT", "MiSS", "metricsystem1", "metricsystem2", "metricsystem3"]
TOKENIZERS = ["13a", "intl", "char", "zh", "none"]
SMOOTHINGS = [("exp", None), ("none", None), *((name, k) for name in ("floor", "add-k") for k in (None, 0.0, 0.5, 3))]

Row = tuple[str, list[str]]

# Few distinct words, so that long n-grams match; several references of all lengths.
words = st.lists(st.sampled_from(["a", "b", "c."]), max_size=8).map(" ".join)
corpora = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4)
thorough = examples(150)


def system(name: str) -> list[str]:
    return lines(f"{WMT17}/newstest2017.{name}.en-de.txt")


def wmt17_references() -> list[str]:
    return lines(f"{WMT17}/ref.txt")


def expected(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(shared(f"{WMT17}/expected.json").read_text())
    return figures[name]


def streams(references: Sequence[str | Sequence[str]]) -> list[list[str | None]]:
    """References as sacrebleu takes them: one list a reference number, None where a row has fewer."""
    rows = [[row] if isinstance(row, str) else row for row in references]
    return [list(stream) for stream in itertools.zip_longest(*rows)]


def counted(result: dict[str, Any]) -> list[Any]:
    """Everything that has to be equal, not almost equal."""
    names = ("score", "counts", "totals", "brevity_penalty", "translation_length", "reference_length", "length_ratio")
    return [result[name] for name in names]


def sacrebleu_counted(metric: BLEU, predictions: list[str], references: Sequence[str | Sequence[str]]) -> list[Any]:
    score = metric.corpus_score(predictions, streams(references))
    counts, totals = score.counts, score.totals
    if metric.smooth_method == "add-k" and any(counts):
        # sacrebleu reports what it made of its counts; ours stay what was counted.
        k = 1 if metric.smooth_value is None else metric.smooth_value
        counts = [counts[0], *(count - k for count in counts[1:])]
        totals = [totals[0], *(total - k for total in totals[1:])]
    return [score.score, counts, totals, score.bp, score.sys_len, score.ref_len, score.ratio]


def split(corpus: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    return [prediction for prediction, _ in corpus], [references for _, references in corpus]


# --- sacrebleu and the scripts before it, on real systems


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_wmt17_scores_are_those_recorded_of_sacrebleu(name: str) -> None:
    figures = expected(f"newstest2017.{name}.en-de")
    data = {"predictions": system(name), "references": wmt17_references()}
    bleu = BleuCorpus()
    for tokenizer in TOKENIZERS:
        result, golden = bleu.compute(**data, tokenizer=tokenizer), figures[f"sacrebleu_{tokenizer}"]
        recorded = [golden[key] for key in ("counts", "totals", "bp", "sys_len", "ref_len")]
        assert counted(result)[1:-1] == recorded
        counts = (golden[key] for key in ("counts", "totals", "sys_len", "ref_len"))
        assert result["score"] == BLEU.compute_bleu(*counts, smooth_method="exp").score
        assert result["score"] == as_recorded(golden["score"])
    assert bleu.compute(**data, lowercase=True)["score"] == as_recorded(figures["sacrebleu_13a_lc"])


def as_recorded(score: float) -> Any:
    """The figures were recorded with Python 3.11; from 3.12 on `sum`, and so sacrebleu, rounds otherwise."""
    return score if sys.version_info < (3, 12) else pytest.approx(score, rel=1e-15)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_wmt17_scores_are_those_of_sacrebleu_today(tokenizer: str, lowercase: bool) -> None:
    for name, start in (("LIUM-NMT.4900", 0), ("online-F.0", 1000)):
        predictions, references = system(name)[start : start + 900], wmt17_references()[start : start + 900]
        metric = BLEU(tokenize=tokenizer, lowercase=lowercase)
        result = BleuCorpus(tokenizer=tokenizer, lowercase=lowercase).compute(
            predictions=predictions, references=references
        )
        assert counted(result) == sacrebleu_counted(metric, predictions, references)
        ours, theirs = (str(text).split("|version:")[0] for text in (result["signature"], metric.get_signature()))
        assert ours == theirs


def test_wmt17_scores_are_those_that_mteval_printed() -> None:
    published = json.loads(shared(f"{WMT17}/mteval13a_all_wmt17_pairs.json").read_text())
    for name in SYSTEMS:
        result = BleuCorpus().compute(predictions=system(name), references=wmt17_references())
        assert round(result["score"], 2) == float(published[f"newstest2017.{name}.en-de"])
        assert round(result["score"], 2) == expected(f"newstest2017.{name}.en-de")["mteval_v13a"]
    lium = BleuCorpus(tokenizer="intl").compute(predictions=system("LIUM-NMT.4900"), references=wmt17_references())
    assert round(lium["score"], 2) == expected("newstest2017.LIUM-NMT.4900.en-de")["mteval_v14_intl"]


def test_wmt17_scores_against_three_references() -> None:
    golden = expected(
        "multiref_newstest2017.LIUM-NMT.4900.en-de_vs_ref+newstest2017.C-3MA.4959.en-de+newstest2017.FBK.4870.en-de"
    )
    columns = [wmt17_references(), system("C-3MA.4959"), system("FBK.4870")]
    references = [list(row) for row in zip(*columns, strict=True)]
    result = BleuCorpus().compute(predictions=system("LIUM-NMT.4900"), references=references)
    assert {key: result[key] for key in ("score", "counts", "totals")} == {
        key: golden[key] for key in ("score", "counts", "totals")
    }
    assert [result["translation_length"], result["reference_length"]] == [golden["sys_len"], golden["ref_len"]]


def ted_references(which: str) -> list[list[str]]:
    """Both references of a row, one of them, or now one, now the other, now both."""
    first, second = lines(f"{TED}/ref.txt"), lines(f"{TED}/refB.txt")
    both = [list(row) for row in zip(first, second, strict=True)]
    if which == "varying":
        return [[row, row[:1], row[1:], [row[0], "", row[1]]][i % 4] for i, row in enumerate(both)]
    return {"both": both, "first": [row[:1] for row in both], "second": [row[1:] for row in both]}[which]


@pytest.mark.parametrize("which", ["first", "second", "both", "varying"])
def test_ted_scores_are_those_of_sacrebleu(which: str) -> None:
    references = ted_references(which)
    for name in TED_SYSTEMS:
        predictions, metric = lines(f"{TED}/{name}.txt"), BLEU()
        result = BleuCorpus().compute(predictions=predictions, references=references)
        assert counted(result) == sacrebleu_counted(metric, predictions, references)
        # A row that has an empty reference has it in ours too, so "varying" is told by both.
        assert result["signature"].split("|")[0] == str(metric.get_signature()).split("|")[0]


def test_one_reference_a_row_may_be_given_plainly() -> None:
    predictions, references = lines(f"{TED}/MiSS.txt"), lines(f"{TED}/ref.txt")
    plain = BleuCorpus().compute(predictions=predictions, references=references)
    assert plain == BleuCorpus().compute(predictions=predictions, references=[[text] for text in references])


# --- sacrebleu's options, on few words


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("smoothing", "value"), SMOOTHINGS)
@thorough
@given(corpus=corpora, max_order=st.integers(1, 6))
@example(corpus=[("", [""])], max_order=4)
@example(corpus=[("", ["a"])], max_order=4)
@example(corpus=[("a", [""])], max_order=1)
@example(corpus=[("a b c.", ["a b c."])], max_order=4)
def test_every_smoothing_is_that_of_sacrebleu(
    smoothing: str, value: float | None, effective_order: bool, corpus: list[Row], max_order: int
) -> None:
    predictions, references = split(corpus)
    metric = BLEU(
        smooth_method=smoothing, smooth_value=value, max_ngram_order=max_order, effective_order=effective_order
    )
    ours = BleuCorpus(
        smoothing=smoothing,
        smoothing_value=value,
        max_order=max_order,
        effective_order=effective_order,
        per_example=True,
    ).compute(predictions=predictions, references=references)
    assert counted(ours) == sacrebleu_counted(metric, predictions, references)
    sentences = BLEU(smooth_method=smoothing, smooth_value=value, max_ngram_order=max_order, effective_order=True)
    assert ours["score_per_example"] == [sentences.sentence_score(*row).score for row in corpus]
    # sacrebleu's are percentages, multiplied before they are divided.
    theirs = metric.corpus_score(predictions, streams(references)).precisions
    assert ours["precisions"] == pytest.approx([p / 100 for p in theirs], rel=4e-16, abs=0)


def test_sentence_scores_are_those_of_sacrebleu() -> None:
    predictions, references = system("LMU-nmt-single.4893")[:1000], wmt17_references()[:1000]
    for options in ({}, {"lowercase": True}):
        ours = BleuCorpus(**options, per_example=True).compute(predictions=predictions, references=references)
        theirs = [
            sacrebleu.sentence_bleu(prediction, [reference], use_effective_order=True, **options).score
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        assert ours["score_per_example"] == theirs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smoothing": "floor", "smoothing_value": 0},
        {"smoothing": "floor"},
        {"smoothing": "add-k", "smoothing_value": 0.25, "effective_order": True},
        {"smoothing": "none", "smoothing_value": 0.5, "lowercase": True, "tokenizer": "char"},
    ],
)
def test_signatures_are_those_of_sacrebleu(options: dict[str, Any]) -> None:
    names = {"smoothing": "smooth_method", "smoothing_value": "smooth_value", "tokenizer": "tokenize"}
    metric = BLEU(**{names.get(name, name): value for name, value in options.items()})
    metric.corpus_score(["a", "b"], [["a", "b"], ["a", None]], n_bootstrap=7)
    result = BleuCorpus(**options).compute(
        predictions=["a", "b"], references=[["a", "a"], ["b"]], confidence=0.95, n_resamples=7
    )
    assert result["signature"].split("|version:")[0] == str(metric.get_signature()).split("|version:")[0]


def test_predictions_that_look_tokenized_are_told() -> None:
    data = {"predictions": ["a b ."] * 100, "references": ["a b ."] * 100}
    with pytest.warns(UserWarning, match=r"100 or more predictions end in \" \.\" and look tokenized"):
        BleuCorpus().compute(**data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BleuCorpus(force=True).compute(**data)
        BleuCorpus().compute(predictions=data["predictions"][1:], references=data["references"][1:])


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "none"])
def test_texts_without_spaces_that_stay_whole_are_told(tokenizer: str) -> None:
    whole, spaced = ["ok", " 我们去公园吧。 ", "今日は雨です "], ["ok", "我们 去 公园 吧 。", "今日 は 雨 です"]
    message = (
        f"texts are in a script without spaces, and tokenizer='{tokenizer}' does not split their words.*'zh'.*'char'"
    )
    for predictions, references in ((whole, ["x", "y", "z"]), (["x", "y", "z"], [[text, "a"] for text in whole])):
        with pytest.warns(UserWarning, match=message) as caught:
            BleuCorpus(tokenizer=tokenizer).compute(predictions=predictions, references=references)
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BleuCorpus(tokenizer=tokenizer).compute(predictions=spaced, references=spaced)
        for other in ("zh", "char", list):
            BleuCorpus(tokenizer=other).compute(predictions=whole, references=whole)


# --- intervals and p-values


@pytest.mark.parametrize(
    "options", [{}, {"smooth_method": "add-k", "smooth_value": 0.5}, {"smooth_method": "floor", "lowercase": True}]
)
def test_intervals_are_those_of_sacrebleu(options: dict[str, Any]) -> None:
    predictions, references = system("KIT.4950"), wmt17_references()
    theirs = BLEU(**options).corpus_score(predictions, [references], n_bootstrap=1000)
    ours = BleuCorpus(**options, confidence=0.95).compute(predictions=predictions, references=references)
    assert ours["score_mean"] == theirs._mean
    assert (ours["score_high"] - ours["score_low"]) / 2 == theirs._ci


@pytest.mark.parametrize("options", [{"smooth_method": "exp"}, {"smooth_method": "none"}, {"smooth_method": "add-k"}])
@examples(60)
@given(corpus=corpora, max_order=st.integers(1, 5))
def test_intervals_of_few_words_are_those_of_sacrebleu(
    options: dict[str, Any], corpus: list[Row], max_order: int
) -> None:
    predictions, references = split(corpus)
    metric = BLEU(**options, max_ngram_order=max_order)
    theirs = metric.corpus_score(predictions, streams(references), n_bootstrap=90)
    ours = BleuCorpus(**options, max_order=max_order, confidence=0.95, n_resamples=90).compute(
        predictions=predictions, references=references
    )
    assert [ours["score_mean"], (ours["score_high"] - ours["score_low"]) / 2] == [theirs._mean, theirs._ci]


def test_the_seed_is_that_of_sacrebleu(monkeypatch: pytest.MonkeyPatch) -> None:
    predictions, references = lines(f"{TED}/MiSS.txt"), lines(f"{TED}/ref.txt")
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    theirs = BLEU().corpus_score(predictions, [references], n_bootstrap=100)
    bleu = BleuCorpus(confidence=0.95, n_resamples=100)
    assert bleu.compute(predictions=predictions, references=references, seed=7)["score_mean"] == theirs._mean
    assert bleu.compute(predictions=predictions, references=references)["score_mean"] != theirs._mean


@pytest.mark.parametrize(("confidence", "n_outside"), [(0.9, 5), (0.95, 2), (0.98, 1), (0.995, 0), (0.01, 49)])
def test_an_interval_leaves_out_as_many_scores_on_each_side(confidence: float, n_outside: int) -> None:
    scores = np.random.default_rng(1).permutation(np.arange(100.0))
    assert significance.interval(scores, confidence) == (n_outside, 49.5, 99 - n_outside)


def paired(predictions: Sequence[list[str]], references: list[list[str]], test: str, n: int) -> list[Any]:
    """sacrebleu's scores and p-values of all systems, the baseline first."""
    named = [(str(i), column) for i, column in enumerate(predictions)]
    _, scores = PairedTest(named, {"BLEU": BLEU()}, streams(references), test_type=test, n_samples=n)()
    return [(result.score, result.p_value) for result in scores["BLEU"]]


def compared(predictions: Sequence[list[str]], references: list[list[str]], test: str, n: int) -> list[Any]:
    """Ours, likewise."""
    result = BleuCorpus().compare(*predictions, references=references, test=test, n_trials=n)
    return [(one["score"], one.get("score_p_value")) for one in (result["baseline"], *result["systems"])]


@pytest.mark.parametrize(("test", "theirs", "n"), [("bootstrap", "bs", 1000), ("randomization", "ar", 2000)])
def test_p_values_are_those_of_sacrebleu(test: str, theirs: str, n: int) -> None:
    # The first two differ by chance, most likely; the third is far behind.
    predictions = [system(name)[:1200] for name in ("LIUM-NMT.4900", "online-B.0", "KIT.4950", "online-A.0")]
    references = [[text] for text in wmt17_references()[:1200]]
    ours = compared(predictions, references, test, n)
    assert ours == paired(predictions, references, theirs, n)
    assert ours[1][1] > 0.05 > ours[3][1]


@pytest.mark.parametrize(("test", "theirs"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_p_values_with_varying_references_are_those_of_sacrebleu(test: str, theirs: str) -> None:
    predictions = [lines(f"{TED}/{name}.txt") for name in TED_SYSTEMS[:3]]
    references = ted_references("varying")
    # No multiple of 32, which is where draws of booleans would come apart.
    assert compared(predictions, references, test, 333) == paired(predictions, references, theirs, 333)


@pytest.mark.parametrize(("test", "theirs"), [("bootstrap", "bs"), ("randomization", "ar")])
@examples(60)
@given(corpus=corpora, seed=st.integers(0, 99))
def test_p_values_of_few_words_are_those_of_sacrebleu(test: str, theirs: str, corpus: list[Row], seed: int) -> None:
    first, references = split(corpus)
    second = random.Random(seed).sample(first, len(first))
    assert compared([first, second, first], references, test, 65) == paired(
        [first, second, first], references, theirs, 65
    )


@pytest.mark.parametrize(("test", "theirs"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_intervals_of_systems_are_those_of_sacrebleu(test: str, theirs: str) -> None:
    """Its paired tests take another mean than corpus_score: for some system the last bit differs."""
    predictions = [lines(f"{TED}/{name}.txt")[:200] for name in TED_SYSTEMS]
    references = ted_references("varying")[:200]
    named = [(str(i), column) for i, column in enumerate(predictions)]
    scored = PairedTest(
        named, {"BLEU": BLEU()}, streams(references), test_type=theirs, n_samples=300, n_ar_confidence=300
    )
    expected = [(result.mean, result.ci) for result in scored()[1]["BLEU"]]
    metric = BleuCorpus(confidence=0.95, n_resamples=300)
    tested = metric.compare(*predictions, references=references, test=test, n_trials=300)
    ours = [tested["baseline"], *tested["systems"]]
    found = [(one["score_mean"], 0.5 * (one["score_high"] - one["score_low"])) for one in ours]
    # In its randomization test, the systems have resamples of their own.
    count = len(found) if test == "bootstrap" else 1
    assert found[:count] == expected[:count]
    alone = [metric.compute(predictions=column, references=references)["score_mean"] for column in predictions]
    assert alone == pytest.approx([one["score_mean"] for one in ours], rel=1e-14)
    assert alone != [one["score_mean"] for one in ours]


@pytest.mark.parametrize("draws", [1, 40, 700])
def test_draws_in_parts_are_the_same_draws(monkeypatch: pytest.MonkeyPatch, draws: int) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 9, (2, 11, 4))
    whole = significance.resampled_sums(first, 100, 7), *significance.swapped_sums(first, second, 100, 7)
    monkeypatch.setattr(significance, "_DRAWS", draws)
    parts = significance.resampled_sums(first, 100, 7), *significance.swapped_sums(first, second, 100, 7)
    assert [part.tolist() for part in parts] == [one.tolist() for one in whole]
    drawn = np.random.default_rng(7).choice(11, (100, 11))
    assert whole[0].tolist() == first[drawn].sum(axis=1).tolist()


def test_sums_beyond_the_integers_of_a_double_are_exact() -> None:
    statistics = np.array([[2**60 + 1], [3], [2**55 + 1]])
    drawn = np.random.default_rng(7).choice(3, (50, 3))
    assert significance.resampled_sums(statistics, 50, 7).tolist() == statistics[drawn].sum(axis=1).tolist()


@pytest.mark.parametrize("value", [2**53 // 3, (2**53 + 1) // 3, 2**53 - 1, 2**53, 2**53 + 1])
def test_sums_at_the_last_integers_of_a_double_are_exact(value: int) -> None:
    """Three times the second one, and the last one, are the first integer that a double rounds."""
    first, second = np.array([[value, 1], [0, 1], [0, 1]]), np.array([[0, 1], [0, 1], [value, 1]])
    drawn = np.random.default_rng(7).choice(3, (200, 3))
    assert [0, 0, 0] in drawn.tolist()
    assert significance.resampled_sums(first, 200, 7).tolist() == first[drawn].sum(axis=1).tolist()
    kept = np.random.default_rng(7).integers(2, size=(200, 3), dtype=bool)[:, :, None]
    swapped = [np.where(kept, *pair).sum(axis=1).tolist() for pair in ((first, second), (second, first))]
    assert [sums.tolist() for sums in significance.swapped_sums(first, second, 200, 7)] == swapped


# The figures of Moses' bootstrap-hypothesis-difference-significance.pl and of multeval: both split at white space only.
@pytest.mark.parametrize(
    ("test", "key", "n"), [("bootstrap", "moses_bs_p", 1000), ("randomization", "multeval_ar_p", 2000)]
)
def test_p_values_are_near_those_published(test: str, key: str, n: int) -> None:
    names = ["FBK.4870", "LMU-nmt-reranked.4934", "SYSTRAN.4847", "online-F.0"]
    result = BleuCorpus(tokenizer="none", force=True).compare(
        system("LIUM-NMT.4900"), *map(system, names), references=wmt17_references(), test=test, n_trials=n
    )
    for name, one in zip(names, result["systems"], strict=True):
        p = expected(f"newstest2017.{name}.en-de")[key]
        # Other random numbers: three standard errors of a share of n trials, and the 1 that is added to both counts.
        assert abs(one["score_p_value"] - p) < 3 * math.sqrt(p * (1 - p) / n) + 1 / n


# --- nltk


def nltk_score(corpus: Sequence[Row], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nltk_bleu.corpus_bleu(
            [[text.split() for text in references] for _, references in corpus],
            [prediction.split() for prediction, _ in corpus],
            *args,
            **kwargs,
        )


def ours_as_nltk(corpus: Sequence[Row], **options: Any) -> dict[str, Any]:
    predictions, references = split(corpus)
    result: dict[str, Any] = BleuCorpus(convention="nltk").compute(
        predictions=predictions, references=references, **options
    )
    return result


@thorough
@given(corpus=corpora)
def test_nltk_scores_are_those_of_nltk(corpus: list[Row]) -> None:
    result = ours_as_nltk(corpus, per_example=True)
    assert result["bleu"] == nltk_score(corpus)
    assert result["score_per_example"] == [100 * nltk_score([row]) for row in corpus]


@thorough
@given(
    corpus=corpora,
    weights=st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=6), min_size=1),
    method=st.integers(0, 4),
)
def test_nltk_weights_are_those_of_nltk(corpus: list[Row], weights: list[list[float]], method: int) -> None:
    smoothing = getattr(nltk_bleu.SmoothingFunction(), f"method{method}")
    theirs = nltk_score(corpus, weights, smoothing_function=smoothing)
    ours = ours_as_nltk(corpus, weights=weights, smoothing=f"nltk{method}")
    assert ours["bleu_by_weights"] == (theirs if len(weights) > 1 else [theirs])
    assert ours["bleu"] == ours["bleu_by_weights"][0]
    assert ours_as_nltk(corpus, weights=weights[0], smoothing=f"nltk{method}")["bleu"] == ours["bleu"]


VALUES = {1: "epsilon", 4: "k", 6: "alpha"}


def check_method(corpus: Sequence[Row], method: int, max_order: int, value: float | None) -> None:
    given_value = {} if value is None or method not in VALUES else {VALUES[method]: value}
    smoothing = getattr(nltk_bleu.SmoothingFunction(**given_value), f"method{method}")
    options = {"smoothing": f"nltk{method}", "smoothing_value": value if given_value else None, "max_order": max_order}
    try:
        theirs = nltk_score(corpus, [1 / max_order] * max_order, smoothing_function=smoothing)
    except AssertionError:
        with pytest.raises(ValueError, match="needs a matching trigram"):
            ours_as_nltk(corpus, **options)
    else:
        assert ours_as_nltk(corpus, **options)["bleu"] == theirs


@pytest.mark.parametrize("method", [0, 1, 2, 3, 4])
@examples(150)
@given(corpus=corpora, max_order=st.integers(1, 6), value=st.sampled_from([None, 0.3, 2]))
def test_nltk_smoothings_are_those_of_nltk(method: int, corpus: list[Row], max_order: int, value: float | None) -> None:
    check_method(corpus, method, max_order, value)


# Methods 5, 6 and 7 of nltk look into the last sentence of a corpus as if it were the corpus, and methods 5 and 7 at
# its 5-grams whatever the highest order is. Ours look at the whole corpus and at the order after the highest one: they
# agree where both are the same.
@pytest.mark.parametrize(("method", "orders"), [(5, [4]), (6, [3, 4, 5, 6]), (7, [4])])
@examples(200)
@given(corpus=corpora.map(lambda corpus: corpus[:1]), value=st.sampled_from([None, 2, 0.3]), data=st.data())
def test_nltk_smoothings_of_one_segment_are_those_of_nltk(
    method: int, orders: list[int], corpus: list[Row], value: float | None, data: st.DataObject
) -> None:
    check_method(corpus, method, data.draw(st.sampled_from(orders)), value)


def test_nltk_scores_of_real_texts_are_those_of_nltk() -> None:
    corpus = list(zip(lines(f"{TED}/IIE-MT.txt"), ted_references("varying"), strict=True))
    assert ours_as_nltk(corpus)["bleu"] == nltk_score(corpus)
    for method in range(8):
        check_method(corpus[7:8], method, 4, None)


@pytest.mark.parametrize("smoothing", [f"nltk{method}" for method in range(8)])
@pytest.mark.parametrize("convention", ["sacrebleu", "evaluate", "paper"])
def test_nltk_smoothings_divide_by_no_zero_in_other_conventions(smoothing: str, convention: str) -> None:
    corpus = [("a b c a b", ["a b c b a"]), ("a", ["a b"]), ("", ["a"])]
    predictions, references = split(corpus)
    result = BleuCorpus(convention=convention, smoothing=smoothing, max_order=6, confidence=0.5, n_resamples=20)
    whole = result.compute(predictions=predictions[:1], references=references[:1])
    assert (
        0
        < whole["bleu"]
        == pytest.approx(ours_as_nltk(corpus[:1], smoothing=smoothing, max_order=6)["bleu"], rel=1e-14)
    )


# --- evaluate


def tokens_of(texts: Sequence[str]) -> list[list[str]]:
    tokenize = Tokenizer13a()
    return [tokenize(text).split() for text in texts]


def check_as_evaluate(corpus: Sequence[Row], max_order: int, smooth: bool) -> None:
    predictions, references = split(corpus)
    bleu = BleuCorpus(convention="evaluate", max_order=max_order, smooth=smooth)
    ours = bleu.compute(predictions=predictions, references=references)
    tokenized = tokens_of(predictions), list(map(tokens_of, references))
    try:
        theirs = naive.evaluate_bleu(*tokenized, max_order, smooth)
    except ZeroDivisionError:
        # evaluate raises it for no words on either side.
        assert ours["bleu"] == 0 or ours["reference_length"] == 0
    else:
        assert {name: ours[name] for name in theirs} == theirs


@thorough
@given(corpus=corpora, max_order=st.integers(1, 6), smooth=st.booleans())
@example(corpus=[("", ["a"])], max_order=4, smooth=True)
@example(corpus=[("a b", ["", "a"])], max_order=4, smooth=True)
@example(corpus=[("a b", ["c."])], max_order=4, smooth=True)
def test_evaluate_scores_are_those_of_its_formula(corpus: list[Row], max_order: int, smooth: bool) -> None:
    check_as_evaluate(corpus, max_order, smooth)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("name", ["MiSS", "metricsystem1"])
def test_evaluate_scores_of_real_texts_are_those_of_its_formula(name: str, smooth: bool) -> None:
    corpus = list(zip(lines(f"{TED}/{name}.txt")[:300], ted_references("varying")[:300], strict=True))
    corpus = [(prediction, list(filter(None, references))) for prediction, references in corpus]
    check_as_evaluate(corpus, 4, smooth)


@pytest.mark.parametrize("smooth", [False, True])
def test_evaluate_scores_are_those_of_bleuscore(smooth: bool) -> None:
    bleuscore = pytest.importorskip("bleuscore")
    predictions, references = system("online-A.0")[:1000], [[text] for text in wmt17_references()[:1000]]
    theirs = bleuscore.compute(references=references, predictions=predictions, max_order=4, smooth=smooth)
    ours = BleuCorpus(convention="evaluate", smooth=smooth).compute(predictions=predictions, references=references)
    # Its logarithms and exponentials are Rust's, and its sum is not Python's: each may differ in the last bit.
    assert ours["bleu"] == pytest.approx(theirs.pop("bleu"), rel=8 * 2.0**-53, abs=0)
    assert ours["brevity_penalty"] == pytest.approx(theirs.pop("brevity_penalty"), rel=2.0**-52, abs=0)
    assert {name: ours[name] for name in theirs} == theirs


def test_evaluate_hands_texts_to_functions_as_they_are() -> None:
    corpus = [("a b ", ["a b "]), ("c  d", ["c d"])]
    predictions, references = split(corpus)
    tokenize = lambda text: text.split(" ")  # noqa: E731
    ours = BleuCorpus(convention="evaluate", tokenizer=tokenize, max_order=2).compute(
        predictions=predictions, references=references
    )
    theirs = naive.evaluate_bleu(
        list(map(tokenize, predictions)), [list(map(tokenize, row)) for row in references], 2, False
    )
    assert {name: ours[name] for name in theirs} == theirs


# --- the paper


def test_worked_examples_of_the_paper() -> None:
    paper = BleuCorpus(convention="paper")
    result = paper.compute(predictions=["I enjoy machine learning"], references=["I like machine learning"])
    assert result["precisions"] == [3 / 4, 1 / 3, 0, 0]
    assert (result["bleu"], result["score"], result["brevity_penalty"]) == (0, 0, 1)
    assert result["bleu_individual"] == [3 / 4, 1 / 3, 0, 0]
    assert result["bleu_cumulative"] == pytest.approx([3 / 4, 1 / 2, 0, 0])
    short = paper.compute(predictions=["a b"], references=["a b c d"])
    assert short["brevity_penalty"] == math.exp(-1)
    # Section 2.1: "the the the ..." is clipped at two.
    seven = paper.compute(
        predictions=["the the the the the the the"],
        references=[["the cat is on the mat", "there is a cat on the mat"]],
    )
    assert seven["precisions"][0] == 2 / 7
    # Section 2.2.2: the length nearest to the candidate's.
    brevity = paper.compute(predictions=["a " * 12], references=[["a " * 12, "a " * 15, "a " * 17]])
    assert (brevity["reference_length"], brevity["brevity_penalty"]) == (12, 1)


@thorough
@given(corpus=corpora)
def test_weights_of_one_order_give_that_order_alone(corpus: list[Row]) -> None:
    predictions, references = split(corpus)
    data = {"predictions": predictions, "references": references}
    for convention in ("sacrebleu", "evaluate", "paper"):
        bleu = BleuCorpus(convention=convention)
        alone = bleu.compute(**data, weights=[[1.0], [0, 1.0], [0, 0, 1.0, 0]])
        assert alone["bleu_by_weights"] == pytest.approx(alone["bleu_individual"][:3])
        equal = bleu.compute(**data, weights=[[0.5, 0.5], [0.25] * 4])
        assert equal["bleu_by_weights"] == pytest.approx([equal["bleu_cumulative"][k] for k in (1, 3)])


@pytest.mark.parametrize("rule", ["closest", "shortest", "average"])
def test_reference_length_rules(rule: str) -> None:
    data = {"predictions": ["a b c d", "a"], "references": [["a b c", "a b c d e", "a b c d e f g h i"], ["a b"]]}
    length = {"closest": 3 + 2, "shortest": 3 + 2, "average": 17 / 3 + 2}[rule]
    assert BleuCorpus(reference_length=rule).compute(**data)["reference_length"] == length


@pytest.mark.parametrize(
    "weights", [[], [[]], "1", 1.0, [0.5, [0.5]], [[0.5], 0.5], [-1], [float("nan")], [None], np.ones(4)]
)
def test_bad_weights_are_told(weights: Any) -> None:
    with pytest.raises(ValueError, match=r"^weights="):
        BleuCorpus(weights=weights)


def test_tokens_of_one_text_do_not_depend_on_the_others() -> None:
    texts = ["(1) a.", "a. (1)", "", "(1)"]
    for name in TOKENIZERS:
        alone = [get_tokenizer(name, lowercase=False).tokenize([text]).segments.lengths.tolist() for text in texts]
        together = get_tokenizer(name, lowercase=False).tokenize(texts).segments.lengths.tolist()
        assert [[length] for length in together] == alone
