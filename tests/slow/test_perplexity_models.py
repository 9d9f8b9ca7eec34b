"""Pretrained models as sources equal plain forward passes, evaluate's formula, lm-eval."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import naive_perplexity as naive
import numpy as np
import peft
import pytest
import safetensors.torch
import small_models
import torch
import transformers
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from properties import examples
from small_corpus import random_texts
from small_models import CAUSAL, MASKED, POSITIONS

import evenscore
from evenscore.options import resolve
from evenscore.perplexity.models import forward, pretrained
from evenscore.perplexity.models import source as model_sources
from evenscore.perplexity.models.pretrained import Pretrained, load_pretrained
from evenscore.perplexity.models.source import load_source, model_source
from evenscore.perplexity.options import PerplexityOptions

# float32 against float64 of the same logits, other shapes of the same products.
CLOSE = {"rtol": 1e-5, "atol": 1e-6}
TEXTS = [*random_texts(14, 40, seed=2), "", "a", "日本"]
CONTEXTS = [*random_texts(15, 20, seed=3), "", "the cat  "]

Models = dict[str, Pretrained]
Rows = list[list[float]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def models(folder: Path) -> Models:
    """Every small model, saved, then loaded by its folder."""
    transformers.logging.disable_progress_bar()
    return {name: load_pretrained(model_id=small_models.saved(name, folder)) for name in (*CAUSAL, *MASKED)}


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asks for an address fails the test."""

    def refuse(*arguments: Any, **named: Any) -> None:
        pytest.fail(f"asked the network: {arguments}")

    monkeypatch.setattr("socket.getaddrinfo", refuse)


def scored(loaded: Pretrained, texts: list[str], contexts: list[str] | None = None, **options: Any) -> Rows:
    scores = model_source(loaded, resolve(PerplexityOptions, options)).score(texts, contexts)
    assert scores.log_probs.dtype == np.float64
    assert scores.unknown is None
    return [scores.log_probs[start:stop].tolist() for start, stop in itertools.pairwise(scores.offsets)]


def encoded(loaded: Pretrained, text: str) -> list[int]:
    ids: list[int] = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def start_of(loaded: Pretrained) -> list[int]:
    return [loaded.tokenizer.bos_token_id]


def flat(rows: Rows) -> Any:
    return np.array(list(itertools.chain.from_iterable(rows)))


def assert_rows(ours: Rows, expected: Rows) -> None:
    assert list(map(len, ours)) == list(map(len, expected))
    np.testing.assert_allclose(flat(ours), flat(expected), **CLOSE)


# --- one text at a time


@pytest.mark.parametrize("name", CAUSAL)
def test_causal_models_equal_one_window_at_a_time(models: Models, name: str) -> None:
    loaded = models[name]
    assert loaded.has_head
    expected = [
        naive.causal_log_probs(loaded.model, [*start_of(loaded), *encoded(loaded, text)], 1, POSITIONS, POSITIONS // 2)
        for text in TEXTS
    ]
    assert max(map(len, expected)) > 2 * POSITIONS
    assert_rows(scored(loaded, TEXTS), expected)


@pytest.mark.parametrize("name", MASKED)
def test_masked_models_equal_one_token_at_a_time(models: Models, name: str) -> None:
    loaded = models[name]
    assert (loaded.has_head, loaded.positions) == (True, POSITIONS)
    expected = [
        naive.masked_log_probs(loaded.model, loaded.tokenizer, encoded(loaded, text), 0, POSITIONS) for text in TEXTS
    ]
    assert max(map(len, expected)) > POSITIONS
    assert_rows(scored(loaded, TEXTS), expected)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_contexts_stand_before_the_text(models: Models, name: str) -> None:
    loaded, expected = models[name], []
    for text, context in zip(TEXTS, CONTEXTS, strict=True):
        # The last spaces of a context go with the text.
        before = encoded(loaded, context.rstrip())
        ids = [*start_of(loaded), *before, *encoded(loaded, context + text)[len(before) :]]
        expected.append(naive.causal_log_probs(loaded.model, ids, 1 + len(before), POSITIONS, POSITIONS // 2))
    assert_rows(scored(loaded, TEXTS, CONTEXTS), expected)


def test_contexts_of_masked_models_are_not_masked(models: Models) -> None:
    loaded, expected = models["bert"], []
    for text, context in zip(TEXTS, CONTEXTS, strict=True):
        before = encoded(loaded, context)
        ids = [*before, *encoded(loaded, context + text)[len(before) :]]
        expected.append(naive.masked_log_probs(loaded.model, loaded.tokenizer, ids, len(before), POSITIONS))
    assert_rows(scored(loaded, TEXTS, CONTEXTS), expected)


@examples(25)
@given(st.data())
def test_batches_never_change_a_number(models: Models, data: st.DataObject) -> None:
    loaded = models[data.draw(st.sampled_from(["gpt2", "llama", "gemma2", "opt", "bert", "roberta"]))]
    texts = data.draw(st.permutations(TEXTS))[:8]
    options = {
        "batch_size": data.draw(st.sampled_from([None, 1, 2, 5, 16])),
        "max_batch_tokens": data.draw(st.sampled_from([None, 1, 30, 100, 5000])),
    }
    one_by_one = [scored(loaded, [text], batch_size=1)[0] for text in texts]
    assert_rows(scored(loaded, texts, **options), one_by_one)


@pytest.mark.parametrize("chunk", [1, 3 * small_models.VOCABULARY, 1 << 30])
@pytest.mark.parametrize("name", ["gemma2", "bert"])
def test_chunks_of_the_head_never_change_a_number(
    models: Models, name: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = scored(models[name], TEXTS[:5], batch_size=1)
    monkeypatch.setattr(forward, "_positions_at_once", lambda device, vocabulary: max(1, chunk // vocabulary))
    assert_rows(scored(models[name], TEXTS[:5]), expected)


@pytest.mark.parametrize(("window", "stride"), [(1, None), (2, 1), (7, None), (7, 1), (7, 7), (POSITIONS, 5)])
def test_windows_and_strides(models: Models, window: int, stride: int | None) -> None:
    loaded = models["gpt2"]
    expected = [
        naive.causal_log_probs(
            loaded.model, [*start_of(loaded), *encoded(loaded, text)], 1, window, stride or max(1, window // 2)
        )
        for text in TEXTS
    ]
    assert_rows(scored(loaded, TEXTS, window=window, stride=stride), expected)


# --- what a start token is


def test_start_tokens(models: Models) -> None:
    loaded = models["llama"]
    tokenizer = loaded.tokenizer
    for token, start in (
        ("bos", [tokenizer.bos_token_id]),
        ("eos", [tokenizer.eos_token_id]),
        ("cat", [tokenizer.convert_tokens_to_ids("cat")]),
    ):
        expected = [
            naive.causal_log_probs(loaded.model, [*start, *encoded(loaded, text)], 1, POSITIONS, POSITIONS // 2)
            for text in TEXTS
        ]
        assert_rows(scored(loaded, TEXTS, start_token=token), expected)


def test_without_start_token_the_first_token_is_not_scored(models: Models) -> None:
    loaded = models["llama"]
    expected = [
        naive.causal_log_probs(loaded.model, encoded(loaded, text), 0, POSITIONS, POSITIONS // 2) for text in TEXTS
    ]
    rows = scored(loaded, TEXTS, start_token=False)
    assert_rows(rows, expected)
    assert list(map(len, rows)) == [max(0, len(encoded(loaded, text)) - 1) for text in TEXTS]
    # With a context, there is something before it.
    assert len(scored(loaded, ["a"], ["the cat "], start_token=False)[0]) == len(encoded(loaded, " a"))


def test_no_texts(models: Models) -> None:
    for name in ("gpt2", "bert"):
        source = model_source(models[name], resolve(PerplexityOptions, {}))
        scores = source.score([], None)
        assert (scores.log_probs.tolist(), scores.offsets.tolist(), source.tokens([], None)) == ([], [0], [])
        assert source.score(["", ""], ["", "a"]).offsets.tolist() == [0, 0, 0]


# --- evaluate's metric, lm-eval


def stock(loaded: Pretrained, texts: list[str], max_length: int, add_start_token: bool) -> list[float]:
    """What evaluate's perplexity 0.4.6 defines: truncation, start token, exp of the mean over the shifted rest."""
    result = []
    for text in texts:
        ids = encoded(loaded, text)[: max_length - add_start_token]
        ids = [loaded.tokenizer.bos_token_id] * add_start_token + ids
        with torch.no_grad():
            logits = loaded.model(torch.tensor([ids])).logits[0, :-1]
        result.append(torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:])).exp().item())
    return result


@pytest.mark.parametrize("add_start_token", [True, False])
@pytest.mark.parametrize("max_length", [2, 3, 9, POSITIONS])
def test_first_windows_equal_evaluates_perplexity(models: Models, max_length: int, add_start_token: bool) -> None:
    texts = [text for text in TEXTS if len(text.split()) > 1]
    start = "bos" if add_start_token else False
    rows = scored(models["gpt2"], texts, window=max_length, long_texts="first", start_token=start)
    ours = [float(np.exp(-np.mean(row))) for row in rows]
    np.testing.assert_allclose(ours, stock(models["gpt2"], texts, max_length, add_start_token), rtol=1e-5)
    assert max(map(len, rows)) == max_length - 1


def by_lm_eval(loaded: Pretrained, kind: str, arguments: list[tuple[str, ...]], window: int) -> list[float]:
    model = HFLM(
        pretrained=loaded.model, tokenizer=loaded.tokenizer, device="cpu", max_length=window, add_bos_token=False
    )
    requests = [Instance(request_type=kind, doc={}, arguments=each, idx=0) for each in arguments]
    results = getattr(model, kind)(requests, disable_tqdm=True)
    return results if kind == "loglikelihood_rolling" else [value for value, _ in results]


@pytest.mark.parametrize("name", ["gpt2", "llama"])
@pytest.mark.parametrize("window", [5, POSITIONS])
def test_disjoint_windows_equal_lm_evals_rolling_likelihood(models: Models, name: str, window: int) -> None:
    expected = by_lm_eval(models[name], "loglikelihood_rolling", [(text,) for text in TEXTS], window)
    ours = scored(models[name], TEXTS, window=window, long_texts="disjoint")
    np.testing.assert_allclose([sum(row) for row in ours], expected, **CLOSE)


def test_contexts_equal_lm_evals_likelihood(models: Models) -> None:
    """lm-eval has no start token before a context."""
    contexts = ["the cat sat", "it slept  ", "over these\n", "naïve 12", "old hills while it slept by warm stones " * 3]
    texts = [" on a mat", "by warm stones", "Zyx", "3 日本", "of ever"]
    expected = by_lm_eval(models["gpt2"], "loglikelihood", list(zip(contexts, texts, strict=True)), POSITIONS)
    ours = scored(models["gpt2"], texts, contexts, start_token=False, long_texts="disjoint")
    np.testing.assert_allclose([sum(row) for row in ours], expected, **CLOSE)


def test_without_context_lm_evals_likelihood_has_our_start_token(models: Models) -> None:
    expected = by_lm_eval(models["llama"], "loglikelihood", [("", "a mat")], POSITIONS)
    assert sum(scored(models["llama"], ["a mat"], [""])[0]) == pytest.approx(expected[0], rel=1e-5)


def test_the_first_window_of_masked_models(models: Models) -> None:
    """Cut as tokenizers cut: with what stands around it, the window is full."""
    loaded = models["bert"]
    cut = [encoded(loaded, text)[: POSITIONS - 2] for text in TEXTS]
    expected = [naive.masked_log_probs(loaded.model, loaded.tokenizer, ids, 0, POSITIONS) for ids in cut]
    assert_rows(scored(loaded, TEXTS, long_texts="first"), expected)


# --- tokens


def test_tokens_are_those_scored_in_their_places(models: Models) -> None:
    for name, options in (
        ("gpt2", {}),
        ("gpt2", {"start_token": False}),
        ("llama", {"long_texts": "first", "window": 6}),
        ("bert", {}),
    ):
        source = model_source(models[name], resolve(PerplexityOptions, options))
        for contexts in (None, CONTEXTS):
            tokens = source.tokens(TEXTS, contexts)
            assert list(map(len, tokens)) == np.diff(source.score(TEXTS, contexts).offsets).tolist()
            for row, text in zip(tokens, TEXTS, strict=True):
                assert all(0 <= token.start <= token.end <= len(text) for token in row)


def test_tokens_of_a_text() -> None:
    loaded = load_pretrained(model=small_models.model_for("bert"), tokenizer=small_models.tokenizer_for("bert"))
    source = model_source(loaded, resolve(PerplexityOptions, {}))
    assert source.tokens(["the  Qq", "cat"], None) == [[("the", 0, 3), ("[UNK]", 5, 7)], [("cat", 0, 3)]]
    assert source.tokens(["cat the"], ["it "]) == [[("cat", 0, 3), ("the", 4, 7)]]


def test_a_token_that_begins_in_the_context_starts_at_zero(models: Models) -> None:
    source = model_source(models["gpt2"], resolve(PerplexityOptions, {}))
    assert source.tokens(["sat"], ["the "]) == [[("Ġs", 0, 1), ("at", 1, 3)]]
    assert source.tokens([" sat"], ["the"]) == [[("Ġs", 0, 2), ("at", 2, 4)]]


class SlowTokenizer:
    """A tokenizer that does not know where its tokens stand."""

    is_fast = False
    bos_token_id, eos_token_id, mask_token_id, model_max_length = 7, None, None, 10**30

    def __call__(self, texts: list[str], **options: Any) -> dict[str, Any]:
        assert "offset_mapping" not in options
        assert not options.get("return_offsets_mapping")
        return {"input_ids": [[ord(character) for character in text] for text in texts]}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return list(map(chr, ids))

    def get_vocab(self) -> dict[str, int]:
        return {chr(i): i for i in range(128)}


def test_slow_tokenizers_give_no_places() -> None:
    source = load_source(model=small_models.model_for("gpt2"), tokenizer=SlowTokenizer())
    assert source.tokens(["ab"], None) == [[("a", None, None), ("b", None, None)]]
    assert source.tokens(["b"], ["a"]) == [[("b", None, None)]]


# --- heads


def without_head(loaded: Pretrained) -> Pretrained:
    return Pretrained(**{**vars(loaded), "has_head": False})


@pytest.mark.parametrize("name", ["gpt2", "gemma2", "roberta"])
def test_whole_logits_give_the_same(models: Models, name: str) -> None:
    assert_rows(scored(without_head(models[name]), TEXTS), scored(models[name], TEXTS))


def test_capped_logits_are_felt(models: Models) -> None:
    """Gemma-2's cap is in all its log-probabilities: none is farther from uniform than twice the cap allows."""
    cap = models["gemma2"].model.config.final_logit_softcapping
    far = np.abs(flat(scored(models["gemma2"], TEXTS)) + np.log(small_models.VOCABULARY)).max()
    assert cap / 2 < far <= 2 * cap


def lora(model: Any) -> Any:
    torch.manual_seed(1)
    return peft.get_peft_model(model, peft.LoraConfig(r=4, target_modules=["c_attn"], init_lora_weights=False))


def prompt_tuned(model: Any) -> Any:
    torch.manual_seed(1)
    return peft.get_peft_model(model, peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=5))


@pytest.mark.parametrize(("adapt", "has_head", "positions"), [(lora, True, 24), (prompt_tuned, False, 19)])
def test_models_of_peft(adapt: Any, has_head: bool, positions: int, models: Models) -> None:
    tokenizer = models["gpt2"].tokenizer
    model = adapt(small_models.model_for("gpt2")).eval()
    loaded = load_pretrained(model=model, tokenizer=tokenizer)
    assert (loaded.model_type, loaded.has_head, loaded.positions) == ("causal", has_head, positions)
    rows = scored(loaded, TEXTS)
    expected = []
    for text in TEXTS:
        ids, values = [*start_of(loaded), *encoded(loaded, text)], []
        for start, stop, count in naive.strided_windows(len(ids), 1, positions, positions // 2):
            with torch.no_grad():
                logits = model(torch.tensor([ids[start:stop]])).logits[0, -count:].log_softmax(-1)
            values += [row[i].item() for row, i in zip(logits, ids[stop + 1 - count : stop + 1], strict=True)]
        expected.append(values)
    assert_rows(rows, expected)
    plain = scored(models["gpt2"], TEXTS, window=positions)
    assert np.abs(flat(rows) - flat(plain)).max() > 0.1


def test_probability_zero_is_minus_infinity(models: Models) -> None:
    """A head that forbids a token, as a mask of -inf does."""
    model = small_models.model_for("llama")
    tokenizer = models["llama"].tokenizer
    forbidden = encoded(models["llama"], " cat")[0]
    bias = torch.zeros(small_models.VOCABULARY)
    bias[forbidden] = -torch.inf
    model.lm_head.bias = torch.nn.Parameter(bias)
    row = scored(load_pretrained(model=model, tokenizer=tokenizer), ["the cat sat"])[0]
    ids = encoded(models["llama"], "the cat sat")
    assert [value == -np.inf for value in row] == [token == forbidden for token in ids]
    assert np.isfinite(row[0])


def test_logits_that_are_no_numbers_are_an_error(models: Models) -> None:
    model = small_models.model_for("gpt2")
    with torch.no_grad():
        model.transformer.ln_f.weight[0] = torch.nan
    with pytest.raises(ValueError, match=r"the model's output is NaN for texts\[1\].*dtype="):
        scored(load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer), ["", "a mat"])


# --- memory


def limited(model: Any, most: int) -> Any:
    """The model, raising as an allocator does for inputs of more tokens."""

    def check(module: Any, arguments: tuple[Any, ...]) -> None:
        if arguments[0].numel() > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 MiB.")

    model.transformer.wte.register_forward_pre_hook(check)
    return model


def test_out_of_memory_halves_the_batches(models: Models) -> None:
    model = limited(small_models.model_for("gpt2"), 3 * POSITIONS)
    loaded = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer)
    with pytest.warns(UserWarning, match="not enough memory for") as caught:
        rows = scored(loaded, TEXTS)
    assert len(caught) == 1
    assert_rows(rows, scored(models["gpt2"], TEXTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Nothing but the warning is remembered: the same batches are tried, so that no digit moves.
        assert scored(loaded, TEXTS) == rows


def test_a_window_that_never_fits_is_an_error(models: Models) -> None:
    model = limited(small_models.model_for("gpt2"), POSITIONS - 1)
    loaded = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer)
    with (
        pytest.warns(UserWarning, match="not enough memory"),
        pytest.raises(MemoryError, match=f"a window of {POSITIONS} tokens: give a smaller window"),
    ):
        scored(loaded, TEXTS)
    fitting = {"window": 11, "batch_size": 2}
    assert_rows(scored(loaded, TEXTS, **fitting), scored(models["gpt2"], TEXTS, **fitting))


def test_no_batch_holds_all_logits(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head sees positions that count, a chunk of them at a time."""
    seen: list[int] = []
    model = small_models.model_for("gpt2")
    loaded = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer)
    monkeypatch.setattr(forward, "_positions_at_once", lambda device, vocabulary: 16)
    handle = model.lm_head.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0].shape[1]))
    rows = scored(loaded, TEXTS, max_batch_tokens=10_000)
    handle.remove()
    assert max(seen) == 16
    assert sum(seen) == sum(map(len, rows))


def test_where_logits_come_whole_their_number_is_bounded(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    model = small_models.model_for("gpt2")
    loaded = without_head(load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer))
    monkeypatch.setattr(model_sources, "_WHOLE_LOGITS", 2 * POSITIONS * small_models.VOCABULARY)
    model.lm_head.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0].shape[:2].numel()))
    scored(loaded, TEXTS)
    assert max(seen) == 2 * POSITIONS


# --- the caller's model


@pytest.fixture
def training_model() -> Any:
    model = small_models.model_for("gpt2").train()
    model.transformer.h[0].eval()
    return model


def state_of(model: Any) -> dict[str, Any]:
    return {
        "training": [module.training for module in model.modules()],
        "hooks": [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules()],
        "attributes": [sorted(vars(module)) for module in model.modules()],
        "config": model.config.to_dict(),
        "device": model.device,
        "gradients": [(weight.requires_grad, weight.grad) for weight in model.parameters()],
    }


def test_the_callers_model_stays_as_it_was(models: Models, training_model: Any) -> None:
    before = state_of(training_model)
    weights = {name: weight.clone() for name, weight in training_model.state_dict().items()}
    loaded = load_pretrained(model=training_model, tokenizer=models["gpt2"].tokenizer)
    rows = scored(loaded, TEXTS)
    # Dropout was off.
    assert_rows(rows, scored(models["gpt2"], TEXTS))
    assert state_of(training_model) == before
    assert all(torch.equal(weights[name], weight) for name, weight in training_model.state_dict().items())
    assert loaded.model is training_model


def test_the_training_flag_is_back_after_an_error(models: Models, training_model: Any) -> None:
    before = state_of(training_model)["training"]
    loaded = load_pretrained(model=training_model, tokenizer=models["gpt2"].tokenizer)

    def fail(*arguments: Any) -> None:
        raise RuntimeError("shapes do not match")

    training_model.transformer.h[1].register_forward_pre_hook(fail)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        scored(loaded, TEXTS)
    assert state_of(training_model)["training"] == before


def test_weights_that_change_later_are_those_that_score(models: Models) -> None:
    model = small_models.model_for("gpt2")
    loaded = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer)
    before = scored(loaded, ["the cat"])
    with torch.no_grad():
        model.transformer.wpe.weight.mul_(-1)
    assert scored(loaded, ["the cat"]) != before


# --- loading


def test_a_folder_of_any_form_is_loaded(models: Models, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = scored(models["gpt2"], TEXTS[:3])
    monkeypatch.chdir(folder)
    for place in (folder / "gpt2", str(folder / "gpt2"), "gpt2", "./gpt2", "gpt2/"):
        source = load_source(model_id=place)
        assert source.name == "causal:gpt2:float32"
        assert source.score(TEXTS[:3], None).log_probs.tolist() == flat(expected).tolist()


def test_names_tell_no_folder(models: Models, folder: Path) -> None:
    assert model_source(models["bert"], resolve(PerplexityOptions, {})).name == "masked:bert:float32"
    given = transformers.AutoModelForCausalLM.from_pretrained(folder / "llama", dtype="bfloat16")
    assert load_source(model=given, tokenizer=folder / "llama").name == "causal:llama:bfloat16"
    fresh = small_models.model_for("opt")
    assert load_source(model=fresh, tokenizer=folder / "opt").name == "causal:OPTForCausalLM:float32"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", torch.bfloat16])
def test_number_types(folder: Path, models: Models, dtype: Any) -> None:
    loaded = load_pretrained(model_id=folder / "gpt2", dtype=dtype, device="cpu")
    assert str(loaded.model.dtype).endswith(str(dtype).removeprefix("torch."))
    rows = scored(loaded, TEXTS)
    one_by_one = [scored(loaded, [text], batch_size=1)[0] for text in TEXTS]
    # bfloat16 has 8 bits: what batching changes is as small as what rounding does.
    np.testing.assert_allclose(flat(rows), flat(one_by_one), rtol=0.05, atol=0.3)
    np.testing.assert_allclose(flat(rows), flat(scored(models["gpt2"], TEXTS)), rtol=0.05, atol=0.3)


def test_half_precision_is_left_before_the_softmax(folder: Path) -> None:
    loaded = load_pretrained(model_id=folder / "gpt2", dtype="bfloat16", device="cpu")
    ids = [*start_of(loaded), *encoded(loaded, TEXTS[1])[: POSITIONS - 1]]
    with torch.no_grad():
        logits = loaded.model(torch.tensor([ids[:-1]])).logits[0].double()
    expected = logits.log_softmax(-1)[range(len(ids) - 1), ids[1:]].tolist()
    text = loaded.tokenizer.decode(ids[1:])
    # A log-softmax in bfloat16 would be off by 1e-2.
    np.testing.assert_allclose(scored(loaded, [text])[0], expected, rtol=1e-5, atol=1e-5)


def test_models_that_mix_padding_in_are_never_padded() -> None:
    torch.manual_seed(0)
    tokenizer = small_models.tokenizer_for("bert")
    config = transformers.FNetConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, intermediate_size=48, max_position_embeddings=64
    )
    loaded = load_pretrained(model=transformers.FNetForMaskedLM(config).eval(), tokenizer=tokenizer)
    assert not loaded.ignores_padding
    texts = [text for text in TEXTS if text][:5]
    assert_rows(scored(loaded, texts), [scored(loaded, [text])[0] for text in texts])


def test_a_checkpoint_that_lacks_weights_is_refused(tmp_path: Path) -> None:
    folder = small_models.saved("llama", tmp_path)
    file = folder / "model.safetensors"
    weights = safetensors.torch.load_file(file)
    del weights["model.layers.1.mlp.up_proj.weight"]
    safetensors.torch.save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"lacks 1 weights of LlamaForCausalLM, such as model.layers.1.mlp.up_proj"):
        load_pretrained(model_id=folder)


def test_threads_may_share_a_model_that_trains(folder: Path) -> None:
    loaded = load_pretrained(model_id=folder / "gpt2")
    expected = scored(loaded, TEXTS)
    loaded.model.train()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: scored(loaded, TEXTS), range(8)))
    assert results == [expected] * 8
    assert all(module.training for module in loaded.model.modules())


@pytest.mark.parametrize("given", ["./nowhere", "~/nowhere", "/nowhere/at/all", "a/b/c", "C:\\models", Path("nowhere")])
def test_a_missing_path_is_no_hub_request(given: Any) -> None:
    with pytest.raises(ValueError, match=r"model_id=.*: looked for the folder .*, which does not exist; .*hub was not"):
        load_source(model_id=given)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(ValueError, match=r"model\.bin, which is a file"):
        load_source(model_id=tmp_path / "model.bin")


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"model_id=.* cannot be loaded; what was tried:\n  the folder .*config\.json"):
        load_source(model_id=tmp_path)


def test_offline_the_hub_is_not_asked() -> None:
    """The suite runs with HF_HUB_OFFLINE."""
    with pytest.raises(ValueError, match="cannot be loaded; what was tried") as caught:
        load_source(model_id="nobody/nothing")
    lines = str(caught.value).split("\n")
    assert [re.sub(r"(folder|cache|hub).*", r"\1", line) for line in lines[1:]] == [
        "  the folder", "  the local cache", "  the hub"
    ]  # fmt: skip
    assert lines[1].endswith("nobody/nothing: does not exist")
    assert lines[3] == "  the hub: not asked, since HF_HUB_OFFLINE is set"


def test_the_cache_comes_before_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    asked: list[bool] = []

    def loader(name: str, *, local_files_only: bool, trust_remote_code: bool, **options: Any) -> str:
        assert (name, trust_remote_code, options) == ("owner/name", False, {"dtype": "float32"})
        asked.append(local_files_only)
        if local_files_only:
            raise OSError("not cached\nsee there")
        return "loaded"

    source = pretrained.checkpoint("owner/name", "model_id")
    assert pretrained.load_part(loader, source, dtype="float32") == "loaded"
    assert asked == [True, False]

    def failing(name: str, *, local_files_only: bool, **options: Any) -> str:
        raise OSError("not cached\nsee there") if local_files_only else ConnectionError("no route")

    with pytest.raises(ValueError, match="tried") as caught:
        pretrained.load_part(failing, source)
    assert str(caught.value).split("\n")[2:] == [
        "  the local cache: OSError: not cached", "  the hub: ConnectionError: no route"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "model_id=None: give a folder, or a name on the hub"),
        ({"model_id": ""}, "model_id='': give a folder"),
        ({"model_id": 3}, "model_id=3: give a folder"),
        ({"model": "gpt2"}, "model is of type str: give a model of transformers, or model_id="),
    ],
)
def test_what_is_no_model(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        load_source(**given)


def test_loaded_models_take_a_tokenizer_alone(models: Models) -> None:
    model, tokenizer = models["gpt2"].model, models["gpt2"].tokenizer
    for beside, message in (
        ({}, "without its tokenizer: also give tokenizer="),
        ({"tokenizer": 3}, "tokenizer is of type int: give a tokenizer of transformers, or a folder"),
        ({"tokenizer": "./nowhere"}, "tokenizer='./nowhere': looked for the folder"),
        ({"tokenizer": tokenizer, "model_id": "gpt2"}, "model_id='gpt2' and model= are both given"),
        ({"tokenizer": tokenizer, "device": "cpu"}, "device='cpu' does not apply to a loaded model"),
        ({"tokenizer": tokenizer, "dtype": "float32"}, "dtype='float32' does not apply to a loaded model"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            load_source(model=model, **beside)


# --- kinds of models


def test_the_class_says_what_kind_it_is(models: Models) -> None:
    kinds = {name: loaded.model_type for name, loaded in models.items()}
    assert kinds == {**dict.fromkeys(CAUSAL, "causal"), **dict.fromkeys(MASKED, "masked")}


def test_a_checkpoint_that_does_not_say_its_kind(tmp_path: Path) -> None:
    small = transformers.BertConfig(
        vocab_size=120, hidden_size=16, num_hidden_layers=1, num_attention_heads=1, intermediate_size=16
    )
    transformers.BertModel(small).save_pretrained(tmp_path)
    small_models.tokenizer_for("bert").save_pretrained(tmp_path)
    with pytest.raises(
        ValueError, match=r"BertModel, does not say .*: give model_type='causal' or model_type='masked'"
    ):
        load_source(model_id=tmp_path)
    # The body alone has no weights of a head, which would be random.
    with pytest.raises(ValueError, match=r"lacks 6 weights of BertForMaskedLM, such as cls.predictions.bias"):
        load_source(model_id=tmp_path, model_type="masked")


def test_encoder_decoders_are_refused(tmp_path: Path, models: Models) -> None:
    small = transformers.T5Config(vocab_size=300, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    model = transformers.T5ForConditionalGeneration(small)
    model.save_pretrained(tmp_path)
    for named in ({"model_id": tmp_path}, {"model": model, "tokenizer": models["gpt2"].tokenizer}):
        with pytest.raises(ValueError, match=r"T5ForConditionalGeneration is an encoder-decoder"):
            load_source(**named, model_type="causal")


def test_a_causal_model_does_not_look_ahead(models: Models) -> None:
    """BERT has a causal class, which is causal only if its configuration says so."""
    tokenizer = models["bert"].tokenizer
    for is_decoder in (True, False):
        config = transformers.BertConfig(**{**models["bert"].model.config.to_dict(), "is_decoder": is_decoder})
        model = transformers.BertLMHeadModel(config)
        if is_decoder:
            assert load_pretrained(model=model, tokenizer=tokenizer).model_type == "causal"
        else:
            with pytest.raises(ValueError, match=r"BertLMHeadModel is used as a causal model, but .* later tokens"):
                load_pretrained(model=model, tokenizer=tokenizer)


def test_a_model_without_a_vocabulary_match(models: Models) -> None:
    small = transformers.GPT2Config(vocab_size=270, n_positions=24, n_embd=16, n_layer=1, n_head=1)
    model = transformers.GPT2LMHeadModel(small)
    loaded = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer)
    assert len(scored(loaded, ["!"])[0]) == 1
    handle = model.transformer.register_forward_pre_hook(lambda *arguments: pytest.fail("asked the model"))
    with pytest.raises(ValueError, match=r"'mat' has id 297, but the model has a vocabulary of 270"):
        scored(loaded, ["!", "the cat sat on a mat"])
    handle.remove()


def test_a_mask_outside_the_vocabulary(models: Models) -> None:
    tokenizer = small_models.tokenizer_for("bert")
    tokenizer.add_special_tokens({"mask_token": "<blank>"})
    small = transformers.BertConfig(
        vocab_size=len(tokenizer) - 1, hidden_size=16, num_hidden_layers=1, num_attention_heads=1, intermediate_size=16
    )
    loaded = load_pretrained(model=transformers.BertForMaskedLM(small), tokenizer=tokenizer)
    with pytest.raises(ValueError, match=r"'<blank>' has id \d+, but the model has a vocabulary of"):
        scored(loaded, ["the"])


def test_a_tokenizer_without_the_start_token(models: Models) -> None:
    loaded = load_pretrained(model=small_models.model_for("gpt2"), tokenizer=SlowTokenizer())
    with pytest.raises(ValueError, match=r"start_token='eos': the tokenizer has no such token; .*start_token=False"):
        scored(loaded, ["a"], start_token="eos")
    with pytest.raises(ValueError, match="start_token='nope': not in the tokenizer's vocabulary"):
        scored(loaded, ["a"], start_token="nope")
    assert len(scored(loaded, ["a"], start_token="b")[0]) == 1
    with pytest.raises(ValueError, match="has no mask token"):
        load_source(model=small_models.model_for("bert"), tokenizer=SlowTokenizer())


def test_a_model_of_unknown_length_reads_all_at_once(models: Models) -> None:
    small = transformers.MambaConfig(vocab_size=300, hidden_size=16, num_hidden_layers=1, state_size=4)
    loaded = load_pretrained(model=transformers.MambaForCausalLM(small).eval(), tokenizer=models["gpt2"].tokenizer)
    assert loaded.positions is None
    ids = [*start_of(loaded), *encoded(loaded, TEXTS[0])]
    assert_rows(scored(loaded, TEXTS[:1]), [naive.causal_log_probs(loaded.model, ids, 1, 10**6, 1)])
    limited = SlowTokenizer()
    limited.model_max_length = 9
    assert load_pretrained(model=loaded.model, tokenizer=limited).positions == 9


# --- settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"long_texts": "sliding"}, "long_texts='sliding': choose one of 'strided', 'disjoint', 'first'"),
        ({"window": 0}, "window=0: give a whole number of at least 1"),
        ({"window": POSITIONS + 1}, f"window={POSITIONS + 1}: give at most {POSITIONS}, the model's maximum"),
        ({"window": 1, "long_texts": "first"}, "window=1: give a whole number of at least 2"),
        ({"stride": 9, "window": 8}, "stride=9: give at most 8, the window"),
        ({"stride": 2.5}, "stride=2.5: give a whole number"),
        ({"stride": 3, "long_texts": "first"}, "stride=3 does not apply to long_texts='first'"),
        ({"stride": 3, "long_texts": "disjoint"}, "stride=3 does not apply to long_texts='disjoint'"),
        ({"batch_size": 0}, "batch_size=0: give a whole number"),
        ({"max_batch_tokens": True}, "max_batch_tokens=True: give a whole number"),
    ],
)
def test_wrong_settings_are_refused(models: Models, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        scored(models["gpt2"], ["a"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"long_texts": "disjoint"}, "masked models use a window around each token"),
        ({"stride": 3}, "masked models use a window around each token"),
        ({"window": 2}, "window=2: give a whole number of at least 3"),
    ],
)
def test_wrong_settings_of_masked_models_are_refused(models: Models, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scored(models["bert"], ["a"], **options)


def test_small_windows_of_masked_models(models: Models) -> None:
    loaded = models["roberta"]
    for window in (3, 4, 9):
        expected = [
            naive.masked_log_probs(loaded.model, loaded.tokenizer, encoded(loaded, text), 0, window) for text in TEXTS
        ]
        assert_rows(scored(loaded, TEXTS, window=window), expected)


# --- devices


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda:7", r"device='cuda:7' is not available: this machine has 0 of type cuda"),
        ("gpu", r"device='gpu' is not available"),
        ("mps", r"device='mps' is not available"),
        ("tpu", r"device='tpu': choose 'cpu', 'cuda', 'cuda:1'"),
        ("meta", r"device='meta': choose"),
        (3, r"device=3: choose"),
    ],
)
def test_devices_that_are_not_there(folder: Path, models: Models, device: Any, message: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ValueError, match=message):
        load_source(model_id=folder / "gpt2", device=device)


def test_devices_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    names = [None, "gpu", "cuda", "cuda:1", "mps", "cpu", torch.device("cuda:0")]
    devices = list(map(str, map(pretrained.as_device, names)))
    assert devices == ["cuda", "cuda", "cuda", "cuda:1", "mps", "cpu", "cuda:0"]
    with pytest.raises(ValueError, match="'cuda:2' is not available: this machine has 2"):
        pretrained.as_device("cuda:2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert str(pretrained.as_device(None)) == "cpu"


@pytest.mark.parametrize("dtype", ["int8", "float", "float33", "nn", 16])
def test_number_types_that_are_none(folder: Path, models: Models, dtype: Any) -> None:
    if dtype == "float":
        assert pretrained.as_dtype("float") is torch.float32
        return
    with pytest.raises(ValueError, match=f"dtype={dtype!r}: choose 'float32'"):
        load_source(model_id=folder / "gpt2", dtype=dtype)


# --- packages


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_missing_packages_say_what_to_install(missing: str, folder: Path, models: Models, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        ImportError, match=f"model_id, a pretrained model, needs the package {missing}: pip install {missing}"
    ):
        load_source(model_id=folder / "gpt2")


def test_torch_is_imported_for_a_model_alone(tmp_path: Path) -> None:
    program = """
        import sys
        import evenscore.perplexity.models.source
        print(sorted({"torch", "transformers", "peft"} & set(sys.modules)))
    """
    assert run_python(program, tmp_path) == "[]\n"


def test_a_model_is_loaded_in_a_process_without_network(models: Models, folder: Path, tmp_path: Path) -> None:
    """Not told to be offline: a folder and a missing path ask nobody."""
    program = """
        import sys
        from evenscore.perplexity.models.source import load_source
        print(load_source(model_id=sys.argv[1]).score(["a mat"], None).offsets.tolist())
        try:
            load_source(model_id="./nowhere/at/all")
        except ValueError as error:
            print("hub was not asked" in str(error))
    """
    tokens = len(encoded(models["gpt2"], "a mat"))
    assert run_python(program, tmp_path, str(folder / "gpt2")) == f"[0, {tokens}]\nTrue\n"


# --- adapters


@pytest.fixture(scope="module")
def adapter(models: Models, folder: Path) -> Path:
    """The folder of an adapter alone, of the saved GPT-2."""
    base = transformers.AutoModelForCausalLM.from_pretrained(folder / "gpt2")
    lora(base).save_pretrained(folder / "lora")
    return folder / "lora"


def reconfigured(adapter: Path, folder: Path, **changed: Any) -> Path:
    target = Path(shutil.copytree(adapter, folder / "changed"))
    file = target / "adapter_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    return target


def test_the_folder_of_an_adapter_brings_its_model(models: Models, adapter: Path) -> None:
    loaded = load_pretrained(model_id=adapter)
    expected = load_pretrained(model=lora(small_models.model_for("gpt2")), tokenizer=models["gpt2"].tokenizer)
    rows = scored(loaded, TEXTS)
    assert_rows(rows, scored(expected, TEXTS))
    assert np.abs(flat(rows) - flat(scored(models["gpt2"], TEXTS))).max() > 0.1
    assert load_pretrained(model_id=adapter, dtype="bfloat16").model.dtype is torch.bfloat16


def test_an_adapter_may_bring_its_tokenizer(adapter: Path, tmp_path: Path) -> None:
    target = reconfigured(adapter, tmp_path)
    tokenizer = small_models.tokenizer_for("gpt2")
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(target)
    assert "<new>" in load_pretrained(model_id=target).tokenizer.get_vocab()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (None, r"model_id=.* is an adapter that does not name its base model"),
        ("./nowhere", r"the base model that the adapter model_id=.* names='./nowhere': looked for the folder"),
        ("nobody/nothing", r"the base model .* names='nobody/nothing' cannot be loaded; what was tried:"),
    ],
)
def test_adapters_whose_model_is_not_there(named: Any, message: str, adapter: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        load_pretrained(model_id=reconfigured(adapter, tmp_path, base_model_name_or_path=named))


def test_adapters_that_do_not_fit(models: Models, adapter: Path, folder: Path, tmp_path: Path) -> None:
    for named in ({"base_model_name_or_path": str(folder / "llama")}, {"r": 5}):
        target = reconfigured(adapter, tmp_path / str(*named), **named)
        with pytest.raises(ValueError, match=r"the adapter does not fit (Llama|GPT2LM)"):
            load_pretrained(model_id=target)
    file = target / "adapter_model.safetensors"
    weights = safetensors.torch.load_file(file)
    weights.popitem()
    reconfigured(adapter, tmp_path / "whole")
    safetensors.torch.save_file(weights, tmp_path / "whole" / "changed" / file.name)
    with pytest.raises(ValueError, match=r"the adapter does not fit GPT2LMHeadModel: Found missing adapter keys"):
        load_pretrained(model_id=tmp_path / "whole" / "changed")


def test_an_adapter_needs_peft(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(ImportError, match="an adapter needs the package peft: pip install peft"):
        load_pretrained(model_id=adapter)


def test_names_tell_adapters_apart(models: Models, adapter: Path) -> None:
    tokenizer = models["gpt2"].tokenizer

    def name(model: Any) -> str:
        return load_source(model=model, tokenizer=tokenizer).name

    first = load_source(model_id=adapter).name
    assert re.fullmatch(r"causal:gpt2:float32\+default@[0-9a-f]{8}", first)
    # The same weights in transformers' own form.
    assert name(transformers.AutoModelForCausalLM.from_pretrained(adapter)) == first
    model = peft.PeftModel.from_pretrained(small_models.model_for("gpt2"), adapter, adapter_name="one")
    assert name(model).partition("@")[2] == first.partition("@")[2]
    assert "+one@" in name(model)
    with model.disable_adapter():
        assert name(model) == "causal:GPT2LMHeadModel:float32"
    model.add_adapter("two", model.peft_config["one"])
    model.set_adapter("two")
    assert "+two@" in name(model)
    assert "+one@" not in name(model)
    source = load_source(model=model, tokenizer=tokenizer)
    before = source.name
    with torch.no_grad():
        next(weight for key, weight in model.named_parameters() if ".two." in key).add_(1)
    # Training goes on.
    assert source.name != before


# --- products of matrices


def counted_products(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Of every product that oneDNN makes, the shape of its weights."""
    seen: list[Any] = []
    linear = forward._onednn_linear(torch)
    assert linear is not None

    def counting(rows: Any, weight: Any, bias: Any) -> Any:
        seen.append(tuple(weight.shape))
        return linear(rows, weight, bias)

    monkeypatch.setattr(forward, "_onednn_linear", lambda package: counting)
    return seen


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert"])
def test_onednn_and_mkl_multiply_alike(models: Models, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with torch.backends.mkldnn.flags(enabled=False):
        expected = scored(models[name], TEXTS[:6])
    seen = counted_products(monkeypatch)
    assert_rows(scored(models[name], TEXTS[:6], onednn=True), expected)
    layers = [module for module in models[name].model.modules() if type(module).__name__ in ("Linear", "Conv1D")]
    assert set(seen) == {
        tuple(layer.weight.T.shape if type(layer).__name__ == "Conv1D" else layer.weight.shape) for layer in layers
    }
    before = len(seen)
    models[name].model(torch.tensor([[1, 2]]))
    assert len(seen) == before


def test_other_products_are_left_to_torch(models: Models, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = counted_products(monkeypatch)
    half = load_pretrained(model_id=folder / "gpt2", dtype="bfloat16")
    double = load_pretrained(model_id=folder / "gpt2", dtype="float64")
    model = torch.compile(small_models.model_for("gpt2"), backend="eager")
    compiled = load_pretrained(model=model, tokenizer=models["gpt2"].tokenizer, model_type="causal")
    for loaded in (half, double, compiled):
        scored(loaded, TEXTS[:2], onednn=True)
    assert seen == []
    rows, weight = torch.ones(2, 3), torch.ones(4, 3)
    with forward.by_onednn(models["gpt2"].model, True):
        assert torch.nn.functional.linear(rows[:0], weight).shape == (0, 4)
        assert torch.addmm(torch.ones(4), rows, weight.T, beta=2).tolist() == [[5.0] * 4] * 2
    assert seen == []


def test_torch_without_onednn_multiplies_as_ever(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*arguments: Any) -> Any:
        raise RuntimeError("mkldnn::_linear_pointwise() is missing value for argument 'more'")

    monkeypatch.setattr(torch.ops.mkldnn._linear_pointwise, "default", other)
    assert forward._onednn_linear(torch) is None
    with torch.backends.mkldnn.flags(enabled=False):
        expected = scored(models["gpt2"], TEXTS[:3])
    monkeypatch.setattr(forward, "_is_intel", lambda: False)
    assert scored(models["gpt2"], TEXTS[:3]) == expected
    with pytest.raises(ValueError, match="onednn=True: this installation of torch does not support it"):
        scored(models["gpt2"], TEXTS[:3], onednn=True)


def test_the_processor_decides_unless_an_option_does(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = counted_products(monkeypatch)
    for is_intel, onednn, used in [(True, None, False), (False, None, True), (False, False, False), (True, True, True)]:
        monkeypatch.setattr(forward, "_is_intel", lambda answer=is_intel: answer)
        seen.clear()
        scored(models["gpt2"], TEXTS[:1], onednn=onednn)
        assert bool(seen) == used
    metric = evenscore.load("perplexity", model=models["gpt2"].model, tokenizer=models["gpt2"].tokenizer, onednn=True)
    seen.clear()
    metric.compute(predictions=TEXTS[:1])
    assert seen
