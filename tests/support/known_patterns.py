"""The regular expressions of well-known tokenizers."""

from __future__ import annotations

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
O200K_UPPER, O200K_LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
END = r"\s*[\r\n]+|\s+(?!\S)|\s+"
KNOWN = {
    "GPT-2, Whisper": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "GPT-4, Llama 3": CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "GPT-4, possessive": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    + r"\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "Qwen 2": CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + END,
    "GPT-4o": rf"[^\r\n\p{{L}}\p{{N}}]?{O200K_UPPER}*{O200K_LOWER}+{CONTRACTIONS}?|"
    + rf"[^\r\n\p{{L}}\p{{N}}]?{O200K_UPPER}+{O200K_LOWER}*{CONTRACTIONS}?|"
    + r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"
    + END,
    "DeepSeek V3": r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"""
    + r" ?[\p{P}\p{S}]+[\r\n]*|"
    + END,
    "DeepSeek V3, Chinese and Japanese": "[一-龥\u3040-ゟ゠-ヿ]+",
    "DeepSeek LLM": r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ]+",
    "DeepSeek LLM, punctuation": r"\s?[!-/:-~！-／：-～‘-‟\u3000-。]+",
    "DeepSeek LLM, spaces": r"\s+$",
    "DeepSeek LLM, Chinese": "[一-龥ࠀ-一가-\ud7ff]+",
    "BLOOM": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "Kimi": r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    + r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    + END,
    "CLIP": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "Falcon": "[0-9][0-9][0-9]",
    "T5": " {2,}",
    "Tekken": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?"
    + r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|"
    + END,
    "StarCoder digits": r"\d{1,3}(?=(?:\d{3})*\b)",
    "Whitespace": r"\w+|[^\w\s]+",
}
