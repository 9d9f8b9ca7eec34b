"""What plots and reports show of a comparison: every system's score, interval and mark, by score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evenscore.significance import SIGNIFICANT, differs, p_value_text

_PERPLEXITIES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")


def lower_is_better(score: str) -> bool:
    """Whether a lower value of this headline score is better."""
    return score in ("wer", "cer", *_PERPLEXITIES)


def direction(score: str) -> str:
    """Return "lower is better" or "higher is better"."""
    return "lower is better" if lower_is_better(score) else "higher is better"


class Look(NamedTuple):
    """The marker of a score. No two looks differ by colour alone."""

    meaning: str
    marker: str
    colour: str
    filled: bool = True


# Black, blue and vermilion of Okabe & Ito (2008), which colour-blind readers can tell apart, and from grey.
BASELINE = Look("baseline", "s", "#000000")
_BETTER = Look(f"better, p < {SIGNIFICANT} *", "^", "#0072B2")
_WORSE = Look(f"worse, p < {SIGNIFICANT} *", "v", "#D55E00")
_UNDECIDED = Look("no significant difference", "o", "#6E6E6E", False)
LOOKS = (BASELINE, _BETTER, _WORSE, _UNDECIDED)


class Row(NamedTuple):
    """A system's score, with the ends of its interval if there is one."""

    score: float
    ends: tuple[float, float] | None
    look: Look
    beside: str


class Panel(NamedTuple):
    """One score of all systems, the baseline first."""

    title: str
    direction: str
    rows: Sequence[Row]


_INTERVAL_ENDS = ("_low", "_mean", "_high")


def panels_of(metric: str, result: Mapping[str, Any]) -> list[Panel]:
    """Return a panel for each score in a result of `compare`, with the baseline first in each."""
    baseline, systems = result["baseline"], result["systems"]
    # A system that was compared with itself may come without p-values.
    scores = [name for name in baseline if not name.endswith(_INTERVAL_ENDS)]
    rows = {score: [_row(each, score, baseline) for each in (baseline, *systems)] for score in scores}
    return [Panel(f"{metric} {score}", direction(score), own) for score, own in rows.items()]


def _row(result: Mapping[str, float], score: str, baseline: Mapping[str, float]) -> Row:
    look = _look(result, score, baseline)
    ends = (result[f"{score}_low"], result[f"{score}_high"]) if f"{score}_low" in result else None
    p_value = result.get(f"{score}_p_value")
    beside = [f"{result[score]:.4f}", *([] if p_value is None else [p_value_text(p_value)])]
    return Row(result[score], ends, look, "  ".join([*beside, *(["*"] if look in (_BETTER, _WORSE) else [])]))


def _look(result: Mapping[str, float], score: str, baseline: Mapping[str, float]) -> Look:
    if result is baseline:
        return BASELINE
    if not differs(result, score, baseline[score]):
        return _UNDECIDED
    return _BETTER if (result[score] < baseline[score]) == lower_is_better(score) else _WORSE


def levels_of(tested: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the confidence levels of the intervals, from the signatures."""
    levels = [re.search(r"(?:^|\|)ci:([0-9.]+)\[", result["signature"]) for result in tested.values()]
    return list(dict.fromkeys(f"{100 * float(level[1]):g} %" for level in levels if level))
