"""`evenscore train` and `evenscore tokenize`, and what they make serving the metrics."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tokenizers
from example_files import EXAMPLES
from sacrebleu.metrics import BLEU
from small_corpus import PREDICTIONS, VARYING

import evenscore
from evenscore.cli import main
from tokenizers_impl import Tokenizer, normalizers, pipelines

CORPUS = [str(EXAMPLES / "reference1.txt"), str(EXAMPLES / "reference2.txt")]


def trained(model: str, out: Path, *options: str) -> Tokenizer:
    assert main(["train", "--model", model, "--quiet", "-o", str(out), *options, *CORPUS]) == 0
    return Tokenizer.from_file(str(out))


@pytest.mark.parametrize("model", pipelines.PIPELINES)
def test_train_writes_a_file_that_both_libraries_read(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = trained(model, tmp_path / "tokenizer.json", "--vocab-size", "400")
    assert capsys.readouterr().out.endswith(f"{model}, {tokenizer.get_vocab_size()} tokens\n")
    assert tokenizer.get_vocab_size() <= 400
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    text = "The weather was better!"
    assert tokenizer.encode(text).tokens == theirs.encode(text).tokens != []
    assert tokenizer.decode(tokenizer.encode(text).ids) == theirs.decode(theirs.encode(text).ids)


@pytest.mark.parametrize("model", ["bpe", "wordpiece", "unigram"])
def test_no_token_has_the_end_of_a_line_in_it(model: str, tmp_path: Path) -> None:
    # A trainer reads lines with their ends.
    tokenizer = trained(model, tmp_path / "t.json", "--vocab-size", "400")
    assert [token for token in tokenizer.get_vocab() if any(map(str.isspace, token))] == []
    assert tokenizer.encode(" The weather\twas better.\n").tokens == tokenizer.encode("The weather was better.").tokens


def test_options_reach_the_trainer(tmp_path: Path) -> None:
    special = trained(
        "bpe", tmp_path / "a.json", "--special-token", "<s>", "--special-token", "</s>", "--vocab-size", "99"
    )
    assert [special.token_to_id(token) for token in ("<unk>", "<s>", "</s>")] == [0, 1, 2]
    frequent = trained("byte-level-bpe", tmp_path / "b.json", "--min-frequency", "30")
    assert 256 < frequent.get_vocab_size() < 300
    short = trained("unigram", tmp_path / "c.json", "--vocab-size", "150", "--option", "max-piece-length=2")
    assert max(map(len, short.get_vocab().keys() - {"<unk>"})) == 2


@pytest.mark.parametrize("model", pipelines.PIPELINES)
def test_extend_goes_on_from_a_file(model: str, tmp_path: Path) -> None:
    small = tmp_path / "small.json"
    before = trained(model, small, "--vocab-size", "350")
    # A pipeline that is not the usual one of the name: it is the file's that stays.
    before.normalizer = normalizers.Lowercase()
    before.save(str(small))
    more = tmp_path / "more.txt"
    more.write_text("Unprecedented thunderstorms, unprecedented rainfall!\n" * 9, encoding="utf-8")
    words = ["--quiet", "--vocab-size", "380", "--extend", str(small), "-o", str(tmp_path / "large.json"), str(more)]
    assert main(["train", "--model", model, *words]) == 0
    after = Tokenizer.from_file(str(tmp_path / "large.json"))
    assert before.get_vocab().items() < after.get_vocab().items()
    assert (after.normalizer, after.pre_tokenizer) == (before.normalizer, before.pre_tokenizer)
    assert len(after.encode("Unprecedented").ids) < len(before.encode("Unprecedented").ids)
    by_hand = Tokenizer.from_file(str(small))
    by_hand.train([str(more)], pipelines.PIPELINES[model](vocab_size=380, extend=True, show_progress=False)[1])
    by_hand.save(str(tmp_path / "by_hand.json"))
    assert (tmp_path / "by_hand.json").read_bytes() == (tmp_path / "large.json").read_bytes()


def test_tokenize_prints_tokens_or_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = trained("wordpiece", tmp_path / "t.json", "--vocab-size", "300")
    text = tmp_path / "text.txt"
    text.write_text("The weather\n\nwas better!\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["tokenize", "--tokenizer", str(tmp_path / "t.json"), str(text)]) == 0
    lines = ["The weather", "", "was better!"]
    assert capsys.readouterr().out.splitlines() == [" ".join(tokenizer.encode(line).tokens) for line in lines]
    assert main(["tokenize", "--tokenizer", str(tmp_path / "t.json"), "--ids", str(text)]) == 0
    assert capsys.readouterr().out.splitlines() == [" ".join(map(str, tokenizer.encode(line).ids)) for line in lines]
    piped = subprocess.run(
        [sys.executable, "-m", "evenscore", "tokenize", "--tokenizer", str(tmp_path / "t.json")],
        input="The weather\n", capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    assert piped.stdout.split() == tokenizer.encode("The weather").tokens


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "--model", "bpe", "-o", "{0}/x/t.json", *CORPUS], "x/t.json: there is no folder .*x: make it first"),
        (["train", "--model", "bpe", "-o", "{0}/t.json", "{0}/no.txt"], "no.txt: No such file or directory"),
        (["train", "--model", "bpe", "--option", "vocab_sise=3", "-o", "{0}/t.json", *CORPUS], "vocab_size"),
        (["train", "--model", "bpe", "--option", "vocab_size", "-o", "{0}/t.json", *CORPUS], "write it as NAME=VALUE"),
        (
            ["train", "--model", "unigram", "--quiet", "--vocab-size", "9", "-o", "{0}/t.json", *CORPUS],
            "set vocab_size to 73 or",
        ),
        (
            ["train", "--model", "bpe", "--quiet", "--extend", "{0}/no.json", "-o", "{0}/t.json", *CORPUS],
            "no.json: No such",
        ),
        (["train", "--model", "bpe", "--vocab", "9", "-o", "{0}/t.json", *CORPUS], "unexpected argument '--vocab'"),
        (["train", "--model", "bpe", "-o", "{0}/c.txt", "{0}/c.txt"], "c.txt is a file that the command reads, and"),
        (["tokenize", "--tokenizer", "{0}/no.json", CORPUS[0]], "no.json: No such file or directory"),
        (["tokenize", "--tokenizer", CORPUS[0], CORPUS[0]], "not a valid tokenizer.json"),
    ],
)
def test_what_cannot_be_done_ends_with_a_sentence_and_status_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(tmp_path) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("evenscore: ")
    assert printed.err.count("\n") == 1
    assert re.search(message, printed.err), printed.err
    assert not (tmp_path / "t.json").exists()


@pytest.mark.slow
def test_a_trained_tokenizer_serves_the_metrics(tmp_path: Path) -> None:
    tokenizer = trained("unigram", tmp_path / "t.json", "--vocab-size", "300")
    bleu = evenscore.load("bleu_corpus", tokenizer=tokenizer.tokenize)
    score = bleu.compute(predictions=PREDICTIONS, references=VARYING)["score"]
    # The same pieces, joined and scored by sacrebleu, which is what spBLEU does.
    pieces = [" ".join(tokenizer.tokenize(text)) for text in PREDICTIONS]
    most = max(map(len, VARYING))
    references = [
        [" ".join(tokenizer.tokenize(row[i])) if i < len(row) else None for row in VARYING] for i in range(most)
    ]
    assert score == BLEU(tokenize="none").corpus_score(pieces, references).score
    rouge = evenscore.load("rouge_l_multi", tokenizer=tokenizer.tokenize)
    assert 0 < rouge.compute(predictions=PREDICTIONS, references=VARYING)["rougeL"] < 1
    by_path = evenscore.load("bleu_corpus", tokenizer=str(tmp_path / "t.json"))
    assert by_path.compute(predictions=PREDICTIONS, references=VARYING)["score"] == score


def test_scoring_never_loads_what_training_needs() -> None:
    program = (
        "import sys; from evenscore.cli import main; "
        f"main(['score', '--metric', 'wer_dp', '--predictions', {CORPUS[0]!r}, '--references', {CORPUS[1]!r}]); "
        "print([name for name in ('numba', 'tokenizers_impl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_history_tells_how_the_text_was_compressed() -> None:
    tokenizer, trainer = pipelines.bpe(vocab_size=300, show_progress=False)
    tokenizer.train(CORPUS, trainer)
    sizes = [row["corpus_tokens"] for row in trainer.history]
    assert sizes == sorted(sizes, reverse=True)
    assert json.loads(tokenizer.to_str())["model"]["merges"] == [list(row["pair"]) for row in trainer.history]
