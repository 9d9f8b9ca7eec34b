"""Whether text holds any character of a set."""

from __future__ import annotations

from .._arrays import U32, Bools
from .._kernel import kernel


@kernel
def holds_any(chars: U32, wanted: Bools) -> bool:
    """Whether one of the characters is among the code points marked, shape (0x110000,)."""
    for char in chars:  # noqa: SIM110
        if wanted[char]:
            return True
    return False
