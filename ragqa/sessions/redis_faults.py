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
        from redis import ConnectionError, Redis
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
            # a connection that the server closed meanwhile; one that hangs would hang again
            retry=Retry(ConstantBackoff(0.1), 1, supported_errors=(ConnectionError,)),
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
    except redis.RedisError as exc:
        what, hint = _meaning(exc)
        raise SessionError(
            f"Redis at {place} does not take the request: {what}.", hint=hint
        ) from None


_MEANINGS = (
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
        "Check the password in RAGQA_REDIS_URL.",
    ),
)


def _meaning(exc: Exception) -> tuple[str, str]:
    """Say what a reply of Redis means; the client drops the code of some and has a class for it."""
    said = f"{type(exc).__name__} {exc}"
    for signs, what, hint in _MEANINGS:
        if any(sign in said for sign in signs):
            return what, hint
    return type(exc).__name__, "Look at the log of Redis."
