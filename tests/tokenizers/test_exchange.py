"""The formats of tiktoken, subword-nmt and SentencePiece, each beside its library."""

from __future__ import annotations

import io
import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tiktoken
import tiktoken.load
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from shared_data import beginning, lines, shared
from subword_nmt import apply_bpe, learn_bpe
from tiktoken_ext import openai_public
from tiktoken_ext.openai_public import r50k_pat_str

from tokenizers_impl import Regex, Tokenizer, decoders, exchange, models, normalizers, pipelines, pre_tokenizers
from tokenizers_impl.exchange._sentencepiece import _normalizer
from tokenizers_impl.exchange._sentencepiece_model import (
    Kind,
    Piece,
    SentencePieceModel,
    bytes_field,
    fields,
    integer_field,
)

ENGLISH, JAPANESE = "gcide.en.txt.xz", "manpages.ja.txt.xz"


@cache
def corpus(name: str, count: int) -> list[str]:
    """The first lines of a corpus that are not empty."""
    found = list(islice(filter(None, beginning(f"text/{name}", 6_000_000).split("\n")), count))
    assert len(found) == count
    return found


def ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)]


# tiktoken


def byte_level(texts: Sequence[str], **options: Any) -> Tokenizer:
    tokenizer, trainer = pipelines.byte_level_bpe(show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encoding_of(ranks: dict[bytes, int], **special_tokens: int) -> tiktoken.Encoding:
    return tiktoken.Encoding("ours", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens=special_tokens)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count", "special"), [(ENGLISH, 100_000, []), (JAPANESE, 20_000, ["<|endoftext|>"])])
def test_tiktoken_encodes_as_we_do(
    name: str, count: int, special: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = corpus(name, count)
    tokenizer = byte_level(texts[:10_000], vocab_size=4000, special_tokens=special)
    exchange.save_tiktoken(tokenizer, tmp_path / "ours.tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    ranks = tiktoken.load.load_tiktoken_bpe(str(tmp_path / "ours.tiktoken"))
    assert ranks == exchange.to_tiktoken(tokenizer)
    added = {token.content: id for id, token in tokenizer.get_added_tokens_decoder().items()}
    encoding = encoding_of(ranks, **added)
    mine = ids(tokenizer, texts)
    assert mine == encoding.encode_ordinary_batch(texts)
    assert sum(map(len, mine)) > 5 * count
    marked = [f"{text}<|endoftext|> {text}" for text in texts[:100]]
    assert ids(tokenizer, marked) == encoding.encode_batch(marked, allowed_special="all", disallowed_special=())

    for source in (ranks, tmp_path / "ours.tiktoken", str(tmp_path / "ours.tiktoken")):
        back = exchange.from_tiktoken(source, added, r50k_pat_str)
        assert back.to_str() == tokenizer.to_str()
        assert isinstance(back.model, models.BPE)
        assert isinstance(tokenizer.model, models.BPE)
        assert back.get_vocab() == tokenizer.get_vocab()
        assert back.model.merges == tokenizer.model.merges
    assert ids(back, texts[:1000]) == mine[:1000]


def published(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The pattern of an encoding whose ranks would have to be downloaded."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
    return getattr(openai_public, name)()["pat_str"]


@pytest.mark.parametrize("name", [ENGLISH, JAPANESE, "iso_names/hi.txt"])
@pytest.mark.parametrize("of", ["cl100k_base", "o200k_base"])
def test_any_pattern_of_tiktoken(of: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = published(of, monkeypatch)
    assert pattern in (exchange.CL100K_PATTERN, exchange.O200K_PATTERN)
    odd = ["I'LL  go\n\n 12345x \r\n  ", "it'ſ Ünï 1234567 +=/\n/", "a \n$ b  ", " \n", "x\u0301\u200d中文123"]
    whole = beginning(f"text/{name}", 300_000)
    texts = [*whole.split("\n")[:3000], *odd, whole[:20_000], ""]
    trained = byte_level(texts[:2000], vocab_size=700)
    special = {"<|endoftext|>": 5000, "<|fim|>": 5001}
    encoding = tiktoken.Encoding(
        "x", pat_str=pattern, mergeable_ranks=exchange.to_tiktoken(trained), special_tokens=special
    )
    tokenizer = exchange.from_tiktoken(encoding._mergeable_ranks, special, pattern)
    assert ids(tokenizer, texts) == encoding.encode_ordinary_batch(texts)
    assert exchange.to_tiktoken(tokenizer) == encoding._mergeable_ranks
    marked = [f"{text}<|endoftext|> {text}<|fim|>" for text in texts[-50:]]
    assert ids(tokenizer, marked) == encoding.encode_batch(marked, allowed_special="all", disallowed_special=())
    assert tokenizer.decode_batch(ids(tokenizer, texts)) == texts
    library = tokenizer.to_tokenizers()
    assert [each.ids for each in library.encode_batch(texts)] == ids(tokenizer, texts)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\\w+|.",
        r"a$|.|\n",
        r"(?i)a|B",
        r"\x61{1,2}+a|\p{L}",
        r"^a+|b",
        r"(?:ab|[b\]c]){2}+|.",
        r"(a)(b{1,2}+)b|.",
        r"(?i:AB{1,2}+)|\s",
        r"(?>a{2,})a|(?<=b)a",
    ],
)
def test_patterns_are_read_as_by_tiktoken(pattern: str) -> None:
    draw = random.Random(3)
    texts = ["".join(draw.choices("aabbcAB]\n ", k=draw.randint(0, 12))) for _ in range(400)]
    ranks = ALL_BYTES | {b"ab": 256, b"aa": 257, b"abb": 258}
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    assert ids(exchange.from_tiktoken(ranks, None, pattern), texts) == encoding.encode_ordinary_batch(texts)


def random_ranks(draw: random.Random) -> dict[bytes, int]:
    """All bytes under any ids, and tokens over two letters, of which many can never be merged."""
    tokens = {bytes(draw.choices(b"aab", k=draw.randint(2, 6))) for _ in range(draw.randint(1, 14))}
    numbers = draw.sample(range(1000), 256 + len(tokens))
    return dict(zip([*(bytes([byte]) for byte in range(256)), *sorted(tokens)], numbers, strict=True))


def letters(draw: random.Random, count: int = 40) -> list[str]:
    return ["".join(draw.choices("aab ", k=draw.randint(0, 25))) for _ in range(count)] + ["aab" * 200, "a" * 501]


def test_any_ranks_are_encoded_as_tiktoken_does() -> None:
    draw, whole = random.Random(1), 0
    for _ in range(200):
        ranks, texts = random_ranks(draw), letters(draw)
        tokenizer = exchange.from_tiktoken(ranks)
        assert ids(tokenizer, texts) == encoding_of(ranks).encode_ordinary_batch(texts)
        assert exchange.to_tiktoken(tokenizer) == ranks
        assert isinstance(tokenizer.model, models.BPE)
        whole += tokenizer.model.ignore_merges
    assert 0 < whole < 200


def random_merges(draw: random.Random) -> Tokenizer:
    vocab = {char: id for id, char in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    pool, merges = ["a", "b"], []
    for _ in range(draw.randint(1, 8)):
        left, right = draw.choice(pool), draw.choice(pool)
        merges.append((left, right))
        if vocab.setdefault(left + right, len(vocab)) == len(vocab) - 1:
            pool.append(left + right)
    if draw.random() < 0.1:
        draw.shuffle(merges)
    tokenizer = Tokenizer(models.BPE(vocab, merges, ignore_merges=draw.random() < 0.1))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


@pytest.mark.slow
def test_any_merges_are_exported_right_or_refused() -> None:
    draw, exported = random.Random(2), 0
    for _ in range(400):
        tokenizer, texts = random_merges(draw), letters(draw)
        try:
            ranks = exchange.to_tiktoken(tokenizer)
        except ValueError:
            continue
        assert ids(tokenizer, texts) == encoding_of(ranks).encode_ordinary_batch(texts)
        exported += 1
    assert 100 < exported < 300


def changed(tokenizer: Tokenizer, **attributes: Any) -> Tokenizer:
    for name, value in attributes.items():
        setattr(tokenizer, name, value)
    return tokenizer


BYTES = pre_tokenizers.ByteLevel.alphabet()
WITH_AB = {char: id for id, char in enumerate([*BYTES, "ab", "abc"])}
PLAIN = pre_tokenizers.ByteLevel(add_prefix_space=False)


def of_model(model: models.Model, words: pre_tokenizers.PreTokenizer = PLAIN, **attributes: Any) -> Tokenizer:
    return changed(Tokenizer(model), pre_tokenizer=words, **attributes)


def with_added(tokenizer: Tokenizer, *tokens: str) -> Tokenizer:
    tokenizer.add_tokens(tokens)
    return tokenizer


def byte_bpe(**options: Any) -> models.BPE:
    return models.BPE(WITH_AB, [("a", "b"), ("ab", "c")], **options)


def words_of(pattern: str, behavior: Any = "isolated") -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )


def test_a_tokenizer_of_another_pattern_is_exported() -> None:
    texts = corpus(ENGLISH, 3000)
    tokenizer = of_model(byte_level(texts, vocab_size=600).model, words_of(r"\p{L}+|\p{N}|[^\p{L}\p{N}]+"))
    encoding = tiktoken.Encoding(
        "x",
        pat_str=r"\p{L}+|\p{N}|[^\p{L}\p{N}]+",
        mergeable_ranks=exchange.to_tiktoken(tokenizer),
        special_tokens={},
    )
    assert ids(tokenizer, texts) == encoding.encode_ordinary_batch(texts)


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (Tokenizer(models.WordPiece()), "its model is WordPiece"),
        (of_model(byte_bpe(), normalizer=normalizers.NFC()), "it has the normalizer NFC"),
        (of_model(byte_bpe(), pre_tokenizers.Whitespace()), r"its pre-tokenizer is Whitespace\(\)"),
        (of_model(byte_bpe(), pre_tokenizers.ByteLevel()), "its pre-tokenizer is ByteLevel.*add_prefix_space=True"),
        (of_model(byte_bpe(), pre_tokenizers.ByteLevel(False, use_regex=False)), "use_regex=False"),
        (of_model(byte_bpe(), words_of(r"a$|.")), r"tiktoken reads 'a\$\|.' as 'a\\\\z\|.'"),
        (of_model(byte_bpe(), words_of("a", "merged_with_next")), "its pre-tokenizer is Sequence"),
        (of_model(byte_bpe(dropout=0.1)), "dropout=0.1"),
        (of_model(byte_bpe(match="longest")), "match='longest'"),
        (of_model(models.BPE(WITH_AB | {"a</w>": 300}, [], end_of_word_suffix="</w>")), "end_of_word_suffix='</w>'"),
        (of_model(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])), "254 of the 256 bytes have no token.*0x00"),
        (of_model(models.BPE(WITH_AB | {"中": 300}, [])), "the token '中' is not made of byte characters"),
        (of_model(models.BPE(WITH_AB, [("a", "b")])), "'abc' of .'ab', 'c'., which is not a merge of the model"),
        (
            of_model(models.BPE({**WITH_AB, "ab": 400}, [("a", "b"), ("ab", "c")])),
            "the merge that makes 'ab' comes before that of 'abc'",
        ),
        (of_model(models.BPE({**WITH_AB, "cd": 400}, [("c", "d"), ("a", "b"), ("ab", "c")])), "comes before that of"),
        (with_added(of_model(byte_bpe()), "ab"), "the added token 'ab' is also the result of a merge"),
    ],
)
def test_what_tiktoken_cannot_stand_for_is_refused(tokenizer: Tokenizer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exchange.to_tiktoken(tokenizer)


ALL_BYTES = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize(
    ("ranks", "options", "message"),
    [
        (ALL_BYTES, {"pat_str": r"(\d)\1"}, r"the escape \\1, which is not implemented"),
        *(
            (ALL_BYTES, {"pat_str": pattern}, "has another meaning in tiktoken and is not supported")
            for pattern in (
                r"(?s:.+)",
                r"\w+",
                r"[^\W]",
                r"\bb",
                "[[:space:]]",
                "a(?i)b|c",
                "a{2}?",
                "a{,2}",
                "a{2}+{2}",
            )
        ),
        (ALL_BYTES, {"pat_str": "[^]$a]"}, r"pat_str='\[\^\]\$a\]' cannot be read: .*a \] right behind the bracket"),
        (ALL_BYTES, {"pat_str": None}, "pat_str=None: give a pattern"),
        (ALL_BYTES, {"special_tokens": ["x"]}, "special_tokens=.*: give a mapping from text to id"),
        (ALL_BYTES, {"special_tokens": {"": 300}}, "the special token '' with id 300: give a text"),
        (ALL_BYTES, {"special_tokens": {1: 300}}, "the special token 1 with id 300: give a text"),
        (ALL_BYTES, {"pat_str": "a\\"}, "a backslash at the end"),
        (dict(list(ALL_BYTES.items())[1:]), {}, "1 of the 256 bytes have no token, the first is 0x00"),
        (ALL_BYTES | {b"ab": 5}, {}, "both have rank 5"),
        (ALL_BYTES | {b"ab": 2**31}, {}, "rank of b'ab' is 2147483648"),
        (ALL_BYTES | {b"ab": True}, {}, "rank of b'ab' is True"),
        (ALL_BYTES | {"ab": 300}, {}, "the token 'ab' is not bytes"),
        (ALL_BYTES | {b"": 300}, {}, "the token b'' is not bytes"),
        (ALL_BYTES, {"special_tokens": {"<s>": 7}}, "the special token '<s>' with id 7"),
        (ALL_BYTES, {"special_tokens": {"a": 300}}, "the special token 'a' with id 300"),
        (ALL_BYTES, {"special_tokens": {"<s>": 300, "</s>": 300}}, "the special token '</s>' with id 300"),
    ],
)
def test_bad_ranks_are_named(ranks: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exchange.from_tiktoken(ranks, **options)


@pytest.mark.parametrize("line", ["YQ==", "YQ== x", "Y!== 5", "YQ== 5 6", "YQ== 5\nYQ== 6"])
def test_a_bad_line_of_ranks_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tiktoken"
    path.write_text(f"\nYg== 4\n{line}\n")
    with pytest.raises(ValueError, match=r"line [34] "):
        exchange.from_tiktoken(path)


# subword-nmt


def segmented(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """The pieces as subword-nmt writes them."""
    rows = (" " + "@@ ".join(encoding.tokens) for encoding in tokenizer.encode_batch_fast(texts))
    return [
        row.replace("@@ </w>", "</w>").replace("</w>@@ ", " ").removesuffix("</w>").removeprefix(" ") for row in rows
    ]


def theirs(codes: str, texts: Sequence[str]) -> list[str]:
    library = apply_bpe.BPE(io.StringIO(codes))
    return [library.segment(text) for text in texts]


def test_the_reference_of_subword_nmt_is_met() -> None:
    path, texts = shared("text/subword_nmt/bpe.ref"), lines("text/subword_nmt/corpus.en")
    tokenizer = exchange.from_subword_nmt(path, alphabet=texts)
    expected = lines("text/subword_nmt/corpus.bpe.ref.en")
    assert segmented(tokenizer, texts) == [text.rstrip(" ") for text in expected]
    assert len(expected) == 1015
    codes = path.read_text(encoding="utf-8")
    assert exchange.to_subword_nmt(tokenizer) == codes
    other = corpus(ENGLISH, 20_000)
    tokenizer = exchange.from_subword_nmt(codes, alphabet=other)
    assert segmented(tokenizer, other) == theirs(codes, other)
    assert tokenizer.decode(tokenizer.encode("a read@@ y word").ids) == "a read@@ y word"


def trained(texts: Sequence[str], **options: Any) -> Tokenizer:
    tokenizer, trainer = pipelines.bpe(vocab_size=None, show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


@pytest.mark.parametrize("count", [50, 600])
def test_the_codes_learnt_are_those_of_learn_bpe(count: int, tmp_path: Path) -> None:
    texts = corpus(ENGLISH, 4000)
    tokenizer = trained(texts, num_merges=count, min_frequency=2, tie_break="lexicographic")
    expected = io.StringIO()
    learn_bpe.learn_bpe(io.StringIO("\n".join(texts) + "\n"), expected, count)
    exchange.save_subword_nmt(tokenizer, tmp_path / "codes.txt")
    assert (tmp_path / "codes.txt").read_text(encoding="utf-8") == expected.getvalue()


@pytest.mark.parametrize("end_of_word", ["glued", "symbol"])
@pytest.mark.parametrize("name", [ENGLISH, JAPANESE])
def test_codes_are_applied_alike(name: str, end_of_word: str) -> None:
    texts = [" ".join(text.split()) for text in corpus(name, 5000)]
    tokenizer = trained(texts, num_merges=500, end_of_word=end_of_word)
    codes = exchange.to_subword_nmt(tokenizer)
    assert codes.startswith("#version: 0.2\n" if end_of_word == "glued" else "#version: 0.1\n")
    assert segmented(tokenizer, texts) == theirs(codes, texts)
    back = exchange.from_subword_nmt(codes, alphabet=texts)
    assert segmented(back, texts) == theirs(codes, texts)
    assert isinstance(back.model, models.BPE)
    assert isinstance(tokenizer.model, models.BPE)
    assert back.model.merges == tokenizer.model.merges
    assert exchange.to_subword_nmt(back) == codes


@given(st.randoms(use_true_random=False), st.sampled_from(["0.1", "0.2"]))
@examples(150)
def test_any_codes_are_applied_as_subword_nmt_does(draw: random.Random, version: str) -> None:
    inner, final = ["a", "b"], ["a</w>", "b</w>"] if version == "0.2" else ["</w>"]
    merges: list[tuple[str, str]] = []
    for _ in range(draw.randint(1, 10)):
        left, right = draw.choice(inner), draw.choice(inner + final)
        (final if right.endswith("</w>") else inner).append(left + right)
        merges.append((left, right))
    draw.shuffle(merges)
    merges = [
        (left, right)
        for rank, (left, right) in enumerate(merges)
        # The one case in which it matters that subword-nmt merges all equal pairs at once.
        if not any(left + right in earlier for earlier in merges[:rank])
    ]
    codes = f"#version: {version}\n" + "".join(f"{left} {right}\n" for left, right in merges)
    texts = letters(draw, 10)
    tokenizer = exchange.from_subword_nmt(codes, "ab")
    assert segmented(tokenizer, texts) == theirs(codes, texts)
    distinct = dict.fromkeys(codes.splitlines())
    assert exchange.to_subword_nmt(tokenizer).splitlines() == list(distinct)


def test_codes_without_a_version_are_the_first() -> None:
    tokenizer = exchange.from_subword_nmt("a b\nab </w>\n")
    assert tokenizer.encode("ab aba").tokens == ["ab</w>", "ab", "a", "</w>"]
    assert exchange.to_subword_nmt(tokenizer) == "#version: 0.1\na b\nab </w>\n"


def test_unknown_characters_of_codes() -> None:
    codes = "#version: 0.2\na b\n"
    assert exchange.from_subword_nmt(codes).encode("abx xa").tokens == ["ab", "<unk>", "<unk>", "a</w>"]
    assert exchange.from_subword_nmt(codes, unk_token=None).encode("abx xa").tokens == ["ab", "a</w>"]
    assert exchange.from_subword_nmt(codes, "x").encode("abx xa").tokens == ["ab", "x</w>", "x", "a</w>"]
    assert exchange.from_subword_nmt("#version: 0.2\n").get_vocab() == {"<unk>": 0}


SPLIT = pre_tokenizers.WhitespaceSplit()


def sentence_bpe(words: pre_tokenizers.PreTokenizer = SPLIT, **options: Any) -> Tokenizer:
    vocab = {"a": 0, "b</w>": 1, "ab</w>": 2, "</w>": 3, "##b</w>": 4}
    merges = [("a", "b</w>" if "continuing_subword_prefix" not in options else "##b</w>")]
    return of_model(models.BPE(vocab, merges, **{"end_of_word_suffix": "</w>", **options}), words)


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (Tokenizer(models.Unigram()), "its model is Unigram"),
        (changed(sentence_bpe(), normalizer=normalizers.NFC()), "it has the normalizer NFC"),
        (sentence_bpe(pre_tokenizers.Whitespace()), r"Whitespace\(\), not WhitespaceSplit"),
        (sentence_bpe(end_of_word_suffix=None), "end_of_word_suffix=None"),
        (sentence_bpe(continuing_subword_prefix="##"), "continuing_subword_prefix='##'"),
        (sentence_bpe(dropout=0.5), "dropout=0.5"),
        (sentence_bpe(ignore_merges=True), "ignore_merges=True"),
        (sentence_bpe(match="longest"), "match='longest'"),
        (of_model(models.BPE({"a": 0}, [], end_of_word_suffix="</w>"), SPLIT), "it has no merges"),
        (
            of_model(models.BPE({"a": 0, " ": 1, "a ": 2}, [("a", " ")], end_of_word_suffix="</w>"), SPLIT),
            "the merge .'a', ' '. has a space",
        ),
    ],
)
def test_what_has_no_codes_is_refused(tokenizer: Tokenizer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exchange.to_subword_nmt(tokenizer)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ("#version: 0.3\na b\n", "the version is '0.3'"),
        ("#version: 0.2\na b\nabc\n", "line 3 is 'abc'"),
        ("a b\na  b\n", "line 2 is 'a  b'"),
        ("#version: 0.2\n<unk >\n", "unk_token='<unk>' is also the result of a merge"),
    ],
)
def test_bad_codes_are_named(codes: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        exchange.from_subword_nmt(codes)
    path = tmp_path / "codes.txt"
    path.write_text(codes)
    with pytest.raises(ValueError, match=message) as told:
        exchange.from_subword_nmt(path)
    assert str(told.value).startswith("unk_token" if "unk" in message else f"{path}: ")


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (exchange.from_subword_nmt, b"\n", "{}: the file is empty: give a file of codes that subword-nmt has learned"),
        (
            exchange.from_tiktoken,
            b"YQ== 0\n",
            "255 of the 256 bytes have no token, the first is 0x00, but tiktoken needs all: {} is not complete",
        ),
        (
            exchange.from_sentencepiece,
            b"\xff\xfe",
            "{}: the file is neither a model nor text: give a .model or .vocab file of SentencePiece",
        ),
    ],
)
def test_files_of_another_kind_are_named(
    read: Callable[[Path], Any], content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{re.escape(message.format(path))}$"):
        read(path)


@pytest.mark.parametrize("write", [exchange.to_subword_nmt, exchange.to_tiktoken, exchange.to_sentencepiece_model])
def test_tokenizers_of_the_library_are_to_be_converted(write: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"is a Tokenizer of the library tokenizers: convert it with .*tokenizers$"):
        write(tokenizers.Tokenizer(tokenizers.models.BPE()))


# SentencePiece


def processor(model: bytes) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def sentencepiece_model(texts: Sequence[str], **options: Any) -> bytes:
    """A model that sentencepiece trains on these texts, by default without normalization."""
    model = io.BytesIO()
    given = {"vocab_size": 1500, "normalization_rule_name": "identity", "remove_extra_whitespaces": False, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_writer=model, minloglevel=2, **given)
    return model.getvalue()


def imported(model: bytes, folder: Path, **options: Any) -> Tokenizer:
    (folder / "their.model").write_bytes(model)
    return exchange.from_sentencepiece(folder / "their.model", **options)


def differing(tokenizer: Tokenizer, library: Any, texts: Sequence[str]) -> int:
    """The number of texts that are encoded otherwise; all of these with the same pieces in another order."""
    encodings, count = tokenizer.encode_batch(texts), 0
    for encoding, their_ids, tokens in zip(
        encodings, library.encode(texts), library.encode(texts, out_type=str), strict=True
    ):
        assert encoding.tokens == tokens or encoding.ids != their_ids
        if encoding.ids == their_ids:
            continue
        count += 1
        assert sorted(encoding.tokens) == sorted(tokens)
    return count


def decoded_alike(tokenizer: Tokenizer, library: Any, texts: Sequence[str]) -> int:
    """The number of texts, those without unknown characters, that are decoded alike by assertion."""
    rows = [row for row in library.encode(texts) if 0 not in row]
    assert tokenizer.decode_batch(rows) == library.decode(rows)
    return len(rows)


def stripped(name: str, count: int) -> list[str]:
    return [text.strip() for text in corpus(name, count)]


# Ties alone differ: "w", "ww" and "ww", "w", whose order 32-bit rounding decides in SentencePiece.
@pytest.mark.parametrize("name", [ENGLISH, JAPANESE])
def test_a_sentencepiece_model_encodes_the_same(name: str, tmp_path: Path) -> None:
    texts = stripped(name, 30_000)
    model = sentencepiece_model(texts[:4000], user_defined_symbols=["の", "カーネル", "▁the", "ab"])
    tokenizer, library = imported(model, tmp_path), processor(model)
    assert differing(tokenizer, library, texts) < len(texts) / 200
    assert decoded_alike(tokenizer, library, texts) > 10_000
    assert tokenizer.get_vocab() == {library.id_to_piece(id): id for id in range(len(library))}
    assert [tokenizer.id_to_token(id) for id in range(4)] == ["<unk>", "<s>", "</s>", "の"]


@pytest.mark.parametrize(
    ("options", "settings_"),
    [
        ({"add_dummy_prefix": False}, ("never", True)),
        ({"split_by_whitespace": False}, ("always", False)),
        ({"allow_whitespace_only_pieces": True}, ("always", False)),
        ({"unk_id": 3, "bos_id": 0, "eos_id": 1, "pad_id": 2, "unk_piece": "[UNK]"}, ("always", True)),
        ({"control_symbols": ["<2en>"]}, ("always", True)),
    ],
)
def test_options_of_a_sentencepiece_model(options: dict[str, Any], settings_: tuple[str, bool], tmp_path: Path) -> None:
    texts = stripped(ENGLISH, 6000)
    model = sentencepiece_model(texts[:2000], vocab_size=800, **options)
    tokenizer, library = imported(model, tmp_path), processor(model)
    assert tokenizer.pre_tokenizer == pre_tokenizers.Metaspace("▁", *settings_)
    known = [text for text in texts if library.unk_id() not in library.encode(text)]
    assert len(known) > 5000
    assert differing(tokenizer, library, known) < len(known) / 200
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    assert special == [
        library.id_to_piece(id) for id in range(len(library)) if library.is_control(id) or library.is_unknown(id)
    ]


PIECES = st.text("abé▁", min_size=1, max_size=4)


@given(
    st.dictionaries(PIECES, st.tuples(st.integers(-400, -1), st.booleans()), min_size=1, max_size=25),
    st.lists(st.text("aabé中 ", max_size=20), min_size=1, max_size=10),
    st.booleans(),
)
@examples(100)
def test_any_pieces_encode_the_same(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, tuple[int, bool]], texts: list[str], dummy: bool
) -> None:
    rng = np.random.default_rng(len(found))
    pieces = [
        Piece(text, float(np.float32(score / 32 - rng.random())), Kind.USER_DEFINED if user else Kind.NORMAL)
        for text, (score, user) in found.items()
    ]
    # One that keeps the score of unknown characters, the worst less 10, from depending on the draw.
    pieces += [Piece("z", -20.0), Piece("<unk>", 0.0, Kind.UNKNOWN)]
    model = SentencePieceModel(
        tuple(pieces), normalization="identity", add_dummy_prefix=dummy, remove_extra_whitespaces=False
    )
    tokenizer = imported(model.serialized(), tmp_path_factory.mktemp("model"))
    library = processor(model.serialized())
    assert isinstance(tokenizer.model, models.Unigram)
    texts = [text.lstrip(" ") for text in texts]
    score = dict(tokenizer.model.vocab)
    for encoding, tokens in zip(tokenizer.encode_batch(texts), library.encode(texts, out_type=str), strict=True):
        mine, other = (
            sum(score[token] if token in score else -30.0 * len(token) for token in each)
            for each in (encoding.tokens, tokens)
        )
        assert "".join(encoding.tokens) == "".join(tokens)
        assert encoding.tokens == tokens or mine == pytest.approx(other, rel=1e-5, abs=1e-5)


def test_where_sentencepiece_differs(tmp_path: Path) -> None:
    model = sentencepiece_model(stripped(ENGLISH, 4000))
    tokenizer, library = imported(model, tmp_path), processor(model)
    assert tokenizer.encode(" is").tokens == ["▁is"]
    assert library.encode(" is", out_type=str) == ["▁", "▁is"]
    assert tokenizer.encode("a<s>").ids[-1] == 1
    assert 1 not in library.encode("a<s>")
    assert library.decode(library.encode("is 中")) == "is  ⁇ "
    assert tokenizer.decode(library.encode("is 中")) == "is "
    assert tokenizer.decode(library.encode("is 中"), skip_special_tokens=False) == "is <unk>"


def test_a_vocab_file_is_the_model_with_fewer_digits(tmp_path: Path) -> None:
    texts = stripped(ENGLISH, 4000)
    prefix = str(tmp_path / "their")
    (tmp_path / "corpus.txt").write_text("\n".join(texts), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "corpus.txt"),
        model_prefix=prefix,
        vocab_size=1000,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    of_text, of_model_ = (exchange.from_sentencepiece(f"{prefix}.{kind}") for kind in ("vocab", "model"))
    assert of_text.get_vocab() == of_model_.get_vocab()
    assert of_text.get_added_tokens_decoder() == of_model_.get_added_tokens_decoder()
    assert isinstance(of_text.model, models.Unigram)
    assert isinstance(of_model_.model, models.Unigram)
    assert [f"{score:.6g}" for _, score in of_model_.model.vocab] == [
        f"{score:.6g}" for _, score in of_text.model.vocab
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", [ENGLISH, JAPANESE])
def test_sentencepiece_encodes_as_we_do(name: str, tmp_path: Path) -> None:
    texts = stripped(name, 20_000)
    tokenizer, trainer = pipelines.unigram(vocab_size=1000, special_tokens=["<unk>", "<s>"], show_progress=False)
    tokenizer.normalizer = None
    tokenizer.train_from_iterator(texts[:1500], trainer)
    tokenizer.add_special_tokens(["</s>"])
    model = exchange.to_sentencepiece_model(tokenizer)
    library = processor(model)
    assert [library.is_control(id) for id in (0, 1, len(library) - 1)] == [False, True, True]
    assert (library.unk_id(), library.bos_id(), library.eos_id()) == (0, 1, len(library) - 1)
    assert differing(tokenizer, library, texts) < len(texts) / 200
    assert decoded_alike(tokenizer, library, texts) > 10_000

    back = imported(model, tmp_path)
    assert back.get_vocab() == tokenizer.get_vocab()
    assert exchange.to_sentencepiece_model(back) == model
    exchange.save_sentencepiece_vocab(tokenizer, tmp_path / "ours.vocab")
    assert exchange.from_sentencepiece(tmp_path / "ours.vocab").to_str() == back.to_str()
    assert exchange.to_sentencepiece_vocab(back) == (tmp_path / "ours.vocab").read_text(encoding="utf-8")


BYTES = [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]


@pytest.mark.slow
def test_characters_in_bytes_are_written_and_read(tmp_path: Path) -> None:
    texts = stripped(ENGLISH, 3000)
    tokenizer, trainer = pipelines.unigram(vocab_size=400, show_progress=False)
    tokenizer.normalizer = None
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.model = models.Unigram([*tokenizer.model.vocab, *BYTES], 0, byte_fallback=True)  # type: ignore[attr-defined]
    tokenizer.add_special_tokens(["</s>"])
    exchange.to_sentencepiece(tokenizer, tmp_path / "ours.model")
    library, back = (
        processor((tmp_path / "ours.model").read_bytes()),
        exchange.from_sentencepiece(tmp_path / "ours.model"),
    )
    assert [id for id in range(len(library)) if library.is_byte(id)] == [
        tokenizer.token_to_id(name) for name, _ in BYTES
    ]
    foreign = ["a漢字 é", "漢", "Ω😀 the", *texts[:1000]]
    assert tokenizer.encode("漢").tokens == ["▁", "<0xE6>", "<0xBC>", "<0xA2>"]
    for ours in (tokenizer, back):
        assert differing(ours, library, foreign) < 5
    assert back.decode_batch(library.encode(foreign)) == library.decode(library.encode(foreign)) == foreign
    assert exchange.to_sentencepiece_model(back) == (tmp_path / "ours.model").read_bytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (ENGLISH, {}),
        (ENGLISH, {"byte_fallback": True, "character_coverage": 0.99, "control_symbols": ["<2en>"]}),
        (
            JAPANESE,
            {"normalization_rule_name": "nmt_nfkc", "remove_extra_whitespaces": True, "character_coverage": 0.98},
        ),
        (JAPANESE, {"split_by_whitespace": False, "add_dummy_prefix": False}),
    ],
)
def test_a_bpe_model_encodes_the_same(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    texts = stripped(name, 3000)
    model = sentencepiece_model(texts[:1500], model_type="bpe", **options)
    tokenizer, library = imported(model, tmp_path), processor(model)
    assert tokenizer.get_vocab() == {library.id_to_piece(id): id for id in range(len(library))}
    texts = [*texts, "漢字 Ω😀", ""]
    differ = [(ours.ids, ids) for ours, ids in zip(tokenizer.encode_batch(texts), library.encode(texts), strict=True)
              if ours.ids != ids]  # fmt: skip
    # Pairs that make the same piece alone: their pieces come in another order.
    assert [(ours, ids) for ours, ids in differ if sorted(ours) != sorted(ids)] == []
    assert len(differ) < len(texts) / 100
    assert decoded_alike(tokenizer, library, texts) > 500


@pytest.mark.parametrize("options", [{}, {"user_defined_symbols": ["ab", "か"]}, {"byte_fallback": True}])
def test_a_normalization_of_sentencepiece_is_written_back(options: dict[str, Any], tmp_path: Path) -> None:
    model = sentencepiece_model(names()[:3000], **{**NORMALIZED, "vocab_size": 1200, **options})
    tokenizer = imported(model, tmp_path)
    exchange.to_sentencepiece(tokenizer, tmp_path / "again.model")
    library, again = processor(model), processor((tmp_path / "again.model").read_bytes())
    texts = [*names()[::7], " two  spaces ", "ﬁ ab ①"]
    assert again.encode(texts) == library.encode(texts)
    assert again.decode(again.encode(texts)) == library.decode(library.encode(texts))
    assert differing(tokenizer, library, texts) < len(texts) / 100


def test_google_reads_and_writes_the_same_model() -> None:
    pytest.importorskip("google.protobuf", reason="needs protobuf: pip install protobuf")
    from sentencepiece import sentencepiece_model_pb2

    theirs_ = sentencepiece_model_pb2.ModelProto.FromString(
        sentencepiece_model(stripped(ENGLISH, 2000), vocab_size=500)
    )
    mine = SentencePieceModel.parse(theirs_.SerializeToString())
    assert [tuple(piece) for piece in mine.pieces] == [(p.piece, p.score, p.type) for p in theirs_.pieces]
    assert mine.normalization == theirs_.normalizer_spec.name
    normalized = SentencePieceModel.parse(default_model())
    assert len(normalized.charsmap) > 100_000
    assert SentencePieceModel.parse(normalized.serialized()) == normalized
    again = sentencepiece_model_pb2.ModelProto.FromString(mine.serialized())
    assert [(p.piece, p.score, p.type) for p in again.pieces] == [(p.piece, p.score, p.type) for p in theirs_.pieces]
    for name in ("name", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        assert getattr(again.normalizer_spec, name) == getattr(theirs_.normalizer_spec, name)
    assert SentencePieceModel.parse(again.SerializeToString()) == mine


# A double array of one unit, then the replacements.
NO_KEYS = (4).to_bytes(4, "little") + bytes(4)


def small(*extra: Piece, **options: Any) -> bytes:
    pieces = (Piece("<unk>", 0.0, Kind.UNKNOWN), Piece("▁", -1.0), Piece("a", -2.0), *extra)
    return SentencePieceModel(pieces, **{"remove_extra_whitespaces": False, **options}).serialized()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (small(model_type=3), "unsupported feature: model type 'word'"),
        (
            small(Piece("ab", 0.0, Kind.USER_DEFINED), model_type=2),
            "unsupported feature: user-defined pieces of a BPE model",
        ),
        (small(model_type=4), "unsupported feature: model type 'char'"),
        (small(treat_whitespace_as_suffix=True), "unsupported feature: treat_whitespace_as_suffix"),
        (
            small(remove_extra_whitespaces=True, charsmap=NO_KEYS + b"a  b\0"),
            "unsupported feature: .* two spaces",
        ),
        (
            small(Piece("a  b", 0.0, Kind.USER_DEFINED), remove_extra_whitespaces=True),
            "unsupported feature: .* a user-defined piece with two spaces in a row",
        ),
        (small(charsmap=b"abc"), "precompiled_charsmap of 3 bytes is cut off"),
        (small(Piece("b", -1.0, Kind.UNUSED)), "unsupported feature: piece 3, 'b', of type UNUSED"),
        (small(Piece("<0x00>", 0.0, Kind.BYTE)), "unsupported feature: piece 3, '<0x00>', of type BYTE"),
        (small(Piece("a", -1.0)), "pieces 2 and 3 are both 'a'"),
        (small(Piece("b", 1.0)), "piece 3, 'b', has the score 1.0"),
        (small(Piece("<unk2>", 0.0, Kind.UNKNOWN)), "not exactly one unknown piece"),
        (b"", r"their\.model: the file is empty: give a \.model or \.vocab file of SentencePiece$"),
        (b"\x0a\xff", "no protocol buffer"),
        (b"\x0b", "no protocol buffer: a field of kind 3"),
        (b"\x0a\x05ab", "it ends inside the field"),
        (integer_field(1, 2), "field 1 is a number"),
        (bytes_field(1, integer_field(2, 5)), "field 2 is a number"),
        (bytes_field(1, bytes_field(2, b"abc")), "a score has 3 bytes"),
    ],
)
def test_what_a_sentencepiece_model_has_beyond_is_refused(model: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        imported(model, tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.vocab", "", "the file is empty: {0}"),
        ("t.json", '{{\n "model": 1}}', "line 1 is '{{', not a piece, a tab and its score: {0}; {1}"),
        ("t.model", '{{\n "model": 1}}', "no protocol buffer: a field of kind 3 before byte 1: {0}; {1}"),
        ("c.txt", "hello world\n", "line 1 is 'hello world', not a piece, a tab and its score: {0}"),
    ],
)
def test_a_file_of_another_kind_is_named(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content.format(), encoding="utf-8")
    with pytest.raises(ValueError, match="SentencePiece") as caught:
        exchange.from_sentencepiece(tmp_path / name)
    expected = "give a .model or .vocab file of SentencePiece", "read a tokenizer.json with Tokenizer.from_file"
    assert str(caught.value) == f"{tmp_path / name}: {message.format(*expected)}"


@pytest.mark.parametrize("text", ["a  b", "ａ～b"])
def test_the_normalizer_of_the_pipeline_is_not_that_of_sentencepiece(text: str, tmp_path: Path) -> None:
    """So it is refused: SentencePiece joins adjacent spaces and keeps the wide tilde."""
    tokenizer, trainer = pipelines.unigram(vocab_size=90, show_progress=False)
    texts = corpus(ENGLISH, 50)
    tokenizer.train_from_iterator(texts, trainer)
    with pytest.raises(ValueError, match="or with the normalizer of a tokenizer from from_sentencepiece"):
        exchange.to_sentencepiece_model(tokenizer)
    model = sentencepiece_model(texts, vocab_size=90, **NORMALIZED)
    assert tokenizer.normalizer is not None
    theirs = processor(model).normalize(text).replace("▁", " ").strip()
    assert theirs != tokenizer.normalizer.normalize_str(text)
    # The way that the message names.
    tokenizer.normalizer = imported(model, tmp_path).normalizer
    assert tokenizer.normalizer is not None
    assert theirs == tokenizer.normalizer.normalize_str(text)
    tokenizer.train_from_iterator(texts, trainer)
    written = processor(exchange.to_sentencepiece_model(tokenizer))
    assert differing(tokenizer, written, [text]) == 0


NORMALIZED = {"normalization_rule_name": "nmt_nfkc", "remove_extra_whitespaces": True}
SCRIPTS = ("ar", "el", "hi", "ja", "ko", "ta", "th", "vi")


def names() -> list[str]:
    """Names in several scripts, as they are, decomposed, and with white space at their ends."""
    found = [text for script in SCRIPTS for text in lines(f"text/iso_names/{script}.txt")[:600]]
    return [*found, *(unicodedata.normalize("NFD", text) for text in found), *(f" \t{text}\u3000 " for text in found)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization_rule_name": "nfkc_cf", "add_dummy_prefix": False},
        {"remove_extra_whitespaces": False, "split_by_whitespace": False},
        {"normalization_rule_name": "identity", "user_defined_symbols": ["a"]},
        # With the second a key of the map begins that reaches beyond it; the third is no key's own text.
        {"user_defined_symbols": ["<sep>", "e", "ﬁ", "か"]},
    ],
)
def test_what_sentencepiece_normalizes_is_normalized(options: dict[str, Any], tmp_path: Path) -> None:
    texts = [
        *names(),
        "ﬁne  ½ ＡＢ\u3000c ",
        "e\u0323\u0302 <sep>\u0338 >\u0338",
        "か\u3099 x\u3099",
        "\x07 a",
        "a ▁ ",
        "",
    ]
    model = sentencepiece_model(names()[:6000], **{**NORMALIZED, "vocab_size": 2000, **options})
    tokenizer, library = imported(model, tmp_path), processor(model)
    if not {**NORMALIZED, **options}["remove_extra_whitespaces"]:
        # It puts its space before a leading space, too.
        texts = [text.strip("\x07\u3000\t ") for text in texts]
    assert differing(tokenizer, library, texts) < len(texts) / 200
    assert decoded_alike(tokenizer, library, texts) > len(texts) / 2
    assert Tokenizer.from_str(tokenizer.to_str()).normalizer == tokenizer.normalizer


@cache
def default_model() -> bytes:
    return sentencepiece_model(names()[:3000], **NORMALIZED, vocab_size=900, user_defined_symbols=["ab", "<s2>", "か"])


@given(
    st.lists(
        st.text("aabe<s2>か\u3099\u0301\u0302\u0323\u0338ﬁ½ᄀ\u1161\u11a8ﷺ¨▁ \t\u3000\x07\u200b", max_size=14),
        max_size=20,
    )
)
@examples(150)
def test_any_text_is_normalized_as_by_sentencepiece(texts: list[str]) -> None:
    model = SentencePieceModel.parse(default_model())
    normalizer = _normalizer(model, "own")
    assert normalizer is not None
    mine = [normalizer.normalize_str(text).replace(" ", "▁") for text in texts]
    # The dummy space apart, which the pre-tokenizer puts in front.
    assert [f"▁{text}" if text else "" for text in mine] == processor(default_model()).normalize(texts)


def test_spaces_need_not_be_shown_by_a_character_of_their_own(tmp_path: Path) -> None:
    pieces = (Piece(" ", -2.0), Piece(" a", -1.0), Piece("a", -2.5), Piece("b", -3.0), Piece("▁", -3.0))
    parts = (Piece("<unk>", 0.0, Kind.UNKNOWN), *pieces)
    for remove in (False, True):
        model = SentencePieceModel(parts, escape_whitespaces=False, remove_extra_whitespaces=remove).serialized()
        tokenizer, library = imported(model, tmp_path), processor(model)
        texts = ["a b", "ab aa", "", "b▁ a▁", *["  a  b "] * remove]
        assert ids(tokenizer, texts) == library.encode(texts)
        assert tokenizer.decode_batch(library.encode(texts)) == library.decode(library.encode(texts))


def test_another_normalizer_can_stand_in_for_theirs(tmp_path: Path) -> None:
    texts = stripped(ENGLISH, 3000)
    model = sentencepiece_model(texts, **NORMALIZED, vocab_size=500)
    library = processor(model)
    single = [" ".join(text.split()) for text in texts]
    tokenizer = imported(model, tmp_path, normalizer=normalizers.NFKC())
    assert tokenizer.normalizer == normalizers.NFKC()
    assert differing(tokenizer, library, single) < len(single) / 200
    assert imported(model, tmp_path, normalizer=None).normalizer is None
    of_library = imported(model, tmp_path, normalizer="precompiled").to_tokenizers()
    assert [each.ids for each in of_library.encode_batch(single)] == ids(imported(model, tmp_path), single)
    with pytest.raises(ValueError, match="normalizer='NFKC': choose 'own', 'precompiled'"):
        imported(model, tmp_path, normalizer="NFKC")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<unk>\t0\na\t-1\nb\n", "line 3 is 'b'"),
        ("<unk>\t0\na\tx\n", "line 2 is"),
        ("a\t-1\n", "not exactly one unknown piece"),
        ("<unk>\t0\nth\t-0\nhe\t-1\n", "the piece 'th' has score 0"),
        ("<unk>\t0\na\t-1\na\t-2\n", "pieces 1 and 2 are both 'a'"),
    ],
)
def test_bad_vocab_files_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.vocab").write_text(text)
    with pytest.raises(ValueError, match=message):
        exchange.from_sentencepiece(tmp_path / "bad.vocab")


SCORED = [("<unk>", 0.0), ("▁", -2.0), ("▁a", -1.0)]


def test_the_content_of_a_file_decides_how_it_is_read(tmp_path: Path) -> None:
    model, vocab = exchange.to_sentencepiece_model(unigram()), exchange.to_sentencepiece_vocab(unigram())
    (tmp_path / "spiece.bin").write_bytes(model)
    (tmp_path / "pieces.model").write_text(vocab, encoding="utf-8")
    for name in ("spiece.bin", "pieces.model"):
        assert exchange.from_sentencepiece(tmp_path / name).encode("a").tokens == ["▁a"]


def unigram(vocab: Any = SCORED, words: Any = None, **options: Any) -> Tokenizer:
    model = models.Unigram(vocab, **{"unk_id": 0, **options})
    return of_model(model, words or pre_tokenizers.Metaspace())


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (Tokenizer(models.BPE()), "its model is BPE"),
        (changed(unigram(), normalizer=normalizers.NFKC()), "it has the normalizer NFKC"),
        (unigram(words=pre_tokenizers.Metaspace("_")), 'its pre-tokenizer is Metaspace.*"_"'),
        (unigram(words=SPLIT), r"its pre-tokenizer is WhitespaceSplit\(\)"),
        (unigram(unk_id=None), "its model has no unk_id"),
        (unigram(byte_fallback=True), "has byte_fallback"),
        (unigram([*SCORED, *BYTES[1:]], byte_fallback=True), "byte_fallback, but not all pieces from <0x00> to <0xFF>"),
        (unigram([*SCORED, *BYTES], byte_fallback=True), "has the lowest score"),
        (
            changed(unigram(), normalizer=normalizers.Sequence([normalizers.NFKC(), normalizers.Strip()])),
            "it has the normalizer Sequence",
        ),
        (unigram(alpha=0.1), "alpha"),
        (unigram([("<unk>", -9.0), *SCORED[1:]]), "the unknown piece or a special token has the lowest score"),
        (with_added(unigram(), "x"), "the added token 'x' is not special"),
        (unigram([*SCORED, ("a▁b", -3.0)]), "a piece has '▁' inside"),
        (unigram([SCORED[0], SCORED[2]]), "'▁' is no piece"),
        (unigram([*SCORED, ("▁a", -1.0)]), "pieces 2 and 3 are both '▁a'"),
        (unigram([*SCORED, ("b", 0.5)]), "piece 3, 'b', has the score 0.5"),
    ],
)
def test_what_sentencepiece_cannot_stand_for_is_refused(tokenizer: Tokenizer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exchange.to_sentencepiece_vocab(tokenizer)


def test_a_vocab_file_holds_anything_but_line_feeds(tmp_path: Path) -> None:
    tokenizer = unigram([*SCORED, ("a\tb", -3.0), ("\t", -4.0), ("\r", -5.0), ("\u2028", -0.1)])
    exchange.save_sentencepiece_vocab(tokenizer, tmp_path / "odd.vocab")
    assert exchange.from_sentencepiece(tmp_path / "odd.vocab").get_vocab() == tokenizer.get_vocab()
    with pytest.raises(ValueError, match=r"cannot hold piece 3, 'a\\nb'"):
        exchange.to_sentencepiece_vocab(unigram([*SCORED, ("a\nb", -3.0)]))


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 2**64 - 1))))
@examples(100)
def test_integers_on_the_wire(values: list[tuple[int, int]]) -> None:
    assert list(fields(b"".join(integer_field(number, value) for number, value in values))) == values


def test_decoders_come_along(tmp_path: Path) -> None:
    assert exchange.from_tiktoken(ALL_BYTES).decoder == decoders.ByteLevel()
    assert exchange.from_subword_nmt("a b\n").decoder == decoders.BPEDecoder("</w>")
    assert imported(small(), tmp_path).decoder == decoders.Metaspace()


def test_spaces_inside_a_first_piece_are_decoded(tmp_path: Path) -> None:
    texts = ["he lives in the house of the king", "in the end of the day", "of the people in the town"] * 30
    model = sentencepiece_model(texts, vocab_size=60, hard_vocab_limit=False, split_by_whitespace=False)
    tokenizer, library = imported(model, tmp_path), processor(model)
    rows = [[id, 5] for id in range(3, library.get_piece_size())]
    assert sum("▁" in library.id_to_piece(row[0])[1:] for row in rows) >= 1
    assert tokenizer.decode_batch(rows) == library.decode(rows)
    assert decoded_alike(tokenizer, library, texts) == len(texts)
