"""What holds the calls of one deployment back: its quota, and that it is away."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragqa.errors import PaceError, StorageError, TransportError
from ragqa.limits.breaker import Breaker
from ragqa.limits.buckets import BucketStore
from ragqa.limits.pace import (
    REQUEST_WINDOW_S,
    TOKEN_WINDOW_S,
    Bucket,
    bucket_for,
)
from ragqa.ports.limits import Outcome

_log = logging.getLogger(__name__)
_breakers: dict[str, Breaker] = {}
_lock = threading.Lock()
MAX_BREAKERS = 64
"""Deployments called longest ago are forgotten beyond that."""


def breaker_of(deployment: str) -> Breaker:
    """Return the breaker of a deployment: one for all that call it in this process."""
    with _lock:
        breaker = _breakers.pop(deployment, None) or Breaker()
        _breakers[deployment] = breaker
        if len(_breakers) > MAX_BREAKERS:
            del _breakers[next(iter(_breakers))]
        return breaker


@dataclass(frozen=True, slots=True)
class Quota:
    """What a deployment grants.

    Attributes:
        requests_per_minute: None where it is not known.
        tokens_per_minute: None where it is not known.
        share: The part of it that may be used.
    """

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    share: float = 0.7

    def buckets(self, deployment: str) -> tuple[Bucket | None, Bucket | None]:
        """Return the buckets of requests and of tokens."""
        made = []
        for kind, per_minute, window_s in (
            ("requests", self.requests_per_minute, REQUEST_WINDOW_S),
            ("tokens", self.tokens_per_minute, TOKEN_WINDOW_S),
        ):
            name = f"{kind} {deployment}"
            made.append(
                bucket_for(name, per_minute, self.share, window_s=window_s) if per_minute else None
            )
        return made[0], made[1]


@dataclass(frozen=True)
class DeploymentLimits:
    """The limits of one deployment.

    Attributes:
        deployment: Names it, in messages and for the store.
        quota: What it grants.
        store: Where buckets are kept; needed where the quota says anything.
        breaker: Knows whether the service is away.
    """

    deployment: str
    quota: Quota = Quota()
    store: BucketStore | None = None
    breaker: Breaker = field(default_factory=Breaker)

    @property
    def may_block(self) -> bool:
        """Tell whether ``admit`` may wait for a store."""
        return self.store is not None and any(self.quota.buckets(self.deployment))

    def admit(self, tokens: Callable[[], int], within_s: float) -> float:
        """Return the seconds to wait before a request may go; see the port."""
        if rest_s := self.breaker.closed_in_s():
            raise TransportError(
                f"{self.deployment} has failed again and again; "
                f"it is not asked for another {rest_s:.0f} s.",
                hint="ragqa doctor tries the connection.",
            )
        try:
            return self._paced(tokens, within_s)
        except PaceError:
            self.breaker.report("unknown")
            raise

    def _paced(self, tokens: Callable[[], int], within_s: float) -> float:
        requests, of_tokens = self.quota.buckets(self.deployment)
        takes = [(requests, 1.0)] if requests else []
        takes += [(of_tokens, float(tokens()))] if of_tokens else []
        if self.store is None or not takes:
            return 0.0
        return self._turn_s(self.store, takes, within_s)

    def _turn_s(
        self, store: BucketStore, takes: Sequence[tuple[Bucket, float]], within_s: float
    ) -> float:
        try:
            taken, wait_s = store.take(takes, within_s)
        except StorageError as exc:
            # Without its count a call may meet the service's own limit, which is waited out.
            _log.warning("%s Calls of %s are not paced.", exc, self.deployment)
            return 0.0
        if taken:
            return wait_s
        raise PaceError(
            f"The quota of {self.deployment} lets the next call go in {wait_s:.1f} s, "
            f"and only {max(0.0, within_s):.1f} s are left.",
            retry_after_s=wait_s,
            hint="Ask again later, or raise RAGQA_TIMEOUT_S or the quota.",
        )

    def report(self, outcome: Outcome) -> None:
        """Take in how a request ended."""
        self.breaker.report(outcome)
