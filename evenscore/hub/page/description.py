"""What an app.py says of its metric's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

Given = dict[str, Any]


class Input(NamedTuple):
    """A column that the metric takes.

    name: as compute has it.
    singular: as picture has one row of it; empty: the column is no part of a row, and pictures get it whole.
    label, info: what stands above its box.
    boxes: how many texts a row has at most; 0: the column is no text but a file, whose path the metric takes.
    fold: the head of the fold that its box lies in, below the input before it; empty: the box stands open.
    is_needed: whether it may not be left empty.
    numbers: whether a row is a list of numbers.
    called: parts of the names that such columns often have in files.
    """

    name: str
    singular: str
    label: str
    info: str
    boxes: int = 1
    fold: str = ""
    is_needed: bool = True
    numbers: bool = False
    called: Sequence[str] = ()


class Option(NamedTuple):
    """An option of compute: one of its choices, or what its value is: a box to tick, a number, the text of a number.

    value: what the page begins with; None: the metric's default.  A number always holds something; an empty text, like
      one that is no choice, is left to the metric.
    choices: what the page shows, with what it means; None: those that the metric declares, if it does.
    several: whether several of the choices may be taken; value is then a list of what the page shows.
    most: the largest number that the page takes, whose machine all its visitors share.
    """

    name: str
    label: str
    info: str
    value: Any = None
    choices: Mapping[str, Any] | None = None
    several: bool = False
    most: int | None = None


def as_declared(options: Sequence[Option], declaration: type) -> list[Option]:
    """The options with what their metric declares of them, as far as they do not say it themselves."""
    hints = get_type_hints(declaration, include_extras=True)
    return [_as_declared(option, *get_args(hints[option.name])) for option in options]


def _as_declared(option: Option, kind: Any, declared: Any) -> Option:
    choices = option.choices
    if choices is None and get_origin(kind) is Literal:
        choices = {name: name for name in get_args(kind)}
    if option.value is None:
        return option._replace(choices=choices, value=_usual(declared.default, choices, option.several))
    if choices is not None and option.value not in choices:
        choices = {option.value: None, **choices}
    return option._replace(choices=choices)


def _usual(default: Any, choices: Mapping[str, Any] | None, several: bool) -> Any:
    """What a page shows of a default."""
    if choices is None:
        return "" if default is None else default
    shown = [name for name, meaning in choices.items() if meaning in (default if several else [default])]
    return shown if several else shown[0]


class Figure(NamedTuple):
    """How a page shows a key of the result: by which name, in which unit, and what it says that this is."""

    name: str
    unit: str
    meaning: str


class Space(NamedTuple):
    """A metric's page.

    script: the metric's, which is loaded by this path wherever the folder lies.
    figures: from inputs and options to what the page shows of a result, by its keys, in order.
    text: what the page can do; empty: what the metric can.
    examples: by name, the texts of every box of an input.
    prepare: makes what compute takes from what the page has, inputs and options by name.
    """

    title: str
    script: Path
    lower_is_better: bool
    inputs: Sequence[Input]
    options: Sequence[Option]
    figures: Callable[[Given], Mapping[str, Figure]]
    examples: Mapping[str, Mapping[str, Sequence[str]]]
    text: str = ""
    prepare: Callable[[Given], Given] = dict


# What the names of columns of a second system begin with, which is compared with the first one.
SECOND = "second_"


def second(name: str, label: str, info: str, numbers: bool = False) -> Input:
    """The input of a second system that stands beside the input of that name."""
    fold = "Compare with a second system"
    return Input(f"{SECOND}{name}", "", label, info, 1, fold, False, numbers, called=("second",))


def pairs(predictions: str, references: str) -> list[Input]:
    """The inputs of a metric of predictions against references, with what is said of the two."""
    return [
        Input("predictions", "prediction", "Predictions", predictions, called=("pred", "hyp", "sys", "out", "cand")),
        second("predictions", "Predictions of the second system", "As many lines, for the same references"),
        Input("references", "references", "References", references, boxes=4, called=("ref", "target", "gold", "label")),
    ]


# What all metrics have; pictures of a row know nothing of it.
_LEVELS = {"none": None, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99}
INTERVAL = (
    Option("confidence", "Interval", "A bootstrap interval around the score", "95 %", _LEVELS),
    Option("n_resamples", "Resamples", "How many the interval is taken from, at most 10,000", most=10_000),
    Option("seed", "Seed", "Of every random draw"),
)
