"""Patterns: what Split and Replace look for."""

from __future__ import annotations

from ._matches import Matches, matches
from ._regex import Pattern, Regex, check_pattern, pattern_from_json, pattern_json

__all__ = ["Matches", "Pattern", "Regex", "check_pattern", "matches", "pattern_from_json", "pattern_json"]
