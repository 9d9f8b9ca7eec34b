"""A small scenario for every public name of `tokenizers`, run on either library: the coverage table."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
import tempfile
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any

import tokenizers
from test_tokenizer_forms import nmt_nfkc

import tokenizers_impl

MODULES = ("", "models", "trainers", "normalizers", "pre_tokenizers", "decoders", "processors")
# What every object answers, beside its public names.
ALWAYS = ("()", "pickle", "==", "repr")
TEXT = " Hé,  the end 12▁ "
TOKENS = ["▁Hé", "##l", "a</w>", "<0xC3>", "<0xA9>", "|", "a", "a", "<pad>", "Ġb", "."]
CORPUS = ["low lower lowest", "new newer newest", "low low new"]
VOCAB = {token: id for id, token in enumerate(["<unk>", "l", "o", "w", "e", "lo", "low", "##l", "##ow", "##o", "##w"])}
MERGES = [("l", "o"), ("lo", "w")]
PIECES = [("<unk>", -5.0), ("l", -1.0), ("o", -1.5), ("w", -2.0), ("lo", -1.2)]
CLS, SEP = ("<unk>", 0), ("low", 6)
MISSING, FAILED = "missing", "failed"


def names() -> dict[str, list[str]]:
    """From each public class, function or value of the library to what is public of it, options in brackets."""
    listed: dict[str, list[str]] = {}
    for module in MODULES:
        place = getattr(tokenizers, module) if module else tokenizers
        for name in dir(place):
            value = getattr(place, name)
            if name.startswith("_") or inspect.ismodule(value) or _is_of_typing(value) or value is str:
                continue
            row = f"{module}.{name}".lstrip(".")
            listed[row] = [*_options(row, value), *_members(value), *ALWAYS] if _is_alive(row) else ["()"]
    return listed


def _is_of_typing(value: Any) -> bool:
    return getattr(value, "__module__", "") in ("typing", "enum") or type(value).__module__ == "typing"


def _members(value: Any) -> list[str]:
    return [each for each in dir(value) if not each.startswith("_")]


def _options(row: str, value: Any) -> list[str]:
    try:
        options = inspect.signature(value).parameters
    except ValueError:
        # Two classes of the library do not say: their options have the names of their attributes.
        options = dict.fromkeys(_members(value))
    # What is no plain value is part of every sample.
    return [f"[{each}]" for each in options if each in VALUES]


def _is_alive(row: str) -> bool:
    """Whether there is an object of it to ask; of the others there is one question, whether they are there."""
    return row in SAMPLES


# --- objects: the options that they are made with


def _nothing(library: Any) -> dict[str, Any]:
    return {}


def _always(**options: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda library: options


SAMPLES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "AddedToken": _always(content="low"),
    "Encoding": _nothing,
    "Regex": _always(pattern="a+"),
    "Tokenizer": lambda library: {"model": made(library, "models.BPE")},
    "models.BPE": _always(vocab=VOCAB, merges=MERGES, unk_token="<unk>"),
    "models.Unigram": _always(vocab=PIECES, unk_id=0),
    "models.WordLevel": _always(vocab=VOCAB, unk_token="<unk>"),
    "models.WordPiece": _always(vocab=VOCAB, unk_token="<unk>"),
    "trainers.BpeTrainer": _always(show_progress=False),
    "trainers.UnigramTrainer": _always(show_progress=False),
    "trainers.WordLevelTrainer": _always(show_progress=False),
    # Below, the library's vocabulary is another one in each run.
    "trainers.WordPieceTrainer": _always(show_progress=False, vocab_size=0),
    "normalizers.BertNormalizer": _nothing,
    "normalizers.ByteLevel": _nothing,
    "normalizers.Lowercase": _nothing,
    "normalizers.NFC": _nothing,
    "normalizers.NFD": _nothing,
    "normalizers.NFKC": _nothing,
    "normalizers.NFKD": _nothing,
    "normalizers.Nmt": _nothing,
    "normalizers.Precompiled": lambda library: {"precompiled_charsmap": nmt_nfkc()},
    "normalizers.Prepend": _always(prepend="_"),
    "normalizers.Replace": _always(pattern="e", content="é"),
    "normalizers.Sequence": lambda library: {"normalizers": [library.normalizers.NFD()]},
    "normalizers.Strip": _nothing,
    "normalizers.StripAccents": _nothing,
    "pre_tokenizers.BertPreTokenizer": _nothing,
    "pre_tokenizers.ByteLevel": _nothing,
    "pre_tokenizers.CharDelimiterSplit": _always(delimiter="e"),
    "pre_tokenizers.Digits": _nothing,
    "pre_tokenizers.FixedLength": _nothing,
    "pre_tokenizers.Metaspace": _nothing,
    "pre_tokenizers.Punctuation": _nothing,
    "pre_tokenizers.Sequence": lambda library: {"pretokenizers": [library.pre_tokenizers.Digits()]},
    "pre_tokenizers.Split": lambda library: {"pattern": library.Regex("e+"), "behavior": "isolated"},
    "pre_tokenizers.UnicodeScripts": _nothing,
    "pre_tokenizers.Whitespace": _nothing,
    "pre_tokenizers.WhitespaceSplit": _nothing,
    "decoders.BPEDecoder": _nothing,
    "decoders.ByteFallback": _nothing,
    "decoders.ByteLevel": _nothing,
    "decoders.CTC": _nothing,
    "decoders.DecodeStream": _nothing,
    "decoders.Fuse": _nothing,
    "decoders.Metaspace": _nothing,
    "decoders.Replace": _always(pattern="a", content="b"),
    "decoders.Sequence": lambda library: {"decoders": [library.decoders.Fuse()]},
    "decoders.Strip": _nothing,
    "decoders.WordPiece": _nothing,
    "processors.BertProcessing": _always(sep=SEP, cls=CLS),
    "processors.ByteLevel": _nothing,
    "processors.RobertaProcessing": _always(sep=SEP, cls_token=CLS),
    "processors.Sequence": lambda library: {"processors": [library.processors.ByteLevel()]},
    "processors.TemplateProcessing": _always(single="low $A", pair="low $A $B:1", special_tokens=[SEP]),
}


# What the library takes by its place alone.
BY_PLACE = ("Regex", "pre_tokenizers.Sequence", "decoders.Sequence", "processors.BertProcessing", "processors.Sequence")


def made(library: Any, row: str, **options: Any) -> Any:
    """An object of that class."""
    if row == "Encoding":
        return tokenizer(library).encode("low ol")
    given = {**SAMPLES[row](library), **options}
    return found(library, row)(*given.values()) if row in BY_PLACE else found(library, row)(**given)


def found(library: Any, row: str) -> Any:
    """What has that name; AttributeError if nothing has."""
    return reduce(getattr, row.split("."), library)


def tokenizer(library: Any, **parts: Any) -> Any:
    """A tokenizer with these parts."""
    whole = library.Tokenizer(parts.pop("model", None) or made(library, "models.BPE"))
    for name, part in parts.items():
        setattr(whole, name, part)
    return whole


# --- what an object does


def used(library: Any, row: str, it: Any) -> Any:
    """What comes of it."""
    module = row.rpartition(".")[0]
    if module == "models":
        return held(tokenizer(library, model=it).encode("lowol")), tokenizer(library, model=it).to_str()
    if module == "trainers":
        return trained(library, row, it)
    if module == "normalizers":
        return it.normalize_str(TEXT), tokenizer(library, normalizer=it).to_str()
    if module == "pre_tokenizers":
        return it.pre_tokenize_str(TEXT), tokenizer(library, pre_tokenizer=it).to_str()
    if row == "decoders.DecodeStream":
        return [it.step(tokenizer(library), id) for id in (1, [2, 3])]
    if module == "decoders":
        return it.decode(TOKENS), tokenizer(library, decoder=it).to_str()
    if module == "processors":
        whole = tokenizer(library, post_processor=it)
        return held(whole.encode("low", "ol")), whole.to_str()
    if row == "AddedToken":
        whole = tokenizer(library)
        whole.add_tokens([it])
        return held(whole.encode("o low lowo")), whole.to_str()
    return held(it) if row == "Encoding" else it.to_str() if row == "Tokenizer" else None


def trained(library: Any, row: str, trainer: Any) -> Any:
    """The file that it makes; of Unigram the pieces, since scores differ in their last bits in each run."""
    model = {"Bpe": "BPE", "Unigram": "Unigram", "WordLevel": "WordLevel", "WordPiece": "WordPiece"}
    name = model[row.rpartition(".")[2].removesuffix("Trainer")]
    whole = tokenizer(library, model=getattr(library.models, name)())
    whole.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    whole.train_from_iterator(CORPUS, trainer)
    # Affixed symbols have another order in each run of the library.
    return sorted(whole.get_vocab()) if name in ("Unigram", "WordPiece") or _affixed(trainer) else whole.to_str()


def _affixed(trainer: Any) -> bool:
    return any(getattr(trainer, name, None) for name in ("continuing_subword_prefix", "end_of_word_suffix"))


def held(encoding: Any) -> tuple[Any, ...]:
    return (encoding.ids, encoding.tokens, encoding.offsets, encoding.type_ids, encoding.special_tokens_mask)


# --- values that options and attributes are given

VALUES: dict[str, Any] = {
    "add_prefix_space": False,
    "alpha": 0.0,
    "behavior": "removed",
    "byte_fallback": True,
    "cache_capacity": 10,
    "clean_text": False,
    "cleanup": False,
    "cls_token": ("w", 3),
    "cls": ("w", 3),
    "content": "o",
    "continuing_subword_prefix": "##",
    "delimiter": "h",
    "direction": "left",
    "dropout": 0.0,
    "encode_special_tokens": True,
    "end_of_word_suffix": "</w>",
    "fuse_unk": True,
    "handle_chinese_chars": False,
    "ids": [1, 2],
    "ignore_merges": True,
    "individual_digits": True,
    "initial_alphabet": ["x"],
    "invert": True,
    "left": False,
    "length": 3,
    "limit_alphabet": 4,
    "lowercase": False,
    "lstrip": True,
    "max_input_chars_per_word": 2,
    "max_piece_length": 3,
    "max_token_length": 3,
    "min_frequency": 2,
    "n_sub_iterations": 1,
    "nbest_size": 1,
    "normalized": False,
    "pad_token": "a",
    "pattern": "l",
    "prefix": "▁",
    "prepend": "x",
    "prepend_scheme": "never",
    "progress_format": "silent",
    "replacement": "_",
    "right": False,
    "rstrip": True,
    "sep": ("w", 3),
    "show_progress": False,
    "shrinking_factor": 0.5,
    "single": ["$A", "low"],
    "single_word": True,
    "skip_special_tokens": True,
    "special": True,
    "special_tokens": ["<s>"],
    "split": False,
    "start": 1,
    "stop": 1,
    "strip_accents": True,
    "suffix": "l",
    "trim_offsets": False,
    "unk_id": 1,
    "unk_token": "l",
    "use_regex": False,
    "vocab_size": 12,
    "word_delimiter_token": "a",
    # The same names with another meaning.
    "decoders.Strip.content": "b",
    "decoders.Strip.left": 1,
    "decoders.Strip.right": 1,
    "models.BPE.continuing_subword_prefix": "",
    "processors.TemplateProcessing.special_tokens": [("low", 5)],
}


def value_of(row: str, name: str) -> Any:
    """What that option or attribute of that class is given."""
    return VALUES.get(f"{row}.{name}", VALUES[name])


class Own:
    """A component of the user's own."""

    def normalize(self, normalized: Any) -> None:
        normalized.replace("e", "é")

    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(lambda i, text: text.split(" ", "removed"))

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return tokens[::-1]


def custom(library: Any, row: str, it: Any) -> Any:
    """What the static method `custom` makes of it."""
    own = type(it).custom(Own())
    if row.startswith("decoders"):
        return own.decode(TOKENS)
    return own.normalize_str(TEXT) if row.startswith("normalizers") else own.pre_tokenize_str(TEXT)


def in_folder(function: Callable[[Path], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return function(Path(folder))


def saved(model: Any) -> list[tuple[str, bytes]]:
    """The files that `save` writes."""
    return in_folder(
        lambda folder: [(Path(path).name, Path(path).read_bytes()) for path in model.save(str(folder), "name")]
    )


def read_back(method: str, model: Any) -> Any:
    """What the class reads from its own files."""

    def read(folder: Path) -> Any:
        result = getattr(type(model), method)(*model.save(str(folder)))
        return result if isinstance(result, (dict, tuple)) else saved(result)

    return in_folder(read)


def changed(it: Any, method: str, *arguments: Any) -> Any:
    getattr(it, method)(*arguments)
    return held(it)


def enabled(it: Any, method: str, option: str, **arguments: Any) -> Any:
    getattr(it, method)(**arguments)
    return getattr(it, option), held(it.encode("lowlowo")), it.to_str()


def from_file(it: Any) -> Any:
    def read(folder: Path) -> str:
        it.save(str(folder / "t.json"))
        text: str = type(it).from_file(str(folder / "t.json")).to_str()
        return text

    return in_folder(read)


def trained_on_file(it: Any) -> Any:
    def train(folder: Path) -> dict[str, int]:
        (folder / "t.txt").write_text("\n".join(CORPUS))
        it.train([str(folder / "t.txt")])
        vocabulary: dict[str, int] = it.get_vocab()
        return vocabulary

    return in_folder(train)


def after(it: Any, method: str, *arguments: Any) -> Any:
    return getattr(it, method)(*arguments), it.to_str()


def awaited(method: str, *arguments: Any) -> Callable[[Any, str, Any], Any]:
    async def run(it: Any) -> Any:
        return await getattr(it, method)(*arguments)

    def scenario(library: Any, row: str, it: Any) -> Any:
        result = asyncio.run(run(it))
        listed = result if isinstance(result, list) else [result]
        return [each if isinstance(each, str) else each.ids for each in listed]

    return scenario


def asked(method: str, *arguments: Any) -> Callable[[Any, str, Any], Any]:
    return lambda library, row, it: getattr(it, method)(*arguments)


def _plain(value: Any) -> Any:
    """The same from either library."""
    if isinstance(value, (str, int, float, bytes, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (dict, set)):
        return sorted((str(key), _plain(value[key])) if isinstance(value, dict) else key for key in value)
    if hasattr(value, "as_tuple"):
        return _plain(value.as_tuple())
    if hasattr(value, "offsets"):
        return _plain(held(value))
    return str(value) if hasattr(value, "content") else type(value).__name__


METHODS: dict[str, Callable[[Any, str, Any], Any]] = {
    "add_special_tokens": lambda library, row, it: after(it, "add_special_tokens", ["<s>", "low"]),
    "add_tokens": lambda library, row, it: after(it, "add_tokens", ["<s>", "low"]),
    "alphabet": lambda library, row, it: sorted(it.alphabet()),
    "async_decode_batch": awaited("async_decode_batch", [[1, 2], [3]]),
    "async_encode": awaited("async_encode", "low"),
    "async_encode_batch": awaited("async_encode_batch", ["low", "ol"]),
    "async_encode_batch_fast": awaited("async_encode_batch_fast", ["low", "ol"]),
    "char_to_token": asked("char_to_token", 1),
    "char_to_word": asked("char_to_word", 1),
    "decode": lambda library, row, it: it.decode([1, 2, 6] if row == "Tokenizer" else TOKENS),
    "decode_batch": asked("decode_batch", [[1, 2], [6]]),
    "enable_padding": lambda library, row, it: enabled(
        it, "enable_padding", "padding", direction="left", pad_id=3, length=8
    ),
    "enable_truncation": lambda library, row, it: enabled(
        it, "enable_truncation", "truncation", max_length=2, stride=1
    ),
    "encode": asked("encode", "low", "ol"),
    "encode_batch": asked("encode_batch", ["low", ("ol", "w")]),
    "encode_batch_fast": lambda library, row, it: [each.ids for each in it.encode_batch_fast(["low", ("ol", "w")])],
    "from_buffer": lambda library, row, it: type(it).from_buffer(it.to_str().encode()).to_str(),
    "from_file": lambda library, row, it: from_file(it) if row == "Tokenizer" else read_back("from_file", it),
    "from_pretrained": lambda library, row, it: callable(type(it).from_pretrained),
    "from_str": lambda library, row, it: type(it).from_str(it.to_str()).to_str(),
    "get_added_tokens_decoder": lambda library, row, it: (it.add_tokens(["<s>"]), it.get_added_tokens_decoder()),
    "get_trainer": lambda library, row, it: type(it.get_trainer()).__name__,
    "get_vocab": asked("get_vocab"),
    "get_vocab_size": asked("get_vocab_size"),
    "get_word_count": asked("get_word_count"),
    "id_to_token": lambda library, row, it: [it.id_to_token(id) for id in (0, 1, 99)],
    "merge": lambda library, row, it: held(type(it).merge([it, it])),
    "no_padding": lambda library, row, it: (it.enable_padding(), enabled(it, "no_padding", "padding")),
    "no_truncation": lambda library, row, it: (it.enable_truncation(1), enabled(it, "no_truncation", "truncation")),
    "normalize_str": asked("normalize_str", TEXT),
    "num_special_tokens_to_add": asked("num_special_tokens_to_add", True),
    "pad": lambda library, row, it: changed(it, "pad", 9),
    "post_process": lambda library, row, it: held(it.post_process(it.encode("low"), it.encode("ol"))),
    "pre_tokenize_str": asked("pre_tokenize_str", TEXT),
    "process": lambda library, row, it: held(
        it.process(tokenizer(library).encode("low"), tokenizer(library).encode("ol"), True)
    ),
    "read_file": lambda library, row, it: read_back("read_file", it),
    "save": lambda library, row, it: from_file(it) if row == "Tokenizer" else saved(it),
    "set_sequence_id": lambda library, row, it: (it.set_sequence_id(1), it.sequence_ids),
    "step": lambda library, row, it: it.step(tokenizer(library), [1, 2]),
    "to_str": asked("to_str", True),
    "token_to_chars": asked("token_to_chars", 1),
    "token_to_id": lambda library, row, it: [it.token_to_id(token) for token in ("low", "x")],
    "token_to_sequence": asked("token_to_sequence", 1),
    "token_to_word": asked("token_to_word", 1),
    "tokenize": asked("tokenize", "low"),
    "train": lambda library, row, it: trained_on_file(it),
    "train_from_iterator": lambda library, row, it: (it.train_from_iterator(CORPUS), it.get_vocab())[1],
    "truncate": lambda library, row, it: changed(it, "truncate", 2),
    "word_to_chars": asked("word_to_chars", 0),
    "word_to_tokens": asked("word_to_tokens", 0),
    "custom": custom,
    "normalize": lambda library, row, it: _normalized(library, it),
    "pre_tokenize": lambda library, row, it: _pre_tokenized(library, it),
    "()": used,
    "pickle": lambda library, row, it: (
        used(library, row, pickle.loads(pickle.dumps(it))) or str(pickle.loads(pickle.dumps(it)))
    ),
    "==": lambda library, row, it: (it == made(library, row), it != made(library, row), it == 3),
    "repr": lambda library, row, it: re.sub("<.* object at .*>", "an object", repr(it)),
}


def _normalized(library: Any, it: Any) -> str:
    text = library.NormalizedString(TEXT)
    it.normalize(text)
    return str(text.normalized)


def _pre_tokenized(library: Any, it: Any) -> Any:
    text = library.PreTokenizedString(TEXT)
    it.pre_tokenize(text)
    return [split[:2] for split in text.get_splits()]


def attribute(name: str, library: Any, row: str, it: Any) -> Any:
    """Its value, then what comes of another one, where it may be set."""
    value = _plain(getattr(it, name))
    if name not in VALUES or row == "Encoding":
        return value
    try:
        setattr(it, name, value_of(row, name))
    except (AttributeError, TypeError):
        return value
    return value, _plain(getattr(it, name)), used(library, row, it)


def scenario(row: str, member: str) -> Callable[[Any], Any]:
    """The scenario of that name."""
    if row not in SAMPLES:
        return lambda library: found(library, row) is not None
    if member.startswith("["):
        return lambda library: used(library, row, made(library, row, **{member[1:-1]: value_of(row, member[1:-1])}))
    if member in METHODS:
        return lambda library: METHODS[member](library, row, made(library, row))
    return lambda library: attribute(member, library, row, made(library, row))


def outcome(library: Any, row: str, member: str) -> Any:
    """What the scenario gives; that it fails; that there is no such name."""
    try:
        return _plain(scenario(row, member)(library))
    except (AttributeError, TypeError):
        return MISSING if library is tokenizers_impl else FAILED
    except BaseException as error:  # the library's panics are no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        return FAILED


def failing() -> list[str]:
    """The scenarios at which the library itself fails."""
    listed = ((row, member) for row, members in names().items() for member in members)
    return [f"{row} {member}" for row, member in listed if outcome(tokenizers, row, member) == FAILED]


def coverage() -> dict[str, dict[str, list[str]]]:
    """From each public class to its names that are mirrored, that differ, that are refused."""
    table: dict[str, dict[str, list[str]]] = {}
    for row, members in names().items():
        judged: dict[str, list[str]] = {"mirrored": [], "differs": [], "refused": []}
        for member in members:
            run = partial(outcome, row=row, member=member)
            ours, theirs = run(tokenizers_impl), run(tokenizers)
            kind = "mirrored" if ours == theirs else "refused" if ours in (MISSING, FAILED) else "differs"
            judged[kind].append(member)
        table[row] = judged
    return table


def markdown(table: dict[str, dict[str, list[str]]]) -> str:
    """The table of the README; a class that is not there is a row of its own kind."""
    rows = ["| name | mirrored | differs | refused |", "|---|---|---|---|"]
    for row, kinds in table.items():
        cells = [str(len(kinds["mirrored"])) if kinds["mirrored"] else ""]
        cells += [", ".join(f"`{each}`" for each in kinds[kind]) for kind in ("differs", "refused")]
        rows.append(f"| `{row}` | {' | '.join('all' if each == '`()`' else each for each in cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(markdown(coverage()))
