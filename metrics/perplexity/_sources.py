"""The source of probabilities that options ask for; what it loads stays loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._load_source import model_source
from ._model_source import ModelSettings
from ._ngram_source import NgramSource
from ._own_source import OwnSource
from ._perplexity_options import PerplexityOptions
from ._pretrained import load_pretrained
from ._source import Source

Loaded = TypeVar("Loaded")
_MODEL = ("model_id", "model", "tokenizer", "model_type", "device", "dtype")
_SETTINGS = ("start_token", "window", "stride", "long_texts", "batch_size", "max_batch_tokens")


class Sources:
    """Makes sources; the model that was loaded last, or trained, is kept for the next call."""

    def __init__(self) -> None:
        self._kept: tuple[dict[str, Any], Any] | None = None

    def of(self, options: PerplexityOptions) -> Source:
        """The source that options name; ValueError if they name none, or two."""
        if options.kind == "model":
            loaded = self._loaded(load_pretrained, _values(options, _MODEL))
            return model_source(loaded, ModelSettings(**_values(options, _SETTINGS)))
        if options.kind == "ngram":
            return self.ngram(options)
        if options.kind == "arpa":
            return self._loaded(NgramSource.of_arpa, {"path": options.source, **_ngram_values(options)})
        if options.kind == "own":
            return OwnSource(options.source)
        raise ValueError(
            "no source of probabilities: give log_probs=, model_id= (a folder or hub name), model= with tokenizer=, "
            "source='ngram' with train_texts=, or source= the path of an ARPA file"
        )

    def ngram(self, options: PerplexityOptions) -> NgramSource:
        """The n-gram model of the training texts."""
        if options.train_texts is None:
            raise ValueError("source='ngram' is estimated from texts: give train_texts=, a list or a file's path")
        own = {"train_texts": options.train_texts, "order": options.ngram_order, "discount": options.discount}
        return self._loaded(NgramSource.trained, {**own, **_ngram_values(options)})

    def _loaded(self, load: Callable[..., Loaded], arguments: dict[str, Any]) -> Loaded:
        """What `load` gives for the arguments, from the last call if they are the same."""
        if self._kept is None or self._kept[0] != arguments:
            # Two models at once may not fit.
            self._kept = None
            self._kept = arguments, load(**arguments)
        kept: Loaded = self._kept[1]
        return kept


def _ngram_values(options: PerplexityOptions) -> dict[str, Any]:
    if options.start_token not in ("bos", False):
        raise ValueError(f"start_token={options.start_token!r}: n-gram models have <s> alone; give 'bos' or False")
    is_started = options.start_token == "bos"
    return {"unit": options.ngram_unit, "start_token": is_started, "end_token": options.end_token}


def _values(options: PerplexityOptions, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}
