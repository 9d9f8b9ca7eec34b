"""Compares time and memory of three metrics with those of their peers on real text; prints the README's table.

    python benchmarks/metrics.py [--data FOLDER] [--sizes 2000 20000 200000]

Results are asserted equal before anything is timed. Each figure is the median of runs that alternate with the peer's.
Peers: pip install 'evenscore[benchmark]'. bleuscore and werx are compiled and use all cores.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import evenscore

Run = Callable[[], Any]


class Row(NamedTuple):
    """One comparison: the seconds of evenscore and of the peer."""

    job: str
    size: str
    peer: str
    ours: float
    theirs: float

    def __str__(self) -> str:
        ratio = self.theirs / self.ours
        return f"| {self.job} | {self.size} | {_time(self.ours)} | {self.peer} | {_time(self.theirs)} | {ratio:.1f}x |"


def _time(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def side_by_side(ours: Run, theirs: Run, seconds: float = 6.0) -> tuple[float, float]:
    """Return the median seconds of both, run in turn for about `seconds`, 2 to 25 times.

    Both have already run once, when their results were compared.
    """
    times: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while len(times) < 2 or (time.perf_counter() < end and len(times) < 25):
        times.append((_once(ours), _once(theirs)))
    first, second = zip(*times, strict=True)
    return statistics.median(first), statistics.median(second)


def _once(run: Run) -> float:
    gc.collect()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


class Corpus(NamedTuple):
    """Columns of real predictions and references."""

    predictions: list[str]
    references: list[str]
    second_references: list[str]

    def first(self, n: int) -> Corpus:
        """Return n rows, repeated if there are fewer."""
        return Corpus(*(list(itertools.islice(itertools.cycle(column), n)) for column in self))


def translations(data: Path) -> Corpus:
    """16 systems of WMT17 English-German; the second reference of a row is the next system's output."""
    folder = data / "mt" / "wmt17_en_de"
    systems = [_lines(path) for path in sorted(folder.glob("newstest2017.*.txt"))]
    references = _lines(folder / "ref.txt")
    return Corpus(
        list(itertools.chain(*systems)),
        references * len(systems),
        list(itertools.chain(*systems[1:], systems[0])),
    )


def transcripts(data: Path) -> Corpus:
    """LibriSpeech dev-clean; the predictions have one error per twenty words."""
    folder = data / "asr" / "librispeech"
    columns = [[line.partition(" ")[2] for line in _lines(folder / name)] for name in ("hyptext", "reftext")]
    return Corpus(columns[0], columns[1], columns[1])


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


# --- BLEU


def bleu(corpus: Corpus, size: str) -> Iterator[Row]:
    import bleuscore
    import sacrebleu

    predictions = corpus.predictions
    for label, sets in (("1 reference", corpus[1:2]), ("2 references", corpus[1:3])):
        rows = list(map(list, zip(*sets, strict=True)))
        metric = evenscore.load("bleu_corpus")

        def ours(rows: list[list[str]] = rows, metric: Any = metric) -> Any:
            return metric.compute(predictions=predictions, references=rows)

        def sacre(sets: Any = sets) -> Any:
            return sacrebleu.corpus_bleu(predictions, list(sets))

        def rust(rows: list[list[str]] = rows) -> Any:
            return bleuscore.compute(references=rows, predictions=predictions, ref_len_method="closest")

        score, expected = ours(), sacre()
        assert (score["score"], score["counts"], score["totals"]) == (expected.score, expected.counts, expected.totals)
        # bleuscore multiplies in another order, so the last bits differ.
        assert abs(score["bleu"] - rust()["bleu"]) < 1e-12
        yield Row(f"BLEU 13a, {label}", size, "sacrebleu", *side_by_side(ours, sacre))
        yield Row(f"BLEU 13a, {label}", size, "bleuscore (Rust)", *side_by_side(ours, rust))


def bleu_interval(corpus: Corpus, size: str) -> Iterator[Row]:
    from sacrebleu.metrics import BLEU

    metric = evenscore.load("bleu_corpus", confidence=0.95)

    def ours() -> Any:
        return metric.compute(predictions=corpus.predictions, references=corpus.references)

    def sacre() -> Any:
        return BLEU().corpus_score(corpus.predictions, [corpus.references], n_bootstrap=1000)

    result, expected = ours(), sacre()
    assert (result["score_high"] - result["score_low"]) / 2 == expected._ci
    assert result["score_mean"] == expected._mean
    yield Row("BLEU, 1000 resamples", size, "sacrebleu", *side_by_side(ours, sacre))


# --- ROUGE


def rouge(corpus: Corpus, size: str) -> Iterator[Row]:
    from rouge_score.rouge_scorer import RougeScorer

    for types in (["rougeL"], ["rougeL", "rougeLsum"], ["rouge1", "rouge2", "rougeL"]):
        metric, scorer = evenscore.load("rouge_l_multi", rouge_types=types), RougeScorer(types)

        def ours(metric: Any = metric) -> Any:
            return metric.compute(predictions=corpus.predictions, references=corpus.references)

        def theirs(scorer: Any = scorer) -> Any:
            return list(map(scorer.score, corpus.references, corpus.predictions))

        rows = metric.compute(predictions=corpus.predictions, references=corpus.references, aggregate="none")
        expected = theirs()
        for name in types:
            scores = zip(rows[f"{name}_precision"], rows[f"{name}_recall"], rows[name], strict=True)
            assert list(scores) == [tuple(row[name]) for row in expected]
        yield Row(" + ".join(types), size, "rouge_score", *side_by_side(ours, theirs))


# --- WER


def wer(corpus: Corpus, size: str) -> Iterator[Row]:
    import jiwer
    import werx

    metric = evenscore.load("wer_dp")
    counts = ("hits", "substitutions", "deletions", "insertions")

    def ours() -> Any:
        return metric.compute(predictions=corpus.predictions, references=corpus.references)

    def jiwer_words() -> Any:
        return jiwer.process_words(corpus.references, corpus.predictions)

    def werx_rate() -> Any:
        return werx.wer(corpus.references, corpus.predictions)

    def werx_counts() -> Any:
        return werx.analysis(corpus.references, corpus.predictions)

    result, expected = ours(), jiwer_words()
    assert [result[name] for name in (*counts, "wer", "mer", "wil")] == [
        getattr(expected, name) for name in (*counts, "wer", "mer", "wil")
    ]
    assert result["wer"] == werx_rate()
    errors = sum(result[name] for name in counts[1:])
    # werx may choose another one of equally good alignments, so only its sum equals jiwer's.
    assert errors == sum(row.substitutions + row.deletions + row.insertions for row in werx_counts())
    yield Row("WER, all counts", size, "jiwer", *side_by_side(ours, jiwer_words))
    yield Row("WER, all counts", size, "werx.analysis (Rust)", *side_by_side(ours, werx_counts))
    yield Row("WER, all counts", size, "werx.wer (Rust, rate only)", *side_by_side(ours, werx_rate))


def cer(corpus: Corpus, size: str) -> Iterator[Row]:
    import jiwer

    metric = evenscore.load("wer_dp", unit="char")

    def ours() -> Any:
        return metric.compute(predictions=corpus.predictions, references=corpus.references)

    def theirs() -> Any:
        return jiwer.process_characters(corpus.references, corpus.predictions)

    result, expected = ours(), theirs()
    assert (result["cer"], result["hits"]) == (expected.cer, expected.hits)
    yield Row("CER, all counts", size, "jiwer", *side_by_side(ours, theirs))


# --- one pair, long documents


def one_pair(corpus: Corpus) -> Iterator[Row]:
    """Compare a single row with a call of the peer's function."""
    import jiwer
    import sacrebleu
    from rouge_score.rouge_scorer import RougeScorer

    prediction, reference = corpus.predictions[0], corpus.references[0]
    scorer = RougeScorer(["rougeL", "rougeLsum"])
    peers: dict[str, tuple[str, Run]] = {
        "bleu_corpus": ("sacrebleu", lambda: sacrebleu.corpus_bleu([prediction], [[reference]])),
        "rouge_l_multi": ("rouge_score", lambda: scorer.score(reference, prediction)),
        "wer_dp": ("jiwer", lambda: jiwer.process_words(reference, prediction)),
    }
    for name, (peer, theirs) in peers.items():
        metric = evenscore.load(name)

        def ours(metric: Any = metric) -> Any:
            return metric.compute(predictions=[prediction], references=[reference])

        def many(run: Run) -> Run:
            return lambda: [run() for _ in range(100)]

        mine, other = side_by_side(many(ours), many(theirs))
        yield Row(f"{name}.compute", "1", peer, mine / 100, other / 100)


def long_documents(corpus: Corpus) -> Iterator[Row]:
    """Compare one pair of documents of 20 000 words with rapidfuzz, since rouge_score would take minutes."""
    import jiwer
    from rapidfuzz.distance import LCSseq

    documents = [" ".join(" ".join(column).split()[:20000]) for column in corpus[:2]]
    prediction, reference = documents
    rate = evenscore.load("wer_dp")
    rouge_l = evenscore.load("rouge_l_multi", rouge_types=["rougeL"], tokenizer="whitespace")

    def ours_wer() -> Any:
        return rate.compute(predictions=[prediction], references=[reference])

    def ours_rouge() -> Any:
        return rouge_l.compute(predictions=[prediction], references=[reference])

    def jiwer_words() -> Any:
        return jiwer.process_words(reference, prediction)

    def lcs() -> Any:
        return LCSseq.similarity(reference.split(), prediction.split())

    expected = jiwer_words()
    assert (ours_wer()["hits"], ours_wer()["wer"]) == (expected.hits, expected.wer)
    assert ours_rouge()["rougeL_recall"] == lcs() / len(reference.split())
    yield Row("WER, 20 000 words", "1", "jiwer", *side_by_side(ours_wer, jiwer_words))
    yield Row("rougeL, 20 000 words", "1", "rapidfuzz (LCS alone)", *side_by_side(ours_rouge, lcs))


# --- memory


def interval_memory(corpus: Corpus) -> str:
    """Return the peak memory of a call with an interval above that before the call; Linux only."""
    metric = evenscore.load("bleu_corpus", confidence=0.95)
    metric.compute(predictions=corpus.predictions[:100], references=corpus.references[:100])
    gc.collect()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    start = time.perf_counter()
    metric.compute(predictions=corpus.predictions, references=corpus.references)
    seconds = time.perf_counter() - start
    return (
        f"BLEU with an interval of 1000 resamples over {len(corpus.predictions):,} pairs: "
        f"{(_memory('VmHWM') - before) / 1024:.0f} MB above the process before the call, {seconds:.1f} s"
    )


def _memory(field: str) -> int:
    """Return a field of /proc/self/status in kB."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{field}:"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 20000, 200000])
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        parser.error(f"{arguments.data}: no such folder; give the one with the public corpora by --data")
    texts, speech = translations(arguments.data), transcripts(arguments.data)
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| job | pairs | evenscore | peer | its time | ratio |")
    print("|---|---|---|---|---|---|")
    for size in arguments.sizes:
        some, spoken = texts.first(size), speech.first(size)
        for rows in (bleu, rouge):
            _print(rows(some, f"{size:,}"))
        for rows in (wer, cer):
            _print(rows(spoken, f"{size:,}"))
        if size <= 20000:
            _print(bleu_interval(some, f"{size:,}"))
    _print(one_pair(texts))
    _print(long_documents(texts))
    print(f"\n{interval_memory(texts.first(max(arguments.sizes)))}")


def _print(rows: Iterator[Row]) -> None:
    for row in rows:
        print(row, flush=True)


if __name__ == "__main__":
    main()
