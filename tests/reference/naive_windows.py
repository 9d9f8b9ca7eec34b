"""The windows in which a text is read, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Window(NamedTuple):
    """What is read, and how many tokens are scored: the last of those read, each moved on by one."""

    start: int
    stop: int
    scored: int


def strided_windows(length: int, before: int, window: int, stride: int) -> Iterator[Window]:
    """Windows over `length` tokens of which the first `before` are not scored."""
    done = max(before, 1)
    end = max(window + 1, done + stride)
    while done < length:
        end = min(end, length)
        yield Window(max(0, end - 1 - window), end - 1, end - done)
        done, end = end, end + stride
