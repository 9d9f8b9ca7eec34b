"""The release of evenscore, part of every signature."""

from __future__ import annotations

__version__ = "0.1.0"
