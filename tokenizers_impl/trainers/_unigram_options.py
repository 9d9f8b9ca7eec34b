"""The options of a Unigram training."""

from __future__ import annotations

from dataclasses import dataclass

from ._option_checks import check_choices, check_integers, check_strings

EM = ("bayes", "plain")
PRUNE_LOSSES = ("hf", "sentencepiece", "exact")
# The characters of a word for which exact losses still end: they take a minute each time for this many.
LONGEST_EXACT = 100_000
SEEDS = ("suffix_array", "bpe")
COMPATS = ("hf-0.23", None)


@dataclass(frozen=True)
class UnigramOptions:
    """What `UnigramTrainer` documents, as plain data, checked: a ValueError names the option that cannot be."""

    vocab_size: int = 8000
    special_tokens: tuple[str, ...] = ()
    shrinking_factor: float = 0.75
    unk_token: str | None = None
    max_piece_length: int = 16
    n_sub_iterations: int = 2
    initial_alphabet: tuple[str, ...] = ()
    seed_size: int = 1_000_000
    em: str = "bayes"
    prune_loss: str = "hf"
    seed: str = "suffix_array"
    compat: str | None = "hf-0.23"
    extend: bool = False

    def __post_init__(self) -> None:
        check_integers(self, "vocab_size", "max_piece_length", "n_sub_iterations", "seed_size")
        check_strings(self, "unk_token")
        if not isinstance(self.shrinking_factor, (int, float)) or not 0 <= self.shrinking_factor < 1:
            raise ValueError(
                f"shrinking_factor is {self.shrinking_factor!r}: take a number from 0 up to, without, 1; "
                "with 1 or more no pruning makes the vocabulary smaller"
            )
        check_choices(self, em=EM, prune_loss=PRUNE_LOSSES, seed=SEEDS, compat=COMPATS)

    @property
    def quirks(self) -> bool:
        """Whether the library's ways are kept; it cannot go on from a model."""
        return self.compat is not None and not self.extend

    @property
    def adds_unk(self) -> bool:
        """Whether the unknown token is none of the special tokens, so that it is put before them."""
        return self.unk_token is not None and self.unk_token not in self.special_tokens

    @property
    def leading_tokens(self) -> list[str]:
        """The entries before the learnt pieces."""
        first = [self.unk_token] if self.unk_token is not None and self.adds_unk else []
        return first + list(self.special_tokens)
