"""`evenscore ngram`: its files are the library's, its figures KenLM's."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import kenlm
import numpy as np
import pytest
from example_files import EXAMPLES

import evenscore
from evenscore.cli import main
from evenscore.perplexity.ngram.arpa import read_arpa, write_arpa
from evenscore.perplexity.ngram.source import NgramSource


def drawn_texts(count: int, seed: int) -> list[str]:
    """Texts of 1 to 12 words, of which few are frequent and many rare, as in a language."""
    draw = random.Random(seed)
    return [" ".join(f"w{draw.paretovariate(0.7):.0f}" for _ in range(draw.randint(1, 12))) for _ in range(count)]


TRAIN = drawn_texts(400, seed=21)
ASKED = [*drawn_texts(30, seed=22), "", "no such words", "w1 <unk> w2 <UNK>", "  w1\tw2  "]


def written(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return written(tmp_path / "corpus.txt", TRAIN)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return written(tmp_path / "asked.txt", ASKED)


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "lm.arpa"
    write_arpa(NgramSource.trained(TRAIN, 3).model, path)
    return path


# --- training


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--order", "5"], {"ngram_order": 5}),
        (["--order", "2", "--discount", "0.4"], {"ngram_order": 2, "discount": 0.4}),
        (["--discount", "0.5,1,1.5"], {"discount": [0.5, 1, 1.5]}),
        (["--discount", "0.5 1 1.5", "--unit", "words"], {"discount": [0.5, 1, 1.5]}),
    ],
)
def test_the_file_is_the_one_that_python_writes_and_kenlm_reads(
    run: Any, corpus: Path, words: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    run("ngram", "train", corpus, *words, "-o", tmp_path / "command.arpa")
    evenscore.load("perplexity", source="ngram", train_texts=TRAIN, **options).write_arpa(tmp_path / "python.arpa")
    assert (tmp_path / "command.arpa").read_bytes() == (tmp_path / "python.arpa").read_bytes()
    assert kenlm.Model(str(tmp_path / "command.arpa")).order == options.get("ngram_order", 3)


def test_a_model_of_characters_needs_texts_without_white_space(run: Any, corpus: Path, tmp_path: Path) -> None:
    out, joined = tmp_path / "lm.arpa", [text.replace(" ", "▁") for text in TRAIN]
    out.write_bytes(b"a file that was there before")
    words = ("ngram", "train", "--unit", "characters", "--discount", "0.5", "-o", out)
    assert run(*words, corpus, status=2).startswith("the word ' ' does not fit into an ARPA file")
    assert out.read_bytes() == b"a file that was there before"
    run(*words, written(tmp_path / "joined.txt", joined))
    model = kenlm.Model(str(out))
    found = json.loads(run("ngram", "score", out, tmp_path / "joined.txt", "--unit", "characters", "--json"))
    # KenLM reads words, so its characters are apart.
    expected = [math.fsum(log10 for log10, _, _ in model.full_scores(" ".join(text))) for text in joined]
    assert [row["log10_prob"] for row in found["rows"]] == expected


def test_what_training_prints_says_how_each_order_was_estimated(run: Any, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "lm.arpa"
    source = NgramSource.trained(TRAIN, 4)
    words = ("ngram", "train", corpus, "--order", "4", "-o", out)
    printed = json.loads(run(*words, "--json"))
    sizes = [len(level.keys) for level in read_arpa(out).levels]
    assert printed == {
        "output": str(out), "model": "ngram:4:words:mkn", "texts": len(TRAIN), "ngrams": sizes,
        "discounts": [list(three) for three in source.discounts], "fallback_orders": [],
    }  # fmt: skip
    first, empty, header, *rows = run(*words).splitlines()
    assert (first, empty) == (f"{out}: 4-grams of words, {len(TRAIN)} texts", "")
    assert header.split() == ["order", "n-grams", "D1", "D2", "D3+"]
    assert [row.split() for row in rows] == [
        [str(n), str(size), *(f"{discount:.4f}" for discount in three)]
        for n, (size, three) in enumerate(zip(sizes, source.discounts, strict=True), 1)
    ]


def test_texts_that_give_no_discounts_are_told(run: Any, tmp_path: Path) -> None:
    few, out = written(tmp_path / "few.txt", ["a b a"]), tmp_path / "lm.arpa"
    warning = (
        "the training texts are too short or too regular to estimate the discounts of order 1, 2; using 0.5, 1, 1.5: "
        "give more texts or --discount"
    )
    printed = run("ngram", "train", few, "--order", "2", "-o", out, warning=warning)
    assert printed.startswith(f"{out}: 2-grams of words, 1 text\n\n")
    assert [line.split()[-4:] for line in printed.splitlines()[3:]] == [["0.5000", "1.0000", "1.5000", "fallback"]] * 2


def test_orders_that_no_text_is_long_enough_for_are_told_once(run: Any, tmp_path: Path) -> None:
    few, out = written(tmp_path / "few.txt", ["a b a"]), tmp_path / "lm.arpa"
    warning = (
        "the training texts are too short or too regular to estimate the discounts of order 1 to 9; using 0.5, 1, 1.5: "
        "give more texts or --discount; no text is long enough for n-grams of more than 5 tokens: "
        "give --order 5 or less"
    )
    printed = run("ngram", "train", few, "--order", "9", "-o", out, warning=warning).splitlines()
    assert [line.split()[:2] for line in printed[3:8]] == [["1", "5"], ["2", "4"], ["3", "3"], ["4", "2"], ["5", "1"]]
    assert printed[8:] == ["6 to 9  0" + " " * 32 + "no text is long enough"]
    assert [len(level.keys) for level in read_arpa(out).levels] == [5, 4, 3, 2, 1, 0, 0, 0, 0]


def test_files_of_every_kind_train_the_same_model(
    run: Any, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = len(TRAIN) // 2
    packed, table = tmp_path / "a.txt.gz", tmp_path / "b.jsonl"
    packed.write_bytes(gzip.compress("".join(f"{text}\n" for text in TRAIN[:half]).encode()))
    written(table, [json.dumps({"said": text}) for text in TRAIN])
    out, expected = tmp_path / "lm.arpa", tmp_path / "expected.arpa"
    run("ngram", "train", corpus, "-o", expected)
    run("ngram", "train", table, "--text-column", "said", "-o", out)
    assert out.read_bytes() == expected.read_bytes()
    rest = "".join(f"{text}\n" for text in TRAIN[half:]).encode()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(rest)))
    run("ngram", "train", packed, "-", "-o", out)
    assert out.read_bytes() == expected.read_bytes()
    run("ngram", "train", corpus, "-o", tmp_path / "packed.arpa.gz")
    assert gzip.decompress((tmp_path / "packed.arpa.gz").read_bytes()) == expected.read_bytes()


def test_bars_of_a_training_may_be_left_out(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr("evenscore.parallel._PATIENCE", -1.0)
    words = ["ngram", "train", str(corpus), "-o", str(tmp_path / "lm.arpa")]
    assert main(words) == 0
    assert "Count n-grams" in capfd.readouterr().err
    assert main([*words, "--quiet"]) == 0
    assert capfd.readouterr().err == ""
    assert main(words) == 0
    assert "Count n-grams" in capfd.readouterr().err


# --- scoring


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ([], True, True),
        (["--start-token", "False"], False, True),
        (["--start-token", "False", "--end-token", "False"], False, False),
    ],
)
def test_every_token_and_text_has_kenlms_figures(
    run: Any, arpa: Path, tmp_path: Path, words: list[str], start: bool, end: bool
) -> None:
    texts = [text for text in ASKED if text or end]
    asked, model = written(tmp_path / "asked.txt", texts), kenlm.Model(str(arpa))
    found = json.loads(run("ngram", "score", arpa, asked, *words, "--tokens", "--json"))
    theirs = [list(model.full_scores(text, bos=start, eos=end)) for text in texts]
    ours = [
        [(token["log10_prob"], token["ngram_length"], token["unknown"]) for token in row["token_scores"]]
        for row in found["rows"]
    ]
    assert ours == theirs
    names = [[*text.split(), *["</s>"] * end] for text in texts]
    assert [[token["token"] for token in row["token_scores"]] for row in found["rows"]] == names
    for text, row, tokens in zip(texts, found["rows"], theirs, strict=True):
        assert row["log10_prob"] == math.fsum(log10 for log10, _, _ in tokens)
        assert (row["tokens"], row["unknown_tokens"]) == (len(tokens), sum(unknown for _, _, unknown in tokens))
        # KenLM adds up in float32.
        assert row["log10_prob"] == pytest.approx(model.score(text, bos=start, eos=end), rel=len(tokens) * 2.0**-24)
        if start and end:
            assert row["perplexity"] == pytest.approx(model.perplexity(text), rel=1e-5)
    check_query(found, [token for tokens in theirs for token in tokens])


def check_query(found: dict[str, Any], tokens: list[tuple[float, int, bool]]) -> None:
    """The summary of KenLM's query: its two perplexities, its OOVs and its tokens."""
    known = [log10 for log10, _, unknown in tokens if not unknown]
    assert 0 < len(known) < len(tokens)
    assert (found["tokens"], found["unknown_tokens"]) == (len(tokens), len(tokens) - len(known))
    assert found["log10_prob"] == math.fsum(log10 for log10, _, _ in tokens)
    # Two roundings of the exponent, and that of the power.
    assert found["perplexity"] == pytest.approx(10 ** -(found["log10_prob"] / len(tokens)), rel=1e-14)
    assert found["perplexity_without_unknown"] == pytest.approx(10 ** -(math.fsum(known) / len(known)), rel=1e-14)


def test_the_scores_are_those_of_evenscore_score(run: Any, arpa: Path, asked: Path) -> None:
    found = json.loads(run("ngram", "score", arpa, asked, "--json"))
    words = ("score", "--metric", "perplexity", "--source", arpa, "--predictions", asked, "--json")
    expected = json.loads(run(*words))["perplexity"]
    assert [row["perplexity"] for row in found.pop("rows")] == expected.pop("perplexities")
    log10 = found.pop("log10_prob")
    assert found == expected
    assert log10 == pytest.approx(-found["nll"] / math.log(10), rel=1e-14)


def test_every_format_has_the_same_figures(run: Any, arpa: Path, asked: Path, tmp_path: Path) -> None:
    words = ("ngram", "score", arpa, asked)
    found = json.loads(run(*words, "--tokens", "--format", "json"))
    names = ("perplexity", "perplexity_without_unknown", "log10_prob", "tokens", "unknown_tokens")
    header, *lines = csv.reader(io.StringIO(run(*words, "--format", "csv")))
    assert header == ["score", "value", "signature"]
    assert lines == [[name, str(found[name]), found["signature"]] for name in names]
    *table, empty, signature = run(*words).splitlines()
    assert [row.split() for row in table] == [["score", "value"], *([name, shown(found[name])] for name in names)]
    assert (empty, signature) == ("", f"perplexity  {found['signature']}")
    assert found["signature"].startswith("source:arpa:lm.arpa:3:words|start:bos|end:True|version:evenscore-")


def test_rows_are_written_as_they_are_in_json(run: Any, arpa: Path, asked: Path, tmp_path: Path) -> None:
    words = ("ngram", "score", arpa, asked, asked)
    rows = json.loads(run(*words, "--json"))["rows"]
    assert rows[: len(ASKED)] == rows[len(ASKED) :]
    printed = run(*words, "--rows", tmp_path / "rows.jsonl")
    assert printed == run(*words, "--rows", tmp_path / "rows.csv") == run(*words)
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    numbered = [{"row": i, **row} for i, row in enumerate(rows, 1)]
    assert [json.loads(line) for line in lines] == numbered
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        assert [*csv.DictReader(file)] == [{name: str(value) for name, value in row.items()} for row in numbered]


def shown(number: float) -> str:
    return f"{number:.4f}" if isinstance(number, float) else str(number)


def test_tokens_are_shown_as_tables(run: Any, arpa: Path, tmp_path: Path) -> None:
    asked = written(tmp_path / "asked.txt", ["w1 w2", "w1 \x1b[31mred"])
    words = ("ngram", "score", arpa, asked, "--tokens")
    found = json.loads(run(*words, "--json"))
    tokens = [(i, token) for i, row in enumerate(found["rows"], 1) for token in row["token_scores"]]
    header, *lines = csv.reader(io.StringIO(run(*words, "--format", "csv")))
    assert header == ["row", "token", "log10_prob", "ngram_length", "unknown"]
    assert lines == [
        [str(i), token["token"], str(token["log10_prob"]), str(token["ngram_length"]), str(int(token["unknown"]))]
        for i, token in tokens
    ]
    first, second, *rest = run(*words).split("\n\n")
    assert "\n\n".join(rest) == run(*words[:-1])
    of_tokens = [
        [i, token["token"].replace("\x1b", "␛"), shown(token["log10_prob"]), token["ngram_length"]]
        for i, token in tokens
    ]
    unknown = [["yes"] * token["unknown"] for _, token in tokens]
    assert [line.split() for line in first.splitlines()] == [
        header, *([*map(str, cells), *note] for cells, note in zip(of_tokens, unknown, strict=True))
    ]  # fmt: skip
    names = ["log10_prob", "tokens", "unknown_tokens", "perplexity"]
    assert [line.split() for line in second.splitlines()] == [
        ["row", *names], *([str(i), *(shown(row[name]) for name in names)] for i, row in enumerate(found["rows"], 1))
    ]  # fmt: skip


def test_no_known_token_and_no_probability_are_figures_too(run: Any, tmp_path: Path) -> None:
    model, asked = tmp_path / "lm.arpa", written(tmp_path / "asked.txt", ["x"])
    model.write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-inf\t<unk>\n-1\ta\n\n\\end\\\n")
    bare = ("--start-token", "False", "--end-token", "False")
    rows = [line.split() for line in run("ngram", "score", model, asked, *bare).splitlines()]
    assert rows[1:4] == [["perplexity", "inf"], ["perplexity_without_unknown", "none"], ["log10_prob", "-inf"]]
    assert ",\n" not in run("ngram", "score", model, asked, *bare, "--tokens", "--format", "csv")
    assert "perplexity_without_unknown,,source:" in run("ngram", "score", model, asked, *bare, "--format", "csv")


MARKED = (
    "{0}, line 2 has the word {1!r}, which marks the start or end of a text, and counts as a word here, as in KenLM: "
    "remove it, since each text gets both marks automatically"
)


@pytest.mark.parametrize(
    ("text", "words", "marker"),
    [
        ("w1 <s> w2 </s>", [], "<s>"),
        ("w1 </s>", [], "</s>"),
        ("w1 <s>", ["--start-token", "False"], "<s>"),
        ("w1 </s>", ["--end-token", "False"], ""),
    ],
)
def test_markers_in_texts_count_as_for_kenlm_and_are_told(
    run: Any, arpa: Path, tmp_path: Path, text: str, words: list[str], marker: str
) -> None:
    marked, model = written(tmp_path / "marked.txt", ["w1", text]), kenlm.Model(str(arpa))
    warning = MARKED.format(marked, marker) if marker else ""
    found = json.loads(run("ngram", "score", arpa, marked, *words, "--tokens", "--json", warning=warning))
    scores = [token["log10_prob"] for token in found["rows"][1]["token_scores"]]
    given = {"bos": "--start-token" not in words, "eos": "--end-token" not in words}
    assert scores == [log10 for log10, _, _ in model.full_scores(text, **given)]


def test_a_unit_that_cannot_be_that_of_the_file_is_told(run: Any, arpa: Path, asked: Path, tmp_path: Path) -> None:
    joined = written(tmp_path / "joined.txt", [text.replace(" ", "") for text in TRAIN])
    out = tmp_path / "characters.arpa"
    run("ngram", "train", joined, "--unit", "characters", "--discount", "0.5", "-o", out)
    run("ngram", "score", out, joined, "--unit", "characters")
    run("ngram", "score", out, written(tmp_path / "apart.txt", [" ".join(text) for text in ("w12", "<unk>")][:1]))
    first = TRAIN[0].replace(" ", "")
    warning = (
        f"every word of arpa:characters.arpa:3:words is one character, so {first!r} is unknown: set --unit characters "
        "if the model is one of characters"
    )
    run("ngram", "score", out, joined, warning=warning)
    word = next(word for word in read_arpa(arpa).vocabulary.to_pylist() if word[0] == "w")
    warning = (
        f"arpa:lm.arpa:3:characters has words such as {word!r}, which no character equals: set --unit words if the "
        "model is one of words"
    )
    run("ngram", "score", arpa, asked, "--unit", "characters", warning=warning)


def test_texts_are_read_as_by_other_commands(
    run: Any, arpa: Path, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("ngram", "score", arpa, asked)
    table, packed = written(tmp_path / "t.jsonl", [json.dumps({"text": text}) for text in ASKED]), tmp_path / "t.gz"
    packed.write_bytes(gzip.compress(asked.read_bytes()))
    assert run("ngram", "score", arpa, table) == run("ngram", "score", arpa, packed) == expected
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(asked.read_bytes())))
    assert run("ngram", "score", arpa, "-") == expected
    # The name of a file, which as a source of probabilities means a training.
    monkeypatch.chdir(tmp_path)
    Path("ngram").write_bytes(arpa.read_bytes())
    assert run("ngram", "score", "ngram", asked) == expected.replace("arpa:lm.arpa:", "arpa:ngram:")


# --- what cannot be done


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "{0}/no.txt", "-o", "{0}/x.arpa"], "{0}/no.txt: No such file or directory"),
        (["train", "{0}", "-o", "{0}/x.arpa"], "{0}: Is a directory"),
        (["train", "{0}/blank.txt", "{0}/blank.txt", "-o", "{0}/x.arpa"],
         "{0}/blank.txt, {0}/blank.txt: there are no words to train on: give files with text"),
        (["train", "{0}/asked.txt", "--order", "0", "-o", "{0}/x.arpa"], "--order 0: give 1 or more"),
        (["train", "{0}/asked.txt", "-o", "{0}/asked.txt"],
         "{0}/asked.txt is a file that the command reads, and would be replaced: name another file"),
        (["train", "{0}/asked.txt", "-o", "{0}"], "{0} is a folder: name a file"),
        (["train", "{0}/asked.txt", "-o", "{0}/no/x.arpa"], "{0}/no/x.arpa: there is no folder {0}/no: make it first"),
        (["train", "{0}/asked.txt", "--discount", "1.5", "-o", "{0}/x.arpa"],
         "--discount 1.5: give a number above 0 and below 1"),
        (["train", "{0}/asked.txt", "--ordre", "3", "-o", "{0}/x.arpa"],
         "unexpected argument '--ordre': see evenscore ngram train --help"),
        (["train", "{0}/asked.txt", "{0}/marked.txt", "-o", "{0}/x.arpa"],
         "{0}/marked.txt, line 2 has the token '<s>', which marks the start or end of a text: remove it, since each "
         "text gets both marks automatically"),
        (["score", "{0}/no.arpa", "{0}/asked.txt"], "{0}/no.arpa: No such file or directory"),
        (["score", "{0}", "{0}/asked.txt"], "{0} is a folder: name an ARPA file"),
        (["score", "/dev/null", "{0}/asked.txt"], "/dev/null is not an ordinary file: write the model to a file first"),
        (["score", "{0}/empty.txt", "{0}/asked.txt"], "{0}/empty.txt, line 0: the file is empty"),
        (["score", "{0}/marked.txt", "{0}/asked.txt"],
         "{0}/marked.txt, line 2: no line \\data\\: not an ARPA file: give the model first, then the texts"),
        (["score", "{0}/lm.arpa", "{0}/t.csv", "--text-column", "txt"],
         "{0}/t.csv has no column 'txt'; did you mean 'text'? Its columns are text: name one with --text-column"),
        (["score", "{0}/lm.arpa", "{0}/no.txt"], "{0}/no.txt: No such file or directory"),
        (["score", "{0}/lm.arpa", "{0}/empty.txt"], "{0}/empty.txt: there are no texts to score: give files with text"),
        (["score", "{0}/lm.arpa", "{0}/t.csv", "{0}/blank.txt", "--end-token", "False"],
         "{0}/blank.txt, line 1 ('') has no token to score: leave it out"),
        (["score", "{0}/lm.arpa", "{0}/asked.txt", "--start-token", "eos"],
         "--start-token eos: n-gram models only have <s>; give 'bos' or False"),
        (["score", "{0}/bare.arpa", "{0}/asked.txt"],
         "arpa:bare.arpa:1:words has no 1-gram <s>: set --start-token False"),
        (["score", "{0}/wild.arpa", "{0}/marked.txt", "{0}/t.csv", "--start-token", "False", "--end-token", "False"],
         "arpa:wild.arpa:2:words gives token 1 of {0}/t.csv, row 2 the probability 10**19: the back-off weights of the "
         "file are wrong"),
        (["score", "{0}/lm.arpa", "{0}/asked.txt", "--rows", "{0}/x.txt"],
         "--rows {0}/x.txt: name a file that ends in .csv or .jsonl"),
        (["score", "{0}/lm.arpa", "{0}/t.csv", "--rows", "{0}/t.csv"],
         "{0}/t.csv is a file that the command reads, and would be replaced: name another file"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_ends_with_a_line_and_status_2(
    run: Any, arpa: Path, asked: Path, words: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "bare.arpa").write_text("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\n\n\\end\\\n")
    written(tmp_path / "blank.txt", ["", " \t"])
    written(tmp_path / "marked.txt", ["a b", "<s> b"])
    wild = "\\data\\\nngram 1=1\nngram 2=0\n\n\\1-grams:\n-1\ta\t20\n\n\\2-grams:\n\n\\end\\\n"
    (tmp_path / "wild.arpa").write_text(wild)
    written(tmp_path / "t.csv", ["text", "a", "a a"])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    given = [word.format(tmp_path) for word in words]
    assert run("ngram", *given, status=2) == message.format(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "a", "--discount", "1,2", "-o", "b"], "'1,2': give one number, or three, such as 0.5,1,1.5"),
        (["train", "a", "--discount", "x", "-o", "b"], "'x': give one number, or three, such as 0.5,1,1.5"),
        (["train", "a"], "the following arguments are required: -o/--output"),
        (["score", "a"], "the following arguments are required: TEXT"),
        (["scor", "a"], "invalid choice: 'scor'"),
        ([], "the following arguments are required: {train,score}"),
    ],
)
def test_words_that_make_no_sense_end_with_the_usage(words: list[str], message: str, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["ngram", *words])
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_examples_of_the_repository_make_a_model(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "lm.arpa"
    run("ngram", "train", EXAMPLES / "reference1.txt", EXAMPLES / "reference2.txt", "--order", "2", "-o", out)
    texts = (EXAMPLES / "predictions.txt").read_text(encoding="utf-8").splitlines()
    found = json.loads(run("ngram", "score", out, EXAMPLES / "predictions.txt", "--json"))
    model = kenlm.Model(str(out))
    scores = np.array([[*score] for text in texts for score in model.full_scores(text)])
    assert (found["tokens"], found["unknown_tokens"]) == (len(scores), scores[:, 2].sum())
    assert found["log10_prob"] == math.fsum(scores[:, 0])
