"""`evenscore compare`: compares files of texts with a baseline."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evenscore import METRICS
from evenscore.commands.arguments import (
    SEVERAL,
    add_help,
    add_metric,
    add_references,
    check_output,
    has_references,
    joined_rows,
    load_scorers,
    printable,
    read_references,
    value,
)
from evenscore.commands.results import csv_text
from evenscore.commands.tables import Table as ResultTable
from evenscore.commands.tables import as_latex, as_markdown, as_text
from evenscore.commands.texts import (
    PREDICTIONS,
    REFERENCES,
    TRAINING_TEXTS,
    Files,
    add_column,
    add_input_format,
    check_as_many,
    check_distinct,
    has_column,
    list_column,
    shown_name,
    text_column,
)
from evenscore.parallel import require
from evenscore.plots import PLOT_SUFFIXES, direction, plot_comparison, write_plot
from evenscore.scorer import Scorer
from evenscore.significance import PAIRED_TESTS, SIGNIFICANT, differs, p_value_text
from evenscore.table_files import Table

HELP = "compare files of texts with a baseline: scores, intervals, p-values"
DESCRIPTION = "Compare systems with a baseline, row by row: a table of scores, intervals and p-values."
EPILOG = """
The files come first.  They hold one text per line, or are tables (.csv, .tsv, .jsonl, .json).  Without --references,
the references are in the baseline's table.  One table may hold all systems, each in a column of its own.  A system
that has the same texts as the baseline gets no p-value.

perplexity has no references.  It compares the texts under one source of probabilities: --model_id FOLDER,
--source lm.arpa, or --source ngram --train-texts FILE.

Give any option of a metric by its name, as for evenscore score.  `evenscore options METRIC` explains them all.

examples:
  evenscore compare baseline.txt system1.txt system2.txt --references ref1.txt ref2.txt
  evenscore compare baseline.csv system.csv --reference-column gold
  evenscore compare results.csv --prediction-column baseline system1 system2 --format csv
  evenscore compare baseline.txt system.txt --references ref.txt --metric wer_dp --test randomization --format latex
  evenscore compare baseline.txt system.txt --references ref.txt --plot scores.svg
  evenscore compare baseline.txt system.txt --metric perplexity --source ngram --train-texts train.txt
"""
_OWN_OPTIONS = (
    "prediction_column", "references", "reference_column", "text_column", "input_format", "metric", "test", "trials",
    "confidence", "format", "plot",
)  # fmt: skip
# perplexity needs a source of probabilities, so it is not a default.
_USUAL_METRICS = [name for name in METRICS if name != "perplexity"]
_TABLES = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
_CSV_HEADER = ("system", "metric", "score", "value", "low", "high", "p_value", "signature")


class _System(NamedTuple):
    """A system: its file, the column of its texts if one is given, and its name in results."""

    path: Path
    column: str | None
    name: str


def add_arguments(compare: argparse.ArgumentParser) -> None:
    add_help(compare)
    first = "the baseline's texts, then every system's: one per line, or tables"
    compare.add_argument("files", nargs="+", type=Path, metavar="FILE", help=first)
    add_column(compare, PREDICTIONS, default=[], **SEVERAL)
    add_references(compare)
    add_column(compare, TRAINING_TEXTS)
    add_input_format(compare)
    add_metric(compare, help=f"default: {' '.join(_USUAL_METRICS)}; also perplexity")
    compare.add_argument(
        "--test", default="bootstrap", choices=list(PAIRED_TESTS), help="the paired test (default: bootstrap)"
    )
    trials = ", ".join(f"{test.usual_trials} for {name}" for name, test in PAIRED_TESTS.items())
    compare.add_argument("--trials", type=int, metavar="N", help=f"trials of the test (default: {trials})")
    level = "level of the intervals (default: 0.95); None leaves them out"
    compare.add_argument("--confidence", default=0.95, type=value, metavar="LEVEL", help=level)
    digits = "how results are printed (default: text); json and csv have all digits"
    compare.add_argument("--format", default="text", choices=[*_TABLES, "json", "csv"], help=digits)
    drawn = f"also draw scores and intervals: {', '.join(PLOT_SUFFIXES)}"
    compare.add_argument("--plot", type=Path, metavar="FILE", help=drawn)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    names = known.metric or _USUAL_METRICS
    systems = _systems(known.files, known.prediction_column)
    if known.plot is not None:
        _check_plot(known.plot, [*known.files, *known.references])
    files = Files(known.input_format)
    scorers = load_scorers(names, others, _OWN_OPTIONS, known, files)
    shown = [system.name for system in systems]
    results = _compare(scorers, systems, known, files)
    if known.plot is not None:
        write_plot(plot_comparison(results, shown), known.plot)
    if known.format == "json":
        everything = {"baseline": shown[0], "systems": shown[1:], "metrics": results}
        return f"{json.dumps(everything, ensure_ascii=False, indent=1)}\n"
    if known.format == "csv":
        return _as_csv(scorers, shown, results)
    return f"{_TABLES[known.format](_table(scorers, shown, results, known))}\n"


def _systems(paths: Sequence[Path], columns: Sequence[str]) -> list[_System]:
    """The baseline and the systems: several files with at most one column name, or several columns of one file."""
    if len(paths) == 1 and len(columns) > 1:
        return [_System(paths[0], column, printable(column)) for column in columns]
    if len(paths) == 1:
        raise ValueError(
            f"no system to compare with {paths[0]}: name its file after the baseline's, or a column "
            f"for each system with {PREDICTIONS.option}"
        )
    if len(columns) > 1:
        raise ValueError(
            f"{PREDICTIONS.option} names {len(columns)} columns of {len(paths)} files: give one column for all files, "
            f"or one file with a column for each system"
        )
    column = columns[0] if columns else None
    return [_System(path, column, name) for path, name in zip(paths, _names(paths), strict=True)]


def _check_plot(path: Path, read: Iterable[Path]) -> None:
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ValueError(f"--plot {path}: name a file that ends in {', '.join(PLOT_SUFFIXES)}")
    check_output(path, read)
    require("matplotlib", "matplotlib", "--plot")


def _names(paths: Sequence[Path]) -> list[str]:
    """The base names of the files; if some are equal, with as many folders as make them distinct."""
    names = []
    for path in paths:
        others = [other.parts for other in paths if other != path]
        ends = [path.parts[-n:] for n in range(1, len(path.parts) + 1)]
        own = (end for end in ends if all(parts[-len(end) :] != end for parts in others))
        names.append(printable(shown_name(Path(*next(own, path.parts)))))
    return names


def _compare(
    scorers: Mapping[str, Scorer[Any]], systems: Sequence[_System], known: argparse.Namespace, files: Files
) -> dict[str, Any]:
    """The result of every metric; prints each warning once, with the systems' names."""
    columns = [text_column(files.read(system.path), PREDICTIONS, system.column) for system in systems]
    references = read_references(scorers, systems[0].path, known, files)
    check_as_many([*columns, *references])
    for column in columns:
        check_distinct(column, references)
    rows = joined_rows(references)
    if rows and not known.references:
        _check_same_references(rows, systems, known, files)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        texts = [column.rows for column in columns]
        results = {name: _tested(scorer, texts, rows, known) for name, scorer in scorers.items()}
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        warnings.warn(_with_names(message, [system.name for system in systems]), stacklevel=2)
    return {name: _without_idle_p_values(result, texts) for name, result in results.items()}


def _check_same_references(
    rows: Sequence[list[str]], systems: Sequence[_System], known: argparse.Namespace, files: Files
) -> None:
    """Raise ValueError if a system's table has other references than the baseline's, which means other rows."""
    columns = known.reference_column
    baseline, *others = [files.read(system.path) for system in systems]
    tables = [other for other in others if isinstance(other, Table) and other is not baseline]
    for table in (table for table in tables if has_column(table, REFERENCES, columns)):
        for i, own in enumerate(list_column(table, REFERENCES, columns).rows):
            if own != rows[i]:
                raise ValueError(
                    f"{table.place(i)} has another reference than row {i + 1} of {baseline.name}: put the rows of all "
                    f"tables into one order, or give --references FILE"
                )


def _without_idle_p_values(result: Mapping[str, Any], texts: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The result without the p-values of systems that have the same texts as the baseline."""
    systems = [
        {key: value for key, value in own.items() if column != texts[0] or not key.endswith("_p_value")}
        for own, column in zip(result["systems"], texts[1:], strict=True)
    ]
    return {**result, "systems": systems}


def _tested(scorer: Scorer[Any], texts: Sequence[Any], references: Sequence[Any], known: argparse.Namespace) -> Any:
    if has_references(scorer):
        return scorer.compare(texts, {"references": references}, known.test, known.trials)
    return scorer.compare([{"predictions": column} for column in texts], {}, known.test, known.trials)


def _with_names(message: str, systems: Sequence[str]) -> str:
    for i, name in enumerate(systems[1:]):
        message = message.replace(f"systems[{i}]", name)
    return message


def _table(
    scorers: Mapping[str, Scorer[Any]], systems: Sequence[str], results: Mapping[str, Any], known: argparse.Namespace
) -> ResultTable:
    """A table with one row per system and one column per headline score."""
    header, columns = [["system"]], [[[name] for name in systems]]
    for metric, result in results.items():
        for score in scorers[metric].headlines():
            header.append([f"{metric} {score}", direction(score)])
            rows = (result["baseline"], *result["systems"])
            columns.append([_cell(row, score, rows[0][score]) for row in rows])
    notes = [
        f"* differs from {systems[0]}, p < {SIGNIFICANT} (paired {known.test} test)",
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


def _cell(result: Mapping[str, float], score: str, baseline: float) -> list[str]:
    """The lines of a cell: the value with its mark, then interval and p-value if there are any."""
    number, p_value = result[score], result.get(f"{score}_p_value")
    cell = [f"{number:.4f} *" if differs(result, score, baseline) else f"{number:.4f}"]
    if f"{score}_low" in result:
        cell.append(f"[{result[f'{score}_low']:.4f}, {result[f'{score}_high']:.4f}]")
    if p_value is not None:
        cell.append(p_value_text(p_value))
    return cell
