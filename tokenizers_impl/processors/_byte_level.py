"""White space taken out of the offsets of byte-level tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._component import unchanging
from .._layout import Layout
from .._token_lists import TokenLists
from .._trimming import trimmed_lists
from ._post_processor import PostProcessor


@unchanging
@dataclass(frozen=True, repr=False)
class ByteLevel(PostProcessor):
    """Offsets without white space, as `tokenizers.processors.ByteLevel`; no token is put in.

    add_prefix_space: whether the pre-tokenizer put a space before texts, which has no place in them.  trim_offsets: do
    anything at all.  use_regex: of no effect here, kept for the file.
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """0."""
        return 0

    def pieces_of(self, sequences: list[TokenLists], *, add_special_tokens: bool) -> list[TokenLists]:
        """The sequences."""
        if self.trim_offsets:
            sequences = [trimmed_parts(each, self.add_prefix_space) for each in sequences]
        return [each.of_sequence(i) for i, each in enumerate(sequences)]

    def layout(self, is_pair: bool, *, add_special_tokens: bool) -> Layout:
        """The sequences."""
        trims = (self.add_prefix_space,) if self.trim_offsets else ()
        return replace(Layout.plain(is_pair), trims=trims)


def trimmed_parts(row: TokenLists, add_prefix_space: bool) -> TokenLists:
    """The row, and what overflows from it, without white space in the offsets."""
    whole = trimmed_lists(row, add_prefix_space=add_prefix_space)
    return whole.with_changed_overflow(row, lambda part: trimmed_lists(part, add_prefix_space=add_prefix_space))
