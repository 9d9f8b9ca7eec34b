"""What an app.py says of its metric's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Given = dict[str, Any]


class Input(NamedTuple):
    """A column that the metric takes.

    name: as compute has it.
    singular: as picture has one row of it; empty: the column is no part of a row, and pictures get it whole.
    label, info: what stands above its box.
    boxes: how many texts a row has at most.
    is_needed: whether it may not be left empty.
    numbers: whether a row is a list of numbers.
    called: parts of the names that such columns often have in files.
    """

    name: str
    singular: str
    label: str
    info: str
    boxes: int = 1
    is_needed: bool = True
    numbers: bool = False
    called: Sequence[str] = ()


class Option(NamedTuple):
    """An option of compute: one of its choices, or what its value is: a box to tick, a number, the text of a number.

    value: what the page begins with.  A number always holds something; an empty text is left to the metric.
    choices: what the page shows, with what it means; None is left to the metric.
    several: whether several of the choices may be taken; value is then a list of what the page shows.
    most: the largest number that the page takes, whose machine all its visitors share.
    """

    name: str
    label: str
    info: str
    value: Any
    choices: Mapping[str, Any] | None = None
    several: bool = False
    most: int | None = None


class Example(NamedTuple):
    """A name, with the texts of every box of an input."""

    label: str
    texts: Mapping[str, Sequence[str]]


def _as_given(given: Given) -> Given:
    return given


class Space(NamedTuple):
    """A metric's page.

    script: the metric's, which is loaded by this path wherever the folder lies.
    prepare: makes what compute takes from what the page has, inputs and options by name.
    """

    title: str
    script: Path
    lower_is_better: bool
    inputs: Sequence[Input]
    options: Sequence[Option]
    examples: Sequence[Example]
    prepare: Callable[[Given], Given] = _as_given


def pairs(predictions: str, references: str) -> list[Input]:
    """The inputs of a metric of predictions against references, with what is said of the two."""
    return [
        Input("predictions", "prediction", "Predictions", predictions, called=("pred", "hyp", "sys", "out", "cand")),
        Input("references", "references", "References", references, boxes=4, called=("ref", "target", "gold", "label")),
    ]


# What all metrics have; pictures of a row know nothing of it.
INTERVAL = (
    Option(
        "confidence",
        "Interval",
        "A bootstrap interval around the score",
        "95 %",
        {"none": None, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99},
    ),
    Option("n_resamples", "Resamples", "How many the interval is taken from, at most 10,000", 1000, most=10_000),
    Option("seed", "Seed", "Of every random draw", 12345),
)
