"""Many rows of ids at once, and what a tokenizer has looked up for them, beside `tokenizers` and row by row."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
from fresh_process import run_python
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import tokenizers_impl
from tokenizers_impl import decoders
from tokenizers_impl._encoding import decoding as _decoding

LIBRARIES = (tokenizers_impl, tokenizers)
# Whole characters, parts of characters, marks of every decoder, tokens that mean nothing to any of them.
WORDS = "a b</w> ##s </w> ▁a ▁ Ġ Ã © Ģ é 漢 🙂 . n't ðŁ ĻĤ"
VOCAB = [*WORDS.split(), " ", "", "<s>"]
IDS = st.integers(0, len(VOCAB) + 1)
DECODERS: dict[str, Callable[[Any], Any]] = {
    "none": lambda library: None,
    "BPEDecoder": lambda library: library.decoders.BPEDecoder(),
    "ByteLevel": lambda library: library.decoders.ByteLevel(),
    "Metaspace": lambda library: library.decoders.Metaspace(),
    "WordPiece": lambda library: library.decoders.WordPiece(),
    "CTC": lambda library: library.decoders.CTC("a"),
    "Sequence": lambda library: library.decoders.Sequence(
        [library.decoders.Replace("a", "▁"), library.decoders.Fuse()]
    ),
}
OTHERS = [
    decoders.ByteLevel(errors="recover"),
    decoders.ByteWords(),
    decoders.ByteWords(errors="replace"),
    decoders.Metaspace(prepend_scheme="never"),
    # The library's panics at a token that it strips whole.
    decoders.Strip("a", 1, 1),
    decoders.WordPiece(cleanup=False),
]


def made(library: Any, decoder: Any = None, vocab: list[str] = VOCAB) -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel({token: id for id, token in enumerate(vocab)}, "a"))
    tokenizer.decoder = decoder
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


def by_hand(tokenizer: Any, row: list[int], skip: bool) -> str:
    """By the definition: the tokens that have a name and are not left out, given to the decoder."""
    tokens = [tokenizer.id_to_token(id) for id in row]
    special = {token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special}
    shown = [token for token in tokens if token is not None and not (skip and token in special)]
    return " ".join(shown) if tokenizer.decoder is None else tokenizer.decoder.decode(shown)


# The rows together are long enough for arrays, and end inside characters.
MANY_ROWS = st.lists(st.lists(IDS, max_size=8), min_size=1, max_size=8).map(lambda rows: [*rows, [0, 7]] * 20)


@pytest.mark.parametrize("name", DECODERS)
@given(rows=MANY_ROWS, skip=st.booleans())
@examples(80)
def test_many_rows(name: str, rows: list[list[int]], skip: bool) -> None:
    mine, theirs = (made(library, DECODERS[name](library)) for library in LIBRARIES)
    expected = theirs.decode_batch(rows, skip_special_tokens=skip)
    assert mine.decode_batch(rows, skip_special_tokens=skip) == expected
    assert [mine.decode(row, skip_special_tokens=skip) for row in rows] == expected


@pytest.mark.parametrize("decoder", OTHERS, ids=repr)
@given(rows=MANY_ROWS, skip=st.booleans())
@examples(50)
def test_many_rows_by_other_decoders(decoder: Any, rows: list[list[int]], skip: bool) -> None:
    mine = made(tokenizers_impl, decoder)
    expected = [by_hand(mine, row, skip) for row in rows]
    assert mine.decode_batch(rows, skip_special_tokens=skip) == expected
    assert [mine.decode(row, skip_special_tokens=skip) for row in rows] == expected


def test_a_character_does_not_reach_from_row_to_row() -> None:
    for decoder in (decoders.ByteLevel(), decoders.ByteLevel(errors="recover")):
        mine = made(tokenizers_impl, decoder)
        broken = "\ufffd" if decoder.errors == "replace" else ""
        halves = [[0, VOCAB.index("Ã")], [VOCAB.index("©"), 0]] * 40
        assert mine.decode_batch(halves) == ["a" + broken, broken + "a"] * 40
        # Only the characters of all rows together are whole: they begin and end at a row's end.
        assert mine.decode_batch([[7, 8]] * 40) == ["é"] * 40
    with pytest.raises(ValueError, match="the tokens' bytes are no UTF-8 from byte 1 on"):
        made(tokenizers_impl, decoders.ByteLevel(errors="strict")).decode_batch(halves)


@pytest.mark.parametrize("rows", [_decoding._ROWS - 1, _decoding._ROWS, _decoding._ROWS + 1, 2 * _decoding._ROWS + 3])
def test_more_rows_than_a_block(rows: int) -> None:
    mine, theirs = (made(library, library.decoders.ByteLevel()) for library in LIBRARIES)
    random = np.random.default_rng(rows)
    # Some blocks hold broken characters, some do not.
    ids = [[0, 10, *random.integers(0, 7 if i < rows // 2 else 20, size=i % 4).tolist()] for i in range(rows)]
    assert mine.decode_batch(ids) == theirs.decode_batch(ids)


def test_ids_beyond_any_vocabulary() -> None:
    largest = _decoding._LARGEST_TABLE
    vocab = {"a": 0, "b": largest - 1, "c": largest, "d": largest + 1, "e": 2**31 - 1}
    mine, theirs = (library.Tokenizer(library.models.WordLevel(vocab, "a")) for library in LIBRARIES)
    for last in (0, largest - 1, largest, largest + 1, 2**31 - 1, 2**32 - 1):
        rows = [[0, 5, largest - 1], [last, 0], [], [last]] * 20
        assert mine.decode_batch(rows) == theirs.decode_batch(rows)


@pytest.mark.parametrize(
    "of", [list, tuple, iter, np.array, lambda row: np.array(row, np.uint8), lambda row: range(2, 5)]
)
def test_rows_of_any_kind(of: Callable[[list[int]], Any]) -> None:
    mine, row = made(tokenizers_impl, decoders.WordPiece()), [2, 3, 4]
    assert mine.decode_batch([of(row) for _ in range(30)]) == [mine.decode(row)] * 30 == [mine.decode(of(row))] * 30
    assert mine.decode_batch(of(row) for _ in range(3)) == [mine.decode(row)] * 3


@pytest.mark.parametrize("strange", [1.0, np.float64(1), "1", None, -1, 2**32, 2**64, [1], np.array([1, 2])])
def test_what_is_no_id_is_refused_though_it_equals_one(strange: Any) -> None:
    mine = made(tokenizers_impl)
    mine.decode_batch([[0, 1, 2]] * 40)
    with pytest.raises(ValueError, match=r"the ids hold .*: give integers from 0 to"):
        mine.decode([1, strange])
    with pytest.raises(ValueError, match=r"row 39 holds .*: give integers from 0 to"):
        mine.decode_batch([[1]] * 39 + [[1, strange]])


# What was looked up

PARTS: dict[str, Callable[[Any], Any]] = {
    "model": lambda library: library.models.WordLevel({"Ġx": 0, "y": 1, "##s": 2, "a": 3, "Z": 40}, "a"),
    "normalizer": lambda library: library.normalizers.Lowercase(),
    "decoder": lambda library: library.decoders.ByteLevel(),
}
STEPS = st.one_of(
    st.tuples(st.just("set"), st.sampled_from([*PARTS, "no decoder"])),
    st.tuples(st.just("add"), st.sampled_from(["QU", "a", "Ġ", "new"])),
    st.tuples(st.just("special"), st.sampled_from(["SP", "b</w>", "##s"])),
    st.tuples(st.just("train"), st.sampled_from(["low lower", "x Y"])),
    st.tuples(st.just("flag"), st.sampled_from(["on", "off"])),
)


def changed(library: Any, tokenizer: Any, kind: str, what: str) -> None:
    if kind == "set" and what == "no decoder":
        tokenizer.decoder = None
    elif kind == "set":
        setattr(tokenizer, what, PARTS[what](library))
    elif kind == "add":
        tokenizer.add_tokens([library.AddedToken(what, normalized=True)])
    elif kind == "special":
        tokenizer.add_special_tokens([what])
    elif kind == "flag":
        tokenizer.encode_special_tokens = what == "on"
    else:
        trainer = library.trainers.WordLevelTrainer(special_tokens=["<s>"], show_progress=False)
        tokenizer.train_from_iterator([what], trainer)


EVERY = [[id] for id in range(42)] + [[3, 0, 19], [19, 1, 2]]


def decoded(tokenizer: Any) -> list[Any]:
    return [
        [tokenizer.decode_batch(EVERY, skip), [tokenizer.decode(row, skip) for row in EVERY]] for skip in (True, False)
    ]


@given(steps=st.lists(STEPS, min_size=1, max_size=6))
@examples(150)
def test_nothing_looked_up_outlives_what_it_was_looked_up_in(steps: list[tuple[str, str]]) -> None:
    mine, theirs = (made(library, library.decoders.WordPiece()) for library in LIBRARIES)
    for i, (kind, what) in enumerate(steps):
        decoded(mine)
        for library, tokenizer in zip(LIBRARIES, (mine, theirs), strict=True):
            changed(library, tokenizer, kind, what)
        expected = [[by_hand(mine, row, skip) for row in EVERY] for skip in (True, False)]
        assert decoded(mine) == [[texts, texts] for texts in expected]
        # The library leaves added tokens their ids when it trains again.
        if "train" not in dict(steps[: i + 1]):
            assert decoded(mine) == decoded(theirs)
    for copied in (copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
        assert decoded(copied) == decoded(mine)


def test_a_pickle_is_the_same_before_and_after_decoding() -> None:
    mine = made(tokenizers_impl, decoders.ByteLevel())
    before = pickle.dumps(mine)
    decoded(mine)
    assert pickle.dumps(mine) == before


def test_copies_do_not_share_what_they_look_up() -> None:
    mine = made(tokenizers_impl)
    decoded(mine)
    for copied in (copy.copy(mine), copy.deepcopy(mine)):
        copied.model = PARTS["model"](tokenizers_impl)
        assert copied.decode([0]) == "Ġx"
    assert mine.decode([0]) == "a"


def test_threads_decode_while_parts_change() -> None:
    """Every text is that of one decoder alone, and those of a later call are right."""
    mine = made(tokenizers_impl)
    chosen = [None, decoders.WordPiece(), decoders.Metaspace()]
    rows = [[0, 2, 4]] * 50
    known = []
    for each in chosen:
        mine.decoder = each
        known.append(mine.decode_batch(rows))
    assert len({texts[0] for texts in known}) == len(chosen)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = [pool.submit(mine.decode_batch, rows) for _ in range(200)]
            for i in range(300):
                mine.decoder = chosen[i % 3]
            found += [pool.submit(mine.decode_batch, rows) for _ in range(20)]
    finally:
        sys.setswitchinterval(interval)
    assert all(each.result() in known for each in found)
    assert {tuple(each.result()) for each in found[-20:]} == {tuple(known[2])}


def test_ids_that_come_later_are_looked_up_then() -> None:
    vocab = [f"t{i}" for i in range(1000)]
    mine = made(tokenizers_impl, vocab=vocab)
    for at in (500, 3, 999, 501, 0, 998):
        rows = [[at, 500, 1001], [3, at]] * 20
        assert mine.decode_batch(rows) == [f"t{at} t500", f"t3 t{at}"] * 20


def test_threads_look_up_at_once() -> None:
    vocab = [f"t{i}" for i in range(5000)]
    mine = made(tokenizers_impl, vocab=vocab)
    rows = [[[i, (i * 7) % 5000] for i in range(at, 5000, 8)] for at in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(mine.decode_batch, rows))
    assert found == [[f"t{a} t{b}" for a, b in part] for part in rows]


PROGRAM = """
    import numpy as np
    from tokenizers_impl import Tokenizer, decoders, models
    words = ["a", "b</w>", "</w>", "é</w>", "Ã", "©"]
    tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate(words)}, "a"))
    rows = [row.tolist() for row in np.random.default_rng(7).integers(0, 7, (60, 4))]
    for decoder in (None, decoders.BPEDecoder(), decoders.ByteLevel()):
        tokenizer.decoder = decoder
        print(tokenizer.decode_batch([*rows, []]))
"""


def test_the_same_without_compilation(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    compiled = run_python(PROGRAM, tmp_path, PYTHONPATH=root, PYTHONUTF8="1")
    assert run_python(PROGRAM, tmp_path, PYTHONPATH=root, PYTHONUTF8="1", NUMBA_DISABLE_JIT="1") == compiled


def test_batches_keep_no_second_copy_of_what_they_looked_up() -> None:
    tokenizer = tokenizers_impl.Tokenizer(
        tokenizers_impl.models.WordLevel({f"w{id}": id for id in range(100)}, unk_token="w0")
    )
    tokenizer.decode_batch([list(range(100))] * 2)
    decoding = tokenizer._parts.decodings[True]
    assert isinstance(decoding, _decoding.FormDecoding)
    assert (len(decoding._forms), len(decoding._packed.places)) == (0, 100)
