"""What a small input shows about a model."""

from __future__ import annotations

from ._forward_pass import vocabulary_size
from ._model_packages import torch
from ._output_head import Model, Tensor, base_output, head_logits, without_adapters


def has_separate_head(model: Model) -> bool:
    """Whether the logits are what the head makes of the base model's last hidden states, bit by bit, on a probe.

    Not so, for one, where PEFT's prompt tuning puts tokens of its own before the text.
    """
    ids = _probe(model)
    mask = torch().ones_like(ids)
    mask[1, 3:] = 0
    inner = without_adapters(model)
    try:
        output = base_output(inner, ids, mask)
        by_head = head_logits(inner, output, output.last_hidden_state)
    except (torch().OutOfMemoryError, MemoryError):
        raise
    # Architectures fail in their own ways with what they did not expect.
    except Exception:
        return False
    return bool(torch().equal(by_head, model(input_ids=ids, attention_mask=mask).logits))


def gives_logits(model: Model) -> bool:
    """Whether the model says something of every token, as a body without a head, or a classifier, does not."""
    ids = _probe(model)
    try:
        logits = model(input_ids=ids, attention_mask=torch().ones_like(ids)).logits
    # A body has no logits; classifiers fail in their own ways.
    except (AttributeError, ValueError):
        return False
    return bool(logits.dim() == 3 and logits.shape[-1] > 2)


def ignores_padding(model: Model) -> bool:
    """Whether what is said of a text is the same with padding after it; where bases mix all positions it is not."""
    ids = _probe(model)
    mask = torch().ones_like(ids)
    mask[:, 3:] = 0
    alone, padded = model(input_ids=ids[:, :3]).logits, model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning has logits of its own tokens first.
    before = padded.shape[1] - ids.shape[1]
    return bool((alone[:, before:] - padded[:, before : before + 3]).abs().max() <= _noise(alone))


def reads_ahead(model: Model) -> bool:
    """Whether the logits at a position depend on what stands after it."""
    ids = _probe(model)
    other = ids.clone()
    other[:, -1] = 0
    before, after = (
        model(input_ids=each, attention_mask=torch().ones_like(each)).logits[:, :-1] for each in (ids, other)
    )
    return bool((before - after).abs().max() > _noise(before))


def _noise(logits: Tensor) -> Tensor:
    """How much logits may differ where kernels add up in another order; what a model sees moves them by more."""
    return 256 * torch().finfo(logits.dtype).eps * logits.abs().max()


def _probe(model: Model) -> Tensor:
    """Ids of two rows of five tokens."""
    device = model.get_input_embeddings().weight.device
    return torch().arange(1, 11, device=device).reshape(2, 5) % vocabulary_size(model)
