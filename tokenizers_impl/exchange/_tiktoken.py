"""The mergeable ranks of tiktoken, with its patterns as pre-tokenizers."""

from __future__ import annotations

import base64
import binascii
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

from .. import decoders, pre_tokenizers
from .._core.files import write_text
from .._patterns import Regex
from .._text.bytes import byte_to_char, char_to_byte
from ..models import BPE
from ..tokenizer import Tokenizer

# --- Patterns of tiktoken as pre-tokenizers

# As in GPT-2's encoder.py, and as tiktoken 0.14 writes the same with possessive quantifiers.
GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
R50K_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
# As tiktoken 0.14 has them.
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
# Words of another pattern in byte characters.
PATTERN_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)

# What one step of the translation takes: an escape, a quantifier with its mode, flags, anything else.
_STEP = re.compile(
    r"""(?P<escape>\\(?:[pPxu]\{[^}]*\}|[pP]\w|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.))
    |(?P<quantifier>(?:[*+?]|\{\d*(?:,\d*)?\})[+?]?)
    |(?P<flags>\(\?[a-zA-Z]*-?[a-zA-Z]*[:)])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
# Their letters mean other things in the two, or nothing in one of them.
_SAFE_FLAGS = ("(?:", "(?i:", "(?-i:")
# Classes that hold other characters there: joiners and ² are in one's \w alone, POSIX brackets are ASCII in tiktoken.
_OTHER_CLASSES = re.compile(r"(?<!\\)(?:\\\\)*(\\[wWbB]|\[:)")


def words_of(pat_str: str) -> pre_tokenizers.PreTokenizer:
    """The matches of the pattern in byte characters."""
    if pat_str in (GPT2_PATTERN, R50K_PATTERN):
        return GPT2_WORDS
    # Not "isolated": tiktoken drops what no match covers.
    translated = in_oniguruma(pat_str)
    try:
        matches = pre_tokenizers.Split(Regex(translated), "removed", invert=True)
    except ValueError as error:
        raise ValueError(f"pat_str={pat_str!r} cannot be read: {error}") from error
    return pre_tokenizers.Sequence([matches, PATTERN_BYTES])


def pattern_of(words: pre_tokenizers.PreTokenizer | None) -> str | None:
    """The pattern whose matches are the words; None if there is none."""
    if words == GPT2_WORDS:
        return GPT2_PATTERN
    steps = words.steps if isinstance(words, pre_tokenizers.Sequence) else ()
    if len(steps) != 2 or steps[1] != PATTERN_BYTES or not isinstance(steps[0], pre_tokenizers.Split):
        return None
    split = steps[0]
    kept = (split.behavior, split.invert) in (("isolated", False), ("removed", True))
    return split.pattern.pattern if kept and isinstance(split.pattern, Regex) else None


def in_oniguruma(pattern: str) -> str:
    r"""The pattern of the crate fancy-regex, which tiktoken uses, as Oniguruma reads the same.

    There `$` and `^` are the ends of the text, here those of a line; `{1,3}+` takes no step back there, and is two
    repeats here.  ValueError for what the two read differently: flags other than i, or flags that reach to the end of
    a group; \w, \b and POSIX brackets, which hold other characters; repeats of repeats, `{3}?` and `{,3}`.

    >>> print(in_oniguruma(r"\p{N}{1,3}+|\s++$"))
    (?>\p{N}{1,3})|\s++\z
    """
    parts: list[str] = []
    # Where the last item begins in `parts`, and the groups that are open.
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
    return ValueError(f"pat_str={pattern!r}: {part!r} is read otherwise by tiktoken and not implemented")


def _class_end(pattern: str, at: int) -> int:
    """Behind the bracket that closes the set whose first character stands there."""
    depth = 1
    at += pattern.startswith("^", at)
    # A bracket that comes first is a character.
    at += pattern.startswith("]", at)
    while depth and at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "[]":
            depth += 1 if pattern[at] == "[" else -1
        at += 1
    return at


# --- The mergeable ranks of tiktoken

# Ranks are 32-bit numbers in tiktoken; the ids of this package end below 2**31.
_MAX_RANK = 2**31 - 1


def to_tiktoken(tokenizer: Tokenizer) -> dict[bytes, int]:
    """The `mergeable_ranks` of `tiktoken.Encoding` (0.14): from the bytes of a token to its id, ascending.

    With them and the pattern of this tokenizer, `encode_ordinary` gives its ids: GPT2_PATTERN for ByteLevel, the one of
    Split for Sequence([Split(Regex(...), "isolated"), ByteLevel(use_regex=False)]), as long as some match covers every
    character: tiktoken drops what no match covers, as Split(..., "removed", invert=True) does.  Added tokens are left
    out: as `special_tokens` take {token.content: id for id, token in tokenizer.get_added_tokens_decoder().items()}.
    tiktoken merges the neighbours that make up the token with the smallest id, whichever these neighbours are; a merge
    that no text ever reaches is not in the ranks, then.

    ValueError, which says why, for a tokenizer that tiktoken cannot stand for: no BPE without affixes and dropout over
    ByteLevel(add_prefix_space=False) or that Sequence, a pattern that tiktoken reads otherwise, a normalizer, a
    vocabulary without all 256 bytes, merges in another order than the ids of their results, a token that its own bytes
    are not merged to.

    >>> from tokenizers_impl import pipelines
    >>> tokenizer, trainer = pipelines.byte_level_bpe(vocab_size=258, show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest"], trainer)
    >>> list(to_tiktoken(tokenizer).items())[-3:]
    [(b'\\xad', 255), (b'lo', 256), (b'low', 257)]
    """
    model = _checked_model(tokenizer)
    ranks = _byte_tokens(tokenizer, model)
    _check_bytes(ranks)
    _check_merges(ranks, model)
    return ranks


def save_tiktoken(tokenizer: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write what `to_tiktoken` gives as the file that `tiktoken.load.load_tiktoken_bpe` reads.

    A line a token: its bytes in base64, a space, its rank.  The file is there whole or not at all.
    """
    ranks = to_tiktoken(tokenizer)
    write_text(path, "".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()))


def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike[str],
    special_tokens: Mapping[str, int] | None = None,
    pat_str: str = GPT2_PATTERN,
) -> Tokenizer:
    """The byte-level BPE tokenizer with the ids of `tiktoken.Encoding` (0.14).

    ranks: `mergeable_ranks`, or the path of the file that `save_tiktoken` describes.  special_tokens: from text to id;
    they are looked for in every text, as by tiktoken's `encode(..., allowed_special="all")`.  pat_str: the pattern, as
    the encoding has it, such as CL100K_PATTERN, O200K_PATTERN; GPT-2's, as GPT2_PATTERN or R50K_PATTERN, becomes
    ByteLevel(), any other one a Split before ByteLevel(use_regex=False).  What its classes hold is what they hold in
    `Regex`: characters that a newer Unicode has added may belong to others in tiktoken.

    The last merge of a token is what is left of its bytes when the other tokens have been merged.  A token whose bytes
    never become two neighbours has none: tiktoken finds it only where it is a word, which is what the option
    ignore_merges of the model does; it is set for such ranks alone.

    ValueError for a pattern with what `Regex` has not, or with flags other than i, a line that is no rank, a rank
    outside 0..2**31 - 1 or given twice, a byte that has none, a special token whose id or text is taken.

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
    _check_bytes(given)
    tokenizer = Tokenizer(_model(given, special_tokens or {}))
    tokenizer.pre_tokenizer = words
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(special_tokens or {}))
    return tokenizer


# Export


def _checked_model(tokenizer: Tokenizer) -> BPE:
    """The model, where tiktoken has all that the tokenizer has."""
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
        raise _refused(f"tiktoken reads {pattern!r} as {in_oniguruma(pattern)!r}: give Split that if it is meant")
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if getattr(model, name):
            raise _refused(f"its model has {name}={getattr(model, name)!r}")
    if model.match != "merges":
        raise _refused(f"its model has match={model.match!r}")
    return model


def _byte_tokens(tokenizer: Tokenizer, model: BPE) -> dict[bytes, int]:
    """The bytes and the id of every token of the model that is not an added one, by id."""
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    if clash := next((left + right for left, right in model.merges if left + right in added), None):
        raise _refused(f"the added token {clash!r} is what a merge makes, too; tiktoken keeps these apart")
    vocab = {token: id for token, id in model.get_vocab().items() if token not in added}
    if strange := next((token for token in vocab if not char_to_byte().keys() >= set(token)), None):
        raise _refused(f"the token {strange!r} is not made of byte characters; make it an added token, or leave it out")
    ranks = {bytes(map(char_to_byte().__getitem__, token)): id for token, id in vocab.items()}
    return dict(sorted(ranks.items(), key=lambda entry: entry[1]))


def _check_merges(ranks: Mapping[bytes, int], model: BPE) -> None:
    """Refuses merges in an order that is not that of the ids.

    That is enough.  Two neighbours that make up a token are what the bytes of that token come down to by themselves,
    as nothing was merged across their ends: so they are the two parts of its last merge, and no others ever meet.
    """
    # Of a pair that comes twice the last rank counts.
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
            raise _refused(f"tiktoken makes the token {_chars(token)!r} of {shown}, which is no merge of the model")
        if order[shown] < before:
            raise _refused(
                f"the merge that makes {_chars(token)!r} comes before that of {_chars(last)!r}, which has a smaller id"
            )
        before, last = order[shown], token


def _refused(reason: str) -> ValueError:
    return ValueError(f"tiktoken cannot stand for this tokenizer: {reason}")


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


def _check_bytes(ranks: Mapping[bytes, int]) -> None:
    if missing := [byte for byte in range(256) if bytes([byte]) not in ranks]:
        raise ValueError(
            f"{len(missing)} of the 256 bytes are no tokens, the first of them 0x{missing[0]:02X}: tiktoken needs all; "
            "train with initial_alphabet=ByteLevel.alphabet()"
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
    """The two parts that the bytes of a token are merged to before they become the token; None if they never do."""
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
    """The characters that show these bytes."""
    return "".join(map(chr, byte_to_char()[list(token)].tolist()))
