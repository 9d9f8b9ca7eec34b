"""Numbers as integers, so that sums of them are exact in any order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evenscore.text.segments import IntArray

LIMBS = 3
_LIMB_BITS = 32
# A quotient of counts under 2^43 is at least 2^-43; its last bit is 53 further: 96 bits hold every one.
_BITS = LIMBS * _LIMB_BITS


def to_limbs(values: npt.NDArray[np.float64]) -> IntArray:
    """Shape (..., LIMBS), int64: value = limbs[0] / 2^32 + limbs[1] / 2^64 + limbs[2] / 2^96, exactly.

    values: from 0 to 1, 0 or at least 2^-43.  Limbs may be added without overflow over 2^31 rows.

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


def mean_of_limbs(limbs: Sequence[int] | IntArray, count: int, whole: int = 0) -> float:
    """The mean of `count` values from the sum of their limbs, shape (LIMBS,), rounded once; 0.0 if count is 0.

    whole: what the values' integer parts add up to, where the limbs are those of the rest.

    >>> mean_of_limbs(to_limbs(np.array([0.1, 0.2, 0.3])).sum(axis=0), 3)
    0.2
    """
    if count == 0:
        return 0.0
    high, middle, low = map(int, limbs)
    return ((whole << _BITS) + (high << 2 * _LIMB_BITS) + (middle << _LIMB_BITS) + low) / (count << _BITS)


def from_limbs(limbs: IntArray) -> npt.NDArray[np.float64]:
    """The values of single rows back, exactly; shape (..., LIMBS) to (...)."""
    scales = 2.0 ** (-_LIMB_BITS * np.arange(1, LIMBS + 1))
    # At most 53 bits in a row are set, so each addition is exact.
    values: npt.NDArray[np.float64] = (limbs * scales)[..., ::-1].sum(axis=-1)
    return values
