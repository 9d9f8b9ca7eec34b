"""Pictures say what the scores say; whatever is in a text stays text."""

from __future__ import annotations

import html
import sys
from collections import Counter
from typing import Any

import evaluate
import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from picture_pages import NASTY, TAGS, Page
from properties import examples
from rouge_score import rouge_scorer
from small_corpus import refusal

import evenscore
from evenscore.bleu.scorer import KINDS as BLEU_KINDS
from evenscore.bleu.scorer import n_gram_kinds
from evenscore.perplexity.scorer import HEATS
from evenscore.pictures import MATCH, MISS, Bars, Columns, Line, Mark, Picture, Table, display_width, visible
from evenscore.rouge.lcs import lcs_positions
from evenscore.wer.alignment import HIT, INSERT
from evenscore.wer.alignment import KINDS as WER_KINDS
from tokenizers_impl._picture import KINDS as TOKENIZER_KINDS
from tokenizers_impl._picture import PIECE

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
KEPT = examples(150)
CORPUS_METRICS = ["bleu_corpus", "rouge_l_multi", "wer_dp"]


def kinds(picture: Picture) -> Counter[str]:
    return Counter(kind.name for block in picture.blocks for kind in block.kinds())


@pytest.mark.parametrize("name", CORPUS_METRICS)
def test_what_is_in_a_text_stays_text(name: str) -> None:
    picture = evenscore.load(name).picture(f"{NASTY} end", [f"other {NASTY}", NASTY])
    page = Page(picture.html())
    assert page.open == []
    assert {tag for tag, _ in page.elements} <= TAGS
    for text in (picture.html(), picture.text(colour=False)):
        assert not set("\x1b\x07\u202e") & set(text)
    if name == "wer_dp":
        # A long word stands in parts, side by side.
        assert {"<script>alert(1)", "</script>"} <= set(page.words)


@pytest.mark.parametrize("name", CORPUS_METRICS)
def test_a_picture_computes_no_interval(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, metric = evenscore.load(name), evenscore.load(name, confidence=0.9, per_example=True, scalars_only=True)
    monkeypatch.setattr("evenscore.scorer.resampled_sums", None)
    assert metric.picture("a b", ["a c"]) == plain.picture("a b", ["a c"])


@pytest.mark.parametrize("name", CORPUS_METRICS)
def test_a_picture_leaves_what_was_added_alone(name: str) -> None:
    metric = evenscore.load(name)
    metric.add_batch(predictions=["a b c d"], references=["a b c e"])
    assert metric.picture("x", ["y"]) == metric.picture("x", "y")
    assert metric.compute() == evenscore.load(name).compute(predictions=["a b c d"], references=["a b c e"])


@pytest.mark.parametrize("name", CORPUS_METRICS)
def test_a_metric_that_evaluate_copied_draws_the_same(name: str) -> None:
    loaded = evaluate.load(evenscore.path(name))
    row = ("the cat sat on the mat", ["a cat sat on a mat", "the dog"])
    assert loaded.picture(*row).html() == evenscore.load(name).picture(*row).html()


@pytest.mark.parametrize("name", CORPUS_METRICS)
def test_what_cannot_be_shown_is_told_by_the_name_of_the_argument(name: str) -> None:
    picture = evenscore.load(name).picture
    for row, message in (
        (("a", []), "references is an empty list: give at least one reference per row"),
        (("a", ["b", 5]), "references[1] is 5 (int): give a string, as in str(value)"),
        ((None, ["a"]), "prediction is None (NoneType): a text is missing; "),
        ((["a b"], ["a b"]), "prediction is ['a b'] (list): give one string per row"),
    ):
        assert refusal(lambda row=row: picture(*row)).startswith(message)


def test_columns_of_perplexity_that_cannot_be_shown_are_told_by_the_name_of_the_argument() -> None:
    model: dict[str, Any] = {"source": "ngram", "train_texts": ["a b"]}
    for row, message in (
        ({**model, "prediction": ["a"]}, "prediction is ['a'] (list): give one string per row"),
        ({**model, "prediction": "a", "context": 5}, "context is 5 (int): give a string, as in str(value)"),
        ({"log_probs": [0.5]}, "log_probs has 0.5 at position 0: "),
    ):
        assert refusal(lambda row=row: evenscore.load("perplexity").picture(**row)).startswith(message)


# --- each metric


@KEPT
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.sampled_from(["word", "char"]))
def test_wer_marks_are_its_counts(prediction: str, references: list[str], unit: str) -> None:
    metric = evenscore.load("wer_dp", unit=unit)
    result = metric.compute(predictions=[prediction], references=[references])
    found = kinds(metric.picture(prediction, references))
    assert found["hit"] == 2 * result["hits"]
    assert found["substitute"] == 2 * result["substitutions"]
    assert (found["delete"], found["insert"]) == (result["deletions"], result["insertions"])


@KEPT
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.integers(1, 5))
def test_bleu_marks_are_its_counts(prediction: str, references: list[str], max_order: int) -> None:
    metric = evenscore.load("bleu_corpus", max_order=max_order)
    result = metric.compute(predictions=[prediction], references=[references])
    bars, _, *lines = metric.picture(prediction, references).blocks
    found = [Counter(kind.name for kind in line.kinds()) for line in lines]
    assert [counter["match"] for counter in found] == result["counts"]
    assert [counter.total() for counter in found] == result["totals"]
    assert [share for _, share, _ in bars.bars][-1] == result["brevity_penalty"]


def test_bleu_clips_at_the_highest_count_in_one_reference() -> None:
    assert n_gram_kinds([1, 1, 1, 2], [[1], [1, 1], [3]], 1) == ["match", "match", "clipped", "miss"]
    assert n_gram_kinds([1], [[1]], 2) == []


TOKENS = st.lists(st.integers(0, 3), max_size=9)


@KEPT
@given(TOKENS, TOKENS)
def test_the_common_subsequence_is_the_one_of_rouge_score(reference: list[int], prediction: list[int]) -> None:
    of_reference, of_prediction = lcs_positions(reference, prediction)
    table = rouge_scorer._lcs_table(reference, prediction)
    assert of_reference.tolist() == rouge_scorer._backtrack_norec(table, reference, prediction)
    assert [reference[i] for i in of_reference] == [prediction[j] for j in of_prediction]
    assert np.all(np.diff(of_prediction) > 0)


def labels(prediction: str, references: list[str], **options: Any) -> list[str]:
    picture = evenscore.load("rouge_l_multi").picture(prediction, references, **options)
    return [block.label for block in picture.blocks[1::2]]


def test_rouge_names_the_reference_that_counts() -> None:
    assert labels("a b c", ["a", "a b", "b c"], aggregate="none") == [
        "reference 1, rougeL 0.500",
        "reference 2, rougeL 0.800, counts",
        "reference 3, rougeL 0.800",
    ]
    row = ("a b c d", ["a", "a b c x y z"])
    assert labels(*row, multi_reference="best_recall") == [
        "reference 1, rougeL 0.400, counts",
        "reference 2, rougeL 0.600",
    ]
    for options in ({"multi_reference": "average"}, {"rouge_types": ["rouge1"]}):
        assert labels(*row, **options) == ["reference 1, rougeL 0.400", "reference 2, rougeL 0.600"]


def test_perplexity_shows_every_token_with_its_surprisal() -> None:
    metric = evenscore.load("perplexity", source="ngram", train_texts=["a b c", "a c b"], discount=0.5)
    result = metric.compute(predictions=["a b zebra"], per_token=True)
    picture = metric.picture("a b zebra")
    (line,) = picture.blocks
    assert [mark.content for mark in line.marks] == result["token_texts"][0]
    assert [float(mark.note) for mark in line.marks] == [round(-p, 1) for p in result["token_log_probs"][0]]
    assert picture.title == f"perplexity {result['perplexity']:.2f}, {result['tokens']} tokens"


def test_perplexity_of_given_numbers_has_numbered_tokens() -> None:
    metric = evenscore.load("perplexity")
    (line,) = metric.picture(log_probs=[0.0, -1.0, -3.0, -6.0, -9.0, float("-inf")]).blocks
    assert [(mark.content, mark.kind.name, mark.note) for mark in line.marks] == [
        ("1", "heat0", "0.0"),
        ("2", "heat1", "1.0"),
        ("3", "heat2", "3.0"),
        ("4", "heat3", "6.0"),
        ("5", "heat4", "9.0"),
        ("6", "heat4", "inf"),
    ]
    with pytest.raises(ValueError, match="nothing to score"):
        metric.picture()


def test_perplexity_of_a_source_that_names_no_tokens_has_words_where_there_are_as_many() -> None:
    metric = evenscore.load("perplexity", source=lambda texts: [[-1.0] * 2 for _ in texts])
    for text, shown in (("a b", ["a", "b"]), ("a b c", ["1", "2"])):
        picture = metric.picture(text)
        assert [mark.content for mark in picture.blocks[0].marks] == shown
        assert picture.title == "perplexity 2.72, 2 tokens"


def test_an_alignment_without_errors_has_no_line_for_them() -> None:
    text = evenscore.load("wer_dp").picture("a b", "a b").text(colour=False)
    assert text.split("\n")[1:] == ["reference  a b", "prediction a b", "the same"]


# --- what pictures are made of


def test_no_two_kinds_differ_by_colour_alone() -> None:
    # The two that stand for nothing special have no sign; no picture holds both.
    kinds = {kind for own in (WER_KINDS, BLEU_KINDS.values(), TOKENIZER_KINDS, HEATS) for kind in own}
    marked = [kind for kind in kinds if kind.meaning and kind not in (HIT, MISS)]
    assert all(kind.left and kind.right for kind in marked)
    assert len({(kind.left, kind.right) for kind in marked}) == len(marked)
    lines = [kind.css.partition("text-decoration:")[2] for kind in marked]
    assert len(set(lines)) == len(marked)


def test_colour_is_for_terminals_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    picture = Picture("Why", [Line("text", [Mark("a", MATCH)])], [MATCH])
    print(picture)
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[30;42m*a*\x1b[0m" in str(picture)
    monkeypatch.setenv("NO_COLOR", "1")
    assert str(picture) == repr(picture) == "Why\ntext *a*\n*matched*"


def test_lines_are_as_wide_as_was_asked() -> None:
    marks = [Mark("word", MATCH), Mark("猫猫"), Mark("e\u0301")] * 12
    blocks: list[Any] = [Line("label", marks), Columns(["top", "below"], [[mark, mark] for mark in marks])]
    for block in blocks:
        lines = block.text(False, 30).split("\n")
        assert max(map(display_width, lines)) <= 30
        assert len(lines) > 5
    assert [line.split() for line in blocks[0].text(False, 10).split("\n")] == [
        ["label", "*word*"], *[[mark.bare()] for mark in marks[1:]]
    ]  # fmt: skip


def test_columns_stand_under_each_other() -> None:
    text = Columns(["a", ""], [[Mark("猫"), Mark("S")], [Mark("b", INSERT), Mark("I")]]).text(False, 40)
    assert text == "a 猫 {+b+}\n  S  I"


def test_tables_and_bars() -> None:
    table = Table(["piece", "id"], [[[Mark("a", PIECE)], [Mark("1")]], [[Mark("longer")], [Mark("20")]]])
    assert table.text(False, 80) == "piece   id\n|a|     1\nlonger  20"
    assert Page(table.html()).words == ["piece", "id", "a", "1", "longer", "20"]
    assert Bars([("p", 0.5, "1 of 2")]).text(False, 80) == "p ==========.......... 1 of 2"


def test_whatever_is_in_a_block_stays_text() -> None:
    mark = Mark("<u>", PIECE, "<i>")
    blocks = [
        Line("<b>", [mark, mark], "<hr>"),
        Columns(["<b>"], [[mark]]),
        Bars([('"><hr>', 0.5, "<u>")]),
        Table(["<b>"], [[[mark]]]),
    ]
    page = Page(Picture("<h1>", blocks).html())
    assert page.open == []
    assert not {"u", "hr", "h1"} & {tag for tag, _ in page.elements}


def test_every_control_character_is_shown() -> None:
    for point in range(0x3000):
        shown = visible(chr(point))
        assert shown.isprintable() or shown.isspace() or chr(point) == shown
    assert visible("\x00\x1f\x7f\x85\u2028\u2066") == "␀␟␡<U+0085><U+2028><U+2066>"
    assert visible("a\u200bb\xa0") == "a<U+200B>b<U+00A0>"


def test_what_a_font_may_ignore_is_shown_unless_scripts_need_it() -> None:
    ignored = regex.findall(r"\p{Default_Ignorable_Code_Point}", "".join(map(chr, range(sys.maxunicode + 1))))
    assert len(ignored) > 4000
    assert [point for point in ignored if visible(point) == point] == ["\u200c", "\u200d"]
    tags = [chr(point) for point in range(0xE0000, 0xE0080)]
    for point in [*tags, *map(chr, range(0x206A, 0x2070)), "\u180e"]:
        shown = f"<U+{ord(point):04X}>"
        picture = Picture("Why", [Line("text", [Mark(f"a{point}b")])])
        assert f"a{shown}b" in picture.text(colour=False)
        assert html.escape(f"a{shown}b") in picture.html()
    assert visible("naïve 漢字 🙂 نام\u200cه 👩\u200d🚀") == "naïve 漢字 🙂 نام\u200cه 👩\u200d🚀"
