"""Budgets: what conversations and days may spend, kept for all processes."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragqa.errors import BudgetError
from ragqa.ports.limits import Purse
from ragqa.storage import Database

_log = logging.getLogger(__name__)

DAY_S = 86_400
SESSION_S = 30 * DAY_S
"""What a conversation spent is forgotten after so long without a call."""
WARNED_SHARE = 0.8
_CENTS = 1e-9  # sums of decimal fractions are not exact

CostOf = Callable[[int, int], float]
"""What prompt and completion tokens cost."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """What may be spent; None for no bound.

    Attributes:
        session_tokens, session_cost: By one conversation.
        day_tokens, day_cost: By all asks of a day, which begins at midnight UTC.
    """

    session_tokens: int | None = None
    session_cost: float | None = None
    day_tokens: int | None = None
    day_cost: float | None = None


Spent = tuple[int, float]
"""Tokens and cost."""


class SpentStore(Protocol):
    """Keeps what was spent; safe for threads and processes."""

    def take(self, purses: Sequence[Purse], tokens: int, cost: float) -> list[Spent] | None:
        """Take out of all purses and return what is spent of each, or None if one lacks it."""

    def add(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Add to what was spent, bounds or not; never below nothing."""

    def spent(self, purse: Purse) -> Spent:
        """Return what is spent of a purse."""


class SqliteSpent:
    """What was spent, in a SQLite file with the schema of ``ragqa.limits.buckets``."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    def take(self, purses: Sequence[Purse], tokens: int, cost: float) -> list[Spent] | None:
        """Take out of all purses and return what is spent of each, or None if one lacks it."""
        with self._database.transaction():
            totals = []
            for purse in purses:
                spent = self.spent(purse)
                totals.append((spent[0] + tokens, spent[1] + cost))
            if any(not fits(purse, total) for purse, total in zip(purses, totals, strict=True)):
                return None
            self._write(purses, totals)
            return totals

    def add(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Add to what was spent, bounds or not; never below nothing."""
        with self._database.transaction():
            spent = [self.spent(purse) for purse in purses]
            totals = [(max(0, t + tokens), max(0.0, c + cost)) for t, c in spent]
            self._write(purses, totals)

    def spent(self, purse: Purse) -> Spent:
        """Return what is spent of a purse."""
        row = self._database.row("SELECT tokens, cost FROM spent WHERE purse = ?", (key(purse),))
        return (int(row[0]), float(row[1])) if row else (0, 0.0)

    def _write(self, purses: Sequence[Purse], totals: Sequence[Spent]) -> None:
        now_s = self._now()
        self._database.change("DELETE FROM spent WHERE until_s < ?", (now_s,))
        for purse, (tokens, cost) in zip(purses, totals, strict=True):
            self._database.change(
                "INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?)",
                (key(purse), tokens, cost, purse.until_s or now_s + SESSION_S),
            )


def key(purse: Purse) -> str:
    """Return what a store calls a purse."""
    return f"{purse.scope}:{purse.name}"


def fits(purse: Purse, total: Spent) -> bool:
    """Tell whether so much may be spent of a purse."""
    tokens, cost = total
    within = purse.tokens is None or tokens <= purse.tokens
    return within and (purse.cost is None or cost <= purse.cost + _CENTS)


@dataclass(frozen=True)
class KeptSpending:
    """The Spending port over a store.

    Attributes:
        budgets: What may be spent.
        store: Keeps what was spent by days and conversations.
        prices: What calls cost, by the name of the model.
        now: Seconds since the epoch.
    """

    budgets: Budgets
    store: SpentStore
    prices: Mapping[str, CostOf] = field(default_factory=dict)
    now: Callable[[], float] = time.time
    _said: set[str] = field(default_factory=set, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def purses(self, principal: str, session_id: str | None) -> Sequence[Purse]:
        """Return the budgets that bound an ask now; none where none is set."""
        of, now_s = self.budgets, self.now()
        day = int(now_s // DAY_S)
        made = []
        if session_id is not None:
            owner = hashlib.sha256(f"{principal}\0{session_id}".encode()).hexdigest()[:32]
            made.append(Purse("session", owner, of.session_tokens, of.session_cost))
        made.append(Purse("day", str(day), of.day_tokens, of.day_cost, (day + 1.0) * DAY_S))
        return [purse for purse in made if (purse.tokens, purse.cost) != (None, None)]

    def reserve(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Take tokens and money out of all purses at once, or out of none; see the port."""
        if not purses:
            return
        totals = self.store.take(purses, tokens, cost)
        if totals is None:
            raise self._used_up(purses, tokens, cost)
        for purse, total in zip(purses, totals, strict=True):
            self._warn(purse, total)

    def correct(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Add what a call took more than was reserved; less is negative."""
        if purses and (tokens or cost):
            self.store.add(purses, tokens, cost)

    def cost_of(self, model: str, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what a call of a model costs by the price table; 0 where it has no price."""
        price = self.prices.get(model)
        return price(prompt_tokens, completion_tokens) if price else 0.0

    def _used_up(self, purses: Sequence[Purse], tokens: int, cost: float) -> BudgetError:
        for purse in purses:
            spent = self.store.spent(purse)
            if not fits(purse, (spent[0] + tokens, spent[1] + cost)):
                break
        error = BudgetError(
            f"The budget of this {purse.scope} is used up: {_share(purse, spent)} spent, and the "
            f"next call may take {tokens:,} tokens.",
            scope=purse.scope,
            resets_s=purse.until_s if purse.scope == "day" else None,
            hint=f"{_resets(purse)} {_SETTINGS[purse.scope]}",
        )
        if self._is_first(f"{key(purse)} used up"):
            _log.warning("%s", error)
        return error

    def _is_first(self, what: str) -> bool:
        """Tell whether something is to be said: once in a process is enough."""
        with self._lock:
            known = what in self._said
            self._said.add(what)
            return not known

    def _warn(self, purse: Purse, total: Spent) -> None:
        if _is_near(purse, total) and self._is_first(key(purse)):
            _log.warning(
                "The budget of this %s is nearly used up: %s. %s",
                purse.scope,
                _share(purse, total),
                _resets(purse),
            )


_SETTINGS = {
    "session": "RAGQA_SESSION_BUDGET_TOKENS and RAGQA_SESSION_BUDGET_COST bound it.",
    "day": "RAGQA_DAY_BUDGET_TOKENS and RAGQA_DAY_BUDGET_COST bound it.",
}


def _is_near(purse: Purse, total: Spent) -> bool:
    tokens, cost = total
    near = purse.tokens is not None and tokens >= WARNED_SHARE * purse.tokens
    return near or (purse.cost is not None and cost >= WARNED_SHARE * purse.cost - _CENTS)


def _share(purse: Purse, spent: Spent) -> str:
    parts = []
    if purse.tokens is not None:
        parts.append(f"{spent[0]:,} of {purse.tokens:,} tokens")
    if purse.cost is not None:
        parts.append(f"{spent[1]:.4g} of {purse.cost:g} in money")
    return ", ".join(parts)


def _resets(purse: Purse) -> str:
    if purse.scope == "day" and purse.until_s is not None:
        at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(purse.until_s))
        return f"It starts anew at {at}."
    return "A new conversation has a budget of its own."
