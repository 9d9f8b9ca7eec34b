"""A web page that scores texts with a metric: the metric's app.py describes and serves it."""

from evenscore.hub.page.description import Figure as Figure
from evenscore.hub.page.description import Given as Given
from evenscore.hub.page.description import Input as Input
from evenscore.hub.page.description import Option as Option
from evenscore.hub.page.description import Space as Space
from evenscore.hub.page.description import pairs as pairs
from evenscore.hub.page.description import second as second
from evenscore.hub.page.page import build as build
from evenscore.hub.page.page import serve as serve
