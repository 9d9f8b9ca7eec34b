"""Pretrained models asked one window at a time, with all their logits: slow, obviously right."""

from __future__ import annotations

from typing import Any

import torch
from naive_windows import Window, strided_windows


@torch.no_grad()
def window_log_probs(model: Any, ids: list[int], window: Window) -> list[float]:
    """The log-probabilities of the tokens that a window scores, by one forward pass for it alone."""
    logits = model(torch.tensor([ids[window.start : window.stop]])).logits[0].double()
    wanted = ids[window.stop + 1 - window.scored : window.stop + 1]
    last = logits[logits.shape[0] - window.scored :].log_softmax(-1)
    return [row[token].item() for row, token in zip(last, wanted, strict=True)]


def causal_log_probs(model: Any, ids: list[int], before: int, window: int, stride: int) -> list[float]:
    """log P(token | what its window holds before it) of every token from `before` on, the very first one left out."""
    windows = strided_windows(len(ids), before, window, stride)
    return [value for each in windows for value in window_log_probs(model, ids, each)]


@torch.no_grad()
def masked_log_probs(model: Any, tokenizer: Any, ids: list[int], before: int, window: int) -> list[float]:
    """log P(token | the others in a window around it) of every token from `before` on (Salazar et al. 2020)."""
    result = []
    room = window - 2
    for i in range(before, len(ids)):
        start = max(0, min(i - room // 2, len(ids) - room))
        seen = ids[start : start + room]
        seen[i - start] = tokenizer.mask_token_id
        logits = model(torch.tensor([[tokenizer.cls_token_id, *seen, tokenizer.sep_token_id]])).logits[0].double()
        result.append(logits[i - start + 1].log_softmax(-1)[ids[i]].item())
    return result
