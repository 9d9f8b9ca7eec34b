"""Word error rate by dynamic programming."""
