"""A matplotlib figure that notebooks display without pyplot."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A Figure that displays itself without `%matplotlib inline`. pyplot does not track it, so it needs no close."""

    def _repr_png_(self) -> bytes:
        """Return the PNG that IPython displays for a cell's value."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()
