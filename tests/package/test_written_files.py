"""Every writer of files: whole or not at all, with the permissions of an ordinary file, and nothing left beside it."""

from __future__ import annotations

import contextlib
import functools
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fresh_process import run_python

import evenscore
from evenscore.commands.results import write_rows
from evenscore.files import replacing
from evenscore.plots import plot_comparison, write_plot
from tokenizers_impl import Tokenizer, models

ROOT = str(Path(__file__).resolve().parents[2])
BPE = models.BPE({"l": 0, "o": 1, "lo</w>": 2, "o</w>": 3}, [("l", "o</w>")], end_of_word_suffix="</w>")


@functools.cache
def figure() -> Any:
    tested = evenscore.load("wer_dp").compare(["a b"], ["a c"], references=["a c"], n_trials=3)
    return plot_comparison({"wer_dp": tested})


@functools.cache
def perplexity() -> Any:
    return evenscore.load("perplexity", source="ngram", train_texts=["a b c", "b c d"], discount=0.5)


# By the suffix of the file.
WRITERS: dict[str, Callable[[Path], Any]] = {
    ".json": lambda path: Tokenizer(BPE).save(str(path)),
    ".csv": lambda path: write_rows(path, {"wer": [0.5, 1.0]}),
    ".svg": lambda path: write_plot(figure(), path),
    ".arpa.gz": lambda path: perplexity().write_arpa(path),
}


@pytest.fixture(params=WRITERS)
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _interrupted_at(n: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Let the nth step of writing raise KeyboardInterrupt, before it is done or after; returns whether it was reached.

    A step is a call that makes, changes or renames a file or folder.
    """
    steps = [0]

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            for is_done in (False, True):
                steps[0] += 1
                if steps[0] == n:
                    if is_done:
                        function(*arguments, **options)
                    raise KeyboardInterrupt
            return function(*arguments, **options)

        return step

    for name in ("mkdir", "chmod", "replace", "rename"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return lambda: steps[0] >= n


@pytest.mark.parametrize("is_there", [False, True])
def test_an_interrupt_at_any_step_leaves_a_whole_file_alone(
    suffix: str, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, n, reached = tmp_path / f"written{suffix}", 0, True
    # What is imported or cached is not a step.
    WRITERS[suffix](path)
    while reached:
        n += 1
        if is_there:
            path.write_bytes(b"old")
        else:
            path.unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            is_reached = _interrupted_at(n, patch)
            with contextlib.suppress(KeyboardInterrupt):
                WRITERS[suffix](path)
            reached = is_reached()
        assert [each.name for each in tmp_path.iterdir()] in ([path.name], [path.name] * is_there), n
        assert not path.exists() or path.read_bytes() == b"old" or is_whole(path), n
    assert n > 4
    assert is_whole(path)


def is_whole(path: Path) -> bool:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.rstrip().endswith((b"}", b"2,1.0", b"</svg>", b"\\end\\"))


def test_a_file_keeps_its_permissions_and_a_link_stays_one(suffix: str, tmp_path: Path) -> None:
    target, link = tmp_path / f"target{suffix}", tmp_path / f"link{suffix}"
    target.write_bytes(b"old")
    target.chmod(0o604)
    link.symlink_to(target)
    WRITERS[suffix](link)
    assert link.is_symlink()
    assert is_whole(target)
    assert target.stat().st_mode & 0o7777 == 0o604
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([link.name, target.name])


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        WRITERS[".json"](tmp_path)
    with replacing(os.devnull) as written:
        assert written == Path(os.devnull)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for suffix, write in WRITERS.items():
        path = tmp_path / "none" / f"a{suffix}"
        with pytest.raises(FileNotFoundError) as raised:
            write(path)
        assert raised.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_errors_of_other_files_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, replacing(tmp_path / "a"):
        (tmp_path / "other").read_bytes()
    assert raised.value.filename == str(tmp_path / "other")
    with pytest.raises(OSError, match="of its own"), replacing(tmp_path / "a"):
        raise OSError("of its own")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="other systems have no umask")
@pytest.mark.slow
def test_new_files_follow_the_umask_which_is_neither_set_nor_read(tmp_path: Path) -> None:
    program = """
        import os
        os.umask(0o027)
        def refused(mask):
            raise SystemExit("the umask belongs to the whole process")
        os.umask = refused
        import test_written_files
        from pathlib import Path
        for suffix, write in test_written_files.WRITERS.items():
            path = Path("new" + suffix)
            write(path)
            print(oct(path.stat().st_mode & 0o7777))
    """
    folders = os.pathsep.join((ROOT, str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")))
    assert run_python(program, tmp_path, PYTHONPATH=folders).split() == ["0o640"] * len(WRITERS)


def test_a_packed_file_holds_its_own_name(tmp_path: Path) -> None:
    WRITERS[".arpa.gz"](tmp_path / "model.arpa.gz")
    assert b"model.arpa\0" in (tmp_path / "model.arpa.gz").read_bytes()[:40]
