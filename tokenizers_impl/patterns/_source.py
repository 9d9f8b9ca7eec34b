"""The text of a regular expression while it is read."""

from __future__ import annotations

import re
from typing import NoReturn


class Source:
    """A pattern and how far it has been read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    @property
    def at_end(self) -> bool:
        """Whether all has been read."""
        return self.at == len(self.pattern)

    @property
    def next(self) -> str:
        """The next character, nothing at the end."""
        return self.pattern[self.at : self.at + 1]

    def rest(self, length: int) -> str:
        """The next few characters."""
        return self.pattern[self.at : self.at + length]

    def followed_by(self, text: str) -> bool:
        """Whether this text comes next."""
        return self.pattern.startswith(text, self.at)

    def take(self) -> str:
        """Read one character."""
        self.at += 1
        return self.pattern[self.at - 1 : self.at]

    def took(self, text: str) -> bool:
        """Read this text if it comes next."""
        if not self.followed_by(text):
            return False
        self.at += len(text)
        return True

    def took_match(self, expected: re.Pattern[str]) -> re.Match[str] | None:
        """Read what matches, if that comes next."""
        found = expected.match(self.pattern, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def skip_past(self, text: str, what: str, begin: int) -> None:
        """Read up to this text; ValueError if it does not come."""
        end = self.pattern.find(text, self.at)
        if end < 0:
            self.reject(f"{what} that is not closed", begin)
        self.at = end + len(text)

    def reject(self, what: str, begin: int) -> NoReturn:
        """ValueError for what the library refuses, too; begin: where it begins."""
        self._fail(what, begin, "wrong")

    def lack(self, what: str, begin: int) -> NoReturn:
        """ValueError for what the library takes."""
        self._fail(what, begin, "not implemented")

    def refuse(self, what: str, begin: int) -> NoReturn:
        """ValueError for what may be either."""
        self._fail(what, begin, "not implemented or wrong")

    def _fail(self, what: str, begin: int, fault: str) -> NoReturn:
        shown = self.pattern if len(self.pattern) <= 60 else self.pattern[:57] + "..."
        raise ValueError(f"the pattern {shown!r} has, at character {begin}, {what}, which is {fault}")
