"""Plots the scores of systems and their baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenscore.files import replacing
from evenscore.inputs import amount
from evenscore.panels import LOOKS, Look, Panel, levels_of, panels_of
from evenscore.parallel import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Metadata without the creation date, so that equal results give equal files.
_UNDATED: Mapping[str, Mapping[str, None]] = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}
PLOT_SUFFIXES = tuple(_UNDATED)


def plot_comparison(tested: Mapping[str, Mapping[str, Any]], names: Sequence[str] | None = None) -> Figure:
    """Plot the results of `compare`: one panel per score, one row per system, the baseline first.

    A triangle marks a system that differs from the baseline with p < 0.05: it points up if the system is better, down
    if it is worse. Other systems have a circle. Bars show the intervals of `confidence`. A dashed line marks the
    baseline's score. Needs matplotlib: pip install matplotlib.

    Args:
        tested: results of `compare` by the metric's name, all for the same systems.
        names: the names of the baseline and of each system, as plain text; None: "baseline", "system 1", ...

    Returns:
        A matplotlib Figure, which notebooks show and `savefig` saves.

    Raises:
        ValueError: no results, a value that is not a result of `compare`, or the wrong number of names.

    Examples:
        >>> import evenscore
        >>> wer = evenscore.load("wer_dp", confidence=0.95)
        >>> tested = wer.compare(["a b", "c"], ["a x", "c"], references=["a b", "c d"])
        >>> figure = evenscore.plot_comparison({"wer_dp": tested}, names=["mine", "theirs"])
        >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
        ['mine', 'theirs']
    """
    shown = _checked_names(tested, names)
    require("matplotlib", "matplotlib", "plot_comparison")
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from evenscore.shown_figure import ShownFigure

    panels = [panel for metric, result in tested.items() for panel in panels_of(metric, result)]
    width, height = 5.5 + 0.08 * max(map(len, shown)), 0.6 + len(panels) * (0.75 + 0.3 * len(shown))
    figure = ShownFigure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))
    for axes, panel in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        _draw(axes, panel, shown)
    keys = _legend(panels, levels_of(tested))
    figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure


def write_plot(figure: Figure, path: Path) -> None:
    """Write a figure atomically as .svg, .png or .pdf. Equal figures give equal files."""
    import matplotlib

    hashed = {"svg.hashsalt": "evenscore"}
    with replacing(path) as unfinished, matplotlib.rc_context(hashed):
        figure.savefig(unfinished, format=path.suffix[1:], dpi=200, metadata=_UNDATED[path.suffix.lower()])


def _checked_names(tested: Mapping[str, Mapping[str, Any]], names: Sequence[str] | None) -> list[str]:
    """Return the names of the rows; ValueError unless `tested` maps metric names to results of compare."""
    if not isinstance(tested, Mapping):
        raise ValueError(f"tested is of type {type(tested).__name__}: give {{metric name: result of compare}}")
    if not tested:
        raise ValueError("nothing to plot: give {metric name: result of compare}")
    if "baseline" in tested:
        raise ValueError("tested is one result of compare: give {metric name: result of compare}")
    for metric, result in tested.items():
        if not (isinstance(result, Mapping) and {"baseline", "systems", "signature"} <= result.keys()):
            raise ValueError(f"tested[{metric!r}] is not a result of compare: give {{metric name: result of compare}}")
    n_systems = {metric: len(result["systems"]) for metric, result in tested.items()}
    first, n = next(iter(n_systems.items()))
    for metric, other in n_systems.items():
        if other != n:
            raise ValueError(f"{first} has {amount(n, 'systems')} but {metric} has {other}: plot them one by one")
    if names is None:
        return ["baseline", *(f"system {i + 1}" for i in range(n))]
    if len(names) != n + 1:
        raise ValueError(f"{len(names)} names for {n + 1} rows: give the baseline's name, then each system's")
    return list(names)


def _draw(axes: Axes, panel: Panel, names: Sequence[str]) -> None:
    plain: dict[str, Any] = {"parse_math": False, "usetex": False}
    axes.axvline(panel.rows[0].score, color="#B0B0B0", linestyle="--", linewidth=1, zorder=0)
    for y, row in enumerate(panel.rows):
        if row.ends:
            axes.plot(row.ends, (y, y), "|-", color=row.look.colour, linewidth=2, label="interval")
        axes.plot([row.score], [y], **_marker(row.look), label="score")
        place: dict[str, Any] = {"xy": (1, y), "xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axes.annotate(row.beside, xytext=(8, 0), verticalalignment="center", fontsize="small", **place, **plain)
    axes.set_title(panel.title, loc="left", fontweight="bold", **plain)
    axes.set_title(panel.direction, loc="right", fontsize="small", color="#555555", **plain)
    axes.set_yticks(range(len(names)), names, verticalalignment="center", **plain)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(left=False)
    axes.locator_params(axis="x", nbins=6)
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.grid(axis="x", color="#E6E6E6")
    axes.set_axisbelow(True)


def _marker(look: Look) -> dict[str, Any]:
    shape = {"marker": look.marker, "markersize": 8, "markeredgewidth": 1.5, "linestyle": ""}
    return {**shape, "color": look.colour, "markerfacecolor": look.colour if look.filled else "white"}


def _legend(panels: Sequence[Panel], levels: Sequence[str]) -> list[Any]:
    """Return the legend's entries for the markers and bars that occur."""
    from matplotlib.lines import Line2D

    there = {row.look for panel in panels for row in panel.rows}
    marks = [Line2D([], [], **_marker(look), label=look.meaning) for look in LOOKS if look in there]
    bars = [Line2D([], [], color="#6E6E6E", linewidth=2, label=f"{level} interval") for level in levels]
    return [*marks, *bars]
