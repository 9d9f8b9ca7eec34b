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

    tokens: by id, ascending.  ids: from content to id.  shown: by id, as encoding and decoding show the token: what the
    normalizer makes of it, if it is looked for in normalised text.  skipped: the ids that `skip_special_tokens` means.
    raw, normalized: what is looked for before the normalizer, and after it.  strips: whether a token takes white space
    along.  encode_special_tokens: whether special tokens are text like any other.
    """

    tokens: Mapping[int, AddedToken]
    ids: Mapping[str, int]
    shown: Mapping[int, str]
    skipped: frozenset[int]
    raw: TokenFinder
    normalized: TokenFinder
    strips: bool
    encode_special_tokens: bool

    @classmethod
    def of(
        cls, tokens: Mapping[int, AddedToken], normalize: Normalize, *, encode_special_tokens: bool = False
    ) -> AddedVocabulary:
        """These tokens by id."""
        ordered = dict(sorted(tokens.items()))
        shown = _shown(ordered, normalize)
        # A special token whose name the normalizer changes is shown otherwise, and then not skipped, as in the library.
        special = {token.content for token in ordered.values() if token.special}
        found: list[dict[str, tuple[int, int]]] = [{}, {}]
        # Of tokens that the normalizer makes equal the library finds any; here special ones come first, then by id.
        for id, token in sorted(ordered.items(), key=lambda item: not item[1].special):
            found[bool(token.normalized)].setdefault(shown[id], (id, _flags(token, encode_special_tokens)))
        return cls(
            ordered,
            {token.content: id for id, token in ordered.items()},
            shown,
            frozenset(id for id, text in shown.items() if text in special),
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
        free = max([model.get_vocab_size(), *(id + 1 for id in by_id)])
        for token in filter(_has_content, tokens):
            known = ids.get(token.content, model.token_to_id(token.content))
            id = free if known is None else known
            changed += by_id.get(id) != token
            free += known is None
            by_id[id], ids[token.content] = token, id
        return AddedVocabulary.of(by_id, normalize, encode_special_tokens=self.encode_special_tokens), changed

    def to_json(self) -> list[dict[str, Any]]:
        """The `added_tokens` of tokenizer.json."""
        return [token.to_json(id) for id, token in self.tokens.items()]


def _shown(tokens: Mapping[int, AddedToken], normalize: Normalize) -> dict[int, str]:
    """The name of every token by id, all normalised at once."""
    normalized = [id for id, token in tokens.items() if token.normalized]
    names = normalize([tokens[id].content for id in normalized]) if normalized else []
    return {id: token.content for id, token in tokens.items()} | dict(zip(normalized, names, strict=True))


def _flags(token: AddedToken, encode_special_tokens: bool) -> int:
    return (
        SINGLE_WORD * token.single_word
        | LSTRIP * token.lstrip
        | RSTRIP * token.rstrip
        | IGNORED * (encode_special_tokens and token.special)
    )


def _has_content(token: AddedToken) -> bool:
    return token.content != ""
