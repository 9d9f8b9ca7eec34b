"""Word error rate, equal to jiwer."""
