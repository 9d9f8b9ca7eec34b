"""Sentences of a text, found by rules: no download, no model, the same result on every machine.

Limits.  Cut too rarely: after "U.S." or a single initial ("He left the U.S. She stayed." is one sentence), after a
point or ellipsis with no white space behind it ("end.Next"), after an abbreviation that is not English.  Cut too
often: Japanese speech that goes on after 。」.  For other needs split the text yourself and join the sentences by
newlines, which always separate.
"""

from __future__ import annotations

import re

# Abbreviations, without their last point.  After these comes a name; they end a sentence hardly ever.
_TITLE = re.compile(
    "mr|mrs|ms|dr|prof|rev|hon|st|mt|messrs|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|supt|vs|cf|viz|approx"
)
# These end no sentence if a number follows: No. 5, Fig. 2, Jan. 31.
_NUMBERED = re.compile(
    "no|nos|nr|pp|figs?|eq|vols?|ch|chap|sec|art|par|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
# These end one only if a capital follows: not in 5 p.m. on Monday, Li et al. (2004).
_OFTEN_LAST = re.compile(r"[ap]\.m|etc|al|inc|ltd|co|corp|bros|jr|sr|ph\.d|dept|est|ave|blvd|rd|univ")

# Longer than any abbreviation.  Looking no further back keeps the time linear in the length of a line.
_LOOK_BACK = 20

_OPENING = "\"'([{“‘«„‹「『（【《〈"
_CLOSING = "\"')\\]}”’»›」』）】》〉"
# The first kind ends a sentence where white space follows; the second, which has no other use, anywhere: Chinese and
# Japanese, Devanagari, Arabic and Urdu, Armenian, Ethiopic, Burmese, Khmer, Mongolian, Greek (its question mark).
_SPACED = ".!?…‼⁇⁈⁉．"
_UNSPACED = "。！？｡।॥؟۔։።፧။។៕᠃᠉\u037e"
# The look-behind changes no match: it keeps a long row of points before a letter from being tried at each of them.
_END = re.compile(
    rf"(?<![{_SPACED}])(?P<mark>[{_SPACED}]+)(?P<closing>[{_CLOSING}]*)(?=\s+(?P<following>\S)|\s*$)"
    rf"|[{_UNSPACED}][{_SPACED}{_UNSPACED}]*[{_CLOSING}]*"
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space around them; [] for a text of white space only.

    A line break (str.splitlines) always separates.  Closing quotes and brackets stay with their sentence.

    >>> split_sentences('Dr. J. Smith paid $3.5 for No. 5, e.g. in the U.S. "Why?" he asked. (Nobody knew.) The end...')
    ['Dr. J. Smith paid $3.5 for No. 5, e.g. in the U.S. "Why?" he asked.', '(Nobody knew.)', 'The end...']
    >>> split_sentences("今日は雨です。「本当？」はい！\\nवह आया। वह गया।")
    ['今日は雨です。', '「本当？」', 'はい！', 'वह आया।', 'वह गया।']
    """
    return [sentence for line in text.splitlines() for sentence in _split_line(line)]


def _split_line(line: str) -> list[str]:
    pieces, start = [], 0
    for end in _END.finditer(line):
        if end["mark"] is None or _ends_sentence(line[max(start, end.start() - _LOOK_BACK) : end.start()], end):
            pieces.append(line[start : end.end()])
            start = end.end()
    pieces.append(line[start:])
    return [piece.strip() for piece in pieces if piece.strip()]


def _ends_sentence(before: str, end: re.Match[str]) -> bool:
    """Whether this mark ends its sentence; `before` is what the sentence says before the mark, or the last of it."""
    following = end["following"]
    if following is None:
        return True
    # "Stop!" he said; well ... perhaps
    if following.islower() and (end["closing"] or end["mark"] in ("...", "…")):
        return False
    return end["mark"] != "." or not _is_abbreviated(before, following)


def _is_abbreviated(before: str, following: str) -> bool:
    """Whether a point after `before` belongs to its last word.

    >>> _is_abbreviated("met Mr", "A"), _is_abbreviated("said no", "A"), _is_abbreviated("said no", "5")
    (True, False, True)
    """
    words = before.split()
    last = words[-1].lstrip(_OPENING).lower() if words else ""
    if _OFTEN_LAST.fullmatch(last):
        return not following.isupper()
    if _NUMBERED.fullmatch(last):
        return following.isdigit()
    is_item_number = len(words) == 1 and last.isdigit()  # 1. First item
    is_initials = all(len(letter) == 1 and letter.islower() for letter in last.split("."))  # J. Smith, e.g., U.S.
    return is_item_number or is_initials or _TITLE.fullmatch(last) is not None
