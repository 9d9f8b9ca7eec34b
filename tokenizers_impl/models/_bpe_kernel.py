"""Kernels of byte-pair encoding: the initial symbols of words, and their merges by scan or by heap."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32
from .._text.bytes import utf8_byte, utf8_length
from .._text.trie import ROOT, follow, step, token_at
from ._bpe_merges import DROPPED, MISSING, NONE, Tables, find
from ._model import Room, room, used

# --- The symbols of a word before any merge, including unknown characters


@inner_kernel
def most_symbols(chars: U32, offsets: I64, tables: Tables) -> tuple[int, int]:
    """Upper bounds of the number of symbols of one word, and of all words, before any merge."""
    of_one, in_all = 1, len(chars)
    if len(tables.bytes) > 0:
        of_one += 3 + len(tables.prefix_bytes)
        for char in chars:
            in_all += utf8_length(int(char)) - 1 + len(tables.prefix_bytes)
    longest, ends = 0, len(tables.suffix_bytes) + 1
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest * of_one + ends, in_all + ends * (len(offsets) - 1)


@inner_kernel
def add_known(
    chars: U32, start: int, end: int, edges: I64, tokens: I32, rest: int, suffix: U32, ids: I32, lengths: I32
) -> bool:
    """Write the symbols of a word before any merge if each of its characters is a token; returns whether each is.

    edges, tokens: the trie of the vocabulary.  suffix: what ends the last symbol.  See `add_characters`.
    """
    n, node = end - start, ROOT
    for i in range(n):
        char = int(chars[start + i])
        node = ROOT if i == 0 else rest
        if node != NONE:
            node = step(edges, node, char)
        ids[i], lengths[i] = token_at(node, tokens), utf8_length(char)
    for i in range(len(suffix)):
        if node != NONE:
            node = step(edges, node, int(suffix[i]))
    ids[n - 1] = token_at(node, tokens)
    unknown = 0
    for i in range(n):
        unknown += ids[i] == NONE
    return unknown == 0


@inner_kernel
def closed(node: int, tables: Tables) -> int:
    """The node reached from `node` by the end-of-word suffix."""
    return follow(node, tables.suffix, 0, len(tables.suffix), tables.edges)


@inner_kernel
def _add_bytes(char: int, first: bool, last: bool, tables: Tables, ids: I32, lengths: I32, n: int) -> int:
    """Write the byte tokens of an unknown character and its affixes after n symbols.

    Returns the new number of symbols, or n if the vocabulary lacks one of the byte tokens.
    """
    end = n
    length = utf8_length(char)
    before = 0 if first else len(tables.prefix_bytes)
    after = len(tables.suffix_bytes) if last else 0
    for i in range(before + length + after):
        if i < before:
            token = int(tables.prefix_bytes[i])
        elif i < before + length:
            token = int(tables.bytes[utf8_byte(char, length, i - before)])
        else:
            token = int(tables.suffix_bytes[i - before - length])
        if token == NONE:
            return n
        ids[end] = token
        lengths[end] = 1
        end += 1
    return end


@inner_kernel
def add_characters(
    chars: U32, start: int, end: int, word: tuple[int, int], tables: Tables, ids: I32, lengths: I32
) -> int:
    """Write the symbols of chars[start:end], a part of a word, before any merge.

    word: start and end of the whole word.  lengths: receives the number of UTF-8 bytes that each symbol covers.
    Returns the number of symbols; MISSING if an unknown character needs a token that the vocabulary lacks.  As in the
    library, an unknown character is written only before the next known one or at the end, so characters that fall back
    to bytes may precede it.
    """
    n, waiting = 0, 0
    for i in range(start, end):
        char = int(chars[i])
        first, last = i == word[0], i == word[1] - 1
        length = utf8_length(char)
        node = ROOT if first else tables.rest
        if node != NONE:
            node = step(tables.edges, node, char)
        if last and tables.end_of_word == NONE:
            node = closed(node, tables)
        token = token_at(node, tables.ids)
        if token == NONE and len(tables.bytes) > 0:
            added = _add_bytes(char, first, last, tables, ids, lengths, n)
            if added > n:
                n = added
                continue
        if token == NONE and tables.unk == MISSING:
            return MISSING
        if waiting > 0 and (token != NONE or (tables.unk != DROPPED and not tables.fuse_unk)):
            ids[n] = tables.unk
            lengths[n] = waiting
            n += 1
            waiting = 0
        if token != NONE:
            ids[n] = token
            lengths[n] = length
            n += 1
        elif tables.unk != DROPPED:
            waiting += length
    if waiting > 0:
        ids[n] = tables.unk
        lengths[n] = waiting
        n += 1
    return n


# --- A binary heap of numbers, the smallest first


@inner_kernel
def push(heap: I64, size: int, entry: int) -> int:
    """Add an entry to a binary heap with the smallest on top; returns the new size."""
    i = size
    while i > 0 and heap[(i - 1) // 2] > entry:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = entry
    return size + 1


@inner_kernel
def pop(heap: I64, size: int) -> int:
    """Remove the top entry, heap[0], of a heap; returns the new size."""
    size -= 1
    entry = heap[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry
    return size


# --- Merging the symbols of a short word: the lowest rank is found by a scan

NO_RANK = 2**31


@inner_kernel
def _rank_of(left: int, right: int, merges: I64) -> int:
    """The rank of a pair; NO_RANK if it does not merge."""
    rank = find(merges, left, right)
    return NO_RANK if rank == NONE else rank


@inner_kernel
def merge_by_scan(ids: I32, lengths: I32, n: int, merges: I64, results: I32, ranks: I64) -> int:
    """Repeatedly merge the leftmost pair of the lowest rank among n symbols; returns how many symbols are left."""
    for i in range(n - 1):
        ranks[i] = _rank_of(int(ids[i]), int(ids[i + 1]), merges)
    while n > 1:
        best = 0
        for i in range(1, n - 1):
            if ranks[i] < ranks[best]:
                best = i
        if ranks[best] == NO_RANK:
            break
        ids[best] = results[ranks[best]]
        lengths[best] += lengths[best + 1]
        n -= 1
        for i in range(best + 1, n):
            ids[i] = ids[i + 1]
            lengths[i] = lengths[i + 1]
            ranks[i - 1] = ranks[i]
        if best + 1 < n:
            ranks[best] = _rank_of(int(ids[best]), int(ids[best + 1]), merges)
        if best > 0:
            ranks[best - 1] = _rank_of(int(ids[best - 1]), int(ids[best]), merges)
    return n


# --- Merging the symbols of a long word, or with dropout: a heap has the lowest rank on top

GONE = -1


@inner_kernel
def _push_pair(heap: I64, size: int, ids: I32, left: int, right: int, merges: I64) -> int:
    """Add rank and position of the pair (left, right) to a heap if it merges; returns the new size."""
    rank = find(merges, int(ids[left]), int(ids[right]))
    return size if rank == NONE else push(heap, size, (rank << 32) | left)


@inner_kernel
def merge_by_heap(
    ids: I32, lengths: I32, n: int, merges: I64, results: I32, dropout: float, rng: np.random.Generator | None
) -> int:
    """Merge like `merge_by_scan` in n log n time; with a generator, skip each merge with probability `dropout`.

    An entry holds the rank and the position of a pair at the time of the push.  As in the library, the entry remains
    valid if the pair now at this position makes the same token.  With dropout (Provilkov et al. 2020), skipped entries
    return to the heap after the next entry that is not skipped.
    """
    following = np.arange(1, n + 1).astype(np.int32)
    previous = np.arange(-1, n - 1).astype(np.int32)
    heap = np.empty(2 * n, np.int64)
    skipped = np.empty(2 * n if rng is not None else 0, np.int64)
    size, skips = 0, 0
    for i in range(n - 1):
        size = _push_pair(heap, size, ids, i, i + 1, merges)
    while size > 0:
        entry = int(heap[0])
        size = pop(heap, size)
        if rng is not None:
            if rng.random() < dropout:
                skipped[skips] = entry
                skips += 1
                continue
            for i in range(skips):
                size = push(heap, size, int(skipped[i]))
            skips = 0
        left = entry & 0xFFFFFFFF
        right = int(following[left])
        if ids[left] == GONE or right == n:
            continue
        rank = find(merges, int(ids[left]), int(ids[right]))
        token = int(results[entry >> 32])
        if rank == NONE or results[rank] != token:
            continue
        ids[left] = token
        ids[right] = GONE
        lengths[left] += lengths[right]
        following[left] = following[right]
        if following[left] < n:
            previous[following[left]] = left
            size = _push_pair(heap, size, ids, left, int(following[left]), merges)
        if previous[left] >= 0:
            size = _push_pair(heap, size, ids, int(previous[left]), left, merges)
    return _without_gone(ids, lengths, n)


@inner_kernel
def _without_gone(ids: I32, lengths: I32, n: int) -> int:
    """Close the gaps between the remaining symbols; returns their number."""
    kept = 0
    for i in range(n):
        if ids[i] != GONE:
            ids[kept] = ids[i]
            lengths[kept] = lengths[i]
            kept += 1
    return kept


# --- Merging the symbols of a word

# Up to this many symbols, a scan for the lowest rank is faster than a heap.
SHORT = 64


@inner_kernel
def merge(
    ids: I32,
    lengths: I32,
    n: int,
    merges: I64,
    results: I32,
    scannable: bool,
    ranks: I64,
    dropout: float,
    rng: np.random.Generator | None,
) -> int:
    """Merge n symbols in place; returns how many are left, or n if that is MISSING.

    A scan sees the current rank of every pair; the heap also holds outdated ranks.  Both give the same result if a
    pair that has changed never makes the same token as before.  That holds if ids are distinct and every merge
    lengthens its left part: `Tables.scannable`.
    """
    if n < 2:
        return n
    if rng is None and n <= SHORT and scannable:
        return merge_by_scan(ids, lengths, n, merges, results, ranks)
    return merge_by_heap(ids, lengths, n, merges, results, dropout, rng)


# --- Splitting a word at its longest matches

# Greater than any length.  Entries hold this minus the length, so that the heap has the longest match on top.
LONGEST = 2**31
INSIDE = -1


@inner_kernel
def _longest_symbol(chars: U32, at: int, limit: int, word: tuple[int, int], tables: Tables) -> tuple[int, int]:
    """The longest token at a position of a word, as (number of letters it covers, id); (0, NONE) if there is none.

    limit: how many letters it may cover.  Letters are the characters, and the end of word if that is a symbol.
    """
    start, end = word
    node = ROOT if at in (start, end) else tables.rest
    letters, token = 0, NONE
    for i in range(at, min(at + limit, end)):
        if node != NONE:
            node = step(tables.edges, node, int(chars[i]))
        if node == NONE:
            return letters, token
        glued = i + 1 == end and tables.end_of_word == NONE
        found = token_at(closed(node, tables) if glued else node, tables.ids)
        if found != NONE:
            letters, token = i + 1 - at, found
    if tables.end_of_word != NONE and at + limit > end:
        found = token_at(closed(node, tables), tables.ids)
        if found != NONE:
            letters, token = end + 1 - at, found
    return letters, token


@inner_kernel
def _place_longest(chars: U32, word: tuple[int, int], n: int, tables: Tables, tokens: I32, covers: I32) -> None:
    """Repeatedly place the longest token that fits the remaining ones of n letters, leftmost first, until none fits.

    tokens, covers: receive, at a token's first letter, its id and the number of letters that it covers.  covers is
    INSIDE at its other letters, and 0 at letters that no token covers.
    """
    heap = np.empty(n, np.int64)
    size = 0
    for i in range(n):
        covers[i] = 0
        letters, _ = _longest_symbol(chars, word[0] + i, n - i, word, tables)
        if letters > 0:
            size = push(heap, size, ((LONGEST - letters) << 32) | i)
    while size > 0:
        entry = int(heap[0])
        size = pop(heap, size)
        i, letters = entry & 0xFFFFFFFF, LONGEST - (entry >> 32)
        room = 0
        while room < letters and covers[i + room] == 0:
            room += 1
        fitting, token = _longest_symbol(chars, word[0] + i, room, word, tables)
        if fitting == letters:
            tokens[i] = token
            covers[i] = letters
            for j in range(i + 1, i + letters):
                covers[j] = INSIDE
        elif fitting > 0:
            size = push(heap, size, ((LONGEST - fitting) << 32) | i)


@inner_kernel
def match_longest(
    chars: U32,
    word: tuple[int, int],
    tables: Tables,
    ids: I32,
    lengths: I32,
    ranks: I64,
    dropout: float,
    rng: np.random.Generator | None,
) -> int:
    """Write the symbols of a word: its longest matches, and between them the merged symbols of uncovered parts.

    Returns the number of symbols, or MISSING.
    """
    start, end = word
    letters = end - start + (tables.end_of_word != NONE)
    tokens, covers = np.empty(letters, np.int32), np.empty(letters, np.int32)
    _place_longest(chars, word, letters, tables, tokens, covers)
    n, i = 0, 0
    while i < letters:
        after = i + max(1, int(covers[i]))
        if covers[i] > 0:
            ids[n] = tokens[i]
            lengths[n] = 0
            for j in range(start + i, min(start + after, end)):
                lengths[n] += utf8_length(int(chars[j]))
            n += 1
        else:
            while after < letters and covers[after] == 0:
                after += 1
            added = add_characters(chars, start + i, start + after, word, tables, ids[n:], lengths[n:])
            if added == MISSING:
                return MISSING
            rules = tables.merges, tables.results, tables.scannable
            n += merge(ids[n:], lengths[n:], added, *rules, ranks, dropout, rng)
        i = after
    return n


# --- Byte-pair encoding of words


@inner_kernel
def _whole_word(chars: U32, start: int, end: int, edges: I64, tokens: I32, ids: I32, lengths: I32) -> int:
    """Write a word that is a token; returns the number of symbols, 0 for any other word."""
    token = token_at(follow(ROOT, chars, start, end, edges), tokens)
    if token == NONE:
        return 0
    ids[0], lengths[0] = token, 0
    for i in range(start, end):
        lengths[0] += utf8_length(int(chars[i]))
    return 1


@inner_kernel
def _write_places(chars: U32, word: tuple[int, int], lengths: I32, n: int, starts: I32, ends: I32, at: int) -> None:
    """Write the start and end of n symbols in the word, in characters, from index `at` on.

    As in the library, symbols follow one another in the bytes of the word, even if characters between them were
    dropped.  A symbol covers every character of which it has a byte.
    """
    start, end = word
    char, reached = start, utf8_length(int(chars[start])) if n > 0 else 0
    byte = 0
    for k in range(n):
        if lengths[k] == 0:
            starts[at + k] = ends[at + k] = end - start
            continue
        while byte >= reached and char + 1 < end:
            char += 1
            reached += utf8_length(int(chars[char]))
        starts[at + k] = char - start
        byte += int(lengths[k])
        while byte > reached and char + 1 < end:
            char += 1
            reached += utf8_length(int(chars[char]))
        ends[at + k] = char + 1 - start


@inner_kernel
def _write_bytes(lengths: I32, n: int, starts: I32, ends: I32, at: int) -> None:
    """Write the start and end of n symbols in the word, in bytes, from index `at` on."""
    byte = 0
    for k in range(n):
        starts[at + k] = byte
        byte += int(lengths[k])
        ends[at + k] = byte


@kernel
def encode(
    chars: U32,
    offsets: I64,
    fields: tuple[Any, ...],
    in_bytes: bool,
    longest: bool | None,
    dropout: float,
    rng: np.random.Generator | None,
) -> tuple[int, Room]:
    """The pieces of all words, after NONE, or the first word that needs an unknown token but has none.

    fields: those of `Tables` as a plain tuple, which numba takes from Python in half the time.
    in_bytes: whether starts and ends are in bytes of UTF-8 instead of characters.
    longest: whether words are split at their longest matches; None: symbols are merged.
    dropout, rng: the probability that a merge is skipped, and the generator to draw from; None: no merge is skipped.
    """
    tables = Tables(*fields)
    # Arrays that are taken out of `tables` once: numba counts references to them at every use, and at every call with
    # `tables`, which took three quarters of the time.
    edges, tokens, merges, results = tables.edges, tables.ids, tables.merges, tables.results
    suffix = tables.suffix if tables.end_of_word == NONE else tables.suffix[:0]
    of_one, in_all = most_symbols(chars, offsets, tables)
    pieces = room(len(offsets) - 1, in_all)
    all_ids, starts, ends, firsts = pieces
    ids, lengths, ranks = np.empty(of_one, np.int32), np.empty(of_one, np.int32), np.empty(SHORT, np.int64)
    at = 0
    firsts[0] = 0
    for i in range(len(offsets) - 1):
        start, end = int(offsets[i]), int(offsets[i + 1])
        n = 0
        if start < end and tables.whole_words:
            n = _whole_word(chars, start, end, edges, tokens, ids, lengths)
        if start < end and n == 0:
            # numba drops this branch if longest is None, which saves the time to compile it.
            if longest is not None:
                n = match_longest(chars, (start, end), tables, ids, lengths, ranks, dropout, rng)
            else:
                known = add_known(chars, start, end, edges, tokens, tables.rest, suffix, ids, lengths)
                n = end - start if known else add_characters(chars, start, end, (start, end), tables, ids, lengths)
                if n != MISSING and tables.end_of_word != NONE:
                    ids[n], lengths[n] = tables.end_of_word, 0
                    n += 1
                n = merge(ids, lengths, n, merges, results, tables.scannable, ranks, dropout, rng)
        if n == MISSING:
            return i, pieces
        for k in range(n):
            all_ids[at + k] = ids[k]
        if in_bytes:
            _write_bytes(lengths, n, starts, ends, at)
        else:
            _write_places(chars, (start, end), lengths, n, starts, ends, at)
        at += n
        firsts[i + 1] = at
    return NONE, used(pieces)
