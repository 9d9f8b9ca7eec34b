"""Reports: one HTML page on how systems differ, in which rows, and where."""

from __future__ import annotations

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from evenscore.files import PAGE_SUFFIXES, check_suffix, replacing
from evenscore.inputs import References, amount, check_groups, check_predictions, check_references, label_name
from evenscore.options import check_integer
from evenscore.panels import LOOKS, Panel, direction, levels_of, lower_is_better, panels_of
from evenscore.parallel import require
from evenscore.pictures import Picture, visible, visible_label
from evenscore.report_words import FrequentError, NGram, frequent_errors, n_gram_differences, rare_shares
from evenscore.significance import FEWEST_ROWS, FloatArray, without_idle_p_values, without_p_values
from evenscore.text.segments import IntArray, Segments
from evenscore.text.words import Units
from evenscore.version import __version__
from evenscore.wer.alignment import Alignment

# Rows with pictures, and the characters of their pictures, at most: a page of 12 MB still goes by mail.
_ROWS, _CHARACTERS = 300, 8_000_000
# Entries of the tables of errors and n-grams.
_WORDS = 20
_BINS = 20
_LENGTH_CLASSES = 6
# Classes of a group, at most.
_CLASSES = 40


class Comparing(Protocol):
    """What a report asks of a scorer that compares predictions with references; `evenscore.scorer.Scorer` explains it.

    A protocol, because the scorer of a Space's app comes from evaluate's copy of the metric, which has its own classes.
    """

    name: ClassVar[str]

    def headlines(self) -> Sequence[str]: ...
    def checked_trials(self, test: str, n_trials: int | None) -> int: ...
    def count_systems(self, systems: Sequence[list[str]], references: References) -> list[IntArray]: ...
    def tested(self, rows: Sequence[IntArray], test: str, trials: int) -> dict[str, Any]: ...
    def row_scores(self, rows: IntArray) -> FloatArray: ...
    def headline_scores(self, totals: IntArray, resampled: bool) -> FloatArray: ...
    def tokens(self, texts: list[str]) -> Units: ...
    def picture(self, prediction: str, references: str | Sequence[str]) -> Picture: ...


@runtime_checkable
class Aligning(Protocol):
    """A scorer that aligns each prediction with its reference: that of word error rate."""

    @property
    def separator(self) -> str: ...
    def alignments(self, predictions: Any, references: Any) -> list[Alignment]: ...


class Distribution(NamedTuple):
    """The scores of a system's rows: how many are in each bin, and a summary in words."""

    system: str
    counts: list[int]
    summary: str


class Class(NamedTuple):
    """Some of the rows, and every system's score of them."""

    name: str
    n_rows: int
    scores: list[float]


class Division(NamedTuple):
    """All rows, divided into classes."""

    title: str
    note: str
    classes: list[Class]


class DifferentRow(NamedTuple):
    """A row where a system differs from the baseline.

    number: of the row, from 1.
    scores: of the baseline and of the system.
    texts: the texts by their labels.
    pictures: the pictures of baseline and system as HTML.
    """

    number: int
    system: str
    scores: tuple[float, float]
    difference: float
    texts: list[tuple[str, str]]
    pictures: list[tuple[str, str]]


class Content(NamedTuple):
    """All that a report shows.

    score: the name of the score of rows and classes.
    highest: the end of the scale of the score.
    digits: the decimal places of scores.
    n_different: the number of rows where a system's score differs from the baseline's, for all systems together.
    n_grams: for each system but the baseline, the n-grams that it alone has, and those that the baseline alone has.
    """

    metric: str
    systems: list[str]
    n_rows: int
    signature: str
    panels: list[Panel]
    levels: list[str]
    score: str
    highest: float
    digits: int
    distributions: list[Distribution]
    rows: list[DifferentRow]
    n_different: int
    css: str
    divisions: list[Division]
    errors: dict[str, list[FrequentError]]
    n_grams: list[tuple[list[NGram], list[NGram]]]


class _Corpus(NamedTuple):
    """The texts of a report, their statistics, and the scores of rows, shape (systems, rows).

    starts: shape (rows,), the index of each row's first reference.
    """

    scorer: Comparing
    names: list[str]
    texts: list[list[str]]
    references: References
    starts: IntArray
    statistics: list[IntArray]
    scores: FloatArray
    score: str

    def row_references(self, i: int) -> list[str]:
        """The references of row i."""
        start = int(self.starts[i])
        return self.references.texts[start : start + int(self.references.counts[i])]


def write_report(
    scorer: Comparing,
    systems: Mapping[str, Any],
    references: Any,
    output: str | os.PathLike[str],
    *,
    groups: Mapping[str, Any] | None = None,
    test: str = "bootstrap",
    n_trials: int | None = None,
    n_rows: int = _ROWS,
) -> None:
    """Write the page; `evenscore.report` explains the arguments."""
    check_suffix(f"output={os.fspath(output)!r}", output, PAGE_SUFFIXES)
    page = report_html(scorer, systems, references, groups=groups, test=test, n_trials=n_trials, n_rows=n_rows)
    with replacing(output) as unfinished:
        unfinished.write_bytes(page.encode())


def report_html(
    scorer: Comparing,
    systems: Mapping[str, Any],
    references: Any,
    *,
    groups: Mapping[str, Any] | None = None,
    test: str = "bootstrap",
    n_trials: int | None = None,
    n_rows: int = _ROWS,
) -> str:
    """Return the page; `evenscore.report` explains the arguments."""
    require("jinja2", "jinja2", "a report")
    _check_named("systems", systems, '{"mine": predictions, "yours": others}')
    _check_named("groups", {} if groups is None else groups, '{"speaker": labels}')
    check_integer("n_rows", n_rows, least=0)
    return html(content(scorer, systems, references, groups or {}, test, n_trials, n_rows))


def content(
    scorer: Comparing,
    systems: Mapping[str, Any],
    references: Any,
    groups: Mapping[str, Any],
    test: str,
    n_trials: int | None,
    n_rows: int,
) -> Content:
    """Compute all that a report shows. Raises ValueError for texts, groups or options that cannot be compared."""
    corpus, trials = _counted(scorer, systems, references, test, n_trials)
    divided = {
        name: check_groups(labels, {"predictions": corpus.texts[0]}, f"groups[{name!r}]")
        for name, labels in groups.items()
    }
    tested = without_idle_p_values(scorer.tested(corpus.statistics, test, trials))
    if len(corpus.texts[0]) < FEWEST_ROWS:
        tested = without_p_values(tested)
    highest = 100.0 if corpus.score == "score" else 1.0
    rows, n_different = _different_rows(corpus, n_rows)
    tokens = scorer.tokens([text for texts in corpus.texts for text in texts] + corpus.references.texts)
    n_grams = (
        []
        if isinstance(scorer, Aligning)
        else n_gram_differences(tokens, len(corpus.names), corpus.references.counts, _WORDS)
    )
    divisions = _divisions(corpus, _first_references(tokens.segments, corpus))
    return Content(
        metric=scorer.name,
        systems=corpus.names,
        n_rows=len(corpus.texts[0]),
        signature=tested["signature"],
        panels=panels_of(scorer.name, tested),
        levels=levels_of({scorer.name: tested}),
        score=corpus.score,
        highest=highest,
        digits=2 if highest > 1 else 3,
        distributions=_distributions(corpus, highest),
        rows=rows,
        n_different=n_different,
        css=_picture_css(scorer),
        divisions=[*divisions, *(_group(corpus, *each) for each in divided.items())],
        errors=_errors(corpus),
        n_grams=n_grams,
    )


def _check_named(argument: str, columns: Any, form: str) -> None:
    """Raise ValueError unless these are columns by name; form: how to write them."""
    if not isinstance(columns, Mapping):
        raise ValueError(f"{argument} is of type {type(columns).__name__}: give columns by name, as in {form}")
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(f"{argument} has the name {name!r}: give a string, as in {form}")


def _counted(
    scorer: Comparing, systems: Mapping[str, Any], references: Any, test: str, n_trials: int | None
) -> tuple[_Corpus, int]:
    """Check and count all rows; also the trials of the test."""
    trials = scorer.checked_trials(test, n_trials)
    if len(systems) < 2:
        raise ValueError(
            f"{len(systems)} system{'s' * (len(systems) != 1)}: give the texts of a baseline and of one or more "
            f"systems, by name"
        )
    texts = [check_predictions(column, f"systems[{name!r}]") for name, column in systems.items()]
    names = list(systems)
    for name, own in zip(names, texts, strict=True):
        if len(own) != len(texts[0]):
            first = f"{names[0]} has {amount(len(texts[0]), 'rows')}"
            raise ValueError(f"{first} but {name} has {len(own)}: give both the same rows")
    if not texts[0]:
        raise ValueError("nothing to compare: the systems have no rows")
    checked = check_references(references, len(texts[0]))
    rows = scorer.count_systems(texts, checked)
    headlines = list(scorer.headlines())
    score = "rougeL" if "rougeL" in headlines else headlines[0]
    scores = np.array([scorer.row_scores(own)[:, headlines.index(score)] for own in rows])
    starts = np.cumsum(checked.counts) - checked.counts
    return _Corpus(scorer, names, texts, checked, starts, rows, scores, score), trials


# --- distributions and classes of rows


def _distributions(corpus: _Corpus, highest: float) -> list[Distribution]:
    is_error = lower_is_better(corpus.score)
    return [_distribution(*own, highest, is_error) for own in zip(corpus.names, corpus.scores, strict=True)]


def _distribution(system: str, scores: FloatArray, highest: float, is_error: bool) -> Distribution:
    """Count scores in bins of equal width up to `highest`; error rates, which can be higher, have one more bin."""
    places = np.minimum(scores / highest * _BINS, _BINS - 1).astype(np.int64)
    if is_error:
        places[scores > highest] = _BINS
    counts = np.bincount(places, minlength=_BINS + is_error).tolist()
    digits = 2 if highest > 1 else 3
    quartiles = [f"{value:.{digits}f}" for value in np.quantile(scores, (0.25, 0.5, 0.75), method="lower")]
    best = int((scores == 0.0).sum() if is_error else (scores >= highest).sum())
    return Distribution(
        system,
        counts,
        f"quartiles {', '.join(quartiles)}; best possible score in {best} of {len(scores)} "
        f"row{'s' * (len(scores) != 1)}",
    )


def _first_references(tokens: Segments, corpus: _Corpus) -> Segments:
    """The tokens of the first reference of each row."""
    return tokens.take(len(corpus.names) * len(corpus.texts[0]) + corpus.starts)


def _divisions(corpus: _Corpus, references: Segments) -> Iterator[Division]:
    """Divide the rows by length and by share of rare words; references: the tokens of each row's first one."""
    lengths = references.lengths
    edges = np.unique(np.quantile(lengths, np.arange(1, _LENGTH_CLASSES) / _LENGTH_CLASSES, method="lower"))
    place = np.searchsorted(edges, lengths, "left")
    names = {k: _range_name(lengths[place == k]) for k in np.unique(place).tolist()}
    note = "Tokens of the row's first reference, as the metric counts them."
    yield _division(corpus, "By reference length", note, place, names)
    shares, limit = rare_shares(references)
    note = (
        f"A token is rare here if it occurs {'once' if limit == 1 else f'at most {limit} times'} in the first "
        f"references; the class is the share of such tokens in the row's first reference."
    )
    place = np.where(shares > 0, np.minimum(shares * 10, 3).astype(np.int64) + 1, 0)
    known = ["none", "under 10 %", "10 % to 20 %", "20 % to 30 %", "30 % and more"]
    yield _division(corpus, "By share of rare words", note, place, dict(enumerate(known)))


def _range_name(lengths: IntArray) -> str:
    low, high = int(lengths.min()), int(lengths.max())
    return f"{low}" if low == high else f"{low} to {high}"


def _group(corpus: _Corpus, name: str, labels: Sequence[Hashable]) -> Division:
    """Divide the rows by label as `compute` does: the largest groups, in the order of their first rows."""
    sizes = Counter(labels)
    largest = {label for label, _ in sizes.most_common(_CLASSES)}
    number = {label: k for k, label in enumerate(label for label in sizes if label in largest)}
    note = f"The {_CLASSES} largest of {len(sizes)} groups." if len(sizes) > _CLASSES else ""
    place = np.array([number.get(label, -1) for label in labels])
    return _division(corpus, f"By {name}", note, place, {k: label_name(label) for label, k in number.items()})


def _division(corpus: _Corpus, title: str, note: str, place: IntArray, names: Mapping[int, str]) -> Division:
    """Score the rows of each class; place: the class of each row."""
    column = list(corpus.scorer.headlines()).index(corpus.score)
    classes = []
    for k, name in names.items():
        rows = place == k
        if rows.any():
            totals = np.stack([own[rows].sum(axis=0) for own in corpus.statistics])
            scores = corpus.scorer.headline_scores(totals, resampled=False)[:, column].tolist()
            classes.append(Class(name, int(rows.sum()), scores))
    return Division(title, note, classes)


# --- rows


def _different_rows(corpus: _Corpus, n: int) -> tuple[list[DifferentRow], int]:
    """The n rows that differ most from the baseline, as many as fit, and the number of all that differ.

    Ties: the earlier row, then the earlier system.
    """
    differences = corpus.scores[1:] - corpus.scores[0]
    system, row = differences.nonzero()
    order = np.lexsort((system, row, -np.abs(differences[system, row])))
    found, room = [], _CHARACTERS
    for k in order[:n].tolist():
        described = _different_row(corpus, int(row[k]), int(system[k]) + 1)
        room -= sum(len(text) for _, text in (*described.texts, *described.pictures))
        if room < 0:
            break
        found.append(described)
    return found, len(order)


def _different_row(corpus: _Corpus, i: int, system: int) -> DifferentRow:
    references, names = corpus.row_references(i), (corpus.names[0], corpus.names[system])
    texts = (corpus.texts[0][i], corpus.texts[system][i])
    labels = ["reference"] if len(references) == 1 else [f"reference {k}" for k in range(1, len(references) + 1)]
    first, second = corpus.scores[[0, system], i].tolist()
    pictures = [corpus.scorer.picture(text, references).body() for text in texts]
    return DifferentRow(
        number=i + 1,
        system=names[1],
        scores=(first, second),
        difference=second - first,
        texts=[*zip(labels, references, strict=True), *zip(names, texts, strict=True)],
        pictures=list(zip(names, pictures, strict=True)),
    )


def _picture_css(scorer: Comparing) -> str:
    """The rules of all pictures of a metric, which do not depend on the texts."""
    return scorer.picture("a", ["a"]).css()


def _errors(corpus: _Corpus) -> dict[str, list[FrequentError]]:
    """The most frequent errors of word error rate, by kind."""
    scorer = corpus.scorer
    if not isinstance(scorer, Aligning):
        return {}
    rows = [corpus.row_references(i) for i in range(len(corpus.texts[0]))]
    aligned = [scorer.alignments(texts, rows) for texts in corpus.texts]
    return frequent_errors(aligned, scorer.separator, _WORDS)


# --- the page


def html(shown: Content) -> str:
    """Return the page. All texts are escaped, and the page may load nothing and run no script but its own."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(digest=_digest, visible=visible, visible_label=visible_label, markup=Markup)
    template = environment.from_string(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))
    better = -1 if lower_is_better(shown.score) else 1
    return template.render(
        **shown._asdict(), direction=direction(shown.score), better=better, looks=LOOKS, version=__version__
    )


def _digest(text: str) -> str:
    """The hash of a script or style by which a Content-Security-Policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
