"""What a page says of a score."""

from __future__ import annotations

import html
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenscore.hub.page.description import INTERVAL, Given, Input, Space

# More rows make the page slow; the worst are what one wants to see.
MOST_ROWS = 200
_MOST_CHARACTERS = 300
_MOST_FIGURES = 8


class Report(NamedTuple):
    """A score with what it is made of.

    given: columns and options as compute took them.
    result: what it returned.
    headlines: the keys of the result that stand for the metric.
    notes: what it warned of.
    """

    given: Given
    result: Mapping[str, Any]
    headlines: Sequence[str]
    notes: Sequence[str]

    @property
    def n_rows(self) -> int:
        """How many rows were scored."""
        return len(self.result[f"{self.headlines[0]}_per_example"])


def score(space: Space, metric: Any, given: Given) -> Report:
    """Score what the page was given, inputs and options by name; ValueError for what cannot be scored."""
    prepared = space.prepare(given)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = metric.compute(**prepared, per_example=True)
    own = {name: value for name, value in prepared.items() if name in metric.option_names()}
    notes = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Report(prepared, result, metric.headlines(**own), notes)


def worst_rows(space: Space, report: Report) -> list[list[Any]]:
    """The number of a row, its scores and texts; the worst row first, of equals the first."""
    columns = [report.result[f"{name}_per_example"] for name in report.headlines]
    first = np.array(columns[0], dtype=np.float64)
    order = np.argsort(-first if space.lower_is_better else first, kind="stable")[:MOST_ROWS].tolist()
    texts = [report.given[entry.name] for entry in _texts(space, report)]
    return [[i, *(shown(column[i]) for column in columns), *(_clipped(column[i]) for column in texts)] for i in order]


def row_heads(space: Space, report: Report) -> list[str]:
    """The heads of the columns of `worst_rows`."""
    return ["Row", *report.headlines, *(entry.label for entry in _texts(space, report))]


def _texts(space: Space, report: Report) -> list[Input]:
    """The inputs that rows of the report have a text of."""
    return [entry for entry in space.inputs if entry.singular and entry.name in report.given]


def scores_html(space: Space, report: Report) -> str:
    """The headlines with their intervals, what the metric warned of, all other figures, the signature."""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in report.notes)
    headlines = "".join(_headline_html(name, report, space.lower_is_better) for name in report.headlines)
    texts = {html.escape(name): html.escape(shown(value)) for name, value in _figures(report).items()}
    figures = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in texts.items())
    signed = html.escape(report.result["signature"])
    signature = f'<p class="signature">Signature, to be reported with the score: <code>{signed}</code></p>'
    return f'<div class="headlines">{headlines}</div>{notes}<dl class="figures">{figures}</dl>{signature}'


def picture_html(space: Space, metric: Any, report: Report, number: Any) -> str:
    """Why a row has its score.  Raises ValueError if there is no such row."""
    if not isinstance(number, int) or not 0 <= number < report.n_rows:
        raise ValueError(f"There is no row {number}: choose one from 0 to {report.n_rows - 1}")
    names = {entry.name: entry.singular for entry in space.inputs if entry.singular}
    row = {names[name]: column[number] for name, column in report.given.items() if name in names}
    unused = {*names, *(option.name for option in INTERVAL)}
    others = {name: value for name, value in report.given.items() if name not in unused}
    return str(metric.picture(**row, **others).html())


def shown(value: Any) -> str:
    """A figure for people.

    >>> shown(0.25), shown(20000), shown([0.5, 1.0])
    ('0.2500', '20,000', '0.5000  1.0000')
    """
    if isinstance(value, list):
        more = ["…"] * (len(value) > _MOST_FIGURES)
        return "  ".join([*map(shown, value[:_MOST_FIGURES]), *more])
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _headline_html(name: str, report: Report, lower_is_better: bool) -> str:
    better = "lower is better" if lower_is_better else "higher is better"
    value, low, high = (shown(report.result.get(f"{name}{end}")) for end in ("", "_low", "_high"))
    level = report.given.get("confidence")
    beside = better if level is None else f"{100 * level:g} % interval {low} to {high}, {better}"
    named = f'<span class="name">{html.escape(name)}</span>'
    return f"<div>{named} <strong>{value}</strong> <span>{beside}</span></div>"


def _figures(report: Report) -> dict[str, Any]:
    """What the result holds that stands nowhere else on the page."""
    ends = ("", "_low", "_mean", "_high", "_per_example")
    elsewhere = {"signature", *(f"{name}{end}" for name in report.headlines for end in ends)}
    return {name: value for name, value in report.result.items() if name not in elsewhere}


def _clipped(cell: Any) -> str:
    """A text, several below each other, or numbers."""
    parts = cell if isinstance(cell, list) else [cell]
    text = ("\n" if isinstance(parts[0], str) else " ").join(map(str, parts))
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
