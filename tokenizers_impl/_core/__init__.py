"""The base of all other modules: arrays, options, components, files, threads."""

from __future__ import annotations

_NOT_IMPLEMENTED = {
    "tokenizers_impl.tools": "instead of its EncodingVisualizer use Tokenizer.picture",
    "tokenizers_impl.trainers.ParityBpeTrainer": "BpeTrainer learns from one corpus",
}


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that a module lacks; it tells where the supported names of the library are listed."""
    if instead := _NOT_IMPLEMENTED.get(f"{module}.{name}"):
        listed = "Coverage in tokenizers_impl/README.md lists what is"
        return AttributeError(f"{module}.{name} is not implemented ({instead}): {listed}")
    return AttributeError(f"module {module!r} has no attribute {name!r}")
