"""Reads synonyms: pairs of words, or of sequences of words, of which the right one may replace the left one.

Files are those of fstalign 1.13 (docs/Synonyms-Format.md) and the global mapping files of NIST (SCTK, GLMRules.txt).
"""

from __future__ import annotations

import hashlib
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from evenscore.inputs import as_list, check_predictions, text_lines, utf8_text

# What is replaced in a reference, and by what.
Pair: TypeAlias = tuple[str, str]

_MOST_BYTES = 1 << 24
# How a comment begins; evaluate takes a number sign in code for one.
_COMMENTS = ("\x23", ";;")
# GLM files write it for no word.
_NO_WORD = "@"
# Marks between words that are mistyped separators rather than parts of a text.
_STRAY = re.compile(r" ,|, |(?:^| )[/|;] | [/|;]$")
_LINES = "'left | right; another right', or a rule of a GLM file, 'LEFT => RIGHT'"


def read_synonyms(given: Any) -> tuple[Pair, ...]:
    """Return pairs of a left and a right side, in order, each once.

    given: a list of pairs of strings, or the path of a file of at most 16 MiB in UTF-8.
    Raises ValueError, which names the pair or the line, for a side without words, for a pair of equal sides, and for a
    line that is no synonym. In a file, a comma between words is refused as a mistyped separator; a list may have it. An
    empty list gives no pairs; a file needs one.

    >>> read_synonyms([("i am", "i'm"), ("ok", "okay"), ("ok", "okay")])
    (('i am', "i'm"), ('ok', 'okay'))
    """
    if isinstance(given, (str, os.PathLike)):
        return _from_file(os.fspath(given))
    pairs = as_list(given, "synonyms", "pairs of strings")
    return _distinct(_checked(pair, f"synonyms[{i}]") for i, pair in enumerate(pairs))


def synonyms_name(pairs: Sequence[Pair]) -> str:
    """Return the number of pairs and a digest of them, for signatures.

    >>> synonyms_name([("ok", "okay")])
    '1-4ad46294774a'
    """
    return f"{len(pairs)}-{hashlib.sha256(repr(list(pairs)).encode()).hexdigest()[:12]}"


def split_synonyms(pairs: Iterable[Pair], split: Callable[[str], list[str]]) -> list[tuple[list[str], list[str]]]:
    """Return the units of both sides of each pair; pairs that the split makes equal are left out.

    split: from a text to its units, after the transforms.
    Raises ValueError for a pair of which it empties one side.

    >>> split_synonyms([("I am", "I'm"), ("OK", "ok")], lambda text: text.lower().split())
    [(['i', 'am'], ["i'm"])]
    """
    both = [(split(left), split(right)) for left, right in pairs]
    for pair, sides in zip(pairs, both, strict=True):
        if sum(map(bool, sides)) == 1:
            raise ValueError(f"the transforms leave nothing of one side of the synonym {_shown(pair)}: leave it out")
    return [(left, right) for left, right in both if left != right]


def _checked(pair: Any, place: str) -> Pair:
    """Return a pair of strings as a tuple; ValueError, which names the place, for anything else."""
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ValueError(f"{place} is {_shown(pair)}: give two strings, as in ('i am', \"i'm\")")
    if not all(isinstance(side, str) for side in pair):
        raise ValueError(f"{place} is {_shown(pair)}: give two strings, as in ('i am', \"i'm\")")
    left, right = check_predictions(list(pair), place)
    if not (left.split() and right.split()):
        raise ValueError(f"{place} is {_shown(pair)}: each side needs a word")
    if left.split() == right.split():
        raise ValueError(f"{place} is {_shown(pair)}: both sides are equal, so leave it out")
    return left, right


def _distinct(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(dict.fromkeys(pairs))


def _shown(value: Any) -> str:
    return reprlib.repr(value)


# --- files


def _from_file(path: str) -> tuple[Pair, ...]:
    is_folder = os.path.isdir(path)
    if is_folder or not os.path.exists(path):
        what = "this is a folder" if is_folder else "there is no such file"
        raise ValueError(f"synonyms={path!r}: {what}; give the path of a file, or a list of pairs")
    with open(path, "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(
            f"{path} is too long for a file of synonyms, which has at most {_MOST_BYTES} bytes: shorten it"
        )
    lines = enumerate(text_lines(utf8_text(data, path)), 1)
    pairs = _distinct(pair for number, line in lines for pair in _of_line(line.strip(), f"{path}, line {number}"))
    if not pairs:
        raise ValueError(f"{path} has no synonyms: write lines such as {_LINES}")
    return pairs


def _of_line(line: str, place: str) -> list[Pair]:
    """Return the synonyms of a line: none of a blank line, a comment, and a line of the header of a GLM file.

    >>> _of_line("till | until; 'til", "line 1")
    [('till', 'until'), ('till', "'til")]
    """
    if not line or line.startswith(_COMMENTS):
        return []
    rule = line.partition(";;")[0]
    if rule.count("=>") == 1:
        return _of_rule(rule, place)
    if line.count("|") == 1 and "=>" not in line:
        left, _, right = line.partition("|")
        return _of_list(left, right.split(";"), place)
    if "|" not in line and line.startswith("*") and "=>" not in line:
        return []
    raise ValueError(f"{place} is {_shown(line)}: write {_LINES}")


def _of_list(left: str, rights: Sequence[str], place: str) -> list[Pair]:
    """Return a pair for each right side but those equal to the left one, which may stay anyway.

    Raises ValueError for a side with a comma or a separator between its words, as in `a | b, c`.
    """
    pairs = [(" ".join(left.split()), " ".join(right.split())) for right in rights]
    for side in (side for pair in pairs for side in pair):
        if stray := _STRAY.search(side):
            raise ValueError(
                f"{place} has {stray[0].strip()!r} between the words of {_shown(side)}: write {_LINES}, with several "
                f"right sides as '{{RIGHT / ANOTHER}}'"
            )
    return [_checked(pair, place) for pair in pairs if pair[0] != pair[1] or not pair[0]]


def _of_rule(rule: str, place: str) -> list[Pair]:
    """Return the synonyms of a rule of a GLM file; the words of its context are on both sides.

    >>> _of_rule("[IT'S] => [{IT'S / IT IS}] / [ ] __ [ ]", "line 1")
    [("IT'S", 'IT IS')]
    >>> _of_rule("FALKNER => FAULKNER / [WILLIAM ] __", "line 1")
    [('WILLIAM FALKNER', 'WILLIAM FAULKNER')]
    """
    left, _, rest = rule.partition("=>")
    right, slash, context = rest.rpartition("/")
    if not (slash and "__" in context):
        right, context = rest, "__"
    before, after = _context(context.strip(), place)
    inner = _inside(right, right.strip()).strip()
    alternatives = inner[1:-1].split("/") if inner.startswith("{") and inner.endswith("}") else [inner]
    rights = ["" if side.strip() == _NO_WORD else side for side in alternatives]
    pairs = _of_list(_inside(left, left), rights, place)
    return [(" ".join([*before, own, *after]), " ".join([*before, other, *after])) for own, other in pairs]


def _context(context: str, place: str) -> tuple[list[str], list[str]]:
    """Return the words before and after `__`; ValueError where something other than a space is next to it."""
    before, after = (_inside(side, "" if side.strip() else " ") for side in context.split("__", 1))
    if not (before.endswith(" ") and after.startswith(" ")):
        raise ValueError(
            f"{place} has the context {_shown(context)}: write '[ ] __ [ ]', or whole words, as in '[WILLIAM ] __ [ ]'"
        )
    return before.split(), after.split()


def _inside(text: str, otherwise: str) -> str:
    """Return what stands in brackets or quotation marks, or `otherwise` if the text is not in them.

    >>> _inside(" [a ] ", ""), _inside("'TIL", "'TIL")
    ('a ', "'TIL")
    """
    stripped = text.strip()
    is_bounded = len(stripped) > 1 and stripped[0] + stripped[-1] in ("[]", "''")
    return stripped[1:-1] if is_bounded else otherwise
