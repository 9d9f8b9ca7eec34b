"""Components of the user's own do in a tokenizer what they do in one of `tokenizers`."""

from __future__ import annotations

import copy
import json
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import NORMALIZERS, PRE_TOKENIZERS, TEXTS
from properties import examples
from string_steps import CUTS, LIBRARIES, STEPS, called, change

import tokenizers_impl
from tokenizers_impl import (
    NormalizedString,
    PreTokenizedString,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
)

ALPHABET = "abS1²-éĠÃ漢ああク._x'’.,!(▁A"
# What takes the empty string at the beginning for a match puts characters there that the library then loses.
SAFE_STEPS = STEPS.filter(lambda step: step[0] != "replace" or step[1] not in (["a*"], ["(?=b)"]))
# The library's own pre-tokenizers take a text of the user's alone, not one that a custom one was given.
SAFE_CUTS = CUTS.filter(
    lambda cut: (
        cut[0] not in ("tokenize", "pre_tokenizer")
        and not (cut[0] == "normalize" and cut[1][0] == "replace" and cut[1][1] in (["a*"], ["(?=b)"]))
    )
)


class Normalizes:
    """Does these steps with a text, and remembers what it was given."""

    def __init__(self, library: Any, steps: list[tuple[Any, ...]]) -> None:
        self.library, self.steps, self.seen = library, steps, list[tuple[str, str]]()

    def normalize(self, normalized: Any) -> None:
        self.seen.append((normalized.original, normalized.normalized))
        for step in self.steps:
            # What is put into nothing comes from nowhere, and the library loses it.
            if step[0] != "append" or normalized.normalized:
                called(self.library, normalized, step)


class Cuts:
    """Does these steps with a text, and remembers what it was given."""

    def __init__(self, library: Any, cuts: list[tuple[Any, ...]]) -> None:
        self.library, self.cuts, self.seen = library, cuts, list[Any]()

    def pre_tokenize(self, pretok: Any) -> None:
        splits = pretok.get_splits()
        self.seen.append(
            [(text, offsets, tokens and [each.value for each in tokens]) for text, offsets, tokens in splits]
        )
        pretok.split(self.look)
        for cut in self.cuts:
            if cut[0] != "normalize" or cut[1][0] != "append":
                change(self.library, pretok, cut)
        # Takes out empty splits.
        pretok.split(lambda i, split: [split])

    def look(self, i: int, split: Any) -> list[Any]:
        self.seen.append((i, split.original, split.normalized))
        return [split]


class Reverses:
    """Texts in reverse order."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [f"{token}." for token in tokens[::-1]]


def pipeline(library: Any, before: Any, steps: Any, between: Any, cuts: Any, behind: Any) -> tuple[Any, list[Any]]:
    """A tokenizer with components of its own between others; what they are given is remembered."""
    own = [Normalizes(library, steps), Cuts(library, cuts)]
    document = json.loads(library.Tokenizer(library.models.BPE()).to_str())
    document["normalizer"] = {"type": "Sequence", "normalizers": before}
    document["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": between}
    parts = library.Tokenizer.from_str(json.dumps(document))
    vocabulary = {char: id for id, char in enumerate([*sorted(set(ALPHABET)), "?"])}
    whole = library.Tokenizer(library.models.BPE(vocabulary, [], unk_token="?"))
    normalizer, pre_tokenizer = library.normalizers, library.pre_tokenizers
    whole.normalizer = normalizer.Sequence([parts.normalizer, normalizer.Normalizer.custom(own[0])])
    whole.pre_tokenizer = pre_tokenizer.Sequence(
        [parts.pre_tokenizer, pre_tokenizer.PreTokenizer.custom(own[1]), *behind(library)]
    )
    whole.add_tokens([library.AddedToken("ab", normalized=False, rstrip=True)])
    # The library panics where it looks for an added token of which the normalizer leaves nothing.
    if whole.normalizer.normalize_str("x"):
        whole.add_tokens(["x"])
    for each in own:
        each.seen.clear()
    return whole, own


def held(encoding: Any) -> tuple[Any, ...]:
    return encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids


BEHIND: list[Callable[[Any], list[Any]]] = [
    lambda library: [],
    lambda library: [library.pre_tokenizers.ByteLevel(use_regex=False)],
    lambda library: [library.pre_tokenizers.Digits(True), library.pre_tokenizers.Whitespace()],
]


@examples(300)
@given(
    before=st.lists(st.sampled_from(NORMALIZERS), max_size=2),
    steps=st.lists(SAFE_STEPS, max_size=3),
    between=st.lists(st.sampled_from(PRE_TOKENIZERS), max_size=2),
    cuts=st.lists(SAFE_CUTS, max_size=3),
    behind=st.sampled_from(BEHIND),
    texts=st.lists(TEXTS, max_size=3),
)
def test_pipelines_with_components_of_the_users_own(
    before: Any, steps: Any, between: Any, cuts: Any, behind: Any, texts: list[str]
) -> None:
    (mine, own), (theirs, their_own) = [
        pipeline(library, before, steps, between, cuts, behind) for library in LIBRARIES
    ]
    for text in texts:
        assert held(mine.encode(text)) == held(theirs.encode(text))
        assert own[0].seen == their_own[0].seen
        assert own[1].seen == their_own[1].seen
    assert list(map(held, mine.encode_batch(texts))) == list(map(held, theirs.encode_batch(texts)))


def test_a_text_of_many_parts_in_threads() -> None:
    """More texts than one thread takes: each is given to the object once, with its own offsets."""
    texts = ["añ b" * 20_000, "S1²-é", "", "x ab x"] * 4
    (mine, own), (theirs, _) = [
        pipeline(library, [], [], [], [("split", " ", "removed")], BEHIND[0]) for library in LIBRARIES
    ]
    assert list(map(held, mine.encode_batch(texts))) == list(map(held, theirs.encode_batch(texts)))
    assert sorted(each[1] for each in own[0].seen if len(each[1]) > 3) == sorted(
        part for text in texts for part in ("x", text) if part == text and len(text) > 3 and not text.startswith("x")
    )


def test_fast_encoding_is_the_same_without_offsets() -> None:
    (mine, _), (theirs, _) = [
        pipeline(library, [], [("uppercase",)], [], [("pieces", 2)], BEHIND[2]) for library in LIBRARIES
    ]
    texts = ["añ b, 12 x", "", "ß"]
    assert [each.ids for each in mine.encode_batch_fast(texts)] == [
        each.ids for each in theirs.encode_batch_fast(texts)
    ]


CORPUS = ["low lower lowest", "newé newer newest", "", "low low new"]


def trained(library: Any) -> tuple[Any, list[Any]]:
    """A tokenizer trained on words that objects of its own have made, and these."""
    own = [Normalizes(library, [("uppercase",)]), Cuts(library, [("split", " ", "removed"), ("pieces", 3)])]
    whole = library.Tokenizer(library.models.WordLevel(unk_token="?"))
    whole.normalizer = library.normalizers.Sequence([library.normalizers.Normalizer.custom(own[0])])
    whole.pre_tokenizer = library.pre_tokenizers.Sequence([library.pre_tokenizers.PreTokenizer.custom(own[1])])
    trainer = library.trainers.WordLevelTrainer(special_tokens=["?"], show_progress=False)
    whole.train_from_iterator(CORPUS, trainer)
    return whole, own


def test_training_sees_what_the_objects_make_and_they_see_the_texts_alone() -> None:
    (mine, own), (theirs, _) = map(trained, LIBRARIES)
    assert mine.get_vocab() == theirs.get_vocab()
    assert held(mine.encode("low ß")) == held(theirs.encode("low ß"))
    assert {text for text, _ in own[0].seen} == {*CORPUS, "low ß"} - {""}
    assert {each[1] for each in own[1].seen if isinstance(each, tuple)} == {*CORPUS, "low ß"} - {""}


def test_training_on_files(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("\n".join(CORPUS), encoding="utf-8")
    vocabularies = []
    for library in LIBRARIES:
        whole, _ = trained(library)
        trainer = library.trainers.WordLevelTrainer(special_tokens=["?"], show_progress=False)
        whole.train([str(tmp_path / "corpus.txt")], trainer)
        vocabularies.append(whole.get_vocab())
    assert vocabularies[0] == vocabularies[1]
    assert "LOW" in vocabularies[0]


def test_added_tokens_are_looked_for_in_the_form_that_the_object_gives_them() -> None:
    found = []
    for library in LIBRARIES:
        whole, _ = trained(library)
        whole.add_tokens(["wer"])
        found.append([held(whole.encode(text)) for text in ("lower", "LOWER", "newé")])
    assert found[0] == found[1]
    assert found[0][0][0][1] == whole.token_to_id("wer")


# Decoders


def decoding(library: Any) -> Any:
    """A tokenizer with a decoder of its own."""
    whole = library.Tokenizer(library.models.WordLevel({"a": 0, "é": 1, "▁b": 2}, unk_token="a"))
    whole.decoder = library.decoders.Decoder.custom(Reverses())
    return whole


def test_a_decoder() -> None:
    mine, theirs = map(decoding, LIBRARIES)
    rows = [[0, 1, 2], [2], [], [1, 9]]
    assert [mine.decode(row) for row in rows] == [theirs.decode(row) for row in rows]
    assert mine.decode_batch(rows) == theirs.decode_batch(rows) == ["▁b.é.a.", "▁b.", "", "é."]
    assert mine.decoder.decode(["x", "y"]) == theirs.decoder.decode(["x", "y"]) == "y.x."


def test_a_decoder_whose_text_begins_otherwise_cannot_stream() -> None:
    for library, error in zip(LIBRARIES, (ValueError, Exception), strict=True):
        stream = library.decoders.DecodeStream()
        assert stream.step(decoding(library), 0) == "a."
        with pytest.raises(error, match="Invalid prefix"):
            stream.step(decoding(library), 2)


def test_a_decoder_among_others() -> None:
    """The library panics where a custom one is put into a Sequence, which is no Exception."""
    with pytest.raises(BaseException, match="not implemented"):
        tokenizers.decoders.Sequence([tokenizers.decoders.Decoder.custom(Reverses())])
    whole = decoding(tokenizers_impl)
    whole.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.Decoder.custom(Reverses()), decoders.Fuse()]
    )
    assert whole.decode([0, 2]) == " b.a."
    assert whole.decode_batch([[0, 2], [1]]) == [" b.a.", "é."]


# What is wrong


class Raises:
    """Fails at everything."""

    def normalize(self, normalized: Any) -> None:
        raise KeyError("my own")

    pre_tokenize = decode_chain = normalize


PARTS = {
    "normalizer": normalizers.Normalizer,
    "pre_tokenizer": pre_tokenizers.PreTokenizer,
    "decoder": decoders.Decoder,
}


def with_part(part: str, it: Any) -> Tokenizer:
    """A tokenizer with that object as that part."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    setattr(tokenizer, part, PARTS[part].custom(it))  # type: ignore[attr-defined]
    return tokenizer


@pytest.mark.parametrize("part", PARTS)
def test_what_the_object_raises_comes_out_with_its_traceback(part: str) -> None:
    """The library raises an Exception with its text."""
    tokenizer = with_part(part, Raises())
    texts = ["a" * 300_000] * 3
    uses: list[Callable[[], Any]] = [lambda: tokenizer.decode([0]), lambda: tokenizer.decode_batch([[0]])]
    if part != "decoder":
        uses = [lambda: tokenizer.encode("a"), lambda: tokenizer.encode_batch(texts)]
        uses.append(lambda: tokenizer.train_from_iterator(["a"]))
    for use in uses:
        with pytest.raises(KeyError, match="my own") as raised:
            use()
        assert "raise KeyError" in "".join(traceback.format_exception(raised.value))
        assert raised.traceback[-1].name == "normalize"
    assert tokenizer.get_vocab() == {"a": 0, "?": 1}


class Keeps:
    """Keeps the text that it was given."""

    kept: Any = None

    def normalize(self, normalized: Any) -> None:
        normalized.lowercase()
        self.kept = normalized


def test_a_text_that_is_kept_changes_nothing_afterwards() -> None:
    for library in LIBRARIES:
        keeps = Keeps()
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0, "b": 1}, "b"))
        tokenizer.normalizer = library.normalizers.Normalizer.custom(keeps)
        encoding = tokenizer.encode("A")
        if library is tokenizers:
            with pytest.raises(Exception, match="outside `normalize`"):
                keeps.kept.replace("a", "b")
        else:
            keeps.kept.replace("a", "b")
        assert encoding.tokens == tokenizer.encode("A").tokens == ["a"]


def test_the_library_goes_on_without_a_normalizer_that_raises() -> None:
    theirs = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    theirs.normalizer = tokenizers.normalizers.Normalizer.custom(Raises())
    assert theirs.encode("a").tokens == ["a"]


class Returns:
    """Returns what it was made with."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def normalize(self, given: Any) -> Any:
        return self.result

    pre_tokenize = decode_chain = normalize


@pytest.mark.parametrize(
    ("part", "result", "message"),
    [
        ("normalizer", "b", "the custom normalizer Returns returned 'b' from normalize: change the argument in place"),
        ("normalizer", NormalizedString("b"), "the custom normalizer Returns returned NormalizedString"),
        ("pre_tokenizer", ["b"], r"the custom pre-tokenizer Returns returned \['b'\] from pre_tokenize: change"),
        ("decoder", "b", "the custom decoder Returns returned 'b' from decode_chain: give a list of strings"),
        ("decoder", None, "the custom decoder Returns returned None"),
        ("decoder", [1], r"the custom decoder Returns returned \[1\]"),
    ],
)
def test_who_returns_nonsense_is_named(part: str, result: Any, message: str) -> None:
    tokenizer = with_part(part, Returns(result))
    with pytest.raises(ValueError, match=message):
        tokenizer.decode([0]) if part == "decoder" else tokenizer.encode("a")


class Splits:
    """Cuts by a function that returns what it was made with."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def by(self, i: int, split: Any) -> Any:
        return self.result

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(self.by)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (3, "Splits.by returned 3 for split 0: give a list of NormalizedString"),
        ("ab", "Splits.by returned 'ab' for split 0: give a list"),
        (None, "Splits.by returned None for split 0"),
        (["a"], "item 0 of what Splits.by returned for split 0 is 'a': give a NormalizedString"),
        ([None], "item 0 of what Splits.by returned for split 0 is None"),
    ],
)
def test_a_function_that_returns_nonsense_is_named(result: Any, message: str) -> None:
    text = PreTokenizedString("ab")
    with pytest.raises(ValueError, match=message):
        text.split(Splits(result).by)
    # The library has lost the text by then.
    assert text.get_splits() == [("ab", (0, 2), None)]
    with pytest.raises(ValueError, match=message):
        with_part("pre_tokenizer", Splits(result)).encode("ab")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.PreTokenizer.custom(Splits(result))
    if result == "ab":
        return
    with pytest.raises(Exception, match="is not an instance of"):
        theirs.encode("ab")


def test_words_from_elsewhere_have_offsets_of_their_own() -> None:
    """So some write it, as `split` is faster than `slice` there: offsets within the word, as if it began the text."""
    found = []
    for library in LIBRARIES:
        whole = library.Tokenizer(library.models.WordLevel({"low": 0, "?": 1}, unk_token="?"))
        whole.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(Fresh(library))
        found.append(held(whole.encode("low lower")))
    assert found[0] == found[1] == ([0, 1], ["low", "?"], [(0, 3), (0, 5)], [0, 1])


class Fresh:
    """Makes new texts of words."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(lambda i, split: [self.library.NormalizedString(word) for word in split.normalized.split()])


class Empties:
    """Takes a letter out after the cut."""

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(lambda i, split: split.split(" ", "removed"))
        pretok.normalize(lambda split: split.replace("a", ""))


def test_nothing_is_no_word() -> None:
    """The library has words of no character, and asks the model for their tokens."""
    found = []
    for library in LIBRARIES:
        whole = library.Tokenizer(library.models.WordLevel({"b": 0, "?": 1}, unk_token="?"))
        whole.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(Empties())
        found.append(held(whole.encode("a b")))
    assert found == [([0], ["b"], [(2, 3)], [0]), ([1, 0], ["?", "b"], [(0, 0), (2, 3)], [0, 1])]


class Tokenizes:
    """Gives tokens itself."""

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.tokenize(lambda text: [])


def test_tokens_of_a_pre_tokenizer_are_refused() -> None:
    with pytest.raises(ValueError, match="the split 'ab' has tokens: in a Tokenizer the model makes them"):
        with_part("pre_tokenizer", Tokenizes()).encode("ab")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("it", [3, None, "text", object()])
def test_what_lacks_the_method_is_refused(part: str, it: Any) -> None:
    """The library says so where it is used."""
    method = {"normalizer": "normalize", "pre_tokenizer": "pre_tokenize", "decoder": "decode_chain"}[part]
    with pytest.raises(ValueError, match=f"give an object with a method {method}"):
        with_part(part, it)


@pytest.mark.parametrize("part", PARTS)
def test_code_is_not_written(part: str, tmp_path: Path) -> None:
    tokenizer = with_part(part, Raises())
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    custom = {
        "normalizer": tokenizers.normalizers.Normalizer,
        "pre_tokenizer": tokenizers.pre_tokenizers.PreTokenizer,
        "decoder": tokenizers.decoders.Decoder,
    }[part].custom
    setattr(theirs, part, custom(Raises()))
    kind = part.replace("_", "-")
    message = f"the custom {kind} Raises is your own code, which cannot be (written|pickled)"
    writers: list[Callable[[Any], Any]] = [
        lambda whole: whole.to_str(),
        lambda whole: whole.save(str(tmp_path / "tokenizer.json")),
        pickle.dumps,
        copy.deepcopy,
        lambda whole: pickle.dumps(getattr(whole, part)),
    ]
    for write in writers:
        with pytest.raises(ValueError, match=message):
            write(tokenizer)
        with pytest.raises(Exception, match=r"serialized|pickle"):
            write(theirs)
    with pytest.raises(ValueError, match=message):
        tokenizer.to_tokenizers()
    assert not (tmp_path / "tokenizer.json").exists()
    setattr(tokenizer, part, None)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert Tokenizer.from_file(str(tmp_path / "tokenizer.json")).to_str() == tokenizer.to_str()


@pytest.mark.parametrize("part", PARTS)
def test_a_component_is_what_its_object_is(part: str) -> None:
    custom = PARTS[part].custom  # type: ignore[attr-defined]
    own = Raises()
    assert custom(own) == custom(own)
    assert hash(custom(own)) == hash(custom(own))
    assert custom(own) != custom(Raises())
    assert repr(custom(own)) == f"{PARTS[part].__name__}.custom({own!r})"
    assert isinstance(custom(own), PARTS[part])
    sequences = {"normalizer": normalizers, "pre_tokenizer": pre_tokenizers, "decoder": decoders}
    assert repr(custom(own)) in repr(sequences[part].Sequence([custom(own)]))  # type: ignore[attr-defined]
    assert getattr(with_part(part, own), part) == custom(own)


@pytest.mark.parametrize("each", ["low", None, PreTokenizedString("low")])
def test_normalize_takes_a_normalized_string(each: Any) -> None:
    for normalizer in (normalizers.NFC(), normalizers.Normalizer.custom(Raises())):
        with pytest.raises(ValueError, match="is not a NormalizedString"):
            normalizer.normalize(each)


@pytest.mark.parametrize("each", ["low", None, NormalizedString("low")])
def test_pre_tokenize_takes_a_pre_tokenized_string(each: Any) -> None:
    for pre_tokenizer in (pre_tokenizers.Whitespace(), pre_tokenizers.PreTokenizer.custom(Raises())):
        with pytest.raises(ValueError, match="is not a PreTokenizedString"):
            pre_tokenizer.pre_tokenize(each)


def test_custom_components_by_themselves() -> None:
    """Also on an empty text, which a tokenizer never gives them."""
    for text in ("", " a b"):
        found = []
        for library in LIBRARIES:
            own = Normalizes(library, [("append", "!"), ("strip",)]) if text else Normalizes(library, [])
            cuts = Cuts(library, [("normalize", ("strip",)), ("split", " ", "isolated")])
            normalizer = library.normalizers.Normalizer.custom(own)
            pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(cuts)
            string = library.NormalizedString(text)
            normalizer.normalize(string)
            found.append(
                (normalizer.normalize_str(text), repr(string), pre_tokenizer.pre_tokenize_str(text), cuts.seen)
            )
        assert found[0] == found[1]


@pytest.mark.parametrize("places", [(0,), (0, 1), (1, 0)], ids=str)
def test_a_custom_pre_tokenizer_in_a_sequence(places: tuple[int, ...]) -> None:
    """The original of a split that lost characters has them still."""
    found = []
    for library in LIBRARIES:
        module, cuts = library.pre_tokenizers, Cuts(library, [("normalize", ("replace", "a", ""))])
        steps = [module.PreTokenizer.custom(cuts), module.WhitespaceSplit()]
        sequence = module.Sequence([steps[place] for place in places])
        found.append([sequence.pre_tokenize_str(text) for text in ("", "at", "x at ta", " ab  a bab")])
    assert found[0] == found[1]
