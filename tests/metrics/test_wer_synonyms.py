"""wer_dp with synonyms: whatever it gives is what it gives without them for the reading that brute force chooses."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import datasets
import evaluate
import pytest
from datasets.fingerprint import Hasher
from evenscore.metrics.wer_dp.wer_dp import WerDp
from hub_folders import hub_folder
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import refusal
from wer_corpora import COUNTS, NORMALIZERS

import evenscore
from evenscore.cli import main
from evenscore.wer.costs import Costs, whole_costs
from evenscore.wer.plain import weighted_edit_table
from evenscore.wer.readings import Occurrences, best_reading, readings
from evenscore.wer.synonyms import read_synonyms, synonyms_name

Pairs = list[tuple[str, str]]

# Few words, so that synonyms occur, overlap and are nested.
sides = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
pair_lists = st.lists(st.tuples(sides, sides).filter(lambda pair: pair[0] != pair[1]), max_size=4)
texts = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4)
COSTS = [(1, 1, 1), (4, 3, 3), (1, 3, 5), (0.1, 0.3, 7), (10**18, 3, 10**18)]


def expanded(words: list[str], pairs: Pairs) -> list[list[str]]:
    """All readings, in order."""
    if not words:
        return [[]]
    found = [(left.split(), right.split()) for left, right in pairs]
    ways = [(words[:1], 1), *((right, len(left)) for left, right in found if words[: len(left)] == left)]
    return [[*first, *rest] for first, length in ways for rest in expanded(words[length:], pairs)]


def best(reference: str, prediction: str, pairs: Pairs, costs: Sequence[float] = (1, 1, 1)) -> str:
    """The first of the readings whose alignment costs least."""
    exact = tuple(Fraction(str(cost)) for cost in costs)

    def cost(reading: list[str]) -> Fraction:
        return weighted_edit_table(reading, prediction.split(), exact)[-1][-1]  # type: ignore[arg-type]

    return " ".join(min(expanded(reference.split(), pairs), key=cost))


# --- the reading that counts


@examples(300)
@given(texts, pair_lists)
def test_readings_are_all_choices_in_order(reference: str, pairs: Pairs) -> None:
    split = [(left.split(), right.split()) for left, right in pairs]
    assert list(map(list, readings(reference.split(), split))) == expanded(reference.split(), pairs)


@examples(3000)
@given(texts, texts, pair_lists, st.sampled_from(COSTS))
def test_the_first_reading_of_least_cost_counts(
    reference: str, prediction: str, pairs: Pairs, costs: tuple[float, float, float]
) -> None:
    found = Occurrences([(left.split(), right.split()) for left, right in pairs])
    read = best_reading(reference.split(), prediction.split(), found, whole_costs(Costs(*costs)))
    assert " ".join(read) == best(reference, prediction, pairs, costs)


def test_words_that_match_nothing_may_cost_less_than_insertions() -> None:
    metric = WerDp(synonyms=[("a", "b b")], costs=(1, 3, 5))
    assert metric.compute(predictions=["d d"], references=["a"])["substitutions"] == 2


def test_costs_beyond_64_bits_are_exact() -> None:
    """Twelve hits save 12 * 10 ** 18, and 2 ** 63 is 9.2 * 10 ** 18."""
    between = " b" * 12
    costs = (10**18, 3, 10**18)
    assert best(f"a{between} a", f"c{between} c", [("a", "c")], costs) == f"c{between} c"
    metric = WerDp(synonyms=[("a", "c")], costs=costs)
    assert metric.compute(predictions=[f"c{between} c"], references=[f"a{between} a"])["hits"] == 14


def test_long_texts_are_read_at_once() -> None:
    """A reading of each of 2 ** 600 would take for ever."""
    reference, prediction = "i am x twenty one " * 300, "i'm y 21 " * 300
    result = WerDp(synonyms=[("i am", "i'm"), ("twenty one", "21")]).compute(
        predictions=[prediction], references=[reference]
    )
    assert [result[name] for name in COUNTS] == [600, 300, 0, 0]


# --- every result is that of the readings


def both(
    given_rows: list[tuple[str, list[str]]], pairs: Pairs, **options: Any
) -> tuple[tuple[WerDp, list[str], Any], tuple[WerDp, list[str], Any]]:
    """A metric with synonyms and rows as written; one without, and the readings of the rows."""
    predictions, written = [text for text, _ in given_rows], [own for _, own in given_rows]
    costs = options.get("costs", (1, 1, 1))
    read = [[best(text, prediction, pairs, costs) for text in own] for prediction, own in given_rows]
    return (WerDp(synonyms=pairs, **options), predictions, written), (WerDp(**options), predictions, read)


def without_signature(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "signature"}


@pytest.mark.parametrize("few", [False, True])
@examples(600)
@given(rows, pair_lists, st.sampled_from(NORMALIZERS), st.sampled_from(COSTS))
def test_results_are_those_of_the_readings(
    few: bool, given_rows: list[tuple[str, list[str]]], pairs: Pairs, normalize_by: str, costs: tuple[float, ...]
) -> None:
    options = {"normalize_by": normalize_by, "costs": costs, "per_example": True, "confidence": 0.9, "n_resamples": 9}
    ours, theirs = both(given_rows, pairs, **options)
    labels = [i % 2 for i in range(len(given_rows))]
    with mock.patch("evenscore.wer.scorer.are_few", return_value=few):
        results = [
            without_signature(metric.compute(predictions=predictions, references=references, groups=labels))
            for metric, predictions, references in (ours, theirs)
        ]
        counted = [metric.statistics(*columns).tolist() for metric, *columns in (ours, theirs)]
    assert results[0] == results[1]
    assert counted[0] == counted[1]


@examples(300)
@given(rows, pair_lists, st.sampled_from(COSTS[:2]))
def test_alignments_are_those_of_the_readings(
    given_rows: list[tuple[str, list[str]]], pairs: Pairs, costs: tuple[float, ...]
) -> None:
    (metric, *columns), (plain, *read) = both(given_rows, pairs, costs=costs)
    assert metric.align(*columns) == plain.align(*read)
    assert metric.error_counts(*columns) == plain.error_counts(*read)
    assert metric.visualize(*columns) == plain.visualize(*read)
    for row in zip(*columns, strict=True):
        own = both([row], pairs, costs=costs)[1][2][0]
        assert metric.picture(*row).text() == plain.picture(row[0], own).text()


SPOKEN = {
    "predictions": ["i'm 21 and can not wait", "okay", "we will"],
    "references": ["i am twenty one and cannot wait", "ok", "we'll"],
}
PAIRS = [("i am", "i'm"), ("twenty one", "21"), ("cannot", "can not"), ("ok", "okay"), ("we'll", "we will")]


def test_the_words_of_the_reading_are_the_length() -> None:
    """fstalign 1.13 counts the words of the path too: its test syn_2 gives "we will" for "we'll" 0 errors of 1 word."""
    result = WerDp(synonyms=PAIRS).compute(**SPOKEN, per_example=True)
    assert (result["wer"], result["hits"], result["reference_length"]) == (0.0, 9, 9)
    assert result["wer_per_example"] == [0.0, 0.0, 0.0]
    assert WerDp(synonyms=[("we will", "we'll")]).compute(predictions=["we'll"], references=["we will"])["hits"] == 1


def test_synonyms_replace_from_left_to_right_and_once() -> None:
    metric = WerDp(synonyms=[("a", "b"), ("b", "c")])
    assert metric.compute(predictions=["b", "c", "a", "c"], references=["a", "b", "b", "a"], per_example=True)[
        "wer_per_example"
    ] == [0.0, 0.0, 1.0, 1.0]


def test_a_reference_is_as_written_unless_a_synonym_saves_an_error() -> None:
    metric = WerDp(synonyms=[("a", "x"), ("b c", "y")])
    assert metric.visualize(["z"], ["a"], show_measures=False).splitlines()[2] == "REF: a"
    # One deletion in place of two.
    assert metric.compute(predictions=[""], references=["b c"])["deletions"] == 1


# --- rows, sums, copies


def test_rows_add_up_and_merge() -> None:
    whole = WerDp(synonyms=PAIRS).compute(**SPOKEN)
    parts = [WerDp(synonyms=PAIRS) for _ in range(2)]
    for part, rows_of_part in zip(parts, (slice(0, 1), slice(1, None)), strict=True):
        part.add_batch(**{name: column[rows_of_part] for name, column in SPOKEN.items()})
    parts[0].merge(parts[1])
    assert parts[0].compute() == whole
    said = "rows were added under other options: set the options at load, or pass all rows to compute"
    other = WerDp(synonyms=PAIRS[:1])
    other.add_batch(**SPOKEN)
    assert refusal(lambda: WerDp().merge(other)) == said
    total = WerDp(synonyms=PAIRS).statistics(**SPOKEN).sum(axis=0)
    assert WerDp(synonyms=PAIRS).score_statistics(total) == whole


def test_columns_and_their_fingerprints(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.txt"
    path.write_text("\n".join(" | ".join(pair) for pair in PAIRS))
    metric = evenscore.load("wer_dp")
    scorers = {
        name: metric.row_scorer("predictions", statistics=True, **options)
        for name, options in {
            "none": {},
            "empty": {"synonyms": []},
            "pairs": {"synonyms": PAIRS},
            "tuples": {"synonyms": tuple(map(tuple, PAIRS))},
            "file": {"synonyms": path},
            "fewer": {"synonyms": PAIRS[1:]},
        }.items()
    }
    hashes = {name: Hasher.hash(scorer) for name, scorer in scorers.items()}
    assert hashes["none"] == hashes["empty"]
    assert hashes["pairs"] == hashes["tuples"] == hashes["file"]
    assert len(set(hashes.values())) == 3
    scored = datasets.Dataset.from_dict(SPOKEN).map(scorers["file"], batched=True)
    assert scored["wer_dp_wer"][:] == [0.0, 0.0, 0.0]
    assert metric.score_columns(scored, synonyms=PAIRS) == metric.compute(**SPOKEN, synonyms=PAIRS)
    # What is pickled holds the pairs, not the name of a file that other machines lack.
    copy = pickle.loads(pickle.dumps(scorers["file"]))
    path.unlink()
    assert copy(SPOKEN)["wer_dp_wer"] == [0.0, 0.0, 0.0]


def test_the_signature_has_a_digest_where_synonyms_are_set() -> None:
    plain, own = (WerDp(**options).compute(**SPOKEN)["signature"] for options in ({}, {"synonyms": PAIRS}))
    assert own.replace(f"|syn:{synonyms_name(PAIRS)}", "") == plain
    assert synonyms_name(PAIRS).startswith("5-")
    assert synonyms_name(PAIRS) != synonyms_name(PAIRS[::-1])
    assert WerDp(synonyms=PAIRS).compute(**SPOKEN, synonyms=[])["signature"] == plain


@pytest.mark.parametrize("few", [False, True])
def test_each_system_has_its_own_readings(few: bool) -> None:
    systems = [["i'm 21 and cannot wait", "ok", "we'll"], SPOKEN["predictions"]]
    metric = WerDp(synonyms=PAIRS)
    with mock.patch("evenscore.wer.scorer.are_few", return_value=few):
        tested = metric.compare(["we will"] * 3, *systems, references=SPOKEN["references"], n_trials=10)
        alone = metric.compute(predictions=["we will"] * 3, references=SPOKEN["references"])
    assert tested["baseline"]["wer"] == alone["wer"] > 0
    assert [system["wer"] for system in tested["systems"]] == [0.0, 0.0]
    assert "|syn:5-" in tested["signature"]


def test_the_folder_for_the_hub_has_synonyms(tmp_path: Path) -> None:
    metric = evaluate.load(str(hub_folder("wer_dp", tmp_path)), synonyms=PAIRS)
    assert metric.compute(**SPOKEN) == WerDp(synonyms=PAIRS).compute(**SPOKEN)


# --- units and transforms


def test_transforms_apply_to_both_sides() -> None:
    row = {"predictions": ["I'm here."], "references": ["i am HERE"]}
    steps = ["to_lower_case", "remove_punctuation", "strip"]
    assert WerDp(synonyms=[("I AM", "I'm")], transforms=steps).compute(**row)["hits"] == 2
    assert WerDp(synonyms=[("I AM", "I'm")]).compute(**row)["hits"] == 0
    # The transforms make these sides equal.
    assert WerDp(synonyms=[("ok", "OK."), (".", "!")], transforms=steps).compute(**row)["hits"] == 1


def test_characters_of_scripts_without_spaces_are_words_of_synonyms() -> None:
    row = {"predictions": ["我用手机 now"], "references": ["我用行动电话 now"]}
    result = WerDp(synonyms=[("行动电话", "手机")], unit="mixed").compute(**row)
    assert (result["hits"], result["wer"]) == (5, 0.0)


@pytest.mark.parametrize("few", [False, True])
def test_a_single_tab_stays_within_a_word(few: bool) -> None:
    with mock.patch("evenscore.wer.scorer.are_few", return_value=few):
        result = WerDp(synonyms=[("a\tb", "c d")]).compute(predictions=["c  d"], references=["a\tb"])
    assert result["hits"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"synonyms": PAIRS, "unit": "char"},
            "synonyms= replaces words, and unit='char' compares characters: leave one of them out",
        ),
        (
            {"synonyms": "no.txt"},
            "synonyms='no.txt': there is no such file; give the path of a file, or a list of pairs",
        ),
        ({"synonyms": "."}, "synonyms='.': this is a folder; give the path of a file, or a list of pairs"),
        ({"synonyms": {"a": "b"}}, "synonyms is of type dict: give a list of pairs of strings"),
        ({"synonyms": ["a", "b"]}, "synonyms[0] is 'a': give two strings, as in ('i am', \"i'm\")"),
        ({"synonyms": [("a", "b"), ("a",)]}, "synonyms[1] is ('a',): give two strings, as in ('i am', \"i'm\")"),
        ({"synonyms": [("a", 1)]}, "synonyms[0] is ('a', 1): give two strings, as in ('i am', \"i'm\")"),
        ({"synonyms": [("and", None)]}, "synonyms[0] is ('and', None): give two strings, as in ('i am', \"i'm\")"),
        ({"synonyms": [("a", " ")]}, "synonyms[0] is ('a', ' '): each side needs a word"),
        ({"synonyms": [("a b", "a  b")]}, "synonyms[0] is ('a b', 'a  b'): both sides are equal, so leave it out"),
        (
            {"synonyms": [("a", "!")], "transforms": ["remove_punctuation"]},
            "the transforms leave nothing of one side of the synonym ('a', '!'): leave it out",
        ),
    ],
)
def test_what_is_no_synonym_is_refused(options: dict[str, Any], message: str) -> None:
    assert refusal(lambda: evenscore.load("wer_dp", **options)) == message


# --- files

FSTALIGN = """
# a comment
i am   | i'm
okay | ok ; 'kay;okay
  till\t|until
okay | ok
"""
GLM = """;; a comment
* name "some.glm"
* case_sensitive = 'F'
'TIL   => TILL ;; a comment
[HE'S] => [{HE'S / HE IS / HE HAS}] / [ ] __ [ ]
AIN'T => [{ARE NOT / HAVE NOT}] / [ ] __ [ ]
['TIS] => 'IT IS' / __
FALKNER => FAULKNER / [WILLIAM ] __ [ JR]
DATA BASE => DATA BASE
[KM/H] => [KM PER H]
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_of_both_kinds_are_read(tmp_path: Path, end: str) -> None:
    path = tmp_path / "synonyms"
    path.write_bytes(b"\xef\xbb\xbf" + FSTALIGN.replace("\n", end).encode())
    assert read_synonyms(path) == (("i am", "i'm"), ("okay", "ok"), ("okay", "'kay"), ("till", "until"))
    path.write_bytes(GLM.replace("\n", end).encode())
    assert read_synonyms(str(path)) == (
        ("'TIL", "TILL"),
        ("HE'S", "HE IS"),
        ("HE'S", "HE HAS"),
        ("AIN'T", "ARE NOT"),
        ("AIN'T", "HAVE NOT"),
        ("'TIS", "IT IS"),
        ("WILLIAM FALKNER JR", "WILLIAM FAULKNER JR"),
        ("KM/H", "KM PER H"),
    )


LINE_FORMS = "'left | right; another right', or a rule of a GLM file, 'LEFT => RIGHT'"
STRAY_ADVICE = f"write {LINE_FORMS}, with several right sides as '{{RIGHT / ANOTHER}}'"


def test_marks_that_are_words_or_in_words_are_no_separators(tmp_path: Path) -> None:
    path = tmp_path / "synonyms"
    path.write_text("comma | ,\nand or | and/or\n1,000 | one thousand\nslash => /\n")
    assert read_synonyms(path) == (
        ("comma", ","), ("and or", "and/or"), ("1,000", "one thousand"), ("slash", "/"),
    )  # fmt: skip
    assert read_synonyms([("yes, sir", "yes sir")]) == (("yes, sir", "yes sir"),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a b", "is 'a b': write 'left | right; another right', or a rule of a GLM file, 'LEFT => RIGHT'"),
        ("a | b | c", "is 'a | b | c': write 'left | right; another right', or a rule of a GLM file, 'LEFT => RIGHT'"),
        ("a => b => c", f"is 'a => b => c': write {LINE_FORMS}"),
        ("a=>b=>c", f"is 'a=>b=>c': write {LINE_FORMS}"),
        ("* a => b => c", f"is '* a => b => c': write {LINE_FORMS}"),
        ("a | b, c", f"has ',' between the words of 'b, c': {STRAY_ADVICE}"),
        ("a , d | b", f"has ',' between the words of 'a , d': {STRAY_ADVICE}"),
        ("a ; b | c", f"has ';' between the words of 'a ; b': {STRAY_ADVICE}"),
        ("a | b / c", f"has '/' between the words of 'b / c': {STRAY_ADVICE}"),
        ("a | d => c", f"has '|' between the words of 'a | d': {STRAY_ADVICE}"),
        ("A => B / C", f"has '/' between the words of 'B / C': {STRAY_ADVICE}"),
        ("A => {B, C} / [ ] __ [ ]", f"has ',' between the words of 'B, C': {STRAY_ADVICE}"),
        ("a |", "is ('a', ''): each side needs a word"),
        ("a | b;", "is ('a', ''): each side needs a word"),
        ("| b", "is ('', 'b'): each side needs a word"),
        ("|", "is ('', ''): each side needs a word"),
        ("UH => [ ]", "is ('UH', ''): each side needs a word"),
        ("UH => {UM / @}", "is ('UH', ''): each side needs a word"),
        (
            "A => B / [ ] __S [ ]",
            "has the context '[ ] __S [ ]': write '[ ] __ [ ]', or whole words, as in '[WILLIAM ] __ [ ]'",
        ),
        (
            "A => B / [C] __",
            "has the context '[C] __': write '[ ] __ [ ]', or whole words, as in '[WILLIAM ] __ [ ]'",
        ),
    ],
)
def test_a_line_that_is_no_synonym_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "synonyms.txt"
    path.write_text(f"a | b\n{line}\n")
    assert refusal(lambda: read_synonyms(path)) == f"{path}, line 2 {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# a | b\n", "has no synonyms: write lines such as 'left | right; another right', or a rule of a GLM file, "),
        (b"a | b\n\xff | c\n", "is not UTF-8 text (byte 1 of line 2): convert it to UTF-8"),
        (b"", "has no synonyms: write lines such as"),
        (b"a | b\n" * (1 << 22), "is too long for a file of synonyms, which has at most 16777216 bytes: shorten it"),
    ],
)
def test_files_without_synonyms_and_hostile_ones_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "synonyms.txt"
    path.write_bytes(content)
    assert refusal(lambda: read_synonyms(path)).startswith(f"{path} {message}")


def test_a_long_line_is_shown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.txt"
    path.write_bytes(b"a" * (1 << 24))
    assert refusal(lambda: read_synonyms(path)).startswith(f"{path}, line 1 is 'aaaaaaaaaaaa...aaaaaaaaaaaaa': write")


# --- the command


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, lines in {**SPOKEN, "synonyms": [" | ".join(pair) for pair in PAIRS]}.items():
        (tmp_path / name).write_text("\n".join(lines))
    files = [f"--{name}={tmp_path / name}" for name in ("predictions", "references", "synonyms")]
    assert main(["score", "--metric", "wer_dp", *files, "--format", "csv"]) == 0
    assert f"wer_dp,wer,0.0,,,{WerDp(synonyms=PAIRS).compute(**SPOKEN)['signature']}" in capsys.readouterr().out
    (tmp_path / "synonyms").write_text("a b")
    assert main(["score", "--metric", "wer_dp", *files]) == 2
    assert capsys.readouterr().err.startswith(f"evenscore: wer_dp: {tmp_path}/synonyms, line 1 is 'a b': write 'left |")


def test_the_command_explains_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "wer_dp"]) == 0
    assert "--synonyms\n    type: text, path, list or None; default: None\n" in capsys.readouterr().out


def test_a_report_shows_the_readings(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    systems = {"first": ["x"] * 3, "second": SPOKEN["predictions"]}
    evenscore.report("wer_dp", systems, SPOKEN["references"], output=page, n_trials=10, synonyms=PAIRS)
    assert f"syn:{synonyms_name(PAIRS)}" in page.read_text(encoding="utf-8")
