"""Parts that several of these tokenizers are put together from."""

from __future__ import annotations

from ..normalizers import Lowercase, Normalizer, Sequence, unicode_normalizer_from_str


def normalizer_of(unicode_normalizer: str | None, *others: Normalizer, lowercase: bool) -> Normalizer | None:
    """The normal form, the others, small letters; None for none of them, no Sequence for one alone."""
    forms = [unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
    steps = [*forms, *others, *([Lowercase()] if lowercase else [])]
    return Sequence(steps) if len(steps) > 1 else next(iter(steps), None)
