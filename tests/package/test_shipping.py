"""What is shipped loads where nothing of the checkout is: wheel, sdist, clone, and each metric's folder for the Hub."""

from __future__ import annotations

import ast
import configparser
import functools
import inspect
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tokenize
import zipfile
from importlib import import_module
from importlib.metadata import packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

import evaluate
import pytest
from evaluate.loading import get_imports
from example_files import LINES, ROWS
from fresh_process import run_python
from hub_folders import contents, hub_folder
from packaging.requirements import Requirement
from properties import first_is_quick
from small_corpus import ALL_METRICS, COLUMNS, METRICS, column_scores

import evenscore
from evenscore.hub.bundle import bundle

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "evenscore").rglob("*.py"))
# Every module of every generated folder, the page's left out.
SHIPPED = [(name, file) for name in ALL_METRICS for file in contents(name) if re.fullmatch(r"\w+\.py", file)]


def source(name: str, file: str) -> str:
    return contents(name)[file].decode()


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


@pytest.mark.parametrize("kind", first_is_quick(["wheel", "sdist"]))
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
        files = [m.__file__ for n, m in sys.modules.items() if n.startswith("evenscore") and m.__file__]
        foreign = [file for file in files if site not in file]
        assert not foreign, foreign
        import tokenizers_impl
        assert tokenizers_impl.__file__.startswith(site), tokenizers_impl.__file__
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
        written = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        found = {path.relative_to(tmp_path / name).as_posix(): path.read_bytes() for path in written}
        assert found == bundle(name, f"me/{name}")


_USE = """
import evenscore

good = evenscore.load("bleu_corpus", lowercase=True, experiment_id="x").compute(predictions=["a"], references=["a"])
reveal_type(good["score"])
reveal_type(evenscore.load("wer_dp").compute(predictions=["a"], references=["a"], unit="char")["hits"])
evenscore.load("bleu_corpus", lowercas=True)
evenscore.load("wer_dp", unit="words")
evenscore.load("wer_dp").compute(predictions=["a"], references=["a"], units="char")
good["scor"]
for name in evenscore.METRICS:
    evenscore.load(name)
"""


@pytest.mark.slow
def test_type_checkers_know_options_and_results(distributions: dict[str, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        wheel.extractall(tmp_path / "site")
    (tmp_path / "use.py").write_text(_USE, encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": "site"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = re.findall(r"^use.py:(\d+): (.*)$", checked.stdout, flags=re.MULTILINE)
    assert [(line, message) for line, message in said if "Revealed" in message] == [
        ("5", 'note: Revealed type is "float"'),
        ("6", 'note: Revealed type is "int"'),
    ]
    assert sorted({line for line, message in said if message.startswith("error")}, key=int) == ["7", "8", "9", "10"]


def test_wheels_hold_every_module_and_card_and_nothing_else_of_the_checkout(distributions: dict[str, Path]) -> None:
    expected = {path.relative_to(ROOT).as_posix() for path in LIBRARY} | {"evenscore/py.typed", "evenscore/report.html"}
    expected |= {f"evenscore/metrics/{name}/{file}" for name in ALL_METRICS for file in five_files(name)}
    for pattern in ("*.py", "py.typed", "data/*.txt"):
        expected |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "tokenizers_impl").rglob(pattern)}
    for kind, wheel in distributions.items():
        held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        assert (kind, held) == (kind, expected)


def test_the_sdist_holds_files_alone(distributions: dict[str, Path]) -> None:
    with tarfile.open(next(distributions["sdist"].parent.glob("*.tar.gz"))) as sdist:
        assert [member.name for member in sdist if not (member.isfile() or member.isdir())] == []


def test_the_command_is_installed(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        entry_points = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "evenscore = evenscore.cli:main" in wheel.read(entry_points).decode()


def test_every_package_is_listed() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    packages = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for name in ("evenscore", "tokenizers_impl")
        for path in (ROOT / name).rglob("__init__.py")
    }
    listed = set(setup["options"]["packages"].split())
    assert listed == packages | {f"evenscore.metrics.{name}" for name in ALL_METRICS}


# --- the folders of metrics/


def five_files(name: str) -> set[str]:
    return {f"{name}.py", "README.md", "app.py", "requirements.txt", "__init__.py"}


def test_a_folder_holds_five_files_and_nothing_is_a_link() -> None:
    listed = ran("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    assert [name for name in listed if (ROOT / name).is_symlink()] == []
    held = {name.removeprefix("metrics/") for name in listed if name.startswith("metrics/") and (ROOT / name).exists()}
    assert held == {f"{name}/{file}" for name in ALL_METRICS for file in five_files(name)}


@pytest.mark.slow
def test_metrics_load_from_a_clone_that_is_not_installed(tmp_path: Path) -> None:
    for name in ("evenscore", "metrics"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    program = """
        sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
        import json, evaluate, evenscore
        place, columns = sys.argv[1], json.loads(sys.argv[2])
        for name in evenscore.METRICS:
            assert evenscore.path(name) == f"{place}/metrics/{name}", evenscore.path(name)
            result = evaluate.load(f"{place}/metrics/{name}").compute(**columns[name])
            assert result == evenscore.load(name).compute(**columns[name])
        print("equal")
    """
    printed = run_python(program, tmp_path, str(tmp_path), json.dumps(COLUMNS), PYTHONPATH=str(tmp_path))
    assert printed == "equal\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_METRICS)
def test_without_evenscore_evaluate_says_what_to_install(name: str, tmp_path: Path) -> None:
    program = """
        sys.modules["evenscore"] = None
        import evaluate
        try:
            evaluate.load(sys.argv[1])
        except ImportError as error:
            print(error)
    """
    printed = run_python(program, tmp_path, str(ROOT / "metrics" / name))
    assert "you need to install the following dependencies['evenscore'] using 'pip install evenscore'" in printed


# --- each folder for the Hub by itself


@functools.cache
def foreign_packages() -> list[str]:
    """The modules that are installed here, and that an installation of what a Space needs does not have."""
    needed, waiting = set(), {"evaluate", "datasets", "numpy", "pyarrow"}
    while waiting:
        package = waiting.pop()
        needed.add(package)
        found = (Requirement(each) for each in requires(package) or [])
        waiting |= {
            each.name.lower().replace("_", "-")
            for each in found
            if each.marker is None or each.marker.evaluate({"extra": ""})
        } - needed
    owners = packages_distributions()
    return [
        module
        for module, packages in owners.items()
        if not {package.lower().replace("_", "-") for package in packages} & needed
    ]


@pytest.mark.parametrize("name", first_is_quick(ALL_METRICS))
def test_a_generated_folder_loads_by_itself(name: str, tmp_path: Path) -> None:
    folder = hub_folder(name, tmp_path)
    program = """
        import json
        # As if they were not installed.
        sys.modules.update(dict.fromkeys(json.loads(sys.argv[3])))
        import evaluate
        metric = evaluate.load(sys.argv[1])
        print(json.dumps(metric.compute(**json.loads(sys.argv[2]), per_example=True)))
    """
    absent = foreign_packages()
    assert {"evenscore", "tokenizers_impl", "numba", "regex", "jinja2"} <= set(absent)
    printed = run_python(program, tmp_path, str(folder), json.dumps(COLUMNS[name]), json.dumps(absent))
    assert json.loads(printed) == column_scores(name)


@pytest.mark.parametrize("name", first_is_quick(METRICS))
def test_a_generated_folder_writes_the_library_s_report(name: str, tmp_path: Path) -> None:
    """The modules of its page do, with the scorer of evaluate's copy of its script, as the page does."""
    folder = hub_folder(name, tmp_path)
    program = """
        import json
        sys.modules.update(dict.fromkeys(json.loads(sys.argv[3])))
        import evaluate
        sys.path.insert(0, sys.argv[1])
        from _space._reporting import report_html
        systems, references = json.loads(sys.argv[2])
        scorer = evaluate.load(sys.argv[1]).scorer_type(confidence=0.95, n_resamples=50)
        assert type(scorer).__module__.startswith("evaluate_modules."), type(scorer)
        sys.stdout.reconfigure(encoding="utf-8")
        print(report_html(scorer, systems, references, groups={"place": ["<a>", "b"] * 20}, n_trials=50), end="")
    """
    absent = [module for module in foreign_packages() if module not in ("jinja2", "markupsafe")]
    assert {"evenscore", "matplotlib", "numba"} <= set(absent)
    systems, references = {each: LINES[each] for each in ("baseline", "predictions")}, ROWS
    printed = run_python(program, tmp_path, str(folder), json.dumps([systems, references]), json.dumps(absent))
    few = {"groups": {"place": ["<a>", "b"] * 20}, "n_trials": 50, "n_resamples": 50}
    evenscore.report(name, systems, references, output=tmp_path / "r.html", **few)
    assert printed == (tmp_path / "r.html").read_text(encoding="utf-8")


REPORT = {"_space/_reporting.py", "_space/_report_words.py", "_space/_panels.py", "_space/report.html"}


@pytest.mark.parametrize("name", ALL_METRICS)
def test_only_the_page_of_a_metric_with_references_has_the_report(name: str) -> None:
    held = contents(name)
    assert REPORT & held.keys() == (REPORT if name in METRICS else set())
    assert ("_space/report.html" in held) == ("jinja2" in held["requirements.txt"].decode())
    if name in METRICS:
        assert held["_space/report.html"] == (ROOT / "evenscore" / "report.html").read_bytes()
    # What the script reads, and evaluate copies, is as it was without.
    assert [file for file in held if "report" in file and not file.startswith("_space/")] == []
    assert [file for file in held if not file.endswith(".py")] == [
        "README.md", *(["_space/report.html"] if name in METRICS else []), "requirements.txt"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ALL_METRICS)
def test_what_the_page_imports_is_in_its_folder(name: str) -> None:
    held = contents(name)
    for file in held:
        if file.startswith("_space/") and file.endswith(".py"):
            imported = {f"_space/{node.module}.py" for node in relative_imports(source(name, file))}
            assert imported <= held.keys(), file


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_METRICS)
def test_a_changed_helper_is_loaded_anew(name: str, tmp_path: Path) -> None:
    """evaluate keys its copy by the script and the helpers that the script itself imports: all of them."""
    folder = hub_folder(name, tmp_path)
    kinds = [type(evaluate.load(str(folder)))]
    for helper in sorted(folder.glob("_[a-z]*.py")):
        helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
        kinds.append(type(evaluate.load(str(folder))))
    assert len({kind.__module__ for kind in kinds}) == len(kinds) > 5
    assert len({kind.code_digest for kind in kinds if kind.code_digest}) == len(kinds) - 1


def test_names_of_modules_as_siblings_differ() -> None:
    for name in ALL_METRICS:
        script = ast.parse((ROOT / "metrics" / name / f"{name}.py").read_text(encoding="utf-8"))
        assert [
            node for node in ast.walk(script) if isinstance(node, ast.Import) and "evenscore" in ast.unparse(node)
        ] == []
    modules = [path.relative_to(ROOT / "evenscore").with_suffix("").as_posix() for path in LIBRARY]
    assert len({module.replace("/", "_") for module in modules}) == len(modules)


# --- what evaluate's loader can read


def relative_imports(text: str) -> list[ast.ImportFrom]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.level]


@pytest.mark.parametrize("name", ALL_METRICS)
def test_evaluate_finds_every_import_of_the_script(name: str, tmp_path: Path) -> None:
    folder = hub_folder(name, tmp_path)
    imports = get_imports(str(folder / f"{name}.py"))
    assert {kind for kind, *_ in imports} == {"internal", "library"}
    for kind, module, path, _ in imports:
        if kind == "internal":
            assert (folder / f"{path}.py").is_file(), module
        else:
            assert (module, find_spec(module) is not None) == (path, True)
    found = {module for kind, module, *_ in imports if kind == "internal"}
    assert found == {path.stem for path in folder.glob("_[a-z]*.py")}
    # Helpers of helpers are among them.
    assert {node.module for path in folder.glob("_[a-z]*.py") for node in relative_imports(path.read_text())} <= found


@pytest.mark.parametrize(("name", "file"), SHIPPED)
def test_imports_are_written_as_evaluate_reads_them(name: str, file: str) -> None:
    text = source(name, file)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert len(node.names) == 1, f"line {node.lineno}: one import a line"
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.module, f"line {node.lineno}: from . import is not seen"
            assert (node.level, "." in node.module) == (1, False), f"line {node.lineno}: helpers are siblings"
            statement = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            assert "#" not in statement, f"line {node.lineno}: a comment on an import is taken for an address"
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            assert "evenscore" not in ast.unparse(node), f"line {node.lineno}: the library is not there"


@pytest.mark.parametrize(("name", "file"), SHIPPED)
def test_nothing_but_comments_holds_a_number_sign(name: str, file: str) -> None:
    """evaluate leaves out what follows it on a line when it looks for changes, inside of strings, too."""
    tokens = tokenize.generate_tokens(io.StringIO(source(name, file)).readline)
    assert [token for token in tokens if token.type != tokenize.COMMENT and "#" in token.string] == []


@pytest.mark.parametrize(("name", "file"), SHIPPED)
def test_docstrings_are_balanced_line_by_line(name: str, file: str) -> None:
    """evaluate takes every line with exactly one triple quote for the begin or end of a docstring."""
    lines = source(name, file).splitlines()
    inside = list(itertools.accumulate((line.count('"""') == 1 for line in lines), lambda a, b: a ^ b, initial=False))
    top_level = [node for node in ast.parse("\n".join(lines)).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert not inside[-1]
    assert [node.lineno for node in top_level if inside[node.lineno - 1]] == []


@pytest.mark.parametrize("name", ALL_METRICS)
def test_one_class_of_the_script_can_be_made(name: str) -> None:
    module = import_module(f"evenscore.metrics.{name}.{name}")
    classes = [value for value in vars(module).values() if inspect.isclass(value)]
    concrete = [
        kind for kind in classes if issubclass(kind, evaluate.EvaluationModule) and not inspect.isabstract(kind)
    ]
    assert [kind.__module__ for kind in concrete] == [module.__name__]
