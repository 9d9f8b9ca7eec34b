"""Text as arrays: splits, words, bytes, Unicode tables."""
