"""A full disk, a cache folder that cannot be written: metrics need neither, files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh_process import run_python

# No file can take a byte; a file system of no size would need rights that tests lack.  The host's imports come before:
# in them dill looks for a temporary folder.
_FULL = """
    import datasets, evaluate, json, resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        with open("full", "w") as file:
            file.write("x")
        raise SystemExit("the disk is not full")
    except OSError:
        pass
"""

# Every use of a metric; `load` loads it.
_USE = """
    for name in ("bleu_corpus", "rouge_l_multi", "wer_dp"):
        metric = load(name)
        options = {"confidence": 0.9, "n_resamples": 3, "per_example": True}
        result = metric.compute(predictions=["a b", "c"], references=["a c", "c"], **options)
        metric.add_batch(predictions=["a b"], references=["a c"])
        metric.add(prediction="c", reference="c")
        assert metric.compute()["signature"] in result["signature"].replace("bs:3|ci:0.9|seed:12345|", "")
        metric.compare(["a b"], ["a c"], references=["a c"], n_trials=3)
        rows = datasets.Dataset.from_dict({"hyp": ["a b", "c"], "refs": ["a c", "c"]})
        scored = rows.map(metric.row_scorer("hyp", "refs", statistics=True), batched=True)
        assert metric.score_columns(scored, **options) == result
    metric = load("perplexity", source="ngram", train_texts=["a b c", "b c d"], discount=0.5)
    print(metric.compute(predictions=["a b", "c"])["tokens"])
"""
_OURS = """
    import evenscore
    load = evenscore.load
"""
_EVALUATES = """
    import evenscore
    load = lambda name, **options: evaluate.load(evenscore.path(name), **options)
"""


@pytest.mark.slow
def test_metrics_need_no_disk(tmp_path: Path) -> None:
    assert run_python(_FULL + _OURS + _USE, tmp_path, PYTHONDONTWRITEBYTECODE="1") == "5\n"


@pytest.mark.slow
def test_metrics_that_evaluate_copied_before_need_no_disk(tmp_path: Path) -> None:
    copied = "    import datasets, evaluate" + _EVALUATES + _USE
    assert run_python(copied, tmp_path) == "5\n"
    assert run_python(_FULL + _EVALUATES + _USE, tmp_path) == "5\n"


@pytest.mark.parametrize("folder", ["/dev/null/hf", "/proc/hf"])
@pytest.mark.slow
def test_metrics_need_no_cache_folder(folder: str, tmp_path: Path) -> None:
    # evaluate.load itself copies the script there, and says so.
    program = "    import datasets, evaluate" + _OURS + _USE + """
    try:
        evaluate.load(evenscore.path("wer_dp"))
    except OSError as error:
        print(error.filename)
    """  # fmt: skip
    assert run_python(program, tmp_path, HF_HOME=folder) == f"5\n{folder}\n"


def test_a_tokenizer_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    program = """
        import os, resource
        from evenscore.cli import main
        from tokenizers_impl import pipelines
        with open("corpus.txt", "w") as file:
            file.write("low lower lowest")
        train = ["train", "--model", "bpe", "--quiet", "--vocab-size", "18", "-o"]
        assert main([*train, "old.json", "corpus.txt"]) == 0
        tokenizer, trainer = pipelines.bpe(vocab_size=30, show_progress=False)
        tokenizer.train_from_iterator(["new newer newest"], trainer)
        with open("old.json") as file:
            old = file.read()
        before = sorted(os.listdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        for path in ("old.json", "new.json"):
            try:
                tokenizer.save(path)
            except OSError as error:
                print(error.filename, error.strerror)
            print(main([*train, path, "corpus.txt"]))
        with open("old.json") as file:
            assert file.read() == old != tokenizer.to_str()
        assert sorted(os.listdir()) == before
    """
    trained = "old.json: bpe, 18 tokens\n"
    expected = trained + "".join(f"{path} File too large\n2\n" for path in ("old.json", "new.json"))
    root = str(Path(__file__).resolve().parents[2])
    assert run_python(program, tmp_path, PYTHONPATH=root) == expected
