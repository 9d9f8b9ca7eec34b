"""Log-probabilities of chosen tokens from a forward pass, in memory for a few of them at a time."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np

from ._model_packages import torch
from ._output_head import Model, Tensor, logits_by_head, whole_logits
from ._segments import IntArray
from ._source import FloatArray
from ._token_batches import Batch

# How many logits are taken at once on a cpu: 2 MB as float32, which its caches hold, but those of 128 positions, which
# products of matrices need, up to 16 MB; at 64 MB normalising took four times as long.  Elsewhere 256 MB.
_FEW_LOGITS, _MANY_LOGITS, _POSITIONS = 1 << 19, 1 << 22, 128
_LOGITS_ELSEWHERE = 1 << 26
_ONE_AT_A_TIME = threading.RLock()


def token_log_probs(model: Model, batch: Batch, targets: IntArray, *, has_head: bool, is_causal: bool) -> FloatArray:
    """Natural logarithms of the targets' probabilities, shape (targets,).

    targets: shape (targets,), the ids that count at batch.rows, batch.columns.
    has_head: whether the head can be applied by itself, see _probes.has_separate_head.
    is_causal: whether no token sees what stands after it, such as padding: then it need not be masked, which is faster.

    Memory: hidden states of the batch, with the logits of a chunk of positions; where the head cannot be applied by
    itself, the logits of the batch.  The logarithm is taken in float32, whatever type the model has.
    """
    device = model.get_input_embeddings().weight.device
    ids, mask, rows, columns, wanted = (
        torch().as_tensor(array, device=device)
        for array in (batch.ids, batch.is_token.astype(np.int64), batch.rows, batch.columns, targets)
    )
    run = logits_by_head if has_head else whole_logits
    logits = run(model, ids, None if is_causal else mask)
    size = _positions_at_once(device.type, vocabulary_size(model))
    chunks = [
        _chosen_log_probs(
            logits(rows[start : start + size], columns[start : start + size]), wanted[start : start + size]
        )
        for start in range(0, len(wanted), size)
    ]
    result: FloatArray = torch().cat(chunks).double().cpu().numpy()
    return result


def _positions_at_once(device: str, vocabulary: int) -> int:
    logits = max(_FEW_LOGITS, min(_POSITIONS * vocabulary, _MANY_LOGITS)) if device == "cpu" else _LOGITS_ELSEWHERE
    return max(1, logits // vocabulary)


def vocabulary_size(model: Model) -> int:
    """How many token ids the model knows."""
    return int(model.get_input_embeddings().weight.shape[0])


@contextlib.contextmanager
def evaluation(model: Model) -> Iterator[None]:
    """Dropout off, no gradients; every module's training flag as it was afterwards.

    One at a time: the flags are the model's, which threads may share.
    """
    with _ONE_AT_A_TIME:
        flags = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            # Not inference_mode: a model may keep a tensor that it makes, and train with it afterwards.
            with torch().no_grad():
                yield
        finally:
            for module, flag in flags:
                module.training = flag


def _chosen_log_probs(logits: Tensor, targets: Tensor) -> Tensor:
    """log softmax(logits)[target] of each row: -inf where the probability is 0."""
    log_probs = logits.float().log_softmax(1)
    return log_probs.gather(1, targets.to(log_probs.device)[:, None])[:, 0]
