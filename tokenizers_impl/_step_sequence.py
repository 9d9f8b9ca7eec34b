"""Steps of one kind, one after another."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from ._component import Component, unchanging
from ._foreign import own_component
from ._representation import Call

S = TypeVar("S", bound=Component)
F = TypeVar("F", bound="FlatSequence[Any]")


@unchanging
class StepSequence(Component, Generic[S]):
    """What the Sequence of every kind of step has in common.

    kind: the class of the steps.  key: what they are called, in tokenizer.json too.
    """

    kind: ClassVar[type]
    key: ClassVar[str]
    steps: tuple[S, ...]

    def __init__(self, steps: Iterable[S]) -> None:
        """ValueError for what is no such step of this package, or of the library `tokenizers`."""
        object.__setattr__(self, "steps", tuple(map(self._own, steps)))
        for i, each in enumerate(self.steps):
            if not isinstance(each, self.kind):
                raise ValueError(f"{self.key}[{i}] is {each!r}: give {self.key} of this package")

    @classmethod
    def _own(cls, step: Any) -> Any:
        """A step of the library as ours."""
        package = cls.kind.__module__.rpartition(".")[0]
        # Looked up late: what reads all steps reads sequences, too.
        return own_component(step, lambda data: import_module(package).from_json(data))

    def to_json(self) -> dict[str, Any]:
        """The object of tokenizer.json."""
        return {"type": "Sequence", self.key: [each.to_json() for each in self.steps]}

    def shown(self) -> Call:
        """What `repr` and `str` show."""
        return Call("Sequence", {self.key: [each.shown() for each in self.steps]})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)


class FlatSequence(StepSequence[S]):
    """One that takes sequences for the steps that they have; those of a file stay what they are, as in the library."""

    def __init__(self, steps: Iterable[S]) -> None:
        super().__init__(self._flat(steps))

    def _flat(self, steps: Iterable[S]) -> Iterator[S]:
        for each in map(self._own, steps):
            yield from each.steps if isinstance(each, type(self)) else (each,)

    @classmethod
    def nested(cls: type[F], steps: Iterable[Any]) -> F:
        """The sequence of these steps, of which each stays one."""
        sequence = cls.__new__(cls)
        StepSequence.__init__(sequence, steps)
        return sequence

    def __getitem__(self, index: int) -> S:
        """The step of that number; IndexError for another one, also below 0, as the library takes none."""
        number = operator.index(index)
        if not 0 <= number < len(self.steps):
            raise IndexError(f"there is no {self.key}[{number}]: there are {len(self.steps)}")
        return self.steps[number]

    def __setitem__(self, index: int, step: object) -> NoReturn:
        raise TypeError(
            f"{self.key}[{index}] stays as it is, since components never change: make a new Sequence and set that"
        )
