"""The coverage table of tokenizers_impl/README.md is what the scenarios say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tokenizer_samples import SAMPLES, found
from tokenizer_scenarios import FAILED, MODULES, coverage, failing, markdown, names, outcome

import tokenizers_impl

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated in 0.9.4")
README = Path(tokenizers_impl.__file__).parent / "README.md"
# Classes that others are made from, of which there is no object.
ABSTRACT = {
    "decoders.Decoder",
    "models.Model",
    "normalizers.Normalizer",
    "pre_tokenizers.PreTokenizer",
    "processors.PostProcessor",
    "trainers.Trainer",
}
# What is no class.
PLAIN = {"normalizers.NORMALIZERS", "normalizers.unicode_normalizer_from_str"}
# What the library has, and fails at.
LIBRARY_FAILS = [
    "ByteLevelBPETokenizer normalize",
    "NormalizedString pickle",
    "PreTokenizedString pickle",
    "Regex pickle",
    "Token pickle",
    "normalizers.Precompiled pickle",
    "normalizers.Replace pattern",
    "normalizers.Replace pickle",
    "pre_tokenizers.Split pattern",
    "decoders.DecodeStream pickle",
    "decoders.Replace pickle",
]


@cache
def table() -> dict[str, dict[str, list[str]]]:
    return coverage()


def test_every_class_that_is_there_has_an_object_to_ask() -> None:
    present = {row for row in names() if _is_there(row)}
    assert present - SAMPLES.keys() == ABSTRACT | PLAIN
    assert SAMPLES.keys() <= names().keys()


def _is_there(row: str) -> bool:
    try:
        return found(tokenizers_impl, row) is not None
    except AttributeError:
        return False


def test_names_are_taken_from_the_library() -> None:
    assert sum(map(len, names().values())) > 400
    assert {row.rpartition(".")[0] for row in names()} == set(MODULES)
    assert {"[dropout]", "dropout", "from_file", "()", "repr"} <= set(names()["models.BPE"])


def test_no_scenario_is_beside_the_point() -> None:
    assert failing() == LIBRARY_FAILS


def test_the_readme_has_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    assert markdown(table()) in text, "print the table anew: python tests/support/tokenizer_scenarios.py"


@pytest.mark.parametrize("row", sorted(SAMPLES))
def test_what_is_used_most_is_mirrored(row: str) -> None:
    """Made with defaults and with every option, used: no class differs there."""
    kinds = table()[row]
    basic = {member for members in kinds.values() for member in members if member == "()" or member.startswith("[")}
    assert basic <= set(kinds["mirrored"])
    assert outcome(tokenizers_impl, row, "()") != FAILED
