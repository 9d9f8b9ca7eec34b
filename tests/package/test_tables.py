"""Tables, packed files and standard input as the commands read them; scores of rows and results as CSV."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evenscore
from evenscore.cli import main
from evenscore.options import declared
from evenscore.table_files import parse_table
from tokenizers_impl import Tokenizer

PREDICTIONS = ['the cat, "sat"', "a dog\nran away", "", "cost: 3€; done", "it's\tfine", "last"]
FIRST = ["the cat, sat", "a dog\nran", "nothing", "cost: 3€; gone", "it's\tfine", "lost"]
SECOND = ["a cat sat", "the dog\nran away", "not a thing", "costs: 3€; done", "its fine", "the last"]
BOTH = [list(row) for row in zip(FIRST, SECOND, strict=True)]
METRICS = ("bleu_corpus", "rouge_l_multi", "wer_dp")


def scored(references: list[Any], **options: Any) -> dict[str, Any]:
    return {
        name: evenscore.load(name, **options).compute(predictions=PREDICTIONS, references=references)
        for name in METRICS
    }


def score(run: Any, *words: Any) -> Any:
    return json.loads(run("score", "--metric", *METRICS, *words, "--json"))


def delimited(separator: str, columns: dict[str, list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerows(
        [columns, *zip(*columns.values(), strict=True)]
    )
    return text.getvalue().encode()


def objects(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def as_jsonl(columns: dict[str, list[Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in objects(columns)).encode()


def encoded(columns: dict[str, list[Any]]) -> dict[str, bytes]:
    """The same table in every form; the ends of names are those of files."""
    return {
        "t.csv": delimited(",", columns),
        "semicolons.csv": delimited(";", columns),
        "t.tsv": delimited("\t", columns),
        "T.CSV": b"\xef\xbb\xbf" + delimited(",", columns),
        "t.jsonl": as_jsonl(columns),
        "t.ndjson": as_jsonl(columns).replace(b"\n", b"\r\n\n"),
        "list.json": json.dumps(objects(columns), ensure_ascii=False, indent=2).encode(),
        "columns.json": json.dumps(columns).encode(),
        "lines.json": as_jsonl(columns),
        "t.csv.gz": gzip.compress(delimited(",", columns)),
        "t.jsonl.gz": gzip.compress(as_jsonl(columns)),
    }


ONE_TABLE = encoded({"id": list("abcdef"), "prediction": PREDICTIONS, "reference": FIRST})


# --- the numbers


@pytest.mark.parametrize("name", ONE_TABLE)
def test_every_form_of_a_table_scores_like_its_rows(run: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(ONE_TABLE[name])
    expected = scored(list(FIRST))
    assert score(run, "--predictions", path) == expected
    assert score(run, "--predictions", path, "--references", path) == expected


@pytest.mark.parametrize("usual", ["prediction", "predictions", "hypothesis", "text"])
@pytest.mark.parametrize("reference", ["reference", "references"])
def test_columns_have_usual_names(run: Any, tmp_path: Path, usual: str, reference: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(delimited("\t", {reference: FIRST, usual: PREDICTIONS}))
    assert score(run, "--predictions", path) == scored(list(FIRST))


def test_a_text_stands_for_predictions_only_where_nothing_else_does(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(delimited(",", {"text": SECOND, "hypothesis": PREDICTIONS, "reference": FIRST}))
    assert score(run, "--predictions", path) == scored(list(FIRST))


def test_columns_are_named_by_options(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(delimited(",", {"a": FIRST, "b, c": PREDICTIONS, "d": SECOND, "prediction": SECOND}))
    named = ("--predictions", path, "--prediction-column", "b, c")
    assert score(run, *named, "--reference-column", "a") == scored(list(FIRST))
    assert score(run, *named, "--reference-column", "a", "d") == scored(BOTH)
    assert score(run, *named, "--reference-column", "a", "--reference-column", "d") == scored(BOTH)


def test_lists_of_references_stand_in_json(run: Any, tmp_path: Path) -> None:
    rows = [[first] if i % 2 else [first, second] for i, (first, second) in enumerate(BOTH)]
    path = tmp_path / "t.jsonl"
    path.write_bytes(as_jsonl({"prediction": PREDICTIONS, "references": rows}))
    assert score(run, "--predictions", path) == scored(rows)
    path.write_bytes(as_jsonl({"prediction": PREDICTIONS, "a": rows, "b": SECOND}))
    expected = scored([[*row, second] for row, second in zip(rows, SECOND, strict=True)])
    assert score(run, "--predictions", path, "--reference-column", "a", "b") == expected


def test_an_empty_cell_beside_another_reference_is_none(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    fewer = ["", *SECOND[1:-1], ""]
    path.write_bytes(delimited(",", {"prediction": PREDICTIONS, "r1": FIRST, "r2": fewer}))
    rows = [[first, second] if second else [first] for first, second in zip(FIRST, fewer, strict=True)]
    assert score(run, "--predictions", path, "--reference-column", "r1", "r2") == scored(rows)
    # A single reference may be an empty text, as a line may be.
    path.write_bytes(delimited(",", {"prediction": PREDICTIONS, "reference": fewer}))
    assert score(run, "--predictions", path) == scored(list(fewer))


def test_predictions_and_references_stand_in_files_of_several_kinds(run: Any, tmp_path: Path) -> None:
    one_line = [text.replace("\n", " ") for text in PREDICTIONS]
    (tmp_path / "hyp.txt").write_text("".join(f"{text}\n" for text in one_line), encoding="utf-8")
    (tmp_path / "a.csv").write_bytes(delimited(",", {"reference": FIRST}))
    (tmp_path / "b.json").write_bytes(json.dumps({"reference": SECOND}).encode())
    words = ("--predictions", tmp_path / "hyp.txt", "--references", tmp_path / "a.csv", tmp_path / "b.json")
    expected = {name: evenscore.load(name).compute(predictions=one_line, references=BOTH) for name in METRICS}
    assert score(run, *words) == expected
    # References that are given count, not those beside the predictions.
    (tmp_path / "t.csv").write_bytes(ONE_TABLE["t.csv"])
    assert score(run, "--predictions", tmp_path / "t.csv", "--references", tmp_path / "b.json") == scored(list(SECOND))


def test_an_option_says_how_files_are_read(run: Any, tmp_path: Path) -> None:
    odd = tmp_path / "results"
    for kind, name in [("csv", "t.csv"), ("tsv", "t.tsv"), ("jsonl", "t.jsonl"), ("json", "list.json")]:
        odd.write_bytes(ONE_TABLE[name])
        assert score(run, "--predictions", odd, "--input-format", kind) == scored(list(FIRST))
    # What a table holds can be compared as lines, too, if somebody says so.
    table = tmp_path / "t.jsonl"
    table.write_bytes(ONE_TABLE["t.jsonl"])
    result = score(run, "--predictions", table, "--references", table, "--input-format", "lines")
    assert result["wer_dp"]["wer"] == 0


def test_lines_may_be_packed(run: Any, tmp_path: Path) -> None:
    predictions, references = tmp_path / "p.txt.gz", tmp_path / "r.txt"
    predictions.write_bytes(gzip.compress(b"\xef\xbb\xbfa b\r\nc\n"))
    # Known by its first bytes as well.
    references.write_bytes(gzip.compress(b"a c\nc\n"))
    result = score(run, "--predictions", predictions, "--references", references)
    assert result["wer_dp"] == evenscore.load("wer_dp").compute(predictions=["a b", "c"], references=["a c", "c"])


def command(*words: Any, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """The real command, in a process of its own."""
    named = [sys.executable, "-m", "evenscore", *map(str, words)]
    return subprocess.run(named, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize(("kind", "name"), [("csv", "t.csv"), ("jsonl", "t.jsonl.gz"), ("json", "columns.json")])
def test_standard_input_is_read(kind: str, name: str) -> None:
    words = ("score", "--metric", "wer_dp", "--predictions", "-", "--input-format", kind, "--json")
    done = command(*words, stdin=ONE_TABLE[name])
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["wer_dp"] == scored(list(FIRST))["wer_dp"]


def test_standard_input_holds_lines_unless_an_option_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("a b\n", encoding="utf-8")
    words = ("score", "--metric", "wer_dp", "--references", tmp_path / "r.txt", "--json", "--predictions", "-")
    assert json.loads(command(*words, stdin=b"a c\n").stdout)["wer_dp"]["wer"] == 0.5
    twice = command("score", "--metric", "wer_dp", "--predictions", "-", "--references", "-", stdin=b"a c\n")
    said = "standard input cannot be both the predictions and the references: give a file for one of them"
    assert (twice.returncode, twice.stderr.decode()) == (2, f"evenscore: {said}\n")


def test_contexts_and_training_texts_stand_in_tables(run: Any, tmp_path: Path) -> None:
    train, table = tmp_path / "train.csv", tmp_path / "t.jsonl"
    contexts = [f"the {i}" for i in range(len(PREDICTIONS))]
    train.write_bytes(delimited(",", {"n": FIRST, "text": SECOND}))
    table.write_bytes(as_jsonl({"text": FIRST, "context": contexts, "before": SECOND}))
    metric = evenscore.load("perplexity", source="ngram", train_texts=SECOND, discount=0.5)
    words = ("score", "--metric", "perplexity", "--predictions", table, "--source", "ngram", "--discount", "0.5")
    found = json.loads(run(*words, "--train-texts", train, "--contexts", table, "--json"))["perplexity"]
    assert found == metric.compute(predictions=FIRST, contexts=contexts)
    found = json.loads(run(*words, "--train-texts", train, "--context-column", "before", "--json"))["perplexity"]
    assert found == metric.compute(predictions=FIRST, contexts=SECOND)
    named = json.loads(run(*words, "--train-texts", train, "--text-column", "n", "--json"))["perplexity"]
    other = evenscore.load("perplexity", source="ngram", train_texts=FIRST, discount=0.5)
    assert named == other.compute(predictions=FIRST)


def test_a_byte_order_mark_of_training_texts_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes("\ufeffa b\nc\n".encode())
    options = {"source": "ngram", "discount": 0.5}
    marked = evenscore.load("perplexity", train_texts=str(path), **options).compute(predictions=["a b"])
    assert marked == evenscore.load("perplexity", train_texts=["a b", "c"], **options).compute(predictions=["a b"])


# --- files that cannot be read


LONG = b'{"prediction": ' + 100_000 * b"[" + 100_000 * b"]" + b"}\n"


def packed(data: bytes) -> bytes:
    """A gzip file without the time, which every worker of a test run would have in other names of tests."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"", "t.csv is empty: a table needs the names of its columns, and rows"),
        ("t.jsonl", b"\n \n", "t.jsonl is empty: a table needs"),
        ("t.csv", b"\na,b\n", "t.csv begins with a blank line: begin it with the names of its columns"),
        ("t.csv", b"prediction,prediction\n1,2\n",
         "t.csv has two columns 'prediction' (its columns are prediction, prediction): rename one"),
        ("t.csv", b'prediction,reference\n"a\nb",c\nd\n', "t.csv, line 4 has 1 cell, but the header has 2; add "),
        ("t.csv", b"prediction\na,b\n", "t.csv, line 2 has 2 cells, but the header has 1; put "),
        ("t.csv", b"prediction,reference\na,b,c\n", "t.csv, line 2 has 3 cells, but the header has 2; put "),
        ("t.csv", b"prediction,reference\na,b\n\nc,d\n", "t.csv, line 3 has 0 cells, but the header has 2; add "),
        ("t.csv", b'prediction,reference\na,b\nc,"d\ne,f\n', "t.csv, line 3: a quotation mark is never closed; put "),
        ("t.csv", b'prediction,reference\na,"b"c\n', "t.csv, line 2: ',' expected after '\"'; put a cell "),
        ("t.tsv", b'prediction\treference\n"So" he\tb\n', "t.tsv, line 2: '\t' expected after '\"'; put a cell "),
        ("t.csv", b"prediction,reference\na\rb,c\n", "t.csv, line 2: new-line character seen in unquoted field"),
        ("t.csv", b"prediction,reference\na,b\ncaf\xe9,d\n", "t.csv is not UTF-8 text (byte 4 of line 3): convert "),
        ("t.csv", "prediction,reference\n".encode("utf-16"), "t.csv is UTF-16 text: convert it to UTF-8"),
        ("t.jsonl", b'{"prediction": "a"}\n\n{"prediction"}\n',
         "t.jsonl, line 3 is not valid JSON (Expecting ':' delimiter, character 14): correct or remove it"),
        ("t.jsonl", b'["a"]\n', "t.jsonl, line 1 is not a JSON object: write one such as "),
        ("t.jsonl", b'{"a": 1, "b": 2, "a": 3}\n', "t.jsonl, line 1: an object has two keys 'a': rename one"),
        ("t.jsonl", LONG, "t.jsonl, line 1 is nested too deeply to be read: make it flatter"),
        ("t.jsonl", b'{"prediction": ' + 5_000 * b"1" + b"}\n", "t.jsonl, line 1 has a number of too many digits"),
        ("t.json", b'[{"prediction": "a"},\n{"prediction": }]\n',
         "t.json, line 2 is not valid JSON (Expecting value, character 16): correct or remove it"),
        ("t.json", b'[{"prediction": "a"}, "b"]', "t.json, row 2 is not a JSON object: write one such as "),
        ("t.json", b'[{"a": 1, "a": 3}]\n', "t.json: an object has two keys 'a': rename one"),
        ("t.json", b'{"prediction": ["a"], "reference": ["a", "b"]}',
         "t.json: column 'reference' has 2 rows but 'prediction' has 1: give as many in each"),
        ("t.json", b'{"prediction": "a"}\n{"prediction": b}\n', "t.json, line 2 is not valid JSON (Expecting value, "),
        ("t.csv", b"id,question\n1,2\n",
         "t.csv has no column for predictions (prediction, predictions, hypothesis, text). Its columns are id, "
         "question: name one with --prediction-column"),
        ("t.csv", b"prediction,hypothesis\na,b\n",
         "t.csv has columns prediction and hypothesis: choose one with --prediction-column"),
        ("t.csv", b"prediction,gold\na,b\n",
         "t.csv has no column for references (reference, references). Its columns are prediction, gold: name one with "
         "--reference-column"),
        ("t.jsonl", b"{}\n", "t.jsonl has no column for predictions (prediction, predictions, hypothesis, text). "
         "Its columns are none: "),
        ("t.jsonl", b'{"prediction": "a", "reference": "b"}\n\n{"prediction": "a"}\n',
         "t.jsonl, line 3 has no 'reference': add it, or leave the row out"),
        ("t.jsonl", b'{"prediction": null, "reference": "b"}\n',
         "t.jsonl, line 1: 'prediction' is null: write \"\" for an empty text, or leave the row out"),
        ("t.json", b'[{"prediction": "a", "reference": "b"}, {"prediction": "a", "reference": null}]',
         "t.json, row 2: 'reference' is null: write \"\" for an empty text"),
        ("t.jsonl", b'{"prediction": 3, "reference": "b"}\n', "t.jsonl, line 1: 'prediction' is a number: write a te"),
        ("t.jsonl", b'{"prediction": true, "reference": "b"}\n', "t.jsonl, line 1: 'prediction' is true or false: "),
        ("t.jsonl", b'{"prediction": NaN, "reference": "b"}\n', "t.jsonl, line 1: 'prediction' is a number: write a "),
        ("t.jsonl", b'{"prediction": ["a"], "reference": "b"}\n', "t.jsonl, line 1: 'prediction' is a list: write a "),
        ("t.jsonl", b'{"prediction": "a", "reference": {}}\n', "t.jsonl, line 1: 'reference' is an object: write a "),
        ("t.jsonl", b'{"prediction": "a", "reference": []}\n',
         "t.jsonl, line 1: 'reference' is an empty list: give at least one text"),
        ("t.jsonl", b'{"prediction": "a", "reference": ["b", null]}\n', "t.jsonl, line 1: 'reference' holds null: "),
        ("t.jsonl", b'{"prediction": "a", "reference": ["b", ["c"]]}\n',
         "t.jsonl, line 1: 'reference' holds a list: write a text, in quotation marks"),
        ("t.jsonl", b'{"prediction": "\\ud800", "reference": "b"}\n',
         "t.jsonl, line 1: 'prediction' is a text with half of a surrogate pair, which is not a character: remove it"),
        ("t.csv", b"prediction,reference\n", "t.csv has no rows: give a file with at least one text"),
        ("t.json", b"[]", "t.json has no rows: give a file with at least one text"),
        ("t.csv.gz", packed(b"prediction,reference\n" + 99 * b"a,b\n")[:-9], "t.csv.gz is cut off or damaged ("),
        ("t.csv.gz", packed(b"prediction,reference\na,b\n")[:5], "t.csv.gz is cut off or damaged ("),
        ("t.csv.gz", packed(b"a") + b"more", "t.csv.gz is cut off or damaged ("),
        ("t.csv.gz", b"", "t.csv.gz is not a gzip file: pack it again, or rename it without .gz"),
        ("t.csv.gz", b"prediction,reference\na,b\n", "t.csv.gz is not a gzip file: pack it again, or rename it "),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_told_in_one_line(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    said = run("score", "--metric", "wer_dp", "--predictions", name, status=2)
    assert said.startswith(message.replace("\t", "\\t"))


def test_a_cell_may_be_long(run: Any, tmp_path: Path) -> None:
    cell = 200_000 * "y"
    (tmp_path / "t.csv").write_text(f"prediction,reference\n{cell},{cell}\n", encoding="utf-8")
    assert (
        json.loads(run("score", "--metric", "wer_dp", "--predictions", tmp_path / "t.csv", "--json"))["wer_dp"]["hits"]
        == 1
    )
    # The limit that others may have set stays.
    assert csv.field_size_limit() == 131_072


def test_blank_lines_of_one_column_are_empty_texts() -> None:
    assert parse_table("p\na\n\nb\n\n", "csv", "t.csv").rows == [{"p": "a"}, {"p": ""}, {"p": "b"}, {"p": ""}]
    assert parse_table("p,q\na,b\n\n\n", "csv", "t.csv").rows == [{"p": "a", "q": "b"}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["t.csv", "--prediction-column", "predicton"],
         "t.csv has no column 'predicton'; did you mean 'prediction'? Its columns are id, prediction, reference"),
        (["t.csv", "--reference-column", "gold"], "t.csv has no column 'gold'. Its columns are id, prediction, "),
        (["x.txt", "--references", "x.txt", "--prediction-column", "a"],
         "x.txt is read as lines, which have no column 'a': leave --prediction-column out, or give --input-format csv, "
         "tsv, jsonl or json"),
        (["t.csv", "--references", "x.txt", "--reference-column", "a"],
         "x.txt is read as lines, which have no column 'a': leave --reference-column out, "),
        (["x.txt"], "wer_dp needs references: give --references FILE"),
        (["t.csv", "--references", "x.txt"], "x.txt has 2 lines but t.csv has 6 rows"),
        (["t.csv", "--references", "short.csv"], "short.csv has 1 row but t.csv has 6"),
        (["x.txt", "--references", "t.csv"], "t.csv has 6 rows but x.txt has 2 lines"),
        (["x.txt", "--references", "a\x1b[31m\nb.csv"], "a\\x1b[31m\\nb.csv: No such file or directory"),
        (["t.csv", "--reference-column", "id", "prediction"],
         "t.csv: column 'prediction' would be compared with itself: name another one with --prediction-column or"),
        (["t.csv", "--contexts", "t.csv"], "wer_dp has no contexts: leave --contexts out"),
        (["t.csv", "--context-column", "id"], "wer_dp has no contexts: leave --context-column out"),
        (["t.csv", "--rows", "t.txt"], "--rows t.txt: name a file that ends in .csv or .jsonl"),
        (["t.csv", "--rows", "t.csv"], "t.csv is a file that the command reads, and would be replaced"),
        (["t.csv", "--rows", "absent/t.csv"], "absent/t.csv: there is no folder "),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_files_is_told_in_one_line(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(ONE_TABLE["t.csv"])
    Path("x.txt").write_bytes(b"a\nb\n")
    Path("short.csv").write_bytes(b"reference\na\n")
    assert run("score", "--metric", "wer_dp", "--predictions", *words, status=2).startswith(message)
    assert Path("t.csv").read_bytes() == ONE_TABLE["t.csv"]


def test_a_column_of_references_is_refused_where_no_metric_reads_it(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(ONE_TABLE["t.csv"])
    words = ("score", "--metric", "perplexity", "--predictions", path, "--source", "ngram", "--train-texts", path)
    assert run(*words, "--reference-column", "id", status=2) == (
        "perplexity has no references: leave --reference-column out"
    )
    assert run(*words, status=2) == (
        f"{path} has no column for training texts (text). Its columns are id, prediction, reference: "
        f"name one with --text-column"
    )


def test_lists_in_a_cell_of_csv_are_one_text_with_a_warning(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(delimited(",", {"prediction": ["a"], "references": ['["a", "b"]']}))
    assert main(["score", "--metric", "wer_dp", "--predictions", str(path)]) == 0
    assert capsys.readouterr().err.startswith(
        f"evenscore: warning: {path}, line 2: 'references' looks like a list in JSON and is read as one text. Write "
    )


# --- scores of rows, results as CSV


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("options", [{}, {"aggregate": "none", "scalars_only": True}])
def test_scores_of_rows_are_those_of_the_library(run: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    source, table, lines = tmp_path / "t.csv", tmp_path / "rows.csv", tmp_path / "rows.jsonl"
    source.write_bytes(ONE_TABLE["t.csv"])
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    words = ("--predictions", source, *given)
    results = score(run, *words)
    expected: dict[str, list[Any]] = {"row": list(range(1, len(FIRST) + 1))}
    for name in METRICS:
        metric: Any = evenscore.load(name)
        rows = metric.compute(predictions=PREDICTIONS, references=FIRST, per_example=True)
        expected |= {f"{name}_{headline}": rows[f"{headline}_per_example"] for headline in metric.headlines()}
    assert score(run, *words, "--rows", table) == results
    assert [list(map(float, row.values())) for row in read_rows(table)] == list(
        map(list, zip(*expected.values(), strict=True))
    )
    assert list(read_rows(table)[0]) == list(expected)
    assert score(run, *words, "--rows", lines) == results
    assert [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()] == objects(expected)
    # No other file is left.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", "rows.jsonl", "t.csv"]


def test_scores_of_rows_are_there_for_who_asks_twice(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_bytes(ONE_TABLE["t.csv"])
    asked = score(run, "--predictions", source, "--per-example")
    assert score(run, "--predictions", source, "--per-example", "--rows", tmp_path / "rows.csv") == asked


def test_a_file_of_rows_stays_whole_if_the_new_one_cannot_be_written(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, rows = tmp_path / "t.csv", tmp_path / "rows.csv"
    source.write_bytes(ONE_TABLE["t.csv"])
    rows.write_text("before\n", encoding="utf-8")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    words = ("score", "--metric", "wer_dp", "--predictions", source, "--rows", rows)
    assert "No space left on device" in run(*words, status=2)
    assert rows.read_text(encoding="utf-8") == "before\n"


def test_results_as_csv_have_all_digits(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_bytes(ONE_TABLE["t.csv"])
    words = ("score", "--metric", *METRICS, "--predictions", source, "--format", "csv")
    for options in ({}, {"confidence": 0.9}):
        given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        printed = list(csv.DictReader(io.StringIO(run(*words, *given))))
        results = scored(list(FIRST), **options)
        expected = [
            {
                "metric": name,
                "score": headline,
                "value": repr(results[name][headline]),
                "low": repr(results[name][f"{headline}_low"]) if options else "",
                "high": repr(results[name][f"{headline}_high"]) if options else "",
                "signature": results[name]["signature"],
            }
            for name in METRICS
            for headline in evenscore.load(name).headlines()
        ]
        assert printed == expected
    said = run(*words, "--aggregate", "none", status=2)
    assert said == f"rouge_l_multi: rougeL has {len(FIRST)} values, see --json or --rows FILE"
    assert run(*words, "--scalars-only").splitlines()[1].endswith(",")


# --- comparisons

FEW = ("--trials", "30", "--n-resamples", "30")


def compared(*systems: list[str], references: list[Any]) -> Any:
    metric: Any = evenscore.load("wer_dp", confidence=0.95, n_resamples=30)
    return metric.compare(*systems, references=references, n_trials=30)


def compare(run: Any, *words: Any) -> Any:
    printed = run("compare", *words, "--metric", "wer_dp", *FEW, "--format", "json")
    return json.loads(printed)


def test_tables_of_systems_are_compared(run: Any, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.jsonl"
    one.write_bytes(ONE_TABLE["t.csv"])
    two.write_bytes(as_jsonl({"prediction": SECOND}))
    expected = {"baseline": "one.csv", "systems": ["two.jsonl"]}
    own = compared(PREDICTIONS, SECOND, references=list(FIRST))
    assert compare(run, one, two) == {**expected, "metrics": {"wer_dp": own}}
    assert compare(run, one, two, "--references", one) == {**expected, "metrics": {"wer_dp": own}}
    # References beside a system are the same, in the same order.
    two.write_bytes(as_jsonl({"prediction": SECOND, "reference": FIRST}))
    assert compare(run, one, two) == {**expected, "metrics": {"wer_dp": own}}
    two.write_bytes(as_jsonl({"prediction": SECOND, "reference": [FIRST[0], FIRST[2], FIRST[1], *FIRST[3:]]}))
    said = run("compare", one, two, "--metric", "wer_dp", *FEW, status=2)
    assert said == (
        f"{two}, line 2 has another reference than row 2 of {one}: put the rows of all tables into one order, "
        f"or give --references FILE"
    )


def test_one_table_holds_all_systems(run: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_bytes(delimited("\t", {"a": PREDICTIONS, "b": SECOND, "c\x1b": FIRST, "reference": FIRST}))
    assert compare(run, table, "--prediction-column", "a", "b", "c\x1b") == {
        "baseline": "a",
        "systems": ["b", "c\\x1b"],
        "metrics": {"wer_dp": compared(PREDICTIONS, SECOND, list(FIRST), references=list(FIRST))},
    }
    said = run("compare", table, table, "--prediction-column", "a", "b", status=2)
    assert said.startswith("--prediction-column names 2 columns of 2 files: give one column for all files, or one file")
    assert run("compare", table, "--prediction-column", "a", status=2).startswith("no system to compare with ")


def test_comparisons_as_csv_have_all_digits(run: Any, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.jsonl"
    one.write_bytes(ONE_TABLE["t.csv"])
    two.write_bytes(as_jsonl({"prediction": SECOND}))
    printed = run("compare", one, two, "--metric", "wer_dp", *FEW, "--format", "csv")
    own = compared(PREDICTIONS, SECOND, references=list(FIRST))
    expected = [
        {
            "system": name,
            "metric": "wer_dp",
            "score": "wer",
            "value": repr(system["wer"]),
            "low": repr(system["wer_low"]),
            "high": repr(system["wer_high"]),
            "p_value": repr(system["wer_p_value"]) if "wer_p_value" in system else "",
            "signature": own["signature"],
        }
        for name, system in [("one.csv", own["baseline"]), ("two.jsonl", own["systems"][0])]
    ]
    assert list(csv.DictReader(io.StringIO(printed))) == expected


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json", "csv"])
def test_a_file_compared_with_itself_has_no_p_value(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, copy, two = tmp_path / "one.csv", tmp_path / "copy.csv", tmp_path / "two.jsonl"
    one.write_bytes(ONE_TABLE["t.csv"])
    copy.write_bytes(ONE_TABLE["t.csv"])
    two.write_bytes(as_jsonl({"prediction": SECOND}))
    words = ["compare", *map(str, (one, copy, two)), "--metric", "wer_dp", *FEW, "--format", form]
    assert main([*words, "--plot", str(tmp_path / "plot.svg")]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("evenscore: warning: copy.csv has the same counts as the baseline in every row")
    p_value = compared(PREDICTIONS, SECOND, references=list(FIRST))["systems"][0]["wer_p_value"]
    if form == "json":
        same, other = json.loads(out)["metrics"]["wer_dp"]["systems"]
        assert "wer_p_value" not in same
        assert other["wer_p_value"] == p_value
    elif form == "csv":
        assert [row["p_value"] for row in csv.DictReader(io.StringIO(out))] == ["", "", repr(p_value)]
    else:
        assert out.count(f"p = {p_value:.4f}") == out.count("p = ") == 1


# --- tokenizers


def test_tokenizers_are_trained_on_packed_files_and_tables(run: Any, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(b"the cat\r\nthe dog\n\nthe end")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    table = tmp_path / "a.jsonl"
    table.write_bytes(as_jsonl({"text": PREDICTIONS, "other": FIRST}))
    made: dict[str, bytes] = {}
    for name, words in {"plain": [plain], "packed": [packed], "table": [table, "--text-column", "other"]}.items():
        out = tmp_path / f"{name}.tokenizer"
        run("train", "--model", "byte-level-bpe", "--vocab-size", "300", "--quiet", "-o", out, *words)
        made[name] = out.read_bytes()
    assert made["plain"] == made["packed"] != made["table"]
    from tokenizers_impl.pipelines import PIPELINES

    tokenizer, trainer = PIPELINES["byte-level-bpe"](vocab_size=300, show_progress=False)
    tokenizer.train_from_iterator(FIRST, trainer)
    assert made["table"].decode() == tokenizer.to_str(pretty=True)
    said = run("train", "--model", "bpe", "--quiet", "-o", tmp_path / "x", "--text-column", "a", plain, status=2)
    assert said.startswith("--text-column names a column of a table, and the files are read as lines")


def test_tables_are_tokenized(run: Any, tmp_path: Path) -> None:
    out, table = tmp_path / "tokenizer.json", tmp_path / "a.csv"
    table.write_bytes(delimited(",", {"text": PREDICTIONS, "other": FIRST}))
    run("train", "--model", "bpe", "--vocab-size", "60", "--quiet", "-o", out, table)
    tokenizer = Tokenizer.from_file(str(out))
    for column, texts in {"text": PREDICTIONS, "other": FIRST}.items():
        printed = run("tokenize", "--tokenizer", out, "--ids", "--text-column", column, table)
        assert [list(map(int, line.split())) for line in printed.split("\n")[:-1]] == [
            tokenizer.encode(text).ids for text in texts
        ]


# --- options, names


@pytest.mark.parametrize("name", evenscore.METRICS)
def test_every_option_is_explained(run: Any, name: str) -> None:
    blocks = run("options", name).split("\n\n")
    said = declared(evenscore.load(name).scorer_type.declaration)
    shown = [" ".join(block.split()) for block in blocks]
    for block, (option, declaration) in zip(shown, said["options"].items(), strict=False):
        default = declaration.default
        value = f'"{default}"' if isinstance(default, str) else repr(default)
        assert block.startswith(f"--{option.replace('_', '-')} type: ")
        assert block.endswith(f"; default: {value} {declaration.meaning.replace('`', '')}")
    assert len(shown) == len(said["options"]) + bool(said["aliases"])
    for alias in said["aliases"]:
        assert f"--{alias.replace('_', '-')}" in shown[-1]


def test_types_are_said_in_words(run: Any) -> None:
    printed = run("options", "bleu_corpus")
    assert "--lowercase\n    type: True or False; default: False\n" in printed
    assert "--max-order\n    type: whole number; default: 4\n" in printed
    assert '--tokenizer\n    type: text, path or function; default: "13a"\n' in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scor"], "unknown command 'scor'; did you mean 'score'? Choose one of score, compare, report, options, "),
        (["x"], "unknown command 'x'. Choose one of score, compare, "),
        (["options", "bleu"], "unknown metric 'bleu'; did you mean 'bleu_corpus'? Choose one of bleu_corpus, "),
        (["publish", "wer", "--to", "a/b"], "unknown metric 'wer'; did you mean 'wer_dp'? Choose one of bleu_corpus, "),
        (
            ["score", "--metric", "rougeL", "--predictions", "a"],
            "unknown metric 'rougeL'; did you mean 'rouge_l_multi'?",
        ),
        (["compare", "a", "b", "--metric", "cer"], "unknown metric 'cer'; did you mean 'wer_dp'? Choose one of "),
    ],
)
def test_unknown_names_are_told_with_the_nearest(words: list[str], message: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("metrics", "option", "message"),
    [
        (["wer_dp"], "lowercase", "unknown option '--lowercase': for wer_dp, --transforms to_lower_case does the same"),
        (["wer_dp", "rouge_l_multi"], "lowercase", "unknown option '--lowercase': for wer_dp, --transforms "
         "to_lower_case does the same; for rouge_l_multi, --tokenizer rouge_score, the default, and --tokenizer "),
        (["bleu_corpus"], "unit", "unknown option '--unit': for bleu_corpus, --tokenizer char compares characters"),
        (["wer_dp"], "lowercse", "unknown option '--lowercse'. Known options: "),
    ],
)  # fmt: skip
def test_what_does_the_same_is_named(run: Any, tmp_path: Path, metrics: list[str], option: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(ONE_TABLE["t.csv"])
    said = run("score", "--metric", *metrics, "--predictions", path, f"--{option}", status=2)
    assert said.startswith(message)


@pytest.mark.parametrize("name", ["results.xlsx", "results.XLS", "results.ods"])
def test_spreadsheets_are_refused_with_the_way_out(run: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04")
    said = f"{path} is a spreadsheet: save it as CSV in UTF-8, and give that file"
    assert run("score", "--metric", "wer_dp", "--predictions", path, status=2) == said
    assert run("compare", path, path, status=2) == said
    assert run("train", "--model", "bpe", "-o", tmp_path / "t.json", path, status=2) == said


def test_what_is_named_does_the_same(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(delimited(",", {"prediction": ["The  Cat", "a"], "reference": ["the cat", "A"]}))
    words = ("score", "--metric", "wer_dp", "--predictions", path, "--transforms", "to_lower_case", "--json")
    assert json.loads(run(*words))["wer_dp"]["wer"] == 0
    words = ("score", "--metric", "rouge_l_multi", "--predictions", path, "--json")
    assert json.loads(run(*words))["rouge_l_multi"]["rougeL"] == 1


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "out of memory: give fewer rows at once, or use a machine with more memory"),
        (MemoryError("Unable to allocate 9 TiB"), "out of memory (Unable to allocate 9 TiB): give fewer rows at once"),
    ],
)
def test_no_memory_is_one_line(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: MemoryError, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(ONE_TABLE["t.csv"])

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("evenscore.commands.score._score", fail)
    assert run("score", "--metric", "wer_dp", "--predictions", path, status=2).startswith(message)


def test_help_names_the_command_that_explains_options(capsys: pytest.CaptureFixture[str]) -> None:
    for command_name in ("score", "compare"):
        with pytest.raises(SystemExit, match="0"):
            main([command_name, "--help"])
        assert "`evenscore options METRIC` explains them all" in capsys.readouterr().out


# --- the example, and the page about the command

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")


def test_the_table_of_the_examples_holds_the_texts_of_the_other_files() -> None:
    rows = read_rows(ROOT / "examples" / "systems.csv")
    for column in rows[0]:
        texts = (ROOT / "examples" / f"{column}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        assert [row[column] for row in rows] == texts


@pytest.mark.parametrize(("page", "fewest"), [("command.md", 6), ("ngram-models.md", 4)])
def test_the_page_shows_what_is_printed(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, fewest: int
) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```sh\n(.*?)^```\n+(?:^```text\n(.*?)^```)?", text, flags=re.DOTALL | re.MULTILINE)
    assert len(examples) >= fewest
    for words, expected in examples:
        lines = words.replace("\\\n", "").splitlines()
        *before, last = [shlex.split(line) for line in lines]
        for line in before:
            run(*line[1:])
        if last[0] == "head":
            assert Path(last[-1]).read_text(encoding="utf-8").startswith(expected)
        elif expected.startswith("evenscore: "):
            assert f"evenscore: {run(*last[1:], status=2)}\n" == expected
        else:
            printed = run(*last[1:])
            shown = expected.removesuffix("...\n")
            assert printed.startswith(shown)
            assert len(shown) < len(expected) or last[1] == "tokenize" or printed == expected


def test_the_page_names_every_command_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    for name in (
        "score",
        "compare",
        "options",
        "train",
        "tokenize",
        "tokenizers",
        "ngram train",
        "ngram score",
        "publish",
    ):
        assert f"evenscore {name}" in PAGE
        with pytest.raises(SystemExit, match="0"):
            main([*name.split(), "--help"])
        usage = capsys.readouterr().out.partition("\n\n")[0]
        assert [option for option in re.findall(r"--[a-z-]+", usage) if f"`{option}" not in PAGE] == []


def test_without_a_command_the_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for words, status in (([], 2), (["help"], 0)):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == status
        assert "compare" in "".join(capsys.readouterr())
