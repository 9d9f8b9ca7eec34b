"""Transforms texts by a pipeline of named steps, and splits them into words, characters, or both."""

from __future__ import annotations

import functools
import re
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenscore.inputs import References, encodes, warn_caller
from evenscore.options import called, did_you_mean
from evenscore.parallel import require
from evenscore.text.unspaced import are_whole, with_spaces
from evenscore.text.words import Units, Utf8, encode, split_characters, units_by_key, white_space
from evenscore.wer.kernel import pay_off
from evenscore.wer.word_kernel import kernel_units

Step = Callable[[str], str]

_SPACES = re.compile(r"\s\s+")
_KALDI_NON_WORD = re.compile(r"[<\[][^>\]]*[>\]]")
# In jiwer's order of replacement, which turns "'tis" into "not is" without the space: see DIFFERENCES.md.
_CONTRACTIONS = (
    ("won't", "will not"), ("can't", "can not"), ("let's", "let us"), ("n't", " not"), ("'re", " are"), ("'s", " is"),
    ("'d", " would"), ("'ll", " will"), ("'t", " not"), ("'ve", " have"), ("'m", " am"),
)  # fmt: skip
_NO_WHITE_SPACE = dict.fromkeys(map(ord, string.whitespace))
_ONLY_SPACES = dict.fromkeys(map(ord, string.whitespace), " ")


def pipeline(transforms: Any, unit: str) -> list[Step]:
    """Return the steps of a pipeline, in order.

    transforms: None for jiwer's default of the unit, the name of a pipeline or of a step, a function from a text to a
    text, or a list of steps; a step with an argument is a pair such as ("remove_specific_words", ["uh", "um"]).
    Raises ValueError for any other value. Names and results are those of jiwer 4.0 (transforms.py).

    >>> steps = pipeline(["to_lower_case", "remove_punctuation"], "word")
    >>> steps[1](steps[0]("Hello, World!"))
    'hello world'
    """
    given = DEFAULTS[unit] if transforms is None else transforms
    parts = [given] if isinstance(given, str) or callable(given) else given
    if not isinstance(parts, (list, tuple)):
        raise ValueError(f"transforms={transforms!r}: give a list of steps, or {_names(PIPELINES)}")
    named = (PIPELINES.get(part, [part]) if isinstance(part, str) else [part] for part in parts)
    return [_step(step) for steps in named for step in steps]


def _step(step: Any) -> Step:
    if callable(step):
        return _checked(step)
    if isinstance(step, str) and step in STEPS:
        return STEPS[step]
    if isinstance(step, str) and step in _WHISPER:
        return _whisper(step)
    is_pair = isinstance(step, (list, tuple)) and len(step) == 2 and isinstance(step[0], str)
    if is_pair and step[0] in STEPS_WITH_ARGUMENT:
        return STEPS_WITH_ARGUMENT[step[0]](step[1])
    if isinstance(step, str) and step in STEPS_WITH_ARGUMENT:
        raise ValueError(
            f"transforms contains {step!r} without its argument: give a pair in a list of steps, as in "
            f"{_EXAMPLES[step]}"
        )
    known = [*PIPELINES, *STEPS, *_WHISPER]
    name, near = (step[0], [*STEPS_WITH_ARGUMENT]) if is_pair else (step, [*known, *STEPS_WITH_ARGUMENT])
    raise ValueError(
        f"transforms contains {step!r}{did_you_mean(name, near) if isinstance(name, str) else '.'} Choose from "
        f"{_names(known)}, a pair of {_names(STEPS_WITH_ARGUMENT)} and its argument, or a function"
    )


# The normalizers of Whisper by module and class: each is one step, which the package whisper-normalizer does.
_WHISPER = {
    "whisper-basic": ("whisper_normalizer.basic", "BasicTextNormalizer"),
    "whisper-english": ("whisper_normalizer.english", "EnglishTextNormalizer"),
}


# Creating the English normalizer reads a list of spellings, which takes longer than a row.
@functools.cache
def _whisper(name: str) -> Step:
    module, kind = _WHISPER[name]
    normalizer: Step = getattr(require(module, "whisper-normalizer", f"transforms={name!r}"), kind)()
    return normalizer


def _names(known: Any) -> str:
    return ", ".join(map(repr, known))


def _checked(function: Callable[[str], Any]) -> Step:
    def step(text: str) -> str:
        changed = called(function, text)
        if not isinstance(changed, str):
            raise ValueError(f"transform {function!r} returned {changed!r} for {text!r}: return a string")
        if not encodes(changed):
            raise ValueError(f"transform {function!r} returned {changed!r} for {text!r}: return no lone surrogates")
        return changed

    return step


def apply(steps: Sequence[Step], texts: list[str]) -> list[str]:
    """Apply all steps to each text."""
    for step in steps:
        texts = list(map(step, texts))
    return texts


def _expand_contractions(text: str) -> str:
    for contraction, expansion in _CONTRACTIONS:
        text = text.replace(contraction, expansion)
    return text


def _remove_punctuation(text: str) -> str:
    return "".join(c for c in text if not unicodedata.category(c).startswith("P"))


def _substitute_regexes(substitutions: Any) -> Step:
    """Return a step that replaces regular expressions; substitutions: a mapping from patterns to replacements."""
    pairs = _pairs(substitutions, "substitute_regexes")
    compiled = [(_compiled(pattern, value), value) for pattern, value in pairs]

    def step(text: str) -> str:
        for pattern, value in compiled:
            text = pattern.sub(value, text)
        return text

    return step


def _substitute_words(substitutions: Any) -> Step:
    """Return a step that replaces whole words; substitutions: a mapping from words to replacements."""
    pairs = _pairs(substitutions, "substitute_words")
    return _substitute_regexes({rf"\b{re.escape(word)}\b": value for word, value in pairs})


def _remove_specific_words(words: Any) -> Step:
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"remove_specific_words got {words!r}: give a list of words")
    return _substitute_words(dict.fromkeys(words, " "))


def _pairs(substitutions: Any, name: str) -> list[tuple[str, str]]:
    if not isinstance(substitutions, Mapping):
        raise ValueError(f"{name} got {substitutions!r}: give a dict from strings to strings")
    for pair in substitutions.items():
        if not all(isinstance(text, str) for text in pair):
            raise ValueError(f"{name} got {substitutions!r}: give a dict from strings to strings")
    return list(substitutions.items())


def _compiled(pattern: str, value: str) -> re.Pattern[str]:
    """Compile a pattern; ValueError if it is invalid, or if the replacement refers to a group that it lacks."""
    if not encodes(value):
        raise ValueError(f"cannot replace {pattern!r} by {value!r}, a lone surrogate, which is not a character")
    try:
        compiled = re.compile(pattern)
        compiled.sub(value, "")
    except (re.error, IndexError) as error:
        raise ValueError(f"cannot replace {pattern!r} by {value!r}: {error}") from error
    return compiled


STEPS: dict[str, Step] = {
    "to_lower_case": str.lower,
    "to_upper_case": str.upper,
    "expand_common_english_contractions": _expand_contractions,
    "remove_kaldi_non_words": lambda text: _KALDI_NON_WORD.sub("", text),
    "remove_punctuation": _remove_punctuation,
    "remove_white_space": lambda text: text.translate(_NO_WHITE_SPACE),
    "white_space_to_spaces": lambda text: text.translate(_ONLY_SPACES),
    "remove_multiple_spaces": lambda text: _SPACES.sub(" ", text),
    "strip": str.strip,
}
STEPS_WITH_ARGUMENT: dict[str, Callable[[Any], Step]] = {
    "substitute_regexes": _substitute_regexes,
    "substitute_words": _substitute_words,
    "remove_specific_words": _remove_specific_words,
}
_EXAMPLES = {
    "substitute_regexes": '[("substitute_regexes", {"[0-9]+": "number"})]',
    "substitute_words": '[("substitute_words", {"colour": "color"})]',
    "remove_specific_words": '[("remove_specific_words", ["uh", "um"])]',
}
_OF_WORDS = ("remove_multiple_spaces", "strip")
DEFAULTS = {"word": _OF_WORDS, "char": ("strip",), "mixed": _OF_WORDS}
PIPELINES = {
    "standardize": (
        "to_lower_case", "expand_common_english_contractions", "remove_kaldi_non_words",
        "white_space_to_spaces", "remove_multiple_spaces", "strip",
    ),
}  # fmt: skip


_SPACE = ord(" ")


def warn_of_whole_texts(predictions: list[str], references: References, transforms: Any) -> None:
    """Warn if texts in scripts without spaces count as one word each.

    The message names no row, so that Python shows it once for all batches of a data set.
    """
    # The usual transforms keep a space between words.
    if are_whole(predictions + references.texts, splitter("word", transforms), at_spaces=transforms is None):
        warn_caller(
            'texts are in a script without spaces and count as one word each: give unit="char" to compare characters, '
            'or unit="mixed" to compare characters of such scripts and words of others'
        )


def splitter(unit: str, transforms: Any) -> Callable[[str], list[str]]:
    """Return a function that does for one text what `split_units` does for many, as a list of strings.

    >>> splitter("word", None)("a  b a"), splitter("mixed", None)("see 北京")
    (['a', 'b', 'a'], ['see', '北', '京'])
    """
    steps = _all_steps(unit, transforms)

    def split(text: str) -> list[str]:
        for step in steps:
            text = step(text)
        return list(text) if unit == "char" else list(filter(None, text.split(" ")))

    def split_usual(text: str) -> list[str]:
        # Most texts have single spaces between words, and nothing to transform.
        words = text.split()
        return words if " ".join(words) == text else split(text)

    return split_usual if transforms is None and unit == "word" else split


def _all_steps(unit: str, transforms: Any) -> list[Step]:
    """The steps of the pipeline, and the one after which spaces stand between all units, if they are no characters."""
    return [*pipeline(transforms, unit), *([with_spaces] if unit == "mixed" else [])]


def split_units(texts: list[str], unit: str, transforms: Any, transformed: Sequence[str] = ()) -> Units:
    """Apply the transforms to each text, and split it into words, characters, or both.

    unit: "word", "char", or "mixed": characters of scripts without spaces, and the words between them.
    transformed: further texts of words, which have gone through the transforms; their units follow the others.

    As in jiwer, only a space separates words (transforms.ReduceToListOfListOfWords). The default transforms replace
    two or more white space characters by a space, but keep a single tab inside a word.

    >>> units = split_units(["a  b a", ""], "word", None)
    >>> units.row(0), units.row(1)
    (['a', 'b', 'a'], [])
    """
    if unit == "char":
        return split_characters(apply(pipeline(transforms, unit), texts))
    is_usual = unit == "word" and transforms is None
    # The usual transforms change nothing a second time.
    changed = [*texts, *transformed] if is_usual else [*apply(_all_steps(unit, transforms), texts), *transformed]
    if pay_off():
        return kernel_units(changed, is_usual)
    text = _default_words(changed) if is_usual else encode(changed)
    return units_by_key(text, text.data == _SPACE)


def _default_words(texts: list[str]) -> Utf8:
    """Return the texts encoded so that splitting at spaces gives the words of the default transforms."""
    text = encode(texts)
    # Only white space other than spaces needs the transforms. In ASCII, all of it is below the space.
    if np.count_nonzero(text.data < _SPACE) == len(texts) and text.data.max(initial=0) < 128:
        return text
    separators = white_space(text.data) & (text.data != _SPACE)
    separators[text.offsets[1:] - 1] = False
    unusual = np.unique(np.searchsorted(text.offsets, separators.nonzero()[0], side="right") - 1).tolist()
    if not unusual:
        return text
    changed = dict(zip(unusual, apply(pipeline(None, "word"), [texts[i] for i in unusual]), strict=True))
    return encode([changed.get(i, text) for i, text in enumerate(texts)])
