"""What a tokenizer does to texts, in numbers: lengths, shares of words and of the vocabulary, parity of languages."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from ._core.arrays import I64
from ._core.options import as_list
from .trainers import Trainer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Measures", "VocabularyCurve", "measure", "parity", "vocabulary_curve"]


def __dir__() -> list[str]:
    return __all__


# The order of the Rényi entropy that Zouhar et al. (2023) recommend.
ALPHA = 2.5
_WORD = re.compile(r"\S+")


class Measures(TypedDict):
    """The result of `measure`, which defines every number."""

    tokens: int
    words: int
    tokens_per_word: float
    bytes_per_token: float
    characters_per_token: float
    continued_words: float
    unknown_rate: float
    byte_fallback_rate: float
    used_vocabulary: float
    entropy: float
    renyi_efficiency: float


def measure(tokenizer: Any, texts: Iterable[str]) -> Measures:
    """Measure what a tokenizer does to texts.

    tokenizer: one of these, told apart by their methods:
      an object with `encode_batch` and `get_vocab`, such as a Tokenizer of this package or of `tokenizers`; ValueError
      if its truncation or padding is on;
      a fast tokenizer of transformers, which is called;
      an Encoding of tiktoken, which takes special tokens in the text for ordinary text, and whose vocabulary has
      n_vocab tokens.
    texts: strings.  ValueError for anything else.

    Special tokens of the post-processor are left out.  A word is what white space separates, as for `str.split`; in a
    language that writes no spaces, a sentence is a word, so read characters_per_token there.

    tokens, words: their numbers in all texts.
    tokens_per_word: tokens / words, the fertility (Rust et al. 2021, "How good is your tokenizer?", section 4.1).
    bytes_per_token: UTF-8 bytes of the texts / tokens.  characters_per_token: code points of the texts / tokens.
    continued_words: the share of words, in [0, 1], that lie in several tokens (Rust et al. 2021).  A token counts if it
      covers a character of the word, by its offsets.  So a space that is a token of its own does not count, nor does
      the "▁" or "Ġ" that the tokenizer puts before a text.
    unknown_rate: the share of tokens that are the unknown token: the model's unk_token or unk_id in tokenizer.json, or
      the unk_token_id of transformers.  tiktoken has none.
    byte_fallback_rate: the share of tokens <0x00> to <0xFF>.  Byte-level tokenizers have no such tokens, so 0.
    used_vocabulary: the share of the vocabulary, added tokens included, that occurs.
    entropy: the Shannon entropy of the tokens' frequencies p, -sum(p log2 p), in bits.
    renyi_efficiency: log(sum(p**2.5)) / (1 - 2.5) / log(size of the vocabulary), in [0, 1]: the Rényi entropy of order
      2.5 over the largest possible one (Zouhar et al. 2023, "Tokenization and the noiseless channel", section 4).
    Where there is nothing to divide by, a ratio is 0.0: no texts give zeros.

    >>> from tokenizers_impl import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "low": 1, "##er": 2, "new": 3}, unk_token="[UNK]"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    >>> found = measure(tokenizer, ["low lower", "fast"])
    >>> found["tokens"], found["words"], found["bytes_per_token"], found["used_vocabulary"], found["entropy"]
    (4, 3, 3.25, 0.75, 1.5)
    >>> [round(found[name], 3) for name in ("tokens_per_word", "continued_words", "unknown_rate", "renyi_efficiency")]
    [1.333, 0.333, 0.25, 0.688]
    """
    checked = _checked("texts", texts)
    read = _AnyTokenizer.of(tokenizer)
    seen = Counter[int]()
    words = continued = 0
    for text, (ids, spans) in read.encoded(checked):
        seen.update(ids)
        pieces = pieces_of_words(text, spans)
        words, continued = words + len(pieces), continued + int(np.count_nonzero(pieces > 1))
    tokens = seen.total()
    return Measures(
        tokens=tokens,
        words=words,
        tokens_per_word=_ratio(tokens, words),
        bytes_per_token=_ratio(sum(len(text.encode()) for text in checked), tokens),
        characters_per_token=_ratio(sum(map(len, checked)), tokens),
        continued_words=_ratio(continued, words),
        unknown_rate=_ratio(0 if read.unknown is None else seen[read.unknown], tokens),
        byte_fallback_rate=_ratio(sum(seen[id] for id in read.bytes), tokens),
        used_vocabulary=_ratio(len(seen), read.size),
        entropy=_entropy(seen),
        renyi_efficiency=_renyi_efficiency(seen, read.size),
    )


def parity(tokenizer: Any, texts: Mapping[str, Iterable[str]], *, pivot: str | None = None) -> dict[str, float]:
    """Return how many times as many tokens each language needs as the pivot, for the same content.

    tokenizer: as in `measure`.
    texts: from language to its texts; text i has the same content in all languages.
    pivot: the language to compare with; None: the first one.

    The ratio is tokens of the language / tokens of the pivot, over all texts: the premium of Petrov et al. 2023,
    "Language model tokenizers introduce unfairness between languages", section 3.  1.0: parity.
    ValueError if texts is no mapping or has no language, the pivot is none of them, the languages have different
    numbers of texts, or the pivot has no tokens.

    >>> from tokenizers_impl import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    >>> parity(tokenizer, {"one": ["ab", "abab"], "other": ["ba", "baba"]}, pivot="one")
    {'one': 1.0, 'other': 1.6666666666666667}
    """
    if not isinstance(texts, Mapping):
        raise ValueError(
            f"texts is of type {type(texts).__name__}: give a mapping from languages to texts, such as "
            "{'en': [...], 'de': [...]}"
        )
    checked = {language: _checked(f"texts[{language!r}]", own) for language, own in texts.items()}
    first = next(iter(checked), None) if pivot is None else pivot
    if first not in checked:
        raise ValueError(
            f"pivot={pivot!r}: give one of the languages of texts, {', '.join(checked) or 'of which is none'}"
        )
    for language, own in checked.items():
        if len(own) != len(checked[first]):
            raise ValueError(
                f"{language} has {len(own)} texts but {first} has {len(checked[first])}: give the same texts in all "
                "languages"
            )
    read = _AnyTokenizer.of(tokenizer)
    tokens = {language: sum(len(found.ids) for _, found in read.encoded(own)) for language, own in checked.items()}
    if not tokens[first]:
        raise ValueError(f"the texts of the pivot {first} have no tokens: give texts that have some")
    return {language: own / tokens[first] for language, own in tokens.items()}


def pieces_of_words(text: str, spans: I64) -> I64:
    """Return for each word of a text how many tokens cover a part of it.

    spans: shape (tokens, 2), in characters; an empty span covers nothing.

    >>> pieces_of_words("low lower", np.array([[0, 3], [3, 7], [7, 9]])).tolist()
    [1, 2]
    """
    words = np.array([found.span() for found in _WORD.finditer(text)], np.int64).reshape(-1, 2)
    starts, ends = spans[spans[:, 0] < spans[:, 1]].T
    first, behind = np.searchsorted(words[:, 1], starts, "right"), np.searchsorted(words[:, 0], ends, "left")
    changes = np.bincount(first, minlength=len(words) + 1) - np.bincount(behind, minlength=len(words) + 1)
    pieces: I64 = np.cumsum(changes)[:-1]
    return pieces


def _checked(name: str, texts: Iterable[str]) -> list[str]:
    listed = as_list(f"{name} is", texts, "strings")
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(f"{name}: text {i} is {text!r:.80}: give a string")
    return listed


def _ratio(of: int, to: int) -> float:
    return of / to if to else 0.0


def _entropy(seen: Counter[int]) -> float:
    tokens = seen.total()
    # Sums are exact, so the order of the tokens does not matter.
    return math.fsum(count / tokens * math.log2(tokens / count) for count in seen.values())


def _renyi_efficiency(seen: Counter[int], size: int) -> float:
    tokens = seen.total()
    if not tokens or size < 2:
        return 0.0
    powers = math.fsum((count / tokens) ** ALPHA for count in seen.values())
    # Rounding may lead out of [0, 1], and a single token to -0.0.
    return min(1.0, max(0.0, math.log(powers) / (1 - ALPHA) / math.log(size)))


# --- How the corpus gets shorter as the vocabulary grows


class VocabularyCurve(NamedTuple):
    """The length of the training corpus by the size of the vocabulary.

    vocab_size: sizes, rising: every size for BPE and WordPiece; for Unigram some sizes above that of the tokenizer.
    corpus_tokens: the tokens of the corpus at each size.  For BPE they are those that encoding gives.  For WordPiece
      they are those after the merges; encoding takes the longest token, which may need fewer.  For Unigram they are
      floats: the expected number over all segmentations, under the probabilities before the EM step.  Encoding takes
      the most probable one, so the finished tokenizer has other numbers: measure it.
    """

    vocab_size: list[int]
    corpus_tokens: list[float]

    def plot(self) -> Figure:
        """Plot the curve; needs matplotlib.  See `evenscore.tokenizer_plots.plot_curve`."""
        from evenscore.tokenizer_plots import plot_curve

        is_expected = any(isinstance(tokens, float) for tokens in self.corpus_tokens)
        return plot_curve(self.vocab_size, self.corpus_tokens, is_expected=is_expected)


def vocabulary_curve(trainer: Trainer) -> VocabularyCurve:
    """Return the length of the corpus at every size of the vocabulary that the last training went through.

    So one training shows from which size on a larger vocabulary makes the text hardly shorter.

    trainer: a BPE, WordPiece or Unigram trainer after training; before, the curve is empty.  BPE and WordPiece go
      through every size.  Unigram goes down in steps, from more pieces than are asked for, and ends above the size of
      the tokenizer; at each size the length after the last EM step counts.
    ValueError for anything else, and for a WordLevelTrainer, which has whole words only.

    >>> from tokenizers_impl import Tokenizer, models, trainers
    >>> trainer = trainers.BpeTrainer(num_merges=3, show_progress=False)
    >>> Tokenizer(models.BPE()).train_from_counts({"low": 5, "lower": 2, "lot": 1}, trainer)
    >>> vocabulary_curve(trainer)
    VocabularyCurve(vocab_size=[7, 8, 9], corpus_tokens=[20, 13, 11])
    """
    if not isinstance(trainer, Trainer):
        raise ValueError(
            f"trainer is of type {type(trainer).__name__}: give the trainer that trained the tokenizer, since a "
            "tokenizer does not keep the lengths"
        )
    history = trainer.history
    if history and "corpus_tokens" not in history[0]:
        raise ValueError(
            f"{type(trainer).__name__} keeps no lengths of the corpus: give a BpeTrainer, WordPieceTrainer or "
            "UnigramTrainer"
        )
    lengths = dict(_lengths(history))
    sizes = sorted(lengths)
    return VocabularyCurve(sizes, [lengths[size] for size in sizes])


def _lengths(history: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, float]]:
    """Yield sizes with lengths of the corpus; an EM step tells the length before it, hence at the size before it."""
    for before, row in zip([{}, *history], history, strict=False):
        at = before if row.get("kind") == "em" else row
        if row["corpus_tokens"] is not None:
            yield at["vocab_size"], row["corpus_tokens"]


# --- One view of the tokenizers of several libraries: the ids of texts, and where each token lies

# Texts that are encoded at once; more take more memory and no less time.
_BATCH = 1000


class _TextTokens(NamedTuple):
    """The tokens of one text.

    ids: n ids.  spans: int64, shape (n, 2); token i covers the characters text[spans[i, 0]:spans[i, 1]].
    """

    ids: Sequence[int]
    spans: I64


class _AnyTokenizer(NamedTuple):
    """A tokenizer of any library.

    encode: from texts to their tokens, without special tokens.
    size: the number of tokens in its vocabulary, added tokens included.
    unknown: the id of its unknown token, None without one.
    bytes: the ids of <0x00>, <0x01> ... <0xFF> that its vocabulary has.
    spaces: the ids of "▁" and "Ġ", which stand for a space.
    """

    encode: Callable[[list[str]], list[_TextTokens]]
    size: int
    unknown: int | None = None
    bytes: frozenset[int] = frozenset()
    spaces: Mapping[int, str] = MappingProxyType({})

    @classmethod
    def of(cls, tokenizer: Any) -> _AnyTokenizer:
        """Take a tokenizer; ValueError unless it has one of the three interfaces that `measures.measure` names."""
        if hasattr(tokenizer, "encode_ordinary_batch"):
            return cls(partial(_of_tiktoken, tokenizer), tokenizer.n_vocab)
        if hasattr(tokenizer, "encode_batch"):
            _refuse_other_lengths(tokenizer)
            vocab = tokenizer.get_vocab()
            return cls._of_vocab(partial(_of_batch, tokenizer), vocab, _unknown_id(tokenizer, vocab))
        if getattr(tokenizer, "is_fast", False):
            return cls._of_vocab(partial(_of_call, tokenizer), tokenizer.get_vocab(), tokenizer.unk_token_id)
        raise ValueError(
            f"tokenizer is {tokenizer!r:.80}: give one with encode_batch, a fast tokenizer of transformers, or an "
            "Encoding of tiktoken"
        )

    @classmethod
    def _of_vocab(
        cls, encode: Callable[[list[str]], list[_TextTokens]], vocab: Mapping[str, int], unknown: int | None
    ) -> _AnyTokenizer:
        byte_names = (f"<0x{byte:02X}>" for byte in range(256))
        found = frozenset(vocab[name] for name in byte_names if name in vocab)
        spaces = {vocab[name]: name for name in ("▁", "Ġ") if name in vocab}
        return cls(encode, len(vocab), unknown, found, spaces)

    def encoded(self, texts: Sequence[str]) -> Iterator[tuple[str, _TextTokens]]:
        """Yield every text with its tokens; a space that the tokenizer put before the text covers nothing."""
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            for text, tokens in zip(batch, self.encode(batch), strict=True):
                space = self.spaces.get(tokens.ids[0]) if len(tokens.ids) else None
                if space is not None and not text.startswith(space):
                    tokens.spans[0] = 0
                yield text, tokens


def _refuse_other_lengths(tokenizer: Any) -> None:
    """ValueError if the tokenizer cuts or fills texts, since its tokens are then not those of the text."""
    for name in ("truncation", "padding"):
        if getattr(tokenizer, name, None) is not None:
            raise ValueError(f"the tokenizer has {name} on: call no_{name}() first")


# --- encode_batch: tokenizers_impl, tokenizers


def _of_batch(tokenizer: Any, texts: list[str]) -> list[_TextTokens]:
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [_TextTokens(encoding.ids, _spans(encoding.offsets)) for encoding in encodings]


def _spans(offsets: Sequence[tuple[int, int]]) -> I64:
    return np.array(offsets, np.int64).reshape(-1, 2)


def _unknown_id(tokenizer: Any, vocab: dict[str, int]) -> int | None:
    """The id that the model of a tokenizer.json names; the objects of `tokenizers` do not show it for Unigram."""
    if not hasattr(tokenizer, "to_str"):
        return None
    model = json.loads(tokenizer.to_str())["model"]
    unknown: int | None = model.get("unk_id")
    return vocab.get(model.get("unk_token")) if unknown is None else unknown


# --- transformers


def _of_call(tokenizer: Any, texts: list[str]) -> list[_TextTokens]:
    found = tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    rows = zip(found["input_ids"], found["offset_mapping"], strict=True)
    return [_TextTokens(ids, _spans(offsets)) for ids, offsets in rows]


# --- tiktoken


def _of_tiktoken(encoding: Any, texts: list[str]) -> list[_TextTokens]:
    rows = encoding.encode_ordinary_batch(texts)
    lengths = {id: len(encoding.decode_single_token_bytes(id)) for row in rows for id in row}
    return [
        _TextTokens(row, _in_characters(text, [lengths[id] for id in row]))
        for text, row in zip(texts, rows, strict=True)
    ]


def _in_characters(text: str, lengths: Sequence[int]) -> I64:
    """The spans of tokens of these lengths in UTF-8 bytes; one with a part of a character covers the character.

    >>> _in_characters("aé", [2, 1]).tolist()
    [[0, 2], [1, 2]]
    """
    sizes = [len(character.encode()) for character in text]
    character_of = np.repeat(np.arange(len(sizes)), sizes)
    edges = accumulate(lengths, initial=0)
    return _spans([(character_of[start], character_of[end - 1] + 1) for start, end in pairwise(edges)])
