"""Token buckets without any I/O: when may a request go that takes so much of each?

A bucket is kept as one number, the moment at which it will be full again (the generic cell rate
algorithm, ITU-T I.371). A request takes its place at once, even if its turn comes later, so waiting
callers go in the order in which they came and nobody polls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bucket:
    """How fast a bucket fills, and how much it holds.

    Attributes:
        name: Names deployment and kind, for the store.
        per_s: What it gains in a second.
        size: What it holds when full.
    """

    name: str
    per_s: float
    size: float

    def span_s(self, amount: float) -> float:
        """Return how long it takes to gain an amount."""
        return amount / self.per_s


REQUEST_WINDOW_S = 1.0
TOKEN_WINDOW_S = 10.0
"""Azure OpenAI judges the rate over 1 or 10 seconds rather than a minute, so a burst must fit into
what is left between our rate and the quota within that time.
Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota (rate limits)"""


def bucket_for(name: str, per_minute: float, share: float, *, window_s: float) -> Bucket:
    """Return the bucket that stays below a quota in every window of that length.

    Half of what is left may be a burst; the other half is for requests that arrive bunched.

    >>> bucket_for("requests", 6000, 0.7, window_s=1)
    Bucket(name='requests', per_s=70.0, size=15)
    """
    unused_per_s = per_minute * (1 - share) / 60
    size = max(1, math.floor(unused_per_s * window_s / 2 + 1e-9))
    return Bucket(name, round(per_minute * share / 60, 9), size)


def turn_s(now_s: float, full_s: Sequence[float], takes: Sequence[tuple[Bucket, float]]) -> float:
    """Return the moment at which a request may go.

    Args:
        now_s: The time.
        full_s: When each bucket will be full again.
        takes: Each bucket, and what the request takes of it. More than it holds waits for a full
            bucket and leaves it in debt.
    """
    moments = [
        full - bucket.span_s(bucket.size - min(amount, bucket.size))
        for full, (bucket, amount) in zip(full_s, takes, strict=True)
    ]
    return max(now_s, *moments)


def after(start_s: float, full_s: float, bucket: Bucket, amount: float) -> float:
    """Return when a bucket will be full again, once a request has taken its part at a moment."""
    return max(start_s, full_s) + bucket.span_s(amount)
