"""Few texts for a pipeline with the user's components: these change or split them, then their tokens are looked up.

The user's components get every text in every call, because they may treat the same text in another way each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from .. import normalizers
from .._core.encoding import Encoding
from .._normalized_string import NormalizedString, Strings, places_as_given
from .._pre_tokenized_string import PreTokenizedString, Row, splits_of
from .._text.splits import TEXT, Given, Splits
from ..models._model import Model
from ..normalizers import Normalizer
from ..normalizers._normalizer import CustomNormalizer
from ..pre_tokenizers._pre_tokenizer import CustomPreTokenizer
from .added_tokens import AddedVocabulary, TokenFinder
from .encoded import Cutter, encoded_words
from .inputs import Inputs
from .post_processing import PostProcessing
from .stretches import KeptWords, Stretches, StretchRow


@dataclass
class CustomRow(StretchRow):
    """The tokens of one text that the user's components changed.

    strings: what the user's components made, in order.
    """

    strings: Strings

    def offsets(self, part: slice) -> list[tuple[int, int]]:
        """The (start, end) of each token in the text as given; (0, 0) without offsets."""
        found = super().offsets(part)
        if not self.has_offsets:
            return found
        places = list(chain.from_iterable(self.strings.places()))
        # A token that covers no character is at the end of the character before it.
        return [
            ((places[start] if start < end else places[end - 1] + 1) >> 1, (places[end - 1] + 1) >> 1)
            for start, end in found
        ]


# --- The steps around the user's components


@dataclass(frozen=True)
class CustomSteps(ABC):
    """Encodes few texts for the user's components.

    raw: the contents of added tokens that are found before normalization.
    cutter: the steps after the user's normalizer, or else after the normalizer.
    """

    raw: Sequence[str]
    cutter: Cutter
    model: Model
    added: AddedVocabulary

    @staticmethod
    def of(cutter: Cutter, model: Model, added: AddedVocabulary) -> CustomSteps | None:
        """Build from the steps before the model; None if few texts are encoded as arrays."""
        raw = [token.content for token in added.tokens.values() if not token.normalized]
        rest = replace(cutter, raw=TokenFinder.of({}), normalizer=None)
        if isinstance(cutter.pre_tokenizer, CustomPreTokenizer):
            words = KeptWords(model, added)
            return CustomWords(raw, rest, model, added, cutter.normalizer, cutter.pre_tokenizer, words)
        match cutter.normalizer:
            case CustomNormalizer() as custom:
                pass
            case normalizers.Sequence(steps=(CustomNormalizer() as custom, *others)):
                rest = replace(rest, normalizer=normalizers.Sequence(others))
            case _:
                return None
        if rest.needs_origins:
            # Stretches begin at 0, whatever the user's normalizer removed before them.
            return None
        return CustomStretches(raw, rest, model, added, custom, Stretches(rest, model, added))

    @abstractmethod
    def encodings(self, inputs: Inputs, processing: PostProcessing, *, offsets: bool) -> list[Encoding] | None:
        """One Encoding per input; None, before the user's components get a text, if all are left to the arrays."""

    def takes(self, texts: Sequence[str]) -> bool:
        """Whether no text has a lone surrogate, which is refused, or an added token that would divide it."""
        joined = "\n".join(texts)
        try:
            joined.encode()
        except UnicodeEncodeError:
            return False
        return not _any_is_in(self.raw, [joined])

    def as_arrays(self, splits: Splits, inputs: Inputs, processing: PostProcessing, *, offsets: bool) -> list[Encoding]:
        """Encode the splits of the inputs as arrays; one Encoding per input."""
        batch = encoded_words(splits, self.model, self.added, offsets=offsets)
        return processing.of_batches([batch], [inputs])


def changed(text: str, normalizer: Normalizer | None) -> NormalizedString:
    """The text as the normalizer changes it; an empty one stays as it is."""
    string = NormalizedString.aligned(text, text, places_as_given(len(text)))
    if not (text and normalizer):
        return string
    normalizer.normalize(string)
    # A copy, because the user's normalizer may keep the string and change it later.  Its original is that of the
    # characters that are left.
    return string.part(0, len(string.normalized))


def _any_is_in(tokens: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a text has one of the tokens."""
    return bool(tokens) and any(token in text for token in tokens for text in texts)


def splits_from(rows: Sequence[Strings], texts: Sequence[str]) -> Splits:
    """Build splits from the strings of every text; texts: those that were given."""
    whole = Splits.of(texts, offsets=True)
    return splits_of([Row(row, [TEXT] * len(row)) for row in rows], Given(whole.chars, whole.ends))


# --- Texts that the user's normalizer changes, but no pre-tokenizer of the user's splits


@dataclass(frozen=True)
class CustomStretches(CustomSteps):
    """Encodes few texts stretch by stretch after the user's normalizer.

    stretches: encodes what the user's normalizer makes.
    """

    custom: CustomNormalizer
    stretches: Stretches

    def encodings(self, inputs: Inputs, processing: PostProcessing, *, offsets: bool) -> list[Encoding] | None:
        """One Encoding per input, see `CustomSteps.encodings`."""
        if not self.stretches.are_used or not self.takes(inputs.texts):
            return None
        strings = [changed(text, self.custom) for text in inputs.texts]
        made = inputs._replace(texts=[string.normalized for string in strings])
        texts = self.stretches.rows(made.texts) if made.are_few else None
        if texts is None:
            splits = self.cutter.cut(splits_from([Strings([string]) for string in strings], inputs.texts))
            return self.as_arrays(splits, inputs, processing, offsets=offsets)
        rows = [CustomRow(text, offsets, Strings([string])) for text, string in zip(texts, strings, strict=True)]
        return processing.of_stretches(rows, inputs.bounds, offsets)


# --- Texts that the user's pre-tokenizer splits


@dataclass(frozen=True)
class CustomWords(CustomSteps):
    """Encodes few texts word by word after the user's pre-tokenizer.

    normalizer: any normalizer.  words: encodes what the user's pre-tokenizer makes.
    """

    normalizer: Normalizer | None
    pre_tokenizer: CustomPreTokenizer
    words: KeptWords

    def encodings(self, inputs: Inputs, processing: PostProcessing, *, offsets: bool) -> list[Encoding] | None:
        """One Encoding per input, see `CustomSteps.encodings`."""
        texts = inputs.texts
        if self.model.is_random or not self.takes(texts):
            return None
        strings = [changed(text, self.normalizer) for text in texts]
        if _any_is_in(self._normalized, [string.normalized for string in strings]):
            splits = self.cutter.cut(splits_from([Strings([string]) for string in strings], texts))
            return self.as_arrays(splits, inputs, processing, offsets=offsets)
        words = list(map(self._cut, texts, strings))
        found = self.words.rows([row.texts for row in words])
        if found is None:
            return self.as_arrays(splits_from(words, texts), inputs, processing, offsets=offsets)
        rows = [CustomRow(tokens, offsets, row) for tokens, row in zip(found, words, strict=True)]
        return processing.of_stretches(rows, inputs.bounds, offsets)

    @cached_property
    def _normalized(self) -> list[str]:
        """The texts of added tokens that are found after normalization."""
        tokens = self.added.tokens.items()
        return [text for id, token in tokens if token.normalized and (text := self.added.shown[id])]

    def _cut(self, text: str, string: NormalizedString) -> Strings:
        """The nonempty words of a text as the user's pre-tokenizer splits it."""
        whole = PreTokenizedString.of_strings(text, [string] if string.normalized else [])
        self.pre_tokenizer.change(whole)
        return whole.row.strings.without_empty()
