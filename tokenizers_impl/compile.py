"""Compile all kernels ahead of time: python -m tokenizers_impl.compile

Run this when a container image is built, or before many processes start at once.  numba caches compiled kernels next to
the sources, or in the folder NUMBA_CACHE_DIR.  It reads the cache only from folders that it may write to, so run this
as the user who runs the programs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from evenscore.kernel import Kernel

from .pipelines import PIPELINES
from .tokenizer import Tokenizer

# Spaces at both ends, digits, characters of two to four bytes, a long word.
_TEXTS = ["low lower lowest", " newer newest 2024, low! ", "naïve 漢字 🙂", "a" * 300]


def compile_kernels() -> list[str]:
    """Train, extend and use a tokenizer of every kind, which compiles all kernels; returns the cache folders.

    >>> [folder for folder in compile_kernels() if not Path(folder).is_dir()]
    []
    """
    for pipeline in PIPELINES.values():
        tokenizer, trainer = pipeline(vocab_size=200, show_progress=False)
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder, "corpus.txt")
            corpus.write_text("\n".join(_TEXTS), encoding="utf-8")
            tokenizer.train([str(corpus)], trainer)
        tokenizer.train_from_iterator(_TEXTS, pipeline(vocab_size=210, show_progress=False, extend=True)[1])
        for used in (tokenizer, Tokenizer.from_str(tokenizer.to_str())):
            used.encode(_TEXTS[0], _TEXTS[1])
            used.decode_batch([row.ids for row in used.encode_batch_fast(_TEXTS)])
            used.enable_padding()
            used.enable_truncation(8)
            used.encode_batch([*_TEXTS, (_TEXTS[0], _TEXTS[1])])
    return sorted({str(each.compiled.stats.cache_path) for each in Kernel.every if each.compiled.stats.cache_path})


def main() -> int:
    """Compile all kernels and print the cache folder; the exit status is 1 if no folder is writable."""
    folders = compile_kernels()
    if not folders:
        return 1
    print(f"compiled kernels are cached in {os.path.commonpath(folders)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
