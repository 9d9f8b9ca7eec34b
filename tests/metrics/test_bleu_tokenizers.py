"""Every tokenizer of BLEU gives the tokens of sacrebleu, for any text."""

from __future__ import annotations

import functools
import io
import itertools
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
from evenscore.metrics.bleu_corpus.bleu_corpus import BleuCorpus
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples, first_is_quick
from sacrebleu.metrics.bleu import _get_tokenizer
from shared_data import lines

from evenscore.bleu import tokenizers as bleu_tokenizers
from evenscore.bleu.tokenizers import TOKENIZERS, get_tokenizer, tokens_of_few

BY_RULES = ("13a", "intl", "zh", "char", "none")
MECAB = ("ja-mecab", "ko-mecab")

SPACES = [chr(c) for c in range(0x3001) if chr(c).isspace()]
# Each reaches a rule, or the edge of one: see the tests of single rules below.
PIECES = [
    *"ab09 \n\n.,..,,-'\"&;<>()[]{}~`_^\\/:@#$%+*=!?|",
    *("<skipped>", "<SKIPPED>", "<sKipped>", "<skip", "ped>", "-\n", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;"),
    *("&apos;", "&am", "p;", "1,000.5", "5-6", "x-3", "U.S.", "...", "don't"),
    *("\u2000", "\u2001", "\u2018", "\u2019", "“", "”", "–", "…", "€", "→", "\u2a6d", "\u2a6e"),
    *(
        "中",
        "文",
        "〇",
        "㐀",
        "𠀀",
        "𪛖",
        "䶵",
        "䶶",
        "龻",
        "龼",
        "ﬀ",
        "豈",
        "、",
        "。",
        "「",
        "あ",
        "カ",
        "ー",
        "Ａ",
        "１",
        "，",
    ),
    *("한", "국", "ᄀ", "आ", "ि", "ا", "٣", "٫", "½", "²", "Ⅷ", "é", "e\u0301", "\u0301", "\u200d", "\u200b", "\ufeff"),
    *("Σ", "ΑΣ", "σ", "ς", "İ", "I", "ı", "\u212a", "ß", "ẞ", "Ä", "😀", "👍🏽", "¿", "«", "»", "§", "\x00", "\x7f"),
]
pieces = st.one_of(st.sampled_from(PIECES), st.sampled_from(SPACES), st.characters(exclude_categories=["Cs"]))
texts = st.lists(pieces, max_size=12).map("".join)
corpora = st.lists(texts, max_size=6)
thorough = examples(400)
brief = examples(150)


@functools.cache
def peer(name: str) -> Callable[[str], str]:
    tokenize: Callable[[str], str] = _get_tokenizer(name)()
    return tokenize


def theirs(name: str, corpus: list[str], lowercase: bool) -> list[list[int]]:
    """sacrebleu's tokens, numbered as they come."""
    cased = [text.lower() if lowercase else text for text in corpus]
    return numbered([peer(name)(text.rstrip()).split() for text in cased])


def ours(choice: Any, corpus: list[str], lowercase: bool = False) -> list[list[int]]:
    """Our tokens, numbered as they come."""
    segments = get_tokenizer(choice, lowercase).tokenize(corpus).segments
    assert len(segments.lengths) == len(corpus)
    return numbered([segments.row(i).tolist() for i in range(len(corpus))])


def ours_of_few(choice: Any, corpus: list[str], lowercase: bool) -> list[list[int]]:
    """Our tokens of a few texts, numbered as they come."""
    return numbered(tokens_of_few(choice, lowercase, corpus))


def numbered(lists: Iterable[list[Any]]) -> list[list[int]]:
    """Equal tokens get equal numbers: two token streams are one if and only if their numbers are."""
    numbers: dict[Any, int] = {}
    return [[numbers.setdefault(token, len(numbers)) for token in one] for one in lists]


# --- all texts


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", BY_RULES)
@thorough
@given(corpus=corpora)
@example(corpus=["a <skip-\nped> b"])
@example(corpus=["<skip<skipped>ped>\nb"])
@example(corpus=["a -\n", "-\nb", "a -<skipped>\nb", "&am-\np;lt;"])
@example(corpus=["<S\u212aIPPED>", "ΑΣ ΑΣ.", "ΑΣ\u0301 Σ"])
@example(corpus=[".5", "a"])
@example(corpus=[".,.5.a"])
@example(corpus=["10-", ".5", " .5", "5. ", "(", "\u2028(1", "1)", "\u30001,"])
def test_tokens_are_those_of_sacrebleu(name: str, lowercase: bool, corpus: list[str]) -> None:
    expected = theirs(name, corpus, lowercase)
    assert ours(name, corpus, lowercase) == expected
    assert ours_of_few(name, corpus, lowercase) == expected


@pytest.mark.parametrize("name", ["13a", "intl"])
@pytest.mark.parametrize("most", ["a", "я", "a😀"])
@thorough
@given(corpus=corpora)
@example(corpus=["þ.5ÿ,5", "5-ÿ", "\u2026\u2026.", "\u0426amp; \u043e", "я&amp;lt;", "я<skipped>", "я-\nя"])
@example(corpus=["😀", "𝟎,😀", ",𝟎", "a,,𝟎", "𝟎,,😀,𝟎,", "\n,5", ",\n,5 \n"])
def test_tokens_are_those_of_sacrebleu_in_either_encoding(name: str, most: str, corpus: list[str]) -> None:
    corpus = [*corpus, most * 1000]
    assert ours(name, corpus) == theirs(name, corpus, lowercase=False)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", MECAB)
@brief
@given(corpus=corpora)
@example(corpus=["　東京都に住んでいます。", "すもももももももものうち ", "나는 학교에 갑니다.", "日本語 ABC Abc"])
def test_mecab_tokens_are_those_of_sacrebleu(name: str, lowercase: bool, corpus: list[str]) -> None:
    assert ours(name, corpus, lowercase) == theirs(name, corpus, lowercase)


@pytest.mark.parametrize("name", first_is_quick(BY_RULES))
def test_every_code_point_in_every_position(name: str) -> None:
    points = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    # Beyond the assigned ones all code points are alike.
    assigned = [c for c in points if unicodedata.category(c) != "Cn"] + ["\u0378", "\U000e0080", "\U0010ffff"]
    interesting = [c for c in assigned if c < "\u3400" or unicodedata.category(c) not in ("Lo", "Co")]
    assert len(interesting) > 20_000
    # Punctuation, a symbol and a number that Python's tables lack, because they are of an older Unicode.
    interesting += ["\u1b4e", "\u20c1", "\U00011de1"]
    corpus = [f"{c}{c}a{c}1{c} {c}" for c in interesting]
    expected = theirs(name, corpus, lowercase=False)
    assert ours(name, corpus) == expected
    assert ours_of_few(name, corpus, lowercase=False) == expected


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", BY_RULES)
def test_real_texts_of_many_scripts(name: str, lowercase: bool) -> None:
    wiki = lines("text/wikitext2.valid.txt")[:400]
    german = lines("mt/wmt17_en_de/ref.txt")[:400]
    english = lines("mt/ted_zh_en/ref.txt")
    corpus = [*wiki, *german, *english, "", "這是一個測試。", "ΟΔΥΣΣΕΥΣ", "Ίσως ΝΑΙ", "İstanbul’da"]
    assert ours(name, corpus, lowercase) == theirs(name, corpus, lowercase)


@pytest.mark.parametrize(("name", "characters"), [("13a", "a1.,-("), ("zh", "a1.-\u6211 ")])
def test_every_short_text_of_what_the_rules_look_at(name: str, characters: str) -> None:
    corpus = ["".join(text) for size in range(6) for text in itertools.product(characters, repeat=size)]
    assert ours(name, corpus) == theirs(name, corpus, lowercase=False)


# --- single rules, told by their tokens


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("13a", 'a&amp;lt;b &quot;c"', 'a < b " c "'),
        ("13a", "5-6 x-3 1,000.5 3.", "5 - 6 x-3 1,000.5 3 ."),
        ("13a", "<skipped>a- \nb-\nc", "a- bc"),
        ("13a", "“Ja”, ¿no?", "“Ja” , ¿no ?"),
        ("intl", "“Ja”, ¿no? 10- .5", "“ Ja ” , ¿ no ? 10 - . 5"),
        ("intl", ".5 10-", ".5 10-"),
        ("zh", ".5 我有3.5€ .5 a 1.", ".5 我 有 3.5 € . 5 a 1."),
        ("zh", "𠀀𠀀 かな", "𠀀𠀀 かな"),
        ("char", "a b\u0301\n", "a b \u0301"),
        ("none", " a.  b\u00a0c ", "a. b c"),
    ],
)
def test_tokens_of_single_rules(name: str, text: str, tokens: str) -> None:
    assert peer(name)(text.rstrip()).split() == tokens.split()
    assert ours(name, [text]) == numbered([tokens.split()])


def test_both_cases_of_a_word_are_one_token() -> None:
    for name in TOKENIZERS:
        ids = get_tokenizer(name, lowercase=True).tokenize(["Ab", "aB"]).segments
        assert ids.row(0).tolist() == ids.row(1).tolist()


@pytest.mark.parametrize("name", TOKENIZERS)
def test_signatures_name_the_tokenizer_as_sacrebleu_does(name: str) -> None:
    assert get_tokenizer(name, lowercase=False).signature == _get_tokenizer(name)().signature()


@pytest.mark.parametrize("name", TOKENIZERS)
def test_empty_texts_have_no_tokens(name: str) -> None:
    assert get_tokenizer(name, lowercase=True).tokenize([]).segments.offsets.tolist() == [0]
    assert get_tokenizer(name, lowercase=True).tokenize(["", " \n", "a"]).segments.lengths.tolist() == [0, 0, 1]


# --- functions


@brief
@given(corpora, st.booleans())
def test_a_function_sees_each_text_as_it_is(corpus: list[str], lowercase: bool) -> None:
    seen: list[str] = []

    def tokenize(text: str) -> list[str]:
        seen.append(text)
        return list(text)

    cased = [text.lower() if lowercase else text for text in corpus]
    assert ours(tokenize, corpus, lowercase) == numbered(map(list, cased))
    assert seen == cased


def test_a_function_may_return_a_text_or_tuple() -> None:
    corpus = ["a-b a", "b a"]
    assert ours(lambda text: text.replace("-", " "), corpus) == [[0, 1, 0], [1, 0]]
    assert ours(lambda text: tuple(text.split()), corpus) == [[0, 1], [2, 1]]


@pytest.mark.parametrize("tokens", [None, 3, [1], ["a", None], [["a"]], {"a": 1}, b"a", iter(["a"])])
def test_a_function_must_return_strings(tokens: Any) -> None:
    with pytest.raises(ValueError, match=r"tokenizer returned .* for 'a b': return a list of strings"):
        get_tokenizer(lambda text: tokens, lowercase=False).tokenize(["a b"])


class Halves:
    def __call__(self, text: str) -> list[str]:
        return [text[: len(text) // 2], text[len(text) // 2 :]]


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (str.split, "str.split"),
        (re.compile(r"\w+").findall, "Pattern.findall"),
        (functools.partial(re.findall, r"\w+"), "functools.partial"),
        (unicodedata.normalize, "unicodedata.normalize"),
        (Halves(), f"{Halves.__module__}.Halves"),
    ],
)
def test_a_function_is_named_in_the_signature(function: Callable[[str], Any], signature: str) -> None:
    assert get_tokenizer(function, lowercase=False).signature == signature


# --- model files


@pytest.fixture(scope="module")
def sentencepiece_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat", "das ist ein Haus", "中文 und ein Kätzchen"] * 20),
        model_writer=model,
        vocab_size=25,
        minloglevel=2,
    )
    path = tmp_path_factory.mktemp("models") / "tiny.model"
    path.write_bytes(model.getvalue())
    return path


@pytest.fixture(scope="module")
def tokenizer_json(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=60, special_tokens=["[UNK]", "[CLS]"], show_progress=False)
    model.train_from_iterator(["the cat sat on the mat", "das ist ein Haus"] * 20, trainer)
    # As for BERT: special tokens around every text, which BLEU must not count.
    model.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    path = tmp_path_factory.mktemp("models") / "tiny.json"
    model.save(str(path))
    return path


def test_pieces_are_those_of_sacrebleu(sentencepiece_model: Path) -> None:
    # sacrebleu's class, but for the download in its constructor.
    model = sentencepiece.SentencePieceProcessor()
    model.Load(str(sentencepiece_model))

    @brief
    @given(st.lists(st.one_of(texts, st.text("the cat\u2581 ä")), max_size=6), st.booleans())
    def check(corpus: list[str], lowercase: bool) -> None:
        stripped = [(text.lower() if lowercase else text).rstrip() for text in corpus]
        expected = numbered(" ".join(model.EncodeAsPieces(text)).split() for text in stripped)
        assert ours(str(sentencepiece_model), corpus, lowercase) == expected
        assert ours(sentencepiece_model, corpus, lowercase) == expected

    check()


def test_tokens_of_a_tokenizer_json(tokenizer_json: Path) -> None:
    model = tokenizers.Tokenizer.from_file(str(tokenizer_json))
    corpus = ["the cat sat", "The mat ", "das Haus", "", "中"]
    expected = [model.encode(text.rstrip(), add_special_tokens=False).tokens for text in corpus]
    assert "[CLS]" not in {token for tokens in expected for token in tokens}
    assert ours(tokenizer_json, corpus) == numbered(expected)
    assert ours(tokenizer_json, corpus, lowercase=True)[1] != ours(tokenizer_json, corpus)[1]


def test_the_signature_tells_models_of_one_name_apart(sentencepiece_model: Path, tmp_path: Path) -> None:
    other = tmp_path / sentencepiece_model.name
    other.write_bytes(sentencepiece_model.read_bytes())
    signature = get_tokenizer(sentencepiece_model, lowercase=False).signature
    assert re.fullmatch(r"tiny\.model-[0-9a-f]{12}", signature)
    assert get_tokenizer(other, lowercase=False).signature == signature


# --- what is refused


@pytest.mark.parametrize("choice", ["14a", "spm", "", 13, ["13a"], {"13a": 1}, "tiny.txt", Path("tiny")])
def test_unknown_tokenizers_are_told_the_known_ones(choice: Any) -> None:
    with pytest.raises(ValueError, match=r"tokenizer=.*: choose one of '13a', .*'ko-mecab', a function .* path"):
        BleuCorpus(tokenizer=choice)


@pytest.mark.parametrize("suffix", [".model", ".json"])
def test_a_missing_file_is_told(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ValueError, match=rf"tokenizer='.*absent\{suffix}': there is no such file"):
        BleuCorpus(tokenizer=str(tmp_path / f"absent{suffix}"))


@pytest.mark.parametrize(
    ("name", "package"), [("intl", "regex"), ("ja-mecab", "mecab-python3"), ("ko-mecab", "mecab-ko")]
)
def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    module = {"mecab-python3": "MeCab", "mecab-ko": "mecab_ko"}.get(package, package)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"tokenizer='{name}' needs the package {package}: pip install {package}"):
        BleuCorpus(tokenizer=name)


def test_another_dictionary_of_mecab_is_refused() -> None:
    class Tagger:
        def dictionary_info(self) -> Any:
            return type("Dictionary", (), {"size": 7, "next": None})

    with pytest.raises(ValueError, match=r"MeCab's dictionary has 7 entries.*ipadic.*392126 entries"):
        bleu_tokenizers._mecab(Tagger(), 392126, "{}", "ipadic")
