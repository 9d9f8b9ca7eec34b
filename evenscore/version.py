"""The version of evenscore, which every signature includes."""

from __future__ import annotations

__version__ = "0.1.0"
