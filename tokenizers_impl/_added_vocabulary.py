"""Added tokens of a tokenizer: their ids, their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._added_token import AddedToken
from ._token_finder import IGNORED, LSTRIP, RSTRIP, SINGLE_WORD, TokenFinder
from .models._model import Model

Normalize = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class AddedVocabulary:
    """Added tokens, never changed, only replaced.

    tokens: by id, ascending.  ids: from content to id, also those whose id another token has taken over.
    forms: by id, what the normalizer makes of tokens that are looked for in normalised text, or were, until one was
    added with that id again; none where it leaves a token as it is.
    shown: by id, as encoding shows the token: its form, if it is looked for in normalised text.
    special: the contents of special tokens: what decoding calls by one of them `skip_special_tokens` means.
    raw, normalized: what is looked for before the normalizer, and after it.  strips: whether a token takes white space
    along.  encode_special_tokens: whether special tokens are text like any other.
    """

    tokens: Mapping[int, AddedToken]
    ids: Mapping[str, int]
    forms: Mapping[int, str]
    shown: Mapping[int, str]
    special: frozenset[str]
    raw: TokenFinder
    normalized: TokenFinder
    strips: bool
    encode_special_tokens: bool

    @classmethod
    def of(
        cls,
        tokens: Mapping[int, AddedToken],
        normalize: Normalize,
        *,
        encode_special_tokens: bool = False,
        ids: Mapping[str, int] | None = None,
        forms: Mapping[int, str] | None = None,
    ) -> AddedVocabulary:
        """These tokens by id; ids, forms: those that there are already."""
        ordered = dict(sorted(tokens.items()))
        contents = {id: token.content for id, token in ordered.items()}
        normalized = {id: contents[id] for id, token in ordered.items() if token.normalized}
        known = {**(forms or {}), **_forms(normalized, normalize)}
        shown = contents | {id: known[id] for id in normalized if id in known}
        found: list[dict[str, tuple[int, int]]] = [{}, {}]
        # Of tokens that the normalizer makes equal the library finds any; here special ones come first, then by id.
        for id, token in sorted(ordered.items(), key=lambda item: not item[1].special):
            found[bool(token.normalized)].setdefault(shown[id], (id, _flags(token, encode_special_tokens)))
        return cls(
            ordered,
            {content: id for id, content in contents.items()} if ids is None else ids,
            known,
            shown,
            # If the normalizer changes its name, it is shown otherwise, and then not skipped, as in the library.
            frozenset(token.content for token in ordered.values() if token.special),
            TokenFinder.of(found[False]),
            TokenFinder.of(found[True]),
            any(token.lstrip or token.rstrip for token in ordered.values()),
            encode_special_tokens,
        )

    def with_tokens(
        self, tokens: Iterable[AddedToken], model: Model, normalize: Normalize
    ) -> tuple[AddedVocabulary, int]:
        """These tokens too, and how many of them changed anything; one without a character does not.

        A token of the model keeps its id, any other gets the next free one.
        """
        by_id, ids, changed = dict(self.tokens), dict(self.ids), 0
        lost: dict[int, str] = {}
        free = max([model.get_vocab_size(), *(id + 1 for id in by_id)])
        for token in filter(_has_content, tokens):
            known = ids.get(token.content, model.token_to_id(token.content))
            id = free if known is None else known
            former = by_id.get(id)
            changed += former != token
            if former is not None and former.normalized:
                lost[id] = former.content
            free += known is None
            by_id[id], ids[token.content] = token, id
        forms = {**self.forms, **_forms(lost, normalize)}
        flag = self.encode_special_tokens
        return AddedVocabulary.of(by_id, normalize, encode_special_tokens=flag, ids=ids, forms=forms), changed

    def with_normalizer(self, normalize: Normalize) -> AddedVocabulary:
        """The same tokens with another normalizer."""
        return AddedVocabulary.of(
            self.tokens, normalize, encode_special_tokens=self.encode_special_tokens, ids=self.ids
        )

    def encoding_special_tokens(self, flag: bool, normalize: Normalize) -> AddedVocabulary:
        """The same tokens with that flag."""
        return AddedVocabulary.of(self.tokens, normalize, encode_special_tokens=flag, ids=self.ids, forms=self.forms)

    def name(self, id: int) -> str | None:
        """What decoding calls the token of that id; None if there is none."""
        token = self.tokens.get(id)
        return None if token is None else self.forms.get(id, token.content)

    def to_json(self) -> list[dict[str, Any]]:
        """The `added_tokens` of tokenizer.json."""
        return [token.to_json(id) for id, token in self.tokens.items()]


def _forms(contents: Mapping[int, str], normalize: Normalize) -> dict[int, str]:
    """What the normalizer makes of tokens, by id, all at once; nothing where it leaves one as it is."""
    if not contents:
        return {}
    forms = zip(contents.items(), normalize(list(contents.values())), strict=True)
    return {id: form for (id, content), form in forms if form != content}


def _flags(token: AddedToken, encode_special_tokens: bool) -> int:
    return (
        SINGLE_WORD * token.single_word
        | LSTRIP * token.lstrip
        | RSTRIP * token.rstrip
        | IGNORED * (encode_special_tokens and token.special)
    )


def _has_content(token: AddedToken) -> bool:
    return token.content != ""
