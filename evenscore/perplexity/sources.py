"""Creates the source of probabilities that the options select, and keeps the loaded model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evenscore.identity import file_stamp
from evenscore.inputs import amount
from evenscore.options import callable_name
from evenscore.perplexity.models.pretrained import LOADING, load_pretrained
from evenscore.perplexity.models.source import model_source
from evenscore.perplexity.ngram.source import NgramSource
from evenscore.perplexity.options import PerplexityOptions, check_arpa_file, kind_of, source_name
from evenscore.perplexity.source import Source, Token, TokenScores, from_log_probs


class OwnSource(Source):
    """A function, or an object with a method `log_probs`, that returns an array of natural logs per text.

    It is called with the texts and, if there are any, the contexts. An optional method `tokens`, with the same
    arguments, returns the tokens of each text as (text, start, end).
    """

    def __init__(self, model: Any) -> None:
        self.name = callable_name(model)
        self.names_tokens = hasattr(model, "tokens")
        self._model = model
        self._log_probs = model.log_probs if hasattr(model, "log_probs") else model
        if hasattr(model, "get_input_embeddings"):
            raise ValueError(
                f"source is a {type(model).__name__}: pass a model of transformers as model=, with tokenizer="
            )
        if not callable(self._log_probs):
            raise ValueError(
                f"source={model!r}: give 'ngram', an ARPA file's path, a function, or an object with log_probs(texts)"
            )

    def score(self, texts: Sequence[str], contexts: Sequence[str] | None) -> TokenScores:
        scores = from_log_probs(_asked(self._log_probs, texts, contexts), "log_probs of the source")
        rows = len(scores.offsets) - 1
        if rows != len(texts):
            given = f"{amount(rows, 'rows')} of log_probs for {amount(len(texts), 'texts')}"
            raise ValueError(f"the source gives {given}: return one per text")
        return scores

    def tokens(self, texts: Sequence[str], contexts: Sequence[str] | None) -> list[list[Token]]:
        if not self.names_tokens:
            raise ValueError("per_token=True: give a source with a method tokens(texts)")
        return [[Token(*token) for token in row] for row in _asked(self._model.tokens, texts, contexts)]


def _asked(method: Callable[..., Any], texts: Sequence[str], contexts: Sequence[str] | None) -> Any:
    """Call a method of the source; ValueError if there are contexts but it does not accept them."""
    if contexts is None:
        return method(list(texts))
    try:
        inspect.signature(method).bind(list(texts), list(contexts))
    except TypeError as error:
        raise ValueError("contexts are given, but the source accepts texts only: leave them out") from error
    return method(list(texts), list(contexts))


class Sources:
    """Creates sources, and keeps the model that was loaded or trained last."""

    def __init__(self) -> None:
        self._kept: tuple[Mapping[str, Any], Any] | None = None

    def of(self, options: PerplexityOptions) -> Source:
        """Return the source that the options select; ValueError if they select none."""
        if kind_of(options) == "own":
            return OwnSource(options["source"])
        loaded, is_model = self._loaded(options), kind_of(options) == "model"
        return model_source(loaded, options) if is_model else loaded

    def name_of(self, options: PerplexityOptions) -> str:
        """Return the source's name in signatures, with all details once the source is loaded."""
        if kind_of(options) in (None, "own"):
            return source_name(options)
        kept = self._kept
        is_loaded = kept is not None and kept[0] == _stamped(_request(options)[1])
        return self.of(options).name if is_loaded else source_name(options)

    def _loaded(self, options: PerplexityOptions) -> Any:
        load, arguments = _request(options)
        stamped, kept = _stamped(arguments), self._kept
        if kept is None or kept[0] != stamped:
            # Drop the old model first, because two may not fit into memory.
            kept = self._kept = None
            kept = self._kept = stamped, load(**arguments)
        return kept[1]


def _request(options: PerplexityOptions) -> tuple[Callable[..., Any], Mapping[str, Any]]:
    """Return the function that loads or trains the model, and its arguments."""
    if kind_of(options) == "model":
        given: Mapping[str, Any] = options
        return load_pretrained, {name: given[name] for name in LOADING}
    if kind_of(options) == "ngram":
        if options["train_texts"] is None:
            raise ValueError("source='ngram' needs training texts: give train_texts=, a list or a file's path")
        own = {"train_texts": options["train_texts"], "order": options["ngram_order"], "discount": options["discount"]}
        return NgramSource.trained, {**own, **_ngram_values(options)}
    if kind_of(options) == "arpa":
        check_arpa_file(options["source"])
        return NgramSource.of_arpa, {"path": options["source"], **_ngram_values(options)}
    raise ValueError(
        "no source of probabilities: give log_probs=, model_id= (a folder or hub name), model= with tokenizer=, "
        "source='ngram' with train_texts=, or source= an ARPA file's path; for add_batch, set it at load"
    )


def _stamped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, each with the stamps of its files, to notice when a file was rewritten."""
    return {name: (value, file_stamp(value)) for name, value in arguments.items()}


def _ngram_values(options: PerplexityOptions) -> dict[str, Any]:
    if options["start_token"] not in ("bos", False):
        raise ValueError(f"start_token={options['start_token']!r}: n-gram models only have <s>; give 'bos' or False")
    is_started = options["start_token"] == "bos"
    return {"unit": options["ngram_unit"], "start_token": is_started, "end_token": options["end_token"]}
