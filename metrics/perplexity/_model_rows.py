"""Statistics of several models for the same texts: whether they can be compared."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from ._perplexity_options import PerplexityOptions
from ._segments import IntArray
from ._token_statistics import STATISTICS

# exp(700) is about the largest float.
_LARGEST_MEAN = 700


def check_rows(rows: Sequence[IntArray]) -> None:
    """Raise ValueError for systems of other rows, or impossible tokens: a difference of infinities is no number."""
    for name, own in zip(("baseline", *(f"systems[{i}]" for i in range(len(rows)))), rows, strict=False):
        if len(own) != len(rows[0]):
            raise ValueError(f"baseline has {len(rows[0])} rows but {name} has {len(own)}")
        counts = dict(zip(STATISTICS, own[:, 1:].T, strict=True))
        infinite = (counts["impossible_tokens"] > 0) | (counts["nll_whole"] > _LARGEST_MEAN * counts["tokens"])
        if infinite.any():
            row = int(np.flatnonzero(infinite)[0])
            raise ValueError(f"{name} gives row {row} a perplexity that no float holds: leave the row out")


def warn_of_other_tokens(rows: Sequence[IntArray], options: PerplexityOptions) -> None:
    """Warn of perplexities of the same texts cut in other ways."""
    tokens = [own[:, 1 + STATISTICS.index("tokens")] for own in rows]
    for i, own in enumerate(tokens[1:]):
        if "perplexity" in options.headlines and not np.array_equal(own, tokens[0]):
            warnings.warn(
                f"systems[{i}] has other tokens than the baseline, so that their perplexities cannot be compared: "
                f"give headlines=['bits_per_byte']",
                stacklevel=3,
            )
