"""ROUGE with several references a prediction, equal to rouge_score."""
