"""ROUGE-L with several references per prediction."""
