"""Identifies the functions among the options by the code that this process has loaded, for caches.

A pickle holds a module's function by its name alone. The code of the function itself counts here, with that of the
functions and the constants of its module that it names. Not seen are the other modules that it calls, values that
change while it runs, and functions that are not written in Python.
"""

from __future__ import annotations

import functools
import hashlib
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

# Constants with the same repr in every process.
_PLAIN = (str, bytes, int, float, complex, bool, type(None), re.Pattern)


def functions_digest(options: Mapping[str, Any]) -> str:
    """Return a digest of the code of all functions and callable objects among the values; "" if there are none.

    >>> functions_digest({"tokenizer": "13a", "seed": 1}), functions_digest({"transforms": [str.lower]})
    ('', '')
    >>> functions_digest({"tokenizer": lambda text: [text]}) == functions_digest({"tokenizer": lambda text: list(text)})
    False
    """
    seen: set[int] = set()
    facts = [fact for name in sorted(options) for fact in _facts(options[name], seen)]
    return hashlib.sha256(repr(facts).encode()).hexdigest() if facts else ""


def _facts(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yield what identifies the code of a value; each function once, since functions may call each other."""
    if id(value) in seen:
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _facts(item, seen)
    elif isinstance(value, functools.partial):
        yield from _facts([value.func, *value.args, *value.keywords.values()], seen)
    elif isinstance(value, types.MethodType):
        yield from _facts([value.__func__, value.__self__], seen)
    elif isinstance(value, types.FunctionType):
        seen.add(id(value))
        yield from _facts_of_function(value, seen)
    elif isinstance(value, type):
        seen.add(id(value))
        for own in (vars(kind) for kind in value.__mro__ if kind.__module__ == value.__module__):
            yield from _facts([each for each in own.values() if isinstance(each, types.FunctionType)], seen)
    elif callable(value) or hasattr(value, "log_probs"):
        yield from _facts(type(value), seen)


def _facts_of_function(function: types.FunctionType, seen: set[int]) -> Iterator[Any]:
    yield function.__qualname__
    yield repr([_constant(value) for value in function.__defaults__ or ()])
    for code in _codes(function.__code__):
        yield code.co_code, code.co_names, code.co_varnames, [_constant(value) for value in code.co_consts]
        for name in code.co_names:
            named = function.__globals__.get(name)
            if getattr(named, "__module__", None) == function.__module__:
                yield from _facts(named, seen)
            elif (constant := _constant(named)) is not None:
                yield name, constant


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those of the functions defined inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from _codes(value)


def _constant(value: Any) -> str | None:
    """Return the same text in every process for equal constants; None for other values.

    >>> _constant(("a", 1)), _constant(frozenset("ba")), _constant(object())
    ("['a', 1]", "['a', 'b']", None)
    """
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, (tuple, list, set, frozenset, dict)):
        items = [*value.items()] if isinstance(value, dict) else [*value]
        parts = [_constant(item) or "" for item in items]
        return f"[{', '.join(sorted(parts) if isinstance(value, (set, frozenset)) else parts)}]"
    return None
