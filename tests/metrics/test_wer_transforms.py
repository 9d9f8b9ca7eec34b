"""What wer_dp does to texts before the count is what the transforms of jiwer 4.0 do, string for string."""

from __future__ import annotations

import functools
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import datasets
import jiwer
import pytest
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from wer_corpora import COUNTS, Corpus, sides

import evenscore
from evenscore.wer.transforms import STEPS, STEPS_WITH_ARGUMENT, pipeline, split_units

TO_WORDS, TO_CHARACTERS = jiwer.ReduceToListOfListOfWords(), jiwer.ReduceToListOfListOfChars()

# Each step with jiwer's.
JIWER_STEPS = {
    "to_lower_case": jiwer.ToLowerCase(),
    "to_upper_case": jiwer.ToUpperCase(),
    "expand_common_english_contractions": jiwer.ExpandCommonEnglishContractions(),
    "remove_kaldi_non_words": jiwer.RemoveKaldiNonWords(),
    "remove_punctuation": jiwer.RemovePunctuation(),
    "remove_white_space": jiwer.RemoveWhiteSpace(),
    "white_space_to_spaces": jiwer.RemoveWhiteSpace(replace_by_space=True),
    "remove_multiple_spaces": jiwer.RemoveMultipleSpaces(),
    "strip": jiwer.Strip(),
}
SUBSTITUTIONS = {"uh": "", "the": "a", "a": r"the \g<0>", "it's": "it is", ".": "!", "'re": " are"}
REGEXES = {r"doom": r"sacr", r"\b(\w+)ed\b": r"\1", r"^\s*": "", r"[aeiou](?=n)": "-"}
FILLERS = ["uh", "um", "the", "'s", "[", "a b"]
JIWER_STEPS_WITH_ARGUMENT = [
    (("substitute_regexes", REGEXES), jiwer.SubstituteRegexes(REGEXES)),
    (("substitute_words", SUBSTITUTIONS), jiwer.SubstituteWords(SUBSTITUTIONS)),
    (("remove_specific_words", FILLERS), jiwer.RemoveSpecificWords(FILLERS)),
    (["remove_specific_words", tuple(FILLERS)], jiwer.RemoveSpecificWords(FILLERS)),
]

SHORTENED = ["won't", "can't", "let's", "n't", "'re", "'s", "'d", "'ll", "'t", "'tis", "'ve", "'m", "'", "’", "WON'T"]
WORDS = ["I", "it", "uh", "um", "the", "a", "b", "an", "doomed", "loved", "É", "ß", "İ", "ς", "[laugh]", "<unk>"]
MARKS = ["[", "]", "<", ">", ",", ".", "!", "-", "—", "¿", "«", "_", "$", "\\", "\\1", "。"]
SPACES = [" ", " ", " ", "  ", "\t", "\n", "\r", "\v", "\f", "\x1c", "\xa0", "\u2028", "\u3000", "\u200b"]
pieces = st.sampled_from([*SHORTENED, *WORDS, *MARKS, *SPACES])
texts = st.lists(pieces, max_size=12).map("".join)


def split(text: str, unit: str, transforms: Any) -> list[str]:
    return split_units([text], unit, transforms).row(0)


def bracketed(text: str) -> str:
    return f"( {text} )"


def number_of_words(text: str) -> int:
    return len(text.split())


def test_every_step_has_a_counterpart() -> None:
    assert list(STEPS) == list(JIWER_STEPS)
    assert set(STEPS_WITH_ARGUMENT) == {step[0] for step, _ in JIWER_STEPS_WITH_ARGUMENT}


@pytest.mark.parametrize(("step", "counterpart"), [*JIWER_STEPS.items(), *JIWER_STEPS_WITH_ARGUMENT])
@examples(150)
@given(texts)
def test_step_does_what_jiwer_does(step: Any, counterpart: Callable[[str], str], text: str) -> None:
    (ours,) = pipeline([step], "word")
    assert ours(text) == counterpart(text)


@pytest.mark.parametrize("step", list(STEPS))
def test_step_does_what_jiwer_does_to_every_character(step: str) -> None:
    everything = "".join(chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)
    (ours,) = pipeline(step, "word")
    assert ours(everything) == JIWER_STEPS[step](everything)


@examples(300)
@given(texts)
def test_pipelines_split_as_those_of_jiwer(text: str) -> None:
    assert split(text, "word", None) == jiwer.transformations.wer_default([text])[0]
    assert split(text, "char", None) == jiwer.transformations.cer_default([text])[0]
    assert split(text, "word", "standardize") == jiwer.transformations.wer_standardize([text])[0]
    steps = [*jiwer.transformations.wer_standardize.transforms[:-1], TO_CHARACTERS]
    assert split(text, "char", "standardize") == jiwer.Compose(steps)([text])[0]


def test_every_character_separates_words_where_it_does_in_jiwer() -> None:
    rows = [pattern.replace("c", chr(c)) for c in range(0x3100) for pattern in ("acb", "accb", "c acb", "ac ccb cc")]
    assert [*map(split_units(rows, "word", None).row, range(len(rows)))] == jiwer.transformations.wer_default(rows)


@pytest.mark.parametrize("unit", ["word", "char"])
@examples(100)
@given(
    st.lists(st.sampled_from([*JIWER_STEPS.items(), *JIWER_STEPS_WITH_ARGUMENT]), max_size=5),
    st.lists(st.tuples(texts, texts), min_size=1, max_size=3),
)
def test_steps_together_score_as_those_of_jiwer(unit: str, steps: Any, corpus: Corpus) -> None:
    composed = jiwer.Compose([*(theirs for _, theirs in steps), TO_WORDS if unit == "word" else TO_CHARACTERS])
    references, predictions = sides(corpus)
    theirs = jiwer.process_words(references, predictions, composed, composed)
    ours = WerDp(unit=unit, transforms=[step for step, _ in steps]).compute(
        predictions=predictions, references=references
    )
    assert [ours[name] for name in COUNTS] == [getattr(theirs, name) for name in COUNTS]


def test_tis_loses_its_space_as_in_jiwer() -> None:
    """jiwer replaces 't by " not": what is left of "'tis" is one word."""
    assert split("'tis it isn't", "word", "standardize") == ["notis", "it", "is", "not"]


def test_steps_are_taken_in_their_order() -> None:
    assert split("I'm [noise] HERE", "word", ["remove_punctuation", "to_lower_case"]) == ["im", "noise", "here"]
    assert split("<a>'s", "word", ["remove_kaldi_non_words", "expand_common_english_contractions"]) == ["is"]
    assert split("a\tb  c ", "word", []) == ["a\tb", "c"]
    assert split(" a\tb", "char", []) == [" ", "a", "\t", "b"]


@pytest.mark.parametrize(
    ("transforms", "name", "words"),
    [
        (None, "default", ["Don't,", "uh", "GO"]),
        ("standardize", "standardize", ["do", "not,", "uh", "go"]),
        ("remove_punctuation", "remove_punctuation", ["Dont", "uh", "GO"]),
        (["to_lower_case", "strip"], "to_lower_case+strip", ["don't,", "uh", "go"]),
        (str.lower, "str.lower", ["don't,", "uh", "go"]),
        ([str.upper, bracketed], f"str.upper+{__name__}.bracketed", ["(", "DON'T,", "UH", "GO", ")"]),
        (functools.partial(re.sub, "GO", "stay"), "functools.partial", ["Don't,", "uh", "stay"]),
        (jiwer.RemovePunctuation(), "jiwer.transforms.RemovePunctuation", ["Dont", "uh", "GO"]),
        ([("remove_specific_words", ["uh"])], "('remove_specific_words', ['uh'])", ["Don't,", "GO"]),
        # The bar separates the fields of a signature.
        ([("remove_specific_words", ["uh|%"])], "('remove_specific_words', ['uh%7C%25'])", ["Don't,", "uh", "GO"]),
    ],
)
def test_names_and_functions_are_steps(transforms: Any, name: str, words: list[str]) -> None:
    call = {"predictions": ["Don't, uh GO"], "references": ["x"]}
    metric = evenscore.load("wer_dp", transforms=transforms)
    assert f"|transforms:{name}|" in metric.compute(**call)["signature"]
    drawn = metric.visualize(*call.values(), show_measures=False)
    assert drawn.split("HYP:")[1].split("\n")[0].split() == words


def test_transforms_travel_with_a_pickle() -> None:
    transforms = [str.lower, jiwer.RemovePunctuation(), ("substitute_words", {"uh": "er"}), "strip"]
    metric = evenscore.load("wer_dp", transforms=transforms, costs=(4, 3, 3))
    call = {"predictions": ["Uh, it GOES"], "references": ["er it goes"]}
    again = pickle.loads(pickle.dumps(metric)).compute(**call)
    assert again["wer"] == 0
    assert again == metric.compute(**call)


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        (
            "standardise",
            r"'standardise'; did you mean 'standardize'\? Choose from 'standardize', 'to_lower_case', .* a function",
        ),
        (["strip", "lower"], r"transforms contains 'lower'\. Choose from"),
        ("whisper_english", r"transforms contains 'whisper_english'; did you mean 'whisper-english'\? Choose from"),
        ("lowercase", r"transforms contains 'lowercase'; did you mean 'to_lower_case'\? Choose from"),
        (["substitute_words"], r"'substitute_words' without its argument: .*, as in \[\(\"substitute_words\", {"),
        (("remove_specific_words", ["a"]), "'remove_specific_words' without its argument: give a pair in a list of"),
        ([("remove_specific_wrods", ["a"])], "'remove_specific_wrods', .*; did you mean 'remove_specific_words'"),
        ([("substitute_words", {"a": "\udc00"})], r"cannot replace .* by '\\udc00', a lone surrogate"),
        ([("strip", "x")], r"transforms contains \('strip', 'x'\)"),
        ([(["strip"], "x")], r"transforms contains \(\['strip'\], 'x'\)"),
        ([("remove_specific_words", ["a"], ["b"])], "transforms contains"),
        ([None], "transforms contains None"),
        (5, "transforms=5: give a list of steps, or 'standardize'"),
        ({"strip": True}, "give a list of steps"),
        ([("remove_specific_words", "uh")], "remove_specific_words got 'uh': give a list of words"),
        ([("remove_specific_words", None)], "remove_specific_words got None: give a list of words"),
        ([("remove_specific_words", [1])], r"remove_specific_words got \[1\]: give a list of words"),
        ([("remove_specific_words", iter(["uh"]))], "remove_specific_words got .*: give a list of words"),
        ([("substitute_words", ["uh"])], r"substitute_words got \['uh'\]: give a dict from strings to strings"),
        ([("substitute_words", {"uh": None})], "substitute_words got .*: give a dict from strings to strings"),
        ([("substitute_regexes", "uh")], "substitute_regexes got 'uh': give a dict from strings to strings"),
        ([("substitute_regexes", {1: "a"})], "substitute_regexes got .*: give a dict from strings to strings"),
        ([("substitute_regexes", {"(": ""})], r"cannot replace '\(' by '': missing \)"),
        ([("substitute_regexes", {"(a)": r"\2"})], "cannot replace .* invalid group reference 2"),
        ([("substitute_regexes", {"(a)": r"\g<x>"})], "cannot replace .* unknown group name 'x'"),
    ],
)
def test_wrong_transforms_are_refused_at_load(transforms: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WerDp(transforms=transforms)


@pytest.mark.parametrize("step", [str.split, number_of_words, jiwer.transformations.wer_default])
def test_a_function_that_returns_no_string_is_refused(step: Any) -> None:
    with pytest.raises(ValueError, match=r"returned .* for 'a b': return a string"):
        WerDp(transforms=[step]).compute(predictions=["a b"], references=["a"])


# --- scripts without spaces

WHOLE = {
    "Chinese": ["今天天气很好。", "我们去公园吧"],
    "Japanese": ["ありがとうございます", "カタカナ"],
    "Thai": ["สวัสดีครับ", "ขอบคุณ"],
    "Burmese": ["မြန်မာ", "ကျေးဇူး"],
    "Khmer": ["ភាសាខ្មែរ", "អរគុណ"],
    "Lao": ["ສະບາຍດີ", "ຂອບໃຈ"],
}


@pytest.mark.parametrize("script", WHOLE)
def test_texts_without_spaces_that_are_one_word_each_are_warned_of(script: str) -> None:
    texts = ["ok", *WHOLE[script]]
    with pytest.warns(UserWarning, match=r'texts are in a script without spaces .* give unit="char" to'):
        evenscore.load("wer_dp").compute(predictions=texts, references=["ok", "x", "y"])
    with pytest.warns(UserWarning, match="texts are in a script without spaces"):
        evenscore.load("wer_dp").compute(predictions=["a", "b", "c"], references=[["a"], ["b", "c"], texts[1:]])


def test_texts_that_the_transforms_make_whole_are_warned_of() -> None:
    texts = ["我们 去 公园", "谢谢 你"]
    with pytest.warns(UserWarning, match="texts are in a script without spaces"):
        evenscore.load("wer_dp", transforms=["remove_white_space"]).compute(predictions=texts, references=texts)


@pytest.mark.parametrize(("cycle", "is_warned"), [("aswW", True), ("asSw", False), ("aw", True), ("ws", False)])
@pytest.mark.parametrize("times", [250, 501, 2000])
def test_a_large_column_is_warned_of_if_most_of_its_texts_are_one_word(cycle: str, is_warned: bool, times: int) -> None:
    kinds = {"a": "ok", "s": "สวัสดี ครับ", "S": "ขอบคุณ ครับ", "w": "สวัสดีครับ", "W": "ขอบคุณ"}
    texts = [kinds[kind] for kind in cycle] * times
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evenscore.load("wer_dp").compute(predictions=texts, references=["a"] * len(texts))
    assert len(caught) == is_warned


@pytest.mark.parametrize("name", ["wer_dp", "rouge_l_multi"])
def test_batches_whose_script_is_unknown_are_warned_of_once(name: str) -> None:
    rows = datasets.Dataset.from_dict({"texts": ["a", "谢谢", "你好", "b", "c", "b", "今天", "我们"]})
    scorer = evenscore.load(name).row_scorer(prediction="texts", references="texts")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        rows.map(scorer, batched=True, batch_size=4)
    assert ["count as one word" in str(each.message) or "loses most" in str(each.message) for each in caught] == [True]


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (["我们 去 公园 吧", "你 好", "谢谢"], {}),
        (["我们去公园吧"], {"unit": "char"}),
        (["我们去公园吧"], {"transforms": lambda text: " ".join(text)}),
        (["naïveté", "дом", "नमस्ते", "서울", "“x”", "𝒳𝒴", "好", "a"], {}),
        (["", "a b"], {}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_nothing_is_said_where_words_are_told_apart(texts: list[str], options: dict[str, Any]) -> None:
    result = evenscore.load("wer_dp", **options).compute(predictions=texts, references=texts)
    assert result["hits"] > 0


@pytest.mark.filterwarnings("error")
def test_one_whole_text_among_many_others_is_not_warned_of() -> None:
    texts = [*["你 好"] * 1500, "谢谢", "谢谢"]
    assert evenscore.load("wer_dp").compute(predictions=texts, references=texts)["wer"] == 0


@pytest.mark.parametrize(("whole", "is_warned"), [(19, False), (20, True)])
def test_a_tenth_of_whole_texts_is_warned_of(whole: int, is_warned: bool) -> None:
    """A few names in another script among many texts do not make the option wrong."""
    texts = [*["李小龙"] * whole, *["Bruce Lee"] * (200 - whole)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evenscore.load("wer_dp").compute(predictions=texts, references=texts)
    assert len(caught) == is_warned


@pytest.mark.filterwarnings("error")
def test_a_script_is_that_of_the_beginning() -> None:
    assert evenscore.load("wer_dp").compute(predictions=["é" * 100 + "李小龙"], references=["a"])["wer"] == 1
