"""Patterns: what Split and Replace look for."""

from __future__ import annotations

from .compiled import Pattern, Regex, check_pattern, pattern_from_json, pattern_json
from .search import Matches, matches

__all__ = ["Matches", "Pattern", "Regex", "check_pattern", "matches", "pattern_from_json", "pattern_json"]
