"""The options of perplexity, aliases for the names in evaluate's perplexity, and the keys of the result."""

from __future__ import annotations

import functools
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from evenscore.inputs import check_predictions
from evenscore.options import (
    Alias,
    HostOptions,
    Option,
    Options,
    callable_name,
    check_choice,
    declared,
    integer,
    rename,
)

# Possible headline scores. Each is a function of the summed statistics.
HEADLINES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")
_NAMED_HEADLINES = ", ".join(f'`"{name}"`' for name in HEADLINES)
# Headlines that do not need the texts.
TEXTLESS = ("perplexity",)

Kind = Literal["model", "ngram", "arpa", "own"]
# Options in the signature, by kind of source.
_SIGNED: Mapping[Kind | None, Sequence[str]] = {
    "model": ("start_token", "window", "stride", "long_texts"),
    **dict.fromkeys(("ngram", "arpa"), ("start_token", "end_token")),
}
# Options that apply to some kinds of source only.
_OF_KINDS: Mapping[tuple[Kind, ...], Sequence[str]] = {
    ("ngram",): ("train_texts", "ngram_order", "discount"),
    ("ngram", "arpa"): ("ngram_unit", "end_token"),
    ("model",): (
        "tokenizer", "model_type", "device", "dtype", "onednn",
        "window", "stride", "long_texts", "batch_size", "max_batch_tokens",
    ),
    ("model", "ngram", "arpa"): ("start_token",),
}  # fmt: skip
# Short names in the signature. Other options keep their name.
_SHORT = {"start_token": "start", "end_token": "end", "long_texts": "long"}
_KIND_NAMES = {"model": "a model", "ngram": "source='ngram'", "arpa": "an ARPA file"}


def _check_start_token(name: str, value: Any) -> None:
    if value is True or not isinstance(value, (str, bool)):
        raise ValueError(f"{name}={value!r}: give 'bos', 'eos', a token, or False")


def _check_unit(name: str, value: Any) -> None:
    if isinstance(value, str):
        check_choice(name, value, ("words", "characters"))


def _check_headlines(name: str, value: Any) -> None:
    if isinstance(value, str) or not value:
        raise ValueError(f"{name}={value!r}: give a list of names among {', '.join(HEADLINES)}")
    for headline in value:
        check_choice(name, headline, HEADLINES)


def _start_token(value: Any) -> Mapping[str, Any]:
    return {} if value is None else {"start_token": "bos" if value else False}


_POSITIVE, _INT64 = integer(least=1), integer(least=-(2**63), most=2**63 - 1)
# An option that affects the statistics of rows.
_counted = functools.partial(Option, counts=True)


class PerplexityOptions(Options, total=False):
    """The options of perplexity."""

    source: Annotated[
        Any, _counted(None, '`"ngram"`, the path of an ARPA file, a function, or an object with a method `log_probs`')
    ]
    train_texts: Annotated[
        Any, _counted(None, "training texts of an n-gram model, or the path of a file with one per line")
    ]
    ngram_order: Annotated[int, _counted(3, "length of the longest n-grams", _POSITIVE)]
    ngram_unit: Annotated[
        str | Callable[[str], list[str]],
        _counted("words", '`"words"`, `"characters"`, or a function from text to tokens', _check_unit),
    ]
    discount: Annotated[
        float | Sequence[float] | None,
        _counted(
            None,
            "above 0 and below 1; or three, at most 1, 2 and 3, for n-grams seen once, twice, more often; "
            "`None`: estimated",
        ),
    ]
    end_token: Annotated[bool, _counted(True, "n-gram models also score the end of every text")]
    model_id: Annotated[str | os.PathLike[str] | None, _counted(None, "folder or Hub name of a transformers model")]
    model: Annotated[Any, _counted(None, "a loaded model; needs `tokenizer`")]
    tokenizer: Annotated[Any, _counted(None, "the loaded tokenizer of `model`")]
    model_type: Annotated[
        Literal["causal", "masked"] | None, _counted(None, '`"causal"` or `"masked"`; `None`: from the configuration')
    ]
    device: Annotated[
        str | None, _counted(None, '`"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"` or `"gpu"`; `None`: a GPU if any')
    ]
    dtype: Annotated[str | None, _counted(None, 'such as `"float32"` or `"bfloat16"`; `None`: as saved')]
    start_token: Annotated[
        str | bool,
        _counted("bos", '`"bos"`, `"eos"` or a token; `False`: none, first token not scored', _check_start_token),
    ]
    window: Annotated[
        int | None, _counted(None, "most tokens that a model reads at once; `None`: its limit", _POSITIVE)
    ]
    long_texts: Annotated[
        Literal["strided", "disjoint", "first"],
        _counted(
            "strided",
            '`"strided"`: overlapping windows, every token scored once; `"disjoint"`: as lm-eval\'s rolling '
            'log-likelihood; `"first"`: only the first window is scored',
        ),
    ]
    stride: Annotated[
        int | None, _counted(None, "tokens that each further window scores; `None`: half the window", _POSITIVE)
    ]
    batch_size: Annotated[int | None, Option(None, "most texts or windows per batch; `None`: by device", _POSITIVE)]
    max_batch_tokens: Annotated[int | None, Option(None, "most tokens per batch; `None`: by device", _POSITIVE)]
    onednn: Annotated[bool | None, Option(None, "run layers through oneDNN; `None`: on CPUs other than Intel's")]
    shift: Annotated[bool, _counted(False, "logits predict the next token, as in transformers")]
    ignore_index: Annotated[int, _counted(-100, "label that is not scored", _INT64)]
    headlines: Annotated[
        Sequence[str],
        Option(("perplexity",), f"scores that get rows, intervals and p-values: {_NAMED_HEADLINES}", _check_headlines),
    ]
    per_token: Annotated[bool, Option(False, "also return every token")]

    add_start_token: Annotated[bool | None, Alias(_start_token)]
    max_length: Annotated[
        int | None, Alias(lambda value: {} if value is None else {"window": value, "long_texts": "first"})
    ]
    torch_dtype: Annotated[str | None, rename("dtype")]


# What does the same as an option of other metrics or libraries that perplexity lacks.
INSTEAD = {
    "max_order": "ngram_order= does the same for source='ngram'",
    "unit": "ngram_unit='characters' does the same for source='ngram'",
}


class PerplexityLoad(PerplexityOptions, HostOptions, total=False):
    """The keyword arguments of evenscore.load for perplexity."""


class PerplexityResult(TypedDict, total=False):
    """The result of compute. Other headlines add their own keys for intervals and rows."""

    perplexity: float
    nll: float
    tokens: int
    mean_perplexity: float
    perplexities: list[float | None]
    left_out: list[str]
    word_perplexity: float
    byte_perplexity: float
    bits_per_byte: float
    bits_per_character: float
    words: int
    characters: int
    bytes: int
    unknown_tokens: int
    perplexity_without_unknown: float | None
    perplexity_low: float
    perplexity_mean: float
    perplexity_high: float
    perplexity_per_example: list[float]
    token_log_probs: list[list[float]]
    token_texts: list[list[str]]
    token_offsets: list[list[tuple[int | None, int | None]]]
    groups: dict[Any, dict[str, Any]]
    signature: str


# --- the source that options select


def kind_of(options: PerplexityOptions) -> Kind | None:
    """Return the kind of source; None if the caller passes probabilities."""
    if options["model_id"] is not None or options["model"] is not None:
        return "model"
    if options["source"] is None:
        return None
    if isinstance(options["source"], (str, os.PathLike)):
        return "ngram" if options["source"] == "ngram" else "arpa"
    return "own"


def check_arpa_file(source: str | os.PathLike[str]) -> None:
    """Raise ValueError if there is no such file."""
    if not os.path.isfile(source):
        raise ValueError(
            f"source={os.fspath(source)!r}: there is no such file; give 'ngram' or an ARPA file's path, "
            f"or a model of transformers as model_id="
        )


def check_applicable(options: Mapping[str, Any], kind: Kind | None) -> None:
    """Raise ValueError for options that do not apply to this kind of source."""
    if options["source"] is not None and (options["model_id"] is not None or options["model"] is not None):
        raise ValueError("source= and a model are both given: give one of them")
    if kind is None:
        return
    usual = declared(PerplexityOptions)["options"]
    for kinds, names in _OF_KINDS.items():
        for name in names if kind not in kinds else ():
            if options[name] != usual[name].default:
                if kind == "arpa":
                    check_arpa_file(options["source"])
                shown, source = reprlib.repr(options[name]), _KIND_NAMES.get(kind, "this source")
                raise ValueError(f"{name}={shown} does not apply to {source}: leave it out")


def scores_all(options: PerplexityOptions) -> bool:
    """Whether all tokens of a text without context are scored, regardless of its length."""
    return kind_of(options) != "model" or (options["long_texts"] != "first" and options["start_token"] is not False)


def signed(options: Mapping[str, Any], kind: Kind | None) -> Mapping[str, Any]:
    """Return the options that affect the score with this kind of source, in order, under their short names."""
    return {_SHORT.get(name, name): options[name] for name in _SIGNED.get(kind, ())}


def source_name(options: PerplexityOptions) -> str:
    """Return the source's name in signatures as far as the options determine it."""
    match kind_of(options):
        case "model":
            return _name_of_model(options["model"] if options["model_id"] is None else options["model_id"])
        case "arpa":
            return f"arpa:{os.path.basename(options['source'])}"
        case "ngram":
            return f"ngram:{options['ngram_order']}"
        case "own":
            return callable_name(options["source"])
    return "given"


def _name_of_model(model: Any) -> str:
    """Return the model's name without parent folders; a hub name keeps its namespace."""
    is_path = isinstance(model, (str, os.PathLike))
    name = os.fspath(model if is_path else getattr(getattr(model, "config", None), "name_or_path", ""))
    shown = os.path.basename(os.path.normpath(name)) if name and os.path.exists(name) else name
    return shown or type(model).__name__


def train_texts(given: Any) -> Any:
    """Convert texts of any kind to a tuple, which can be compared and pickled; a path stays a path."""
    if given is None or isinstance(given, (str, os.PathLike)):
        return given
    return tuple(check_predictions(given if not isinstance(given, tuple) else list(given), "train_texts"))
