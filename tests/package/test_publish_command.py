"""`evenscore publish`: what is uploaded, and evaluate.load from a Hub that has it."""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import repeat
from pathlib import Path
from typing import Any

import evaluate
import pytest
from fresh_process import run_python
from hub_server import Hub, hub_server
from small_corpus import ALL_METRICS, COLUMNS, column_scores

import evenscore
from evenscore.cli import main
from evenscore.hub.bundle import bundle, write_files

_PUBLISH = """
    import contextlib, io, json, os
    from evenscore.cli import main
    for token, words in json.loads(sys.argv[1]):
        os.environ["HF_TOKEN"] = token
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(["publish", *words])
        print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""
_LOAD = """
    import json, evaluate
    results = {}
    for space, columns in json.loads(sys.argv[1]).items():
        metric = evaluate.load(space)
        assert type(metric).__module__.startswith("evaluate_modules.metrics." + space.replace("/", "--")), space
        results[space] = metric.compute(**columns, per_example=True)
    print(json.dumps(results))
"""


def published(
    url: str, folder: Path, *commands: tuple[str, ...], tokens: Iterable[str] = repeat("hf_writer")
) -> list[tuple[int, str]]:
    """The status of every command, with what it prints, to stderr if it fails; all in one fresh process."""
    given = json.dumps(list(zip(tokens, commands, strict=False)))
    printed = run_python(_PUBLISH, folder, given, HF_ENDPOINT=url)
    results = [json.loads(line) for line in printed.splitlines()]
    return [(status, err if status else out) for status, out, err in results]


def loaded_scores(hub: Hub, folder: Path, spaces: dict[str, str]) -> Any:
    """What the metrics of these Spaces say of the small corpus, in a fresh process that has only the Hub."""
    given = json.dumps({space: COLUMNS[metric] for space, metric in spaces.items()})
    online = {"HF_EVALUATE_OFFLINE": "0", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}
    return json.loads(run_python(_LOAD, folder, given, HF_ENDPOINT=hub.url, **online))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hub_server() as running:
        yield running


@pytest.fixture
def dry_run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the command with --dry-run; gives what it prints, or the line of its error."""

    def printed(metric: str, space: str, folder: Path, status: int = 0) -> str:
        assert main(["publish", metric, "--to", space, "--dry-run", str(folder)]) == status
        out, err = capsys.readouterr()
        assert (out if status else err) == ""
        return str(err if status else out)

    return printed


# --- the whole round

SPACES = {**{f"user/{name}": name for name in ALL_METRICS}, "user/word-error": "wer_dp"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A Hub that everything was published to."""
    with hub_server() as running:
        commands = [(name, "--to", space) for space, name in SPACES.items()]
        results = published(running.url, tmp_path_factory.mktemp("there"), *commands)
        expected = '{}/spaces/{}: {} files; evaluate.load("{}") loads them\n'
        assert results == [
            (0, expected.format(running.url, space, len(held) - 1, space)) for space, held in running.spaces.items()
        ]
        yield running


@pytest.mark.slow
def test_metrics_are_loaded_from_the_hub_and_score_as_here(
    filled: Hub, dry_run: Callable[..., str], tmp_path: Path
) -> None:
    """Those that were published, and one that was written to a folder which the Hub then has."""
    dry_run("wer_dp", "me/wer-2", tmp_path / "out")
    filled.put("me/wer-2", tmp_path / "out")
    spaces = {**SPACES, "me/wer-2": "wer_dp"}
    assert loaded_scores(filled, tmp_path, spaces) == {space: column_scores(name) for space, name in spaces.items()}
    # A tag of evaluate's version would be loaded in place of main.
    asked = {match[1] for request in filled.requests if (match := re.search("/resolve/([^/]+)/", request))}
    assert asked == {"main", f"v{evaluate.__version__}"}


def test_nothing_is_tagged(filled: Hub) -> None:
    assert filled.commits == [f"{name} of evenscore {evenscore.__version__}" for name in SPACES.values()]
    assert [request for request in filled.requests if "/tag" in request] == []


@pytest.mark.parametrize("space", SPACES)
def test_a_dry_run_writes_what_is_uploaded(
    filled: Hub, dry_run: Callable[..., str], space: str, tmp_path: Path
) -> None:
    held, folder = filled.spaces[space], tmp_path / "out"
    printed = dry_run(SPACES[space], space, folder)
    script = folder / f"{space.partition('/')[2]}.py"
    assert script.is_file()
    assert printed == (
        f'{folder}: the {len(held) - 1} files of a Space {space}, not uploaded; evaluate.load("{script}") loads them\n'
    )
    assert {".gitattributes": b"", **contents(folder)} == held
    assert [path for path in folder.rglob("*") if path.is_symlink()] == []


def test_a_space_of_another_name_has_the_script_twice(filled: Hub) -> None:
    usual, other = filled.spaces["user/wer_dp"], filled.spaces["user/word-error"]
    card = usual["README.md"].replace(b'evaluate.load("user/wer_dp")', b'evaluate.load("user/word-error")')
    assert other == {**usual, "word-error.py": usual["wer_dp.py"], "README.md": card}


def test_what_the_space_has_besides_stays_and_what_it_has_already_is_not_sent(hub: Hub, tmp_path: Path) -> None:
    hub.spaces["user/wer_dp"] = {"notes.txt": b"mine", "README.md": b"old"}
    words = ("wer_dp", "--to", "user/wer_dp")
    assert [status for status, _ in published(hub.url, tmp_path, words, words)] == [0, 0]
    assert hub.spaces["user/wer_dp"]["notes.txt"] == b"mine"
    assert hub.spaces["user/wer_dp"]["README.md"] == bundle("wer_dp", "user/wer_dp")["README.md"]
    assert b'>>> wer = evaluate.load("user/wer_dp")\n' in hub.spaces["user/wer_dp"]["README.md"]
    assert len(hub.commits) == 1


# --- what is uploaded


def test_a_new_folder_is_made_and_an_empty_one_filled(dry_run: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new"):
        dry_run("wer_dp", "me/wer_dp", tmp_path / name)
    assert contents(tmp_path / "empty") == contents(tmp_path / "new") != {}


def test_an_empty_folder_stays_the_one_it_is(dry_run: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir(mode=0o700)
    before = folder.stat()
    dry_run("wer_dp", "me/wer_dp", folder)
    after = folder.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert contents(folder).keys() == bundle("wer_dp", "me/wer_dp").keys()
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("there", [False, True])
def test_an_interrupted_dry_run_leaves_nothing(there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if there:
        (tmp_path / "out").mkdir()
    files = bundle("wer_dp", "me/wer_dp")
    copied, write = [], Path.write_bytes

    def interrupted(path: Path, content: bytes) -> int:
        copied.append(write(path, content))
        if len(copied) == 5:
            raise KeyboardInterrupt
        return copied[-1]

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(files, tmp_path / "out")
    assert len(copied) == 5
    assert [path.name for path in tmp_path.rglob("*")] == ["out"] * there


def test_an_empty_folder_is_empty_again_if_the_last_moves_are_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[Path] = []
    rename = Path.rename

    def interrupted(source: Path, target: Path) -> Path:
        moved.append(rename(source, target))
        if len(moved) == 5:
            raise KeyboardInterrupt
        return target

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(bundle("wer_dp", "me/wer_dp"), tmp_path)
    assert [path.parent for path in moved[:5]] == [tmp_path] * 5
    assert list(tmp_path.iterdir()) == []


def test_what_else_lies_in_the_folder_of_a_metric_is_not_uploaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bundle("wer_dp", "me/wer_dp")
    folder, elsewhere = tmp_path / "wer_dp", tmp_path / "elsewhere"
    shutil.copytree(Path(evenscore.path("wer_dp")), folder)
    elsewhere.mkdir()
    for place in (folder, elsewhere):
        (place / "token.txt").write_text("hf_secret")
        (place / "notes.py").write_text("TOKEN = 'hf_secret'")
    (folder / "linked").symlink_to(elsewhere)
    (folder / "_linked.py").symlink_to(elsewhere / "notes.py")
    (folder / "dangling").symlink_to(tmp_path / "gone")
    monkeypatch.setattr(import_module("evenscore.hub.bundle"), "path", lambda metric: str(folder))
    assert bundle("wer_dp", "me/wer_dp") == expected


def test_a_dangling_link_names_itself(
    dry_run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "wer_dp"
    shutil.copytree(Path(evenscore.path("wer_dp")), folder)
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(tmp_path / "gone")
    monkeypatch.setattr(import_module("evenscore.hub.bundle"), "path", lambda metric: str(folder))
    said = dry_run("wer_dp", "me/wer_dp", tmp_path / "out", status=2)
    assert said == f"evenscore: {folder / 'README.md'}: No such file or directory\n"
    assert not (tmp_path / "out").exists()


# --- refusals


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("bleu_corpus", "'bleu_corpus' is not a Space: write it as NAMESPACE/NAME"),
        ("a/b/c", "'a/b/c' is not a Space: write it as NAMESPACE/NAME"),
        ("me/", "Repo id must use alphanumeric chars"),
        ("me/a b", "Repo id must use alphanumeric chars"),
        ("me/a--b", "Cannot have -- or .."),
        ("me/bleu.2", "'me/bleu.2' contains a dot, which evaluate.load reads as a package: leave it out"),
        ("m.e/bleu", "'m.e/bleu' contains a dot, which evaluate.load reads as a package: leave it out"),
        ("me/_text_words", "'_text_words' is the name of another file of bleu_corpus: choose another one"),
        ("me/app", "'app' is the name of another file of bleu_corpus: choose another one"),
        ("me/numpy", "'numpy' would hide the package of that name from the Space's app: choose another name"),
        ("me/json", "'json' would hide the package of that name from the Space's app: choose another name"),
    ],
)
def test_what_cannot_be_the_name_of_a_space_is_refused(
    dry_run: Callable[..., str], space: str, message: str, tmp_path: Path
) -> None:
    assert dry_run("bleu_corpus", space, tmp_path / "out", status=2).startswith(f"evenscore: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused(dry_run: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    refusals = {
        "file": "{0} is a file: name a new folder",
        "full": "{0} is not empty: name a new folder",
        "no/out": "{0}: there is no folder {1}: make it first",
    }
    for name, message in refusals.items():
        folder = tmp_path / name
        expected = f"evenscore: {message.format(folder, folder.parent)}\n"
        assert dry_run("wer_dp", "me/wer_dp", folder, status=2) == expected
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine"]


@pytest.mark.parametrize("there", [False, True])
def test_a_failed_write_names_the_folder_that_was_given(
    there: bool, dry_run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    if there:
        folder.mkdir()

    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    expected = f"evenscore: {folder}: No space left on device\n"
    assert dry_run("wer_dp", "me/wer_dp", folder, status=2) == expected
    assert [path.name for path in tmp_path.rglob("*")] == ["out"] * there


def test_an_unknown_metric_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["publish", "bleu", "--to", "me/bleu"])
    assert "unknown metric 'bleu'; did you mean 'bleu_corpus'?" in capsys.readouterr().err


def test_an_unknown_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "bleu_corpus", "--to", "me/bleu_corpus", "--tag", "v0.4.6"]) == 2
    assert capsys.readouterr().err == "evenscore: unexpected argument '--tag': see evenscore publish --help\n"


def test_without_a_token_that_may_write_there_nothing_is_made(hub: Hub, tmp_path: Path) -> None:
    hub.spaces["user/there"] = {}
    new, there = ("wer_dp", "--to", "user/wer_dp"), ("wer_dp", "--to", "user/there")
    tokens = ("", "hf_other", "hf_reader", "hf_reader")
    results = published(hub.url, tmp_path, new, new, new, there, tokens=tokens)
    login = "make one that may write, then run `hf auth login` or set HF_TOKEN"
    expected = [
        f"no token for the Hub: {login}\n",
        f"user/wer_dp: the token is not valid: {login} (Invalid username or password.)\n",
        f"user/wer_dp: the token may not write there: {login} (You don't have the rights to create a Space in user)\n",
        f"user/there: the token may not write there: {login} (Forbidden: pass a token with write access)\n",
    ]
    assert results == [(2, f"evenscore: {message}") for message in expected]
    assert hub.spaces == {"user/there": {}}


def test_an_answer_that_repeats_the_token_is_shown_without_it(hub: Hub, tmp_path: Path) -> None:
    hub.echo = "\x1b[31mno:\n Authorization: {}\r"
    ((status, said),) = published(hub.url, tmp_path, ("wer_dp", "--to", "user/wer_dp"))
    assert status == 2
    assert said == ("evenscore: user/wer_dp: the Hub answers 400 (\\x1b[31mno: Authorization: Bearer ***)\n")


@pytest.mark.parametrize("answer", [b'{"url": 1}', b"<html>"])
def test_an_answer_that_is_not_the_hubs_is_told(answer: bytes, hub: Hub, tmp_path: Path) -> None:
    hub.odd = answer
    ((status, said),) = published(hub.url, tmp_path, ("wer_dp", "--to", "user/wer_dp"))
    assert (status, said) == (
        2,
        f"evenscore: user/wer_dp: {hub.url} does not answer as the Hub does: check HF_ENDPOINT\n",
    )


@pytest.mark.parametrize("token", ["hf_\u00e9", "hf_a\x01b"])
def test_a_token_that_cannot_be_sent_is_not_valid(
    token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    assert main(["publish", "wer_dp", "--to", "user/wer_dp"]) == 2
    login = "make one that may write, then run `hf auth login` or set HF_TOKEN"
    expected = f"user/wer_dp: the token is not valid: {login} (it has characters that are in no token)"
    assert capsys.readouterr() == ("", f"evenscore: {expected}\n")


def test_a_hub_that_cannot_be_reached_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hub_server() as gone:
        pass
    ((status, said),) = published(gone.url, tmp_path, ("wer_dp", "--to", "user/wer_dp"))
    assert status == 2
    assert said.startswith(f"evenscore: user/wer_dp: {gone.url} cannot be reached (")
    assert said.count("\n") == 1


def test_a_hub_that_is_switched_off_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tests have HF_HUB_OFFLINE=1."""
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    assert main(["publish", "wer_dp", "--to", "user/wer_dp"]) == 2
    assert "HF_HUB_OFFLINE" in capsys.readouterr().err
