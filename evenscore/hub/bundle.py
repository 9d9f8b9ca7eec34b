"""Generates a metric's folder for the Hub, which works without evenscore.

Each library module that the script needs becomes a file next to it: `evenscore/text/words.py` becomes `_text_words.py`,
and `from evenscore.text.words import encode` becomes `from ._text_words import encode`. The modules of the page,
`app.py`, go to the folder `_space`, with the files that they read. The script needs nothing of that folder.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import packages_distributions
from pathlib import Path

from evenscore import path
from evenscore.identity import ORIGIN, code_digest, files_digest
from evenscore.version import __version__

_LIBRARY = Path(__file__).resolve().parents[1]
_PACKAGE = "evenscore"
_GENERATED = f"# Generated from evenscore {__version__}: change the library, not this file.\n"
# The files that modules of the page read; each stands beside its module, here and in the generated folder.
_FILES = {"evenscore.reporting": ("report.html",)}
# Matches links from a card to modules of the library.
_LINK = re.compile(r"\]\(\.\./\.\./evenscore/([\w/]+)\.py\)")


def bundle(metric: str, space: str) -> dict[str, bytes]:
    """Return the contents of all files of a Space NAMESPACE/NAME, sorted by name.

    evaluate.load("namespace/name") loads name.py. So if the names of Space and metric differ, the folder has the script
    under both: the app and the card use the metric's name.

    Raises ValueError for an invalid name of a Space, and for a name that would hide another file or a package.
    """
    name, folder = _checked_name(space), Path(path(metric))
    page, page_modules = _with_siblings((folder / "app.py").read_text(encoding="utf-8"), "_space.")
    script, modules = _with_siblings((folder / f"{metric}.py").read_text(encoding="utf-8"), ".")
    texts = {
        f"{metric}.py": _GENERATED + _naming_all(script, modules),
        "app.py": _GENERATED + page,
        "README.md": _LINK.sub(
            lambda found: f"]({_flat(found[1].replace('/', '.'))}.py)",
            # There the examples load the Space itself, and need no evenscore.
            (folder / "README.md")
            .read_text(encoding="utf-8")
            .replace(">>> import evaluate, evenscore", ">>> import evaluate")
            .replace(f'evenscore.path("{metric}")', f'"{space}"'),
        ),
        "_space/__init__.py": f'{_GENERATED}"""The modules of the page."""\n',
        **{f"{_flat(module)}.py": _GENERATED + text for module, text in modules.items()},
        **{f"_space/{_flat(module)}.py": _GENERATED + text for module, text in page_modules.items()},
    }
    files = {name: text.encode() for name, text in texts.items()}
    for module in sorted(page_modules.keys() & _FILES.keys()):
        files.update({f"_space/{own}": _file(module).with_name(own).read_bytes() for own in _FILES[module]})
    files["requirements.txt"] = (folder / "requirements.txt").read_bytes()
    files[ORIGIN] = _origin(files, folder / f"{metric}.py").encode()
    if name != metric:
        _check_free(name, metric, files)
        files[f"{name}.py"] = files[f"{metric}.py"]
    return dict(sorted(files.items()))


# --- library modules as sibling files


def _with_siblings(source: str, prefix: str) -> tuple[str, dict[str, str]]:
    """Return a script and the library modules that it needs, by name, with all library imports made relative.

    prefix: precedes a module's name in the script's imports.
    """
    script, waiting = _rewritten(source, prefix)
    modules: dict[str, str] = {}
    while waiting:
        module = waiting.pop()
        if module not in modules:
            modules[module], more = _rewritten(_file(module).read_text(encoding="utf-8"), ".")
            waiting |= more
    return script, modules


def _file(module: str) -> Path:
    """Return the path of a library module."""
    place = _LIBRARY.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _rewritten(source: str, prefix: str) -> tuple[str, set[str]]:
    """Return the source with relative imports of library modules, and the names of these modules."""
    lines, modules = source.splitlines(keepends=True), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == _PACKAGE:
            before, after = f"from {node.module} import", f"from {prefix}{_flat(node.module)} import"
            lines[node.lineno - 1] = lines[node.lineno - 1].replace(before, after)
            modules.add(node.module)
    return "".join(lines), modules


def _naming_all(script: str, modules: Mapping[str, str]) -> str:
    """Add imports of all modules to the script, because evaluate copies only files that the script itself imports."""
    imports = [node for node in ast.parse(script).body if isinstance(node, ast.ImportFrom) and node.level]
    named = {node.module for node in imports}
    last = max(node.end_lineno or 0 for node in imports)
    lines = script.splitlines(keepends=True)
    siblings = [flat for flat in [*sorted(map(_flat, modules)), ORIGIN.removesuffix(".py")] if flat not in named]
    return "".join([*lines[:last], *(f"from .{flat} import __name__ as {flat}\n" for flat in siblings), *lines[last:]])


def _flat(module: str) -> str:
    """Return the name of a module as a sibling file.

    >>> _flat("evenscore.text.words")
    '_text_words'
    """
    return "_" + module.removeprefix(f"{_PACKAGE}.").replace(".", "_")


def _origin(files: Mapping[str, bytes], script: Path) -> str:
    """Return the file that identifies the code that this folder was generated from."""
    helpers = {name: content for name, content in files.items() if name.startswith("_") and "/" not in name}
    origin = {"code": code_digest(script), "files": files_digest(helpers, files[script.name])}
    return f'{_GENERATED}"""What this folder was generated from."""\n\nORIGIN = {origin}\n'


# --- names


def _checked_name(space: str) -> str:
    from huggingface_hub.utils import validate_repo_id

    if space.count("/") != 1:
        raise ValueError(f"{space!r} is not a Space: write it as NAMESPACE/NAME")
    validate_repo_id(space)
    if "." in space:
        raise ValueError(f"{space!r} contains a dot, which evaluate.load reads as a package: leave it out")
    return space.partition("/")[2]


def _check_free(name: str, metric: str, files: Mapping[str, bytes]) -> None:
    if name in {file.partition("/")[0].removesuffix(".py") for file in files}:
        raise ValueError(f"{name!r} is the name of another file of {metric}: choose another one")
    if name in sys.stdlib_module_names or name in packages_distributions():
        raise ValueError(f"{name!r} would hide the package of that name from the Space's app: choose another name")


# --- folders


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files to a new or empty folder, all of them or none.

    An existing folder is kept, with its mode. Raises OSError, which names the folder.
    """
    target = folder.resolve()
    there = target.is_dir()
    try:
        with tempfile.TemporaryDirectory(prefix=".space-", dir=target if there else target.parent) as temporary:
            whole = Path(temporary, "whole")
            for name, content in files.items():
                (whole / name).parent.mkdir(parents=True, exist_ok=True)
                (whole / name).write_bytes(content)
            if there:
                _move_all(whole, target)
            else:
                whole.rename(target)
    except OSError as error:
        # The error names a temporary file that the caller does not know.
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _move_all(source: Path, target: Path) -> None:
    """Move the contents of a folder to an empty one on the same disk; move them back if interrupted."""
    names = [path.name for path in source.iterdir()]
    try:
        for name in names:
            (source / name).rename(target / name)
    except BaseException:
        for name in names:
            # The target was empty, so only moved files exist there.
            if (target / name).exists():
                (target / name).rename(source / name)
        raise
