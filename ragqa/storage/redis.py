"""Redis, as shared state is kept in: reached late, given up soon, never named with its password."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ragqa.errors import ConfigError, MissingExtraError, StorageError

if TYPE_CHECKING:
    from redis import Redis

CONNECT_TIMEOUT_S = 1.0
REPLY_TIMEOUT_S = 2.0
REST_S = 3.0
"""After a fault of the connection, Redis is not tried for so long: every ask would wait for it."""

Result = TypeVar("Result")


def connected(
    url: str,
    *,
    connect_timeout_s: float = CONNECT_TIMEOUT_S,
    reply_timeout_s: float = REPLY_TIMEOUT_S,
) -> tuple[Redis, str]:
    """Return a connection that gives up soon, and its address as messages may show it.

    Raises:
        MissingExtraError: If the package redis is not installed.
        ConfigError: If the address cannot be read.
    """
    try:
        from redis import ConnectionError, Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as exc:
        raise MissingExtraError("redis", "redis") from exc
    try:
        place = _place(url)
        redis = Redis.from_url(
            url,
            decode_responses=True,
            encoding_errors="replace",
            socket_connect_timeout=connect_timeout_s,
            socket_timeout=reply_timeout_s,
            # a connection that the server closed meanwhile; one that hangs would hang again
            retry=Retry(NoBackoff(), 1, supported_errors=(ConnectionError,)),
        )
    except (ValueError, TypeError):
        raise ConfigError(
            "RAGQA_REDIS_URL cannot be read.", hint="Write it like redis://localhost:6379/0."
        ) from None
    return redis, place


def _place(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts.path
    return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


_REFUSALS = (
    (
        ("OutOfMemory", "OOM", "maxmemory"),
        "its memory is full",
        "Raise maxmemory, or shorten RAGQA_SESSION_DAYS.",
    ),
    (
        ("ReadOnly", "READONLY", "read only"),
        "it is a replica",
        "Name the primary in RAGQA_REDIS_URL.",
    ),
    (("MISCONF",), "it cannot write to its disk", "Look at its log."),
    (
        ("NoPermission", "NOPERM"),
        "its user may not do that",
        "Allow EVAL and the keys ragqa:*.",
    ),
    (
        ("WRONGTYPE",),
        "another program uses its keys",
        "Name another database in RAGQA_REDIS_URL, as redis://localhost:6379/1.",
    ),
    (
        ("NOAUTH", "WRONGPASS"),
        "it refuses the login",
        "Put the password into RAGQA_REDIS_URL: redis://:PASSWORD@host:6379/0.",
    ),
)


def refused(exc: Exception) -> tuple[str, str]:
    """Say why Redis refused a command, and what to do.

    The client drops the code of some replies and has a class for it.
    """
    said = f"{type(exc).__name__} {exc}"
    for signs, what, hint in _REFUSALS:
        if any(sign in said for sign in signs):
            return what, hint
    return type(exc).__name__, "Look at the log of Redis."


class RedisStore:
    """A Redis server; safe for threads and processes.

    Args:
        url: Its address, with the password if it has one.

    Raises:
        MissingExtraError: If the package redis is not installed.
        ConfigError: If the address cannot be read.
    """

    def __init__(self, url: str) -> None:
        self._redis, self.place = connected(url)
        self._scripts: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._rests_until_s = 0.0

    def do(self, command: Callable[[Redis], Result]) -> Result:
        """Return the result of a command.

        Raises:
            StorageError: If Redis cannot be reached, or refuses it.
        """
        with self._translated():
            return command(self._redis)

    def run(self, script: str, keys: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        """Run a Lua script, which nothing of other callers gets between; raises as :meth:`do`."""
        with self._lock:
            if script not in self._scripts:
                self._scripts[script] = self._redis.register_script(script)
        with self._translated():
            return self._scripts[script](keys=list(keys), args=list(arguments))

    def close(self) -> None:
        """Close its connections; a later command opens new ones."""
        self._redis.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import redis

        if time.monotonic() < self._rests_until_s:
            raise self._away("ConnectionError")
        try:
            yield
        except (redis.ConnectionError, redis.TimeoutError, OSError) as exc:
            self._rests_until_s = time.monotonic() + REST_S
            raise self._away(type(exc).__name__) from None
        except redis.RedisError as exc:
            what, hint = refused(exc)
            raise StorageError(
                f"Redis at {self.place} does not take the request: {what}.", hint=hint
            ) from None

    def _away(self, kind: str) -> StorageError:
        return StorageError(
            f"Redis at {self.place} cannot be used ({kind}).",
            hint="Start it, or check address and password in RAGQA_REDIS_URL.",
        )


@cache
def redis_store(url: str) -> RedisStore:
    """Return the server at an address; one object, with its connections, for the whole process."""
    return RedisStore(url)
