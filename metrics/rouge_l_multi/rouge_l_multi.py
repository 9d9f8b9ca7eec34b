"""ROUGE-L, ROUGE-Lsum and ROUGE-N with several references.

    P = LCS / length of the prediction,  R = LCS / length of the reference,  F = (1 + b^2) P R / (R + b^2 P)

LCS is the length of the longest common subsequence of tokens.  evenscore/rouge/references.py has the rules for several
references and F, and evenscore/rouge/lcs.py the subsequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from evenscore.metric import Metric
from evenscore.options import keywords
from evenscore.pictures import Picture
from evenscore.rouge.options import RougeOptions, RougeResult
from evenscore.rouge.scorer import Rouge

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RougeLMulti(Metric[Rouge]):
    """ROUGE with several references as an evaluate.Metric."""

    scorer_type = Rouge
    description_text = """
ROUGE-L (Lin & Och 2004) scores predictions by the longest common subsequence of tokens with their references. It comes
with ROUGE-Lsum and ROUGE-N. Precision, recall and F equal rouge_score 0.1.2 bit for bit.
"""
    # {options} becomes the list of options that evenscore.rouge.options declares.
    inputs_text = """
Args:
    predictions: one string per row.
    references: one string per row, or a list of strings per row.
    executor: counts blocks of rows in parallel; any object with the `submit` method of concurrent.futures.
{options}
Returns:
    A dictionary, with numbers from 0 to 1 for each type: F as <type>, precision as <type>_precision, recall as
    <type>_recall; and signature.
Examples:
    >>> rouge = RougeLMulti(rouge_types=["rougeL"])
    >>> result = rouge.compute(predictions=["I have a dream that one day"],
    ...                        references=["I have a dream that all men are created equal"])
    >>> round(result["rougeL_precision"], 3), round(result["rougeL_recall"], 3), round(result["rougeL"], 3)
    (0.714, 0.5, 0.588)
"""
    citation_text = """
@inproceedings{lin-och-2004-automatic, title={Automatic Evaluation of Machine Translation Quality Using Longest Common
  Subsequence and Skip-Bigram Statistics}, author={Lin, Chin-Yew and Och, Franz Josef}, booktitle={ACL}, year={2004}}
@inproceedings{lin-2004-rouge, title={{ROUGE}: A Package for Automatic Evaluation of Summaries}, author={Lin, Chin-Yew},
  booktitle={Text Summarization Branches Out}, year={2004}}
"""
    sources_text = ("https://aclanthology.org/P04-1077", "https://aclanthology.org/W04-1013")

    @keywords(RougeOptions)
    def compute(
        self, *, predictions: Any = None, references: Any = None, executor: Any = None, **options: Unpack[RougeOptions]
    ) -> RougeResult:
        """Compute ROUGE of these rows and of all rows added before.

        predictions: one string per row.
        references: one string per row, or a list of strings per row.
        executor: counts blocks of rows in parallel, with the same result bit for bit: a process pool, Dask's
          client.get_executor(), mpi4py's MPIPoolExecutor, or any object with the `submit` method of concurrent.futures.
        options: override the options given at load.

        Raises ValueError for input that cannot be scored, with the first bad row.
        """
        columns = {"predictions": predictions, "references": references}
        return cast(RougeResult, self._compute(columns, options, executor))

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Show why one row has its ROUGE-L: its longest common subsequence with every reference.

        Each text is read as one sentence.  The picture gives rougeL for every reference, whatever the rouge_types.  It
        marks the reference that counts if rougeL is among the rouge_types and multi_reference chooses one reference.

        >>> print(RougeLMulti().picture("the cat sat", ["a cat sat", "the dog"]).text(colour=False))
        rougeL 0.667, rougeLsum 0.667
        prediction the *cat* *sat*
        reference 1, rougeL 0.667, counts a *cat* *sat*
        prediction *the* cat sat
        reference 2, rougeL 0.400 *the* dog
        *matched*   not matched
        """
        return self._under(options).picture(prediction, references)
