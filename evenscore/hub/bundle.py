"""A metric's folder for the Hub, which works where evenscore is not installed.

The script imports modules of the library. Here each of them becomes a file beside the script: `evenscore/text/words.py`
becomes `_text_words.py`, and every import of the library, `from evenscore.text.words import encode`, becomes one of its
sibling, `from ._text_words import encode`. The page, `app.py`, gets the modules that it needs in the folder `_space`.
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
# A link of a card to a module of the library.
_LINK = re.compile(r"\]\(\.\./\.\./evenscore/([\w/]+)\.py\)")


def bundle(metric: str, space: str) -> dict[str, bytes]:
    """The contents of all files of a Space NAMESPACE/NAME, by their names, sorted.

    evaluate.load("namespace/name") asks for name.py, so a Space that is not named like its metric has the script twice:
    under its own name, which the app and the card use, and under the Space's.

    Raises ValueError for what cannot be a Space's name, or would hide another file or a package from the metric.
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
    files["requirements.txt"] = (folder / "requirements.txt").read_bytes()
    files[ORIGIN] = _origin(files, folder / f"{metric}.py").encode()
    if name != metric:
        _check_free(name, metric, files)
        files[f"{name}.py"] = files[f"{metric}.py"]
    return dict(sorted(files.items()))


# --- modules as siblings


def _with_siblings(source: str, prefix: str) -> tuple[str, dict[str, str]]:
    """A script that imports siblings, with the modules of the library that it needs, by name; these import siblings.

    prefix: what stands before a sibling's name in an import of the script.
    """
    script, waiting = _rewritten(source, prefix)
    modules: dict[str, str] = {}
    while waiting:
        module = waiting.pop()
        if module not in modules:
            place = _LIBRARY.joinpath(*module.split(".")[1:])
            file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            modules[module], more = _rewritten(file.read_text(encoding="utf-8"), ".")
            waiting |= more
    return script, modules


def _rewritten(source: str, prefix: str) -> tuple[str, set[str]]:
    """The source with siblings for modules of the library, and which modules these are."""
    lines, modules = source.splitlines(keepends=True), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == _PACKAGE:
            before, after = f"from {node.module} import", f"from {prefix}{_flat(node.module)} import"
            lines[node.lineno - 1] = lines[node.lineno - 1].replace(before, after)
            modules.add(node.module)
    return "".join(lines), modules


def _naming_all(script: str, modules: Mapping[str, str]) -> str:
    """The script with an import of every module: evaluate copies only siblings that the script itself names."""
    imports = [node for node in ast.parse(script).body if isinstance(node, ast.ImportFrom) and node.level]
    named = {node.module for node in imports}
    last = max(node.end_lineno or 0 for node in imports)
    lines = script.splitlines(keepends=True)
    siblings = [flat for flat in [*sorted(map(_flat, modules)), ORIGIN.removesuffix(".py")] if flat not in named]
    return "".join([*lines[:last], *(f"from .{flat} import __name__ as {flat}\n" for flat in siblings), *lines[last:]])


def _flat(module: str) -> str:
    """The name of a module's file, as a sibling.

    >>> _flat("evenscore.text.words")
    '_text_words'
    """
    return "_" + module.removeprefix(f"{_PACKAGE}.").replace(".", "_")


def _origin(files: Mapping[str, bytes], script: Path) -> str:
    """What tells that a metric of this folder has the code of an installed one."""
    helpers = {name: content for name, content in files.items() if name.startswith("_") and "/" not in name}
    origin = {"code": code_digest(script), "files": files_digest(helpers, files[script.name])}
    return f'{_GENERATED}"""What this folder was generated from."""\n\nORIGIN = {origin}\n'


# --- names


def _checked_name(space: str) -> str:
    from huggingface_hub.utils import validate_repo_id

    if space.count("/") != 1:
        raise ValueError(f"{space!r} is no Space: write it as NAMESPACE/NAME")
    validate_repo_id(space)
    if "." in space:
        raise ValueError(f"{space!r} has a dot, which evaluate.load takes for a package's: leave it out")
    return space.partition("/")[2]


def _check_free(name: str, metric: str, files: Mapping[str, bytes]) -> None:
    if name in {file.partition("/")[0].removesuffix(".py") for file in files}:
        raise ValueError(f"{name!r} is the name of another file of {metric}: choose another one")
    if name in sys.stdlib_module_names or name in packages_distributions():
        raise ValueError(f"{name!r} is a package, which the Space's app would then not find: choose another name")


# --- folders


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files to a new or empty folder: all of them or nothing.

    An empty folder stays the folder that it is, with its mode.  Raises OSError that names the folder.
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
        # The file that failed is a temporary one, of which the caller knows nothing.
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _move_all(source: Path, target: Path) -> None:
    """Move what is in a folder into another one of the same disk; back again if that is interrupted."""
    names = [path.name for path in source.iterdir()]
    try:
        for name in names:
            (source / name).rename(target / name)
    except BaseException:
        for name in names:
            # What has not been moved is not at the target, which was empty.
            if (target / name).exists():
                (target / name).rename(source / name)
        raise
