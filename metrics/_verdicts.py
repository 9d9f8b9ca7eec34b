"""What a comparison says of a system's score."""

from __future__ import annotations

from collections.abc import Mapping

# The level of p-values from which on a difference is marked.
SIGNIFICANT = 0.05
_ERROR_RATES = ("wer", "cer")
_SURPRISES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")


def lower_is_better(score: str) -> bool:
    """Whether the better of two systems has the lower score."""
    return score in _ERROR_RATES + _SURPRISES


def direction(score: str) -> str:
    """Which way is better, in words."""
    return "lower is better" if lower_is_better(score) else "higher is better"


def differs(system: Mapping[str, float], score: str, baseline: float) -> bool:
    """Whether the system's score is significantly another one than the baseline's."""
    p_value = system.get(f"{score}_p_value")
    # Equal scores do not differ, though the test of a system and itself gives the least p-value there is.
    return p_value is not None and p_value < SIGNIFICANT and system[score] != baseline


def p_value_text(p_value: float) -> str:
    """With four digits, or as less than the least of them.

    >>> p_value_text(0.0123), p_value_text(0.00001)
    ('p = 0.0123', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.4f}"
