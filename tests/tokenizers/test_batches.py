"""A batch is its texts one by one, with every component: none looks into the text before or behind its own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from boundary_tables import charsmap
from encoding_scenarios import held
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import DECODERS as DECODER_FILES
from pipeline_steps import NORMALIZERS as NORMALIZER_FILES
from pipeline_steps import PRE_TOKENIZERS as PRE_TOKENIZER_FILES
from properties import examples
from tokenizer_samples import READY_MADE, made

import tokenizers_impl
from tokenizers_impl import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

# Texts that are something else when they are cut in two.
WHOLE = [
    *("you're", "I'll", "it's", "'ve", "n't", "we'd", " 'm"),
    *("a\r\nb", "\n\n", "  ", " a ", "\t \u3000", "▁a", "a▁", " ▁", "a--b", "-a-", "ab ab"),
    *(
        "e\u0301",
        "é\u0323",
        "q\u0323\u0307",
        "\u0307\u0323",
        "か\u3099",
        "कष",
        "क\u094dष",
        "\u06001",
        "\u0600a",
        "e\u200d",
    ),
    *("ᄀ\u1161\u11a8", "가\u11a8", "각\u11a8", "漢字カナ", "クー", "aбα", "ΑΣ", "İ", "ﬁ", "½2", "1234", "²3", "12a"),
    *("🙂🙂", "👩\u200d👩", "👍🏽", "🇩🇪", "𝒳x", "©\u200d©", "x\ufe0f", "\ufeffa", "\x00a"),
    *(
        "tok",
        "xtok",
        "tokx",
        "tok tok",
        "<m>",
        "<m><m>",
        " <m> ",
        "é<m>é",
        "[S]",
        "a[S]b",
        "<pad>tok",
        "TOK",
        "é b",
        "[S] [S]",
        "a - b",
    ),
    *("abc", "abcabc", "aab", "xyx", "aaa", "a.b", "...", "(a)", "!?", "lowlow", "low</w>", "##ow", "<0xC3>"),
]
# The halves of each of them, one after the other, for every place.
CUT_IN_TWO = ["", *(half for text in WHOLE for i in range(1, len(text)) for half in (text[:i], text[i:])), "", ""]
SNIPPETS = sorted({*CUT_IN_TWO, " ", "'", "s", "re", "\r", "\n", "\u0301", "\u1161", "🏽", "\u200d", "-", "漢"})
BATCHES = st.lists(st.lists(st.sampled_from(SNIPPETS), max_size=4).map("".join), min_size=2, max_size=8)


class Upper:
    """A normalizer of the user's own."""

    def normalize(self, normalized: Any) -> None:
        normalized.uppercase()
        normalized.append("-")


class Pairs:
    """A pre-tokenizer of the user's own: two characters a word."""

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(lambda i, split: [split[k : k + 2] for k in range(0, len(str(split)), 2)])


# What a Regex may know of the text around a match.
PATTERNS = [r"^|$", r"\A.|.\z", r"\b", r"(?<!a)b", r"a(?!b)", r"(?<=\r)\n", r"\s+(?!\S)|\s+", r"a*", r"(?m)^.", r"ab|b"]
PATTERNS += [r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s*[\r\n]+|\s+(?!\S)|\s+"]
KEYS = {
    "e": "E",
    "\r": " ",
    "\u0600": "#",
    "a": "1",
    "ab": "2",
    "abc": "345",
    "é": "e",
    "x": "",
    "©": "(c)",
    "🙂": ":)",
}
NORMALIZERS: list[normalizers.Normalizer] = [
    *map(normalizers.from_json, NORMALIZER_FILES),
    *(
        normalizers.BertNormalizer(strip_accents=strips, lowercase=lowers)
        for strips, lowers in ((True, False), (False, True))
    ),
    normalizers.Precompiled(charsmap(KEYS)),
    normalizers.SentencePieceMap(charsmap(KEYS)),
    normalizers.SentencePieceMap(charsmap(KEYS), ("xy", "low", "<m>", "a-")),
    normalizers.Prepend("é "),
    normalizers.Strip(),
    *(normalizers.Replace(pattern, "-+") for pattern in ("", "\r\n", "tok", "aa", *map(Regex, PATTERNS))),
    normalizers.Sequence([normalizers.Strip(), normalizers.Prepend(" "), normalizers.Replace(" ", "▁")]),
    normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.NFKC()]),
    normalizers.Sequence([]),
    normalizers.Normalizer.custom(Upper()),
]
PRE_TOKENIZERS: list[pre_tokenizers.PreTokenizer] = [
    *map(pre_tokenizers.from_json, PRE_TOKENIZER_FILES),
    pre_tokenizers.ByteWords(),
    pre_tokenizers.ByteWords("s"),
    pre_tokenizers.ByteLevel(add_prefix_space=False),
    pre_tokenizers.ByteLevel(use_regex=False),
    *(
        pre_tokenizers.Metaspace("▁", scheme, split)
        for scheme in ("always", "first", "never")
        for split in (True, False)
    ),
    *(pre_tokenizers.FixedLength(length) for length in (1, 2)),
    *(
        pre_tokenizers.Split(pattern, behavior)
        for pattern in ("\r\n", "tok", "aa", *map(Regex, PATTERNS))
        for behavior in ("removed", "merged_with_next")
    ),
    pre_tokenizers.Split("", "isolated"),
    pre_tokenizers.Sequence([pre_tokenizers.Digits(True), pre_tokenizers.Punctuation(), pre_tokenizers.ByteLevel()]),
    pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="first")]),
    pre_tokenizers.Sequence([]),
    pre_tokenizers.PreTokenizer.custom(Pairs()),
]
TOKENS = {
    token: id for id, token in enumerate(["<unk>", *"abcelotwk<>m[S]é漢", "lo", "low", "##w", "##low", "ab", "to"])
}
TOKENS |= {token: len(TOKENS) + i for i, token in enumerate(["w</w>", "ow</w>", "low</w>", "b</w>", "tok", "##ow"])}
TOKENS |= {f"<0x{byte:02X}>": len(TOKENS) + byte for byte in range(256)}
MERGES = [("l", "o"), ("lo", "w"), ("a", "b"), ("t", "o"), ("to", "k"), ("lo", "w</w>")]
SCORED = [(token, -float(len(token) % 7) - 0.5 * (id % 3)) for token, id in TOKENS.items()]
MODELS: list[models.Model] = [
    models.BPE(TOKENS, MERGES),
    models.BPE(TOKENS, MERGES, unk_token="<unk>", fuse_unk=True),
    models.BPE(TOKENS, MERGES, unk_token="<unk>", byte_fallback=True, ignore_merges=True),
    models.BPE(TOKENS, [], unk_token="<unk>", end_of_word_suffix="</w>"),
    models.BPE({**TOKENS, "##o": len(TOKENS)}, [("l", "##o")], unk_token="<unk>", continuing_subword_prefix="##"),
    models.Unigram(SCORED, 0),
    models.Unigram(SCORED, 0, byte_fallback=True),
    models.WordLevel(TOKENS, unk_token="<unk>"),
    models.WordPiece(TOKENS, unk_token="<unk>"),
    models.WordPiece(TOKENS, unk_token="<unk>", max_input_chars_per_word=3),
]
FIRST, LAST = ("<unk>", 0), ("low", TOKENS["low"])
PROCESSORS: list[processors.PostProcessor] = [
    processors.BertProcessing(LAST, FIRST),
    processors.RobertaProcessing(LAST, FIRST),
    processors.RobertaProcessing(LAST, FIRST, trim_offsets=True, add_prefix_space=False),
    processors.ByteLevel(trim_offsets=True),
    processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
    processors.ByteLevel(trim_offsets=False),
    processors.TemplateProcessing("<unk> $A low", "<unk> $A low $B:1 low:1", [FIRST, LAST]),
    processors.TemplateProcessing("$A $A", "$B:1 $A", []),
    processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing("$A low", "$A $B low", [LAST])]),
    processors.Sequence([]),
]
DECODERS: list[decoders.Decoder] = [
    *map(decoders.from_json, DECODER_FILES),
    *(decoders.Replace(pattern, "-") for pattern in ("", "ab", Regex("^a|a$"), Regex("(?<!a)b"))),
    *(decoders.Strip(*edges) for edges in (("a", 2, 1), (" ", 1, 1), ("▁", 0, 1))),
    decoders.ByteWords(),
    decoders.WordPiece(cleanup=False),
    decoders.CTC("<pad>", "a", False),
    *(decoders.Metaspace("▁", scheme) for scheme in ("first", "never")),
    decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    ),
    decoders.Sequence([decoders.ByteFallback(), decoders.WordPiece()]),
    decoders.Sequence([]),
]


def whole_words() -> models.Model:
    """A model that makes every word one token with the text of the word."""
    return models.Unigram([("<unk>", 0.0)], 0)


def tokenizer(
    normalizer: normalizers.Normalizer | None = None,
    pre_tokenizer: pre_tokenizers.PreTokenizer | None = None,
    model: models.Model | None = None,
) -> Tokenizer:
    built = Tokenizer(model or whole_words())
    built.normalizer, built.pre_tokenizer = normalizer, pre_tokenizer
    return built


def with_added_tokens(built: Tokenizer) -> Tokenizer:
    """With added tokens of every flag, of which some are found in halves of others."""
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    contents = ["tok", "<m>", "é", "low", "re"]
    built.add_tokens([AddedToken(content, **{flag: True}) for content, flag in zip(contents, flags, strict=True)])
    built.add_tokens(
        [AddedToken("xtok", single_word=True, normalized=False), AddedToken("-", lstrip=True, rstrip=True)]
    )
    built.add_special_tokens([AddedToken("[S]", lstrip=True, rstrip=True), AddedToken("TOK", single_word=True)])
    return built


def assert_one_by_one(built: Any, batch: Sequence[Any], **options: Any) -> None:
    """All that Encodings hold is the same; without offsets the ids, tokens and types are."""
    alone = [held(encoding) for encoding in each_alone(built, batch, **options)]
    for expected, found in zip(alone, map(held, built.encode_batch(batch, **options)), strict=True):
        assert found == expected
    fast = built.encode_batch_fast(batch, **options)
    assert [(each.ids, each.tokens) for each in fast] == [(ids, tokens) for _, ids, _, tokens, *_ in alone]


def each_alone(built: Any, batch: Sequence[Any], **options: Any) -> Iterator[Any]:
    for each in batch:
        texts = each if isinstance(each, tuple) else (each,)
        yield built.encode(*texts, **options)


def named(components: Sequence[Any]) -> Any:
    """A test for each of the components, named by its class."""
    return pytest.mark.parametrize("component", components, ids=[type(each).__name__ for each in components])


# Every public class is there


@pytest.mark.parametrize(
    ("module", "base", "components"),
    [
        (normalizers, normalizers.Normalizer, NORMALIZERS),
        (pre_tokenizers, pre_tokenizers.PreTokenizer, PRE_TOKENIZERS),
        (models, models.Model, MODELS),
        (processors, processors.PostProcessor, PROCESSORS),
        (decoders, decoders.Decoder, DECODERS),
    ],
    ids=["normalizers", "pre_tokenizers", "models", "processors", "decoders"],
)
def test_no_component_is_left_out(module: ModuleType, base: type, components: list[Any]) -> None:
    public = {each for name in module.__all__ if isinstance(each := getattr(module, name), type)}
    wanted = {each for each in public if issubclass(each, base) and not inspect.isabstract(each)}
    assert len(wanted) > 3
    assert wanted <= set(map(type, components))


def test_no_ready_made_tokenizer_is_left_out() -> None:
    public = {name for name in tokenizers_impl.implementations.__all__ if name != "BaseTokenizer"}
    assert public == set(READY_MADE)


# Texts cut in two at every place


@named(NORMALIZERS)
def test_normalizers(component: normalizers.Normalizer) -> None:
    """Every character is a word, so that its origin is seen, too."""
    characters = pre_tokenizers.FixedLength(1)
    assert_one_by_one(tokenizer(component, characters), CUT_IN_TWO)


@pytest.mark.parametrize("normalizer", [None, normalizers.NFD(), normalizers.Prepend("x"), normalizers.Strip()])
def test_texts_around_the_longest_short_one(normalizer: normalizers.Normalizer | None) -> None:
    """One text of up to 1,000 characters takes its arrays from others."""
    text = " aé漢🙂" * 300
    batch = [text[:length] for length in (1000, 1, 0, 999, 1001, 1000, 2)]
    assert_one_by_one(tokenizer(normalizer, pre_tokenizers.FixedLength(1)), batch)


@pytest.mark.slow
@named(PRE_TOKENIZERS)
def test_pre_tokenizers(component: pre_tokenizers.PreTokenizer) -> None:
    assert_one_by_one(tokenizer(None, component), CUT_IN_TWO)


@pytest.mark.parametrize("normalizer", [None, normalizers.Strip(), normalizers.Lowercase(), normalizers.Prepend("x")])
@pytest.mark.parametrize("encode_special_tokens", [False, True])
def test_added_tokens(normalizer: normalizers.Normalizer | None, encode_special_tokens: bool) -> None:
    built = with_added_tokens(tokenizer(normalizer, pre_tokenizers.ByteLevel()))
    built.encode_special_tokens = encode_special_tokens
    assert_one_by_one(built, CUT_IN_TWO)


@named(MODELS)
def test_models(component: models.Model) -> None:
    for pre_tokenizer in (None, pre_tokenizers.Whitespace(), pre_tokenizers.FixedLength(3)):
        assert_one_by_one(tokenizer(None, pre_tokenizer, component), CUT_IN_TWO)


@named(PROCESSORS)
def test_post_processors(component: processors.PostProcessor) -> None:
    built = tokenizer(None, pre_tokenizers.ByteLevel(add_prefix_space=False), MODELS[0])
    built.post_processor = component
    pairs = list(pairwise(CUT_IN_TWO))
    for add_special_tokens in (True, False):
        assert_one_by_one(built, CUT_IN_TWO, add_special_tokens=add_special_tokens)
        assert_one_by_one(built, pairs, add_special_tokens=add_special_tokens)


@pytest.mark.parametrize("name", READY_MADE)
def test_ready_made_tokenizers(name: str) -> None:
    built = made(tokenizers_impl, name)
    # One of them knows no other characters than those of its pieces.
    known = set("low ▁") if name == "SentencePieceUnigramTokenizer" else set("".join(WHOLE))
    batch = [text for text in CUT_IN_TWO if set(text) <= known]
    assert [held(each) for each in built.encode_batch(batch)] == [held(built.encode(text)) for text in batch]


@pytest.mark.parametrize("direction", ["left", "right"])
def test_truncated_and_padded_rows(direction: str) -> None:
    built = with_added_tokens(tokenizer(None, pre_tokenizers.ByteLevel(), MODELS[0]))
    built.post_processor = PROCESSORS[-2]
    built.enable_truncation(7, stride=1, direction=direction)
    built.enable_padding(direction, length=8)
    assert_one_by_one(built, CUT_IN_TWO)
    assert_one_by_one(built, list(pairwise(CUT_IN_TWO)))


@pytest.mark.parametrize("encode_special_tokens", [False, True])
def test_lists_of_words(encode_special_tokens: bool) -> None:
    """The words of a list are texts of their own, too."""
    built = with_added_tokens(tokenizer(normalizers.NFC(), pre_tokenizers.ByteLevel()))
    built.encode_special_tokens = encode_special_tokens
    rows = [CUT_IN_TWO[i : i + 3] for i in range(0, len(CUT_IN_TWO), 3)]
    assert_one_by_one(built, rows, is_pretokenized=True)
    alone = [[built.encode(word).tokens for word in row] for row in rows]
    found = [each.tokens for each in built.encode_batch(rows, is_pretokenized=True)]
    assert found == [[token for tokens in row for token in tokens] for row in alone]


def test_parts_that_threads_encode() -> None:
    built = with_added_tokens(tokenizer(normalizers.NFKC(), pre_tokenizers.Whitespace(), MODELS[0]))
    assert_one_by_one(built, CUT_IN_TWO * 12)


def test_probabilities_of_pieces() -> None:
    built = tokenizer(normalizers.NFC(), pre_tokenizers.Whitespace(), MODELS[5])
    found = built.log_probs(CUT_IN_TWO)
    assert all(np.array_equal(each, *built.log_probs([text])) for each, text in zip(found, CUT_IN_TWO, strict=True))


@named([None, *DECODERS])
@pytest.mark.parametrize("skip_special_tokens", [False, True])
def test_decoders(component: decoders.Decoder | None, skip_special_tokens: bool) -> None:
    """Rows that end inside a character, a word or a run of the same token, and empty ones."""
    names = [
        "a",
        "b",
        " x",
        "▁b",
        "##s",
        "</w>",
        "a</w>",
        "é",
        "|",
        "<pad>",
        "ĠÃ",
        "©",
        "â",
        "Ĥ",
        "¬",
        "Ġ",
        " .",
        "·",
        "Â",
    ]
    names += [f"<0x{byte:02X}>" for byte in (0x41, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xFF)]
    built = Tokenizer(models.WordLevel({name: id for id, name in enumerate(names)}, "a"))
    built.decoder = component
    built.add_special_tokens(["<pad>"])
    every = range(len(names) + 1)
    runs = [[i, j, k] for i in every for j in every[i % 4 :: 4] for k in (i, j, 0)]
    rows = [row for run in runs for row in (run[:1], run[1:], [], run[:2], run[2:], run)]
    found = built.decode_batch(rows, skip_special_tokens)
    assert found == [built.decode(row, skip_special_tokens) for row in rows]


# Texts at random


@examples(150)
@given(
    batch=BATCHES,
    normalizer=st.sampled_from([None, *NORMALIZERS]),
    pre_tokenizer=st.sampled_from([None, *PRE_TOKENIZERS]),
    model=st.sampled_from([whole_words(), *MODELS]),
    processor=st.sampled_from([None, *PROCESSORS]),
    adds=st.booleans(),
    encode_special_tokens=st.booleans(),
)
def test_generated_batches(
    batch: list[str],
    normalizer: normalizers.Normalizer | None,
    pre_tokenizer: pre_tokenizers.PreTokenizer | None,
    model: models.Model,
    processor: processors.PostProcessor | None,
    adds: bool,
    encode_special_tokens: bool,
) -> None:
    built = tokenizer(normalizer, pre_tokenizer, model)
    built.post_processor = processor
    if adds:
        with_added_tokens(built)
    built.encode_special_tokens = encode_special_tokens
    assert_one_by_one(built, batch)
    assert_one_by_one(built, list(pairwise(batch)))
