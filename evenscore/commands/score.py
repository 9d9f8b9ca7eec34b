"""`evenscore score`: scores a file of texts, against references if the metric takes them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import METRICS
from evenscore.commands.arguments import (
    add_help,
    add_metric,
    add_references,
    has_references,
    joined_rows,
    load_scorers,
    read_references,
)
from evenscore.commands.results import ROWS_SUFFIXES, check_rows_file, csv_text, write_rows
from evenscore.commands.tables import justified
from evenscore.commands.texts import (
    CONTEXTS,
    PREDICTIONS,
    TRAINING_TEXTS,
    Column,
    Files,
    add_column,
    add_input_format,
    check_as_many,
    check_distinct,
    text_column,
)
from evenscore.scorer import Scorer

HELP = "score a file of texts against references"
DESCRIPTION = "Score a file of texts, one per line or table row, against references if the metric takes them."
EPILOG = """
A table (.csv, .tsv, .jsonl, .json) may hold predictions and references side by side: then leave --references out.
Several files of references, or several columns, give every row several references.  A file named - is standard input.

perplexity has no references.  It needs a source of probabilities: --model_id FOLDER, --source lm.arpa, or
--source ngram --train-texts FILE.

Give any option of a metric by its name, as in --tokenizer intl, --lowercase or --max-order 2.  It goes to every metric
that has it; --bleu_corpus.tokenizer intl is for one metric alone.  `evenscore options METRIC` explains them all.

examples:
  evenscore score --metric bleu_corpus wer_dp --predictions hyp.txt --references ref1.txt ref2.txt --confidence 0.95
  evenscore score --metric wer_dp --predictions results.csv --prediction-column answer --reference-column gold
  evenscore score --metric rouge_l_multi --predictions results.jsonl --rows scores.csv
  evenscore score --metric perplexity --predictions hyp.txt --source ngram --train-texts train.txt
  evenscore score --metric perplexity --predictions answers.txt --contexts questions.txt --model_id FOLDER
"""
_OWN_OPTIONS = (
    "metric", "predictions", "prediction_column", "references", "reference_column", "contexts", "context_column",
    "text_column", "input_format", "confidence", "rows", "format", "json",
)  # fmt: skip
_WITH_CONTEXTS = ("perplexity",)
_CSV_HEADER = ("metric", "score", "value", "low", "high", "signature")


def add_arguments(score: argparse.ArgumentParser) -> None:
    add_help(score)
    add_metric(score, required=True, help=", ".join(METRICS))
    read = "the texts to score: one per line, or a table; in UTF-8"
    score.add_argument("--predictions", required=True, type=Path, metavar="FILE", help=read)
    add_column(score, PREDICTIONS)
    add_references(score)
    before = "for perplexity: the text before each text, which is read but not scored"
    score.add_argument("--contexts", type=Path, metavar="FILE", help=before)
    add_column(score, CONTEXTS)
    add_column(score, TRAINING_TEXTS)
    add_input_format(score)
    score.add_argument("--confidence", type=float, metavar="LEVEL", help="add bootstrap intervals, for example 0.95")
    every = f"also write the scores of every row to this file ({' or '.join(ROWS_SUFFIXES)})"
    score.add_argument("--rows", type=Path, metavar="FILE", help=every)
    forms = score.add_mutually_exclusive_group()
    shown = "text: a table of the main scores; csv: the same with all digits; json: everything (default: text)"
    forms.add_argument("--format", default="text", choices=["text", "json", "csv"], help=shown)
    forms.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    files = Files(known.input_format)
    if known.rows is not None:
        check_rows_file(known.rows, [known.predictions, *known.references])
    scorers = load_scorers(known.metric, others, _OWN_OPTIONS, known, files)
    if (known.contexts or known.context_column) and not set(scorers) & set(_WITH_CONTEXTS):
        option = "--contexts" if known.contexts else CONTEXTS.option
        raise ValueError(f"{', '.join(scorers)} has no contexts: leave {option} out")
    results, rows = _score(scorers, _corpora(scorers, known, files), known.rows is not None)
    text = _FORMATS[known.format](scorers, results, known)
    if known.rows is not None:
        write_rows(known.rows, rows)
    return text


def _score(
    scorers: Mapping[str, Scorer[Any]], corpora: Mapping[str, Mapping[str, Any]], with_rows: bool
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """The result of every metric, and the scores of every row by name."""
    results: dict[str, Any] = {}
    rows: dict[str, list[float]] = {}
    for name, scorer in scorers.items():
        if with_rows:
            whole = scorer.under({"per_example": True, "scalars_only": False}).compute(corpora[name])
            own = {f"{score}_per_example": f"{name}_{score}" for score in scorer.headlines()}
            rows.update({column: whole[key] for key, column in own.items()})
            asked = scorer.options["per_example"]
            results[name] = scorer.visible({key: v for key, v in whole.items() if asked or key not in own})
        else:
            results[name] = scorer.compute(corpora[name])
    return results, rows


def _corpora(scorers: Mapping[str, Scorer[Any]], known: argparse.Namespace, files: Files) -> dict[str, dict[str, Any]]:
    """The columns that every metric computes on."""
    predictions = text_column(files.read(known.predictions), PREDICTIONS, known.prediction_column)
    contexts = _contexts(known, files)
    references = read_references(scorers, known.predictions, known, files)
    check_as_many([predictions, *contexts, *references])
    check_distinct(predictions, references)
    given = {"predictions": predictions.rows, "references": joined_rows(references)}
    corpora = {}
    for name, scorer in scorers.items():
        wanted = ["predictions", *(["references"] if has_references(scorer) else [])]
        before = {"contexts": contexts[0].rows} if contexts and name in _WITH_CONTEXTS else {}
        corpora[name] = {**{each: given[each] for each in wanted}, **before}
    return corpora


def _contexts(known: argparse.Namespace, files: Files) -> list[Column]:
    """The column of contexts, if there is one; it may be in the table of the predictions."""
    if known.contexts is None and known.context_column is None:
        return []
    return [text_column(files.read(known.contexts or known.predictions), CONTEXTS, known.context_column)]


# --- output


def _as_json(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    return f"{json.dumps(results, ensure_ascii=False, indent=1)}\n"


def _as_csv(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    """CSV with one line per headline score, with all digits."""
    rows = []
    for name, scorer in scorers.items():
        result = results[name]
        for score in scorer.headlines():
            if not isinstance(result[score], float):
                raise ValueError(f"{name}: {score} has {_shown(result[score])} or --rows FILE")
            ends = (result.get(f"{score}_low"), result.get(f"{score}_high"))
            rows.append((name, score, result[score], *ends, result.get("signature")))
    return csv_text(_CSV_HEADER, rows)


def _as_text(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    """A table with one line per score, then the signatures."""
    rows = [("metric", "score", "value", "" if known.confidence is None else f"{100 * known.confidence:g} % interval")]
    for name, scorer in scorers.items():
        for score in scorer.headlines():
            rows.append((name, score, _shown(results[name][score]), _interval(results[name], score)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [justified(row, widths) for row in rows]
    signatures = [f"{name}  {result['signature']}" for name, result in results.items() if "signature" in result]
    return "\n".join([*lines, *(["", *signatures] if signatures else [])]) + "\n"


_FORMATS = {"text": _as_text, "json": _as_json, "csv": _as_csv}


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{len(value)} values, see --json"


def _interval(result: Mapping[str, Any], score: str) -> str:
    if f"{score}_low" not in result:
        return ""
    return f"{result[f'{score}_low']:.4f} .. {result[f'{score}_high']:.4f}"
