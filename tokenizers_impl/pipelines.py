"""The usual pipelines of the four algorithms: a Tokenizer with its trainer."""

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
    """BPE over words between white space that end in </w> (Sennrich et al. 2016); unknown characters become <unk>.

    options: those of `trainers.BpeTrainer`; "<unk>" precedes special_tokens that lack it.

    >>> tokenizer, trainer = bpe(num_merges=2, show_progress=False)
    >>> tokenizer.train_from_iterator(["low slow lot"], trainer)
    >>> tokenizer.encode("slow").tokens
    ['s', 'low</w>']
    """
    given = _with_unknown("<unk>", {"end_of_word_suffix": END_OF_WORD, **options})
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder(given["end_of_word_suffix"])
    return tokenizer, trainers.BpeTrainer(**given)


def byte_level_bpe(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """Byte-level BPE as in GPT-2: it encodes every text, and decoding gives the same text back.

    options: those of `trainers.BpeTrainer`.

    >>> tokenizer, trainer = byte_level_bpe(vocab_size=257, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lot"], trainer)
    >>> tokenizer.encode("lö").tokens, tokenizer.decode(tokenizer.encode("lö").ids)
    (['l', 'Ã', '¶'], 'lö')
    """
    given = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), **options}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, trainers.BpeTrainer(**given)


def wordpiece(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """WordPiece over BERT's words: lowercase, without accents, punctuation split off.

    options: those of `trainers.WordPieceTrainer`; without special_tokens, there are BERT's five, and "[UNK]" precedes
      those that lack it.

    >>> tokenizer, trainer = wordpiece(vocab_size=14, show_progress=False)
    >>> tokenizer.train_from_iterator(["low slow lot"], trainer)
    >>> tokenizer.encode("Lot!").tokens
    ['l', '##o', '##t', '[UNK]']
    """
    given = _with_unknown("[UNK]", {"special_tokens": BERT_TOKENS, **options})
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer, trainers.WordPieceTrainer(**given)


def unigram(**options: Any) -> tuple[Tokenizer, trainers.Trainer]:
    """Unigram over NFKC-normalized words that begin with "▁" (Kudo 2018); unknown characters become <unk>.

    As in SentencePiece's nmt_nfkc, line ends and tabs become spaces, and spaces at the ends of a text are dropped.

    options: those of `trainers.UnigramTrainer`.

    >>> tokenizer, trainer = unigram(vocab_size=9, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest"] * 9, trainer)
    >>> tokenizer.encode("low").tokens
    ['▁low']
    """
    given = {"special_tokens": ["<unk>"], "unk_token": "<unk>", **options}
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer, trainers.UnigramTrainer(**given)


def _with_unknown(token: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the unknown token among the special tokens, as its first one unless it is there."""
    special = options.get("special_tokens") or ()
    # The trainer refuses what is no list.
    lacks = isinstance(special, (list, tuple)) and token not in map(str, special)
    return {**options, "special_tokens": [token, *special] if lacks else special}


PIPELINES: dict[str, Callable[..., tuple[Tokenizer, trainers.Trainer]]] = {
    "bpe": bpe,
    "byte-level-bpe": byte_level_bpe,
    "wordpiece": wordpiece,
    "unigram": unigram,
}
