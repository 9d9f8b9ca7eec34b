"""Perplexity of n-gram models as users call it: files, what stays trained, what it needs."""

from __future__ import annotations

from pathlib import Path

import kenlm
import pytest
from fresh_process import run_python
from small_corpus import random_texts, refusal

import evenscore
import evenscore.perplexity.sources as sources

TEXTS = random_texts(9, 12, seed=11)
TRAIN = random_texts(300, 12, seed=12)


def test_an_ngram_model_written_to_a_file_scores_as_before_and_as_in_kenlm(tmp_path: Path) -> None:
    file = tmp_path / "small.arpa"
    trained = evenscore.load("perplexity", source="ngram", train_texts=TRAIN, discount=0.6)
    trained.write_arpa(file)
    texts = [*TEXTS, "", "unknown words here"]
    result = trained.compute(predictions=texts)
    read = evenscore.load("perplexity", source=str(file)).compute(predictions=texts)
    assert {**read, "signature": ""} == {**result, "signature": ""}
    assert result["signature"].startswith("source:ngram:3:words:kn0.6|start:bos|end:True|")
    assert read["signature"].startswith("source:arpa:small.arpa:3:words|start:bos|end:True|")
    model = kenlm.Model(str(file))
    expected = [model.perplexity(text) for text in texts]
    # KenLM adds up in float32.
    assert result["perplexities"] == pytest.approx(expected, rel=1e-5)
    assert result["unknown_tokens"] == sum(oov for text in texts for _, _, oov in model.full_scores(text)) > 0
    assert 1 < result["perplexity_without_unknown"] < result["perplexity"]


def test_only_an_ngram_model_is_written(tmp_path: Path) -> None:
    for options in ({}, {"source": lambda texts: []}, {"source": "x.arpa"}):
        metric = evenscore.load("perplexity", **options)
        assert "source='ngram'" in refusal(lambda metric=metric: metric.write_arpa(tmp_path / "x"))
    assert list(tmp_path.iterdir()) == []


def test_texts_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    file.write_text("\n".join(TRAIN) + "\n", encoding="utf-8")
    options = {"source": "ngram", "ngram_order": 2, "ngram_unit": "characters"}
    of_file = evenscore.load("perplexity", train_texts=file, **options).compute(predictions=TEXTS)
    assert of_file == evenscore.load("perplexity", train_texts=TRAIN, **options).compute(predictions=TEXTS)
    absent = str(tmp_path / "absent.txt")
    assert absent in refusal(
        lambda: evenscore.load("perplexity", train_texts=absent, **options).compute(predictions=TEXTS)
    )


def test_an_ngram_model_stays_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    trainings = []
    trained = sources.NgramSource.trained
    monkeypatch.setattr(sources.NgramSource, "trained", lambda **given: trainings.append(given) or trained(**given))
    metric = evenscore.load("perplexity", source="ngram", train_texts=TRAIN, discount=0.5)
    assert metric.compute(predictions=TEXTS) == metric.compute(predictions=TEXTS)
    metric.compute(predictions=TEXTS, ngram_order=2)
    assert [each["order"] for each in trainings] == [3, 2]


def test_torch_is_needed_for_models_alone(tmp_path: Path) -> None:
    program = """
        # evaluate imports torch by itself where it is installed.
        import evaluate, evenscore
        sys.modules.update(torch=None, transformers=None, numba=None)
        for metric in (evenscore.load("perplexity"), evaluate.load(evenscore.path("perplexity"))):
            metric.compute(log_probs=[[-1.0]])
            metric.compute(predictions=["a b"], source="ngram", train_texts=["a b", "b c"], discount=0.5)
            try:
                metric.compute(predictions=["a b"], model_id=sys.argv[1])
            except ImportError as error:
                print(error)
    """
    said = "model_id, a pretrained model, needs the package torch: pip install torch\n"
    assert run_python(program, tmp_path, str(tmp_path)) == said * 2
    command = """
        from evenscore.cli import main
        sys.modules.update(torch=None, transformers=None)
        sys.stderr = sys.stdout
        main(["score", "--metric", "perplexity", "--predictions", sys.argv[1], "--model-id", sys.argv[2]])
    """
    (tmp_path / "texts.txt").write_text("a b\n", encoding="utf-8")
    printed = run_python(command, tmp_path, str(tmp_path / "texts.txt"), str(tmp_path))
    assert printed == f"evenscore: --model-id, a pretrained model, {said.partition('model, ')[2]}"


def test_executors_are_refused_and_the_way_that_works_works() -> None:
    metric = evenscore.load("perplexity", source="ngram", train_texts=TRAIN)
    for ask in (metric.compute, metric.statistics):
        message = refusal(lambda ask=ask: ask(predictions=TEXTS, executor=object()))
        assert "statistics(...).sum(axis=0) there for a part of the rows" in message
    total = sum(metric.statistics(TEXTS[i::3]).sum(axis=0) for i in range(3))
    expected = metric.compute(predictions=TEXTS)
    assert metric.score_statistics(total)["perplexity"] == expected["perplexity"]


def test_a_misspelt_source_is_told_before_the_options_of_another() -> None:
    with pytest.raises(ValueError, match="source='n-gram': there is no such file; give 'ngram'"):
        evenscore.load("perplexity", source="n-gram", train_texts=["a b"])
