"""What components, models, trainers, methods of a tokenizer take for options, and what they refuse."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tokenizers as library

import tokenizers_impl as ours
from tokenizers_impl import AddedToken, decoders, models, normalizers, pre_tokenizers, processors, trainers

VOCAB = {"<unk>": 0, "a": 1, "b": 2}
MODULES = {
    "normalizer": normalizers,
    "pre-tokenizer": pre_tokenizers,
    "decoder": decoders,
    "post-processor": processors,
}
# What the other options are, where one has no default.
NEEDED: dict[str, Any] = {"pattern": "a", "content": "b", "behavior": "removed", "delimiter": "-", "sep": ("x", 1)}
NEEDED |= {"cls_token": ("y", 2), "precompiled_charsmap": b"", "single": "$A", "pair": "$A $B", "special_tokens": []}


def tokenizer(of: Any = ours) -> Any:
    made = of.Tokenizer(of.models.WordLevel(VOCAB, "<unk>"))
    made.pre_tokenizer = of.pre_tokenizers.Whitespace()
    return made


def components() -> Iterator[tuple[str, type]]:
    for kind, module in MODULES.items():
        for name in module.__all__:
            found = getattr(module, name)
            if isinstance(found, type) and dataclasses.is_dataclass(found):
                yield kind, found


def options() -> Iterator[tuple[str, type, str]]:
    for kind, found in components():
        for field in dataclasses.fields(found):
            yield kind, found, field.name


def made(found: type, **changed: Any) -> Any:
    """A component with its defaults but for these options."""
    wanted = {field.name for field in dataclasses.fields(found) if field.default is dataclasses.MISSING}
    if "cls" in wanted:
        wanted = wanted - {"cls", "trim_offsets", "add_prefix_space"} | {"cls_token"}
        changed = {"cls_token" if name == "cls" else name: value for name, value in changed.items()}
    return found(**{name: NEEDED[name] for name in wanted} | changed)


@pytest.mark.parametrize(
    ("kind", "found", "name"), list(options()), ids=lambda value: getattr(value, "__name__", value)
)
def test_every_option_of_every_component_is_checked_when_it_is_made(kind: str, found: type, name: str) -> None:
    told = rf"{name}.* of the {kind} {found.__name__} is"
    if kind == "post-processor":
        told = rf"{told}|{name}.*give a token|the template is|{name}=.*give a list"
    for value in (object(), 1.5):
        with pytest.raises(ValueError, match=told):
            made(found, **{name: value})


@pytest.mark.parametrize(("kind", "found"), list(components()), ids=lambda value: getattr(value, "__name__", value))
def test_components_never_change(kind: str, found: type) -> None:
    if found in (normalizers.Precompiled, normalizers.SentencePieceMap):
        assert found.__setattr__ is not object.__setattr__
        return
    component = made(found)
    before = repr(component)
    for name in [*(field.name for field in dataclasses.fields(found)), "other"]:
        with pytest.raises(AttributeError, match=f"{name} of the {found.__name__} cannot be changed.*make a new"):
            setattr(component, name, True)
        with pytest.raises(AttributeError, match="components are immutable"):
            delattr(component, name)
    assert repr(component) == before
    assert pickle.loads(pickle.dumps(component)) == component


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: normalizers.BertNormalizer(lowercase=1),
            "lowercase of the normalizer BertNormalizer is 1: exp.* bool",
        ),
        (lambda: normalizers.BertNormalizer(lowercase="False"), "lowercase of the .* is 'False': expected bool"),
        (lambda: normalizers.BertNormalizer(lowercase=None), "lowercase of the .* is None: expected bool"),
        (lambda: normalizers.BertNormalizer(strip_accents="no"), "strip_accents .* is 'no': expected bool or None"),
        (lambda: normalizers.Strip("x"), "left of the normalizer Strip is 'x': expected bool"),
        (
            lambda: pre_tokenizers.Split(" ", "removed", invert="x"),
            "invert of the pre-tokenizer Split is 'x': expected",
        ),
        (lambda: normalizers.Sequence(normalizers.NFC()), r"^normalizers are NFC\(\): give a list of normalizers$"),
        (lambda: normalizers.Sequence([normalizers.NFC]), r"normalizers\[0\] is <class .*: make it, with parentheses$"),
        (lambda: pre_tokenizers.ByteLevel("no"), "add_prefix_space of the pre-tokenizer ByteLevel is 'no': expected b"),
        (lambda: pre_tokenizers.Digits("yes"), "individual_digits of the pre-tokenizer Digits is 'yes': expected bool"),
        (lambda: pre_tokenizers.Metaspace(split="no"), "split of the pre-tokenizer Metaspace is 'no': expected bool"),
        (lambda: decoders.WordPiece(cleanup="no"), "cleanup of the decoder WordPiece is 'no': expected bool"),
        (lambda: decoders.CTC(cleanup=None), "cleanup of the decoder CTC is None: expected bool"),
        (lambda: decoders.BPEDecoder(None), "suffix of the decoder BPEDecoder is None: expected str"),
        (lambda: decoders.WordPiece(prefix=None), "prefix of the decoder WordPiece is None: expected str"),
        (
            lambda: processors.RobertaProcessing(("a", 1), ("b", 2), trim_offsets="no"),
            "trim_offsets of the post-processor RobertaProcessing is 'no': expected bool",
        ),
        (lambda: models.Unigram([("a", -1.0)], 0.5), "unk_id is 0.5: give an integer, 0 or more, or None"),
        (lambda: models.Unigram([("a", -1.0)], 0, byte_fallback="no"), "byte_fallback is 'no': give True or False"),
        (lambda: models.BPE(cache_capacity="x"), "cache_capacity is 'x': give an integer, 0 or more, or None"),
        (lambda: models.BPE(seed=-1), "seed is -1: give an integer, 0 or more, or None"),
        (lambda: trainers.BpeTrainer(show_progress="no"), "show_progress is 'no': give True or False"),
        (lambda: trainers.BpeTrainer(progress_format="bar"), "progress_format is 'bar': give one of 'indicatif', 'js"),
        (
            lambda: trainers.BpeTrainer(initial_alphabet={"a": 1}),
            "initial_alphabet is {'a': 1}: give a list, such as list",
        ),
        (lambda: AddedToken("x", lstrip=None), "lstrip of the token 'x' is None: give True or False"),
        (lambda: processors.BertProcessing(("a", 1.0), ("b", 2)), r"sep=\('a', 1.0\): give a token with its id"),
        (lambda: processors.BertProcessing(("a", True), ("b", 2)), r"sep=\('a', True\): give a token with its id"),
        (
            lambda: processors.TemplateProcessing("x $A", special_tokens=[("x", 1.0)]),
            r"the special token 'x' has the ids \(1.0,\): give integers",
        ),
    ],
)
def test_a_wrong_option_is_told(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# Numbers of numpy.


def components_of_numpy(of: Any, number: Callable[[int], Any], flag: Callable[[bool], Any]) -> dict[str, Any]:
    """A tokenizer with options in every part."""
    whole = of.Tokenizer(of.models.BPE({"a": 0, "b": 1}, [], fuse_unk=flag(True), byte_fallback=flag(False)))
    whole.normalizer = of.normalizers.Sequence(
        [
            of.normalizers.BertNormalizer(lowercase=flag(False), strip_accents=flag(True)),
            of.normalizers.Strip(flag(False), flag(True)),
        ]
    )
    whole.pre_tokenizer = of.pre_tokenizers.Sequence(
        [of.pre_tokenizers.Digits(flag(True)), of.pre_tokenizers.FixedLength(number(3))]
    )
    whole.post_processor = of.processors.Sequence(
        [
            of.processors.ByteLevel(trim_offsets=flag(False)),
            of.processors.TemplateProcessing("x $A", "x $A $B", [("x", number(1))]),
        ]
    )
    whole.decoder = of.decoders.Sequence(
        [of.decoders.Strip("a", number(1), number(2)), of.decoders.CTC("p", "w", flag(False))]
    )
    whole.add_tokens([of.AddedToken("q", lstrip=flag(True), normalized=flag(False))])
    whole.enable_truncation(number(7), stride=number(1))
    whole.enable_padding(pad_id=number(1), pad_type_id=number(2), length=number(9), pad_to_multiple_of=number(3))
    whole.encode_special_tokens = flag(True)
    return json.loads(whole.to_str())


def test_numbers_of_numpy_are_taken_as_the_library_takes_them() -> None:
    plain = components_of_numpy(ours, int, bool)
    assert components_of_numpy(ours, np.int64, np.bool_) == plain
    assert components_of_numpy(ours, np.uint8, np.bool_) == plain
    assert components_of_numpy(library, np.int64, np.bool_) == components_of_numpy(library, int, bool) == plain


def test_counts_of_numpy_are_taken() -> None:
    words, counts = np.unique(["a", "b", "a"], return_counts=True)
    vocabularies = []
    for given in (dict(zip(words, counts, strict=True)), {"a": 2, "b": 1}):
        made = tokenizer()
        made.train_from_counts(given, trainers.WordLevelTrainer(show_progress=False))
        vocabularies.append(made.get_vocab())
    assert vocabularies == [{"a": 0, "b": 1}] * 2


def test_processors_take_ids_of_numpy() -> None:
    for kind in ("BertProcessing", "RobertaProcessing"):
        mine, theirs = (getattr(of.processors, kind)(("a", np.int64(1)), ("b", np.int32(2))) for of in (ours, library))
        assert mine.to_json() == json.loads(theirs.__getstate__())


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (lambda: models.BPE(fuse_unk=np.True_), "fuse_unk", True),
        (lambda: models.BPE(seed=np.int64(5)), "seed", 5),
        (lambda: models.BPE(dropout=np.float32(0.5)), "dropout", 0.5),
        (lambda: models.WordPiece(max_input_chars_per_word=np.int64(7)), "max_input_chars_per_word", 7),
        (lambda: models.Unigram([("a", np.float64(-1.0))], np.int64(0)), "unk_id", 0),
        (lambda: models.Unigram([("a", -1.0)], 0, alpha=np.float64(0.5)), "alpha", 0.5),
        (lambda: models.Unigram([("a", -1.0)], 0, nbest_size=np.int64(4)), "nbest_size", 4),
        (lambda: trainers.BpeTrainer(vocab_size=np.int64(9)), "vocab_size", 9),
        (lambda: trainers.BpeTrainer(show_progress=np.False_), "show_progress", False),
        (lambda: trainers.UnigramTrainer(shrinking_factor=np.float64(0.5)), "shrinking_factor", 0.5),
        (lambda: trainers.WordLevelTrainer(min_frequency=np.int16(2)), "min_frequency", 2),
        (lambda: AddedToken("x", lstrip=np.True_), "lstrip", True),
    ],
)
def test_numbers_of_numpy_become_python_s(make: Callable[[], Any], name: str, value: Any) -> None:
    kept = getattr(make(), name)
    assert (kept, type(kept)) == (value, type(value))


# Mappings and sets.


@pytest.mark.parametrize(
    "use",
    [
        lambda of, given: tokenizer(of).add_special_tokens(given),
        lambda of, given: tokenizer(of).add_tokens(given),
        lambda of, given: of.trainers.BpeTrainer(special_tokens=given),
        lambda of, given: of.trainers.UnigramTrainer(special_tokens=given),
        lambda of, given: tokenizer(of).encode_batch(given),
        lambda of, given: tokenizer(of).encode_batch_fast(given),
        lambda of, given: tokenizer(of).decode({i: i for i in range(2)} if isinstance(given, dict) else {0, 1}),
        lambda of, given: tokenizer(of).decode_batch({0: [1]} if isinstance(given, dict) else {(0, 1)}),
        lambda of, given: tokenizer(of).decode_batch([[0], {0: 1} if isinstance(given, dict) else {0, 1}]),
    ],
)
def test_mappings_and_sets_are_no_lists(use: Callable[[Any, Any], Any]) -> None:
    for given, message in (
        ({"pad_token": "[PAD]"}, r"give a list, such as list\(it\.values\(\)\)"),
        ({"[PAD]"}, "give a list, because a set has no order"),
    ):
        with pytest.raises(ValueError, match=message):
            use(ours, given)
        with pytest.raises(TypeError):
            use(library, given)


def test_lists_and_what_has_an_order_are_taken() -> None:
    made = tokenizer()
    assert made.add_special_tokens({"pad_token": "[PAD]"}.values()) == 1
    assert [each.ids for each in made.encode_batch(text for text in ("a", "b"))] == [[1], [2]]
    assert made.decode_batch([id] for id in (1, 2)) == made.decode_batch(np.array([[1], [2]])) == ["a", "b"]


# The file.


def document(**changed: Any) -> str:
    whole = tokenizer()
    whole.enable_truncation(5)
    whole.enable_padding()
    data = json.loads(whole.to_str())
    for key, value in changed.items():
        data[key] = data[key] | value if isinstance(data.get(key), dict) and isinstance(value, dict) else value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"normaliser": None},
            "unknown key 'normaliser' in tokenizer.json: its keys are version, truncation, .* normalizer, ",
        ),
        ({"added_tokens": None}, "added_tokens of tokenizer.json is None: expected a list"),
        ({"added_tokens": {}}, "added_tokens of tokenizer.json is {}: expected a list"),
        ({"added_tokens": False}, "added_tokens of tokenizer.json is False: expected a list"),
        (
            {"truncation": {"direction": "left"}},
            "Unknown `direction` in tokenizer.json: `left`. Use one of Left, Right",
        ),
        ({"truncation": {"strategy": "longest_first"}}, "Unknown `strategy` .* Use one of LongestFirst, OnlyFirst, On"),
        ({"truncation": {"max_length": True}}, "max_length=True: give an integer"),
        ({"truncation": {"max_length": 5.0}}, r"max_length=5\.0: give an integer"),
        ({"padding": {"direction": "right"}}, "Unknown `direction` in tokenizer.json: `right`"),
        (
            {"padding": {"strategy": {"Fixed": None}}},
            "the strategy of the padding is Fixed: give BatchLongest or Fixed",
        ),
        ({"padding": {"strategy": {"Fixed": "x"}}}, "length='x': give an integer"),
        ({"padding": {"pad_id": None}}, "pad_id=None: give an integer"),
        ({"padding": {"pad_token": None}}, "pad_token=None: give a string"),
    ],
)
def test_a_file_is_read_as_strictly_as_by_the_library(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.Tokenizer.from_str(document(**changed))
    with pytest.raises(Exception, match=r"expected|unknown variant|invalid"):
        library.Tokenizer.from_str(document(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"truncation": None, "padding": None},
        {"truncation": {"direction": "Left", "strategy": "OnlyFirst"}},
        {"padding": {"direction": "Left", "strategy": {"Fixed": 3}}},
        {"padding": {"strategy": {"BatchLongest": None}}},
    ],
)
def test_what_the_library_reads_is_read(changed: dict[str, Any]) -> None:
    mine, theirs = (of.Tokenizer.from_str(document(**changed)) for of in (ours, library))
    assert (mine.truncation, mine.padding) == (theirs.truncation, theirs.padding)
    assert mine.to_str() == theirs.to_str()


def test_a_type_that_is_not_there_is_told_with_all_that_are() -> None:
    for kind, module in MODULES.items():
        with pytest.raises(ValueError, match=f"{kind} Other is not supported: use one of .*Sequence"):
            module.from_json({"type": "Other"})


# Attributes of trainers and models.


@pytest.mark.parametrize(
    ("of", "name", "value", "message"),
    [
        ("trainers.BpeTrainer", "vocab_sz", 5, "a BpeTrainer has no attribute vocab_sz: its attributes are vocab_size"),
        ("trainers.BpeTrainer", "min_frequency", "x", "min_frequency is 'x': give an integer, 0 or more"),
        ("trainers.BpeTrainer", "vocab_size", -1, "vocab_size is -1: give an integer, 0 or more"),
        ("trainers.BpeTrainer", "show_progress", 1, "show_progress is 1: give True or False"),
        ("trainers.BpeTrainer", "special_tokens", {"x": 1}, "the tokens are {'x': 1}: give a list"),
        ("trainers.UnigramTrainer", "vocab_sz", 5, "a UnigramTrainer has no attribute vocab_sz"),
        ("trainers.WordPieceTrainer", "vocab_sz", 5, "a WordPieceTrainer has no attribute vocab_sz"),
        ("trainers.WordLevelTrainer", "vocab_size", 1.5, "vocab_size is 1.5: give an integer"),
        ("models.BPE", "dropuot", 0.5, "a BPE has no attribute dropuot: its attributes are .*dropout"),
        ("models.BPE", "dropout", "x", "dropout is 'x': give a number, or None"),
        ("models.BPE", "vocab", {"a": 0}, "a BPE has no attribute vocab"),
        ("models.BPE", "unk_token", 3, "unk_token is 3: give a string, or None"),
        ("models.WordLevel", "unk_token", None, "unk_token is None: give a string"),
        ("models.WordPiece", "max_input_chars_per_word", -1, "max_input_chars_per_word is -1: give an integer"),
        ("models.Unigram", "unk_id", 0, "unk_id of the Unigram cannot be set: make a new Unigram"),
        ("models.Unigram", "byte_fallback", True, "byte_fallback of the Unigram cannot be set"),
        ("models.Unigram", "alpha", "x", "alpha is 'x': give a number, or None"),
    ],
)
def test_a_wrong_attribute_is_told_when_it_is_set(of: str, name: str, value: Any, message: str) -> None:
    module, kind = of.split(".")
    made, theirs = (getattr(getattr(each, module), kind)() for each in (ours, library))
    before = dict(vars(made))
    with pytest.raises((ValueError, AttributeError), match=message) as error:
        setattr(made, name, value)
    assert vars(made) == before
    with pytest.raises((AttributeError, TypeError, OverflowError)) as their_error:
        setattr(theirs, name, value)
    assert (error.type is AttributeError) == (their_error.type is AttributeError)


def test_merges_stay_as_they_are() -> None:
    model = models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    with pytest.raises(AttributeError, match="merges of the BPE cannot be set: make a new BPE"):
        model.merges = []
    model.merge_counts = np.array([3])
    with pytest.raises(ValueError, match="merge_counts is 3"):
        model.merge_counts = 3  # type: ignore[assignment]


def test_special_tokens_that_are_set_are_read_back_as_tokens() -> None:
    for of in (ours, library):
        trainer = of.trainers.BpeTrainer(show_progress=False)
        trainer.special_tokens = ["x", of.AddedToken("y", lstrip=True)]
        assert [(str(each), each.lstrip, each.special) for each in trainer.special_tokens] == [
            ("x", False, True),
            ("y", True, True),
        ]


def test_a_class_of_the_user_s_own_declares_its_attributes() -> None:
    class Counting(models.WordLevel):
        calls: int

    model = Counting({"a": 0}, "a")
    model.calls = np.int64(3)  # type: ignore[assignment]
    assert type(model.calls) is int
    with pytest.raises(AttributeError, match="a Counting has no attribute cals: its attributes are unk_token, calls"):
        model.cals = 1  # type: ignore[attr-defined]


# Sequences.


@pytest.mark.parametrize("kind", ["normalizers", "pre_tokenizers", "processors"])
def test_sequences_are_indexed_as_in_the_library(kind: str) -> None:
    shown = []
    for of in (ours, library):
        module = getattr(of, kind)
        steps = [module.ByteLevel(), module.ByteLevel()] if kind == "processors" else [module.ByteLevel()]
        sequence = module.Sequence(steps)
        row: list[Any] = [str(sequence[0]), str(sequence[np.int64(0)]), [str(each) for each in sequence]]
        for index, errors in (
            (5, IndexError),
            (-1, (IndexError, OverflowError)),
            (slice(1), TypeError),
            ("a", TypeError),
        ):
            with pytest.raises(errors):
                sequence[index]
        try:
            row += [len(sequence), bool(module.Sequence([]))]
        except TypeError as error:
            row.append(type(error))
        shown.append(row)
    assert shown[0] == shown[1]
    sequence = getattr(ours, kind).Sequence([])
    with pytest.raises(TypeError, match=r"\[0\] cannot be changed, .* immutable: make a new Sequence"):
        sequence[0] = None
    with pytest.raises(AttributeError, match=r"steps of the Sequence cannot be changed, .* immutable"):
        sequence.steps = ()


def test_a_sequence_of_decoders_is_not_indexed_in_the_library_either() -> None:
    for of in (ours, library):
        sequence = of.decoders.Sequence([of.decoders.Fuse()])
        for use in (len, list, lambda it: it[0]):
            with pytest.raises(TypeError):
                use(sequence)


# Methods and parts of a tokenizer.


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda t: t.id_to_token("a"), "the id is 'a': give an integer from 0"),
        (lambda t: t.id_to_token(None), "the id is None"),
        (lambda t: t.id_to_token(1.0), r"the id is 1\.0"),
        (lambda t: t.id_to_token(-1), "the id is -1"),
        (lambda t: t.id_to_token(2**32), "the id is 4294967296"),
        (lambda t: t.model.id_to_token("a"), "the id is 'a'"),
        (lambda t: t.token_to_id(1), "the token is 1: give a string"),
        (lambda t: t.token_to_id(None), "the token is None"),
        (lambda t: t.model.token_to_id(1), "the token is 1"),
        (lambda t: t.encode("a", add_special_tokens=None), "add_special_tokens=None: give True or False"),
        (lambda t: t.encode("a", is_pretokenized=None), "is_pretokenized=None: give True or False"),
        (lambda t: t.encode_batch(["a"], add_special_tokens=1), "add_special_tokens=1: give True or False"),
        (lambda t: t.encode_batch_fast(["a"], is_pretokenized=0), "is_pretokenized=0: give True or False"),
        (lambda t: t.post_process(t.encode("a"), add_special_tokens=None), "add_special_tokens=None"),
        (lambda t: t.decode([1], skip_special_tokens=None), "skip_special_tokens=None: give True or False"),
        (lambda t: t.decode_batch([[1]], skip_special_tokens=1), "skip_special_tokens=1"),
        (lambda t: t.get_vocab(None), "with_added_tokens=None: give True or False"),
        (lambda t: t.get_vocab_size(1), "with_added_tokens=1"),
        (lambda t: t.num_special_tokens_to_add(None), "is_pair=None"),
        (lambda t: t.to_str(pretty=None), "pretty=None: give True or False"),
        (lambda t: setattr(t, "padding", None), r"padding cannot be set: use no_padding\(\) or enable_padding\(\)"),
        (
            lambda t: setattr(t, "truncation", {}),
            r"truncation cannot be set: use no_truncation\(\) or enable_",
        ),
        (lambda t: setattr(t, "encode_special_tokens", "x"), "encode_special_tokens='x': give True or False"),
        (lambda t: t.enable_truncation(5.0), r"max_length=5\.0: give an integer"),
    ],
)
def test_what_the_library_refuses_is_refused(use: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        use(tokenizer())
    with pytest.raises((TypeError, OverflowError, AttributeError)):
        use(tokenizer(library))


def test_what_the_library_takes_is_taken() -> None:
    for of in (ours, library):
        made = tokenizer(of)
        assert [made.id_to_token(id) for id in (np.int64(1), True, 7)] == ["a", "a", None]
        assert made.encode("a b", add_special_tokens=np.True_).ids == [1, 2]
        assert made.token_to_id("c") is None


def test_flags_of_a_token_have_names() -> None:
    for of in (ours, library):
        with pytest.raises(TypeError, match="positional arguments but"):
            of.AddedToken("x", True)


def test_a_step_of_another_kind_is_told_with_its_module() -> None:
    made = tokenizer()
    message = (
        r"decoder=ByteLevel\(.*\), ByteLevel of tokenizers_impl.pre_tokenizers: give a Decoder of tokenizers_impl.dec"
    )
    with pytest.raises(ValueError, match=message):
        made.decoder = pre_tokenizers.ByteLevel()
    assert made.decoder is None
