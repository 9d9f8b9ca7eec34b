"""Perplexity: exp of the mean negative log-probability of tokens, whatever gives the probabilities.

    PPL = exp(-(1 / N) * sum over tokens of log P(token | those before it))

The figures are in evenscore/perplexity/statistics.py, the sources of probabilities in evenscore/perplexity/ngram/ and
evenscore/perplexity/models/.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

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
    predictions: texts, one string a row.
    contexts: optional, a text before each one, which is not scored itself.
    log_probs, or probabilities or logits with labels: instead of a model, what it said of every text.
{options}
Returns:
    perplexity, nll, tokens, mean_perplexity, perplexities, signature; word_perplexity, byte_perplexity, bits_per_byte,
    bits_per_character, words, characters, bytes where there are texts; unknown_tokens, perplexity_without_unknown with
    n-gram models.
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
        executor: Any = None,
        **options: Unpack[PerplexityOptions],
    ) -> PerplexityResult:
        """The perplexity of these texts, together with everything added before.

        predictions: texts.  contexts: what stands before each of them, not scored.
        log_probs: natural logarithms, a list of numbers a text; or probabilities or logits, (positions, vocabulary) a
          text, with labels, the ids of the tokens that came, a list a text.
        references: not looked at; evaluate.combine hands all its columns to every metric.
        executor: refused, for a model would be loaded in every worker, and be sent there.
        Options given here override those given at load.
        """
        given = (predictions, contexts, log_probs, probabilities, logits, labels)
        columns = dict(zip(self.scorer_type.columns, given, strict=True))
        check_no_executor(executor)
        scorer = self._under(options)
        if not scorer.options["per_token"]:
            return cast(PerplexityResult, self._compute(columns, options))
        if self._added.parts():
            raise ValueError("per_token=True: rows were added as sums, their tokens are gone; give all rows to compute")
        return cast(PerplexityResult, scorer.compute(columns))

    def picture(self, prediction: str | None = None, context: str | None = None, **columns_and_options: Any) -> Picture:
        """Why one text has its perplexity: every token on a colour that says how surprising it was.

        Options are those of compute, with its columns of one row, as in log_probs=[-1.0, -2.0].

        >>> print(Perplexity().picture(log_probs=[-0.5, -7.0]).text(colour=False))
        perplexity 42.52, 2 tokens
        -ln P 1<0.5> 2<7.0>
        """
        row, options = self._split({"predictions": prediction, "contexts": context, **columns_and_options})
        return self._under(options).picture({name: [value] for name, value in row.items()})

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the n-gram model that the options at load name to an ARPA file, which KenLM and SRILM read."""
        self._scorer.write_arpa(path)
