"""Kernels in processes that follow one another: compiled once, loaded without numba, never of older sources."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pytest
from fresh_process import run_python

from tokenizers_impl._kernel import Kernel, inner_kernel, kernel
from tokenizers_impl._kernel_source import source_of

ROOT = str(Path(__file__).resolve().parent.parent)

# A kernel, a part of it in another file, a constant in a third.
_WHOLE = """
import numpy as np
from tokenizers_impl._kernel import kernel
from part import part
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
from tokenizers_impl._kernel import inner_kernel
from constant import ADDED
@inner_kernel
def part(number):
    return 10 * number + ADDED
"""
_RUN = """
import sys
import numpy as np
from whole import whole
print(whole(np.arange(3)), "numba" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "whole.py").write_text(_WHOLE)
    (tmp_path / "part.py").write_text(_PART)
    (tmp_path / "constant.py").write_text("ADDED = 1")
    return tmp_path


def run(folder: Path, program: str = _RUN, **environment: str) -> str:
    """What a new process prints, with kernels kept in the folder."""
    given = {"PYTHONPATH": f"{ROOT}:{folder}", "NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    return run_python(program, folder, **{**given, **environment}).strip()


def test_a_later_process_loads_what_an_earlier_one_compiled(folder: Path) -> None:
    assert run(folder) == "(array([ 1, 11, 21]), True) True"
    (kept,) = (folder / "kept").iterdir()
    before = kept.stat().st_mtime_ns
    assert run(folder) == "(array([ 1, 11, 21]), True) False"
    assert run(folder, NUMBA_DISABLE_JIT="1") == "(array([ 1, 11, 21]), True) False"
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("name", "old", "new", "result"),
    [
        ("whole.py", "> 2", "> 3", "(array([ 1, 11, 21]), False)"),
        ("part.py", "10 *", "20 *", "(array([ 1, 21, 41]), True)"),
        ("constant.py", "1", "2", "(array([ 2, 12, 22]), True)"),
    ],
)
def test_a_change_in_any_file_compiles_anew(folder: Path, name: str, old: str, new: str, result: str) -> None:
    run(folder)
    (folder / name).write_text((folder / name).read_text().replace(old, new))
    assert run(folder) == f"{result} True"
    assert run(folder) == f"{result} False"


def test_a_comment_or_another_place_does_not(folder: Path) -> None:
    run(folder)
    for name in ("whole.py", "part.py"):
        (folder / name).write_text("# A comment.\n\n" + (folder / name).read_text())
    assert run(folder).endswith(" False")


def damaged(content: bytes) -> dict[str, bytes]:
    """Files in the place of one with this content."""
    other = pickle.dumps((b"of another source", (), "", "", []))
    return {
        "empty": b"",
        "half": content[: len(content) // 2],
        "zeros": content[:-4096] + bytes(4096),
        "no pickle": content[:4] + b"another file",
        "of another source": crc32(other).to_bytes(4, "big") + other,
    }


@pytest.mark.parametrize("how", damaged(b""))
def test_a_damaged_file_is_written_anew(folder: Path, how: str) -> None:
    run(folder)
    (kept,) = (folder / "kept").iterdir()
    kept.write_bytes(damaged(kept.read_bytes())[how])
    assert run(folder) == "(array([ 1, 11, 21]), True) True"
    assert run(folder) == "(array([ 1, 11, 21]), True) False"


def test_code_for_other_tools_stands_beside(folder: Path) -> None:
    run(folder)
    assert run(folder, NUMBA_OPT="1").endswith(" True")
    assert run(folder, NUMBA_OPT="1").endswith(" False")
    assert run(folder).endswith(" False")
    assert len(list((folder / "kept").iterdir())) == 2


def with_warnings(first: str = "") -> str:
    """The program, compiling twice, then the warnings that a user would see."""
    return f"""
import warnings
{first}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("default"){_RUN.replace(chr(10), chr(10) + 4 * " ")}
    whole(np.arange(3, dtype=np.int32))
print(*(str(warning.message) for warning in caught), sep="; ")
"""


def test_without_a_folder_that_can_be_written_all_works_with_a_warning(folder: Path) -> None:
    (folder / "kept").write_text("no folder")
    assert run(folder, with_warnings()).splitlines() == [
        "(array([ 1, 11, 21]), True) True",
        "no folder for compiled kernels can be written, so every process compiles them anew, which takes seconds: set "
        "NUMBA_CACHE_DIR to a folder that can be written",
    ]


def test_where_the_package_cannot_be_written_the_users_folder_is(folder: Path) -> None:
    program = """
import tokenizers_impl._compiled_code as code
from pathlib import Path
assert code._folders()[0] == Path(code.__file__).parent / "__pycache__"
user = code._folders()[1]
code._folders = lambda: [Path("/proc/none"), user]
"""
    assert run(folder, program + _RUN, NUMBA_CACHE_DIR="").endswith(" True")
    (kept,) = (folder / "home" / ".cache" / "evenscore").iterdir()
    assert kept.name.startswith("whole.whole-")
    assert run(folder, program + _RUN, NUMBA_CACHE_DIR="").endswith(" False")


_OTHER_NUMBAS = {
    "no object code": "import numba.core.codegen; numba.core.codegen.JITCodeLibrary.serialize_using_object_code = None",
    "no such modules": "import tokenizers_impl._machine_code as code; code._extension = lambda name: object()",
}


@pytest.mark.parametrize("other", _OTHER_NUMBAS)
def test_a_numba_that_keeps_code_in_another_way_compiles_in_every_process(other: str, folder: Path) -> None:
    printed = run(folder, with_warnings(_OTHER_NUMBAS[other])).splitlines()
    assert printed[0] == "(array([ 1, 11, 21]), True) True"
    assert printed[1].endswith(" keeps machine code in a way unknown here, so every process compiles its kernels anew")
    assert not (folder / "kept").exists()


def test_a_process_forked_while_a_thread_loads_loads_by_itself(folder: Path) -> None:
    run(folder)
    program = """
        import os, threading
        import numpy as np
        from tokenizers_impl._kernel import Kernel
        from whole import whole
        held, done = threading.Event(), threading.Event()
        def hold():
            with Kernel.loading:
                held.set()
                done.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            print(whole(np.arange(3)), flush=True)
            os._exit(0)
        for _ in range(300):
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            threading.Event().wait(0.1)
        else:
            os.kill(child, 9)
        done.set()
    """
    assert run(folder, program) == "(array([ 1, 11, 21]), True)"


def test_errors_of_a_loaded_kernel_arrive(folder: Path) -> None:
    program = """
        import numpy as np
        from whole import whole
        try:
            whole(np.array([1, -1]))
        except ValueError as error:
            print(error)
        print(whole(np.arange(3)))
    """
    for _ in range(2):
        assert run(folder, program) == "a negative number\n(array([ 1, 11, 21]), True)"


_INTERRUPTED = """
import os, signal, threading
import numpy as np
from tokenizers_impl._kernel import kernel
@kernel
def long(numbers, times):
    made = numbers.copy()
    for _ in range(times):
        for i in range(len(made)):
            made[i] = made[i] * 3 + 1
    return made, made
def interrupted(numbers, after):
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        for _ in range(1000):
            long(numbers, 10**7)
    except KeyboardInterrupt:
        return long(numbers, 1)[0].tolist()
"""


def run_interrupted(folder: Path, program: str) -> str:
    """What it prints, without the audit hook that `run` has against the network: its Python would be interrupted."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{folder}", "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_ctrl_c_in_a_kernel_leaves_all_as_it_was(folder: Path) -> None:
    (folder / "long.py").write_text(_INTERRUPTED)
    program = (
        "import numpy as np\n"
        "from long import interrupted, long\n"
        "long(np.arange(3), 1)\n"
        "print(*(interrupted(np.arange(3), 0.05) for _ in range(9)))"
    )
    for _ in range(2):
        assert run_interrupted(folder, program) == " ".join(9 * ["[1, 4, 7]"])


@pytest.mark.parametrize("after", [0.1, 0.3, 1.0])
def test_ctrl_c_while_a_kernel_is_compiled_does_too(folder: Path, after: float) -> None:
    # While numba is imported, while it works, and whenever another machine is then.
    (folder / "long.py").write_text(_INTERRUPTED)
    program = f"import numpy as np\nfrom long import interrupted\nprint(interrupted(np.arange(3), {after}))"
    assert run_interrupted(folder, program) == "[1, 4, 7]"


def test_loaded_and_compiled_kernels_stand_side_by_side(folder: Path) -> None:
    run(folder)
    program = """
        import sys
        import numpy as np
        from whole import whole
        print(whole(np.arange(3)), "numba" in sys.modules)
        print(whole(np.arange(3, dtype=np.int32)), "numba" in sys.modules)
        print(whole(np.arange(3)))
    """
    result = "(array([ 1, 11, 21]), True)"
    assert run(folder, program).splitlines() == [f"{result} False", f"{result} True", result]
    assert run(folder, "import numba" + program.replace("        ", "")).splitlines()[0] == f"{result} True"


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


def test_what_a_kernel_returns_lives_by_itself() -> None:
    for _ in range(1000):
        kept = [scaled(Pair(np.arange(50), 2), 0)[:2] for _ in range(5)]
        assert all(made.tolist() == (2 * same).tolist() for made, same in kept)


def test_a_kernel_called_first_by_many_threads() -> None:
    again = Kernel(scaled.py_func)  # type: ignore[attr-defined]
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


def test_kernels_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    assert scaled.__doc__ is None
    assert as_pair.__name__ == "as_pair"


class Kept(np.ndarray):
    """An array of a kind of its own, as np.memmap is."""


def test_kinds_of_arrays_are_told_apart_by_what_is_in_them() -> None:
    for numbers in (np.arange(3), np.arange(3) / 4, np.arange(6).reshape(3, 2)):
        kept = numbers.view(Kept)
        assert as_pair(kept).numbers.tolist() == numbers[1:].tolist()


@pytest.mark.parametrize("value", [[1, 2], {1: 2}, {1}, np.datetime64("2026-01-01")])
def test_what_no_kernel_takes_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="a kernel takes arrays, numbers, strings, tuples, not "):
        as_pair(value)


# --- what a kernel is compiled from


def source(definition: str) -> bytes:
    """That of a function that uses a global value, defined in this way."""
    namespace: dict[str, Any] = {"__name__": "somewhere", "np": np}
    exec(f"{definition}\ndef function():\n    return value", namespace)
    return source_of(namespace["function"])


_CLOSURE = """
def made(a):
    return lambda: a
value = made({})
"""
_TRY = """
def value():
    try:
        a = 1
{}
    except ValueError:
        return 3
{}
    return a
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("value = 1", "value = 2"),
        ("value = 1", "value = 1.0"),
        ("value = (np.arange(5000), 3)", "value = (np.arange(5000) // 4999, 3)"),
        ("def value(a=1): return a", "def value(a=2): return a"),
        (_CLOSURE.format(1), _CLOSURE.format(2)),
        (_TRY.format("        b = 2", ""), _TRY.format("", "    b = 2")),
    ],
    ids=["value", "type", "array", "default", "closure", "try"],
)
def test_every_change_of_what_is_used_is_seen(first: str, second: str) -> None:
    assert source(first) != source(second)
    assert source(first) == source(first)


def test_documentation_is_not_what_a_kernel_is_compiled_from() -> None:
    text = 'def value():\n    """One text."""\n    return "a"'
    assert source(text) == source(text.replace("One", "Another"))
    assert source(text) != source(text.replace('"a"', '"b"'))


@pytest.mark.parametrize("value", ["object()", "{1: 2}", "type('Own', (), {})", "__import__('json')"])
def test_a_global_value_of_unknown_meaning_is_refused(value: str) -> None:
    with pytest.raises(TypeError, match="a kernel uses value, whose part in its code is unknown"):
        source(f"value = {value}")
