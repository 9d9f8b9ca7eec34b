"""Reports: what they hold, against the metrics and against counts by hand; texts that would be code; the browser."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_files import EXAMPLES, LINES, ROWS
from small_corpus import METRICS, refusal

import evenscore
from evenscore.bleu.scorer import Bleu
from evenscore.report_words import NGram, frequent_errors, n_gram_differences, rare_shares
from evenscore.reporting import Content, content
from evenscore.rouge.scorer import Rouge
from evenscore.text.segments import Segments
from evenscore.wer.scorer import Wer

SYSTEMS = {name: LINES[name] for name in ("baseline", "predictions", "predictions2")}
FILES = [str(EXAMPLES / f"{name}.txt") for name in SYSTEMS]
REFERENCES = ["--references", str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt")]
FEW = ["--trials", "50", "--n-resamples", "50"]
SCORERS: dict[str, type[Bleu | Rouge | Wer]] = {scorer.name: scorer for scorer in (Bleu, Rouge, Wer)}
HOSTILE = (
    "</script></style></title><img src=x onerror=document.title='x'><svg onload=document.title='x'> &amp; {{ 7*7 }}"
)


def computed(name: str, groups: Any = None, n_rows: int = 300, **options: Any) -> Content:
    """What a report on the examples shows."""
    scorer = SCORERS[name](**{"confidence": 0.95, "n_resamples": 50, **options})
    return content(scorer, SYSTEMS, ROWS, groups or {}, "bootstrap", 50, n_rows)


# --- what is computed


@pytest.mark.parametrize("name", METRICS)
def test_rows_are_those_with_the_largest_differences(name: str) -> None:
    shown = computed(name, n_rows=7)
    metric = evenscore.load(name)
    scores = [
        metric.compute(predictions=own, references=ROWS, per_example=True)[f"{shown.score}_per_example"]
        for own in SYSTEMS.values()
    ]
    differences = [
        (-abs(scores[k][i] - scores[0][i]), i + 1, k, scores[k][i] - scores[0][i])
        for i in range(len(ROWS)) for k in (1, 2) if scores[k][i] != scores[0][i]
    ]  # fmt: skip
    expected = [(row, list(SYSTEMS)[k], difference) for _, row, k, difference in sorted(differences)[:7]]
    assert [(row.number, row.system, row.difference) for row in shown.rows] == expected
    assert shown.n_different == len(differences)
    first = shown.rows[0]
    pictures = [
        metric.picture(SYSTEMS[system][first.number - 1], ROWS[first.number - 1]) for system, _ in first.pictures
    ]
    assert [picture for _, picture in first.pictures] == [picture.body() for picture in pictures]
    assert {picture.css() for picture in pictures} == {shown.css}


@pytest.mark.parametrize("name", METRICS)
def test_classes_have_the_scores_of_their_rows(name: str) -> None:
    values = ["a" if i % 3 else "b" for i in range(len(ROWS))]
    *_, group = computed(name, {"domain": values}).divisions
    assert (group.title, [(each.name, each.n_rows) for each in group.classes]) == (
        "By domain", [("b", values.count("b")), ("a", values.count("a"))]
    )  # fmt: skip
    for each in group.classes:
        rows = [i for i, value in enumerate(values) if value == each.name]
        metric = evenscore.load(name)
        alone = [
            metric.compute(predictions=[own[i] for i in rows], references=[ROWS[i] for i in rows])
            for own in SYSTEMS.values()
        ]
        assert each.scores == [result[computed(name).score] for result in alone]


def test_the_largest_of_many_groups_are_shown_in_the_order_of_their_rows() -> None:
    labels = [*range(60), *range(59, 20, -1)]
    texts = ["x"] * len(labels)
    *_, group = content(Wer(), {"a": texts, "b": [*texts[:-1], "y"]}, texts, {"g": labels}, "bootstrap", 9, 9).divisions
    assert [(each.name, each.n_rows) for each in group.classes] == [
        ("0", 1), *((str(label), 2) for label in range(21, 60)),
    ]  # fmt: skip
    assert group.note == "The 40 largest of 60 groups."


@pytest.mark.parametrize("name", METRICS)
def test_every_row_is_in_one_class_and_in_one_bin(name: str) -> None:
    shown = computed(name)
    assert [sum(each.n_rows for each in division.classes) for division in shown.divisions] == [len(ROWS)] * 2
    assert [sum(each.counts) for each in shown.distributions] == [len(ROWS)] * 3


def test_an_error_rate_above_1_has_a_bin_of_its_own() -> None:
    shown = content(Wer(), {"a": ["x y z", "x", "y"], "b": ["x"] * 3}, ["x", "x", "x"], {}, "bootstrap", 9, 9)
    counts = shown.distributions[0].counts
    assert (counts[0], counts[19], counts[20], sum(counts)) == (1, 1, 1, 3)


def test_frequent_errors_are_those_of_error_counts() -> None:
    metric = evenscore.load("wer_dp")
    counts = [metric.error_counts(own, ROWS) for own in SYSTEMS.values()]
    shown = frequent_errors([Wer().alignments(own, ROWS) for own in SYSTEMS.values()], " ", 10**6)
    for kind, entries in shown.items():
        names = {"substitutions": lambda e: (e.reference, e.prediction), "insertions": lambda e: e.prediction}
        error = names.get(kind, lambda e: e.reference)
        for k, own in enumerate(counts):
            assert {error(each): each.counts[k] for each in entries if each.counts[k]} == dict(own[kind])
        totals = [sum(each.counts) for each in entries]
        assert totals == sorted(totals, reverse=True)


def test_an_example_is_the_reference_around_the_error() -> None:
    (error,) = frequent_errors([Wer().alignments(["a b c d e X g"], ["a b c d e f g"])], " ", 5)["substitutions"]
    assert error == ("f", "X", [1], (1, "b c d e", "g"))


def naive_n_grams(systems: list[list[str]], references: list[list[str]]) -> dict[str, tuple[int, list[int], int]]:
    """For each n-gram: its count in the references, each system's clipped matches, and the first row that has it."""
    found: dict[str, tuple[int, list[int], int]] = {}
    for row, own in enumerate(references):
        highest: Counter[str] = functools.reduce(lambda a, b: a | b, map(n_grams_of, own))
        matches = [n_grams_of(system[row]) & highest for system in systems]
        for n_gram, count in highest.items():
            before, counts, first = found.get(n_gram, (0, [0] * len(systems), row + 1))
            found[n_gram] = (before + count, [a + b[n_gram] for a, b in zip(counts, matches, strict=True)], first)
    return found


def n_grams_of(text: str) -> Counter[str]:
    words = text.split()
    return Counter(" ".join(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1))


@pytest.mark.parametrize("scorer", [Bleu(tokenizer="none"), Rouge(tokenizer="whitespace")])
def test_n_grams_are_counted_as_by_hand(scorer: Any) -> None:
    systems = list(SYSTEMS.values())
    texts = [text for own in systems for text in own] + [text for row in ROWS for text in row]
    counts = np.array([len(row) for row in ROWS])
    found = n_gram_differences(scorer.tokens(texts), 3, counts, 10**6)
    naive = naive_n_grams(systems, ROWS)
    for k, (own, missed) in enumerate(found, 1):
        for entries, more, less in ((own, k, 0), (missed, 0, k)):
            expected = {
                NGram(n_gram, count, matches[0], matches[k], row)
                for n_gram, (count, matches, row) in naive.items() if matches[more] > matches[less]
            }  # fmt: skip
            assert set(entries) == expected
            assert len(entries) == len(expected)
            sides = [(e.system, e.baseline) if more else (e.baseline, e.system) for e in entries]
            scores = [(a + 1) / (a + b + 2) for a, b in sides]
            assert scores == sorted(scores, reverse=True)


def test_texts_without_tokens_have_no_n_grams() -> None:
    assert n_gram_differences(Bleu().tokens(["", "", ""]), 2, np.array([1]), 5) == [([], [])]
    assert n_gram_differences(Bleu().tokens(["a", "b", ""]), 2, np.array([1]), 5) == [([], [])]


def test_rare_tokens_are_a_tenth_of_all_at_most() -> None:
    # Of 40 tokens, 2 occur once, 2 twice, 36 are one word.
    texts = Segments(np.array([1, 2, 3, 3, *[9] * 36]), np.array([0, 4, 40]))
    shares, limit = rare_shares(texts)
    assert (shares.tolist(), limit) == ([1.0, 0.0], 2)
    assert rare_shares(Segments(np.array([], np.int64), np.array([0, 0])))[0].tolist() == [0.0]


def test_long_texts_leave_room_for_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenscore.reporting._CHARACTERS", 20_000)
    shown = computed("wer_dp")
    assert 0 < len(shown.rows) < shown.n_different
    assert sum(len(text) for row in shown.rows for _, text in (*row.texts, *row.pictures)) <= 20_000


def test_one_of_a_kind_is_no_plural_and_names_are_distinct(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    names = {"prediction": ["x"], " prediction": ["y"]}
    evenscore.report("wer_dp", names, ["x"], output=page, groups={"who": [" ann"]}, n_trials=9, n_resamples=9)
    source = page.read_text(encoding="utf-8")
    assert re.findall(r"\b1 (?:rows|systems|differences)\b", source) == []
    assert "<p>1 row. The first" in source
    assert "<p>The only difference between" in source
    assert "<bdi>&#34; prediction&#34;</bdi>" in source
    assert '<th scope="row"><bdi>&#34; ann&#34;</bdi>' in source
    (heads,) = re.findall(r"<caption>Substitutions</caption>\s*<thead>(.*?)</thead>", source)
    assert re.findall(r">([^<>]+)<", heads) == [
        "in the reference", "in the prediction", "prediction", "&#34; prediction&#34;", "example",
    ]  # fmt: skip


def test_few_rows_have_no_p_values() -> None:
    shown = content(Wer(), {"a": ["x"], "b": ["y"]}, ["x"], {}, "bootstrap", 9, 9)
    assert [row.beside for row in shown.panels[0].rows] == ["0.0000", "1.0000"]


# --- what is refused


def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    report = functools.partial(evenscore.report, references=["a", "b"], output=tmp_path / "report.html")
    two = {"x": ["a", "b"], "y": ["a", "c"]}
    cases: dict[str, Any] = {
        "1 system: give the texts of a baseline and of one or more systems, by name":
            lambda: report("wer_dp", {"x": ["a", "b"]}),
        "x has 2 rows but y has 1: give both the same rows": lambda: report("wer_dp", {"x": ["a", "b"], "y": ["a"]}),
        "perplexity compares no predictions with references: choose one of bleu_corpus, rouge_l_multi, wer_dp":
            lambda: report("perplexity", two),
        "groups['g'] has 1 label for 2 rows: give one label per row":
            lambda: report("wer_dp", two, groups={"g": ["a"]}),
        "groups['g'] is 'ab' (str): give a list of labels, as in [groups['g']]":
            lambda: report("wer_dp", two, groups={"g": "ab"}),
        'systems is of type list: give columns by name, as in {"mine": predictions, "yours": others}':
            lambda: report("wer_dp", [["a", "b"], ["a", "c"]]),
        'systems has the name 1: give a string, as in {"mine": predictions, "yours": others}':
            lambda: report("wer_dp", {1: ["a", "b"], 2: ["a", "c"]}),
        'groups is of type list: give columns by name, as in {"speaker": labels}':
            lambda: report("wer_dp", two, groups=["a", "b"]),
        "metric is of type list: give one of bleu_corpus, rouge_l_multi, wer_dp, perplexity":
            lambda: report(["wer_dp"], two),
        "n_rows=-1: give a whole number of at least 0": lambda: report("wer_dp", two, n_rows=-1),
        "output='report.txt': name a file that ends in .html or .htm":
            lambda: report("wer_dp", [], output="report.txt"),
    }  # fmt: skip
    assert {message: refusal(call) for message, call in cases.items()} == {message: message for message in cases}
    assert not (tmp_path / "report.html").exists()


def test_a_loaded_metric_brings_its_options(tmp_path: Path) -> None:
    metric = evenscore.load("wer_dp", unit="char", seed=3)
    pages = []
    for given, options in ((metric, {}), ("wer_dp", {"unit": "char", "seed": 3})):
        page = tmp_path / f"{len(pages)}.html"
        evenscore.report(given, SYSTEMS, ROWS, output=page, n_resamples=20, n_trials=20, **options)
        pages.append(page.read_bytes())
    assert pages[0] == pages[1]
    assert b"unit:char" in pages[0]
    other = evenscore.load("perplexity")
    said = refusal(lambda: evenscore.report(other, SYSTEMS, ROWS, output=tmp_path / "p.html"))
    assert said.startswith("perplexity compares no predictions with references")


def test_a_misspelt_argument_may_be_one_of_the_function(tmp_path: Path) -> None:
    for given in ("wer_dp", evenscore.load("wer_dp")):
        said = refusal(lambda given=given: evenscore.report(given, SYSTEMS, ROWS, output=tmp_path / "r.html", n_row=5))
        assert said.startswith("unknown option 'n_row'; did you mean 'n_rows'? Known options: ")


# --- the page


class Page(HTMLParser):
    """The elements of a page with their attributes, and what is in scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [own for name, own in self.elements if name == tag]


def hostile(name: str, path: Path) -> Page:
    """A report in which every text, name and group would be code if it were not escaped."""
    texts = [f"{HOSTILE} {word}" for word in "abcdefgh"]
    systems = {HOSTILE: texts, f"second {HOSTILE}": [f"x {text} y" for text in texts[::-1]]}
    rows = [f"{text} z" for text in texts]
    evenscore.report(name, systems, rows, output=path, groups={HOSTILE: texts}, n_resamples=20, n_trials=20)
    return Page(path)


@pytest.mark.parametrize("name", METRICS)
def test_texts_are_never_code(name: str, tmp_path: Path) -> None:
    page = hostile(name, tmp_path / "report.html")
    assert page.named("img") == []
    assert [len(page.named(tag)) for tag in ("script", "style", "title")] == [
        1,
        1,
        1 + len(re.findall(r" rows?</title>", page.source)),
    ]
    assert [own for _, own in page.elements if any(key.startswith("on") for key in own)] == []
    assert "49" not in re.findall(r"amp;amp; (\S+)", page.source)
    assert page.source.count("&lt;img src=x") > 8


@pytest.mark.parametrize("name", METRICS)
def test_a_page_loads_nothing(name: str, tmp_path: Path) -> None:
    page = hostile(name, tmp_path / "report.html")
    addresses = [own[key] for _, own in page.elements for key in ("src", "href", "srcset", "action") if key in own]
    assert all(address and address.startswith("#") for address in addresses)
    assert page.named("link") == page.named("iframe") == []
    style = re.search(r"<style>(.*?)</style>", page.source, flags=re.DOTALL)
    assert style
    assert not re.search(r"url\(|@import|https?:", style[1])
    (policy,) = [own["content"] for own in page.named("meta") if own.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", METRICS)
def test_equal_calls_write_equal_pages_with_every_section(name: str, tmp_path: Path) -> None:
    paths = [tmp_path / "a.html", tmp_path / "b.html"]
    for path in paths:
        evenscore.report(name, SYSTEMS, ROWS, output=path, n_resamples=20, n_trials=20, n_rows=5)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    page = Page(paths[0])
    sections = ["systems", "distributions", "different", "classes", "errors" if name == "wer_dp" else "n-grams"]
    assert [own["id"] for own in page.named("h2")] == sections
    places = {own["id"] for _, own in page.elements if "id" in own}
    assert {str(own["href"])[1:] for own in page.named("a")} <= places
    assert len(page.named("details")) == 5


def test_systems_that_never_differ_have_a_page(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="the same counts as the baseline"):
        evenscore.report("wer_dp", {"a": ["", "x"], "b": ["", "x"]}, ["", "x"], output=tmp_path / "r.html")
    assert "No row&#39;s" not in Page(tmp_path / "r.html").source
    assert "No row's wer differs from the baseline's." in Page(tmp_path / "r.html").source


# --- the command


@pytest.fixture
def run(run: Any) -> Any:
    """Runs `evenscore report`."""
    return functools.partial(run, "report")


def test_the_command_writes_the_library_s_page(run: Any, tmp_path: Path) -> None:
    assert run(*FILES, *REFERENCES, "--metric", "wer_dp", "--unit", "char", *FEW, "-o", tmp_path / "a.html") == (
        f"{tmp_path}/a.html: report on 3 systems\n"
    )
    named = {Path(file).name: SYSTEMS[Path(file).stem] for file in FILES}
    few = {"n_trials": 50, "n_resamples": 50}
    evenscore.report("wer_dp", named, ROWS, output=tmp_path / "b.html", unit="char", **few)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_the_columns_of_a_table_divide_the_rows(run: Any, tmp_path: Path) -> None:
    table = tmp_path / "systems.jsonl"
    rows = [{"a": "x", "b": "y", "reference": "x", "year": 2000 + i % 2, "domain": "<b>"} for i in range(8)]
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = (table, "--prediction-column", "a", "b", "--metric", "wer_dp", *FEW, "--output", tmp_path / "r.html")
    run(*words, "--group-column", "year", "domain")
    source = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.findall(r"<caption>(By [a-z ]+)</caption>", source) == [
        "By reference length", "By share of rare words", "By year", "By domain",
    ]  # fmt: skip
    assert "<bdi>2001</bdi>" in source
    assert run(*words, "--group-column", "yaer", status=2) == (
        f"{table} has no column 'yaer'; did you mean 'year'? Its columns are a, b, reference, year, "
        "domain: name one with --group-column"
    )


def test_what_the_command_refuses(run: Any, tmp_path: Path) -> None:
    words = (*FILES, *REFERENCES, "--output", tmp_path / "r.html")
    assert run(*words, "--metric", "perplexity", status=2).startswith("perplexity has no references: leave")
    page = tmp_path / "texts.html"
    page.write_text("a\n")
    words_of_page = (page, page, "--references", page, "--metric", "wer_dp")
    assert run(*words_of_page, "-o", page, status=2).endswith("name another file")
    said = "--output x.txt: name a file that ends in .html or .htm"
    assert run(*words_of_page, "-o", "x.txt", status=2) == said
    few = ("--trials", "9", "--rows", "-1", "-o", tmp_path / "r.html")
    assert run(*FILES, *REFERENCES, "--metric", "wer_dp", *few, status=2) == (
        "--rows -1: give a whole number of at least 0"
    )
    assert "no system to compare" in run(FILES[0], *REFERENCES, "--metric", "wer_dp", "-o", "r.html", status=2)
    assert "leave --group-column out" in run(*words, "--metric", "wer_dp", "--group-column", "x", status=2)
    assert not (tmp_path / "r.html").exists()


def test_a_file_given_twice_is_two_systems(run: Any, tmp_path: Path) -> None:
    said = (
        "baseline.txt (2) has the same counts as the baseline in every row, so there is no difference to test. Is it "
        "the same file?"
    )
    words = (FILES[0], FILES[0], *REFERENCES, "--metric", "wer_dp", *FEW, "-o", tmp_path / "r.html")
    run(*words, warning=said)
    assert "baseline.txt (2)" in (tmp_path / "r.html").read_text(encoding="utf-8")


# --- many rows


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_a_report_on_20000_rows_can_be_mailed(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    words = np.array([f"word{i}" for i in range(5000)])
    rows = [words[rng.integers(0, 5000, 25) * rng.integers(0, 2, 25)].tolist() for _ in range(20_000)]
    systems = {
        system: [" ".join(word if rng.random() > share else "x" for word in row) for row in rows]
        for system, share in {"a": 0.2, "b": 0.3}.items()
    }
    evenscore.report(name, systems, [" ".join(row) for row in rows], output=tmp_path / "r.html")
    assert len(Page(tmp_path / "r.html").named("details")) == 300
    assert (tmp_path / "r.html").stat().st_size < 12_000_000


# --- the page in a browser


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """A Chromium of its own."""
    browser = pytest.importorskip("browser")
    if browser.MISSING:
        pytest.skip(f"not installed: {', '.join(browser.MISSING)}")
    (tmp_path / "profile").mkdir()
    with browser.browser(tmp_path / "profile") as opened:
        yield opened


def shown_rows(page: Any) -> list[str]:
    return [each.text for each in page.elements("#rows > .row:not([hidden]) > summary > b")]


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_rows_are_searched_sorted_and_opened(name: str, page: Any, tmp_path: Path) -> None:
    evenscore.report(name, SYSTEMS, ROWS, output=tmp_path / "r.html", n_resamples=20, n_trials=20)
    url = (tmp_path / "r.html").as_uri()
    page.open(url)
    assert page.text("#count") == f"{len(shown_rows(page))} differences"
    page.script(
        "document.querySelector('[name=sort]').value = 'row'; document.forms[0].dispatchEvent(new Event('input'))"
    )
    numbers = [int(row.split()[1]) for row in shown_rows(page)]
    assert numbers == sorted(numbers)
    # The slash goes to the search, and what is typed there stays text.
    page.press("/lighthouse")
    assert set(shown_rows(page)) == {"row 39"}
    assert page.text("#count").endswith(f" of {len(numbers)} differences")
    page.press("\ue004" * (3))
    page.press("\ue007")
    assert page.elements("#rows > .row[open]:not([hidden])")
    page.script("location.hash = 'row-18'")
    page.until(lambda: page.elements("#row-18[open]:not([hidden])"))
    assert page.foreign_requests(url) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_pages_fit_phones_and_have_names(name: str, page: Any, tmp_path: Path) -> None:
    hostile(name, tmp_path / "r.html")
    for width in (1280, 390):
        for dark in (False, True):
            page.open((tmp_path / "r.html").as_uri(), width=width, dark=dark)
            assert page.script("return document.documentElement.scrollWidth <= window.innerWidth")
            assert page.script("return document.title").startswith(name)
            assert page.elements("img") == []
            # Dark pages have light text.
            ink = page.script("return getComputedStyle(document.body).color").removeprefix("rgb(").rstrip(")")
            assert (int(ink.split(",")[0]) > 128) == dark
    assert page.nameless(("textbox", "searchbox", "combobox", "image", "link")) == []
