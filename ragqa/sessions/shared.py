"""Conversations in Redis, for all machines that share it.

The holder of a conversation has a lease, which is renewed while it works, and freed by its token
alone.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ragqa.errors import SessionError
from ragqa.ports import History, PastTurn, Summary
from ragqa.sessions.holding import Hold, held_within
from ragqa.sessions.records import (
    MAX_TURNS,
    checked_id,
    exported,
    not_yours,
    state_json,
    state_of,
    summary_json,
    summary_of,
    turn_json,
    turn_of,
)
from ragqa.sessions.redis_faults import translated
from ragqa.storage.redis import connected

if TYPE_CHECKING:
    from redis import Redis

CONNECT_TIMEOUT_S = 2.0
REPLY_TIMEOUT_S = 5.0
LEASE_S = 15.0
"""A holder that crashes loses the session after so long; a living one renews its lease."""

_MS = 1000

# Redis runs a script as one step, so no turn is lost between reading and writing:
# redis.io/docs/latest/develop/programmability/eval-intro/
_CLAIM = """
local owner = redis.call('HGET', KEYS[1], 'principal')
if owner and owner ~= ARGV[1] then return -1 end
if not owner then
  redis.call('HSET', KEYS[1], 'principal', ARGV[1], 'id', ARGV[2], 'begun_s', ARGV[3])
end
local function keep()
  for _, key in ipairs({KEYS[1], KEYS[2], KEYS[3]}) do redis.call('PEXPIRE', key, ARGV[4]) end
  return 1
end
"""
_REMEMBER = (
    "if redis.call('GET', KEYS[5]) == ARGV[5] then return 0 end"
    + _CLAIM
    + """
if redis.call('HEXISTS', KEYS[2], ARGV[5]) == 0 then
  redis.call('ZADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'count', 1), ARGV[5])
end
redis.call('HSET', KEYS[2], ARGV[5], ARGV[6])
while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[7]) do
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  redis.call('ZREM', KEYS[3], oldest)
  redis.call('HDEL', KEYS[2], oldest)
end
return keep()
"""
)
_SET = _CLAIM + "redis.call('HSET', KEYS[1], ARGV[5], ARGV[6]) return keep()"
_HOLD = (
    _CLAIM
    + """
keep()
if redis.call('SET', KEYS[4], ARGV[5], 'NX', 'PX', ARGV[6]) then return 1 end
return 0
"""
)
_RECALL = """
local owner = redis.call('HGET', KEYS[1], 'principal')
if not owner then return {} end
if owner ~= ARGV[1] then return -1 end
local turns = {}
for _, run in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  table.insert(turns, redis.call('HGET', KEYS[2], run))
end
return {redis.call('HGET', KEYS[1], 'summary') or '', redis.call('HGET', KEYS[1], 'state') or '',
        turns}
"""
_FORGET = """
local owner = redis.call('HGET', KEYS[1], 'principal')
if not owner then return 0 end
if owner ~= ARGV[1] then return -1 end
local holder = redis.call('GET', KEYS[4])
if holder then
  redis.call('SET', KEYS[5], string.match(holder, '^(.*) '), 'PX', ARGV[2])
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return 1
"""
_RENEW = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2])"
_RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])"

_FORGOTTEN_MS = 3_600_000


def shared_sessions(url: str, *, lifetime_s: float, max_turns: int = MAX_TURNS) -> SharedSessions:
    """Return the sessions that a Redis keeps. Nothing is sent yet.

    Raises:
        MissingExtraError: If the package redis is not installed.
        ConfigError: If the address cannot be read.
    """
    redis, place = connected(
        url, connect_timeout_s=CONNECT_TIMEOUT_S, reply_timeout_s=REPLY_TIMEOUT_S
    )
    return SharedSessions(redis, place, lifetime_s=lifetime_s, max_turns=max_turns)


class SharedSessions:
    """Keep conversations in Redis.

    A session's keys share a hash tag, so that a cluster keeps them on one node.

    Args:
        redis: The connection; replies are decoded.
        place: Its address as messages may show it.
        lifetime_s: A session that nobody used for so long is deleted.
        max_turns: So many turns of a session are kept.
        lease_s: How long a session stays held after its holder crashed.
    """

    def __init__(
        self,
        redis: Redis,
        place: str,
        *,
        lifetime_s: float,
        max_turns: int = MAX_TURNS,
        lease_s: float = LEASE_S,
    ) -> None:
        self._redis = redis
        self._place = place
        self._lifetime_ms = max(1, round(lifetime_s * _MS))
        self._max_turns = max_turns
        self._lease_s = lease_s

    def recall(self, session_id: str, principal: str) -> History:
        """Return what is remembered; an empty History of a session that is new or expired."""
        kept = self._run(_RECALL, session_id, principal)
        if not kept:
            return History()
        summary, state, turns = kept
        return History(tuple(map(turn_of, turns)), summary_of(summary), state_of(state))

    def remember(self, session_id: str, principal: str, turn: PastTurn) -> None:
        """Append a turn, or replace what was kept of the same run."""
        self._claim(_REMEMBER, session_id, principal, turn.run_id, turn_json(turn), self._max_turns)

    def summarise(self, session_id: str, principal: str, summary: Summary) -> None:
        """Keep a summary in place of the one before."""
        self._claim(_SET, session_id, principal, "summary", summary_json(summary))

    def keep_state(self, session_id: str, principal: str, state: Mapping[str, Any]) -> None:
        """Keep what later turns need; replaces what was kept before."""
        self._claim(_SET, session_id, principal, "state", state_json(state))

    def try_hold(
        self, session_id: str, principal: str, run_id: str
    ) -> AbstractContextManager[None] | None:
        """Hold the session for one run; None where another run holds it."""
        token = f"{run_id} {os.urandom(12).hex()}"
        lease_ms = round(self._lease_s * _MS)
        if not self._claim(_HOLD, session_id, principal, token, lease_ms):
            return None
        over = threading.Event()
        key = _keys(session_id)[3]
        threading.Thread(
            target=self._renew, args=(key, token, over), name="ragqa-session", daemon=True
        ).start()

        def release() -> None:
            over.set()
            with translated(self._place):
                self._redis.eval(_RELEASE, 1, key, token)

        return Hold(release)

    def hold(
        self, session_id: str, principal: str, run_id: str, wait_s: float
    ) -> AbstractContextManager[None]:
        """Hold the session for one run, waiting for the run that holds it."""
        return held_within(session_id, wait_s, lambda: self.try_hold(session_id, principal, run_id))

    def forget(self, session_id: str, principal: str) -> bool:
        """Delete a session and tell whether there was one."""
        return bool(self._run(_FORGET, session_id, principal, _FORGOTTEN_MS))

    def export(self, session_id: str, principal: str) -> Mapping[str, Any]:
        """Return all that is kept of a session, as JSON takes it."""
        kept = self.recall(session_id, principal)
        return exported(session_id, principal, kept.turns, kept.summary, kept.state)

    def close(self) -> None:
        """Close all connections; a later use opens them again."""
        self._redis.close()

    def _renew(self, key: str, token: str, over: threading.Event) -> None:
        """Renew the lease until the session is let go, lost, or Redis cannot be reached."""
        lease_ms = round(self._lease_s * _MS)
        last_s = time.monotonic()
        while not over.wait(self._lease_s / 3):
            try:
                with translated(self._place):
                    if not self._redis.eval(_RENEW, 1, key, token, lease_ms):
                        return
                last_s = time.monotonic()
            except SessionError:
                if time.monotonic() - last_s > self._lease_s:
                    return

    def _claim(self, script: str, session_id: str, principal: str, *arguments: Any) -> Any:
        begun = (session_id, f"{time.time():.3f}", self._lifetime_ms)
        return self._run(script, session_id, principal, *begun, *arguments)

    def _run(self, script: str, session_id: str, principal: str, *arguments: Any) -> Any:
        keys = _keys(session_id)
        with translated(self._place):
            outcome = self._redis.eval(script, len(keys), *keys, principal, *arguments)
        if outcome == -1:
            raise not_yours(session_id)
        return outcome


def _keys(session_id: str) -> tuple[str, ...]:
    """Return the keys of what is kept: itself, its turns, their order, who holds it, who forgot."""
    digest = hashlib.blake2b(checked_id(session_id).encode(), digest_size=16).hexdigest()
    parts = ("session", "turns", "order", "hold", "forgotten")
    return tuple(f"ragqa:{{{digest}}}:{part}" for part in parts)
