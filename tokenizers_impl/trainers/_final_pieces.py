"""The vocabulary that a Unigram training ends with."""

from __future__ import annotations

from collections.abc import Sequence

from ._unigram_options import UnigramOptions

# Of the trainer of tokenizers 0.23.3: its name for the entry 0, which it never takes into the vocabulary.
_LIBRARY_UNKNOWN = "<UNK>"
_PENALTY = 0.0001

Scored = list[tuple[str, float]]


def _with_required(pieces: Scored, required: list[str]) -> Scored:
    """The required characters with their scores; those that did not survive get scores from the lowest one upwards.

    From 0 if no piece survived; the library writes an infinite score then, which no JSON can hold.
    """
    scores = dict(pieces)
    lowest = min((score for _, score in pieces), default=0.0)
    penalty = 0.0
    result = []
    for char in required:
        if char in scores:
            result.append((char, scores[char]))
        else:
            result.append((char, lowest + penalty))
            penalty += _PENALTY
    return result


def _cut_as_library(pieces: Scored, chosen: Scored, limit: int) -> Scored:
    """Required characters, then the pieces in the order of the model until their number is the limit."""
    taken = {piece for piece, _ in chosen} | {_LIBRARY_UNKNOWN}
    result = list(chosen)
    for piece, score in pieces:
        if piece in taken:
            continue
        result.append((piece, score))
        # Equal to, as the library has it: where the characters alone are more than the limit, nothing is cut off.
        if len(result) == limit:
            break
    return result


def _cut_by_score(pieces: Scored, chosen: Scored, limit: int, taken: set[str]) -> Scored:
    """Required characters, then the pieces with the highest scores up to the limit, none of them twice."""
    chosen = [entry for entry in chosen if entry[0] not in taken]
    taken = taken | {piece for piece, _ in chosen}
    others = sorted((entry for entry in pieces if entry[0] not in taken), key=lambda entry: -entry[1])
    return chosen + others[: max(0, limit - len(chosen))]


def _scored_anew(existing: Sequence[tuple[str, float]], pieces: Scored, leading: list[str]) -> Scored:
    """The entries of a model with what their scores are by now; special tokens, and what no word has, keep theirs."""
    scores = dict(pieces)
    return [(piece, score if piece in leading else scores.get(piece, score)) for piece, score in existing]


def final_pieces(
    pieces: Scored, required: list[str], options: UnigramOptions, existing: Sequence[tuple[str, float]] = ()
) -> Scored:
    """Entries of a model to extend, special tokens with score 0, then the learnt pieces by falling score.

    pieces: those of the model in its order; required: characters, sorted; they come first among equals.

    >>> options = UnigramOptions(vocab_size=3, unk_token="<unk>")
    >>> final_pieces([("a", -1.0), ("ab", -2.0), ("ba", -1.5)], ["a"], options)
    [('<unk>', 0.0), ('a', -1.0), ('ab', -2.0)]
    """
    old = {piece for piece, _ in existing}
    leading = options.leading_tokens
    if not options.quirks:
        leading = [token for token in dict.fromkeys(leading) if token not in old]
    chosen = _with_required(pieces or list(existing), required)
    limit = options.vocab_size - len(leading) - len(existing)
    if options.quirks:
        learnt = _cut_as_library(pieces, chosen, limit)
    else:
        learnt = _cut_by_score(pieces, chosen, limit, old.union(leading))
    learnt.sort(key=lambda entry: -entry[1])
    return _scored_anew(existing, pieces, options.leading_tokens) + [(token, 0.0) for token in leading] + learnt
