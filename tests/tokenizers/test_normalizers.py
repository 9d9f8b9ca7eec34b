"""Normalizers against the library: the text and where each character of it came from."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

import boundary_tables as generated
import numpy as np
import pytest
import sentencepiece
import tokenizers
from boundary_tables import charsmap
from hypothesis import given
from hypothesis import strategies as st
from naive_normalizers import normalized
from properties import examples
from sentencepiece import sentencepiece_model_pb2
from shared_data import beginning, shared
from tokenizers import Regex, models, pre_tokenizers
from tokenizers import normalizers as theirs

from tokenizers_impl import Regex as OurRegex
from tokenizers_impl import normalizers as ours
from tokenizers_impl._text.splits import Splits
from tokenizers_impl._text.unicode import (
    ATTACHES,
    CONSONANT,
    CONTROL,
    EXTENDS,
    LEAD,
    LINKER,
    PICTURE,
    PREPENDS,
    TRAIL,
    VOWEL,
    combining_classes,
    compositions,
    decompositions,
    grapheme_kinds,
)

# One key of each kind: replaced by none, fewer, as many, more; with marks and joiners; before and behind one another.
SMALL_MAP = charsmap(
    {
        "a": "A",
        "b": "",
        "©": "(c)",
        "\u0301": "",
        "\u0300": "`",
        "é": "e\u0301",
        "e\u0301": "é",
        "o\u0302\u0301": "ố",
        "\u0915\u093f": "ki",
        "\u0915": "k",
        "ﬁ": "fi",
        "\u3000": " ",
        "\u200d": "",
        "\u1100": "g",
        "\u11a8": "k",
        "1": "",
        "中": "middle",
    }
)
BERT = [
    {"clean_text": clean, "handle_chinese_chars": chinese, "strip_accents": strip, "lowercase": lower}
    for clean, chinese, strip, lower in product((True, False), (True, False), (None, True, False), (True, False))
]
STEPS = [("NFC", {}), ("NFD", {}), ("NFKC", {}), ("NFKD", {}), ("Lowercase", {}), ("StripAccents", {})]
SEQUENCES = [
    [("NFKD", {}), ("StripAccents", {}), ("Lowercase", {}), ("NFC", {})],
    [("BertNormalizer", {}), ("NFKC", {}), ("NFD", {})],
    [("Lowercase", {}), ("NFD", {}), ("NFC", {}), ("BertNormalizer", {"strip_accents": False})],
    [],
]
PIPELINES = [*([step] for step in STEPS), *([("BertNormalizer", options)] for options in BERT), *SEQUENCES]
NAMES = ["+".join(f"{name}{list(options.values()) or ''}" for name, options in steps) for steps in PIPELINES]
PATTERNED = [[("Strip", {"left": left, "right": right})] for left, right in product((True, False), (True, False))]
PATTERNED += [[("Nmt", {})], [("ByteLevel", {})], [("Prepend", {})], [("Prepend", {"prepend": "e\u0301 "})]]
PATTERNED += [
    [("Replace", {"pattern": pattern, "content": content})]
    for pattern, content in product(["a", "", "e\u0301", " ", r"/\s+", r"/\p{M}+", "/^", "/a*|b$"], ["", "▁", "yé"])
]
PATTERNED += [
    [("Prepend", {"prepend": "▁"}), ("Replace", {"pattern": " ", "content": "▁"})],
    [("Strip", {}), ("Replace", {"pattern": "/^", "content": "▁"})],
    [("Nmt", {}), ("NFKC", {}), ("Strip", {"left": False}), ("Replace", {"pattern": "/ {2,}", "content": "▁"})],
    [("NFC", {}), ("Replace", {"pattern": r"/\s+", "content": " "}), ("Lowercase", {}), ("ByteLevel", {})],
    [("Precompiled", {"precompiled_charsmap": SMALL_MAP})],
    [
        ("Precompiled", {"precompiled_charsmap": SMALL_MAP}),
        ("Strip", {}),
        ("Replace", {"pattern": "/ {2,}", "content": "▁"}),
    ],
]
PIPELINES += PATTERNED
NAMES += [f"patterned {number}" for number in range(len(PATTERNED))]
MAIN = [*([step] for step in STEPS), [("BertNormalizer", {})], *SEQUENCES[:1]]

# What graphemes are made of: marks, joiners, pictures, consonants with viramas, jamo, what goes before a number.
GRAPHEME_PARTS = [
    *"\u0301\u0300\u200d\ufe0f©®👩👍\u0915\u094d\u093f\u0995\u09cd\u1100\u1161\u11a8가각\u0600\r\n\U0001f1e6eo"
]
CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
HANGUL = [chr(code) for code in range(0xAC00, 0xD7A4)]
MARKS = [chr(code) for code in np.flatnonzero(combining_classes()).tolist()]
PAIRS = compositions()
STARTERS = sorted({chr(first) for first, _ in PAIRS.values()})
SECONDS = sorted({chr(second) for _, second in PAIRS.values()})
# Controls, white space, joiners, case, vowel signs, and both sides of the edges of the Chinese blocks.
ODD = [*"\0\t\n\r \x85\xa0\xad\u200b\u200c\u200d\ufeff\ufffd\u3000\u2028İIıßΣςǅ"]
ODD += [*"\u0e33\u0eb3\u093e\u0bbe\u0d3e\u064b\u0651"]
ODD += [chr(code) for edge in (0x3400, 0x4E00, 0xA000, 0xF900, 0x2B820, 0x2B920, 0x2FA20) for code in (edge - 1, edge)]

MIXED = st.one_of(
    st.sampled_from(MARKS),
    st.sampled_from(MARKS[:80]),
    st.sampled_from(STARTERS),
    st.sampled_from(SECONDS),
    st.sampled_from(sorted(map(chr, decompositions(compatibility=True)))),
    st.integers(0x1100, 0x11FF).map(chr),
    st.sampled_from(ODD),
    st.characters(min_codepoint=0x20, max_codepoint=0x7E),
    st.characters(exclude_categories=["Cs"]),
)


def build(module, steps):
    """The normalizer of that module, ours or theirs."""
    made = [component(module, name, tuple(options.items())) for name, options in steps]
    return made[0] if len(made) == 1 else module.Sequence(made)


@cache
def component(module, name, options):
    """One step; a pattern behind a slash is a Regex."""
    regex = Regex if module is theirs else OurRegex
    given = {key: regex(value[1:]) if key == "pattern" and value[:1] == "/" else value for key, value in options}
    return getattr(module, name)(**given)


def our_texts(steps, texts) -> list[str]:
    return build(ours, steps).normalize_splits(Splits.of(texts, offsets=False)).texts()


def our_origins(steps, texts) -> tuple[list[str], list[list[tuple[int, int]]]]:
    splits = build(ours, steps).normalize_splits(Splits.of(texts, offsets=True))
    origins = list(map(tuple, splits.origins.tolist()))
    spans = zip(splits.starts.tolist(), splits.ends.tolist(), strict=True)
    return splits.texts(), [origins[start:end] for start, end in spans]


def their_origins(steps, texts) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """The library shows origins as the offsets of tokens; here every character is a token."""
    normalizer = build(theirs, steps)
    tokenizer = tokenizers.Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    return list(map(normalizer.normalize_str, texts)), [each.offsets for each in tokenizer.encode_batch(texts)]


def assert_equal(steps, texts: Iterable[str]) -> None:
    texts = list(texts)
    assert our_origins(steps, texts) == their_origins(steps, texts)


@pytest.mark.slow
@pytest.mark.parametrize("steps", MAIN, ids=str)
def test_every_code_point_alone(steps):
    texts = list(map(chr, CODES))
    assert our_texts(steps, texts) == list(map(build(theirs, steps).normalize_str, texts))


@pytest.mark.slow
@pytest.mark.parametrize("steps", PIPELINES, ids=NAMES)
def test_origins_of_code_points_that_change(steps):
    assert_equal(steps, ["a" + chr(code) + "b" for code in [*decompositions(compatibility=True)][::7]] + ODD)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_every_starter_before_every_mark(form):
    starters = [starter for starter in STARTERS if starter not in HANGUL]
    texts = [starter + mark for starter in starters for mark in sorted({*MARKS, *SECONDS})]
    assert our_texts([(form, {})], texts) == list(map(build(theirs, [(form, {})]).normalize_str, texts))


def test_hangul():
    parts = list(map(theirs.NFD().normalize_str, HANGUL))
    assert our_texts([("NFD", {})], HANGUL) == parts
    assert our_texts([("NFC", {})], parts) == HANGUL
    assert_equal([("NFC", {})], [text + "\u11a7\u11a8\u1161\u0301" for text in (HANGUL + parts)[::97]])


def test_every_pair_of_marks_is_ordered_by_their_classes():
    # The library's order for one mark of each class and every mark, both ways round.
    classes = combining_classes()
    samples = {int(classes[ord(mark)]): mark for mark in MARKS}.values()
    texts = [first + second for mark in MARKS for other in samples for first, second in ((mark, other), (other, mark))]
    assert our_texts([("NFD", {})], texts) == list(map(theirs.NFD().normalize_str, texts))


@pytest.mark.parametrize("steps", PIPELINES, ids=NAMES)
def test_marks_in_random_order(steps):
    rng = random.Random(1)
    pools = [MARKS, MARKS[:60], STARTERS[:200], SECONDS, ODD, [*"abeiou", "\u1b44", "\U0001d165", "\u302e"]]
    texts = ["".join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(14))) for _ in range(400)]
    assert_equal(steps, texts)


@pytest.mark.parametrize("steps", MAIN, ids=str)
@examples(60)
@given(texts=st.lists(st.lists(MIXED, max_size=12).map("".join), max_size=6))
def test_generated_unicode(steps, texts):
    assert_equal(steps, texts)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@examples(100)
@given(text=st.lists(MIXED, max_size=12).map("".join))
def test_the_algorithm_of_the_annex(form, text):
    made, origins = our_origins([(form, {})], [text])
    expected, sources = normalized(text, compatibility="K" in form, composes=form.endswith("C"))
    assert (made, origins) == ([expected], [[(source, source + 1) for source in sources]])


def corpus(name: str) -> list[str]:
    """The lines of the first megabyte of a corpus, or of all of a folder."""
    path = shared(f"text/{name}")
    if path.is_dir():
        return [line for each in sorted(path.iterdir()) for line in each.read_text("utf-8").splitlines()]
    return beginning(f"text/{name}", 600_000).split("\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.test.txt", "iso_names"])
@pytest.mark.parametrize("steps", MAIN, ids=str)
def test_corpora(name, steps):
    texts = corpus(name)
    assert our_texts(steps, texts) == list(map(build(theirs, steps).normalize_str, texts))
    assert_equal(steps, texts[::10])


@pytest.mark.parametrize("steps", MAIN, ids=str)
def test_decomposed_and_shouted_text_of_many_scripts(steps):
    assert_equal(steps, [theirs.NFD().normalize_str(line).upper() for line in corpus("iso_names")[::20]])


def test_a_long_run_of_marks_is_put_in_order():
    text = "e" + "\u0301\u0316" * 50_000
    assert ours.NFC().normalize_str(text) == theirs.NFC().normalize_str(text)


@pytest.mark.parametrize("steps", PIPELINES, ids=NAMES)
def test_added_tokens_and_gaps_stay_and_nothing_composes_across_them(steps):
    texts = ["É", "e", "\u0301", "E\u0301中", "\u0327\u0301", "\ufb01 X\u200d"]
    splits = Splits.of(texts, offsets=True)
    added = np.array([-1, -1, 7, 3, -1, -1], np.int32)
    # The first character of the last split is taken out, as white space is.
    cut = splits._replace(added=added, starts=splits.starts + np.array([0, 0, 0, 0, 0, 1]))
    arrays = [array for array in cut if isinstance(array, np.ndarray)]
    before = [array.copy() for array in arrays]
    made = build(ours, steps).normalize_splits(cut)
    expected = [*texts[:5], texts[5][1:]]
    for j in (0, 1, 4, 5):
        expected[j] = build(theirs, steps).normalize_str(expected[j])
    assert made.texts() == expected
    assert all(np.array_equal(now, then) for now, then in zip(arrays, before, strict=True))
    assert made.origins[made.starts[3] : made.ends[3]].tolist() == [[0, 1], [1, 2], [2, 3]]


@pytest.mark.parametrize("steps", PIPELINES, ids=NAMES)
def test_nothing_to_do(steps):
    assert build(ours, steps).normalize_str("") == ""
    assert build(ours, steps).normalize_splits(Splits.of([], offsets=True)).texts() == []


@pytest.mark.parametrize("steps", PIPELINES, ids=NAMES)
def test_json_is_that_of_the_library(steps):
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.normalizer = build(theirs, steps)
    data = json.loads(tokenizer.to_str())["normalizer"]
    made = build(ours, steps)
    assert json.dumps(made.to_json()) == json.dumps(data)
    assert ours.from_json(data) == made


@pytest.mark.parametrize("steps", PATTERNED, ids=NAMES[-len(PATTERNED) :])
@examples(25)
@given(texts=st.lists(st.lists(st.sampled_from("  \tab\n") | MIXED, max_size=12).map("".join), max_size=6))
def test_generated_unicode_with_patterns(steps, texts):
    assert_equal(steps, texts)


@cache
def sentencepiece_map(rule: str) -> bytes:
    """The map that SentencePiece writes for one of its normalization rules."""
    model = io.BytesIO()
    options = {"vocab_size": 30, "hard_vocab_limit": False, "normalization_rule_name": rule, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c d e f"]), model_writer=model, **options)
    parsed = sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())
    return parsed.normalizer_spec.precompiled_charsmap


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
def test_sentencepiece_maps_on_every_code_point(rule):
    steps = [("Precompiled", {"precompiled_charsmap": sentencepiece_map(rule)})]
    normalize = build(theirs, steps).normalize_str
    for before, after in (("", ""), ("e", "\u0301"), ("©\u200d", "\u0301"), ("\u0915\u094d", "\u0301")):
        texts = [before + chr(code) + after for code in CODES[::11]]
        assert our_texts(steps, texts) == list(map(normalize, texts))


@pytest.mark.parametrize("name", ["gcide.en.txt.xz", "manpages.ja.txt.xz", "iso_names"])
def test_sentencepiece_maps_on_corpora(name):
    steps = [("Precompiled", {"precompiled_charsmap": sentencepiece_map("nmt_nfkc")})]
    assert_equal(steps, corpus(name)[::4])
    assert_equal(steps, [theirs.NFD().normalize_str(line) for line in corpus(name)[::20]])


@examples(100)
@given(texts=st.lists(st.lists(MIXED | st.sampled_from(GRAPHEME_PARTS), max_size=10).map("".join), max_size=8))
def test_graphemes_of_generated_unicode(texts):
    assert_equal([("Precompiled", {"precompiled_charsmap": sentencepiece_map("nmt_nfkc")})], texts)
    assert_equal([("Precompiled", {"precompiled_charsmap": SMALL_MAP})], texts)


def test_the_frozen_graphemes_are_those_of_the_library():
    kinds = grapheme_kinds()
    checked = [*np.flatnonzero(kinds)[::5].tolist(), *CODES[::499]]
    bits = {"control": CONTROL, "attaches": ATTACHES, "extends": EXTENDS, "prepends": PREPENDS, "lead": LEAD}
    bits |= {"vowel": VOWEL, "trail": TRAIL, "picture": PICTURE, "consonant": CONSONANT, "linker": LINKER}
    for code in checked:
        found = {name for name, bit in bits.items() if kinds[code] & bit}
        assert found == {name for name in bits if generated.GRAPHEMES[name](chr(code))}, hex(code)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "precompiled_charsmap of 0 bytes is cut off, or has no keys"),
        (b"\0\0\0\0abc", "is cut off, or has no keys"),
        (b"\x08\0\0\0abcd", "is cut off, or has no keys"),
        (b"\x04\0\0\0abcd\xff", "the replacements of precompiled_charsmap are not UTF-8"),
        ("abc", "precompiled_charsmap of the normalizer Precompiled is 'abc': expected bytes"),
    ],
)
def test_a_broken_map_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        ours.Precompiled(data)
    with pytest.raises(ValueError, match=message.replace("Precompiled", "SentencePieceMap")):
        ours.SentencePieceMap(data)


RULES = {"a": "bb", "ab": "c", "abaa": "", "é": "é!", "aé": "-", "中": "a中b"}
KEPT = ("b", "ba", "aéb")


def longest_matches(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The rules as SentencePiece documents them, and where every character comes from."""
    i, made, origins = 0, "", []
    while i < len(text):
        kept = [key for key in KEPT if text.startswith(key, i)]
        keys = kept or [key for key in RULES if text.startswith(key, i)]
        key = max(keys, key=len, default=text[i])
        new = key if kept or not keys else RULES[key]
        made += new
        origins += [(i + min(k, len(key) - 1), i + min(k, len(key) - 1) + 1) for k in range(len(new))]
        i += len(key)
    return made, origins


@given(st.lists(st.text("aabé中x"), min_size=1, max_size=8))
@examples(100)
def test_the_longest_key_is_replaced_from_the_left(texts):
    steps = [("SentencePieceMap", {"precompiled_charsmap": charsmap(RULES), "kept": KEPT})]
    expected = [longest_matches(text) for text in texts]
    assert our_origins(steps, texts) == tuple(map(list, zip(*expected, strict=True)))


def test_the_library_refuses_the_map_of_longest_keys():
    own = ours.SentencePieceMap(SMALL_MAP, ("ab",))
    assert ours.from_json(json.loads(own.__getstate__())) == own
    tokenizer = json.loads(tokenizers.Tokenizer(models.BPE()).to_str())
    tokenizer["normalizer"] = json.loads(own.__getstate__())
    with pytest.raises(Exception, match="did not match any variant"):
        tokenizers.Tokenizer.from_str(json.dumps(tokenizer))


def test_a_map_that_points_outside_of_itself_is_refused_when_it_is_used():
    # The root alone, whose branches are cut off.
    for kind in (ours.Precompiled, ours.SentencePieceMap):
        broken = kind((1024).to_bytes(4, "little") + SMALL_MAP[4:1028])
        with pytest.raises(ValueError, match="points outside itself"):
            broken.normalize_str("a")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "Strip", "strip_left": 1}, "strip_left of the normalizer Strip is 1: expected bool"),
        (
            {"type": "Strip", "left": True},
            "normalizer Strip has no option left: its options are strip_left",
        ),
        ({"type": "Prepend", "prepend": None}, "prepend of the normalizer Prepend is None: expected str"),
        ({"type": "Replace", "pattern": {"String": "a"}}, "normalizer Replace lacks content"),
        ({"type": "Replace", "pattern": {"Regex": "("}, "content": ""}, "a group that is not closed"),
        ({"type": "Replace", "pattern": ["a"], "content": ""}, "the pattern is"),
        ({"type": "Precompiled", "precompiled_charsmap": "!"}, "precompiled_charsmap is not base64"),
        ({"type": "Precompiled", "precompiled_charsmap": None}, "precompiled_charsmap is not base64"),
        ({"type": "Precompiled"}, "normalizer Precompiled lacks precompiled_charsmap"),
        ({"type": "SentencePieceMap", "precompiled_charsmap": "", "kept": [1]}, r"kept is \[1\]: expected a list"),
    ],
)
def test_wrong_files_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        ours.from_json(data)


def test_what_is_not_there_is_refused_by_name():
    with pytest.raises(ValueError, match="normalizer Other is not supported"):
        ours.from_json({"type": "Sequence", "normalizers": [{"type": "Other"}]})
    with pytest.raises(ValueError, match="has no option left"):
        ours.from_json({"type": "NFC", "left": True})
    with pytest.raises(ValueError, match=r"normalizers\[1\] is 'NFC'"):
        ours.Sequence([ours.NFD(), "NFC"])


COMPILED = [*MAIN[::3], [("SentencePieceMap", {"precompiled_charsmap": charsmap({"ﬁ": "fi", "e\u0315": "e"})})]]


@pytest.mark.slow
def test_kernels_without_compilation():
    program = """if True:
        import json, sys
        from test_normalizers import COMPILED, our_origins
        print(json.dumps([our_origins(steps, json.loads(sys.argv[1])) for steps in COMPILED]))
    """
    texts = ["Élan vital", "e\u0315\u0300\u0316 한국어 \u1112\u1161\u11ab", "ﬁ²\u200b中", "", "A\u1b44\u0301\u0316"]
    root = Path(__file__).resolve().parents[2]
    # This file itself is imported by its name.
    path = [root, Path(__file__).parent, root / "tests" / "support", root / "tests" / "reference", root / "tools"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-c", program, json.dumps(texts)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == json.loads(json.dumps([our_origins(steps, texts) for steps in COMPILED]))
