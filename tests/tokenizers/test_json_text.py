"""JSON as the library writes and reads it, in particular its numbers."""

from __future__ import annotations

import json
import math
import random
import re
import struct
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from tokenizers_impl._core.files import dumps, json_number, library_float, loads


def finite_numbers() -> list[float]:
    """Bit patterns, logarithms, powers of ten and their neighbours, integers, decimal fractions."""
    rng = random.Random(0)
    patterns = (struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0] for _ in range(4000))
    tens = [float(f"{digits}e{power}") for digits in ("1", "-9.5", "1.2345678901234567") for power in range(-30, 30)]
    return [
        *filter(math.isfinite, patterns),
        *(-20 * rng.random() for _ in range(6000)),
        *tens,
        *(math.nextafter(each, math.inf) for each in tens),
        *(float(rng.randint(-(10**20), 10**20) // 10 ** rng.randint(0, 19)) for _ in range(2000)),
        *(rng.randint(-(10**6), 10**6) / 10 ** rng.randint(0, 9) for _ in range(2000)),
        *(0.0, -0.0, 5e-324, 1.7976931348623157e308),
    ]


def written_numbers() -> list[str]:
    """Numbers with more digits and wider exponents than any float is written with."""
    rng = random.Random(0)
    numbers = [
        "18446744073709551615.5",
        "18446744073709551616.5",
        "18446744073709551619.2",
        "0.0e999",
        "-0.0",
        "1e-400",
    ]
    for _ in range(10_000):
        whole = str(rng.randint(0, 10 ** rng.randint(1, 26)))
        fraction = "".join(rng.choices("0123456789", k=rng.randint(1, 24)))
        exponent = rng.choice(["", f"e{rng.randint(-30, 30)}", f"E+{rng.randint(0, 30)}", f"e-{rng.randint(290, 345)}"])
        numbers.append(f"{rng.choice(('', '-'))}{whole}.{fraction}{exponent}")
    return numbers


def library_reads(numbers: list[str]) -> list[float]:
    """What the library makes of these numbers, which it then writes with all digits."""
    vocab = ",".join(f'["{i}",{number}]' for i, number in enumerate(numbers))
    text = f'{{"model":{{"type":"Unigram","unk_id":null,"vocab":[{vocab}]}}}}'
    pairs = json.loads(tokenizers.Tokenizer.from_str(text).to_str())["model"]["vocab"]
    return [value for _, value in pairs]


def bits(numbers: list[float]) -> bytes:
    """All bits, the sign of zero among them."""
    return struct.pack(f"<{len(numbers)}d", *numbers)


@pytest.mark.parametrize("pretty", [False, True])
def test_written_as_the_library_writes(pretty: bool) -> None:
    strings = ["e-7", "-1e-07", '"1e-07', "\\", '\\"1e-09"', "\0\x1f\x7f\n", "é😀\u2028"]
    vocab = [*((str(i), value) for i, value in enumerate(finite_numbers())), *((each, -1e-7) for each in strings)]
    model = tokenizers.models.Unigram(vocab, None)
    text = tokenizers.Tokenizer(model).to_str(pretty=pretty)
    assert dumps(json.loads(text), 2 if pretty else None) == text
    assert all(f",{json_number(value)}]" in text for _, value in vocab) != pretty


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
STRINGS = st.text(st.characters(exclude_categories=["Cs"])) | st.text('[]{},:"\\\0\1\n 1e-7', max_size=12)


@examples(300)
@given(
    st.recursive(SCALARS | STRINGS, lambda inner: st.lists(inner) | st.dictionaries(STRINGS, inner), max_leaves=30)
    | st.lists(st.lists(SCALARS | STRINGS, min_size=1))
)
def test_layouts_are_those_of_json(value: Any) -> None:
    def plain(indent: int | None) -> str:
        separators = (",", ": ") if indent else (",", ":")
        return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)

    # Python and the library write numbers with a negative exponent differently.
    strings = re.compile(r'("(?:[^"\\]|\\.)*")')
    for indent in (None, 2):
        parts = strings.split(plain(indent))
        parts[::2] = [re.sub(r"-?[\d.]+e-\d+", lambda found: json_number(float(found[0])), each) for each in parts[::2]]
        assert dumps(value, indent) == "".join(parts)


def test_read_as_the_library_reads() -> None:
    texts = [*map(json_number, finite_numbers()), *written_numbers()]
    expected = library_reads(texts)
    assert bits([library_float(text) for text in texts]) == bits(expected)
    # The library is not always as near as can be: else there would be nothing to follow.
    assert sum(float(text) != value for text, value in zip(texts, expected, strict=True)) > 500


def test_whole_values() -> None:
    assert loads('{"a": [1, -14.231798543705459, "1e-07", null]}') == {"a": [1, -14.23179854370546, "1e-07", None]}
    assert dumps({"a": [], "b": {}, "c": [1, 0.00001, True]}) == '{"a":[],"b":{},"c":[1,0.00001,true]}'
    assert dumps([1e-7], 2) == "[\n  1e-7\n]"


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"1\.0e400 is too large"):
        loads("[1.0e400]")
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps([math.nan])
