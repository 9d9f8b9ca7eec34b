"""A metric's page: inputs, options, a button, results."""

from __future__ import annotations

import csv
import html
import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import evaluate
import gradio as gr

from evenscore.hub.page.description import INTERVAL, Space, as_declared
from evenscore.hub.page.inputs import (
    given,
    input_area,
    option_boxes,
    option_values,
    problem_area,
    problem_html,
    problem_update,
)
from evenscore.hub.page.report import MOST_ROWS, Report, picture_html, row_heads, score, scores_html, worst_rows

# Gradio's own themes bring fonts of their own, or fetch them.
THEME = gr.themes.Default(
    primary_hue="blue", font=("system-ui", "sans-serif"), font_mono=("ui-monospace", "monospace")
).set(
    # As they are, hints are too pale to read.
    body_text_color_subdued="*neutral_500",
    block_info_text_color="*neutral_500",
    body_text_color_subdued_dark="*neutral_400",
    block_info_text_color_dark="*neutral_400",
)

CSS = """
.gradio-container { max-width: min(1100px, 100%) !important; margin-inline: auto !important; }
.page-head h1 { font-size: 1.6rem; font-weight: 650; margin: .4rem 0; }
.page-head p { max-width: 46rem; margin: 0; }
.page-head p, .headlines span, .figures dt { color: var(--body-text-color-subdued); }
.options .form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
  background: var(--block-background-fill); }
.examples { justify-content: flex-start; align-items: center; gap: .5rem; }
.problem, .note { border-left: 4px solid; border-radius: 4px; padding: .6rem .8rem; margin: .3rem 0;
  overflow-wrap: anywhere; background: var(--block-background-fill); }
.problem { border-color: var(--error-icon-color); font-weight: 600; }
.note { border-color: var(--primary-500); }
.headlines { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: .3rem 0 1rem; }
.headlines .name { display: block; font-weight: 600; }
.headlines strong { display: block; font-size: 2.4rem; line-height: 1.15; }
.headlines strong, .figures dd { font-variant-numeric: tabular-nums; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .1rem 2rem;
  margin: 0; }
.figures div { display: flex; justify-content: space-between; gap: 1rem; padding: .15rem 0;
  border-bottom: 1px solid var(--border-color-primary); }
.figures dd { margin: 0; text-align: right; }
.signature { margin: 1rem 0 .5rem; color: var(--body-text-color-subdued); }
.signature code { font-family: var(--font-mono); color: var(--body-text-color); overflow-wrap: anywhere;
  user-select: all; }
.rows [role=gridcell], .rows [role=gridcell] *, .rows th, .rows th * { font-family: var(--font) !important; }
.rows [role=gridcell] * { white-space: pre-line !important; }
.evenscore-picture h4 { font-weight: 600; }
"""


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
    report, problem = gr.State(None), problem_area()
    with gr.Column(visible=False) as whole:
        scores = gr.HTML(apply_default_css=False)
        caption = gr.Markdown()
        quiet: dict[str, Any] = {"show_label": False, "interactive": False, "buttons": []}
        table = gr.Dataframe(label="Rows", wrap=True, max_height=420, elem_classes="rows", **quiet)
        # Without bounds, which gradio speaks of in words of its own.
        row = gr.Number(label="Row", info="Whose picture this is, counted from 0; or choose one in the table")
        picture = gr.HTML(apply_default_css=False)

    def pictured(scored: Report, number: Any) -> str:
        return _picture(space, metric, scored, number)

    def chosen(scored: Report, event: gr.SelectData) -> tuple[int, str]:
        # The row as it is shown, which people may have sorted otherwise.
        number = int(event.row_value[0])
        return number, pictured(scored, number)

    # Of choices that come fast, one digit after another, the last one counts.
    fast: dict[str, Any] = {"show_progress": "hidden", "trigger_mode": "always_last"}
    row.input(pictured, inputs=[report, row], outputs=picture, **fast)
    table.select(chosen, inputs=report, outputs=[row, picture], **fast)
    return ResultArea(report, problem, whole, scores, caption, table, row, picture)


def filled(space: Space, metric: Any, scored: Report) -> list[Any]:
    """What all parts of the area show of a report; the picture is the worst row's."""
    rows = worst_rows(space, scored)
    worst = rows[0][0]
    shown = f"The {MOST_ROWS} worst of {scored.n_rows:,} rows" if scored.n_rows > MOST_ROWS else f"{scored.n_rows} rows"
    caption = f"**{shown}, the worst first.** Choose one to see why it has its score."
    scores, picture = scores_html(space, scored), _picture(space, metric, scored, worst)
    table = _table(space, scored, rows)
    return [scored, problem_update(""), gr.update(visible=True), scores, caption, table, worst, picture]


def failed(problem: str) -> list[Any]:
    """The sentence alone."""
    changed = {"report": None, "problem": problem_update(problem), "whole": gr.update(visible=False)}
    return [changed.get(part, gr.skip()) for part in ResultArea._fields]


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


# Uploads, and what is known of a visitor, are gone after so many seconds.
_KEPT = 3600
_LARGEST_FILE = 100 * gr.FileSize.MB

_LOG = logging.getLogger(__name__)


def build(space: Space) -> gr.Blocks:
    """The page, not served yet; it asks for nothing from elsewhere, and tells nobody."""
    # By path: of a folder that is named otherwise, evaluate would not find the script.
    metric = evaluate.load(str(space.script))
    own, common = (as_declared(each, metric.scorer_type.declaration) for each in (space.options, INTERVAL))
    with gr.Blocks(title=space.title, analytics_enabled=False, delete_cache=(_KEPT, _KEPT)) as page:
        title, text = html.escape(space.title), html.escape(" ".join(metric.description.split()))
        gr.HTML(f'<div class="page-head"><h1>{title}</h1><p>{text}</p></div>', apply_default_css=False)
        inputs = input_area(space)
        with gr.Accordion("Options", open=False):
            boxes = [*option_boxes(own), *option_boxes(common)]
        button = gr.Button("Score", variant="primary")
        results = result_area(space, metric)

        def scored(*values: Any) -> list[Any]:
            try:
                columns = given(space.inputs, values[: len(inputs)])
                chosen = {**columns, **option_values([*own, *common], values[len(inputs) :])}
                return filled(space, metric, score(space, metric, chosen))
            except (ValueError, ImportError) as error:
                return failed(str(error))
            except Exception as error:
                _LOG.exception("A score failed")
                return failed(f"This cannot be scored, for a reason not foreseen ({type(error).__name__})")

        button.click(scored, inputs=[*inputs, *boxes], outputs=list(results), api_name="score")
    return page


def serve(page: gr.Blocks) -> None:
    """Serve the page; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where."""
    # For all of this process, which is the page's alone: a cell of a table may be as long as a file.
    csv.field_size_limit(_LARGEST_FILE)
    page.launch(theme=THEME, css=CSS, footer_links=[], ssr_mode=False, max_file_size=_LARGEST_FILE)
