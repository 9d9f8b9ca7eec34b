"""A token that is looked for in the text before the model sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any


@dataclass(frozen=True)
class AddedToken:
    """A token with the flags of `tokenizers.AddedToken`, and its defaults.

    >>> AddedToken("[CLS]", special=True).content
    '[CLS]'
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool | None = None
    special: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise ValueError(f"the token is {self.content!r}: give a string")
        if any("\ud800" <= char <= "\udfff" for char in self.content):
            raise ValueError(f"the token {self.content!r} holds a lone surrogate, which UTF-8 lacks: leave it out")
        for name in ("single_word", "lstrip", "rstrip"):
            if getattr(self, name):
                raise ValueError(f"{name}=True of the token {self.content!r} is not implemented: leave it False")
        if self.normalized is None:
            object.__setattr__(self, "normalized", not self.special)

    @classmethod
    def special_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """These tokens marked special; what is a token already keeps its other flags."""
        _refuse_string(tokens)
        return [
            replace(token, special=True) if isinstance(token, AddedToken) else cls(token, special=True)
            for token in tokens
        ]

    @classmethod
    def ordinary_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """Strings become tokens that are not special; what is a token already stays as it is."""
        _refuse_string(tokens)
        return [token if isinstance(token, AddedToken) else cls(token) for token in tokens]

    def to_json(self, id: int) -> dict[str, Any]:
        """The object of `added_tokens` in tokenizer.json."""
        return {"id": id, **asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AddedToken:
        """The way back; ValueError names what is missing."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the added token {str(data)[:80]} is no object")
        if missing := [field.name for field in fields(cls) if field.name not in data]:
            raise ValueError(f"the added token {str(data)[:80]} has no {missing[0]}")
        for field in fields(cls):
            if not isinstance(data[field.name], str if field.name == "content" else bool):
                raise ValueError(f"{field.name} of the added token {str(data)[:80]} is {data[field.name]!r}")
        return cls(**{field.name: data[field.name] for field in fields(cls)})


def _refuse_string(tokens: object) -> None:
    """ValueError for what is no list: the letters of a string would each become a token."""
    if isinstance(tokens, (str, AddedToken)) or not isinstance(tokens, Iterable):
        raise ValueError(f"the tokens are {tokens!r}: give a list of strings or AddedTokens")
