"""A token that is looked for in the text before the model sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any

from .component import is_of_library
from .options import as_list, checked_token, plain

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True, repr=False)
class AddedToken:
    """A token with the flags of `tokenizers.AddedToken`, and its defaults.

    single_word: found only where no word character stands beside it.  lstrip, rstrip: takes the white space on its
    left, on its right along.  normalized: looked for, in its normal form, after the normalizer; by default what is not
    special is.  special: left out by `decode`.

    >>> AddedToken("[CLS]", special=True)
    AddedToken("[CLS]", rstrip=False, lstrip=False, single_word=False, normalized=False, special=True)
    """

    content: str = ""
    _: KW_ONLY
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool | None = None
    special: bool = False
    # Whether `normalized` was left to follow `special`, also where that is set later.
    _follows: bool = field(init=False, default=False, compare=False)

    def __post_init__(self) -> None:
        # A string of numpy is one, too.
        object.__setattr__(self, "content", str(checked_token(self.content)))
        if any("\ud800" <= char <= "\udfff" for char in self.content):
            raise ValueError(f"the token {self.content!r} holds a lone surrogate, which UTF-8 lacks: leave it out")
        for name in _FLAGS:
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, plain(value, bool | None if name == "normalized" else bool))
            except TypeError:
                raise ValueError(f"{name} of the token {self.content!r} is {value!r}: give True or False") from None
        if self.normalized is None:
            object.__setattr__(self, "_follows", True)
            object.__setattr__(self, "normalized", not self.special)

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, as the library's gives them; a pickle knows whether `normalized` follows `special`, too."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.__getstate__() | ({"normalized": None} if self._follows else {}),)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized", "special")
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in flags)
        return f'AddedToken("{self.content}", {shown})'

    def as_special(self) -> AddedToken:
        """The same token, special; not normalized, unless it was asked for."""
        return replace(self, special=True, normalized=None if self._follows else self.normalized)

    @classmethod
    def special_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """These tokens marked special; what is a token already keeps its other flags."""
        own = cls._own(tokens)
        return [token.as_special() if isinstance(token, AddedToken) else cls(token, special=True) for token in own]

    @classmethod
    def ordinary_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """Strings become tokens that are not special; what is a token already stays as it is."""
        return [token if isinstance(token, AddedToken) else cls(token) for token in cls._own(tokens)]

    @classmethod
    def _own(cls, tokens: Iterable[Any]) -> list[Any]:
        """A list of them, those of the library `tokenizers` as ours; ValueError for what is no list."""
        listed = as_list("the tokens are", tokens, "strings or AddedTokens")
        return [cls(**each.__getstate__()) if is_of_library(each, "AddedToken") else each for each in listed]

    def to_json(self, id: int) -> dict[str, Any]:
        """The object of `added_tokens` in tokenizer.json."""
        return {"id": id, "content": self.content, **{name: getattr(self, name) for name in _FLAGS}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AddedToken:
        """The way back; ValueError names what is missing."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the added token {str(data)[:80]} is no object")
        names = [each.name for each in fields(cls) if each.init]
        if missing := [name for name in names if name not in data]:
            raise ValueError(f"the added token {str(data)[:80]} has no {missing[0]}")
        for name in names:
            if not isinstance(data[name], str if name == "content" else bool):
                raise ValueError(f"{name} of the added token {str(data)[:80]} is {data[name]!r}")
        return cls(**{name: data[name] for name in names})


def _unpickled(options: dict[str, Any]) -> AddedToken:
    return AddedToken(**options)
