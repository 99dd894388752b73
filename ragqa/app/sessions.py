"""Where conversations are kept: opened by the first question that belongs to one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragqa.settings import Settings

if TYPE_CHECKING:
    from ragqa.ports import History, PastTurn, SessionStore, Summary

SESSIONS_FILE = "sessions.sqlite"
_DAY_S = 86_400


def session_store(settings: Settings) -> SessionStore:
    """Return the store: Redis where it is configured, else a file of the state folder.

    Raises:
        ConfigError: If the folder cannot be used, or the package of Redis is missing.
    """
    lifetime_s = settings.session_days * _DAY_S
    if settings.redis_url is not None:
        from ragqa.sessions.shared import shared_sessions

        return shared_sessions(settings.redis_url.get_secret_value(), lifetime_s=lifetime_s)
    from ragqa.app.home import made_home
    from ragqa.sessions.embedded import EmbeddedSessions

    return EmbeddedSessions(made_home(settings) / SESSIONS_FILE, lifetime_s=lifetime_s)


@dataclass(frozen=True)
class LateSessions:
    """The store that the settings describe; most questions belong to no conversation."""

    settings: Settings

    @cached_property
    def store(self) -> SessionStore:
        """The store itself, made at its first use."""
        return session_store(self.settings)

    def recall(self, session_id: str, principal: str) -> History:
        """Return what is remembered."""
        return self.store.recall(session_id, principal)

    def remember(self, session_id: str, principal: str, turn: PastTurn) -> None:
        """Append a turn, or replace what was kept of the same run."""
        self.store.remember(session_id, principal, turn)

    def summarise(self, session_id: str, principal: str, summary: Summary) -> None:
        """Keep a summary in place of the one before."""
        self.store.summarise(session_id, principal, summary)

    def keep_state(self, session_id: str, principal: str, state: Mapping[str, Any]) -> None:
        """Keep what later turns need."""
        self.store.keep_state(session_id, principal, state)

    def try_hold(
        self, session_id: str, principal: str, run_id: str
    ) -> AbstractContextManager[None] | None:
        """Hold the session for one run; None where another run holds it."""
        return self.store.try_hold(session_id, principal, run_id)

    def hold(
        self, session_id: str, principal: str, run_id: str, wait_s: float
    ) -> AbstractContextManager[None]:
        """Hold the session for one run, waiting for the run that holds it."""
        return self.store.hold(session_id, principal, run_id, wait_s)

    def forget(self, session_id: str, principal: str) -> bool:
        """Delete a session and tell whether there was one."""
        return self.store.forget(session_id, principal)

    def export(self, session_id: str, principal: str) -> Mapping[str, Any]:
        """Return all that is kept of a session."""
        return self.store.export(session_id, principal)
