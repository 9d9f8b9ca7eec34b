"""ROUGE-L and its kin with several references: longest common subsequences of predictions and references."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import evaluate
import numpy as np

from evenscore.exact import LIMBS, from_limbs, mean_of_limbs, to_limbs
from evenscore.inputs import References, check_references
from evenscore.metric import CorpusMetric, metric_info
from evenscore.pictures import Picture
from evenscore.rouge.kernel import compare
from evenscore.rouge.options import RougeOptions
from evenscore.rouge.references import Scores, row_scores
from evenscore.rouge.score import _PARTS, _bootstrap_mid, _by_type, lcs_picture
from evenscore.rouge.tokens import tokenize, tokenizer_name, warn_of_nothing_left
from evenscore.scorer import Result
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray

_DESCRIPTION = """
ROUGE-L (Lin & Och 2004): how much of the references stands in the predictions, in the same order, as the longest common
subsequence of tokens; also ROUGE-Lsum and ROUGE-N. Precision, recall and F equal rouge_score 0.1.2 bit for bit.
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: one string a row.
    references: one string a row, or a list of strings a row.
    rouge_types: of "rougeL", "rougeLsum", "rouge1" .. "rouge9"; the first two by default.
    multi_reference: "best" (default: highest F), "max_pr" (Lin & Och 2004), "average", "best_recall" and "summed" (the
        two modes of ROUGE-1.5.5), "jackknife" (Lin 2004).
    beta: how many times recall counts as much as precision, 1 by default; or "P/R", the founding formula.
    tokenizer: "rouge_score" (default: a-z and 0-9), "unicode" (every script), "whitespace", or a function from a text
        to its tokens.
    stemmer: compare Porter stems; needs nltk.
    sentences: how rougeLsum finds sentences: "newline" (default) or "rules" (built in, no download).
    aggregate: "mean" over rows (default), "bootstrap" (rouge_score's mid, seeded), "none" (one value a row).
    per_example, confidence, n_resamples, seed, scalars_only, keep_rows: as for every metric of evenscore.
Returns:
    F under each type's name, its precision and recall under <type>_precision and <type>_recall, 0 to 1; signature.
Examples:
    >>> rouge = RougeLMulti(rouge_types=["rougeL"])
    >>> result = rouge.compute(predictions=["I have a dream that one day"],
    ...                        references=["I have a dream that all men are created equal"])
    >>> round(result["rougeL_precision"], 3), round(result["rougeL_recall"], 3), round(result["rougeL"], 3)
    (0.714, 0.5, 0.588)
"""

_CITATION = """
@inproceedings{lin-och-2004-automatic, title={Automatic Evaluation of Machine Translation Quality Using Longest Common
  Subsequence and Skip-Bigram Statistics}, author={Lin, Chin-Yew and Och, Franz Josef}, booktitle={ACL}, year={2004}}
@inproceedings{lin-2004-rouge, title={{ROUGE}: A Package for Automatic Evaluation of Summaries}, author={Lin, Chin-Yew},
  booktitle={Text Summarization Branches Out}, year={2004}}
"""


class RougeLMulti(CorpusMetric):
    """ROUGE with several references as an evaluate.Metric."""

    metric_name = "rouge_l_multi"
    _options_type = RougeOptions

    def _info(self) -> evaluate.MetricInfo:
        urls = ["https://aclanthology.org/P04-1077", "https://aclanthology.org/W04-1013"]
        return metric_info(_DESCRIPTION, _CITATION, _INPUTS_DESCRIPTION, urls)

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Why one row has its ROUGE-L: the longest common subsequence with every reference, each read as one sentence.

        Its F with each reference stands there whatever types are asked for; the reference that counts is named where
        multi_reference says that one does, and rougeL is asked for.

        >>> print(RougeLMulti().picture("the cat sat", ["a cat sat", "the dog"]).text(colour=False))
        rougeL 0.667, rougeLsum 0.667
        prediction the *cat* *sat*
        reference 1, rougeL 0.667, counts a *cat* *sat*
        prediction *the* cat sat
        reference 2, rougeL 0.400 *the* dog
        *matched*   not matched
        """
        given = {**options, "aggregate": "mean"}
        result = self._row_result({"predictions": [prediction], "references": [references]}, given)
        chosen, checked = self._chosen(given), check_references([references], 1)
        tokens = tokenize([prediction, *checked.texts], chosen.tokenizer, chosen.stemmer)
        scores = self._each_reference(prediction, checked.texts, chosen)
        labels = [f"reference {k}, rougeL {score:.3f}" for k, score in enumerate(scores.f.tolist(), 1)]
        deciding = {"best": scores.f, "best_recall": scores.recall}.get(chosen.multi_reference)
        if deciding is not None and "rougeL" in chosen.types:
            labels[int(deciding.argmax())] += ", counts"
        return lcs_picture(", ".join(f"{name} {result[name]:.3f}" for name in chosen.types), tokens, labels)

    def _each_reference(self, prediction: str, references: list[str], options: RougeOptions) -> Scores:
        """ROUGE-L with each reference alone, shape (len(references),)."""
        alone = References(references, np.ones(len(references), dtype=np.int64))
        pairs = compare([prediction] * len(references), alone, dataclasses.replace(options, rouge_types=("rougeL",)))
        return row_scores(pairs["rougeL"], "best", options.beta)

    def _refuse_rows(self, options: RougeOptions) -> None:
        if options.aggregate != "mean":
            raise ValueError(f"aggregate must be 'mean' here, not {options.aggregate!r}: sums have no rows any more")

    def _drawn(self, options: RougeOptions) -> dict[str, Any]:
        drawn = super()._drawn(options)
        return {"bs": options.n_resamples, **drawn} if options.aggregate == "bootstrap" else drawn

    def _warn(self, predictions: list[str], references: References, options: RougeOptions) -> None:
        if options.tokenizer == "rouge_score":
            rows = np.arange(len(predictions))
            row_of_text = np.concatenate((rows, np.repeat(rows, references.counts)))
            warn_of_nothing_left(predictions + references.texts, row_of_text.tolist())

    def _cuts_text_by_text(self, options: RougeOptions) -> bool:
        return callable(options.tokenizer)

    def _count(self, predictions: list[str], references: References, options: RougeOptions) -> IntArray:
        pairs = compare(predictions, references, options)
        scores = [row_scores(pairs[name], options.multi_reference, options.beta) for name in options.types]
        limbs = to_limbs(np.stack([np.stack(row) for row in scores]).transpose(2, 0, 1))
        return limbs.reshape(len(predictions), len(self._statistic_names(options)))

    def _statistic_names(self, options: RougeOptions) -> Sequence[str]:
        return [f"{name}_{part}_{k}" for name in options.types for part in _PARTS for k in range(LIMBS)]

    def _score(self, total: IntArray, options: RougeOptions) -> Result:
        result: Result = {}
        for name, limbs in zip(options.types, _by_type(total), strict=True):
            precision, recall, f = (mean_of_limbs(part, int(total[0])) for part in limbs)
            result.update({name: f, f"{name}_precision": precision, f"{name}_recall": recall})
        return result

    def _headlines(self, options: RougeOptions) -> Sequence[str]:
        return options.types

    def _row_scores(self, rows: IntArray, options: RougeOptions) -> FloatArray:
        return from_limbs(_by_type(rows))[:, :, _PARTS.index("f")]

    def _finish(self, result: Result, rows: IntArray, options: RougeOptions) -> Result:
        if options.aggregate == "mean":
            return result
        values = from_limbs(_by_type(rows))
        if options.aggregate == "none":
            columns = values.transpose(1, 2, 0).tolist()
        else:
            columns = _bootstrap_mid(values, options.n_resamples, options.seed)
        for name, (precision, recall, f) in zip(options.types, columns, strict=True):
            result.update({name: f, f"{name}_precision": precision, f"{name}_recall": recall})
        return result

    def _signature_fields(self, options: RougeOptions) -> Mapping[str, Any]:
        return {
            "tok": tokenizer_name(options.tokenizer),
            "stem": "yes" if options.stemmer else "no",
            "multi": options.multi_reference,
            "beta": options.beta,
            "sent": options.sentences,
            "agg": options.aggregate,
        }
