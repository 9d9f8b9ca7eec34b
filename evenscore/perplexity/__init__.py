"""Perplexity of texts, from any source of probabilities."""
