"""Objects of the library `tokenizers` as ours, told by the module of their class: nothing here imports it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

_LIBRARY = "tokenizers"

T = TypeVar("T")


def is_of_library(value: object, name: str | None = None) -> bool:
    """Whether the class of an object is one of the library, or the one of that name."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == _LIBRARY and name in (None, kind.__name__)


def own_component(value: Any, from_json: Callable[[Any], Any]) -> Any:
    """A component of the library as ours, read from its state; anything else as it is.

    from_json: what reads the component of that object of tokenizer.json.
    ValueError for one that has no state, being of the user's own, or one that is not implemented here.
    """
    if not is_of_library(value):
        return value
    try:
        state = value.__getstate__()
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(
            f"a {type(value).__name__} of the library tokenizers cannot be taken ({error}): make one of tokenizers_impl"
        ) from None
    if not isinstance(state, bytes):
        return value
    # Not as a file is read: the digits are those of the number itself.
    return from_json(json.loads(state))


def own_token(value: Any, kind: Callable[..., T]) -> T | Any:
    """An AddedToken of the library as ours, which `kind` makes of its fields; anything else as it is."""
    return kind(**value.__getstate__()) if is_of_library(value, "AddedToken") else value
