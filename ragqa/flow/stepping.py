"""A generator of steps under way: it is told what became of each, and yields the next.

Steps say what to do, and drivers do it, blocking or in an event loop; this is what they share.

>>> def doubled():
...     number = yield "Which number?"
...     return 2 * number
>>> steps = Stepping(doubled())
>>> for _ in steps:
...     steps.result = 21
>>> steps.returned
42
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, Self, TypeVar

S = TypeVar("S")
R = TypeVar("R")


class Stepping(Generic[S, R]):
    """Iterates over steps; between two of them the driver sets a result or an error.

    Attributes:
        result: What became of the last step.
        error: What it raised; the steps may handle it like any exception.
        returned: What the steps returned, once they have ended.

    Args:
        steps: The generator.
    """

    returned: R

    def __init__(self, steps: Generator[S, Any, R]) -> None:
        self._steps = steps
        self.result: Any = None
        self.error: BaseException | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> S:
        result, error = self.result, self.error
        self.result = self.error = None
        try:
            return self._steps.send(result) if error is None else self._steps.throw(error)
        except StopIteration as stop:
            self.returned = stop.value
            raise

    def close(self) -> None:
        """Close the steps where they stand."""
        self._steps.close()
