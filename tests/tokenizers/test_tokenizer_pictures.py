"""Pictures of tokenized texts show what `encode` and `explain` say; whatever is in a text stays text."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from picture_pages import NASTY, TAGS, Page
from properties import examples

from evenscore.pictures import Columns, Line, Picture, Table
from tokenizers_impl import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = ["low lower lowest slow slower", "new newer newest renew", "wide wider widest naïve", f"{NASTY} {NASTY}"] * 2
MODELS = ["bpe", "byte-level", "wordpiece", "unigram"]
WORDS = st.sampled_from(["low", "newest", "slower", "wow", "naïve", "<b>", "</script>", "猫", "ren", "x" * 101, NASTY])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join) | st.text(alphabet="lowernsti <>猫\x1b\u202e", max_size=25)
KEPT = examples(100)


@cache
def trained(name: str) -> Tokenizer:
    """A tokenizer of that model, with special tokens around a text where its model usually has them."""
    options: dict[str, Any] = {"vocab_size": 90, "show_progress": False}
    if name == "bpe":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer: Any = trainers.BpeTrainer(special_tokens=["<unk>"], end_of_word_suffix="</w>", **options)
    elif name == "byte-level":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        options["vocab_size"] = 300
        trainer = trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
    elif name == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.NFC(), pre_tokenizers.WhitespaceSplit()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
        trainer = trainers.WordPieceTrainer(special_tokens=["[UNK]", "[CLS]", "[SEP]"], **options)
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(special_tokens=["<unk>"], unk_token="<unk>", **options)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


@cache
def library(name: str) -> Any:
    """The same tokenizer of `tokenizers`."""
    return trained(name).to_tokenizers()


def shown_tokens(picture: Picture) -> list[tuple[str, int, str]]:
    """Token, id and offsets of every column."""
    tokens = picture.blocks[0]
    if not isinstance(tokens, Columns):
        return []
    return [(token.content, int(id.content), offsets.content) for token, id, offsets in tokens.columns]


def tables(picture: Picture) -> dict[str, Table]:
    """The table below each word."""
    return {
        line.marks[0].content: table
        for line, table in pairwise(picture.blocks)
        if isinstance(line, Line) and line.label == "word" and isinstance(table, Table)
    }


def contents(table: Table) -> list[list[list[str]]]:
    return [[[mark.content for mark in cell] for cell in row] for row in table.rows]


def token_kinds(picture: Picture) -> list[str]:
    return [column[0].kind.name for column in picture.blocks[0].columns]  # type: ignore[attr-defined]


# --- tokens


@pytest.mark.parametrize("name", MODELS)
@KEPT
@given(text=TEXTS)
def test_tokens_ids_and_offsets_are_those_of_the_library(name: str, text: str) -> None:
    expected = library(name).encode(text)
    rows = zip(expected.tokens, expected.ids, expected.offsets, strict=True)
    picture = trained(name).picture(text)
    assert shown_tokens(picture) == [(token, id, f"{start}:{end}") for token, id, (start, end) in rows]
    assert picture.title.endswith(f"tokens: {len(expected)}")


def test_unknown_special_and_added_tokens_are_marked() -> None:
    wordpiece = Tokenizer.from_str(trained("wordpiece").to_str())
    wordpiece.add_tokens([AddedToken("猫")])
    wordpiece.enable_padding(length=8)
    picture = wordpiece.picture("low 猫 ☃ [SEP]")
    tokens = [token for token, _, _ in shown_tokens(picture)]
    assert tokens == ["[CLS]", "low", "猫", "[UNK]", "[SEP]", "[SEP]", "[PAD]", "[PAD]"]
    assert token_kinds(picture) == ["special", "piece", "special", "unknown", *["special"] * 4]
    for name, tokens in (("bpe", ["low</w>", "<unk>"]), ("unigram", ["▁low", "▁", "☃"])):
        picture = trained(name).picture("low ☃")
        assert [token for token, _, _ in shown_tokens(picture)] == tokens
        assert token_kinds(picture) == [*["piece"] * (len(tokens) - 1), "unknown"]
    assert set(token_kinds(trained("byte-level").picture("low ☃"))) == {"piece"}


# --- how words were cut


@pytest.mark.parametrize("name", ["bpe", "byte-level"])
@KEPT
@given(text=TEXTS)
def test_each_merge_joins_two_symbols_of_the_row_before(name: str, text: str) -> None:
    tokenizer = trained(name)
    explained = {word.word: word for word in tokenizer.explain(text) if word.steps}
    found = tables(tokenizer.picture(text))
    assert list(found) == list(explained)
    for word, table in found.items():
        assert table.heads == ("merge", "seen", "symbols")
        steps, rows = explained[word].steps, contents(table)
        assert [(row[0], row[1]) for row in rows[1:]] == [([str(step.rank)], [str(step.count)]) for step in steps]
        kinds = [[mark.kind.name for mark in row[2]] for row in table.rows]
        assert set(kinds[0]) == {"piece"}
        for (before, after), marked in zip(pairwise(row[2] for row in rows), kinds[1:], strict=True):
            at = marked.index("merged")
            assert after == [*before[:at], before[at] + before[at + 1], *before[at + 2 :]]
            assert marked.count("merged") == 1
        assert rows[-1][2] == explained[word].tokens


@KEPT
@given(TEXTS)
def test_the_look_ups_are_those_explained(text: str) -> None:
    tokenizer = trained("wordpiece")
    explained = {word.word: word.steps for word in tokenizer.explain(text) if word.steps}
    found = tables(tokenizer.picture(text))
    assert list(found) == list(explained)
    for word, table in found.items():
        assert [(mark.content, mark.kind.name) for row in table.rows for mark in row[1]] == [
            (step.token, "miss" if step.id is None else "match") for step in explained[word]
        ]
        for (start,), tried, (id,) in contents(table):
            if len(word) > 100:
                # Too long to be looked up.
                assert tried == ["[UNK]"]
                continue
            assert tried[0] == "##" * (start != "0") + word[int(start) :]
            assert id == str(tokenizer.token_to_id(tried[-1]) or "none")


@KEPT
@given(TEXTS)
def test_the_segmentations_are_those_explained(text: str) -> None:
    tokenizer = trained("unigram")
    explained = {word.word: word for word in tokenizer.explain(text) if word.steps}
    found = tables(tokenizer.picture(text))
    assert list(found) == list(explained)
    for word, table in found.items():
        paths = explained[word].steps.paths
        assert contents(table) == [
            [[f"{path.probability:.4f}"], [f"{path.score:.2f}"], [step.piece for step in path.steps]] for path in paths
        ]
        assert all("".join(row[2]) == word for row in contents(table))
        notes = [[mark.note for mark in row[2]] for row in table.rows]
        assert notes == [[f"{step.score:.2f}" for step in path.steps] for path in paths]
        known = set(tokenizer.get_vocab())
        assert {mark.kind.name for row in table.rows for mark in row[2] if mark.content not in known} <= {"unknown"}
        assert {mark.kind.name for row in table.rows for mark in row[2] if mark.content in known} <= {"piece"}


def test_words_are_shown_once_and_without_the_count_where_it_is_not_known() -> None:
    tokenizer = Tokenizer.from_str(trained("bpe").to_str())
    picture = tokenizer.picture("low new low low")
    assert list(tables(picture)) == ["low", "new"]
    assert tables(picture)["low"].heads == ("merge", "symbols")
    assert contents(tables(picture)["low"])[0] == [[""], ["l", "o", "w</w>"]]


def test_longest_matches_are_shown_in_the_order_in_which_they_are_taken() -> None:
    vocab = {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}
    picture = Tokenizer(models.BPE(vocab, [("l", "o"), ("lo", "w")], match="longest")).picture("olowlo")
    assert contents(tables(picture)["olowlo"]) == [
        [["1"], ["low"], ["4"]],
        [["4"], ["lo"], ["3"]],
        [["0"], ["o"], ["1"]],
    ]


def test_dropout_is_told_apart_from_the_merges() -> None:
    vocab = {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}
    picture = Tokenizer(models.BPE(vocab, [("l", "o"), ("lo", "w")], dropout=1.0)).picture("low")
    assert [token for token, _, _ in shown_tokens(picture)] == ["l", "o", "w"]
    assert picture.blocks[1].text(False, 80) == "words as they are cut where nothing is left to chance"
    assert contents(tables(picture)["low"])[-1] == [["1"], ["low"]]


def test_what_is_left_out_is_counted() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocab = {letter: id for id, letter in enumerate(letters)} | {"aa": 26}
    tokenizer = Tokenizer(models.BPE(vocab, [("a", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    picture = tokenizer.picture(" ".join(f"aa{letter}" for letter in letters[:21]))
    assert list(tables(picture)) == [f"aa{letter}" for letter in letters[:20]]
    assert picture.blocks[-1].text(False, 80) == "words not shown: 1"
    picture = tokenizer.picture("aa" * 31)
    assert len(tables(picture)["aa" * 31].rows) == 30
    assert picture.blocks[-1].text(False, 80) == "steps not shown: 2"


def test_of_a_long_word_the_beginning_is_shown() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "aa": 2}, [("a", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    longest, longer, last = "a" * 128, "a" * 129, "aab"
    picture = tokenizer.picture(" ".join((longer, longest, longer, last)))
    assert list(tables(picture)) == [longest, last]
    said = f"word {'a' * 60}… (129 characters: too long to show how it was cut)"
    assert [block.text(False, 200) for block in picture.blocks].count(said) == 1
    assert picture.blocks[1].text(False, 200) == said
    assert tokenizer.explain(longer)[0].steps != []


@pytest.mark.parametrize("name", MODELS)
def test_a_picture_of_one_very_long_word_is_small(name: str) -> None:
    """The merges of this word would have some 10,000 rows of 10,000 symbols."""
    tokenizer = Tokenizer.from_str(trained(name).to_str())
    tokenizer.pre_tokenizer = None
    word = "theweather" * 1000
    picture = tokenizer.picture(word)
    assert len(picture.html()) < 300_000
    assert tables(picture) == {}
    assert picture.blocks[-1].text(False, 200).endswith("(10000 characters: too long to show how it was cut)")


def test_of_many_tokens_the_first_are_shown_and_the_rest_counted() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0}, []))
    for n, after in ((1000, []), (1001, ["tokens not shown: 1"]), (8000, ["tokens not shown: 7000"])):
        picture = tokenizer.picture("a" * n)
        assert picture.title == f"BPE tokens: {n}"
        assert shown_tokens(picture) == [("a", 0, f"{at}:{at + 1}") for at in range(1000)]
        assert [block.text(False, 80) for block in picture.blocks[1:] if "tokens" in block.text(False, 80)] == after


# --- as pages and in terminals


@pytest.mark.parametrize("name", MODELS)
def test_what_is_in_a_text_stays_text(name: str) -> None:
    picture = trained(name).picture(f"{NASTY} low {NASTY}")
    assert len(tables(picture)) > 3
    page = Page(picture.html())
    assert page.open == []
    assert {tag for tag, _ in page.elements} <= TAGS
    for text in (picture.html(), picture.text(colour=False)):
        assert not set("\x1b\x07\u202e") & set(text)
    if name == "bpe":
        assert "<script>alert(1)</script>" in page.words


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_text_has_a_picture(name: str) -> None:
    picture = trained(name).picture("")
    assert tables(picture) == {}
    assert Page(picture.html()).open == []
    kind = {"wordpiece": "WordPiece", "unigram": "Unigram"}.get(name, "BPE")
    if name == "wordpiece":
        assert shown_tokens(picture) == [("[CLS]", 1, "0:0"), ("[SEP]", 2, "0:0")]
    else:
        assert picture.text(colour=False) == f"{kind} tokens: 0\nthe text has no tokens"


def test_what_is_no_text_is_refused() -> None:
    for strange in (None, 5, b"low", "\ud800"):
        with pytest.raises(ValueError, match=r"text|string"):
            trained("bpe").picture(strange)  # type: ignore[arg-type]
