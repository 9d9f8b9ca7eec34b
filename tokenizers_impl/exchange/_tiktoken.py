"""Conversion from and to the mergeable ranks of tiktoken, with its patterns as pre-tokenizers."""

from __future__ import annotations

import base64
import binascii
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

from .. import decoders, pre_tokenizers
from .._core.component import refuse_library
from .._core.files import write_text
from .._patterns import Regex
from .._text.bytes import byte_to_char, char_to_byte
from ..models import BPE
from ..tokenizer import Tokenizer

# --- The patterns of tiktoken as pre-tokenizers

# GPT2_PATTERN is that of GPT-2's encoder.py; R50K_PATTERN is tiktoken 0.14's form, with possessive quantifiers.
GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
R50K_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
# Source: tiktoken 0.14.
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
    r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
O200K_PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+""",
    )
)
GPT2_WORDS = pre_tokenizers.ByteLevel(add_prefix_space=False)
# Converts the words of other patterns to byte characters.
PATTERN_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)

# One step of the translation: an escape, a quantifier with its mode, flags, or any other character.
_STEP = re.compile(
    r"""(?P<escape>\\(?:[pPxu]\{[^}]*\}|[pP]\w|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.))
    |(?P<quantifier>(?:[*+?]|\{\d*(?:,\d*)?\})[+?]?)
    |(?P<flags>\(\?[a-zA-Z]*-?[a-zA-Z]*[:)])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
# Other flags have different meanings in the two engines, or exist in only one of them.
_SAFE_FLAGS = ("(?:", "(?i:", "(?-i:")
# Classes that differ: joiners and ² are in \w of one engine only, and POSIX brackets are ASCII in tiktoken.
_OTHER_CLASSES = re.compile(r"(?<!\\)(?:\\\\)*(\\[wWbB]|\[:)")


def words_of(pat_str: str) -> pre_tokenizers.PreTokenizer:
    """The pre-tokenizer whose words are the matches of a pattern, in byte characters."""
    if pat_str in (GPT2_PATTERN, R50K_PATTERN):
        return GPT2_WORDS
    # "removed" instead of "isolated", because tiktoken drops text that no match covers.
    translated = in_oniguruma(pat_str)
    try:
        matches = pre_tokenizers.Split(Regex(translated), "removed", invert=True)
    except ValueError as error:
        raise ValueError(f"pat_str={pat_str!r} cannot be read: {error}") from error
    return pre_tokenizers.Sequence([matches, PATTERN_BYTES])


def pattern_of(words: pre_tokenizers.PreTokenizer | None) -> str | None:
    """The pattern whose matches are the words of a pre-tokenizer, None if there is none."""
    if words == GPT2_WORDS:
        return GPT2_PATTERN
    steps = words.steps if isinstance(words, pre_tokenizers.Sequence) else ()
    if len(steps) != 2 or steps[1] != PATTERN_BYTES or not isinstance(steps[0], pre_tokenizers.Split):
        return None
    split = steps[0]
    kept = (split.behavior, split.invert) in (("isolated", False), ("removed", True))
    return split.pattern.pattern if kept and isinstance(split.pattern, Regex) else None


def in_oniguruma(pattern: str) -> str:
    r"""Translate a pattern of the crate fancy-regex, which tiktoken uses, to Oniguruma's syntax.

    In fancy-regex `$` and `^` match at the ends of the text, in Oniguruma at those of a line; `{1,3}+` is possessive in
    fancy-regex and two repeats in Oniguruma.  ValueError for parts that differ and have no translation: flags other
    than i, flags for the rest of a group, \w, \b, POSIX brackets, repeats of repeats, `{3}?` and `{,3}`.

    >>> print(in_oniguruma(r"\p{N}{1,3}+|\s++$"))
    (?>\p{N}{1,3})|\s++\z
    """
    parts: list[str] = []
    # The index in `parts` where the last item begins, and those of the open groups.
    item, groups, at, is_repeated = 0, list[int](), 0, False
    while found := _STEP.match(pattern, at):
        text, at = found[0], found.end()
        if text == "[":
            at = _class_end(pattern, at)
            text = pattern[found.start() : at]
        if found["quantifier"]:
            if is_repeated or text.startswith("{,") or (text.endswith("}?") and "," not in text):
                raise _read_otherwise(pattern, text)
            is_repeated = True
            if text.startswith("{") and text.endswith("+"):
                parts[item:] = ["(?>", *parts[item:], text[:-1], ")"]
            else:
                parts.append(text)
            continue
        is_repeated = False
        if (found["flags"] and text not in _SAFE_FLAGS and (text != "(?i)" or parts)) or _OTHER_CLASSES.search(text):
            raise _read_otherwise(pattern, text)
        if text == ")":
            item = groups.pop() if groups else 0
        else:
            item = len(parts)
        if text == "(" or (found["flags"] and text.endswith(":")):
            groups.append(item)
        parts.append({"$": r"\z", "^": r"\A"}.get(text, text))
    return "".join(parts)


def _read_otherwise(pattern: str, part: str) -> ValueError:
    return ValueError(f"pat_str={pattern!r}: {part!r} has another meaning in tiktoken and is not supported: rewrite it")


def _class_end(pattern: str, at: int) -> int:
    """The end of the set whose first character is at this position, after its closing bracket."""
    depth = 1
    at += pattern.startswith("^", at)
    # A bracket at the beginning is a literal character.
    at += pattern.startswith("]", at)
    while depth and at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "[]":
            depth += 1 if pattern[at] == "[" else -1
        at += 1
    return at


# --- The mergeable ranks of tiktoken

# Ranks are 32-bit numbers in tiktoken; ids of this package are less than 2**31.
_MAX_RANK = 2**31 - 1


def to_tiktoken(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Convert a tokenizer to the `mergeable_ranks` of `tiktoken.Encoding` (0.14): from a token's bytes to its id.

    tiktoken's `encode_ordinary` gives the same ids with these ranks and the tokenizer's pattern: GPT2_PATTERN for
    ByteLevel, the pattern of Split for Sequence([Split(Regex(...), "isolated"), ByteLevel(use_regex=False)]).  The
    matches must cover every character, because tiktoken drops other text, like Split(..., "removed", invert=True).
    Ranks leave out added tokens; their `special_tokens` are
    {token.content: id for id, token in tokenizer.get_added_tokens_decoder().items()}.
    tiktoken merges the adjacent parts whose concatenation has the smallest id, so merges that no text reaches are lost.

    ValueError for a tokenizer that tiktoken cannot represent: another model than BPE without affixes and dropout,
    another pre-tokenizer than ByteLevel(add_prefix_space=False) or that Sequence, a pattern with another meaning in
    tiktoken, a normalizer, a vocabulary without all 256 bytes, merges in another order than the ids of their results,
    and a token that its own bytes do not merge to.

    >>> from tokenizers_impl import pipelines
    >>> tokenizer, trainer = pipelines.byte_level_bpe(vocab_size=258, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest"], trainer)
    >>> list(to_tiktoken(tokenizer).items())[-3:]
    [(b'\\xad', 255), (b'lo', 256), (b'low', 257)]
    """
    model = _checked_model(tokenizer)
    ranks = _byte_tokens(tokenizer, model)
    _check_bytes(ranks, "train with initial_alphabet=ByteLevel.alphabet()")
    _check_merges(ranks, model)
    return ranks


def save_tiktoken(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write the ranks of `to_tiktoken` to a file that `tiktoken.load.load_tiktoken_bpe` reads, atomically.

    Each line has the bytes of a token in base64, a space, and its rank.  Errors as in `to_tiktoken`.
    """
    ranks = to_tiktoken(tokenizer)
    write_text(path, "".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()))


def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike[str],
    special_tokens: Mapping[str, int] | None = None,
    pat_str: str = GPT2_PATTERN,
) -> Tokenizer:
    """Build a byte-level BPE tokenizer with the ids of a `tiktoken.Encoding` (0.14).

    ranks: `mergeable_ranks`, or the path of a file as `save_tiktoken` writes it.
    special_tokens: from text to id; found in every text, as with tiktoken's `encode(..., allowed_special="all")`.
    pat_str: the pattern of the encoding, such as CL100K_PATTERN or O200K_PATTERN.  GPT2_PATTERN and R50K_PATTERN become
      ByteLevel(), any other pattern a Split before ByteLevel(use_regex=False).  Its character classes are those of
      `Regex`; characters that a newer Unicode version added may belong to other classes in tiktoken.

    The last merge of a token joins the two parts that remain when the other tokens are merged in its bytes.  A token
    whose bytes never become two parts has no merge; tiktoken finds it only as a whole word.  If there is such a token,
    the model's option ignore_merges is set, which does the same.

    ValueError for a pattern that `Regex` does not support, or with flags other than i, an invalid line, a rank outside
    0..2**31 - 1 or given twice, a byte without rank, and a special token whose id or text is taken.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
    >>> tokenizer = from_tiktoken(ranks, {"<|endoftext|>": 300})
    >>> tokenizer.model.merges, tokenizer.encode("slow<|endoftext|>").ids
    ([('l', 'o'), ('lo', 'w')], [115, 257, 300])
    """
    if not isinstance(pat_str, str):
        raise ValueError(f"pat_str={pat_str!r}: give a pattern, such as CL100K_PATTERN")
    if special_tokens is not None and not isinstance(special_tokens, Mapping):
        raise ValueError(f"special_tokens={special_tokens!r}: give a mapping from text to id")
    words = words_of(pat_str)
    given = dict(ranks) if isinstance(ranks, Mapping) else _read(ranks)
    _check_ranks(given)
    _check_bytes(given, "give ranks of all" if isinstance(ranks, Mapping) else f"{os.fspath(ranks)} is not complete")
    tokenizer = Tokenizer(_model(given, special_tokens or {}))
    tokenizer.pre_tokenizer = words
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(special_tokens or {}))
    return tokenizer


# Export


def _checked_model(tokenizer: Tokenizer) -> BPE:
    """The model; ValueError if tiktoken lacks something that the tokenizer has."""
    refuse_library(tokenizer)
    model, words = tokenizer.model, tokenizer.pre_tokenizer
    if not isinstance(model, BPE):
        raise _refused(f"its model is {type(model).__name__}, not BPE")
    if tokenizer.normalizer is not None:
        raise _refused(f"it has the normalizer {tokenizer.normalizer!r}; normalise texts beforehand, without it")
    pattern = pattern_of(words)
    if pattern is None:
        raise _refused(
            f"its pre-tokenizer is {words!r}, not ByteLevel(add_prefix_space=False), nor a Sequence of "
            'Split(Regex(...), "isolated") and ByteLevel(add_prefix_space=False, use_regex=False)'
        )
    if in_oniguruma(pattern) != pattern:
        raise _refused(f"tiktoken reads {pattern!r} as {in_oniguruma(pattern)!r}: give Split this pattern instead")
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if getattr(model, name):
            raise _refused(f"its model has {name}={getattr(model, name)!r}")
    if model.match != "merges":
        raise _refused(f"its model has match={model.match!r}")
    return model


def _byte_tokens(tokenizer: Tokenizer, model: BPE) -> dict[bytes, int]:
    """The bytes and the id of every token of the model that is not an added token, sorted by id."""
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    if clash := next((left + right for left, right in model.merges if left + right in added), None):
        raise _refused(f"the added token {clash!r} is also the result of a merge, but tiktoken keeps these apart")
    vocab = {token: id for token, id in model.get_vocab().items() if token not in added}
    if strange := next((token for token in vocab if not char_to_byte().keys() >= set(token)), None):
        raise _refused(f"the token {strange!r} is not made of byte characters; make it an added token, or remove it")
    ranks = {bytes(map(char_to_byte().__getitem__, token)): id for token, id in vocab.items()}
    return dict(sorted(ranks.items(), key=lambda entry: entry[1]))


def _check_merges(ranks: Mapping[bytes, int], model: BPE) -> None:
    """ValueError for merges that are not in the order of the ids.

    This check suffices.  If two adjacent parts make up a token, nothing was merged across the ends of that token, so
    its bytes alone merge to the same two parts.  These are the parts of its last merge, and no others occur.
    """
    # Of a pair that is listed twice, the last rank counts.
    order = {pair: rank for rank, pair in enumerate(model.merges)}
    before, last = -1, b""
    for token in ranks:
        if len(token) == 1:
            continue
        merge = _last_merge(token, ranks)
        shown = None if merge is None else (_chars(merge[0]), _chars(merge[1]))
        if shown not in order:
            if shown is None and model.ignore_merges:
                continue
            raise _refused(f"tiktoken makes the token {_chars(token)!r} of {shown}, which is not a merge of the model")
        if order[shown] < before:
            raise _refused(
                f"the merge that makes {_chars(token)!r} comes before that of {_chars(last)!r}, which has a smaller id"
            )
        before, last = order[shown], token


def _refused(reason: str) -> ValueError:
    return ValueError(f"tiktoken cannot represent this tokenizer: {reason}")


# Import


def _read(path: str | os.PathLike[str]) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
        if not line:
            continue
        try:
            token, rank = line.split()
            entry = base64.b64decode(token, validate=True), int(rank)
        except (ValueError, binascii.Error):
            raise ValueError(f"{path}: line {number} is {line!r}, not a token in base64 and its rank") from None
        if entry[0] in ranks:
            raise ValueError(f"{path}: line {number} gives the token {entry[0]!r} again")
        ranks[entry[0]] = entry[1]
    return ranks


def _check_ranks(ranks: Mapping[bytes, int]) -> None:
    owner: dict[int, bytes] = {}
    for token, rank in ranks.items():
        if not isinstance(token, bytes) or not token:
            raise ValueError(f"ranks: the token {token!r} is not bytes, one or more")
        if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank <= _MAX_RANK:
            raise ValueError(f"ranks: the rank of {token!r} is {rank!r}, not an integer in 0..{_MAX_RANK}")
        if owner.setdefault(rank, token) != token:
            raise ValueError(f"ranks: {owner[rank]!r} and {token!r} both have rank {rank}")


def _check_bytes(ranks: Mapping[bytes, int], remedy: str) -> None:
    if missing := [byte for byte in range(256) if bytes([byte]) not in ranks]:
        raise ValueError(
            f"{len(missing)} of the 256 bytes have no token, the first is 0x{missing[0]:02X}, but tiktoken needs all: "
            f"{remedy}"
        )


def _model(ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]) -> BPE:
    in_order = dict(sorted(ranks.items(), key=lambda entry: entry[1]))
    vocab = {_chars(token): rank for token, rank in in_order.items()}
    taken = {rank: token for token, rank in in_order.items()}
    for token, id in special_tokens.items():
        if not isinstance(token, str) or not token or isinstance(id, bool) or not isinstance(id, int):
            raise ValueError(
                f"the special token {token!r} with id {id!r}: give a text that is not empty, and an integer"
            )
        if id in taken or token in vocab:
            raise ValueError(f"the special token {token!r} with id {id}: the text or the id is that of another token")
        vocab[token], taken[id] = id, token.encode()
    merges = [_last_merge(token, in_order) for token in in_order if len(token) > 1]
    shown = [(_chars(left), _chars(right)) for left, right in filter(None, merges)]
    return BPE(vocab, shown, ignore_merges=None in merges)


def _last_merge(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """The two parts that the bytes of a token merge to before the token itself; None if they do not."""
    parts = [token[i : i + 1] for i in range(len(token))]
    ranked: list[float] = [ranks.get(token[i : i + 2], math.inf) for i in range(len(token) - 1)]
    while len(parts) > 2:
        lowest = min(ranked)
        if lowest == math.inf:
            return None
        at = ranked.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranked[at]
        for i in range(max(at - 1, 0), min(at + 1, len(ranked))):
            ranked[i] = ranks.get(parts[i] + parts[i + 1], math.inf)
    return parts[0], parts[1]


def _chars(token: bytes) -> str:
    """The byte characters of these bytes."""
    return "".join(map(chr, byte_to_char()[list(token)].tolist()))
