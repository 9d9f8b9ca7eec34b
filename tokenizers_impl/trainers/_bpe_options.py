"""The options of a BPE training."""

from __future__ import annotations

from dataclasses import dataclass

from ._option_checks import check_choices, check_integers, check_strings

END_OF_WORDS = ("glued", "symbol")
# In the order of the kernel's numbers.
TIE_BREAKS = ("hf", "lexicographic", "first", "sentencepiece")
COMPATS = ("hf-0.23", None)
UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class BpeOptions:
    """What `BpeTrainer` documents, as plain data, checked: a ValueError names the option that cannot be."""

    vocab_size: int | None = 30000
    min_frequency: int = 0
    special_tokens: tuple[str, ...] = ()
    limit_alphabet: int | None = None
    initial_alphabet: tuple[str, ...] = ()
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    max_token_length: int | None = None
    num_merges: int | None = None
    end_of_word: str = "glued"
    tie_break: str = "hf"
    affix_order: tuple[str, ...] = ()
    alphabet_order: tuple[str, ...] = ()
    compat: str | None = "hf-0.23"
    extend: bool = False

    def __post_init__(self) -> None:
        limits = ("vocab_size", "limit_alphabet", "max_token_length", "num_merges")
        check_integers(self, "min_frequency", may_be_none=limits)
        check_strings(self, "continuing_subword_prefix", "end_of_word_suffix")
        check_choices(self, end_of_word=END_OF_WORDS, tie_break=TIE_BREAKS, compat=COMPATS)
        if self.end_of_word == "symbol" and not self.end_of_word_suffix:
            raise ValueError("end_of_word is 'symbol': give the symbol as end_of_word_suffix, such as '</w>'")
        if self.end_of_word == "symbol" and self.continuing_subword_prefix:
            raise ValueError(
                "end_of_word is 'symbol' and continuing_subword_prefix is "
                f"{self.continuing_subword_prefix!r}: take one of the two, as the symbol would need the prefix, too"
            )

    @property
    def prefix(self) -> str:
        """The continuing_subword_prefix, empty if there is none."""
        return self.continuing_subword_prefix or ""

    @property
    def suffix(self) -> str:
        """The end_of_word_suffix, empty if there is none."""
        return self.end_of_word_suffix or ""

    @property
    def most_tokens(self) -> int:
        """The size of the vocabulary at which training ends."""
        return UNLIMITED if self.vocab_size is None else min(self.vocab_size, UNLIMITED)

    @property
    def most_merges(self) -> int:
        """The number of merges at which training ends."""
        return UNLIMITED if self.num_merges is None else self.num_merges

    @property
    def longest_first(self) -> int:
        """The most characters of a pair of initial symbols: two in the library, which never looks at these.

        Where a training goes on, they may have more, and are held to the limit.
        """
        return max(self.longest, 2) if self.compat else self.longest

    @property
    def longest(self) -> int:
        """The most characters of a pair that arises by a merge; the library's test is `<`."""
        return UNLIMITED if self.max_token_length is None else min(self.max_token_length - bool(self.compat), UNLIMITED)
