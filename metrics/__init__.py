"""Exact, offline, fast metrics for Hugging Face evaluate.

>>> import evenscore
>>> evenscore.load("wer_dp").compute(predictions=["a b d"], references=["a b c d"])["wer"]
0.25
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._comparison_plot import plot_comparison as plot_comparison
from ._shared._version import __version__ as __version__

if TYPE_CHECKING:
    from ._shared._hosted_metric import HostedMetric

METRICS = {
    "bleu_corpus": "BleuCorpus",
    "rouge_l_multi": "RougeLMulti",
    "wer_dp": "WerDp",
    "perplexity": "Perplexity",
}


def load(name: str, **options: Any) -> HostedMetric:
    """A metric with these options; evaluate.load(path(name), **options) gives the same one.

    Raises ValueError for an unknown name or option.
    """
    from importlib import import_module

    module = import_module(f"{__name__}.{_known(name)}.{name}")
    metric: HostedMetric = getattr(module, METRICS[name])(**options)
    return metric


def path(name: str) -> str:
    """The absolute path of a metric's folder, for evaluate.load."""
    return str(Path(__file__).resolve().parent / _known(name))


def _known(name: str) -> str:
    if name not in METRICS:
        raise ValueError(f"unknown metric {name!r}: choose one of {', '.join(METRICS)}")
    return name
