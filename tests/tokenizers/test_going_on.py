"""Tokenizers whose training goes on: ids stay, files are the library's, all ways of training agree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from shared_data import lines

from tokenizers_impl import Tokenizer, models, pipelines
from tokenizers_impl._text.words import WordCounts
from tokenizers_impl.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer

tokenizers = pytest.importorskip("tokenizers")

SMALL, LARGE = 420, 700
TEXTS = ["the weather was better than the whether", "Ελλάδα και naïve words", "[UNK] <unk> 漢字 of the", ""]


def first_lines() -> list[str]:
    return lines("text/wikitext2.valid.txt")[:150]


def other_lines() -> list[str]:
    return [*lines("text/wikitext2.test.txt")[:150], "Ελλάδα Ελλάδα Ελλάδα"]


def pipeline(name: str, size: int, **options: Any) -> tuple[Tokenizer, Trainer]:
    return pipelines.PIPELINES[name](vocab_size=size, show_progress=False, **options)


def trained(name: str) -> Tokenizer:
    tokenizer, trainer = pipeline(name, SMALL)
    tokenizer.train_from_iterator(first_lines(), trainer)
    return tokenizer


@pytest.mark.parametrize("name", list(pipelines.PIPELINES))
def test_ids_stay_and_the_library_reads_what_is_saved(name: str, tmp_path: Path) -> None:
    tokenizer, corpus = trained(name), tmp_path / "corpus.txt"
    before = tokenizer.get_vocab()
    corpus.write_text("\n".join(other_lines()), encoding="utf-8")
    trainer = pipeline(name, LARGE, extend=True)[1]
    tokenizer.train([str(corpus)], trainer)
    after = tokenizer.get_vocab()
    assert before.items() <= after.items()
    assert (len(before), len(after)) == (SMALL, LARGE)
    again = trained(name)
    again.train_from_iterator([line + "\n" for line in other_lines()[:-1]] + other_lines()[-1:], trainer)
    assert again.to_str() == tokenizer.to_str()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert library.get_vocab() == after
    texts = [*TEXTS, *other_lines()[:40]]
    read = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    mine, read_again, theirs = (
        [(each.ids, each.offsets) for each in one.encode_batch(texts)] for one in (tokenizer, read, library)
    )
    assert mine == read_again == theirs


@pytest.mark.parametrize("name", list(pipelines.PIPELINES))
def test_counted_words_do_as_well(name: str) -> None:
    words = {"bpe": "", "byte-level-bpe": "Ġ", "wordpiece": "", "unigram": "▁"}
    counts = Counter(words[name] + word for word in ["lower", "lowest", "weather"] * 20 + ["low", "zzz"] * 7)
    tokenizer = trained(name)
    before = tokenizer.get_vocab()
    trainer = pipeline(name, SMALL + 5, extend=True)[1]
    tokenizer.train_from_counts(counts, trainer)
    assert before.items() <= tokenizer.get_vocab().items()
    # So few words have no five new pieces of Unigram.
    assert SMALL + 2 < tokenizer.get_vocab_size() <= SMALL + 5
    model = trainer.train_words(WordCounts.of(counts), trained(name).model)
    assert model.to_json() == tokenizer.model.to_json()


@pytest.mark.parametrize(
    ("trainer", "model"),
    [
        (BpeTrainer, models.WordPiece()),
        (BpeTrainer, models.Unigram()),
        (WordPieceTrainer, models.BPE()),
        (WordPieceTrainer, models.Unigram()),
        (UnigramTrainer, models.BPE()),
        (UnigramTrainer, models.WordPiece()),
    ],
)
def test_a_model_of_another_kind_is_refused(trainer: type[Any], model: models.Model) -> None:
    kind = trainer.__name__.removesuffix("Trainer").replace("Bpe", "BPE")
    with pytest.raises(ValueError, match=f"can only train a {kind}.*{type(model).__name__}"):
        Tokenizer(model).train_from_counts({"a": 1}, trainer(extend=True, show_progress=False))
