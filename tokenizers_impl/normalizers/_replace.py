"""Text with another one in place of a pattern."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._arrays import I32, I64, U32, code_points
from .._component import json_form, unchanging
from .._kernel import kernel
from .._splits import Splits
from ..patterns import Pattern, matches, pattern_from_json, pattern_json
from ._normalizer import Normalizer


@unchanging
@dataclass(frozen=True, repr=False)
class Replace(Normalizer):
    """Every match of a string or a Regex becomes the content, as it stands, as `tokenizers.normalizers.Replace`.

    ValueError in normalizing for a Regex that tries too many ways to match, and for texts that grow beyond `room`.

    >>> from tokenizers_impl import Regex
    >>> Replace(Regex(" {2,}"), "▁").normalize_str("a  b c")
    'a▁b c'
    """

    pattern: Pattern = field(metadata=json_form(write=pattern_json, read=pattern_from_json))
    content: str

    def normalize_splits(self, splits: Splits) -> Splits:
        """The splits with the content in place of matches; its origin is that of the last character of the match."""
        found = matches(self.pattern, splits)
        splits = splits._replace(spent=found.spent)
        if len(found.starts) == 0:
            return splits
        content = code_points(self.content)
        splits.check_room(len(found.starts) * len(content))
        texts = splits.chars, splits.starts, splits.ends
        places = found.starts, found.ends, found.parents
        made = splits.rewritten(*_replaced(*texts, *places, content, len(splits.origins) > 0))
        at_begin = found.ends == splits.starts[found.parents]
        return _put_at_begin(splits, made, found.parents[at_begin], len(content)) if at_begin.any() else made


def _put_at_begin(splits: Splits, made: Splits, parents: I64, length: int) -> Splits:
    """The splits with the place where they begin as the origin of what was put before their first character."""
    if len(made.origins) == 0:
        return made
    origins = made.origins.copy()
    first_of_text = np.isin(parents, splits.firsts)
    # What stands before another split of the same text is an added token, and that is never empty.
    begins = np.where(first_of_text, 0, splits.origins[splits.ends[parents - 1] - 1, 1])
    for start, begin in zip(made.starts[parents].tolist(), begins.tolist(), strict=True):
        origins[start : start + length] = begin
    return made._replace(origins=origins)


@kernel
def _replaced(
    chars: U32,
    starts: I64,
    ends: I64,
    match_starts: I64,
    match_ends: I64,
    match_parents: I64,
    content: U32,
    tracked: bool,
) -> tuple[U32, I32, I64, I64]:
    """The characters with the content for matches; if tracked, the character that each came from."""
    size = (ends - starts).sum() - (match_ends - match_starts).sum() + len(match_starts) * len(content)
    new_chars, source = np.empty(size, np.uint32), np.empty(size if tracked else 0, np.int32)
    new_starts, new_ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    w, m = 0, 0
    for j in range(len(starts)):
        new_starts[j] = w
        i = starts[j]
        while i < ends[j] or (m < len(match_starts) and match_parents[m] == j):
            if m < len(match_starts) and match_parents[m] == j and match_starts[m] == i:
                i = match_ends[m]
                for char in content:
                    new_chars[w] = char
                    if tracked:
                        source[w] = max(i - 1, starts[j])
                    w += 1
                m += 1
            else:
                new_chars[w] = chars[i]
                if tracked:
                    source[w] = i
                w += 1
                i += 1
        new_ends[j] = w
    return new_chars, source, new_starts, new_ends
