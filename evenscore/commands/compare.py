"""`evenscore compare`: files of texts against a baseline."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import METRICS
from evenscore.commands.arguments import (
    SEVERAL,
    add_help,
    add_references,
    aligned_lines,
    check_output,
    has_references,
    load_scorers,
    value,
)
from evenscore.commands.tables import Table, as_latex, as_markdown, as_text
from evenscore.parallel import require
from evenscore.plots import PLOT_SUFFIXES, direction, plot_comparison, write_plot
from evenscore.scorer import Scorer
from evenscore.significance import PAIRED_TESTS, SIGNIFICANT, differs, p_value_text

HELP = "compare files of texts with a baseline: scores, intervals, p-values"
DESCRIPTION = "Compare systems with a baseline line by line: a table of scores, intervals, p-values."
EPILOG = """
The files come first. Any option of a metric can be given by its name, as for evenscore score. perplexity compares
the texts under one source of probabilities, such as --model_id FOLDER, --source lm.arpa, or --source ngram
--train-texts FILE; it has no references.

examples:
  evenscore compare baseline.txt system1.txt system2.txt --references ref1.txt ref2.txt
  evenscore compare baseline.txt system.txt --references ref.txt --metric wer_dp --test randomization --format latex
  evenscore compare baseline.txt system.txt --references ref.txt --plot scores.svg
  evenscore compare baseline.txt system.txt --metric perplexity --source ngram --train-texts train.txt
"""
_OWN_OPTIONS = ("references", "metric", "test", "trials", "confidence", "format", "plot")
# The others need a source of probabilities.
_USUAL_METRICS = [name for name in METRICS if name != "perplexity"]
_TABLES = {"text": as_text, "markdown": as_markdown, "latex": as_latex}


def add_arguments(compare: argparse.ArgumentParser) -> None:
    add_help(compare)
    first = "the baseline's texts, then every system's, one a line"
    compare.add_argument("files", nargs="+", type=Path, metavar="FILE", help=first)
    add_references(compare)
    usual = f"default: {' '.join(_USUAL_METRICS)}"
    compare.add_argument("--metric", **SEVERAL, choices=METRICS, metavar="NAME", help=usual)
    compare.add_argument("--test", default="bootstrap", choices=list(PAIRED_TESTS), help="the paired test")
    trials = ", ".join(f"{test.usual_trials} for {name}" for name, test in PAIRED_TESTS.items())
    compare.add_argument("--trials", type=int, metavar="N", help=f"of the test (default: {trials})")
    level = "of the intervals (default: 0.95); None leaves them out"
    compare.add_argument("--confidence", default=0.95, type=value, metavar="LEVEL", help=level)
    compare.add_argument("--format", default="text", choices=[*_TABLES, "json"], help="json prints all digits")
    drawn = f"also draw scores and intervals: {', '.join(PLOT_SUFFIXES)}"
    compare.add_argument("--plot", type=Path, metavar="FILE", help=drawn)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    names = known.metric or _USUAL_METRICS
    if len(known.files) == 1:
        raise ValueError(f"no system to compare with {known.files[0]}: name its file after the baseline's")
    if known.plot is not None:
        _check_plot(known.plot)
    scorers = load_scorers(names, others, _OWN_OPTIONS, known)
    systems = _names(known.files)
    results = _compare(scorers, systems, known)
    if known.plot is not None:
        write_plot(plot_comparison(results, systems), known.plot)
    if known.format == "json":
        everything = {"baseline": systems[0], "systems": systems[1:], "metrics": results}
        return f"{json.dumps(everything, ensure_ascii=False, indent=1)}\n"
    return f"{_TABLES[known.format](_table(scorers, systems, results, known))}\n"


def _check_plot(path: Path) -> None:
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ValueError(f"--plot {path}: name a file that ends in {', '.join(PLOT_SUFFIXES)}")
    check_output(path)
    require("matplotlib", "matplotlib", "--plot")


def _names(paths: Sequence[Path]) -> list[str]:
    """The base names; where files are named alike, as much of their paths as tells them apart."""
    names = []
    for path in paths:
        others = [other.parts for other in paths if other != path]
        ends = [path.parts[-n:] for n in range(1, len(path.parts) + 1)]
        own = (end for end in ends if all(parts[-len(end) :] != end for parts in others))
        names.append(_printable(str(Path(*next(own, path.parts)))))
    return names


def _printable(name: str) -> str:
    """Names of files may hold line feeds, and bytes that are no text."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _compare(scorers: Mapping[str, Scorer[Any]], systems: Sequence[str], known: argparse.Namespace) -> dict[str, Any]:
    """What every metric says, warnings told once and with the systems' names."""
    columns = aligned_lines([*known.files, *known.references])
    texts = columns[: len(systems)]
    references = [list(row) for row in zip(*columns[len(systems) :], strict=True)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        results = {name: _tested(scorer, texts, references, known) for name, scorer in scorers.items()}
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        warnings.warn(_with_names(message, systems), stacklevel=2)
    return results


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
) -> Table:
    """A row a system, a column a headline score."""
    header, columns = [["system"]], [[[name] for name in systems]]
    for metric, result in results.items():
        for score in scorers[metric].headlines():
            header.append([f"{metric} {score}", direction(score)])
            rows = (result["baseline"], *result["systems"])
            columns.append([_cell(row, score, rows[0][score]) for row in rows])
    notes = [
        f"* differs from {systems[0]}, p < {SIGNIFICANT} (paired {known.test} test)",
        *([] if known.confidence is None else [f"[low, high] is the {100 * known.confidence:g} % interval"]),
        *(f"{metric}  {_printable(result['signature'])}" for metric, result in results.items()),
    ]
    return Table(header, list(zip(*columns, strict=True)), notes)


def _cell(result: Mapping[str, float], score: str, baseline: float) -> list[str]:
    """A value with its mark, its interval, its p-value, as far as there are any."""
    number, p_value = result[score], result.get(f"{score}_p_value")
    cell = [f"{number:.4f} *" if differs(result, score, baseline) else f"{number:.4f}"]
    if f"{score}_low" in result:
        cell.append(f"[{result[f'{score}_low']:.4f}, {result[f'{score}_high']:.4f}]")
    if p_value is not None:
        cell.append(p_value_text(p_value))
    return cell
