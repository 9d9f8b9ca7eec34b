"""Names of what a caller may give to be encoded, for annotations."""

from __future__ import annotations

from typing import TypeAlias

Offsets: TypeAlias = tuple[int, int]

TextInputSequence: TypeAlias = str
PreTokenizedInputSequence: TypeAlias = list[str] | tuple[str, ...]
InputSequence: TypeAlias = TextInputSequence | PreTokenizedInputSequence

TextEncodeInput: TypeAlias = TextInputSequence | tuple[TextInputSequence, TextInputSequence] | list[TextInputSequence]
PreTokenizedEncodeInput: TypeAlias = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
EncodeInput: TypeAlias = TextEncodeInput | PreTokenizedEncodeInput
