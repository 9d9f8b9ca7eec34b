"""Perplexity: exp of the mean negative log-probability of tokens, whatever gives the probabilities."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import datasets
import evaluate

from evenscore.columns import RowScorer, check_arguments
from evenscore.metric import HostedMetric
from evenscore.options import Options
from evenscore.parallel import with_bar
from evenscore.perplexity.ngram.arpa import write_arpa
from evenscore.perplexity.options import PerplexityOptions
from evenscore.perplexity.score import (
    COLUMNS,
    Scored,
    _names,
    _options_of,
    _refuse_executor,
    _shown,
    _statistics,
    check_rows,
    scored,
    surprise_picture,
    warn_of_other_tokens,
)
from evenscore.perplexity.sources import Sources
from evenscore.perplexity.statistics import STATISTICS, as_total, mean, per_size, perplexity, surprises
from evenscore.pictures import Picture
from evenscore.scorer import Result
from evenscore.text.segments import IntArray

_DESCRIPTION = """
Perplexity: exp of the mean negative natural-log probability of the tokens of a corpus, under a causal or masked
language model, an n-gram model, an ARPA file, or from log-probabilities that you have; also per word, byte, in bits.
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: texts, one string a row.
    contexts: optional, a text before each one, which is not scored itself.
    log_probs, or probabilities or logits with labels: instead of a model, what it said of every text; shift,
        ignore_index.
    model_id: a folder or hub name; or model and tokenizer, already loaded; model_type, device, dtype.
    start_token, window, stride, long_texts, batch_size, max_batch_tokens: how models read; also evaluate's
        add_start_token, max_length.
    source: "ngram" with train_texts, ngram_order, ngram_unit, discount, end_token; the path of an ARPA file; a
        function, or an object with log_probs(texts).
    per_token: also give every token.
    headlines: what gets rows, intervals and p-values.
    per_example, confidence, n_resamples, seed, scalars_only, keep_rows: as for every metric of evenscore.
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

_CITATION = """
@article{jelinek1977perplexity, title={Perplexity---a measure of the difficulty of speech recognition tasks},
  author={Jelinek, Fred and Mercer, Robert L. and Bahl, Lalit R. and Baker, James K.}, year={1977},
  journal={The Journal of the Acoustical Society of America}, volume={62}, number={S1}}
"""


class Perplexity(HostedMetric):
    """Perplexity as an evaluate.Metric."""

    metric_name = "perplexity"
    _options_type = PerplexityOptions

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        # Models stay loaded from call to call.
        self._sources = Sources()

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS_DESCRIPTION,
            features=datasets.Features({"predictions": datasets.Value("string")}),
            reference_urls=["https://huggingface.co/docs/transformers/perplexity"],
        )

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
        **options: Any,
    ) -> Result:
        """The perplexity of these texts, together with everything added before.

        predictions: texts.  contexts: what stands before each of them, not scored.
        log_probs: natural logarithms, a list of numbers a text; or probabilities or logits, (positions, vocabulary) a
          text, with labels, the ids of the tokens that came, a list a text.
        references: not looked at; evaluate.combine hands all its columns to every metric.
        executor: refused, for a model would be loaded in every worker, and be sent there.
        Options given here override those given at load.
        """
        _refuse_executor(executor)
        columns = dict(zip(COLUMNS, (predictions, contexts, log_probs, probabilities, logits, labels), strict=True))
        chosen = self._chosen(options)
        if not chosen.per_token:
            return self._compute_columns(columns, options)
        if self._added.parts():
            raise ValueError("per_token=True: rows were added as sums, their tokens are gone; give all rows to compute")
        tokens = self._scored(columns, chosen)
        return self._visible({**self._result(_statistics(tokens), chosen), **_shown(tokens)}, chosen)

    def picture(self, prediction: str | None = None, context: str | None = None, **options: Any) -> Picture:
        """Why one text has its perplexity: every token on a colour that says how surprising it was.

        Options are those of compute, with its columns of one row, as in log_probs=[-1.0, -2.0].

        >>> print(Perplexity().picture(log_probs=[-0.5, -7.0]).text(colour=False))
        perplexity 42.52, 2 tokens
        -ln P 1<0.5> 2<7.0>
        """
        row = {"predictions": prediction, "contexts": context, **options}
        columns = {name: [value] for name, value in row.items() if name in COLUMNS and value is not None}
        tokens = self._scored({**dict.fromkeys(COLUMNS), **columns}, self._chosen(_options_of(options)))
        total = as_total(_statistics(tokens)[0, len(self._row_columns) :].tolist()).every
        title = f"perplexity {perplexity(total):.2f}, {total.tokens} token{'s' * (total.tokens != 1)}"
        return surprise_picture(title, tokens.scores.log_probs, _names(tokens))

    def add_batch(self, **columns: Any) -> None:
        """Count a batch of rows, columns as in compute, towards the next compute(); kept are their statistics alone."""
        unknown = sorted(set(columns) - set(COLUMNS))
        if unknown:
            raise ValueError(f"unknown columns {unknown}: give {', '.join(COLUMNS)}")
        self._add_columns({name: columns.get(name) for name in COLUMNS})

    def add(self, *, prediction: Any = None, context: Any = None, **columns: Any) -> None:
        """Count one row towards the next compute(): `prediction` and `context` in the singular, or columns' names."""
        row = {"predictions": prediction, "contexts": context, **columns}
        self.add_batch(**{name: [value] for name, value in row.items() if value is not None})

    def statistics(self, predictions: Any = None, *, executor: Any = None, **columns_and_options: Any) -> IntArray:
        """The statistics of every row, shape (n, len(statistic_names())), int64.

        Rows may be added up in any order, on any machine: integers have no rounding.  executor: as in compute.
        """
        _refuse_executor(executor)
        given = {"predictions": predictions, **columns_and_options}
        return self._statistics_of({name: given.get(name) for name in COLUMNS}, _options_of(given))

    def row_scorer(
        self,
        prediction: str | None = None,
        *,
        prefix: str | None = None,
        scores: Sequence[str] | None = None,
        statistics: bool = False,
        **columns_and_options: Any,
    ) -> RowScorer:
        """A function for Dataset.map(..., batched=True): scores of rows as new columns.

        prediction: the name of the dataset's column of texts; "text" if no column is named.
        columns_and_options: further columns by the names that compute has for them, as in log_probs="scores", with
          options of the metric.
        prefix, scores, statistics: as in the other metrics.
        """
        named = {name: own for name, own in columns_and_options.items() if name in COLUMNS}
        if prediction is not None:
            if "predictions" in named:
                raise ValueError("prediction= and predictions= name the same column: give one of them")
            named["predictions"] = prediction
        own = _options_of(columns_and_options)
        check_arguments(own, self.option_names(), ("prediction", *COLUMNS[1:]))
        # In one order, so that the hash does not depend on that of the arguments.
        columns = {name: named[name] for name in COLUMNS if name in named}
        return self._row_scorer(columns or {"predictions": "text"}, prefix, scores, statistics, own)

    def compare(
        self,
        baseline: Mapping[str, Any],
        *systems: Mapping[str, Any],
        test: str = "bootstrap",
        n_trials: int | None = None,
        **common: Any,
    ) -> Result:
        """Paired significance tests against a baseline: of language models on the same texts, or texts under one model.

        baseline, systems: what is theirs alone, options or columns, as in {"model_id": "a"} or {"predictions": texts}.
        common: what holds for all, such as predictions, or model_id.
        test, n_trials: as in the other metrics.
        Returns {"baseline": {...}, "systems": [{...}, ...], "signature": ..., "sources": names}; the signature is that
        of the baseline.  Models with different tokens are compared by headlines=["bits_per_byte"].

        >>> result = Perplexity().compare({"log_probs": [[-1.0], [-3.0]]}, {"log_probs": [[-1.0], [-2.0]]}, n_trials=9)
        >>> result["baseline"]["perplexity"] > result["systems"][0]["perplexity"]
        True
        """
        trials = self._checked_trials(test, n_trials, self._chosen(_options_of(common)))
        for own in (baseline, *systems):
            if not isinstance(own, Mapping):
                raise ValueError(f"a system is of type {type(own).__name__}: give options, as in {{'model_id': 'a'}}")
        if not systems:
            raise ValueError("no system to compare with the baseline: give its options as second argument")
        asked = [{**common, **own} for own in (baseline, *systems)]
        rows, names = [], []
        for given in asked:
            rows.append(self.statistics(**given))
            names.append(self._sources.name_of(self._chosen(_options_of(given))))
        chosen = self._chosen(_options_of(asked[0]))
        result = {**self._tested(rows, test, trials, chosen), "sources": names}
        # Texts of their own have other tokens by right.
        if all("predictions" not in own for own in (baseline, *systems)):
            warn_of_other_tokens(rows, chosen)
        return result

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the n-gram model that the options at load name to an ARPA file, which KenLM and SRILM read."""
        chosen = self._chosen({})
        if chosen.kind != "ngram":
            raise ValueError("only n-gram models are written: load the metric with source='ngram' and train_texts=")
        write_arpa(self._sources.ngram(chosen).model, path)

    # --- what is counted

    def _count_columns(self, columns: Mapping[str, Any], options: PerplexityOptions, executor: Any = None) -> IntArray:
        return _statistics(self._scored(columns, options))

    def _scored(self, columns: Mapping[str, Any], options: PerplexityOptions) -> Scored:
        return scored(columns, options, lambda: self._sources.of(options))

    # --- what is made of it

    def _statistic_names(self, options: PerplexityOptions) -> Sequence[str]:
        return STATISTICS

    def _score(self, total: IntArray, options: PerplexityOptions) -> Result:
        every, unknown, measured_rows, sizes = as_total(total[len(self._row_columns) :].tolist())
        if not every.tokens:
            raise ValueError(
                "no token to score: labels that are all ignored have neither score nor resamples of their own"
            )
        result: Result = {"perplexity": perplexity(every), "nll": every.per(1), "tokens": every.tokens}
        if measured_rows == total[0]:
            result.update(per_size(every, sizes))
        for name in options.headlines:
            if name not in result:
                raise ValueError(f"headlines={name!r}: not all rows have texts that are scored whole")
        if options.knows_unknown:
            result.update(unknown_tokens=unknown.tokens, perplexity_without_unknown=perplexity(every.without(unknown)))
        return result

    def _headlines(self, options: PerplexityOptions) -> Sequence[str]:
        return options.headlines

    def _intervals(self, statistics: IntArray, chosen: Options) -> Result:
        # Rows whose labels are all ignored are no texts to draw.
        return super()._intervals(statistics[statistics[:, 1 + STATISTICS.index("tokens")] > 0], chosen)

    def _check_paired(self, rows: Sequence[IntArray]) -> None:
        check_rows(rows)

    def _finish(self, result: Result, rows: IntArray, options: PerplexityOptions) -> Result:
        every = with_bar(surprises(rows[:, len(self._row_columns) :]), "Score rows", " rows", lambda _: 1, len(rows))
        perplexities = [perplexity(own) for own in every]
        scored = [value for value in perplexities if value is not None]
        return {**result, "mean_perplexity": mean(scored), "perplexities": perplexities}

    def _signature_fields(self, options: PerplexityOptions) -> Mapping[str, Any]:
        return {"source": self._sources.name_of(options), **options.signed()}
