"""What the strings of either library do when each of their methods is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenizer_samples import TEXT, held

# From a method to what it is called with.
CHANGES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("clear", "lowercase", "lstrip", "nfc", "nfd", "nfkc", "nfkd", "rstrip", "strip", "uppercase"), ()),
    "append": ("é",),
    "filter": (str.isalpha,),
    "map": (lambda char: "x" if char == "é" else char,),
    "prepend": ("é",),
    "replace": ("e", "é"),
}


def changed(name: str) -> Callable[[Any, str, Any], Any]:
    """What the method makes of a text."""

    def scenario(library: Any, row: str, it: Any) -> Any:
        getattr(it, name)(*CHANGES[name])
        return string(it)

    return scenario


def string(it: Any) -> Any:
    """What a text is, and where its characters come from."""
    return str(it), it.original, [it.slice((i, i + 1)).original for i in range(len(str(it)))]


def seen(library: Any, row: str, it: Any) -> list[str]:
    chars: list[str] = []
    it.for_each(chars.append)
    return chars


def cut(library: Any, it: Any) -> Any:
    """A text in words, each of them a token."""
    it.split(lambda i, split: split.split(" ", "removed"))
    it.normalize(lambda split: split.uppercase())
    it.tokenize(lambda text: [library.Token(0, text, (0, len(text.encode())))])
    return it


def splits(it: Any) -> Any:
    """All that a text in splits tells of them."""
    asked = (("original", "char"), ("original", "byte"), ("normalized", "byte"))
    found = [split for each in asked for split in it.get_splits(*each)]
    return [(text, offsets, tokens and [each.as_tuple() for each in tokens]) for text, offsets, tokens in found]


STRING_METHODS: dict[str, Callable[[Any, str, Any], Any]] = {
    **{f"NormalizedString.{name}": changed(name) for name in CHANGES},
    "NormalizedString.for_each": seen,
    "NormalizedString.slice": lambda library, row, it: [
        string(part) if part else part for part in map(it.slice, (1, (2, 4), slice(3, 9), 99))
    ],
    "NormalizedString.split": lambda library, row, it: [string(part) for part in it.split(" ", "merged_with_next")],
    "NormalizedString.()": lambda library, row, it: string(it),
    "Token.as_tuple": lambda library, row, it: it.as_tuple(),
    "Token.()": lambda library, row, it: it.as_tuple(),
    "PreTokenizedString.get_splits": lambda library, row, it: splits(cut(library, it)),
    "PreTokenizedString.normalize": lambda library, row, it: (it.normalize(lambda text: text.nfd()), splits(it)),
    "PreTokenizedString.split": lambda library, row, it: (
        it.split(lambda i, text: [text.slice((0, 2)), text.slice((3, len(TEXT)))]),
        splits(it),
    ),
    "PreTokenizedString.to_encoding": lambda library, row, it: held(cut(library, it).to_encoding(1, 2)),
    "PreTokenizedString.tokenize": lambda library, row, it: splits(cut(library, it)),
    "PreTokenizedString.()": lambda library, row, it: splits(it),
    **{
        f"{name}.()": lambda library, row, it: [(each.name, each.value) for each in it]
        for name in ("OffsetReferential", "OffsetType", "SplitDelimiterBehavior")
    },
}
