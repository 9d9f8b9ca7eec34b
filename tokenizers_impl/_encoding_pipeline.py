"""A pipeline that encodes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ._added_vocabulary import AddedVocabulary
from ._cutting import Cutter
from ._encoding import EncodedBatch, encoded
from ._encoding_object import Encoding, lists_of
from ._in_thread import in_thread
from ._inputs import Inputs
from ._option_values import checked_flag
from ._padding import Padding
from ._pipeline import Pipeline
from ._post_processing import PostProcessing, check_put_in
from ._splits import Splits
from ._threads import map_in_order, part_size
from ._truncation import Truncation
from .models import Model


class EncodingPipeline(Pipeline):
    """Texts to tokens, truncated, with special tokens, padded.

    >>> from tokenizers_impl import Tokenizer, models
    >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "[PAD]": 2}, []))
    >>> tokenizer.enable_truncation(2)
    >>> tokenizer.enable_padding(pad_id=2)
    >>> [encoding.tokens for encoding in tokenizer.encode_batch(["abab", "a"])]
    [['a', 'b'], ['a', '[PAD]']]
    >>> tokenizer.encode("abab").overflowing[0].tokens
    ['a', 'b']
    """

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """The tokens of a text or of a pair of texts, with offsets; is_pretokenized: they are lists of words."""
        inputs = Inputs.of_one(sequence, pair, is_pretokenized=is_pretokenized)
        return self._encodings(inputs, add_special_tokens, offsets=True)[0]

    def encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The tokens of many texts, with offsets; a pair is a tuple."""
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=True)

    def encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The same without offsets and words."""
        return self._encodings(Inputs.of(input, is_pretokenized=is_pretokenized), add_special_tokens, offsets=False)

    async def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """`encode` in a thread, to be awaited."""
        return await in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch` in a thread, to be awaited."""
        return await in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Iterable[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """`encode_batch_fast` in a thread, to be awaited."""
        return await in_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    def _encodings(self, inputs: Inputs, add_special_tokens: bool, *, offsets: bool) -> list[Encoding]:
        processing = self._processing(add_special_tokens)
        is_whole = self.model.is_random or len(inputs.texts) < 2
        parts = [inputs] if is_whole else list(inputs.parts(part_size(inputs.texts)))
        # A thread would cost one text more than all the rest.
        work = map if len(parts) == 1 else map_in_order
        with self._lock:
            stages = self._cutter, self.model, self._added
        batches = work(lambda part: _batch(part, *stages, offsets=offsets), parts)
        if processing.does_nothing and inputs.sequences is None:
            return list(chain.from_iterable(each.encodings() for each in batches))
        plans = [processing.plan(each, part.sequence_bounds()) for each, part in zip(batches, parts, strict=True)]
        longest = max((plan.longest for plan in plans), default=0)
        check_put_in(plans, longest)
        return list(chain.from_iterable(plan.encodings(longest) for plan in plans))

    def _processing(self, add_special_tokens: bool) -> PostProcessing:
        return PostProcessing(
            self._truncation,
            self.post_processor,
            self._padding,
            checked_flag("add_special_tokens", add_special_tokens),
        )

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """What `encode` does to the tokens of the texts: truncation, special tokens, padding."""
        processing = self._processing(add_special_tokens)
        first, second = lists_of("encoding", encoding), None if pair is None else lists_of("pair", pair)
        row = processing.process(first, second)
        return Encoding(processing.padded(row, len(row)))

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the post-processor puts in."""
        of_pair = checked_flag("is_pair", is_pair)
        return self.post_processor.num_special_tokens_to_add(of_pair) if self.post_processor else 0

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Keep at most max_length tokens of an input, special tokens included; the others overflow.

        stride: tokens that each overflowing row has in common with the one before.  strategy: which text of a pair is
        cut: "longest_first", "only_first", "only_second".  direction: which end, "right" or "left".
        """
        truncation = Truncation(max_length, stride, strategy, direction)
        truncation.check_room(self.num_special_tokens_to_add(False))
        self._truncation = truncation

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._truncation = None

    @property
    def truncation(self) -> dict[str, Any] | None:
        """What was asked for, None for no truncation."""
        return None if self._truncation is None else self._truncation.to_dict()

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Bring the rows of a batch to one length: `length`, or that of the longest; or the next multiple."""
        self._padding = Padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)

    def no_padding(self) -> None:
        """Leave rows as long as they are."""
        self._padding = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """What was asked for, None for no padding."""
        return None if self._padding is None else self._padding.to_dict()


def _batch(inputs: Inputs, cutter: Cutter, model: Model, added: AddedVocabulary, *, offsets: bool) -> EncodedBatch:
    """A row a sequence."""
    splits = Splits.of(inputs.texts, offsets=offsets or cutter.needs_origins, first=inputs.first)
    batch = encoded(cutter.cut(splits), model, added, offsets=offsets)
    return batch if inputs.words is None else batch.grouped(inputs.words)
