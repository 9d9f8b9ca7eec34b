"""N-gram models: trained with Kneser-Ney smoothing, read from ARPA files."""
