"""Counts and scores perplexity, the exp of the mean negative log-probability of tokens, from any source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from evenscore.exact import MOST_SUMMANDS
from evenscore.inputs import warn_caller
from evenscore.parallel import with_bar
from evenscore.perplexity.ngram.arpa import write_arpa
from evenscore.perplexity.ngram.source import NgramSource
from evenscore.perplexity.options import INSTEAD, PerplexityOptions, check_applicable, kind_of, signed, train_texts
from evenscore.perplexity.sources import Sources
from evenscore.perplexity.statistics import (
    STATISTICS,
    as_total,
    bounds,
    mean,
    per_size,
    perplexity,
    statistics,
    surprisals,
)
from evenscore.perplexity.tokens import COLUMNS, Scored, token_scores
from evenscore.pictures import Kind, Line, Mark, Picture, box
from evenscore.scorer import Result, Scorer
from evenscore.significance import FloatArray
from evenscore.text.segments import IntArray
from evenscore.totals import Bound

# exp(710) overflows.
_LARGEST_MEAN = 700
# The values that a sum of rows does not give.
_OF_ROWS = ("mean_perplexity", "perplexities")


class Perplexity(Scorer[PerplexityOptions]):
    """Perplexity with fixed options. It keeps the last model that it loaded or trained for the next call."""

    name = "perplexity"
    declaration = PerplexityOptions
    instead = INSTEAD
    columns = COLUMNS
    row_columns = ("rows",)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.sources = Sources()

    def under(self, given: Mapping[str, Any]) -> Perplexity:
        """Return a scorer with these options in place of its own, which shares the loaded model."""
        changed = super().under(given)
        changed.sources = self.sources
        return changed

    def prepared(self, given: dict[str, Any]) -> dict[str, Any]:
        """Convert training texts to a type that can be compared and pickled."""
        return {**given, "train_texts": train_texts(given["train_texts"])} if "train_texts" in given else given

    def check(self) -> None:
        check_applicable(self.options, kind_of(self.options))

    def files(self) -> Sequence[Any]:
        """Return the paths of model, tokenizer, training texts and ARPA file."""
        options = self.options
        arpa = options["source"] if kind_of(options) == "arpa" else None
        named = (options["model_id"], options["tokenizer"], options["train_texts"], arpa)
        return tuple(value for value in named if isinstance(value, (str, os.PathLike)))

    def usual_columns(self, named: Mapping[str, str]) -> Mapping[str, str]:
        return {} if named else {"predictions": "text"}

    # --- counting

    def count_columns(self, columns: Mapping[str, Any], executor: Any = None, *, in_threads: bool = True) -> IntArray:
        """Return the statistics of each row. Raises ValueError for an executor: each worker would load the model."""
        check_no_executor(executor)
        tokens = self._tokens(columns)
        return statistics(tokens.scores, tokens.measured)

    def own_statistic_names(self) -> Sequence[str]:
        return STATISTICS[1:]

    def bounds(self, counts: Mapping[str, int]) -> Iterator[Bound]:
        # A source of its own, or one of n-grams, can give a token a probability above 1.
        return bounds(counts, may_exceed_1=kind_of(self.options) is not None)

    def row_fields(self, total: list[int]) -> Mapping[str, Any]:
        return {}

    def compute(self, columns: Mapping[str, Any], executor: Any = None, groups: Any = None) -> Result:
        """Return the result for a corpus, with each token if per_token is set."""
        check_no_executor(executor)
        if not self.options["per_token"]:
            return super().compute(columns, groups=groups)
        labels = self.checked_groups(groups, columns)
        tokens = self._tokens(columns)
        return self.visible({**self.rows_result(statistics(tokens.scores, tokens.measured), labels), **_shown(tokens)})

    def compare(self, systems: Sequence[Any], columns: Mapping[str, Any], test: str, n_trials: int | None) -> Result:
        """Test language models on the same texts, or texts under the same model.

        systems: for the baseline, then each system, a mapping of its own options and columns.
        columns: those that all systems share.
        The result has the baseline's signature, and the names of all sources under "sources".
        """
        trials = self.checked_trials(test, n_trials)
        for own in systems:
            if not isinstance(own, Mapping):
                raise ValueError(f"a system is of type {type(own).__name__}: give options, as in {{'model_id': 'a'}}")
        if len(systems) == 1:
            raise ValueError("no system to compare with the baseline: give its options as the second argument")
        rows, names = [], []
        scorers = [self.under({name: own[name] for name in own if name not in COLUMNS}) for own in systems]
        for scorer, own in zip(scorers, systems, strict=True):
            rows.append(scorer.count_columns({**columns, **{name: own[name] for name in own if name in COLUMNS}}))
            names.append(self.sources.name_of(scorer.options))
        result = {**scorers[0].tested(rows, test, trials), "sources": names}
        # Systems with different texts have different tokens anyway.
        are_shared = all("predictions" not in own for own in systems)
        if are_shared and "perplexity" in scorers[0].options["headlines"]:
            tokens = [own[:, STATISTICS.index("tokens")] for own in rows]
            for i, own in enumerate(tokens[1:]):
                if not np.array_equal(own, tokens[0]):
                    warn_caller(
                        f"systems[{i}] has other tokens than the baseline, so their perplexities are not comparable: "
                        f"set headlines=['bits_per_byte']"
                    )
        return result

    def write_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the n-gram model that the options name to an ARPA file, which KenLM and SRILM read."""
        if kind_of(self.options) != "ngram":
            raise ValueError("write_arpa needs an n-gram model: load the metric with source='ngram' and train_texts=")
        write_arpa(cast(NgramSource, self.sources.of(self.options)).model, path)

    def _tokens(self, columns: Mapping[str, Any]) -> Scored:
        return token_scores(columns, self.options, lambda: self.sources.of(self.options))

    # --- scoring

    def score(self, total: list[int]) -> Result:
        """Return perplexity, and the scores per word, byte and character if all texts are scored completely."""
        rows, every, unknown, measured_rows, sizes = as_total(total)
        if not every.tokens:
            raise ValueError("no token to score, since all labels equal ignore_index: give at least one other label")
        if every.tokens > MOST_SUMMANDS:
            raise ValueError(f"{every.tokens} tokens are more than an exact sum holds: score at most {MOST_SUMMANDS}")
        result: Result = {"perplexity": perplexity(every), "nll": every.per(1), "tokens": every.tokens}
        if measured_rows == rows:
            result.update(per_size(every, sizes))
        for name in self.options["headlines"]:
            if name not in result:
                raise ValueError(f"headlines={name!r} needs rows with texts that are scored completely: leave it out")
        # Only these sources have unknown tokens.
        if kind_of(self.options) in ("ngram", "arpa"):
            result.update(unknown_tokens=unknown.tokens, perplexity_without_unknown=perplexity(every.without(unknown)))
        return result

    def sum_result(self, total: Any) -> Result:
        """Return the result for a sum, with the names of the values that only rows have under "left_out"."""
        return self.visible({**super().sum_result(total), "left_out": list(_OF_ROWS)})

    def headlines(self) -> Sequence[str]:
        return self.options["headlines"]

    def rows_drawn(self, statistics: IntArray) -> IntArray:
        """Return the rows with at least one scored token."""
        return statistics[statistics[:, STATISTICS.index("tokens")] > 0]

    def check_paired(self, rows: Sequence[IntArray]) -> None:
        """Raise ValueError for a row with infinite perplexity, since differences of infinities are undefined."""
        for name, own in zip(("baseline", *(f"systems[{i}]" for i in range(len(rows)))), rows, strict=False):
            counts = dict(zip(STATISTICS, own.T, strict=True))
            infinite = (counts["impossible_tokens"] > 0) | (counts["nll_whole"] > _LARGEST_MEAN * counts["tokens"])
            if infinite.any():
                row = int(np.flatnonzero(infinite)[0])
                raise ValueError(f"{name} gives row {row} an infinite perplexity: leave the row out")

    def needs_rows(self) -> bool:
        return True

    def finish(self, result: Result, rows: IntArray) -> Result:
        """Add the perplexity of each row, and their mean."""
        every = with_bar(surprisals(rows), "Score rows", " rows", lambda _: 1, len(rows))
        perplexities = [perplexity(own) for own in every]
        scored = [value for value in perplexities if value is not None]
        return {**result, **dict(zip(_OF_ROWS, (mean(scored), perplexities), strict=True))}

    def signature_fields(self) -> Mapping[str, Any]:
        """Return the source's name, then the options that affect the score with this kind of source."""
        return {"source": self.sources.name_of(self.options), **signed(self.options, kind_of(self.options))}

    # --- picture

    def picture(self, columns: Mapping[str, Any]) -> Picture:
        """Show each token of one row on a colour for its surprisal."""
        tokens = self._tokens(columns)
        total = as_total(statistics(tokens.scores, tokens.measured)[0].tolist()).every
        title = f"perplexity {perplexity(total):.2f}, {total.tokens} token{'s' * (total.tokens != 1)}"
        return surprisal_picture(title, tokens.scores.log_probs, _names(tokens))


def check_no_executor(executor: Any) -> None:
    """Raise ValueError for an executor."""
    if executor is not None:
        raise ValueError(
            "executor= is not supported by perplexity: load the metric once in each worker, call "
            "statistics(...).sum(axis=0) there for a part of the rows, add the sums, and call score_statistics(total)"
        )


def _shown(tokens: Scored) -> Result:
    """Return the log-probabilities of each text's tokens and, with a source, their texts and offsets."""
    rows = np.split(tokens.scores.log_probs, tokens.scores.offsets[1:-1])
    result: Result = {"token_log_probs": [row.tolist() for row in rows]}
    if tokens.source is None or tokens.texts is None:
        return result
    named = tokens.source.tokens(tokens.texts, tokens.contexts)
    result["token_texts"] = [[token.text for token in row] for row in named]
    result["token_offsets"] = [[(token.start, token.end) for token in row] for row in named]
    return result


def _names(tokens: Scored) -> list[str] | None:
    """Return the tokens of a single text: from the source, or the text's words if their number matches."""
    if tokens.texts is None:
        return None
    if tokens.source is not None and tokens.source.names_tokens:
        return [token.text for token in tokens.source.tokens(tokens.texts, tokens.contexts)[0]]
    words = tokens.texts[0].split()
    return words if len(words) == len(tokens.scores.log_probs) else None


# --- pictures

# From light to dark. The note after each token shows the number.
HEATS = (
    Kind("heat0", "", "span", box("255,255,229"), "30;47"),
    Kind("heat1", "", "span", box("254,227,145"), "30;107"),
    Kind("heat2", "", "span", box("254,153,41"), "30;43"),
    Kind("heat3", "", "span", box("204,76,2", text="255,255,255"), "97;45"),
    Kind("heat4", "", "span", box("102,37,6", text="255,255,255"), "97;41"),
)
# Surprisals, in nats, where the next darker colour begins: probabilities of about 1/3, 1/20, 1/400 and 1/8000.
_STEPS = (1.0, 3.0, 6.0, 9.0)


def surprisal_picture(title: str, token_log_probs: FloatArray, token_texts: Sequence[str] | None) -> Picture:
    """Show each token on a colour that darkens with its surprisal, with the surprisal -ln P in nats as a note.

    token_texts: None: tokens are shown by their numbers, from 1.

    >>> print(surprisal_picture("Why", np.array([-0.5, -10.0]), ["the", "zebra"]).text(colour=False))
    Why
    -ln P the<0.5> zebra<10.0>
    """
    surprisals = 0.0 - token_log_probs
    levels = np.searchsorted(_STEPS, surprisals, side="right").tolist()
    names = list(map(str, range(1, len(surprisals) + 1))) if token_texts is None else token_texts
    shown = zip(names, levels, surprisals.tolist(), strict=True)
    marks = [Mark(name, HEATS[level], f"{surprisal:.1f}") for name, level, surprisal in shown]
    return Picture(title, [Line("-ln P", marks)], HEATS)
