"""Byte-pair encoding as slow, obviously right code: everything is counted anew for every merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Pair = tuple[str, str]


def initial_symbols(word: str, known: set[str], prefix: str, suffix: str, end_of_word: str) -> list[str]:
    """The known characters of a word with the affixes of their places."""
    glued = suffix if end_of_word == "glued" else ""
    symbols = [
        (prefix if i > 0 else "") + char + (glued if i == len(word) - 1 else "")
        for i, char in enumerate(word)
        if char in known
    ]
    return symbols + ([suffix] if end_of_word == "symbol" and word else [])


def longest_matches(word: str, tokens: Mapping[str, int], prefix: str) -> list[str]:
    """The longest token from the left, again and again; a character that no token begins with is left out."""
    found, at = [], 0
    while at < len(word):
        form = prefix if at else ""
        end = next((end for end in range(len(word), at, -1) if form + word[at:end] in tokens), None)
        if end is not None:
            found.append(form + word[at:end])
        at = end or at + 1
    return found


def kept_characters(counts: Mapping[str, int], initial: Sequence[str], limit: int | None) -> list[str]:
    """The alphabet, its most frequent characters first, then by code point."""
    frequency: Counter[str] = Counter()
    for word, count in counts.items():
        for char in word:
            frequency[char] += count
    for text in initial:
        frequency[text[0]] = 10**30
    return sorted(sorted(frequency, key=lambda char: (-frequency[char], char))[:limit])


# GPT-2's visible characters: printable bytes stand for themselves, the others are counted from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(0x100 + i): byte for i, byte in enumerate(_OTHERS)}


# --8<-- [start:step]
def replaced(symbols: list[str], pair: Pair, token: str) -> list[str]:
    """The token for the pair everywhere, from the left."""
    result, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            result.append(token)
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def pair_counts(words: list[list[str]], weights: list[int]) -> dict[Pair, int]:
    """How often each pair stands in the words, in the order in which they have them."""
    found: dict[Pair, int] = {}
    for symbols, weight in zip(words, weights, strict=True):
        for pair in pairwise(symbols):
            found[pair] = found.get(pair, 0) + weight
    return found


# From (pair, its count, ids, its place among the pairs, the token) to a key; the smallest is merged.
TIE_BREAKS: dict[str, Callable[[Pair, dict[str, int], int, str], Any]] = {
    "hf": lambda pair, ids, place, token: (ids[pair[0]], ids[pair[1]]),
    "lexicographic": lambda pair, ids, place, token: tuple([-ord(char) for char in part] + [1] for part in pair),
    "first": lambda pair, ids, place, token: place,
    "sentencepiece": lambda pair, ids, place, token: (len(token), token, ids[pair[0]], ids[pair[1]]),
    "bytes": lambda pair, ids, place, token: tuple(
        [-BYTES.get(char, 512 + ord(char)) for char in part] + [1] for part in pair
    ),
}
# --8<-- [end:step]


def bpe(
    counts: Mapping[str, int],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    min_frequency: int = 0,
    special_tokens: Sequence[str] = (),
    limit_alphabet: int | None = None,
    initial_alphabet: Sequence[str] = (),
    continuing_subword_prefix: str | None = None,
    end_of_word_suffix: str | None = None,
    max_token_length: int | None = None,
    end_of_word: str = "glued",
    tie_break: str = "hf",
    compat: str | None = "hf-0.23",
    criterion: str = "frequency",
    min_gain: Fraction | None = None,
    wordpiece: Sequence[str] | None = None,
) -> tuple[list[str], list[Pair], list[dict[str, Any]]]:
    """Tokens, merges and history; min_gain is compared with the gain before its logarithm.

    wordpiece: the tokens of a WordPiece to go on from.
    """
    prefix, suffix = continuing_subword_prefix or "", end_of_word_suffix or ""
    ids: dict[str, int] = {}
    end = [suffix] if end_of_word == "symbol" else []
    alphabet = kept_characters(counts, initial_alphabet, limit_alphabet)
    for token in [*(wordpiece or ()), *special_tokens, *alphabet, *end]:
        ids.setdefault(token, len(ids))
    words, length, initial = first_words(counts, ids, prefix, suffix, end_of_word, wordpiece is not None)
    weights = list(counts.values())

    merges, history = list[Pair](), list[dict[str, Any]]()
    while (vocab_size is None or len(ids) < vocab_size) and (num_merges is None or len(merges) < num_merges):
        found, frequency = pair_counts(words, weights), symbol_counts(words, weights)
        rank, total = TIE_BREAKS[tie_break], frequency.total()
        candidates = [
            (
                -score(criterion, count, frequency[a], frequency[b], total),
                -count,
                rank((a, b), ids, place, token),
                (a, b),
            )
            for place, ((a, b), count) in enumerate(found.items())
            for token in [a + b.removeprefix(prefix)]
            if count >= max(1, min_frequency) and allowed((a, b), length, initial, max_token_length, compat)
        ]
        if not candidates:
            break
        gain, count, _, pair = min(candidates)
        if min_gain is not None and -gain < min_gain:
            break
        token = pair[0] + pair[1].removeprefix(prefix)
        ids.setdefault(token, len(ids))
        length.setdefault(token, length[pair[0]] + length[pair[1]])
        words = [replaced(symbols, pair, token) for symbols in words]
        merges.append(pair)
        sizes = {"vocab_size": len(ids), "corpus_tokens": symbol_counts(words, weights).total()}
        history.append({"step": len(merges), "pair": pair, "count": -count, "token": token, **sizes, "gain": -gain})
    return list(ids), merges, history


def first_words(
    counts: Mapping[str, int], ids: dict[str, int], prefix: str, suffix: str, end_of_word: str, goes_on: bool
) -> tuple[list[list[str]], dict[str, int], set[str]]:
    """Words as their first symbols, which get ids, with the lengths of symbols, and those that begin everything.

    goes_on: words are cut by the longest tokens that there are.
    """
    known = {token for token in ids if len(token) == 1}
    words = [initial_symbols(word, known, prefix, suffix, end_of_word) for word in counts]
    initial = {symbol for symbols in words for symbol in symbols}
    for symbol in sorted(initial):
        ids.setdefault(symbol, len(ids))
    if goes_on:
        words = [longest_matches(word, ids, prefix) for word in counts]
        return words, {symbol: len(symbol) for symbols in words for symbol in symbols}, initial
    return words, {symbol: int(end_of_word == "glued" or symbol != suffix) for symbol in initial}, initial


def symbol_counts(words: list[list[str]], weights: list[int]) -> Counter[str]:
    """How often each symbol occurs."""
    frequency: Counter[str] = Counter()
    for symbols, weight in zip(words, weights, strict=True):
        for symbol in symbols:
            frequency[symbol] += weight
    return frequency


def allowed(pair: Pair, length: dict[str, int], initial: set[str], most: int | None, compat: str | None) -> bool:
    """Whether max_token_length lets the pair be merged."""
    if most is None:
        return True
    size = length[pair[0]] + length[pair[1]]
    return (initial.issuperset(pair) or size < most) if compat else size <= most


# --8<-- [start:gain]
def score(criterion: str, both: int, first: int, second: int, total: int) -> Fraction:
    """What is maximised; for "likelihood" and "union" the gain is its natural logarithm."""
    if criterion == "frequency":
        return Fraction(both)
    if criterion == "quotient":
        return Fraction(both, first * second)
    together = Fraction(both, total) if criterion == "likelihood" else Fraction(both, first + second - both)
    return together / (Fraction(first, total) * Fraction(second, total))


# --8<-- [end:gain]
