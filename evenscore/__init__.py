"""Exact, offline, fast metrics for Hugging Face evaluate.

>>> import evenscore
>>> evenscore.load("wer_dp").compute(predictions=["a b d"], references=["a b c d"])["wer"]
0.25
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from evenscore.options import check_known, did_you_mean
from evenscore.plots import plot_comparison
from evenscore.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from evenscore.bleu.options import BleuLoad
    from evenscore.combined import Combined
    from evenscore.metrics.bleu_corpus.bleu_corpus import BleuCorpus
    from evenscore.metrics.perplexity.perplexity import Perplexity
    from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
    from evenscore.metrics.wer_dp.wer_dp import WerDp
    from evenscore.perplexity.options import PerplexityLoad
    from evenscore.rouge.options import RougeLoad
    from evenscore.wer.options import WerLoad

__all__ = ["METRICS", "__version__", "combine", "load", "path", "plot_comparison", "report"]

# A wheel contains the folders of metrics/. A clone, and so an editable installation, has them next to this package.
if not Path(__file__).with_name("metrics").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))

# Metric names, each with the class that its script defines.
METRICS = {
    "bleu_corpus": "BleuCorpus",
    "rouge_l_multi": "RougeLMulti",
    "wer_dp": "WerDp",
    "perplexity": "Perplexity",
}


@overload
def load(name: Literal["bleu_corpus"], **options: Unpack[BleuLoad]) -> BleuCorpus: ...
@overload
def load(name: Literal["rouge_l_multi"], **options: Unpack[RougeLoad]) -> RougeLMulti: ...
@overload
def load(name: Literal["wer_dp"], **options: Unpack[WerLoad]) -> WerDp: ...
@overload
def load(name: Literal["perplexity"], **options: Unpack[PerplexityLoad]) -> Perplexity: ...
@overload
def load(name: str) -> Any: ...
def load(name: str, **options: Any) -> Any:
    """Load a metric without the network and without evaluate's copy of its script.

    `evaluate.load(evenscore.path(name), **options)` loads an equal metric.

    Args:
        name: a key of `METRICS`.
        **options: the options that the metric's card lists; each call of `compute` may override them.

    Returns:
        The metric, a subclass of `evaluate.Metric`, with no rows added.

    Raises:
        ValueError: unknown metric, unknown option or invalid value.

    Examples:
        >>> bleu = load("bleu_corpus", lowercase=True)
        >>> bleu.compute(predictions=["The cat sat down"], references=["the cat sat down"])["score"]
        100.00000000000004
    """
    module = import_module(f"evenscore.metrics.{_known(name)}.{name}")
    return getattr(module, METRICS[name])(**options)


def combine(metrics: Sequence[Any] | Mapping[str, Any], *, force_prefix: bool = False) -> Combined:
    """Combine several metrics into one, as evaluate.combine does; each option goes to the metrics that have it.

    Args:
        metrics: loaded metrics, names of evenscore's metrics, or anything that evaluate.load takes; a list, or a
            mapping from your own names.
        force_prefix: begin every name in the result with the metric's name. By default only names that several metrics
            have get this prefix.

    `compute` raises ValueError for an option that no metric has.

    Examples:
        >>> both = combine(["bleu_corpus", "wer_dp"])
        >>> result = both.compute(predictions=["A b c d"], references=["a b c d"], lowercase=True, unit="char")
        >>> round(result["score"]), round(result["cer"], 2)
        (100, 0.14)
    """
    # Imported here: evaluate takes a second or more.
    from evenscore.combined import Combined

    def loaded(metric: Any) -> Any:
        return load(metric) if isinstance(metric, str) and metric in METRICS else metric

    if isinstance(metrics, Mapping):
        return Combined({name: loaded(metric) for name, metric in metrics.items()}, force_prefix=force_prefix)
    return Combined(list(map(loaded, metrics)), force_prefix=force_prefix)


def report(
    metric: Any,
    systems: Mapping[str, Any],
    references: Any,
    *,
    output: str | PathLike[str],
    groups: Mapping[str, Any] | None = None,
    test: str = "bootstrap",
    n_trials: int | None = None,
    n_rows: int = 300,
    **options: Any,
) -> None:
    """Write a report on how systems differ: one HTML file that opens without a network.

    It shows scores with intervals and p-values, the distribution of the rows' scores, the rows that differ most with
    their pictures, scores by reference length, by share of rare words and by group, and the words behind the
    differences: frequent errors for wer_dp, n-grams for the other metrics.

    Args:
        metric: "bleu_corpus", "rouge_l_multi" or "wer_dp", or a loaded metric of these, whose options then count.
        systems: the predictions of each system by its name, one string per row; the first system is the baseline.
        references: one string or a list of strings per row.
        output: the path of the file, in .html or .htm, which is written whole or not at all.
        groups: columns of labels that divide the rows as `groups` of `compute` does, by name: {"speaker": [...]}. Of
            more than 40 groups, the largest are shown.
        test: "bootstrap" or "randomization", as in `compare`; so is `n_trials`.
        n_rows: how many of the rows that differ most are shown, at most; fewer if their texts are long.
        **options: options of the metric; they override those at load. `confidence` is 0.95 unless given.

    Raises:
        ValueError: unknown metric or option, another end of the file's name, systems or groups without names, fewer
            than two systems, or columns that do not have as many rows.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder, "report.html")
        ...     report("wer_dp", {"mine": ["a b", "c"], "yours": ["a x", "c"]}, ["a x", "c d"], output=page)
        ...     "yours" in page.read_text(encoding="utf-8")
        True
    """
    # Imported here: the scorers take a while.
    from evenscore.bleu.scorer import Bleu
    from evenscore.reporting import write_report
    from evenscore.rouge.scorer import Rouge
    from evenscore.wer.scorer import Wer

    kinds: tuple[type[Bleu | Rouge | Wer], ...] = (Bleu, Rouge, Wer)
    scorers = {kind.name: kind for kind in kinds}
    is_loaded = hasattr(metric, "scorer_type")
    name = metric.name if is_loaded else _known(metric)
    if name not in scorers:
        raise ValueError(f"{name} compares no predictions with references: choose one of {', '.join(scorers)}")
    kind = scorers[name]
    check_known(options, kind.declaration, report, instead=kind.instead)
    given = metric._under(options).given if is_loaded else options
    scorer = kind(**{"confidence": 0.95, **given})
    write_report(scorer, systems, references, output, groups=groups, test=test, n_trials=n_trials, n_rows=n_rows)


def path(name: str) -> str:
    """Return the absolute path of a metric's folder, to pass to `evaluate.load`.

    Args:
        name: a key of `METRICS`; ValueError for any other.

    Examples:
        >>> Path(path("wer_dp")).name
        'wer_dp'
    """
    return str(Path(str(import_module(f"evenscore.metrics.{_known(name)}").__file__)).resolve().parent)


def _known(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"metric is of type {type(name).__name__}: give one of {', '.join(METRICS)}")
    if name not in METRICS:
        raise ValueError(unknown_metric(name))
    return name


def unknown_metric(name: str) -> str:
    """The message for a name that is no metric's."""
    # Half a name is enough: other libraries call them bleu, rouge and wer.
    return f"unknown metric {name!r}{did_you_mean(name, METRICS, 0.4)} Choose one of {', '.join(METRICS)}"
