"""Kernels in processes that follow one another: compiled once, kept by numba, never of older sources."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from fresh_process import run_python

from evenscore.kernel import inner_kernel, kernel

ROOT = Path(__file__).resolve().parents[2]

# Kernels in a copy of the package, whose sources a test may change: one that calls a part in another file, which reads
# a constant of a third.
_WHOLE = """
import numpy as np
from evenscore.kernel import kernel
from ._part import part
@kernel
def whole(numbers):
    made = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        if numbers[i] < 0:
            raise ValueError("a negative number")
        made[i] = part(numbers[i])
    return made, len(made) > 2
"""
_PART = """
from evenscore.kernel import inner_kernel
from ._constant import ADDED
@inner_kernel
def part(number):
    return 10 * number + ADDED
"""
# In how many files of the package numba compiles something is printed behind the result.
_RUN = """
import numpy as np
from numba.core import event
from package._whole import whole
with event.install_recorder("numba:compile") as compiled:
    result = whole(np.arange(3))
names = {each.data["dispatcher"].py_func.__module__ for _, each in compiled.buffer}
print(result, len({name for name in names if name.startswith("package.")}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a package that has these kernels, and a copy of the library."""
    shutil.copytree(ROOT / "evenscore", tmp_path / "evenscore", ignore=shutil.ignore_patterns("__pycache__"))
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_whole.py").write_text(_WHOLE)
    (package / "_part.py").write_text(_PART)
    (package / "_constant.py").write_text("ADDED = 1")
    return tmp_path


def run(folder: Path, program: str = _RUN, **environment: str) -> str:
    """What a new process prints, with kernels kept in the folder."""
    path = os.pathsep.join((str(folder), str(ROOT)))
    given = {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    return run_python(program, folder, **{**given, **environment}).strip()


def test_a_later_process_loads_what_an_earlier_one_compiled(folder: Path) -> None:
    assert run(folder) == "(array([ 1, 11, 21]), True) 2"
    assert run(folder) == "(array([ 1, 11, 21]), True) 0"
    assert run(folder, NUMBA_DISABLE_JIT="1") == "(array([ 1, 11, 21]), True) 0"
    assert run(folder) == "(array([ 1, 11, 21]), True) 0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "result"),
    [
        ("package/_whole.py", "> 2", "> 3", "(array([ 1, 11, 21]), False)"),
        ("package/_part.py", "10 *", "20 *", "(array([ 1, 21, 41]), True)"),
        ("package/_constant.py", "1", "2", "(array([ 2, 12, 22]), True)"),
        ("evenscore/kernel.py", '"nogil": True', '"nogil": None', "(array([ 1, 11, 21]), True)"),
    ],
)
def test_a_change_in_any_file_compiles_anew(folder: Path, name: str, old: str, new: str, result: str) -> None:
    run(folder)
    changed = folder / name
    state = changed.stat()
    changed.write_text(changed.read_text().replace(old, new))
    # Not even the time of the file tells.
    os.utime(changed, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert run(folder) == f"{result} 2"
    assert run(folder) == f"{result} 0"


@pytest.mark.slow
def test_other_settings_of_numba_compile_anew(folder: Path) -> None:
    assert run(folder).endswith(" 2")
    assert run(folder, NUMBA_BOUNDSCHECK="1").endswith(" 2")
    assert run(folder, NUMBA_BOUNDSCHECK="1").endswith(" 0")
    assert run(folder, NUMBA_NUM_THREADS="1", NUMBA_DISABLE_JIT="0", NUMBA_BOUNDSCHECK="1").endswith(" 0")


def test_what_others_keep_beside_stays(folder: Path) -> None:
    run(folder)
    (kept,) = (path for path in (folder / "kept").iterdir() if path.name.startswith("package_"))
    (kept / "other.txt").write_text("kept")
    (folder / "package" / "_constant.py").write_text("ADDED = 3")
    before = {path.name for path in kept.iterdir()}
    assert run(folder) == "(array([ 3, 13, 23]), True) 2"
    assert {path.name for path in kept.iterdir()} == before


def with_warnings() -> str:
    """The program, then the warnings that a user would see."""
    return f"""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("default"){_RUN.replace(chr(10), chr(10) + 4 * " ")}
print(*(str(warning.message) for warning in caught), sep="; ")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="its permissions are others")
def test_a_folder_that_others_may_write_is_warned_of_once(folder: Path) -> None:
    kept = folder / "kept"
    kept.mkdir()
    expected = (
        f"others may write to the folder of compiled kernels {kept}, and what they write there runs in your programs: "
        f"run chmod -R go-w {kept}, or set NUMBA_CACHE_DIR to a folder of your own"
    )
    for mode, said in ((0o755, ""), (0o757, expected), (0o1777, expected), (0o700, "")):
        kept.chmod(mode)
        assert run(folder, with_warnings()).splitlines()[1:] == [said][: bool(said)], oct(mode)
    # Not the folder that is named, but the one in it that holds the package's.
    (own,) = (path for path in kept.iterdir() if path.name.startswith("package_"))
    own.chmod(0o777)
    assert run(folder, with_warnings()).splitlines()[1:] == [expected]


def test_without_a_folder_that_can_be_written_all_works_with_a_warning(folder: Path) -> None:
    (folder / "kept").write_text("no folder")
    # No folder beside the sources, none of the user's: files stand where they would be made.
    (folder / "package" / "__pycache__").write_text("no folder")
    (folder / "home").mkdir()
    (folder / "home" / ".cache").write_text("no folder")
    assert run(folder, with_warnings()).splitlines() == [
        "(array([ 1, 11, 21]), True) 2",
        "no folder for compiled kernels can be written: every process compiles them anew, which takes seconds; set "
        "NUMBA_CACHE_DIR to one",
    ]


def kept_files(folder: Path, ending: str) -> list[Path]:
    return [*(folder / "kept").rglob(f"*.{ending}")]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("how", ["empty", "half", "no pickle"])
def test_a_damaged_file_is_compiled_anew_with_a_warning(folder: Path, ending: str, how: str) -> None:
    run(folder)
    files = kept_files(folder, ending)
    assert files
    for file in files:
        content = file.read_bytes()
        file.write_bytes({"empty": b"", "half": content[: len(content) // 2], "no pickle": b"another file"}[how])
    printed = run(folder, with_warnings()).splitlines()
    assert printed[0] == "(array([ 1, 11, 21]), True) 2"
    assert printed[1].startswith("kernels that were compiled can be neither read nor kept (")
    assert run(folder) == "(array([ 1, 11, 21]), True) 2"
    assert run(folder) == "(array([ 1, 11, 21]), True) 0"


def test_a_full_disk_costs_a_warning(folder: Path) -> None:
    limit = "import resource; import package._whole; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
    printed = run(folder, limit + with_warnings()).splitlines()
    assert printed[0] == "(array([ 1, 11, 21]), True) 2"
    assert printed[1].startswith("kernels that were compiled can be neither read nor kept (")
    assert kept_files(folder, "nbi") == []


@pytest.mark.slow
def test_errors_of_a_loaded_kernel_arrive(folder: Path) -> None:
    program = """
        import numpy as np
        from package._whole import whole
        try:
            whole(np.array([1, -1]))
        except ValueError as error:
            print(error)
        print(whole(np.arange(3)))
    """
    for _ in range(2):
        assert run(folder, program) == "a negative number\n(array([ 1, 11, 21]), True)"


@pytest.mark.slow
def test_a_compilation_that_takes_a_while_is_said_once_on_standard_error(folder: Path) -> None:
    program = """
        import sys
        import numpy as np
        from evenscore import kernel
        from package._whole import whole
        kernel._PATIENCE = 0.0
        sys.stderr = sys.stdout
        whole(np.arange(3))
        whole(np.arange(3, dtype=np.int32))
    """
    (said,) = run(folder, program).splitlines()
    assert said.startswith("package: compiling kernels on first use, which takes 3 to 10 s; kept in ")
    assert Path(said.partition("kept in ")[2]).is_dir()
    assert run(folder, program) == ""
    assert run(folder, program.replace("sys.stderr = sys.stdout", "sys.stderr = None"), NUMBA_OPT="1") == ""


@pytest.mark.slow
def test_after_compiling_ahead_of_time_nothing_is_compiled(tmp_path: Path) -> None:
    """The folder is that of the other tests, where most of it is done already."""
    environment = {"PYTHONPATH": str(ROOT)}
    said = run_python("import sys; from tokenizers_impl.compile import main; sys.exit(main())", tmp_path, **environment)
    assert said.startswith("compiled kernels are cached in ")
    program = """
        from numba.core import event
        from tokenizers_impl import pipelines
        with event.install_recorder("numba:compile") as compiled:
            for pipeline in pipelines.PIPELINES.values():
                tokenizer, trainer = pipeline(vocab_size=120, show_progress=False)
                tokenizer.train_from_iterator(["some other text", "and one more"], trainer)
                assert tokenizer.decode(tokenizer.encode("some text").ids)
        print([each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer])
    """
    assert run_python(program, tmp_path, **environment).strip() == "[]"


_INTERRUPTED = """
import os, signal, threading
import numpy as np
from evenscore.kernel import kernel
@kernel
def long(numbers, times):
    made = numbers.copy()
    for _ in range(times):
        for i in range(len(made)):
            made[i] = made[i] * 3 + 1
    return made, made
def interrupted(numbers, after):
    try:
        threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
        for _ in range(1000):
            long(numbers, 10**7)
    except KeyboardInterrupt:
        return long(numbers, 1)[0].tolist()
"""


def run_interrupted(folder: Path, program: str) -> str:
    """What it prints, without the audit hook that `run` has against the network: its Python would be interrupted."""
    path = os.pathsep.join((str(folder), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_ctrl_c_in_a_kernel_leaves_all_as_it_was(folder: Path) -> None:
    (folder / "package" / "_long.py").write_text(_INTERRUPTED)
    program = (
        "import numpy as np\n"
        "from package._long import interrupted, long\n"
        "long(np.arange(3), 1)\n"
        "print(*(interrupted(np.arange(3), 0.05) for _ in range(9)))"
    )
    for _ in range(2):
        assert run_interrupted(folder, program) == " ".join(9 * ["[1, 4, 7]"])


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.1, 0.3, 1.0])
def test_ctrl_c_while_a_kernel_is_compiled_does_too(folder: Path, after: float) -> None:
    # While numba works, and whenever another machine is then.
    (folder / "package" / "_long.py").write_text(_INTERRUPTED)
    program = f"import numpy as np\nfrom package._long import interrupted\nprint(interrupted(np.arange(3), {after}))"
    assert run_interrupted(folder, program) == "[1, 4, 7]"


# --- calls


class Pair(NamedTuple):
    numbers: Any
    factor: int


@inner_kernel
def times(number: int, factor: int) -> int:
    return number * factor


@kernel
def scaled(pair: Pair, start: int) -> tuple[Any, Any, int, float, bool]:
    made = np.empty(len(pair.numbers), np.int64)
    for i in range(len(pair.numbers)):
        made[i] = start + times(pair.numbers[i], pair.factor)
    return made, pair.numbers, len(made), start / 2, start > 0


@kernel
def as_pair(numbers: Any) -> Pair:
    return Pair(numbers[1:], len(numbers))


@kernel
def twice(numbers: Any) -> int:
    return as_pair(numbers).factor * 2


_NUMBERS = np.arange(20)
_FROZEN = np.arange(5)
_FROZEN.flags.writeable = False


@pytest.mark.parametrize(
    "numbers",
    [
        _NUMBERS,
        _NUMBERS[:0],
        _NUMBERS[::3],
        _NUMBERS[::-1],
        _NUMBERS.astype(np.int32),
        _NUMBERS.astype(np.uint8),
        _FROZEN,
    ],
    ids=["whole", "empty", "strided", "reversed", "int32", "uint8", "frozen"],
)
def test_arrays_of_every_form_are_read_as_they_are(numbers: Any) -> None:
    for start in (3, np.int32(3)):
        made, same, length, half, positive = scaled(Pair(numbers, 7), start)
        assert made.tolist() == [3 + 7 * number for number in numbers.tolist()]
        assert (same.tolist(), same.dtype) == (numbers.tolist(), numbers.dtype)
        assert (length, half, positive) == (len(numbers), 1.5, True)


def test_named_tuples_come_back_and_kernels_call_kernels() -> None:
    pair = as_pair(_NUMBERS)
    assert (type(pair), pair.factor, pair.numbers.tolist()) == (Pair, 20, list(range(1, 20)))
    assert twice(_NUMBERS) == 40


def test_kernels_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    assert (scaled.__doc__, as_pair.__name__) == (None, "as_pair")


def test_a_part_of_kernels_is_a_function_for_python() -> None:
    assert times(2, 3) == 6


def test_what_a_kernel_returns_lives_by_itself() -> None:
    for _ in range(1000):
        kept = [scaled(Pair(np.arange(50), 2), 0)[:2] for _ in range(5)]
        assert all(made.tolist() == (2 * same).tolist() for made, same in kept)


def test_a_kernel_called_first_by_many_threads() -> None:
    again = kernel(scaled.py_func)  # type: ignore[attr-defined]
    gate, results = threading.Barrier(8), []

    def call() -> None:
        gate.wait()
        results.append(again(Pair(_NUMBERS, 1), 1)[0].sum())

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [210] * 8
