"""NormalizedString and PreTokenizedString are those of `tokenizers`, step by step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from pipeline_steps import TEXTS
from properties import examples
from string_steps import CUTS, LIBRARIES, PARTS, STEPS, called, change, tokens

import tokenizers_impl
from tokenizers_impl import NormalizedString, PreTokenizedString, Token, pre_tokenizers
from tokenizers_impl._patterns.compiled import compiled


def shown(string: Any) -> tuple[Any, ...]:
    """All that a string tells: of every character, of some runs of them, where it comes from."""
    if string is None:
        return ("none",)
    n = len(string.normalized)
    spans = [(i, j) for i in range(n) for j in (i + 1, i + 2, n) if j <= n]
    parts = [string.slice(span) for span in spans]
    return repr(string), str(string), string.original, [(part.original, part.normalized) for part in parts]


def lost(string: NormalizedString) -> bool:
    """Whether the text begins with what comes from nowhere: there the library's next change is beside the point.

    It takes such characters for none, and so panics or writes the whole text behind them; so they only come last here.
    """
    return bool(string.places and string.places[0] % 2 == 0)


@examples(600)
@given(text=TEXTS, steps=st.lists(st.one_of(STEPS, PARTS), min_size=1, max_size=5))
def test_methods_of_a_text_one_after_another(text: str, steps: list[tuple[Any, ...]]) -> None:
    strings = [library.NormalizedString(text) for library in LIBRARIES]
    for step in steps:
        if lost(strings[0]):
            break
        # The library panics at the empty string in text beyond ASCII: it counts characters for bytes.
        if step[:2] == ("split", "") and not strings[0].normalized.isascii():
            continue
        results = [called(library, string, step) for library, string in zip(LIBRARIES, strings, strict=True)]
        if step[0] == "split":
            assert [shown(part) for part in results[0]] == [shown(part) for part in results[1]]
            strings = [
                parts[len(parts) // 2] if parts else string for parts, string in zip(results, strings, strict=True)
            ]
        elif step[0] == "slice":
            assert shown(results[0]) == shown(results[1])
            strings = strings if None in results else results
        else:
            assert results == [None, None]
        assert shown(strings[0]) == shown(strings[1])


@pytest.mark.parametrize("step", [("lstrip",), ("rstrip",), ("clear",), ("lowercase",), ("replace", " ", "_x")])
def test_a_part_that_is_changed_keeps_its_original(step: tuple[str, ...]) -> None:
    found = []
    for library in LIBRARIES:
        part = library.NormalizedString("x  B  y")[1:6]
        called(library, part, step)
        text = library.PreTokenizedString("x  B  y")
        text.split(lambda _, split: [split[:1], split[1:6], split[6:]])
        text.normalize(lambda split: called(library, split, step))  # noqa: B023
        found.append((part.original, part.normalized, text.get_splits()))
    assert found[0] == found[1]
    assert found[0][0] == "  B  "


@pytest.mark.parametrize("options", list(product((True, False), repeat=4)))
def test_normalizers_that_rewrite_each_character(options: tuple[bool, ...]) -> None:
    """BERT's normalizer removes as many characters of the fourth text as it adds, and reorders marks of the last."""
    ascii_text = "".join(map(chr, range(128)))
    for text in (ascii_text, "\t a\x00B\x7f", "\x01\x02", "中\x01a\x02b", "A\x08é\r한ß", "a\u302e\U0001d165É"):
        found = []
        for library in LIBRARIES:
            kinds = [library.normalizers.BertNormalizer(*options)]
            if all(options):
                names = "Lowercase", "StripAccents", "Nmt", "ByteLevel", "NFC", "NFD", "NFKC", "NFKD"
                kinds += [getattr(library.normalizers, name)() for name in names]
            for normalizer in kinds:
                string = library.NormalizedString(text)
                normalizer.normalize(string)
                found.append(shown(string))
        assert found[: len(found) // 2] == found[len(found) // 2 :]


def test_upper_case_of_every_character() -> None:
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    strings = [library.NormalizedString(text) for library in LIBRARIES]
    for string in strings:
        string.uppercase()
    assert strings[0].normalized == strings[1].normalized
    assert strings[0][-1].original == strings[1].slice(slice(len(strings[0].normalized) - 1, None)).original


def test_ranges_of_ascii_text_are_those_of_the_library() -> None:
    """Also those that count from the end; there the library counts bytes."""
    ranges = [*range(-4, 6), *(slice(*ends) for ends in [(None,), (1, None), (-2, None), (-9, 9), (4, None), (3, 3)])]
    for text in ("abcd", "a", ""):
        strings = [library.NormalizedString(text) for library in LIBRARIES]
        for each in ranges:
            if isinstance(each, int) and each < -len(text):
                for string in strings:
                    with pytest.raises(ValueError, match=r"4|3|2|1"):
                        string[each]
                continue
            assert shown(strings[0][each]) == shown(strings[1][each])


def test_ranges_of_numpy() -> None:
    spans = [tuple(span) for span in np.array([(0, 2), (1, 1), (2, 9)])]
    found = []
    for library in LIBRARIES:
        text = library.PreTokenizedString("abc")
        text.split(lambda i, split: [split.slice(span) for span in spans])
        found.append(text.get_splits())
    assert str(found[0]) == str(found[1])


def test_ranges_count_characters() -> None:
    text = NormalizedString("añé")
    assert [str(text[each]) for each in (-1, slice(-2, None), slice(None, -1))] == ["é", "ñé", "añ"]
    assert text[3] is None
    assert text[2:1] is None


@pytest.mark.parametrize("change", [None, ("prepend", "éé"), ("replace", "漢", "xyz"), ("nfd",), ("lstrip",)])
def test_a_part_of_a_part(change: tuple[Any, ...] | None) -> None:
    """Both ways in which a part tells where it comes from, also an empty one into which something is put."""
    spans = [(i, j) for i in range(5) for j in range(i, 6)]
    found: list[list[Any]] = []
    for library in LIBRARIES:
        rows: list[Any] = []
        for span, inner, innermost in product(
            spans, [(0, 0), (0, 2), (1, 1), (1, 3), (2, 2), (2, 4)], [(0, 1), (1, 2)]
        ):
            text = library.NormalizedString(" éa漢 b")
            if change:
                called(library, text, change)
            part = text.slice(span)
            smaller = part and part.slice(inner)
            smallest = smaller and smaller.slice(innermost)
            rows.append([each and (str(each), each.original, repr(each)) for each in (part, smaller, smallest)])
            if part and str(part):
                part.uppercase()
                part.append("é")
                rows.append(shown(part))
        found.append(rows)
    assert found[0] == found[1]


def test_where_a_part_of_a_part_stands() -> None:
    found: list[list[Any]] = []
    for library in LIBRARIES:
        rows: list[Any] = []
        for span, inner in product([(1, 5), (2, 5), (3, 6)], [(0, 0), (1, 1), (1, 2), (1, 3), (2, 2)]):
            text = library.PreTokenizedString(" éa漢 b")

            def put_in(i: int, split: Any) -> list[Any]:
                part = split.slice(span).slice(inner)  # noqa: B023
                part.append("z")
                return [split[:1], part]

            text.split(put_in)
            before = text.get_splits()
            text.normalize(lambda split: split.append("xy"))
            change_of_all = text.get_splits()
            text.tokenize(lambda split: tokens(library, split, 1))  # noqa: B023
            rows.append([before, change_of_all, splits_of(text), text.to_encoding().offsets])
        found.append([[str(each) for each in row] for row in rows])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("slice", (slice(0, 3, 2),), "has a step: take every character, then filter"),
        ("slice", ("a",), "the range is 'a': give a number"),
        ("slice", ((-1, 2),), r"the range is \(-1, 2\): give a number"),
        ("slice", (-4,), "there is no character -4: the text has 3"),
        ("split", ("a", "x"), "behavior='x': choose one of removed, isolated"),
        ("split", (3, "removed"), "pattern=3: give a string or a Regex"),
        ("replace", (3, "x"), "pattern of the normalizer Replace is 3"),
        ("replace", ("a", 3), "content of the normalizer Replace is 3"),
        ("append", (3,), "text 0 is 3: give a string"),
        ("prepend", (3,), "prepend of the normalizer Prepend is 3"),
        ("append", ("\ud800",), "lone surrogate"),
        ("filter", (3,), "filter is given 3: give a function"),
        ("filter", (lambda char: 1,), "the function given to filter says 1 of 'a': return True or False"),
        ("map", (3,), "map is given 3: give a function"),
        ("map", (lambda char: "",), "the function given to map makes '' of 'a': return one character"),
        ("map", (lambda char: "\ud800",), "surrogates not allowed"),
        ("map", (lambda char: None,), "the function given to map makes None of 'a'"),
        ("for_each", (3,), "for_each is given 3: give a function"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(method: str, arguments: tuple[Any, ...], message: str) -> None:
    text = NormalizedString("abc")
    with pytest.raises(ValueError, match=message):
        getattr(text, method)(*arguments)
    assert shown(text) == shown(NormalizedString("abc"))
    # The library takes a step for none.
    if (method, arguments) != ("slice", (slice(0, 3, 2),)):
        # Its panics are no Exception.
        with pytest.raises(BaseException, match=r"expect|instance|convert|codec|Wrong value|bigger|extract"):
            getattr(tokenizers.NormalizedString("abc"), method)(*arguments)


@pytest.mark.parametrize("method", ["filter", "map", "for_each"])
def test_what_a_function_raises_comes_out(method: str) -> None:
    text = NormalizedString("abc")
    with pytest.raises(ZeroDivisionError) as raised:
        getattr(text, method)(lambda char: 1 // 0)
    assert raised.traceback[-1].path.name == "test_normalized_string.py"
    assert str(text) == "abc"


@pytest.mark.parametrize("text", [3, None, "a\ud800"])
@pytest.mark.parametrize("kind", ["NormalizedString", "PreTokenizedString"])
def test_what_is_no_text_is_refused(kind: str, text: Any) -> None:
    with pytest.raises(ValueError, match=r"give a string|lone surrogate"):
        getattr(tokenizers_impl, kind)(text)
    with pytest.raises((TypeError, ValueError)):
        getattr(tokenizers, kind)(text)


def test_for_each_calls_with_every_character() -> None:
    seen: dict[Any, list[str]] = {library: [] for library in LIBRARIES}
    for library in LIBRARIES:
        library.NormalizedString("aé漢").for_each(seen[library].append)
    assert seen[tokenizers_impl] == seen[tokenizers] == ["a", "é", "漢"]


# PreTokenizedString


def splits_of(text: Any) -> list[Any]:
    """All that it tells of its splits."""
    asked = [("original", "char"), ("original", "byte"), ("normalized", "byte")]
    found = [text.get_splits(*each) for each in asked]
    return [
        [(split, offsets, made and [token.as_tuple() for token in made]) for split, offsets, made in splits]
        for splits in found
    ]


@examples(300)
@given(text=TEXTS, cuts=st.lists(CUTS, min_size=1, max_size=5))
def test_a_text_in_splits(text: str, cuts: list[tuple[Any, ...]]) -> None:
    texts = [library.PreTokenizedString(text) for library in LIBRARIES]
    for cut in cuts:
        if any(map(lost, texts[0]._columns[0])):
            break
        for library, each in zip(LIBRARIES, texts, strict=True):
            change(library, each, cut)
        assert splits_of(texts[0]) == splits_of(texts[1])
    for library, each in zip(LIBRARIES, texts, strict=True):
        change(library, each, ("tokenize", 2))
    for options in ({}, {"type_id": 3, "word_idx": 4}):
        mine, theirs = (each.to_encoding(**options) for each in texts)
        assert (mine.ids, mine.tokens, mine.offsets) == (theirs.ids, theirs.tokens, theirs.offsets)
        assert (mine.word_ids, mine.type_ids, mine.attention_mask) == (
            theirs.word_ids,
            theirs.type_ids,
            theirs.attention_mask,
        )
        assert (mine.special_tokens_mask, mine.sequence_ids) == (theirs.special_tokens_mask, theirs.sequence_ids)


def test_strings_that_are_kept_change_no_split() -> None:
    found = []
    for library in LIBRARIES:
        text, kept = library.PreTokenizedString("lo a"), list[Any]()

        def words(i: int, split: Any) -> list[Any]:
            made = split.split(" ", "removed")
            kept.extend(made)  # noqa: B023
            return list(made)

        text.split(words)
        for each in kept:
            each.append("x")
        found.append(text.get_splits())
    assert found[0] == found[1] == [("lo", (0, 2), None), ("a", (3, 4), None)]


def test_a_string_that_is_kept_from_normalize_changes_no_split() -> None:
    text, kept = PreTokenizedString("lo a"), list[NormalizedString]()
    text.normalize(kept.append)
    kept[0].append("x")
    assert text.get_splits() == [("lo a", (0, 4), None)]


def cut_at_spaces(text: PreTokenizedString) -> None:
    text.split(lambda _, split: split.split(" ", "removed"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.split(lambda _, split: [split, cut_at_spaces(text)][:1]),
        lambda text: text.normalize(lambda _: cut_at_spaces(text)),
        lambda text: text.tokenize(lambda _: [cut_at_spaces(text)][1:]),
    ],
)
@pytest.mark.parametrize("is_cut", [False, True])
def test_a_function_that_changes_the_whole_text_is_refused(
    is_cut: bool, change: Callable[[PreTokenizedString], None]
) -> None:
    text = PreTokenizedString("a b c")
    if is_cut:
        cut_at_spaces(text)
    before = text.get_splits()
    with pytest.raises(ValueError, match="changed this text itself: return the parts of a split, or change the string"):
        change(text)
    assert text.get_splits() == before


def test_places_in_changed_text_are_characters_of_it() -> None:
    """The library looks up the bytes of the changed text in the text as it was given."""
    found = []
    for library in LIBRARIES:
        text = library.PreTokenizedString("éa b")
        text.normalize(lambda split: split.replace("é", "e"))
        text.split(lambda i, split: split.split(" ", "removed"))
        found.append([split[:2] for split in text.get_splits("normalized", "char")])
    assert found == [[("ea", (0, 2)), ("b", (2, 3))], [("ea", (0, 1)), ("b", (1, 2))]]


def test_what_is_not_cut_has_the_offsets_of_its_characters() -> None:
    """The library counts in what was taken off its ends, where a pre-tokenizer does not cut at all."""
    found = []
    for library in LIBRARIES:
        text = library.PreTokenizedString(" ab ")
        text.normalize(lambda split: split.strip())
        library.pre_tokenizers.Metaspace(split=False).pre_tokenize(text)
        found.append(text.get_splits())
    assert found == [[("▁ab", (1, 3), None)], [("▁ab", (0, 4), None)]]


def test_splits_with_tokens_stay() -> None:
    text = PreTokenizedString("a b")
    text.split(lambda i, split: split.split(" ", "isolated"))
    text.tokenize(lambda split: [Token(0, split, (0, 1))])
    before = text.get_splits()
    text.normalize(lambda split: split.uppercase())
    text.split(lambda i, split: [])
    text.tokenize(lambda split: [])
    pre_tokenizers.Whitespace().pre_tokenize(text)
    assert text.get_splits() == before


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("split", (3,), "split is given 3: give a function of the number of a split and the split"),
        ("normalize", (3,), "normalize is given 3: give a function of a split"),
        ("tokenize", (3,), "tokenize is given 3: give a function of a text"),
        ("tokenize", (lambda text: 3,), "returned 3 for 'abé': give a list of Token"),
        ("tokenize", (lambda text: [3],), r"returned \[3\] for 'abé': give a list of Token"),
        ("get_splits", ("x",), "offset_referential='x': choose one of original, normalized"),
        ("get_splits", ("original", "bytes"), "offset_type='bytes': choose one of byte, char"),
        ("get_splits", (3,), "offset_referential=3"),
        ("to_encoding", (), "a split has no tokens yet: call tokenize first"),
    ],
)
def test_what_is_wrong_with_splits_is_said(method: str, arguments: tuple[Any, ...], message: str) -> None:
    text = PreTokenizedString("abé")
    with pytest.raises(ValueError, match=message):
        getattr(text, method)(*arguments)
    assert text.get_splits() == [("abé", (0, 3), None)]
    with pytest.raises(Exception, match=r"expect|instance|Wrong value|tokenized"):
        getattr(tokenizers.PreTokenizedString("abé"), method)(*arguments)


@pytest.mark.parametrize("offsets", [(0, 5), (5, 5), (3, 2)])
def test_a_token_beyond_its_split_is_refused(offsets: tuple[int, int]) -> None:
    """The library takes its offsets as they are."""
    text = PreTokenizedString("abé")
    text.tokenize(lambda split: [Token(0, "t", offsets)])
    with pytest.raises(ValueError, match=r"'t' has the offsets .*, but .* has 4 UTF-8 bytes"):
        text.to_encoding()


@pytest.mark.parametrize("method", ["split", "normalize", "tokenize"])
def test_what_a_function_of_splits_raises_comes_out(method: str) -> None:
    text = PreTokenizedString("abc")
    with pytest.raises(ZeroDivisionError):
        getattr(text, method)(lambda *arguments: 1 // 0)
    assert text.get_splits() == [("abc", (0, 3), None)]


def test_enumerations_stand_for_their_names() -> None:
    for name in ("OffsetReferential", "OffsetType", "SplitDelimiterBehavior"):
        mine, theirs = (getattr(library, name) for library in LIBRARIES)
        assert [(each.name, each.value) for each in mine] == [(each.name, each.value) for each in theirs]
    text = PreTokenizedString("é-b")
    text.split(lambda i, split: split.split("-", tokenizers_impl.SplitDelimiterBehavior.REMOVED))
    found = text.get_splits(tokenizers_impl.OffsetReferential.ORIGINAL, tokenizers_impl.OffsetType.BYTE)
    assert [split[:2] for split in found] == [("é", (0, 2)), ("b", (3, 4))]


def test_what_is_put_into_an_empty_part_stands_where_that_begins() -> None:
    found = []
    for library in LIBRARIES:
        text = library.PreTokenizedString("é ab")
        text.split(lambda i, split: split.split(" ", "removed"))
        text.normalize(lambda split: (split.clear(), split.append("xy")))
        change(library, text, ("tokenize", 1))
        found.append((splits_of(text), text.to_encoding().offsets))
    assert found[0] == found[1]
    assert found[0][1] == [(0, 0)] * 3 + [(2, 2)] * 3


@pytest.mark.parametrize("chars", [3, 300])
def test_patterns_with_few_and_many_characters(chars: int) -> None:
    """The numbers of ASCII characters fit into a byte for few characters only."""
    pattern = "|".join(chr(0x4E00 + i) for i in range(chars)) + "|a|[^a]x"
    numbers = compiled(pattern).numbers("a")
    assert (ord(numbers) < 256) == (chars == 3)
    for text in ("xay", "xa一y", "bxaabx", "é"):
        ours, theirs = (
            [str(part) for part in library.NormalizedString(text).split(library.Regex(pattern), "isolated")]
            for library in LIBRARIES
        )
        assert ours == theirs
