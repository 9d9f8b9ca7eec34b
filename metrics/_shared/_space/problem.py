"""What went wrong, as a sentence on the page."""

from __future__ import annotations

import html
from typing import Any

import gradio as gr


def problem_area() -> gr.HTML:
    """Where it is said; nothing is there before."""
    return gr.HTML(visible=False, apply_default_css=False)


def problem_update(problem: str) -> Any:
    """Show the sentence in its area; an empty one goes away."""
    return gr.update(value=problem_html(problem), visible=bool(problem))


def problem_html(problem: str) -> str:
    """The sentence, which screen readers read out at once."""
    return f'<p class="problem" role="alert">{html.escape(problem)}</p>'
