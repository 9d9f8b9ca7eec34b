"""The added tokens of a tokenizer: their ids, their texts, and finding them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.added_token import AddedToken
from .._core.arrays import I32, I64, U8, U32, Bools
from .._text.splits import TEXT, Splits
from .._text.trie import ABSENT, ROOT, Trie, step
from .._text.unicode import SPACE, WORD, character_classes
from ..models._model import Model
from ..normalizers import Normalizer

# --- The vocabulary of added tokens


@dataclass(frozen=True)
class AddedVocabulary:
    """An immutable vocabulary of added tokens.

    tokens: by id, ascending.  ids: from content to id, including tokens whose id another token took over.
    forms: by id, the normal forms that differ from the content, of tokens that are (or were, before they were added
      again) matched in normalized text.
    shown: by id, the text of the token in an Encoding: its form, if it is matched in normalized text.
    special: the contents of special tokens; decoding with `skip_special_tokens` skips tokens with these texts.
    raw, normalized: the finders of tokens before and after the normalizer.
    strips: whether the match of any token includes white space.
    encode_special_tokens: whether special tokens are encoded like any other text.
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
        normalizer: Normalizer | None,
        *,
        encode_special_tokens: bool = False,
        ids: Mapping[str, int] | None = None,
        forms: Mapping[int, str] | None = None,
    ) -> AddedVocabulary:
        """Build a vocabulary from tokens by id; ids, forms: those of an earlier vocabulary."""
        ordered = dict(sorted(tokens.items()))
        contents = {id: token.content for id, token in ordered.items()}
        normalized = {id: contents[id] for id, token in ordered.items() if token.normalized}
        known = {**(forms or {}), **_forms(normalized, normalizer)}
        shown = contents | {id: known[id] for id in normalized if id in known}
        found: list[dict[str, tuple[int, int]]] = [{}, {}]
        # Of tokens with equal normal forms, special ones win, then smaller ids; the library may find any of them.
        for id, token in sorted(ordered.items(), key=lambda item: not item[1].special):
            found[bool(token.normalized)].setdefault(shown[id], (id, _flags(token, encode_special_tokens)))
        return cls(
            ordered,
            {content: id for id, content in contents.items()} if ids is None else ids,
            known,
            shown,
            # As in the library, a special token that is shown by a different normal form is not skipped.
            frozenset(token.content for token in ordered.values() if token.special),
            TokenFinder.of(found[False]),
            TokenFinder.of(found[True]),
            any(token.lstrip or token.rstrip for token in ordered.values()),
            encode_special_tokens,
        )

    def with_tokens(
        self, tokens: Iterable[AddedToken], model: Model, normalizer: Normalizer | None
    ) -> tuple[AddedVocabulary, int]:
        """Add tokens; returns the new vocabulary and how many tokens are new or changed.  Empty tokens are skipped.

        A token of the model keeps its id; any other gets the next free id.
        """
        by_id, ids, changed = dict(self.tokens), dict(self.ids), 0
        lost: dict[int, str] = {}
        free = max([model.get_vocab_size(), *(id + 1 for id in by_id)])
        for token in tokens:
            if token.content == "":
                continue
            known = ids.get(token.content, model.token_to_id(token.content))
            id = free if known is None else known
            former = by_id.get(id)
            changed += former != token
            if former is not None and former.normalized:
                lost[id] = former.content
            free += known is None
            by_id[id], ids[token.content] = token, id
        forms = {**self.forms, **_forms(lost, normalizer)}
        flag = self.encode_special_tokens
        return AddedVocabulary.of(by_id, normalizer, encode_special_tokens=flag, ids=ids, forms=forms), changed

    def with_normalizer(self, normalizer: Normalizer | None) -> AddedVocabulary:
        """Replace the normalizer."""
        flag = self.encode_special_tokens
        return AddedVocabulary.of(self.tokens, normalizer, encode_special_tokens=flag, ids=self.ids)

    def encoding_special_tokens(self, flag: bool, normalizer: Normalizer | None) -> AddedVocabulary:
        """Replace encode_special_tokens."""
        return AddedVocabulary.of(self.tokens, normalizer, encode_special_tokens=flag, ids=self.ids, forms=self.forms)

    def to_state(self) -> tuple[Any, ...]:
        """The state for a pickle: the tokens without their finders."""
        return dict(self.tokens), dict(self.ids), dict(self.forms), self.encode_special_tokens

    @classmethod
    def from_state(cls, state: tuple[Any, ...], normalizer: Normalizer | None) -> AddedVocabulary:
        """Restore the vocabulary of a pickle."""
        tokens, ids, forms, flag = state
        return cls.of(tokens, normalizer, encode_special_tokens=flag, ids=ids, forms=forms)

    def name(self, id: int) -> str | None:
        """The text of a token in decoding, None if no added token has this id."""
        token = self.tokens.get(id)
        return None if token is None else self.forms.get(id, token.content)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the `added_tokens` of tokenizer.json."""
        return [token.to_json(id) for id, token in self.tokens.items()]


def _forms(contents: Mapping[int, str], normalizer: Normalizer | None) -> dict[int, str]:
    """The normal forms of tokens, by id; only those that differ from the content."""
    if not contents or normalizer is None:
        return {}
    splits = Splits.of(list(contents.values()), offsets=normalizer.is_custom)
    forms = zip(contents.items(), normalizer.normalize_splits(splits).texts(), strict=True)
    return {id: form for (id, content), form in forms if form != content}


def _flags(token: AddedToken, encode_special_tokens: bool) -> int:
    return (
        SINGLE_WORD * token.single_word
        | LSTRIP * token.lstrip
        | RSTRIP * token.rstrip
        | IGNORED * (encode_special_tokens and token.special)
    )


# --- Finding added tokens in texts

# The bits of a token's flags.  A match with IGNORED is text, and is skipped as a whole.
SINGLE_WORD, LSTRIP, RSTRIP, IGNORED = 1, 2, 4, 8
# The last eight bits of a first character suffice to skip most of a text quickly.
_FIRST_BITS = 255
# So many first characters are looked for in a text in less time than a kernel takes.
_FEW = 8


@dataclass(frozen=True)
class TokenFinder:
    """Finds t tokens from left to right; at each position the longest one matches.

    trie: from the characters of a token to its number.  begins: shape (256,); the last eight bits of first characters.
    firsts: the first characters, without duplicates.
    ids: int32, shape (t,).  flags: uint8, shape (t,).  has_flags: whether any token has a flag.
    crosses_spaces: whether a match of any token may go on after a space that follows another character.
    """

    trie: Trie
    begins: Bools
    firsts: str
    ids: I32
    flags: U8
    has_flags: bool
    crosses_spaces: bool

    @classmethod
    def of(cls, tokens: Mapping[str, tuple[int, int]]) -> TokenFinder:
        """Build a finder of strings with their ids and flags; an empty string is never found."""
        found = {content: each for content, each in tokens.items() if content}
        begins = np.zeros(_FIRST_BITS + 1, np.bool_)
        firsts = "".join(dict.fromkeys(content[0] for content in found))
        begins[[ord(char) & _FIRST_BITS for char in firsts]] = True
        ids, flags = ([each[i] for each in found.values()] for i in (0, 1))
        trie = Trie.of({content: number for number, content in enumerate(found)})
        crosses_spaces = any(" " in content or flag & RSTRIP for content, (_, flag) in found.items())
        listed = np.array(ids, np.int32), np.array(flags, np.uint8)
        return cls(trie, begins, firsts, *listed, any(flags), crosses_spaces)

    def is_idle(self, text: str) -> bool:
        """Whether the text has the first character of no token; False if these characters are many."""
        return len(self.firsts) <= _FEW and not any(char in text for char in self.firsts)

    def cut(self, splits: Splits) -> Splits:
        """Make every token in the splits a separate split; without any token the splits are returned unchanged."""
        if len(self.ids) == 0:
            return splits
        cuts, size, found = self._cuts(splits, 2 * len(splits.starts) + 64)
        if not found:
            return splits
        if size > len(cuts):
            cuts, *_ = self._cuts(splits, size)
        starts, ends, parent, added = np.ascontiguousarray(cuts[:size].T)
        return _disjoint(splits.recut(starts, ends, parent)._replace(added=added.astype(np.int32)))

    def _cuts(self, splits: Splits, room: int) -> tuple[I64, int, bool]:
        """Up to `room` cuts (see `_find`), how many there are, and whether there is any token."""
        texts = splits.chars, splits.starts, splits.ends, splits.added
        trie, flags = self.trie, self.flags
        classes = character_classes() if self.has_flags else np.empty(0, np.uint8)
        cuts = np.empty((room, 4), np.int64)
        size, found = _find(*texts, trie.edges, trie.ids, self.begins, self.ids, flags, classes, cuts)
        return cuts, size, found


def _disjoint(splits: Splits) -> Splits:
    """Copy splits that overlap, because a token includes white space that another token also contains."""
    if not np.any(splits.starts[1:] < splits.ends[:-1]):
        return splits
    lengths = splits.ends - splits.starts
    splits.check_room(int(lengths.sum()))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    source = np.repeat(splits.starts - starts, lengths) + np.arange(lengths.sum())
    return splits.rewritten(splits.chars[source], source.astype(np.int32), starts, ends)


@kernel
def _find(
    chars: U32,
    starts: I64,
    ends: I64,
    added: I32,
    edges: I64,
    numbers: I32,
    begins: Bools,
    ids: I32,
    flags: U8,
    classes: U8,
    cuts: I64,
) -> tuple[int, bool]:
    """Write the cuts, as far as there is room; returns their number, and whether there is any token.

    A row of `cuts` has the start, the end, the number of the split, and the token's id or TEXT.
    """
    size, found = 0, False
    for j in range(len(starts)):
        done, i, blank = starts[j], starts[j], starts[j]
        while added[j] == TEXT and i < ends[j]:
            token, end = ABSENT, i + 1
            if begins[chars[i] & _FIRST_BITS]:
                token, end = _longest(chars, i, ends[j], edges, numbers)
            if token != ABSENT and _counts(chars, starts[j], i, end, ends[j], flags[token], classes):
                first, last = i, end
                if flags[token] & RSTRIP:
                    # White space that the token before has scanned is not scanned again.
                    blank = _after_space(chars, max(end, blank), ends[j], classes)
                    last = blank
                if flags[token] & LSTRIP:
                    first = _before_space(chars, i, last, max(starts[j], done), classes)
                if done < first:
                    size = _put(cuts, size, done, first, j, TEXT)
                if first < last:
                    size = _put(cuts, size, first, last, j, ids[token])
                done, found = last, True
            i = end
        if done < ends[j]:
            size = _put(cuts, size, done, ends[j], j, added[j])
    return size, found


@inner_kernel
def _longest(chars: U32, start: int, end: int, edges: I64, numbers: I32) -> tuple[int, int]:
    """The longest token that begins at `start` and its end; (ABSENT, start + 1) without a match."""
    node, i = ROOT, start
    token, token_end = ABSENT, start + 1
    while i < end:
        node = step(edges, node, int(chars[i]))
        if node == ABSENT:
            break
        i += 1
        if numbers[node] != ABSENT:
            token, token_end = int(numbers[node]), i
    return token, token_end


@inner_kernel
def _counts(chars: U32, first: int, start: int, end: int, last: int, flags: int, classes: U8) -> bool:
    """Whether the flags of a token allow its match at start:end in the text first:last."""
    if flags & IGNORED:
        return False
    if flags & SINGLE_WORD:
        if start > first and classes[chars[start - 1]] & WORD:
            return False
        return end == last or not classes[chars[end]] & WORD
    return True


@inner_kernel
def _before_space(chars: U32, start: int, end: int, least: int, classes: U8) -> int:
    """The start of the white space before the token start:end, at least `least`.

    A token that begins in white space of the token before it starts after that white space.  A token that lies wholly
    in it keeps its start; the library panics there.
    """
    if start < least:
        return least if least <= end else start
    while start > least and classes[chars[start - 1]] & SPACE:
        start -= 1
    return start


@inner_kernel
def _after_space(chars: U32, end: int, last: int, classes: U8) -> int:
    """The end of the white space that starts at `end`."""
    while end < last and classes[chars[end]] & SPACE:
        end += 1
    return end


@inner_kernel
def _put(cuts: I64, size: int, start: int, end: int, parent: int, added: int) -> int:
    if size < len(cuts):
        cuts[size, 0], cuts[size, 1], cuts[size, 2], cuts[size, 3] = start, end, parent, added
    return size + 1
