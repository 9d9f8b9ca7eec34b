"""The command `evenscore` as tests call it."""

from __future__ import annotations

from typing import Any

import pytest

import evenscore
from evenscore.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command; returns its output, or the single line of its error without the name of the command.

    warning: what the command says on standard error while it succeeds.
    """
    # Other libraries may print something at their first import.
    evenscore.load("wer_dp")
    capsys.readouterr()

    def printed(*words: Any, status: int = 0, warning: str = "") -> str:
        assert main(list(map(str, words))) == status
        out, err = capsys.readouterr()
        if status == 0:
            assert err == (f"evenscore: warning: {warning}\n" if warning else "")
            return str(out)
        assert (out, err.count("\n"), err[-1]) == ("", 1, "\n")
        assert err.startswith("evenscore: ")
        return str(err).removeprefix("evenscore: ").removesuffix("\n")

    return printed
