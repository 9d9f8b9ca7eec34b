"""Small models of random weights with tokenizers trained here, as folders that transformers loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from small_corpus import random_texts
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

# These models are too small for threads, which wait for each other in loops where other programs run.
torch.set_num_threads(1)

VOCABULARY = 300
POSITIONS = 24


def byte_level_tokenizer(special_tokens: list[str], **named: Any) -> Any:
    """As GPT-2 has it; `named` are the roles of special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special_tokens, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(random_texts(200, 12, seed=1), trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)


def word_piece_tokenizer(cls: str = "[CLS]", sep: str = "[SEP]", pad: str = "[PAD]", mask: str = "[MASK]") -> Any:
    """As BERT has it; RoBERTa's specials have other names."""
    specials = [cls, pad, sep, "[UNK]", mask] if cls == "<s>" else [pad, "[UNK]", cls, sep, mask]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(random_texts(200, 12, seed=1), trainer)
    around = [(token, tokenizer.token_to_id(token)) for token in (cls, sep)]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{cls} $A {sep}", special_tokens=around)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token=cls, sep_token=sep, pad_token=pad, mask_token=mask, unk_token="[UNK]"
    )


_SMALL = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 2, "max_position_embeddings": POSITIONS,
}  # fmt: skip
_IDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}


def _config(name: str) -> Any:
    if name == "gpt2":
        return transformers.GPT2Config(
            vocab_size=VOCABULARY, n_positions=POSITIONS, n_embd=32, n_layer=2, n_head=2, **_IDS
        )
    if name == "gemma2":
        # Caps low enough to be felt by small logits.
        return transformers.Gemma2Config(
            **_SMALL, num_key_value_heads=1, head_dim=16, final_logit_softcapping=0.2, sliding_window=8, **_IDS
        )
    if name == "opt":
        return transformers.OPTConfig(
            vocab_size=VOCABULARY, hidden_size=32, ffn_dim=48, num_hidden_layers=2, num_attention_heads=2,
            word_embed_proj_dim=32, max_position_embeddings=POSITIONS, **{**_IDS, "pad_token_id": 1},
        )  # fmt: skip
    if name == "roberta":
        # Positions start after that of the padding, 1.
        return transformers.RobertaConfig(**{**_SMALL, "max_position_embeddings": POSITIONS + 2}, pad_token_id=1)
    return {"llama": transformers.LlamaConfig, "bert": transformers.BertConfig}[name](**_SMALL)


def tokenizer_for(name: str) -> Any:
    """The tokenizer of the model of that name."""
    if name == "bert":
        return word_piece_tokenizer()
    if name == "roberta":
        return word_piece_tokenizer("<s>", "</s>", "<pad>", "<mask>")
    if name == "llama":
        return byte_level_tokenizer(["<s>", "</s>"], bos_token="<s>", eos_token="</s>", padding_side="left")
    end = "<|endoftext|>"
    return byte_level_tokenizer([end], bos_token=end, eos_token=end)


CAUSAL = ("gpt2", "llama", "gemma2", "opt")
MASKED = ("bert", "roberta")


def model_for(name: str) -> Any:
    """The model of that name, weights large enough that no two tokens are alike, in float32, evaluating."""
    torch.manual_seed(0)
    auto = transformers.AutoModelForMaskedLM if name in MASKED else transformers.AutoModelForCausalLM
    model = auto.from_config(_config(name)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(4)
    return model


def saved(name: str, folder: Path) -> Path:
    """Model with tokenizer, saved into a folder of the model's name."""
    target = folder / name
    model_for(name).save_pretrained(target)
    tokenizer_for(name).save_pretrained(target)
    return target
