"""Added tokens and files of tokenizers, beside `tokenizers`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import tokenizers_impl

# --- added tokens


# No two that a normalizer makes equal: of these the library finds any, another one in each run.
ADDED = ["<a>", "<a><b>", "b", "e\u0301", "ab ab", "", "<"]


@given(
    special=st.lists(st.sampled_from(ADDED), max_size=3),
    ordinary=st.lists(st.sampled_from(ADDED), max_size=3),
    text=st.lists(st.sampled_from([*ADDED, " ", "a", "é", "E\u0301", "B", "x"]), max_size=10).map("".join),
    normalized=st.booleans(),
)
@examples(400)
def test_added_tokens_are_found_where_the_library_finds_them(
    special: list[str], ordinary: list[str], text: str, normalized: bool
) -> None:
    found = []
    for library in (tokenizers_impl, tokenizers):
        tokenizer = library.Tokenizer(library.models.BPE({"a": 0, "b": 1, "x": 2, "ab": 3}, [("a", "b")]))
        if normalized:
            tokenizer.normalizer = library.normalizers.Sequence(
                [library.normalizers.NFC(), library.normalizers.Lowercase()]
            )
        # A token that is added again as an ordinary one is left out of decoded text by the library, but not here.
        others = [token for token in ordinary if token not in special]
        counts = tokenizer.add_special_tokens(special), tokenizer.add_tokens(others)
        encoding = tokenizer.encode(text)
        names = [tokenizer.id_to_token(id) for id in range(12)], tokenizer.get_vocab_size()
        texts = [tokenizer.decode(encoding.ids, skip_special_tokens=skip) for skip in (True, False)]
        found.append((counts, tokenizer.to_str(), encoding.ids, encoding.tokens, encoding.offsets, names, texts))
    assert found[0] == found[1]


def test_of_tokens_that_become_equal_the_special_one_then_the_smaller_id_is_found() -> None:
    tokenizer = tokenizers_impl.Tokenizer(tokenizers_impl.models.BPE({"a": 0}, []))
    tokenizer.normalizer = tokenizers_impl.normalizers.NFC()
    tokenizer.add_tokens(["e\u0301", "é"])
    assert tokenizer.encode("é").ids == [1]
    tokenizer.add_tokens([tokenizers_impl.AddedToken("é", special=True, normalized=True)])
    assert tokenizer.encode("é").ids == [2]


def test_a_token_whose_name_the_normalizer_changes_is_shown_so() -> None:
    shown = []
    for library in (tokenizers_impl, tokenizers):
        tokenizer = library.Tokenizer(library.models.BPE({"a": 0}, []))
        tokenizer.add_tokens(["New York"])
        tokenizer.add_special_tokens([library.AddedToken("[CLS]", normalized=True)])
        tokenizer.normalizer = library.normalizers.Lowercase()
        ids = tokenizer.encode("NEW YORK a[cls]").ids
        shown.append((ids, tokenizer.decode(ids), tokenizer.id_to_token(1), tokenizer.decode_batch([ids])))
    assert shown[0] == shown[1]
    assert shown[0][1] == "new york a [cls]"


def test_a_trainer_makes_a_token_special_that_was_ordinary() -> None:
    documents = []
    for library in (tokenizers_impl, tokenizers):
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.add_tokens(["<s>"])
        trainer = library.trainers.BpeTrainer(special_tokens=["<s>"], show_progress=False)
        tokenizer.train_from_iterator(["ab"], trainer)
        documents.append((tokenizer.to_str(), tokenizer.decode([0, 1])))
    assert documents[0] == documents[1]


@pytest.mark.parametrize("text", ["\u200ba", "\u0301a b", "\x00\x00", "a b", " a", "<s>a", "a<s>a"])
def test_the_beginning_is_that_of_the_text_as_given(text: str) -> None:
    found = []
    for library in (tokenizers_impl, tokenizers):
        pre, norm = library.pre_tokenizers, library.normalizers
        tokenizer = library.Tokenizer(library.models.BPE({"a": 0, "_": 1, "_a": 2, "b": 3}, [("_", "a")]))
        tokenizer.normalizer = norm.Sequence([norm.BertNormalizer(), norm.StripAccents()])
        parts = [pre.Metaspace("_", "never", split=False), pre.BertPreTokenizer(), pre.Metaspace("_", "first")]
        tokenizer.pre_tokenizer = pre.Sequence(parts)
        tokenizer.add_special_tokens(["<s>"])
        encoding = tokenizer.encode(text)
        fast = tokenizer.encode_batch_fast([text, "a"])
        found.append((encoding.tokens, encoding.offsets, [each.ids for each in fast]))
    assert found[0] == found[1]


# --- files


def added(**changed: Any) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": 3, "content": "<s>", **flags, "special": True, **changed}


@pytest.mark.parametrize(
    "tokens",
    [
        [added(id=7)],
        [added(id=1)],
        [added(content="a", id=5)],
        [added(), added(content="</s>")],
        [added(id=2**31)],
        [added(content="")],
    ],
)
def test_ids_of_added_tokens_are_given_as_the_library_gives_them(tokens: list[dict[str, Any]]) -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
    text = json.dumps({"version": "1.0", "added_tokens": tokens, "model": model})
    mine, theirs = (library.Tokenizer.from_str(text) for library in (tokenizers_impl, tokenizers))
    assert mine.to_str() == theirs.to_str()
    assert mine.encode("ab<s></s>").ids == theirs.encode("ab<s></s>").ids


def test_an_older_metaspace_is_read() -> None:
    for keys in ({"add_prefix_space": True}, {"add_prefix_space": False, "prepend_scheme": "never", "str_rep": "_"}):
        older = {"type": "Metaspace", "replacement": "_", **keys}
        model = {"type": "BPE", "vocab": {"a": 0, "_": 1}, "merges": []}
        text = json.dumps({"version": "1.0", "pre_tokenizer": older, "decoder": older, "model": model})
        mine, theirs = (library.Tokenizer.from_str(text) for library in (tokenizers_impl, tokenizers))
        assert mine.encode("a a").tokens == theirs.encode("a a").tokens
        assert mine.decode([1, 0, 1]) == theirs.decode([1, 0, 1])


def document(**changed: Any) -> str:
    tokenizer = tokenizers_impl.Tokenizer(tokenizers_impl.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    return json.dumps({**json.loads(tokenizer.to_str()), **changed})


@pytest.mark.parametrize("id", ["1", None, -1, 1.0, 2**32, [], True, {}, 0, 2**32 - 1])
def test_ids_of_added_tokens_are_those_that_the_library_reads(id: Any) -> None:
    text = document(added_tokens=[added(id=id)])
    if type(id) is int and 0 <= id < 2**32:
        ours, theirs = (library.Tokenizer.from_str(text) for library in (tokenizers_impl, tokenizers))
        assert ours.get_vocab() == theirs.get_vocab()
    else:
        for library in (tokenizers_impl, tokenizers):
            with pytest.raises(Exception, match=r"invalid (type|value)|id of the added token"):
                library.Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a valid tokenizer.json: it is empty"),
        ("\n", "not a valid tokenizer.json: it is empty"),
        ("[", "not a valid tokenizer.json: Expecting value"),
        ("{}", "not a valid tokenizer.json: the key 'model' is missing"),
        (document(model=3), "model is 3: expected an object"),
        (document(model={"type": "Other"}), "model type Other is not supported: use one of BPE"),
        (document(normalizer={"type": "Other"}), "normalizer Other is not supported: use one of"),
        (document(pre_tokenizer={"type": "Other"}), "pre-tokenizer Other is not supported"),
        (document(decoder={"type": "Other"}), "decoder Other is not supported"),
        (document(added_tokens=[{"id": 3, "content": "a"}]), "lacks the key single_word"),
        (document(added_tokens=[added(special="x")]), "special of the added token .* is 'x'"),
        (
            document(added_tokens=[added(id=2**32)]),
            "id of the added token .*: give a whole number from 0 to 429",
        ),
        (document(added_tokens=["<s>"]), "the added token <s> is not an object"),
        (document(added_tokens=3), "added_tokens of tokenizer.json is 3: expected a list"),
        (document(version="2.0"), "version of tokenizer.json is '2.0': expected '1.0'"),
        (
            document(pre_tokenizer={"type": "Metaspace", "add_prefix_space": False, "prepend_scheme": "first"}),
            "add_prefix_space of a Metaspace is False, but prepend_scheme is 'first': leave add_prefix_space out",
        ),
        (document(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": "x"}), "add_prefix_space .* is 'x': .* bool"),
        (document(pre_tokenizer={"type": "Sequence", "pretokenizers": None}), "pretokenizers of a Sequence is None"),
        (document(decoder={"type": "BPEDecoder", "suffix": 1}), "suffix of the decoder BPEDecoder is 1: expected str"),
        (document(normalizer={"type": "BertNormalizer", "clean_text": "x"}), "clean_text .* is 'x': expected bool"),
        (document(model={"type": []}), "malformed: TypeError|model type .* is not supported"),
        (document(model={"type": "Unigram", "unk_id": 0, "vocab": [["a", None]]}), r"vocab\[0\] is .*: give a string"),
    ],
)
def test_a_file_that_is_wrong_or_asks_for_more_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tokenizers_impl.Tokenizer.from_str(text)


def test_what_could_not_be_read_again_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    tokenizer = tokenizers_impl.Tokenizer(tokenizers_impl.models.WordLevel({"a": 0, "b": 0}, unk_token="a"))
    with pytest.raises(ValueError, match="vocab gives id 0 to both 'a' and 'b': give each token its own id"):
        tokenizer.save(str(path))
    assert not path.exists()
