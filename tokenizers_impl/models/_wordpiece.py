"""WordPiece: greedy longest match from the left (Schuster & Nakajima 2012; Devlin et al. 2019)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenscore.kernel import inner_kernel, kernel

from .._core.arrays import I32, I64, U32
from .._core.files import chosen_prefix, lines_of, named, required, written
from .._text.trie import ROOT, step
from .._text.words import Words
from ._explanation import MatchStep, check_length, greedy_steps
from ._model import Pieces, Room, TokenModel, Vocabulary, room, used

# --- The kernel of the greedy longest match

NONE = -1
# In place of the unknown token's id: skip characters that no token covers.
LEFT_OUT = -2


@inner_kernel
def _longest_match(chars: U32, at: int, end: int, node: int, edges: I64, ids: I32) -> tuple[int, int]:
    """The longest token that follows chars[at:end] from `node`, as (end, id); (at, NONE) without a match."""
    matched, token = at, NONE
    for i in range(at, end):
        if node != NONE:
            node = step(edges, node, int(chars[i]))
        if node == NONE:
            break
        if ids[node] != NONE:
            matched, token = i + 1, int(ids[node])
    return matched, token


@kernel
def encode(
    chars: U32,
    offsets: I64,
    edges: I64,
    ids: I32,
    rest: int,
    longest: int,
    unk: int,
) -> tuple[int, Room]:
    """The pieces of all words, after NONE, or the first word that needs the unknown token if `unk` is NONE.

    edges, ids: the trie of the vocabulary (`Trie`); rest: the trie node of continuing_subword_prefix.
    longest: longer words are unknown; unk: the unknown token's id, NONE or LEFT_OUT.
    """
    pieces = room(len(offsets) - 1, len(chars))
    all_ids, starts, ends, firsts = pieces
    at = 0
    firsts[0] = 0
    for word in range(len(offsets) - 1):
        start, end = int(offsets[word]), int(offsets[word + 1])
        first, i = at, start
        while i < end and end - start <= longest:
            matched, token = _longest_match(chars, i, end, ROOT if i == start else rest, edges, ids)
            if token != NONE:
                all_ids[at], starts[at], ends[at] = token, i - start, matched - start
                at += 1
                i = matched
            elif unk == LEFT_OUT:
                i += 1
            else:
                break
        if i < end:
            if unk == NONE:
                return word, pieces
            all_ids[first], starts[first], ends[first] = unk, 0, end - start
            at = first + 1
        firsts[word + 1] = at
    return NONE, used(pieces)


# --- The model

# Unicode's White_Space, which the library strips; str.rstrip() also strips four control characters.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
OPTIONS = ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word")


class WordPiece(TokenModel):
    """Splits a word into the longest tokens from the left, with the options of `tokenizers.models.WordPiece` 0.23.3.

    Algorithm: Schuster & Nakajima 2012; Devlin et al. 2019.
    vocab: mapping from token to id, or the path of vocab.txt; None: empty.
    unk_token: the token of a word of which some part is not in vocab; it replaces the whole word.
    max_input_chars_per_word: words with more characters become unk_token.
    continuing_subword_prefix: the prefix of tokens that do not begin a word.

    vocab is fixed; other attributes may be set.  ValueError for an id outside 0..2**31 - 1.

    >>> from tokenizers_impl import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "un": 1, "##able": 2}))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    >>> tokenizer.encode("unable able").tokens
    ['un', '##able', '[UNK]']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        *,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
    ) -> None:
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word
        self.continuing_subword_prefix = continuing_subword_prefix
        self._vocabulary = Vocabulary(self.read_file(vocab) if isinstance(vocab, str) else vocab or {})

    def encode_words(self, words: Words) -> Pieces:
        """Split every word into pieces; ValueError for a word that becomes unk_token if that is not in vocab."""
        unk = self._vocabulary.ids.get(self.unk_token, NONE)
        pieces, failed = self._cut(words, self.max_input_chars_per_word, unk)
        if failed != NONE:
            raise ValueError(
                f"WordPiece error: Missing {self.unk_token} token from the vocabulary, but the word "
                f"{words.text(failed)!r} needs it: add it to vocab, or set unk_token to a token of vocab"
            )
        return pieces

    def known_parts(self, words: Words) -> Pieces:
        """Split every word into pieces, whatever its length, and skip characters that no token covers.

        >>> model = WordPiece({"un": 0, "##able": 1})
        >>> model.known_parts(Words.of(["un-able", "able"])).ids.tolist()
        [0, 1]
        """
        return self._cut(words, len(words.chars), LEFT_OUT)[0]

    def _cut(self, words: Words, longest: int, unk: int) -> tuple[Pieces, int]:
        trie = self._vocabulary.trie
        rest = trie.node(self.continuing_subword_prefix)
        # max_input_chars_per_word may exceed the kernel's integer type.
        most = min(longest, len(words.chars))
        failed, pieces = encode(*words, trie.edges, trie.ids, rest, most, unk)
        return Pieces(*pieces), failed

    def explain_word(self, word: str) -> list[MatchStep]:
        """Return the look-ups that split the word, in their order: the longest string first, then one character less.

        If the last look-ups fail (id None), the word is unknown.  A word of more than max_input_chars_per_word
        characters has one look-up, that of unk_token.  ValueError for any other word of more than 500 characters,
        because its look-ups need quadratic time and space.
        """
        if len(word) > self.max_input_chars_per_word:
            return [MatchStep(0, 0, len(word), self.unk_token, self.token_to_id(self.unk_token))]
        check_length(word)
        return greedy_steps(word, self._vocabulary.ids, self.continuing_subword_prefix)

    def to_json(self) -> dict[str, Any]:
        """Return the `model` object of tokenizer.json, with its keys in the library's order."""
        options = {name: getattr(self, name) for name in OPTIONS}
        return {"type": "WordPiece", **options, "vocab": self._vocabulary.in_id_order()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WordPiece:
        """Read a `model` object; all keys but `type` are required, as in the library.

        >>> model = WordPiece({"[UNK]": 0, "a": 1})
        >>> WordPiece.from_json(model.to_json()).get_vocab()
        {'[UNK]': 0, 'a': 1}
        """
        if data.get("type", "WordPiece") != "WordPiece":
            raise ValueError(f"WordPiece: type is {data['type']!r}: expected 'WordPiece'")
        vocab = required(data, "vocab", "WordPiece")
        if not isinstance(vocab, Mapping):
            raise ValueError("WordPiece: vocab must be an object")
        return cls(vocab, **{name: required(data, name, "WordPiece") for name in OPTIONS})

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Read a vocab.txt, one token per line without trailing white space; the id is the line number from 0."""
        return {line.rstrip(WHITE_SPACE): number for number, line in enumerate(lines_of(Path(vocab)))}

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> WordPiece:
        """Build a model from the path of vocab.txt, with the options of the class."""
        return cls(vocab, **options)

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write vocab.txt, or prefix-vocab.txt, sorted by id; returns its path in a list."""
        tokens = "".join(f"{token}\n" for token in self._vocabulary.in_id_order())
        return [written(named(folder, chosen_prefix(prefix, name), "vocab.txt"), tokens)]
