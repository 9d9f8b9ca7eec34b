"""Alignments as text and pictures, and the errors in them counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from evenscore.pictures import BLUE, ORANGE, PLAIN, PURPLE, Columns, Kind, Line, Mark, Picture, box
from evenscore.wer.edits import Operation


class Alignment(NamedTuple):
    """A reference and a prediction, each as its units, with the operations between them."""

    reference: list[str]
    prediction: list[str]
    operations: list[Operation]

    @property
    def is_correct(self) -> bool:
        """Whether nothing was changed."""
        return all(operation.kind == "equal" for operation in self.operations)


class _Column(NamedTuple):
    """One unit above the other, and what happened to it."""

    reference: str
    prediction: str
    mark: str


_MARKS = {"equal": " ", "substitute": "S", "delete": "D", "insert": "I"}
_HEADS = ("REF: ", "HYP: ", "     ")


def draw(alignments: Sequence[Alignment], separator: str, skip_correct: bool, line_width: int | None) -> str:
    """Three lines a row, a unit above the other: reference, prediction, errors.

    As jiwer 4.0 prints it (alignment.visualize_alignment), the summary left out.
    """
    drawn = [
        f"=== SENTENCE {number} ===\n\n{_draw_row(alignment, separator, line_width)}\n"
        for number, alignment in enumerate(alignments, 1)
        if not (skip_correct and alignment.is_correct)
    ]
    return "".join(drawn)


def _draw_row(alignment: Alignment, separator: str, line_width: int | None) -> str:
    blocks: list[list[str]] = [list(_HEADS)]
    for column in _columns(alignment):
        width = max(map(len, column))
        if line_width is not None and len(blocks[-1][0]) + width > line_width:
            blocks.append(list(_HEADS))
        for k, cell in enumerate(column):
            blocks[-1][k] += (cell * width if cell == "*" else cell).rjust(width) + separator
    cut = len(separator)
    return "\n".join("".join(f"{line[: len(line) - cut]}\n" for line in block) for block in blocks)


def _columns(alignment: Alignment) -> list[_Column]:
    columns: list[_Column] = []
    for kind, *bounds in alignment.operations:
        reference = alignment.reference[bounds[0] : bounds[1]]
        prediction = alignment.prediction[bounds[2] : bounds[3]]
        height = max(len(reference), len(prediction))
        columns += map(_Column, reference or ["*"] * height, prediction or ["*"] * height, [_MARKS[kind]] * height)
    return columns


def count_errors(alignments: Sequence[Alignment], separator: str) -> dict[str, Counter[Any]]:
    """How often each run of units was substituted, as (from, to), inserted or deleted (jiwer, collect_error_counts)."""
    counts: dict[str, Counter[Any]] = {"substitutions": Counter(), "insertions": Counter(), "deletions": Counter()}
    for alignment in alignments:
        for kind, *bounds in alignment.operations:
            reference = separator.join(alignment.reference[bounds[0] : bounds[1]])
            prediction = separator.join(alignment.prediction[bounds[2] : bounds[3]])
            if kind == "substitute":
                counts["substitutions"][reference, prediction] += 1
            elif kind == "insert":
                counts["insertions"][prediction] += 1
            elif kind == "delete":
                counts["deletions"][reference] += 1
    return counts


HIT = Kind("hit", "the same", "span", "opacity:.65", "2")
SUBSTITUTE = Kind("substitute", "substituted", "mark", box(ORANGE, "underline wavy"), "30;43", "~", "~")
DELETE = Kind("delete", "deleted", "del", box(PURPLE, "line-through"), "30;45", "[-", "-]")
INSERT = Kind("insert", "inserted", "ins", box(BLUE, "underline"), "30;46", "{+", "+}")
KINDS = (HIT, SUBSTITUTE, DELETE, INSERT)

# Of an operation: the kind of the reference's mark, that of the prediction's, the sign below.
_LOOKS = {
    "equal": (HIT, HIT, ""),
    "substitute": (SUBSTITUTE, SUBSTITUTE, "S"),
    "delete": (DELETE, PLAIN, "D"),
    "insert": (PLAIN, INSERT, "I"),
}


def alignment_picture(title: str, alignment: Alignment) -> Picture:
    """Reference above prediction, unit by unit; below errors, S, D or I for a substitution, deletion or insertion."""
    columns = [column for operation in alignment.operations for column in _picture_columns(alignment, operation)]
    if not columns:
        return Picture(title, [Line("both texts", [Mark("are empty")])])
    labels = ("reference", "prediction") if alignment.is_correct else ("reference", "prediction", "")
    return Picture(title, [Columns(labels, [column[: len(labels)] for column in columns])], KINDS)


def _picture_columns(alignment: Alignment, operation: Operation) -> list[tuple[Mark, Mark, Mark]]:
    kind, reference_start, reference_end, prediction_start, prediction_end = operation
    reference = alignment.reference[reference_start:reference_end]
    prediction = alignment.prediction[prediction_start:prediction_end]
    height = max(len(reference), len(prediction))
    above, below, sign = _LOOKS[kind]
    return [
        (Mark(upper, above), Mark(lower, below), Mark(sign))
        for upper, lower in zip(reference or [""] * height, prediction or [""] * height, strict=True)
    ]
