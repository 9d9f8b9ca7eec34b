"""A figure that notebooks show by themselves."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A Figure that needs no `%matplotlib inline` to be seen; pyplot does not know it, and need not close it."""

    def _repr_png_(self) -> bytes:
        """What IPython asks of the value of a cell."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()
