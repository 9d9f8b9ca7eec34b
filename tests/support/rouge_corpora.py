"""What the tests of rouge_l_multi share: generated texts and real ones, rows of it and of rouge_score."""

from __future__ import annotations

from typing import Any

from evenscore.metrics.rouge_l_multi.rouge_l_multi import RougeLMulti
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from shared_data import lines

WMT17, TED = "mt/wmt17_en_de", "mt/ted_zh_en"

Scores = list[tuple[float, ...]]

# Words whose lower case, stem or alphabet is of interest, and what may or may not end a sentence.
WORDS = [
    *["the", "The", "skies", "dying", "RUNNING", "generalization", "a_b", "x1", "42", "don't", "naïve", "straße"],
    *["ΟΔΟΣ", "ﬁne", "ſo", "ǰ", "Å", "中文", "नमस्ते", "\u212a", "\u212aelvin", "\u0130stanbul", "i\u0307"],
    *["e\u0301t", "a\x00b", "\ufeffbom"],
]
GAPS = [" ", "\n", "\n\n", "\r", "\r\n", "\x0b", "\x85", "\u2028", "\u00a0", "\t", "-", "_", "...", "\n!\n"]
texts = st.one_of(
    st.lists(st.sampled_from([*WORDS[:4], *WORDS, *GAPS]), max_size=30).map(" ".join),
    st.lists(st.sampled_from(["the", "skies", "ran", *GAPS]), max_size=60).map(" ".join),
    st.text(max_size=20),
)
# Each prediction with its references.
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=4)


def row_by_row(predictions: list[str], references: list[Any], **options: Any) -> dict[str, Scores]:
    """Precision, recall and F of every row, under each type."""
    result = RougeLMulti(aggregate="none", **options).compute(predictions=predictions, references=references)
    del result["signature"]
    names = [name for name in result if "_" not in name]
    parts = {name: (result[f"{name}_precision"], result[f"{name}_recall"], result[name]) for name in names}
    assert len(result) == 3 * len(names)
    return {name: list(zip(*columns, strict=True)) for name, columns in parts.items()}


def rouge_score_rows(predictions: list[str], references: list[Any], types: list[str], **kwargs: Any) -> list[Any]:
    scorer = rouge_scorer.RougeScorer(types, **kwargs)
    return [
        scorer.score(reference, prediction) if isinstance(reference, str) else scorer.score_multi(reference, prediction)
        for prediction, reference in zip(predictions, references, strict=True)
    ]


def summaries(path: str, n_lines: int) -> list[str]:
    """The lines of a file as texts of several sentences."""
    return ["\n".join(lines(path)[i : i + 4]) for i in range(0, n_lines, 4)]


def corpus_with_two_references() -> tuple[list[str], list[list[str]]]:
    references = zip(lines(f"{TED}/ref.txt")[:60], lines(f"{TED}/refB.txt")[:60], strict=True)
    return lines(f"{TED}/MiSS.txt")[:60], [list(pair) for pair in references]


def parts_of(result: dict[str, Any], name: str) -> tuple[float, float, float]:
    return result[f"{name}_precision"], result[f"{name}_recall"], result[name]
