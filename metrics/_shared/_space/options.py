"""Options as boxes of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from .description import Given, Option


def option_boxes(options: Sequence[Option]) -> list[gr.components.Component]:
    """A box for every option, as many beside each other as there is room for."""
    with gr.Row(elem_classes="options"):
        return [_box(option) for option in options]


def option_values(options: Sequence[Option], shown: Sequence[Any]) -> Given:
    """What the boxes show as options of compute; what is left to the metric is left out.

    Raises ValueError for what is no number where there should be one, or too large a one.

    >>> beta = Option("beta", "Beta", "", "1", {"1": 1, "as always": None})
    >>> option_values([beta, Option("seed", "Seed", "", 7), Option("level", "Level", "", "")], ["1", 8, " "])
    {'beta': 1, 'seed': 8}
    """
    values = {option.name: _meant(option, value) for option, value in zip(options, shown, strict=True)}
    return {name: value for name, value in values.items() if value is not None}


def _box(option: Option) -> gr.components.Component:
    named = {"value": option.value, "label": option.label, "info": option.info}
    if option.choices is not None:
        return gr.Dropdown(list(option.choices), multiselect=option.several, **named)
    if isinstance(option.value, str):
        return gr.Textbox(**named)
    return gr.Checkbox(**named) if isinstance(option.value, bool) else gr.Number(**named)


def _meant(option: Option, value: Any) -> Any:
    if option.choices is None:
        return _number(option.label, value) if isinstance(value, str) else _checked(option, value)
    return [option.choices[name] for name in value] if option.several else option.choices[value]


def _checked(option: Option, value: Any) -> Any:
    if option.most is not None and value is not None and value > option.most:
        raise ValueError(f"{option.label}: {value:,} is more than this page takes: give {option.most:,} at most")
    return value


def _number(label: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{label}: {text!r} is no number") from error
