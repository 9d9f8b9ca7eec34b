"""Pretrained language models of transformers."""
