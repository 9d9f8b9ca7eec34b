"""The cards' tables of inputs, as the options are declared; `python tests/support/card_tables.py` writes them."""

from __future__ import annotations

import re
from pathlib import Path

import evenscore
from evenscore.options import Option, declared

METRICS = Path(__file__).resolve().parents[2] / "metrics"


def card_path(metric: str) -> Path:
    return METRICS / metric / "README.md"


def with_declared_options(metric: str, card: str) -> str:
    """The card, with the meaning and the default of every option that has a row in it as the code has them."""
    options = declared(evenscore.load(metric).scorer_type.declaration)["options"]

    def row(found: re.Match[str]) -> str:
        return _row(found[1], options[found[1]]) if found[1] in options else found[0]

    # Rows of three cells: those of output values have more.
    return re.sub(r"^\| `(\w+)` \|(?:[^|\n]*\|){2}$", row, card, flags=re.MULTILINE)


def _row(name: str, option: Option) -> str:
    default = list(option.default) if name in ("rouge_types", "headlines") else option.default
    shown = repr(default).replace("'", '"')
    return f"| `{name}` | {option.meaning} | `{shown}` |"


if __name__ == "__main__":
    for each in evenscore.METRICS:
        card_path(each).write_text(
            with_declared_options(each, card_path(each).read_text(encoding="utf-8")), encoding="utf-8"
        )
