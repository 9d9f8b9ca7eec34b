"""The files vocab.json and merges.txt of a byte pair encoding."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .._text_files import read_text
from ._bpe_merges import Merge, checked_merges
from ._files import compact_json, lines_of, named, written


def vocab_and_merges(
    vocab: Mapping[str, int] | str | None, merges: Sequence[Merge] | str | None
) -> tuple[Mapping[str, int], list[Merge]]:
    """The vocabulary and merges that a BPE is given, read if they are paths; ValueError for one of them alone."""
    if (vocab is None) != (merges is None):
        raise ValueError("vocab and merges: give both or neither")
    if isinstance(vocab, str) and isinstance(merges, str):
        return read_files(vocab, merges)
    if isinstance(vocab, str) or isinstance(merges, str):
        raise ValueError("vocab and merges: give two paths or none")
    return vocab or {}, checked_merges(merges or [])


def read_files(vocab: str, merges: str) -> tuple[dict[str, int], list[Merge]]:
    """The contents of vocab.json and merges.txt."""
    try:
        tokens = json.loads(read_text(vocab))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"{vocab}: no vocab.json ({error}): give the path of vocab.json, then that of merges.txt"
        ) from None
    if not isinstance(tokens, dict):
        raise ValueError(f"{vocab}: no JSON object from token to id")
    return tokens, parse_merges(lines_of(Path(merges)))


def parse_merges(lines: Sequence[str]) -> list[Merge]:
    """The merges of lines "left right"; as in the library lines that begin with #version are not counted.

    >>> parse_merges(["#version: 0.2", "l o", "lo w"])
    [('l', 'o'), ('lo', 'w')]
    """
    merges: list[Merge] = []
    for line in lines:
        if line.startswith("#version"):
            continue
        if line.count(" ") != 1:
            raise ValueError(f"merges: line {len(merges) + 1} is {line!r}, not two tokens with one space between them")
        left, _, right = line.partition(" ")
        merges.append((left, right))
    return merges


def write_files(
    folder: str | os.PathLike[str], prefix: str | None, vocab: Mapping[str, int], merges: Sequence[Sequence[str]]
) -> list[str]:
    """Writes vocab.json and merges.txt, or prefix-vocab.json and prefix-merges.txt; returns their paths.

    Raises ValueError for a merge with a space or a line end in it, which merges.txt cannot hold.
    """
    for merge in merges:
        if not set(" \n").isdisjoint("".join(merge)):
            raise ValueError(f"merges.txt cannot hold the merge {tuple(merge)!r}: save tokenizer.json instead")
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    return [
        written(named(folder, prefix, "vocab.json"), compact_json(vocab)),
        written(named(folder, prefix, "merges.txt"), "#version: 0.2\n" + lines),
    ]
