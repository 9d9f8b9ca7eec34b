"""ROUGE-L, ROUGE-Lsum and ROUGE-N with several references.

    P = LCS / length of the prediction,  R = LCS / length of the reference,  F = (1 + b^2) P R / (R + b^2 P)

LCS is the length of the longest common subsequence of tokens.  The rules for several references and F are in
evenscore/rouge/references.py, subsequences are in evenscore/rouge/lcs.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from evenscore.inputs import only_row
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
ROUGE-L (Lin & Och 2004): how much of the references occurs in the predictions in the same order, by the longest common
subsequence of tokens; also ROUGE-Lsum and ROUGE-N. Precision, recall and F equal rouge_score 0.1.2 bit for bit.
"""
    # The options follow, as evenscore.rouge.options declares them.
    inputs_text = """
Args:
    predictions: one string per row.
    references: one string or a list of strings per row.
    groups: a label per row; adds the scores of the rows of each label.
    executor: counts blocks of rows remotely: any object with the `submit` of concurrent.futures.
{options}
Returns:
    F under each type's name, its precision and recall under <type>_precision and <type>_recall, 0 to 1; signature.
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
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        groups: Any = None,
        executor: Any = None,
        **options: Unpack[RougeOptions],
    ) -> RougeResult:
        """Score predictions against references together with all rows added before, and clear the added rows.

        Raises ValueError for a row that cannot be scored, which the message names, and for no rows.

        Args:
            predictions: one string per row.
            references: one string or a list of strings per row.
            groups: a label per row, any value that can be a key of a dictionary; missing values are the group None. The
                result then has "groups": for each label, in the order of first rows, the number of rows and the
                headline scores, with intervals if `confidence` is set. ValueError if rows were added before.
            executor: counts blocks of rows remotely, with the same result to the last bit: any object with the `submit`
                of concurrent.futures, such as Dask's client.get_executor() or mpi4py's MPIPoolExecutor.
            **options: override those at load.
        """
        columns = {"predictions": predictions, "references": references}
        return cast(RougeResult, self._compute(columns, options, executor, groups))

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Show the longest common subsequence with each reference, treating each text as one sentence.

        Labels show rougeL for each reference, and which reference counts if rougeL is computed and multi_reference
        selects one.

        >>> print(RougeLMulti().picture("the cat sat", ["a cat sat", "the dog"]).text(colour=False))
        rougeL 0.667, rougeLsum 0.667
        prediction the *cat* *sat*
        reference 1, rougeL 0.667, counts a *cat* *sat*
        prediction *the* cat sat
        reference 2, rougeL 0.400 *the* dog
        *matched*   not matched
        """
        with only_row():
            return self._under(options, self.picture).picture(prediction, references)
