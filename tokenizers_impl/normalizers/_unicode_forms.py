"""The four normalization forms of Unicode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._component import unchanging
from .._splits import Splits
from ._form import Form, form
from ._normalizer import Normalizer
from ._quick_check import holds_any


class UnicodeForm(Normalizer):
    """Text in a normalization form of the Unicode version that tokenizers 0.23.3 has, which is not Python's."""

    compatibility: ClassVar[bool]
    composes: ClassVar[bool]

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits in the form, each by itself."""
        wanted: Form = form(compatibility=self.compatibility, composes=self.composes)
        return wanted.apply(splits) if holds_any(splits.chars, wanted.restless) else splits


@unchanging
@dataclass(frozen=True, repr=False)
class NFD(UnicodeForm):
    """Canonical decomposition, as `tokenizers.normalizers.NFD`.

    >>> NFD().normalize_str("é") == "e\u0301"
    True
    """

    compatibility: ClassVar[bool] = False
    composes: ClassVar[bool] = False


@unchanging
@dataclass(frozen=True, repr=False)
class NFKD(UnicodeForm):
    """Compatibility decomposition, as `tokenizers.normalizers.NFKD`.

    >>> NFKD().normalize_str("ﬁ²")
    'fi2'
    """

    compatibility: ClassVar[bool] = True
    composes: ClassVar[bool] = False


@unchanging
@dataclass(frozen=True, repr=False)
class NFC(UnicodeForm):
    """Canonical decomposition, then composition, as `tokenizers.normalizers.NFC`.

    >>> NFC().normalize_str("e\u0301") == "é"
    True
    """

    compatibility: ClassVar[bool] = False
    composes: ClassVar[bool] = True


@unchanging
@dataclass(frozen=True, repr=False)
class NFKC(UnicodeForm):
    """Compatibility decomposition, then composition, as `tokenizers.normalizers.NFKC`.

    >>> NFKC().normalize_str("ｶﾞ")
    'ガ'
    """

    compatibility: ClassVar[bool] = True
    composes: ClassVar[bool] = True


NORMALIZERS: dict[str, type[Normalizer]] = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """The normal form of that name; ValueError if there is none.

    >>> unicode_normalizer_from_str("nfc")
    NFC()
    """
    if normalizer not in NORMALIZERS:
        raise ValueError(f"{normalizer!r} is no normal form of Unicode: there are {', '.join(NORMALIZERS)}")
    return NORMALIZERS[normalizer]()
