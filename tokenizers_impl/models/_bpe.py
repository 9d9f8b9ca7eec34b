"""Byte pair encoding (Sennrich et al. 2016), with its files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat
from operator import contains
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .._core.arrays import I32, I64, code_points, packed
from .._core.files import chosen_prefix, dumps, lines_of, named, read_text, required, written
from .._core.options import checked_option
from .._text.words import Words
from ._bpe_kernel import encode
from ._bpe_merges import DROPPED, MISSING, NONE, FlatMerges, Merge, Merges, Tables
from ._explanation import MatchStep, MergeStep, check_length, longest_steps, merge_steps
from ._model import Pieces, TokenModel, Vocabulary

# --- The files vocab.json and merges.txt


def vocab_and_merges(
    vocab: Mapping[str, int] | str | None, merges: Sequence[Merge] | str | None
) -> tuple[Mapping[str, int], Sequence[Merge]]:
    """The vocabulary and the merges, read from files if they are paths; ValueError if one of them is missing."""
    if (vocab is None) != (merges is None):
        raise ValueError("vocab and merges: give both or neither")
    if isinstance(vocab, str) and isinstance(merges, str):
        return read_files(vocab, merges)
    if isinstance(vocab, str) or isinstance(merges, str):
        raise ValueError("vocab and merges: give two paths, or a mapping and a list")
    return vocab or {}, merges or []


def read_files(vocab: str, merges: str) -> tuple[dict[str, int], FlatMerges]:
    """Read vocab.json and merges.txt."""
    try:
        tokens = json.loads(read_text(vocab))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"{vocab} is not a valid vocab.json ({error}): give the path of vocab.json, then that of merges.txt"
        ) from None
    if not isinstance(tokens, dict):
        raise ValueError(f"{vocab}: expected a JSON object from token to id")
    return tokens, parse_merges(lines_of(Path(merges)))


def parse_merges(lines: Sequence[str]) -> FlatMerges:
    """Parse merges from lines "left right"; as in the library, lines that begin with #version are not counted.

    >>> list(parse_merges(["#version: 0.2", "l o", "lo w"]))
    [('l', 'o'), ('lo', 'w')]
    """
    joined = " ".join(lines)
    if "#version" in joined:
        lines = [line for line in lines if not line.startswith("#version")]
        joined = " ".join(lines)
    tokens = joined.split(" ") if lines else []
    if len(tokens) != 2 * len(lines) or not all(map(contains, lines, repeat(" "))):
        number, line = next((i, line) for i, line in enumerate(lines) if line.count(" ") != 1)
        raise ValueError(f"merges: line {number + 1} is {line!r}: expected two tokens with one space between")
    return FlatMerges(tokens)


def write_files(
    folder: str | os.PathLike[str], prefix: str | None, vocab: Mapping[str, int], merges: Sequence[Sequence[str]]
) -> list[str]:
    """Write vocab.json and merges.txt, or prefix-vocab.json and prefix-merges.txt; returns their paths.

    ValueError for a merge with a space or a line feed in it, which merges.txt cannot hold.
    """
    for merge in merges:
        if not set(" \n").isdisjoint("".join(merge)):
            raise ValueError(f"merges.txt cannot hold the merge {tuple(merge)!r}: save tokenizer.json instead")
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    return [
        written(named(folder, prefix, "vocab.json"), dumps(vocab)),
        written(named(folder, prefix, "merges.txt"), "#version: 0.2\n" + lines),
    ]


# --- Byte pair encoding (Sennrich et al. 2016)

FLAGS = ("fuse_unk", "byte_fallback", "ignore_merges")
STRINGS = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")
# The `type` in tokenizer.json of models that the library lacks.  The library ignores unknown keys, so only an unknown
# type keeps it from reading such a model and encoding differently.
OWN_TYPE = "EvenscoreBPE"


class BPE(TokenModel):
    """Byte-pair encoding: splits a word into characters, then applies merges in the order of their ranks.

    Algorithm: Sennrich et al. 2016.  The options of `tokenizers.models.BPE` 0.23.3, with the same tokens:
    vocab: mapping from token to id, or the path of vocab.json.
    merges: pairs of tokens by rank, or the path of merges.txt.
    cache_capacity: accepted for compatibility; it has no effect, because equal words are encoded only once.
    dropout: probability in [0, 1] of skipping a merge (Provilkov et al. 2020, "BPE-dropout"); None: 0.
    unk_token: the token of characters that are not in vocab; None: they are dropped.
    continuing_subword_prefix: precedes every character that does not begin its word.
    end_of_word_suffix: follows the last character of every word.
    fuse_unk: whether adjacent unknown characters share one unk_token.
    byte_fallback: whether an unknown character becomes its bytes, such as <0xC3><0xA9>, if vocab has all of them.
    ignore_merges: whether a word that is in vocab becomes that token without merges; no effect with dropout.

    Options that the library lacks:
    match: "longest": instead of merging, take the longest symbol in the rest of the word (the leftmost of several)
      until none is left, then encode the parts that no symbol covers by merges.  A symbol occurs at word[i:j] if vocab
      has word[i:j] with the affixes of that position; its length is j - i.
    end_of_word: "symbol": end_of_word_suffix is a separate symbol after the last character, as in the paper, and merges
      may join it.  It covers no character: its piece starts and ends at the end of the word.
    seed: integer of 0 or more that seeds dropout in every call; None: each call draws different numbers.
    merge_counts: attribute, int64, shape (merges,); the count of each merge's pair in the training corpus, or None.

    vocab and merges are fixed; other attributes may be set.  ValueError for an id outside 0..2**31 - 1, a merge whose
    parts or result are not in vocab, dropout outside [0, 1], and end_of_word="symbol" with a suffix that vocab lacks.

    >>> from tokenizers_impl import Tokenizer, models
    >>> model = models.BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")])
    >>> Tokenizer(model).encode("olow").tokens
    ['o', 'low']
    """

    _fixed = frozenset({"merges"})
    _unkept = frozenset({"vocab", "cache_capacity"})
    # The merges as given, if two tokens share an id; otherwise their ids tell the tokens.
    _named_merges: list[Merge] | None = None
    merge_counts: I64 | None

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Sequence[Merge] | str | None = None,
        *,
        cache_capacity: int | None = None,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        match: Literal["merges", "longest"] = "merges",
        end_of_word: Literal["glued", "symbol"] = "glued",
        seed: int | None = None,
    ) -> None:
        checked_option("cache_capacity", cache_capacity, int | None)
        self.dropout = dropout
        self.unk_token = unk_token
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.fuse_unk = fuse_unk
        self.byte_fallback = byte_fallback
        self.ignore_merges = ignore_merges
        self.match = match
        self.end_of_word = end_of_word
        self.seed = seed
        self.merge_counts = None
        tokens, pairs = vocab_and_merges(vocab, merges)
        self._vocabulary = Vocabulary(tokens)
        self._merges = Merges.of(pairs, self._vocabulary.ids, continuing_subword_prefix or "")
        if not self._vocabulary.has_own_ids:
            self._named_merges = [(left, right) for left, right in pairs]
        self._end_of_word_id()

    def _checked(self, name: str, value: Any) -> Any:
        kept = super()._checked(name, value)
        if name == "dropout" and kept is not None and not 0 <= kept <= 1:
            raise ValueError(f"dropout is {value!r}: should be between 0 and 1, inclusive, or None")
        return kept

    @cached_property
    def merges(self) -> list[Merge]:
        """The pairs of tokens that merge, by rank."""
        if self._named_merges is not None:
            return self._named_merges
        return list(zip(self._names(self._merges.lefts), self._names(self._merges.rights), strict=True))

    def _names(self, ids: I32) -> list[str]:
        """The tokens of these ids."""
        return list(map(self._vocabulary.tokens.__getitem__, ids.tolist()))

    @property
    def is_random(self) -> bool:
        """Whether dropout is on."""
        return bool(self.dropout)

    def encode_words(self, words: Words) -> Pieces:
        """Split every word into pieces.

        Offsets are the library's: pieces follow each other in the bytes of the word, and a piece covers every character
        of which it has a byte.  After a dropped character the offsets are therefore shifted.  Byte tokens of an affix
        come after the word's end: their offsets are outside the text in the library, and its last character here.
        With dropout, pass every occurrence of a word, because each is split differently.
        ValueError for an unknown character if unk_token is set but not in vocab.
        """
        return self._pieces(words, in_bytes=False)

    def _tokens_in_bytes(self, word: Words) -> tuple[Pieces, list[str]]:
        pieces = self._pieces(word, in_bytes=True)
        return pieces, self.token_texts(word, pieces)

    def _pieces(self, words: Words, *, in_bytes: bool) -> Pieces:
        dropout = self.dropout or 0.0
        rng = np.random.default_rng(self.seed) if dropout else None
        longest = True if self.match == "longest" else None
        failed, pieces = encode(*words, tuple(self._tables), in_bytes, longest, dropout, rng)
        if failed != NONE:
            raise ValueError(
                f"Unk token `{self.unk_token}` not found in the vocabulary, but {words.text(failed)[:80]!r} needs it: "
                "add it to vocab, or set unk_token=None to drop unknown characters"
            )
        return Pieces(*pieces)

    @property
    def _tables(self) -> Tables:
        """The tables of the kernel, kept until an option is set."""
        revision = self.revision
        kept = self.__dict__.get("_kept_tables")
        if kept is None or kept[0] is not revision:
            kept = self.__dict__["_kept_tables"] = (revision, self._made_tables())
        tables: Tables = kept[1]
        return tables

    def _made_tables(self) -> Tables:
        trie, byte_ids, merges = self._vocabulary.trie, self._vocabulary.byte_ids, self._merges
        prefix, suffix = self.continuing_subword_prefix or "", self.end_of_word_suffix or ""
        glued = self.end_of_word == "glued"
        return Tables(
            edges=trie.edges,
            ids=trie.ids,
            merges=merges.ranks,
            results=merges.results,
            rest=trie.node(prefix),
            suffix=code_points(suffix),
            end_of_word=self._end_of_word_id(),
            unk=DROPPED if self.unk_token is None else self._vocabulary.ids.get(self.unk_token, MISSING),
            fuse_unk=self.fuse_unk,
            bytes=byte_ids if self.byte_fallback else byte_ids[:0],
            prefix_bytes=byte_ids[list(prefix.encode())] if prefix else byte_ids[:0],
            suffix_bytes=byte_ids[list(suffix.encode())] if suffix and glued else byte_ids[:0],
            whole_words=self.ignore_merges and not self.dropout,
            scannable=self._scannable,
        )

    def _end_of_word_id(self) -> int:
        suffix = self.end_of_word_suffix
        if self.end_of_word == "glued" or not suffix or not self._vocabulary.ids:
            return NONE
        if suffix not in self._vocabulary.ids:
            raise ValueError(f"end_of_word='symbol' needs end_of_word_suffix {suffix!r} in vocab: add it")
        return self._vocabulary.ids[suffix]

    @cached_property
    def _scannable(self) -> bool:
        return self._merges.lengthen and self._vocabulary.has_own_ids

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        state.pop("_kept_tables", None)
        if self.merge_counts is not None:
            state["merge_counts"] = packed(self.merge_counts)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.merge_counts is not None:
            self.__dict__["merge_counts"] = self.merge_counts.astype(np.int64)

    def explain_word(self, word: str) -> list[MergeStep] | list[MatchStep]:
        """Return the merges that build the word's pieces, in their order; dropout is ignored.

        The list is empty for a word that becomes one token without merges (ignore_merges).  With match="longest" it
        has the matches, in their order.  ValueError for merges of a word of more than 500 characters, because they need
        quadratic time and space.

        >>> model = BPE({"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}, [("l", "o"), ("lo", "w")])
        >>> for step in model.explain_word("low"):
        ...     print(step.rank, step.left, step.right, step.symbols)
        0 l o ('lo', 'w')
        1 lo w ('low',)
        """
        if self.match == "longest":
            prefix, suffix = self.continuing_subword_prefix or "", self.end_of_word_suffix or ""
            return longest_steps(word, self.encode_words(Words.of([word])), self._vocabulary.ids, prefix, suffix)
        if self.ignore_merges and word in self._vocabulary.ids:
            return []
        check_length(word)
        options = {name: getattr(self, name) for name in (*FLAGS, *STRINGS, "end_of_word")}
        symbols = BPE(self._vocabulary.ids, [], **options).encode_words(Words.of([word])).ids.tolist()
        return merge_steps(symbols, self._merges, self._vocabulary.tokens.__getitem__, self.merge_counts)

    def to_json(self) -> dict[str, Any]:
        """Return the `model` object of tokenizer.json, with its keys in the library's order.

        A seed is an extra key, which the library ignores.  With match="longest" or end_of_word="symbol", which the
        library lacks, the object has these keys and the type "EvenscoreBPE", which the library refuses.
        """
        extras: dict[str, Any] = {} if self.seed is None else {"seed": self.seed}
        own = self.match != "merges" or self.end_of_word != "glued"
        if own:
            extras |= {"match": self.match, "end_of_word": self.end_of_word}
        ranks = self._merges.in_force()
        lefts, rights = (self._names(side[ranks]) for side in (self._merges.lefts, self._merges.rights))
        return {
            "type": OWN_TYPE if own else "BPE",
            # The library stores dropout as float32.
            "dropout": None if self.dropout is None else float(str(np.float32(self.dropout))),
            **{name: getattr(self, name) for name in (*STRINGS, *FLAGS)},
            **extras,
            "vocab": self._vocabulary.in_id_order(),
            "merges": list(map(list, zip(lefts, rights, strict=True))),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BPE:
        """Read a `model` object; merges may be strings "a b", and missing or null options get their defaults.

        >>> BPE.from_json({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}).merges
        [('a', 'b')]
        """
        if data.get("type", "BPE") not in ("BPE", OWN_TYPE):
            raise ValueError(f"BPE: type is {data['type']!r}: expected 'BPE' or {OWN_TYPE!r}")
        options = ("dropout", *STRINGS, *FLAGS, "seed", "match", "end_of_word")
        given = {name: data[name] for name in options if data.get(name) is not None}
        vocab, merges = required(data, "vocab", "BPE"), required(data, "merges", "BPE")
        if not isinstance(vocab, Mapping) or not isinstance(merges, list):
            raise ValueError("BPE: vocab must be an object and merges an array")
        if merges and isinstance(merges[0], str):
            merges = parse_merges(merges)
        return cls(vocab, merges, **given)

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[dict[str, int], list[Merge]]:
        """Read vocab.json and merges.txt; returns the vocabulary and the merges."""
        tokens, pairs = read_files(vocab, merges)
        return tokens, list(pairs)

    @classmethod
    def from_file(cls, vocab: str, merges: str, **options: Any) -> BPE:
        """Build a model from the paths of vocab.json and merges.txt, with the options of the class."""
        return cls(vocab, merges, **options)

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write vocab.json and merges.txt, or prefix-vocab.json and prefix-merges.txt; returns their paths.

        ValueError for a merge with a space or a line feed in it, which merges.txt cannot hold.
        """
        data = self.to_json()
        return write_files(folder, chosen_prefix(prefix, name), data["vocab"], data["merges"])
