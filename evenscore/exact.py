"""Represents floats as integers, so that their sums are exact in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray

LIMBS = 3
_LIMB_BITS = 32
# A quotient of counts below 2**43 is at least 2**-43 and has 53 significant bits, so 96 bits represent it exactly.
_BITS = LIMBS * _LIMB_BITS
_LIMB = (1 << _LIMB_BITS) - 1


def to_limbs(values: npt.NDArray[np.float64]) -> IntArray:
    """Split values into limbs of 32 bits: value = limbs[0] / 2**32 + limbs[1] / 2**64 + limbs[2] / 2**96, exactly.

    values: shape (...); each is 0 or from 2**-43 to 1.
    Returns int64, shape (..., LIMBS). Sums over up to 2**31 rows do not overflow.

    >>> to_limbs(np.array([1.0, 2.0**-33])).tolist()
    [[4294967296, 0, 0], [0, 2147483648, 0]]
    """
    limbs = np.empty((*values.shape, LIMBS), dtype=np.int64)
    rest = values
    for k in range(LIMBS):
        scaled = rest * 2.0**_LIMB_BITS
        whole = np.floor(scaled)
        limbs[..., k] = whole
        rest = scaled - whole
    return limbs


# Sums of limbs over more summands could leave int64.
MOST_SUMMANDS = 1 << 31
# The largest limbs of a value from 0 to 1, and of a value below 1.
LARGEST_LIMBS = (1 << _LIMB_BITS, *[(1 << _LIMB_BITS) - 1] * (LIMBS - 1))
LARGEST_FRACTION = ((1 << _LIMB_BITS) - 1,) * LIMBS


def scaled(limbs: Sequence[int], whole: int = 0) -> int:
    """Return the sum of values times 2**96, an integer, from the sum of their limbs; `whole` as in `mean_of_limbs`.

    >>> scaled(to_limbs(np.array([0.5, 0.25])).sum(axis=0).tolist()) / scaled([0, 0, 0], whole=1)
    0.75
    """
    high, middle, low = map(int, limbs)
    return (whole << _BITS) + (high << 2 * _LIMB_BITS) + (middle << _LIMB_BITS) + low


def limbs_of(value: float) -> list[int]:
    """Return what `to_limbs` returns for one value, faster.

    >>> limbs_of(1.0), limbs_of(2.0**-33)
    ([4294967296, 0, 0], [0, 2147483648, 0])
    """
    whole = int(math.ldexp(value, _BITS))
    return [whole >> 2 * _LIMB_BITS, whole >> _LIMB_BITS & _LIMB, whole & _LIMB]


def mean_of_limbs(limbs: Sequence[int] | IntArray, count: int, whole: int = 0) -> float:
    """Return the mean of `count` values from the sum of their limbs, rounded once; 0.0 if count is 0.

    limbs: shape (LIMBS,).
    whole: sum of the values' integer parts, if the limbs hold their fractional parts only.

    >>> mean_of_limbs(to_limbs(np.array([0.1, 0.2, 0.3])).sum(axis=0), 3)
    0.2
    """
    if count == 0:
        return 0.0
    return scaled([*limbs], whole) / (count << _BITS)


def from_limbs(limbs: IntArray) -> npt.NDArray[np.float64]:
    """Return the values that `to_limbs` split, exactly; shape (..., LIMBS) to (...)."""
    # The set bits of a value span at most 53 positions, so each addition is exact.
    values: npt.NDArray[np.float64] = limbs @ 2.0 ** (-_LIMB_BITS * np.arange(1, LIMBS + 1))
    return values
