"""WordPiece: the longest token first, from the left (Schuster & Nakajima 2012; Devlin et al. 2019)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._core.arrays import I32, I64, U32
from .._core.files import chosen_prefix, lines_of, named, required, written
from .._core.kernel import inner_kernel, kernel
from .._text.trie import ROOT, step
from .._text.words import Words
from ._explanation import MatchStep, check_length, greedy_steps
from ._model import Pieces, TokenModel, Vocabulary, read_only, room, used

# --- WordPiece's greedy longest match, in arrays

NONE = -1
# In place of an unknown token's id: characters that no token covers are left out.
LEFT_OUT = -2


@inner_kernel
def _longest_match(chars: U32, at: int, end: int, node: int, edges: I64, ids: I32) -> tuple[int, int]:
    """The longest token whose path goes from `node` along chars[at:end], as (where it ends, id); (at, NONE) if none."""
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
    pieces: tuple[I32, I32, I32, I64],
) -> int:
    """Writes the pieces of all words; returns the word that needs an unknown token that is missing, NONE if none does.

    edges, ids: the trie of the vocabulary (`Trie`); rest: the node of the prefix of pieces that are not the first.
    longest: longer words are unknown; unk: the unknown token's id, NONE or LEFT_OUT.
    pieces: the arrays of `Pieces`, with room for one piece a character.
    """
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
                return word
            all_ids[first], starts[first], ends[first] = unk, 0, end - start
            at = first + 1
        firsts[word + 1] = at
    return NONE


# --- WordPiece: the longest token first, from the left (Schuster & Nakajima 2012; Devlin et al. 2019)

# Unicode's White_Space, which the library cuts off; str.rstrip() takes four control characters more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
OPTIONS = ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word")


class WordPiece(TokenModel):
    """A vocabulary, with the options of `tokenizers.models.WordPiece` 0.23.3.

    vocab: from token to id, or the path of vocab.txt.
    unk_token: what a word becomes, as a whole, if one of its parts is no token.
    max_input_chars_per_word: longer words become unk_token, too.
    continuing_subword_prefix: what tokens that do not begin a word begin with.

    Attributes may be read and set; vocab is fixed.  Raises ValueError for an id outside 0..2**31 - 1.

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
        """The pieces of every word.

        Raises ValueError for a word that becomes unk_token if that is not in the vocabulary.
        """
        unk = self._vocabulary.ids.get(self.unk_token, NONE)
        pieces, failed = self._cut(words, self.max_input_chars_per_word, unk)
        if failed != NONE:
            raise ValueError(
                f"WordPiece error: Missing {self.unk_token} token from the vocabulary, but the word "
                f"{words.text(failed)!r} needs it: add it to vocab, or set unk_token to a token that is there"
            )
        return pieces

    def known_parts(self, words: Words) -> Pieces:
        """The pieces of every word, however long, where characters that no token covers are left out.

        >>> model = WordPiece({"un": 0, "##able": 1})
        >>> model.known_parts(Words.of(["un-able", "able"])).ids.tolist()
        [0, 1]
        """
        return self._cut(words, len(words.chars), LEFT_OUT)[0]

    def _cut(self, words: Words, longest: int, unk: int) -> tuple[Pieces, int]:
        trie = self._vocabulary.trie
        pieces = room(words, len(words.chars))
        rest = trie.node(self.continuing_subword_prefix)
        # No number that the kernel has no type for.
        most = min(longest, len(words.chars))
        failed = encode(*read_only(words), trie.edges, trie.ids, rest, most, unk, pieces)
        return used(pieces), failed

    def explain_word(self, word: str) -> list[MatchStep]:
        """The look-ups that cut the word, in their order: the longest string first, then one character less.

        If the last of them fail (id None), the word is unknown.  For a word of more than max_input_chars_per_word
        characters that of unk_token alone.  Raises ValueError for one of more than 500 that is looked up: that takes
        time and space quadratic in its length.
        """
        if len(word) > self.max_input_chars_per_word:
            return [MatchStep(0, 0, len(word), self.unk_token, self.token_to_id(self.unk_token))]
        check_length(word)
        return greedy_steps(word, self._vocabulary.ids, self.continuing_subword_prefix)

    def to_json(self) -> dict[str, Any]:
        """The `model` object of tokenizer.json, its keys in the library's order."""
        options = {name: getattr(self, name) for name in OPTIONS}
        return {"type": "WordPiece", **options, "vocab": self._vocabulary.in_id_order()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WordPiece:
        """The model of such an object; all of its keys but `type` are required, as in the library.

        >>> model = WordPiece({"[UNK]": 0, "a": 1})
        >>> WordPiece.from_json(model.to_json()).get_vocab()
        {'[UNK]': 0, 'a': 1}
        """
        if data.get("type", "WordPiece") != "WordPiece":
            raise ValueError(f"WordPiece: the type is {data['type']!r}")
        vocab = required(data, "vocab", "WordPiece")
        if not isinstance(vocab, Mapping):
            raise ValueError("WordPiece: vocab is no object")
        return cls(vocab, **{name: required(data, name, "WordPiece") for name in OPTIONS})

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """The tokens of vocab.txt, one a line, white space at its end cut off; the id is the line's number from 0."""
        return {line.rstrip(WHITE_SPACE): number for number, line in enumerate(lines_of(Path(vocab)))}

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> WordPiece:
        """The model of vocab.txt, with the options of the class."""
        return cls(vocab, **options)

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None) -> list[str]:
        """Writes vocab.txt, with prefix "name" name-vocab.txt, the tokens sorted by id; returns its path in a list."""
        tokens = "".join(f"{token}\n" for token in self._vocabulary.in_id_order())
        return [written(named(folder, chosen_prefix(prefix, name), "vocab.txt"), tokens)]
