"""How pages look: colours that follow the theme, fonts of the reader's own machine."""

from __future__ import annotations

import gradio as gr

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
