"""The inputs and options of a page."""

from __future__ import annotations

import functools
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from evenscore.hub.page.description import Given, Input, Option, Space
from evenscore.hub.page.files import MODELS, SUFFIXES, chosen_columns, guessed_columns, read_columns, typed_columns


def problem_area() -> gr.HTML:
    """The area for error messages; hidden until there is one."""
    return gr.HTML(visible=False, apply_default_css=False)


def problem_update(problem: str) -> Any:
    """Show the message in its area; hide the area if it is empty."""
    return gr.update(value=problem_html(problem), visible=bool(problem))


def problem_html(problem: str) -> str:
    """The message as HTML that screen readers announce immediately."""
    return f'<p class="problem" role="alert">{html.escape(problem)}</p>'


_TYPED, _FILES = "typed", "files"


def input_area(space: Space) -> list[gr.components.Component]:
    """Build two tabs of inputs; returns the components whose values `given` takes: the open tab, and both contents."""
    opened = gr.State(_TYPED)
    with gr.Tabs():
        with gr.Tab("Paste") as typing:
            boxes = _typing_area(space)
        with gr.Tab("Upload") as uploading:
            files, choosers = _upload_area(space.inputs)
    for tab, name in ((typing, _TYPED), (uploading, _FILES)):
        tab.select(lambda name=name: name, outputs=opened, show_progress="hidden", queue=False)
    return [opened, *boxes, files, *choosers]


def given(inputs: Sequence[Input], values: Sequence[Any]) -> Given:
    """The columns in the open tab; values: those of the components that `input_area` returns."""
    n_boxes = sum(entry.boxes for entry in inputs)
    opened, typed, files, chosen = values[0], values[1 : n_boxes + 1], values[n_boxes + 1], values[n_boxes + 2 :]
    if opened == _TYPED:
        return typed_columns(inputs, typed)
    if not files:
        raise ValueError("There is no file: upload one, or paste texts in the other tab")
    return chosen_columns(inputs, chosen, read_columns(map(Path, files)))


# --- typing


def _typing_area(space: Space) -> list[gr.Textbox]:
    boxes: list[gr.Textbox] = []
    folds: list[gr.Accordion] = []
    with gr.Row(equal_height=False):
        for entry, *folded in _beside_each_other(space.inputs):
            with gr.Column(min_width=400):
                boxes.append(gr.Textbox(label=entry.label, info=entry.info, lines=6, max_lines=12))
                if entry.boxes > 1:
                    with gr.Accordion(f"More {entry.label.lower()}", open=False) as fold:
                        boxes += _further_boxes(entry)
                    folds.append(fold)
                for own in folded:
                    with gr.Accordion(own.fold, open=False) as fold:
                        boxes.append(gr.Textbox(label=own.label, info=own.info, lines=2, max_lines=12))
                    folds.append(fold)
    with gr.Row(elem_classes="examples"):
        for name, texts in space.examples.items():
            button = gr.Button(f"Example: {name}", size="sm", scale=0, min_width=200)
            filled = functools.partial(_filled, space.inputs, texts)
            button.click(filled, outputs=[*boxes, *folds], show_progress="hidden")
    return boxes


def _beside_each_other(inputs: Sequence[Input]) -> list[list[Input]]:
    """The typed inputs, each followed by those in a fold below it."""
    groups: list[list[Input]] = []
    for entry in inputs:
        if entry.fold:
            groups[-1].append(entry)
        elif entry.boxes:
            groups.append([entry])
    return groups


def _further_boxes(entry: Input) -> list[gr.Textbox]:
    gr.Markdown("Every box has as many lines; leave a line empty if a row has no further text.")
    return [gr.Textbox(label=f"{entry.label} {k}", lines=2, max_lines=12) for k in range(2, entry.boxes + 1)]


def _filled(inputs: Sequence[Input], texts: Mapping[str, Sequence[str]]) -> list[Any]:
    """Update all boxes with texts; folds of further boxes are open if a box has a text."""
    given = [(entry, texts.get(entry.name, ())) for entry in inputs]
    padded = [text for entry, own in given for text in (*own, *[""] * (entry.boxes - len(own)))]
    filled = [len(own) > (not entry.fold) for entry, own in given if entry.fold or entry.boxes > 1]
    return [*padded, *(gr.update(open=is_open) for is_open in filled)]


# --- files


def _upload_area(inputs: Sequence[Input]) -> tuple[gr.File, list[gr.Dropdown]]:
    models = MODELS if any(entry.boxes == 0 for entry in inputs) else ()
    gr.Markdown(
        "One or more files: text with one row per line, CSV with a header, or JSONL with one object per line"
        f"{'; a language model as an ARPA file' * bool(models)}. Then choose the column of each input."
    )
    files = gr.File(file_count="multiple", file_types=[*SUFFIXES, *models], label="Files", height=190)
    problem = problem_area()
    with gr.Row():
        choosers = [gr.Dropdown([], multiselect=entry.boxes > 1, label=entry.label, min_width=240) for entry in inputs]
    offered = functools.partial(_offered, inputs)
    files.change(offered, inputs=files, outputs=[problem, *choosers], show_progress="hidden")
    return files, choosers


def _offered(inputs: Sequence[Input], paths: Sequence[str] | None) -> list[Any]:
    """Update the page after an upload: show the error of the files, or their columns to choose from."""
    try:
        names = list(read_columns(map(Path, paths or [])))
    except ValueError as error:
        return [problem_update(str(error)), *(gr.update(choices=[], value=None) for _ in inputs)]
    guessed = zip(inputs, guessed_columns(inputs, names), strict=True)
    values = [own if entry.boxes > 1 else next(iter(own), None) for entry, own in guessed]
    return [problem_update(""), *(gr.update(choices=names, value=value) for value in values)]


def option_boxes(options: Sequence[Option]) -> list[gr.components.Component]:
    """Build a box for every option, in as many columns as fit."""
    with gr.Row(elem_classes="options"):
        return [_box(option) for option in options]


def option_values(options: Sequence[Option], shown: Sequence[Any]) -> Given:
    """Convert the values of the boxes to options of compute; options left to the metric are left out.

    Raises ValueError if a value should be a number and is not, or is too large.

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
    if option.choices is not None:
        return [option.choices[name] for name in value] if option.several else option.choices[value]
    if isinstance(value, str):
        try:
            return float(value) if value.strip() else None
        except ValueError as error:
            raise ValueError(f"{option.label}: {value!r} is not a number") from error
    if option.most is not None and value is not None and value > option.most:
        raise ValueError(f"{option.label}: {value:,} is more than this page takes: give {option.most:,} at most")
    return value
