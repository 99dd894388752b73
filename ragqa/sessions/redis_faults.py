"""Redis: how it is reached, and what its faults mean. Its password stands in no message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragqa.errors import ConfigError, MissingExtraError, SessionError

if TYPE_CHECKING:
    from redis import Redis

CONNECT_TIMEOUT_S = 2.0
REPLY_TIMEOUT_S = 5.0


def connected(url: str) -> tuple[Redis, str]:
    """Return a connection that gives up soon, and its address as messages may show it.

    Raises:
        MissingExtraError: If the package redis is not installed.
        ConfigError: If the address cannot be read.
    """
    try:
        from redis import Redis
        from redis.backoff import ConstantBackoff
        from redis.retry import Retry
    except ImportError as exc:
        raise MissingExtraError("redis", "redis") from exc
    try:
        place = _place(url)
        redis = Redis.from_url(
            url,
            decode_responses=True,
            encoding_errors="replace",
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            socket_timeout=REPLY_TIMEOUT_S,
            retry=Retry(ConstantBackoff(0.1), 1),  # a connection that the server closed meanwhile
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


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn what the client raises into a SessionError that says what to do."""
    import redis

    try:
        yield
    except redis.AuthenticationError:
        raise SessionError(
            f"Redis at {place} refuses the login.", hint="Check the password in RAGQA_REDIS_URL."
        ) from None
    except redis.BusyLoadingError as exc:
        raise SessionError(
            f"Redis at {place} is still loading its data.", hint="Try again in a moment."
        ) from exc
    except (redis.ConnectionError, redis.TimeoutError, OSError) as exc:
        raise SessionError(
            f"Redis at {place} cannot be reached, so conversations cannot be kept "
            f"({type(exc).__name__}).",
            hint="Start it, or check RAGQA_REDIS_URL; without that setting conversations are kept "
            "on this machine.",
        ) from None
    except redis.ResponseError as exc:
        word = str(exc).partition(" ")[0]
        raise SessionError(
            f"Redis at {place} does not take the request ({word}).", hint=_hint(str(exc))
        ) from None


_HINTS = {
    "OOM": "Its memory is full: raise maxmemory, or shorten RAGQA_SESSION_DAYS.",
    "READONLY": "It is a replica: name the primary in RAGQA_REDIS_URL.",
    "MISCONF": "It cannot write to its disk: look at its log.",
    "NOAUTH": "Put the password into RAGQA_REDIS_URL: redis://:PASSWORD@host:6379/0.",
    "WRONGPASS": "Check the password in RAGQA_REDIS_URL.",
    "NOPERM": "Allow its user EVAL and the keys ragqa:*.",
    "WRONGTYPE": "Another program uses keys that begin with ragqa: there.",
}


def _hint(said: str) -> str:
    known = (hint for word, hint in _HINTS.items() if word in said)
    return next(known, "Look at the log of Redis.")
