"""What is shipped loads where nothing of the checkout is: wheel, sdist, and each metric's folder by itself."""

from __future__ import annotations

import ast
import configparser
import inspect
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tokenize
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import evaluate
import pytest
from evaluate.loading import get_imports
from evenscore._space_folder import space_files
from fresh_process import run_python
from small_corpus import ALL_METRICS, COLUMNS, column_scores

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "metrics" / name for name in ALL_METRICS]
SHARED = ROOT / "metrics" / "_shared"
SHIPPED = sorted(path for folder in FOLDERS for path in folder.glob("*.py"))
HELPERS = [path for path in SHIPPED if path.name.startswith("_") and path.name != "__init__.py"]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def with_linked_folders(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder whose names match, those in folders that are links too."""
    return [path for parent, _, _ in os.walk(folder, followlinks=True) for path in Path(parent).glob(pattern)]


def ran(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- wheel and sdist


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel of the files that git has or would have, and a wheel of the sdist of them."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    listed = ran("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    ran(*build, str(out / "wheel"), "--wheel", ".", cwd=source)
    # Without --wheel, the wheel is made from the sdist.
    ran(*build, str(out / "sdist"), ".", cwd=source)
    assert len(list((out / "sdist").glob("*.tar.gz"))) == 1
    return {kind: next((out / kind).glob("*.whl")) for kind in ("wheel", "sdist")}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_installed_distribution_loads_and_scores(kind: str, distributions: dict[str, Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile")
    ran(*pip, "--target", str(site), str(distributions[kind]), cwd=tmp_path)
    assert [path for path in site.rglob("*") if path.is_symlink()] == []
    program = """
        # An editable installation of the checkout must not help.
        sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
        import json, evaluate, evenscore
        site, columns = sys.argv[1], json.loads(sys.argv[2])
        results = {}
        for name in evenscore.METRICS:
            given = {**columns[name], "per_example": True}
            results[name] = evenscore.load(name).compute(**given)
            assert evenscore.path(name).startswith(site), evenscore.path(name)
            assert evaluate.load(evenscore.path(name)).compute(**given) == results[name]
        foreign = [m.__file__ for n, m in sys.modules.items() if n.startswith("evenscore") and site not in m.__file__]
        assert not foreign, foreign
        # The tokenizers hold shared files, too.
        import tokenizers_impl._picture
        assert tokenizers_impl._picture.__file__.startswith(site), tokenizers_impl._picture.__file__
        print(json.dumps(results))
    """
    printed = run_python(program, tmp_path, str(site), json.dumps(COLUMNS), PYTHONPATH=str(site))
    assert json.loads(printed) == {name: column_scores(name) for name in ALL_METRICS}


def test_an_installed_metric_is_published_as_one_of_the_checkout(
    distributions: dict[str, Path], tmp_path: Path
) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        wheel.extractall(tmp_path / "site")
    program = """
        sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
        import evenscore.cli
        for name in evenscore.METRICS:
            assert evenscore.path(name).startswith(sys.argv[1])
            assert evenscore.cli.main(["publish", name, "--to", f"me/{name}", "--dry-run", name]) == 0
    """
    run_python(program, tmp_path, str(tmp_path / "site"), PYTHONPATH=str(tmp_path / "site"))
    for name in ALL_METRICS:
        expected = {file: path.read_bytes() for file, path in space_files(name, f"me/{name}").items()}
        written = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        assert {path.relative_to(tmp_path / name).as_posix(): path.read_bytes() for path in written} == expected


def test_wheels_hold_every_module_and_card_and_nothing_else_of_the_checkout(distributions: dict[str, Path]) -> None:
    modules = {path.relative_to(ROOT / "metrics") for path in with_linked_folders(ROOT / "metrics", "*.py")}
    expected = {f"evenscore/{path.as_posix()}" for path in modules}
    expected |= {"evenscore/py.typed", *(f"evenscore/{name}/README.md" for name in ALL_METRICS)}
    expected |= {f"evenscore/{path.parent.name}/{path.name}" for path in ROOT.glob("metrics/*/requirements.txt")}
    for pattern in ("*.py", "py.typed", "unicode_*.txt"):
        expected |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "tokenizers_impl").rglob(pattern)}
    for kind, wheel in distributions.items():
        held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        assert (kind, held) == (kind, expected)


def test_the_sdist_holds_files_for_links(distributions: dict[str, Path]) -> None:
    with tarfile.open(next(distributions["sdist"].parent.glob("*.tar.gz"))) as sdist:
        assert [member.name for member in sdist if not (member.isfile() or member.isdir())] == []


def test_the_command_is_installed(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        entry_points = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "evenscore = evenscore.cli:main" in wheel.read(entry_points).decode()


def test_every_package_is_listed() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    places = {"evenscore": ROOT / "metrics", "tokenizers_impl": ROOT / "tokenizers_impl"}
    packages = {
        ".".join((name, *path.parent.relative_to(place).parts))
        for name, place in places.items()
        for path in with_linked_folders(place, "__init__.py")
    }
    listed = set(setup["options"]["packages"].split())
    assert listed == packages
    assert {f"evenscore.{name}" for name in ALL_METRICS} < listed


# --- each folder by itself


def followed(folder: Path, place: Path) -> Path:
    """A copy of the folder at that place, files for links."""
    copied = place / folder.name
    shutil.copytree(folder, copied, symlinks=False, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


@pytest.mark.parametrize("folder", FOLDERS, ids=ALL_METRICS)
def test_a_copied_folder_loads_by_itself(folder: Path, tmp_path: Path) -> None:
    copied = followed(folder, tmp_path)
    program = """
        import importlib.abc
        class Absent(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] == "evenscore":
                    raise SystemExit(f"{name} imported")
        sys.meta_path.insert(0, Absent())
        import json, evaluate
        metric = evaluate.load(sys.argv[1])
        print(json.dumps(metric.compute(**json.loads(sys.argv[2]), per_example=True)))
    """
    corpus = json.dumps(COLUMNS[folder.name])
    assert json.loads(run_python(program, tmp_path, str(copied), corpus)) == column_scores(folder.name)


@pytest.mark.skipif(shutil.which("cp") is None, reason="no cp here")
@pytest.mark.parametrize("folder", FOLDERS, ids=ALL_METRICS)
def test_a_folder_may_be_copied_as_the_readme_says(folder: Path, tmp_path: Path) -> None:
    ran("cp", "-rL", str(folder), str(tmp_path), cwd=tmp_path)
    metric = evaluate.load(str(tmp_path / folder.name))
    assert metric.compute(**COLUMNS[folder.name], per_example=True) == column_scores(folder.name)


@pytest.mark.parametrize("folder", FOLDERS, ids=ALL_METRICS)
def test_a_changed_helper_is_loaded_anew(folder: Path, tmp_path: Path) -> None:
    """evaluate keys its copy by the script and the helpers that the script itself imports: all of them."""
    copied = followed(folder, tmp_path)
    kinds = [type(evaluate.load(str(copied)))]
    for helper in sorted(copied.glob("_[a-z]*.py")):
        helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
        kinds.append(type(evaluate.load(str(copied))))
    assert len({kind.__module__ for kind in kinds}) == len(kinds) > 5


# --- what evaluate's loader can read


def relative_imports(path: Path) -> list[ast.ImportFrom]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]


@pytest.mark.parametrize("folder", FOLDERS, ids=ALL_METRICS)
def test_evaluate_finds_every_import_of_the_script(folder: Path) -> None:
    imports = get_imports(str(folder / f"{folder.name}.py"))
    assert {kind for kind, *_ in imports} == {"internal", "library"}
    for kind, name, path, _ in imports:
        if kind == "internal":
            assert (folder / f"{path}.py").is_file(), name
        else:
            assert (name, find_spec(name) is not None) == (path, True)
    found = {name for kind, name, *_ in imports if kind == "internal"}
    assert found == {path.stem for path in folder.glob("_[a-z]*.py")}


@pytest.mark.parametrize("path", HELPERS, ids=named)
def test_helpers_of_helpers_are_imported_by_the_script(path: Path) -> None:
    script = path.parent / f"{path.parent.name}.py"
    copied = {name for kind, name, *_ in get_imports(str(script)) if kind == "internal"}
    assert {node.module for node in relative_imports(path)} <= copied


@pytest.mark.parametrize("path", SHIPPED, ids=named)
def test_imports_are_written_as_evaluate_reads_them(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert len(node.names) == 1, f"line {node.lineno}: one import a line"
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.module, f"line {node.lineno}: from . import is not seen"
            assert (node.level, "." in node.module) == (1, False), f"line {node.lineno}: helpers are siblings"
            assert node.col_offset == 0, f"line {node.lineno}: an indented import is not seen"
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            assert "#" not in text, f"line {node.lineno}: a comment on an import is taken for an address"


@pytest.mark.parametrize("path", SHIPPED, ids=named)
def test_nothing_but_comments_holds_a_number_sign(path: Path) -> None:
    """evaluate leaves out what follows it on a line when it looks for changes, inside of strings, too."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    assert [token for token in tokens if token.type != tokenize.COMMENT and "#" in token.string] == []


@pytest.mark.parametrize("path", SHIPPED, ids=named)
def test_docstrings_are_balanced_line_by_line(path: Path) -> None:
    """evaluate takes every line with exactly one triple quote for the begin or end of a docstring."""
    lines = path.read_text(encoding="utf-8").splitlines()
    inside = list(itertools.accumulate((line.count('"""') == 1 for line in lines), lambda a, b: a ^ b, initial=False))
    top_level = [node for node in ast.parse("\n".join(lines)).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert not inside[-1]
    assert [node.lineno for node in top_level if inside[node.lineno - 1]] == []


@pytest.mark.parametrize("name", ALL_METRICS)
def test_one_class_of_the_script_can_be_made(name: str) -> None:
    module = import_module(f"evenscore.{name}.{name}")
    classes = [value for value in vars(module).values() if inspect.isclass(value)]
    concrete = [
        kind for kind in classes if issubclass(kind, evaluate.EvaluationModule) and not inspect.isabstract(kind)
    ]
    assert [kind.__module__ for kind in concrete] == [module.__name__]


# --- shared files


@pytest.mark.parametrize("folder", FOLDERS, ids=ALL_METRICS)
def test_shared_files_are_links_to_the_one_original(folder: Path) -> None:
    shared = {path.name for path in SHARED.glob("_[a-z]*")}
    for path in folder.iterdir():
        if path.is_symlink():
            assert os.readlink(path) == f"../_shared/{path.name}"
            assert path.name in shared
        else:
            assert path.name not in shared, f"{named(path)} is a copy"


def test_shared_files_of_the_tokenizers_are_links_too() -> None:
    linked = {path.name: os.readlink(path) for path in (ROOT / "tokenizers_impl").rglob("*") if path.is_symlink()}
    assert linked == {path.name: f"../metrics/_shared/{path.name}" for path in SHARED.iterdir() if path.name in linked}
    assert {"_marks.py", "_picture.py", "_picture_blocks.py"} <= linked.keys()


def test_every_shared_file_is_used() -> None:
    linked = {path.name for path in SHIPPED if path.is_symlink()}
    assert linked == {path.name for path in SHARED.glob("_[a-z]*.py")}
