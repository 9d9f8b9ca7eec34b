"""N-gram models: probabilities are KenLM's, estimates are lmplz's, files are both's."""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import math
import pickle
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from naive_ngram import KneserNey, Levels, backed_off
from properties import examples
from shared_data import beginning

import evenscore
from evenscore.perplexity.ngram import arpa as arpa_files
from evenscore.perplexity.ngram import source as ngram_source
from evenscore.perplexity.ngram.arpa import read_arpa, write_arpa
from evenscore.perplexity.ngram.kneser_ney import estimate
from evenscore.perplexity.ngram.model import NgramModel, distinct
from evenscore.perplexity.ngram.source import NgramSource, as_unit
from evenscore.perplexity.source import Token

kenlm = pytest.importorskip("kenlm")
# Texts are drawn with <s> and </s> as words, which KenLM scores, too.
pytestmark = pytest.mark.filterwarnings("ignore:row .* has the word")

LN_10 = math.log(10)
UNKNOWN = {"<UNK>": "<unk>"}
UNIT = 2.0**-24
SETTINGS = examples(60)
MARKERS = [(True, True), (True, False), (False, True), (False, False)]


def trained(*arguments: Any, **options: Any) -> NgramSource:
    """A model of texts that may be too short for discounts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return NgramSource.trained(*arguments, **options)


def check_kenlm(
    model: Any, source: NgramSource, texts: list[str], sentences: list[str], start: bool = True, end: bool = True
) -> None:
    """Every token of a text has the float32, and the flag, that KenLM gives the words of the sentence."""
    rows = [list(model.full_scores(sentence, bos=start, eos=end)) for sentence in sentences]
    scores = source.score(texts, None)
    assert scores.log_probs.tolist() == [log10 * LN_10 for row in rows for log10, _, _ in row]
    assert scores.unknown is not None
    assert scores.unknown.tolist() == [unknown for row in rows for _, _, unknown in row]
    assert np.diff(scores.offsets).tolist() == [len(row) for row in rows]


# --- probabilities: KenLM's

CORPORA = [
    ("text/gcide.en.txt.xz", "words", 2),
    ("text/gcide.en.txt.xz", "words", 5),
    ("text/manpages.ja.txt.xz", "words", 3),
    ("text/gcide.en.txt.xz", "characters", 6),
    ("text/manpages.ja.txt.xz", "characters", 3),
]


@pytest.mark.parametrize(("path", "unit", "order"), CORPORA)
def test_real_text_has_kenlms_probabilities(path: str, unit: str, order: int, tmp_path: Path) -> None:
    texts = beginning(path).split("\n")
    if unit == "characters":
        # ARPA files hold no white space.
        texts = [re.sub(r"\s", "\u2581", text) for text in texts[: len(texts) // 4]]
    n = len(texts) * 2 // 3
    file = tmp_path / "model.arpa"
    source = trained(texts[:n], order, unit)
    write_arpa(source.model, file)
    model = kenlm.Model(str(file))
    asked = texts[n:]
    sentences = asked if unit == "words" else [" ".join(text) for text in asked]
    for start, end in MARKERS:
        own = NgramSource(source.name, source.model, as_unit(unit), start, end)
        check_kenlm(model, own, asked, sentences, start, end)
    check_kenlm(model, NgramSource.of_arpa(file, unit), asked, sentences)
    # KenLM adds up in float32: n additions of numbers of one sign are off by n half units in the last place.
    scores = source.score(asked, None)
    for sentence, log_probs in zip(sentences, np.split(scores.log_probs, scores.offsets[1:-1]), strict=True):
        log10 = model.score(sentence)
        assert log_probs.sum() / LN_10 == pytest.approx(log10, rel=len(log_probs) * UNIT)
        perplexity = math.exp(-log_probs.mean())
        assert perplexity == pytest.approx(model.perplexity(sentence), rel=2 * UNIT * LN_10 * abs(log10))


letters = st.sampled_from("abc")
sentences_of_letters = st.lists(letters, max_size=8).map(" ".join)
# Words that no training text has, and all that have a meaning.
asked_sentences = st.lists(st.sampled_from(["a", "b", "c", "d", "<s>", "</s>", "<unk>", "<UNK>"]), max_size=6).map(
    " ".join
)


@SETTINGS
@given(
    texts=st.lists(sentences_of_letters, min_size=1, max_size=12).filter(any),
    order=st.integers(2, 6),
    asked=st.lists(asked_sentences, min_size=1, max_size=4),
    markers=st.sampled_from(MARKERS),
)
def test_few_words_have_kenlms_probabilities(
    texts: list[str], order: int, asked: list[str], markers: tuple[bool, bool], tmp_path_factory: Any
) -> None:
    file = tmp_path_factory.mktemp("arpa") / "model.arpa"
    source = trained(texts, order, start_token=markers[0], end_token=markers[1])
    write_arpa(source.model, file)
    check_kenlm(kenlm.Model(str(file)), source, asked, asked, *markers)


@st.composite
def arpa_levels(draw: st.DrawFn) -> list[dict[tuple[str, ...], tuple[float, str]]]:
    """Any back-off model, probable or not: its n-grams may lack their suffixes, and <unk> may stand inside."""
    words = ["a", "b", "<s>", "</s>", *draw(st.sampled_from([[], ["<unk>"], ["<UNK>"]]))]
    log_probs = st.floats(-9, 0, width=32)
    weights = st.sampled_from(["", "\t0", "\t-0.0"]) | st.floats(-3, 1, width=32).map("\t{!r}".format)
    levels = [{(word,): (draw(log_probs), draw(weights)) for word in words}]
    for _ in range(1, draw(st.integers(2, 5))):
        candidates = [(*gram, word) for gram in levels[-1] if gram[-1] != "</s>" for word in words if word != "<s>"]
        grams = draw(st.lists(st.sampled_from(candidates), unique=True, max_size=8)) if candidates else []
        levels.append({gram: (draw(log_probs), draw(weights)) for gram in grams})
    levels[-1] = {gram: (log_prob, "") for gram, (log_prob, _) in levels[-1].items()}
    return levels


def arpa_text(levels: Sequence[dict[tuple[str, ...], tuple[float, str]]]) -> str:
    counts = "".join(f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1))
    sections = "".join(
        f"\n\\{n}-grams:\n" + "".join(f"{p!r}\t{' '.join(gram)}{weight}\n" for gram, (p, weight) in level.items())
        for n, level in enumerate(levels, 1)
    )
    return f"\\data\\\n{counts}{sections}\n\\end\\\n"


@examples(150)
@given(arpa_levels(), st.lists(asked_sentences, min_size=1, max_size=4), st.sampled_from(MARKERS))
def test_any_arpa_file_has_kenlms_probabilities(
    tmp_path_factory: Any, levels: Any, asked: list[str], markers: tuple[bool, bool]
) -> None:
    file = tmp_path_factory.mktemp("arpa") / "model.arpa"
    file.write_text(arpa_text(levels))
    try:
        model = kenlm.Model(str(file))
    except OSError as error:
        if "Avoid pruning n-grams" not in str(error):
            raise
        # Its table has no room for so many missing suffixes.
        reject()
    check_kenlm(model, NgramSource.of_arpa(file, "words", *markers), asked, asked, *markers)


def lengths_found(levels: Sequence[dict[tuple[str, ...], Any]], words: list[str]) -> list[int]:
    """For each word after the first, how many words the longest n-gram of the file has that ends there."""
    return [
        max(
            n
            for n in range(1, min(i + 1, len(levels)) + 1)
            if n == 1 or tuple(words[i + 1 - n : i + 1]) in levels[n - 1]
        )
        for i in range(1, len(words))
    ]


@examples(150)
@given(arpa_levels(), st.lists(asked_sentences, min_size=1, max_size=4))
def test_lengths_are_of_the_longest_ngrams_in_the_file_and_kenlms_if_no_suffix_is_missing(
    tmp_path_factory: Any, levels: Any, asked: list[str]
) -> None:
    file = tmp_path_factory.mktemp("arpa") / "model.arpa"
    file.write_text(arpa_text(levels))
    scores = NgramSource.of_arpa(file).score(asked, None)
    assert scores.lengths is not None
    spelled = [{tuple(UNKNOWN.get(word, word) for word in gram): None for gram in level} for level in levels]
    known = {word for (word,) in spelled[0]}
    rows = [["<s>", *(word if word in known else "<unk>" for word in text.split()), "</s>"] for text in asked]
    assert scores.lengths.tolist() == [length for row in rows for length in lengths_found(spelled, row)]
    if all(gram[1:] in shorter for shorter, longer in itertools.pairwise(levels) for gram in longer):
        model = kenlm.Model(str(file))
        assert scores.lengths.tolist() == [length for text in asked for _, length, _ in model.full_scores(text)]


# By hand: some facts of KenLM's own test model, and every way to write a number or leave it out.
ARPA = """\

\\data\\
ngram 1=9
ngram 2=6
ngram 3=3

\\1-grams:
-1.029493\t</s>
-99\t<s>\t-0.4149733
-1.25\ta\t-0.5
-2\tb
-.75\tc\t0
-1e0\td\t-0.0
-3.5\té\u00a0è\t2.5
-inf\tz
-4\t<unk>\t-0.75

\\2-grams:
-0.25\t<s> a\t-0.125
-0.5\ta b\t-1
-0.625\ta <unk>\t-0.25
-1.5\tb c
-0.375\t<unk> a
-0\tc </s>

\\3-grams:
-0.0625\t<s> a b
-0.1\ta <unk> a
-0.2\ta b d

\\end\\
"""
# (text, log10 of its tokens with <s> before, </s> after)
BY_HAND = [
    ("", [-0.4149733 - 1.029493]),
    ("a", [-0.25, -0.125 - 0.5 - 1.029493]),
    ("a b d", [-0.25, -0.0625, -0.2, -1.029493]),
    ("b c", [-0.4149733 - 2, -1.5, 0]),
    ("a x a", [-0.25, -0.125 - 0.625, -0.1, -0.5 - 1.029493]),
    ("é\u00a0è b", [-0.4149733 - 3.5, 2.5 - 2, -1.029493]),
    ("x", [-0.4149733 - 4, -0.75 - 1.029493]),
    ("z", [-math.inf, -1.029493]),
]
WITHOUT_UNKNOWN = "".join(line for line in ARPA.splitlines(keepends=True) if "<unk>" not in line)
for of, without in (("1=9", "1=8"), ("2=6", "2=4"), ("3=3", "3=2")):
    WITHOUT_UNKNOWN = WITHOUT_UNKNOWN.replace(of, without)


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "by_hand.arpa"
    path.write_text(ARPA)
    return path


@pytest.mark.parametrize(("text", "log10"), BY_HAND)
def test_probabilities_by_hand(arpa: Path, text: str, log10: list[float]) -> None:
    log_probs = NgramSource.of_arpa(arpa).score([text], None).log_probs
    # Sums in float32, of at most three numbers up to 100.
    assert log_probs.tolist() == pytest.approx([value * LN_10 for value in log10], rel=4 * UNIT)


def test_an_empty_text_has_the_perplexity_of_kenlms_test_model(arpa: Path) -> None:
    log_probs = NgramSource.of_arpa(arpa).score([""], None).log_probs
    assert math.exp(-log_probs.mean()) == pytest.approx(27.83, abs=0.005)


@pytest.mark.parametrize("content", [ARPA, WITHOUT_UNKNOWN])
def test_texts_of_any_kind_have_kenlms_probabilities(content: str, arpa: Path) -> None:
    arpa.write_text(content)
    controls = [f"a{chr(point)}b" for point in (*range(1, 33), 0x85, 0xA0, 0x2028, 0x3000)]
    marked = ["<s> a b", "a </s> b", "a <unk> a", "a <UNK> a", "</s>", "<s>", " a \t b\r\n\n", "é\u00a0è b z a"]
    texts = [*controls, *marked, *(text for text, _ in BY_HAND)]
    model = kenlm.Model(str(arpa))
    for start, end in MARKERS:
        check_kenlm(model, NgramSource.of_arpa(arpa, "words", start, end), texts, texts, start, end)


def test_fields_apart_by_any_white_space_are_the_same(arpa: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.arpa"
    body = ARPA.replace("\t", "  ").replace("\\2-grams:\n", "  \\2-grams: \n").replace("<s> a", "<s>\ta")
    # KenLM, too, takes a weight of 0 where there is none.
    body = body.replace("a b d", "a b d 0")
    other.write_bytes(f"made by hand\n{body}".replace("\n", "\r\n").encode())
    assert_equal(read_arpa(other), read_arpa(arpa))


def test_order_1_and_files_without_markers(tmp_path: Path) -> None:
    # KenLM refuses both.
    one: Levels = [{("a",): (-0.5, 0), ("b",): (-0.75, 0), ("<unk>",): (-2, 0)}]
    two: Levels = [
        {("a",): (-0.5, -0.25), ("b",): (-0.75, 0.5), ("<unk>",): (-2, -0.125)},
        {("a", "b"): (-0.25, 0), ("<unk>", "a"): (-0.0625, 0)},
    ]
    texts = ["a b x a", "", "b b a b"]
    for k, levels in enumerate((one, two)):
        path = tmp_path / f"{k}.arpa"
        path.write_text(arpa_text([{g: (p, f"\t{b}" if b else "") for g, (p, b) in level.items()} for level in levels]))
        scores = NgramSource.of_arpa(path, start_token=False, end_token=False).score(texts, None)
        known = [tuple(word if word in "ab" else "<unk>" for word in text.split()) for text in texts]
        expected = [backed_off(levels, words[:i], words[i]) for words in known for i in range(len(words))]
        assert scores.log_probs.tolist() == [float(log10) * LN_10 for log10 in expected]
        assert scores.offsets.tolist() == [0, 4, 4, 8]
        with pytest.raises(ValueError, match=rf"arpa:{k}.arpa:{k + 1}:words has no 1-gram <s>: set start_token=F"):
            NgramSource.of_arpa(path)
        with pytest.raises(ValueError, match="has no 1-gram </s>: set end_token=False"):
            NgramSource.of_arpa(path, start_token=False)


# --- estimates: the definition's and lmplz's


corpora = st.lists(st.lists(letters, max_size=7), min_size=1, max_size=10).filter(any)
given_discounts = st.sampled_from([None, 0.75, (0.25, 1.0, 1.75)])


@SETTINGS
@given(corpora, st.integers(1, 4), given_discounts, st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1))
def test_estimates_are_those_of_the_definition(
    sentences: list[list[str]], order: int, discount: Any, asked: list[list[str]]
) -> None:
    three = (discount,) * 3 if isinstance(discount, float) else discount
    naive = KneserNey(sentences, order, three)
    source = trained([" ".join(words) for words in sentences], order, discount=discount)
    log_probs = source.score([" ".join(words) for words in asked], None).log_probs
    expected = [
        math.log(naive.probability(("<s>", *words[:i]), (*words, "</s>")[i]))
        for words in asked
        for i in range(len(words) + 1)
    ]
    # log10 of at most 8 are stored as float32, off by 2.4e-7 at most; the sum of one and three weights, by no more
    # than seven times that, and in practice half of it.
    assert log_probs.tolist() == pytest.approx(expected, abs=2e-6)


@SETTINGS
@given(corpora, st.integers(1, 4), given_discounts, st.lists(st.sampled_from("abcd"), max_size=4), st.booleans())
def test_probabilities_after_any_context_sum_to_1(
    sentences: list[list[str]], order: int, discount: Any, context: list[str], start: bool
) -> None:
    source = trained(
        [" ".join(words) for words in sentences], order, discount=discount, start_token=start, end_token=False
    )
    words = [word for word in source.model.vocabulary.to_pylist() if word != "<s>"]
    log_probs = source.score(words, [" ".join(context)] * len(words)).log_probs
    # Up to 6 probabilities, each off by what is said above.
    assert np.exp(log_probs).sum() == pytest.approx(1, abs=2e-6)


def drawn_texts(n: int) -> list[str]:
    """Texts of 2 .. 10 words out of 100, drawn by a linear congruential generator, small numbers more often."""
    state, texts = 1, []
    for i in range(n):
        words = []
        for _ in range(2 + i % 9):
            state = (1103515245 * state + 12345) % 2**31
            words.append(f"w{((state >> 16) % 1000) ** 3 // 10**7}")
        texts.append(" ".join(words))
    return texts


# Of lmplz (KenLM at 4cb443e): texts, order; then order by order the discounts that it prints, and of the file that it
# writes the number of n-grams, the sums of log10 probabilities without that of <s> and of weights, and some n-grams.
LMPLZ: list[tuple[int, int, list[tuple[Any, ...]]]] = [
    (100, 1, [
        ((0.245283, 1.63208, 1.33208), 97, -216.24911805, 0,
         {"<unk>": (-2.7514596, 0), "</s>": (-0.8430374, 0), "w58": (-2.6380947, 0), "w10": (-1.7319705, 0)}),
    ]),
    (100, 3, [
        ((0.258065, 1.59607, 1.88172), 97, -204.38201096, -11.946862754,
         {"<unk>": (-2.489377, 0), "</s>": (-1.0422668, 0), "w58": (-2.387216, -0.1040886),
          "w10": (-1.6451011, -0.123019144), "w11": (-1.7889276, -0.1317051)}),
        ((0.786885, 1.13745, 2.00604), 470, -640.47294761, -13.279157951,
         {"w43 </s>": (-0.63509446, 0), "w0 </s>": (-0.70534337, 0), "w52 w93": (-0.94184726, -0.02818034),
          "w0 w70": (-2.4131484, -0.02818034)}),
        ((0.937173, 1.37522, 2.06283), 561, -535.3383937, 0,
         {"w0 w43 </s>": (-0.6045927, 0), "w1 w63 w30": (-0.7696217, 0), "w0 w0 w83": (-2.3215163, 0)}),
    ]),
    (200, 4, [
        ((0.130435, 1.45217, 2.44099), 103, -219.0849512, -17.2529742,
         {"<unk>": (-2.558025, 0), "w58": (-2.3295662, -0.13573137), "w71": (-2.228374, -0.1678727)}),
        ((0.731591, 1.22309, 1.82945), 814, -1206.32744617, -29.8927705,
         {"w43 </s>": (-0.781103, 0), "w8 w3": (-1.2394117, -0.033858262), "w55 w1": (-0.3847289, -0.033858262)}),
        ((0.925, 1.14107, 2.43077), 1096, -1102.73850288, -3.72172408956,
         {"<s> w21 w85": (-0.9471451, -0.0035236948), "w2 w23 w2": (-0.91810364, -0.0035236948),
          "<s> w30 w0": (-0.19784102, -0.0035236948)}),
        ((0.991919, 1.25606, 3), 987, -901.81946753, 0,
         {"<s> w58 w43 </s>": (-0.63011694, 0), "w26 w0 w5 w10": (-1.3382647, 0), "w0 w0 w0 w38": (-2.302327, 0)}),
    ]),
]  # fmt: skip


def ngrams_of(model: NgramModel) -> Iterator[dict[str, tuple[float, float]]]:
    """The n-grams of every order in words, with log10 probabilities and weights."""
    words = model.vocabulary.to_pylist()
    grams = words
    for n, level in enumerate(model.levels, 1):
        if n > 1:
            grams = [f"{grams[key // len(words)]} {words[key % len(words)]}" for key in level.keys.tolist()]
        yield dict(zip(grams, zip(level.log_probs.tolist(), level.backoffs.tolist(), strict=True), strict=True))


@pytest.mark.parametrize(("n_texts", "order", "expected"), LMPLZ)
def test_estimates_are_lmplzs(n_texts: int, order: int, expected: list[tuple[Any, ...]]) -> None:
    found = estimate(as_unit("words").split(drawn_texts(n_texts)), order, None)
    assert not found.fallback_orders
    # Six digits of discounts are printed.
    for discounts, ngrams, (theirs, count, log_probs, weights, some) in zip(
        found.discounts, ngrams_of(found.model), expected, strict=True
    ):
        assert discounts == pytest.approx(theirs, rel=1e-5)
        assert len(ngrams) == count
        # Some float32 roundings an order: 3.2e-7 was the most over six corpora of up to 10 MB, orders 1 to 6.
        off = 8 * UNIT
        found_log_probs = math.fsum(log_prob for gram, (log_prob, _) in ngrams.items() if gram != "<s>")
        assert found_log_probs == pytest.approx(log_probs, abs=off * count)
        assert math.fsum(weight for _, weight in ngrams.values()) == pytest.approx(weights, abs=off * count)
        for gram, numbers in some.items():
            assert ngrams[gram] == pytest.approx(numbers, rel=off, abs=off)


FEW_TEXTS = ["a b a", "a a b b c", "b c"]
# Of lmplz --discount_fallback, then with 0.3 after it: every n-gram but <s>.
FALLEN_BACK = {
    "<unk>": (-1, 0), "</s>": (-0.6754889, 0), "a": (-0.57403123, -0.30103), "b": (-0.57403123, -0.30103),
    "c": (-0.80811447, -0.30103), "a </s>": (-0.6372244, 0), "c </s>": (-0.21784604, 0),
    "<s> a": (-0.33099318, -0.30103), "a a": (-0.5878196, -0.30103), "b a": (-0.5878196, -0.30103),
    "<s> b": (-0.5228787, -0.30103), "a b": (-0.41642344, -0.30103), "b b": (-0.5878196, -0.30103),
    "b c": (-0.4844205, -0.30103), "b a </s>": (-0.21092878, 0), "b c </s>": (-0.09540467, 0),
    "<s> a a": (-0.42116985, 0), "a b a": (-0.42116985, 0), "<s> a b": (-0.35490537, 0), "a a b": (-0.16010317, 0),
    "a b b": (-0.42116985, 0), "<s> b c": (-0.1779046, 0), "b b c": (-0.1779046, 0),
}  # fmt: skip
DISCOUNT_03 = {
    "<unk>": (-1.5740312, 0), "</s>": (-0.6664408, 0), "a": (-0.48589516, -0.6478175), "b": (-0.48589516, -0.6478175),
    "c": (-0.9811146, -0.8239087), "a </s>": (-0.6507225, 0), "c </s>": (-0.05436731, 0), "<s> a": (-0.19928294, 0),
    "a a": (-0.6046736, 0), "b a": (-0.6046736, 0), "<s> b": (-0.5248133, 0), "a b": (-0.30233482, 0),
    "b b": (-0.6046736, 0), "b c": (-0.34823754, 0),
}  # fmt: skip


def check_ngrams(model: NgramModel, expected: dict[str, tuple[float, float]], start_weight: float) -> None:
    found = {gram: numbers for ngrams in ngrams_of(model) for gram, numbers in ngrams.items()}
    # <s> is never predicted.
    assert found.pop("<s>") == pytest.approx((-99, start_weight), rel=1e-6)
    assert found.keys() == expected.keys()
    for gram, numbers in expected.items():
        assert found[gram] == pytest.approx(numbers, rel=1e-6), gram


def test_discounts_that_texts_do_not_give_are_lmplzs_fallback() -> None:
    with pytest.warns(UserWarning, match=r"the discounts of order 1 to 3; using 0\.5, 1, 1\.5"):
        source = NgramSource.trained(FEW_TEXTS)
    assert source.fallback_orders == (1, 2, 3)
    check_ngrams(source.model, FALLEN_BACK, -0.30103)
    assert_equal(NgramSource.trained(FEW_TEXTS, discount=(0.5, 1, 1.5)).model, source.model)


def test_one_discount_is_plain_kneser_ney() -> None:
    source = NgramSource.trained(FEW_TEXTS, 2, discount=0.3)
    assert source.fallback_orders == ()
    check_ngrams(source.model, DISCOUNT_03, -0.69897)


def test_no_probability_is_above_1() -> None:
    # In float64, (5 - d) / 5 + d / 5 is above 1 here; KenLM refuses a positive log probability.
    discount = 5.4e-9
    assert (5 - discount) / 5 + discount / 5 > 1
    model = trained(["a b c"] * 5, discount=discount).model
    assert max(log_prob for ngrams in ngrams_of(model) for log_prob, _ in ngrams.values()) == 0


def test_unknown_words_of_training_texts_are_counted() -> None:
    texts = ["a <unk> b", "<UNK> a a b", "b <unk>"]
    source = NgramSource.trained(texts, 2, discount=0.5)
    # As any other word would be, but that this one stands for the unknown ones: there is no sixth.
    same = KneserNey([text.upper().split() for text in texts], 2, (0.5,) * 3)
    same.words.remove("<unk>")
    asked = ["a x b", "<unk> a", "b <UNK> <unk>"]
    known = [re.sub("X", "<UNK>", text.upper()).split() for text in asked]
    log_probs = source.score(asked, None).log_probs
    expected = [
        math.log(same.probability(("<s>", *words[:i]), (*words, "</s>")[i]))
        for words in known
        for i in range(len(words) + 1)
    ]
    assert log_probs.tolist() == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("marker", ["<s>", "</s>"])
def test_markers_in_training_texts_are_refused(marker: str) -> None:
    with pytest.raises(ValueError, match=f"training text 2 has the token '{marker}', which marks the start or end"):
        NgramSource.trained(["a", "", f"b {marker}", marker])


@pytest.mark.parametrize("texts", [[], [""], [" ", "\n"]])
def test_texts_without_tokens_are_refused(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="the training texts have no token"):
        NgramSource.trained(texts)


def test_longer_ngrams_than_texts_have(tmp_path: Path) -> None:
    source = trained(["a"], 5)
    assert [len(level.keys) for level in source.model.levels] == [4, 2, 1, 0, 0]
    write_arpa(source.model, tmp_path / "model.arpa")
    check_kenlm(kenlm.Model(str(tmp_path / "model.arpa")), source, ["a", "a a", ""], ["a", "a a", ""])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order=0: give a whole number of at least 1"),
        ({"order": 2.0}, r"order=2\.0"),
        ({"discount": 1}, "discount=1: give a number above 0 and below 1"),
        ({"discount": 0.0}, "discount=0"),
        ({"discount": "0.5"}, "discount='0.5'"),
        ({"discount": (0.5, 1)}, r"discount=\(0.5, 1\): give one number, or three"),
        ({"discount": [0.5, 2.5, 1]}, r"discount=\[0.5, 2.5, 1\]: give at most 2 for a count of 2"),
        ({"discount": [0.5, math.nan, 1]}, "discount=nan"),
        ({"unit": "bytes"}, "unit='bytes': give 'words', 'characters', or a function"),
        ({"unit": lambda text: text}, "returned 'a b' for 'a b': return a list of strings"),
        ({"unit": lambda text: [text, 1]}, r"returned \['a b', 1\] for 'a b'"),
        ({"start_token": "bos"}, "start_token='bos': choose one of True, False"),
        ({"end_token": None}, "end_token=None"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NgramSource.trained(["a b"], **{"discount": 0.5, **options})


def test_training_texts_come_from_files_and_columns(tmp_path: Path) -> None:
    texts = ["a b é", "", "b a b"]
    expected = trained(texts)
    plain, packed = tmp_path / "texts.txt", tmp_path / "texts.txt.xz"
    plain.write_bytes("a b é\r\n\r\nb a b\r\n".encode())
    packed.write_bytes(lzma.compress("\n".join(texts).encode()))
    for given_texts in (plain, str(plain), packed, np.array(texts), pa.array(texts), tuple(texts)):
        for unit in ("words", "characters"):
            assert_equal(trained(given_texts, unit=unit).model, trained(texts, unit=unit).model)
    assert_equal(trained(texts).model, expected.model)
    with pytest.raises(ValueError, match=r"train_texts='a b': no such file; give a file's path, or a list of texts"):
        NgramSource.trained("a b")
    with pytest.raises(ValueError, match=r"train_texts\[1\] is None"):
        NgramSource.trained(["a", None])
    for empty in ("", " \n\n"):
        plain.write_text(empty)
        with pytest.raises(ValueError, match=r"texts\.txt' has no token: give a file with at least one"):
            NgramSource.trained(plain)
    latin = "é\na\ncaf".encode() + "é\n".encode("latin-1")
    plain.write_bytes(latin)
    packed.write_bytes(lzma.compress(latin))
    for bad in (plain, packed):
        message = f"train_texts='{bad}' is not UTF-8 text (byte 4 of line 3): convert it to UTF-8"
        with pytest.raises(ValueError, match=re.escape(message)):
            NgramSource.trained(bad)


# --- files


def assert_equal(found: NgramModel, expected: NgramModel) -> None:
    """Every bit, but for the order of words."""
    assert list(map(bits, ngrams_of(found))) == list(map(bits, ngrams_of(expected)))


def bits(ngrams: dict[str, tuple[float, float]]) -> dict[str, bytes]:
    # A weight of -0 is one of 0.
    return {gram: (np.array(numbers, np.float32) + np.float32(0)).tobytes() for gram, numbers in ngrams.items()}


@SETTINGS
@given(arpa_levels())
def test_what_is_written_is_read_again(tmp_path_factory: Any, levels: Any) -> None:
    folder = tmp_path_factory.mktemp("arpa")
    (folder / "given.arpa").write_text(arpa_text(levels))
    model = read_arpa(folder / "given.arpa")
    write_arpa(model, folder / "own.arpa")
    assert_equal(read_arpa(folder / "own.arpa"), model)


def packed_line(path: Path, start: str, size: int) -> Path:
    """A small file that unpacks to one line of so many bytes after its start."""
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write(start)
        for _ in range(size >> 20):
            file.write("a" * (1 << 20))
    return path


@pytest.mark.parametrize(
    ("start", "line"), [("", 1), (ARPA[: ARPA.index("-1.25")], 10), (ARPA[: ARPA.index("-0.5\ta b")], 20)]
)
def test_an_enormous_line_of_an_arpa_file_is_refused(start: str, line: int, tmp_path: Path) -> None:
    path = packed_line(tmp_path / "x.arpa", start, 3 << 20)
    with pytest.raises(ValueError, match=rf"x\.arpa, line {line}: '.*' is too long: a line has at most 1048576 bytes"):
        read_arpa(path)


def test_many_long_lines_of_an_arpa_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arpa_files, "_BLOCK_BYTES", 1000)
    (tmp_path / "x.arpa").write_text("\\data\\\nngram 1=99\n\n\\1-grams:\n" + f"-1\t{'a' * 400}\n" * 99)
    with pytest.raises(ValueError, match=r"x\.arpa, line 7: .* at most 1000"):
        read_arpa(tmp_path / "x.arpa")


def test_an_enormous_training_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram_source, "_LONGEST_LINE", 1 << 20)
    path = packed_line(tmp_path / "texts", "a b\n", 3 << 20)
    with pytest.raises(ValueError, match="texts', line 2: it has more than 1048576 characters"):
        NgramSource.trained(path)


def test_lines_of_training_texts_are_those_of_the_whole_text(tmp_path: Path) -> None:
    for text in ("", "\n", "a", "a\n", "a\r\nb\rc\x0bd\u2028e\n\n", "\ufeffa\n\nb"):
        (tmp_path / "texts").write_bytes(text.encode())
        expected = re.sub("\r\n?", "\n", text.removeprefix("\ufeff")).removesuffix("\n").split("\n")
        assert ngram_source._texts(tmp_path / "texts") == expected


@pytest.mark.parametrize("weight", ["11.5", "400", "1e30"])
def test_a_probability_far_above_one_is_refused(weight: str, tmp_path: Path) -> None:
    """KenLM gives it, and a perplexity of 0."""
    (tmp_path / "x.arpa").write_text(ARPA.replace("2.5", weight), encoding="utf-8")
    source = NgramSource.of_arpa(tmp_path / "x.arpa")
    with pytest.raises(ValueError, match=r"gives token 1 of text 1 the probability 10\*\*.*: the back-off weights"):
        source.score(["a", "é\u00a0è a"], None)


@pytest.mark.parametrize("count", ["9" * 19, "9" * 5000])
def test_a_count_that_is_no_count(count: str, tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(f"\\data\\\nngram 1={count}\n\n\\1-grams:\n")
    with pytest.raises(ValueError, match=r"x\.arpa, line 2: expected a count"):
        read_arpa(tmp_path / "x.arpa")


def test_sections_are_read_in_blocks(arpa: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_arpa(arpa)
    for most in (1, 2, 3):
        monkeypatch.setattr(arpa_files, "_BLOCK_LINES", most)
        arpa.write_text(ARPA)
        assert_equal(read_arpa(arpa), expected)
        arpa.write_text(ARPA.replace("<unk> a", "<unk> e", 1).replace("a <unk> e\n", "a <unk> a\n"))
        with pytest.raises(ValueError, match=r"line 23: '-0\.375\t<unk> e': one of its words is not among the 1-grams"):
            read_arpa(arpa)


@pytest.mark.parametrize(
    ("suffix", "unpacked"), [("gz", gzip.open), ("bz2", bz2.open), ("xz", lzma.open), ("arpa", open)]
)
def test_files_may_be_packed(suffix: str, unpacked: Callable[..., Any], arpa: Path, tmp_path: Path) -> None:
    model = read_arpa(arpa)
    packed = tmp_path / f"model.{suffix}"
    packed.write_text("what stood here")
    write_arpa(model, packed)
    with unpacked(packed, "rb") as file:
        assert file.read().startswith(b"\\data\\\nngram 1=9\n")
    assert_equal(read_arpa(packed), model)
    # By what is inside, not by name.
    assert_equal(read_arpa(packed.rename(tmp_path / "renamed")), model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["by_hand.arpa", "renamed"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_damaged_file_is_refused(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    write_arpa(trained(drawn_texts(100)).model, path)
    whole = pack(path.read_bytes())
    for damaged in (whole[: len(whole) // 2], whole[:200] + b"?" * 30 + whole[230:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"model\.arpa: truncated or damaged"):
            read_arpa(path)


def test_nothing_is_written_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text("what stood here")
    for text, word in (("a b", "' '"), ("a\tb", r"'\\t'")):
        with pytest.raises(ValueError, match=f"the word {word} does not fit into an ARPA file"):
            write_arpa(trained([text], unit="characters").model, path)
    with pytest.raises(ValueError, match="the word '' does not fit"):
        write_arpa(trained(["a"], unit=lambda text: [text, ""]).model, path)
    model = trained(["a"]).model
    with pytest.raises(AttributeError):
        write_arpa(model._replace(levels=(*model.levels, None)), path)  # type: ignore[arg-type]
    assert path.read_text() == "what stood here"
    assert [found.name for found in tmp_path.iterdir()] == ["model.arpa"]


SPACED = ARPA.replace("\t", " ")
REFUSED = [
    ("ngram 1=9", "ngram 1=10", r"line 17: fewer than 10 1-grams, as counted"),
    ("ngram 1=9", "ngram 1=8", r"line 16: expected \\2-grams:, found '-4 <unk> -0.75': more n-grams than counted"),
    ("ngram 3=3", "ngram 3=4", r"line 30: fewer than 4 3-grams, as counted"),
    ("ngram 3=3", "ngram 3=2", r"line 29: expected \\end\\, found '-0.2 a b d': more n-grams than counted"),
    ("ngram 2=6\n", "", r"line 4: expected the count of 2-grams, found 'ngram 3=3'"),
    ("ngram 3=3\n", "", r"line 18: '-0.25 <s> a -0.125': n-grams of the highest order have no back-off weight"),
    ("ngram 2=6", "ngram 2=six", r"line 4: expected a count, as in 'ngram 1=12', .* found 'ngram 2=six'"),
    ("ngram 1=9", "ngram 1=0", r"line 7: expected a count, .* found '.1-grams:'"),
    ("\\1-grams:", "\\2-grams:", r"line 7: expected a count, .* found '.2-grams:'"),
    ("\\2-grams:", "\\3-grams:", r"line 18: expected .2-grams:, found '.3-grams:'"),
    ("\\data\\", "data", r"line 31: no line \\data\\: not an ARPA file"),
    ("\\end\\\n", "", r"line 30: expected \\end\\, the file ends"),
    (SPACED[SPACED.index("-0.5 a b") :], "", r"line 19: the file ends after 1 of 6 2-grams"),
    (SPACED, "", r"line 0: the file is empty"),
    (
        SPACED,
        "mmap lm http://kheafield.com/code format version 5\n\0",
        r"line 1: this is a binary file of KenLM: give its ARPA file; or, with the package kenlm",
    ),
    ("-0.5 a b -1", "-0.5 a b -1 2", r"line 20: '-0.5 a b -1 2': give a log10 probability, 2 words, and at most"),
    ("-0.5 a b -1", "-0.5 a", r"line 20: '-0.5 a': give a log10 probability, 2 words"),
    ("-1.5 b c", "-1,5 b c", r"line 22: '-1,5 b c': the log10 probability is not a number"),
    ("-1.5 b c", "nan b c", r"line 22: 'nan b c': the log10 probability is not a number"),
    ("-1.5 b c", "1e-9 b c", r"line 22: '1e-9 b c': a log10 probability is at most 0"),
    ("a b -1\n", "a b inf\n", r"line 20: '-0.5 a b inf': the back-off weight is not a finite number"),
    ("a b -1\n", "a b ?\n", r"line 20: '-0.5 a b .': the back-off weight is not a finite number"),
    ("a b d\n", "a b d -0.5\n", r"line 29: '-0.2 a b d -0.5': n-grams of the highest order have no back-off weight"),
    ("a b d\n", "a e d\n", r"line 29: '-0.2 a e d': one of its words is not among the 1-grams"),
    ("a b d\n", "d b d\n", r"line 29: '-0.2 d b d': its first 2 words are not among the 2-grams"),
    ("a b d\n", "<s> a b\n", r"line 29: this n-gram is a duplicate"),
    ("-0 c </s>", "-0 a b", r"line 24: this n-gram is a duplicate"),
    ("-inf z", "-1 a", r"line 15: this n-gram is a duplicate"),
    ("-4 <unk> -0.75", "-4 e", r"line 21: '-0.625 a <unk> -0.25': one of its words is not among the 1-grams"),
    ("-2 b", "-2 \udce9", r"line 11: '-2 .': it is not UTF-8"),
]


@pytest.mark.parametrize(("part", "other", "message"), REFUSED)
def test_what_is_wrong_with_a_file_is_said(part: str, other: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.arpa"
    assert part in SPACED
    path.write_bytes(SPACED.replace(part, other).encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=rf"wrong\.arpa, {message}"):
        read_arpa(path)


def test_both_spellings_of_unknown_are_one_word(arpa: Path) -> None:
    expected = read_arpa(arpa)
    arpa.write_text(ARPA.replace("<unk>", "<UNK>"))
    assert_equal(read_arpa(arpa), expected)
    arpa.write_text(ARPA.replace("-inf\tz", "-3\t<UNK>"))
    with pytest.raises(ValueError, match="line 16: this n-gram is a duplicate"):
        read_arpa(arpa)


def test_numbers_are_rounded_once(tmp_path: Path) -> None:
    # Just beside the middle of two float32: by way of float64, it would become the middle, and then the even one.
    low, high = np.float32(-1.3835142), np.float32(-1.383514)
    middle = f"{(float(low) + float(high)) / 2:.30f}"
    path = tmp_path / "model.arpa"
    path.write_text(
        arpa_text([{("a",): (-1.0, ""), ("<s>",): (-99, ""), ("</s>",): (-1, "")}, {("<s>", "a"): (-1, "")}])
    )
    path.write_text(path.read_text().replace("-1.0\ta", f"{middle.rstrip('0')[:-1]}4999\ta"))
    expected = next(kenlm.Model(str(path)).full_scores("a", bos=False))[0]
    assert read_arpa(path).levels[0].log_probs[0] == expected == high
    assert np.float32(float(middle)) == low


def test_no_such_file() -> None:
    with pytest.raises(ValueError, match=r"'/nowhere/model\.arpa': there is no such file"):
        NgramSource.of_arpa("/nowhere/model.arpa")


# --- units, contexts, names


def split_at_hyphens(text: str) -> list[str]:
    return text.upper().split("-") if text else []


def test_tokens_have_their_places() -> None:
    text = "\u00e9a  b\u00a0c\td"
    end = Token("</s>", None, None)
    words = trained(["a"])
    assert words.tokens([text, ""], None) == [
        [Token("\u00e9a", 0, 2), Token("b\u00a0c", 4, 7), Token("d", 8, 9), end],
        [end],
    ]
    characters = trained(["a"], unit="characters", end_token=False)
    assert characters.tokens(["a b"], ["c"]) == [[Token("a", 0, 1), Token(" ", 1, 2), Token("b", 2, 3)]]
    pieces = trained(["a"], unit=lambda text: re.findall("..?", text.lower()), end_token=False)
    assert pieces.tokens(["abcabCD"], None) == [
        [Token("ab", 0, 2), Token("ca", 2, 4), Token("bc", None, None), Token("d", None, None)]
    ]


@pytest.mark.parametrize("unit", ["words", "characters", split_at_hyphens])
def test_as_many_tokens_as_scores(unit: Any) -> None:
    texts = ["a-b c", "", "c-\t\x0b d\x1c\u3000e"]
    for end in (True, False):
        source = trained(["a b-c", "c a"], unit=unit, end_token=end)
        scores = source.score(texts, None)
        assert list(map(len, source.tokens(texts, None))) == np.diff(scores.offsets).tolist()


def test_a_function_is_a_unit() -> None:
    texts, asked = ["A-B", "a-c-a", ""], ["a-b-d", "", "c"]
    source = trained(texts, unit=split_at_hyphens)
    words = trained([text.upper().replace("-", " ") for text in texts])
    expected = words.score([text.upper().replace("-", " ") for text in asked], None)
    found = source.score(asked, None)
    assert found.log_probs.tolist() == expected.log_probs.tolist()
    assert found.unknown is not None
    assert found.unknown.tolist() == [False, False, True, False, False, False, False]
    assert source.name == f"ngram:3:{__name__}.split_at_hyphens:mkn,fallback2,fallback3"


@SETTINGS
@given(
    st.lists(asked_sentences, min_size=1, max_size=3), st.lists(asked_sentences, min_size=3, max_size=3), st.booleans()
)
def test_contexts_are_not_scored(texts: list[str], contexts: list[str], start: bool) -> None:
    source = trained(FEW_TEXTS, 4, start_token=start)
    contexts = contexts[: len(texts)]
    together = source.score([f"{context} {text}" for context, text in zip(contexts, texts, strict=True)], None)
    whole = np.split(together.log_probs, together.offsets[1:-1])
    found = source.score(texts, contexts)
    expected = [row[len(context.split()) :].tolist() for row, context in zip(whole, contexts, strict=True)]
    assert found.log_probs.tolist() == list(itertools.chain.from_iterable(expected))
    assert np.diff(found.offsets).tolist() == list(map(len, expected))
    assert source.score(texts, [""] * len(texts)).log_probs.tolist() == source.score(texts, None).log_probs.tolist()


def test_contexts_of_characters_touch_the_text() -> None:
    source = trained(["a b", "ab", "ba b"], 4, unit="characters")
    whole = source.score(["ba bc"], None).log_probs
    assert source.score([" bc"], ["ba"]).log_probs.tolist() == whole[2:].tolist()


def test_memory_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = drawn_texts(40)
    source = trained(texts[:20])
    expected = source.score(texts, texts[::-1])
    for words in (1, 7, 60):
        monkeypatch.setattr(ngram_source, "_BLOCK_WORDS", words)
        found = source.score(texts, texts[::-1])
        assert found.log_probs.tolist() == expected.log_probs.tolist()


def test_nothing_to_score() -> None:
    source = trained(["a"], end_token=False)
    for texts, offsets in (([], [0]), (["", " "], [0, 0, 0])):
        scores = source.score(texts, None)
        assert (scores.log_probs.tolist(), scores.offsets.tolist()) == ([], offsets)
        assert source.tokens(texts, None) == [[] for _ in texts]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "ngram:3:words:mkn,fallback1,fallback2,fallback3"),
        ({"order": 5, "unit": "characters", "discount": 0.75}, "ngram:5:characters:kn0.75"),
        ({"discount": [0.5, 1, 1.5]}, "ngram:3:words:mkn0.5,1,1.5"),
    ],
)
def test_names(options: dict[str, Any], name: str, arpa: Path) -> None:
    assert trained(["a b"], **options).name == name
    assert NgramSource.of_arpa(arpa).name == "arpa:by_hand.arpa:3:words"


def test_sources_pickle() -> None:
    source = trained(FEW_TEXTS)
    copy = pickle.loads(pickle.dumps(source))
    assert copy.name == source.name
    assert copy.score(FEW_TEXTS, None).log_probs.tolist() == source.score(FEW_TEXTS, None).log_probs.tolist()


def test_training_is_repeatable() -> None:
    texts = drawn_texts(50)
    assert_equal(trained(texts).model, trained(list(texts)).model)
    # The order of texts decides nothing but the order of words.
    assert_equal(trained(texts[::-1]).model, trained(texts).model)


@pytest.mark.parametrize("most", [5, 2**40, 2**62])
def test_distinct_is_numpys_unique(most: int) -> None:
    # The last ones leave no room for indices beside the keys.
    keys = np.random.default_rng(1).integers(most - min(most, 50), most, 200)
    expected = np.unique(keys, return_inverse=True)
    for found, theirs in zip(distinct(keys), expected, strict=True):
        assert found.tolist() == theirs.tolist()
    assert [part.tolist() for part in distinct(np.empty(0, np.int64))] == [[], []]


def test_a_nul_is_a_character_of_its_word(arpa: Path) -> None:
    """KenLM in Python takes a word that holds one to end there."""
    model, source = kenlm.Model(str(arpa)), NgramSource.of_arpa(arpa)
    assert list(model.full_scores("a\0b a")) == list(model.full_scores("a a"))
    scores = source.score(["a\0b a"], None)
    assert scores.unknown is not None
    assert scores.unknown.tolist() == [True, False, False]
    assert [token.text for token in source.tokens(["a\0b a"], None)[0]] == ["a\0b", "a", "</s>"]


@pytest.mark.slow
def test_kenlm_is_a_source_through_a_function(arpa: Path) -> None:
    """As the message about its binary files says."""
    model, texts = kenlm.Model(str(arpa)), ["a b", "b c", ""]
    metric = evenscore.load("perplexity")
    theirs = metric.compute(
        predictions=texts,
        source=lambda texts: [[p * math.log(10) for p, _, _ in model.full_scores(text)] for text in texts],
    )
    assert theirs["perplexities"] == metric.compute(predictions=texts, source=str(arpa))["perplexities"]
