"""`evenscore report`: shows how systems differ, as one HTML file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from evenscore.commands.arguments import OPTIONS_OF_METRICS, has_references, load_scorers, metric_name, printable
from evenscore.commands.results import check_page_file
from evenscore.commands.systems import (
    add_systems,
    add_tests,
    named_systems,
    read_systems,
    systems_of,
    warn_of_few,
)
from evenscore.commands.texts import GROUPS, Files, label_column
from evenscore.commands.wording import worded
from evenscore.parallel import require
from evenscore.significance import FEWEST_ROWS

HELP = "show how systems differ, with the rows and words behind it, as one HTML file"
USAGE = """evenscore report FILE FILE ... --metric NAME --output FILE
                        [--references FILE ...] [options]"""
DESCRIPTION = f"""
Write an HTML file that opens without a network: scores with intervals and
p-values, the rows that differ most, kinds of rows, and the words behind it.
The first system is the baseline.

{OPTIONS_OF_METRICS}
"""
EPILOG = """
Without --references, the references are in the baseline's table. One table may
hold all systems, each in a column of its own.

examples:
  evenscore report baseline.txt system.txt --references ref.txt \\
    --metric wer_dp --output report.html
  evenscore report results.csv --prediction-column baseline system \\
    --metric bleu_corpus --group-column domain --output report.html
"""
_OWN_OPTIONS = (
    "prediction_column", "references", "reference_column", "text_column", "input_format", "metric", "group_column",
    "test", "trials", "confidence", "rows", "output",
)  # fmt: skip


def add_arguments(report: argparse.ArgumentParser) -> None:
    columns = add_systems(report)
    groups = "columns that divide the rows, in the table of a system or of the references"
    columns.add_argument(GROUPS.option, nargs="+", action="extend", default=[], metavar="NAME", help=groups)
    tests = report.add_argument_group("scores and tests")
    known = "bleu_corpus, rouge_l_multi or wer_dp"
    tests.add_argument("--metric", required=True, type=metric_name, metavar="NAME", help=known)
    add_tests(tests)
    results = report.add_argument_group("results")
    results.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the HTML file to write")
    shown = "how many of the rows that differ most are shown (default: 300)"
    results.add_argument("--rows", type=int, default=300, metavar="N", help=shown)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    systems = systems_of(known.files, known.prediction_column)
    check_page_file(known.output, [*known.files, *known.references])
    require("jinja2", "jinja2", "evenscore report")
    files = Files(known.input_format)
    scorers = load_scorers([known.metric], others, _OWN_OPTIONS, known, files)
    scorer = scorers[known.metric]
    if not has_references(scorer):
        raise ValueError(f"{known.metric} has no references, which a report needs: choose another --metric")
    texts, references = read_systems(scorers, systems, known, files)
    if len(references) < FEWEST_ROWS:
        warn_of_few(len(references))
    named = {system.name: own for system, own in zip(systems, texts, strict=True)}
    tables = [files.read(path) for path in (*known.files, *known.references)]
    groups = {name: label_column(tables, name).rows for name in known.group_column}
    # Imported here: the scorers take a while.
    from evenscore.reporting import Comparing, write_report

    with named_systems(list(named)), worded(type(scorer)):
        write_report(
            cast(Comparing, scorer), named, references, known.output,
            groups=groups, test=known.test, n_trials=known.trials, n_rows=known.rows,
        )  # fmt: skip
    return f"{printable(str(known.output))}: report on {len(systems)} systems\n"
