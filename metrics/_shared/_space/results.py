"""The results of a page: scores, the worst rows, the picture of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gradio as gr

from .description import Space
from .problem import problem_area, problem_html, problem_update
from .report import MOST_ROWS, Report, picture_html, row_heads, scores_html, worst_rows

# In pixels: the table where the page is as wide as it gets, and its columns, of which those of texts may be wider.
_TABLE_WIDTH, _NUMBER_WIDTH, _SCORE_WIDTH, _TEXT_WIDTH = 1010, 70, 110, 280


class ResultArea(NamedTuple):
    """report: what the rest shows, None before.  problem: why there is none.  whole: hidden until there is one."""

    report: gr.State
    problem: gr.HTML
    whole: gr.Column
    scores: gr.HTML
    caption: gr.Markdown
    table: gr.Dataframe
    row: gr.Number
    picture: gr.HTML


def result_area(space: Space, metric: Any) -> ResultArea:
    """The area; who chooses a row, in the table or by its number, gets its picture."""
    area = _empty_area()

    def pictured(scored: Report, number: Any) -> str:
        return _picture(space, metric, scored, number)

    def chosen(scored: Report, event: gr.SelectData) -> tuple[int, str]:
        # The row as it is shown, which people may have sorted otherwise.
        number = int(event.row_value[0])
        return number, _picture(space, metric, scored, number)

    # Of choices that come fast, one digit after another, the last one counts.
    fast: dict[str, Any] = {"show_progress": "hidden", "trigger_mode": "always_last"}
    area.row.input(pictured, inputs=[area.report, area.row], outputs=area.picture, **fast)
    area.table.select(chosen, inputs=area.report, outputs=[area.row, area.picture], **fast)
    return area


def filled(space: Space, metric: Any, scored: Report) -> list[Any]:
    """What all parts of the area show of a report; the picture is the worst row's."""
    rows = worst_rows(space, scored)
    worst = rows[0][0]
    shown = f"The {MOST_ROWS} worst of {scored.n_rows:,} rows" if scored.n_rows > MOST_ROWS else f"{scored.n_rows} rows"
    return [
        scored,
        problem_update(""),
        gr.update(visible=True),
        scores_html(space, scored),
        f"**{shown}, the worst first.** Choose one to see why it has its score.",
        _table(space, scored, rows),
        worst,
        _picture(space, metric, scored, worst),
    ]


def failed(problem: str) -> list[Any]:
    """The sentence alone."""
    parts = ResultArea._fields
    changed = {"report": None, "problem": problem_update(problem), "whole": gr.update(visible=False)}
    return [changed.get(part, gr.skip()) for part in parts]


def _empty_area() -> ResultArea:
    report, problem = gr.State(None), problem_area()
    with gr.Column(visible=False) as whole:
        scores = gr.HTML(apply_default_css=False)
        caption = gr.Markdown()
        table = gr.Dataframe(
            label="Rows",
            show_label=False,
            interactive=False,
            wrap=True,
            max_height=420,
            buttons=[],
            elem_classes="rows",
        )
        # Without bounds, which gradio speaks of in words of its own.
        row = gr.Number(label="Row", info="Whose picture this is, counted from 0; or choose one in the table")
        picture = gr.HTML(apply_default_css=False)
    return ResultArea(report, problem, whole, scores, caption, table, row, picture)


def _picture(space: Space, metric: Any, scored: Report, number: Any) -> str:
    """The picture, or why there is none; nothing where no row is asked for."""
    if number is None:
        return ""
    try:
        return picture_html(space, metric, scored, number)
    except (ValueError, ImportError) as error:
        return problem_html(str(error))


def _table(space: Space, scored: Report, rows: Sequence[Sequence[Any]]) -> Any:
    """The rows; what is left of the page's width is for texts, and the table scrolls where that is too little."""
    heads = row_heads(space, scored)
    n_scores = len(scored.headlines)
    n_texts = len(heads) - 1 - n_scores
    left = _TABLE_WIDTH - _NUMBER_WIDTH - n_scores * _SCORE_WIDTH
    widths = [_NUMBER_WIDTH, *[_SCORE_WIDTH] * n_scores, *[max(_TEXT_WIDTH, left // n_texts)] * n_texts]
    return gr.update(value={"headers": heads, "data": rows}, column_widths=[f"{width}px" for width in widths])
