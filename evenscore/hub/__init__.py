"""Metrics on the Hub: a self-contained folder of each, and its page."""
