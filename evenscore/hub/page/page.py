"""A metric's page: inputs, options, a button, results."""

from __future__ import annotations

import csv
import html
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import evaluate
import gradio as gr
from gradio.processing_utils import save_bytes_to_cache
from gradio.utils import get_upload_folder

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
from evenscore.hub.page.lines import COLUMNS_FILE, columns_json, python_lines
from evenscore.hub.page.report import (
    MOST_ROWS,
    Report,
    comparison_html,
    picture_html,
    row_heads,
    row_scores_csv,
    score,
    scores_html,
    worst_rows,
)

# Gradio's themes include or download fonts by default.
THEME = gr.themes.Default(
    primary_hue="blue", font=("system-ui", "sans-serif"), font_mono=("ui-monospace", "monospace")
).set(
    # The default color of hints is too pale to read.
    body_text_color_subdued="*neutral_500",
    block_info_text_color="*neutral_500",
    body_text_color_subdued_dark="*neutral_400",
    block_info_text_color_dark="*neutral_400",
)

CSS = """
/* The page keeps its place when results make it longer. */
html { scrollbar-gutter: stable; }
.gradio-container { width: 100% !important; max-width: min(1100px, 100%) !important; margin-inline: auto !important; }
.page-head h1 { font-size: 1.6rem; font-weight: 650; margin: .4rem 0; }
.page-head p { max-width: 46rem; margin: 0 0 .3rem; }
.page-head a { color: var(--link-text-color); text-decoration: underline; }
.page-head p, .headlines span, .figures dt { color: var(--body-text-color-subdued); }
.options .form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
  background: var(--block-background-fill); }
.options .form > * { display: flex; flex-direction: column; justify-content: space-between; }
/* The hint of a check box stays beside its label. */
.options .form > :has([type=checkbox]) { justify-content: flex-start; }
.examples { justify-content: flex-start; align-items: center; gap: .5rem; }
.problem, .note { border-left: 4px solid; border-radius: 4px; padding: .6rem .8rem; margin: .3rem 0;
  overflow-wrap: anywhere; background: var(--block-background-fill); }
.problem { border-color: var(--error-icon-color); font-weight: 600; }
.note { border-color: var(--primary-500); }
.headlines { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: .3rem 0 1rem; }
.headlines > div { position: relative; flex: 0 1 24rem; }
.headlines .name { font-weight: 600; margin: 0; }
.headlines strong { display: block; font-size: 2.4rem; line-height: 1.15; }
.headlines strong, .figures dd { font-variant-numeric: tabular-nums; }
.headlines small { font-size: .95rem; font-weight: 400; }
.headlines small, .figures small { color: var(--body-text-color-subdued); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .1rem 2rem;
  margin: 0; }
.figures div { display: flex; justify-content: space-between; gap: 1rem; padding: .15rem 0; position: relative;
  border-bottom: 1px solid var(--border-color-primary); }
.figures dd { margin: 0; text-align: right; }
.figures .name > [tabindex], .figures small { white-space: nowrap; }
.name [tabindex] { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }
.name [role=tooltip] { position: absolute; z-index: 9; top: 100%; left: 0; width: min(22rem, 100%); visibility: hidden;
  padding: .5rem .7rem; border-radius: 4px; font-size: .85rem; font-weight: 400; box-shadow: 0 2px 8px #0006;
  background: var(--body-text-color); color: var(--body-background-fill) !important; }
.name [tabindex]:hover + [role=tooltip], .name [tabindex]:focus + [role=tooltip] { visibility: visible; }
.headlines [role=tooltip] { top: 1.7rem; }
.rows [role=gridcell], .rows [role=gridcell] *, .rows th, .rows th * { font-family: var(--font) !important; }
.rows [role=gridcell] * { white-space: pre-line !important; overflow-wrap: anywhere; }
/* Columns of texts share what the others leave of the page's width; on phones each text has a line of its own. */
.rows .header-table, .rows .virtual-body { width: 100% !important; }
.rows .header-table, .rows thead { display: block; }
/* Heads stand above their columns: gradio's style of tables in texts would move them. */
.rows :is(.header-table, thead tr, th) { margin: 0 !important; padding: 0 !important; }
.rows thead tr { display: flex; }
.rows .sizing-body { display: none; }
.rows :is(th, [role=gridcell]):not([style*=" 70px"], [style*=" 150px"]) { flex: 1 0 10rem !important;
  width: auto !important; min-width: 0 !important; max-width: none !important; }
.rows th:is([style*=" 70px"], [style*=" 150px"]) { flex: none; }
.rows th .header-content { text-align: left; }
@media (max-width: 640px) {
  .rows :is(thead tr, .virtual-row) { flex-wrap: wrap; }
  .rows :is(th, [role=gridcell]):not([style*=" 70px"], [style*=" 150px"]) { flex-basis: 100% !important; }
}
.evenscore-picture h4 { font-weight: 600; }
"""


# For scores and reports of all visitors: each catches warnings, which Python does for the whole process at once.
_ONE_AT_A_TIME: Mapping[str, Any] = {"concurrency_id": "scores", "concurrency_limit": 1}

# Column widths in pixels: a row's number, a score, a text.  The style sheet overrides the width of texts.
_NUMBER_WIDTH, _SCORE_WIDTH, _TEXT_WIDTH = 70, 150, 280


class ResultArea(NamedTuple):
    """The components that show a report.

    report: the report itself; None before the first one.  problem: why there is no report.
    whole: all other components, hidden until there is a report.
    columns: the file that the lines of Python read; hidden if they read none.
    comparison: the button that downloads the report on two systems; hidden if there is one system.
    unwritten: why that report cannot be downloaded.
    """

    report: gr.State
    problem: gr.HTML
    whole: gr.Column
    scores: gr.HTML
    signature: gr.Code
    row_scores: gr.DownloadButton
    columns: gr.DownloadButton
    comparison: gr.Button
    unwritten: gr.HTML
    lines: gr.Code
    caption: gr.Markdown
    table: gr.Dataframe
    row: gr.Number
    picture: gr.HTML


def result_area(space: Space, metric: Any) -> ResultArea:
    """Build the area; a row that is chosen in the table or by its number shows its picture."""
    report, problem = gr.State(None), problem_area()
    with gr.Column(visible=False) as whole:
        scores = gr.HTML(apply_default_css=False)
        copied: dict[str, Any] = {"interactive": False, "buttons": ["copy"], "wrap_lines": True}
        copied |= {"lines": 1, "show_line_numbers": False}
        signature = gr.Code(label="Signature, to report with the score", elem_classes="signature", **copied)
        with gr.Accordion("The same numbers in Python", open=False):
            label = "Python, after pip install evaluate"
            lines = gr.Code(language="python", label=label, elem_classes="python", max_lines=20, **copied)
        with gr.Row(elem_classes="examples"):
            small: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 200}
            row_scores = gr.DownloadButton("Scores of rows (CSV)", **small)
            columns = gr.DownloadButton("Inputs for Python (JSON)", visible=False, **small)
            comparison = gr.Button(_COMPARISON, visible=False, **small)
        unwritten = problem_area()
        caption = gr.Markdown()
        quiet: dict[str, Any] = {"show_label": False, "interactive": False, "buttons": []}
        table = gr.Dataframe(label="Rows", wrap=True, max_height=420, elem_classes="rows", **quiet)
        # Without bounds, because gradio would report them in its own words.
        row = gr.Number(label="Row", info="The row of the picture, counted from 1; or choose one in the table")
        picture = gr.HTML(apply_default_css=False)

    def pictured(scored: Report, number: Any) -> str:
        return _picture(space, metric, scored, number)

    def chosen(scored: Report, event: gr.SelectData) -> tuple[int, str]:
        # The row as shown: visitors may have sorted the table.
        number = int(event.row_value[0])
        return number, pictured(scored, number)

    # If the choice changes quickly, such as digit by digit, the last one counts.
    fast: dict[str, Any] = {"show_progress": "hidden", "trigger_mode": "always_last"}
    row.input(pictured, inputs=[report, row], outputs=picture, **fast)
    table.select(chosen, inputs=report, outputs=[row, picture], **fast)
    if space.report is not None:
        _download_when_clicked(space, metric, report, comparison, unwritten)
    shown = (scores, signature, row_scores, columns, comparison, unwritten, lines, caption, table, row, picture)
    return ResultArea(report, problem, whole, *shown)


def filled(space: Space, metric: Any, scored: Report) -> list[Any]:
    """The values of all components of the area for a report; the picture is that of the worst row."""
    rows = worst_rows(space, scored)
    worst = rows[0][0]
    changed = {
        "report": scored,
        "problem": problem_update(""),
        "whole": gr.update(visible=True),
        "scores": scores_html(space, scored),
        "signature": scored.result["signature"],
        "row_scores": _file("row_scores.csv", row_scores_csv(scored)),
        "columns": _file(COLUMNS_FILE, columns_json(space, scored)),
        "comparison": gr.update(visible=bool(space.report and scored.second)),
        "unwritten": problem_update(""),
        "lines": python_lines(space, metric, scored),
        "caption": _caption(scored.n_rows),
        "table": _table(space, scored, rows),
        "row": worst,
        "picture": _picture(space, metric, scored, worst),
    }
    return [changed[part] for part in ResultArea._fields]


def failed(problem: str) -> list[Any]:
    """The values of all components that show only this error message."""
    changed = {"report": None, "problem": problem_update(problem), "whole": gr.update(visible=False)}
    return [changed.get(part, gr.skip()) for part in ResultArea._fields]


def _caption(n_rows: int) -> str:
    if n_rows == 1:
        return "**One row,** and why it has its score."
    shown = f"The {MOST_ROWS} worst of {n_rows:,} rows" if n_rows > MOST_ROWS else f"{n_rows} rows"
    return f"**{shown}, the worst first.** Choose one to see why it has its score."


def _file(name: str, text: str | None) -> Any:
    """A button that downloads a text; hidden without text."""
    return gr.update(value=None if text is None else _cached(name, text), visible=text is not None)


def _cached(name: str, text: str) -> str:
    """The path of a new file with this text.  gradio deletes it with other files of visitors."""
    return str(save_bytes_to_cache(text.encode(), name, get_upload_folder()))


# The report on two systems takes as long as a score, or longer, so it is written only for visitors who ask for it.  The
# file reaches the browser as the value of a component that nobody sees, and the browser then saves it.
_COMPARISON, _WRITING = "Download the report", "Writing the report …"
_SAVE = """
file => {
  if (file) Object.assign(document.createElement("a"), {href: file.url, download: file.orig_name}).click();
  return [];
}
"""


def _download_when_clicked(space: Space, metric: Any, report: gr.State, button: gr.Button, problem: gr.HTML) -> None:
    """Make the button write the report on two systems, and download it."""
    file = gr.DownloadButton(visible=False)

    def written(scored: Report | None) -> Iterator[list[Any]]:
        yield [_WRITING, None, problem_update("")]
        try:
            if scored is None:
                raise ValueError("The scores are no longer here: press Score again")
            path = _cached("report.html", comparison_html(space, metric, scored))
        except Exception as error:
            yield [_COMPARISON, None, problem_update(_sentence(error, "written"))]
        else:
            yield [_COMPARISON, path, problem_update("")]

    outputs = [button, file, problem]
    asked = button.click(
        written, inputs=report, outputs=outputs, show_progress="hidden", api_name="report", **_ONE_AT_A_TIME
    )
    asked.then(None, inputs=file, js=_SAVE)


def _picture(space: Space, metric: Any, scored: Report, number: Any) -> str:
    """The picture of a row, or why there is none; empty if no row is chosen."""
    if number is None:
        return ""
    try:
        return picture_html(space, metric, scored, number)
    except (ValueError, ImportError) as error:
        return problem_html(str(error))


def _table(space: Space, scored: Report, rows: Sequence[Sequence[Any]]) -> Any:
    heads, n_scores = row_heads(space, scored), len(scored.headlines)
    widths = [_NUMBER_WIDTH, *[_SCORE_WIDTH] * n_scores, *[_TEXT_WIDTH] * (len(heads) - 1 - n_scores)]
    return gr.update(value={"headers": heads, "data": rows}, column_widths=[f"{width}px" for width in widths])


# Uploads and the state of a visitor are deleted after this many seconds.
_KEPT = 3600
_LARGEST_FILE = 100 * gr.FileSize.MB

_LOG = logging.getLogger(__name__)


def build(space: Space) -> gr.Blocks:
    """Build the page without serving it; it loads nothing from other hosts, and sends nothing to them."""
    # By the path of the script: evaluate would not find it by the folder if the folder has another name.
    metric = evaluate.load(str(space.script))
    own, common = (as_declared(each, metric.scorer_type.declaration) for each in (space.options, INTERVAL))
    with gr.Blocks(title=space.title, analytics_enabled=False, delete_cache=(_KEPT, _KEPT)) as page:
        gr.HTML(_head_html(space, metric), apply_default_css=False)
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
            except Exception as error:
                return failed(_sentence(error, "scored"))

        button.click(scored, inputs=[*inputs, *boxes], outputs=list(results), api_name="score", **_ONE_AT_A_TIME)
    return page


def _sentence(error: Exception, done: str) -> str:
    """What the page says of an error; one that nobody foresaw is logged, because its message may be no sentence."""
    if isinstance(error, (ValueError, ImportError)):
        return str(error)
    _LOG.exception("This cannot be %s", done)
    return f"This cannot be {done}, for a reason not foreseen ({type(error).__name__})"


def _head_html(space: Space, metric: Any) -> str:
    """The title and description of the page, with a link to the metric's card."""
    title, text = html.escape(space.title), html.escape(" ".join((space.text or metric.description).split()))
    card = space.script.with_name("README.md")
    if hub := os.environ.get("SPACE_ID"):
        address = f"https://huggingface.co/spaces/{hub}/blob/main/README.md"
    else:
        gr.set_static_paths([card])
        address = f"gradio_api/file={card}"
    link = f'<a href="{html.escape(address)}" target="_blank">Metric card</a>'
    said = "inputs, output values, examples, limits, citation"
    return f'<div class="page-head"><h1>{title}</h1><p>{text}</p><p>{link}: {said}</p></div>'


def serve(page: gr.Blocks) -> None:
    """Serve the page at GRADIO_SERVER_NAME and GRADIO_SERVER_PORT."""
    # This sets the limit for the whole process, which runs only the page.  A cell may be as long as a file.
    csv.field_size_limit(_LARGEST_FILE)
    page.launch(theme=THEME, css=CSS, footer_links=[], ssr_mode=False, max_file_size=_LARGEST_FILE)
