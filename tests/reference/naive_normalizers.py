"""The Unicode normalization algorithm as its annex has it, in plain Python over the frozen tables."""

from __future__ import annotations

from tokenizers_impl._text.unicode import combining_classes, compositions, decompositions

CLASSES = combining_classes().tolist()
COMPOSED = {(first, second): code for code, (first, second) in compositions().items()}
DECOMPOSED = {compatibility: decompositions(compatibility=compatibility) for compatibility in (False, True)}


def normalized(text: str, *, compatibility: bool, composes: bool) -> tuple[str, list[int]]:
    """The text in the form, and for each new character the index of the one from which it came."""
    parts = []
    for char in map(ord, text):
        for place, part in enumerate(DECOMPOSED[compatibility].get(char, [char])):
            parts.append([part, int(place == 0)])
    parts = ordered(parts)
    if composes:
        parts = composed(parts)
    used, sources = 0, []
    for _, uses in parts:
        sources.append(used if uses else used - 1)
        used += uses
    return "".join(chr(part) for part, _ in parts), sources


def ordered(parts: list[list[int]]) -> list[list[int]]:
    """Runs of marks sorted by their class (definition D108)."""
    result: list[list[int]] = []
    marks: list[list[int]] = []
    for part in [*parts, [0, 0]]:
        if CLASSES[part[0]]:
            marks.append(part)
        else:
            result += sorted(marks, key=lambda mark: CLASSES[mark[0]])
            result.append(part)
            marks = []
    return result[:-1]


def composed(parts: list[list[int]]) -> list[list[int]]:
    """Each part put together with the last starter, unless it is blocked from it (definitions D115 to D117)."""
    result: list[list[int]] = []
    starter: list[int] | None = None
    for part in parts:
        rank = CLASSES[part[0]]
        if starter is not None:
            after = result[[kept is starter for kept in result].index(True) + 1 :]
            blocked = any(CLASSES[between[0]] == 0 or CLASSES[between[0]] >= rank for between in after)
            if not blocked and (starter[0], part[0]) in COMPOSED:
                starter[0] = COMPOSED[starter[0], part[0]]
                starter[1] += part[1]
                continue
        result.append(part)
        if rank == 0:
            starter = part
    return result
