"""Text as arrays: splits, words, bytes, Unicode's tables."""
