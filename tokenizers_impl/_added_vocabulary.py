"""Added tokens of a tokenizer: their ids, where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ._added_token import AddedToken
from ._arrays import text_of
from ._splits import TEXT, Splits
from .models._model import Model


class AddedVocabulary(NamedTuple):
    """Added tokens by id, ascending; never changed, only replaced."""

    tokens: dict[int, AddedToken]

    def with_tokens(self, tokens: Iterable[AddedToken], model: Model) -> tuple[AddedVocabulary, int]:
        """These tokens too, and how many of them changed anything; one without a character does not.

        A token of the model keeps its id, any other gets the next free one.
        """
        by_id, ids, changed = dict(self.tokens), self.ids(), 0
        free = max([model.get_vocab_size(), *(id + 1 for id in by_id)])
        for token in filter(_has_content, tokens):
            known = ids.get(token.content, model.token_to_id(token.content))
            id = free if known is None else known
            changed += by_id.get(id) != token
            free += known is None
            by_id[id], ids[token.content] = token, id
        return AddedVocabulary(dict(sorted(by_id.items()))), changed

    def ids(self) -> dict[str, int]:
        """From content to id."""
        return {token.content: id for id, token in self.tokens.items()}

    def shown(self, normalize: Callable[[str], str]) -> dict[int, str]:
        """Each token as an encoding shows it: as it was found."""
        return {
            id: normalize(token.content) if token.normalized else token.content for id, token in self.tokens.items()
        }

    def special_ids(self) -> set[int]:
        """The ids that `skip_special_tokens` leaves out."""
        return {id for id, token in self.tokens.items() if token.special}

    def found_in(self, splits: Splits, *, normalized: bool, normalize: Callable[[str], str]) -> Splits:
        """The splits with every added token as a split of its own; of those tokens that are looked for at this stage.

        normalized: the stage, before or after the normalizer; `normalize` is what it makes of the token itself.
        Of the tokens that begin at a place the longest is taken, from left to right.
        """
        asked = [(id, token) for id, token in self.tokens.items() if bool(token.normalized) == normalized]
        contents: dict[str, int] = {}
        # Of tokens that the normalizer makes equal the library finds any; here special ones come first, then by id.
        for id, token in sorted(asked, key=lambda item: not item[1].special):
            contents.setdefault(normalize(token.content) if normalized else token.content, id)
        contents.pop("", None)
        text = text_of(splits.chars) if contents else ""
        if not any(content in text for content in contents):
            return splits
        pattern = re.compile("|".join(map(re.escape, sorted(contents, key=len, reverse=True))))
        cuts = np.array(list(_cuts(splits, text, pattern, contents)), np.int64).reshape(-1, 4)
        starts, ends, parent, added = cuts.T
        return splits.recut(starts, ends, parent)._replace(added=added.astype(np.int32))

    def to_json(self) -> list[dict[str, Any]]:
        """The `added_tokens` of tokenizer.json."""
        return [token.to_json(id) for id, token in self.tokens.items()]


def _has_content(token: AddedToken) -> bool:
    return token.content != ""


def _cuts(
    splits: Splits, text: str, pattern: re.Pattern[str], contents: dict[str, int]
) -> Iterator[tuple[int, int, int, int]]:
    """Start, end, split and id of every token found, and of the text between; nothing empty."""
    bounds = zip(splits.starts.tolist(), splits.ends.tolist(), splits.added.tolist(), strict=True)
    for j, (start, end, added) in enumerate(bounds):
        done = start
        for match in pattern.finditer(text, start, end) if added == TEXT else ():
            if match.start() > done:
                yield done, match.start(), j, TEXT
            yield match.start(), match.end(), j, contents[match.group()]
            done = match.end()
        if done < end:
            yield done, end, j, added
