"""Exact, offline, fast metrics for Hugging Face evaluate.

>>> import evenscore
>>> evenscore.load("wer_dp").compute(predictions=["a b d"], references=["a b c d"])["wer"]
0.25
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenscore.plots import plot_comparison as plot_comparison
from evenscore.version import __version__ as __version__

if TYPE_CHECKING:
    from evenscore.metric import HostedMetric

# An installed package holds the folders of metrics/; in a clone, as in an editable installation, they lie beside it.
if not Path(__file__).with_name("metrics").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))

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
    module = import_module(f"evenscore.metrics.{_known(name)}.{name}")
    metric: HostedMetric = getattr(module, METRICS[name])(**options)
    return metric


def path(name: str) -> str:
    """The absolute path of a metric's folder, for evaluate.load."""
    return str(Path(str(import_module(f"evenscore.metrics.{_known(name)}").__file__)).resolve().parent)


def _known(name: str) -> str:
    if name not in METRICS:
        raise ValueError(f"unknown metric {name!r}: choose one of {', '.join(METRICS)}")
    return name
