"""The clean-up of BERT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .._arrays import Bools
from .._splits import Splits
from .._unicode import CODE_POINTS, SPACE, character_classes
from ._char_map import CharMap, each
from ._form import form
from ._lowercase import lowercase
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


class Steps(NamedTuple):
    """What BertNormalizer does.

    before: clean text and white space around Chinese characters.  after: strips accents and lowers.
    at_once: both with the decomposition between them, if there is one.
    ordered: bool, shape (0x110000,): the code points that `at_once` cannot do, since it does not put marks in order.
    """

    before: CharMap
    after: CharMap
    at_once: CharMap
    ordered: Bools


@dataclass(frozen=True)
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
        steps = _steps(self.clean_text, self.handle_chinese_chars, strips, self.lowercase)
        if not holds_any(splits.chars, steps.ordered):
            return steps.at_once.apply(splits)
        decomposed = form(compatibility=False, composes=False).apply(steps.before.apply(splits))
        return steps.after.apply(decomposed)


@cache
def _steps(clean_text: bool, handle_chinese_chars: bool, strip_accents: bool, lower: bool) -> Steps:
    before = after = CharMap.of_dict({})
    if clean_text:
        before = _clean()
    if handle_chinese_chars:
        before = before.then(_blanks_around_chinese())
    if strip_accents:
        after = CharMap.removing(removed_by("bert_strip_accents"))
    if lower:
        after = after.then(lowercase())
    if not strip_accents:
        return Steps(before, after, before.then(after), np.zeros(CODE_POINTS, np.bool_))
    decompose = form(compatibility=False, composes=False).decomposed
    return Steps(before, after, before.then(decompose).then(after), _marks_kept(decompose))


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
