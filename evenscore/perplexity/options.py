"""The options of perplexity."""

from __future__ import annotations

import dataclasses
import os
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from evenscore.inputs import check_predictions
from evenscore.options import Alias, Options, callable_name, check_choice, check_flags, check_integer, rename

# What can stand for the metric: each is a function of the summed statistics.
HEADLINES = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bits_per_character")
# Those that can be made without the texts.
TEXTLESS = ("perplexity",)

Kind = Literal["model", "ngram", "arpa", "own"]
# What decides the score with each kind of source, and the names that signatures have for it.
_NGRAM = ("start_token", "end_token")
_SIGNED: Mapping[Kind | None, Sequence[str]] = {
    None: (),
    "model": ("start_token", "window", "stride", "long_texts"),
    "ngram": _NGRAM,
    "arpa": _NGRAM,
    "own": (),
}
# Which kinds of source options are for.
_OF_KINDS: Mapping[tuple[Kind, ...], Sequence[str]] = {
    ("ngram",): ("train_texts", "ngram_order", "discount"),
    ("ngram", "arpa"): ("ngram_unit", "end_token"),
    ("model",): (
        "tokenizer", "model_type", "device", "dtype",
        "window", "stride", "long_texts", "batch_size", "max_batch_tokens",
    ),
    ("model", "ngram", "arpa"): ("start_token",),
}  # fmt: skip
_SHORT = {
    "start_token": "start", "end_token": "end", "window": "window", "stride": "stride", "long_texts": "long",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, kw_only=True)
class PerplexityOptions(Options):
    """What the shared options do not say.

    source: "ngram", the path of an ARPA file, or your own model: an object with log_probs(texts), or a function.
    train_texts, ngram_order, ngram_unit, discount: of the n-gram model; see the metric's card.
    end_token: whether n-gram models score the end of every text.
    model_id: a folder or hub name; or model and tokenizer, already loaded.
    model_type: "causal" or "masked"; None asks the model's configuration.
    device, dtype: where the model is put, and as what; None leaves the choice to torch and transformers.
    start_token: "bos", "eos", a token of the vocabulary, or False: then the first token is not scored.
    window: how many tokens the model sees at once; None for as many as it can.
    stride: how many tokens each further window scores; None for half a window.
    long_texts: "strided", "disjoint" or "first" windows of texts that are longer.
    batch_size, max_batch_tokens: the most rows and tokens of a batch.
    shift: labels stand at the place of their own logits, which are of the token after.
    ignore_index: the label that is not scored.
    headlines: what gets rows, intervals and p-values, among HEADLINES.
    per_token: also give every token.
    """

    source: Any = None
    train_texts: Any = None
    ngram_order: int = 3
    ngram_unit: Any = "words"
    discount: Any = None
    end_token: bool = True
    model_id: Any = None
    model: Any = None
    tokenizer: Any = None
    model_type: Literal["causal", "masked"] | None = None
    device: str | None = None
    dtype: str | None = None
    start_token: str | bool = "bos"
    window: int | None = None
    stride: int | None = None
    long_texts: Literal["strided", "disjoint", "first"] = "strided"
    batch_size: int | None = None
    max_batch_tokens: int | None = None
    shift: bool = False
    ignore_index: int = -100
    headlines: Sequence[str] = ("perplexity",)
    per_token: bool = False

    # Everything but how much is scored at once, and what is made of the sums.
    COUNTING: ClassVar[tuple[str, ...]] = (
        "source", "train_texts", "ngram_order", "ngram_unit", "discount", "end_token",
        "model_id", "model", "tokenizer", "model_type", "device", "dtype",
        "start_token", "window", "stride", "long_texts", "shift", "ignore_index",
    )  # fmt: skip
    ALIASES: ClassVar[Mapping[str, Alias]] = {
        "add_start_token": lambda value: _start_token(value),
        "max_length": lambda value: {} if value is None else {"window": value, "long_texts": "first"},
        "torch_dtype": rename("dtype"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "end_token", "shift", "per_token")
        check_choice("long_texts", self.long_texts, ("strided", "disjoint", "first"))
        check_choice("model_type", self.model_type, (None, "causal", "masked"))
        check_integer("ngram_order", self.ngram_order, least=1)
        check_integer("ignore_index", self.ignore_index, least=-(2**63), most=2**63 - 1)
        for name in ("window", "stride", "batch_size", "max_batch_tokens"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), least=1)
        if self.start_token is True or not isinstance(self.start_token, (str, bool)):
            raise ValueError(f"start_token={self.start_token!r}: give 'bos', 'eos', a token, or False")
        if isinstance(self.ngram_unit, str):
            check_choice("ngram_unit", self.ngram_unit, ("words", "characters"))
        _check_headlines(self.headlines)
        self._check_applicable()
        # A column of any kind becomes what can be compared and pickled.
        object.__setattr__(self, "train_texts", _train_texts(self.train_texts))

    def _check_applicable(self) -> None:
        """Raise ValueError for options of one kind of source that are given with another."""
        if self.source is not None and (self.model_id is not None or self.model is not None):
            raise ValueError("source= is given beside a model: give one of them")
        if self.kind is None:
            return
        for kinds, names in _OF_KINDS.items():
            for name in names if self.kind not in kinds else ():
                value = getattr(self, name)
                if value != _DEFAULTS[name]:
                    shown = reprlib.repr(value)
                    raise ValueError(f"{name}={shown} has no meaning with {self._kind_name()}: leave it out")

    def _kind_name(self) -> str:
        names = {"model": "a model", "ngram": "source='ngram'", "arpa": "an ARPA file"}
        return names.get(self.kind or "", "this source")

    @property
    def kind(self) -> Kind | None:
        """Where probabilities come from; None: they are given."""
        if self.model_id is not None or self.model is not None:
            return "model"
        if self.source is None:
            return None
        if isinstance(self.source, (str, os.PathLike)):
            return "ngram" if self.source == "ngram" else "arpa"
        return "own"

    @property
    def scores_all(self) -> bool:
        """Whether every token of a text without context is scored, however long it is."""
        return self.kind != "model" or (self.long_texts != "first" and self.start_token is not False)

    @property
    def knows_unknown(self) -> bool:
        """Whether the source says of tokens that it does not know them."""
        return self.kind in ("ngram", "arpa")

    def files(self) -> tuple[Any, ...]:
        """Those of the source: a model with its tokenizer, training texts, an ARPA file."""
        named = (self.model_id, self.tokenizer, self.train_texts, self.source if self.kind == "arpa" else None)
        return tuple(value for value in named if isinstance(value, (str, os.PathLike)))

    def signed(self) -> Mapping[str, Any]:
        """What decides the score besides the source, under short names, in order."""
        return {_SHORT[name]: getattr(self, name) for name in _SIGNED[self.kind]}

    @property
    def source_name(self) -> str:
        """What the options alone say of the source, for signatures."""
        if self.kind == "model":
            return _name_of_model(self.model if self.model_id is None else self.model_id)
        if self.kind == "arpa":
            return f"arpa:{os.path.basename(self.source)}"
        if self.kind == "ngram":
            return f"ngram:{self.ngram_order}"
        return callable_name(self.source) if self.kind == "own" else "given"


# The defaults of the class, by name.
_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in dataclasses.fields(PerplexityOptions)}


def _name_of_model(model: Any) -> str:
    """Without the folders of this machine; a hub name keeps its namespace."""
    path = (
        model if isinstance(model, (str, os.PathLike)) else getattr(getattr(model, "config", None), "name_or_path", "")
    )
    name = os.fspath(path)
    shown = os.path.basename(os.path.normpath(name)) if name and os.path.exists(name) else name
    return shown or type(model).__name__


def _start_token(value: Any) -> Mapping[str, Any]:
    check_choice("add_start_token", value, (True, False, None))
    return {} if value is None else {"start_token": "bos" if value else False}


def _train_texts(given: Any) -> Any:
    if given is None or isinstance(given, (str, os.PathLike)):
        return given
    return tuple(check_predictions(given if not isinstance(given, tuple) else list(given), "train_texts"))


def _check_headlines(headlines: Any) -> None:
    if isinstance(headlines, str) or not headlines:
        raise ValueError(f"headlines={headlines!r}: give a list of names among {', '.join(HEADLINES)}")
    for name in headlines:
        check_choice("headlines", name, HEADLINES)
