"""Normalizers that rewrite characters (case, accents, bytes, Unicode forms, clean-ups), ends of texts and matches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from .._core.arrays import Bools, code_points
from .._core.component import json_form, unchanging
from .._patterns import Pattern, matches, pattern_from_json, pattern_json
from .._patterns.search import replaced
from .._text.bytes import in_byte_chars
from .._text.char_map import CharMap, each, holds_any, lower_case
from .._text.forms import decomposition, form, in_form
from .._text.splits import TEXT, Splits, prepended, stripped
from .._text.unicode import CODE_POINTS, SPACE, character_classes, combining_classes, removed_by
from ._normalizer import Normalizer

# --- Lower case


@unchanging
@dataclass(frozen=True, repr=False)
class Lowercase(Normalizer):
    """Lowercases every character by itself, like `tokenizers.normalizers.Lowercase` 0.23.3.

    >>> Lowercase().normalize_str("ΟΔΟΣ")
    'οδοσ'
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because it rewrites every character by itself."""
        return True

    def rewrites_each(self, text: str) -> bool:
        """Always True."""
        return True

    def normalize_splits(self, splits: Splits) -> Splits:
        """Lowercase the splits."""
        return lower_case().apply(splits)


# --- Removal of combining marks


@cache
def without_marks() -> CharMap:
    """The map that removes combining marks, spacing ones included."""
    return CharMap.removing(removed_by("strip_accents"))


@unchanging
@dataclass(frozen=True, repr=False)
class StripAccents(Normalizer):
    """Removes combining marks, like `tokenizers.normalizers.StripAccents` 0.23.3; apply NFD first to split é.

    >>> StripAccents().normalize_str("e\u0301é")
    'eé'
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because it rewrites every character by itself."""
        return True

    def rewrites_each(self, text: str) -> bool:
        """Always True."""
        return True

    def normalize_splits(self, splits: Splits) -> Splits:
        """Remove combining marks."""
        return without_marks().apply(splits)


# --- The clean-up of neural machine translation

_REMOVED = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
_BLANK = (0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)


@cache
def _nmt() -> CharMap:
    return CharMap.of_dict({code: [] for code in _REMOVED} | {code: [0x20] for code in _BLANK})


@unchanging
@dataclass(frozen=True, repr=False)
class Nmt(Normalizer):
    r"""Removes control characters and replaces white space by U+0020, like `tokenizers.normalizers.Nmt` 0.23.3.

    >>> Nmt().normalize_str("a\tb\u200bc\x07")
    'a b c'
    """

    @property
    def takes_pieces(self) -> bool:
        """Always True, because it rewrites every character by itself."""
        return True

    def rewrites_each(self, text: str) -> bool:
        """Always True."""
        return True

    def normalize_splits(self, splits: Splits) -> Splits:
        """Clean the splits up."""
        return _nmt().apply(splits)


# --- Bytes as visible characters


@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(Normalizer):
    """Replaces every UTF-8 byte by a visible character, like `tokenizers.normalizers.ByteLevel` 0.23.3.

    >>> ByteLevel().normalize_str("Hi é")
    'HiĠÃ©'
    """

    def rewrites_each(self, text: str) -> bool:
        """Always True."""
        return True

    def normalize_splits(self, splits: Splits) -> Splits:
        """Convert the splits to byte characters."""
        return in_byte_chars(splits)


# --- The normalization forms of Unicode


class UnicodeForm(Normalizer):
    """The base class of the normalization forms, with the Unicode version of tokenizers 0.23.3 instead of Python's."""

    compatibility: ClassVar[bool]
    composes: ClassVar[bool]

    @property
    def takes_pieces(self) -> bool:
        """Always True, because a space neither composes nor changes places with other characters."""
        return True

    def rewrites_each(self, text: str) -> bool:
        """Whether the text is ASCII, which is the same in every form."""
        return text.isascii()

    def normalize_splits(self, splits: Splits) -> Splits:
        """Normalize each split by itself."""
        return in_form(splits, compatibility=self.compatibility, composes=self.composes)


@unchanging
@dataclass(frozen=True, repr=False)
class NFD(UnicodeForm):
    """Canonical decomposition, like `tokenizers.normalizers.NFD` 0.23.3.

    >>> NFD().normalize_str("é") == "e\u0301"
    True
    """

    compatibility: ClassVar[bool] = False
    composes: ClassVar[bool] = False


@unchanging
@dataclass(frozen=True, repr=False)
class NFKD(UnicodeForm):
    """Compatibility decomposition, like `tokenizers.normalizers.NFKD` 0.23.3.

    >>> NFKD().normalize_str("ﬁ²")
    'fi2'
    """

    compatibility: ClassVar[bool] = True
    composes: ClassVar[bool] = False


@unchanging
@dataclass(frozen=True, repr=False)
class NFC(UnicodeForm):
    """Canonical decomposition, then composition, like `tokenizers.normalizers.NFC` 0.23.3.

    >>> NFC().normalize_str("e\u0301") == "é"
    True
    """

    compatibility: ClassVar[bool] = False
    composes: ClassVar[bool] = True


@unchanging
@dataclass(frozen=True, repr=False)
class NFKC(UnicodeForm):
    """Compatibility decomposition, then composition, like `tokenizers.normalizers.NFKC` 0.23.3.

    >>> NFKC().normalize_str("ｶﾞ")
    'ガ'
    """

    compatibility: ClassVar[bool] = True
    composes: ClassVar[bool] = True


NORMALIZERS: dict[str, type[Normalizer]] = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """Return the normalization form "nfc", "nfd", "nfkc" or "nfkd"; ValueError for another name.

    >>> unicode_normalizer_from_str("nfc")
    NFC()
    """
    if normalizer not in NORMALIZERS:
        raise ValueError(f"{normalizer!r} is not a normalization form of Unicode: use one of {', '.join(NORMALIZERS)}")
    return NORMALIZERS[normalizer]()


# --- The clean-up of BERT

BLANK = 0x20

# The blocks of `_is_chinese_char` in BERT's tokenization.py.  As in the library, extension E begins 256 code points
# later than there, at 2B920 instead of 2B820.
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
    """Cleans text up as BERT's tokenization.py does, like `tokenizers.normalizers.BertNormalizer` 0.23.3.

    clean_text: remove control characters and replace white space by U+0020.
    handle_chinese_chars: put a space before and after every Chinese character.
    strip_accents: decompose (NFD) and remove combining marks; None: as `lowercase`.
    lowercase: lowercase the text, as the last step.

    >>> BertNormalizer().normalize_str("Été\u200b 中")
    'ete  中 '
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    @property
    def takes_pieces(self) -> bool:
        """Always True, because a space does not change places with accents."""
        return True

    def rewrites_each(self, text: str) -> bool:
        """Whether the text has no marks that are reordered."""
        return text.isascii() or not holds_any(code_points(text), _at_once(*self._options)[1])

    @property
    def _options(self) -> tuple[bool, bool, bool, bool]:
        strips = self.lowercase if self.strip_accents is None else self.strip_accents
        return self.clean_text, self.handle_chinese_chars, strips, self.lowercase

    def normalize_splits(self, splits: Splits) -> Splits:
        """Clean the splits up."""
        options = self._options
        at_once, ordered = _at_once(*options)
        if not holds_any(splits.chars, ordered):
            return at_once.apply(splits)
        before, after = _in_turn(*options)
        return after.apply(form(compatibility=False, composes=False).apply(before.apply(splits)))


@cache
def _at_once(clean: bool, chinese: bool, strips: bool, lowers: bool) -> tuple[CharMap, Bools]:
    """All steps as one map, and the code points that it cannot handle, because it does not reorder marks."""
    before, after = _before(clean, chinese), _after(strips, lowers)
    if not strips:
        return CharMap.composed([*before, *after]), np.zeros(CODE_POINTS, np.bool_)
    decompose = decomposition(compatibility=False)
    return CharMap.composed([*before, decompose, *after]), _marks_kept(decompose)


@cache
def _in_turn(clean: bool, chinese: bool, strips: bool, lowers: bool) -> tuple[CharMap, CharMap]:
    """The steps before and after the decomposition, built only for the few texts that need them."""
    return CharMap.composed(_before(clean, chinese)), CharMap.composed(_after(strips, lowers))


def _before(clean: bool, chinese: bool) -> list[CharMap]:
    # Some white space is removed first, so no blank replaces it.
    cleaned = [CharMap.removing(removed_by("bert_clean_text")), _blanks()] if clean else []
    return [*cleaned, _blanks_around_chinese()] if chinese else cleaned


def _after(strips: bool, lowers: bool) -> list[CharMap]:
    stripped = [CharMap.removing(removed_by("bert_strip_accents"))] if strips else []
    return [*stripped, lower_case()] if lowers else stripped


def _blanks() -> CharMap:
    spaces = np.flatnonzero(character_classes() & SPACE)
    return CharMap.of(spaces, np.full(len(spaces), BLANK, np.uint32), np.ones(len(spaces), np.int64))


def _blanks_around_chinese() -> CharMap:
    codes = np.concatenate([np.arange(block.start, block.stop) for block in CHINESE])
    chars = np.full((len(codes), 3), BLANK, np.uint32)
    chars[:, 1] = codes
    return CharMap.of(codes, chars.ravel(), np.full(len(codes), 3))


def _marks_kept(decompose: CharMap) -> Bools:
    """The marks that are kept (spacing, or newer than the library's categories), and characters that contain one."""
    kept = combining_classes() > 0
    kept[removed_by("bert_strip_accents")] = False
    codes = decompose.changed()
    parts = decompose.apply(each(codes))
    kept[codes] = np.logical_or.reduceat(kept[parts.chars], parts.starts)
    return kept


# --- Prepending


@unchanging
@dataclass(frozen=True, repr=False)
class Prepend(Normalizer):
    """Prepends a string to every non-empty text, like `tokenizers.normalizers.Prepend` 0.23.3.

    prepend: the string.

    >>> Prepend().normalize_str("low")
    '▁low'
    """

    prepend: str = "▁"

    def normalize_splits(self, splits: Splits) -> Splits:
        """Prepend the string; its origin is the first character of the split."""
        return prepended(splits, code_points(self.prepend), splits.added == TEXT)


# --- Stripping


@unchanging
@dataclass(frozen=True, repr=False)
class Strip(Normalizer):
    """Strips white space from the ends of a text, like `tokenizers.normalizers.Strip` 0.23.3.

    left, right: whether to strip this end.

    >>> Strip(left=False).normalize_str("  a b \\n")
    '  a b'
    """

    left: bool = field(default=True, metadata=json_form(name="strip_left"))
    right: bool = field(default=True, metadata=json_form(name="strip_right"))

    def normalize_splits(self, splits: Splits) -> Splits:
        """Strip white space."""
        return stripped(splits, left=self.left, right=self.right)


# --- Replacing


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Normalizer):
    """Replaces every match of a pattern, like `tokenizers.normalizers.Replace` 0.23.3.

    pattern: a string or a Regex.  content: the replacement, without references to groups.
    Normalizing raises ValueError for a Regex that backtracks too long, and for texts that grow beyond a limit.

    >>> from tokenizers_impl import Regex
    >>> Replace(Regex(" {2,}"), "▁").normalize_str("a  b c")
    'a▁b c'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def normalize_splits(self, splits: Splits) -> Splits:
        """Replace all matches; the origin of the content is that of the last character of the match."""
        return replaced(splits, matches(self.pattern, splits), code_points(self.content))
