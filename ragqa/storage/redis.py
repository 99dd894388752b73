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


class RedisStore:
    """A Redis server; safe for threads and processes.

    Args:
        url: Its address, with the password if it has one.

    Raises:
        MissingExtraError: If the package redis is not installed.
        ConfigError: If the address cannot be read.
    """

    def __init__(self, url: str) -> None:
        try:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as exc:
            raise MissingExtraError("redis", "redis") from exc
        try:
            self.place = _place(url)
            self._redis: Redis = Redis.from_url(
                url,
                decode_responses=True,
                encoding_errors="replace",
                socket_connect_timeout=CONNECT_TIMEOUT_S,
                socket_timeout=REPLY_TIMEOUT_S,
                retry=Retry(NoBackoff(), 1),  # a connection that the server closed meanwhile
            )
        except (ValueError, TypeError):
            raise ConfigError(
                "RAGQA_REDIS_URL cannot be read.", hint="Write it like redis://localhost:6379/0."
            ) from None
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
            word = _CODES.get(type(exc).__name__) or str(exc).partition(" ")[0][:40]
            raise StorageError(
                f"Redis at {self.place} does not take the request ({word}).",
                hint=_HINTS.get(word, "Look at the log of Redis."),
            ) from None

    def _away(self, kind: str) -> StorageError:
        return StorageError(
            f"Redis at {self.place} cannot be used ({kind}).",
            hint="Start it, or check address and password in RAGQA_REDIS_URL.",
        )


_CODES = {
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "NoPermissionError": "NOPERM",
}
"""What Redis said, where the client has a class for it and leaves the code out."""

_HINTS = {
    "OOM": "Its memory is full: raise maxmemory.",
    "READONLY": "It is a replica: name the primary in RAGQA_REDIS_URL.",
    "MISCONF": "It cannot write to its disk: look at its log.",
    "NOAUTH": "Put the password into RAGQA_REDIS_URL: redis://:PASSWORD@host:6379/0.",
    "NOPERM": "Allow its user EVAL and the keys ragqa:*.",
    "WRONGTYPE": "Another program uses keys that begin with ragqa: there.",
}


@cache
def redis_store(url: str) -> RedisStore:
    """Return the server at an address; one object, with its connections, for the whole process."""
    return RedisStore(url)


def _place(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts.path
    return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"
