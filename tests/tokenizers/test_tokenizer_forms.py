"""The forms of well-known tokenizers, built small from the same components, beside `tokenizers` and in transformers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from shared_data import beginning
from tokenizer_samples import nmt_nfkc

import tokenizers_impl

LIBRARIES = (tokenizers_impl, tokenizers)
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN = LLAMA_3.replace("{1,3}", "")
WHISPER = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>", "<|0.00|>"]


@cache
def corpus() -> tuple[str, ...]:
    return tuple(
        line for name in ("gcide.en", "manpages.ja") for line in beginning(f"text/{name}.txt.xz", 30_000).split("\n")
    )


def texts() -> list[str]:
    odd = [
        "",
        " ",
        "  two  spaces ",
        "Größe 1234567\t½ ﬁn\r\n\n x\u3000y",
        "don't DON'T they'Ll",
        "🙂👨\u200d👩\u200d👧 e\u0301 é",
        "<s> a </s>[MASK]b<|im_start|>user <|0.00|><unk>",
        "\x00\ufffd\u200b",
        "▁a ▁ <0x41>",
    ]
    return [*odd, *corpus()[10:40], *corpus()[-40:]]


def byte_level(library: Any, tokenizer: Any) -> dict[str, Any]:
    """The options of the trainer of a byte-level BPE, which gets its decoder."""
    tokenizer.decoder = library.decoders.ByteLevel()
    return {"initial_alphabet": sorted(library.pre_tokenizers.ByteLevel.alphabet())}


def gpt2(library: Any) -> tuple[Any, dict[str, Any]]:
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = library.processors.ByteLevel(trim_offsets=False)
    return tokenizer, {**byte_level(library, tokenizer), "special_tokens": ["<|endoftext|>"]}


def roberta(library: Any) -> tuple[Any, dict[str, Any]]:
    tokenizer, options = gpt2(library)
    tokenizer.post_processor = library.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    mask = library.AddedToken("<mask>", lstrip=True)
    return tokenizer, {**options, "special_tokens": ["<s>", "<pad>", "</s>", "<unk>", mask]}


def bert(library: Any) -> tuple[Any, dict[str, Any]]:
    tokenizer = library.Tokenizer(library.models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        library.normalizers.BertNormalizer(),
        library.pre_tokenizers.BertPreTokenizer(),
    )
    tokenizer.decoder = library.decoders.WordPiece()
    ids = [("[CLS]", 2), ("[SEP]", 3)]
    pair = "[CLS] $A [SEP] $B:1 [SEP]:1"
    tokenizer.post_processor = library.processors.TemplateProcessing("[CLS] $A [SEP]", pair, ids)
    return tokenizer, {"special_tokens": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]}


def t5(library: Any) -> tuple[Any, dict[str, Any]]:
    pre = library.pre_tokenizers
    tokenizer = library.Tokenizer(library.models.Unigram())
    tokenizer.normalizer = library.normalizers.Precompiled(nmt_nfkc())
    tokenizer.pre_tokenizer = pre.Sequence([pre.WhitespaceSplit(), pre.Metaspace()])
    tokenizer.decoder = library.decoders.Metaspace()
    tokenizer.post_processor = library.processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
    extra = [f"<extra_id_{i}>" for i in range(5)]
    return tokenizer, {"special_tokens": ["<pad>", "</s>", "<unk>", *extra], "unk_token": "<unk>"}


def xlm_r(library: Any) -> tuple[Any, dict[str, Any]]:
    norm = library.normalizers
    tokenizer, _ = t5(library)
    steps = [norm.Precompiled(nmt_nfkc()), norm.Strip(False, True), norm.Replace(library.Regex(" {2,}"), "▁")]
    tokenizer.normalizer = norm.Sequence(steps)
    tokenizer.pre_tokenizer = library.pre_tokenizers.Metaspace()
    pair, ids = "<s> $A </s> </s> $B </s>", [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = library.processors.TemplateProcessing("<s> $A </s>", pair, ids)
    return tokenizer, {"special_tokens": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], "unk_token": "<unk>"}


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def sentencepiece_bpe(library: Any) -> Any:
    return library.Tokenizer(library.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))


def llama2(library: Any) -> tuple[Any, dict[str, Any]]:
    norm, dec = library.normalizers, library.decoders
    tokenizer = sentencepiece_bpe(library)
    tokenizer.normalizer = norm.Sequence([norm.Prepend("▁"), norm.Replace(" ", "▁")])
    tokenizer.decoder = dec.Sequence([dec.Replace("▁", " "), dec.ByteFallback(), dec.Fuse(), dec.Strip(" ", 1, 0)])
    tokenizer.post_processor = library.processors.TemplateProcessing("<s> $A", "<s> $A <s>:1 $B:1", [("<s>", 1)])
    return tokenizer, {"special_tokens": ["<unk>", "<s>", "</s>", *BYTES], "limit_alphabet": 100}


def gemma(library: Any) -> tuple[Any, dict[str, Any]]:
    dec = library.decoders
    tokenizer = sentencepiece_bpe(library)
    tokenizer.normalizer = library.normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = library.pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = dec.Sequence([dec.Replace("▁", " "), dec.ByteFallback(), dec.Fuse()])
    pair, ids = "<bos> $A <bos>:1 $B:1", [("<bos>", 2)]
    tokenizer.post_processor = library.processors.TemplateProcessing("<bos> $A", pair, ids)
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", *BYTES]
    return tokenizer, {"special_tokens": special, "limit_alphabet": 100}


def tiktoken_like(library: Any, pattern: str, **options: Any) -> tuple[Any, dict[str, Any]]:
    pre = library.pre_tokenizers
    tokenizer = library.Tokenizer(library.models.BPE(**options))
    cut = pre.Split(library.Regex(pattern), "isolated")
    tokenizer.pre_tokenizer = pre.Sequence([cut, pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    return tokenizer, byte_level(library, tokenizer)


def llama3(library: Any) -> tuple[Any, dict[str, Any]]:
    made = library.processors
    tokenizer, options = tiktoken_like(library, LLAMA_3, ignore_merges=True)
    name = "<|begin_of_text|>"
    template = made.TemplateProcessing(f"{name} $A", f"{name} $A {name}:1 $B:1", [(name, 0)])
    tokenizer.post_processor = made.Sequence([made.ByteLevel(), template])
    return tokenizer, {**options, "special_tokens": [name, "<|end_of_text|>"]}


def qwen(library: Any) -> tuple[Any, dict[str, Any]]:
    tokenizer, options = tiktoken_like(library, QWEN)
    tokenizer.normalizer = library.normalizers.NFC()
    tokenizer.post_processor = library.processors.ByteLevel(add_prefix_space=False, trim_offsets=False)
    return tokenizer, {**options, "special_tokens": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]}


def whisper(library: Any) -> tuple[Any, dict[str, Any]]:
    tokenizer, options = gpt2(library)
    ids = [(name, id) for id, name in enumerate(WHISPER)]
    before = "<|startoftranscript|> <|en|> <|transcribe|> <|notimestamps|>"
    template = library.processors.TemplateProcessing(
        f"{before} $A <|endoftext|>", f"{before} $A $B:1 <|endoftext|>:1", ids
    )
    tokenizer.post_processor = template
    return tokenizer, {**options, "special_tokens": WHISPER}


FORMS: dict[str, Callable[[Any], tuple[Any, dict[str, Any]]]] = {
    "GPT-2": gpt2,
    "RoBERTa": roberta,
    "BERT": bert,
    "T5": t5,
    "XLM-R": xlm_r,
    "Llama 2": llama2,
    "Llama 3": llama3,
    "Qwen": qwen,
    "Whisper": whisper,
    "Gemma": gemma,
}


# Where the class of transformers has another name.
TRANSFORMERS = {
    "GPT-2": "GPT2",
    "RoBERTa": "Roberta",
    "BERT": "Bert",
    "XLM-R": "XLMRoberta",
    "Llama 2": "Llama",
    "Qwen": "Qwen2",
}


def trained(library: Any, form: str) -> Any:
    tokenizer, options = FORMS[form](library)
    kind = type(tokenizer.model).__name__
    trainer = {"BPE": "BpeTrainer", "WordPiece": "WordPieceTrainer", "Unigram": "UnigramTrainer"}[kind]
    tokenizer.train_from_iterator(
        corpus(), getattr(library.trainers, trainer)(vocab_size=700, show_progress=False, **options)
    )
    return tokenizer


@cache
def pair_of(form: str) -> tuple[Any, Any]:
    """The same tokenizer, both read from the file of the library, which reads its own numbers with an error."""
    text = trained(tokenizers, form).to_str()
    return tokenizers_impl.Tokenizer.from_str(text), tokenizers.Tokenizer.from_str(text)


def held(encoding: Any) -> tuple[Any, ...]:
    return (
        encoding.ids,
        encoding.tokens,
        encoding.offsets,
        encoding.type_ids,
        encoding.word_ids,
        encoding.sequence_ids,
        encoding.special_tokens_mask,
        encoding.attention_mask,
        [held(each) for each in encoding.overflowing],
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_parts_built_by_hand_are_those_of_the_file(form: str) -> None:
    built, (ours, theirs) = FORMS[form](tokenizers_impl)[0], pair_of(form)
    assert ours.to_str() == theirs.to_str()
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        assert getattr(built, name) == getattr(ours, name)


@pytest.mark.parametrize("form", ["GPT-2", "RoBERTa", "Llama 3", "Qwen", "Whisper", "Llama 2", "Gemma"])
def test_training_gives_the_same_file(form: str) -> None:
    # WordPiece has ids by hash order in the library, Unigram scores that differ in their last bits from run to run.
    assert trained(tokenizers_impl, form).to_str() == pair_of(form)[1].to_str()


@pytest.mark.parametrize("form", FORMS)
def test_every_step(form: str) -> None:
    ours, theirs = pair_of(form)
    rows = texts()
    for text in rows:
        if theirs.normalizer is not None:
            assert ours.normalizer.normalize_str(text) == theirs.normalizer.normalize_str(text)
        if theirs.pre_tokenizer is not None:
            assert ours.pre_tokenizer.pre_tokenize_str(text) == theirs.pre_tokenizer.pre_tokenize_str(text)
    inputs = [*rows, *zip(rows, rows[::-1], strict=True)]
    for special in (True, False):
        mine, wanted = (each.encode_batch(inputs, add_special_tokens=special) for each in (ours, theirs))
        assert list(map(held, mine)) == list(map(held, wanted))
    ids = [each.ids for each in wanted]
    for skip in (True, False):
        assert ours.decode_batch(ids, skip) == theirs.decode_batch(ids, skip)
    streams = [library.decoders.DecodeStream() for library in LIBRARIES]
    for id in [id for row in ids[:20] for id in row]:
        assert streams[0].step(ours, id) == streams[1].step(theirs, id)


@pytest.mark.parametrize("form", FORMS)
def test_truncated_and_padded(form: str) -> None:
    copies = [type(each).from_str(each.to_str()) for each in pair_of(form)]
    for each in copies:
        each.enable_truncation(16, stride=2)
        each.enable_padding(direction="left", pad_id=1, pad_token="<pad>", pad_to_multiple_of=4)
    inputs = [*texts()[:20], *zip(texts()[:20], texts()[5:25], strict=True)]
    mine, wanted = (each.encode_batch(inputs) for each in copies)
    assert list(map(held, mine)) == list(map(held, wanted))
    assert copies[0].to_str() == copies[1].to_str()


@pytest.mark.parametrize("form", FORMS)
def test_transformers_reads_ours_and_writes_what_we_read(form: str, tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    ours, _ = pair_of(form)
    ours.save(str(tmp_path / "tokenizer.json"))
    candidates = ("<pad>", "[PAD]", "<|endoftext|>", "<|end_of_text|>", "</s>")
    pad_token = next(token for token in candidates if ours.token_to_id(token) is not None)
    fast = PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"), pad_token=pad_token)
    rows = texts()
    assert fast(rows)["input_ids"] == [each.ids for each in ours.encode_batch(rows)]
    fast.add_tokens(["evenscore"])
    fast(rows[:3], padding=True, truncation=True, max_length=7)
    fast.save_pretrained(tmp_path / "saved")
    again = tokenizers_impl.Tokenizer.from_file(str(tmp_path / "saved" / "tokenizer.json"))
    assert again.to_str() == tokenizers.Tokenizer.from_file(str(tmp_path / "saved" / "tokenizer.json")).to_str()
    batch = fast([*rows, "evenscore"], padding=True, truncation=True, max_length=7, return_offsets_mapping=True)
    mine = again.encode_batch([*rows, "evenscore"])
    assert [each.ids for each in mine] == batch["input_ids"]
    assert [each.offsets for each in mine] == batch["offset_mapping"]
    assert [each.attention_mask for each in mine] == batch["attention_mask"]


def own_class(form: str) -> Any:
    """The tokenizer of that name in transformers, with the vocabulary of the small one."""
    import transformers

    model = json.loads(pair_of(form)[1].to_str())["model"]
    given = {"vocab": [tuple(row) for row in model["vocab"]] if model["type"] == "Unigram" else model["vocab"]}
    if "merges" in model:
        given["merges"] = [tuple(merge) for merge in model["merges"]]
    if model["type"] == "Unigram":
        given["_spm_precompiled_charsmap"] = nmt_nfkc()
    return getattr(transformers, f"{TRANSFORMERS.get(form, form)}Tokenizer")(**given)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "Llama 3"])
def test_the_tokenizers_that_transformers_builds(form: str, tmp_path: Path) -> None:
    fast = own_class(form)
    fast.save_pretrained(tmp_path)
    ours, theirs = (library.Tokenizer.from_file(str(tmp_path / "tokenizer.json")) for library in LIBRARIES)
    assert ours.to_str() == theirs.to_str()
    assert ("Precompiled" in ours.to_str()) == (form in ("T5", "XLM-R"))
    inputs = [*texts(), *zip(texts(), texts()[::-1], strict=True)]
    mine, wanted = (each.encode_batch(inputs) for each in (ours, theirs))
    assert list(map(held, mine)) == list(map(held, wanted))
    ids = [each.ids for each in wanted]
    assert ours.decode_batch(ids) == theirs.decode_batch(ids) == [fast.backend_tokenizer.decode(row) for row in ids]
