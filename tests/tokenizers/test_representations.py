"""`repr` and `str` of every object are those of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
from tokenizer_samples import SAMPLES, made, tokenizer, value_of
from tokenizer_scenarios import names

import tokenizers_impl

# In the library these show no more than an address.
BARE = {"PreTokenizedString", "Regex", "Token", "decoders.DecodeStream"}
MANY = {char: i for i, char in enumerate(map(chr, range(0x4E00, 0x4E80)))}
SCORED = [("a", -0.0), ("b", -1e-7), ("c", 1e22), ("d", -12345.678), ("e" * 120, 5e-324), ("é" * 60, -3.0)]


def shown(thing: Any) -> tuple[str, str]:
    return repr(thing), str(thing)


def both(make: Callable[[Any], Any]) -> None:
    """The same from either library."""
    assert shown(make(tokenizers_impl)) == shown(make(tokenizers))


@pytest.mark.filterwarnings("ignore:Deprecated in 0.9.4")
@pytest.mark.parametrize("row", sorted(SAMPLES.keys() - BARE))
def test_objects_with_defaults_and_every_option(row: str) -> None:
    options = [member[1:-1] for member in names()[row] if member.startswith("[")]
    for given in ({}, *({name: value_of(row, name)} for name in options)):
        both(lambda library, given=given: made(library, row, **given))


def test_models_that_hold_much_are_cut_off() -> None:
    both(lambda library: library.models.WordLevel(MANY, unk_token="<unk>"))
    both(lambda library: library.models.Unigram([(token, -1.0) for token in MANY], unk_id=3))
    both(lambda library: library.models.Unigram(SCORED))
    merges = [(first, "b") for first in MANY]
    vocab = MANY | {"b": 200} | {first + "b": 201 + i for i, first in enumerate(MANY)}
    both(lambda library: library.models.BPE(vocab, merges, dropout=0.3, unk_token="\n\"'\\"))
    both(lambda library: library.models.WordPiece({"x" * 120: 0, "é" * 50: 1}))


def test_trainers_show_all_their_tokens_or_few() -> None:
    for name in ("BpeTrainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"):
        for count in (1, 5, 6, 120):
            both(
                lambda library, name=name, count=count: getattr(library.trainers, name)(
                    special_tokens=[library.AddedToken("a", lstrip=True), *map(str, range(count))]
                )
            )
    for progress in ("indicatif", "json", "silent"):
        both(lambda library, progress=progress: library.trainers.BpeTrainer(progress_format=progress))
    both(lambda library: library.trainers.BpeTrainer(initial_alphabet=["ab", "", "a"], show_progress=False))
    both(lambda library: library.trainers.UnigramTrainer(initial_alphabet=["é"], shrinking_factor=1e-7))


def test_steps() -> None:
    for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        both(lambda library, b=behavior: library.pre_tokenizers.Split(library.Regex("\\s+\n"), b, invert=True))
    both(lambda library: library.normalizers.Sequence([library.normalizers.NFC()] * 120))
    both(lambda library: library.normalizers.Prepend("x" * 101))
    template = ["$B:2", "a:3", "$A", "$3", *"bcd"]
    tokens = [{"id": "a", "ids": [*range(7)], "tokens": [*"tuvwxyz"]}, *zip("bcdef", range(5), strict=True)]
    both(lambda library: library.processors.TemplateProcessing(single=template, special_tokens=tokens))


def test_strings_are_cut_between_characters() -> None:
    """Where the library panics: a character of two bytes lies across the limit of 100."""
    assert str(tokenizers_impl.normalizers.Prepend("a" + "é" * 60)) == f'Prepend(prepend="a{"é" * 49}...")'
    assert repr(tokenizers_impl.normalizers.Prepend("a" + "é" * 60)) == f'Prepend(prepend="a{"é" * 60}")'


@pytest.mark.parametrize("strategy", ["longest_first", "only_first", "only_second"])
def test_a_whole_tokenizer(strategy: str) -> None:
    def whole(library: Any, length: int | None) -> Any:
        result = tokenizer(library, decoder=library.decoders.Sequence([library.decoders.Fuse()] * 7))
        result.normalizer = library.normalizers.Sequence([library.normalizers.Strip(), library.normalizers.Nmt()])
        result.post_processor = library.processors.BertProcessing(("low", 6), ("l", 1))
        result.add_tokens(["x", library.AddedToken("y\n", special=True), *map(str, range(110))])
        result.enable_padding(length=length, pad_to_multiple_of=length, direction="left")
        result.enable_truncation(5, stride=1, strategy=strategy)
        return result

    for length in (None, 8):
        both(lambda library, length=length: whole(library, length))


def test_sequences_in_sequences() -> None:
    """Taken apart where they are made, not where they are read."""
    both(lambda library: _nested(library.normalizers, "NFC"))
    both(lambda library: _nested(library.pre_tokenizers, "Digits"))
    both(lambda library: _nested(library.decoders, "Fuse"))
    both(lambda library: _nested(library.processors, "ByteLevel"))
    whole = json.loads(tokenizer(tokenizers).to_str())
    for part, key, step in (
        ("normalizer", "normalizers", {"type": "NFC"}),
        ("pre_tokenizer", "pretokenizers", {"type": "Whitespace"}),
        ("decoder", "decoders", {"type": "Fuse"}),
        ("post_processor", "processors", json.loads(_byte_level().to_str())["post_processor"]),
    ):
        inner = {"type": "Sequence", key: [step]}
        text = json.dumps(whole | {part: {"type": "Sequence", key: [inner, step]}})
        both(lambda library, text=text: library.Tokenizer.from_str(text))
        both(lambda library, text=text: library.Tokenizer.from_str(library.Tokenizer.from_str(text).to_str()))


def _nested(steps: Any, name: str) -> Any:
    step = getattr(steps, name)
    return steps.Sequence([step(), steps.Sequence([steps.Sequence([step()]), step()])])


def _byte_level() -> Any:
    return tokenizer(tokenizers, post_processor=tokenizers.processors.ByteLevel())


def test_sequences_are_looked_into() -> None:
    """Also ones of no steps, which are as good as none."""

    def told(library: Any) -> list[Any]:
        whole = tokenizer(library, normalizer=library.normalizers.Sequence([]), decoder=library.decoders.Sequence([]))
        whole.pre_tokenizer = library.pre_tokenizers.Sequence([])
        whole.post_processor = library.processors.Sequence([])
        steps = library.normalizers.Sequence([library.normalizers.NFC(), library.normalizers.NFD()])
        cuts = library.pre_tokenizers.Sequence([library.pre_tokenizers.Digits()])
        ends = library.processors.Sequence([library.processors.ByteLevel()])
        return [whole.to_str(), whole.encode("low").tokens, len(steps), *map(repr, (steps[1], cuts[0], ends[0]))]

    assert told(tokenizers_impl) == told(tokenizers)
    with pytest.raises(IndexError):
        tokenizers_impl.normalizers.Sequence([])[0]
