"""The source of probabilities that options ask for; what it loads stays loaded."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evenscore.identity import file_stamp
from evenscore.options import callable_name
from evenscore.perplexity.models.pretrained import LOADING, load_pretrained
from evenscore.perplexity.models.source import model_source
from evenscore.perplexity.ngram.source import NgramSource
from evenscore.perplexity.options import PerplexityOptions, kind_of, source_name
from evenscore.perplexity.source import Source, Token, TokenScores, from_log_probs


class OwnSource(Source):
    """An object with `log_probs(texts)`, or a function: one array of natural-log probabilities a text.

    With contexts, they are the second argument.  `tokens(texts)`, where the object has it, gives the tokens of each
    text as (text, start, end).
    """

    def __init__(self, model: Any) -> None:
        self.name = callable_name(model)
        self.names_tokens = hasattr(model, "tokens")
        self._model = model
        self._log_probs = model.log_probs if hasattr(model, "log_probs") else model
        if hasattr(model, "get_input_embeddings"):
            raise ValueError(
                f"source is a {type(model).__name__}: give a model of transformers as model=, with tokenizer="
            )
        if not callable(self._log_probs):
            raise ValueError(
                f"source={model!r}: give 'ngram', an ARPA file's path, a function, or an object with log_probs(texts)"
            )

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        scores = from_log_probs(_asked(self._log_probs, texts, contexts), "log_probs of the source")
        rows = len(scores.offsets) - 1
        if rows != len(texts):
            raise ValueError(f"the source gives {rows} rows of log_probs for {len(texts)} texts: one each is needed")
        return scores

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        if not self.names_tokens:
            raise ValueError("per_token=True: this source has no tokens(texts) that names them")
        return [[Token(*token) for token in row] for row in _asked(self._model.tokens, texts, contexts)]


def _asked(method: Callable[..., Any], texts: Sequence[str], contexts: Sequence[str] | None) -> Any:
    """What the method says of the texts; ValueError if it does not take contexts that are given."""
    if contexts is None:
        return method(list(texts))
    try:
        inspect.signature(method).bind(list(texts), list(contexts))
    except TypeError as error:
        raise ValueError("contexts are given, but the source takes texts alone: leave them out") from error
    return method(list(texts), list(contexts))


class Sources:
    """Makes sources; the model that was loaded last, or trained, is kept for the next call."""

    def __init__(self) -> None:
        self._kept: tuple[Mapping[str, Any], Any] | None = None

    def of(self, options: PerplexityOptions) -> Source:
        """The source that options name; ValueError if they name none."""
        if kind_of(options) == "own":
            return OwnSource(options["source"])
        loaded, is_model = self._loaded(options), kind_of(options) == "model"
        return model_source(loaded, options) if is_model else loaded

    def name_of(self, options: PerplexityOptions) -> str:
        """What stands for the source in signatures; once it is loaded, it says what the options leave open."""
        if kind_of(options) in (None, "own"):
            return source_name(options)
        kept = self._kept
        is_loaded = kept is not None and kept[0] == _stamped(_request(options)[1])
        return self.of(options).name if is_loaded else source_name(options)

    def _loaded(self, options: PerplexityOptions) -> Any:
        load, arguments = _request(options)
        stamped, kept = _stamped(arguments), self._kept
        if kept is None or kept[0] != stamped:
            # Two models at once may not fit.
            kept = self._kept = None
            kept = self._kept = stamped, load(**arguments)
        return kept[1]


def _request(options: PerplexityOptions) -> tuple[Callable[..., Any], Mapping[str, Any]]:
    """What loads, or trains, and from what."""
    if kind_of(options) == "model":
        given: Mapping[str, Any] = options
        return load_pretrained, {name: given[name] for name in LOADING}
    if kind_of(options) == "ngram":
        if options["train_texts"] is None:
            raise ValueError("source='ngram' is estimated from texts: give train_texts=, a list or a file's path")
        own = {"train_texts": options["train_texts"], "order": options["ngram_order"], "discount": options["discount"]}
        return NgramSource.trained, {**own, **_ngram_values(options)}
    if kind_of(options) == "arpa":
        if not os.path.isfile(options["source"]):
            raise ValueError(
                f"source={os.fspath(options['source'])!r}: there is no such file; give 'ngram' or an ARPA file's path; "
                f"a model of transformers is given as model_id="
            )
        return NgramSource.of_arpa, {"path": options["source"], **_ngram_values(options)}
    raise ValueError(
        "no source of probabilities: give log_probs=, model_id= (a folder or hub name), model= with tokenizer=, "
        "source='ngram' with train_texts=, or source= an ARPA file's path; for add_batch, when the metric is loaded"
    )


def _stamped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, paths with what tells that their files were written anew, as checkpoints are."""
    return {name: (value, file_stamp(value)) for name, value in arguments.items()}


def _ngram_values(options: PerplexityOptions) -> dict[str, Any]:
    if options["start_token"] not in ("bos", False):
        raise ValueError(f"start_token={options['start_token']!r}: n-gram models have <s> alone; give 'bos' or False")
    is_started = options["start_token"] == "bos"
    return {"unit": options["ngram_unit"], "start_token": is_started, "end_token": options["end_token"]}
