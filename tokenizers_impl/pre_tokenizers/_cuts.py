"""Pre-tokenizers that cut: between kinds of characters, at delimiters, scripts, lengths, patterns, spaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from .._core.arrays import I32, I64, U8, U32, Bools
from .._core.component import json_form, unchanging
from .._core.kernel import kernel
from .._core.options import choice_of
from .._patterns import Pattern, matches, pattern_from_json, pattern_json
from .._patterns.search import behavior_from_json, behavior_json, chars_in, check_behavior, cut_at
from .._text.splits import BEGINS, INSIDE, REMOVED, TEXT, Splits, cut_at_marks, prepended_once
from .._text.unicode import CODE_POINTS, NUMERIC, PUNCTUATION, SPACE, WORD, character_classes, rows
from ._pre_tokenizer import PreTokenizer

# --- Pre-tokenizers that cut where the kind of the character changes

# Kinds of characters.  Neighbours of the same kind stay together, save that every ISOLATED character is a split.
_DROPPED, _FIRST, _SECOND, _ISOLATED = 0, 1, 2, 3


@unchanging
@dataclass(frozen=True, repr=False)
class Whitespace(PreTokenizer):
    r"""Cuts by `\\w+|[^\\w\\s]+`, as `tokenizers.pre_tokenizers.Whitespace`.

    >>> Whitespace().pre_tokenize_str("Hi, you!")
    [('Hi', (0, 2)), (',', (2, 3)), ('you', (4, 7)), ('!', (7, 8))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of word characters, runs of anything else but white space."""
        return cut_at_marks(splits, _mark_kinds, _kinds(WORD, SPACE, _FIRST, _SECOND))


@unchanging
@dataclass(frozen=True, repr=False)
class WhitespaceSplit(PreTokenizer):
    """Cuts at white space, as `tokenizers.pre_tokenizers.WhitespaceSplit`.

    >>> WhitespaceSplit().pre_tokenize_str("Hi,  you!")
    [('Hi,', (0, 3)), ('you!', (5, 9))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of anything but white space."""
        return cut_at_marks(splits, _mark_kinds, _kinds(0, SPACE, _FIRST, _FIRST))


@unchanging
@dataclass(frozen=True, repr=False)
class BertPreTokenizer(PreTokenizer):
    """Cuts at white space and around every punctuation character, as `tokenizers.pre_tokenizers.BertPreTokenizer`.

    >>> BertPreTokenizer().pre_tokenize_str("Hi (you)")
    [('Hi', (0, 2)), ('(', (3, 4)), ('you', (4, 7)), (')', (7, 8))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of letters, digits and the like; single punctuation characters."""
        return cut_at_marks(splits, _mark_kinds, _kinds(PUNCTUATION, SPACE, _ISOLATED, _FIRST))


@cache
def _kinds(inner: int, dropped: int, kind: int, other_kind: int) -> U8:
    """The kind of every code point: of those in class `inner`, of those in class `dropped`, of all others."""
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


# --- Pre-tokenizers that cut at characters of a kind


@unchanging
@dataclass(frozen=True, repr=False)
class Punctuation(PreTokenizer):
    """Cuts at punctuation, as `tokenizers.pre_tokenizers.Punctuation`.

    behavior: what becomes of each of them, as with `Split`.

    >>> Punctuation("contiguous").pre_tokenize_str("Hi (you)...")
    [('Hi ', (0, 3)), ('(', (3, 4)), ('you', (4, 7)), (')...', (7, 11))]
    """

    behavior: str = field(default="isolated", metadata=json_form(write=behavior_json, read=behavior_from_json))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_behavior(self.behavior)

    def cut(self, splits: Splits) -> Splits:
        """What the behavior leaves of punctuation and of the text between."""
        return cut_at(splits, chars_in(splits, _of_class(PUNCTUATION)), self.behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class Digits(PreTokenizer):
    """Cuts numbers from the rest, as `tokenizers.pre_tokenizers.Digits`; its digits are all of Unicode's numbers.

    individual_digits: cut every digit from the next one.

    >>> Digits(individual_digits=True).pre_tokenize_str("in 24")
    [('in ', (0, 3)), ('2', (3, 4)), ('4', (4, 5))]
    """

    individual_digits: bool = False

    def cut(self, splits: Splits) -> Splits:
        """Numbers and the text between."""
        behavior = "isolated" if self.individual_digits else "contiguous"
        return cut_at(splits, chars_in(splits, _of_class(NUMERIC)), behavior)


@unchanging
@dataclass(frozen=True, repr=False)
class CharDelimiterSplit(PreTokenizer):
    """Cuts at one character, which is left out, as `tokenizers.pre_tokenizers.CharDelimiterSplit`.

    >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    delimiter: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.delimiter) != 1:
            raise ValueError(f"delimiter={self.delimiter!r}: give one character")

    def cut(self, splits: Splits) -> Splits:
        """The text between the delimiters."""
        return cut_at(splits, chars_in(splits, _alone(ord(self.delimiter))), "removed")


@cache
def _of_class(wanted: int) -> Bools:
    return character_classes() & wanted > 0


def _alone(code: int) -> Bools:
    table = np.zeros(CODE_POINTS, np.bool_)
    table[code] = True
    return table


# --- The pre-tokenizer that cuts where the script changes

# The script of what goes with any: spaces and code points that the library's table lacks.
_ANY = 0


@unchanging
@dataclass(frozen=True, repr=False)
class UnicodeScripts(PreTokenizer):
    """Cuts where the script changes, as `tokenizers.pre_tokenizers.UnicodeScripts`.

    Han, Hiragana and Katakana are one script; punctuation and digits are one, too; spaces go with what stands before
    them, and are left out where nothing does.

    >>> UnicodeScripts().pre_tokenize_str(" どこ go?")
    [('どこ ', (1, 4)), ('go', (4, 6)), ('?', (6, 7))]
    """

    def cut(self, splits: Splits) -> Splits:
        """Runs of one script."""
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


# --- The pre-tokenizer that cuts after so many characters


@unchanging
@dataclass(frozen=True, repr=False)
class FixedLength(PreTokenizer):
    """Cuts after every `length` characters, as `tokenizers.pre_tokenizers.FixedLength`.

    >>> FixedLength(2).pre_tokenize_str("below")
    [('be', (0, 2)), ('lo', (2, 4)), ('w', (4, 5))]
    """

    length: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.length < 1 << 63:
            raise ValueError(f"length={self.length!r}: give a number of characters, 1 or more")

    def cut(self, splits: Splits) -> Splits:
        """Pieces of that length, the last one of what is left."""
        return cut_at_marks(splits, _mark_every, self.length)


@kernel
def _mark_every(chars: U32, starts: I64, ends: I64, added: I32, length: int, marks: U8) -> None:
    for j in range(len(starts)):
        for i in range(starts[j], ends[j]):
            begins = i == starts[j] or (added[j] == TEXT and (i - starts[j]) % length == 0)
            marks[i] = BEGINS if begins else INSIDE


# --- The pre-tokenizer that cuts at a pattern


@unchanging
@dataclass(frozen=True, repr=False)
class Split(PreTokenizer):
    """Cuts at a string or a Regex, as `tokenizers.pre_tokenizers.Split`.

    behavior: a match is "removed", "isolated", "merged_with_previous" or "merged_with_next" text, or "contiguous" with
    matches that it touches.  invert: this holds of the text between matches instead.  ValueError in cutting for a Regex
    that tries too many ways to match.

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
        """What the behavior leaves of matches and of the text between."""
        found = matches(self.pattern, splits)
        return cut_at(splits._replace(spent=found.spent), found, self.behavior, invert=self.invert)


# --- Words of SentencePiece: the space as a visible character before the word

PREPEND_SCHEMES = ("always", "first", "never")


@unchanging
@dataclass(frozen=True, repr=False)
class Metaspace(PreTokenizer):
    """Every space becomes the replacement, and a word begins at it, as `tokenizers.pre_tokenizers.Metaspace`.

    replacement: one character.  prepend_scheme: put it before a text that does not begin with it: "always", "first"
    (only at the very beginning of the input) or "never".  split: cut at all.

    >>> Metaspace().pre_tokenize_str("Hi you")
    [('▁Hi', (0, 2)), ('▁you', (2, 6))]
    """

    replacement: str = "▁"
    prepend_scheme: str = field(default="always", metadata=json_form(read=choice_of))
    split: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.replacement) != 1:
            raise ValueError(f"replacement={self.replacement!r}: give one character")
        if self.prepend_scheme not in PREPEND_SCHEMES:
            raise ValueError(f"prepend_scheme={self.prepend_scheme!r}: choose one of {', '.join(PREPEND_SCHEMES)}")

    @property
    def needs_origins(self) -> bool:
        """Whether it must be known where in the input a split stands."""
        return self.prepend_scheme == "first"

    def cut(self, splits: Splits) -> Splits:
        """Words with the replacement before them."""
        mark = ord(self.replacement)
        text = splits.added == TEXT
        spaced = splits._replace(chars=_replaced(splits.chars, splits.starts, splits.ends, splits.added, mark))
        if self.prepend_scheme != "never":
            wanted = text & _at_the_beginning(spaced) if self.needs_origins else text
            spaced = prepended_once(spaced, mark, wanted)
        return cut_at_marks(spaced, _mark_before, mark) if self.split else spaced.without_empty()


def _at_the_beginning(splits: Splits) -> Bools:
    """Which splits come from the very beginning of the input; an empty one is none."""
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
