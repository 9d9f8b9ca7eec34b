"""Plots of tokenizers: their measures side by side, and the length of a corpus by the size of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenscore.parallel import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis
    from matplotlib.figure import Figure

_BLUE = "#0072B2"
_PLAIN: Mapping[str, Any] = {"parse_math": False, "usetex": False}


def plot_curve(sizes: Sequence[int], lengths: Sequence[float], *, is_expected: bool = False) -> Figure:
    """Plot the length of a corpus in tokens against the size of the vocabulary, which has a logarithmic axis.

    sizes: rising numbers of tokens; lengths: the length of the corpus at each of them.
    is_expected: whether the lengths are expected numbers, as those of Unigram, which the label of the axis says.
    Needs matplotlib. Raises ValueError if there is no size, or not one length for each.

    >>> [line.get_xydata().tolist() for line in plot_curve([100, 200], [900, 700]).axes[0].lines]
    [[[100.0, 900.0], [200.0, 700.0]]]
    """
    if not sizes or len(sizes) != len(lengths):
        raise ValueError(f"{len(sizes)} sizes and {len(lengths)} lengths: give as many of both, and at least one")
    figure = _figure((6.5, 4.0))
    axes = figure.subplots()
    axes.plot(sizes, lengths, color=_BLUE, linewidth=2, marker="o" if len(sizes) < 50 else "")
    axes.set_xscale("log")
    _label_plainly(axes.xaxis, sizes[-1] / sizes[0])
    axes.set_ylim(0, 1.05 * max(lengths) or 1)
    axes.set_xlabel("tokens in the vocabulary")
    axes.set_ylabel("expected tokens in the corpus, while training" if is_expected else "tokens in the corpus")
    axes.grid(color="#E6E6E6")
    axes.spines[["right", "top"]].set_visible(False)
    return figure


def _label_plainly(axis: XAxis, ratio: float) -> None:
    """Label a logarithmic axis with numbers such as 200 and 300; ratio: the largest value over the smallest."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    # With less than a factor of ten, 1, 2 and 5 times a power of ten would be one or two numbers.
    near = MaxNLocator(6, steps=[1, 2, 5, 10], integer=True)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if ratio >= 10 else near)
    axis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axis.set_minor_formatter(NullFormatter())


def plot_measures(names: Sequence[str], measures: Mapping[str, Sequence[float | None]]) -> Figure:
    """Plot one panel for each measure, with a bar for each tokenizer.

    names: of the tokenizers, as plain text; measures: from the name of a measure to its value for each tokenizer;
    None, for no value, has no bar and the label "-".
    Needs matplotlib. Raises ValueError if there is no measure, or not one value for each tokenizer.

    >>> figure = plot_measures(["a.json", "b.json"], {"tokens_per_word": [1.5, 1.25]})
    >>> [float(bar.get_width()) for bar in figure.axes[0].patches]
    [1.5, 1.25]
    >>> [label.get_text() for label in plot_measures(["a", "b"], {"bits_per_byte": [None, 2.5]}).axes[0].texts]
    ['-', '2.5']
    """
    if not measures or any(len(values) != len(names) for values in measures.values()):
        raise ValueError(f"give at least one measure, and {len(names)} values of each: one for each tokenizer")
    width, height = 5.5 + 0.08 * max(map(len, names)), len(measures) * (0.75 + 0.3 * len(names))
    figure = _figure((width, height))
    panels = figure.subplots(len(measures), squeeze=False)[:, 0]
    for axes, (measure, values) in zip(panels, measures.items(), strict=True):
        _bars(axes, measure, names, values)
    return figure


def _figure(size: tuple[float, float]) -> Figure:
    require("matplotlib", "matplotlib", "a plot")
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from evenscore.shown_figure import ShownFigure

    return ShownFigure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))


def _bars(axes: Axes, measure: str, names: Sequence[str], values: Sequence[float | None]) -> None:
    rows = range(len(names))
    bars = axes.barh(rows, [value or 0.0 for value in values], color=_BLUE, height=0.6)
    labels = ["-" if value is None else f"{value:.4g}" for value in values]
    axes.bar_label(bars, labels, padding=4, fontsize="small")
    axes.set_title(measure, loc="left", fontweight="bold", **_PLAIN)
    axes.set_yticks(rows, names, verticalalignment="center", **_PLAIN)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.15)
    axes.tick_params(left=False)
    axes.spines[["right", "top"]].set_visible(False)
