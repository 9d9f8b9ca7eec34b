"""ROUGE with several references per prediction, equal to rouge_score."""
