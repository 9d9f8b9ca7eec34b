"""The report of a score: figures, tables of rows, pictures."""

from __future__ import annotations

import csv
import html
import io
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenscore.hub.page.description import INTERVAL, SECOND, Figure, Given, Input, Space
from evenscore.inputs import amount, rows_from_one
from evenscore.pictures import visible
from evenscore.significance import FEWEST_ROWS, PAIRED_TESTS, differs, p_value_text

# The page shows only the worst rows, because more rows would make it slow.
MOST_ROWS = 200
_MOST_CHARACTERS = 300
_MOST_FIGURES = 8


class Report(NamedTuple):
    """The result of a metric with its inputs.

    given: the columns and options that compute got.
    result: the result of compute.
    headlines: the keys of the main scores in the result.
    notes: the warnings of compute.
    second: the columns of a second system, by compute's names; empty if there is none.
    second_result: the results of compute and compare for the second system.
    """

    given: Given
    result: Mapping[str, Any]
    headlines: Sequence[str]
    notes: Sequence[str]
    second: Given
    second_result: Mapping[str, Any]

    @property
    def n_rows(self) -> int:
        """The number of scored rows."""
        return len(self.result[f"{self.headlines[0]}_per_example"])


def score(space: Space, metric: Any, given: Given) -> Report:
    """Score the inputs of the page with its options, both by name; ValueError if they cannot be scored."""
    second = {name.removeprefix(SECOND): column for name, column in given.items() if name.startswith(SECOND)}
    prepared = space.prepare({name: value for name, value in given.items() if not name.startswith(SECOND)})
    _check_second(space, prepared, second)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = metric.compute(**prepared, per_example=True)
            second_result = _second_result(metric, prepared, second) if second else {}
        except ValueError as error:
            raise ValueError(rows_from_one(str(error))) from error
    own = {name: value for name, value in prepared.items() if name in metric.option_names()}
    notes = list(dict.fromkeys(_with_systems_named(str(warning.message)) for warning in caught))
    return Report(prepared, result, metric.headlines(**own), notes, second, second_result)


def _check_second(space: Space, given: Given, second: Given) -> None:
    """Raise ValueError if the first system lacks a column of the second one, or has another number of rows."""
    labels = {entry.name: entry.label for entry in space.inputs}
    for name, column in second.items():
        own, other = labels[name], labels[SECOND + name]
        if name not in given:
            raise ValueError(f"{own} are missing: without those of the first system there is nothing to compare")
        if len(column) != len(given[name]):
            raise ValueError(f"{other}: {amount(len(column), 'rows')}, but {own} has {len(given[name])}")


def _second_result(metric: Any, given: Given, second: Given) -> dict[str, Any]:
    """The result of compute for the second system, with the p-values of its differences from the first one."""
    common = {name: value for name, value in given.items() if name not in second}
    systems = [{name: columns[name] for name in second} for columns in (given, second)]
    if "references" in given:
        systems = [columns["predictions"] for columns in systems]
    (compared,) = metric.compare(*systems, **common)["systems"]
    return {**metric.compute(**common, **second, per_example=True), **compared}


def _with_systems_named(message: str) -> str:
    return rows_from_one(message).replace("systems[0]", "the second system").replace("the baseline", "the first system")


def row_scores_csv(report: Report) -> str:
    """The scores of every row as CSV with a header and all digits; rows count from 1."""
    results = {"": report.result, SECOND: report.second_result}
    columns = {
        f"{prefix}{name}": result[f"{name}_per_example"]
        for prefix, result in results.items()
        for name in report.headlines
        if result
    }
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["row", *columns])
    writer.writerows([row, *scores] for row, scores in enumerate(zip(*columns.values(), strict=True), 1))
    return file.getvalue()


def worst_rows(space: Space, report: Report) -> list[list[Any]]:
    """The number (from 1), scores and texts of the worst rows, worst first; equally bad rows keep their order."""
    columns = [report.result[f"{name}_per_example"] for name in report.headlines]
    first = np.array(columns[0], dtype=np.float64)
    order = np.argsort(-first if space.lower_is_better else first, kind="stable")[:MOST_ROWS].tolist()
    texts = [report.given[entry.name] for entry in _texts(space, report)]
    return [
        [i + 1, *(shown(column[i]) for column in columns), *(_clipped(column[i]) for column in texts)] for i in order
    ]


def row_heads(space: Space, report: Report) -> list[str]:
    """The headings of the columns of `worst_rows`."""
    known = space.figures(report.given)
    return ["Row", *(known[name].name for name in report.headlines), *(entry.label for entry in _texts(space, report))]


def _texts(space: Space, report: Report) -> list[Input]:
    """The inputs with a text for every row of the report."""
    return [entry for entry in space.inputs if entry.singular and entry.name in report.given]


def scores_html(space: Space, report: Report) -> str:
    """The main scores with their intervals, the warnings, and all other figures."""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in report.notes)
    known = space.figures(report.given)
    headlines = "".join(_headline_html(name, known[name], report, space.lower_is_better) for name in report.headlines)
    figures = "".join(
        f"<div>{_named_html('dt', name, figure)}<dd>{_value_html(report.result[name], figure)}</dd></div>"
        for name, figure in known.items()
        if name in report.result and name not in report.headlines
    )
    return f'<div class="headlines">{headlines}</div>{notes}<dl class="figures">{figures}</dl>'


def picture_html(space: Space, metric: Any, report: Report, number: Any) -> str:
    """The picture that explains the score of a row, counted from 1.  Raises ValueError if there is no such row."""
    if not isinstance(number, int) or not 1 <= number <= report.n_rows:
        raise ValueError(f"There is no row {number}: choose one from 1 to {report.n_rows}")
    names = {entry.name: entry.singular for entry in space.inputs if entry.singular}
    row = {names[name]: column[number - 1] for name, column in report.given.items() if name in names}
    unused = {*names, *(option.name for option in INTERVAL)}
    others = {name: value for name, value in report.given.items() if name not in unused}
    return str(metric.picture(**row, **others).html())


def comparison_html(space: Space, metric: Any, report: Report) -> str:
    """The file that shows how the second system differs from the first one, under the options of the page.

    Raises ValueError if there is no second system, or if the page offers no such file.
    """
    if space.report is None or not report.second:
        raise ValueError("There is no second system to compare with: give one, and press Score")
    own = {name: value for name, value in report.given.items() if name in metric.option_names()}
    systems = {"system 1": report.given["predictions"], "system 2": report.second["predictions"]}
    with warnings.catch_warnings():
        # The page shows them already.
        warnings.simplefilter("ignore")
        return space.report(metric.scorer_type(**own), systems, report.given["references"])


def shown(value: Any) -> str:
    """Format a figure for display.

    >>> shown(0.25), shown(20000), shown([0.5, 1.0])
    ('0.2500', '20,000', '0.5000  1.0000')
    """
    if isinstance(value, list):
        more = ["…"] * (len(value) > _MOST_FIGURES)
        return "  ".join([*map(shown, value[:_MOST_FIGURES]), *more])
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _headline_html(name: str, figure: Figure, report: Report, lower_is_better: bool) -> str:
    """The main score, and next to it that of the second system, if there is one."""
    level = report.given.get("confidence")

    def one(title: str, result: Mapping[str, Any], said: str) -> str:
        low, high = (shown(result.get(f"{name}{end}")) for end in ("_low", "_high"))
        interval = "" if level is None else f"{100 * level:g} % interval {low} to {high}, "
        named = _named_html("p", name, figure, title)
        return f"<div>{named}<strong>{_value_html(result[name], figure)}</strong><span>{interval}{said}</span></div>"

    first = one("", report.result, "lower is better" if lower_is_better else "higher is better")
    if not report.second:
        return first
    return first + one("Second system: ", report.second_result, _verdict(name, report, lower_is_better))


def _verdict(name: str, report: Report, lower_is_better: bool) -> str:
    first, second = report.result[name], report.second_result
    if second[name] == first:
        return "no significant difference: the same score"
    better = "better" if (second[name] < first) == lower_is_better else "worse"
    said = f"{better} than the first system" if differs(second, name, first) else "no significant difference"
    if report.n_rows < FEWEST_ROWS:
        said = f"no significant difference: fewer than {FEWEST_ROWS} rows cannot show one"
    p_value, trials = p_value_text(second[f"{name}_p_value"]), PAIRED_TESTS["bootstrap"].usual_trials
    return f"{said}, {p_value} (paired bootstrap test, {trials:,} trials)"


def _named_html(tag: str, key: str, figure: Figure, title: str = "") -> str:
    """The name of a figure, with a tooltip that explains it on hover, touch or focus."""
    about, name = html.escape(f"about-{'second-' * bool(title)}{key}"), html.escape(f"{title}{figure.name}")
    tip = f'<span role="tooltip" id="{about}">{html.escape(figure.meaning)}</span>'
    return f'<{tag} class="name"><span tabindex="0" aria-describedby="{about}">{name}</span>{tip}</{tag}>'


def _value_html(value: Any, figure: Figure) -> str:
    unit = f" <small>{html.escape(figure.unit)}</small>" if figure.unit else ""
    return f"{html.escape(shown(value))}{unit}"


def _clipped(cell: Any) -> str:
    """A cell as visible text, shortened if it is long; several texts have one line each."""
    parts = cell if isinstance(cell, list) else [cell]
    text = ("\n" if isinstance(parts[0], str) else " ").join(visible(str(part)) for part in parts)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
