"""The `evenscore` command."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from example_files import EXAMPLES, LINES, ROWS
from fresh_process import run_python
from small_corpus import METRICS

import evenscore
from evenscore.cli import main
from evenscore.commands.wording import command_words
from evenscore.options import declared

FILES = [
    "--predictions", str(EXAMPLES / "predictions.txt"),
    "--references", str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt"),
]  # fmt: skip


def scored(name: str, **options: Any) -> dict[str, Any]:
    """What the library says of the example files."""
    return evenscore.load(name, **options).compute(predictions=LINES["predictions"], references=ROWS)


@pytest.fixture
def run(run: Any) -> Any:
    """Runs `evenscore score`."""
    return functools.partial(run, "score")


def as_json(run: Any, *words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_json_holds_the_whole_result(run: Any) -> None:
    assert as_json(run, "--metric", *METRICS, *FILES) == {name: scored(name) for name in METRICS}


def test_the_table_has_a_line_a_headline_and_the_signatures(run: Any) -> None:
    lines = run("--metric", "wer_dp", "bleu_corpus", *FILES).splitlines()
    wer, bleu = scored("wer_dp"), scored("bleu_corpus")
    assert [line.split() for line in lines[:4]] == [
        ["metric", "score", "value"],
        ["wer_dp", "wer", f"{wer['wer']:.4f}"],
        ["bleu_corpus", "score", f"{bleu['score']:.4f}"],
        [],
    ]
    assert lines[4:] == [f"wer_dp  {wer['signature']}", f"bleu_corpus  {bleu['signature']}"]


def test_confidence_adds_an_interval_to_every_metric(run: Any) -> None:
    options = {"confidence": 0.9, "n_resamples": 20}
    words = ("--metric", *METRICS, *FILES, "--confidence", "0.9", "--n-resamples", "20")
    assert as_json(run, *words) == {name: scored(name, **options) for name in METRICS}
    bleu = scored("bleu_corpus", **options)
    assert f"{bleu['score_low']:.4f} .. {bleu['score_high']:.4f}" in run(*words)
    assert "90 % interval" in run(*words)


def test_several_values_a_headline_are_left_to_json(run: Any) -> None:
    words = ("--metric", "rouge_l_multi", *FILES, "--aggregate", "none")
    assert f"{len(ROWS)} values, see --json" in run(*words)
    assert as_json(run, *words) == {"rouge_l_multi": scored("rouge_l_multi", aggregate="none")}


def test_resamples_of_an_aggregate_need_no_interval(run: Any) -> None:
    printed = run("--metric", "rouge_l_multi", *FILES, "--aggregate", "bootstrap", "--n-resamples", "5")
    assert scored("rouge_l_multi", aggregate="bootstrap", n_resamples=5)["signature"] in printed


def test_a_result_without_signature_has_a_table(run: Any) -> None:
    rows = run("--metric", "bleu_corpus", *FILES, "--scalars-only").split("\n")
    assert rows[0].split() == ["metric", "score", "value"]
    assert rows[1].split() == ["bleu_corpus", "score", f"{scored('bleu_corpus')['score']:.4f}"]
    assert rows[2:] == [""]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--tokenizer", "char"], {"tokenizer": "char"}),
        (["--tokenizer=char"], {"tokenizer": "char"}),
        (["--lowercase"], {"lowercase": True}),
        (["--lowercase", "True"], {"lowercase": True}),
        (["--lowercase=False"], {}),
        (["--max-order", "2"], {"max_order": 2}),
        (["--max_order", "2"], {"max_order": 2}),
        (["--lowercase", "--max-order", "2", "--tokenize", "none"],
         {"lowercase": True, "max_order": 2, "tokenizer": "none"}),
        (["--bleu_corpus.tokenizer", "none"], {"tokenizer": "none"}),
        (["--bleu-corpus.max-order=3"], {"max_order": 3}),
        (["--weights", "0.5", "0.5"], {"weights": [0.5, 0.5]}),
        (["--weights", "[0.5, 0.5]"], {"weights": [0.5, 0.5]}),
        (["--weights=[[0.5, 0.5], [1, 0]]"], {"weights": [[0.5, 0.5], [1, 0]]}),
        (["--smooth-method", "floor", "--smooth-value", "0.2"], {"smoothing": "floor", "smoothing_value": 0.2}),
        (["--smooth", "--convention", "evaluate"], {"smoothing": "add-one", "convention": "evaluate"}),
        (["--tokenizer", "None"], {}),
        (["--per-example"], {"per_example": True}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("json_first", [True, False])
def test_options_are_given_by_name(run: Any, words: list[str], options: dict[str, Any], json_first: bool) -> None:
    asked = ["--json", *words] if json_first else [*words, "--json"]
    result = json.loads(run("--metric", "bleu_corpus", *FILES, *asked))
    assert result == {"bleu_corpus": scored("bleu_corpus", **options)}


def test_an_option_goes_to_the_metrics_that_have_it(run: Any) -> None:
    printed = run(
        "--metric", *METRICS, *FILES, "--lowercase", "--seed", "7", "--bleu_corpus.tokenizer", "char",
        "--rouge_l_multi.tokenizer", "whitespace", "--wer_dp.unit", "char", "--json",
        warning="--lowercase reaches bleu_corpus only: for rouge_l_multi, --tokenizer rouge_score, the default, and "
        "--tokenizer unicode compare lower case; for wer_dp, --transforms to_lower_case does the same",
    )  # fmt: skip
    assert json.loads(printed) == {
        "bleu_corpus": scored("bleu_corpus", lowercase=True, tokenizer="char", seed=7),
        "rouge_l_multi": scored("rouge_l_multi", tokenizer="whitespace", seed=7),
        "wer_dp": scored("wer_dp", unit="char", seed=7),
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--tokenzer", "intl"],
            "unknown option '--tokenzer'; did you mean '--tokenizer'? Known options: --aggregate, --beta, ",
        ),
        (["--zzz"], "unknown option '--zzz'. Known options: --aggregate, --beta, "),
        (
            ["--bleu_corpus.unit", "char"],
            "unknown option '--unit': for bleu_corpus, --tokenizer char compares characters",
        ),
        (["--cache_dir", "x"], "unknown option '--cache-dir'. Known options: --aggregate, --beta, "),
        (["--num_process", "2"], "unknown option '--num-process'. Known options: --aggregate, --beta, "),
        (["--wer_dp.unit", "char"], "--wer_dp.unit: wer_dp is not among the metrics bleu_corpus, rouge_l_multi"),
        (["--bleu_corpus.", "char"], "unknown option '--'"),
        (["--", "char"], "unknown option '--'"),
        (["-x"], "unexpected argument '-x': options are given as --name value"),
        (["--lowercase", "maybe"], "bleu_corpus: --lowercase maybe: choose one of True, False"),
        (["--max-order", "0"], "bleu_corpus: --max-order 0: give a whole number"),
        (["--max-order"], "bleu_corpus: --max-order: give a whole number"),
        (["--max-order", "{[]: 1}"], "bleu_corpus: --max-order '{[]: 1}': give a whole number"),
        (["--bleu_corpus.tokenizer", "14a"], "bleu_corpus: --tokenizer 14a: choose one of '13a', "),
        (
            ["--tokenizer", "int"],
            "bleu_corpus: --tokenizer int: choose one of '13a', 'intl', 'char', 'zh', 'none', 'ja-mecab', 'ko-mecab', "
            "or the path of a .model or .json file; did you mean 'intl'?",
        ),
        (["--confidence", "95"], "bleu_corpus: --confidence 95: give a number above 0 and below 1, such as 0.95"),
        (["--confidence", "95%"], "bleu_corpus: --confidence 95%: give a number above 0 and below 1, such as 0.95"),
        (["--confidence", "high"], "bleu_corpus: --confidence high: give a number above 0 and below 1, such as 0.95"),
    ],
)
def test_bad_options_are_told_in_one_line(run: Any, words: list[str], message: str) -> None:
    assert run("--metric", "bleu_corpus", "rouge_l_multi", *FILES, *words, status=2).startswith(message)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["score"],
        ["rank"],
        ["score", "--metric", "bleu", *FILES],
    ],
)
def test_calls_that_cannot_be_read_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: evenscore")


# --- files


def written(folder: Path, **contents: bytes) -> dict[str, str]:
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: str(folder / name) for name in contents}


def counted(run: Any, predictions: str, *references: str) -> Any:
    """The number of rows, and the hits and the lengths of both sides."""
    words = ("--metric", "wer_dp", "--predictions", predictions, "--references", *references, "--per-example")
    result = as_json(run, *words)["wer_dp"]
    lengths = result["prediction_length"], result["reference_length"]
    return len(result["wer_per_example"]), result["hits"], *lengths


def test_line_ends_of_every_system_and_byte_order_marks_are_no_text(run: Any, tmp_path: Path) -> None:
    files = written(
        tmp_path,
        plain=b"a b\nc\n",
        unended=b"a b\nc",
        crlf=b"a b\r\nc\r\n",
        unended_crlf=b"a b\r\nc",
        marked=b"\xef\xbb\xbfa b\nc\n",
        marked_crlf=b"\xef\xbb\xbfa b\r\nc\r\n",
    )
    for path in files.values():
        assert counted(run, path, files["plain"]) == (2, 3, 3, 3)
        assert counted(run, files["plain"], path) == (2, 3, 3, 3)


def test_lines_end_at_line_feeds_alone(run: Any, tmp_path: Path) -> None:
    files = written(tmp_path, odd="a\u2028b\n\nc\x0cd\x85e\rf\n".encode(), three=b"a b\n\nc d e f\n")
    assert counted(run, files["odd"], files["three"])[0] == 3
    texts = ["a\u2028b", "", "c\x0cd\x85e\rf"]
    result = as_json(run, "--metric", "bleu_corpus", "--predictions", files["odd"], "--references", files["three"])
    assert result["bleu_corpus"] == evenscore.load("bleu_corpus").compute(
        predictions=texts, references=["a b", "", "c d e f"]
    )


def test_one_carriage_return_goes_with_the_end_of_a_line(run: Any, tmp_path: Path) -> None:
    files = written(tmp_path, odd=b"a\r\n\r\n\rb\r\r\nc\r", train=b"a b c\n")
    options = {"source": "ngram", "train_texts": files["train"], "discount": 0.5, "ngram_unit": "characters"}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    result = as_json(run, "--metric", "perplexity", "--predictions", files["odd"], *words, "--per-token")
    assert ["".join(row[:-1]) for row in result["perplexity"]["token_texts"]] == ["a", "", "\rb\r", "c"]


def test_an_empty_last_line_is_a_segment_only_if_it_is_ended(run: Any, tmp_path: Path) -> None:
    files = written(tmp_path, one=b"a\n", two=b"a\n\n", empty_line=b"\n")
    assert counted(run, files["one"], files["one"])[0] == 1
    assert counted(run, files["two"], files["two"])[0] == 2
    assert counted(run, files["empty_line"], files["empty_line"])[0] == 1


def test_bad_files_are_told_in_one_line(run: Any, tmp_path: Path) -> None:
    files = written(
        tmp_path, one=b"a\n", two=b"a\nb\n", empty=b"", latin=b"caf\xe9 au lait\n", utf16="a\n".encode("utf-16")
    )
    absent, folder = str(tmp_path / "absent"), str(tmp_path)
    for predictions, references, message in [
        (absent, [files["one"]], f"{absent}: No such file or directory"),
        (files["one"], [files["one"], absent], f"{absent}: No such file or directory"),
        (folder, [files["one"]], f"{folder}: Is a directory"),
        (files["one"], [files["two"]], f"{files['two']} has 2 lines but {files['one']} has 1"),
        (files["two"], [files["two"], files["one"]], f"{files['one']} has 1 line but {files['two']} has 2"),
        (files["one"], [files["empty"]], f"{files['empty']} has 0 lines but {files['one']} has 1"),
        (files["empty"], [files["empty"]], f"{files['empty']} has no lines: give a file with at least one text"),
        (files["latin"], [files["one"]], f"{files['latin']} is not UTF-8 text (byte 4 of line 1): convert it to UTF-8"),
        (files["one"], [files["utf16"]], f"{files['utf16']} is UTF-16 text: convert it to UTF-8"),
    ]:
        said = run("--metric", "wer_dp", "--predictions", predictions, "--references", *references, status=2)
        assert said == message


# --- as installed


def installed(*words: str) -> subprocess.CompletedProcess[str]:
    command = Path(sysconfig.get_path("scripts")) / "evenscore"
    return subprocess.run([str(command), *words], capture_output=True, text=True, check=False)


def test_the_installed_command_scores() -> None:
    done = installed("score", "--metric", "bleu_corpus", *FILES, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"bleu_corpus": scored("bleu_corpus")}


def test_the_installed_command_fails_without_a_traceback() -> None:
    done = installed("score", "--metric", "bleu_corpus", *FILES, "--tokenizer", "14a")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("evenscore: bleu_corpus: --tokenizer 14a: choose one of '13a', ")


def test_repeated_names_add_up_and_repeated_options_are_refused(run: Any) -> None:
    predictions, first, second = FILES[1], FILES[3], FILES[4]
    words = ("--metric", "wer_dp", "--metric", "bleu_corpus", "--predictions", predictions)
    printed = as_json(run, *words, "--references", first, "--references", second)
    assert printed == as_json(run, "--metric", "wer_dp", "bleu_corpus", *FILES)
    said = run("--metric", "bleu_corpus", *FILES, "--tokenizer", "intl", "--tokenizer", "zh", status=2)
    assert said.startswith("--tokenizer is given twice for bleu_corpus")


def test_an_option_that_only_one_of_several_can_take_is_told_with_the_way_out(run: Any) -> None:
    said = run("--metric", "bleu_corpus", "rouge_l_multi", *FILES, "--tokenizer", "intl", status=2)
    assert said.startswith("rouge_l_multi: --tokenizer intl: choose one of ")
    assert said.endswith("; an option for rouge_l_multi alone is --rouge_l_multi.OPTION")


def test_warnings_are_lines_without_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, russian="дом\n".encode())["russian"]
    assert main(["score", "--metric", "rouge_l_multi", "--predictions", path, "--references", path]) == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("evenscore: warning: a text loses most of its letters")


def test_a_closed_pipe_and_an_interrupt_end_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"{Path(sysconfig.get_path('scripts')) / 'evenscore'} score --metric wer_dp {' '.join(FILES)} --json"
    done = subprocess.run(["bash", "-c", f"{command} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert done.stdout.strip() == "141"
    assert "Traceback" not in done.stderr

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evenscore.commands.score._score", interrupted)
    assert main(["score", "--metric", "wer_dp", *FILES]) == 130


def test_the_version_is_printed_by_the_module_too() -> None:
    done = subprocess.run([sys.executable, "-m", "evenscore", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"evenscore {evenscore.__version__}\n"


# --- metrics without references


def test_perplexity_is_scored_without_references(run: Any, tmp_path: Path) -> None:
    train = tmp_path / "train.txt"
    train.write_text("the cat sat\na cat sat on the mat\n", encoding="utf-8")
    words = (
        "--metric",
        "perplexity",
        *FILES[:2],
        "--source",
        "ngram",
        "--train-texts",
        str(train),
        "--discount",
        "0.5",
    )
    options = {"source": "ngram", "train_texts": str(train), "discount": 0.5}
    expected = evenscore.load("perplexity", **options).compute(predictions=LINES["predictions"])
    assert as_json(run, *words) == {"perplexity": expected}
    both = as_json(run, "--metric", "wer_dp", *words[1:], *FILES[2:])
    assert both == {"wer_dp": scored("wer_dp"), "perplexity": expected}
    assert run(*words).split("\n")[1].split() == ["perplexity", "perplexity", f"{expected['perplexity']:.4f}"]


def test_references_are_asked_for_and_refused(run: Any) -> None:
    assert run("--metric", "wer_dp", *FILES[:2], status=2) == "wer_dp needs references: give --references FILE"
    words = ("--metric", "perplexity", *FILES, "--source", "ngram")
    assert run(*words, status=2) == "perplexity has no references: leave --references out"


def test_contexts_are_read_and_not_scored(run: Any, tmp_path: Path) -> None:
    contexts = [f"the cat {i}" for i in range(len(LINES["predictions"]))]
    given = tmp_path / "contexts.txt"
    given.write_text("\n".join(contexts) + "\n", encoding="utf-8")
    train = tmp_path / "train.txt"
    train.write_text("the cat 0 sat\na cat sat on the mat\n", encoding="utf-8")
    options = {"source": "ngram", "train_texts": str(train), "discount": 0.5}
    model = ("--source", "ngram", "--train-texts", str(train), "--discount", "0.5")
    words = ("--metric", "perplexity", *FILES[:2], "--contexts", str(given), *model)
    metric = evenscore.load("perplexity", **options)
    expected = metric.compute(predictions=LINES["predictions"], contexts=contexts)
    assert as_json(run, *words) == {"perplexity": expected}
    assert expected["perplexity"] != metric.compute(predictions=LINES["predictions"])["perplexity"]
    both = as_json(run, *words, "--metric", "wer_dp", *FILES[2:])
    assert both == {"perplexity": expected, "wer_dp": scored("wer_dp")}
    given.write_text("one\n", encoding="utf-8")
    assert run(*words, status=2).endswith(f"contexts.txt has 1 line but {FILES[1]} has {len(contexts)}")
    refused = run("--metric", "wer_dp", *FILES, "--contexts", str(given), status=2)
    assert refused == "wer_dp has no contexts: leave --contexts out"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tokenizers bpe.json --texts c.txt", "unknown option '--texts'; did you mean '--text'?"),
        ("score --metrics=wer_dp --predictions a", "unknown option '--metrics'; did you mean '--metric'?"),
        ("score --prediction a --unit char", "unknown option '--prediction'; did you mean '--predictions'?"),
        ("score --unit char --predictions a", "the following arguments are required: --metric"),
        ("report a b --metric wer_dp bleu_corpus -o r.html", "--metric takes one NAME: leave 'bleu_corpus' out"),
        ("report a b --metric=wer_dp bleu_corpus -o r.html", "--metric takes one NAME: leave 'bleu_corpus' out"),
        ("score --metric wer_dp --predictions a --group-column b c", "--group-column takes one NAME: leave 'c' out"),
        ("train --model bpe a -o b c", "-o takes one FILE: leave 'c' out"),
        (
            "score --metric wer_dp --predictions=",
            "argument --predictions: the name is empty: give the name of a file",
        ),
        ("ngram train a --output=", "argument -o/--output: the name is empty: give the name of a file"),
        ("ngram", "the following arguments are required: {train,score}"),
    ],
)
def test_misspelt_options_and_second_values_are_told(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    assert capsys.readouterr().err.splitlines()[-1].endswith(f" error: {message}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "score --metric wer_dp --groups a b c",
            "unknown option '--groups': give --group-column and the name of a column",
        ),
        (
            "compare --metric wer_dp --group-column a",
            "unknown option '--group-column': evenscore score and evenscore report have --group-column",
        ),
        (
            "score --metric wer_dp --per-example",
            "--per-example shows in JSON only: add --json; --rows FILE writes scores of rows",
        ),
        (
            "score --metric bleu_corpus wer_dp --wer_dp.per-example --format csv",
            "--per-example shows in JSON only: add --json; --rows FILE writes scores of rows",
        ),
        (
            "score --metric bleu_corpus wer_dp --n-resamples 10 --json",
            "--n-resamples is the number of resamples of an interval: add one by --confidence 0.95",
        ),
        ("score --metric wer_dp --synonyms", "--synonyms takes one file: write --synonyms FILE"),
        ("score --metric wer_dp --synonyms a b", "--synonyms takes one file: write --synonyms FILE"),
        ("score --metric wer_dp --synonyms no.txt", "--synonyms: no.txt is no file that exists: write --synonyms FILE"),
        ("score --metric wer_dp --synonyms .", "--synonyms: . is a folder: write --synonyms FILE"),
        ("score --metric perplexity --train-texts a b", "--train-texts takes one file: write --train-texts FILE"),
    ],
)
def test_options_that_do_not_fit_are_told_in_the_command_s_words(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = words.split()
    texts = FILES[:2] if command == "score" else [FILES[1], FILES[1]]
    assert main([command, *texts, *options]) == 2
    assert capsys.readouterr().err == f"evenscore: {message}\n"


# --- what it takes to start


@pytest.mark.parametrize("words", [["score"], ["compare"]])
def test_the_command_imports_no_host(words: list[str], tmp_path: Path) -> None:
    """evaluate imports datasets, pandas, transformers, torch where they are installed: seconds of every call."""
    references = ["--references", *FILES[3:]]
    files = FILES if words == ["score"] else [FILES[1], str(EXAMPLES / "predictions2.txt"), *references]
    program = """
        from evenscore.cli import main
        assert main(sys.argv[1:]) == 0
        heavy = {"evaluate", "datasets", "pandas", "torch", "transformers", "huggingface_hub", "matplotlib", "numba"}
        print("imported", *sorted(heavy & set(sys.modules)))
    """
    printed = run_python(program, tmp_path, *words, *files, "--metric", *METRICS, "--confidence", "0.9")
    assert printed.splitlines()[-1] == "imported"


@pytest.mark.parametrize(
    "command", ["score", "compare", "train", "tokenize", "options", "publish", "ngram", "ngram train", "ngram score"]
)
def test_help_fits_a_terminal(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main([*command.split(), "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 60


def test_help_names_the_list_of_options_before_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("score", "compare"):
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        before, _, after = capsys.readouterr().out.partition("\n  -h, --help ")
        assert "`evenscore options METRIC`" in before
        assert "--smoothing" not in after


@pytest.mark.parametrize("name", evenscore.METRICS)
def test_options_lists_every_option_of_a_metric(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", name]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    for option, said in declared(evenscore.load(name).scorer_type.declaration)["options"].items():
        assert f"--{option.replace('_', '-')} type: " in listed
        assert " ".join(said.meaning.replace("`", "").split()) in listed


def test_an_option_of_one_metric_that_has_no_like_elsewhere_needs_no_warning(run: Any) -> None:
    words = ("--metric", "wer_dp", "bleu_corpus", *FILES, "--effective-order")
    assert as_json(run, *words) == {
        "wer_dp": scored("wer_dp"),
        "bleu_corpus": scored("bleu_corpus", effective_order=True),
    }


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("smooth_method='x': choose", "--smooth-method x: choose"),
        ("give train_texts=, a list", "give --train-texts, a list"),
        ("per_example and seed need rows", "--per-example and seed need rows"),
        ("weights=[0.5, 0.5]: set force=True", "--weights 0.5 0.5: set --force"),
        ("tokenizer='it\\'s a.json'", """--tokenizer 'it'"'"'s a.json'"""),
        ("out/seed=3.txt, seed=3.txt.gz and 'seed=3'", "out/seed=3.txt, --seed 3.txt.gz and 'seed=3'"),
        ("unit=<function f>", "--unit <function f>"),
    ],
)
def test_messages_of_the_library_come_in_the_words_of_the_command(message: str, words: str) -> None:
    names = ["smooth_method", "train_texts", "per_example", "seed", "weights", "force", "tokenizer", "unit"]
    assert command_words(message, names) == words
