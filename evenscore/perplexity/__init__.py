"""Perplexity of texts, whatever gives the probabilities."""
