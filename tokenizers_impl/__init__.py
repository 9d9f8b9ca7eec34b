"""BPE, byte-level BPE, WordPiece and Unigram tokenizers, with the interface of `tokenizers`."""

from typing import TYPE_CHECKING, NoReturn

from evenscore.version import __version__

from . import (
    decoders,
    exchange,
    implementations,
    measures,
    models,
    normalizers,
    pipelines,
    pre_tokenizers,
    processors,
    trainers,
)
from ._core import missing
from ._core.added_token import AddedToken
from ._core.encoding import Encoding, Token
from ._encoding.inputs import (
    EncodeInput,
    InputSequence,
    Offsets,
    PreTokenizedEncodeInput,
    PreTokenizedInputSequence,
    TextEncodeInput,
    TextInputSequence,
)
from ._normalized_string import NormalizedString, OffsetReferential, OffsetType, SplitDelimiterBehavior
from ._patterns import Regex
from ._pre_tokenized_string import PreTokenizedString
from ._text.words import WordCounter
from .implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)
from .tokenizer import Tokenizer

# isort: split
# The names of the public interface, sorted.

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "WordCounter",
    "__version__",
    "decoders",
    "exchange",
    "implementations",
    "measures",
    "models",
    "normalizers",
    "pipelines",
    "pre_tokenizers",
    "processors",
    "trainers",
]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers would otherwise accept any name

    def __getattr__(name: str) -> NoReturn:
        raise missing(__name__, name)
