"""Added tokens of a tokenizer: their ids, where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._added_token import AddedToken
from ._arrays import text_of
from ._splits import TEXT, Splits
from .models._model import Model

Normalize = Callable[[str], str]


@dataclass(frozen=True)
class Finder:
    """Finds strings in texts: of those that begin at a place the longest, from left to right.

    ids: from string to the id of its token.
    """

    ids: Mapping[str, int]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, ids: Mapping[str, int]) -> Finder:
        """A finder of these strings; the empty one is never found."""
        found = {content: id for content, id in ids.items() if content}
        return cls(found, re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True)))))

    def cut(self, splits: Splits) -> Splits:
        """The splits with every such string as a split of its own."""
        text = text_of(splits.chars) if self.ids else ""
        if not any(content in text for content in self.ids):
            return splits
        starts, ends, parent, added = np.array(list(self._cuts(splits, text)), np.int64).reshape(-1, 4).T
        return splits.recut(starts, ends, parent)._replace(added=added.astype(np.int32))

    def _cuts(self, splits: Splits, text: str) -> Iterator[tuple[int, int, int, int]]:
        """Start, end, split and id of every string found, and of the text between; nothing empty."""
        bounds = zip(splits.starts.tolist(), splits.ends.tolist(), splits.added.tolist(), strict=True)
        for j, (start, end, added) in enumerate(bounds):
            done = start
            for match in self.pattern.finditer(text, start, end) if added == TEXT else ():
                if match.start() > done:
                    yield done, match.start(), j, TEXT
                yield match.start(), match.end(), j, self.ids[match.group()]
                done = match.end()
            if done < end:
                yield done, end, j, added


@dataclass(frozen=True)
class AddedVocabulary:
    """Added tokens, never changed, only replaced.

    tokens: by id, ascending.  ids: from content to id.  shown: by id, as encoding and decoding show the token: what the
    normalizer makes of it, if it is looked for in normalised text.  skipped: the ids that `skip_special_tokens` means.
    raw, normalized: what is looked for before the normalizer, and after it.
    """

    tokens: Mapping[int, AddedToken]
    ids: Mapping[str, int]
    shown: Mapping[int, str]
    skipped: frozenset[int]
    raw: Finder
    normalized: Finder

    @classmethod
    def of(cls, tokens: Mapping[int, AddedToken], normalize: Normalize) -> AddedVocabulary:
        """These tokens by id."""
        ordered = dict(sorted(tokens.items()))
        shown = {id: normalize(token.content) if token.normalized else token.content for id, token in ordered.items()}
        # A special token whose name the normalizer changes is shown otherwise, and then not skipped, as in the library.
        special = {token.content for token in ordered.values() if token.special}
        finders: list[dict[str, int]] = [{}, {}]
        # Of tokens that the normalizer makes equal the library finds any; here special ones come first, then by id.
        for id, token in sorted(ordered.items(), key=lambda item: not item[1].special):
            finders[bool(token.normalized)].setdefault(shown[id], id)
        return cls(
            ordered,
            {token.content: id for id, token in ordered.items()},
            shown,
            frozenset(id for id, text in shown.items() if text in special),
            *map(Finder.of, finders),
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
        return AddedVocabulary.of(by_id, normalize), changed

    def to_json(self) -> list[dict[str, Any]]:
        """The `added_tokens` of tokenizer.json."""
        return [token.to_json(id) for id, token in self.tokens.items()]


def _has_content(token: AddedToken) -> bool:
    return token.content != ""
