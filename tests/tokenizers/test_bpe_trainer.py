"""BpeTrainer: the library's merges, the other tie-breaks, what is ours alone."""

from __future__ import annotations

import collections
import io
import itertools
import random
from pathlib import Path
from typing import Any

import naive_bpe
import numpy as np
import pytest
from bpe_corpora import CORPORA, counted_words, library_model, megabyte, tokens_by_id, word_counts
from fresh_process import run_python
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples
from shared_data import lines

from tokenizers_impl import Tokenizer
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.models import BPE
from tokenizers_impl.trainers import BpeTrainer
from tokenizers_impl.trainers import _merge_loop as _merge_state
from tokenizers_impl.trainers._bpe_training import TIE_BREAKS, BpeOptions, learn_merges

COLLIDING = {"##c": 1, "##cac#": 1, "#ab": 1, "c#": 1, "####": 1, "accc#a#a#b": 1, "a": 1, "cb": 1}


def learn(counts: dict[str, int], **options: Any) -> tuple[list[str], list[tuple[str, str]]]:
    learnt = learn_merges(WordCounts.of(counts), BpeOptions(**options))
    return learnt.tokens, learnt.merges()


def library(counts: dict[str, int], **options: Any) -> tuple[list[str], list[tuple[str, str]]]:
    model = library_model(counts, **options)
    return tokens_by_id(model), [(left, right) for left, right in model["merges"]]


def train(counts: dict[str, int], model: BPE | None = None, **options: Any) -> tuple[BPE, BpeTrainer]:
    trainer = BpeTrainer(show_progress=False, **options)
    return trainer.train_words(WordCounts.of(counts), model or BPE()), trainer


# The library.


@pytest.mark.slow
@pytest.mark.parametrize("size", [1000, 8000])
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_library_learns_the_same_from_real_text(corpus: str, size: int) -> None:
    counts = word_counts(corpus)
    found = learn(counts, vocab_size=size)
    assert found == library(counts, vocab_size=size)
    # The Japanese alphabet alone has more than 1000 characters.
    assert len(found[1]) > 50 or size == 1000


@pytest.mark.parametrize("affixes", [("##", None), (None, "</w>"), ("@@", "</w>")])
@pytest.mark.parametrize("corpus", ["gcide.en.txt.xz", "manpages.ja.txt.xz", "iso_names/ta.txt"])
def test_the_library_learns_the_same_given_its_order_of_affixed_characters(
    corpus: str, affixes: tuple[str | None, str | None]
) -> None:
    options = {"vocab_size": 5000, "continuing_subword_prefix": affixes[0], "end_of_word_suffix": affixes[1]}
    counts = word_counts(corpus)
    expected = library(counts, **options)
    assert learn(counts, **options, affix_order=tuple(expected[0])) == expected
    assert len(expected[1]) > 1000


OPTIONS = {
    "vocab_size": st.sampled_from([0, 4, 9, 20, 200]),
    "min_frequency": st.sampled_from([0, 1, 2, 5]),
    "special_tokens": st.sampled_from([(), ("<s>",), ("ab", "a"), ("b", "b", "bab"), ("c", "ca", "[PAD]")]),
    "initial_alphabet": st.sampled_from([(), ("z",), ("a", "xyz", "y")]),
    "max_token_length": st.sampled_from([None, 0, 1, 2, 3, 4, 6]),
}


@examples(150)
@given(counted_words("abc"), st.fixed_dictionaries(OPTIONS))
def test_the_library_learns_the_same_from_words_full_of_ties(counts: dict[str, int], options: dict[str, Any]) -> None:
    given_options = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    assert learn(counts, **options) == library(counts, **given_options)


@examples(100)
@given(
    counted_words("abc"), st.fixed_dictionaries(OPTIONS), st.sampled_from([("##", None), (None, "</w>"), ("@", ">")])
)
def test_the_library_learns_the_same_with_affixes(
    counts: dict[str, int], options: dict[str, Any], affixes: tuple[str | None, str | None]
) -> None:
    options = {**options, "continuing_subword_prefix": affixes[0], "end_of_word_suffix": affixes[1]}
    given_options = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    expected = library(counts, **given_options)
    assert learn(counts, **options, affix_order=tuple(expected[0])) == expected


@examples(100)
@given(counted_words("abcdef"), st.integers(0, 7), st.sampled_from([(), ("z",), ("a", "y")]))
def test_the_library_keeps_the_same_characters_given_its_choice(
    counts: dict[str, int], limit: int, initial: tuple[str, ...]
) -> None:
    expected = library(counts, vocab_size=30, limit_alphabet=limit, initial_alphabet=list(initial))
    order = tuple(token for token in expected[0] if len(token) == 1)
    options = {"vocab_size": 30, "limit_alphabet": limit, "initial_alphabet": initial}
    assert learn(counts, **options, alphabet_order=order) == expected


def test_a_tied_cut_of_the_alphabet_keeps_the_smaller_code_points() -> None:
    assert learn({"dcba": 1}, limit_alphabet=2, num_merges=0)[0] == ["a", "b"]
    assert learn({"dcba": 1}, limit_alphabet=2, alphabet_order=("d", "x", "b"), num_merges=0)[0] == ["b", "d"]


def test_affixed_characters_are_sorted_by_default() -> None:
    found = learn({"ba": 1, "ab": 1, "b": 1}, end_of_word_suffix=">", num_merges=0)[0]
    assert found == ["a", "b", "a>", "b>"]
    order = ("x", "b>", "b>")
    assert learn({"ba": 1, "ab": 1}, end_of_word_suffix=">", num_merges=0, affix_order=order)[0] == [
        "a",
        "b",
        "b>",
        "a>",
    ]


# The slow twin.


@examples(300)
@given(
    counted_words("ab#>"),
    st.fixed_dictionaries(
        {
            "vocab_size": st.sampled_from([None, 5, 12, 30]),
            "num_merges": st.sampled_from([None, None, 0, 3]),
            "min_frequency": st.sampled_from([0, 2, 3]),
            "special_tokens": st.sampled_from([(), ("ab", "a"), ("##a", "#"), ("b>", "bab", "<s>")]),
            "limit_alphabet": st.sampled_from([None, None, 1, 2]),
            "continuing_subword_prefix": st.sampled_from([None, "##", "#", "a"]),
            "end_of_word_suffix": st.sampled_from([">", "</w>", "b"]),
            "end_of_word": st.sampled_from(["glued", "symbol"]),
            "tie_break": st.sampled_from(TIE_BREAKS),
            "compat": st.sampled_from(["hf-0.23", None]),
        }
        # A symbol of its own and a prefix exclude each other.
    ).map(lambda given: given if given["end_of_word"] == "glued" else {**given, "continuing_subword_prefix": None}),
)
def test_the_twin_learns_the_same_also_where_affixes_occur_in_the_text(
    counts: dict[str, int], options: dict[str, Any]
) -> None:
    check_twin(counts, options)


@examples(150)
@given(
    counted_words("abc"),
    st.sampled_from([None, 0, 1, 2, 3, 5]),
    st.sampled_from(TIE_BREAKS),
    st.sampled_from(["hf-0.23", None]),
    st.sampled_from([{}, {"end_of_word_suffix": "_", "end_of_word": "symbol"}, {"continuing_subword_prefix": "##"}]),
)
@example({"aaaa": 1}, 2, "hf", None, {})
def test_the_twin_learns_the_same_with_a_longest_token(
    counts: dict[str, int], longest: int | None, tie_break: str, compat: str | None, affixes: dict[str, str]
) -> None:
    check_twin(counts, {"max_token_length": longest, "tie_break": tie_break, "compat": compat, **affixes})


def check_twin(counts: dict[str, int], options: dict[str, Any]) -> None:
    tokens, merges, history = naive_bpe.bpe(counts, **options)
    learnt = learn_merges(WordCounts.of(counts), BpeOptions(**options))
    assert (learnt.tokens, learnt.merges()) == (tokens, merges)
    assert learnt.history == [{name: value for name, value in row.items() if name != "gain"} for row in history]


# Other canons.


def test_lexicographic_gives_every_merge_of_subword_nmt() -> None:
    expected = [tuple(line.split(" ")) for line in lines("text/subword_nmt/bpe.ref")[1:]]
    words = collections.Counter(
        word for line in lines("text/subword_nmt/corpus.en") for word in line.split(" ") if word
    )
    options = {"tie_break": "lexicographic", "end_of_word_suffix": "</w>", "num_merges": 1000, "min_frequency": 2}
    assert len(expected) == 1000
    assert learn(dict(words), **options)[1] == expected


def test_lexicographic_gives_the_merges_of_subword_nmt_for_words_full_of_ties() -> None:
    learn_bpe = pytest.importorskip("subword_nmt.learn_bpe").learn_bpe
    rng, compared = random.Random(1), 0
    for _ in range(60):
        words = ["".join(rng.choices("abcd", k=rng.randint(2, 8))) for _ in range(30)]
        out = io.StringIO()
        learn_bpe(io.StringIO(" ".join(words)), out, 25, min_frequency=2)
        expected = [tuple(line.split(" ")) for line in out.getvalue().split("\n")[1:-1]]
        options = {"tie_break": "lexicographic", "end_of_word_suffix": "</w>", "num_merges": 25, "min_frequency": 2}
        assert learn(dict(collections.Counter(words)), **options)[1] == expected
        compared += len(expected)
    assert compared > 500


@examples(150)
@given(counted_words("aĠĊÃÿń \x80"), st.sampled_from([None, 12, 30]))
def test_bytes_are_compared_as_bytes(counts: dict[str, int], vocab_size: int | None) -> None:
    check_twin(counts, {"tie_break": "bytes", "vocab_size": vocab_size})


def stanford(words: dict[bytes, int], merges: int) -> list[tuple[bytes, bytes]]:
    """Training as the course's assignment describes it: of the most frequent pairs of bytes the greatest one."""
    cut = {word: [bytes([byte]) for byte in word] for word in words}
    learnt: list[tuple[bytes, bytes]] = []
    for _ in range(merges):
        found: collections.Counter[tuple[bytes, bytes]] = collections.Counter()
        for word, parts in cut.items():
            for pair in itertools.pairwise(parts):
                found[pair] += words[word]
        if not found:
            break
        learnt.append(max(found, key=lambda pair: (found[pair], pair)))
        cut = {word: naive_bpe.replaced(parts, learnt[-1], b"".join(learnt[-1])) for word, parts in cut.items()}
    return learnt


@examples(150)
@given(st.lists(st.text("a é\n\xa0\xad漢~!", min_size=1, max_size=8), min_size=1, max_size=8))
def test_bytes_gives_the_merges_of_the_assignment(texts: list[str]) -> None:
    words = collections.Counter(text.encode() for text in texts)
    shown = {byte: char for char, byte in naive_bpe.BYTES.items()}
    counts = {"".join(shown[byte] for byte in word): count for word, count in words.items()}
    merges = learn(counts, tie_break="bytes", num_merges=20)[1]
    read = [tuple(bytes(naive_bpe.BYTES[char] for char in part) for part in pair) for pair in merges]
    assert read == stanford(words, 20)


def minbpe(text: bytes, merges: int) -> list[tuple[int, int]]:
    """`BasicTokenizer.train` of minbpe, in other words: the first pair of the most frequent ones, by bytes."""
    ids, learnt = list(text), []
    for new in range(256, 256 + merges):
        counts = collections.Counter(itertools.pairwise(ids))
        if not counts:
            break
        pair = max(counts, key=counts.__getitem__)
        learnt.append(pair)
        merged = []
        while ids:
            merged.append(new if tuple(ids[:2]) == pair else ids[0])
            ids = ids[2 if merged[-1] == new else 1 :]
        ids = merged
    return learnt


def test_first_gives_the_merges_of_minbpe() -> None:
    text = megabyte("wikitext2.valid.txt")[:3000]
    expected = minbpe(text.encode(), 200)
    options = {"tie_break": "first", "num_merges": 200, "initial_alphabet": tuple(map(chr, range(256)))}
    learnt = learn_merges(WordCounts.of({text.encode().decode("latin-1"): 1}), BpeOptions(**options))
    assert len(expected) == 200
    assert [(a, b) for a, b in learnt.rows[:, :2].tolist()] == expected


def test_sentencepiece_gives_the_tokens_of_sentencepiece() -> None:
    spm = pytest.importorskip("sentencepiece")
    rng, compared = random.Random(2), 0
    for _ in range(25):
        words = {"".join(rng.choices(rng.choice(["abc", "abcdefgh"]), k=rng.randint(2, 8))): 1 for _ in range(25)}
        model = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(words), model_writer=model, model_type="bpe", vocab_size=30, minloglevel=3,
            hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity",
        )  # fmt: skip
        processor = spm.SentencePieceProcessor(model_proto=model.getvalue())
        pieces = [processor.id_to_piece(id) for id in range(3, processor.get_piece_size())]
        expected = [piece for piece in pieces if len(piece) > 1]
        counts = {f"▁{word}": n for word, n in words.items()}
        learnt = learn_merges(WordCounts.of(counts), BpeOptions(tie_break="sentencepiece", num_merges=len(expected)))
        assert [row["token"] for row in learnt.history] == expected
        compared += len(expected)
    assert compared > 250


# What is ours alone, and what is repaired.


def test_the_symbol_of_the_end_of_a_word_merges_like_any_other() -> None:
    tokens, merges = learn({"low": 5, "lower": 2}, end_of_word_suffix="</w>", end_of_word="symbol", num_merges=3)
    assert tokens == ["e", "l", "o", "r", "w", "</w>", "lo", "low", "low</w>"]
    assert merges == [("l", "o"), ("lo", "w"), ("low", "</w>")]


def test_counts_have_64_bits() -> None:
    big = 3_000_000_000
    counts = WordCounts.of({"ab": big, "cd": 2**31, "ef": 2**62 - big})
    learnt = learn_merges(counts, BpeOptions(num_merges=3))
    assert learnt.merges() == [("e", "f"), ("a", "b"), ("c", "d")]
    assert learnt.rows[:, 3].tolist() == [2**62 - big, big, 2**31]


def test_the_library_learns_the_same_from_ten_thousand_initial_pairs() -> None:
    chars = [chr(0x4E00 + i) for i in range(101)]
    counts = {a + b: 1 + (7 * i + 13 * j) % 101 for i, a in enumerate(chars) for j, b in enumerate(chars)}
    found = learn(counts, vocab_size=5000)
    assert found == library(counts, vocab_size=5000)
    assert len(found[1]) > 4000


def test_a_pair_that_does_not_occur_is_not_merged() -> None:
    options = {"continuing_subword_prefix": "##", "max_token_length": 4, "special_tokens": ("a", "<unk>")}
    assert min(row["count"] for row in learn_merges(WordCounts.of(COLLIDING), BpeOptions(**options)).history) == 1
    check_twin(COLLIDING, {key: value for key, value in options.items() if key != "max_token_length"})


def twice_merged() -> tuple[dict[str, int], dict[str, Any]]:
    """Words of which a pair is merged, comes again and is merged again."""
    rng = random.Random(0)
    options = {"continuing_subword_prefix": "#", "end_of_word_suffix": "b"}
    while True:
        counts = {"".join(rng.choices("ab#", k=rng.randint(3, 12))): rng.randint(1, 4) for _ in range(8)}
        merges = naive_bpe.bpe(counts, **options)[1]
        if len(set(merges)) < len(merges):
            return counts, options


def test_of_a_pair_that_is_merged_twice_the_library_counts_the_last_and_the_repair_the_first() -> None:
    counts, options = twice_merged()
    merges = naive_bpe.bpe(counts, **options)[1]
    check_twin(counts, options)
    last, first = train(counts, **options)[0], train(counts, **options, compat=None)[0]
    assert [tuple(pair) for pair in first.to_json()["merges"]] == list(dict.fromkeys(merges))
    assert [tuple(pair) for pair in last.to_json()["merges"]] == list(dict.fromkeys(reversed(merges)))[::-1]
    assert first.merge_counts is not None
    assert len(first.merge_counts) == len(first.merges) < len(merges)


@pytest.mark.parametrize("longest", [1, 2, 3, 5])
def test_repaired_no_token_is_longer_than_asked_and_as_long_ones_are_found(longest: int) -> None:
    tokens = learn({"abcdefg": 3, "bcdefg": 2}, max_token_length=longest, compat=None)[0]
    assert max(map(len, tokens)) == longest
    strict = learn({"abcdefg": 3, "bcdefg": 2}, max_token_length=longest)[0]
    assert max(map(len, strict)) == max(2, longest - 1)


def test_the_vocabulary_is_not_smaller_than_its_floor() -> None:
    assert learn({"abc": 1}, vocab_size=2, special_tokens=("<s>", "<s>")) == (["<s>", "a", "b", "c"], [])


def test_nothing_comes_of_nothing() -> None:
    assert learn({}) == ([], [])
    assert learn({"": 3}, end_of_word_suffix="_", end_of_word="symbol") == (["_"], [])
    assert learn({}, special_tokens=("<s>",), initial_alphabet=("xy",)) == (["<s>", "x"], [])


@pytest.mark.parametrize("word", ["a" * 1_000_000, "ab" * 500_000, "aab" * 300_000])
@pytest.mark.slow
def test_a_long_word_takes_as_many_merges_as_its_logarithm(word: str) -> None:
    learnt = learn_merges(WordCounts.of({word: 1}), BpeOptions(vocab_size=200, min_frequency=2))
    assert len(learnt.rows) < 60
    assert learnt.rows[-1, 5] < 20
    check = learn_merges(WordCounts.of({word[:300]: 1}), BpeOptions(vocab_size=200, min_frequency=2))
    assert check.merges() == naive_bpe.bpe({word[:300]: 1}, vocab_size=200, min_frequency=2)[1]


def test_a_long_random_word_is_merged_to_the_end() -> None:
    # So many tokens and pairs that every array has to grow.
    word = "".join(random.Random(3).choices("abcdefghij", k=20_000))
    learnt = learn_merges(WordCounts.of({word: 1}), BpeOptions(vocab_size=None, min_frequency=2))
    assert learnt.rows[-1, 5] == len(word) - learnt.rows[:, 3].sum() + overlaps(learnt.rows)
    assert learnt.tokens[learnt.rows[0, 2]] == "".join(learnt.merges()[0])
    assert library({word: 1}, vocab_size=10**6, min_frequency=2) == (learnt.tokens, learnt.merges())


def test_a_word_of_rare_pairs_is_merged_to_the_end() -> None:
    # Nearly every pair comes once, so that there are more pairs than the word has characters.
    word = "".join(random.Random(4).choices([chr(0x4E00 + i) for i in range(300)], k=3000))
    expected = library({word: 1}, vocab_size=10**6)
    assert learn({word: 1}, vocab_size=None) == expected
    assert max(map(len, expected[0])) == 3000


def overlaps(rows: np.ndarray[Any, Any]) -> int:
    """How many counted pairs were not merged, as they overlap: the symbols that did not vanish."""
    before = np.concatenate(([20_000], rows[:-1, 5]))
    return int((rows[:, 3] - (before - rows[:, 5])).sum())


# Models.


def test_the_model_keeps_its_settings() -> None:
    model = BPE(unk_token="<unk>", dropout=0.1, fuse_unk=True, byte_fallback=True, ignore_merges=True, seed=3)
    trained, trainer = train(
        {"low": 5, "lot": 2}, model, num_merges=1, end_of_word_suffix="_", special_tokens=["<unk>"]
    )
    kept = {name: getattr(trained, name) for name in ("unk_token", "dropout", "fuse_unk", "byte_fallback", "seed")}
    assert kept == {"unk_token": "<unk>", "dropout": 0.1, "fuse_unk": True, "byte_fallback": True, "seed": 3}
    assert trained.ignore_merges
    assert (trained.end_of_word_suffix, trained.continuing_subword_prefix) == ("_", None)
    assert trained.merges == [("l", "o")]
    assert trained.merge_counts is not None
    assert trained.merge_counts.tolist() == [7]
    assert model.get_vocab() == {}
    assert [row["pair"] for row in trainer.history] == [("l", "o")]


def test_a_model_of_another_kind_is_refused() -> None:
    from tokenizers_impl.models import WordPiece

    with pytest.raises(ValueError, match=r"BpeTrainer can only train a BPE.*models.WordPiece"):
        BpeTrainer().train_words(WordCounts.of({"a": 1}), WordPiece())


@pytest.mark.parametrize(
    "affixes", [{}, {"end_of_word_suffix": "_"}, {"end_of_word_suffix": "_", "end_of_word": "symbol"}]
)
def test_going_on_gives_what_one_training_gives(affixes: dict[str, Any]) -> None:
    counts = word_counts("iso_names/de.txt")
    whole, _ = train(counts, vocab_size=900, special_tokens=["<s>"], **affixes)
    half, _ = train(counts, vocab_size=500, special_tokens=["<s>"], **affixes)
    gone_on, trainer = train(counts, half, vocab_size=900, special_tokens=["<s>"], extend=True, **affixes)
    assert (gone_on.get_vocab(), gone_on.merges) == (whole.get_vocab(), whole.merges)
    assert trainer.history[0]["vocab_size"] == 501
    assert gone_on.merge_counts is not None
    assert whole.merge_counts is not None
    assert gone_on.merge_counts.tolist() == whole.merge_counts.tolist()


def test_going_on_with_other_words_keeps_ids_and_adds_characters() -> None:
    model, _ = train({"low": 5, "lot": 2}, num_merges=2)
    longer, trainer = train({"lowlow": 3, "xlow": 1}, model, num_merges=1, special_tokens=["<s>"], extend=True)
    assert longer.get_vocab() == {**model.get_vocab(), "<s>": 6, "x": 7, "lowlow": 8}
    assert longer.merges == [*model.merges, ("low", "low")]
    assert trainer.history[0]["corpus_tokens"] == 5


def test_going_on_with_other_affixes_or_gaps_is_refused() -> None:
    with pytest.raises(ValueError, match="end_of_word_suffix is '_' but the model to extend has None"):
        train({"a": 1}, BPE({"a": 0}, []), end_of_word_suffix="_", extend=True)
    with pytest.raises(ValueError, match="no id 1 but 2 for 'b'"):
        train({"a": 1}, BPE({"a": 0, "b": 2}, []), extend=True)


# Options, progress, kernels without compilation.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": -1}, "vocab_size is -1"),
        ({"min_frequency": 1.5}, "min_frequency is 1.5"),
        ({"num_merges": True}, "num_merges is True"),
        ({"limit_alphabet": -2}, "limit_alphabet is -2"),
        ({"max_token_length": "3"}, "max_token_length is '3'"),
        ({"tie_break": "last"}, "tie_break is 'last': give one of 'hf', 'lexicographic', 'first', 'sentencepiece'"),
        ({"compat": "hf-0.22"}, "compat is 'hf-0.22': give one of 'hf-0.23', or None"),
        ({"end_of_word": "apart"}, "end_of_word is 'apart'"),
        ({"end_of_word": "symbol"}, "give the symbol as end_of_word_suffix"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BpeTrainer(**options)


@pytest.mark.slow
def test_places_of_64_bits_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def merges() -> list[tuple[str, str]]:
        tokenizer = Tokenizer(BPE())
        tokenizer.train_from_counts(
            {"low": 5, "lower": 2, "newest": 6, "widest": 3, "a" * 40: 1}, BpeTrainer(vocab_size=60)
        )
        return tokenizer.model.merges

    narrow = merges()
    monkeypatch.setattr(_merge_state, "_NARROW", 0)
    assert merges() == narrow
    assert len(narrow) > 15


def test_the_stages_are_shown(capfd: pytest.CaptureFixture[str]) -> None:
    BpeTrainer(num_merges=1).train_words(WordCounts.of({"low": 5}), BPE())
    shown = capfd.readouterr().err
    assert [stage for stage in ("Tokenize words", "Count pairs", "Compute merges") if stage in shown] == [
        "Tokenize words",
        "Count pairs",
        "Compute merges",
    ]
    BpeTrainer(num_merges=1, show_progress=False).train_words(WordCounts.of({"low": 5}), BPE())
    assert capfd.readouterr().err == ""


def test_the_bar_of_merges_ends_where_they_do(capfd: pytest.CaptureFixture[str]) -> None:
    for vocab_size in (30000, None):
        BpeTrainer(vocab_size=vocab_size).train_words(WordCounts.of({"low": 5}), BPE())
        last = capfd.readouterr().err.rstrip().rpartition("\r")[2]
        assert last.startswith("Compute merges: 100%")
        assert "| 2/2 " in last


PROGRAM = """
import warnings
warnings.simplefilter("error")
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.trainers._bpe_training import TIE_BREAKS, BpeOptions
from tokenizers_impl.trainers._bpe_training import learn_merges
counts = WordCounts.of({"#babab": 3, "aaaa": 2, "ab##ab": 1, "b#a": 3_000_000_000, "bbbabaa": 4})
for tie_break in TIE_BREAKS:
    for affixes in ({}, {"continuing_subword_prefix": "#"}, {"end_of_word_suffix": "b"}):
        learnt = learn_merges(counts, BpeOptions(vocab_size=40, tie_break=tie_break, special_tokens=("ab",), **affixes))
        print(learnt.tokens, learnt.rows.tolist())
"""


def test_without_compilation_the_same_comes_out(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    compiled = run_python(PROGRAM, tmp_path, PYTHONPATH=root)
    assert compiled.count("\n") == 15
    assert run_python(PROGRAM, tmp_path, PYTHONPATH=root, NUMBA_DISABLE_JIT="1") == compiled
