"""A figure of systems beside a baseline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenscore.parallel import require
from evenscore.significance import SIGNIFICANT, differs, p_value_text

_SURPRISES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")


def lower_is_better(score: str) -> bool:
    """Whether the better of two systems has the lower score."""
    return score in ("wer", "cer", *_SURPRISES)


def direction(score: str) -> str:
    """Which way is better, in words."""
    return "lower is better" if lower_is_better(score) else "higher is better"


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class _Look(NamedTuple):
    """How a score is drawn for what is known of it; no two differ by their colour alone."""

    meaning: str
    marker: str
    colour: str
    filled: bool = True


# Black, blue, vermilion of Okabe & Ito (2008), which differ for everyone, also from the grey.
_BASELINE = _Look("baseline", "s", "#000000")
_BETTER = _Look(f"better, p < {SIGNIFICANT} *", "^", "#0072B2")
_WORSE = _Look(f"worse, p < {SIGNIFICANT} *", "v", "#D55E00")
_UNDECIDED = _Look("no significant difference", "o", "#6E6E6E", False)
_LOOKS = (_BASELINE, _BETTER, _WORSE, _UNDECIDED)

# Files without the time they were made: equal results give equal files.
_UNDATED: Mapping[str, Mapping[str, None]] = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}
PLOT_SUFFIXES = tuple(_UNDATED)


class _Row(NamedTuple):
    """A system's score with the ends of its interval, if there is one."""

    score: float
    ends: tuple[float, float] | None
    look: _Look
    beside: str


class _Panel(NamedTuple):
    """A score of all systems, the baseline's first."""

    title: str
    direction: str
    rows: Sequence[_Row]


def plot_comparison(tested: Mapping[str, Mapping[str, Any]], names: Sequence[str] | None = None) -> Figure:
    """Scores of systems with their intervals: a panel a score, a row a system, the baseline on top.

    A system that differs from the baseline by p < 0.05 has a triangle, which points up if it is better and down if it
    is worse, and a star behind its p-value; the others have a circle.  Bars are the intervals that compare gives with
    `confidence`; a dashed line goes down from the baseline's score.  It needs matplotlib: pip install matplotlib.

    tested: what compare gave, by the metric's name; all for the same systems.
    names: of the baseline, then of every system.  They are text: no character in them is markup.
    Returns a matplotlib Figure, to show in a notebook or to save with its savefig.
    Raises ValueError if there is nothing to draw, for what compare did not give, or if names are too few or too many.

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

    panels = [panel for metric, result in tested.items() for panel in _panels(metric, result)]
    width, height = 5.5 + 0.08 * max(map(len, shown)), 0.6 + len(panels) * (0.75 + 0.3 * len(shown))
    figure = ShownFigure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))
    for axes, panel in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        _draw(axes, panel, shown)
    keys = _legend(panels, _levels(tested))
    figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure


def write_plot(figure: Figure, path: Path) -> None:
    """Write a figure as .svg, .png or .pdf, the whole file or none; equal figures as equal files."""
    import tempfile

    import matplotlib

    with tempfile.TemporaryDirectory(prefix=".plot-", dir=path.resolve().parent) as temporary:
        whole = Path(temporary, path.name)
        with matplotlib.rc_context({"svg.hashsalt": "evenscore"}):
            figure.savefig(whole, dpi=200, metadata=_UNDATED[path.suffix.lower()])
        whole.replace(path.resolve())


def _checked_names(tested: Mapping[str, Mapping[str, Any]], names: Sequence[str] | None) -> list[str]:
    """A name for the baseline and for every system; ValueError for all but results of compare by the metric's name."""
    if not isinstance(tested, Mapping):
        raise ValueError(f"results come as a {type(tested).__name__}: give {{metric's name: what compare gave}}")
    if not tested:
        raise ValueError("nothing to plot: give what compare gave, by the metric's name")
    if "baseline" in tested:
        raise ValueError("name the metric: give {name: what compare gave}")
    for metric, result in tested.items():
        if not (isinstance(result, Mapping) and {"baseline", "systems", "signature"} <= result.keys()):
            raise ValueError(f"{metric} has no result of compare: give {{metric's name: what compare gave}}")
    n_systems = {metric: len(result["systems"]) for metric, result in tested.items()}
    first, n = next(iter(n_systems.items()))
    for metric, other in n_systems.items():
        if other != n:
            raise ValueError(f"{first} and {metric} have not as many systems ({n}, {other}): plot them one by one")
    if names is None:
        return ["baseline", *(f"system {i + 1}" for i in range(n))]
    if len(names) != n + 1:
        raise ValueError(f"{len(names)} names for {n + 1} rows: give the baseline's, then every system's")
    return list(names)


def _panels(metric: str, result: Mapping[str, Any]) -> list[_Panel]:
    baseline, systems = result["baseline"], result["systems"]
    scores = [name.removesuffix("_p_value") for name in systems[0] if name.endswith("_p_value")]
    rows = {score: [_row(each, score, baseline) for each in (baseline, *systems)] for score in scores}
    return [_Panel(f"{metric} {score}", direction(score), own) for score, own in rows.items()]


def _row(result: Mapping[str, float], score: str, baseline: Mapping[str, float]) -> _Row:
    look = _look(result, score, baseline)
    ends = (result[f"{score}_low"], result[f"{score}_high"]) if f"{score}_low" in result else None
    p_value = result.get(f"{score}_p_value")
    beside = [f"{result[score]:.4f}", *([] if p_value is None else [p_value_text(p_value)])]
    return _Row(result[score], ends, look, "  ".join([*beside, *(["*"] if look in (_BETTER, _WORSE) else [])]))


def _look(result: Mapping[str, float], score: str, baseline: Mapping[str, float]) -> _Look:
    if result is baseline:
        return _BASELINE
    if not differs(result, score, baseline[score]):
        return _UNDECIDED
    return _BETTER if (result[score] < baseline[score]) == lower_is_better(score) else _WORSE


def _levels(tested: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The confidence levels of the intervals, as signatures have them."""
    levels = [re.search(r"(?:^|\|)ci:([0-9.]+)\[", result["signature"]) for result in tested.values()]
    return list(dict.fromkeys(f"{100 * float(level[1]):g} %" for level in levels if level))


def _draw(axes: Axes, panel: _Panel, names: Sequence[str]) -> None:
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


def _marker(look: _Look) -> dict[str, Any]:
    shape = {"marker": look.marker, "markersize": 8, "markeredgewidth": 1.5, "linestyle": ""}
    return {**shape, "color": look.colour, "markerfacecolor": look.colour if look.filled else "white"}


def _legend(panels: Sequence[_Panel], levels: Sequence[str]) -> list[Any]:
    """What the markers that are there mean, and the bars."""
    from matplotlib.lines import Line2D

    there = {row.look for panel in panels for row in panel.rows}
    marks = [Line2D([], [], **_marker(look), label=look.meaning) for look in _LOOKS if look in there]
    bars = [Line2D([], [], color="#6E6E6E", linewidth=2, label=f"{level} interval") for level in levels]
    return [*marks, *bars]
