"""What the faults of Redis mean to conversations. Its password stands in no message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragqa.errors import SessionError
from ragqa.storage.redis import refused


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
        what, hint = refused(exc)
        raise SessionError(
            f"Redis at {place} does not take the request: {what}.", hint=hint
        ) from None
