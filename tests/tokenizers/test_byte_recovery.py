"""Reading broken UTF-8: against the search over all subsets, and against what Python leaves out."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import lines

from tokenizers_impl import decoders
from tokenizers_impl.decoders import recover

# Leads of every length, bytes that only follow, and the borders of overlong forms, surrogates and U+10FFFF.
BYTES = [
    0x41,
    0x80,
    0x8F,
    0x90,
    0x9F,
    0xA0,
    0xBF,
    0xC0,
    0xC1,
    0xC2,
    0xDF,
    0xE0,
    0xE3,
    0xED,
    0xEF,
    0xF0,
    0xF3,
    0xF4,
    0xF5,
]


def all_readings(data: bytes) -> dict[int, set[tuple[int, ...]]]:
    """Every way to cut the bytes into parts: from the number of characters among them to the positions of the rest."""
    found: dict[int, set[tuple[int, ...]]] = {}
    for cuts in itertools.product((False, True), repeat=max(len(data) - 1, 0)):
        bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(data)]
        parts = list(itertools.pairwise(bounds))
        lost = [part for part in parts if not is_character(data[slice(*part)])]
        found.setdefault(len(parts) - len(lost), set()).add(tuple(i for part in lost for i in range(*part)))
    return found


def is_character(part: bytes) -> bool:
    """Whether Python reads these bytes as one character."""
    try:
        return len(part.decode("utf-8")) == 1
    except UnicodeDecodeError:
        return False


def check(data: bytes) -> None:
    """The result is consistent in itself, and is what Python's decoder keeps."""
    text, dropped = recover(data)
    assert text == data.decode("utf-8", "ignore")
    assert list(dropped) == sorted(set(dropped))
    assert bytes(byte for i, byte in enumerate(data) if i not in set(dropped)) == text.encode("utf-8")


@examples(300)
@given(st.lists(st.sampled_from(BYTES), max_size=9).map(bytes))
def test_keeps_the_largest_number_of_characters(data: bytes) -> None:
    readings = all_readings(data)
    text, dropped = recover(data)
    assert len(text) == max(readings)
    assert readings[len(text)] == {dropped}
    check(data)


def test_all_strings_of_three_of_the_border_bytes() -> None:
    for data in itertools.product(BYTES, repeat=3):
        check(bytes(data))


def test_all_pairs_of_first_bytes_before_two_that_follow() -> None:
    for lead, second in itertools.product(range(256), repeat=2):
        check(bytes([lead, second, 0x80, 0xBF]))


def corrupted(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to six of them changed, taken out or put in."""
    broken = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(broken) + 1)
        width = rng.choice((0, 1))
        broken[at : at + width] = bytes(rng.choices((*BYTES, rng.randrange(256)), k=rng.choice((0, 1))))
    return bytes(broken)


def test_20_000_corrupted_strings() -> None:
    rng = random.Random(0)
    names = [line for language in ("de", "ja", "th") for line in lines(f"text/iso_names/{language}.txt") if line]
    broken = [corrupted((rng.choice(names) + "😀").encode(), rng) for _ in range(20_000)]
    for data in broken:
        check(data)
    assert sum(bool(recover(data).dropped) for data in broken) > 10_000


def test_nothing_and_whole_texts() -> None:
    assert recover(b"") == ("", ())
    assert recover("né け😀".encode()) == ("né け😀", ())
    assert recover(b"\xff\xfe") == ("", (0, 1))
    # Bytes beside a dropped one are not joined to a character that was never there.
    assert recover(b"\xc3\xff\xa9") == ("", (0, 1, 2))


def test_decoders_keep_the_same() -> None:
    tokens = ["low", "Ã", "er", "Ã©", "Â·"]
    found = recover(b"low\xc3er\xc3\xa9\xc2\xb7")
    assert found == ("loweré·", (3,))
    assert decoders.ByteLevel(errors="recover").decode(tokens) == found.text
    assert decoders.ByteWords().decode(tokens) == found.text.removesuffix("·")
    with pytest.raises(ValueError, match="data is 'low': give bytes"):
        recover("low")  # type: ignore[arg-type]


def test_a_million_bytes() -> None:
    data = "né😀".encode() * 140_000 + b"\xf0" * 20_000
    assert recover(data) == ("né😀" * 140_000, tuple(range(len(data) - 20_000, len(data))))


def test_without_compilation(tmp_path: Path) -> None:
    program = """
        import itertools
        from tokenizers_impl.decoders import recover
        for data in map(bytes, itertools.product([0x41, 0x80, 0xBF, 0xC3, 0xE0, 0xED, 0xF4], repeat=4)):
            text, dropped = recover(data)
            assert text == data.decode("utf-8", "ignore")
            print(dropped)
    """
    here = str(Path(__file__).resolve().parents[2])
    plain = run_python(program, tmp_path, PYTHONPATH=here, NUMBA_DISABLE_JIT="1")
    assert plain == run_python(program, tmp_path, PYTHONPATH=here)
