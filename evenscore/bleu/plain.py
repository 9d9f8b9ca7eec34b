"""BLEU by its definition in plain Python, for readers and as the reference of the tests."""

from __future__ import annotations

import functools
import math
import re
import string
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from evenscore.parallel import require

Tokens = Sequence[Hashable]


def n_grams(tokens: Tokens, n: int) -> Counter[tuple[Hashable, ...]]:
    """Count each n-gram, a run of n tokens.

    >>> n_grams(["a", "b", "a", "b"], 2)[("a", "b")]
    2
    """
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def clipped_matches(prediction: Tokens, references: Sequence[Tokens], n: int) -> int:
    """Count matching n-grams, each at most as often as it occurs in any single reference.

    Source: Papineni et al. (2002), section 2.1.1, modified n-gram precision.

    >>> clipped_matches(["the"] * 7, ["the cat is on the mat".split()], 1)
    2
    """
    most: Counter[tuple[Hashable, ...]] = Counter()
    for reference in references:
        most |= n_grams(reference, n)
    return sum((n_grams(prediction, n) & most).values())


def closest_length(prediction: Tokens, references: Sequence[Tokens]) -> int:
    """Return the reference length closest to the prediction's length, the shorter one of a tie."""
    return min(map(len, references), key=lambda length: (abs(length - len(prediction)), length))


# The rules of 13a, in order, on a word between spaces. Source: sacrebleu 2.6.0, tokenizer_re.py, after mteval-v13a.
_ANY_MARK = re.compile(r"[!-&(-/:-@[-`{-~]").search
_MARK = re.compile(r"([!-&(-+/:-@[-`{-~])")
_POINT_AFTER = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE = re.compile(r"([.,])([^0-9])")
_HYPHEN = re.compile(r"([0-9])-")
# Marks that are always a token after a letter: all of ASCII but the apostrophe and the hyphen.
_AFTER_LETTERS = frozenset(string.punctuation) - {"'", "-"}
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize_13a(text: str) -> list[str]:
    """Split a text into the tokens of BLEU's usual tokenizer, 13a.

    >>> tokenize_13a("It's 1,000.5 (x-3), isn't it?")
    ["It's", '1,000.5', '(', 'x-3', ')', ',', "isn't", 'it', '?']
    """
    tokens = []
    # No rule reaches beyond the spaces around a word.
    for word in unwrapped(text).split():
        if word.isalnum() or not _ANY_MARK(word):
            tokens.append(word)
        elif word[-1] in _AFTER_LETTERS and word[:-1].isalpha():
            tokens += (word[:-1], word[-1])
        else:
            tokens += _by_rules(f" {word} ")
    return tokens


def _by_rules(text: str) -> list[str]:
    ruled = _POINT_AFTER.sub(r"\1 \2 ", _MARK.sub(r" \1 ", text))
    return _HYPHEN.sub(r"\1 - ", _POINT_BEFORE.sub(r" \1 \2", ruled)).split()


def unwrapped(text: str) -> str:
    """Apply 13a's first step: remove <skipped>, join lines that end in a hyphen, and replace entities."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    return text


# sacrebleu's table of Chinese ranges, as pairs of first code point and end (exclusive). sacrebleu writes U+20000..2A6D6
# and U+2F800..2FA1D as two-character strings by mistake, so that its table has U+2001..2A6D instead and no character
# beyond U+FFFF. This table does the same: see DIFFERENCES.md.
CHINESE = (
    *(0x2001, 0x2A6E, 0x2E80, 0x2FE0, 0x2FF0, 0x3040, 0x3100, 0x3130, 0x31A0, 0x31F0, 0x3200, 0x4DB6),
    *(0x4E00, 0x9FBC, 0xF900, 0xFA2E, 0xFA30, 0xFA6B, 0xFA70, 0xFADA, 0xFE10, 0xFE20, 0xFE30, 0xFE50),
    *(0xFF00, 0xFFF0),
)
_CHINESE_CHARACTER = re.compile(
    f"[{''.join(f'{chr(first)}-{chr(end - 1)}' for first, end in zip(CHINESE[::2], CHINESE[1::2], strict=True))}]"
)


def tokenize_zh(text: str) -> list[str]:
    """Split a text by the rules of 13a, with every Chinese character as a token; its ends are no neighbours.

    Source: sacrebleu 2.6.0, tokenizer_zh.py.

    >>> tokenize_zh("BLEU有1,000.5分。")
    ['BLEU', '有', '1,000.5', '分', '。']
    """
    return _by_rules(_CHINESE_CHARACTER.sub(r" \g<0> ", text.strip()))


def regex_for_intl() -> Any:
    """Import regex, which knows the punctuation and the symbols of Unicode; ImportError without it."""
    return require("regex", "regex", "tokenizer='intl'")


@functools.cache
def _intl_patterns() -> tuple[Any, Any, Any]:
    """The patterns of intl's rules, in order. Source: sacrebleu 2.6.0, tokenizer_intl.py."""
    after_no_number, before_no_number, symbol = r"(\P{N})(\p{P})", r"(\p{P})(\P{N})", r"(\p{S})"
    regex = regex_for_intl()
    return regex.compile(after_no_number), regex.compile(before_no_number), regex.compile(symbol)


def tokenize_intl(text: str) -> list[str]:
    """Split a text into the tokens of intl, in which punctuation and symbols of all scripts are tokens.

    >>> tokenize_intl("«Ja», 1.5 €!")
    ['«', 'Ja', '»', ',', '1.5', '€', '!']
    """
    after_no_number, before_no_number, symbol = _intl_patterns()
    text = before_no_number.sub(r" \1 \2", after_no_number.sub(r"\1 \2 ", text.rstrip()))
    return str(symbol.sub(r" \1 ", text)).split()


def bleu(predictions: Sequence[Tokens], references: Sequence[Sequence[Tokens]], max_order: int = 4) -> float:
    """Return the BLEU of a corpus without smoothing, from 0 to 100; 0 if an order has no match.

    references: one or more per prediction.
    Source: Papineni et al. (2002), section 2.3.

    >>> bleu(["the cat sat on a mat".split()], [["the cat sat on the mat".split()]])
    53.7284965911771
    """
    rows = list(zip(predictions, references, strict=True))
    percentages = []
    for n in range(1, max_order + 1):
        matches = sum(clipped_matches(prediction, own, n) for prediction, own in rows)
        total = sum(max(len(prediction) - n + 1, 0) for prediction in predictions)
        if not matches:
            return 0.0
        percentages.append(100.0 * matches / total)
    c, r = sum(map(len, predictions)), sum(closest_length(prediction, own) for prediction, own in rows)
    penalty = 1.0 if c > r else math.exp(1 - r / c)
    return penalty * math.exp(sum(map(math.log, percentages)) / max_order)
