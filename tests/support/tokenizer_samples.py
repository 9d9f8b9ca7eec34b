"""An object of every public class of `tokenizers`, of either library, with values that its options take."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

TEXT = " Hé,  the end 12▁ "
TOKENS = ["▁Hé", "##l", "a</w>", "<0xC3>", "<0xA9>", "|", "a", "a", "<pad>", "Ġb", "."]
CORPUS = ["low lower lowest", "new newer newest", "low low new"]
VOCAB = {token: id for id, token in enumerate(["<unk>", "l", "o", "w", "e", "lo", "low", "##l", "##ow", "##o", "##w"])}
MERGES = [("l", "o"), ("lo", "w")]
PIECES = [("<unk>", -5.0), ("l", -1.0), ("o", -1.5), ("w", -2.0), ("lo", -1.2)]
CLS, SEP = ("<unk>", 0), ("low", 6)


@cache
def nmt_nfkc() -> bytes:
    """The character map that T5 and XLM-R have: SentencePiece's default."""
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(_sentencepiece_model())
    return bytes(model.normalizer_spec.precompiled_charsmap)


def _sentencepiece_model() -> bytes:
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c", "b c"]), model_writer=out, vocab_size=8, model_type="char", minloglevel=2
    )
    return out.getvalue()


def _nothing(library: Any) -> dict[str, Any]:
    return {}


def _always(**options: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda library: options


WORDPIECES = {token: id for id, token in enumerate(["[UNK]", "[SEP]", "[CLS]", "l", "low", "##o", "##w", "a", "##l"])}
# Tokenizers that are put together already.
READY_MADE: dict[str, Callable[[Any], dict[str, Any]]] = {
    "BertWordPieceTokenizer": _always(vocab=WORDPIECES),
    "ByteLevelBPETokenizer": _always(vocab=VOCAB, merges=MERGES),
    "CharBPETokenizer": _always(vocab=VOCAB, merges=MERGES),
    "SentencePieceBPETokenizer": _always(vocab=VOCAB, merges=MERGES),
    "SentencePieceUnigramTokenizer": _always(vocab=[("▁", -1.0), *PIECES[1:]]),
}
SAMPLES: dict[str, Callable[[Any], dict[str, Any]]] = {
    **READY_MADE,
    "AddedToken": _always(content="low"),
    "Encoding": _nothing,
    "NormalizedString": _always(sequence=TEXT),
    "OffsetReferential": _nothing,
    "OffsetType": _nothing,
    "PreTokenizedString": _always(sequence=TEXT),
    "Regex": _always(pattern="a+"),
    "SplitDelimiterBehavior": _nothing,
    "Token": _always(id=1, value="low", offsets=(0, 3)),
    "Tokenizer": lambda library: {"model": made(library, "models.BPE")},
    "models.BPE": _always(vocab=VOCAB, merges=MERGES, unk_token="<unk>"),
    "models.Unigram": _always(vocab=PIECES, unk_id=0),
    "models.WordLevel": _always(vocab=VOCAB, unk_token="<unk>"),
    "models.WordPiece": _always(vocab=VOCAB, unk_token="<unk>"),
    "trainers.BpeTrainer": _always(show_progress=False),
    "trainers.UnigramTrainer": _always(show_progress=False),
    "trainers.WordLevelTrainer": _always(show_progress=False),
    # Below, the library's vocabulary is another one in each run.
    "trainers.WordPieceTrainer": _always(show_progress=False, vocab_size=0),
    "normalizers.BertNormalizer": _nothing,
    "normalizers.ByteLevel": _nothing,
    "normalizers.Lowercase": _nothing,
    "normalizers.NFC": _nothing,
    "normalizers.NFD": _nothing,
    "normalizers.NFKC": _nothing,
    "normalizers.NFKD": _nothing,
    "normalizers.Nmt": _nothing,
    "normalizers.Precompiled": lambda library: {"precompiled_charsmap": nmt_nfkc()},
    "normalizers.Prepend": _always(prepend="_"),
    "normalizers.Replace": _always(pattern="e", content="é"),
    "normalizers.Sequence": lambda library: {"normalizers": [library.normalizers.NFD()]},
    "normalizers.Strip": _nothing,
    "normalizers.StripAccents": _nothing,
    "pre_tokenizers.BertPreTokenizer": _nothing,
    "pre_tokenizers.ByteLevel": _nothing,
    "pre_tokenizers.CharDelimiterSplit": _always(delimiter="e"),
    "pre_tokenizers.Digits": _nothing,
    "pre_tokenizers.FixedLength": _nothing,
    "pre_tokenizers.Metaspace": _nothing,
    "pre_tokenizers.Punctuation": _nothing,
    "pre_tokenizers.Sequence": lambda library: {"pretokenizers": [library.pre_tokenizers.Digits()]},
    "pre_tokenizers.Split": lambda library: {"pattern": library.Regex("e+"), "behavior": "isolated"},
    "pre_tokenizers.UnicodeScripts": _nothing,
    "pre_tokenizers.Whitespace": _nothing,
    "pre_tokenizers.WhitespaceSplit": _nothing,
    "decoders.BPEDecoder": _nothing,
    "decoders.ByteFallback": _nothing,
    "decoders.ByteLevel": _nothing,
    "decoders.CTC": _nothing,
    "decoders.DecodeStream": _nothing,
    "decoders.Fuse": _nothing,
    "decoders.Metaspace": _nothing,
    "decoders.Replace": _always(pattern="a", content="b"),
    "decoders.Sequence": lambda library: {"decoders": [library.decoders.Fuse()]},
    "decoders.Strip": _nothing,
    "decoders.WordPiece": _nothing,
    "processors.BertProcessing": _always(sep=SEP, cls=CLS),
    "processors.ByteLevel": _nothing,
    "processors.RobertaProcessing": _always(sep=SEP, cls_token=CLS),
    "processors.Sequence": lambda library: {"processors": [library.processors.ByteLevel()]},
    "processors.TemplateProcessing": _always(single="low $A", pair="low $A $B:1", special_tokens=[SEP]),
}
# What the library takes by its place alone.
BY_PLACE = ("Regex", "pre_tokenizers.Sequence", "decoders.Sequence", "processors.BertProcessing", "processors.Sequence")
BY_PLACE += ("NormalizedString", "PreTokenizedString")
ENUMERATIONS = ("OffsetReferential", "OffsetType", "SplitDelimiterBehavior")


def made(library: Any, row: str, **options: Any) -> Any:
    """An object of that class; an enumeration itself."""
    if row in ENUMERATIONS:
        return found(library, row)
    if row == "Encoding":
        return tokenizer(library).encode("low ol")
    given = {**SAMPLES[row](library), **options}
    return found(library, row)(*given.values()) if row in BY_PLACE else found(library, row)(**given)


def found(library: Any, row: str) -> Any:
    """What has that name; AttributeError if nothing has."""
    return reduce(getattr, row.split("."), library)


def tokenizer(library: Any, **parts: Any) -> Any:
    """A tokenizer with these parts."""
    whole = library.Tokenizer(parts.pop("model", None) or made(library, "models.BPE"))
    for name, part in parts.items():
        setattr(whole, name, part)
    return whole


def held(encoding: Any) -> tuple[Any, ...]:
    return (encoding.ids, encoding.tokens, encoding.offsets, encoding.type_ids, encoding.special_tokens_mask)


VALUES: dict[str, Any] = {
    "add_prefix_space": False,
    "alpha": 0.0,
    "behavior": "removed",
    "bert_normalizer": False,
    "byte_fallback": True,
    "cache_capacity": 10,
    "clean_text": False,
    "cleanup": False,
    "cls_token": ("w", 3),
    "cls": ("w", 3),
    "content": "o",
    "continuing_subword_prefix": "##",
    "delimiter": "h",
    "direction": "left",
    "dropout": 0.0,
    "encode_special_tokens": True,
    "end_of_word_suffix": "</w>",
    "fuse_unk": True,
    "handle_chinese_chars": False,
    "ids": [1, 2],
    "ignore_merges": True,
    "individual_digits": True,
    "initial_alphabet": ["x"],
    "invert": True,
    "left": False,
    "length": 3,
    "limit_alphabet": 4,
    "lowercase": False,
    "lstrip": True,
    "max_input_chars_per_word": 2,
    "max_piece_length": 3,
    "mask_token": "low",
    "max_token_length": 3,
    "min_frequency": 2,
    "n_sub_iterations": 1,
    "nbest_size": 1,
    "normalized": False,
    "pad_token": "a",
    "pattern": "l",
    "prefix": "▁",
    "prepend": "x",
    "prepend_scheme": "never",
    "progress_format": "silent",
    "replacement": "_",
    "right": False,
    "rstrip": True,
    "sep": ("w", 3),
    "sep_token": "l",
    "show_progress": False,
    "shrinking_factor": 0.5,
    "single": ["$A", "low"],
    "single_word": True,
    "skip_special_tokens": True,
    "special": True,
    "special_tokens": ["<s>"],
    "split": False,
    "split_on_whitespace_only": True,
    "start": 1,
    "stop": 1,
    "strip_accents": True,
    "suffix": "l",
    "trim_offsets": False,
    "unicode_normalizer": "nfkd",
    "unk_id": 1,
    "unk_token": "l",
    "use_regex": False,
    "vocab_size": 12,
    "word_delimiter_token": "a",
    "wordpieces_prefix": "@",
    # The same names with another meaning.
    "BertWordPieceTokenizer.cls_token": "low",
    "ByteLevelBPETokenizer.continuing_subword_prefix": "",
    "SentencePieceUnigramTokenizer.replacement": "l",
    "decoders.Strip.content": "b",
    "decoders.Strip.left": 1,
    "decoders.Strip.right": 1,
    "models.BPE.continuing_subword_prefix": "",
    "processors.TemplateProcessing.special_tokens": [("low", 5)],
}


def value_of(row: str, name: str) -> Any:
    """What that option or attribute of that class is given."""
    return VALUES.get(f"{row}.{name}", VALUES[name])
