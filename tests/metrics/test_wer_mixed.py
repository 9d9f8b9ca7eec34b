"""wer_dp with unit="mixed": characters of scripts without spaces, words of other scripts."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any

import jiwer
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import refusal

import evenscore
from evenscore.text.unspaced import UNSPACED, unspaced_texts
from evenscore.wer.transforms import split_units, splitter

SCRIPTS = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
_OF_SCRIPTS = regex.compile("[" + "".join(rf"\p{{Script={name}}}" for name in SCRIPTS) + "]")


def is_unspaced(character: str) -> bool:
    """Whether Unicode says that the character is of one of the scripts, or names it a mark of both kana."""
    name = unicodedata.name(character, "")
    is_mark = re.search(r"KATAKANA.* SOUND MARK|KANA REPEAT", name) is not None
    return is_mark or _OF_SCRIPTS.match(character) is not None


def mixed_units(text: str) -> list[str]:
    """The units of a text without transforms, by the definition."""
    units = []
    for word in filter(None, text.split(" ")):
        between = ""
        for character in word:
            if is_unspaced(character):
                units += [between, character]
                between = ""
            else:
                between += character
        units.append(between)
    return list(filter(None, units))


def test_the_scripts_are_those_of_unicode() -> None:
    assigned = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) not in ("Cn", "Cs", "Co")]
    wrong = [character for character in assigned if bool(UNSPACED.match(character)) != is_unspaced(character)]
    assert wrong == []
    assert len(unspaced_texts(assigned)) > 90_000
    missed = [character for character in assigned if bool(unspaced_texts([character])) != is_unspaced(character)]
    assert missed == []


CHARACTERS = st.sampled_from(
    [*"ab3, .。、・ー\t\u3000", "好", "天", "か", "ｶ", "ﾞ", "ก", "้", "ລ", "ក", "က", "서", "é", "\u0301", "𠀀", "“"]
)
TEXTS = st.lists(st.text(CHARACTERS, max_size=12), max_size=5)


@examples(1000)
@given(TEXTS, st.sampled_from([[], ["to_lower_case", "remove_punctuation"]]))
def test_both_ways_to_split_follow_the_definition(texts: list[str], transforms: list[str]) -> None:
    changed = [jiwer.RemovePunctuation()(text.lower()) for text in texts] if transforms else texts
    expected = list(map(mixed_units, changed))
    assert list(map(splitter("mixed", transforms), texts)) == expected
    assert split_units(texts, "mixed", transforms).rows() == expected


@examples(1000)
@given(TEXTS)
def test_the_default_transforms_are_those_of_words(texts: list[str]) -> None:
    usual = ["remove_multiple_spaces", "strip"]
    expected = split_units(texts, "mixed", usual).rows()
    assert split_units(texts, "mixed", None).rows() == expected
    assert list(map(splitter("mixed", None), texts)) == expected


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("我用 iPhone15 拍照。", ["我", "用", "iPhone15", "拍", "照", "。"]),
        ("コーヒーを2つ", ["コ", "ー", "ヒ", "ー", "を", "2", "つ"]),
        ("ก้าว step", ["ก", "้", "า", "ว", "step"]),
        # Korean writes spaces between words.
        ("서울에 갔다", ["서울에", "갔다"]),
        ("the cat  sat", ["the", "cat", "sat"]),
        ("", []),
    ],
)
def test_units_of_texts(text: str, units: list[str]) -> None:
    assert splitter("mixed", None)(text) == mixed_units(re.sub(r"\s\s+", " ", text)) == units


def test_texts_without_such_characters_score_like_words() -> None:
    given_texts: dict[str, Any] = {"predictions": ["the cat sit", "서울 a"], "references": ["the cat sat", "서울 b c"]}
    words = evenscore.load("wer_dp").compute(**given_texts)
    mixed = evenscore.load("wer_dp", unit="mixed").compute(**given_texts)
    assert mixed.pop("signature") == words.pop("signature").replace("unit:word", "unit:mixed")
    assert mixed == words


def test_a_rate_is_that_of_spaced_characters() -> None:
    predictions, references = ["我用iphone 拍照", "你好"], ["我用 iPhone 拍照", "您好吗"]
    mixed = evenscore.load("wer_dp", unit="mixed").compute(predictions=predictions, references=references)
    # One substitution each, and one deletion, in five and three units.
    counts = {"hits": 5, "substitutions": 2, "deletions": 1, "insertions": 0, "wer": 3 / 8}
    assert {name: mixed[name] for name in counts} == counts
    assert evenscore.load("wer_dp", unit="mixed").headlines() == ["wer"]


def test_alignments_and_pictures_show_the_units() -> None:
    metric = evenscore.load("wer_dp", unit="mixed")
    assert metric.error_counts(["我用 b"], ["我们 a"])["substitutions"] == [(("们 a", "用 b"), 1)]
    assert [each.kind for each in metric.align(["我用"], ["我们"])[0]] == ["equal", "substitute"]
    assert "WER 0.500" in metric.picture("我用", "我们").text(colour=False)
    assert "wer=50.00%" in metric.visualize(["我用"], ["我们"])


@pytest.mark.filterwarnings("error")
def test_whole_texts_are_warned_of_by_its_name_and_not_with_it() -> None:
    texts = ["今天天气很好", "我们去公园吧"]
    with pytest.warns(UserWarning, match=r'unit="mixed" to compare characters of such scripts and words of others$'):
        evenscore.load("wer_dp").compute(predictions=texts, references=texts)
    assert evenscore.load("wer_dp", unit="mixed").compute(predictions=texts, references=texts)["hits"] == 12


def test_units_that_do_not_exist_are_refused() -> None:
    assert refusal(lambda: evenscore.load("wer_dp", unit="both")) == (
        "unit='both': choose one of 'word', 'char', 'mixed'"
    )
