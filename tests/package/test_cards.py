"""Cards are pages that the Hub takes, with every input and output that the code has."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from card_tables import card_path, with_declared_options
from hub_folders import contents
from huggingface_hub import SpaceCard
from small_corpus import ALL_METRICS, COLUMNS, METRICS, PREDICTIONS

import evenscore
from evenscore.bleu.options import BleuOptions
from evenscore.options import declared, resolve

FOLDERS = {name: Path(__file__).resolve().parents[2] / "metrics" / name for name in ALL_METRICS}
# As the Hub's reference of Spaces lists them.
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
# The headings of evaluate's template of a card, below the title.
TEMPLATE = [
    "## Metric Description",
    "## How to Use",
    "### Inputs",
    "### Output Values",
    "#### Values from Popular Papers",
    "### Examples",
    "## Limitations and Bias",
    "## Citation",
    "## Further References",
]
# Calls that together give every key there is.
ROWS = {"per_example": True, "confidence": 0.9, "n_resamples": 20}
NGRAM = {"source": "ngram", "train_texts": PREDICTIONS, "discount": 0.5, "per_token": True}
CALLS: dict[str, list[dict[str, Any]]] = {
    "bleu_corpus": [{**COLUMNS["bleu_corpus"], "weights": [[1.0], [0.5, 0.5]], **ROWS}],
    "rouge_l_multi": [
        {**COLUMNS["rouge_l_multi"], "rouge_types": ["rougeL", "rougeLsum", "rouge1", "rouge9"], **ROWS},
        {**COLUMNS["rouge_l_multi"], "aggregate": "none"},
    ],
    "wer_dp": [{**COLUMNS["wer_dp"], "unit": unit, "costs": (4, 3, 3), **ROWS} for unit in ("word", "char")],
    "perplexity": [
        {**COLUMNS["perplexity"], **ROWS},
        {"predictions": PREDICTIONS, **NGRAM},
        {**COLUMNS["perplexity"], "keep_rows": False},
    ],
}
# What cannot be better, and what is worse.
RIGHT, WRONG = ["the cat sat on the mat", "it is raining so"], ["the mat was on it", "so is it not"]
BEST: dict[str, dict[str, Any]] = {
    **{name: {"predictions": RIGHT, "references": RIGHT} for name in METRICS},
    "perplexity": {"predictions": RIGHT, "log_probs": [[0.0] * 6, [0.0] * 4]},
}
WORSE: dict[str, dict[str, Any]] = {
    **{name: {"predictions": WRONG, "references": RIGHT} for name in METRICS},
    "perplexity": {"predictions": RIGHT, "log_probs": [[-1.0] * 6, [-2.0] * 4]},
}
SIGNS = {"higher": 1, "lower": -1, "neither": 0}


# --- what stands in a card


def card(name: str) -> SpaceCard:
    return SpaceCard.load(FOLDERS[name] / "README.md")


def sections(name: str) -> dict[str, str]:
    """What stands under every heading, in order."""
    _, *parts = re.split(r"^(#+ .*)$", card(name).text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def table_rows(section: str) -> list[list[str]]:
    """The cells of every table's rows, their headings left out."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = {i for i, row in enumerate(rows) if set("".join(row)) == {"-"}}
    return [row for i, row in enumerate(rows) if not rules & {i, i + 1}]


def names_in(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


class Documented(NamedTuple):
    """What a card says of an output value."""

    span: str
    better: str


def output_values(name: str) -> dict[str, Documented]:
    rows = table_rows(sections(name)["### Output Values"])
    return {key: Documented(row[1], row[2]) for row in rows for key in names_in(row[0])}


def limits(span: str) -> tuple[float, float]:
    """The ends of a range as it is written."""
    first, second = re.findall(r"^(\d+) (?:to|or) (\d+|more|less)$", span)[0]
    if second == "less":
        return -math.inf, float(first)
    return float(first), math.inf if second == "more" else float(second)


# --- what the code has


@functools.cache
def returned(name: str) -> list[tuple[str, Any]]:
    """Every key of the results of CALLS, as the card has it, with its value."""
    metric, found = evenscore.load(name), []
    for call in CALLS[name]:
        options = {key: value for key, value in call.items() if key in metric.option_names()}
        headlines = metric.headlines(**options)
        found += [(in_card(key, headlines), value) for key, value in metric.compute(**call).items()]
    return found


def in_card(key: str, headlines: list[str]) -> str:
    """Keys that begin with the name of a headline share a row of the table."""
    suffixes = "low|mean|high|per_example|precision|recall"
    return re.sub(rf"^({'|'.join(headlines)})_({suffixes})$", r"<name>_\2", key)


def parts_of(value: Any) -> Iterator[Any]:
    """What a value holds, lists in lists laid open, without None."""
    if isinstance(value, (list, tuple)):
        yield from itertools.chain.from_iterable(map(parts_of, value))
    elif value is not None:
        yield value


# --- the front matter


@pytest.mark.parametrize("name", ALL_METRICS)
def test_the_front_matter_is_that_of_a_space(name: str) -> None:
    fields = card(name).data.to_dict()
    assert fields.pop("title") == name
    emoji = fields.pop("emoji")
    assert (len(emoji), unicodedata.category(emoji)) == (1, "So")
    colours = [fields.pop("colorFrom"), fields.pop("colorTo")]
    assert (len(set(colours)), set(colours) <= COLOURS) == (2, True)
    assert (fields.pop("sdk"), fields.pop("app_file"), fields.pop("pinned")) == ("gradio", "app.py", False)
    assert re.fullmatch(r"\d+\.\d+\.\d+", fields.pop("sdk_version"))
    # By these, evaluate finds metrics among Spaces.
    assert fields.pop("tags") == ["evaluate", "metric"]
    assert re.fullmatch(r"[A-Z][^\n]{20,140}\.", fields.pop("description"))
    assert fields == {}


@pytest.mark.parametrize("name", ALL_METRICS)
def test_the_space_has_its_app_and_the_gradio_that_is_pinned(name: str) -> None:
    fields = card(name).data
    assert (FOLDERS[name] / fields.app_file).is_file()
    requirements = (FOLDERS[name] / "requirements.txt").read_text(encoding="utf-8")
    assert re.findall(r"^gradio==(\S+)$", requirements, flags=re.MULTILINE) == [fields.sdk_version]


# --- the page


@pytest.mark.parametrize("name", ALL_METRICS)
def test_the_headings_are_those_of_the_template(name: str) -> None:
    title, *others = sections(name)
    assert title == f"# Metric Card for {name}"
    assert [heading for heading in others if heading in TEMPLATE] == TEMPLATE


@pytest.mark.parametrize("name", ALL_METRICS)
def test_code_stands_where_the_tests_of_documents_run_it(name: str) -> None:
    assert set(re.findall(r"^```(.+)$", card(name).text, flags=re.MULTILINE)) == {"python", "bibtex"}
    indented = [heading for heading, section in sections(name).items() if re.search(r"\n\n {4}", section)]
    # Formulas.
    assert indented == ["## Metric Description"]


@pytest.mark.parametrize("name", ALL_METRICS)
def test_the_citation_is_that_of_the_code(name: str) -> None:
    cited = re.findall(r"@\w+\{(.+?),", sections(name)["## Citation"])
    assert cited == re.findall(r"@\w+\{(.+?),", evenscore.load(name).citation)
    assert cited


@pytest.mark.parametrize("name", ALL_METRICS)
def test_files_that_are_linked_travel_with_the_card(name: str) -> None:
    """A Space is this folder alone."""
    text = contents(name)["README.md"].decode()
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("https://")]
    assert links
    assert [link for link in links if link not in contents(name)] == []


@pytest.mark.parametrize("name", ALL_METRICS)
def test_examples_of_the_published_card_need_no_evenscore(name: str) -> None:
    examples = re.findall(r"^(?:>>>|\.\.\.) .+$", contents(name)["README.md"].decode(), flags=re.MULTILINE)
    assert any(f'evaluate.load("me/{name}")' in line for line in examples)
    assert [line for line in examples if "evenscore" in line] == []


# --- inputs


@pytest.mark.parametrize("name", ALL_METRICS)
def test_inputs_are_all_there_with_their_defaults(name: str) -> None:
    metric = evenscore.load(name)
    shown = {names_in(row[0])[0]: row[-1] for row in table_rows(sections(name)["### Inputs"])}
    defaults = {name: option.default for name, option in declared(metric.scorer_type.declaration)["options"].items()}
    parameters = inspect.signature(metric.compute).parameters
    columns = set(parameters) - set(defaults)
    # What a user sees are real parameters, with these defaults.
    assert {name: parameters[name].default for name in defaults} == defaults
    assert set(shown) == columns | set(defaults)
    for option, default in defaults.items():
        value = ast.literal_eval(shown[option].strip("`"))
        assert (option, tuple(value) if isinstance(value, list) else value) == (option, default)


@pytest.mark.parametrize("name", ALL_METRICS)
def test_inputs_are_described_as_the_code_declares_them(name: str) -> None:
    text = card_path(name).read_text(encoding="utf-8")
    assert text == with_declared_options(name, text)


@pytest.mark.parametrize("name", ALL_METRICS)
def test_inputs_name_every_alias(name: str) -> None:
    named = {word.partition("=")[0] for word in names_in(sections(name)["### Inputs"])}
    aliases = set(declared(evenscore.load(name).scorer_type.declaration)["aliases"])
    assert aliases
    assert aliases - named == set()


def test_the_conventions_are_those_of_the_code() -> None:
    named = ("tokenizer", "smoothing", "reference_length")
    rows = [
        [ast.literal_eval(cell.strip("`")) for cell in row]
        for row in table_rows(sections("bleu_corpus")["#### Conventions"])
    ]
    options = {row[0]: resolve(BleuOptions, {"convention": row[0]}) for row in rows}
    assert set(options) == set(get_args(declared(BleuOptions)["types"]["convention"]))
    assert rows == [[name, *(options[name][each] for each in named)] for name in options]


# --- output values


@pytest.mark.parametrize("name", ALL_METRICS)
def test_output_values_are_all_there(name: str) -> None:
    assert set(output_values(name)) == {key for key, _ in returned(name)}


@pytest.mark.parametrize("name", ALL_METRICS)
def test_output_values_are_in_their_ranges(name: str) -> None:
    documented = output_values(name)
    for key, value in returned(name):
        parts = list(parts_of(value))
        assert parts, key
        if documented[key].span == "text":
            assert {type(part) for part in parts} == {str}, key
        else:
            low, high = limits(documented[key].span)
            # Where sacrebleu prints 100.00000000000004, so do we.
            assert all(low - 1e-9 <= part <= high + 1e-9 for part in parts), (key, value)


@pytest.mark.parametrize("name", ALL_METRICS)
def test_output_values_are_better_where_the_card_says_so(name: str) -> None:
    metric = evenscore.load(name, **ROWS)
    documented = output_values(name)
    best, worse = metric.compute(**BEST[name]), metric.compute(**WORSE[name])
    differ = set()
    for key in best:
        sign = SIGNS[documented[in_card(key, metric.headlines())].better]
        pairs = zip(parts_of(best[key]), parts_of(worse[key]), strict=True)
        gains = [sign * (a - b) for a, b in pairs] if sign else []
        assert min(gains, default=0) >= 0, key
        differ |= {key} if any(gains) else set()
    assert set(metric.headlines()) < differ


@pytest.mark.parametrize("name", ALL_METRICS)
def test_what_cannot_be_better_is_at_the_end_of_its_range(name: str) -> None:
    best = evenscore.load(name).compute(**BEST[name])
    directed = {key: value for key, value in output_values(name).items() if key in best and SIGNS[value.better]}
    ends = {key: limits(value.span)[value.better == "higher"] for key, value in directed.items()}
    bounded = {key: end for key, end in ends.items() if math.isfinite(end)}
    assert bounded
    for key, end in bounded.items():
        # As above.
        assert all(abs(part - end) < 1e-9 for part in parts_of(best[key])), key
