"""Columns of scores are found in the cache of datasets as long as nothing changes that decides them."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import pickle
import shutil
import sys
import types
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import datasets
import evaluate
import pytest
from datasets.fingerprint import Hasher
from fresh_process import run_python
from hub_folders import hub_folder
from small_corpus import ALL_METRICS, COUNTING, METRICS, PREDICTIONS, VARYING, refusal, scores
from tokenizers import Tokenizer, models, pre_tokenizers

import evenscore

ROWS = {"hyp": PREDICTIONS, "refs": VARYING}
NGRAM: dict[str, Any] = {"source": "ngram", "train_texts": ["a b c", "b c d"], "discount": 0.5}


@pytest.fixture(params=METRICS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def expected(name: str) -> dict[str, list[float]]:
    return {f"{name}_{score}": scores(name)[f"{score}_per_example"] for score in evenscore.load(name).headlines()}


def hash_of(name: str, **options: Any) -> str:
    """Of a row scorer of these options; those of perplexity's columns do not matter here."""
    columns = {} if name == "perplexity" else {"references": "refs"}
    return str(Hasher.hash(evenscore.load(name).row_scorer(prediction="hyp", **columns, **options)))


def test_the_hash_depends_on_options_and_names_alone(name: str) -> None:
    metric = evenscore.load(name)
    fresh = Hasher.hash(metric.row_scorer("hyp", "refs"))
    metric.add_batch(predictions=PREDICTIONS, references=VARYING)
    used = metric.row_scorer("hyp", "refs")
    used({"hyp": PREDICTIONS, "refs": VARYING})
    assert Hasher.hash(used) == Hasher.hash(pickle.loads(pickle.dumps(used))) == fresh
    others = [
        metric.row_scorer("hyp", "refs", prefix=""),
        metric.row_scorer("hyp", "refs", statistics=True),
        metric.row_scorer("other", "refs"),
        metric.row_scorer("hyp", "refs", **COUNTING[name]),
    ]
    assert len({fresh, *map(Hasher.hash, others)}) == 5


@pytest.mark.parametrize("name", ALL_METRICS)
def test_what_decides_no_column_does_not_change_the_hash(name: str) -> None:
    plain = hash_of(name)
    about_many = {"seed": 1, "confidence": 0.9, "n_resamples": 5, "per_example": True, "scalars_only": True}
    for option, value in {**about_many, "keep_rows": False}.items():
        assert hash_of(name, **{option: value}) == plain
        columns = {} if name == "perplexity" else {"references": "refs"}
        loaded = evenscore.load(name, **{option: value}).row_scorer(prediction="hyp", **columns)
        assert Hasher.hash(loaded) == plain
    assert "seed=-1" in refusal(lambda: hash_of(name, seed=-1))


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("bleu_corpus", {"lowercase": False, "tokenizer": "13a", "convention": "sacrebleu", "max_order": 4}),
        ("rouge_l_multi", {"stemmer": False, "beta": 1, "rouge_types": ("rougeL", "rougeLsum")}),
        ("wer_dp", {"unit": "word", "costs": (1, 1, 1), "transforms": None}),
        ("perplexity", {"start_token": "bos", "shift": False, "headlines": ("perplexity",)}),
    ],
)
def test_a_default_may_be_said(name: str, defaults: dict[str, Any]) -> None:
    assert hash_of(name, **defaults) == hash_of(name)


def test_a_default_is_that_of_the_convention() -> None:
    nltk = hash_of("bleu_corpus", convention="nltk")
    assert hash_of("bleu_corpus", convention="nltk", smoothing="nltk0") == nltk
    others = [{"convention": "nltk", "smoothing": "exp"}, {"convention": "nltk", "tokenizer": "13a"}, {}]
    assert len({nltk, *(hash_of("bleu_corpus", **options) for options in others)}) == 4
    metric = evenscore.load("bleu_corpus", tokenizer="13a")
    assert Hasher.hash(metric.row_scorer("hyp", "refs", convention="nltk")) == hash_of("bleu_corpus", **others[1])


def test_the_order_of_arguments_does_not_change_the_hash() -> None:
    metric = evenscore.load("perplexity")
    one, other = metric.row_scorer(log_probs="l", predictions="t"), metric.row_scorer(predictions="t", log_probs="l")
    assert Hasher.hash(one) == Hasher.hash(other)
    assert pickle.dumps(one) == pickle.dumps(other)


# --- files that options name


def write_texts(path: Path, more: str = "") -> None:
    path.write_text(f"a b c\nb c d{more}\n", encoding="utf-8")


def write_tokenizer(path: Path, more: str = "") -> None:
    model = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "<unk>": 3}, unk_token="<unk>"))
    if more:
        model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model.save(str(path))


def write_model(path: Path, more: str = "") -> None:
    path.mkdir(exist_ok=True)
    write_texts(path / "config.json", more)
    write_texts(path / "weights.bin")


NAMED: dict[str, tuple[str, dict[str, str], Callable[..., None]]] = {
    "training texts": ("perplexity", {"source": "ngram", "train_texts": "FILE.txt"}, write_texts),
    "an ARPA file": ("perplexity", {"source": "FILE.arpa"}, write_texts),
    "a model": ("perplexity", {"model_id": "FILE"}, write_model),
    "its tokenizer": ("perplexity", {"model_id": "a/b", "tokenizer": "FILE"}, write_model),
    "a tokenizer": ("bleu_corpus", {"tokenizer": "FILE.json"}, write_tokenizer),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_file_that_is_written_anew_changes_the_hash(what: str, tmp_path: Path) -> None:
    name, options, write = NAMED[what]
    given = {option: value.replace("FILE", str(tmp_path / "file")) for option, value in options.items()}
    path = next(Path(value) for value in given.values() if value.startswith(str(tmp_path)))
    write(path)
    first = hash_of(name, **given)
    assert hash_of(name, **given) == first
    write(path, " e")
    second = hash_of(name, **given)
    assert hash_of(name, **given) == second != first
    # As long as before, at another time.
    file = path / "config.json" if path.is_dir() else path
    os.utime(file, ns=(1, file.stat().st_mtime_ns + 1))
    assert len({first, second, hash_of(name, **given)}) == 3
    if path.is_dir():
        (path / "adapter.bin").write_bytes(b"1")
        assert len({first, second, hash_of(name, **given)}) == 3


@pytest.mark.parametrize("size", [10, 3 << 20])
@pytest.mark.parametrize("what", [what for what in NAMED if what != "a tokenizer"])
def test_a_file_of_the_same_size_and_time_changes_the_hash(what: str, size: int, tmp_path: Path) -> None:
    """As rsync -t writes a file and cp -p replaces one: another one is in its place with size and time of the first."""
    name, options, write = NAMED[what]
    given = {option: value.replace("FILE", str(tmp_path / "file")) for option, value in options.items()}
    path = next(Path(value) for value in given.values() if value.startswith(str(tmp_path)))
    write(path)
    file = path / "weights.bin" if path.is_dir() else path
    file.write_bytes(b"a" * size)
    stat = file.stat()
    hashes = [hash_of(name, **given)]
    for replace in (False, True):
        content = b"b" * size if replace else b"c" * size
        if replace:
            (tmp_path / "other").write_bytes(content)
            (tmp_path / "other").replace(file)
        else:
            file.write_bytes(content)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (size, stat.st_mtime_ns)
        hashes += [hash_of(name, **given)]
        assert hash_of(name, **given) == hashes[-1]
    assert len(set(hashes)) == 3


_CUT = """
import functools, re

MARKS = re.compile("[a-z]+")
LIMIT = 9

def helper(text):
    return MARKS.findall(text)[:LIMIT]

def cut(text, least=0):
    return [word for word in helper(text) if len(word) > least and word not in {"x", "y", "z"}]

class Cut:
    def __call__(self, text):
        return self.words(text)

    def words(self, text):
        return cut(text)

    def log_probs(self, texts):
        return [[-1.0] * len(cut(text)) for text in texts]
"""
_CHANGES = [
    ("[a-z]", "[a-y]"),
    ("LIMIT = 9", "LIMIT = 8"),
    ("least=0", "least=1"),
    ('"y"', '"w"'),
    ("> least", "< least"),
]


def hashes_of_functions(code: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of row scorers with each way to give a function of a module with this code."""
    module = types.ModuleType("cutting")
    exec(code, vars(module))
    monkeypatch.setitem(sys.modules, "cutting", module)
    ways: list[tuple[str, dict[str, Any]]] = [
        ("bleu_corpus", {"tokenizer": module.cut}),
        ("rouge_l_multi", {"tokenizer": functools.partial(module.cut, least=1)}),
        ("rouge_l_multi", {"tokenizer": module.Cut().words}),
        ("bleu_corpus", {"tokenizer": module.Cut()}),
        ("wer_dp", {"transforms": ["strip", module.cut]}),
        ("perplexity", {"source": module.Cut()}),
    ]
    return [str(Hasher.hash(evenscore.load(name, **options).row_scorer())) for name, options in ways]


def test_changed_code_of_a_function_among_the_options_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    first = hashes_of_functions(_CUT, monkeypatch)
    assert len(set(first)) == len(first)
    assert hashes_of_functions(f"# A comment is no code.{_CUT}", monkeypatch) == first
    for old, new in _CHANGES:
        # Each way reaches the function or constant that has changed.
        assert not set(hashes_of_functions(_CUT.replace(old, new, 1), monkeypatch)) & set(first)


def test_the_digest_of_functions_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Sets of texts have another order in each process."""
    (tmp_path / "cutting.py").write_text(_CUT, encoding="utf-8")
    program = """
        import cutting
        from evenscore.function_code import functions_digest
        print(functions_digest({"tokenizer": cutting.Cut()}))
    """
    found = {run_python(program, tmp_path, PYTHONPATH=str(tmp_path), PYTHONHASHSEED=seed) for seed in ("1", "2")}
    assert len(found) == 1


def test_a_folder_that_is_no_file_of_an_option_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [("bleu_corpus", {"tokenizer": "zh"}), ("perplexity", NGRAM), ("wer_dp", {"unit": "char"})]
    before = [hash_of(name, **options) for name, options in cases]
    for folder in ("zh", "ngram", "char"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").touch()
    assert [hash_of(name, **options) for name, options in cases] == before


def test_map_scores_anew_with_another_tokenizer(tmp_path: Path) -> None:
    path, rows = tmp_path / "tok.json", datasets.Dataset.from_dict({"hyp": ["a b"], "refs": ["a c"]})
    found = []
    for more in ("", " "):
        write_tokenizer(path, more)
        metric = evenscore.load("bleu_corpus", tokenizer=str(path), max_order=1)
        scored = rows.map(metric.row_scorer("hyp", "refs"), batched=True)["bleu_corpus_score"][:]
        assert scored == metric.compute(predictions=["a b"], references=["a c"], per_example=True)["score_per_example"]
        found += scored
    # As one word that both texts have unknown, and as two of which one is in both.
    assert [round(score) for score in found] == [100, 50]


_PERPLEXITY = """
    import datasets, evenscore, json
    if __name__ == "__main__":
        rows = datasets.load_from_disk("rows")
        metric = evenscore.load("perplexity", source="ngram", train_texts=sys.argv[1], discount=0.5)
        scored = rows.map(metric.row_scorer("hyp"), batched=True, num_proc=2)
        print(json.dumps([scored._fingerprint, scored.cache_files, scored["perplexity_perplexity"][:]]))
"""


@pytest.mark.slow
def test_perplexity_is_found_by_another_process_until_the_texts_change(tmp_path: Path) -> None:
    datasets.Dataset.from_dict({"hyp": ["a b", "c", "d e"]}).save_to_disk(tmp_path / "rows")
    rows, texts = datasets.load_from_disk(tmp_path / "rows"), tmp_path / "texts.txt"

    def scored() -> datasets.Dataset:
        metric = evenscore.load("perplexity", source="ngram", train_texts=str(texts), discount=0.5)
        result = rows.map(metric.row_scorer("hyp"), batched=True, num_proc=2)
        assert result["perplexity_perplexity"][:] == metric.compute(predictions=rows["hyp"])["perplexities"]
        return result

    write_texts(texts)
    first = scored()
    stamps = {each["filename"]: Path(each["filename"]).stat().st_mtime_ns for each in first.cache_files}
    fingerprint, files, found = json.loads(run_python(_PERPLEXITY, tmp_path, str(texts)))
    assert fingerprint == first._fingerprint
    assert found == first["perplexity_perplexity"][:]
    assert {Path(each["filename"]).name for each in files} == {Path(file).name for file in stamps}
    assert stamps == {path: Path(path).stat().st_mtime_ns for path in stamps}
    write_texts(texts, " e")
    second = scored()
    assert second._fingerprint != fingerprint
    assert second["perplexity_perplexity"][:] != found


# --- processes, code


def test_a_spawned_process_has_the_same_hash() -> None:
    loads = [evenscore.load, lambda name, **options: evaluate.load(evenscore.path(name), **options)]
    scorers = [load(name, seed=3).row_scorer("hyp", "refs") for name in METRICS for load in loads]
    scorers += [load("perplexity", **NGRAM).row_scorer("hyp") for load in loads]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(Hasher.hash, scorers)) == list(map(Hasher.hash, scorers))


_SCORE = """
    import datasets, evaluate, json
    if __name__ == "__main__":
        rows = datasets.load_from_disk("rows")
        metric = evaluate.load(sys.argv[1])
        calls = rows.map(metric.row_scorer("hyp", "refs", statistics=True), batched=True, num_proc=int(sys.argv[2]))
        metric.compute(predictions=["a"], references=["a"])
        again = rows.map(metric.row_scorer("hyp", "refs", statistics=True), batched=True, num_proc=int(sys.argv[2]))
        assert calls.cache_files == again.cache_files
        print(json.dumps([calls._fingerprint, calls.cache_files, calls.to_dict()]))
"""


@pytest.mark.slow
def test_a_second_process_finds_the_rows_and_changed_code_does_not(tmp_path: Path) -> None:
    name = "wer_dp"
    datasets.Dataset.from_dict(ROWS).save_to_disk(tmp_path / "rows")
    folder = hub_folder(name, tmp_path)
    fingerprint, files, rows = json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))
    stamps = {each["filename"]: Path(each["filename"]).stat().st_mtime_ns for each in files}
    assert stamps
    assert {key: rows[key] for key in expected(name)} == expected(name)
    assert json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))[0] == fingerprint
    assert stamps == {path: Path(path).stat().st_mtime_ns for path in stamps}
    helper = folder / "_text_segments.py"
    helper.write_text(helper.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    assert json.loads(run_python(_SCORE, tmp_path, str(folder), "2"))[0] != fingerprint


@pytest.mark.slow
def test_changed_code_of_the_package_changes_the_hash(tmp_path: Path) -> None:
    """A class keeps its module's name when the code there changes; what is pickled must not stay the same.

    But in a process that has loaded the old code it must: that is the code that scores there.
    """
    root = Path(evenscore.__file__).parents[1]
    for name in ("evenscore", "metrics"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    program = """
        sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
        import evenscore
        from datasets.fingerprint import Hasher
        from pathlib import Path
        assert evenscore.__file__.startswith(sys.argv[1])
        def hashes():
            return [Hasher.hash(evenscore.load(name).row_scorer("hyp", "refs")) for name in sys.argv[2:]]
        before = hashes()
        helper = Path(sys.argv[1], "evenscore", "text", "words.py")
        helper.write_text(helper.read_text(encoding="utf-8").rstrip("#") + "#", encoding="utf-8")
        assert hashes() == before
        print(*before)
    """

    def hashes() -> list[str]:
        return run_python(program, tmp_path, str(tmp_path), *METRICS, PYTHONPATH=str(tmp_path)).split()

    first = hashes()
    assert len(set(first)) == len(METRICS)
    # Where the code lies does not count.
    assert first == [hash_of(name) for name in METRICS]
    second = hashes()
    assert [name for name, old, new in zip(METRICS, first, second, strict=True) if old != new] == METRICS
    # From now on the program writes what is there already. The name of a file counts, too.
    (tmp_path / "evenscore" / "cli.py").rename(tmp_path / "evenscore" / "words.py")
    assert [name for name, old, new in zip(METRICS, second, hashes(), strict=True) if old != new] == METRICS
