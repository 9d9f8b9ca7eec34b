"""Stems of English words: those of rouge_score, and those of ROUGE-1.5.5 under its option -m."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from evenscore.parallel import require
from evenscore.rouge.irregular import irregular_words

# The value of the option `stemmer` for the stems of ROUGE-1.5.5.
ROUGE155 = "rouge-1.5.5"


def stem_words(words: list[str], stemmer: bool | str = True) -> list[str]:
    """Return the stem of each word of more than 3 characters, and shorter words unchanged.

    stemmer: True: as rouge_score 0.1.2, `tokenize.py`: nltk's PorterStemmer in its default mode, NLTK_EXTENSIONS, which
    differs from Porter (1980) for a few words (skies -> sky, dying -> die). "rouge-1.5.5": as ROUGE-1.5.5 with -m.
    A word takes some 10 microseconds, so pass each distinct word once.

    >>> stem_words(["skies", "feet", "dying", "the", "running", "was"])
    ['sky', 'feet', 'die', 'the', 'run', 'was']
    >>> stem_words(["skies", "feet", "dying", "the", "running", "was"], "rouge-1.5.5")
    ['ski', 'foot', 'die', 'the', 'run', 'was']
    """
    stem = rouge155_stem if stemmer == ROUGE155 else _porter_of_nltk()
    return [stem(word) if len(word) > 3 else word for word in words]


def _porter_of_nltk() -> Callable[[str], str]:
    stem: Callable[[str], str] = require("nltk.stem.porter", "nltk", "stemmer=True").PorterStemmer().stem
    return stem


def rouge155_stem(word: str) -> str:
    """Return the base form of an irregular word, else the Porter stem, of a word in lower case.

    The stemmer of ROUGE-1.5.5 differs from Porter (1980) in two suffixes of step 2, bli and logi, and in step 4, which
    can remove several suffixes: one of a list, then -ment, then -ent or -ion.

    >>> [rouge155_stem(word) for word in ["feet", "skies", "agreement", "experimental", "analogies"]]
    ['foot', 'ski', 'agreem', 'experi', 'analog']
    """
    lowered = word.lower()
    return irregular_words().get(lowered) or _stemmed(lowered)


def _stemmed(word: str) -> str:
    # A y at the start is a consonant; in upper case, no pattern takes it for a vowel.
    word = re.sub("^y", "Y", word)
    for step in (_without_plural, _without_ending, _without_y, _shorter_suffix, _without_last_suffixes, _without_e):
        word = step(word)
    return re.sub("^Y", "y", word)


# Consonants and vowels, and runs of them; VC is what Porter (1980) counts as the measure of a stem.
_C, _V = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
_HAS_VOWEL = re.compile(f"({_C})?[aeiouy]")
_MEASURE_ABOVE_0 = re.compile(f"({_C})?{_V}{_C}")
_MEASURE_1 = re.compile(rf"({_C})?{_V}{_C}({_V})?\Z")
_MEASURE_ABOVE_1 = re.compile(f"({_C})?{_V}{_C}{_V}{_C}")
# Ends in consonant, vowel, consonant, and has no other vowel: hop, but not how.
_SHORT = re.compile(rf"{_C}[aeiouy][^aeiouwxy]\Z")


def _without_plural(word: str) -> str:
    """Step 1a: caresses -> caress, ponies -> poni, cats -> cat."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if re.search(r"[^s]s\Z", word) else word


def _without_ending(word: str) -> str:
    """Step 1b: agreed -> agree, plastered -> plaster, hoping -> hope, hopping -> hop."""
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_ABOVE_0.match(word[:-3]) else word
    found = re.search(r"(ed|ing)\Z", word)
    if not found or not _HAS_VOWEL.match(stem := word[: found.start()]):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if re.search(r"([^aeiouylsz])\1\Z", stem):
        return stem[:-1]
    return f"{stem}e" if _SHORT.match(stem) else stem


def _without_y(word: str) -> str:
    """Step 1c: happy -> happi, sky -> sky."""
    return f"{word[:-1]}i" if word.endswith("y") and _HAS_VOWEL.match(word[:-1]) else word


_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}


def _shorter_suffix(word: str) -> str:
    """Steps 2 and 3: relational -> relate, triplicate -> triplic."""
    for shorter in (_STEP_2, _STEP_3):
        suffix = _longest_suffix(word, tuple(shorter))
        if suffix and _MEASURE_ABOVE_0.match(word[: -len(suffix)]):
            word = word[: -len(suffix)] + shorter[suffix]
    return word


# Each group may lose one suffix.
_STEP_4 = (
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    ("ment",),
    ("ent", "sion", "tion"),
)


def _without_last_suffixes(word: str) -> str:
    """Step 4: revival -> reviv, adjustment -> adjust, adoption -> adopt."""
    for suffixes in _STEP_4:
        # The letter before -ion stays.
        suffix = _longest_suffix(word, suffixes).removeprefix("s").removeprefix("t")
        if suffix and _MEASURE_ABOVE_1.match(word[: -len(suffix)]):
            word = word[: -len(suffix)]
    return word


def _without_e(word: str) -> str:
    """Step 5: probate -> probat, cease -> ceas, controll -> control."""
    stem = word[:-1]
    if word.endswith("e") and (_MEASURE_ABOVE_1.match(stem) or (_MEASURE_1.match(stem) and not _SHORT.match(stem))):
        word = stem
    return word[:-1] if word.endswith("ll") and _MEASURE_ABOVE_1.match(word) else word


def _longest_suffix(word: str, suffixes: Sequence[str]) -> str:
    """Return the longest of the suffixes that the word has, or ""."""
    return max(filter(word.endswith, suffixes), key=len, default="")
