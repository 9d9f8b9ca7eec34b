"""Every example in the documentation runs and prints what it says."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from small_corpus import ALL_METRICS

import evenscore
from evenscore.cli import main
from evenscore.options import declared

ROOT = Path(__file__).resolve().parents[2]
CARDS = [ROOT / "metrics" / name / "README.md" for name in ALL_METRICS]
SITE = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "tokenizers_impl" / "README.md", *CARDS, *SITE]
GUIDE = ROOT / "CONTRIBUTING.md"


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def failures(examples: str, name: str, **names: Any) -> str:
    """What doctest has to say of the examples; they must hold at least one."""
    test = doctest.DocTestParser().get_doctest(examples, dict(names), name, None, 0)
    assert test.examples
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    return "".join(said)


def prints(block: str) -> bool:
    """Whether an example of the block has a result to compare."""
    return any(example.want for example in doctest.DocTestParser().get_examples(block))


# Those without examples are stubs of the site that include a file, its reference, and tables.
PAGES = [page for page in DOCUMENTS if "```python" in page.read_text(encoding="utf-8")]


def example_pages() -> list[Any]:
    """Those with a language model of transformers need torch, so they are slow."""
    slow = [page for page in PAGES if "LMHeadModel" in page.read_text(encoding="utf-8")]
    return [pytest.param(page, marks=[pytest.mark.slow] if page in slow else []) for page in PAGES]


@pytest.mark.parametrize("page", example_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_the_page_print_what_they_say(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a reader of the page would be.
    monkeypatch.chdir(ROOT)
    python = blocks(page.read_text(encoding="utf-8"), "python")
    assert all(block.startswith(">>> ") for block in python)
    assert [block for block in python if not prints(block)] == []
    assert failures("\n".join(python), page.name) == ""


@pytest.mark.parametrize("name", ALL_METRICS)
def test_examples_of_the_inputs_description_print_what_they_say(name: str) -> None:
    module = import_module(f"evenscore.metrics.{name}.{name}")
    kind = evenscore.METRICS[name]
    assert failures(evenscore.load(name).inputs_description, name, **{kind: getattr(module, kind)}) == ""


def test_the_first_command_prints_what_the_readme_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = blocks(text, "sh")[0]
    printed = blocks(text, "text")[0]
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(first.partition("bin/evenscore ")[2])) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", ALL_METRICS)
def test_the_inputs_description_names_every_option(name: str) -> None:
    described = evenscore.load(name).inputs_description
    fields = declared(evenscore.load(name).scorer_type.declaration)["options"]
    assert [option for option in sorted(fields) if not re.search(rf"\b{option}\b", described)] == []


@pytest.mark.parametrize("page", [*DOCUMENTS, GUIDE], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", SITE, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_of_the_site_includes_is_a_link_on_github(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    included = re.findall(r'^--8<-- "([^":]+)', text, flags=re.MULTILINE)
    linked = [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", text)]
    assert [path for path in included if ROOT / path not in linked] == []


def test_the_guide_is_short_and_every_path_in_it_exists() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    named = {path for path in re.findall(r"[\w.*/-]+", text) if re.search(r"\w/|\.(py|md|cfg)$", path)}
    ours = {path for path in named if not path.startswith((".venv/", "../"))}
    # X stands for every metric.
    paths = {path.replace("X", name) for path in ours for name in ALL_METRICS}
    assert len(paths) > 30
    assert [path for path in sorted(paths) if not any(ROOT.glob(path))] == []
    assert len(text.splitlines()) <= 80
