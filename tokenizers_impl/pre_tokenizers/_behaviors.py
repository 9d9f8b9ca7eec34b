"""What becomes of the places that a pre-tokenizer cuts at."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import I32, I64, Bools
from .._kernel import kernel
from .._option_values import choice_of
from .._splits import TEXT, Splits
from ..patterns import Matches

# From the name of a behavior to its name in tokenizer.json.
BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
# Whether a piece goes on with the one before it: by whether that one delimits, then by whether it does itself.
JOINS = {
    "removed": [[False, False], [False, False]],
    "isolated": [[False, False], [False, False]],
    "merged_with_previous": [[False, True], [False, False]],
    "merged_with_next": [[False, False], [True, False]],
    "contiguous": [[True, False], [False, True]],
}


def check_behavior(behavior: str) -> None:
    """ValueError for what is no behavior."""
    if behavior not in BEHAVIORS:
        raise ValueError(f"behavior={behavior!r}: choose one of {', '.join(BEHAVIORS)}")


def behavior_json(behavior: str) -> str:
    """The behavior in tokenizer.json."""
    return BEHAVIORS[behavior]


def behavior_from_json(name: Any) -> str:
    """The behavior of that name in tokenizer.json."""
    names, choice = {written: behavior for behavior, written in BEHAVIORS.items()}, choice_of(name)
    if not isinstance(choice, str) or choice not in names:
        raise ValueError(f"the behavior is {name!r}: expected one of {', '.join(names)}")
    return names[choice]


def cut_at(splits: Splits, found: Matches, behavior: str, *, invert: bool = False) -> Splits:
    """The splits cut at matches, which delimit; invert: what lies between them delimits instead."""
    joins = np.array(JOINS[behavior])
    texts = splits.starts, splits.ends, splits.added
    places = found.starts, found.ends, found.parents
    return splits.recut(*_cut(*texts, *places, joins, behavior == "removed", invert))


def chars_in(splits: Splits, wanted: Bools) -> Matches:
    """Every character that is among the code points marked, shape (0x110000,), as a match."""
    places = np.flatnonzero(wanted[splits.chars])
    parents = np.searchsorted(splits.starts, places, side="right") - 1
    # Those before the first split are in none, which is all of them where a step before this one took everything.
    places, parents = places[parents >= 0], parents[parents >= 0]
    inside = (places < splits.ends[parents]) & (splits.added[parents] == TEXT)
    return Matches(places[inside], places[inside] + 1, parents[inside], splits.spent)


@kernel
def _cut(
    starts: I64,
    ends: I64,
    added: I32,
    match_starts: I64,
    match_ends: I64,
    match_parents: I64,
    joins: Bools,
    removed: bool,
    invert: bool,
) -> tuple[I64, I64, I64]:
    """Starts, ends and parents of the new splits.

    The pieces of a split are the matches and, where they are not empty, the parts between them; pieces that join are
    one new split, unless it is empty.
    """
    room = 2 * len(match_starts) + len(starts)
    new_starts, new_ends, parents = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    n, m = 0, 0
    for j in range(len(starts)):
        at, begin, before, dropped = starts[j], starts[j], False, False
        while at < ends[j] or (m < len(match_starts) and match_parents[m] == j):
            is_match = m < len(match_starts) and match_parents[m] == j and match_starts[m] == at
            delimits = is_match != (invert and added[j] == TEXT)
            if at > begin and not joins[int(before), int(delimits)]:
                if not dropped:
                    new_starts[n], new_ends[n], parents[n] = begin, at, j
                    n += 1
                begin = at
            before, dropped = delimits, removed and delimits
            if is_match:
                at = match_ends[m]
                m += 1
            elif m < len(match_starts) and match_parents[m] == j:
                at = match_starts[m]
            else:
                at = ends[j]
        if at > begin and not dropped:
            new_starts[n], new_ends[n], parents[n] = begin, at, j
            n += 1
    return new_starts[:n], new_ends[:n], parents[:n]
