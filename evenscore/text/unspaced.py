"""Characters of scripts that write no spaces between words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

# Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar, by the property Script of Unicode 17, and the marks that kana
# alone have, such as that of a long vowel. Not Hangul: Korean writes spaces between words. Ranges include characters
# that Unicode has not assigned yet.
UNSPACED = re.compile(
    # Thai, Lao, Myanmar, Khmer.
    "[\u0e01-\u0e3a\u0e40-\u0e5b\u0e81-\u0edf\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f\U000116d0-\U000116e3"
    "\u1780-\u17ff\u19e0-\u19ff"
    # Hiragana, Katakana.
    "\u3031-\u3035\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u32d0-\u32fe\u3300-\u3357\uff66-\uff9f"
    "\U0001aff0-\U0001affe\U0001b000-\U0001b168\U0001f200"
    # Han.
    "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00016fe2\U00016fe3"
    "\U00016ff0-\U00016ff6\U00020000-\U0003ffff]"
)
# The high bytes of such characters in UTF-16, where D8 to DB begin those beyond U+FFFF; and all other bytes. To look
# for these bytes first is many times as fast.
_HIGH_BYTES = {0x0E, 0x10, 0x17, 0x19, *range(0x2E, 0xA0), 0xA9, 0xAA, *range(0xD8, 0xDC), 0xF9, 0xFA, 0xFF}
_OTHER_BYTES = bytes(set(range(256)) - _HIGH_BYTES)


def unspaced_texts(texts: list[str]) -> list[str]:
    """Return the texts with characters of a script without spaces.

    >>> unspaced_texts(["a b", "好", "é"])
    ['好']
    """
    joined = "".join(texts)
    if joined.isascii() or not joined.encode("utf-16-le")[1::2].translate(None, _OTHER_BYTES):
        return []
    return [*filter(UNSPACED.search, texts)]


# So many runs of so many texts tell whether most are one word. Texts at equal distances could all be of one kind.
_RUNS, _RUN = 10, 100


def are_whole(texts: list[str], words: Callable[[str], Sequence[str]], *, at_spaces: bool) -> bool:
    """Whether most texts in scripts without spaces are one word each, which one wrong character makes wrong.

    words: splits a text; at_spaces: it splits at each space. Looks at a sample of at most a thousand texts.

    >>> [are_whole([text, "a b"], str.split, at_spaces=True) for text in ("今日は雨です。", "今日 は 雨 です 。")]
    [True, False]
    """
    sample = _sampled(texts)
    others = itertools.filterfalse(str.isascii, sample)
    # Most texts have a space between words, and need no split.
    may_be = [text for text in others if not at_spaces or " " not in text.strip()]
    # A single letter may well be a word.
    whole = [text for text in unspaced_texts(may_be) if len(UNSPACED.findall(text)) > 1 and len(words(text)) == 1]
    return bool(whole) and 2 * len(whole) > len(unspaced_texts(sample))


def _sampled(texts: list[str]) -> list[str]:
    """Return runs of texts from the whole list, or all of them if they are few."""
    step = len(texts) // _RUNS
    return texts if step <= _RUN else [text for k in range(_RUNS) for text in texts[k * step : k * step + _RUN]]


def with_spaces(text: str) -> str:
    """Write a space before and after each character of a script without spaces.

    >>> with_spaces("第3代iPhone").split()
    ['第', '3', '代', 'iPhone']
    """
    return text if text.isascii() else UNSPACED.sub(r" \g<0> ", text)
