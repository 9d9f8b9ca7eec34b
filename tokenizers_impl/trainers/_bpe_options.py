"""The options of a BPE training."""

from __future__ import annotations

from dataclasses import dataclass

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
        for name in ("vocab_size", "min_frequency", "limit_alphabet", "max_token_length", "num_merges"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise ValueError(f"{name} is {value!r}: take an integer, 0 or more")
        choices = {"end_of_word": END_OF_WORDS, "tie_break": TIE_BREAKS, "compat": COMPATS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}: take one of {', '.join(map(repr, allowed))}")
        if self.end_of_word == "symbol" and not self.end_of_word_suffix:
            raise ValueError("end_of_word is 'symbol': give the symbol as end_of_word_suffix, such as '</w>'")

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
        """The most characters of a pair of initial symbols; the library never looks at these."""
        return UNLIMITED if self.max_token_length is None or self.compat else min(self.max_token_length, UNLIMITED)

    @property
    def longest(self) -> int:
        """The most characters of a pair that arises by a merge; the library's test is `<`."""
        return UNLIMITED if self.max_token_length is None else min(self.max_token_length - bool(self.compat), UNLIMITED)
