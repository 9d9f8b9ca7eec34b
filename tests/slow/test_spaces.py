"""Every metric's page, copied alone and started as the Hub starts it, in a browser; what stands behind the pages."""

from __future__ import annotations

import configparser
import contextlib
import csv
import doctest
import io
import math
import os
import runpy
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import browser
import gradio as gr
import pytest
from fresh_process import run_python
from gradio.route_utils import delete_files_created_by_app
from gradio_client import Client
from hub_folders import hub_folder
from picture_pages import Page
from selenium.webdriver.common.keys import Keys
from small_corpus import ALL_METRICS, METRICS, refusal

import evenscore
from evenscore.hub.page import Figure, Input, Option, Space, build, serve
from evenscore.hub.page.files import chosen_columns, guessed_columns, read_columns, typed_columns
from evenscore.hub.page.inputs import option_values
from evenscore.hub.page.lines import columns_json, python_lines
from evenscore.hub.page.page import ResultArea
from evenscore.hub.page.report import (
    MOST_ROWS,
    Report,
    comparison_html,
    picture_html,
    row_scores_csv,
    score,
    scores_html,
    worst_rows,
)

ROOT = Path(__file__).resolve().parents[2]
PREDICTIONS = ["the cat sat on the mat", "hello there, you all", "it rains a lot today"]
# The second one of the last row is not there.
REFERENCES = ["the cat sat on a mat\nhello there you\nit is raining a lot today", "a cat sat on a mat\nhello you\n\n"]
REFERENCE_ROWS = [
    ["the cat sat on a mat", "a cat sat on a mat"],
    ["hello there you", "hello you"],
    ["it is raining a lot today"],
]


class Case(NamedTuple):
    """What is typed under which label, what compute takes for it; another choice of an option, and what that means."""

    typed: Mapping[str, str]
    columns: Mapping[str, Any]
    option: tuple[str, str]
    meaning: Mapping[str, Any]


def pair_case(option: tuple[str, str], meaning: Mapping[str, Any]) -> Case:
    typed = {"Predictions": "\n".join(PREDICTIONS), "References": REFERENCES[0], "References 2": REFERENCES[1]}
    return Case(typed, {"predictions": PREDICTIONS, "references": REFERENCE_ROWS}, option, meaning)


TRAINING = ["the cat sat on the mat", "the dog sat on the rug", "a cat and a dog sat there"]
CASES = {
    "bleu_corpus": pair_case(("Smoothing", "floor"), {"smoothing": "floor"}),
    "rouge_l_multi": pair_case(("Tokenizer", "white space"), {"tokenizer": "whitespace"}),
    "wer_dp": pair_case(("Unit", "characters"), {"unit": "char"}),
    "perplexity": Case(
        {"Texts": "\n".join(PREDICTIONS), "Training texts": "\n".join(TRAINING)},
        {"predictions": PREDICTIONS, "train_texts": TRAINING, "source": "ngram", "discount": 0.5},
        ("N-grams of", "characters"),
        {"ngram_unit": "characters"},
    ),
}


def expected(name: str, **options: Any) -> dict[str, Any]:
    """What the metric itself says of the case, as the page asks it."""
    metric = evenscore.load(name)
    result: dict[str, Any] = metric.compute(
        **{**CASES[name].columns, **options, "per_example": True, "confidence": 0.95}
    )
    return result


def headline(name: str, **options: Any) -> str:
    return evenscore.load(name).headlines(**options)[0]


SPACES: dict[str, Space] = {
    name: runpy.run_path(str(ROOT / "metrics" / name / "app.py"))["SPACE"] for name in ALL_METRICS
}


def first_lines(name: str, value: float, **options: Any) -> list[str]:
    """A headline's name and value, as people read them."""
    figure = SPACES[name].figures(options)[headline(name, **options)]
    return [figure.name, f"{value:.4f} {figure.unit}".strip()]


def worst_first(name: str, values: Sequence[float]) -> list[int]:
    """The rows by their scores, of equals the first before."""
    sign = 1 if name in ("bleu_corpus", "rouge_l_multi") else -1
    return sorted(range(len(values)), key=lambda row: (sign * values[row], row))


# --- in a browser

needs_browser = pytest.mark.skipif(bool(browser.MISSING), reason=f"not installed: {', '.join(browser.MISSING)}")
# Ends a server that looks for this package's installed copy, or for anybody else's machine.
WATCH = """
import os, sys
def _watch(event, arguments):
    imported = event == "import" and arguments[0].partition(".")[0] == "evenscore"
    looked_up = event == "socket.getaddrinfo" and arguments[0] not in (None, "localhost", "127.0.0.1")
    connected = event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] != "127.0.0.1"
    if imported or looked_up or connected:
        os.write(2, f"forbidden: {event} {arguments}".encode())
        os._exit(1)
sys.addaudithook(_watch)
"""


class Server(NamedTuple):
    """A page that is served; log: what its process prints."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path


def started(name: str, place: Path) -> Server:
    """`python app.py` in a copy of the metric's folder by the name of app."""
    folder = hub_folder(name, place).rename(place / "app")
    (place / "watch").mkdir()
    (place / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "GRADIO_", "PYTHON"))}
    own = {"HF_HOME": str(place), "GRADIO_TEMP_DIR": str(place / "uploads"), "PYTHONPATH": str(place / "watch")}
    log = place / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=folder,
            env={**inherited, **own, "GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return Server(f"http://127.0.0.1:{port}", process, log)


def wait_for(server: Server) -> None:
    for _ in range(1200):
        assert server.process.poll() is None, server.log.read_text()
        with contextlib.suppress(OSError):
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(server.url).close()
            return
        time.sleep(0.1)
    raise AssertionError(f"no answer: {server.log.read_text()}")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """All pages, starting at once."""
    running = {name: started(name, tmp_path_factory.mktemp(name)) for name in ALL_METRICS}
    yield running
    for server in running.values():
        server.process.terminate()
    for server in running.values():
        server.process.wait()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    with browser.browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(params=ALL_METRICS)
def name(request: pytest.FixtureRequest) -> str:
    """A metric's name."""
    return str(request.param)


@pytest.fixture
def page(name: str, servers: dict[str, Server], chromium: browser.Browser) -> browser.Browser:
    """The metric's page, as it is when one comes to it."""
    wait_for(servers[name])
    chromium.open(servers[name].url)
    chromium.button("Score")
    return chromium


def fill_in(page: browser.Browser, typed: Mapping[str, str]) -> None:
    if "References 2" in typed:
        page.button("More references").click()
    for label, text in typed.items():
        page.type(label, text)


def cells(page: browser.Browser, row: int) -> list[str]:
    return [cell.text for cell in page.elements(f".rows [role=gridcell][data-row='{row}']")]


@needs_browser
def test_what_is_typed_is_scored_and_shown(name: str, page: browser.Browser, servers: dict[str, Server]) -> None:
    result, main = expected(name), headline(name)
    fill_in(page, CASES[name].typed)
    page.button("Score").click()
    shown = page.text(".headlines")
    low, high = (f"{result[f'{main}_{end}']:.4f}" for end in ("low", "high"))
    assert shown.split("\n")[:2] == first_lines(name, result[main])
    assert f"95 % interval {low} to {high}" in shown
    assert page.text(".signature .cm-content") == result["signature"]
    rows = result[f"{main}_per_example"]
    order = worst_first(name, rows)
    assert [cells(page, place)[:2] for place in range(3)] == [[str(row + 1), f"{rows[row]:.4f}"] for row in order]
    assert cells(page, 0)[-2 if name in METRICS else -1] == PREDICTIONS[order[0]]
    assert page.foreign_requests(servers[name].url) == []


@needs_browser
def test_a_chosen_row_has_its_picture(name: str, page: browser.Browser) -> None:
    metric, columns = evenscore.load(name), CASES[name].columns
    others = {key: value for key, value in columns.items() if key not in ("predictions", "references")}
    titles = [
        metric.picture(PREDICTIONS[row], *([REFERENCE_ROWS[row]] if name in METRICS else []), **others).title
        for row in range(3)
    ]
    order = worst_first(name, expected(name)[f"{headline(name)}_per_example"])
    fill_in(page, CASES[name].typed)
    page.button("Score").click()
    # Without a choice, that of the worst row; then by the mouse, then by the number.
    assert page.until_text(".evenscore-picture h4", titles[order[0]]) == titles[order[0]]
    page.until_still()
    page.elements(".rows [role=gridcell][data-row='2']")[0].click()
    assert page.until_text(".evenscore-picture h4", titles[order[2]]) == titles[order[2]]
    page.type("Row", str(order[1] + 1))
    assert page.until_text(".evenscore-picture h4", titles[order[1]]) == titles[order[1]]
    page.type("Row", "7")
    assert page.until_text(".problem", "no row 7") == "There is no row 7: choose one from 1 to 3"
    page.type("Row", "-1")
    assert page.until_text(".problem", "no row -1") == "There is no row -1: choose one from 1 to 3"
    page.type("Row", "0")
    assert page.until_text(".problem", "no row 0") == "There is no row 0: choose one from 1 to 3"
    page.type("Row", Keys.DELETE)
    page.until(lambda: not page.elements(".problem, .evenscore-picture"))
    assert page.elements("[data-testid=toast-body]") == []


@needs_browser
def test_an_option_is_chosen(name: str, page: browser.Browser) -> None:
    label, choice = CASES[name].option
    result, main = expected(name, **CASES[name].meaning), headline(name, **CASES[name].meaning)
    fill_in(page, CASES[name].typed)
    page.button("Options").click()
    page.choose(label, choice)
    page.button("Score").click()
    assert page.text(".headlines").split("\n")[:2] == first_lines(name, result[main], **CASES[name].meaning)
    assert page.text(".signature .cm-content") == result["signature"]


BAD = {
    **{
        name: (
            {"Predictions": "a\nb", "References": "a\nb\nc"},
            "2 predictions but 3 rows of references: give one row per prediction",
        )
        for name in METRICS
    },
    "perplexity": (
        {"Log-probabilities": "-1 0.5"},
        "row 1 of log_probs has 0.5 at position 2: a natural log-probability is at most 0",
    ),
}


@needs_browser
def test_what_cannot_be_scored_is_said_in_a_sentence(name: str, page: browser.Browser) -> None:
    typed, sentence = BAD[name]
    page.button("Score").click()
    missing = "Predictions are missing: type or paste some lines" if name in METRICS else "nothing to score"
    assert page.until_text("[role=alert]", missing).startswith(missing)
    fill_in(page, typed)
    page.button("Score").click()
    assert page.until_text("[role=alert]", sentence) == sentence
    assert page.elements(".headlines") == []
    for label, text in typed.items():
        page.type(label, {"Log-probabilities": "-1 -0.5", "References": "a\nc"}.get(label, text))
    page.button("Score").click()
    assert page.text(".headlines")
    assert page.elements("[role=alert]") == []


def csv_of(name: str) -> str:
    if name in METRICS:
        rows = zip(PREDICTIONS, *(text.split("\n") for text in REFERENCES), strict=False)
        return "id,hyp,ref_1,ref_2\n" + "".join(f'{i},"{a}","{b}",{c}\n' for i, (a, b, c) in enumerate(rows))
    return "id,text\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(PREDICTIONS))


@needs_browser
def test_files_are_scored_by_their_columns(name: str, page: browser.Browser, tmp_path: Path) -> None:
    table, lines = tmp_path / "data.csv", tmp_path / "train.txt"
    table.write_text(csv_of(name), encoding="utf-8")
    lines.write_text("\n".join(TRAINING), encoding="utf-8")
    page.button("Upload").click()
    page.upload(*([table] if name in METRICS else [table, lines]))
    page.until_value(
        "Predictions" if name in METRICS else "Texts", "data.csv: hyp" if name in METRICS else "data.csv: text"
    )
    page.button("Score").click()
    result, main = expected(name), headline(name)
    assert page.text(".headlines").split("\n")[:2] == first_lines(name, result[main])
    assert page.text(".signature .cm-content") == result["signature"]


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_phones_show_all_of_the_page(
    name: str, theme: str, page: browser.Browser, servers: dict[str, Server], tmp_path: Path
) -> None:
    page.open(f"{servers[name].url}/?__theme={theme}", width=390, height=844)
    page.button("Score")
    fill_in(page, CASES[name].typed)
    page.button("Options").click()
    page.button("Score").click()
    page.text(".evenscore-picture h4")
    page.screenshot(tmp_path / f"{name}_{theme}.png")
    assert page.script("return document.documentElement.scrollWidth <= window.innerWidth")
    # What is too wide scrolls inside itself: nothing is cut off.
    assert page.script(CUT_OFF) == []
    assert page.script(CELLS_OUTSIDE) == 0
    assert all((level < 64) == (theme == "dark") for level in page.script(BACKGROUND))


BACKGROUND = """
const colour = getComputedStyle(document.querySelector("gradio-app")).backgroundColor;
return colour.match(/[0-9]+/g).slice(0, 3).map(Number);
"""
# Boxes and words that begin or end outside of the window, but for those inside of what scrolls.
CUT_OFF = """
const scrolls = each => each && (/auto|scroll/.test(getComputedStyle(each).overflowX) || scrolls(each.parentElement));
return [...document.querySelectorAll("button, input, textarea, label, p, h1, dt, dd")].filter(each => {
  const box = each.getBoundingClientRect();
  return box.width && (box.left < 0 || box.right > window.innerWidth) && !scrolls(each);
}).map(each => each.outerHTML);
"""


CELLS_OUTSIDE = """
return [...document.querySelectorAll(".rows [role=gridcell]")].filter(
  each => each.getBoundingClientRect().right > window.innerWidth
).length;
"""
PLACE = "const box = document.querySelector('textarea').getBoundingClientRect(); return [box.left, box.width];"
# Where lines of an alignment begin, and where labels stand; whether a word is wider than the page.
LINES = """
const tops = css => [...new Set([...document.querySelectorAll(css)].map(each => each.getBoundingClientRect().top))];
const ends = [...document.querySelectorAll(".cells mark")].map(each => each.getBoundingClientRect().right);
return [tops(".cells > span"), tops(".labels span"), Math.max(...ends) <= window.innerWidth];
"""


# How far the left end of each head is from that of its column; how far check boxes are from their hints.
HEADS = """
const left = css => [...document.querySelectorAll(css)].map(each => each.getBoundingClientRect().left);
const heads = left(".rows th"), cells = left(".rows [role=gridcell][data-row='0']");
return heads.map((place, i) => Math.abs(place - cells[i]));
"""
HINTS = """
return [...document.querySelectorAll(".options [type=checkbox]")].map(each => {
  const all = each.closest(".form > *"), hint = all.lastElementChild.getBoundingClientRect();
  return hint.top - each.getBoundingClientRect().bottom;
});
"""


@needs_browser
@pytest.mark.parametrize("name", ["rouge_l_multi", "perplexity"], indirect=True)
@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_what_belongs_together_stands_together(
    name: str, width: int, page: browser.Browser, servers: dict[str, Server]
) -> None:
    page.open(servers[name].url, width=width)
    fill_in(page, CASES[name].typed)
    page.button("Options").click()
    page.button("Score").click()
    assert page.text(".evenscore-picture h4")
    distances = page.script(HEADS)
    assert len(distances) > 2
    assert max(distances) < 2
    hints = page.script(HINTS)
    # This page has no check box.
    assert bool(hints) == (name != "rouge_l_multi")
    assert max(hints, default=0) < 12


@needs_browser
@pytest.mark.parametrize("name", ["wer_dp"], indirect=True)
@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_inputs_stay_in_their_place(name: str, width: int, page: browser.Browser, servers: dict[str, Server]) -> None:
    page.open(servers[name].url, width=width)
    fill_in(page, {"Predictions": "a b", "References": "a c"})
    before = page.script(PLACE)
    page.button("Score").click()
    assert page.text(".evenscore-picture h4")
    assert page.script(PLACE) == before


@needs_browser
@pytest.mark.parametrize("name", ["wer_dp"], indirect=True)
def test_every_line_of_an_alignment_has_labels(name: str, page: browser.Browser, servers: dict[str, Server]) -> None:
    page.open(servers[name].url, width=390)
    fill_in(page, {"Predictions": f"{'long' * 40} " + "a b c " * 20, "References": f"{'longer' * 30} " + "a x c " * 20})
    page.button("Score").click()
    assert page.text(".evenscore-picture h4")
    lines, labels, is_inside = page.script(LINES)
    assert len(lines) > 5
    assert lines == labels[: len(lines)]
    assert is_inside


def fetched(address: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address) as answer:
        return str(answer.read().decode())


# A browser without a window saves no files: where they would come from, and their names, are enough.
SAVED = "HTMLAnchorElement.prototype.click = function () { window.saved = this.href; window.named = this.download; };"


@needs_browser
@pytest.mark.parametrize("name", ["wer_dp"], indirect=True)
def test_a_page_gives_files_lines_and_the_card(name: str, page: browser.Browser, servers: dict[str, Server]) -> None:
    page.button("Example: two systems").click()
    page.until_value("Predictions", SPACES[name].examples["two systems"]["predictions"][0])
    page.button("Score").click()
    few = "no significant difference: fewer than 6 rows cannot show one, p = "
    assert few in page.text(".headlines")
    page.script(SAVED)
    page.until_still()
    page.button("Scores of rows (CSV)").click()
    saved = page.until(lambda: page.script("return window.saved"))
    assert fetched(saved).startswith("row,wer,second_wer\r\n1,")
    assert "# Metric Card for wer_dp" in fetched(page.elements(".page-head a")[0].get_attribute("href"))
    page.script("navigator.clipboard.writeText = async text => { window.copied = text; };")
    page.elements(".signature button")[0].click()
    signature = page.text(".signature .cm-content")
    page.until(lambda: page.script("return window.copied") == signature)


def shown_buttons(page: browser.Browser) -> list[str]:
    return [each.text for each in page.elements("button") if each.is_displayed()]


@needs_browser
@pytest.mark.parametrize("name", METRICS, indirect=True)
def test_the_report_on_two_systems_is_downloaded(
    name: str, page: browser.Browser, servers: dict[str, Server], tmp_path: Path
) -> None:
    """The library's own report, from a folder that works without the library."""
    label, choice = CASES[name].option
    columns = typed_example(name, "two systems")
    second = columns.pop("second_predictions")
    systems = {"system 1": columns["predictions"], "system 2": second}
    written = tmp_path / "report.html"
    evenscore.report(name, systems, columns["references"], output=written, **CASES[name].meaning)
    page.button("Example: two systems").click()
    page.until_value("Predictions of the second system", "\n".join(second))
    page.button("Options").click()
    page.choose(label, choice)
    page.script(SAVED)
    page.button("Score").click()
    page.button("Download the report")
    page.until_still()
    page.button("Download the report").click()
    report = fetched(page.until(lambda: page.script("return window.saved")))
    assert page.script("return window.named") == "report.html"
    assert report == written.read_text(encoding="utf-8")
    scores = [each.text.split()[0] for each in page.elements(".headlines strong")]
    assert all(f"<b>{value}</b>" in report for value in scores)
    assert len(scores) == 2 * len(evenscore.load(name).headlines(**CASES[name].meaning))
    # A second click writes the same file anew.
    page.script("window.saved = null")
    page.until_still()
    page.button("Download the report").click()
    assert fetched(page.until(lambda: page.script("return window.saved"))) == report
    assert len(list((servers[name].log.parent / "uploads").rglob("*.html"))) == 1
    assert page.elements("[role=alert]") == []


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", METRICS, indirect=True)
def test_the_report_is_offered_for_two_systems_alone(
    name: str, width: int, theme: str, page: browser.Browser, servers: dict[str, Server], tmp_path: Path
) -> None:
    page.open(f"{servers[name].url}/?__theme={theme}", width=width)
    page.button("Example: two systems").click()
    page.until_value("Predictions", SPACES[name].examples["two systems"]["predictions"][0])
    page.button("Score").click()
    assert page.button("Download the report").rect["height"] >= 24
    page.screenshot(tmp_path / f"{name}_{width}_{theme}.png")
    assert page.script(CUT_OFF) == []
    page.type("Predictions of the second system", Keys.DELETE)
    page.button("Score").click()
    page.until(lambda: "Download the report" not in shown_buttons(page))
    assert "Scores of rows (CSV)" in shown_buttons(page)
    assert len(page.elements(".headlines strong")) == len(evenscore.load(name).headlines())


USED = ("textbox", "button", "combobox", "spinbutton", "checkbox", "tab", "grid", "option")


@needs_browser
def test_the_keyboard_suffices_and_everything_has_a_name(name: str, page: browser.Browser) -> None:
    for label, text in list(CASES[name].typed.items())[:2]:
        page.tab_to(label)
        page.press(text)
    for label in ("Options", "Score"):
        page.tab_to(label)
        page.press(Keys.ENTER)
    assert page.text(".headlines")
    # The grid is one stop, in which arrows move.
    first = page.text(".evenscore-picture h4")
    page.until_still()
    page.tab_to("Row")
    page.press(Keys.ARROW_UP if cells(page, 0)[0] == "0" else Keys.ARROW_DOWN)
    assert page.until_other_text(".evenscore-picture h4", first)
    assert page.nameless(USED) == []


@needs_browser
def test_markup_in_texts_stays_text(name: str, page: browser.Browser) -> None:
    harm = '<img src=x onerror="document.title=1"><b>bold</b> <script>document.title=2</script> [x](y) **z** $a$'
    title = page.script("return document.title")
    first, second = list(CASES[name].typed)[:2]
    fill_in(page, {first: harm, second: "bold"})
    page.button("Score").click()
    assert page.until_text(".evenscore-picture", "bold")
    assert cells(page, 0)[-2 if name in METRICS else -1] == harm
    assert page.elements(".rows b, .rows img, .rows script, .evenscore-picture img, .evenscore-picture script") == []
    assert page.script("return document.title") == title


@needs_browser
@pytest.mark.parametrize("name", ["wer_dp"], indirect=True)
def test_of_many_rows_the_worst_are_shown(name: str, page: browser.Browser, tmp_path: Path) -> None:
    n = 20_000
    predictions, references = tmp_path / "predictions.txt", tmp_path / "references.txt"
    predictions.write_text("".join(f"line {i} has words\n" for i in range(n)), encoding="utf-8")
    references.write_text("".join(f"line {i} has{' ' * (i % 100 > 0)}words\n" for i in range(n)), encoding="utf-8")
    page.button("Upload").click()
    page.upload(predictions, references)
    page.until_value("Predictions", "predictions.txt")
    page.button("Score").click()
    assert page.until_text("main", f"The {MOST_ROWS} worst of 20,000 rows, the worst first.")
    assert page.elements(f".rows [role=grid][aria-rowcount='{MOST_ROWS + 1}']")
    assert [cells(page, place)[0] for place in range(3)] == ["1", "101", "201"]
    # Rows count from 1, and the texts from 0.
    page.type("Row", "20000")
    assert page.until_text(".evenscore-picture", "19999").startswith("WER 0.000")


# --- behind the page

ENTRIES = [
    Input("predictions", "prediction", "Predictions", "", called=("pred", "hyp")),
    Input("references", "references", "References", "", boxes=3, called=("ref",)),
    Input("log_probs", "log_probs", "Numbers", "", is_needed=False, numbers=True, called=("log_prob",)),
]


def test_further_references_may_lack_rows() -> None:
    assert typed_columns(ENTRIES, ["a\r\nb", "", "c\n\n", "d\ne\n", None]) == {
        "predictions": ["a", "b"],
        "references": [["c", "d"], ["e"]],
    }
    # An empty line of the only box is an empty reference, and so is one that no box fills.
    assert typed_columns(ENTRIES, ["a\nb", "\nc", "", "", ""])["references"] == ["", "c"]
    assert typed_columns(ENTRIES, ["a\nb", "\nc", "\nd", "", ""])["references"] == [[""], ["c", "d"]]


def test_boxes_that_do_not_fit_are_refused() -> None:
    assert refusal(lambda: typed_columns(ENTRIES, ["a", "", "", "", ""])) == (
        "References are missing: type or paste some lines"
    )
    assert refusal(lambda: typed_columns(ENTRIES, ["a", "b\nc", "d", "", ""])) == (
        "References 2 has 1 row, but References 1 has 2"
    )
    assert refusal(lambda: typed_columns(ENTRIES, ["a", "b", "", "", "-1\n-1 x"])) == (
        "Numbers 1, row 2: could not convert string to float: 'x'; give numbers with spaces or commas between them"
    )


def test_a_number_may_be_left_out() -> None:
    level = Option("level", "Level", "", "")
    assert [option_values([level], [text]) for text in ("", " ", "2", "1e-3")] == [
        {},
        {},
        {"level": 2},
        {"level": 0.001},
    ]
    assert refusal(lambda: option_values([level], ["x"])) == "Level: 'x' is not a number"


def test_no_number_occupies_a_page() -> None:
    resamples = Option("n_resamples", "Resamples", "", 1000, most=10_000)
    assert option_values([resamples], [10_000]) == {"n_resamples": 10_000}
    assert option_values([resamples], [None]) == {}
    assert refusal(lambda: option_values([resamples], [30_000_000])) == (
        "Resamples: 30,000,000 is more than this page takes: give 10,000 at most"
    )


def test_files_of_all_kinds_have_columns(tmp_path: Path) -> None:
    files = {
        "a.txt": "\ufeffeins\n\nzwei \u2028 drei\r\n".encode(),
        "b.csv": b'x,"y, z"\n1,"2\n3"\n4,5\n\n\n',
        "c.tsv": b"x\ty\n1\t2,3,4,5\n",
        "d.jsonl": b'{"refs": ["a", "b"], "n": [-1, -2.5]}\n\r\n{"n": [], "refs": ["c"], "more": 1}\n\n',
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert read_columns(tmp_path / name for name in files) == {
        "a.txt": ["eins", "", "zwei \u2028 drei"],
        "b.csv: x": ["1", "4"],
        "b.csv: y, z": ["2\n3", "5"],
        "c.tsv: x": ["1"],
        "c.tsv: y": ["2,3,4,5"],
        "d.jsonl: refs": [["a", "b"], ["c"]],
        "d.jsonl: n": [[-1, -2.5], []],
    }


QUOTING = (
    "; put a cell that holds a separator, a line end or a quotation mark into quotation marks, and write such a mark "
    "inside it twice"
)
LACKING = "; add those that it lacks, or remove the line"
OBJECT = '{"prediction": "...", "reference": "..."}'


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.txt", b"a\xff", "a.txt is not UTF-8 text (byte 2 of line 1): convert it to UTF-8"),
        ("a.txt", b"", "a.txt is empty"),
        ("a.csv", b"\nx\n", "a.csv begins with a blank line: begin it with the names of its columns"),
        ("a.csv", b"x,y\n1\n", f"a.csv, line 2 has 1 cell, but the header has 2{LACKING}"),
        ("a.csv", b'x,y\n1,"2\n3"\n\n4,5\n', f"a.csv, line 4 has 0 cells, but the header has 2{LACKING}"),
        ("a.csv", b"x\n1,2\n", f"a.csv, line 2 has 2 cells, but the header has 1{QUOTING}"),
        ("a.csv", b'x,y\n1,"2\n', f"a.csv, line 2: a quotation mark is never closed{QUOTING}"),
        ("a.csv", b"x,x\n1,2\n", "a.csv has two columns 'x' (its columns are x, x): rename one"),
        (
            "a.jsonl",
            b'{"x": 1}\nx\n',
            "a.jsonl, line 2 is not valid JSON (Expecting value, character 1): correct or remove it",
        ),
        ("a.jsonl", b'["x"]\n', f"a.jsonl, line 1 is not a JSON object: write one such as {OBJECT}"),
        ("a.jsonl", b'{"x": 1}\n\n{"y": 1}\n', "a.jsonl, line 3 has no 'x': add it, or leave the row out"),
        ("a.jsonl", b"\n\n", "a.jsonl is empty: a table needs the names of its columns, and rows"),
        (
            "a.jsonl",
            b'{"x": 1}\n{"x": ' + 100_000 * b"[" + 100_000 * b"]" + b"}\n",
            "a.jsonl, line 2 is nested too deeply to be read: make it flatter",
        ),
        (
            "a.jsonl",
            b'{"x": 1}\n{"x": ' + 5_000 * b"1" + b"}\n",
            "a.jsonl, line 2 has a number of too many digits to be read: shorten it",
        ),
    ],
)
def test_files_that_cannot_be_read_are_refused(name: str, data: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert refusal(lambda: read_columns([tmp_path / name])) == sentence


def test_blank_lines_of_one_column_are_empty_texts(tmp_path: Path) -> None:
    """What is paired by its place stays in its place, as in files of lines."""
    for name, text in {"p.csv": "p\na\n\nb\n", "r.csv": "r\r\na\r\nb\r\n\r\n", "s.csv": 's\na\n""\nb'}.items():
        (tmp_path / name).write_bytes(text.encode())
    assert read_columns(tmp_path / name for name in ("p.csv", "r.csv", "s.csv")) == {
        "p.csv: p": ["a", "", "b"],
        "r.csv: r": ["a", "b", ""],
        "s.csv: s": ["a", "", "b"],
    }


def typed_example(name: str, example: str) -> dict[str, Any]:
    """The columns of an example."""
    space = SPACES[name]
    texts = [(entry, space.examples[example].get(entry.name, ())) for entry in space.inputs]
    boxes = [text for entry, own in texts for text in (*own, *[""] * (entry.boxes - len(own)))]
    return typed_columns(space.inputs, boxes)


def scored_example(name: str, example: str) -> Report:
    """What the page makes of an example."""
    discount = {"discount": 0.5} if name == "perplexity" else {}
    given = {**typed_example(name, example), "confidence": 0.9, **discount}
    return score(SPACES[name], evenscore.load(name), given)


EXAMPLES = [(name, example) for name in ALL_METRICS for example in SPACES[name].examples]


def printed(lines: str) -> list[float]:
    """What the lines print."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(lines, {})
    return list(map(float, output.getvalue().split()))


def numbers_shown(report: Report) -> list[float]:
    p_values = [report.second_result[f"{name}_p_value"] for name in report.headlines if report.second]
    return [*(report.result[name] for name in report.headlines), *p_values]


@pytest.mark.filterwarnings("ignore:a text loses most of its letters")
@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_lines_shown_give_the_numbers_shown(name: str, example: str) -> None:
    report = scored_example(name, example)
    assert printed(python_lines(SPACES[name], evenscore.load(name), report)) == numbers_shown(report)
    assert columns_json(SPACES[name], report) is None


def test_long_inputs_and_infinite_numbers_are_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, given in (
        ("wer_dp", {"predictions": ["a b"] * 2000, "references": [["a", "a c"]] * 2000, "unit": "char"}),
        ("perplexity", {"log_probs": [[-1.0, -math.inf]]}),
    ):
        report = score(SPACES[name], evenscore.load(name), given)
        Path("columns.json").write_text(str(columns_json(SPACES[name], report)), encoding="utf-8")
        lines = python_lines(SPACES[name], evenscore.load(name), report)
        assert len(lines) < 600
        assert printed(lines) == numbers_shown(report)


def test_the_lines_name_the_space_that_they_are_shown_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "me/wer")
    report = scored_example("wer_dp", "speech")
    assert "evaluate.load('me/wer', confidence=0.9)" in python_lines(SPACES["wer_dp"], evenscore.load("wer_dp"), report)
    (head,) = [
        block.value
        for block in build(SPACES["wer_dp"]).blocks.values()
        if "page-head" in str(getattr(block, "value", ""))
    ]
    assert '<a href="https://huggingface.co/spaces/me/wer/blob/main/README.md"' in head


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_every_figure_has_a_name_and_a_meaning(name: str, example: str) -> None:
    report = scored_example(name, example)
    known, ends = SPACES[name].figures(report.given), ("_low", "_mean", "_high", "_per_example")
    elsewhere = {"signature", *(f"{main}{end}" for main in report.headlines for end in ends)}
    # One number a row stands in the table.
    assert set(report.result) - set(known) - elsewhere <= {"perplexities"}
    assert all(figure.name and figure.meaning for figure in known.values())
    words = Page(scores_html(SPACES[name], report)).words
    assert {known[key].name for key in report.result if key in known} <= set(words)
    assert not {key for key in report.result if "_" in key} & set(words)


@pytest.mark.parametrize("name", ALL_METRICS)
def test_a_second_system_is_tested_against_the_first(name: str) -> None:
    report, metric = scored_example(name, "two systems"), evenscore.load(name)
    systems = (report.given["predictions"], report.second["predictions"])
    common = {key: value for key, value in report.given.items() if key != "predictions"}
    given = systems if name in METRICS else [{"predictions": column} for column in systems]
    (tested,) = metric.compare(*given, **common)["systems"]
    assert {key: report.second_result[key] for key in tested} == tested
    shown = scores_html(SPACES[name], report)
    p_value = tested[f"{report.headlines[0]}_p_value"]
    assert f"p = {p_value:.4f} (paired bootstrap test, 1,000 trials)" in shown
    assert f"{tested[report.headlines[0]]:.4f}" in shown
    rows = list(csv.reader(row_scores_csv(report).splitlines()))
    n = len(report.headlines)
    assert rows[0] == ["row", *report.headlines, *(f"second_{main}" for main in report.headlines)]
    assert [int(row[0]) for row in rows[1:]] == list(range(1, report.n_rows + 1))
    assert [float(row[1]) for row in rows[1:]] == report.result[f"{report.headlines[0]}_per_example"]
    assert [float(row[1 + n]) for row in rows[1:]] == report.second_result[f"{report.headlines[0]}_per_example"]


@pytest.mark.parametrize("name", METRICS)
def test_the_report_has_the_rows_and_options_of_the_page(name: str, tmp_path: Path) -> None:
    columns = typed_example(name, "two systems")
    systems = {"system 1": columns["predictions"], "system 2": columns["second_predictions"]}
    metric, given = evenscore.load(name), {"n_resamples": 50, "seed": 3}
    # The page without an interval has no such option.
    for level in ({"confidence": 0.9}, {}):
        scored = score(SPACES[name], metric, {**columns, **given, **level})
        own = {"confidence": None, **given, **level}
        evenscore.report(name, systems, columns["references"], output=tmp_path / "r.html", **own)
        assert comparison_html(SPACES[name], metric, scored) == (tmp_path / "r.html").read_text(encoding="utf-8")


def buttons_of(name: str) -> dict[str, Any]:
    """What a page does when its buttons are pressed."""
    functions = build(SPACES[name]).fns.values()
    return {each.api_name: each for each in functions if each.api_name in ("score", "report")}


def report_pressed(name: str, scored: Report | None) -> list[Any]:
    """What the button of the report changes, step by step."""
    return list(buttons_of(name)["report"].fn(scored))


def test_scores_and_reports_wait_for_each_other() -> None:
    """Each catches warnings, which Python does for the whole process."""
    both = buttons_of("wer_dp")
    assert {(each.concurrency_id, each.concurrency_limit) for each in both.values()} == {("scores", 1)}
    assert list(both) == ["report", "score"]
    assert list(buttons_of("perplexity")) == ["score"]


def test_a_report_that_cannot_be_written_is_told(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))

    def told(name: str, scored: Report | None) -> str:
        (begun, saved, _), (label, path, problem) = report_pressed(name, scored)
        assert (begun, saved, label, path) == ("Writing the report …", None, "Download the report", None)
        assert problem["visible"]
        return str(problem["value"])

    assert "The scores are no longer here: press Score again" in told("wer_dp", None)
    alone = "There is no second system to compare with: give one, and press Score"
    assert alone in told("wer_dp", scored_example("wer_dp", "speech"))
    assert caplog.text == ""

    def fail(*given: Any) -> str:
        raise RecursionError("too deep")

    monkeypatch.setitem(SPACES, "wer_dp", SPACES["wer_dp"]._replace(report=fail))
    unforeseen = "This cannot be written, for a reason not foreseen (RecursionError)"
    assert unforeseen in told("wer_dp", scored_example("wer_dp", "two systems"))
    assert "RecursionError: too deep" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_one_file_of_a_fixed_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    texts = ["../../x", "<script>", "a\0b"]
    pair = {"predictions": texts, "references": texts, "second_predictions": texts[::-1]}
    scored = score(SPACES["wer_dp"], evenscore.load("wer_dp"), pair)
    paths = {report_pressed("wer_dp", scored)[-1][1] for _ in range(2)}
    assert [str(path) for path in tmp_path.rglob("*") if path.is_file()] == list(paths)
    assert {Path(path).name for path in paths} == {"report.html"}


@pytest.mark.filterwarnings("ignore:.*no_silent_downcasting", "ignore:The copy keyword is deprecated")
def test_gradio_deletes_the_report_with_other_files_of_visitors(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    columns = typed_example("wer_dp", "two systems")
    served = build(SPACES["wer_dp"])
    served.launch(prevent_thread_lock=True, quiet=True, ssr_mode=False)
    try:
        visitor = Client(served.local_url, verbose=False, download_files=False)
        boxes = [*("\n".join(columns[entry.name]) for entry in SPACES["wer_dp"].inputs), "", "", ""]
        visitor.predict(*boxes, None, None, None, [], api_name="/score")
        visitor.predict(api_name="/report")
        assert {path.name for path in tmp_path.rglob("*.*")} == {"report.html", "row_scores.csv"}
        # What it does every hour with those that are as old.
        delete_files_created_by_app(served, age=3600)
        assert {path.name for path in tmp_path.rglob("*.*")} == {"report.html", "row_scores.csv"}
        delete_files_created_by_app(served, age=-1)
        assert list(tmp_path.rglob("*.*")) == []
    finally:
        served.close(verbose=False)


def test_a_second_system_of_other_rows_is_refused() -> None:
    def refused(name: str, given: dict[str, Any]) -> str:
        return refusal(lambda: score(SPACES[name], evenscore.load(name), given))

    pair = {"predictions": ["a", "b"], "references": ["a", "b"], "second_predictions": ["a"]}
    assert refused("wer_dp", pair) == "Predictions of the second system: 1 row, but Predictions has 2"
    assert refused("perplexity", {"second_log_probs": [[-1.0]], "predictions": ["a"], "train_texts": ["a"]}) == (
        "Log-probabilities are missing: without those of the first system there is nothing to compare"
    )


def test_a_second_system_that_is_the_first_is_told() -> None:
    pair = {"predictions": ["a", "b"], "references": ["a", "c"], "second_predictions": ["a", "b"]}
    report = score(SPACES["wer_dp"], evenscore.load("wer_dp"), pair)
    assert report.notes == [
        "the second system has the same counts as the first system in every row, so there is no difference to test. "
        "Is it the same file?"
    ]
    shown = scores_html(SPACES["wer_dp"], report)
    assert "no significant difference: the same score" in shown
    assert "p = " not in shown


@pytest.mark.parametrize("n", [5, 6])
def test_few_rows_show_no_difference(n: int) -> None:
    pair = {"predictions": ["x"] * n, "references": ["a b c"] * n, "second_predictions": ["a b c"] * n}
    shown = scores_html(SPACES["wer_dp"], score(SPACES["wer_dp"], evenscore.load("wer_dp"), pair))
    assert ("better than the first system, p = 0.0010" in shown) == (n == 6)
    assert ("no significant difference: fewer than 6 rows cannot show one, p = 0.0010" in shown) == (n == 5)


def test_rows_are_counted_from_1_also_in_errors_and_notes() -> None:
    entry = Input("log_probs", "log_probs", "Numbers", "", numbers=True)
    assert "Numbers 1, row 2:" in refusal(lambda: typed_columns([entry], ["-1\n-x"]))
    metric, space = evenscore.load("perplexity"), SPACES["perplexity"]
    assert "row 2 of log_probs has" in refusal(lambda: score(space, metric, {"log_probs": [[-1.0], [0.5]]}))
    report = score(space, metric, {"log_probs": [[-1.0], [-2.0]]})
    assert [row[0] for row in worst_rows(space, report)] == [2, 1]
    assert "perplexity 7.39" in picture_html(space, metric, report, 2)
    foreign = {"predictions": ["a", "дом"], "references": ["a", "дом"]}
    (note,) = score(SPACES["rouge_l_multi"], evenscore.load("rouge_l_multi"), foreign).notes
    assert note.startswith("a text loses most of its letters or digits")


def test_rows_show_invisible_characters() -> None:
    metric, space = evenscore.load("wer_dp"), SPACES["wer_dp"]
    report = score(space, metric, {"predictions": ["a\u202eb"], "references": ["a\U000e0041"]})
    assert worst_rows(space, report)[0][-2:] == ["a<U+202E>b", "a<U+E0041>"]


def test_an_arpa_file_is_a_model(tmp_path: Path) -> None:
    space, path = SPACES["perplexity"], tmp_path / "lm.arpa"
    ngram = {"source": "ngram", "train_texts": TRAINING, "discount": 0.5}
    evenscore.load("perplexity", **ngram).write_arpa(path)
    (tmp_path / "text.txt").write_text("\n".join(PREDICTIONS), encoding="utf-8")
    columns = read_columns([path, tmp_path / "text.txt"])
    guessed = [next(iter(own), None) for own in guessed_columns(space.inputs, list(columns))]
    given = {**chosen_columns(space.inputs, ["text.txt", *guessed[1:]], columns), "ngram_order": 3, "discount": 0.5}
    report = score(space, evenscore.load("perplexity"), given)
    expected = evenscore.load("perplexity", source=str(path)).compute(predictions=PREDICTIONS)
    assert report.result["perplexity"] == expected["perplexity"]
    assert "source='lm.arpa'" in python_lines(space, evenscore.load("perplexity"), report)
    assert refusal(lambda: chosen_columns(space.inputs, ["lm.arpa", *guessed[1:]], columns)) == (
        "Texts: lm.arpa cannot be used there, choose a column of texts"
    )
    assert refusal(lambda: chosen_columns(space.inputs, [*guessed[:-1], "text.txt"], columns)) == (
        "ARPA file: text.txt cannot be used there, choose a file that ends in .arpa"
    )


def score_pressed(prepare: Callable[[dict[str, Any]], dict[str, Any]]) -> tuple[str, list[Any]]:
    """The head of a page where nothing is typed, and what its button changes."""
    entries = [entry._replace(is_needed=False) for entry in ENTRIES[:2]]
    script = ROOT / "metrics" / "wer_dp" / "wer_dp.py"
    figures = {"wer": Figure("<u>rate</u>", "<u>of</u>", "<u>meant</u>")}
    page = build(Space("<i>", script, True, entries, [], lambda given: figures, examples={}, prepare=prepare))
    (scored,) = [function for function in page.fns.values() if function.api_name == "score"]
    head = next(block.value for block in page.blocks.values() if isinstance(block, gr.HTML))
    return head, scored.fn(*(box.value for box in scored.inputs))


def test_what_nobody_foresaw_is_said_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail(given: dict[str, Any]) -> dict[str, Any]:
        raise RecursionError("too deep")

    _, (_, problem, *_) = score_pressed(fail)
    assert "This cannot be scored, for a reason not foreseen (RecursionError)" in problem["value"]
    assert "RecursionError: too deep" in caplog.text


@pytest.mark.filterwarnings("ignore:<u>")
def test_markup_in_titles_warnings_signatures_and_problems_stays_text() -> None:
    def told(text: str) -> str:
        warnings.warn("<u>told</u>", stacklevel=2)
        return text

    def fail(given: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("<u>no</u>")

    transforms = [told, ("remove_specific_words", ["<s>"])]
    head, changed = score_pressed(lambda _: {"predictions": ["a"], "references": ["a"], "transforms": transforms})
    _, (_, problem, *_) = score_pressed(fail)
    shown = Page(head + changed[3] + problem["value"])
    assert {"<i>", "<u>told</u>", "<u>no</u>", "<u>rate</u>", "<u>of</u>", "<u>meant</u>"} < set(shown.words)
    # In a box of text, which shows no markup.
    assert "['<s>']" in changed[ResultArea._fields.index("signature")]
    assert not {"i", "u", "s"} & {tag for tag, _ in shown.elements}


def test_a_cell_of_a_served_page_may_be_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text(f"x\n{'y' * 200_000}\n", encoding="utf-8")
    usual = csv.field_size_limit()
    sentence = f"a.csv, line 2: field larger than field limit ({usual}){QUOTING}"
    assert refusal(lambda: read_columns([tmp_path / "a.csv"])) == sentence
    monkeypatch.setattr(gr.Blocks, "launch", lambda *given, **named: None)
    try:
        serve(gr.Blocks())
        assert read_columns([tmp_path / "a.csv"]) == {"a.csv: x": ["y" * 200_000]}
    finally:
        csv.field_size_limit(usual)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "further" / "a.txt"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
    assert refusal(lambda: read_columns(paths)) == "'a.txt' is there twice: rename one of the files"


def test_columns_are_guessed_by_their_names() -> None:
    assert guessed_columns(ENTRIES, ["id", "reference", "prediction"]) == [["prediction"], ["reference"], []]
    assert guessed_columns(ENTRIES, ["one.txt", "two.txt", "three.txt"]) == [["one.txt"], ["two.txt"], []]
    assert guessed_columns(ENTRIES, ["hyp.csv: ref_text", "hyp.csv: x"]) == [["hyp.csv: x"], ["hyp.csv: ref_text"], []]
    assert guessed_columns(ENTRIES, [f"ref{k}" for k in range(5)])[1] == ["ref0", "ref1", "ref2"]
    assert guessed_columns(ENTRIES, ["hyp", "log_probs_of_hyp"]) == [["hyp"], [], ["log_probs_of_hyp"]]
    assert guessed_columns(ENTRIES, []) == [[], [], []]


def test_chosen_columns_are_joined() -> None:
    columns = {"p": ["a", "b"], "r": [["x", "y"], []], "s": ["z", None], "n": [[-1.0], "[-2, -3]"]}
    assert chosen_columns(ENTRIES, ["p", ["r", "s"], "n"], columns) == {
        "predictions": ["a", "b"],
        "references": [["x", "y", "z"], [""]],
        "log_probs": [[-1.0], [-2.0, -3.0]],
    }
    assert chosen_columns(ENTRIES, ["p", ["r"], None], columns)["references"] == [["x", "y"], []]
    assert refusal(lambda: chosen_columns(ENTRIES, [None, ["r"], None], columns)) == (
        "Predictions are missing: choose a column of a file"
    )


# --- what is shipped


@pytest.mark.parametrize("name", ALL_METRICS)
def test_what_a_space_installs_is_pinned_as_it_is_tested(name: str) -> None:
    folder = ROOT / "metrics" / name
    pins = dict(line.split("==") for line in (folder / "requirements.txt").read_text(encoding="utf-8").split())
    card = (folder / "README.md").read_text(encoding="utf-8")
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    assert {"evaluate", "gradio", "datasets", "numpy", "pyarrow"} <= set(pins)
    assert pins.get("jinja2") == (version("jinja2") if SPACES[name].report else None)
    assert pins["gradio"] == version("gradio")
    assert f"sdk_version: {pins['gradio']}\n" in card
    assert f"gradio=={pins['gradio']}" in setup["options.extras_require"]["test-all"].split()


@pytest.mark.parametrize("name", ALL_METRICS)
def test_a_page_is_built_without_being_served(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gr.Blocks, "launch", lambda *given, **named: pytest.fail("it is served"))
    page = build(runpy.run_path(str(ROOT / "metrics" / name / "app.py"))["SPACE"])
    assert (type(page), page.analytics_enabled) == (gr.Blocks, False)


@pytest.mark.parametrize("name", ["description", "files", "inputs", "page", "report"])
def test_examples_of_the_modules_print_what_they_say(name: str) -> None:
    """The default run has the examples of all other modules; these import gradio."""
    assert doctest.testmod(import_module(f"evenscore.hub.page.{name}")).failed == 0


def test_metrics_need_no_gradio(tmp_path: Path) -> None:
    program = """
        import sys, evenscore
        for name in evenscore.METRICS:
            evenscore.load(name)
        print("gradio" in sys.modules)
    """
    assert run_python(program, tmp_path) == "False\n"
