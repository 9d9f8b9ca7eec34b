"""A token that is matched in the text before the model runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any

from .component import is_of_library
from .options import LARGEST_ID, as_list, checked_token, plain

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True, repr=False)
class AddedToken:
    """A token that is matched in the text, with the options of `tokenizers.AddedToken` 0.23.3.

    content: the text of the token; an empty one is never matched.
    single_word: match only if no word character is next to the token.
    lstrip, rstrip: whether the match includes the white space on the left, on the right.
    normalized: match the token's normal form in normalized text; None: True unless special.
    special: whether `decode` skips the token.
    Tokens are immutable.  ValueError for content that is not a string or has a lone surrogate, or a flag that is not
    a bool.

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
    # Whether `normalized` was None, so that it follows `special` even if that is set later.
    _follows: bool = field(init=False, default=False, compare=False)

    def __post_init__(self) -> None:
        # str() converts numpy's strings.
        object.__setattr__(self, "content", str(checked_token(self.content)))
        if any("\ud800" <= char <= "\udfff" for char in self.content):
            raise ValueError(f"the token {self.content!r} holds a lone surrogate, which UTF-8 cannot encode: remove it")
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
        """Return the fields, as in the library; `__reduce__` also keeps whether `normalized` follows `special`."""
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
        """Return the token with special=True; `normalized` becomes False unless it was given."""
        return replace(self, special=True, normalized=None if self._follows else self.normalized)

    @classmethod
    def special_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """Convert strings to special tokens and mark AddedTokens as special; these keep their other flags."""
        own = cls._own(tokens)
        return [token.as_special() if isinstance(token, AddedToken) else cls(token, special=True) for token in own]

    @classmethod
    def ordinary_tokens(cls, tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
        """Convert strings to tokens that are not special; AddedTokens stay as they are."""
        return [token if isinstance(token, AddedToken) else cls(token) for token in cls._own(tokens)]

    @classmethod
    def _own(cls, tokens: Iterable[Any]) -> list[Any]:
        """The tokens as a list, with those of the library `tokenizers` converted; ValueError unless it is a list."""
        listed = as_list("the tokens are", tokens, "strings or AddedTokens")
        return [cls(**each.__getstate__()) if is_of_library(each, "AddedToken") else each for each in listed]

    def to_json(self, id: int) -> dict[str, Any]:
        """Return the token's object in the `added_tokens` of tokenizer.json."""
        return {"id": id, "content": self.content, **{name: getattr(self, name) for name in _FLAGS}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AddedToken:
        """Read such an object; ValueError names a key that is missing or invalid."""
        if not isinstance(data, Mapping):
            raise ValueError(f"the added token {str(data)[:80]} is not an object")
        names = [each.name for each in fields(cls) if each.init]
        if missing := [name for name in names if name not in data]:
            raise ValueError(f"the added token {str(data)[:80]} lacks the key {missing[0]}")
        for name in names:
            if not isinstance(data[name], str if name == "content" else bool):
                kind = "a string" if name == "content" else "true or false"
                raise ValueError(f"{name} of the added token {str(data)[:80]} is {data[name]!r}: give {kind}")
        # Ids are assigned anew, but the library refuses a file with another value than an id.
        id = data.get("id")
        if type(id) is not int or not 0 <= id <= LARGEST_ID:
            shown = f"id of the added token {str(data)[:80]} is {str(id)[:80]}"
            raise ValueError(f"{shown}: give a whole number from 0 to {LARGEST_ID}")
        return cls(**{name: data[name] for name in names})


def _unpickled(options: dict[str, Any]) -> AddedToken:
    return AddedToken(**options)
