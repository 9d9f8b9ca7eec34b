"""The source of probabilities that options ask for; what it loads stays loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._file_stamp import file_stamp
from ._load_source import model_source
from ._model_source import ModelSettings
from ._ngram_source import NgramSource
from ._own_source import OwnSource
from ._perplexity_options import PerplexityOptions
from ._pretrained import load_pretrained
from ._source import Source

_MODEL = ("model_id", "model", "tokenizer", "model_type", "device", "dtype")
_SETTINGS = ("start_token", "window", "stride", "long_texts", "batch_size", "max_batch_tokens")


class _Request(NamedTuple):
    """What is to be loaded, or trained, and from what."""

    load: Callable[..., Any]
    arguments: Mapping[str, Any]


class Sources:
    """Makes sources; the model that was loaded last, or trained, is kept for the next call."""

    def __init__(self) -> None:
        self._kept: tuple[Mapping[str, Any], Any] | None = None

    def of(self, options: PerplexityOptions) -> Source:
        """The source that options name; ValueError if they name none."""
        if options.kind == "own":
            return OwnSource(options.source)
        loaded = self._loaded(_request(options))
        return model_source(loaded, ModelSettings(**_values(options, _SETTINGS))) if options.kind == "model" else loaded

    def ngram(self, options: PerplexityOptions) -> NgramSource:
        """The n-gram model of the training texts."""
        trained: NgramSource = self._loaded(_request(options))
        return trained

    def name_of(self, options: PerplexityOptions) -> str:
        """What stands for the source in signatures; once it is loaded, it says what the options leave open."""
        if options.kind in (None, "own"):
            return options.source_name
        kept = self._kept
        is_loaded = kept is not None and kept[0] == _stamped(_request(options).arguments)
        return self.of(options).name if is_loaded else options.source_name

    def _loaded(self, request: _Request) -> Any:
        stamped = _stamped(request.arguments)
        kept = self._kept
        if kept is None or kept[0] != stamped:
            # Two models at once may not fit.
            kept = self._kept = None
            kept = self._kept = stamped, request.load(**request.arguments)
        return kept[1]


def _request(options: PerplexityOptions) -> _Request:
    if options.kind == "model":
        return _Request(load_pretrained, _values(options, _MODEL))
    if options.kind == "ngram":
        if options.train_texts is None:
            raise ValueError("source='ngram' is estimated from texts: give train_texts=, a list or a file's path")
        own = {"train_texts": options.train_texts, "order": options.ngram_order, "discount": options.discount}
        return _Request(NgramSource.trained, {**own, **_ngram_values(options)})
    if options.kind == "arpa":
        if not os.path.isfile(options.source):
            raise ValueError(
                f"source={os.fspath(options.source)!r}: there is no such file; give 'ngram' or an ARPA file's path; "
                f"a model of transformers is given as model_id="
            )
        return _Request(NgramSource.of_arpa, {"path": options.source, **_ngram_values(options)})
    raise ValueError(
        "no source of probabilities: give log_probs=, model_id= (a folder or hub name), model= with tokenizer=, "
        "source='ngram' with train_texts=, or source= an ARPA file's path; for add_batch, when the metric is loaded"
    )


def _stamped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, paths with what tells that their files were written anew, as checkpoints are."""
    return {name: (value, file_stamp(value)) for name, value in arguments.items()}


def _ngram_values(options: PerplexityOptions) -> dict[str, Any]:
    if options.start_token not in ("bos", False):
        raise ValueError(f"start_token={options.start_token!r}: n-gram models have <s> alone; give 'bos' or False")
    is_started = options.start_token == "bos"
    return {"unit": options.ngram_unit, "start_token": is_started, "end_token": options.end_token}


def _values(options: PerplexityOptions, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}
