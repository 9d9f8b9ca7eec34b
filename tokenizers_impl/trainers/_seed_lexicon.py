"""The lexicon that a Unigram training starts from, with the places of its pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._arrays import F64, I32, I64
from .._kernel import kernel
from .._words import WordCounts
from ._bpe_options import BpeOptions
from ._bpe_training import learn_merges
from ._lexicon import UNKNOWN, Lexicon
from ._piece_matches import Matches, find_matches
from ._seed_pieces import Substrings, located, most_valuable, repeated_substrings
from ._suffix_array import common_prefixes, room, suffix_array
from ._unigram_options import UnigramOptions
from ._word_text import WordText, char_counts


@kernel
def _log_shares(values: I64) -> F64:
    """log(value) - log(sum of values)."""
    scores = np.empty(len(values))
    log_total = math.log(float(values.sum()))
    for i in range(len(values)):
        scores[i] = math.log(float(values[i])) - log_total
    return scores


def _merged_strings(counted: WordCounts, options: UnigramOptions) -> list[str]:
    """What byte-pair encoding makes of the words: its symbols of two characters or more."""
    if options.max_piece_length < 2:
        return []
    length = options.max_piece_length
    limits = BpeOptions(vocab_size=options.seed_size, min_frequency=2, max_token_length=length, compat=None)
    return [token for token in learn_merges(counted, limits).tokens if len(token) > 1 and "\0" not in token]


def _substrings(
    counted: WordCounts, text: WordText, order: I32, reach: I32, longest: int, options: UnigramOptions
) -> Substrings:
    """All substrings that may become pieces."""
    if options.seed == "bpe":
        strings = _merged_strings(counted, options)
        return located(strings, text, order)
    return repeated_substrings(order, common_prefixes(text.symbols, order, longest + 1), reach, longest)


def _possible(pieces: Sequence[str], text: WordText, longest: int) -> list[str]:
    """The pieces of 2 up to `longest` characters, all of them in the text."""
    chars = set(map(chr, text.alphabet[1:].tolist()))
    return [piece for piece in dict.fromkeys(pieces) if 1 < len(piece) <= longest and chars.issuperset(piece)]


def seed_lexicon(
    counted: WordCounts, text: WordText, options: UnigramOptions, existing: Sequence[str] = ()
) -> tuple[Lexicon, Matches]:
    """All characters by falling count, then substrings by falling value; scores log(value / sum of values).

    The value of a character is its count in the corpus, that of a substring its length times its occurrences in
    distinct words, as in the library.  text: of these words, at least one.
    existing: pieces that stay, as far as they occur; they come before the other substrings.
    """
    weights = char_counts(text.symbols, text.starts, text.counts, len(text.alphabet))
    letters = 1 + np.lexsort((np.arange(1, len(weights)), weights[1:]))[::-1]
    reach = room(text.symbols)
    possible = _possible(existing, text, int(reach.max()))
    longest = min(options.max_piece_length, int(reach.max()))
    order = suffix_array(text.symbols, reach, 1 + max([longest, *map(len, possible)]))
    found = _substrings(counted, text, order, reach, longest, options)
    del reach
    old, old_values = most_valuable(located(possible, text, order), len(possible))
    # The library looks at the number of seeds after adding one, so that there is always one substring.
    limit = max(1, options.seed_size - len(letters) - len(old_values))
    new, new_values = most_valuable(found.without(old) if existing else found, limit)
    del found
    substrings = Substrings(*(np.concatenate(columns) for columns in zip(old, new, strict=True)))
    values = np.concatenate((weights[letters], old_values, new_values))
    names = np.arange(1, 1 + len(values), dtype=np.int32)
    alphabet = np.full(len(text.alphabet), UNKNOWN, np.int32)
    alphabet[letters] = names[: len(letters)]
    by_text = np.lexsort((substrings.lengths, substrings.starts))
    matches = find_matches(order, text.symbols, substrings.take(by_text), names[len(letters) + by_text], alphabet)
    place = np.zeros(len(text.alphabet), np.int32)
    place[text.symbols[order]] = order
    places = np.concatenate((place[letters], order[substrings.starts]))
    lengths = np.concatenate((np.ones(len(letters), np.int32), substrings.lengths))
    stays = np.arange(len(values)) < len(letters) + len(old_values)
    stays[: len(letters)] = np.isin(text.alphabet[letters], [ord(piece) for piece in existing if len(piece) == 1])
    return Lexicon.of(places, lengths, _log_shares(values), stays), matches
