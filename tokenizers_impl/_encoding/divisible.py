"""Which pipelines give a text the tokens of its stretches, one after another."""

from __future__ import annotations

from itertools import chain

from .. import normalizers, pre_tokenizers
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from .added_tokens import AddedVocabulary
from .encoded import Cutter

# The normalizers f with f(a + b) = f(a) + f(b) for every b that begins with a space; f(b) begins with a space, too.
_NORMALIZERS = {
    normalizers.BertNormalizer,
    normalizers.Lowercase,
    normalizers.NFC,
    normalizers.NFD,
    normalizers.NFKC,
    normalizers.NFKD,
    normalizers.Nmt,
    normalizers.StripAccents,
}
# The pre-tokenizers that split a + b like a and b by themselves if b begins with a space.
_PRE_TOKENIZERS = {pre_tokenizers.BertPreTokenizer, pre_tokenizers.Whitespace, pre_tokenizers.WhitespaceSplit}


def is_divisible(cutter: Cutter, added: AddedVocabulary) -> bool:
    """Whether a text has the tokens of its stretches, if these keep their space and the visible text after it.

    An added token must not extend over a space, which it might share with the next stretch.
    """
    texts = chain(added.ids, added.shown.values())
    is_cut = any(" " in text for text in texts) or added.strips
    return not is_cut and _is_local(unstripped(cutter.normalizer)) and _splits_at_spaces(cutter.pre_tokenizer)


def _is_local(normalizer: Normalizer | None) -> bool:
    match normalizer:
        case None:
            return True
        case normalizers.Sequence():
            return all(map(_is_local, normalizer.steps))
        case normalizers.Replace(pattern=str() as pattern):
            return pattern != "" and " " not in pattern
    return type(normalizer) in _NORMALIZERS


def _splits_at_spaces(pre_tokenizer: PreTokenizer | None) -> bool:
    match pre_tokenizer:
        case pre_tokenizers.Sequence(steps=(first, *others)):
            # The other steps see the words of the first one, each by itself, but maybe also where it is in the text.
            return _splits_at_spaces(first) and not any(each.needs_origins for each in others)
        case pre_tokenizers.ByteLevel():
            return pre_tokenizer.use_regex
        case pre_tokenizers.Metaspace():
            return pre_tokenizer.split
    return type(pre_tokenizer) in _PRE_TOKENIZERS


def needs_visible_text(pre_tokenizer: PreTokenizer | None) -> bool:
    """Whether it splits a + b like a and b only if b has visible text after its space."""
    match pre_tokenizer:
        case pre_tokenizers.Sequence(steps=(first, *_)):
            return needs_visible_text(first)
    # It keeps spaces, and where several meet, the words depend on all of them.
    return isinstance(pre_tokenizer, pre_tokenizers.ByteLevel)


def unstripped(normalizer: Normalizer | None) -> Normalizer | None:
    """The normalizer without a last step that strips the ends of the text, which most texts do not need."""
    match normalizer:
        case normalizers.Strip():
            return None
        case normalizers.Sequence(steps=(*others, normalizers.Strip())):
            return normalizers.Sequence(others)
    return normalizer
