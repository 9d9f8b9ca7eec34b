"""Shows alignments as text and pictures, and counts their errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evenscore.pictures import BLUE, ORANGE, PLAIN, PURPLE, Columns, Kind, Line, Mark, Picture, box
from evenscore.wer.edits import Operation


class Alignment(NamedTuple):
    """The units of a reference and of a prediction, with the operations that turn one into the other."""

    reference: list[str]
    prediction: list[str]
    operations: list[Operation]

    @property
    def is_correct(self) -> bool:
        """Whether both sides are equal."""
        return all(operation.kind == "equal" for operation in self.operations)

    def sides(self, operation: Operation) -> tuple[list[str], list[str]]:
        """Return the operation's units in the reference and in the prediction."""
        _, reference_start, reference_end, prediction_start, prediction_end = operation
        return self.reference[reference_start:reference_end], self.prediction[prediction_start:prediction_end]

    def columns(self, empty: str) -> Iterator[tuple[str, str, str]]:
        """Yield aligned units of reference and prediction with the kind of operation; `empty` fills a missing unit."""
        for operation in self.operations:
            sides = self.sides(operation)
            height = max(map(len, sides))
            yield from zip(*(side or [empty] * height for side in sides), [operation.kind] * height, strict=True)


_HEADS = ("REF: ", "HYP: ", "     ")


def draw(alignments: Sequence[Alignment], separator: str, skip_correct: bool, line_width: int | None) -> str:
    """Draw three aligned lines per row: reference, prediction and errors.

    Source: jiwer 4.0, alignment.visualize_alignment, without the summary.
    """
    drawn = [
        f"=== SENTENCE {number} ===\n\n{_draw_row(alignment, separator, line_width)}\n"
        for number, alignment in enumerate(alignments, 1)
        if not (skip_correct and alignment.is_correct)
    ]
    return "".join(drawn)


def _draw_row(alignment: Alignment, separator: str, line_width: int | None) -> str:
    blocks: list[list[str]] = [list(_HEADS)]
    for reference, prediction, kind in alignment.columns(empty="*"):
        column = (reference, prediction, _LOOKS[kind][-1] or " ")
        width = max(map(len, column))
        if line_width is not None and len(blocks[-1][0]) + width > line_width:
            blocks.append(list(_HEADS))
        for k, cell in enumerate(column):
            blocks[-1][k] += (cell * width if cell == "*" else cell).rjust(width) + separator
    cut = len(separator)
    return "\n".join("".join(f"{line[: len(line) - cut]}\n" for line in block) for block in blocks)


def count_errors(alignments: Sequence[Alignment], separator: str) -> dict[str, Counter[Any]]:
    """Count substituted runs of units, as (from, to), and inserted and deleted runs.

    Source: jiwer 4.0, alignment.collect_error_counts.
    """
    counts: dict[str, Counter[Any]] = {kind: Counter() for kind in _ERRORS.values()}
    for alignment in alignments:
        for _, kind, error in errors_of(alignment, separator):
            counts[kind][error] += 1
    return counts


_ERRORS = {"substitute": "substitutions", "insert": "insertions", "delete": "deletions"}


def errors_of(alignment: Alignment, separator: str) -> Iterator[tuple[Operation, str, Any]]:
    """Yield each error as (operation, its kind in `count_errors`, (from, to) or the inserted or deleted units)."""
    for operation in alignment.operations:
        if operation.kind != "equal":
            sides = tuple(map(separator.join, alignment.sides(operation)))
            error = sides if operation.kind == "substitute" else "".join(sides)
            yield operation, _ERRORS[operation.kind], error


HIT = Kind("hit", "the same", "span", "opacity:.65", "2")
SUBSTITUTE = Kind("substitute", "substituted", "mark", box(ORANGE, "underline wavy"), "30;43", "~", "~")
DELETE = Kind("delete", "deleted", "del", box(PURPLE, "line-through"), "30;45", "[-", "-]")
INSERT = Kind("insert", "inserted", "ins", box(BLUE, "underline"), "30;46", "{+", "+}")
KINDS = (HIT, SUBSTITUTE, DELETE, INSERT)

# For each operation: the kind of the reference's mark, the kind of the prediction's mark, and the sign below them.
_LOOKS = {
    "equal": (HIT, HIT, ""),
    "substitute": (SUBSTITUTE, SUBSTITUTE, "S"),
    "delete": (DELETE, PLAIN, "D"),
    "insert": (PLAIN, INSERT, "I"),
}


def alignment_picture(title: str, alignment: Alignment) -> Picture:
    """Draw the reference above the prediction, unit by unit, with S, D or I below each error."""
    columns = []
    for reference, prediction, kind in alignment.columns(empty=""):
        above, below, sign = _LOOKS[kind]
        columns.append((Mark(reference, above), Mark(prediction, below), Mark(sign)))
    if not columns:
        return Picture(title, [Line("both texts", [Mark("are empty")])])
    labels = ("reference", "prediction") if alignment.is_correct else ("reference", "prediction", "")
    return Picture(title, [Columns(labels, [column[: len(labels)] for column in columns])], KINDS)
