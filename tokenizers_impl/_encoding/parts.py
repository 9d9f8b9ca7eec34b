"""The parts of a tokenizer, as an immutable record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .. import decoders, models, normalizers, pre_tokenizers, processors
from .._core.added_token import AddedToken
from .._core.component import own_component
from .._core.options import checked_flag
from ..decoders import Decoder
from ..models import Model
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from ..processors import PostProcessor
from .added_tokens import AddedVocabulary
from .custom_steps import CustomSteps
from .decoding import Decoding, decodings_of
from .encoded import Cutter
from .post_processing import Padding, PostProcessing, Truncation
from .stretches import Stretches

# The class of each component, and the function that reads it from tokenizer.json.
_KINDS: dict[str, type] = {
    "model": Model,
    "normalizer": Normalizer,
    "pre_tokenizer": PreTokenizer,
    "post_processor": PostProcessor,
    "decoder": Decoder,
}
READERS: dict[str, Callable[[Any], Any]] = {
    "model": models.from_json,
    "normalizer": normalizers.from_json,
    "pre_tokenizer": pre_tokenizers.from_json,
    "post_processor": processors.from_json,
    "decoder": decoders.from_json,
}
# The attributes of a Tokenizer that can be set.
SETTABLE = (*_KINDS, "encode_special_tokens")
# The parts that decoding depends on, and those that the tokens of a text depend on.
_DECODING = {"model", "decoder", "added_tokens"}
_ENCODING = {"model", "normalizer", "pre_tokenizer", "added_tokens"}
# The keys of a pickled state.
STATE = (*_KINDS, "_added", "_truncation", "_padding")


@dataclass(frozen=True)
class Parts:
    """Model, normalizer, pre-tokenizer, post-processor, decoder; added tokens; truncation and padding.

    decodings: by `skip_special_tokens`; stretches: encode few texts; custom_steps: do so for the user's
      components, else None.  Their caches are kept until a part that they depend on is replaced.
    """

    model: Model
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    post_processor: PostProcessor | None
    decoder: Decoder | None
    added_tokens: AddedVocabulary
    truncation: Truncation | None
    padding: Padding | None
    decodings: Mapping[bool, Decoding]
    stretches: Stretches
    custom_steps: CustomSteps | None

    @classmethod
    def of(
        cls,
        model: Model,
        normalizer: Normalizer | None = None,
        pre_tokenizer: PreTokenizer | None = None,
        post_processor: PostProcessor | None = None,
        decoder: Decoder | None = None,
        added_tokens: AddedVocabulary | None = None,
        truncation: Truncation | None = None,
        padding: Padding | None = None,
    ) -> Parts:
        """Build the record of these parts; added_tokens=None: no added tokens."""
        added = AddedVocabulary.of({}, normalizer) if added_tokens is None else added_tokens
        decodings = decodings_of(model, added, decoder)
        few = _few_texts(Cutter.of(added, normalizer, pre_tokenizer), model, added)
        steps = normalizer, pre_tokenizer, post_processor
        return cls(model, *steps, decoder, added, truncation, padding, decodings, **few)

    # Replacing parts

    def with_part(self, name: str, part: Any) -> Parts:
        """Replace one part."""
        if name == "normalizer":
            # Added tokens that are matched in normalized text get new normal forms.
            return self._with(normalizer=part, added_tokens=self.added_tokens.with_normalizer(part))
        if name == "encode_special_tokens":
            return self._with(added_tokens=self.added_tokens.encoding_special_tokens(part, self.normalizer))
        return self._with(**{name: part})

    def with_tokens(self, tokens: Iterable[AddedToken]) -> tuple[Parts, int]:
        """Add tokens; also returns how many are new or changed."""
        added, changed = self.added_tokens.with_tokens(tokens, self.model, self.normalizer)
        return self._with(added_tokens=added), changed

    def with_trained(self, model: Model, special: Iterable[AddedToken]) -> Parts:
        """Replace the model by a trained one, and add the special tokens of its trainer."""
        none = AddedVocabulary.of({}, self.normalizer, encode_special_tokens=self.encode_special_tokens)
        tokens = [*self.added_tokens.tokens.values(), *special]
        added, _ = none.with_tokens(tokens, model, self.normalizer)
        return self._with(model=model, added_tokens=added)

    def _with(self, **changed: Any) -> Parts:
        parts = replace(self, **changed)
        if not _DECODING.isdisjoint(changed):
            parts = replace(parts, decodings=decodings_of(parts.model, parts.added_tokens, parts.decoder))
        if not _ENCODING.isdisjoint(changed):
            parts = replace(parts, **_few_texts(parts.cutter, parts.model, parts.added_tokens))
        return parts

    # The work of the parts together

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens are encoded like any other text."""
        return self.added_tokens.encode_special_tokens

    @cached_property
    def cutter(self) -> Cutter:
        """The steps that split texts into words."""
        return Cutter.of(self.added_tokens, self.normalizer, self.pre_tokenizer)

    def processing(self, add_special_tokens: bool) -> PostProcessing:
        """The steps after the model; ValueError unless the flag is a bool."""
        return self._processings[checked_flag("add_special_tokens", add_special_tokens)]

    @cached_property
    def _processings(self) -> Mapping[bool, PostProcessing]:
        """The steps after the model by add_special_tokens."""
        steps = self.truncation, self.post_processor, self.padding
        return {flag: PostProcessing(*steps, flag) for flag in (False, True)}

    def decoding(self, skip_special_tokens: bool) -> Decoding:
        """The decoding of ids; ValueError unless the flag is a bool."""
        return self.decodings[checked_flag("skip_special_tokens", skip_special_tokens)]

    # Pickles

    def to_state(self) -> dict[str, Any]:
        """The state for a pickle."""
        added = {"_added": self.added_tokens.to_state()}
        lengths = {"_truncation": self.truncation, "_padding": self.padding}
        return {name: getattr(self, name) for name in _KINDS} | added | lengths

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Parts:
        """Restore the parts of a pickle."""
        added = AddedVocabulary.from_state(state["_added"], state["normalizer"])
        lengths = {"truncation": state["_truncation"], "padding": state["_padding"]}
        return cls.of(**{name: state[name] for name in _KINDS}, added_tokens=added, **lengths)


def _few_texts(cutter: Cutter, model: Model, added: AddedVocabulary) -> dict[str, Any]:
    """The parts that encode few texts."""
    return {"stretches": Stretches(cutter, model, added), "custom_steps": CustomSteps.of(cutter, model, added)}


def checked_part(name: str, value: Any) -> Any:
    """Check the value of a Tokenizer's attribute; a component of the library `tokenizers` is converted.

    ValueError for a value of another type, and for a component that is not supported.
    """
    if name == "encode_special_tokens":
        return checked_flag(name, value)
    part, kind = own_component(value, READERS[name]), _KINDS[name]
    if isinstance(part, kind) or (part is None and name != "model"):
        return part
    raise ValueError(f"{name}={part!r}{_origin(part)}: give a {kind.__name__} of {READERS[name].__module__}")


def _origin(value: object) -> str:
    """The class and module of an object unless it is a builtin, because components of different kinds share names."""
    kind = type(value)
    public = kind.__module__.partition("._")[0]
    return "" if public == "builtins" or isinstance(value, type) else f", {kind.__name__} of {public}"


def not_settable(name: str, *, is_there: bool) -> ValueError:
    """The error for setting another attribute of a Tokenizer; is_there: whether the attribute exists."""
    known = ", ".join(SETTABLE)
    if name in ("padding", "truncation"):
        return ValueError(f"{name} cannot be set: use no_{name}() or enable_{name}()")
    if is_there:
        return ValueError(
            f"{name} of a Tokenizer cannot be set, only {known}: to set it in the library, use "
            "tokenizer.to_tokenizers()"
        )
    return ValueError(f"{name} is not an attribute of a Tokenizer: set one of {known}")
