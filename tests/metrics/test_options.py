"""Options by name: known and unknown, ours and the stock metrics', at load and in compute, good values and bad ones."""

from __future__ import annotations

import pickle
import re
import sys
from typing import Any

import evaluate
import numpy as np
import pytest
from small_corpus import ALL_METRICS, COUNTING, METRICS, PREDICTIONS, VARYING, refusal, scores

import evenscore
from evenscore.options import declared


def bleu(**options: Any) -> dict[str, Any]:
    return scores("bleu_corpus", **options)


# --- names


@pytest.mark.parametrize("name", METRICS)
def test_an_unknown_option_is_told_with_the_nearest_and_all_known(name: str) -> None:
    metric = evenscore.load(name)
    texts = ["predictions", "references"]
    for call, parameters in (
        (lambda: evenscore.load(name, confidenc=0.9), []),
        (
            lambda: metric.compute(predictions=PREDICTIONS, references=VARYING, confidenc=0.9),
            [*texts, "executor", "groups"],
        ),
        (lambda: metric.statistics(PREDICTIONS, VARYING, confidenc=0.9), [*texts, "executor"]),
        (lambda: metric.statistic_names(confidenc=0.9), []),
        (lambda: metric.headlines(confidenc=0.9), []),
        (lambda: metric.score_statistics([1], confidenc=0.9), []),
        (
            lambda: metric.compare(PREDICTIONS, PREDICTIONS, references=VARYING, confidenc=0.9),
            [*texts, "baseline", "n_trials", "test"],
        ),
    ):
        known = ", ".join(sorted([*metric.option_names(), *parameters]))
        assert refusal(call) == f"unknown option 'confidenc'; did you mean 'confidence'? Known options: {known}"


@pytest.mark.parametrize(
    ("method", "given", "nearest"),
    [
        ("compute", {"group": ["x"]}, "groups"),
        ("compute", {"prediction": ["a"], "reference": ["a"]}, "predictions"),
        ("statistics", {"exectuor": None}, "executor"),
        ("compare", {"baseline": ["a"], "trials": 5}, "n_trials"),
        ("align", {"predictions": ["a"], "references": ["a"], "refrences": ["a"]}, "references"),
        ("visualize", {"predictions": ["a"], "references": ["a"], "skip_corect": True}, "skip_correct"),
        ("error_counts", {"predictions": ["a"], "references": ["a"], "topk": 1}, "top_k"),
        ("picture", {"prediction": "a", "references": "a", "referenc": "b"}, "references"),
        ("row_scorer", {"scroes": ["wer"]}, "scores"),
        ("score_columns", {"data": {}, "groupby": "speaker"}, "group_by"),
        ("compare_columns", {"baseline": {}, "trials": 5}, "n_trials"),
    ],
)
def test_a_misspelt_parameter_of_a_method_is_told_with_the_nearest(
    method: str, given: dict[str, Any], nearest: str
) -> None:
    said = refusal(lambda: getattr(evenscore.load("wer_dp"), method)(**given))
    assert f"; did you mean {nearest!r}? Known options: " in said


def test_a_misspelt_column_of_perplexity_is_told_with_the_nearest() -> None:
    metric: Any = evenscore.load("perplexity")
    for method in (metric.compute, metric.statistics, metric.row_scorer):
        said = refusal(lambda method=method: method(predictions=["a"], log_prob=[[-1.0]]))
        assert said.startswith("unknown option 'log_prob'; did you mean 'log_probs'?")


@pytest.mark.parametrize("name", METRICS)
def test_an_option_like_none_of_the_known_is_told_with_all_known(name: str) -> None:
    with pytest.raises(ValueError, match=r"^unknown option 'zzz'\. Known options: .*confidence, .*seed"):
        evenscore.load(name, zzz=1)


@pytest.mark.parametrize("name", ALL_METRICS)
def test_an_option_of_another_metric_is_told_with_what_does_the_same(name: str) -> None:
    metric: Any = evenscore.load(name)
    hints = metric.scorer_type.instead
    assert hints
    for option, hint in hints.items():
        for call in (
            lambda option=option: evenscore.load(name, **{option: True}),
            lambda option=option: evaluate.load(evenscore.path(name), **{option: True}),
            lambda option=option: metric.compute(predictions=PREDICTIONS, **{option: True}),
            lambda option=option: metric.row_scorer(**{option: True}),
        ):
            assert refusal(call).startswith(f"unknown option {option!r}: {hint}")
        named = re.findall(r"(\w+)=", hint)
        assert named
        assert set(named) <= set(metric.option_names())
    assert refusal(lambda: evenscore.load("wer_dp", lowercase=True)) == (
        "unknown option 'lowercase': transforms='to_lower_case' does the same"
    )


@pytest.mark.parametrize("name", METRICS)
def test_columns_of_other_metrics_are_unknown_options(name: str) -> None:
    with pytest.raises(ValueError, match="unknown option 'sources'"):
        evenscore.load(name).compute(predictions=PREDICTIONS, references=VARYING, sources=PREDICTIONS)


@pytest.mark.parametrize(
    "option",
    [
        {"trust_remote_code": True},
        {"verification_mode": "no_checks"},
        {"experiment_id": "run 7"},
        {"download_mode": "force_redownload"},
        {"download_config": None},
        {"revision": "main"},
        {"token": "secret"},
        {"module_type": "metric"},
        {"keep_in_memory": True},
        {"cache_dir": "/proc/nope"},
        {"config_name": "default"},
        {"num_process": 1},
        {"process_id": 0},
        {"hash": "0"},
        {"max_concurrent_cache_files": 3},
        {"timeout": 1},
    ],
    ids=lambda option: next(iter(option)),
)
@pytest.mark.parametrize("name", METRICS)
def test_options_of_hosts_change_nothing(name: str, option: dict[str, Any]) -> None:
    metric = evenscore.load(name, **option)
    assert metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True) == scores(name)


@pytest.mark.parametrize("name", METRICS)
def test_the_configuration_is_kept_by_name_and_by_place(name: str) -> None:
    metric = evenscore.load(name, config_name="mine")
    assert (metric.config_name, type(metric)("mine").config_name) == ("mine", "mine")


@pytest.mark.parametrize("name", ["", "bleu", "../bleu_corpus", "BLEU_CORPUS", "_shared"])
def test_an_unknown_metric_is_told_the_known_ones(name: str) -> None:
    for call in (evenscore.load, evenscore.path):
        with pytest.raises(ValueError, match=r"unknown metric .* Choose one of bleu_corpus, rouge_l_multi, wer_dp"):
            call(name)


# --- names that the stock bleu and sacrebleu use


@pytest.mark.parametrize(
    ("stock", "own"),
    [
        ({"smooth": True}, {"smoothing": "add-one"}),
        ({"smooth": False}, {"smoothing": "none"}),
        ({"max_order": 2}, {"max_order": 2}),
        ({"tokenizer": str.split}, {"tokenizer": str.split}),
        ({"tokenize": "char"}, {"tokenizer": "char"}),
        ({"smooth_method": "floor"}, {"smoothing": "floor"}),
        ({"smooth_method": "add-k", "smooth_value": 2}, {"smoothing": "add-k", "smoothing_value": 2}),
        ({"lowercase": True}, {"lowercase": True}),
        ({"force": True}, {"force": True}),
        ({"use_effective_order": True}, {"effective_order": True}),
    ],
)
def test_stock_names_mean_our_options(stock: dict[str, Any], own: dict[str, Any]) -> None:
    metric = evenscore.load("bleu_corpus", **stock)
    expected = bleu(**own)
    assert metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True) == expected
    assert bleu(**stock) == expected


@pytest.mark.parametrize(
    "name", ["tokenize", "tokenizer", "smooth_method", "smooth_value", "lowercase", "force", "use_effective_order"]
)
def test_none_is_the_default_under_stock_names(name: str) -> None:
    assert bleu(**{name: None}) == bleu()


def test_a_stock_name_may_agree_with_ours_and_must_not_contradict_it() -> None:
    assert bleu(tokenize="char", tokenizer="char") == bleu(tokenizer="char")
    assert bleu(smooth=True, smooth_method="add-one") == bleu(smoothing="add-one")
    assert bleu(tokenize=None, tokenizer="char") == bleu(tokenizer="char")
    for options, message in [
        ({"tokenize": "char", "tokenizer": "13a"}, "tokenizer='13a' contradicts tokenize='char': give one of them"),
        ({"tokenizer": "13a", "tokenize": "char"}, "tokenize='char' contradicts tokenizer='13a': give one of them"),
        ({"smooth": True, "smoothing": "exp"}, "smoothing='exp' contradicts smooth=True: give one of them"),
        ({"smooth_method": "exp", "smooth": False}, "smooth=False contradicts smooth_method='exp': give one of them"),
    ]:
        assert refusal(lambda options=options: bleu(**options)) == message


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("bleu_corpus", "smooth"), ("bleu_corpus", "use_effective_order"), ("rouge_l_multi", "use_aggregator"),
        ("rouge_l_multi", "split_summaries"), ("rouge_l_multi", "use_stemmer"), ("wer_dp", "concatenate_texts"),
        ("perplexity", "add_start_token"),
    ],
)  # fmt: skip
def test_a_stock_switch_is_on_or_off(name: str, option: str) -> None:
    for value in ("no", "False", 0, 1.0):
        said = refusal(lambda value=value: evenscore.load(name, **{option: value}))
        assert said == f"{option}={value!r}: choose one of None, True, False"
    for good in (True, False, None, np.True_):
        evenscore.load(name, **{option: good})


def test_a_stock_name_in_compute_overrides_ours_at_load() -> None:
    metric = evenscore.load("bleu_corpus", tokenizer="char")
    result = metric.compute(predictions=PREDICTIONS, references=VARYING, tokenize="none", per_example=True)
    assert result == bleu(tokenizer="none")


# --- conventions


@pytest.mark.parametrize(
    ("convention", "defaults"),
    [
        ("sacrebleu", {}),
        ("evaluate", {"smoothing": "none", "reference_length": "shortest"}),
        ("nltk", {"tokenizer": "none", "smoothing": "nltk0"}),
        ("paper", {"tokenizer": "none", "smoothing": "none"}),
    ],
)
def test_a_convention_is_a_set_of_defaults_that_explicit_options_override(
    convention: str, defaults: dict[str, Any]
) -> None:
    signature = bleu(convention=convention)["signature"]
    assert signature == bleu(convention=convention, **defaults)["signature"]
    explicit = {"tokenizer": "char", "smoothing": "floor", "reference_length": "average"}
    for name, value in explicit.items():
        one = bleu(convention=convention, **{name: value})
        assert one == bleu(convention=convention, **{**defaults, name: value})
        assert one["signature"] != signature


def test_a_convention_in_compute_keeps_what_was_explicit_at_load() -> None:
    metric = evenscore.load("bleu_corpus", convention="evaluate", smoothing="floor")
    result = metric.compute(predictions=PREDICTIONS, references=VARYING, convention="paper", per_example=True)
    assert result == bleu(convention="paper", smoothing="floor")


# --- values

NOT_A_FLAG = [0, 1, "yes", "True", 1.0, []]
BAD_VALUES: dict[str, list[Any]] = {
    "per_example": NOT_A_FLAG,
    "scalars_only": NOT_A_FLAG,
    "confidence": [0, 1, -0.5, 95, "0.95", True, float("nan"), float("inf"), [0.95], np.array([0.9, 0.95])],
    "n_resamples": [0, 1, -1, 10.0, "10", True, [10]],
    "seed": [-1, 2**32, 1.0, "1", True],
}
BAD_BLEU_VALUES: dict[str, list[Any]] = {
    "convention": ["sacre", 1, ["sacrebleu"], b"nltk"],
    "tokenizer": ["13b", "", 3, b"13a", ["13a"]],
    "lowercase": NOT_A_FLAG,
    "effective_order": NOT_A_FLAG,
    "force": NOT_A_FLAG,
    "max_order": [0, -1, 2.0, "4", True, [4], 10**9],
    "weights": [1, "1", [], [[]], [[1], []], [-1], ["1"], [float("nan")], [[0.5, 0.5], 1], {0.5}],
    "smoothing": ["", "EXP", 1, ["exp"], True],
    "smoothing_value": [-1, "1", float("nan"), float("inf"), [1], True],
    "reference_length": ["longest", 1, ["closest"]],
}


@pytest.mark.parametrize(
    ("option", "value"), [(option, value) for option in BAD_VALUES for value in BAD_VALUES[option]]
)
@pytest.mark.parametrize("name", METRICS)
def test_bad_values_of_common_options_are_told_at_load_and_in_compute(name: str, option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{option}=.*: (give|choose) "):
        evenscore.load(name, **{option: value})
    with pytest.raises(ValueError, match=f"^{option}=.*: (give|choose) "):
        scores(name, **{option: value})


@pytest.mark.parametrize(
    ("option", "value"), [(option, value) for option in BAD_BLEU_VALUES for value in BAD_BLEU_VALUES[option]]
)
def test_bad_values_of_bleu_are_told_at_load_and_in_compute(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{option}=.*: (give|choose) "):
        evenscore.load("bleu_corpus", **{option: value})
    with pytest.raises(ValueError, match=f"^{option}=.*: (give|choose) "):
        bleu(**{option: value})


@pytest.mark.parametrize("name", METRICS)
def test_values_of_numpy_are_those_of_python(name: str) -> None:
    own = evenscore.load(name, confidence=0.75, n_resamples=7, seed=3, per_example=True)
    of_numpy: dict[str, Any] = {
        "confidence": np.float64(0.75),
        "n_resamples": np.int64(7),
        "seed": np.uint8(3),
        "per_example": np.bool_(True),
    }
    assert scores(name, **of_numpy) == own.compute(predictions=PREDICTIONS, references=VARYING)
    assert pickle.dumps(evenscore.load(name, **of_numpy)) == pickle.dumps(own)


def test_lists_and_texts_of_numpy_are_those_of_python() -> None:
    own = bleu(weights=[0.25, 0.75], tokenizer="char", smoothing="floor")
    assert bleu(weights=list(np.array([0.25, 0.75])), tokenizer=np.str_("char"), smoothing=np.str_("floor")) == own


# --- at load and in compute


@pytest.mark.parametrize("name", METRICS)
def test_options_at_load_are_those_in_compute_and_compute_overrides(name: str) -> None:
    option = COUNTING[name]
    loaded = evenscore.load(name, **option, n_resamples=7)
    assert loaded.compute(predictions=PREDICTIONS, references=VARYING, per_example=True) == scores(name, **option)
    field, value = next(iter(option.items()))
    default = declared(loaded.scorer_type.declaration)["options"][field].default
    overridden = loaded.compute(predictions=PREDICTIONS, references=VARYING, per_example=True, **{field: default})
    assert overridden == scores(name)
    assert overridden != scores(name, **option)
    # None is no override, and an override is forgotten.
    kept = loaded.compute(predictions=PREDICTIONS, references=VARYING, per_example=True, **{field: None})
    assert kept == scores(name, **{field: value})


@pytest.mark.parametrize("name", METRICS)
def test_columns_and_intervals_come_only_when_asked_for(name: str) -> None:
    headlines = evenscore.load(name).headlines()
    plain = scores(name, per_example=False)
    full = scores(name, confidence=0.9, n_resamples=5)
    added = {f"{headline}_{part}" for headline in headlines for part in ("low", "mean", "high", "per_example")}
    assert set(full) - set(plain) == added
    assert {key: full[key] for key in plain if key != "signature"} == {
        key: value for key, value in plain.items() if key != "signature"
    }
    for headline in headlines:
        assert full[f"{headline}_low"] <= full[f"{headline}_mean"] <= full[f"{headline}_high"]
        assert len(full[f"{headline}_per_example"]) == len(PREDICTIONS)


@pytest.mark.parametrize("name", METRICS)
def test_options_of_a_scorer_never_change(name: str) -> None:
    options = evenscore.load(name).scorer_type().options
    for option in options:
        with pytest.raises(TypeError, match="does not support item assignment"):
            options[option] = 1


@pytest.mark.parametrize(
    ("name", "option", "value", "later"),
    [
        ("bleu_corpus", "weights", [[0.5, 0.5], [1, 0]], lambda value: value[0].reverse()),
        ("bleu_corpus", "weights", [0.25, 0.75], lambda value: value.append(1)),
        ("rouge_l_multi", "rouge_types", ["rougeL"], lambda value: value.append("rouge1")),
        ("wer_dp", "costs", [4, 3, 3], lambda value: value.reverse()),
        ("wer_dp", "transforms", [("remove_specific_words", ["cat"])], lambda value: value[0][1].append("the")),
    ],
)
def test_a_list_that_the_caller_changes_later_changes_no_option(name: str, option: str, value: Any, later: Any) -> None:
    expected = scores(name, **{option: value})
    metric = evenscore.load(name, **{option: value})
    later(value)
    assert metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True) == expected
    assert metric.compute(predictions=PREDICTIONS, references=VARYING, per_example=True, seed=3) == expected


# --- options that are the same in other words


@pytest.mark.parametrize(
    ("name", "at_load", "in_call"),
    [
        ("wer_dp", {"costs": (4, 3, 3)}, {"costs": [4, 3, 3]}),
        ("rouge_l_multi", {"rouge_types": "rouge1"}, {"rouge_types": ["rouge1", "rouge1"]}),
        ("rouge_l_multi", {}, {"rouge_types": ["rougeL", "rougeLsum"]}),
        ("bleu_corpus", {"max_order": 2}, {"weights": [0.5, 0.5]}),
        ("bleu_corpus", {"max_order": 3, "smoothing": "exp"}, {"max_order": 2, "smoothing": "nltk5"}),
    ],
)
def test_added_rows_are_scored_under_options_that_count_the_same(
    name: str, at_load: dict[str, Any], in_call: dict[str, Any]
) -> None:
    metric, other = evenscore.load(name, **at_load), evenscore.load(name, **{**at_load, **in_call})
    expected = other.compute(predictions=PREDICTIONS, references=VARYING)
    metric.add_batch(predictions=PREDICTIONS, references=VARYING)
    other.merge(metric)
    assert other.compute() == expected
    assert metric.compute(**in_call) == expected


def test_rows_are_refused_under_weights_of_longer_n_grams() -> None:
    metric = evenscore.load("bleu_corpus", max_order=2)
    metric.add_batch(predictions=PREDICTIONS, references=VARYING)
    assert refusal(lambda: metric.compute(weights=[0.2, 0.3, 0.5])).startswith("rows were added under other options")


# --- columns that are no columns of the metric


@pytest.mark.parametrize("name", COUNTING)
def test_a_column_of_another_metric_is_refused(name: str) -> None:
    metric = evenscore.load(name)
    for call in (
        lambda: metric.statistics(PREDICTIONS, VARYING, contexts=PREDICTIONS),
        lambda: metric.compare(PREDICTIONS, PREDICTIONS, references=VARYING, contexts=PREDICTIONS),
        lambda: metric.row_scorer(contexts="b"),
    ):
        assert refusal(call).startswith("unknown option 'contexts'")
    given = {"prediction": "a", "reference": "a"}
    assert refusal(lambda: metric.add(**given, context=None)).startswith("unknown columns ['context']")
    both = {"references": VARYING, "predictions": PREDICTIONS}
    assert refusal(lambda: metric.compare(PREDICTIONS, PREDICTIONS, **both)).startswith("predictions= is not an arg")


def test_an_executor_is_refused_by_perplexity_whether_rows_were_added_or_not() -> None:
    metric = evenscore.load("perplexity")
    metric.add_batch(log_probs=[[-1.0]])
    for call in (lambda: metric.compute(executor=1), lambda: metric.compute(log_probs=[[-1.0]], executor=1)):
        assert refusal(call).startswith("executor= is not supported by perplexity")
    assert metric.compute()["tokens"] == 1


# --- functions among the options


def raising(text: str) -> Any:
    if text == "b c":
        raise KeyError("c")
    return text


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bleu_corpus", {"tokenizer": raising}),
        ("rouge_l_multi", {"tokenizer": lambda text: [raising(text)]}),
        ("wer_dp", {"transforms": [raising]}),
        (
            "perplexity",
            {"source": "ngram", "train_texts": ["a"], "discount": 0.5, "ngram_unit": lambda text: [raising(text)]},
        ),
    ],
)
def test_what_a_function_raises_keeps_its_type_and_is_told_with_the_text(name: str, options: dict[str, Any]) -> None:
    texts = {"predictions": ["a", "b c"], "references": ["a", "a"]}
    with pytest.raises(KeyError) as raised:
        evenscore.load(name, **options).compute(**texts)
    if sys.version_info >= (3, 11):
        (note,) = raised.value.__notes__
        assert note.endswith(" raised this for 'b c'")
        assert note.startswith(__name__)
