"""`evenscore train` and `evenscore tokenize`, and what they make serving the metrics."""

from __future__ import annotations

import gzip
import json
import os
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
from tokenizers_impl import Tokenizer, models, normalizers, pipelines

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


@pytest.mark.parametrize(
    ("model", "size", "options", "said"),
    [
        ("bpe", 9000, [], r"(9000 asked: the texts have no more pairs that may be merged)"),
        ("wordpiece", 9000, [], r"(9000 asked: the texts have no more pairs that may be merged)"),
        ("unigram", 9000, [], r"(9000 asked: the texts have no more pieces)"),
        ("bpe", 3, [], r"(3 asked: characters and special tokens are always kept)"),
        ("byte-level-bpe", 3, [], r"(3 asked: characters and special tokens are always kept)"),
        (
            "bpe",
            3,
            ["--extend", "{0}"],
            r"(3 asked: the tokens of {0} and the characters of the texts are always kept)",
        ),
    ],
)
def test_a_vocabulary_of_another_size_than_asked_for_is_told(
    model: str, size: int, options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bpe.json"
    trained("bpe", path, "--vocab-size", "199")
    assert capsys.readouterr().out == f"{path}: bpe, 199 tokens\n"
    given = [option.format(path) for option in options]
    tokenizer = trained(model, tmp_path / "t.json", "--vocab-size", str(size), *given)
    assert capsys.readouterr().out.endswith(f"{tokenizer.get_vocab_size()} tokens {said.format(path)}\n")


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


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="pipes have no paths")
def test_a_pipe_is_read_whole(tmp_path: Path) -> None:
    """As in `evenscore train <(program)`. The texts are longer than what Python reads ahead."""
    texts = tmp_path / "texts.txt"
    texts.write_text(Path(CORPUS[0]).read_text(encoding="utf-8") * 10, encoding="utf-8")
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe, os.fdopen(reading):
        pipe.write(texts.read_bytes())
        pipe.close()
        made = []
        for name, path in (("a.json", str(texts)), ("b.json", f"/dev/fd/{reading}")):
            words = ["--vocab-size", "200", "--quiet", "-o", str(tmp_path / name), path]
            assert main(["train", "--model", "bpe", *words]) == 0
            made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


def test_a_byte_order_mark_is_no_part_of_the_texts(tmp_path: Path) -> None:
    made = []
    for name, mark in (("with.txt", b"\xef\xbb\xbf"), ("without.txt", b"")):
        texts, file = tmp_path / name, tmp_path / f"{name}.json"
        texts.write_bytes(mark + b"low lower\nlowest low\n")
        assert main(["train", "--model", "bpe", "--quiet", "-o", str(file), str(texts)]) == 0
        made.append(file.read_bytes())
    assert made[0] == made[1]


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
        (
            ["train", "--model", "bpe", "--option", "vocab_sise=3", "-o", "{0}/t.json", *CORPUS],
            "mean 'vocab-size'.*max-token-length",
        ),
        (["train", "--model", "bpe", "--option", "vocab_size", "-o", "{0}/t.json", *CORPUS], "write it as NAME=VALUE"),
        (
            ["train", "--model", "bpe", "--vocab-size", "9", "--option", "vocab-size=8", "-o", "{0}/t.json", *CORPUS],
            "vocab-size is given twice, one time by --option: leave one of them out$",
        ),
        (
            ["train", "--model", "bpe", "--option", 'special_tokens=["<a>"]', "-o", "{0}/t.json", *CORPUS],
            "--option special-tokens: give --special-token TOKEN, once for each, in its place$",
        ),
        (
            ["train", "--model", "bpe", "--option", "show_progress=maybe", "-o", "{0}/t.json", *CORPUS],
            "--option show-progress: give --quiet, or nothing, in its place$",
        ),
        (
            ["train", "--model", "bpe", "--special-token", "", "-o", "{0}/t.json", *CORPUS],
            "--special-token '': give the text of a token$",
        ),
        (["train", "--model", "bpe", "-o", "-", *CORPUS], "-o - is no file: name the tokenizer.json to write$"),
        (
            ["train", "--model", "unigram", "--quiet", "--vocab-size", "9", "-o", "{0}/t.json", *CORPUS],
            "set --vocab-size to 73 or",
        ),
        (
            ["train", "--model", "bpe", "--quiet", "--extend", "{0}/no.json", "-o", "{0}/t.json", *CORPUS],
            "no.json: No such",
        ),
        (
            ["train", "--model", "unigram", "--quiet", "--extend", "{0}/bpe.json", "-o", "{0}/t.json", *CORPUS],
            "--extend .*bpe.json has the model BPE, not one of --model unigram: give --model bpe or byte-level-bpe$",
        ),
        (
            ["train", "--model", "bpe", "--quiet", "--extend", "{0}/words.json", "-o", "{0}/t.json", *CORPUS],
            "has the model WordLevel, not one of --model bpe: choose a file of bpe, byte-level-bpe, wordpiece, unigram",
        ),
        (
            ["train", "--model", "unigram", "--min-frequency", "2", "-o", "{0}/t.json", *CORPUS],
            "evenscore: --min-frequency is no option of unigram: leave it out$",
        ),
        (["train", "--model", "bpe", "--vocab", "9", "-o", "{0}/t.json", *CORPUS], "unexpected argument '--vocab'"),
        (["train", "--model", "bpe", "-o", "{0}/c.txt", "{0}/c.txt"], "c.txt is a file that the command reads, and"),
        (["train", "--model", "bpe", *CORPUS], "nothing to write: give -o FILE, or --save-pretrained DIR"),
        (["train", "--model", "bpe", "-o", "{0}/t.json", "--role", "a=b", *CORPUS], "--role belongs to --save-pretr"),
        (
            ["train", "--model", "bpe", "--save-pretrained", "{0}/x", "--role", "a=b", *CORPUS],
            "--role a: choose one of",
        ),
        (["train", "--model", "bpe", "--save-pretrained", CORPUS[0], *CORPUS], "is a file: name a folder"),
        (["tokenize", "--tokenizer", "{0}/no.json", CORPUS[0]], "no.json: No such file or directory"),
        (["tokenize", "--tokenizer", CORPUS[0], CORPUS[0]], "not a valid tokenizer.json"),
    ],
)
def test_what_cannot_be_done_ends_with_a_sentence_and_status_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Tokenizer(models.BPE()).save(str(tmp_path / "bpe.json"))
    Tokenizer(models.WordLevel()).save(str(tmp_path / "words.json"))
    assert main([word.format(tmp_path) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("evenscore: ")
    assert printed.err.count("\n") == 1
    assert re.search(message, printed.err), printed.err
    assert not (tmp_path / "t.json").exists()


@pytest.mark.parametrize("model", pipelines.PIPELINES)
@pytest.mark.parametrize("packed", [False, True])
def test_files_without_words_are_refused_by_name_although_the_library_trains(
    model: str, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, out = tmp_path / ("empty.txt.gz" if packed else "empty.txt"), tmp_path / "t.json"
    empty.write_bytes(gzip.compress(b"") if packed else b"")
    assert main(["train", "--model", model, "--quiet", "-o", str(out), str(empty), str(empty)]) == 2
    said = f"evenscore: {empty}, {empty}: there are no words to train on: give files with text"
    assert capsys.readouterr().err.splitlines()[-1] == said
    assert not out.exists()
    tokenizer, trainer = pipelines.PIPELINES[model](show_progress=False)
    with pytest.warns(UserWarning, match="the corpus has no words"):
        tokenizer.train_from_iterator([], trainer)


def test_a_packed_file_trains_as_its_texts_whatever_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named, unnamed = tmp_path / "corpus.txt.gz", tmp_path / "corpus.txt"
    texts = Path(CORPUS[0]).read_bytes()
    named.write_bytes(gzip.compress(texts))
    unnamed.write_bytes(gzip.compress(texts))
    trained_on = {}
    for path in (CORPUS[0], str(named), str(unnamed)):
        out = tmp_path / "t.json"
        assert main(["train", "--model", "bpe", "--quiet", "--vocab-size", "300", "-o", str(out), path]) == 0
        trained_on[path] = out.read_bytes()
    assert len(set(trained_on.values())) == 1


def test_the_nearest_model_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--model", "BPE", "-o", "t.json", *CORPUS])
    said = "unknown model 'BPE'; did you mean 'bpe'? Choose one of bpe, byte-level-bpe, wordpiece, unigram"
    assert said in capsys.readouterr().err.splitlines()[-1]


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


# --- folders for transformers


def test_transformers_loads_the_folder_with_its_roles(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    words = ["--model", "bpe", "--quiet", "--vocab-size", "300", "--special-token", "<s>"]
    roles = ["--role", "bos_token=<s>", "--role", "pad_token=<pad>", "--role", "unk_token=<unk>"]
    assert main(["train", *words, "--save-pretrained", str(tmp_path / "folder"), *roles, *CORPUS]) == 0
    ours = Tokenizer.from_file(str(tmp_path / "folder" / "tokenizer.json"))
    theirs = AutoTokenizer.from_pretrained(str(tmp_path / "folder"))
    text = "The weather was better , wasn't it ?"
    assert theirs(text).input_ids == ours.encode(text).ids
    assert theirs.decode(ours.encode(text).ids) == ours.decode(ours.encode(text).ids)
    assert (theirs.bos_token_id, theirs.pad_token_id, theirs.unk_token, theirs.eos_token) == (1, 2, "<unk>", None)
    ours.save_pretrained(
        tmp_path / "other", pad_token="<pad>", model_max_length=5, truncation_side="left", padding_side="left"
    )
    theirs = AutoTokenizer.from_pretrained(str(tmp_path / "other"))
    assert theirs(text, truncation=True).input_ids == ours.encode(text).ids[-5:]
    (padded,) = theirs(["it"], padding="max_length").input_ids
    assert padded == [2] * (5 - len(ours.encode("it"))) + ours.encode("it").ids
    assert (theirs.bos_token, theirs.model_max_length, len(theirs)) == (None, 5, ours.get_vocab_size())


def test_the_name_of_a_file_is_no_folder(tmp_path: Path) -> None:
    tokenizer, _ = pipelines.bpe()
    (tmp_path / "c.txt").write_text("a")
    with pytest.raises(ValueError, match=r"save_directory='.*c\.txt' is a file: name a folder"):
        tokenizer.save_pretrained(tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text() == "a"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bos_token": "<bos>"}, "bos_token='<bos>' is no token: add it with add_special_tokens"),
        ({"truncation_side": "top"}, "truncation_side='top': choose 'right' or 'left'"),
        ({"model_max_length": 0}, "model_max_length=0: give 1 token or more"),
    ],
)
def test_a_folder_that_transformers_would_misread_is_not_written(
    options: dict[str, str], message: str, tmp_path: Path
) -> None:
    tokenizer, _ = pipelines.bpe()
    with pytest.raises(ValueError, match=message):
        tokenizer.save_pretrained(tmp_path / "folder", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "folder").exists()
