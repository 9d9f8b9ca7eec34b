"""BPE, byte-level BPE, WordPiece and Unigram tokenizers, with the interface of `tokenizers`."""

from . import decoders, models, normalizers, pre_tokenizers, processors, trainers
from ._added_token import AddedToken
from ._encoding_object import Encoding
from .patterns import Regex
from .tokenizer import Tokenizer

# isort: split
# These are made of what stands above.
from . import exchange, pipelines

__all__ = [
    "AddedToken",
    "Encoding",
    "Regex",
    "Tokenizer",
    "decoders",
    "exchange",
    "models",
    "normalizers",
    "pipelines",
    "pre_tokenizers",
    "processors",
    "trainers",
]
