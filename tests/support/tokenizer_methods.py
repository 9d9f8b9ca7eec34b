"""What an object of either library does when each of its methods is called."""

from __future__ import annotations

import asyncio
import pickle
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizer_samples import CORPUS, READY_MADE, TEXT, TOKENS, held, made, tokenizer


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
    if row in READY_MADE:
        return held(it.encode("lowol")), it.to_str()
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
    "no_truncation": lambda library, row, it: (it.enable_truncation(3), enabled(it, "no_truncation", "truncation")),
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


def _ready_again(it: Any) -> Any:
    """What its class reads from the files of its model."""
    return in_folder(lambda folder: type(it).from_file(*it.save_model(str(folder))).to_str())


def _ready_trained(it: Any, **options: Any) -> Any:
    """The tokens alone: affixed ones have other ids in each run of the library."""
    it.train_from_iterator(CORPUS * 20, show_progress=False, **options)
    return sorted(it.get_vocab())


def _ready_trained_on_file(it: Any) -> Any:
    def train(folder: Path) -> list[str]:
        (folder / "t.txt").write_text("\n".join(CORPUS * 20))
        it.train([str(folder / "t.txt")], show_progress=False)
        return sorted(it.get_vocab())

    return in_folder(train)


READY_METHODS: dict[str, Callable[[Any, str, Any], Any]] = {
    "decode": asked("decode", [3, 1, 4]),
    # With room for the special tokens of BERT.
    "enable_truncation": lambda library, row, it: enabled(
        it, "enable_truncation", "truncation", max_length=4, stride=1
    ),
    "from_file": lambda library, row, it: _ready_again(it),
    "from_spm": lambda library, row, it: callable(it.from_spm),
    "normalize": asked("normalize", TEXT),
    "save": lambda library, row, it: in_folder(lambda folder: (it.save(str(folder / "t")), (folder / "t").read_text())),
    "save_model": lambda library, row, it: in_folder(lambda folder: len(it.save_model(str(folder), "name"))),
    "train": lambda library, row, it: _ready_trained_on_file(it),
    "train_from_iterator": lambda library, row, it: _ready_trained(it),
}


def _normalized(library: Any, it: Any) -> str:
    text = library.NormalizedString(TEXT)
    it.normalize(text)
    return str(text.normalized)


def _pre_tokenized(library: Any, it: Any) -> Any:
    text = library.PreTokenizedString(TEXT)
    it.pre_tokenize(text)
    return [split[:2] for split in text.get_splits()]
