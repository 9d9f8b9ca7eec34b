"""Characters of scripts that write no spaces between words."""

from __future__ import annotations

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
# So many characters of a text tell its script. One of them may well be a word, two are none in most cases.
_BEGINNING = 100
_TWO = re.compile(f"{UNSPACED.pattern}.*?{UNSPACED.pattern}", re.DOTALL)


def are_whole(texts: list[str], words: Callable[[str], Sequence[str]], *, at_spaces: bool) -> bool:
    """Whether texts in scripts without spaces count as one word each: most of them, and a tenth of all texts or more.

    Such scores are all or nothing, since one wrong character makes the whole text wrong.

    words: splits a text; at_spaces: it splits at each space. Looks at a sample of at most a thousand texts.

    >>> [are_whole([text, "a b"], str.split, at_spaces=True) for text in ("今日は雨です。", "今日 は 雨 です 。")]
    [True, False]
    """
    sample = _sampled(texts)
    others = [text for text in sample if not text.isascii()]
    # Most texts with a space have several words, and need no split.
    may_be = [text for text in others if not at_spaces or " " not in text.strip()]
    if not unspaced_texts([text[:_BEGINNING] for text in may_be]):
        return False
    whole = sum(_is_unspaced(text) and len(words(text)) == 1 for text in may_be)
    return 10 * whole >= len(sample) and 2 * whole > sum(map(_is_unspaced, others))


def _is_unspaced(text: str) -> bool:
    return _TWO.search(text, 0, _BEGINNING) is not None


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
