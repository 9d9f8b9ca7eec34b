"""Word error rate: the least number of edits between predictions and references, by dynamic programming.

    WER = (substitutions + deletions + insertions) / words of the reference

The rates are in evenscore/wer/scorer.py, the edits of a corpus and the alignment of a pair in evenscore/wer/edits.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from evenscore.inputs import only_row
from evenscore.metric import Metric
from evenscore.options import check_integer, keywords
from evenscore.pictures import Picture
from evenscore.wer.edits import Operation
from evenscore.wer.options import WerOptions, WerResult
from evenscore.wer.scorer import Wer

if TYPE_CHECKING:
    from typing_extensions import Unpack


class WerDp(Metric[Wer]):
    """Word error rate as an evaluate.Metric."""

    scorer_type = Wer
    description_text = """
Word error rate: substitutions, deletions and insertions between predictions and references, by reference length; also
the character error rate, match error rate and word information. Counts and rates equal jiwer 4.0, ties included.
"""
    # The options follow, as evenscore.wer.options declares them.
    inputs_text = """
Args:
    predictions: one string per row.
    references: one string or a list of strings per row; the one with the lowest rate counts.
    groups: a label per row; adds the scores of the rows of each label.
    executor: counts blocks of rows remotely: any object with the `submit` of concurrent.futures.
{options}
Returns:
    wer (or cer), mer, wil, wip, hits, substitutions, deletions, insertions, sentence_error_rate, reference_length,
    prediction_length, signature; weighted_error_rate if the costs differ.
Examples:
    >>> wer = WerDp()
    >>> result = wer.compute(predictions=["the cat sit on mat"], references=["the cat sat on the mat"])
    >>> result["wer"], result["substitutions"], result["deletions"], result["insertions"]
    (0.3333333333333333, 1, 1, 0)
"""
    citation_text = """
@article{levenshtein1966, title={Binary codes capable of correcting deletions, insertions, and reversals},
  author={Levenshtein, Vladimir I.}, journal={Soviet Physics Doklady}, year={1966}}
@inproceedings{morris04_interspeech, title={From {WER} and {RIL} to {MER} and {WIL}}, author={Morris, Andrew Cameron and
  Maier, Viktoria and Green, Phil}, booktitle={Interspeech}, year={2004}}
"""
    sources_text = ("https://github.com/jitsi/jiwer", "https://en.wikipedia.org/wiki/Word_error_rate")

    @keywords(WerOptions)
    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        groups: Any = None,
        executor: Any = None,
        **options: Unpack[WerOptions],
    ) -> WerResult:
        """Score predictions against references together with all rows added before, and clear the added rows.

        Raises ValueError for a row that cannot be scored, which the message names, and for no rows.

        Args:
            predictions: one string per row.
            references: one string or a list of strings per row; the one with the lowest rate counts.
            groups: a label per row, any value that can be a key of a dictionary; missing values are the group None. The
                result then has "groups": for each label, in the order of first rows, the number of rows and the
                headline scores, with intervals if `confidence` is set. ValueError if rows were added before.
            executor: counts blocks of rows remotely, with the same result to the last bit: any object with the `submit`
                of concurrent.futures, such as Dask's client.get_executor() or mpi4py's MPIPoolExecutor.
            **options: override those at load.
        """
        columns = {"predictions": predictions, "references": references}
        return cast(WerResult, self._compute(columns, options, executor, groups))

    def align(self, predictions: Any, references: Any, **options: Any) -> list[list[Operation]]:
        """Return the alignment of each row with the reference that counts, as jiwer's chunks in text order.

        Of equally good alignments it is jiwer's, or sclite's if the `costs` differ.

        A chunk is (kind, reference_start, reference_end, prediction_start, prediction_end); kind is "equal",
        "substitute", "delete" or "insert". With `synonyms`, positions are those in the reference with its replacements.

        >>> [operation.kind for operation in WerDp().align(["a c"], ["a b"])[0]]
        ['equal', 'substitute']
        """
        alignments = self._under(options, self.align).alignments(predictions, references)
        return [alignment.operations for alignment in alignments]

    def visualize(
        self,
        predictions: Any,
        references: Any,
        *,
        show_measures: bool = True,
        skip_correct: bool = True,
        line_width: int | None = None,
        **options: Any,
    ) -> str:
        """Return the alignments as text with three lines per row, equal to jiwer 4.0, visualize_alignment.

        >>> print(WerDp().visualize(["a c"], ["a b"], show_measures=False))
        === SENTENCE 1 ===
        <BLANKLINE>
        REF: a b
        HYP: a c
               S
        <BLANKLINE>
        """
        if line_width is not None:
            check_integer("line_width", line_width, least=0)
        return self._under(options, self.visualize).drawing(
            predictions, references, show_measures, skip_correct, line_width
        )

    def error_counts(
        self, predictions: Any, references: Any, *, top_k: int | None = None, **options: Any
    ) -> dict[str, list[Any]]:
        """Return substitutions, insertions and deletions with their counts, most frequent first, ties by position.

        Adjacent errors of one kind count as one, as in jiwer 4.0, collect_error_counts.

        >>> WerDp().error_counts(["a c"], ["a b"])["substitutions"]
        [(('b', 'c'), 1)]
        """
        if top_k is not None:
            check_integer("top_k", top_k, least=0)
        return self._under(options, self.error_counts).error_counts(predictions, references, top_k)

    def picture(self, prediction: str, references: str | Sequence[str], **options: Any) -> Picture:
        """Show the alignment of one row with the reference that counts.

        >>> print(WerDp().picture("a c", ["a b", "d"]).text(colour=False))
        WER 0.500 by reference 1: hits 1, substitutions 1, deletions 0, insertions 0
        reference  a ~b~
        prediction a ~c~
                     S
        the same   ~substituted~
        """
        with only_row():
            return self._under(options, self.picture).picture(prediction, references)
