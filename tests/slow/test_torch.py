"""Running scores in torch: batches, processes of torch.distributed, checkpoints; beside torchmetrics."""

from __future__ import annotations

import copy
import doctest
import io
import math
import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
import sacrebleu
import torch
import torchmetrics
from shared_data import lines
from small_corpus import ALL_METRICS, COUNTING, METRICS, random_rows, refusal

import evenscore
import evenscore.torch
from evenscore.torch import Running

PREDICTIONS, REFERENCES = random_rows(200)
LOG_PROBS = np.random.default_rng(5).exponential(size=(200, 7)) * -3.7
# Rows of each metric, more than a batch.
ROWS: dict[str, dict[str, Any]] = {
    **{name: {"predictions": PREDICTIONS, "references": REFERENCES} for name in METRICS},
    "perplexity": {"log_probs": LOG_PROBS.tolist()},
}


def part(name: str, start: int, stop: int | None) -> dict[str, Any]:
    """Some rows of the metric's columns."""
    return {column: values[start:stop] for column, values in ROWS[name].items()}


def whole(name: str, **options: Any) -> dict[str, Any]:
    """The result for all rows at once, of which perplexity alone gives more if it keeps rows."""
    return dict(evenscore.load(name, **options).compute(**ROWS[name], keep_rows=name != "perplexity"))


def test_the_examples_print_what_they_say() -> None:
    """The default run has no torch."""
    results = doctest.testmod(evenscore.torch)
    assert results.attempted > 8
    assert results.failed == 0


# --- batches


@pytest.mark.parametrize("name", ALL_METRICS)
@pytest.mark.parametrize("size", [1, 7, 64, 200])
def test_batches_have_the_bits_of_all_rows_at_once(name: str, size: int) -> None:
    running = Running(name)
    for start in reversed(range(0, 200, size)):
        running.update(**part(name, start, start + size))
    assert running.compute() == running.compute() == whole(name)


@pytest.mark.parametrize("name", METRICS)
def test_options_are_those_of_the_metric(name: str) -> None:
    options = COUNTING[name]
    for metric in (name, evenscore.load(name), evaluate.load(evenscore.path(name))):
        running = Running(metric, **options)
        running.update(PREDICTIONS, REFERENCES)
        assert running.compute() == whole(name, **options) != whole(name)
    assert set(Running(name, scalars_only=True)(PREDICTIONS, REFERENCES)) < set(whole(name))


def test_the_metric_given_stays_as_it_is() -> None:
    metric = evenscore.load("wer_dp", unit="char")
    metric.add_batch(predictions=["a"], references=["b"])
    running = Running(metric)
    running.update(["x y"], ["x y"])
    assert running.compute()["cer"] == 0.0
    assert metric.compute()["cer"] == 1.0


@pytest.mark.parametrize("name", ALL_METRICS)
def test_a_call_gives_the_result_of_its_batch_and_counts_it(name: str) -> None:
    running = Running(name)
    expected = evenscore.load(name, keep_rows=False)
    for start in (0, 150):
        given = part(name, start, start + 50)
        assert running(**given) == expected.compute(**given)
        expected = evenscore.load(name, keep_rows=False)
    expected.add_batch(**part(name, 0, 50))
    assert running.compute() == expected.compute(**part(name, 150, None))


@pytest.mark.parametrize("name", ALL_METRICS)
def test_nothing_is_refused(name: str) -> None:
    running = Running(name)
    empty = {column: [] for column in ROWS[name]}
    said = "nothing to score: no row is counted since the start or the last reset: call update first"
    assert refusal(running.compute) == said
    running.update(**empty)
    assert refusal(running.compute) == said
    assert refusal(lambda: running(**empty)) == "nothing to score: the batch is empty: give at least one row"
    running.update(**ROWS[name])
    running.reset()
    assert refusal(running.compute) == said


def test_a_refused_batch_counts_nothing() -> None:
    running = Running("wer_dp")
    running.update(["a"], ["b"])
    for call in (running.update, running):
        for given in (
            {"predictions": ["a", None], "references": ["a", "b"]},
            {"predictions": ["a"]},
            {"predictions": ["a"], "references": ["a"], "groups": ["g"]},
            {"predictions": ["a"], "references": ["a"], "texts": ["a"]},
        ):
            with pytest.raises(ValueError, match=r"predictions\[1\]|references is missing|groups|unknown columns"):
                call(**given)
    assert running.compute()["wer"] == 1.0


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("wer_dp", {"per_example": True}, "per_example and confidence need rows"),
        ("bleu_corpus", {"confidence": 0.9}, "per_example and confidence need rows"),
        ("rouge_l_multi", {"aggregate": "bootstrap"}, "aggregate='bootstrap' needs rows"),
        ("wer_dp", {"keep_rows": True}, "keep_rows=True: leave it out"),
        ("wer_dp", {"uint": "char"}, "uint"),
        ("bleu", {}, "unknown metric 'bleu'"),
        (torchmetrics.text.WordErrorRate(), {}, "metric is of type WordErrorRate: give one of bleu_corpus"),
    ],
)
def test_what_a_sum_does_not_give_is_refused_at_once(metric: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Running(metric, **options)


def test_what_a_refusal_tells_to_do_can_be_done() -> None:
    running = Running("wer_dp")
    running.update(["a"], ["a"])
    said = refusal(lambda: running.compute(confidence=0.9))
    assert said == (
        "compute takes no confidence: give options as in Running('wer_dp', ...); those that need rows, such as "
        "confidence, to compute of evenscore.load('wer_dp'), since Running keeps only the sum of the rows"
    )
    assert running.compute()["wer"] == 0.0
    said = refusal(lambda: Running("wer_dp", per_example=True))
    assert "keep_rows" not in said
    assert said.endswith("or give all rows to compute of evenscore.load('wer_dp'), since Running keeps only the sum of "
                         "the rows")  # fmt: skip
    perplexity, logits, labels = Running("perplexity"), [[[0.0] * 4] * 2], [[0, 2]]
    said = refusal(lambda: perplexity.update(logits, labels))
    assert said.startswith("perplexity has no references: name the columns, among predictions=, contexts=, log_probs=")
    perplexity.update(logits=logits, labels=labels)
    assert perplexity.compute()["perplexity"] == 4.0


def test_it_keeps_a_sum_whatever_the_number_of_rows() -> None:
    sizes = set()
    running = Running("bleu_corpus")
    for _ in range(50):
        running.update(PREDICTIONS, REFERENCES)
        sizes.add(len(pickle.dumps(running)))
    assert max(sizes) - min(sizes) < 100


# --- checkpoints and copies


class Model(torch.nn.Module):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.score = Running("bleu_corpus", **options)


def test_a_checkpoint_keeps_the_sum() -> None:
    model, file = Model(), io.BytesIO()
    model.score.update(PREDICTIONS[:120], REFERENCES[:120])
    torch.save(model.state_dict(), file)
    model.score.update(PREDICTIONS[:9], REFERENCES[:9])
    file.seek(0)
    other = Model()
    # With weights_only, which executes nothing.
    other.load_state_dict(torch.load(file, weights_only=True))
    other.score.update(PREDICTIONS[120:], REFERENCES[120:])
    assert other.score.compute() == whole("bleu_corpus")


def test_a_checkpoint_from_before_loads_as_the_page_says() -> None:
    model = Model()
    older = {name: value for name, value in model.state_dict().items() if "_extra_state" not in name}
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "score._extra_state"'):
        model.load_state_dict(older)
    assert model.load_state_dict(older, strict=False).missing_keys == ["score._extra_state"]


def test_a_state_is_a_copy() -> None:
    first, second = Running("wer_dp"), Running("wer_dp")
    first.update(["a"], ["b"])
    state = first.state_dict()
    first.update(["c"], ["c"])
    second.load_state_dict(state)
    second.update(["d"], ["d"])
    assert first.compute()["wer"] == second.compute()["wer"] == 0.5
    assert state["_extra_state"]["total"][0] == 1


def test_a_state_of_other_options_is_refused() -> None:
    running = Running("bleu_corpus")
    running.update(PREDICTIONS, REFERENCES)
    for other in (Running("bleu_corpus", lowercase=True), Running("wer_dp")):
        said = refusal(lambda other=other: other.load_state_dict(running.state_dict()))
        assert said.startswith("the state has counted with ")
        assert said.endswith(": give the same metric and options")
        assert "nothing to score" in refusal(other.compute)


def test_a_module_has_nothing_that_torch_would_change() -> None:
    """DistributedDataParallel overwrites buffers with those of the first process; half() rounds numbers."""
    model = Model()
    assert [name for name, _ in model.named_buffers()] == []
    model.score.update(PREDICTIONS, REFERENCES)
    assert model.half().eval().score.compute() == whole("bleu_corpus")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@pytest.mark.parametrize("name", ALL_METRICS)
def test_copies_go_their_own_way(name: str, copied: Callable[[Any], Any]) -> None:
    running = Running(name)
    running.update(**part(name, 0, 70))
    other = copied(running)
    running.reset()
    other.update(**part(name, 70, None))
    assert other.compute() == whole(name)
    assert "nothing to score" in refusal(running.compute)


def test_it_shows_its_options() -> None:
    assert repr(Running("wer_dp", unit="char")).startswith("Running(wer_dp, unit=char, ")


# --- torch.distributed


def process(rank: int, shares: Sequence[tuple[int, int]], file: str, answers: Any) -> None:
    """One of several processes, which has a share of the rows."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=len(shares))
    found = {}
    for name in ALL_METRICS:
        running = Running(name)
        for start in range(*shares[rank], 16):
            running.update(**part(name, start, min(start + 16, shares[rank][1])))
        found[name] = [running.compute(), running.compute()]
    running = Running("wer_dp", unit=["word", "char"][rank % 2])
    running.update(["a"], ["b"])
    alone = Running("wer_dp", process_group=torch.distributed.new_group([0]))
    alone.update(["a"], ["a"] if rank == 0 else ["b"])
    refused = refusal(running.compute), refusal(Running("wer_dp").compute)
    answers.put((rank, found, refused, alone.compute()["wer"] if rank == 0 else None))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("shares", [[(0, 90), (90, 200)], [(0, 200), (200, 200)], [(0, 3), (3, 150), (150, 200)]])
def test_processes_have_the_bits_of_one(shares: list[tuple[int, int]], tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    arguments = [(rank, shares, str(tmp_path / "meeting"), answers) for rank in range(len(shares))]
    workers = [context.Process(target=process, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    try:
        got = sorted((answers.get(timeout=200) for _ in workers), key=lambda answer: answer[0])
    finally:
        for worker in workers:
            worker.join(30)
            worker.kill()
    expected = {name: whole(name) for name in ALL_METRICS}
    for _, found, (differ, nothing), _ in got:
        assert found == {name: [result] * 2 for name, result in expected.items()}
        assert differ.startswith("process 1 has counted with options {'unit': 'char'")
        assert nothing.startswith("nothing to score")
    assert got[0][3] == 0.0


# --- torchmetrics


def batches(rows: Sequence[Any], size: int = 37) -> list[Sequence[Any]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def spoken(file: str) -> list[str]:
    """Utterances of LibriSpeech, without their ids."""
    return [" ".join(line.split()[1:]) for line in lines(f"asr/librispeech/{file}")]


@pytest.mark.parametrize(
    ("theirs", "unit", "score"),
    [(torchmetrics.text.WordErrorRate, "word", "wer"), (torchmetrics.text.CharErrorRate, "char", "cer")],
)
def test_error_rates_of_librispeech_are_those_of_torchmetrics(theirs: Any, unit: str, score: str) -> None:
    peer, running = theirs(), Running("wer_dp", unit=unit)
    # Characters of all rows take theirs a minute.
    predictions, references = spoken("hyptext")[:600], spoken("reftext")[:600]
    for given in zip(batches(predictions), batches(references), strict=True):
        peer.update(*given)
        running.update(*given)
    assert torch.tensor(running.compute()[score], dtype=torch.float32) == peer.compute()


def bleu_of_talks(*files: str) -> tuple[Any, dict[str, Any]]:
    """What torchmetrics has counted with these references, and our result."""
    peer, running = torchmetrics.text.SacreBLEUScore(), Running("bleu_corpus")
    references = [list(row) for row in zip(*(lines(f"mt/ted_zh_en/{file}") for file in files), strict=True)]
    for given in zip(batches(lines("mt/ted_zh_en/Facebook-AI.txt")), batches(references), strict=True):
        peer.update(*given)
        running.update(*given)
    return peer, running.compute()


@pytest.mark.parametrize("file", ["ref.txt", "refB.txt"])
def test_bleu_of_talks_is_that_of_torchmetrics(file: str) -> None:
    peer, result = bleu_of_talks(file)
    # Theirs is from 0 to 1, in float32.
    assert result["score"] / 100 == pytest.approx(peer.compute().item(), rel=1e-6)


def test_torchmetrics_takes_the_first_of_references_that_are_equally_close() -> None:
    """sacrebleu takes the shorter one, and so does bleu_corpus."""
    lengths = []
    for files in (("ref.txt", "refB.txt"), ("refB.txt", "ref.txt")):
        peer, result = bleu_of_talks(*files)
        theirs = sacrebleu.corpus_bleu(
            lines("mt/ted_zh_en/Facebook-AI.txt"), [lines(f"mt/ted_zh_en/{file}") for file in files]
        )
        assert (result["score"], result["reference_length"]) == (theirs.score, theirs.ref_len)
        assert peer.numerator.tolist() == theirs.counts
        lengths.append(peer.target_len.item())
    assert lengths[0] != lengths[1]
    assert min(lengths) > theirs.ref_len


def test_perplexity_is_that_of_torchmetrics() -> None:
    generator = torch.Generator().manual_seed(3)
    peer, running = torchmetrics.text.Perplexity(ignore_index=-100), Running("perplexity")
    for _ in range(5):
        logits = torch.randn(4, 9, 20, generator=generator)
        labels = torch.randint(0, 20, (4, 9), generator=generator)
        labels[2, 5:] = -100
        peer.update(logits, labels)
        running.update(logits=logits, labels=labels)
    assert running.compute()["perplexity"] == pytest.approx(peer.compute().item(), rel=1e-5)
    assert math.isfinite(running.compute()["nll"])


def test_the_methods_have_the_names_of_torchmetrics() -> None:
    for name in ("update", "compute", "reset", "forward", "state_dict", "load_state_dict"):
        assert callable(getattr(torchmetrics.Metric, name))
        assert callable(getattr(Running, name))
