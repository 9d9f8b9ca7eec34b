"""Patterns of tiktoken as pre-tokenizers."""

from __future__ import annotations

import re

from .. import pre_tokenizers
from ..patterns import Regex

# As in GPT-2's encoder.py, and as tiktoken 0.14 writes the same with possessive quantifiers.
GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
R50K_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
# As tiktoken 0.14 has them.
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
    r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
O200K_PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+""",
    )
)
GPT2_WORDS = pre_tokenizers.ByteLevel(add_prefix_space=False)
# Words of another pattern in byte characters.
PATTERN_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)

# What one step of the translation takes: an escape, a quantifier with its mode, flags, anything else.
_STEP = re.compile(
    r"""(?P<escape>\\(?:[pPxu]\{[^}]*\}|[pP]\w|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.))
    |(?P<quantifier>(?:[*+?]|\{\d*(?:,\d*)?\})[+?]?)
    |(?P<flags>\(\?[a-zA-Z]*-?[a-zA-Z]*[:)])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
# Their letters mean other things in the two, or nothing in one of them.
_SAFE_FLAGS = ("(?:", "(?i:", "(?-i:")
# Classes that hold other characters there: joiners and ² are in one's \w alone, POSIX brackets are ASCII in tiktoken.
_OTHER_CLASSES = re.compile(r"(?<!\\)(?:\\\\)*(\\[wWbB]|\[:)")


def words_of(pat_str: str) -> pre_tokenizers.PreTokenizer:
    """The matches of the pattern in byte characters."""
    if pat_str in (GPT2_PATTERN, R50K_PATTERN):
        return GPT2_WORDS
    # Not "isolated": tiktoken drops what no match covers.
    translated = in_oniguruma(pat_str)
    try:
        matches = pre_tokenizers.Split(Regex(translated), "removed", invert=True)
    except ValueError as error:
        raise ValueError(f"pat_str={pat_str!r} cannot be read: {error}") from error
    return pre_tokenizers.Sequence([matches, PATTERN_BYTES])


def pattern_of(words: pre_tokenizers.PreTokenizer | None) -> str | None:
    """The pattern whose matches are the words; None if there is none."""
    if words == GPT2_WORDS:
        return GPT2_PATTERN
    steps = words.steps if isinstance(words, pre_tokenizers.Sequence) else ()
    if len(steps) != 2 or steps[1] != PATTERN_BYTES or not isinstance(steps[0], pre_tokenizers.Split):
        return None
    split = steps[0]
    kept = (split.behavior, split.invert) in (("isolated", False), ("removed", True))
    return split.pattern.pattern if kept and isinstance(split.pattern, Regex) else None


def in_oniguruma(pattern: str) -> str:
    r"""The pattern of the crate fancy-regex, which tiktoken uses, as Oniguruma reads the same.

    There `$` and `^` are the ends of the text, here those of a line; `{1,3}+` takes no step back there, and is two
    repeats here.  ValueError for what the two read differently: flags other than i, or flags that reach to the end of
    a group; \w, \b and POSIX brackets, which hold other characters; repeats of repeats, `{3}?` and `{,3}`.

    >>> print(in_oniguruma(r"\p{N}{1,3}+|\s++$"))
    (?>\p{N}{1,3})|\s++\z
    """
    parts: list[str] = []
    # Where the last item begins in `parts`, and the groups that are open.
    item, groups, at, is_repeated = 0, list[int](), 0, False
    while found := _STEP.match(pattern, at):
        text, at = found[0], found.end()
        if text == "[":
            at = _class_end(pattern, at)
            text = pattern[found.start() : at]
        if found["quantifier"]:
            if is_repeated or text.startswith("{,") or (text.endswith("}?") and "," not in text):
                raise _read_otherwise(pattern, text)
            is_repeated = True
            if text.startswith("{") and text.endswith("+"):
                parts[item:] = ["(?>", *parts[item:], text[:-1], ")"]
            else:
                parts.append(text)
            continue
        is_repeated = False
        if (found["flags"] and text not in _SAFE_FLAGS and (text != "(?i)" or parts)) or _OTHER_CLASSES.search(text):
            raise _read_otherwise(pattern, text)
        if text == ")":
            item = groups.pop() if groups else 0
        else:
            item = len(parts)
        if text == "(" or (found["flags"] and text.endswith(":")):
            groups.append(item)
        parts.append({"$": r"\z", "^": r"\A"}.get(text, text))
    return "".join(parts)


def _read_otherwise(pattern: str, part: str) -> ValueError:
    return ValueError(f"pat_str={pattern!r}: {part!r} is read otherwise by tiktoken and not implemented")


def _class_end(pattern: str, at: int) -> int:
    """Behind the bracket that closes the set whose first character stands there."""
    depth = 1
    at += pattern.startswith("^", at)
    # A bracket that comes first is a character.
    at += pattern.startswith("]", at)
    while depth and at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "[]":
            depth += 1 if pattern[at] == "[" else -1
        at += 1
    return at
