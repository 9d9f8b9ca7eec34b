"""One tokenizer that is changed, step after step and by several threads at once, beside `tokenizers`."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import tokenizers_impl

LIBRARIES = (tokenizers, tokenizers_impl)


def word_level(library: Any, vocab: dict[str, int]) -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel(vocab, unk_token="a"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    return tokenizer


# Added tokens, step after step


def normalizer(library: Any, name: str | None) -> Any:
    made: dict[str, Callable[[], Any]] = {
        "lower": library.normalizers.Lowercase,
        "mark": lambda: library.normalizers.Prepend("_"),
    }
    return None if name is None else made[name]()


def token(library: Any, content: str, normalized: bool | None) -> Any:
    return content if normalized is None else library.AddedToken(content, normalized=normalized)


def state(tokenizer: Any) -> tuple[Any, ...]:
    """All that can be seen of the added tokens."""
    encoding = tokenizer.encode("a XY xy Q q c C")
    ids = range(8)
    return (
        tokenizer.get_vocab(),
        tokenizer.get_vocab_size(),
        [tokenizer.id_to_token(id) for id in ids],
        [tokenizer.token_to_id(each) for each in ("a", "c", "XY", "xy", "Q", "q")],
        [tokenizer.decode([id], skip) for id in ids for skip in (True, False)],
        encoding.tokens,
        encoding.ids,
        [(id, repr(each)) for id, each in sorted(tokenizer.get_added_tokens_decoder().items())],
        json.loads(tokenizer.to_str())["added_tokens"],
        tokenizer.encode_special_tokens,
    )


CONTENTS = st.sampled_from(["XY", "Q", "c", "xy"])
TOKENS = st.lists(st.tuples(CONTENTS, st.sampled_from([None, True, False])), min_size=1, max_size=3)
CHANGES = st.lists(
    st.tuples(st.just("add"), TOKENS)
    | st.tuples(st.just("normalizer"), st.sampled_from([None, "lower", "mark"]))
    | st.tuples(st.just("encode_special_tokens"), st.booleans()),
    min_size=1,
    max_size=6,
)
# Side by side; with a gap, so that the next free id is one that a word has; two words and a token of several.
VOCABULARIES = [{"a": 0, "c": 1}, {"a": 0, "c": 2}, {"a": 3}]


def changed(tokenizer: Any, library: Any, change: tuple[str, Any]) -> Any:
    name, value = change
    if name == "add":
        return tokenizer.add_tokens([token(library, *each) for each in value])
    return setattr(tokenizer, name, normalizer(library, value) if name == "normalizer" else value)


def is_ambiguous(tokenizer: Any) -> bool:
    """Whether the normalizer makes two tokens equal, of which the library finds any."""
    tokens = tokenizer.get_added_tokens_decoder().values()
    found = tokenizer.normalizer.normalize_str if tokenizer.normalizer else str
    names = [found(each.content) for each in tokens if each.normalized]
    return len(set(names)) < len(names)


@examples(300)
@given(vocab=st.sampled_from(VOCABULARIES), changes=CHANGES)
def test_tokens_are_added_and_added_again(vocab: dict[str, int], changes: list[tuple[str, Any]]) -> None:
    theirs, mine = (word_level(library, vocab) for library in LIBRARIES)
    for change in changes:
        assert changed(mine, tokenizers_impl, change) == changed(theirs, tokenizers, change)
        if is_ambiguous(theirs):
            return
        assert state(mine) == state(theirs)


def test_a_token_may_take_the_id_of_another() -> None:
    found = []
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0, "c": 2})
        assert (tokenizer.add_tokens(["x"]), tokenizer.add_tokens(["c"])) == (1, 1)
        assert (tokenizer.token_to_id("x"), tokenizer.id_to_token(2)) == (2, "c")
        assert tokenizer.get_vocab_size() == 3
        found.append(tokenizer.get_vocab())
    assert found[0] == found[1] == pickle.loads(pickle.dumps(tokenizer)).get_vocab()


def test_a_name_stays_until_the_normalizer_is_set() -> None:
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0})
        tokenizer.normalizer = library.normalizers.Lowercase()
        tokenizer.add_tokens(["XY"])
        tokenizer.add_special_tokens(["XY"])
        assert (tokenizer.id_to_token(1), tokenizer.decode([1]), tokenizer.encode("XY").tokens) == ("xy", "xy", ["XY"])
        # A copy of the library's is made of its file, which has no such names.
        copied = [each(tokenizer).id_to_token(1) for each in (copy.copy, copy.deepcopy)]
        assert copied == (["XY", "XY"] if library is tokenizers else ["xy", "xy"])
        tokenizer.normalizer = library.normalizers.Lowercase()
        assert (tokenizer.id_to_token(1), tokenizer.decode([1])) == ("XY", "")


STEPS: dict[str, Callable[[Any, Any], object]] = {
    "normalizer": lambda library, it: setattr(it, "normalizer", library.normalizers.NFC()),
    "no normalizer": lambda library, it: setattr(it, "normalizer", None),
    "pre_tokenizer": lambda library, it: setattr(it, "pre_tokenizer", library.pre_tokenizers.WhitespaceSplit()),
    "model": lambda library, it: setattr(it, "model", library.models.WordLevel({"a": 0, "c": 1}, "a")),
    "decoder": lambda library, it: setattr(it, "decoder", library.decoders.Fuse()),
    "post_processor": lambda library, it: setattr(it, "post_processor", library.processors.ByteLevel()),
    "add_tokens": lambda library, it: it.add_tokens(["b"]),
    "add_special_tokens": lambda library, it: it.add_special_tokens(["[T]"]),
    "train": lambda library, it: it.train_from_iterator(
        ["S a"], library.trainers.WordLevelTrainer(show_progress=False)
    ),
    "enable_truncation": lambda library, it: it.enable_truncation(9),
    "enable_padding": lambda library, it: it.enable_padding(),
    "encode": lambda library, it: it.encode_batch(["[S]", "a"]),
}


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_special_tokens_stay_text_whatever_is_changed(step: str, flag: bool) -> None:
    found = []
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0})
        tokenizer.add_special_tokens(["[S]"])
        tokenizer.add_tokens(["XY"])
        tokenizer.encode_special_tokens = flag
        STEPS[step](library, tokenizer)
        assert tokenizer.encode_special_tokens is flag
        found.append([tokenizer.encode(text).tokens for text in ("[S]", "XY[S]", "a [S][T] b")])
    assert found[0] == found[1]
    assert ("[S]" in found[1][0]) is not flag


def test_a_normalizer_that_fails_changes_nothing() -> None:
    class Failing:
        def normalize(self, normalized: Any) -> None:
            raise KeyError("no")

    tokenizer = word_level(tokenizers_impl, {"a": 0})
    tokenizer.add_tokens(["XY"])
    before = state(tokenizer)
    with pytest.raises(KeyError):
        tokenizer.normalizer = tokenizers_impl.normalizers.Normalizer.custom(Failing())
    assert tokenizer.normalizer is None
    assert state(tokenizer) == before


# Threads


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as can be."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def at_once(*works: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(works)) as pool:
        for each in [pool.submit(work) for work in works]:
            each.result()


@pytest.mark.usefixtures("switching")
def test_threads_add_tokens_at_once() -> None:
    tokenizer = word_level(tokenizers_impl, {"a": 0})
    names = [[f"t{thread}_{i}" for i in range(25)] for thread in range(8)]
    at_once(*[lambda mine=mine: [tokenizer.add_tokens([name]) for name in mine] for mine in names])
    every = [name for mine in names for name in mine]
    assert sorted(tokenizer.token_to_id(name) for name in every) == list(range(1, 201))
    assert [tokenizer.id_to_token(tokenizer.token_to_id(name)) for name in every] == every
    assert pickle.loads(pickle.dumps(tokenizer)).get_vocab() == tokenizer.get_vocab()


@pytest.mark.usefixtures("switching")
def test_threads_change_everything_at_once() -> None:
    tokenizer = word_level(tokenizers_impl, {"a": 0})
    lower, trainer = tokenizers_impl.normalizers.Lowercase(), tokenizers_impl.trainers.WordLevelTrainer
    tokenizer.add_special_tokens(["[S]"])
    encoded: list[list[str]] = []

    def set_normalizer() -> None:
        for i in range(30):
            tokenizer.normalizer = None if i % 2 else lower

    def set_flag() -> None:
        for i in range(30):
            tokenizer.encode_special_tokens = i % 2 == 0

    def set_padding() -> None:
        for i in range(100):
            tokenizer.enable_padding(length=i % 2)
            tokenizer.enable_truncation(1 + i % 2)

    def encode() -> None:
        encoded.extend(tokenizer.encode("T0").tokens for _ in range(100))
        encoded.extend(copy.deepcopy(tokenizer).encode("T0").tokens for _ in range(10))

    adds = [lambda i=i: [tokenizer.add_tokens([f"T{i}{j}"]) for j in range(15)] for i in range(1, 4)]
    tokenizer.add_tokens(["T0"])
    at_once(set_normalizer, set_flag, set_padding, encode, *adds)
    # The token is found whether the normalizer is there or not.
    assert {tuple(each) for each in encoded} <= {("T0",), ("t0",), ("[PAD]",)}
    assert tokenizer.get_vocab_size() == 1 + 1 + 1 + 45
    assert tokenizer.normalizer is None
    assert [tokenizer.decode([tokenizer.token_to_id(f"T2{j}")]) for j in range(15)] == [f"T2{j}" for j in range(15)]
    at_once(
        lambda: tokenizer.train_from_iterator(["b b c"], trainer(show_progress=False)),
        lambda: [tokenizer.add_tokens([f"U{j}"]) for j in range(15)],
    )
    assert sorted(tokenizer.get_vocab().values()) == list(range(tokenizer.get_vocab_size()))


class Watched(tokenizers_impl.Tokenizer):
    """Calls `meanwhile` at each look at one of its parts."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        meanwhile = vars(type(self))["meanwhile"]
        if meanwhile and name in ("model", "normalizer", "_parts"):
            meanwhile()
        return value

    meanwhile: Callable[[], None] | None = None


class TellingLock:
    """A lock that tells when a thread waits for it."""

    def __init__(self) -> None:
        self._lock, self.is_waited_for = threading.RLock(), threading.Event()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.is_waited_for.set()
            self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


def watched(lock: Any) -> tokenizers_impl.Tokenizer:
    tokenizer = Watched(tokenizers_impl.models.WordLevel({"a": 0}, "a"))
    tokenizer._locks[os.getpid()] = lock
    tokenizer.pre_tokenizer = tokenizers_impl.pre_tokenizers.Whitespace()
    tokenizer.add_tokens(["XY"])
    return tokenizer


def learn(tokenizer: tokenizers_impl.Tokenizer) -> None:
    """All ids change."""
    trainer = tokenizers_impl.trainers.WordLevelTrainer(special_tokens=["c"], show_progress=False)
    tokenizer.train_from_counts({"b": 1, "a": 3, "d": 1}, trainer)


def read(tokenizer: tokenizers_impl.Tokenizer) -> None:
    """Learn from texts, which are cut first."""
    tokenizer.train_from_iterator(["a XY Xy"], tokenizers_impl.trainers.WordLevelTrainer(show_progress=False))


def lower(tokenizer: tokenizers_impl.Tokenizer) -> None:
    tokenizer.normalizer = tokenizers_impl.normalizers.Lowercase()


def seen(tokenizer: Any) -> tuple[Any, ...]:
    found = tokenizer.encode("a XY xy U Z c d")
    return found.ids, found.tokens, tokenizer.get_vocab(), tokenizer.encode_special_tokens, repr(tokenizer.normalizer)


WORKS: dict[str, Callable[[Any], Any]] = {
    "encode": lambda it: (lambda found: (found.ids, found.tokens))(it.encode("a XY xy")),
    "encode_batch": lambda it: [(each.ids, each.tokens) for each in it.encode_batch(["a XY", "xy"])],
    "decode": lambda it: it.decode([0, 1, 2, 3]),
    "pickle": lambda it: seen(pickle.loads(pickle.dumps(it))),
    "add": lambda it: it.add_tokens(["Z", "d"]),
    "add special": lambda it: it.add_special_tokens(["a"]),
    "flag": lambda it: setattr(it, "encode_special_tokens", True),
    "normalizer": lower,
    "train": learn,
    "read": read,
}
Work = Callable[[Any], Any]


def in_order(works: tuple[Work, Work], order: tuple[int, int]) -> tuple[Any, ...]:
    """What each of two works gives, and what is there in the end, if one follows the other."""
    tokenizer, given = watched(threading.RLock()), dict[int, Any]()
    for i in order:
        given[i] = works[i](tokenizer)
    return given[0], given[1], seen(tokenizer)


def interrupted(works: tuple[Work, Work], moment: int) -> tuple[Any, ...] | None:
    """The same if another thread begins with the second one at the look of that number; None if there is none such.

    Nothing goes on before that thread is through with it, or waits for the lock.
    """
    lock, looks, other = TellingLock(), list[int](), list[Any]()
    tokenizer, here = watched(lock), threading.current_thread()

    def work() -> Any:
        try:
            return works[1](tokenizer)
        finally:
            lock.is_waited_for.set()

    def meanwhile() -> None:
        if threading.current_thread() is here:
            looks.append(len(looks))
            if looks[-1] == moment:
                other.append(pool.submit(work))
                lock.is_waited_for.wait()

    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watched, "meanwhile", staticmethod(meanwhile))
        given = works[0](tokenizer)
    assert looks
    return (given, other[0].result(), seen(tokenizer)) if other else None


@pytest.mark.parametrize("other", WORKS)
@pytest.mark.parametrize("work", WORKS)
def test_what_another_thread_does_at_any_moment_comes_before_or_after(work: str, other: str) -> None:
    """Neither of two threads sees half of what the other one changes."""
    works, moment = (WORKS[work], WORKS[other]), 0
    expected = [in_order(works, order) for order in ((0, 1), (1, 0))]
    while found := interrupted(works, moment):
        assert found in expected, moment
        moment += 1


# What encode, decode and the methods of an Encoding are given


def test_true_and_false_are_ids_as_in_the_library() -> None:
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0, "b": 1})
        assert tokenizer.decode_batch([[True], [False], [True, 0]]) == ["b", "a", "b a"]


@pytest.mark.parametrize("is_pretokenized", [False, True])
@pytest.mark.parametrize("dtype", [object, str])
def test_arrays_are_pairs_and_words(dtype: type, is_pretokenized: bool) -> None:
    rows = []
    for library in LIBRARIES:
        # Of one character each: the library reads words of an array with the zeros behind them.
        tokenizer = library.Tokenizer(library.models.BPE({"a": 0, "b": 1}, []))
        inputs = [np.array(["a", "b"], dtype), ["b", "a"], np.array(["ab", "a"], dtype)]
        rows.append([(e.ids, e.type_ids) for e in tokenizer.encode_batch(inputs, is_pretokenized=is_pretokenized)])
    assert rows[0] == rows[1]
    assert rows[0][0][1] == ([0, 0] if is_pretokenized else [0, 1])


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda t: t.encode(None, is_pretokenized=True), "input 0 is None: give a list of words"),
        (lambda t: t.encode(None, ["a"], is_pretokenized=True), "input 0 is None: give a list of words"),
        (lambda t: t.encode_batch([np.array("a")]), r"text 0 is array\('a'.*: give a string or a pair"),
        (lambda t: t.encode("a").word_to_tokens(2**32), "word_index=4294967296: give an integer from 0 to 4294967295"),
        (lambda t: t.encode("a").word_to_chars(2**32), "word_index=4294967296: give an integer from 0 to 4294967295"),
        (lambda t: t.encode("a").char_to_token(2**64), "char_pos=18446744073709551616: give an integer from 0 to"),
        (lambda t: t.encode("a").pad(2, pad_id=2**32), "pad_id=4294967296: give an integer from 0 to 4294967295"),
        (lambda t: t.enable_truncation(True), "max_length=True: give an integer"),
        (lambda t: t.enable_padding(pad_id=True), "pad_id=True: give an integer"),
    ],
)
def test_mistakes_are_told(mistake: Callable[[Any], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mistake(word_level(tokenizers_impl, {"a": 0}))


def test_a_multiple_may_be_huge_until_rows_are_padded() -> None:
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0})
        tokenizer.enable_padding(pad_to_multiple_of=2**31)
        assert tokenizer.padding["pad_to_multiple_of"] == 2**31
        assert tokenizer.encode("").ids == []
    with pytest.raises(ValueError, match="pad_to_multiple_of=2147483648 makes rows of 2147483648 tokens: set"):
        tokenizer.encode("a")


# Choices in a file, whose names may stand in objects


METASPACE = {"type": "Metaspace", "replacement": "▁", "split": True}
AB = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": {"B": None}, "type_id": 1}}]
CHOICES: dict[str, dict[str, Any]] = {
    "truncation": {"direction": {"Left": None}, "max_length": 3, "strategy": {"OnlyFirst": None}, "stride": 0},
    "padding": {
        "strategy": {"BatchLongest": None},
        "direction": {"Left": None},
        "pad_to_multiple_of": 2**31,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "P",
    },
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Punctuation", "behavior": {"Removed": None}},
            {"type": "Split", "pattern": {"String": "a"}, "behavior": {"MergedWithNext": None}, "invert": False},
            METASPACE | {"prepend_scheme": {"first": None}},
        ],
    },
    "decoder": METASPACE | {"prepend_scheme": {"never": None}},
    "post_processor": {"type": "TemplateProcessing", "single": AB[:1], "pair": AB, "special_tokens": {}},
}


@pytest.mark.parametrize("part", CHOICES)
def test_a_choice_may_be_an_object(part: str) -> None:
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    text = json.dumps({"version": "1.0", part: CHOICES[part], "model": model})
    theirs, mine = (library.Tokenizer.from_str(text) for library in LIBRARIES)
    assert mine.to_str() == theirs.to_str()
    assert "null}" not in json.dumps(json.loads(mine.to_str())[part])


def test_a_forked_process_does_not_wait_for_a_thread_that_it_lacks() -> None:
    tokenizer = word_level(tokenizers_impl, {"a": 0})
    tokenizer.encode("a")
    held, forked = threading.Event(), threading.Event()

    def hold() -> None:
        with tokenizer._lock:
            held.set()
            forked.wait()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        held.wait()
        process = multiprocessing.get_context("fork").Process(target=lambda: tokenizer.add_tokens(["b"]))
        process.start()
        forked.set()
    process.join(60)
    process.kill()
    assert process.exitcode == 0


# Where the library goes another way


def test_a_process_forked_after_a_batch_encodes(monkeypatch: pytest.MonkeyPatch) -> None:
    # The process of the library would wait forever for threads that it does not have.
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")
    tokenizer = word_level(tokenizers_impl, {"a": 0, "b": 1})
    expected = [each.ids for each in tokenizer.encode_batch(["a b", "b"] * 2000)]
    context = multiprocessing.get_context("fork")
    there, here = context.SimpleQueue(), expected

    def encode() -> None:
        there.put([each.ids for each in tokenizer.encode_batch(["a b", "b"] * 2000)] == here)

    process = context.Process(target=encode)
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0
    assert not there.empty()
    assert there.get()


def test_a_training_leaves_the_model_that_another_tokenizer_has() -> None:
    sizes = {}
    for library in LIBRARIES:
        model = library.models.BPE()
        one, other = library.Tokenizer(model), library.Tokenizer(model)
        one.train_from_iterator(["ab"], library.trainers.BpeTrainer(show_progress=False))
        sizes[library] = one.get_vocab_size(), other.get_vocab_size()
    assert sizes == {tokenizers: (3, 3), tokenizers_impl: (3, 0)}


def test_added_tokens_follow_the_vocabulary_of_a_second_training() -> None:
    ids = {}
    for library in LIBRARIES:
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.train_from_iterator(["ab"], library.trainers.BpeTrainer(show_progress=False))
        tokenizer.add_tokens(["<x>"])
        tokenizer.train_from_iterator(["abcd"], library.trainers.BpeTrainer(show_progress=False))
        ids[library] = tokenizer.token_to_id("<x>"), tokenizer.token_to_id("d"), tokenizer.get_vocab_size()
    # There two tokens have id 3.
    assert ids == {tokenizers: (3, 3, 8), tokenizers_impl: (7, 3, 8)}


def test_an_added_token_of_which_normalization_leaves_nothing_is_never_found() -> None:
    found = {}
    for library in LIBRARIES:
        tokenizer = word_level(library, {"a": 0, "ab": 1})
        tokenizer.pre_tokenizer = None
        tokenizer.normalizer = library.normalizers.StripAccents()
        tokenizer.add_tokens(["\u0301"])
        found[library] = tokenizer.encode("ab").tokens
        if library is tokenizers:
            with pytest.raises(BaseException, match="bad split"):
                tokenizer.encode("é中x")
    assert found == {tokenizers: ["a", "a"], tokenizers_impl: ["ab"]}
    assert tokenizer.encode("é中x").tokens == ["a"]
