"""A call in a thread of its own, to be awaited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """What the function gives for these arguments, while others go on."""
    # Loaded here: with ssl behind it, it takes 3 MB, which a training does not need.
    from asyncio import to_thread

    return await to_thread(function, *arguments)
