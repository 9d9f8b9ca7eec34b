"""Refuses sums of statistics that no rows can give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

# The largest count of int64, in which statistics add up.
_LARGEST = 2**63 - 1


class Bound(NamedTuple):
    """The range, ends included, of a count in any sum of rows; most=None: no limit.

    by: the counts that decide the range.
    """

    name: str
    least: int
    most: int | None
    by: tuple[str, ...] = ()


def check_total(counts: Mapping[str, int], bounds: Iterable[Bound]) -> None:
    """Raise ValueError for the first count that is out of its range.

    >>> check_total({"rows": 2, "wrong_rows": 3}, [Bound("wrong_rows", 0, 2, ("rows",))])
    Traceback (most recent call last):
    ...
    ValueError: total has wrong_rows=3, but it is from 0 to 2 if rows=2: give the sum of what statistics(...) returned \
under these options
    """
    for name, count in counts.items():
        if count > _LARGEST:
            raise ValueError(f"total has {name}={count}, but counts are at most {_LARGEST}: add up int64, not uint64")
    for name, least, most, by in bounds:
        limit = _LARGEST if most is None else min(most, _LARGEST)
        if not least <= counts[name] <= limit:
            wanted = f"at least {least}" if most is None and counts[name] < least else f"from {least} to {limit}"
            wanted = str(least) if least == limit else "of no rows" if least > limit else wanted
            reason = f" if {', '.join(f'{other}={counts[other]}' for other in by)}" if by else ""
            raise ValueError(
                f"total has {name}={counts[name]}, but it is {wanted}{reason}: give the sum of what statistics(...) "
                f"returned under these options"
            )


def reference_bounds(counts: Mapping[str, int]) -> list[Bound]:
    """Return the bounds of the number of references, at least one a row, and of the sum of their squares.

    >>> reference_bounds({"rows": 2, "references": 5})[1]
    Bound(name='references_squared', least=13, most=17, by=('rows', 'references'))
    """
    rows, references = counts["rows"], counts["references"]
    # Squares are least where rows differ by one at most, and most where all rows but one have one reference.
    each, more = divmod(references, rows)
    least, most = rows * each**2 + more * (2 * each + 1), (references - rows + 1) ** 2 + rows - 1
    return [
        Bound("references", rows, None, ("rows",)),
        Bound("references_squared", least, most, ("rows", "references")),
    ]
