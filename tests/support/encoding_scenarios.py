"""Tokenizers with everything around the model, built alike from either library, and all that an Encoding holds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

ALPHABET = "abcé漢 Ġx"
MERGES = [("a", "b"), ("ab", "c"), ("a", "a"), ("Ġ", "a"), ("Ġ", "b")]


def model(library: Any) -> Any:
    """A small BPE model that knows bytes as characters, too."""
    symbols = [*dict.fromkeys([*ALPHABET, *library.pre_tokenizers.ByteLevel.alphabet()])]
    vocabulary = {symbol: id for id, symbol in enumerate(sorted(symbols))}
    for left, right in MERGES:
        vocabulary[left + right] = len(vocabulary)
    return library.models.BPE(vocabulary, MERGES)


def held(encoding: Any, depth: int = 3) -> tuple[Any, ...]:
    """All that an Encoding holds; what overflows from what overflows to some depth."""
    return (
        len(encoding),
        encoding.ids,
        encoding.type_ids,
        encoding.tokens,
        encoding.offsets,
        encoding.attention_mask,
        encoding.special_tokens_mask,
        encoding.word_ids,
        encoding.sequence_ids,
        encoding.n_sequences,
        [held(each, depth - 1) for each in encoding.overflowing] if depth else len(encoding.overflowing),
    )


def answers(encoding: Any, places: int = 12) -> list[Any]:
    """What its methods answer, over the first places of each sequence."""
    tokens = [
        (encoding.token_to_chars(i), encoding.token_to_word(i), encoding.token_to_sequence(i)) for i in range(places)
    ]
    texts = [
        (
            encoding.char_to_token(i, sequence),
            encoding.char_to_word(i, sequence),
            encoding.word_to_tokens(i, sequence),
            encoding.word_to_chars(i, sequence),
        )
        for sequence in range(3)
        for i in range(places)
    ]
    return [*tokens, *texts]


def tells_sequences_apart(encoding: Any) -> bool:
    """Whether no token of our Encoding is of two sequences: of those the library names any, another one in each run."""
    ranges = sorted(encoding._lists().sequences.values())
    return all(end <= start for (_, end), (start, _) in pairwise(ranges))


def outcome(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, or that it fails; a panic of the library is a failure, too."""
    try:
        return function(*arguments, **options)
    except BaseException as error:  # the library's panics are no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        return "failed"


def processors() -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Names and options of post-processors."""
    tokens = [("[CLS]", 300), ("[SEP]", 301), {"id": "<s>", "ids": [302, 303], "tokens": ["<s", ">"]}, (304, "Ġ")]
    plain = st.sampled_from(["[CLS] $A [SEP]", "$A", "<s> $0 <s>:2", "$A:1 [SEP]", ["[CLS]", "$A", "$A:1"]])
    pairs = st.sampled_from(
        ["[CLS] $A [SEP] $B:1 [SEP]:1", "$B:2 $A", "$A <s> $B [SEP] [SEP]", ["$A", "$B"], "$A $B $A:3", "$A:1 $B:0"]
    )
    wrapping = st.fixed_dictionaries({"sep": st.just(("[SEP]", 301)), "cls_token": st.just(("[CLS]", 300))})
    flags = st.fixed_dictionaries({"trim_offsets": st.booleans(), "add_prefix_space": st.booleans()})
    single = st.one_of(
        st.tuples(
            st.just("TemplateProcessing"),
            st.fixed_dictionaries({"single": plain, "pair": pairs, "special_tokens": st.just(tokens)}),
        ),
        st.tuples(st.just("BertProcessing"), wrapping),
        st.tuples(st.just("RobertaProcessing"), st.builds(lambda a, b: a | b, wrapping, flags)),
        st.tuples(st.just("ByteLevel"), flags),
    )
    several = st.tuples(st.just("Sequence"), st.fixed_dictionaries({"processors": st.lists(single, max_size=3)}))
    return st.one_of(single, single, several)


def processor(library: Any, description: tuple[str, dict[str, Any]]) -> Any:
    """The post-processor of that name with those options."""
    name, options = description
    if name == "Sequence":
        return library.processors.Sequence([processor(library, each) for each in options["processors"]])
    return getattr(library.processors, name)(**options)


def built(library: Any, description: dict[str, Any]) -> Any:
    """A tokenizer; an option that the library refuses is left out in both."""
    tokenizer = library.Tokenizer(model(library))
    if name := description.get("normalizer"):
        tokenizer.normalizer = getattr(library.normalizers, name)()
    if name := description.get("pre_tokenizer"):
        tokenizer.pre_tokenizer = getattr(library.pre_tokenizers, name)()
    tokenizer.add_tokens([library.AddedToken(content, **flags) for content, flags in description.get("tokens", [])])
    tokenizer.encode_special_tokens = description.get("encode_special_tokens", False)
    if description.get("processor"):
        tokenizer.post_processor = processor(library, description["processor"])
    truncation = description.get("truncation")
    # The library takes a length that the special tokens alone exceed for one without end.
    special = max(map(tokenizer.num_special_tokens_to_add, (False, True)))
    if truncation and truncation["max_length"] >= special:
        outcome(tokenizer.enable_truncation, **truncation)
    if description.get("padding") is not None:
        tokenizer.enable_padding(**description["padding"])
    return tokenizer


def options_of_truncation() -> st.SearchStrategy[dict[str, Any]]:
    """What enable_truncation takes."""
    optional = {
        "stride": st.integers(0, 4),
        "strategy": st.sampled_from(["longest_first", "only_first", "only_second"]),
        "direction": st.sampled_from(["left", "right"]),
    }
    return st.fixed_dictionaries({"max_length": st.integers(0, 12)}, optional=optional)


def options_of_padding() -> st.SearchStrategy[dict[str, Any]]:
    """What enable_padding takes."""
    optional = {
        "length": st.none() | st.integers(0, 15),
        "direction": st.sampled_from(["left", "right"]),
        "pad_id": st.integers(0, 400),
        "pad_type_id": st.integers(0, 3),
        "pad_token": st.sampled_from(["[P]", "Ġ"]),
        "pad_to_multiple_of": st.none() | st.integers(0, 5),
    }
    return st.fixed_dictionaries({}, optional=optional)


def without_texts(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same without the tokens, which encode_batch_fast of the library leaves empty."""
    parts = [without_texts(each) for each in row[-1]] if isinstance(row[-1], list) else row[-1]
    return (*row[:3], *row[4:-1], parts)


def added_tokens() -> st.SearchStrategy[list[tuple[str, dict[str, bool]]]]:
    """Contents and flags of added tokens."""
    flags = st.fixed_dictionaries(
        {}, optional={name: st.booleans() for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
    )
    contents = st.sampled_from([" ", " b", "<m>", "<m><m>", "ab", "b a", "é", "a", "[CLS]", "漢", "_x", "E\u0301"])
    return st.lists(st.tuples(contents, flags), max_size=4, unique_by=lambda each: each[0])


TEXTS = st.lists(
    st.sampled_from(
        ["a", "b", "ab", "abc", " ", "  ", "\t", "\u00a0", "<m>", "é", "漢", "x", "_", "[CLS]", "E\u0301", "'s"]
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=8,
).map("".join)
