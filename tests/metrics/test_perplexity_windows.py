"""Windows, batches of them: whole numbers only, against a loop."""

from __future__ import annotations

from typing import Any

import naive_windows as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from evenscore.perplexity.models.forward import Frame, in_batches, padded
from evenscore.perplexity.models.windows import Spans, Windows, centred_windows, first_windows, strided_windows

# (tokens, tokens that stand before the text)
Text = tuple[int, int]

texts = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda sizes: (sum(sizes), sizes[0])), max_size=6
)


def spans(rows: list[Text]) -> Spans:
    lengths, befores = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    ends = np.cumsum(lengths)
    begins = ends - lengths
    return Spans(begins, begins + befores, ends)


def rows_of(windows: Windows) -> list[tuple[int, ...]]:
    return [tuple(map(int, row)) for row in zip(*windows, strict=True)]


def strided(length: int, window: int, stride: int, before: int = 1) -> list[tuple[int, ...]]:
    return rows_of(strided_windows(spans([(length, before)]), window, stride))


@examples(400)
@given(texts, st.integers(1, 12), st.data())
def test_strided_windows_are_those_of_a_loop(rows: list[Text], window: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, window))
    expected, begin = [], 0
    for length, before in rows:
        for start, stop, scored in naive.strided_windows(length, before, window, stride):
            expected.append(tuple(begin + place for place in (start, stop, stop + 1 - scored, stop + 1)))
        begin += length
    assert rows_of(strided_windows(spans(rows), window, stride)) == expected


@examples(400)
@given(texts, st.integers(1, 12), st.data())
def test_every_token_is_a_target_once(rows: list[Text], window: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, window))
    where = spans(rows)
    windows = strided_windows(where, window, stride)
    wanted = [np.arange(max(first, begin + 1), end) for begin, first, end in zip(*where, strict=True)]
    assert windows.targets().tolist() == np.concatenate([[], *wanted]).tolist()
    assert (windows.lengths <= window).all()
    # The first target has something before it; the last one is not read.
    assert (windows.first_targets > windows.starts).all()
    assert (windows.last_targets == windows.stops + 1).all()


@examples(300)
@given(texts, st.integers(1, 12))
def test_centred_windows_have_a_token_for_target_each(rows: list[Text], window: int) -> None:
    where = spans(rows)
    windows = centred_windows(where, window)
    expected = [np.arange(first, end) for _, first, end in zip(*where, strict=True)]
    assert windows.targets().tolist() == np.concatenate([[], *expected]).tolist()
    for start, stop, target, after in rows_of(windows):
        text = np.searchsorted(where.ends, target, side="right")
        begin, end = where.begins[text], where.ends[text]
        assert begin <= start <= target < stop <= end
        assert after == target + 1
        assert stop - start == min(window, end - begin)
        # In the middle, but where the text's ends forbid it.
        assert target - start == window // 2 or start == begin or stop == end


@examples(300)
@given(texts, st.integers(2, 12))
def test_the_first_window_cuts_the_text(rows: list[Text], window: int) -> None:
    for length, before in rows:
        begin, first, end = (int(field[0]) for field in first_windows(spans([(length, before)]), window))
        assert first == before
        assert end - begin == min(length, window)
        if before <= window // 2:
            assert begin == 0
        # What is cut off a context makes room for what is scored: half a window, or all there is.
        assert end - first >= min(window // 2, length - before)
        windows = strided(end - begin, window, max(1, window // 2), first - begin)
        assert len(windows) <= 1


def test_first_windows_of_stock_have_its_length() -> None:
    """evaluate's max_length is the number of tokens with the start token; the last one is scored, too."""
    assert rows_of(strided_windows(first_windows(spans([(20, 1)]), 8), 8, 4)) == [(0, 7, 1, 8)]


# --- batches


@examples(300)
@given(
    st.lists(st.integers(1, 30), max_size=20),
    st.integers(1, 90),
    st.one_of(st.none(), st.integers(1, 7)),
    st.one_of(st.none(), st.integers(30, 60)),
)
def test_every_row_is_in_one_batch(lengths: list[int], budget: int, most: int | None, memory: int | None) -> None:
    """Memory for `memory` tokens, filling counted: enough for any single row."""
    sizes, batches, tried = np.array(lengths, dtype=np.int64), [], []

    def score(rows: Any) -> None:
        tried.append(rows.tolist())
        if memory is not None and len(rows) * sizes[rows].max() > memory:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20 MiB")
        batches.append(rows.tolist())

    warned: list[str] = []
    given_back = [rows.tolist() for rows in in_batches(sizes, score, budget, most, warned.append)]
    assert given_back == batches
    order = [row for batch in batches for row in batch]
    assert order == sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    for batch in batches:
        assert len(batch) <= (most or len(lengths))
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= budget
    assert bool(warned) == any(len(batch) * lengths[batch[0]] > memory for batch in tried if memory is not None)


def test_a_batch_is_as_large_as_the_budget_allows() -> None:
    batches: list[list[int]] = []
    done = in_batches(np.array([2, 5, 1, 5, 2]), lambda rows: batches.append(rows.tolist()), 10, None, pytest.fail)
    assert [rows.tolist() for rows in done] == [[1, 3], [0, 4, 2]]
    assert batches == [[1, 3], [0, 4, 2]]


@pytest.mark.parametrize(
    "message",
    ["CUDA out of memory. Tried to allocate 2 GiB", "[enforce fail] DefaultCPUAllocator: can't allocate memory: you "
     "tried to allocate 800 bytes", "MPS backend out of memory", "not enough memory: you tried to allocate 80 bytes"],
)  # fmt: skip
def test_out_of_memory_halves_the_budget(message: str) -> None:
    tried: list[int] = []

    def score(rows: Any) -> None:
        tried.append(len(rows))
        if len(rows) > 3:
            raise RuntimeError(message)

    warned: list[str] = []
    assert [len(rows) for rows in in_batches(np.full(40, 4), score, 128, None, warned.append)] == [2] * 20
    assert tried == [32, 16, 8, 4, *[2] * 20]
    assert warned[0].startswith("not enough memory for 32 rows of 4 tokens: continuing with smaller batches")


def test_a_row_that_never_fits_is_an_error() -> None:
    def score(rows: Any) -> None:
        raise RuntimeError("CUDA out of memory.\nSee the documentation")

    warned: list[str] = []
    with pytest.raises(MemoryError, match=r"a window of 9 tokens: give a smaller window \(CUDA out of memory.\)"):
        list(in_batches(np.array([4, 9, 4]), score, 100, None, warned.append))
    assert warned


def test_other_errors_are_not_taken_for_lack_of_memory() -> None:
    def score(rows: Any) -> None:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        list(in_batches(np.array([4, 9]), score, 100, None, pytest.fail))


def test_what_stands_around_a_slice() -> None:
    """Two windows of ids 10 .. 15, the target in each replaced by the mask, 3."""
    windows = Windows(*np.array([[0, 4], [4, 6], [1, 5], [2, 6]]))
    batch = padded(np.arange(10, 16), windows, Frame((1,), (2,), 3))
    assert batch.ids.tolist() == [[1, 10, 3, 12, 13, 2], [1, 14, 3, 2, 0, 0]]
    assert batch.is_token.tolist() == [[True] * 6, [True] * 4 + [False] * 2]
    assert (batch.rows.tolist(), batch.columns.tolist(), batch.places.tolist()) == ([0, 1], [2, 2], [1, 5])
