"""Few texts for a normalizer that begins with the user's: it changes them, then their stretches are looked up.

The user's normalizer gets every text in every call, because it may change the same text in another way each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import normalizers
from .._core.arrays import I32
from .._core.encoding import Encoding
from .._normalized_string import NormalizedString
from .._pre_tokenized_string import Part, splits_of
from .._text.splits import TEXT, Given, Splits
from ..models._model import Model
from ..normalizers._normalizer import CustomNormalizer
from .added_tokens import AddedVocabulary, TokenFinder
from .encoded import Cutter, EncodedBatch, encoded_words
from .inputs import Inputs
from .post_processing import PostProcessing
from .stretches import Stretches, StretchRow


@dataclass
class CustomRow(StretchRow):
    """The tokens of one text that the user's normalizer changed.

    origins: int32, shape (n, 2); the (start, end) in the text as given of each character after the user's normalizer.
    """

    origins: I32

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in the text as given; (0, 0) without offsets."""
        found = super().offsets(part)
        if not self.has_offsets:
            return found
        first, last = self.origins[:, 0].tolist(), self.origins[:, 1].tolist()
        # A token that covers no character is at the end of the character before it.
        return [(first[start] if start < end else last[end - 1], last[end - 1]) for start, end in found]


@dataclass(frozen=True)
class CustomStretches:
    """Encodes few texts stretch by stretch after the user's normalizer.

    raw: the contents of added tokens that are found before normalization.
    cutter: the steps after the user's normalizer.  stretches: encodes what the user's normalizer makes.
    """

    custom: CustomNormalizer
    raw: Sequence[str]
    cutter: Cutter
    stretches: Stretches
    model: Model
    added: AddedVocabulary

    @classmethod
    def of(cls, cutter: Cutter, model: Model, added: AddedVocabulary) -> CustomStretches | None:
        """Build from the steps before the model; None unless the normalizer begins with the user's."""
        match cutter.normalizer:
            case CustomNormalizer() as custom:
                others = list[normalizers.Normalizer]()
            case normalizers.Sequence(steps=(CustomNormalizer() as custom, *others)):
                pass
            case _:
                return None
        rest = replace(cutter, raw=TokenFinder.of({}), normalizer=normalizers.Sequence(others))
        if rest.needs_origins:
            # Stretches begin at 0, whatever the user's normalizer removed before them.
            return None
        raw = [token.content for token in added.tokens.values() if not token.normalized]
        return cls(custom, raw, rest, Stretches(rest, model, added), model, added)

    def encodings(self, inputs: Inputs, processing: PostProcessing, *, offsets: bool) -> list[Encoding] | None:
        """One Encoding per input; None, before the user's normalizer gets a text, if all are left to the arrays."""
        if not self.stretches.are_used or not self._takes("\n".join(inputs.texts)):
            return None
        strings = list(map(self._changed, inputs.texts))
        made = inputs._replace(texts=[string.normalized for string in strings])
        texts = self.stretches.rows(made.texts) if made.are_few else None
        if texts is None:
            return processing.of_batches([self._batch(strings, inputs.texts, offsets=offsets)], [inputs])
        rows = [CustomRow(text, offsets, string.origins) for text, string in zip(texts, strings, strict=True)]
        return processing.of_stretches(rows, inputs.bounds, offsets)

    def _takes(self, text: str) -> bool:
        """Whether a text has no lone surrogate, which is refused, and no added token that would divide it."""
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
        return not any(token in text for token in self.raw)

    def _changed(self, text: str) -> NormalizedString:
        """The text as the user's normalizer changes it; an empty one stays as it is."""
        places = (np.arange(1, 2 * len(text) + 1, dtype=np.int32) >> 1).reshape(len(text), 2)
        string = NormalizedString.aligned(text, 0, text, places)
        if text:
            self.custom.change(string)
        return string

    def _batch(self, strings: Sequence[NormalizedString], texts: Sequence[str], *, offsets: bool) -> EncodedBatch:
        """Encode the changed texts as arrays; texts: those that were given."""
        whole = Splits.of(texts, offsets=True)
        splits = splits_of([[Part(string, TEXT)] for string in strings], Given(whole.chars, whole.ends))
        return encoded_words(self.cutter.cut(splits).without_empty(), self.model, self.added, offsets=offsets)
