"""Steps of pipelines as tokenizer.json has them, and texts that reach them, for random tests."""

from __future__ import annotations

from boundary_tables import charsmap
from hypothesis import strategies as st

from tokenizers_impl.normalizers import Precompiled

CHARSMAP = Precompiled(charsmap({"ﬁ": "fi", "é": "e", "\u3000": " ", "ab": "", "a": "A"})).to_json()
# No pattern that matches nothing at the beginning: what the library puts there makes its next normalizer panic.
PATTERNS = [{"String": " "}, {"String": "'s"}, {"Regex": r"\s+"}, {"Regex": r"\p{L}+"}, {"Regex": r"(?i:'s)|\d{2}"}]
NORMALIZERS = [
    {"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
]
NORMALIZERS += [{"type": "Strip", "strip_left": left, "strip_right": not left} for left in (True, False)]
NORMALIZERS += [{"type": "Prepend", "prepend": "▁"}, CHARSMAP]
NORMALIZERS += [{"type": "Replace", "pattern": each, "content": text} for each in PATTERNS for text in ("▁", "", "xé")]
NORMALIZERS += [
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
PRE_TOKENIZERS = [{"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")]
PRE_TOKENIZERS += [
    {"type": "Split", "pattern": each, "behavior": behavior, "invert": invert}
    for each in PATTERNS
    for behavior in BEHAVIORS
    for invert in (False, True)
]
PRE_TOKENIZERS += [{"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS]
PRE_TOKENIZERS += [{"type": "Digits", "individual_digits": individual} for individual in (True, False)]
PRE_TOKENIZERS += [{"type": "CharDelimiterSplit", "delimiter": "-"}, {"type": "FixedLength", "length": 3}]
PRE_TOKENIZERS += [
    {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": prefix}
    for prefix in (True, False)
]
PRE_TOKENIZERS += [
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": True} for scheme in ("always", "first")
]
DECODERS = [{"type": name} for name in ("ByteFallback", "Fuse")]
DECODERS += [{"type": "Replace", "pattern": each, "content": "_"} for each in PATTERNS]
DECODERS += [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}]
DECODERS += [{"type": "Strip", "content": " ", "start": 1, "stop": 0}, {"type": "BPEDecoder", "suffix": "</w>"}]
DECODERS += [{"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}]
DECODERS += [{"type": "WordPiece", "prefix": "##", "cleanup": True}]
DECODERS += [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}]

TEXTS = st.lists(
    st.sampled_from(
        [
            *"abS1²-é漢ああक\u0301\u200d\ufeff'’.,!(",
            " ",
            "  ",
            "\n",
            "\t",
            "\u3000",
            "'s",
            "'S",
            "ab",
            "12",
            "ﬁ",
            "▁",
            "word",
        ]
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=14,
).map("".join)
