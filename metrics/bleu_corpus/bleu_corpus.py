"""Corpus BLEU: clipped n-gram precision with a brevity penalty, the score that sacrebleu prints.

    BLEU = BP * exp(sum over n = 1 .. N of w_n * log p_n)

p_n is the share of the predictions' n-grams that occur in a reference, each counted at most as often as in any one of
them. BP is 1 if the predictions are longer than the references, else exp(1 - r / c).  The counts and the formula of
every convention are in evenscore/bleu/score.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from evenscore.bleu.options import BleuOptions, BleuResult
from evenscore.bleu.scorer import Bleu
from evenscore.inputs import only_row
from evenscore.metric import Metric
from evenscore.options import keywords
from evenscore.pictures import Picture

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BleuCorpus(Metric[Bleu]):
    """Corpus BLEU as an evaluate.Metric."""

    scorer_type = Bleu
    description_text = """
BLEU of a corpus (Papineni et al. 2002): how many n-grams of the predictions occur in their references, times a penalty
for predictions that are too short. Scores and counts equal sacrebleu 2.6.0 bit for bit; no network is needed.
"""
    # The options follow, as evenscore.bleu.options declares them.
    inputs_text = """
Args:
    predictions: one string per row.
    references: one string or a list of strings per row.
    groups: a label per row; adds the scores of the rows of each label.
    executor: counts blocks of rows remotely: any object with the `submit` of concurrent.futures.
{options}
Returns:
    score (0 to 100), bleu (0 to 1), counts, totals, precisions, brevity_penalty, length_ratio, translation_length,
    reference_length, bleu_cumulative and bleu_individual (one an order), signature.
Examples:
    >>> bleu = BleuCorpus()
    >>> result = bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]])
    >>> round(result["score"], 2), result["counts"]
    (53.73, [5, 3, 2, 1])
"""
    citation_text = """
@inproceedings{papineni-etal-2002-bleu, title={{B}leu: a Method for Automatic Evaluation of Machine Translation},
  author={Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing}, booktitle={ACL}, year={2002}}
@inproceedings{post-2018-call, title={A Call for Clarity in Reporting {BLEU} Scores}, author={Post, Matt},
  booktitle={WMT}, year={2018}}
"""
    sources_text = ("https://aclanthology.org/P02-1040", "https://aclanthology.org/W18-6319")

    @keywords(BleuOptions)
    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        groups: Any = None,
        executor: Any = None,
        **options: Unpack[BleuOptions],
    ) -> BleuResult:
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
        return cast(BleuResult, self._compute(columns, options, executor, groups))

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Show the n-grams of one row, and which of them match.

        >>> print(BleuCorpus().picture("the the cat", ["the cat sat"], max_order=1).text(colour=False))
        BLEU 66.67, of this row alone
        1-grams         =============....... 2 of 3
        brevity penalty ==================== 1.000 (3 tokens, reference 3)
        prediction the the cat
        1-grams *the*  (the)  *cat*
        *matched*   (clipped)
        """
        with only_row():
            return self._under(options, self.picture).picture(prediction, references)
