"""Compiles the kernels ahead of time: python -m tokenizers_impl.compile

Run it when a container image is built, or before many processes start at once.  numba keeps the compiled kernels beside
the sources, or in the folder that NUMBA_CACHE_DIR names.  It reads only folders that it may write, so run this as the
user who runs the programs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ._core.kernel import Kernel
from .pipelines import PIPELINES
from .tokenizer import Tokenizer

# Spaces at both ends, digits, characters of two and four bytes, a word that comes again.
_TEXTS = ["low lower lowest", " newer newest 2024, low! ", "naïve 漢字 🙂", "a" * 300]


def compile_kernels() -> list[str]:
    """Train a tokenizer of every kind, go on from it, encode and decode; the folders where kernels are kept.

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
    """Compile, and say where it is kept; 1 if no folder can be written."""
    folders = compile_kernels()
    if not folders:
        return 1
    print(f"kernels are compiled and kept below {os.path.commonpath(folders)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
