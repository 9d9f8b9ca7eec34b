"""The description of a metric's page, which its app.py gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

Given = dict[str, Any]


class Input(NamedTuple):
    """A column that the metric takes.

    name: the parameter of compute.
    singular: the parameter of picture for one row; empty: the column has no rows, and picture gets it whole.
    label, info: the texts above its box.
    boxes: the most texts that a row may have; 0: the input is a file, and the metric takes its path.
    fold: the heading of the fold that contains its box, below the input before it; empty: the box is always open.
    is_needed: whether it is required.
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
    """An option of compute: a list of choices, a check box, a number, or the text of a number.

    value: the initial value; None: the metric's default.  A number is never empty.  If a text is empty or not a choice,
      the metric's default applies.
    choices: the value of each choice by its label; None: the choices that the metric declares, if any.
    several: whether several choices may be selected; value is then a list of labels.
    most: the largest number that the page accepts, because all visitors share its machine.
    """

    name: str
    label: str
    info: str
    value: Any = None
    choices: Mapping[str, Any] | None = None
    several: bool = False
    most: int | None = None


def as_declared(options: Sequence[Option], declaration: type) -> list[Option]:
    """The options, completed by the declarations of their metric."""
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
    """The initial value that a page shows for a default."""
    if choices is None:
        return "" if default is None else default
    shown = [name for name, meaning in choices.items() if meaning in (default if several else [default])]
    return shown if several else shown[0]


class Figure(NamedTuple):
    """How a page shows a key of the result: its name, its unit and its explanation."""

    name: str
    unit: str
    meaning: str


class Space(NamedTuple):
    """A metric's page.

    script: the path of the metric's script, from which the page loads the metric.
    figures: given inputs and options, returns the figures to show, by key of the result, in order.
    text: the description of the page; empty: that of the metric.
    examples: for each example by name, the texts of every box of an input.
    prepare: converts the page's inputs and options, by name, to the arguments of compute.
    report: writes the HTML file on how two systems differ, from a scorer, the systems' predictions by name, and the
      references; None: the page offers none.
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
    report: Callable[[Any, Mapping[str, Any], Any], str] | None = None


# The prefix of the column names of a second system, which is compared with the first one.
SECOND = "second_"


def second(name: str, label: str, info: str, numbers: bool = False) -> Input:
    """The input of a second system that corresponds to the input of this name."""
    fold = "Compare with a second system"
    return Input(f"{SECOND}{name}", "", label, info, 1, fold, False, numbers, called=("second",))


def pairs(predictions: str, references: str) -> list[Input]:
    """The inputs of a metric that compares predictions with references; the arguments are their explanations."""
    return [
        Input("predictions", "prediction", "Predictions", predictions, called=("pred", "hyp", "sys", "out", "cand")),
        second("predictions", "Predictions of the second system", "As many lines, for the same references"),
        Input("references", "references", "References", references, boxes=4, called=("ref", "target", "gold", "label")),
    ]


# The options of all metrics; pictures of a row do not take them.
_LEVELS = {"none": None, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99}
INTERVAL = (
    Option("confidence", "Interval", "A bootstrap interval around the score", "95 %", _LEVELS),
    Option("n_resamples", "Resamples", "The number of bootstrap samples, at most 10,000", most=10_000),
    Option("seed", "Seed", "The seed of every random draw"),
)
