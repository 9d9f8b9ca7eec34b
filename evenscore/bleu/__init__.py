"""Corpus BLEU, equal to sacrebleu."""
