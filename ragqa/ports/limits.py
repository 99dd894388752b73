"""What holds calls of a model back, and what may be spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Outcome = Literal["answered", "failed", "unknown"]
"""How a request ended: the service answered, whatever it said; it did not; nobody waited."""


class CallLimits(Protocol):
    """Lets requests of one deployment go, one by one; retries count, too."""

    @property
    def may_block(self) -> bool:
        """Tell whether ``admit`` may wait for a store, so that an event loop needs a thread."""

    def admit(self, tokens: Callable[[], int], within_s: float) -> float:
        """Return the seconds to wait before the request may go.

        Args:
            tokens: Counts what it takes at most, prompt and reply.
            within_s: How long the caller can wait.

        Raises:
            PaceError: If its turn comes too late.
            TransportError: If the service is known to be away.
        """

    def report(self, outcome: Outcome) -> None:
        """Take in how a request that was admitted ended."""


LimitsOf = Callable[[str], CallLimits]
"""Makes the limits of a deployment, named by address and model."""


@dataclass(frozen=True, slots=True)
class Purse:
    """Something that a budget bounds: a session, a day.

    Attributes:
        scope: Which kind it is.
        name: Tells it from others of its kind; holds no personal data.
        tokens: What it may take; None for no bound.
        cost: What it may cost; None for no bound.
        until_s: Seconds since the epoch at which it starts anew; None where it does not.
    """

    scope: Literal["session", "day"]
    name: str
    tokens: int | None = None
    cost: float | None = None
    until_s: float | None = None


class Spending(Protocol):
    """Keeps what was spent of budgets; safe for threads and processes."""

    def purses(self, principal: str, session_id: str | None) -> Sequence[Purse]:
        """Return the budgets that bound an ask now; none where none is set."""

    def reserve(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Take tokens and money out of all purses at once, or out of none.

        Raises:
            BudgetError: If one of them does not hold as much; says when it starts anew.
        """

    def correct(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Add what a call took more than was reserved; less is negative."""

    def cost_of(self, model: str, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what a call of a model costs by the price table; 0 where it has no price."""
