"""A hook of mkdocs that adds files outside docs/ to the site.

A line `--8<-- "README.md"` in a page includes this file of the repository, without its front matter, in place of a
sentence "On GitHub, read ..." before it; pymdownx.snippets includes other files.  A relative link may lead out of
docs/, or be in an included file.  It is then replaced by a link to the page that includes its target, or to a page
with the source.  The build fails if there is neither.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
# An include, with the sentence before it that is for readers of the file on GitHub.
_INCLUDE = re.compile(r'^(?:On GitHub, read [^\n]+\n\n)?--8<-- "(?P<path>[^"]+\.md)"$', re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n+", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#+ )", re.MULTILINE)
# Code, which contains no links, or a link, whose text may contain code.
_CODE_OR_LINK = re.compile(
    r"(?P<code>^```.*?^```$|`[^`\n]+`)|(?P<text>\[[^\]]*\]\()(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)",
    re.DOTALL | re.MULTILINE,
)
_BLOCK = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_FILES = {".py", ".cfg", ".txt", ".ipynb"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every source file that a page links to."""
    for path in sorted(set().union(*(_linked_files(page) for page in _pages()))):
        if path.suffix in _FILES:
            files.append(File.generated(config, _source_page(path), content=_source_text(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Expand the includes of a page, and make its links lead to pages of the site."""
    own = page.file.src_uri
    # A generated page contains only source code.
    if page.file.generated_by is not None:
        return markdown
    # Mark examples with prompts, so that the copy button copies only the input.
    return _expanded(markdown, f"docs/{own}", own).replace("```python\n>>> ", "```pycon\n>>> ")


def _pages() -> list[Path]:
    return sorted((ROOT / "docs").rglob("*.md"))


def _linked_files(page: Path) -> set[Path]:
    """The files of the repository to which the page and its included files link."""
    text = page.read_text(encoding="utf-8")
    included = [(ROOT / found["path"]) for found in _INCLUDE.finditer(text)]
    documents = [(page, text), *((path, _included(path)) for path in included)]
    targets = {path.parent / found["target"] for path, text in documents for found in _links(text)}
    return {target.resolve().relative_to(ROOT) for target in targets if target.is_file()}


def _links(text: str) -> list[re.Match[str]]:
    return [found for found in _CODE_OR_LINK.finditer(text) if _is_relative(found)]


def _is_relative(found: re.Match[str]) -> bool:
    return found["code"] is None and "://" not in found["target"]


def _expanded(text: str, document: str, page: str) -> str:
    """The text of a file of the repository as a part of a page of the site."""
    relinked = _CODE_OR_LINK.sub(
        lambda found: _relinked(found, document, page) if _is_relative(found) else found[0], text
    )
    # The headings of an included file are one level below those of the page.
    marks = "#" if text.lstrip().startswith("# ") else ""
    return _INCLUDE.sub(
        lambda found: _below(marks, _expanded(_included(ROOT / found["path"]), found["path"], page)), relinked
    )


def _below(marks: str, text: str) -> str:
    """Put these marks before each heading of the text."""
    parts = _BLOCK.split(text)
    parts[::2] = [_HEADING.sub(rf"{marks}\1", part) for part in parts[::2]]
    return "".join(parts)


def _included(path: Path) -> str:
    return _FRONT_MATTER.sub("", path.read_text(encoding="utf-8"))


def _relinked(found: re.Match[str], document: str, page: str) -> str:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(document), found["target"]))
    to = posixpath.relpath(_page_of(target, document), posixpath.dirname(page) or ".")
    return f"{found['text']}{to}{found['anchor'] or ''})"


def _page_of(target: str, document: str) -> str:
    """The page of the site, relative to docs/, that shows this file of the repository."""
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    if target in (including := _including()):
        return including[target]
    if (ROOT / target).is_file() and Path(target).suffix in _FILES:
        return _source_page(Path(target))
    raise PluginError(f"{document} links to {target}, which no page of the site includes: give another target")


def _including() -> dict[str, str]:
    """The page that includes each file.  The README has no such page; the home page says the same in other words."""
    pages = {
        found["path"]: path.relative_to(ROOT / "docs").as_posix()
        for path in _pages()
        for found in _INCLUDE.finditer(path.read_text(encoding="utf-8"))
    }
    return {"README.md": "index.md", **pages}


def _source_page(path: Path) -> str:
    return f"source/{path.as_posix()}.md"


def _source_text(path: Path) -> str:
    language = {".py": "python", ".cfg": "ini", ".ipynb": "json"}.get(path.suffix, "text")
    source = (ROOT / path).read_text(encoding="utf-8")
    return f"---\nsearch:\n  exclude: true\n---\n\n# {path.as_posix()}\n\n~~~~{language}\n{source}~~~~\n"
