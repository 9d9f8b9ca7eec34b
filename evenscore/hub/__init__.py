"""Publishes metrics on the Hub: a self-contained folder per metric, and its page."""
