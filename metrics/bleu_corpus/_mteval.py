"""The rules by which mteval and its kin cut words, as sacrebleu 2.6.0 has them."""

from __future__ import annotations

import re
from collections.abc import Callable

from ._optional import require

# Each pattern has the group that gets a space on both sides.  The script's class of characters to split off holds the
# space too, which splits nothing: left out here.
_RULES = (
    (re.compile(r"([\{-\~\[-\`!-\&\(-\+\:-\@\/])"), 1),
    (re.compile(r"([^0-9])([\.,])"), 2),
    (re.compile(r"([\.,])([^0-9])"), 1),
    (re.compile(r"([0-9])(-)"), 2),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _mteval(text: str) -> str:
    for pattern, group in _RULES:
        # pattern.sub with a template, but without Python code a match: three times as fast.
        pieces = pattern.split(text)
        pieces[group :: pattern.groups + 1] = [f" {mark} " for mark in pieces[group :: pattern.groups + 1]]
        text = "".join(pieces)
    return text


def rules_13a(text: str) -> str:
    """mteval-v13a on words between spaces (tokenizer_13a.py).

    >>> rules_13a(" 1,000.5 (x-3) ").split()
    ['1,000.5', '(', 'x-3', ')']
    """
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return _mteval(text)


def rules_zh(text: str) -> str:
    """Chinese characters apart, then the rules of mteval-v13a (tokenizer_zh.py)."""
    return _mteval(_CHINESE.sub(r" \1 ", text))


# sacrebleu's table of Chinese ranges, merged.  It means to hold U+20000..2A6D6 and U+2F800..2FA1D, but writes them
# as two-character strings, so that it holds U+2001..2A6D and no character beyond U+FFFF.  Followed: see DIFFERENCES.md.
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef])"
)


def rules_intl() -> Callable[[str], str]:
    """mteval-v14's international tokenization (tokenizer_intl.py); needs the package regex for Unicode's classes."""
    regex = require("regex", "regex", "tokenizer='intl'")
    after_no_number = regex.compile(r"(\P{N})(\p{P})")
    before_no_number = regex.compile(r"(\p{P})(\P{N})")
    symbol = regex.compile(r"(\p{S})")

    def rules(text: str) -> str:
        text = after_no_number.sub(r"\1 \2 ", text)
        text = before_no_number.sub(r" \1 \2", text)
        return str(symbol.sub(r" \1 ", text))

    return rules


def unwrap(text: str) -> str:
    """A text without <skipped>, then with lines joined that end in a hyphen: the rules of 13a that cross words."""
    return text.rstrip().replace("<skipped>", "").replace("-\n", "")
