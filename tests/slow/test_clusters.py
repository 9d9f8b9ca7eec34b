"""The lines for Dask, MPI, Ray and Spark of docs/datasets-and-clusters.md, as they stand there, on local processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path
from typing import Any

import pytest
from small_corpus import METRICS, random_rows

import evenscore
from tokenizers_impl import pipelines

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "datasets-and-clusters.md").read_text(encoding="utf-8")
PREDICTIONS, REFERENCES = random_rows(600)

_START = f"""
import importlib, json, sys
import evenscore
# Small blocks, so that there are many.
importlib.import_module("evenscore.scorer")._TRAVELLING_CHARACTERS = 2000
def show():
    rows = json.load(open(sys.argv[1]))
    print(json.dumps([result(evenscore.load(name), *rows) for name in {METRICS}]))
def result(metric, predictions, references):
"""
# What is around the guide's lines, by what they have in them.
_AROUND = {
    "dask.": """
import dask.distributed
if __name__ == "__main__":
    with dask.distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        show()
""",
    "mpi4py.": """
import mpi4py.futures
if __name__ == "__main__":
    show()
""",
    "ray.": """
import ray, types
ray.init(num_cpus=2, include_dashboard=False)
show()
""",
}
# Three parts of the first two rows, so that one is empty.
_SPARK = """
import pyspark
with pyspark.SparkContext("local[2]") as context:
    def parallel(rows):
        return context.parallelize(rows[:2], 3).union(context.parallelize(rows[2:], 2))
    show()
"""


def lines_of_the_guide(containing: str) -> str:
    """The one indented block that has this."""
    (found,) = (block for block in re.findall(r"(?:^    .*\n)+", GUIDE, re.MULTILINE) if containing in block)
    return found


def results(program: str, folder: Path, *command: str) -> list[Any]:
    """What the program prints in its last line, run as the command says, given the rows."""
    (folder / "rows.json").write_text(json.dumps([PREDICTIONS, REFERENCES]))
    (folder / "program.py").write_text(program)
    own = {"RAY_USAGE_STATS_ENABLED": "0", "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [*command, "program.py", "rows.json"],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    printed: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return printed


@pytest.fixture(scope="module")
def here() -> list[dict[str, float]]:
    """The results in this process, as JSON has them."""
    scored = [evenscore.load(name).compute(predictions=PREDICTIONS, references=REFERENCES) for name in METRICS]
    as_json: list[dict[str, float]] = json.loads(json.dumps(scored))
    return as_json


@pytest.mark.parametrize("containing", _AROUND)
def test_executors_give_the_same_bits(containing: str, here: list[dict[str, float]], tmp_path: Path) -> None:
    lines = lines_of_the_guide(containing).replace('"tcp://scheduler:8786"', "cluster.scheduler_address")
    assert lines.count("metric.compute(") == 1
    program = _START + lines.replace("metric.compute(", "return metric.compute(") + _AROUND[containing]
    # One of the three hands the work out.
    mpi = [sysconfig.get_path("scripts") + "/mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    command = mpi if containing == "mpi4py." else [sys.executable]
    assert results(program, tmp_path, *command) == here


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark runs on java, which is not installed")
def test_sums_of_parts_in_spark_give_the_same_bits(here: list[dict[str, float]], tmp_path: Path) -> None:
    (function,) = re.findall(r"^>>> (def part_sums.*\n(?:\.\.\. .*\n)+)", GUIDE, re.MULTILINE)
    (line,) = re.findall(r"In Spark this is `(total = .+?)`, followed by `wer.score_statistics\(total\)`", GUIDE)
    lines = [
        "wer, rdd = metric, parallel(list(zip(predictions, references)))",
        "assert 0 in [len(rows) for rows in rdd.glom().collect()]",
        *function.replace("... ", "").splitlines(),
        line,
        "return metric.score_statistics(total)",
    ]
    program = _START + textwrap.indent("\n".join(lines), "    ") + _SPARK
    assert results(program, tmp_path, sys.executable) == here


# The guide's lines that add up counted words, by what is around them.
_COUNTING = {
    "Dask": """
import dask.distributed
if __name__ == "__main__":
    with dask.distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        with dask.distributed.Client(cluster) as client:
            LINE
            show()
""",
    "Ray": """
import ray
ray.init(num_cpus=2, include_dashboard=False)
LINE
show()
""",
    "Spark": """
import operator, pyspark
with pyspark.SparkContext("local[2]") as context:
    rdd = context.union([context.parallelize(part, 1) for part in parts])
    LINE
    show()
""",
}


@pytest.mark.parametrize("cluster", _COUNTING)
def test_words_counted_by_a_cluster_train_the_same_tokenizer(cluster: str, tmp_path: Path) -> None:
    if cluster == "Spark" and shutil.which("java") is None:
        pytest.skip("Spark runs on java, which is not installed")
    (line,) = re.findall(rf"^\| {cluster} \| `(total = .+?)` \|$", GUIDE, re.MULTILINE)
    start = """
import json, sys
from tokenizers_impl import WordCounter, pipelines
tokenizer, trainer = pipelines.bpe(vocab_size=200, tie_break="first", show_progress=False)
texts = json.load(open(sys.argv[1]))[0]
parts = [texts[:50], texts[50:60], texts[60:]]
def show():
    tokenizer.train_from_counts(total, trainer)
    print(json.dumps([tokenizer.to_str()]))
"""
    tokenizer, trainer = pipelines.bpe(vocab_size=200, tie_break="first", show_progress=False)
    tokenizer.train_from_iterator(PREDICTIONS, trainer)
    assert results(start + _COUNTING[cluster].replace("LINE", line), tmp_path, sys.executable) == [tokenizer.to_str()]
