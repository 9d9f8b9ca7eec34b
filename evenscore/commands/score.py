"""`evenscore score`: scores a file of texts, against references if the metric takes them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import METRICS
from evenscore.commands.arguments import (
    OPTIONS_OF_METRICS,
    SEVERAL,
    add_confidence,
    add_metric,
    add_references,
    has_references,
    joined_rows,
    load_scorers,
    read_references,
)
from evenscore.commands.results import ROWS_SUFFIXES, check_rows_file, csv_text, write_rows
from evenscore.commands.tables import aligned
from evenscore.commands.texts import (
    CONTEXTS,
    GROUPS,
    PREDICTIONS,
    REFERENCES,
    TRAINING_TEXTS,
    Column,
    Files,
    add_column,
    add_input_format,
    check_as_many,
    check_distinct,
    label_column,
    text_column,
)
from evenscore.commands.wording import option_word, worded
from evenscore.inputs import label_name
from evenscore.pictures import visible_label
from evenscore.scorer import Scorer

HELP = "score a file of texts against references"
USAGE = """evenscore score --metric NAME ... --predictions FILE
                       [--references FILE ...] [options]"""
DESCRIPTION = f"""
Score a file of texts, against references if the metric takes them.

{OPTIONS_OF_METRICS}
"""
EPILOG = """
Several files of references give every row several references. A table may hold
predictions and references: then leave --references out. - is standard input.

perplexity has no references. It needs a source of probabilities:
--model-id FOLDER, --source lm.arpa, or --source ngram --train-texts FILE.

examples:
  evenscore score --metric bleu_corpus wer_dp --predictions hyp.txt \\
    --references ref1.txt ref2.txt --confidence 0.95
  evenscore score --metric wer_dp --predictions results.csv --rows scores.csv
  evenscore score --metric perplexity --predictions hyp.txt \\
    --source ngram --train-texts train.txt
"""
_OWN_OPTIONS = (
    "metric", "predictions", "prediction_column", "references", "reference_column", "contexts", "context_column",
    "text_column", "group_column", "input_format", "confidence", "rows", "format", "json",
)  # fmt: skip
_WITH_CONTEXTS = ("perplexity",)
_CSV_HEADER = ("metric", "score", "value", "low", "high", "signature")


def add_arguments(score: argparse.ArgumentParser) -> None:
    texts = score.add_argument_group("texts")
    add_metric(texts, required=True, help=", ".join(METRICS))
    read = "the texts to score: one per line, or a table; in UTF-8"
    texts.add_argument("--predictions", required=True, type=Path, metavar="FILE", help=read)
    add_references(texts)
    before = "for perplexity: the text before each text, read but not scored"
    texts.add_argument("--contexts", type=Path, metavar="FILE", help=before)
    add_input_format(texts)
    columns = score.add_argument_group("columns of tables")
    add_column(columns, PREDICTIONS)
    add_column(columns, REFERENCES, default=[], **SEVERAL)
    add_column(columns, CONTEXTS)
    add_column(columns, TRAINING_TEXTS)
    labels = "the column of labels, such as speakers: also print the scores of the rows of each label"
    columns.add_argument(GROUPS.option, metavar="NAME", help=labels)
    results = score.add_argument_group("results")
    add_confidence(results, None, "add bootstrap intervals, for example 0.95")
    every = f"also write the scores of every row ({' or '.join(ROWS_SUFFIXES)}), counted from 1"
    results.add_argument("--rows", type=Path, metavar="FILE", help=every)
    forms = results.add_mutually_exclusive_group()
    shown = "text: a table of the main scores (default); csv: with all digits; json: everything"
    forms.add_argument("--format", default="text", choices=["text", "json", "csv"], help=shown)
    forms.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    files = Files(known.input_format)
    if known.rows is not None:
        check_rows_file(known.rows, [known.predictions, *known.references])
    scorers = load_scorers(known.metric, others, _OWN_OPTIONS, known, files)
    _check_effects(scorers, known.format)
    if (known.contexts or known.context_column) and not set(scorers) & set(_WITH_CONTEXTS):
        option = "--contexts" if known.contexts else CONTEXTS.option
        raise ValueError(f"{', '.join(scorers)} has no contexts: leave {option} out")
    corpora, groups = _corpora(scorers, known, files)
    results, rows = _score(scorers, corpora, groups, known.rows is not None)
    text = _FORMATS[known.format](scorers, results, known)
    if known.rows is not None:
        write_rows(known.rows, rows)
    return text


def _check_effects(scorers: Mapping[str, Scorer[Any]], form: str) -> None:
    """Raise ValueError for an option that would change nothing of the output."""
    for name in ("per_example", "per_token"):
        if form != "json" and any(scorer.options.get(name) for scorer in scorers.values()):
            raise ValueError(f"{option_word(name)} shows in JSON only: add --json; --rows FILE writes scores of rows")
    resampling = [scorer for scorer in scorers.values() if "n_resamples" in scorer.given]
    if resampling and not any(scorer.drawn() for scorer in resampling):
        raise ValueError("--n-resamples is the number of resamples of an interval: add one by --confidence 0.95")


def _score(
    scorers: Mapping[str, Scorer[Any]],
    corpora: Mapping[str, Mapping[str, Any]],
    groups: Sequence[str] | None,
    with_rows: bool,
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """The result of every metric, and the scores of every row by name."""
    results: dict[str, Any] = {}
    rows: dict[str, list[float]] = {}
    for name, scorer in scorers.items():
        asked = scorer.options["per_example"]
        computing = scorer.under({"per_example": True, "scalars_only": False}) if with_rows else scorer
        with worded(type(scorer)):
            scorer.checked_groups(groups, {})
            whole = computing.compute(corpora[name], groups=groups)
        if with_rows:
            own = {f"{score}_per_example": f"{name}_{score}" for score in scorer.headlines()}
            rows.update({column: whole[key] for key, column in own.items()})
            results[name] = scorer.visible({key: v for key, v in whole.items() if asked or key not in own})
        else:
            results[name] = whole
    return results, rows


def _corpora(
    scorers: Mapping[str, Scorer[Any]], known: argparse.Namespace, files: Files
) -> tuple[dict[str, dict[str, Any]], list[str] | None]:
    """The columns that every metric computes on, and the labels of the rows, if there are some."""
    predictions = text_column(files.read(known.predictions), PREDICTIONS, known.prediction_column)
    contexts = _contexts(known, files)
    references = read_references(scorers, known.predictions, known, files)
    groups = _groups(known, files)
    check_as_many([predictions, *contexts, *references, *groups])
    check_distinct(predictions, references)
    given = {"predictions": predictions.rows, "references": joined_rows(references)}
    corpora = {}
    for name, scorer in scorers.items():
        wanted = ["predictions", *(["references"] if has_references(scorer) else [])]
        before = {"contexts": contexts[0].rows} if contexts and name in _WITH_CONTEXTS else {}
        corpora[name] = {**{each: given[each] for each in wanted}, **before}
    return corpora, list(map(label_name, groups[0].rows)) if groups else None


def _groups(known: argparse.Namespace, files: Files) -> list[Column]:
    """The column of labels, if one is asked for; it may be in the table of predictions or in one of references."""
    if known.group_column is None:
        return []
    return [label_column([files.read(path) for path in (known.predictions, *known.references)], known.group_column)]


def _contexts(known: argparse.Namespace, files: Files) -> list[Column]:
    """The column of contexts, if there is one; it may be in the table of the predictions."""
    if known.contexts is None and known.context_column is None:
        return []
    return [text_column(files.read(known.contexts or known.predictions), CONTEXTS, known.context_column)]


# --- output


def _as_json(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    return f"{json.dumps(results, ensure_ascii=False, indent=1)}\n"


def _as_csv(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    """CSV with one line per headline score, of all rows and of each group, with all digits."""
    rows = []
    for name, scorer in scorers.items():
        result = results[name]
        parts = {None: result, **result.get("groups", {})}
        for group, part in parts.items():
            for score in scorer.headlines():
                if not isinstance(part[score], float):
                    raise ValueError(f"{name}: {score} has {_shown(part[score])} or --rows FILE")
                ends = (part.get(f"{score}_low"), part.get(f"{score}_high"))
                of_group = () if known.group_column is None else (group, part.get("rows"))
                rows.append((name, score, part[score], *ends, result.get("signature"), *of_group))
    return csv_text([*_CSV_HEADER, *(() if known.group_column is None else ("group", "rows"))], rows)


def _as_text(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    """A table with one line per score, one with a line per group if there are some, then the signatures."""
    level = "" if known.confidence is None else f"{100 * known.confidence:g} % interval"
    scores = [(name, score) for name, scorer in scorers.items() for score in scorer.headlines()]
    totals = [(name, score, _shown(results[name][score]), _interval(results[name], score)) for name, score in scores]
    tables: list[list[tuple[str, ...]]] = [[("metric", "score", "value", level), *totals]]
    if known.group_column is not None:
        tables.append(_group_table(scores, results, level))
    signatures = [f"{name}  {result['signature']}" for name, result in results.items() if "signature" in result]
    blocks = [*("\n".join(aligned(table)) for table in tables), "\n".join(signatures)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _group_table(scores: Sequence[tuple[str, str]], results: Mapping[str, Any], level: str) -> list[tuple[str, ...]]:
    """A header, then a line per group: its label, its rows, and each score, with its interval if there are some."""
    interval = [level] if level else []
    header = ["group", "rows", *(cell for name, score in scores for cell in (f"{name} {score}", *interval))]
    groups = next(iter(results.values()))["groups"]
    lines = [tuple(header)]
    for label, group in groups.items():
        own = [(results[name]["groups"][label], score) for name, score in scores]
        cells = [cell for part, score in own for cell in (_shown(part[score]), _interval(part, score))]
        lines.append((visible_label(label), str(group["rows"]), *(cells if level else cells[::2])))
    return lines


_FORMATS = {"text": _as_text, "json": _as_json, "csv": _as_csv}


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{len(value)} values, see --json"


def _interval(result: Mapping[str, Any], score: str) -> str:
    if f"{score}_low" not in result:
        return ""
    return f"{result[f'{score}_low']:.4f} .. {result[f'{score}_high']:.4f}"
