"""Perplexity: exp of the mean negative log-probability of tokens, from any source of probabilities.

    PPL = exp(-(1 / N) * sum over tokens of log P(token | tokens before it))

evenscore/perplexity/statistics.py has the figures.  evenscore/perplexity/ngram/ and evenscore/perplexity/models/ have
the sources of probabilities.
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
Perplexity: exp of the mean negative natural-log probability of the tokens of a corpus. The probabilities come from a
causal or masked language model, an n-gram model, an ARPA file, or your own log-probabilities. It comes with perplexity
per word and per byte, and bits per byte and per character.
"""
    # {options} becomes the list of options that evenscore.perplexity.options declares.
    inputs_text = """
Args:
    predictions: texts, one string per row.
    contexts: optional prompts, one string per row; the model reads them, the metric does not score them.
    log_probs, or probabilities or logits with labels: the output of a model for every text, instead of a model.
{options}
Returns:
    A dictionary: perplexity, nll, tokens, mean_perplexity, perplexities, signature; with texts also word_perplexity,
    byte_perplexity, bits_per_byte, bits_per_character, words, characters, bytes; with n-gram models also
    unknown_tokens, perplexity_without_unknown.
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
        """Compute the perplexity of these texts and of all texts added before.

        predictions: texts, one string per row.
        contexts: one prompt per text, which is not scored.
        log_probs: natural logarithms, one list of numbers per text.
        probabilities, logits: one array of shape (positions, vocabulary) per text; need labels.
        labels: ids of the tokens of the text, one list per text.
        references: ignored; evaluate.combine passes its columns to every metric.
        executor: refused, because every worker would need its own copy of the model.
        options: override the options given at load.

        Raises ValueError for input that cannot be scored, with the first bad row.
        """
        given = (predictions, contexts, log_probs, probabilities, logits, labels)
        columns = dict(zip(self.scorer_type.columns, given, strict=True))
        check_no_executor(executor)
        scorer = self._under(options)
        if not scorer.options["per_token"]:
            return cast(PerplexityResult, self._compute(columns, options))
        if self._added.parts():
            raise ValueError("per_token=True: added rows are kept without their tokens; pass all rows to compute")
        return cast(PerplexityResult, scorer.compute(columns))

    def picture(self, prediction: str | None = None, context: str | None = None, **columns_and_options: Any) -> Picture:
        """Show why one text has its perplexity: the surprisal of every token, as a colour and a number.

        columns_and_options: options of compute, and its columns for one row, as in log_probs=[-1.0, -2.0].

        >>> print(Perplexity().picture(log_probs=[-0.5, -7.0]).text(colour=False))
        perplexity 42.52, 2 tokens
        -ln P 1<0.5> 2<7.0>
        """
        row, options = self._split({"predictions": prediction, "contexts": context, **columns_and_options})
        return self._under(options).picture({name: [value] for name, value in row.items()})

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the n-gram model of the options given at load to an ARPA file, which KenLM and SRILM read."""
        self._scorer.write_arpa(path)
