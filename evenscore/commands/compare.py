"""`evenscore compare`: compares files of texts with a baseline."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import METRICS
from evenscore.commands.arguments import (
    OPTIONS_OF_METRICS,
    add_metric,
    has_references,
    load_scorers,
    printable,
)
from evenscore.commands.results import check_plot_file, csv_text
from evenscore.commands.systems import (
    System,
    add_systems,
    add_tests,
    named_systems,
    read_systems,
    systems_of,
    warn_of_few,
)
from evenscore.commands.tables import Table as ResultTable
from evenscore.commands.tables import as_latex, as_markdown, as_text
from evenscore.commands.texts import Files
from evenscore.commands.wording import worded
from evenscore.panels import direction
from evenscore.plots import PLOT_SUFFIXES, plot_comparison, write_plot
from evenscore.scorer import Scorer
from evenscore.significance import (
    FEWEST_ROWS,
    SIGNIFICANT,
    differs,
    p_value_text,
    without_idle_p_values,
    without_p_values,
)

HELP = "compare files of texts with a baseline: scores, intervals, p-values"
USAGE = "evenscore compare FILE FILE ... [--references FILE ...] [options]"
DESCRIPTION = f"""
Compare systems with a baseline: a table of scores, intervals and p-values.

{OPTIONS_OF_METRICS}
"""
EPILOG = """
Without --references, the references are in the baseline's table. One table may
hold all systems, each in a column of its own. A system whose score equals the
baseline's gets no p-value.

perplexity has no references. It compares the texts under one source:
--model-id FOLDER, --source lm.arpa, or --source ngram --train-texts FILE.

examples:
  evenscore compare baseline.txt system1.txt system2.txt --references ref.txt
  evenscore compare results.csv --prediction-column baseline system1 system2
  evenscore compare baseline.txt system.txt --references ref.txt \\
    --metric wer_dp --test randomization --format latex --plot scores.svg
"""
_OWN_OPTIONS = (
    "prediction_column", "references", "reference_column", "text_column", "input_format", "metric", "test", "trials",
    "confidence", "format", "plot",
)  # fmt: skip
# perplexity needs a source of probabilities, so it is not a default.
_USUAL_METRICS = [name for name in METRICS if name != "perplexity"]
_TABLES = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
_CSV_HEADER = ("system", "metric", "score", "value", "low", "high", "p_value", "signature")


def add_arguments(compare: argparse.ArgumentParser) -> None:
    add_systems(compare)
    tests = compare.add_argument_group("scores and tests")
    add_metric(tests, help=f"default: {' '.join(_USUAL_METRICS)}; also perplexity")
    add_tests(tests)
    results = compare.add_argument_group("results")
    digits = "how results are printed (default: text); json and csv have all digits"
    results.add_argument("--format", default="text", choices=[*_TABLES, "json", "csv"], help=digits)
    drawn = f"also draw scores and intervals: {', '.join(PLOT_SUFFIXES)}"
    results.add_argument("--plot", type=Path, metavar="FILE", help=drawn)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    names = known.metric or _USUAL_METRICS
    systems = systems_of(known.files, known.prediction_column)
    if known.plot is not None:
        check_plot_file(known.plot, [*known.files, *known.references])
    files = Files(known.input_format)
    scorers = load_scorers(names, others, _OWN_OPTIONS, known, files)
    shown = [system.name for system in systems]
    results, n_rows = _compare(scorers, systems, known, files)
    if n_rows < FEWEST_ROWS:
        warn_of_few(n_rows)
    if known.plot is not None:
        few = n_rows < FEWEST_ROWS
        tested = {name: without_p_values(result) if few else result for name, result in results.items()}
        write_plot(plot_comparison(tested, shown), known.plot)
    if known.format == "json":
        everything = {"baseline": shown[0], "systems": shown[1:], "metrics": results}
        return f"{json.dumps(everything, ensure_ascii=False, indent=1)}\n"
    if known.format == "csv":
        return _as_csv(scorers, shown, results)
    return f"{_TABLES[known.format](_table(scorers, shown, results, known, n_rows >= FEWEST_ROWS))}\n"


def _compare(
    scorers: Mapping[str, Scorer[Any]], systems: Sequence[System], known: argparse.Namespace, files: Files
) -> tuple[dict[str, Any], int]:
    """The result of every metric, and the number of rows; prints each warning once, with the systems' names."""
    texts, rows = read_systems(scorers, systems, known, files)
    with named_systems([system.name for system in systems]):
        results = {name: _tested(scorer, texts, rows, known) for name, scorer in scorers.items()}
    return {name: without_idle_p_values(result) for name, result in results.items()}, len(texts[0])


def _tested(scorer: Scorer[Any], texts: Sequence[Any], references: Sequence[Any], known: argparse.Namespace) -> Any:
    with worded(type(scorer)):
        if has_references(scorer):
            return scorer.compare(texts, {"references": references}, known.test, known.trials)
        return scorer.compare([{"predictions": column} for column in texts], {}, known.test, known.trials)


def _table(
    scorers: Mapping[str, Scorer[Any]],
    systems: Sequence[str],
    results: Mapping[str, Any],
    known: argparse.Namespace,
    marked: bool,
) -> ResultTable:
    """A table with one row per system and one column per headline score; marked: whether differences have a mark."""
    header, columns = [["system"]], [[[name] for name in systems]]
    for metric, result in results.items():
        for score in scorers[metric].headlines():
            header.append([f"{metric} {score}", direction(score)])
            rows = (result["baseline"], *result["systems"])
            columns.append([_cell(row, score, marked and differs(row, score, rows[0][score])) for row in rows])
    notes = [
        *([f"* differs from {systems[0]}, p < {SIGNIFICANT} (paired {known.test} test)"] if marked else []),
        *([] if known.confidence is None else [f"[low, high] is the {100 * known.confidence:g} % interval"]),
        *(f"{metric}  {printable(result['signature'])}" for metric, result in results.items()),
    ]
    return ResultTable(header, list(zip(*columns, strict=True)), notes)


def _as_csv(scorers: Mapping[str, Scorer[Any]], systems: Sequence[str], results: Mapping[str, Any]) -> str:
    """CSV with one line per system and headline score."""
    rows = []
    for metric, result in results.items():
        for name, own in zip(systems, [result["baseline"], *result["systems"]], strict=True):
            for score in scorers[metric].headlines():
                further = [own.get(f"{score}_{key}") for key in ("low", "high", "p_value")]
                rows.append((name, metric, score, own[score], *further, result["signature"]))
    return csv_text(_CSV_HEADER, rows)


def _cell(result: Mapping[str, float], score: str, marked: bool) -> list[str]:
    """The lines of a cell: the value with or without a mark, then interval and p-value if there are any."""
    number, p_value = result[score], result.get(f"{score}_p_value")
    cell = [f"{number:.4f} *" if marked else f"{number:.4f}"]
    if f"{score}_low" in result:
        cell.append(f"[{result[f'{score}_low']:.4f}, {result[f'{score}_high']:.4f}]")
    if p_value is not None:
        cell.append(p_value_text(p_value))
    return cell
