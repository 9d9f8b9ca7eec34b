"""Pre-tokenizers that split at kinds of characters, delimiters, scripts, lengths, patterns or spaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from evenscore.kernel import kernel

from .._core.arrays import I32, I64, U8, U32, Bools
from .._core.component import json_form, unchanging
from .._core.options import check_character, choice_of
from .._patterns import Pattern, matches, pattern_from_json, pattern_json
from .._patterns.search import behavior_from_json, behavior_json, chars_in, check_behavior, cut_at
from .._text.splits import BEGINS, INSIDE, REMOVED, TEXT, Splits, cut_at_marks, prepended_once
from .._text.unicode import CODE_POINTS, NUMERIC, PUNCTUATION, SPACE, WORD, character_classes, rows
from ._pre_tokenizer import PreTokenizer

# --- Splitting where the kind of the character changes

# Kinds of characters.  Adjacent characters of one kind stay together, but every ISOLATED character is a split.
_DROPPED, _FIRST, _SECOND, _ISOLATED = 0, 1, 2, 3


@unchanging
@dataclass(frozen=True, repr=False)
class Whitespace(PreTokenizer):
    r"""Splits into the matches of `\\w+|[^\\w\\s]+`, like `tokenizers.pre_tokenizers.Whitespace` 0.23.3.

    >>> Whitespace().pre_tokenize_str("Hi, you!")
    [('Hi', (0, 2)), (',', (2, 3)), ('you', (4, 7)), ('!', (7, 8))]
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because no word holds a space."""
        return True

    def cut(self, splits: Splits) -> Splits:
        """Split into runs of word characters and runs of other characters; drop white space."""
        return cut_at_marks(splits, _mark_kinds, _kinds(WORD, SPACE, _FIRST, _SECOND))


@unchanging
@dataclass(frozen=True, repr=False)
class WhitespaceSplit(PreTokenizer):
    """Splits at white space, like `tokenizers.pre_tokenizers.WhitespaceSplit` 0.23.3.

    >>> WhitespaceSplit().pre_tokenize_str("Hi,  you!")
    [('Hi,', (0, 3)), ('you!', (5, 9))]
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because no word holds a space."""
        return True

    def cut(self, splits: Splits) -> Splits:
        """Split at white space and drop it."""
        return cut_at_marks(splits, _mark_kinds, _kinds(0, SPACE, _FIRST, _FIRST))


@unchanging
@dataclass(frozen=True, repr=False)
class BertPreTokenizer(PreTokenizer):
    """Splits at white space and around punctuation, like `tokenizers.pre_tokenizers.BertPreTokenizer` 0.23.3.

    >>> BertPreTokenizer().pre_tokenize_str("Hi (you)")
    [('Hi', (0, 2)), ('(', (3, 4)), ('you', (4, 7)), (')', (7, 8))]
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because no word holds a space."""
        return True

    def cut(self, splits: Splits) -> Splits:
        """Split at white space and around every punctuation character."""
        return cut_at_marks(splits, _mark_kinds, _kinds(PUNCTUATION, SPACE, _ISOLATED, _FIRST))


@cache
def _kinds(inner: int, dropped: int, kind: int, other_kind: int) -> U8:
    """The kind of every code point: `kind` in class `inner`, _DROPPED in class `dropped`, else `other_kind`."""
    classes = character_classes()
    kinds = np.full(len(classes), other_kind, np.uint8)
    kinds[(classes & dropped) > 0] = _DROPPED
    kinds[(classes & inner) > 0] = kind
    return kinds


@kernel
def _mark_kinds(chars: U32, starts: I64, ends: I64, added: I32, kinds: U8, marks: U8) -> None:
    for j in range(len(starts)):
        if added[j] != TEXT:
            marks[starts[j] : ends[j]] = INSIDE
            marks[starts[j]] = BEGINS
            continue
        before = _DROPPED
        for i in range(starts[j], ends[j]):
            kind = kinds[chars[i]]
            if kind == _DROPPED:
                marks[i] = REMOVED
            elif kind == before and kind != _ISOLATED:
                marks[i] = INSIDE
            else:
                marks[i] = BEGINS
            before = kind


# --- Splitting at characters of a kind


@unchanging
@dataclass(frozen=True, repr=False)
class Punctuation(PreTokenizer):
    """Splits at punctuation, like `tokenizers.pre_tokenizers.Punctuation` 0.23.3.

    behavior: the handling of punctuation characters, as in `Split`.

    >>> Punctuation("contiguous").pre_tokenize_str("Hi (you)...")
    [('Hi ', (0, 3)), ('(', (3, 4)), ('you', (4, 7)), (')...', (7, 11))]
    """

    behavior: str = field(default="isolated", metadata=json_form(write=behavior_json, read=behavior_from_json))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_behavior(self.behavior)

    def cut(self, splits: Splits) -> Splits:
        """Split at punctuation characters."""
        return cut_at(splits, chars_in(splits, _of_class(PUNCTUATION)), self.behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class Digits(PreTokenizer):
    """Splits numbers from other text, like `tokenizers.pre_tokenizers.Digits` 0.23.3; digits are all Unicode numbers.

    individual_digits: whether to make every digit a separate split.

    >>> Digits(individual_digits=True).pre_tokenize_str("in 24")
    [('in ', (0, 3)), ('2', (3, 4)), ('4', (4, 5))]
    """

    individual_digits: bool = False

    def cut(self, splits: Splits) -> Splits:
        """Split at numbers."""
        behavior = "isolated" if self.individual_digits else "contiguous"
        return cut_at(splits, chars_in(splits, _of_class(NUMERIC)), behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class CharDelimiterSplit(PreTokenizer):
    """Splits at a character and drops it, like `tokenizers.pre_tokenizers.CharDelimiterSplit` 0.23.3.

    delimiter: one character.

    >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    delimiter: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_character("delimiter", self.delimiter)

    @property
    def takes_pieces(self) -> bool:
        """Whether the delimiter is a space."""
        return self.delimiter == " "

    def cut(self, splits: Splits) -> Splits:
        """Split at the delimiter."""
        return cut_at(splits, chars_in(splits, _alone(ord(self.delimiter))), "removed")


@cache
def _of_class(wanted: int) -> Bools:
    return character_classes() & wanted > 0


def _alone(code: int) -> Bools:
    table = np.zeros(CODE_POINTS, np.bool_)
    table[code] = True
    return table


# --- Splitting where the script changes

# The script of characters that go with any script: spaces, and code points that the library's table lacks.
_ANY = 0


@unchanging
@dataclass(frozen=True, repr=False)
class UnicodeScripts(PreTokenizer):
    """Splits where the script changes, like `tokenizers.pre_tokenizers.UnicodeScripts` 0.23.3.

    Han, Hiragana and Katakana count as one script, and so do punctuation and digits.  Spaces belong to the split before
    them; at the beginning they are dropped.

    >>> UnicodeScripts().pre_tokenize_str(" どこ go?")
    [('どこ ', (1, 4)), ('go', (4, 6)), ('?', (6, 7))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Split into runs of one script."""
        return cut_at_marks(splits, _mark_scripts, _scripts())


@cache
def _scripts() -> U8:
    """The script of every code point, as a number, shape (0x110000,)."""
    found: dict[str, int] = {}
    table = np.full(CODE_POINTS, _ANY, np.uint8)
    for first, last, sample in rows("unicode_sentencepiece_scripts.txt"):
        table[first : last + 1] = found.setdefault(sample, len(found) + 1)
    return table


@kernel
def _mark_scripts(chars: U32, starts: I64, ends: I64, added: I32, scripts: U8, marks: U8) -> None:
    for j in range(len(starts)):
        before = _ANY
        for i in range(starts[j], ends[j]):
            script = scripts[chars[i]]
            if added[j] != TEXT:
                marks[i] = BEGINS if i == starts[j] else INSIDE
            elif script in (_ANY, before):
                marks[i] = REMOVED if before == _ANY else INSIDE
            else:
                marks[i] = BEGINS
            if script != _ANY:
                before = script


# --- Splitting into fixed lengths


@unchanging
@dataclass(frozen=True, repr=False)
class FixedLength(PreTokenizer):
    """Splits into pieces of `length` characters, like `tokenizers.pre_tokenizers.FixedLength` 0.23.3.

    length: 1 or more; the last piece may be shorter.

    >>> FixedLength(2).pre_tokenize_str("below")
    [('be', (0, 2)), ('lo', (2, 4)), ('w', (4, 5))]
    """

    length: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.length < 1 << 63:
            raise ValueError(f"length={self.length!r}: give a number of characters, 1 or more")

    def cut(self, splits: Splits) -> Splits:
        """Split into pieces of `length` characters."""
        return cut_at_marks(splits, _mark_every, self.length)


@kernel
def _mark_every(chars: U32, starts: I64, ends: I64, added: I32, length: int, marks: U8) -> None:
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            begins = i == starts[j] or (added[j] == TEXT and (i - starts[j]) % length == 0)
            marks[i] = BEGINS if begins else INSIDE


# --- Splitting at a pattern


@unchanging
@dataclass(frozen=True, repr=False)
class Split(PreTokenizer):
    """Splits at the matches of a pattern, like `tokenizers.pre_tokenizers.Split` 0.23.3.

    pattern: a string or a Regex.
    behavior: the handling of a match: "removed", "isolated", "merged_with_previous" or "merged_with_next" text, or
      "contiguous", which joins adjacent matches.
    invert: apply the behavior to the text between matches instead.
    Splitting raises ValueError for a Regex that backtracks too long.

    >>> Split("-", "merged_with_next").pre_tokenize_str("the-final--countdown")
    [('the', (0, 3)), ('-final', (3, 9)), ('-', (9, 10)), ('-countdown', (10, 20))]
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    behavior: str = field(metadata=json_form(write=behavior_json, read=behavior_from_json))
    invert: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_behavior(self.behavior)

    def cut(self, splits: Splits) -> Splits:
        """Split at all matches."""
        found = matches(self.pattern, splits)
        timed = splits if found.spent == splits.spent else splits._replace(spent=found.spent)
        return cut_at(timed, found, self.behavior, invert=self.invert)


# --- SentencePiece's words: a visible character instead of the space before a word

PREPEND_SCHEMES = ("always", "first", "never")


@unchanging
@dataclass(frozen=True, repr=False)
class Metaspace(PreTokenizer):
    """Replaces spaces and splits before them, like `tokenizers.pre_tokenizers.Metaspace` 0.23.3.

    replacement: one character.
    prepend_scheme: whether to prepend it to a text that does not begin with it: "always", "first" (only at the very
      beginning of the input) or "never".
    split: whether to split.

    >>> Metaspace().pre_tokenize_str("Hi you")
    [('▁Hi', (0, 2)), ('▁you', (2, 6))]
    """

    replacement: str = "▁"
    prepend_scheme: str = field(default="always", metadata=json_form(read=choice_of))
    split: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_character("replacement", self.replacement)
        if self.prepend_scheme not in PREPEND_SCHEMES:
            raise ValueError(f"prepend_scheme={self.prepend_scheme!r}: choose one of {', '.join(PREPEND_SCHEMES)}")

    @property
    def needs_origins(self) -> bool:
        """Whether it needs the origins of characters, their positions in the input."""
        return self.prepend_scheme == "first"

    @property
    def takes_pieces(self) -> bool:
        """Whether it splits; nothing is prepended to a piece that begins with a space."""
        return self.split

    def cut(self, splits: Splits) -> Splits:
        """Replace spaces, prepend the replacement, and split before each replacement."""
        mark = ord(self.replacement)
        text = splits.added == TEXT
        spaced = splits.recoded(_replaced(splits.chars, splits.starts, splits.ends, splits.added, mark))
        if self.prepend_scheme != "never":
            wanted = text & _at_the_beginning(spaced) if self.needs_origins else text
            spaced = prepended_once(spaced, mark, wanted)
        return cut_at_marks(spaced, _mark_before, mark) if self.split else spaced.without_empty()


def _at_the_beginning(splits: Splits) -> Bools:
    """Whether each split is at the very beginning of the input; False for empty splits."""
    first = np.zeros(len(splits.starts), np.bool_)
    full = np.flatnonzero(splits.ends > splits.starts)
    first[full] = splits.origins[splits.starts[full], 0] == 0
    return first


@kernel
def _replaced(chars: U32, starts: I64, ends: I64, added: I32, replacement: int) -> U32:
    new = chars.copy()
    for j in range(len(starts)):
        if added[j] == TEXT:
            for i in range(starts[j], ends[j]):
                if chars[i] == 32:
                    new[i] = replacement
    return new


@kernel
def _mark_before(chars: U32, starts: I64, ends: I64, added: I32, char: int, marks: U8) -> None:
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            begins = i == starts[j] or (chars[i] == char and added[j] == TEXT)
            marks[i] = BEGINS if begins else INSIDE
