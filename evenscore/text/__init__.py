"""Texts as arrays of token ids."""
