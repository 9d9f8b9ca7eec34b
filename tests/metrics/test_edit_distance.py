"""Edit counts, edit operations equal those of rapidfuzz, of jiwer, of the textbook recurrence."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import jiwer
import naive
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rapidfuzz.distance import Levenshtein
from shared_data import shared

import evenscore.kernel
from evenscore.text import lanes
from evenscore.text.segments import Segments
from evenscore.wer import edits as wer_edits
from evenscore.wer import kernel
from evenscore.wer.edits import Edit, Operation, edit_counts, edit_operations, edit_script, string_counts
from evenscore.wer.plain import fast_edit_counts

# Lanes have 32 or 64 bits; longer sides go to the big integers.
EDGES = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129]
COUNT_OF_TAG = {"equal": 0, "replace": 1, "delete": 2, "insert": 3}

Pair = tuple[list[int], list[int]]


@pytest.fixture(scope="module", autouse=True, params=["lanes", "integers", "kernels"])
def _every_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test runs with lanes for all pairs that fit, then with Python's integers, then with compiled kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "_WORTHWHILE", 1 if request.param == "lanes" else lanes._WORTHWHILE)
        patch.setattr(kernel, "_WORTHWHILE", 0 if request.param == "kernels" else 1 << 62)
        yield


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Two unrelated segments of few distinct tokens, or one and what is left of it after some edits."""
    n, m = draw(st.sampled_from(EDGES)), draw(st.sampled_from(EDGES))
    rng = random.Random(draw(st.integers(0, 2**32)))
    vocabulary = draw(st.sampled_from([1, 2, 3, 5, 50]))
    reference = [rng.randrange(vocabulary) for _ in range(n)]
    if draw(st.booleans()):
        return reference, [rng.randrange(vocabulary) for _ in range(m)]
    return reference, misheard(reference, draw(st.sampled_from([0.02, 0.1, 0.3, 0.6])), vocabulary, rng)


def misheard(reference: list[int], error_rate: float, vocabulary: int, rng: random.Random) -> list[int]:
    """The reference after as many random deletions, substitutions, insertions."""
    prediction = []
    for token in reference:
        kind = rng.random() / error_rate * 3
        prediction += [] if kind < 1 else [token] if kind >= 2 else [rng.randrange(vocabulary)]
        if 2 <= kind < 3:
            prediction.append(rng.randrange(vocabulary))
    return prediction


def segments(rows: list[list[int]]) -> Segments:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
    return Segments(np.array([token for row in rows for token in row], dtype=np.int64), offsets)


def counts(corpus: list[Pair]) -> list[list[int]]:
    return edit_counts(segments([left for left, _ in corpus]), segments([right for _, right in corpus])).tolist()


def chunks(pair: Pair) -> list[Operation]:
    return edit_operations(*(np.array(side, dtype=np.int64) for side in pair))


def rapidfuzz_counts(pair: Pair) -> list[int]:
    result = [0, 0, 0, 0]
    for code in Levenshtein.opcodes(*pair):
        result[COUNT_OF_TAG[code.tag]] += max(code.src_end - code.src_start, code.dest_end - code.dest_start)
    return result


def rapidfuzz_chunks(pair: Pair) -> list[tuple[str, int, int, int, int]]:
    return [
        ({"replace": "substitute"}.get(code.tag, code.tag), *tuple(code)[1:]) for code in Levenshtein.opcodes(*pair)
    ]


def counts_of_chunks(operations: list[Operation]) -> list[int]:
    result = dict.fromkeys(["equal", "substitute", "delete", "insert"], 0)
    for kind, i, i_end, j, j_end in operations:
        result[kind] += max(i_end - i, j_end - j)
    return list(result.values())


def applied(edits: list[Edit], pair: Pair) -> list[int]:
    """The reference after the edits, from the last to the first so that earlier places stay where they are."""
    reference, prediction = list(pair[0]), pair[1]
    for kind, i, j in reversed(edits):
        reference[i : i + (kind != "insert")] = prediction[j : j + (kind != "delete")]
    return reference


@examples(300)
@given(st.lists(pairs(), max_size=6))
def test_counts_are_those_of_rapidfuzz(corpus: list[Pair]) -> None:
    assert counts(corpus) == [rapidfuzz_counts(pair) for pair in corpus]


@examples(300)
@given(pairs(), st.sampled_from(["{}", "w{}"]))
def test_counts_of_strings_are_those_of_rapidfuzz(pair: Pair, name: str) -> None:
    """Of characters, of words."""
    strings = ([name.format(chr(ord("a") + 90 * token)) for token in side] for side in pair)
    assert fast_edit_counts(*strings, string_counts) == rapidfuzz_counts(pair)


@pytest.mark.parametrize(
    ("work", "strings", "matrix", "by_kernel"),
    [(784, 56, 1 << 20, True), (785, 56, 1 << 20, False), (0, 55, 1 << 20, False), (0, 56, 100, False)],
)
def test_kernel_counts_many_strings_of_a_small_matrix(
    work: int, strings: int, matrix: int, by_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "_WORTHWHILE", work)
    monkeypatch.setattr(kernel, "_done", {"cells": 0})
    monkeypatch.setattr(wer_edits, "_MATRIX_BYTES", matrix)
    monkeypatch.setattr(wer_edits, "table_counts", lambda *_: [])
    assert string_counts(["a"] * 28, ["b"] * (strings - 28)) == ([0, 28, 0, 0] if by_kernel else [])


@examples(60)
@given(st.lists(pairs(), max_size=2))
def test_counts_are_those_of_the_textbook_recurrence(corpus: list[Pair]) -> None:
    assert counts(corpus) == [naive.edit_counts(*pair) for pair in corpus]


@examples(300)
@given(pairs())
def test_operations_are_those_of_rapidfuzz(pair: Pair) -> None:
    assert chunks(pair) == rapidfuzz_chunks(pair)


@examples(200)
@given(pairs())
def test_lanes_count_what_the_big_integers_align(pair: Pair) -> None:
    assert counts([pair]) == [counts_of_chunks(chunks(pair))]


@examples(200)
@given(pairs())
def test_script_turns_the_reference_into_the_prediction(pair: Pair) -> None:
    edits = edit_script(*pair)
    assert applied(edits, pair) == pair[1]
    assert len(edits) == Levenshtein.distance(*pair)


@examples(300)
@given(pairs())
def test_halving_at_every_size_still_finds_the_fewest_edits(pair: Pair) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wer_edits, "_MATRIX_BYTES", 0)
        patch.setattr(wer_edits, "_SHORT_REFERENCE", 1)
        patch.setattr(wer_edits, "_SHORT_PREDICTION", 2)
        edits = edit_script(*pair)
    assert applied(edits, pair) == pair[1]
    assert len(edits) == Levenshtein.distance(*pair)


# rapidfuzz halves from a megabyte on, which is 2 bits for each of 2048 x 2048 cells, but not if a side is short.
UNHALVED = [(1000, 1100), (2040, 2048), (64, 70_000), (70_000, 9)]
HALVED = [(2060, 2060), (3000, 3000), (4000, 5000), (5000, 4000), (70, 70_000), (70_000, 70)]


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [2, 3, 6, 1000])
@pytest.mark.parametrize(("n", "m"), [*UNHALVED, *HALVED])
def test_long_unrelated_pair_is_aligned_as_by_rapidfuzz(n: int, m: int, vocabulary: int) -> None:
    rng = random.Random(n + m)
    pair = [rng.randrange(vocabulary) for _ in range(n)], [rng.randrange(vocabulary) for _ in range(m)]
    assert chunks(pair) == rapidfuzz_chunks(pair)
    assert counts([pair]) == [rapidfuzz_counts(pair)]


@pytest.mark.slow
@pytest.mark.parametrize("error_rate", [0.001, 0.05, 0.4])
@pytest.mark.parametrize(("n", "vocabulary"), [(2000, 3), (3500, 3), (9000, 2), (20_000, 4), (20_000, 3000)])
def test_long_misheard_pair_is_aligned_as_by_rapidfuzz(n: int, vocabulary: int, error_rate: float) -> None:
    rng = random.Random(n)
    reference = [rng.randrange(vocabulary) for _ in range(n)]
    pair = reference, misheard(reference, error_rate, vocabulary, rng)
    assert chunks(pair) == rapidfuzz_chunks(pair)
    assert counts([pair]) == [rapidfuzz_counts(pair)]


@pytest.mark.parametrize("m", [63_549, 63_550, 63_551])
def test_pair_about_as_large_as_the_largest_unhalved_is_aligned_as_by_rapidfuzz(m: int) -> None:
    rng = random.Random(m)
    pair = [rng.randrange(3) for _ in range(66)], [rng.randrange(3) for _ in range(m)]
    assert wer_edits._fits_whole(66, m) is (m < 63_551)
    assert counts([pair]) == [rapidfuzz_counts(pair)]


@pytest.mark.parametrize("highest", [wer_edits._MOST_MASKS - 1, wer_edits._MOST_MASKS, 2**62])
def test_ids_of_any_size_count_alike(highest: int) -> None:
    pair = [0, 1, highest] * 40, [1, highest, highest] * 30
    assert counts([pair]) == [rapidfuzz_counts(pair)]


def test_halving_settles_ties_in_another_way() -> None:
    """Without the halving this pair gets another of its best alignments."""
    rng = random.Random(1)
    pair = [rng.randrange(2) for _ in range(5000)], [rng.randrange(2) for _ in range(4000)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wer_edits, "_MATRIX_BYTES", 1 << 40)
        unhalved = chunks(pair)
    assert unhalved != rapidfuzz_chunks(pair) == chunks(pair)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (([], []), []),
        (([1], [1]), [("equal", 0, 1, 0, 1)]),
        (([], [1, 2]), [("insert", 0, 0, 0, 2)]),
        (([1, 2], []), [("delete", 0, 2, 0, 0)]),
        (([1, 2], [2, 3]), [("substitute", 0, 2, 0, 2)]),
        (([1, 2], [3, 1]), [("insert", 0, 0, 0, 1), ("equal", 0, 1, 1, 2), ("delete", 1, 2, 2, 2)]),
    ],
)
def test_operations_of_tiny_pairs(pair: Pair, expected: list[tuple[str, int, int, int, int]]) -> None:
    assert chunks(pair) == expected
    assert counts([pair]) == [counts_of_chunks(chunks(pair))]


def test_no_pairs_have_no_counts() -> None:
    assert edit_counts(segments([]), segments([])).shape == (0, 4)


def test_counts_follow_the_order_of_the_pairs() -> None:
    rng = random.Random(3)
    references = [[rng.randrange(4) for _ in range(rng.choice(EDGES))] for _ in range(200)]
    predictions = [misheard(reference, 0.3, 4, rng) for reference in references]
    forwards = counts(list(zip(references, predictions, strict=True)))
    backwards = counts(list(zip(references[::-1], predictions[::-1], strict=True)))
    assert forwards == backwards[::-1]
    assert len(set(map(tuple, forwards))) > 50


def test_inputs_are_left_as_they_were() -> None:
    references, predictions = segments([[1, 2, 3, 4]]), segments([[1, 3, 3, 5, 4]])
    for side in (*references, *predictions):
        side.flags.writeable = False
    assert edit_counts(references, predictions).tolist() == [[3, 1, 0, 1]]
    assert len(edit_operations(references.ids, predictions.ids)) == 5


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_ids_of_any_signed_type_count_alike(dtype: type[np.signedinteger]) -> None:
    references, predictions = segments([[1, 2, 3, 4], [5] * 70]), segments([[1, 3, 3, 5, 4], [6, 5]])
    as_dtype = [side._replace(ids=side.ids.astype(dtype)) for side in (references, predictions)]
    assert edit_counts(*as_dtype).tolist() == [[3, 1, 0, 1], [1, 1, 68, 0]]


@pytest.fixture(scope="module")
def librispeech() -> tuple[list[str], list[str]]:
    sides = []
    for name in ("reftext", "hyptext"):
        lines = [
            line.partition(" ") for line in shared(f"asr/librispeech/{name}").read_text(encoding="utf-8").splitlines()
        ]
        sides.append([text.strip() for _, _, text in sorted(lines)])
    return sides[0], sides[1]


def as_pairs(librispeech: tuple[list[str], list[str]], split: type[list] | None = None) -> list[Pair]:
    ids: dict[str, int] = {}
    tokens = split or str.split
    sides = [[[ids.setdefault(token, len(ids)) for token in tokens(text)] for text in side] for side in librispeech]
    return list(zip(*sides, strict=True))


@pytest.mark.parametrize(("unit", "split"), [("words", None), ("chars", list)])
def test_librispeech_totals_are_those_of_jiwer(
    librispeech: tuple[list[str], list[str]], unit: str, split: type[list] | None
) -> None:
    expected = json.loads(shared("asr/librispeech/expected.json").read_text())[f"jiwer4.0.0_{unit}"]
    corpus = as_pairs(librispeech, split)
    assert len(corpus) == 2703
    names = ["hits", "substitutions", "deletions", "insertions"]
    assert np.sum(counts(corpus), axis=0).tolist() == [expected[name] for name in names]


def test_librispeech_alignments_are_those_of_jiwer(librispeech: tuple[list[str], list[str]]) -> None:
    theirs = jiwer.process_words(*librispeech).alignments
    ours = [chunks(pair) for pair in as_pairs(librispeech)]
    assert len(ours) == 2703
    assert ours == [[tuple(vars(chunk).values()) for chunk in alignment] for alignment in theirs]


def test_librispeech_counts_per_pair_are_those_of_rapidfuzz(librispeech: tuple[list[str], list[str]]) -> None:
    for split in (None, list):
        corpus = as_pairs(librispeech, split)
        assert counts(corpus) == [rapidfuzz_counts(pair) for pair in corpus]


@pytest.fixture
def _cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has aligned nothing yet."""
    monkeypatch.setattr(kernel, "_done", {"cells": 0})
    kernel._compiled.cache_clear()
    evenscore.kernel._warn_once.cache_clear()


def compiled_kernels() -> int:
    return kernel._compiled.cache_info().currsize


@pytest.mark.usefixtures("_cold")
def test_kernels_wait_until_they_pay_off(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = [1, 2] * 50, [2, 3, 1] * 40
    cells = len(pair[0]) * len(pair[1]) + kernel._CELLS_PER_PAIR
    monkeypatch.setattr(kernel, "_WORTHWHILE", 3 * cells)
    assert [compiled_kernels() for _ in range(4) if counts([pair]) == [rapidfuzz_counts(pair)]] == [0, 0, 1, 1]
    # Equal texts are no work.
    monkeypatch.setattr(kernel, "_done", {"cells": 0})
    for _ in range(4):
        counts([(pair[0], pair[0])])
    assert kernel._done == {"cells": 0}


@pytest.mark.parametrize(("pairs", "more"), [(7, 0), (8, wer_edits._CELLS_OF_LANES)])
def test_lanes_are_more_work_than_their_cells(pairs: int, more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_done", {"cells": 0})
    monkeypatch.setattr(kernel, "_WORTHWHILE", 1 << 62)
    monkeypatch.setattr(lanes, "_WORTHWHILE", 8)
    assert counts([([1, 2], [2, 3, 4])] * pairs) == [rapidfuzz_counts(([1, 2], [2, 3, 4]))] * pairs
    assert kernel._done == {"cells": pairs * (6 + kernel._CELLS_PER_PAIR) + more}


@pytest.mark.usefixtures("_cold")
def test_without_numba_python_aligns_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A published metric may be loaded on a machine that lacks it."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(kernel, "_WORTHWHILE", 0)
    kernel._may_compile.cache_clear()
    texts = {"predictions": ["a b c d " * 2000] * 3, "references": ["b a d " * 2500] * 3}
    with pytest.warns(UserWarning, match="numba is not installed, so long texts take .*: pip install numba") as warned:
        found = [evenscore.load("wer_dp").compute(**texts)["wer"] for _ in range(2)]
    kernel._may_compile.cache_clear()
    assert found == [jiwer.wer(texts["references"], texts["predictions"])] * 2
    assert len(warned) == 1


@pytest.mark.usefixtures("_cold")
@pytest.mark.parametrize("error", [RuntimeError, OSError])
def test_a_kernel_that_cannot_be_kept_still_aligns(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """numba raises these errors if it can write to no folder."""
    monkeypatch.setattr(kernel, "_WORTHWHILE", 0)
    compiled = numba.njit

    def njit(*functions: Any, cache: bool = False, **options: bool) -> Any:
        """numba itself calls it with a function."""
        if cache:
            raise error("not kept")
        return compiled(*functions, **options)

    monkeypatch.setattr(numba, "njit", njit)
    pairs = [([1, 2, 3, 1] * 20, [2, 3] * 30), ([1, 2], [2, 3])]
    with pytest.warns(UserWarning, match="no folder for compiled kernels can be written") as warned:
        found = [counts([pair]) for pair in pairs]
    assert found == [[rapidfuzz_counts(pair)] for pair in pairs]
    assert len(warned) == 1


@pytest.mark.parametrize("dtype", [np.int16, np.int64])
def test_a_kernel_is_compiled_once(dtype: type[np.signedinteger], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again for arrays of other types, for views, for arrays that cannot be written."""
    monkeypatch.setattr(kernel, "_WORTHWHILE", 0)
    corpora = [([1, 2, 3] * 900, [3, 1] * 1300), ([1, 2, 3] * 30, [3, 1] * 40), ([1, 2], [2, 4])]
    for sides in [tuple(segments([side]) for side in pair) for pair in corpora]:
        for side in sides:
            side.ids.flags.writeable = False
        edit_counts(*(side._replace(ids=side.ids.astype(dtype)) for side in sides))
        edit_counts(*sides)
        edit_operations(*(side.ids for side in sides))
    for function in (kernel._banded, kernel._traced_back, kernel._whole_pairs, kernel._short_pairs):
        assert len(kernel._compiled(function).compiled.signatures) == 1
