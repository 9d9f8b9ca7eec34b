"""Edits of one pair gathered into operations: runs of one kind, the way jiwer writes an alignment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

EditKind = Literal["substitute", "delete", "insert"]


class Edit(NamedTuple):
    """One changed token; the index on the side where it has no token says before which one it happens."""

    kind: EditKind
    reference_index: int
    prediction_index: int


class Operation(NamedTuple):
    """reference[reference_start:reference_end] became prediction[prediction_start:prediction_end]."""

    kind: Literal["equal"] | EditKind
    reference_start: int
    reference_end: int
    prediction_start: int
    prediction_end: int


def operations(edits: Iterable[Edit], reference_length: int, prediction_length: int) -> list[Operation]:
    """Edits in text order, with the tokens between them, as the fewest operations that keep their order.

    The same list as AlignmentChunk in jiwer 4; [] for two empty sides.

    >>> for operation in operations([Edit("delete", 1, 1), Edit("delete", 2, 1)], 4, 2):
    ...     print(*operation)
    equal 0 1 0 1
    delete 1 3 1 1
    equal 3 4 1 2
    """
    runs: list[Operation] = []
    reference_end = prediction_end = 0
    for kind, i, j in edits:
        if i > reference_end:
            runs.append(Operation("equal", reference_end, i, prediction_end, j))
        reference_end, prediction_end = i + (kind != "insert"), j + (kind != "delete")
        if runs and runs[-1].kind == kind:
            runs[-1] = runs[-1]._replace(reference_end=reference_end, prediction_end=prediction_end)
        else:
            runs.append(Operation(kind, i, reference_end, j, prediction_end))
    if prediction_length > prediction_end:
        runs.append(Operation("equal", reference_end, reference_length, prediction_end, prediction_length))
    return runs
