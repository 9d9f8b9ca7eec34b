"""The strings of the tokens, each found by a hash."""

from __future__ import annotations

from .._kernel import inner_kernel, kernel
from ._merge_arrays import NONE, Strings


@inner_kernel
def _same(strings: Strings, token: int, start: int, end: int) -> bool:
    begin = strings.ends[token]
    if strings.ends[token + 1] - begin != end - start:
        return False
    i = 0
    while start + i < end and strings.chars[begin + i] == strings.chars[start + i]:
        i += 1
    return bool(start + i == end)


@inner_kernel
def _place_of(strings: Strings, start: int, end: int) -> int:
    """Where the table has the string chars[start:end], or the free place for it."""
    code = 0
    for i in range(start, end):
        # Below 2**62, so that numba and Python compute the same.
        code = (code * 1000003 + int(strings.chars[i]) + 1) & 0x3FFFFFFFFFF
    mask = len(strings.table) - 1
    place = (code ^ (code >> 21)) & mask
    while strings.table[place] != NONE and not _same(strings, strings.table[place], start, end):
        place = (place + 1) & mask
    return place


@kernel
def fill_table(strings: Strings, n: int) -> None:
    """Enters the first n tokens."""
    for token in range(n):
        strings.table[_place_of(strings, strings.ends[token], strings.ends[token + 1])] = token


@inner_kernel
def tail(strings: Strings, token: int) -> int:
    """Where the string of a token begins in a merge, of which it is the second part: behind its prefix."""
    begin, size = strings.ends[token], len(strings.prefix)
    if strings.ends[token + 1] - begin < size:
        return int(begin)
    for i in range(size):
        if strings.chars[begin + i] != strings.prefix[i]:
            return int(begin)
    return int(begin + size)


@inner_kernel
def _write_merged(strings: Strings, n: int, a: int, b: int) -> int:
    """Writes the string of a merge of tokens a, b behind the n-th token; its end."""
    end = strings.ends[n]
    for i in range(strings.ends[a], strings.ends[a + 1]):
        strings.chars[end] = strings.chars[i]
        end += 1
    for i in range(tail(strings, b), strings.ends[b + 1]):
        strings.chars[end] = strings.chars[i]
        end += 1
    return int(end)


@inner_kernel
def token_of(strings: Strings, n: int, a: int, b: int) -> int:
    """The token that a merge of tokens a, b gives: the one of the first n that has this string, or n, a new one."""
    end = _write_merged(strings, n, a, b)
    place = _place_of(strings, strings.ends[n], end)
    if strings.table[place] == NONE:
        strings.table[place] = n
        strings.ends[n + 1] = end
    return int(strings.table[place])


@inner_kernel
def known_token(strings: Strings, n: int, a: int, b: int) -> int:
    """The one of the first n tokens that has the string of a merge of a, b; NONE if none has."""
    end = _write_merged(strings, n, a, b)
    return int(strings.table[_place_of(strings, strings.ends[n], end)])
