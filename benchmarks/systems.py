"""Measures the comparison of several systems: `compare` against sacrebleu's paired test, and whole reports.

    python benchmarks/systems.py [--data FOLDER]

The systems are those of WMT17 English-German (3,004 rows), and transcripts of LibriSpeech for WER.  A report shows two
systems on 20,000 rows; the second one lacks every tenth word.  Scores, means and p-values are asserted equal to
sacrebleu's before they are timed, and a report must show the scores of `compute`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import evenscore
from metrics import side_by_side, transcripts, translations

ROWS = 20_000
# WMT17 has this many rows for each system.
WMT17_ROWS = 3004
HEADLINES = {"bleu_corpus": ["score"], "rouge_l_multi": ["rougeL", "rougeLsum"], "wer_dp": ["wer"]}


def compare(data: Path, systems: int) -> str:
    """Return a line about a paired bootstrap test of several systems."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    corpus = translations(data)
    texts = [corpus.predictions[i * WMT17_ROWS : (i + 1) * WMT17_ROWS] for i in range(systems)]
    references = corpus.references[:WMT17_ROWS]
    metric = evenscore.load("bleu_corpus", confidence=0.95)
    named = [(f"system {i}", own) for i, own in enumerate(texts)]

    def ours() -> evenscore.metric.Result:
        return metric.compare(*texts, references=references)

    def theirs() -> dict[str, list[object]]:
        return PairedTest(named, {"BLEU": BLEU()}, [references], test_type="bs")()[1]

    tested, expected = ours(), theirs()["BLEU"]
    rows = [tested["baseline"], *tested["systems"]]
    for row, peer in zip(rows, expected, strict=True):
        assert (row["score"], row["score_mean"], row.get("score_p_value")) == (peer.score, peer.mean, peer.p_value)
    mine, peers = side_by_side(ours, theirs)
    return f"| compare, {systems} systems | {mine:.2f} s | sacrebleu {peers:.2f} s | {peers / mine:.1f}x |"


def report(name: str, data: Path) -> str:
    """Return a line about a report on two systems."""
    corpus = (transcripts if name == "wer_dp" else translations)(data).first(ROWS)
    second = [" ".join(word for i, word in enumerate(text.split()) if i % 10) for text in corpus.predictions]
    systems, metric = {"a": corpus.predictions, "b": second}, evenscore.load(name)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")

        def write() -> None:
            evenscore.report(name, systems, corpus.references, output=page)

        write()
        text = page.read_text(encoding="utf-8")
        for own in systems.values():
            result = metric.compute(predictions=own, references=corpus.references)
            assert all(f"{result[headline]:.4f}" in text for headline in HEADLINES[name])
        seconds, _ = side_by_side(write, write)
        return f"| report, {name} | {seconds:.1f} s, {page.stat().st_size / 1e6:.1f} MB | | |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    data = parser.parse_args().data
    print("| job | evenscore | peer | ratio |\n|---|---|---|---|")
    for systems in (2, 5):
        print(compare(data, systems), flush=True)
    for name in HEADLINES:
        print(report(name, data), flush=True)


if __name__ == "__main__":
    main()
