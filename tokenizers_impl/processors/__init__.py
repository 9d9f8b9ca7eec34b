"""Post-processors, which add special tokens to the tokens of a text."""

from __future__ import annotations

from typing import Any

from .._core.component import component_from_json, members
from ._post_processor import PostProcessor, Sequence
from ._special_tokens import BertProcessing, ByteLevel, RobertaProcessing
from ._template import TemplateProcessing

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]


def __dir__() -> list[str]:
    return __all__


_READERS = {
    "BertProcessing": BertProcessing.from_json,
    "RobertaProcessing": RobertaProcessing.from_json,
    "TemplateProcessing": TemplateProcessing.from_json,
}


def from_json(data: Any) -> PostProcessor:
    """Read a post-processor from its object of tokenizer.json; ValueError names what is unknown or invalid.

    >>> from_json({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True})
    ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if kind == "Sequence":
        return Sequence.nested(map(from_json, members(data, "processors")))
    if isinstance(kind, str) and kind in _READERS:
        return _READERS[kind](data)
    # The other keys are here for the error message, which lists all types.
    known = dict.fromkeys((*_READERS, "ByteLevel", "Sequence"), ByteLevel)
    found: PostProcessor = component_from_json("post-processor", known, data)
    return found
