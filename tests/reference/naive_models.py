"""Slow, obvious twins of the models: strings, lists, no table."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

Piece = tuple[str, int, int]


def utf8_width(text: str) -> int:
    return len(text.encode())


def first_symbols(word: str, vocab: dict[str, int], **options) -> list[tuple[str, int]]:
    """(token, bytes of the word) of every symbol before any merge, as the library builds them."""
    prefix, suffix = options.get("continuing_subword_prefix") or "", options.get("end_of_word_suffix") or ""
    unk, symbols, waiting = options.get("unk_token"), [], 0
    for i, character in enumerate(word):
        symbol = (prefix if i else "") + character + (suffix if i == len(word) - 1 else "")
        fallback = [f"<0x{byte:02X}>" for byte in symbol.encode()]
        if symbol not in vocab and options.get("byte_fallback") and all(byte in vocab for byte in fallback):
            symbols += [(byte, 1) for byte in fallback]
            continue
        if waiting and (symbol in vocab or not options.get("fuse_unk")):
            symbols.append((unk, waiting))
            waiting = 0
        if symbol in vocab:
            symbols.append((symbol, utf8_width(character)))
        elif unk is not None:
            waiting += utf8_width(character)
    return symbols + ([(unk, waiting)] if waiting else [])


# --8<-- [start:merge]
def merge_table(merges: list[tuple[str, str]], prefix: str | None) -> dict[tuple[str, str], tuple[int, str]]:
    """From pair to (rank, token); of a pair that comes twice the last."""
    return {(left, right): (rank, left + right[len(prefix or "") :]) for rank, (left, right) in enumerate(merges)}


def merged(symbols: list[tuple[str, int]], table: dict[tuple[str, str], tuple[int, str]]) -> list[tuple[str, int]]:
    """The symbols after all merges: each time the pair of lowest rank, the leftmost of several."""
    symbols = list(symbols)
    while True:
        ranked = [(table[a, b], i) for i, ((a, _), (b, _)) in enumerate(pairwise(symbols)) if (a, b) in table]
        if not ranked:
            return symbols
        (_, token), i = min(ranked, key=lambda entry: (entry[0][0], entry[1]))
        symbols[i : i + 2] = [(token, symbols[i][1] + symbols[i + 1][1])]


# --8<-- [end:merge]


def placed(word: str, symbols: list[tuple[str, int]]) -> list[Piece]:
    """The symbols with the characters of which they have a byte, one after another in the bytes of the word."""
    owners = [i for i, character in enumerate(word) for _ in range(utf8_width(character))]
    pieces, byte = [], 0
    for token, width in symbols:
        last = len(owners) - 1
        start = owners[min(byte, last)] if width else len(word)
        byte += width
        pieces.append((token, start, owners[min(byte - 1, last)] + 1 if width else len(word)))
    return pieces


def bpe(word: str, vocab: dict[str, int], merges: list[tuple[str, str]], **options) -> list[Piece]:
    """The pieces of a word by byte pair encoding."""
    if options.get("ignore_merges") and word in vocab:
        return [(word, 0, len(word))] if word else []
    symbols = first_symbols(word, vocab, **options)
    return placed(word, merged(symbols, merge_table(merges, options.get("continuing_subword_prefix"))))


def longest(word: str, vocab: dict[str, int], prefix: str = "", suffix: str = "") -> list[str]:
    """The strings into which a word falls if its longest symbol is cut out, the leftmost of several, and so on.

    What no symbol covers stays one string.
    """

    def cut(start: int, end: int) -> list[tuple[int, int]]:
        for length in range(end - start, 0, -1):
            for at in range(start, end - length + 1):
                stop = at + length
                symbol = (prefix if at else "") + word[at:stop] + (suffix if stop == len(word) else "")
                if symbol in vocab:
                    return [*cut(start, at), (at, stop), *cut(stop, end)]
        return [(start, end)] if start < end else []

    return [word[start:end] for start, end in cut(0, len(word))]


# --8<-- [start:wordpiece]
def wordpiece(word: str, vocab: dict[str, int], unk: str = "[UNK]", prefix: str = "##", most: int = 100) -> list[Piece]:
    """The pieces of a word, the longest token first from the left."""
    pieces, start = [], 0
    while start < len(word) <= most:
        for end in range(len(word), start, -1):
            token = (prefix if start else "") + word[start:end]
            if token in vocab:
                pieces.append((token, start, end))
                break
        else:
            break
        start = end
    return pieces if start == len(word) else [(unk, 0, len(word))]


# --8<-- [end:wordpiece]


def dropout_distribution(
    symbols: tuple[str, ...], table: dict[tuple[str, str], tuple[int, str]], dropout: float
) -> dict[tuple[str, ...], float]:
    """The probability of every segmentation, by following both outcomes of every draw.

    The queue holds (rank, place, token) of pairs as they were when they came in; one that is left out comes back after
    the next one that is not.
    """
    distribution: dict[tuple[str, ...], float] = defaultdict(float)

    def entries(symbols: tuple[str | None, ...], places: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
        pairs = [(symbols[left], symbols[right], left) for left, right in places]
        return [(table[a, b][0], left, table[a, b][1]) for a, b, left in pairs if (a, b) in table]

    def go(symbols: tuple[str | None, ...], queue: list, skipped: list, probability: float) -> None:
        if not queue:
            distribution[tuple(symbol for symbol in symbols if symbol is not None)] += probability
            return
        top, *rest = sorted(queue)
        if dropout > 0:
            go(symbols, rest, [*skipped, top], probability * dropout)
        if dropout < 1:
            go(*step(symbols, top, rest + skipped), [], probability * (1 - dropout))

    def step(symbols: tuple[str | None, ...], top: tuple[int, int, str], queue: list) -> tuple[tuple, list]:
        _, left, token = top
        alive = [i for i, symbol in enumerate(symbols) if symbol is not None]
        following = [i for i in alive if i > left][:1]
        if (
            symbols[left] is None
            or not following
            or table.get((symbols[left], symbols[following[0]]), (0, 0))[1] != token
        ):
            return symbols, queue
        changed = list(symbols)
        changed[left], changed[following[0]] = token, None
        alive.remove(following[0])
        at = alive.index(left)
        places = [(before, left) for before in alive[max(0, at - 1) : at]]
        places += [(left, after) for after in alive[at + 1 : at + 2]]
        return tuple(changed), queue + entries(tuple(changed), places)

    go(symbols, entries(symbols, [(i, i + 1) for i in range(len(symbols) - 1)]), [], 1.0)
    return dict(distribution)
