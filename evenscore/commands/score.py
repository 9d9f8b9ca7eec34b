"""`evenscore score`: a file of texts, against files of references where a metric has them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenscore import METRICS
from evenscore.commands.arguments import SEVERAL, add_help, add_references, aligned_lines, has_references, load_scorers
from evenscore.commands.tables import justified
from evenscore.scorer import Scorer

HELP = "score a file of texts, against files of references"
DESCRIPTION = "Score a file of texts, one segment a line, against files of references where a metric has them."
EPILOG = """
Several files of references give every row several references. perplexity has none: it asks for a source of
probabilities, such as --model_id FOLDER, --source lm.arpa, or --source ngram --train-texts FILE.
Any option of a metric can be given by its name, as in --tokenizer intl, --lowercase or --max-order 2; it goes to every
metric that has it. One that only one metric is to get is written --bleu_corpus.tokenizer intl.

examples:
  evenscore score --metric bleu_corpus wer_dp --predictions hyp.txt --references ref1.txt ref2.txt --confidence 0.95
  evenscore score --metric perplexity --predictions hyp.txt --source ngram --train-texts train.txt
  evenscore score --metric perplexity --predictions answers.txt --contexts questions.txt --model_id FOLDER
"""
_OWN_OPTIONS = ("metric", "predictions", "references", "contexts", "json")
_WITH_CONTEXTS = ("perplexity",)


def add_arguments(score: argparse.ArgumentParser) -> None:
    add_help(score)
    score.add_argument("--metric", required=True, **SEVERAL, choices=METRICS, metavar="NAME", help=", ".join(METRICS))
    score.add_argument("--predictions", required=True, type=Path, metavar="FILE", help="one segment a line, in UTF-8")
    add_references(score)
    read = "for perplexity: as many lines, which are read and not scored"
    score.add_argument("--contexts", type=Path, metavar="FILE", help=read)
    score.add_argument("--confidence", type=float, metavar="LEVEL", help="bootstrap interval, for example 0.95")
    score.add_argument("--json", action="store_true", help="print everything as JSON")


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    scorers = load_scorers(known.metric, others, _OWN_OPTIONS, known)
    if known.contexts is not None and not set(scorers) & set(_WITH_CONTEXTS):
        raise ValueError(f"{', '.join(scorers)} has no contexts: leave --contexts out")
    results = _score(scorers, known)
    text = json.dumps(results, ensure_ascii=False, indent=1) if known.json else _report(scorers, results, known)
    return f"{text}\n"


def _score(scorers: Mapping[str, Scorer[Any]], known: argparse.Namespace) -> dict[str, Any]:
    context_paths = [] if known.contexts is None else [known.contexts]
    predictions, *columns = aligned_lines([known.predictions, *context_paths, *known.references])
    contexts, references = columns[: len(context_paths)], columns[len(context_paths) :]
    texts = {"predictions": predictions, "references": [list(row) for row in zip(*references, strict=True)]}
    results = {}
    for name, scorer in scorers.items():
        own = texts if has_references(scorer) else {"predictions": predictions}
        if contexts and name in _WITH_CONTEXTS:
            own = {**own, "contexts": contexts[0]}
        results[name] = scorer.compute(own)
    return results


def _report(scorers: Mapping[str, Scorer[Any]], results: Mapping[str, Any], known: argparse.Namespace) -> str:
    """A table with a line a score, then the signatures."""
    rows = [("metric", "score", "value", "" if known.confidence is None else f"{100 * known.confidence:g} % interval")]
    for name, scorer in scorers.items():
        for score in scorer.headlines():
            rows.append((name, score, _shown(results[name][score]), _interval(results[name], score)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [justified(row, widths) for row in rows]
    signatures = [f"{name}  {result['signature']}" for name, result in results.items() if "signature" in result]
    return "\n".join([*lines, *(["", *signatures] if signatures else [])])


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{len(value)} values, see --json"


def _interval(result: Mapping[str, Any], score: str) -> str:
    if f"{score}_low" not in result:
        return ""
    return f"{result[f'{score}_low']:.4f} .. {result[f'{score}_high']:.4f}"
