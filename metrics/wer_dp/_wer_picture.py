"""The picture of an alignment: which words were substituted, deleted, inserted."""

from __future__ import annotations

from ._alignment import Alignment
from ._edit_operations import Operation
from ._marks import Mark
from ._picture import Picture
from ._picture_blocks import Columns, Line

# Of an operation: the kind of the reference's mark, that of the prediction's, the sign below.
_LOOKS = {
    "equal": ("hit", "hit", ""),
    "substitute": ("substitute", "substitute", "S"),
    "delete": ("delete", "plain", "D"),
    "insert": ("plain", "insert", "I"),
}


def alignment_picture(title: str, alignment: Alignment) -> Picture:
    """Reference above prediction, unit by unit; below errors, S, D or I for a substitution, deletion or insertion."""
    columns = [column for operation in alignment.operations for column in _columns(alignment, operation)]
    if not columns:
        return Picture(title, [Line("both texts", [Mark("are empty")])])
    labels = ("reference", "prediction") if alignment.is_correct else ("reference", "prediction", "")
    return Picture(title, [Columns(labels, [column[: len(labels)] for column in columns])])


def _columns(alignment: Alignment, operation: Operation) -> list[tuple[Mark, Mark, Mark]]:
    kind, reference_start, reference_end, prediction_start, prediction_end = operation
    reference = alignment.reference[reference_start:reference_end]
    prediction = alignment.prediction[prediction_start:prediction_end]
    height = max(len(reference), len(prediction))
    above, below, sign = _LOOKS[kind]
    return [
        (Mark(upper, above), Mark(lower, below), Mark(sign))
        for upper, lower in zip(reference or [""] * height, prediction or [""] * height, strict=True)
    ]
