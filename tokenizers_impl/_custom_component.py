"""What components of the user's own have in common."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ._representation import Name


class CustomComponent:
    """A component that hands its work to an object of the user's own.

    role: what it is called in messages.  base: the class whose `custom` makes it.  part: the attribute of a Tokenizer
    that it is for.  method: what the object must have.
    """

    role: ClassVar[str]
    base: ClassVar[str]
    part: ClassVar[str]
    method: ClassVar[str]

    def __init__(self, component: Any) -> None:
        if not callable(getattr(component, self.method, None)):
            raise ValueError(f"the custom {self.role} is {component!r}: give an object with a method {self.method}")
        self.component = component

    @property
    def is_custom(self) -> bool:
        """True."""
        return True

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"the custom {self.role} {type(self.component).__qualname__}"

    def change(self, text: Any) -> None:
        """Let the object change the text in place; ValueError if it returns another one, which would be lost."""
        returned = getattr(self.component, self.method)(text)
        if returned is not None and returned is not text:
            raise ValueError(
                f"{self.name} returned {returned!r} from {self.method}: change what it is given, and return nothing"
            )

    def to_json(self) -> NoReturn:
        """ValueError: a file cannot hold code."""
        self._refuse("written to tokenizer.json")

    def __reduce__(self) -> NoReturn:
        self._refuse("pickled")

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(
            f"{self.name} is code of your own, which cannot be {what}: set tokenizer.{self.part} to None or to one of "
            "this package before, and set it again on the tokenizer that comes of it"
        )

    def shown(self) -> Name:
        """What `repr` and `str` show."""
        return Name(f"{self.base}.custom({self.component!r})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.component is other.component

    def __hash__(self) -> int:
        return id(self.component)
