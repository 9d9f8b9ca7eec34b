"""A metric's page: inputs, options, a button, results."""

from __future__ import annotations

import csv
import html
import logging
from typing import Any

import evaluate
import gradio as gr

from .description import INTERVAL, Space
from .inputs import given, input_area
from .options import option_boxes, option_values
from .report import score
from .results import failed, filled, result_area
from .style import CSS, THEME

# Uploads, and what is known of a visitor, are gone after so many seconds.
_KEPT = 3600
_LARGEST_FILE = 100 * gr.FileSize.MB

_LOG = logging.getLogger(__name__)


def build(space: Space) -> gr.Blocks:
    """The page, not served yet; it asks for nothing from elsewhere, and tells nobody."""
    # By path: of a folder that is named otherwise, evaluate would not find the script.
    metric = evaluate.load(str(space.script))
    options = (*space.options, *INTERVAL)
    with gr.Blocks(title=space.title, analytics_enabled=False, delete_cache=(_KEPT, _KEPT)) as page:
        gr.HTML(_head(space, metric.description), apply_default_css=False)
        inputs = input_area(space.inputs, space.examples)
        with gr.Accordion("Options", open=False):
            boxes = [*option_boxes(space.options), *option_boxes(INTERVAL)]
        button = gr.Button("Score", variant="primary")
        results = result_area(space, metric)

        def scored(*values: Any) -> list[Any]:
            n_inputs = len(inputs.components)
            try:
                chosen = {**given(space.inputs, values[:n_inputs]), **option_values(options, values[n_inputs:])}
                return filled(space, metric, score(space, metric, chosen))
            except (ValueError, ImportError) as error:
                return failed(str(error))
            except Exception as error:
                _LOG.exception("A score failed")
                return failed(f"This cannot be scored, for a reason not foreseen ({type(error).__name__})")

        button.click(scored, inputs=[*inputs.components, *boxes], outputs=list(results), api_name="score")
    return page


def serve(page: gr.Blocks) -> None:
    """Serve the page; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where."""
    # For all of this process, which is the page's alone: a cell of a table may be as long as a file.
    csv.field_size_limit(_LARGEST_FILE)
    page.launch(theme=THEME, css=CSS, footer_links=[], ssr_mode=False, max_file_size=_LARGEST_FILE)


def _head(space: Space, description: str) -> str:
    text = html.escape(" ".join(description.split()))
    return f'<div class="page-head"><h1>{html.escape(space.title)}</h1><p>{text}</p></div>'
