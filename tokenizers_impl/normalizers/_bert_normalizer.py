"""The clean-up of BERT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .._arrays import Bools
from .._component import unchanging
from .._splits import Splits
from .._unicode import CODE_POINTS, SPACE, character_classes
from ._char_map import CharMap, each
from ._form import decomposition, form
from ._lowercase import lower_case
from ._normalizer import Normalizer
from ._quick_check import holds_any
from ._tables import combining_classes, removed_by

BLANK = 0x20

# The blocks of `_is_chinese_char` of BERT's tokenization.py; but extension E begins there at 2B820, here, as in the
# library, 256 code points later.
CHINESE = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)


@unchanging
@dataclass(frozen=True, repr=False)
class BertNormalizer(Normalizer):
    """The clean-up of BERT's tokenization.py, as `tokenizers.normalizers.BertNormalizer`.

    clean_text: controls are taken out, white space becomes a blank.
    handle_chinese_chars: a blank before and after each.
    strip_accents: decompose, then take marks out; None: as `lowercase`.
    lowercase: lower case, at the end.

    >>> BertNormalizer().normalize_str("Été\u200b 中")
    'ete  中 '
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits cleaned up."""
        strips = self.lowercase if self.strip_accents is None else self.strip_accents
        options = self.clean_text, self.handle_chinese_chars, strips, self.lowercase
        at_once, ordered = _at_once(*options)
        if not holds_any(splits.chars, ordered):
            return at_once.apply(splits)
        before, after = _in_turn(*options)
        return after.apply(form(compatibility=False, composes=False).apply(before.apply(splits)))


@cache
def _at_once(clean: bool, chinese: bool, strips: bool, lowers: bool) -> tuple[CharMap, Bools]:
    """All steps as one map, and the code points that it cannot do, since it does not put marks in order."""
    before, after = _before(clean, chinese), _after(strips, lowers)
    if not strips:
        return before.then(after), np.zeros(CODE_POINTS, np.bool_)
    decompose = decomposition(compatibility=False)
    return before.then(decompose).then(after), _marks_kept(decompose)


@cache
def _in_turn(clean: bool, chinese: bool, strips: bool, lowers: bool) -> tuple[CharMap, CharMap]:
    """The steps before and after the decomposition: few texts need them, so they are made for these alone."""
    return _before(clean, chinese), _after(strips, lowers)


def _before(clean: bool, chinese: bool) -> CharMap:
    cleaned = _clean() if clean else CharMap.of_dict({})
    return cleaned.then(_blanks_around_chinese()) if chinese else cleaned


def _after(strips: bool, lowers: bool) -> CharMap:
    stripped = CharMap.removing(removed_by("bert_strip_accents")) if strips else CharMap.of_dict({})
    return stripped.then(lower_case()) if lowers else stripped


def _clean() -> CharMap:
    removed = removed_by("bert_clean_text")
    spaces = np.setdiff1d(np.flatnonzero(character_classes() & SPACE), removed)
    blanks, lengths = np.full(len(spaces), BLANK, np.uint32), np.ones(len(spaces), np.int64)
    return CharMap.removing(removed).then(CharMap.of(spaces, blanks, lengths))


def _blanks_around_chinese() -> CharMap:
    codes = np.concatenate([np.arange(block.start, block.stop) for block in CHINESE])
    chars = np.full((len(codes), 3), BLANK, np.uint32)
    chars[:, 1] = codes
    return CharMap.of(codes, chars.ravel(), np.full(len(codes), 3))


def _marks_kept(decompose: CharMap) -> Bools:
    """The marks not taken out, being spacing or younger than the library's categories, and what decomposes to one."""
    kept = combining_classes() > 0
    kept[removed_by("bert_strip_accents")] = False
    codes = decompose.changed()
    parts = decompose.apply(each(codes))
    kept[codes] = np.logical_or.reduceat(kept[parts.chars], parts.starts)
    return kept
