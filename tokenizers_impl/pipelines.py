"""The pipelines that the four algorithms are mostly used with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import decoders, models, normalizers, pre_tokenizers, trainers
from .tokenizer import Tokenizer

__all__ = ["PIPELINES", "bpe", "byte_level_bpe", "unigram", "wordpiece"]


def __dir__() -> list[str]:
    return __all__


END_OF_WORD = "</w>"
BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def bpe(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """BPE over words between white space, their end marked by </w> (Sennrich et al. 2016); what is unknown is <unk>.

    options: those of `trainers.BpeTrainer`.
    """
    given = {"special_tokens": ["<unk>"], "end_of_word_suffix": END_OF_WORD, **options}
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder(given["end_of_word_suffix"])
    return tokenizer, trainers.BpeTrainer(**given)


def byte_level_bpe(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """Byte-level BPE as GPT-2 has it: every text can be encoded, and is what decoding gives back.

    options: those of `trainers.BpeTrainer`.
    """
    given = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), **options}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, trainers.BpeTrainer(**given)


def wordpiece(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """WordPiece over BERT's words: lower case, without accents, punctuation apart.

    options: those of `trainers.WordPieceTrainer`.
    """
    given = {"special_tokens": list(BERT_TOKENS), **options}
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer, trainers.WordPieceTrainer(**given)


def unigram(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """Unigram over words with the space before them (Kudo 2018), NFKC beforehand; unknown characters are <unk>.

    options: those of `trainers.UnigramTrainer`.
    """
    given = {"special_tokens": ["<unk>"], "unk_token": "<unk>", **options}
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer, trainers.UnigramTrainer(**given)


PIPELINES: dict[str, Callable[..., tuple[Tokenizer, trainers.Trainer]]] = {
    "bpe": bpe,
    "byte-level-bpe": byte_level_bpe,
    "wordpiece": wordpiece,
    "unigram": unigram,
}
