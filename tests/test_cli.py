"""The `evenscore` command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evenscore.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = [
    "--predictions", str(EXAMPLES / "predictions.txt"),
    "--references", str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt"),
]  # fmt: skip


def test_score_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--metric", "bleu_corpus", *FILES, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bleu_corpus"]["score"] == pytest.approx(44.18, abs=0.005)


def test_unknown_option_is_told_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--metric", "bleu_corpus", *FILES, "--tokenzer", "intl"]) == 2
    assert "did you mean 'tokenizer'?" in capsys.readouterr().err
