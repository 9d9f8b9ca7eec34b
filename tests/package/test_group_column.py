"""`evenscore score --group-column`: scores of the rows of each label, in every format."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import evenscore
from evenscore.pictures import display_width, visible

SPEAKERS = ["bob", "ann, the\n2nd", "", "bob", "猫"]
PREDICTIONS = ["a b c", "the cat", "hello you", "x", "y z"]
REFERENCES = ["a b d", "a cat", "hello there", "x", "y"]
NAMES = ["(none)" if label == "" else label for label in SPEAKERS]
METRICS = ("bleu_corpus", "wer_dp")


def csv_file(path: Path, **columns: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return csv_file(tmp_path / "t.csv", speaker=SPEAKERS, prediction=PREDICTIONS, reference=REFERENCES)


def scored(name: str, labels: list[str] = NAMES, **options: Any) -> dict[str, Any]:
    metric = evenscore.load(name, **options)
    return metric.compute(predictions=PREDICTIONS, references=REFERENCES, groups=labels)  # type: ignore[no-any-return]


def words(table: Path, *others: Any) -> list[Any]:
    return ["score", "--metric", *METRICS, "--predictions", table, "--group-column", "speaker", *others]


def test_json_holds_the_groups(run: Any, table: Path) -> None:
    assert json.loads(run(*words(table, "--json"))) == {name: scored(name) for name in METRICS}


def cells(table: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in table.splitlines()]


def test_the_table_of_groups_stands_between_totals_and_signatures(run: Any, table: Path) -> None:
    totals, groups, signatures = run(*words(table)).split("\n\n")
    assert totals.split()[:3] == ["metric", "score", "value"]
    assert signatures.split()[::2] == list(METRICS)
    bleu, wer = scored("bleu_corpus")["groups"], scored("wer_dp")["groups"]
    assert cells(groups) == [
        ["group", "rows", "bleu_corpus score", "wer_dp wer"],
        *(
            [visible(label), str(wer[label]["rows"]), f"{bleu[label]['score']:.4f}", f"{wer[label]['wer']:.4f}"]
            for label in ("bob", "ann, the\n2nd", "(none)", "猫")
        ),
    ]


def test_columns_are_aligned_as_a_terminal_shows_them(run: Any, table: Path) -> None:
    lines = run(*words(table)).split("\n\n")[1].splitlines()
    # Where the numbers of rows begin, in columns of a terminal.
    assert {display_width(re.split(r"(?<=  )(?=\S)", line)[0]) for line in lines} == {len("ann, the␊2nd") + 2}


def test_groups_have_intervals(run: Any, table: Path) -> None:
    options = {"confidence": 0.9, "n_resamples": 20}
    given = words(table, "--confidence", "0.9", "--n-resamples", "20")
    assert json.loads(run(*given, "--json")) == {name: scored(name, **options) for name in METRICS}
    header, first, *_ = cells(run(*given).split("\n\n")[1])
    assert header == ["group", "rows", "bleu_corpus score", "90 % interval", "wer_dp wer", "90 % interval"]
    wer = scored("wer_dp", **options)["groups"]["bob"]
    assert first[-2:] == [f"{wer['wer']:.4f}", f"{wer['wer_low']:.4f} .. {wer['wer_high']:.4f}"]


def test_csv_has_lines_of_groups_after_those_of_all_rows(run: Any, table: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run(*words(table, "--format", "csv", "--confidence", "0.9")), newline="")))
    results = {name: scored(name, confidence=0.9) for name in METRICS}
    expected = []
    for name, score in (("bleu_corpus", "score"), ("wer_dp", "wer")):
        parts = {"": {**results[name], "rows": ""}, **results[name]["groups"]}
        for label, part in parts.items():
            values = [str(part[key]) for key in (score, f"{score}_low", f"{score}_high")]
            expected.append([name, score, *values, results[name]["signature"], label, str(part["rows"])])
    assert [list(row.values()) for row in rows] == expected
    assert [*rows[0]] == ["metric", "score", "value", "low", "high", "signature", "group", "rows"]


def test_rows_and_groups_go_together(run: Any, table: Path, tmp_path: Path) -> None:
    written = tmp_path / "rows.jsonl"
    assert json.loads(run(*words(table, "--json", "--rows", written))) == {name: scored(name) for name in METRICS}
    rows = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert [row["wer_dp_wer"] for row in rows] == scored("wer_dp", per_example=True)["wer_per_example"]


def test_perplexity_has_groups(run: Any, table: Path) -> None:
    source = ["--source", "ngram", "--discount", "0.5", "--train-texts", table, "--text-column", "reference"]
    given = ["--metric", "perplexity", "--predictions", table, "--group-column", "speaker", *source]
    metric = evenscore.load("perplexity", source="ngram", discount=0.5, train_texts=REFERENCES)
    expected = metric.compute(predictions=PREDICTIONS, groups=NAMES)
    assert json.loads(run("score", *given, "--json")) == {"perplexity": expected}


# --- where labels stand


def test_labels_of_json_are_texts(run: Any, tmp_path: Path) -> None:
    labels: list[Any] = ["1", 1, None, True, "(none)"]
    rows = zip(labels, PREDICTIONS, REFERENCES, strict=True)
    objects = [{"speaker": label, "prediction": text, "reference": other} for label, text, other in rows]
    del objects[2]["speaker"]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects), encoding="utf-8")
    expected = scored("wer_dp", ["1", "1", "(none)", "true", '"(none)"'])["groups"]
    assert json.loads(run(*words(path, "--json")))["wer_dp"]["groups"] == expected
    assert [line[:2] for line in cells(run(*words(path)).split("\n\n")[1])[1:]] == [
        [name, str(group["rows"])] for name, group in expected.items()
    ]
    objects[1]["speaker"] = ["ann"]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects), encoding="utf-8")
    message = f"{path}, line 2: 'speaker' is a list: write a text or a number"
    assert run(*words(path), status=2) == message


def test_a_report_has_the_groups_of_score(run: Any, tmp_path: Path) -> None:
    labels = ["z", " z", "", "(none)", '"(none)"', "a", "", "z"]
    texts = [*PREDICTIONS, "a", "b", "c"]
    path = csv_file(tmp_path / "t.csv", speaker=labels, prediction=texts, other=texts[::-1], reference=texts)
    page = tmp_path / "r.html"
    given = [path, "--prediction-column", "prediction", "other", "--group-column", "speaker", "--metric", "wer_dp"]
    run("report", *given, "-o", page, "--trials", "20", "--n-resamples", "20")
    own = page.read_text(encoding="utf-8").split("<caption>By speaker</caption>")[1].split("</table>")[0]
    shown = re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th><td class="number">(\d)</td>', own)
    assert [(html.unescape(name), int(rows)) for name, rows in shown] == [
        ("z", 2), ('" z"', 1), ("(none)", 2), ('"(none)"', 1), ('""(none)""', 1), ("a", 1),
    ]  # fmt: skip
    table = run(*words(path, "--prediction-column", "prediction")).split("\n\n")[1]
    assert [line.split("  ")[0] for line in table.splitlines()[1:]] == [html.unescape(name) for name, _ in shown]


def test_labels_may_stand_in_the_table_of_the_references(run: Any, tmp_path: Path) -> None:
    lines, references = tmp_path / "hyp.txt", tmp_path / "refs.csv"
    lines.write_text("".join(f"{text}\n" for text in PREDICTIONS), encoding="utf-8")
    csv_file(references, who=SPEAKERS, reference=REFERENCES)
    plain = csv_file(tmp_path / "plain.csv", prediction=PREDICTIONS, reference=REFERENCES)
    for predictions in (lines, plain):
        given = ["--predictions", predictions, "--references", references, "--group-column", "who", "--json"]
        assert json.loads(run("score", "--metric", "wer_dp", *given))["wer_dp"] == scored("wer_dp")


def test_what_has_no_such_column_is_named(run: Any, table: Path, tmp_path: Path) -> None:
    assert run("score", "--metric", "wer_dp", "--predictions", table, "--group-column", "speakr", status=2) == (
        f"{table} has no column 'speakr'; did you mean 'speaker'? Its columns are speaker, prediction, reference: "
        "name one with --group-column"
    )
    lines = tmp_path / "hyp.txt"
    lines.write_text("a\n", encoding="utf-8")
    given = ["--metric", "wer_dp", "--predictions", lines, "--references", lines]
    assert run("score", *given, "--group-column", "speaker", status=2) == (
        f"{lines} is read as lines, which have no column 'speaker': leave --group-column out, or give --input-format "
        f"csv, tsv, jsonl or json"
    )
    second = csv_file(tmp_path / "second.csv", who=SPEAKERS, reference=REFERENCES)
    given_two = ["--metric", "wer_dp", "--predictions", table, "--references", second]
    assert run("score", *given_two, "--group-column", "wo", status=2) == (
        "--group-column wo: no table has this column; did you mean 'who'? The columns are speaker, prediction, "
        "reference, who"
    )
    shorter = csv_file(tmp_path / "refs.csv", who=["a", "b"], reference=["a", "b"])
    given = ["--metric", "perplexity", "--predictions", lines, "--source", "ngram", "--train-texts", lines]
    assert "has no references: leave --references out" in run(
        "score", *given, "--references", shorter, "--group-column", "who", status=2
    )


def test_options_that_leave_no_room_for_groups_are_named(run: Any, table: Path) -> None:
    for given, message in (
        (["--scalars-only"], "--scalars-only leaves no scores of groups: set --scalars-only False"),
        (["--keep-rows", "False"], "--keep-rows False leaves no scores of groups: set --keep-rows"),
    ):
        assert run(*words(table, *given), status=2) == message
