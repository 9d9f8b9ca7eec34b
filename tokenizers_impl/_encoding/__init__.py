"""Encoding, decoding and training: the work of the class Tokenizer."""
