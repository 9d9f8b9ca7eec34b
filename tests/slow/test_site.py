"""The documentation site: built as .ci/run builds it, then read in a browser."""

from __future__ import annotations

import doctest
import functools
import importlib
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
import pytest
import site_docstrings

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["models", "trainers", "normalizers", "pre_tokenizers", "processors", "decoders"]
PARTS += ["exchange", "implementations", "measures", "pipelines"]
# A landing page, a page of text, one that includes a file, one of wide tables, one of docstrings.
PAGES = ("index", "getting-started", "metrics/wer_dp", "exactness", "reference/trainers")
SCHEME = "return document.body.getAttribute('data-md-color-scheme')"
BACKGROUND = "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
BUTTON = ".language-pycon [data-clipboard-target]"
# What the page shows of an example, and what the theme's button reads while it copies.
COPIED = """
const code = document.querySelector(".language-pycon code"), shown = code.innerText;
code.setAttribute("data-md-copying", "");
const copied = code.innerText;
code.removeAttribute("data-md-copying");
return [shown, copied];
"""
needs_browser = pytest.mark.skipif(bool(browser.MISSING), reason=f"not installed: {', '.join(browser.MISSING)}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's folder."""
    folder = tmp_path_factory.mktemp("site")
    # A process that cannot reach anybody: what the build would fetch makes it fail.
    nobody = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **nobody},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    with browser.browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def newcomer(page: browser.Browser, address: str, *, width: int = 1280, dark: bool = False) -> None:
    """Open the page as somebody who has not chosen a mode yet: the site remembers the one of the first visit."""
    page.open(address, width=width, dark=dark)
    page.script("localStorage.clear()")
    page.open(address, width=width, dark=dark)


def test_every_public_name_has_a_place_in_the_reference(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    described = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    modules = ["tokenizers_impl", *(f"tokenizers_impl.{part}" for part in PARTS)]
    names = {f"{module}.{name}" for module in modules for name in importlib.import_module(module).__all__}
    names |= {f"evenscore.{name}" for name in ("load", "path", "plot_comparison", "report")}
    # Submodules have a page each, without a heading; the release is no object.
    apart = {f"tokenizers_impl.{part}" for part in PARTS} | {"tokenizers_impl.__version__"}
    assert sorted(names - apart - described) == []


def test_pages_hold_what_they_include_without_front_matter(site: Path) -> None:
    card = (site / "metrics" / "wer_dp.html").read_text(encoding="utf-8")
    assert "Metric Card for wer_dp" in card
    assert "sdk_version" not in card
    for page in ("exactness.html", "performance.html", "tokenizers.html", "contributing.html"):
        assert "--8&lt;--" not in (site / page).read_text(encoding="utf-8")
    # The sentence is for those who read the page's source.
    assert [page for page in site.rglob("*.html") if "On GitHub, read" in page.read_text(encoding="utf-8")] == []
    assert card.count("<h1") == 1
    assert "sacrebleu 2.6.0" in (site / "exactness.html").read_text(encoding="utf-8")


def test_docstrings_become_markdown() -> None:
    results = doctest.testmod(site_docstrings)
    assert results.attempted > 0
    assert results.failed == 0


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_the_window_and_ask_nobody_else(
    name: str, width: int, dark: bool, page: browser.Browser, url: str
) -> None:
    newcomer(page, f"{url}/{name}.html", width=width, dark=dark)
    assert page.text("h1")
    page.until(lambda: page.script(SCHEME) == ("slate" if dark else "default"))
    assert all((level < 64) == dark for level in page.script(BACKGROUND))
    assert page.script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert page.foreign_requests(url) == []


@needs_browser
def test_search_finds_an_option(page: browser.Browser, url: str) -> None:
    page.open(f"{url}/index.html")
    page.script("document.querySelector('[data-md-toggle=search]').click()")
    page.until(lambda: page.elements("input.md-search__input"))[0].send_keys("normalize_by")
    found = page.until(lambda: [each.get_attribute("href") for each in page.elements("a.md-search-result__link")])
    assert any("/metrics/wer_dp.html" in str(href) for href in found)


@needs_browser
def test_a_reader_may_switch_to_the_dark_mode(page: browser.Browser, url: str) -> None:
    newcomer(page, f"{url}/index.html")
    (toggle,) = (each for each in page.elements("label.md-header__button[title]") if each.is_displayed())
    assert toggle.get_attribute("title") == "Switch to dark mode"
    toggle.click()
    page.until(lambda: page.script(SCHEME) == "slate")


@needs_browser
def test_an_example_is_copied_without_prompts_and_results(page: browser.Browser, url: str) -> None:
    page.open(f"{url}/index.html")
    page.until(lambda: page.elements(BUTTON))
    shown, copied = page.script(COPIED)
    assert shown.startswith(">>> import evenscore\n>>> bleu = ")
    code = compile(copied, "copied", "exec")
    names: dict[str, object] = {}
    exec(code, names)
    assert round(names["result"]["score"], 2) == 38.1  # type: ignore[index]
