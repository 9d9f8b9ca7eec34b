"""An Encoding that is padded, cut, joined, pickled, post-processed by hand, beside that of `tokenizers`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import tokenizers
from encoding_scenarios import TEXTS, answers, held, model, outcome, processor, processors, tells_sequences_apart
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties import examples

import tokenizers_impl

LIBRARIES = (tokenizers_impl, tokenizers)
DIRECTION = st.sampled_from(["left", "right"])
PAD = st.fixed_dictionaries(
    {"length": st.integers(0, 12)},
    optional={"direction": DIRECTION, "pad_id": st.integers(0, 9), "pad_token": st.sampled_from(["x", "Ġ"])},
)
CUT = st.fixed_dictionaries(
    {"max_length": st.integers(0, 8)}, optional={"direction": DIRECTION, "stride": st.integers(0, 3)}
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pad"), PAD),
        st.tuples(st.just("truncate"), CUT),
        st.tuples(st.just("set_sequence_id"), st.fixed_dictionaries({"sequence_id": st.integers(0, 2)})),
        st.tuples(st.just("merge"), st.fixed_dictionaries({"growing_offsets": st.booleans()})),
        st.tuples(st.sampled_from(["post_process", "process"]), st.booleans()),
    ),
    max_size=4,
)


def after(tokenizer: Any, library: Any, name: str, options: Any, first: Any, second: Any) -> Any:
    """What a step makes of an Encoding."""
    if name == "merge":
        return outcome(library.Encoding.merge, [first, second, first], **options)
    if name in ("post_process", "process"):
        owner = tokenizer if name == "post_process" else tokenizer.post_processor
        return outcome(getattr(owner, name), first, second if options else None)
    changed = pickle.loads(pickle.dumps(first))
    return "failed" if outcome(getattr(changed, name), **options) == "failed" else changed


@given(steps=STEPS, description=processors(), texts=st.tuples(TEXTS, TEXTS), cut=st.none() | st.integers(5, 8))
@settings(examples(150), suppress_health_check=list(HealthCheck))
def test_steps_by_hand_are_the_same(
    steps: list[Any], description: Any, texts: tuple[str, str], cut: int | None
) -> None:
    tokenizer = [library.Tokenizer(model(library)) for library in LIBRARIES]
    now = [(each.encode(texts[0]), each.encode(texts[1])) for each in tokenizer]
    for each, library in zip(tokenizer, LIBRARIES, strict=True):
        each.post_processor = processor(library, description)
        if cut and cut >= max(map(each.num_special_tokens_to_add, (False, True))):
            outcome(each.enable_truncation, cut, stride=1)
        each.enable_padding(length=9)
    for name, options in steps:
        made = [after(*pair, name, options, *now[i]) for i, pair in enumerate(zip(tokenizer, LIBRARIES, strict=True))]
        if "failed" in made:
            assert made == ["failed", "failed"]
            return
        assert held(made[0]) == held(made[1])
        assert repr(made[0]) == repr(made[1])
        if tells_sequences_apart(made[0]):
            assert answers(made[0]) == answers(made[1])
        now = [(encoding, now[i][0]) for i, encoding in enumerate(made)]
        # What overflows is joined with all else that does: a few steps more would take all memory.
        if len(made[0].overflowing) > 4:
            return


def test_an_encoding_without_anything() -> None:
    assert held(tokenizers_impl.Encoding()) == held(tokenizers.Encoding())


def test_a_change_shows_nowhere_else() -> None:
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    one, other = tokenizer.encode_batch(["ab c", "x"])
    twin = copy.copy(one)
    one.pad(9)
    one.ids.append(3)
    assert len(one.ids) == 9
    assert held(twin) == held(tokenizer.encode("ab c"))
    assert held(other) == held(tokenizer.encode("x"))


def look_ups(encoding: Any) -> tuple[Any, ...]:
    return encoding.char_to_token, encoding.word_to_tokens, encoding.word_to_chars


def test_characters_and_words_are_found_after_every_change_and_in_any_order() -> None:
    found: list[Any] = []
    for library in LIBRARIES:
        encoding = library.Tokenizer(model(library)).encode("abc cab bca")
        steps = [lambda it: it, lambda it: it.pad(9, direction="left"), lambda it: it.truncate(5), lambda it: it.pad(7)]
        rows = []
        for step in steps:
            step(encoding)
            rows.append([look_up(place) for look_up in look_ups(encoding) for place in range(12)])
        # The offsets begin again at the second one.
        twice = library.Encoding.merge([encoding, encoding], growing_offsets=False)
        backwards = library.Encoding.merge(list(reversed([encoding, twice])), growing_offsets=False)
        rows += [[look_up(place) for look_up in look_ups(each) for place in range(12)] for each in (twice, backwards)]
        found.append(rows)
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]


def test_a_pickle_holds_nothing_but_its_own_row() -> None:
    tokenizer = tokenizers_impl.Tokenizer(model(tokenizers_impl))
    tokenizer.enable_truncation(2)
    encoding = tokenizer.encode_batch(["a b c", "x" * 10_000])[0]
    dumped = pickle.dumps(encoding)
    assert len(dumped) < 2_000
    assert held(pickle.loads(dumped)) == held(encoding)


def test_the_older_name_of_word_ids() -> None:
    encoding = tokenizers_impl.Tokenizer(model(tokenizers_impl)).encode("a b")
    with pytest.warns(DeprecationWarning, match="use Encoding.word_ids instead"):
        assert encoding.words == encoding.word_ids


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda e: e.token_to_chars(-1), "token_index=-1: give an integer from 0 to"),
        (lambda e: e.char_to_token(0, "A"), "sequence_index='A': give an integer from 0 to"),
        (lambda e: e.word_to_tokens(None), "word_index=None: give an integer"),
        (lambda e: e.pad(3, direction="up"), "Unknown `direction`: `up`. Use one of `left` or `right`"),
        (lambda e: e.truncate(3, direction="up"), "Invalid truncation direction value : up"),
        (lambda e: e.truncate(2, stride=2), "`stride` must be strictly less than `max_len=2`"),
    ],
)
def test_a_mistake_is_told(mistake: Any, message: str) -> None:
    encoding = tokenizers_impl.Tokenizer(model(tokenizers_impl)).encode("a b c x")
    with pytest.raises(ValueError, match=message):
        mistake(encoding)


def test_added_tokens_show_themselves_as_the_librarys_do() -> None:
    shown = []
    for library in LIBRARIES:
        token = library.AddedToken("x", lstrip=True)
        tokenizer = library.Tokenizer(model(library))
        tokenizer.add_special_tokens([library.AddedToken("q")])
        same = library.AddedToken("x", lstrip=True) == token, library.AddedToken("x") == token
        added = list(tokenizer.get_added_tokens_decoder().values())
        copied = pickle.loads(pickle.dumps(token))
        shown.append((repr(token), str(token), same, repr(added), copied == token, library.AddedToken().content))
    assert shown[0] == shown[1]
