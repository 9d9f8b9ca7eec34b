"""A page that scores texts, of any metric: an app.py describes it and serves it."""

from .description import Example as Example
from .description import Given as Given
from .description import Input as Input
from .description import Option as Option
from .description import Space as Space
from .description import pairs as pairs
from .page import build as build
from .page import serve as serve
