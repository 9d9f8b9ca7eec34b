"""Compares BLEU, ROUGE-L and WER with their peers on few and many rows, short and long, in many languages.

    python benchmarks/shapes.py [--data FOLDER] [--languages en de ...] [--seconds 1]

Prints the peer's time divided by ours, for each shape in the language where we do worst, and in that where we do best.
A second table has our own times of 20,000 rows: a word of each language against one of the first, tokens of 13a against
`str.split`, and `Dataset.map` in batches of 1,000, its default, against one batch, in a process of its own.
Rows are runs of words of real text. Predictions are the references with a tenth of the words left out and a seventh
replaced, drawn with a seed. No two calls get the same rows, because sacrebleu remembers texts. Results are asserted
equal before anything is timed. wer_dp has loaded its kernels, which it does after it has lost 0.3 to 1 s without them.
Peers: pip install 'evenscore[benchmark]'; werx gives the rate alone.
"""

from __future__ import annotations

import argparse
import lzma
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import numpy as np

import evenscore
from evenscore.bleu.tokenizers import get_tokenizer

# Rows and words a row.
SHAPES = ((1, 12), (8, 12), (32, 12), (1000, 8), (20000, 8), (20000, 25), (500, 400), (4, 6000), (1, 20000))
# Of BLEU, in sacrebleu's words.
TOKENIZERS = ("13a", "intl", "zh", "char")
# Languages without spaces between words: a word is a character.
UNSPACED = ("ja", "zh_CN")
LANGUAGES = ("en", "de", "fr", "ru", "hi", "ar", *UNSPACED)
# rouge_score compares cell by cell, which takes minutes for these.
_LONGEST_OF_ROUGE_SCORE = 400
_MOST_CALLS = 200
Texts = list[str]
Score = Callable[[Texts, Texts], float]


def words_of(language: str, data: Path) -> list[str]:
    """Return words of real text, in order."""
    if language in ("en", "ja"):
        name = {"en": "gcide.en.txt.xz", "ja": "manpages.ja.txt.xz"}[language]
        with lzma.open(data / "text" / name, "rt", encoding="utf-8") as packed:
            text = packed.read(3_000_000)
    elif language == "de":
        text = (data / "mt" / "wmt17_en_de" / "ref.txt").read_text(encoding="utf-8")
    else:
        text = (data / "text" / "iso_names" / f"{language}.txt").read_text(encoding="utf-8")
    return [*"".join(text.split())] if language in UNSPACED else text.split()


def drawn_rows(words: list[str], rows: int, length: int, draw: random.Random) -> tuple[Texts, Texts]:
    """Return predictions and references of `length` words."""
    predictions, references = [], []
    for _ in range(rows):
        start = draw.randrange(len(words))
        reference = [words[(start + k) % len(words)] for k in range(length)]
        kept = [word for word in reference if draw.random() > 0.1]
        predictions.append(" ".join(draw.choice(words) if draw.random() < 1 / 7 else word for word in kept))
        references.append(" ".join(reference))
    return predictions, references


def scores() -> Iterator[tuple[str, str, Score, Score]]:
    """Yield the name of the metric and of the peer, our score and the peer's."""
    import jiwer
    import sacrebleu
    import werx
    from rouge_score import rouge_scorer

    rouge = evenscore.load("rouge_l_multi", rouge_types=["rougeL"], tokenizer="whitespace")
    wer = evenscore.load("wer_dp")
    peer = rouge_scorer.RougeScorer(["rougeL"], tokenizer=_Whitespace())

    def rouge_score(predictions: Texts, references: Texts) -> float:
        pairs = zip(references, predictions, strict=True)
        return statistics.fmean(peer.score(*pair)["rougeL"].fmeasure for pair in pairs)

    def ours(metric: Any, key: str) -> Score:
        return lambda predictions, references: float(
            metric.compute(predictions=predictions, references=references)[key]
        )

    def sacrebleu_score(tokenizer: str, predictions: Texts, references: Texts) -> float:
        return float(sacrebleu.corpus_bleu(predictions, [references], force=True, tokenize=tokenizer).score)

    for tokenizer in TOKENIZERS:
        bleu = evenscore.load("bleu_corpus", force=True, tokenizer=tokenizer)
        yield f"BLEU, {tokenizer}", "sacrebleu", ours(bleu, "score"), partial(sacrebleu_score, tokenizer)
    yield "ROUGE-L", "rouge_score", ours(rouge, "rougeL"), rouge_score
    yield "WER", "jiwer", ours(wer, "wer"), lambda p, r: float(jiwer.wer(r, p))
    yield "WER", "werx", ours(wer, "wer"), lambda p, r: float(werx.wer(r, p))


class _Whitespace:
    """rouge_score's own tokenizer has no letters but a-z."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def ratio(ours: Score, theirs: Score, words: list[str], shape: tuple[int, int], seconds: float) -> float:
    """Return the peer's time divided by ours, each the median of calls in turn."""
    draw = random.Random(0)
    first = drawn_rows(words, *shape, draw)
    # rouge_score has no mean of rows: the one above is rounded twice, ours once.
    if abs(ours(*first) - theirs(*first)) > 1e-15 * len(first[0]):
        raise AssertionError(f"{shape}: {ours(*first)!r} is not {theirs(*first)!r}")
    times: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while len(times) < 2 or (time.perf_counter() < end and len(times) < _MOST_CALLS):
        rows = drawn_rows(words, *shape, draw)
        times.append((_seconds(partial(ours, *rows)), _seconds(partial(theirs, *rows))))
    mine, others = zip(*times, strict=True)
    return statistics.median(others) / statistics.median(mine)


def load_kernels() -> None:
    """Align a pair that takes longer than loading the kernels of wer_dp."""
    words = [*map(str, range(33_000))]
    evenscore.load("wer_dp").compute(predictions=[" ".join(words)], references=[" ".join(words[::-1])])


def row(shape: tuple[int, int], name: str, peer: str, ratios: dict[str, float]) -> str:
    """Return a row of the table: the worst language, then the best."""
    worst, best = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    shown = f"{ratios[worst]:.2f}x ({worst}) | {ratios[best]:.2f}x ({best})"
    return f"| {shape[0]:,} x {shape[1]:,} | {name} | {peer} | {shown} |"


# --- Our own times of many rows

_MANY = (20_000, 25)
_METRICS: dict[str, dict[str, Any]] = {
    "bleu_corpus": {"force": True},
    "rouge_l_multi": {"tokenizer": "unicode"},
    "wer_dp": {},
}


def own_times(texts: dict[str, list[str]]) -> Iterator[str]:
    """Yield the rows of the second table, of which the first language is the unit."""
    metrics = [evenscore.load(name, **options) for name, options in _METRICS.items()]
    rows = {language: drawn_rows(words, *_MANY, random.Random(0)) for language, words in texts.items()}
    words = np.array([[sum(len(text.split()) for side in pair for text in side)] for pair in rows.values()])
    calls = [partial(metric.compute, predictions=p, references=r) for p, r in rows.values() for metric in metrics]
    times = np.reshape(_shortest(calls), (len(rows), len(metrics))) / words
    for (language, pair), own in zip(rows.items(), times / times[0], strict=True):
        shown = [*own, _of_split(pair[1]), *(_in_new_process(_of_one_batch, name, *pair) for name in _METRICS)]
        yield f"| {language} | " + " | ".join(f"{each:.2f}" for each in shown) + " |"


def _in_new_process(function: Callable[..., float], *arguments: Any) -> float:
    """Return the result of a function in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _of_one_batch(name: str, predictions: Texts, references: Texts) -> float:
    """Return the time of `Dataset.map` in batches of 1,000 divided by that in one batch.

    It belongs in a process of its own, as a script has that maps one dataset: large batches take up to a third less
    time after calls of other metrics, whose memory they get.
    """
    datasets.disable_caching()
    datasets.disable_progress_bars()
    metric = evenscore.load(name, **_METRICS[name])
    if name == "wer_dp":
        load_kernels()
    data = datasets.Dataset.from_dict({"prediction": predictions, "references": references})
    score = metric.row_scorer(prediction="prediction", references="references")
    small, large = _shortest([partial(data.map, score, batched=True, batch_size=size) for size in (1000, _MANY[0])])
    return small / large


def _of_split(texts: Texts) -> float:
    """Return the time of 13a's tokens divided by that of str.split."""
    tokens = get_tokenizer("13a", lowercase=False).tokenize
    ours, split = _shortest([lambda: tokens(texts), lambda: [text.split() for text in texts]])
    return ours / split


def _shortest(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Return the shortest seconds of each call in ten rounds, because other programs only add time.

    A round makes all calls in turn, since one machine is slower for seconds at a time.
    """
    return [min(times) for times in zip(*([_seconds(call) for call in calls] for _ in range(10)), strict=True)]


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    parser.add_argument("--most", type=int, default=10**6, help="the most words of a shape")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    known: Any = parser.parse_args()
    texts = {language: words_of(language, known.data) for language in known.languages}
    load_kernels()
    print("| rows x words | metric | peer | worst language | best |\n|---|---|---|---|---|", flush=True)
    for shape in SHAPES:
        if shape[0] * shape[1] > known.most:
            continue
        for name, peer, ours, theirs in scores():
            if peer == "rouge_score" and shape[1] > _LONGEST_OF_ROUGE_SCORE:
                continue
            each = {language: ratio(ours, theirs, words, shape, known.seconds) for language, words in texts.items()}
            print(row(shape, name, peer, each), flush=True)
    print("\n| language | BLEU | ROUGE-L | WER | 13a / split | map: BLEU | ROUGE-L | WER |\n|" + "---|" * 8)
    for line in own_times(texts):
        print(line, flush=True)


if __name__ == "__main__":
    main()
