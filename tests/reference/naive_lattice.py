"""The Unigram model as its definition has it: every segmentation of a word is written down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

UNK_PENALTY = 10.0


# --8<-- [start:segmentations]
class Arc(NamedTuple):
    """A piece at a place; the id is None for an unknown character."""

    start: int
    end: int
    id: int | None
    score: float


class NaiveUnigram:
    """Vocabulary, unk_id and byte_fallback as in `tokenizers.models.Unigram`."""

    def __init__(self, vocab: list[tuple[str, float]], unk_id: int | None, byte_fallback: bool = False) -> None:
        self.vocab = vocab
        self.ids = {piece: id for id, (piece, _) in enumerate(vocab)}
        self.unk_id = unk_id
        self.byte_fallback = byte_fallback
        self.unk_score = min(score for _, score in vocab) - UNK_PENALTY

    def arcs(self, word: str, start: int) -> list[Arc]:
        """What may stand at this place."""
        pieces = [(end, self.ids.get(word[start:end])) for end in range(start + 1, len(word) + 1)]
        found = [Arc(start, end, id, self.vocab[id][1]) for end, id in pieces if id is not None]
        if self.unk_id is not None and all(arc.end != start + 1 for arc in found):
            found.append(Arc(start, start + 1, None, self.unk_score))
        return found

    def segmentations(self, word: str, start: int = 0) -> Iterator[tuple[Arc, ...]]:
        """Every path from that place to the end of the word."""
        if start == len(word):
            yield ()
            return
        for arc in self.arcs(word, start):
            for rest in self.segmentations(word, arc.end):
                yield (arc, *rest)

    def in_order(self, word: str) -> list[tuple[Arc, ...]]:
        """All segmentations, the best first."""
        return sorted(self.segmentations(word), key=_key)

    # --8<-- [end:segmentations]

    def shown(self, path: tuple[Arc, ...]) -> list[tuple[int, int, int | None]]:
        """(start, end, id) with unknown neighbours, the piece unk_id among them, joined; None where that is unknown."""
        joined: list[tuple[int, int, int | None]] = []
        for arc in path:
            id = None if arc.id == self.unk_id else arc.id
            if id is None and joined and joined[-1][2] is None:
                joined[-1] = (joined[-1][0], arc.end, None)
            else:
                joined.append((arc.start, arc.end, id))
        return joined

    def tokens(self, word: str, path: tuple[Arc, ...]) -> list[tuple[int, str, tuple[int, int]]]:
        """(id, token, offsets) of every piece, as `Tokenizer.encode` has them."""
        tokens: list[tuple[int, str, tuple[int, int]]] = []
        for start, end, id in self.shown(path):
            surface = word[start:end]
            names = [f"<0x{byte:02X}>" for byte in surface.encode()]
            if id is None:
                id = self.ids.get(surface)
            if id is not None:
                tokens.append((id, surface, (start, end)))
            elif self.byte_fallback and all(name in self.ids for name in names):
                tokens += [(self.ids[name], name, (start, end)) for name in names]
            else:
                assert self.unk_id is not None
                tokens.append((self.unk_id, surface, (start, end)))
        return tokens

    def encode(self, word: str) -> list[tuple[int, str, tuple[int, int]]]:
        """The tokens of the best segmentation."""
        return self.tokens(word, self.in_order(word)[0])


def score(path: tuple[Arc, ...]) -> float:
    """The sum of the scores, from left to right."""
    total = 0.0
    for arc in path:
        total = arc.score + total
    return total


def probabilities(paths: list[tuple[Arc, ...]], alpha: float = 1.0) -> list[float]:
    """Of these paths, in proportion to exp(alpha * score)."""
    weights = [math.exp(alpha * math.fsum(arc.score for arc in path)) for path in paths]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _key(path: tuple[Arc, ...]) -> list[float]:
    """Highest score first, then the longer last piece, then the same without it."""
    key: list[float] = []
    for length in range(len(path), 0, -1):
        key += [-score(path[:length]), path[length - 1].start]
    return key
