"""BPE, byte-level BPE, WordPiece and Unigram tokenizers, with the interface of `tokenizers`."""

from . import decoders, models, normalizers, pre_tokenizers, trainers
from ._added_token import AddedToken
from ._encoding import Encoding
from .tokenizer import Tokenizer

# isort: split
# These are made of what stands above.
from . import exchange, pipelines

__all__ = [
    "AddedToken",
    "Encoding",
    "Tokenizer",
    "decoders",
    "exchange",
    "models",
    "normalizers",
    "pipelines",
    "pre_tokenizers",
    "trainers",
]
