"""The tokenizers of rouge_l_multi: rouge_score's on every character, the one for every script, callables, warnings."""

from __future__ import annotations

import functools
import sys
import unicodedata
import warnings
from collections.abc import Callable
from typing import Any

import naive
import pytest
from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from rouge_score import tokenize as rouge_score_tokenize

from evenscore.rouge.tokens import _COMPOSING_LETTER, _SIGNS, _SPLITTERS, _composed, _is_composed, stem_words

SURROGATES = range(0xD800, 0xE000)
# The ends of words, and what lies between them, in scripts that are unlike each other.
SCRIPTS = "aZ9é \t\n\u3000\u0301\u0307\u3099\u200d\ufe0fİΣßकििनя中々ガｶﾞ한ᄒㄱ๑ไทยあー〇²½_-'।🙂𠮷"


def tokens(text: str, tokenizer: str) -> list[str]:
    words = _SPLITTERS[tokenizer]([text])
    vocabulary = words.vocabulary.to_pylist()
    assert words.segments.offsets.tolist() == [0, len(words.segments.ids)]
    return [vocabulary[i] for i in words.segments.ids.tolist()]


def rouge_l(prediction: str, reference: str, **options: Any) -> float:
    score: float = RougeLMulti(**options).compute(predictions=[prediction], references=[reference])["rougeL"]
    return score


# --- rouge_score's


def test_every_character_is_split_off_as_in_rouge_score() -> None:
    characters = [chr(point) for point in range(sys.maxunicode + 1) if point not in SURROGATES]
    for start in range(0, len(characters), 4096):
        text = " ".join(f"x{character}y" for character in characters[start : start + 4096])
        assert tokens(text, "rouge_score") == rouge_score_tokenize.tokenize(text, None)


@examples(300)
@given(st.lists(st.text(alphabet=st.one_of(st.sampled_from(SCRIPTS + "\u212a"), st.characters(codec="utf-8")))))
def test_tokens_of_texts_are_those_of_rouge_score(texts: list[str]) -> None:
    words = _SPLITTERS["rouge_score"](texts)
    vocabulary = words.vocabulary.to_pylist()
    ours = [[vocabulary[i] for i in words.segments.row(k).tolist()] for k in range(len(texts))]
    assert ours == [rouge_score_tokenize.tokenize(text, None) for text in texts]


# --- white space


@examples(200)
@given(st.text(alphabet="aA\u00e9\u4e2d \n\r\t\x0b\x1c\x1f\x85\u00a0\u1680\u2007\u2028\u200b\u202f\u3000"))
def test_white_space_is_that_of_str_split(text: str) -> None:
    assert tokens(text, "whitespace") == text.split()


def test_white_space_leaves_case_and_punctuation() -> None:
    assert rouge_l("The cat.", "the cat", tokenizer="whitespace") == 0.0
    assert rouge_l("The cat.", "the cat") == 1.0


# --- every script


@examples(400)
@given(st.text(alphabet=st.one_of(st.sampled_from(SCRIPTS), st.characters(codec="utf-8"))))
def test_tokens_of_every_script_are_found_character_by_character(text: str) -> None:
    assert tokens(text, "unicode") == naive.unicode_tokens(text)


@pytest.mark.parametrize("others", ["Yes, it's so. ", "Да, это так. ", "水を飲む。"])
@examples(300)
@given(st.lists(st.text(alphabet=st.one_of(st.sampled_from(SCRIPTS), st.characters(codec="utf-8"))), max_size=4))
def test_tokens_are_the_same_between_many_others_of_any_script(others: str, texts: list[str]) -> None:
    """Texts are lowered as bytes, word by word or as a whole, by what most of them are."""
    lines = [text for own in texts for text in (others * 500, own, f"a{own} {own}\n{own}b")]
    words = _SPLITTERS["unicode"](lines).units
    assert words.rows() == [naive.unicode_tokens(line) for line in lines]


def test_characters_outside_ascii_are_lowered_and_composed_apart_from_ascii() -> None:
    """What the fast path for texts of mostly ASCII builds on, for all code points."""
    for character in map(chr, (point for point in range(128, sys.maxunicode + 1) if point not in SURROGATES)):
        lowered, first = character.lower(), unicodedata.normalize("NFD", character)[0]
        assert character == "Σ" or f"a{character}".lower() == f"a{lowered}"
        if unicodedata.category(character)[0] != "M":
            assert unicodedata.combining(first) == 0
            assert all(unicodedata.normalize("NFC", a + lowered)[0] == a for a in "aio=<> ")


def test_no_letter_composes_with_the_one_before_it_but_those_of_hangul() -> None:
    """What the fast path for Chinese and Japanese builds on, for all code points of two bytes."""
    parts = [unicodedata.decomposition(chr(point)).split() for point in range(0x10000)]
    second = {chr(int(own[1], 16)) for own in parts if len(own) == 2 and own[0][0] != "<"}
    assert len(second) > 50
    assert {unicodedata.category(character)[0] for character in second} == {"M"}
    syllables = {own for point in range(0xAC00, 0xD7A4) for own in unicodedata.normalize("NFD", chr(point))[1:]}
    assert all(map(_COMPOSING_LETTER.match, syllables))


def test_lower_case_is_longer_only_by_marks() -> None:
    """What the fast path for Chinese and Japanese builds on, for all code points."""
    longer = [lowered for lowered in map(str.lower, map(chr, range(sys.maxunicode + 1))) if len(lowered) > 1]
    assert longer
    assert all(unicodedata.category(lowered[-1])[0] == "M" for lowered in longer)


def test_signs_compose_only_with_the_character_before_them() -> None:
    """What the fast path for scripts of India builds on, for all code points of two bytes as signs."""
    parts = [unicodedata.decomposition(chr(point)).split() for point in range(sys.maxunicode + 1)]
    pairs = [[chr(int(each, 16)) for each in own] for own in parts if len(own) == 2 and own[0][0] != "<"]
    first, second = map(set, zip(*pairs, strict=True))
    assert {each for each in second - first if unicodedata.combining(each) == 0 and each < "\uffff"} == set(_SIGNS)


# Signs, what composes with some of them, a virama, a nukta, other marks, and letters that come apart.
INDIC = [
    *_SIGNS[:8],
    *"\u0bc6\u0bc7\u09c7\u0b47\u0b92\u0dd9\u0fb2\u0bcd\u09bc\u0344\u0301\u0307",
    *"\u0958\u0bca\u09cb \nகকaqΣ🙂한",
]


@examples(1000)
@given(st.text(alphabet=INDIC), st.booleans())
def test_lines_with_signs_are_composed(text: str, is_composed: bool) -> None:
    lines = f"{unicodedata.normalize('NFC', text) if is_composed else text}\n"
    assert _composed(lines) == unicodedata.normalize("NFC", lines.lower())
    assert unicodedata.is_normalized("NFC", lines) or not _is_composed(lines)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("\u0b95\u0bbe \u0bca", True),
        ("\u0bc6\u0bbe", False),
        ("\u09c7 \u09be\u0301", True),
        ("\u0bbe\u0301\u09bc", False),
        ("e\u0301 \u0bbe", False),
        ("🙂\u0bbe", False),
        ("", True),
    ],
)
def test_which_lines_with_signs_need_no_composition(line: str, expected: bool) -> None:
    """The last two but one: a mark that composes elsewhere, and a character that takes two units."""
    assert _is_composed(f"{line}\n") == expected


# Letters that compose, a letter that comes apart into two, and what stands between them.
JAMO = ["\u1100", "\u115f", "\u1161", "\u0958", " ", "a"]


@pytest.mark.parametrize("others", ["hello world ", "水"])
@examples(500)
@given(texts=st.lists(st.lists(st.sampled_from(JAMO), max_size=6).map("".join), max_size=6))
def test_characters_of_two_texts_do_not_compose(others: str, texts: list[str]) -> None:
    """In the text of all characters outside ASCII they stand side by side."""
    rows = _SPLITTERS["unicode"]([*texts, others * 100]).units.rows()
    assert rows[:-1] == [naive.unicode_tokens(text) for text in texts]


@pytest.mark.parametrize(
    "text", ["ÉCOLE Über", "Kelvin \u212a", "\u0130x", "ΑΣ Σα", "ẞ", "Ⱥ ẞ", "e\u0301", "\u212bngström", "하"]
)
def test_rare_characters_between_others_are_those_of_single_texts(text: str) -> None:
    for other in ("plain", "水"):
        assert tokens(f"{text} {f'{other} ' * 1000}", "unicode") == naive.unicode_tokens(text) + [other] * 1000


@examples(150)
@given(st.text(alphabet=st.characters(codec="ascii")))
def test_in_ascii_both_tokenizers_are_one(text: str) -> None:
    assert tokens(text, "unicode") == tokens(text, "rouge_score")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("नमस्ते, दुनिया। हिन्दी", ["नमस्ते", "दुनिया", "हिन्दी"]),
        ("สวัสดีชาวโลก ครับ", ["สวัสดีชาวโลก", "ครับ"]),
        ("السَّلامُ عَلَيْكُم؟ ١٢٣", ["السَّلامُ", "عَلَيْكُم", "١٢٣"]),
        ("我爱北京，𠮷野家。", ["我", "爱", "北", "京", "𠮷", "野", "家"]),
        ("東京タワーへ行く・人々", list("東京タワーへ行く人々")),
        ("ｶﾀｶﾅ｡ｶﾞ", ["ｶ", "ﾀ", "ｶ", "ﾅ", "ｶ", "ﾞ"]),
        ("안녕하세요, 세계!", ["안녕하세요", "세계"]),
        ("Ünïcode-naïve_ΣΑΣ it's", ["ünïcode", "naïve", "σας", "it", "s"]),
        ("\u212aelvin \u0130x", ["kelvin", "i\u0307x"]),
        ("か\u309aき", ["か\u309a", "き"]),
        ("iPhone15是ok的", ["iphone15", "是", "ok", "的"]),
        ("二〇二四年", ["二", "〇", "二", "四", "年"]),
        ("so\u00adft \u200d می\u200cخواهم \ufeffक\u094d\u200dष", ["soft", "میخواهم", "क\u094dष"]),
        (
            "\u0301漢 \u0301a漢\u0301b\u0301 漢\u0301漢",
            ["\u0301", "漢", "\u0301a", "漢\u0301", "b\u0301", "漢\u0301", "漢"],
        ),
        ("🙂 … -- __", []),
        ("I ❤\ufe0f 1\ufe0f\u20e3 葛\ufe00城", ["i", "1\u20e3", "葛", "城"]),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert tokens(text, "unicode") == expected


@pytest.mark.parametrize("much_english", ["", "plain " * 2000])
def test_texts_are_composed_in_parts(much_english: str) -> None:
    words = [f"{'x' * number}-É{number}e\u0301" for number in range(250)]
    expected = [token for number in range(250) for token in ("x" * number, f"é{number}é")][1:]
    assert tokens(" ".join([*words, much_english]), "unicode") == expected + much_english.split()


@pytest.mark.parametrize("text", ["naïve Café", "한국어 위키", "ガギグ パ", "हिन्दी \u0958लम", "Việt Nam", "Ålesund"])
def test_composed_and_decomposed_are_the_same_text(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert apart != text or unicodedata.normalize("NFC", text) != text
    assert tokens(apart, "unicode") == tokens(text, "unicode")
    # Between the consonants and the vowels of Hangul, a letter that composes with neither.
    others = f" \u115f {'水' * 1000}"
    assert tokens(apart + others, "unicode") == tokens(text + others, "unicode")
    assert rouge_l(apart, text, tokenizer="unicode") == 1.0


def test_stems_of_words_of_every_script_leave_other_scripts_alone() -> None:
    assert rouge_l("skies हिन्दी", "sky हिन्दी", tokenizer="unicode", stemmer=True) == 1.0
    assert rouge_l("skies हिन्दी", "sky हिन्दी", tokenizer="unicode") == 0.5


# --- functions


def test_a_function_stems_by_itself_or_not_at_all() -> None:
    assert rouge_l("skies", "sky", tokenizer=str.split, stemmer=True) == 0.0
    assert rouge_l("skies", "sky", tokenizer=lambda text: stem_words(text.split())) == 1.0


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_function_may_return_a_list_or_a_tuple_of_any_strings(kind: Callable[[Any], Any]) -> None:
    # Strings with spaces, line feeds and without anything are tokens like others.
    assert rouge_l("a b", "c", tokenizer=lambda text: kind(["a b", "", "\n"] if text == "c" else ["", "\n"])) == 0.8


@pytest.mark.parametrize(
    "returned",
    ["a b", None, 3, [1, 2], ["a", None], [b"a"], {"a"}, iter(["a"]), [["a"]]],
    ids=lambda returned: "an iterator" if hasattr(returned, "__next__") else repr(returned),
)
def test_a_function_that_returns_no_list_of_strings_is_refused(returned: Any) -> None:
    with pytest.raises(ValueError, match=r"the tokenizer returned .* for 'the text': return a list of strings"):
        rouge_l("the text", "b", tokenizer=lambda text: returned)


class Splitter:
    def __call__(self, text: str) -> list[str]:
        return text.split()

    def split(self, text: str) -> list[str]:
        return text.split()


@pytest.mark.parametrize(
    ("tokenizer", "name"),
    [
        (str.split, "str.split"),
        (functools.partial(str.split, sep=" "), "functools.partial"),
        (Splitter(), f"{__name__}.Splitter"),
        (Splitter().split, f"{__name__}.Splitter.split"),
        (list, "builtins.list"),
        ("unicode", f"unicode-{unicodedata.unidata_version}"),
    ],
)
def test_the_signature_names_any_tokenizer(tokenizer: Any, name: str) -> None:
    result = RougeLMulti(tokenizer=tokenizer).compute(predictions=["a b"], references=["a b"])
    assert result["rougeL"] == 1.0
    assert f"|tok:{name}|" in result["signature"]


# --- warnings


@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        (["a", "привет", "чай"], ["a", "привет", "чай"]),
        (["", "!", "中文"], [["a"], ["b", "c"], ["d"]]),
        (["a", "b"], [["a", "b", "c"], ["a", "नमस्ते"]]),
        (["ñ"], ["n"]),
        (["Кошка спит 5 дней"], ["Собака бежит 5 миль"]),
        (["a"] * 500, [*["a"] * 490, "犬が 15 食べた", *["a"] * 9]),
        (["१२३"], ["१२३"]),
        (["x中文"], ["x中文"]),
    ],
)
def test_a_text_whose_script_is_unknown_is_warned_of_once(predictions: list[str], references: list[Any]) -> None:
    with pytest.warns(UserWarning, match="a text loses most of its letters or digits.*tokenizer='unicode'") as caught:
        RougeLMulti().compute(predictions=predictions, references=references)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "text", ["", " \n", "?! … 。", "🙂", "ok 👍👍👍", "naïve", "\u212a", "\u0130", "xyz中", "no é “”…—“”…", "A"]
)
@pytest.mark.parametrize("tokenizer", ["rouge_score", "unicode", "whitespace"])
def test_nothing_is_warned_of_where_nothing_is_lost(text: str, tokenizer: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rouge_l(text, text, tokenizer=tokenizer)


@pytest.mark.parametrize("tokenizer", ["unicode", "whitespace", str.split])
def test_other_tokenizers_know_other_scripts(tokenizer: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rouge_l("привет", "привет", tokenizer=tokenizer) == 1.0


def test_texts_without_spaces_that_stay_whole_are_told() -> None:
    with pytest.warns(
        UserWarning, match="texts are in a script without spaces and count as one word.*tokenizer='unicode'"
    ):
        assert rouge_l("我们去公园吧", "我们去公园", tokenizer="whitespace") == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rouge_l("我们去公园吧", "我们去公园", tokenizer="unicode") > 0.9
        assert rouge_l("我们 去 公园 吧", "我们 去 公园", tokenizer="whitespace") > 0.8
