"""The Unigram model: equal to the library's, and its lattice to all segmentations written down."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from naive_lattice import NaiveUnigram, probabilities, score
from properties import examples, first_is_quick
from shared_data import beginning, lines
from tokenizers import Tokenizer, pre_tokenizers, trainers

from tokenizers_impl._core import files as _json_text
from tokenizers_impl._text.words import Words
from tokenizers_impl.models import Pieces, Unigram
from tokenizers_impl.models._scored_pieces import ScoredPieces

Rows = list[list[tuple[int, str, tuple[int, int]]]]
Vocab = list[tuple[str, float]]

BYTES: Vocab = [(f"<0x{byte:02X}>", -15.0) for byte in range(256)]
# Scores with many equal sums, and some whose sums are equal or not by their order.
SCORES = (-1.0, -2.0, -3.0, -0.1, -0.2, -0.3, -0.7, 50.0)
SMALL: Vocab = [("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5), ("ba", -2.0), ("aba", -4.0)]


def ours(model: Unigram, words: list[str]) -> Rows:
    """(id, token, offsets) of every word's pieces."""
    texts = Words.of(words)
    pieces = model.encode_words(texts)
    places = zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)
    flat = list(zip(pieces.ids.tolist(), model.token_texts(texts, pieces), places, strict=True))
    bounds = pieces.offsets.tolist()
    return [flat[start:end] for start, end in pairwise(bounds)]


def theirs(library: Tokenizer, words: list[str]) -> Rows:
    """The same of the library."""
    encodings = library.encode_batch(words, add_special_tokens=False)
    return [list(zip(each.ids, each.tokens, each.offsets, strict=True)) for each in encodings]


def library_model(vocab: Vocab, unk_id: int | None, byte_fallback: bool = False, **options: Any) -> Tokenizer:
    """The library's model alone."""
    return Tokenizer(tokenizers.models.Unigram(vocab, unk_id, byte_fallback, **options))


def loaded(model: dict[str, Any]) -> Tokenizer:
    """The library's model alone, read from JSON."""
    return Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))


@cache
def corpus(name: str) -> tuple[str, ...]:
    """The first lines of a corpus, or names in sixteen languages."""
    if name == "names":
        languages = ("ar", "de", "el", "fr", "he", "hi", "ja", "ka", "ko", "or", "ru", "ta", "th", "tr", "vi", "zh_CN")
        return tuple(line for language in languages for line in lines(f"text/iso_names/{language}.txt")[:400])
    return tuple(beginning(f"text/{name}.txt.xz", 300_000).split("\n"))


@cache
def trained(name: str) -> Tokenizer:
    """The library's tokenizer trained on that corpus."""
    tokenizer = Tokenizer(tokenizers.models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=3000, show_progress=False, special_tokens=["<unk>"], unk_token="<unk>")
    tokenizer.train_from_iterator(corpus(name), trainer)
    return tokenizer


def trained_json(name: str, byte_fallback: bool) -> dict[str, Any]:
    """Its model; with byte_fallback the pieces of bytes besides."""
    model: dict[str, Any] = json.loads(trained(name).to_str())["model"]
    extra = [[piece, value] for piece, value in BYTES] if byte_fallback else []
    return {**model, "vocab": model["vocab"] + extra, "byte_fallback": byte_fallback}


def texts_of(name: str, vocab: list[list[Any]]) -> list[str]:
    """Lines of that corpus, words of all, and texts of random pieces with strange characters between."""
    rng = random.Random(0)
    whole = [line.replace(" ", "▁") for line in corpus(name)[:2000]]
    words = sorted({"▁" + word for other in CORPORA for line in corpus(other)[:1500] for word in line.split()})
    pieces = [piece for piece, _ in vocab] + ["\U0001f600", "é\u0301", "\0", "<unk>", "<0x41>"]
    return [*whole, *words, *("".join(rng.choices(pieces, k=rng.randint(0, 12))) for _ in range(3000)), ""]


CORPORA = ("gcide.en", "manpages.ja", "names")


@pytest.mark.slow
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("name", CORPORA)
def test_equal_to_the_library_on_real_text(name: str, byte_fallback: bool) -> None:
    library = loaded(trained_json(name, byte_fallback))
    # As the library has loaded it: some scores moved by one unit in the last place.
    model = json.loads(library.to_str())["model"]
    texts = texts_of(name, model["vocab"])
    expected = theirs(library, texts)
    assert ours(Unigram.from_json(model), texts) == expected
    # The emoji is unknown or four bytes.
    assert any(token == "<0xF0>" for row in expected for _, token, _ in row) == byte_fallback


@pytest.mark.parametrize("name", first_is_quick(CORPORA))
def test_a_file_is_read_as_the_library_reads_it(name: str) -> None:
    text = json.dumps(trained_json(name, False))
    assert Unigram.from_json(_json_text.loads(text)).to_json() == json.loads(loaded(json.loads(text)).to_str())["model"]


def test_the_trained_model_before_it_is_saved() -> None:
    library = trained("names")
    model = Unigram.from_json(json.loads(library.to_str())["model"])
    words = sorted({"▁" + word for line in corpus("names") for word in line.split(" ")})
    library = Tokenizer(library.model)
    assert ours(model, words) == theirs(library, words)
    assert model.get_vocab() == library.get_vocab()
    assert _json_text.dumps(model.to_json()) in library.to_str()


alphabet = st.sampled_from("abé")
# The empty piece, too: it has an id, and fits nowhere.
odd_pieces = st.sampled_from(["<unk>", "<0xC3>", "<0xA9>", "<0x61>", ""])
pieces = st.one_of(st.text(alphabet, min_size=1, max_size=3), odd_pieces)
vocabularies = st.lists(st.tuples(pieces, st.sampled_from(SCORES)), min_size=1, max_size=8)
small_words = st.lists(st.lists(st.sampled_from(["a", "b", "é", "z", "<unk>"]), max_size=6).map("".join), max_size=8)


@examples(600)
@given(vocabularies, st.integers(0, 7), st.booleans(), small_words)
def test_equal_to_the_library_on_tied_scores(vocab: Vocab, unk: int, byte_fallback: bool, words: list[str]) -> None:
    unk_id = unk % len(vocab)
    expected = theirs(library_model(vocab, unk_id, byte_fallback), words)
    assert ours(Unigram(vocab, unk_id, byte_fallback), words) == expected
    naive = NaiveUnigram(vocab, unk_id, byte_fallback)
    short = [i for i, word in enumerate(words) if len(word) < 8]
    assert [naive.encode(words[i]) for i in short] == [expected[i] for i in short]


@examples(300)
@given(vocabularies, st.integers(0, 7), small_words)
def test_nbest_size_1_is_the_best_path_of_the_librarys_lattice(vocab: Vocab, unk: int, words: list[str]) -> None:
    library = library_model(vocab, unk % len(vocab), alpha=0.5, nbest_size=1)
    assert ours(Unigram(vocab, unk % len(vocab), alpha=0.5, nbest_size=1), words) == theirs(library, words)


def unless_refused(encode: Callable[[Any, list[str]], Rows], model: Any, word: str, message: str) -> Rows | None:
    """The pieces of the word, None if it was refused with this message."""
    try:
        return encode(model, [word])
    except Exception as error:
        if message not in str(error):
            raise
        return None


@examples(300)
@given(vocabularies, small_words)
def test_without_unk_id(vocab: Vocab, words: list[str]) -> None:
    library, model = library_model(vocab, None), Unigram(vocab)
    for word in words:
        expected = unless_refused(theirs, library, word, "`unk_id` is missing")
        assert unless_refused(ours, model, word, "set unk_id") == expected


@examples(300)
@given(vocabularies, st.integers(0, 7), st.text("abz", max_size=7), st.integers(1, 9))
def test_nbest_is_the_head_of_all_segmentations(vocab: Vocab, unk: int, word: str, n: int) -> None:
    unk_id = unk % len(vocab)
    model, naive = Unigram(vocab, unk_id), NaiveUnigram(vocab, unk_id)
    paths = naive.in_order(word)
    found = model.nbest(word, 10_000)
    assert [each.pieces for each in found] == [[token for _, token, _ in naive.tokens(word, path)] for path in paths]
    assert [each.score for each in found] == list(map(score, paths))
    assert [each.probability for each in found] == pytest.approx(probabilities(paths), rel=1e-11, abs=1e-300)
    assert model.nbest(word, n) == found[:n]


@examples(300)
@given(vocabularies, st.integers(0, 7), st.lists(st.text("abz", max_size=7), max_size=4))
def test_probabilities_of_words(vocab: Vocab, unk: int, words: list[str]) -> None:
    unk_id = unk % len(vocab)
    model, naive = Unigram(vocab, unk_id), NaiveUnigram(vocab, unk_id)
    for word, best, total in zip(words, model.log_probs(words), model.log_marginals(words), strict=True):
        paths = naive.in_order(word)
        assert best.dtype == np.float64
        assert best.tolist() == [arc.score for arc in paths[0]]
        scores = [math.fsum(arc.score for arc in path) for path in paths]
        expected = max(scores) + math.log(math.fsum(math.exp(each - max(scores)) for each in scores))
        assert total == pytest.approx(expected, rel=1e-12, abs=1e-12)


@examples(200)
@given(vocabularies, st.integers(0, 7), st.text("abz", max_size=6))
def test_explanations(vocab: Vocab, unk: int, word: str) -> None:
    unk_id = unk % len(vocab)
    naive = NaiveUnigram(vocab, unk_id)
    paths = naive.in_order(word)
    chances = probabilities(paths)
    explained = Unigram(vocab, unk_id).explain_word(word)
    assert [path.score for path in explained.paths] == list(map(score, paths[:5]))
    for path, expected, chance in zip(explained.paths, paths, chances, strict=False):
        assert [(step.start, step.end, step.id, step.score) for step in path.steps] == list(expected)
        assert [step.piece for step in path.steps] == [word[arc.start : arc.end] for arc in expected]
        assert path.probability == pytest.approx(chance, rel=1e-11, abs=1e-300)
        posteriors = [math.fsum(c for c, other in zip(chances, paths, strict=True) if arc in other) for arc in expected]
        assert [step.posterior for step in path.steps] == pytest.approx(posteriors, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("n", [-1, 3, 100])
def test_samples_come_as_often_as_they_should(alpha: float, n: int) -> None:
    word, draws = "abaxab", 4000
    model, naive = Unigram(SMALL, 0), NaiveUnigram(SMALL, 0)
    paths = naive.in_order(word)[: None if n == -1 else n]
    expected = dict(zip(map(str, map(naive.shown, paths)), probabilities(paths, alpha), strict=True))
    found = model.sample_words(Words.of([word] * draws), alpha, 7, n)
    rows = list(zip(found.starts.tolist(), found.ends.tolist(), found.ids.tolist(), strict=True))
    bounds = found.offsets.tolist()
    shown = ([(*row[:2], row[2] or None) for row in rows[a:b]] for a, b in pairwise(bounds))
    counts = Counter(map(str, shown))
    assert set(counts) <= set(expected)
    # 0.999 of such sums are below this in the long run: the quantile by Wilson and Hilferty.
    freedom = max(len(expected) - 1, 1)
    limit = freedom * (1 - 2 / (9 * freedom) + 3.09 * math.sqrt(2 / (9 * freedom))) ** 3
    assert sum((counts[key] - draws * p) ** 2 / (draws * p) for key, p in expected.items()) < limit


def same(left: Pieces, right: Pieces) -> bool:
    """Whether all arrays are equal."""
    return [each.tolist() for each in left] == [each.tolist() for each in right]


def test_seeds() -> None:
    model = Unigram(SMALL, 0)
    words = Words.of(["abaxab"] * 50)
    first = model.sample_words(words, 0.5, 3)
    assert same(first, model.sample_words(words, 0.5, 3))
    assert not np.array_equal(first.offsets, model.sample_words(words, 0.5, 4).offsets)
    assert same(first, Unigram(SMALL, 0, alpha=0.5, seed=3).encode_words(words))
    generator = np.random.default_rng(3)
    assert model.sample("abaxab", 0.5, generator) == model.sample("abaxab", 0.5, 3)
    assert len({tuple(model.sample("abaxab", 0.5, generator)) for _ in range(50)}) > 3
    assert model.sample("", 1.0, 0) == model.sample("", 1.0, 0, 5) == []
    sizes = {None: True, 0: True, 1: False, 2: True}
    assert {size: Unigram(SMALL, 0, alpha=0.5, nbest_size=size).is_random for size in sizes} == sizes
    assert not Unigram(SMALL, 0, alpha=0.0, nbest_size=5).is_random
    best = Unigram(SMALL, 0, alpha=0.0).encode_words(words)
    assert same(best, model.encode_words(words))


def test_nbest_equal_to_sentencepiece(tmp_path: Path) -> None:
    spm = pytest.importorskip("sentencepiece")
    source = tmp_path / "lines.txt"
    source.write_text("\n".join(corpus("gcide.en")[:1500]), encoding="utf-8")
    prefix = str(tmp_path / "model")
    spm.SentencePieceTrainer.train(
        input=str(source), model_prefix=prefix, vocab_size=400, num_threads=1, minloglevel=2, character_coverage=1.0
    )
    processor = spm.SentencePieceProcessor(model_file=prefix + ".model")
    vocab = [(processor.id_to_piece(i), processor.get_score(i)) for i in range(processor.get_piece_size())]
    model = Unigram(vocab, processor.unk_id())
    values = dict(vocab)
    for word in ["segmentation", "unlikely", "abbreviation", "a", "one piece"]:
        reference = processor.nbest_encode(word, nbest_size=10, out_type=str)
        found = model.nbest("▁" + word.replace(" ", "▁"), 10)
        # sentencepiece adds up floats of 32 bits: it may swap what is as near to each other as that.
        assert [each.score for each in found] == pytest.approx(
            [sum(values[piece] for piece in each) for each in reference], 1e-5
        )
        near = [sum(abs(each.score - other.score) < 1e-4 for other in found) > 1 for each in found]
        assert [each.pieces for each, tied in zip(found, near, strict=True) if not tied] == [
            each for each, tied in zip(reference, near, strict=True) if not tied
        ]
        assert not all(near)


def test_a_million_characters() -> None:
    text = "ab" * 500_000
    model = Unigram(SMALL, 0)
    assert model.encode_words(Words.of([text])).ids.tolist() == theirs_ids(text)
    best, second = model.nbest(text, 2)
    assert len(best.pieces) == len(model.log_probs([text])[0])
    assert best.score >= second.score
    assert len(model.sample("zz" * 1000 + text, 1.0, 0)) > 300_000


def theirs_ids(text: str) -> list[int]:
    """The library's ids."""
    return list(library_model(SMALL, 0).encode(text, add_special_tokens=False).ids)


def test_equal_pieces_and_the_vocabulary() -> None:
    vocab = [("<unk>", 0.0), ("a", -1.0), ("a", -3.0), ("b", -1.0), ("ab", -3.5)]
    model, library = Unigram(vocab, 0), library_model(vocab, 0)
    assert ours(model, ["abab"]) == theirs(library, ["abab"])
    assert model.get_vocab() == library.get_vocab()
    assert model.get_vocab_size() == library.get_vocab_size() == 5
    assert [model.token_to_id(each) for each in ("a", "x")] == [library.token_to_id(each) for each in ("a", "x")]
    assert [model.id_to_token(i) for i in (1, 2, 5)] == ["a", "a", None]
    assert Unigram().to_json() == json.loads(Tokenizer(tokenizers.models.Unigram()).to_str())["model"]
    assert Unigram([]).encode_words(Words.of(["", ""])).offsets.tolist() == [0, 0, 0]
    assert ScoredPieces([], np.empty(0), None, False).scores_of(np.empty(0, np.int32)).tolist() == []


def test_saved_files(tmp_path: Path) -> None:
    vocab = [("<unk>", 0.0), ('"\\\n\x1f\x7fé😀', -1e-7), ("1e-07", 0.00001), ("b", -12.5)]
    for folder, model in (("ours", Unigram(vocab, 0)), ("theirs", tokenizers.models.Unigram(vocab, 0))):
        (tmp_path / folder).mkdir()
        model.save(str(tmp_path / folder))
        model.save(str(tmp_path / folder), "it")
    for name in ("unigram.json", "it-unigram.json"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Unigram([], 0), "unk_id is 0, but vocab has 0"),
        (lambda: Unigram([("a", 0.0)], 1), "unk_id is 1, but vocab has 1"),
        (lambda: Unigram([("a", 0.0)], -1), "unk_id is -1: give an integer"),
        (lambda: Unigram(unk_id=0), "unk_id is 0, but vocab is None"),
        (lambda: Unigram([("a", 0.0), ("b", math.nan)]), r"vocab\[1\] is \('b', nan\)"),
        (lambda: Unigram([(1, 0.0)]), r"vocab\[0\] is \(1, 0.0\)"),  # type: ignore[list-item]
        (lambda: Unigram(SMALL, 0, alpha=-1.0), "alpha is -1.0"),
        (lambda: Unigram(SMALL, 0, nbest_size=-1), "nbest_size is -1: give an integer"),
        (lambda: Unigram(SMALL, 0).nbest("a", 0), "n is 0"),
        (lambda: Unigram(SMALL, 0).sample("a", 1.0, 0, 0), "n is 0"),
        (lambda: Unigram(SMALL, 0).sample("a", math.nan, 0), "alpha is nan"),
        (
            lambda: Unigram(SMALL).log_probs(["ab", "axb"]),
            "word 1, 'axb': .* no piece for character 1, 'x'.*: set unk",
        ),
        (lambda: Unigram(SMALL).nbest("axb", 1), "word 0, 'axb', has no segmentation"),
        (lambda: Unigram(SMALL, alpha=1.0).encode_words(Words.of(["a"])), "alpha is 1.0, but unk_id is None"),
        (lambda: Unigram.from_json({"type": "Unigram"}), "'vocab' is missing"),
    ],
)
def test_refusals(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_without_compilation(tmp_path: Path) -> None:
    program = """
        from tokenizers_impl._text.words import Words
        from tokenizers_impl.models import Unigram
        vocab = [("<unk>", -9.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5), ("aba", -4.0)]
        vocab += [("<0xC3>", -5.0), ("<0xA9>", -5.0)]
        words = Words.of(["", "abab", "xéab", "éé", "ab😀\U0010ffff", "unk<unk>a"])
        for model in (Unigram(vocab, 0, True), Unigram(vocab, 0, True, 0.5, 1), Unigram(vocab, 0, alpha=0.5, seed=1)):
            print([each.tolist() for each in model.encode_words(words)])
        print(model.nbest("ababa", 4), model.log_probs(words.texts()), model.log_marginals(words.texts()).tolist())
        print(model.sample_words(words, 0.5, 1, 3).ids.tolist(), model.explain_word("abé", 2))
    """
    here = str(Path(__file__).resolve().parents[2])
    plain = run_python(program, tmp_path, PYTHONPATH=here, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error")
    assert plain == run_python(program, tmp_path, PYTHONPATH=here)


def test_a_lone_surrogate_is_refused_at_once() -> None:
    with pytest.raises(UnicodeEncodeError):
        Unigram([("a", -1.0), ("\ud800", -2.0)])
