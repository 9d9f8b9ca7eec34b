"""Perplexity: exp of the mean negative log-probability of tokens, from any source of probabilities.

    PPL = exp(-(1 / N) * sum over tokens of log P(token | those before it))

The figures are in evenscore/perplexity/statistics.py, the sources of probabilities in evenscore/perplexity/ngram/ and
evenscore/perplexity/models/.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from evenscore.inputs import only_row
from evenscore.metric import Metric
from evenscore.options import keywords
from evenscore.perplexity.options import PerplexityOptions, PerplexityResult
from evenscore.perplexity.scorer import Perplexity as PerplexityScorer
from evenscore.perplexity.scorer import check_no_executor
from evenscore.pictures import Picture

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Perplexity(Metric[PerplexityScorer]):
    """Perplexity as an evaluate.Metric."""

    scorer_type = PerplexityScorer
    description_text = """
Perplexity: exp of the mean negative natural-log probability of the tokens of a corpus, under a causal or masked
language model, an n-gram model, an ARPA file, or from log-probabilities that you have; also per word, byte, in bits.
"""
    # The options follow, as evenscore.perplexity.options declares them.
    inputs_text = """
Args:
    predictions: texts, one string per row.
    contexts: optional, a text before each one, which is not scored itself.
    log_probs, or probabilities or logits with labels: a model's output for each text, instead of a model.
    groups: a label per row; adds the scores of the rows of each label.
{options}
Returns:
    perplexity, nll, tokens, mean_perplexity, perplexities, signature; word_perplexity, byte_perplexity, bits_per_byte,
    bits_per_character, words, characters, bytes where there are texts; unknown_tokens, perplexity_without_unknown with
    n-gram models. With keep_rows=False, left_out lists what a sum of rows does not give: mean_perplexity, perplexities.
Examples:
    >>> perplexity = Perplexity()
    >>> result = perplexity.compute(log_probs=[[-1.0, -2.0, -3.0], [-2.0]])
    >>> result["perplexity"], result["nll"], result["tokens"]
    (7.38905609893065, 8.0, 4)
"""
    citation_text = """
@article{jelinek1977perplexity, title={Perplexity---a measure of the difficulty of speech recognition tasks},
  author={Jelinek, Fred and Mercer, Robert L. and Bahl, Lalit R. and Baker, James K.}, year={1977},
  journal={The Journal of the Acoustical Society of America}, volume={62}, number={S1}}
"""
    sources_text = ("https://huggingface.co/docs/transformers/perplexity",)

    @keywords(PerplexityOptions)
    def compute(
        self,
        *,
        predictions: Any = None,
        contexts: Any = None,
        log_probs: Any = None,
        probabilities: Any = None,
        logits: Any = None,
        labels: Any = None,
        references: Any = None,
        groups: Any = None,
        executor: Any = None,
        **options: Unpack[PerplexityOptions],
    ) -> PerplexityResult:
        """Score texts together with all rows added before, and clear the added rows.

        Args:
            predictions: texts, one string per row.
            contexts: a text before each one, which is not scored itself.
            log_probs: natural log-probabilities, a list of numbers per text.
            probabilities: shape (positions, vocabulary) per text; needs `labels`.
            logits: shape (positions, vocabulary) per text; needs `labels`.
            labels: the ids of the actual tokens, a list per text.
            references: ignored; evaluate.combine passes all its columns to each metric.
            groups: a label per row, any value that can be a key of a dictionary; missing values are the group None. The
                result then has "groups": for each label, in the order of first rows, the number of rows and the
                headline scores, with intervals if `confidence` is set. ValueError if rows were added before.
            executor: raises ValueError, because each worker would load the model.
            **options: override those at load.
        """
        given = (predictions, contexts, log_probs, probabilities, logits, labels)
        columns = dict(zip(self.scorer_type.columns, given, strict=True))
        check_no_executor(executor)
        scorer = self._under(options, self.compute)
        if not scorer.options["per_token"]:
            return cast(PerplexityResult, self._compute(columns, options, groups=groups))
        if self._added.parts():
            raise ValueError("per_token=True: added rows are kept without their tokens; pass all rows to compute")
        return cast(PerplexityResult, scorer.compute(columns, groups=groups))

    def picture(self, prediction: str | None = None, context: str | None = None, **columns_and_options: Any) -> Picture:
        """Show each token of one text on a colour for its surprisal.

        Takes the columns of compute for one row, as in log_probs=[-1.0, -2.0], and options.

        >>> print(Perplexity().picture(log_probs=[-0.5, -7.0]).text(colour=False))
        perplexity 42.52, 2 tokens
        -ln P 1<0.5> 2<7.0>
        """
        given = {"predictions": prediction, "contexts": context, **columns_and_options}
        row, options = self._split(given, self.picture)
        with only_row():
            return self._under(options).picture({name: [value] for name, value in row.items()})

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the n-gram model that the options at load name to an ARPA file, which KenLM and SRILM read."""
        self._scorer.write_arpa(path)
