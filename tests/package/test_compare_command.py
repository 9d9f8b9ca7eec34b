"""`evenscore compare`: the library's comparisons as tables that can be read back."""

from __future__ import annotations

import functools
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from example_files import EXAMPLES, LINES, ROWS
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from small_corpus import METRICS

import evenscore
from evenscore.cli import main
from evenscore.commands.tables import Table, as_latex, as_markdown, as_text
from evenscore.wer.scorer import Wer

ROOT = EXAMPLES.parent
SYSTEMS = ["baseline", "predictions", "predictions2"]
NAMES = [f"{name}.txt" for name in SYSTEMS]
FILES = [str(EXAMPLES / name) for name in NAMES]
REFERENCES = ["--references", str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt")]
FEW = ["--trials", "50", "--n-resamples", "50"]


def compared(name: str, systems: list[str] = SYSTEMS, **options: Any) -> dict[str, Any]:
    """What the library says of the example files."""
    test = {key: options.pop(key) for key in ("test", "n_trials") if key in options}
    metric: Any = evenscore.load(name, **{"confidence": 0.95, **options})
    return metric.compare(*(LINES[system] for system in systems), references=ROWS, **test)


@pytest.fixture
def run(run: Any) -> Any:
    """Runs `evenscore compare`."""
    return functools.partial(run, "compare")


def as_json(run: Any, *words: str) -> Any:
    return json.loads(run(*words, "--format", "json"))


# --- the values


def test_json_holds_what_the_library_says_by_default(run: Any) -> None:
    assert as_json(run, *FILES, *REFERENCES) == {
        "baseline": "baseline.txt",
        "systems": ["predictions.txt", "predictions2.txt"],
        "metrics": {name: compared(name) for name in METRICS},
    }


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--test", "randomization"], {"test": "randomization"}),
        (["--trials", "50", "--n-resamples", "20", "--seed", "3"], {"n_trials": 50, "n_resamples": 20, "seed": 3}),
        (["--confidence", "0.9", *FEW], {"confidence": 0.9, "n_trials": 50, "n_resamples": 50}),
        (["--confidence", "None", "--trials", "50"], {"confidence": None, "n_trials": 50}),
        (["--wer_dp.unit", "char", "--costs", "2", "1", "1", *FEW],
         {"unit": "char", "costs": [2, 1, 1], "n_trials": 50, "n_resamples": 50}),
    ],
)  # fmt: skip
def test_options_reach_the_comparison(run: Any, words: list[str], options: dict[str, Any]) -> None:
    result = as_json(run, *FILES, *REFERENCES, "--metric", "wer_dp", *words)["metrics"]
    assert result == {"wer_dp": compared("wer_dp", **options)}


def test_metrics_come_in_the_order_asked_for_and_once(run: Any) -> None:
    words = ("--metric", "wer_dp", "wer_dp", "--metric", "bleu_corpus", "--lowercase", "--unit", "char", *FEW)
    few = {"n_trials": 50, "n_resamples": 50}
    hints = (
        "--lowercase reaches bleu_corpus only: for wer_dp, --transforms to_lower_case does the same\n"
        "evenscore: warning: --unit reaches wer_dp only: for bleu_corpus, --tokenizer char compares characters"
    )
    result = as_json(functools.partial(run, warning=hints), *FILES[:2], *REFERENCES, *words)["metrics"]
    assert list(result) == ["wer_dp", "bleu_corpus"]
    assert result["wer_dp"] == compared("wer_dp", SYSTEMS[:2], unit="char", **few)
    assert result["bleu_corpus"] == compared("bleu_corpus", SYSTEMS[:2], lowercase=True, **few)


NGRAM = {"source": "ngram", "train_texts": LINES["reference1"], "discount": 0.5}
NGRAM_WORDS = ["--source", "ngram", "--train-texts", str(EXAMPLES / "reference1.txt"), "--discount", "0.5"]


def test_perplexities_of_texts_are_compared_under_one_model(run: Any) -> None:
    few = {"n_trials": 50, "n_resamples": 50}
    words = ("--metric", "wer_dp", "perplexity", *NGRAM_WORDS, *FEW)
    result = as_json(run, *FILES, *REFERENCES, *words)["metrics"]
    assert result["wer_dp"] == compared("wer_dp", **few)
    metric: Any = evenscore.load("perplexity", confidence=0.95, n_resamples=50, **NGRAM)
    own = result["perplexity"]
    for system, tested in zip(SYSTEMS, [own["baseline"], *own["systems"]], strict=True):
        alone = metric.compute(predictions=LINES[system])
        scores = {key: value for key, value in alone.items() if key in tested}
        assert {key: value for key, value in tested.items() if key != "perplexity_p_value"} == scores
    statistics = [{"predictions": LINES[system]} for system in SYSTEMS]
    assert own == metric.compare(*statistics, n_trials=50)
    assert own["systems"][0]["perplexity_p_value"] < 0.05
    # Alone it needs no references.
    assert as_json(run, *FILES, *words[:1], "perplexity", *words[3:])["metrics"] == {"perplexity": own}
    header, *rows = parsed_text(run(*FILES, *words[:1], "perplexity", *words[3:]))[0]
    assert header == [["system"], ["perplexity perplexity", "lower is better"]]
    assert rows[1][1][0] == f"{own['systems'][0]['perplexity']:.4f} *"


def test_every_file_is_read_once_and_every_system_counted_once(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    counted: list[list[str]] = []
    whole, count = Path.read_bytes, Wer.count
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(str(path)) or whole(path))
    monkeypatch.setattr(
        Wer, "count", lambda metric, texts, *others: counted.append(texts) or count(metric, texts, *others)
    )
    run(*FILES, *REFERENCES, *FEW)
    texts = [path for path in read if path.endswith(".txt")]
    assert sorted(texts) == sorted([*FILES, *REFERENCES[1:]])
    # One call has all systems, whose references are tokenized once.
    assert counted == [[text for system in SYSTEMS for text in LINES[system]]]


# --- the tables


def expected(confidence: float | None = 0.95) -> list[list[list[str]]]:
    """The lines of all cells, header first, made of what the library says."""
    header, columns = [["system"]], [[[name] for name in NAMES]]
    for metric in METRICS:
        result = compared(metric, confidence=confidence)
        for score in evenscore.load(metric).headlines():
            header.append([f"{metric} {score}", "lower is better" if score == "wer" else "higher is better"])
            column = []
            for system in (result["baseline"], *result["systems"]):
                p_value = system.get(f"{score}_p_value", 1)
                cell = [f"{system[score]:.4f}{' *' if p_value < 0.05 else ''}"]
                if confidence is not None:
                    cell.append(f"[{system[f'{score}_low']:.4f}, {system[f'{score}_high']:.4f}]")
                column.append([*cell, *([f"p = {p_value:.4f}"] if system is not result["baseline"] else [])])
            columns.append(column)
    return [header, *([list(cell) for cell in row] for row in zip(*columns, strict=True))]


def notes(confidence: float | None) -> list[str]:
    signatures = [f"{metric}  {compared(metric, confidence=confidence)['signature']}" for metric in METRICS]
    return [
        "* differs from baseline.txt, p < 0.05 (paired bootstrap test)",
        *([] if confidence is None else ["[low, high] is the 97.5 % interval"]),
        *signatures,
    ]


Cells = list[list[list[str]]]


def parsed_text(printed: str) -> tuple[Cells, list[str]]:
    """Cells and notes; the columns start where those of the first line do."""
    *blocks, notes = (block.split("\n") for block in printed.removesuffix("\n").split("\n\n"))
    starts = [match.start() for match in re.finditer(r"(?<!\S)\S+( \S+)*", blocks[0][0])]
    ends = [*starts[1:], None]
    cells = [
        [[line[start:end].strip() for line in block] for start, end in zip(starts, ends, strict=True)]
        for block in blocks
    ]
    return [[[line for line in cell if line] for cell in row] for row in cells], notes


def parsed_markdown(printed: str) -> tuple[Cells, list[str]]:
    table, notes = printed.removesuffix("\n").split("\n\n")
    header, rule, *rows = table.split("\n")
    cells = [[cell[1:-1] for cell in re.findall(r"((?:\\.|[^\\|])*)\|", row[1:])] for row in (header, *rows)]
    assert rule == "|" + "---|" * len(cells[0])
    return [[[unescaped(line) for line in cell.split("<br>")] for cell in row] for row in cells], [
        unescaped(note.removeprefix("- ")) for note in notes.split("\n")
    ]


def unescaped(markdown: str) -> str:
    """What Markdown shows; none of its characters may stand there unescaped."""
    assert re.fullmatch(r"(\\[!-/:-@\[-`{-~]|[^\\`*_\[\]<>|&~#$])*", markdown), markdown
    return re.sub(r"\\(.)", r"\1", markdown)


LATEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar\allowbreak{}": "|", "{[}": "[", "{]}": "]", "{*}": "*",
    **{f"\\{character}": character for character in "&%$#_{}"},
}  # fmt: skip
TOKEN = re.compile(rf"{'|'.join(map(re.escape, LATEX))}|[^\\{{}}&%$#_~^\[\]*<>|]")


def typeset(latex: str) -> str:
    """What LaTeX prints; nothing but what is known here may stand there."""
    tokens = TOKEN.findall(latex)
    assert "".join(tokens) == latex
    return "".join(LATEX.get(token, token) for token in tokens)


def parsed_latex(printed: str) -> tuple[Cells, list[str]]:
    found = re.fullmatch(
        r"\\begin\{tabular\}\{(l+)\}\n\\toprule\n(.*)\\midrule\n(.*)\\bottomrule\n\\end\{tabular\}\n\n"
        r"\\smallskip\n\{\\footnotesize\\raggedright\n(.*)\\par\}\n",
        printed,
        flags=re.DOTALL,
    )
    assert found
    columns, header, body, notes = found.groups()
    rows = []
    for block in (header, *body.split("\\addlinespace\n")):
        lines = [line.removesuffix(r" \\").split(" & ") for line in block.removesuffix("\n").split("\n")]
        assert {len(line) for line in lines} == {len(columns)}
        assert block.count("\\\\\n") == len(lines)
        rows.append([[typeset(part) for part in cell if part.strip()] for cell in zip(*lines, strict=True)])
    return rows, [typeset(note) for note in notes.split("\\par\n")]


PARSERS = {"text": parsed_text, "markdown": parsed_markdown, "latex": parsed_latex}


@pytest.mark.parametrize("form", PARSERS)
@pytest.mark.parametrize("confidence", [0.975, None])
def test_every_table_reads_back_as_the_library_says(run: Any, form: str, confidence: float | None) -> None:
    words = (*FILES, *REFERENCES, "--confidence", str(confidence), "--format", form)
    assert PARSERS[form](run(*words)) == (expected(confidence), notes(confidence))


def test_the_example_shows_systems_that_differ_and_one_that_does_not() -> None:
    marks = [[cell[0].endswith("*") for cell in row[1:]] for row in expected()[1:]]
    assert marks == [[False] * 4, [True] * 4, [True, False, False, False]]


def test_the_readme_shows_what_is_printed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```sh\n.venv/bin/evenscore compare (.*)\n```\n\n```text\n((?:.*\n)*?)```\n", text)
    assert found
    monkeypatch.chdir(ROOT)
    assert run(*shlex.split(found[1])) == found[2]


# Of every kind: printable, not blank at its ends, as names and signatures come to a table.
WORDS = st.text(st.sampled_from("ab1.-\\`*_[]<>|&~#$%^{}é"), min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=2, max_size=4), WORDS)
@examples(100)
def test_characters_with_a_meaning_come_back_from_every_table(names: list[str], note: str) -> None:
    cells = [[["system"], ["a score"]], *([[name], ["9.5", "p = 0.1"]] for name in names)]
    table = Table(cells[0], cells[1:], [note, "end"])
    assert parsed_text(f"{as_text(table)}\n") == (cells, [note, "end"])
    assert parsed_markdown(f"{as_markdown(table)}\n") == (cells, [note, "end"])
    assert parsed_latex(f"{as_latex(table)}\n") == (cells, [note, "end"])


def test_latex_compiles(run: Any, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex")
    names = ["[a_b].txt", "*50%&#1.txt", "x^~{y}$<|>.txt"]
    for path, name in zip(FILES, names, strict=True):
        shutil.copy(path, tmp_path / name)
    table = run(*(str(tmp_path / name) for name in names), *REFERENCES, *FEW, "--format", "latex")
    page = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{table}\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")


def test_the_least_p_values_are_bounds(run: Any, tmp_path: Path) -> None:
    files = written(tmp_path, worst="x\n" * 9, best="a b c d e\n" * 9)
    words = (files["worst"], files["best"], "--references", files["best"], "--metric", "wer_dp", "--trials", "10000")
    assert as_json(run, *words)["metrics"]["wer_dp"]["systems"][0]["wer_p_value"] == 1 / 10001
    assert parsed_text(run(*words))[0][2][1] == ["0.0000 *", "[0.0000, 0.0000]", "p < 0.0001"]


# --- names


def written(folder: Path, **texts: str) -> dict[str, str]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: str(folder / name) for name in texts}


def names_of(run: Any, *paths: Path) -> list[str]:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / NAMES[paths.index(path)], path)
    result = as_json(run, *map(str, paths), *REFERENCES, "--metric", "wer_dp", *FEW)
    return [result["baseline"], *result["systems"]]


def test_files_are_named_by_as_little_as_tells_them_apart(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    one, two, three = tmp_path / "one" / "out.txt", tmp_path / "two" / "out.txt", tmp_path / "three.txt"
    assert names_of(run, one, two, three) == ["one/out.txt", "two/out.txt", "three.txt"]
    deep = tmp_path / "x" / "one" / "out.txt"
    assert names_of(run, one, deep, three) == [f"{tmp_path.name}/one/out.txt", "x/one/out.txt", "three.txt"]
    monkeypatch.chdir(tmp_path)
    assert names_of(run, Path("out.txt"), Path("one/out.txt")) == ["out.txt", "one/out.txt"]


def test_line_feeds_and_bytes_that_are_no_text_are_shown_escaped(run: Any, tmp_path: Path) -> None:
    odd = tmp_path / "a\nb\udcff.txt"
    assert names_of(run, tmp_path / "base", odd) == ["base", "a\\nb\\udcff.txt"]
    paths = (str(tmp_path / "base"), str(odd))
    for form, parsed in PARSERS.items():
        cells, _ = parsed(run(*paths, *REFERENCES, "--metric", "wer_dp", *FEW, "--format", form))
        assert [row[0] for row in cells] == [["system"], ["base"], ["a\\nb\\udcff.txt"]]


@pytest.mark.parametrize("form", PARSERS)
def test_the_notes_name_the_baseline_the_test_and_the_model(run: Any, tmp_path: Path, form: str) -> None:
    odd, model = tmp_path / "a\nb", tmp_path / "c\nd.arpa"
    shutil.copy(FILES[0], odd)
    evenscore.load("perplexity", **NGRAM).write_arpa(model)
    words = ("--metric", "perplexity", "--source", str(model), "--test", "randomization", *FEW, "--format", form)
    first, *_, last = PARSERS[form](run(str(odd), *FILES[1:], *words))[1]
    assert first == "* differs from a\\nb, p < 0.05 (paired randomization test)"
    assert "|source:arpa:c\\nd.arpa:3:words|" in last


# --- warnings


def test_the_same_file_twice_is_told_in_one_line_and_gets_no_mark(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", FILES[0], FILES[1], FILES[0], *REFERENCES, *FEW]) == 0
    out, err = capsys.readouterr()
    assert err == (
        "evenscore: warning: baseline.txt (3) has the same counts as the baseline in every row, so there is no "
        "difference to test. Is it the same file?\n"
    )
    cells, _ = parsed_text(out)
    assert [row[0] for row in cells] == [["system"], ["baseline.txt (1)"], ["predictions.txt"], ["baseline.txt (3)"]]
    assert cells[3][1][:2] == cells[1][1]


@pytest.mark.parametrize("n", [1, 3, 5, 6])
def test_too_few_rows_are_told_and_get_no_mark(n: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(tmp_path, worst="x\n" * n, best="a b c d e\n" * n, references="a b c d e\n" * n)
    plot = tmp_path / "p.svg"
    words = (files["worst"], files["best"], "--references", files["references"], "--metric", "wer_dp", "--plot", plot)
    assert main(["compare", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    cells, notes = parsed_text(out)
    unit = "1 row" if n == 1 else f"{n} rows"
    few = (
        f"evenscore: warning: {unit} cannot show a difference, however small p is: a paired test needs 6 rows to reach "
        f"p < 0.05, and many more to find small differences\n"
    )
    assert err == (few if n < 6 else "")
    metric: Any = evenscore.load("wer_dp", confidence=0.95)
    tested = metric.compare(["x"] * n, ["a b c d e"] * n, references=["a b c d e"] * n)
    (system,) = tested["systems"]
    marked = n >= 6
    # The p-value stays sacrebleu's, but marks nothing.
    assert cells[2][1] == [f"0.0000{' *' * marked}", "[0.0000, 0.0000]", f"p = {system['wer_p_value']:.4f}"]
    assert notes[0].startswith("* differs") == marked
    drawn = plot.read_text(encoding="utf-8")
    assert ("p = " in drawn) == marked
    assert main(["compare", *map(str, words[:-2]), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"] == {"wer_dp": tested}


def test_an_equal_score_gets_no_p_value(run: Any, tmp_path: Path) -> None:
    rows = {"one": "a x\nb\n" * 3, "two": "a\nb c\n" * 3, "three": "a\nb\n" * 3, "references": "a y\nb\n" * 3}
    files = written(tmp_path, **rows)
    words = (files["one"], files["two"], files["three"], "--references", files["references"], "--metric", "wer_dp")
    one, two, three = rows["one"].split("\n")[:-1], rows["two"].split("\n")[:-1], rows["three"].split("\n")[:-1]
    metric: Any = evenscore.load("wer_dp", confidence=0.95)
    tested = metric.compare(one, two, three, references=rows["references"].split("\n")[:-1])
    baseline, (worse, equal) = tested["baseline"], tested["systems"]
    assert worse["wer"] != baseline["wer"] == equal["wer"]
    del equal["wer_p_value"]
    assert as_json(run, *words)["metrics"] == {"wer_dp": tested}


def test_two_warnings_are_two_lines_with_the_systems_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = written(tmp_path, russian="дом\nb\n" * 3, other="дом\nb\n" * 3, plain="a\nc\n" * 3)
    words = (files["russian"], files["plain"], files["other"], "--references", files["plain"], *FEW)
    assert main(["compare", *words]) == 0
    letters, equal = sorted(capsys.readouterr().err.splitlines(), key=lambda line: "Is it the same file" in line)
    assert letters.startswith("evenscore: warning: a text loses most of its letters")
    assert equal.startswith("evenscore: warning: other has the same counts as the baseline in every row")


# --- errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([FILES[0], *REFERENCES], f"no system to compare with {FILES[0]}: name its file after the baseline's"),
        ([*FILES, *REFERENCES, "--metric", "wer_dp", "perplexity"],
         "perplexity needs a model: give --model-id FOLDER, or --source ngram --train-texts FILE"),
        ([*FILES, *REFERENCES, "--metric", "perplexity"], "perplexity has no references: leave --references out"),
        ([*FILES, "--metric", "perplexity", "wer_dp"], "wer_dp needs references: give --references FILE"),
        (FILES, "bleu_corpus needs references: give --references FILE"),
        ([*FILES, *REFERENCES, "--tokenzer", "intl"],
         "unknown option '--tokenzer'; did you mean '--tokenizer'? Known options: "),
        ([*FILES, *REFERENCES, "--metric", "wer_dp", "--trails", "5"],
         "unknown option '--trails'; did you mean '--trials'? Known options: "),
        ([*FILES, *REFERENCES, "--trials", "0"], "--trials 0: give a whole number of at least 1"),
        ([*FILES, *REFERENCES, "--confidence", "95"],
         "bleu_corpus: --confidence 95: give a number above 0 and below 1, such as 0.95"),
        ([*FILES, *REFERENCES, "--confidence", "high"], "bleu_corpus: --confidence high: give a number above 0"),
        ([*FILES, *REFERENCES, "--wer_dp.confidence", "0.9"],
         "--wer_dp.confidence contradicts --confidence, which every metric gets: give one of them"),
        ([*FILES, *REFERENCES, "--aggregate", "none"],
         "--aggregate none needs rows, and a sum has none: set --aggregate mean"),
        ([FILES[0], *REFERENCES, "--lowercase", "--", FILES[1]], "no system to compare with "),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_told_in_one_line(run: Any, words: list[str], message: str) -> None:
    assert run(*words, status=2).startswith(message)


def test_bad_files_are_told_in_one_line(run: Any, tmp_path: Path) -> None:
    files = written(tmp_path, one="a\n", two="a\nb\n", empty="")
    one, two, empty, absent = files["one"], files["two"], files["empty"], str(tmp_path / "absent")
    for systems, references, message in [
        ([one, absent], [one], f"{absent}: No such file or directory"),
        ([one, one], [absent], f"{absent}: No such file or directory"),
        ([one, two], [one], f"{two} has 2 lines but {one} has 1"),
        ([two, two, one], [two], f"{one} has 1 line but {two} has 2"),
        ([two, two], [two, one], f"{one} has 1 line but {two} has 2"),
        ([empty, empty], [empty], f"{empty} has no lines: give a file with at least one text"),
    ]:
        assert run(*systems, "--references", *references, "--metric", "wer_dp", status=2) == message


@pytest.mark.parametrize(
    "words",
    [
        [],
        REFERENCES,
        [*FILES, *REFERENCES, "--metric", "bleu"],
        [*FILES, *REFERENCES, "--test", "t"],
        [*FILES, *REFERENCES, "--format", "html"],
        [*FILES, *REFERENCES, "--trials", "many"],
    ],
)
def test_calls_that_cannot_be_read_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["compare", *words])
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: evenscore")
