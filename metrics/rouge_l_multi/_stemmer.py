"""English word stems as rouge_score takes them."""

from __future__ import annotations

from ._optional import require


def stem_words(words: list[str]) -> list[str]:
    """The Porter stem of each word; words of up to 3 characters stay as they are, and so does an empty list.

    As rouge_score 0.1.2 does it (`tokenize.py`): nltk's PorterStemmer in its default mode, NLTK_EXTENSIONS, which
    departs from Porter (1980) in a few places (skies -> sky, dying -> die).  It takes some 10 microseconds a word, so
    pass each distinct word once.

    >>> stem_words(["skies", "dying", "the", "running", "was"])
    ['sky', 'die', 'the', 'run', 'was']
    """
    stemmer = require("nltk.stem.porter", "nltk", "stemmer=True").PorterStemmer()
    return [stemmer.stem(word) if len(word) > 3 else word for word in words]
