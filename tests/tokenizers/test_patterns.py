"""Patterns match where `tokenizers` matches them: the patterns of well-known tokenizers, sets, anchors, syntax."""

from __future__ import annotations

import sys
from functools import cache

import pytest
import tokenizers.pre_tokenizers as canonical
from hypothesis import given
from hypothesis import strategies as st
from known_patterns import KNOWN
from properties import examples, first_is_quick
from shared_data import beginning, shared
from tokenizers import Regex as CanonicalRegex

from tokenizers_impl import Regex
from tokenizers_impl._patterns import search as _matches
from tokenizers_impl.pre_tokenizers import Sequence, Split

BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]


def assert_same_cuts(pattern: str, text: str, behavior: str = "isolated", *, invert: bool = False) -> None:
    mine = Split(Regex(pattern), behavior, invert).pre_tokenize_str(text)
    theirs = canonical.Split(CanonicalRegex(pattern), behavior, invert).pre_tokenize_str(text)
    # Compared first as a whole: a picture of the difference between long lists would take minutes.
    same = mine == theirs
    assert same, next((m, t) for m, t in zip([*mine, None], [*theirs, None], strict=False) if m != t)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("corpus", ["gcide.en.txt.xz", "manpages.ja.txt.xz", "wikitext2.test.txt"])
def test_well_known_patterns_on_real_text(name: str, corpus: str) -> None:
    assert_same_cuts(KNOWN[name], beginning(f"text/{corpus}", 60_000))


@pytest.mark.parametrize("name", KNOWN)
def test_well_known_patterns_on_text_of_many_scripts(name: str) -> None:
    folder = shared("text/iso_names")
    texts = [path.read_text("utf-8") for path in sorted(folder.iterdir())]
    assert_same_cuts(KNOWN[name], "\n".join(text[:1500] for text in texts) + "\r\n \t\n  ")


@pytest.mark.parametrize("name", first_is_quick(KNOWN))
def test_well_known_patterns_on_every_code_point(name: str) -> None:
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert_same_cuts(KNOWN[name], "".join(f"a{char} {char}1{char}\n" for char in everything[::29]))


LETTERS = ["a", "b", "S", "s", "ſ", "K", "\u212a", "é", "ß", "ﬁ", "漢", "あ", "क", "्", "ก", "1", "²", "٣", "½", "_"]
BLANKS = [" ", "  ", "\t", "\n", "\r\n", "\xa0", "\u2028", "\u3000", "\x85", "\u200d", "\ufeff"]
OTHERS = ["'", "'s", "'LL", "'re", "’", "!", "…", "€", "-", ".", ",", "(", "|", "👩", "\u0301", "\x00", "Ⅷ", "ǅ", "ʰ"]
TEXTS = st.lists(
    st.sampled_from(LETTERS + BLANKS + OTHERS) | st.characters(exclude_categories=["Cs"]), max_size=15
).map("".join)


@pytest.mark.parametrize("name", KNOWN)
@examples(60)
@given(text=TEXTS, behavior=st.sampled_from(BEHAVIORS), invert=st.booleans())
def test_well_known_patterns_on_generated_text(name: str, text: str, behavior: str, invert: bool) -> None:
    assert_same_cuts(KNOWN[name], text, behavior, invert=invert)


ATOMS = st.sampled_from(
    [
        *"abs1漢 .",
        *["\\" + each for each in "sSwWdDhHnrtNOR.-[(|"],
        *["\\p{L}", "\\p{N}", "\\P{L}", "\\p{^Lu}", "\\p{Han}", "\\p{Punct}", "\\x{e9}", "\\u00e9", "\\x41"],
        *["[ab]", "[^ab\\s]", "[a-z&&[^s]]", "[\\w-]", "[^[:punct:]]", "[a[b1]]", "[\\p{Lu}é-漢]", "[^\\p{L}\\n]"],
        *["^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "", "(?#why)"],
        *["(?i:s)", "(?i:[k-s])", "(?m:.)", "(?i:'S|a)"],
    ]
)
QUANTIFIERS = st.sampled_from(
    ["", "", "?", "*", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,2}", "{,2}", "{2,}"]
)
WRAPPED = st.sampled_from(["(?:{})", "({})", "(?>{})", "(?={})", "(?!{})", "(?<={})", "(?<!{})"])


def extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    grouped = st.builds(str.format, WRAPPED, inner)
    repeated = st.builds(lambda part, quantifier: f"(?:{part}){quantifier}", inner, QUANTIFIERS)
    return st.one_of(
        grouped,
        repeated,
        st.builds(lambda left, right: f"{left}|{right}", inner, inner),
        st.builds(lambda left, right: left + right, inner, inner),
    )


PATTERNS = st.recursive(
    ATOMS | st.builds(lambda atom, quantifier: atom + quantifier, ATOMS, QUANTIFIERS), extended, max_leaves=6
)
SHORT_TEXTS = st.lists(
    st.sampled_from(LETTERS[:9] + LETTERS[10:11] + BLANKS[:5] + OTHERS[:4] + ["A", "E"]), max_size=10
).map("".join)


def canonical_or_none(pattern: str) -> CanonicalRegex | None:
    try:
        return CanonicalRegex(pattern)
    except Exception:  # the library raises nothing narrower
        return None


@examples(600)
@given(pattern=PATTERNS, texts=st.lists(SHORT_TEXTS, min_size=1, max_size=4))
def test_generated_patterns(pattern: str, texts: list[str]) -> None:
    theirs = canonical_or_none(pattern)
    try:
        mine = Regex(pattern)
    except ValueError:
        return
    if theirs is None:
        return
    for text in texts:
        expected = canonical.Split(theirs, "isolated").pre_tokenize_str(text)
        assert Split(mine, "isolated").pre_tokenize_str(text) == expected
        removed = canonical.Split(theirs, "removed").pre_tokenize_str(text)
        assert Split(mine, "removed").pre_tokenize_str(text) == removed


@cache
def scalars() -> str:
    return "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


NAMES = [
    *"LMNPSZC",
    "LC",
    "Lu",
    "Ll",
    "Lo",
    "Mn",
    "Nd",
    "Po",
    "So",
    "Cn",
    "Word",
    "Space",
    "Punct",
    "Han",
    "Latin",
    "Common",
]


@pytest.mark.parametrize("name", first_is_quick(NAMES))
def test_named_sets_over_all_code_points(name: str) -> None:
    assert_same_cuts(rf"\p{{{name}}}+", scalars())


@pytest.mark.parametrize(
    "chars", [r"[\w]", r"\w", r"[[:word:]]", r"[[:punct:]]", r"[^\p{L}\s]", r"\W", r"\h", r"\R", "."]
)
def test_sets_over_all_code_points(chars: str) -> None:
    assert_same_cuts(f"(?:{chars})+", scalars())


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "a group that is not closed"),
        ("a)", r"a \) that closes nothing"),
        ("[a", "a bracket that is not closed"),
        ("[]", r"a \] right behind the bracket"),
        ("[a&&]", "an empty set"),
        ("[z-a]", "a range whose end is no later character"),
        ("[a-\\d]", "a range whose end is no later character"),
        ("[\\d-a]", "a hyphen behind a set"),
        ("[a-c-e]", "a hyphen behind a range"),
        ("[[:alpha:]]", r"the set \[:alpha:\]"),
        ("*a", r"a \* that repeats nothing"),
        ("a|+", r"a \+ that repeats nothing"),
        ("a**", "a repeat of a repeat"),
        ("^*", "a repeat of an anchor or of a look-around, which is wrong"),
        ("(?=a)+", "at character 5, a repeat of an anchor or of a look-around"),
        ("a{3,2}", r"the interval \{3,2\}"),
        ("a{200000}", "200000 repeats"),
        ("a\\", "a backslash at the end"),
        ("(a)\\1", r"the escape \\1"),
        ("\\Ga", r"the escape \\G"),
        ("a\\K", r"the escape \\K"),
        ("\\X", r"the escape \\X"),
        ("\\xe2", r"the escape \\x"),
        ("\\x{110000}", "the code point 110000"),
        ("\\pL", r"the escape \\p"),
        ("\\p{Alphabetic}", "the property Alphabetic"),
        ("\\p{Emoji}", "the property Emoji"),
        ("(?<name>a)", r"the group \(\?<n"),
        ("(?x: a)", r"the group \(\?x:"),
        ("(?~a)", r"the group \(\?~a"),
        ("(?(1)a)", r"the group \(\?\(1"),
        ("(*FAIL)", r"the group \(\*FA"),
        ("(?#a", "a comment that is not closed"),
        ("(?i)é", "the character 'é' under"),
        ("(?i)[à-é]", "a set of more than ASCII characters under"),
        ("(?i)\\p{Lu}", r"\\p under \(\?i\)"),
        ("(?i)mass", "the letters ss in a row under"),
        ("(?i)f+", "the letters ff in a row under"),
        ("(" * 100 + ")" * 100, "groups nested more than 50 deep"),
        ("[" * 100 + "a" + "]" * 100, "brackets nested more than 20 deep"),
        ("".join(f"[{chr(0x4E00 + code)}a]" for code in range(2000)), "2000 different sets of characters: 1024"),
    ],
)
def test_what_is_wrong_or_not_exact_is_refused_by_name(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Regex(pattern)


REFUSED_BY_BOTH = [
    *["{2}", "{,2}a", "a|{1,2}", "({2})", "(?:{2})", "(?i){2}", "a(?i){2}", "(?#c){2}a", "(?:|^)+", "(?:a|$){2}"],
    *["(?<!(a))b", "(?<!a(b|c))a", "(?<=(?!a))b", "(?<!(?=a))b", "(?<=(?<!a))b", "(?<!\\z)a", "(?<!a|\\z)b"],
    *["(?<=[^a]*?b{,2})", "(?<!a*b{0})", "a{1000000}", "a{99999999999999999999}"],
    *["[[:digit:]-a]", "[[:punct:]-z]", "[[:space:]-\\d]", "[[:^ascii:]-a]", "[^[:blank:]-a]"],
]


@pytest.mark.parametrize("pattern", REFUSED_BY_BOTH)
def test_what_the_library_refuses_is_refused(pattern: str) -> None:
    assert canonical_or_none(pattern) is None
    with pytest.raises(ValueError, match=r"the pattern .* has, at character"):
        Regex(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(?<!(?<!))a", "ab"),
        ("(?<=\\R)a", "\r\na"),
        ("(?<=a?+a)b", "ab"),
        ("(?<=(?>a|ab))b", "abb"),
        ("(?i)[^[^A]b]", "AaBb"),
        ("[^[^z[:^ascii:]]]", "zaé"),
        ("\\B.+ ", "ab c"),
        ("a{0}(?:\\b|x)(.+)b", " ab"),
        ("(?m)(?!a).+b", "aa ab"),
    ],
)
def test_what_another_engine_matches_otherwise_is_refused(pattern: str, text: str) -> None:
    assert canonical.Split(CanonicalRegex(pattern), "isolated").pre_tokenize_str(text)
    with pytest.raises(ValueError, match=r"in a look-behind|a negative set in a negative set|a condition before dots"):
        Regex(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a(?#c){2}",
        "b|a(?#c)(?#d)+",
        "a(?#c)*b",
        "a(?#c)?b",
        "a{٢}",
        "a{002}",
        "(?<!a|bc)a",
        "(?<=^a{2})a",
        "^.+b",
        "\\Ba.+b",
    ],
)
def test_comments_digits_and_look_behinds_that_are_kept(pattern: str) -> None:
    for text in ("aab ab", "a{٢} aaa bca", "\naaa"):
        assert_same_cuts(pattern, text)


@pytest.mark.parametrize(
    "pattern", ["(?:a{1000}){1000}", "(?:a{50000}|b){3000}", "((?=(?:a{50}){50})[ab]{9}){50}", "a{20001}"]
)
def test_repeats_that_multiply_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"repeats that, nested, ask for \d+ characters: more than 20000"):
        Regex(pattern)
    assert Regex("(?:a{100}|b){190}(?:a{0,1000}b){0,1000}")


def test_a_pattern_of_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern=3: give a string"):
        Regex(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|aa)+b", "a*a*a*a*a*b"])
def test_a_pattern_that_backtracks_without_end_is_stopped(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_matches, "_SECONDS", 0.2)
    monkeypatch.setattr(_matches, "_CHARACTERS_A_SECOND", 10_000)
    with pytest.raises(ValueError, match=r"did not come to an end within . seconds on \d+ characters"):
        Split(Regex(pattern), "isolated").pre_tokenize_str("a" * 5000 + "cb")


def test_patterns_one_after_another_have_the_time_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them alone comes to an end."""
    slow = Split(Regex("(a|aa)+$"), "isolated")
    text = "a" * 20 + "b"
    assert slow.pre_tokenize_str(text) == [(text, (0, 21))]
    monkeypatch.setattr(_matches, "_SECONDS", 0.1)
    with pytest.raises(ValueError, match="did not come to an end within 0 seconds on 23 characters, those before it"):
        Sequence([slow] * 1000).pre_tokenize_str(text)


def test_a_long_text_is_no_matter() -> None:
    text = ("word " * 7 + "\n") * 10_000
    assert len(Split(Regex(KNOWN["GPT-4, Llama 3"]), "isolated").pre_tokenize_str(text)) == 80_000
    assert Split(Regex(r"\s+(?!\S)|\s+"), "removed").pre_tokenize_str(" " * 300_000) == []


def test_more_classes_of_characters_than_a_byte_has() -> None:
    chars = "".join(chr(0x4E00 + code) for code in range(600))
    assert_same_cuts("|".join(chars), chars + "a" + chars)


def test_without_the_package_regex_the_error_says_which_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ImportError, match="a Regex needs the package regex: pip install regex"):
        Regex("a pattern met nowhere else")
    assert Split("a", "removed").pre_tokenize_str("bab") == [("b", (0, 1)), ("b", (2, 3))]
