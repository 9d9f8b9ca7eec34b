"""The picture of perplexity: how surprising every token was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._marks import Mark
from ._picture import Picture
from ._picture_blocks import Line
from ._resampling import FloatArray

# Where, in nats, the next darker colour begins; e^-1, e^-3, e^-6, e^-9 are about 1/3, 1/20, 1/400, 1/8000.
_STEPS = (1.0, 3.0, 6.0, 9.0)


def surprise_picture(title: str, token_log_probs: FloatArray, token_texts: Sequence[str] | None) -> Picture:
    """Every token on a colour that is the darker the less likely it was, with -ln P below it, in nats.

    token_texts: None: the tokens are numbered.

    >>> print(surprise_picture("Why", np.array([-0.5, -10.0]), ["the", "zebra"]).text(colour=False))
    Why
    -ln P the<0.5> zebra<10.0>
    """
    surprises = 0.0 - token_log_probs
    levels = np.searchsorted(_STEPS, surprises, side="right").tolist()
    names = list(map(str, range(1, len(surprises) + 1))) if token_texts is None else token_texts
    marks = [
        Mark(name, f"heat{level}", f"{surprise:.1f}")
        for name, level, surprise in zip(names, levels, surprises.tolist(), strict=True)
    ]
    return Picture(title, [Line("-ln P", marks)])
