"""Buckets and budgets in Redis, for all machines that share it. Redis tells the time."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ragqa.limits.buckets import Takes
from ragqa.limits.spending import SESSION_S, Spent, key
from ragqa.ports.limits import Purse
from ragqa.storage.redis import RedisStore

# The same arithmetic as in ragqa.limits.pace, beside the data; a contract suite compares them.
_TAKE = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local start = now
local full = {}
for i, name in ipairs(KEYS) do
  local per_s, size, amount = tonumber(ARGV[3*i-1]), tonumber(ARGV[3*i]), tonumber(ARGV[3*i+1])
  local kept = redis.call('HMGET', name, 'full_s', 'written_s')
  full[i] = now
  if kept[1] then
    full[i] = tonumber(kept[1]) - math.max(0, tonumber(kept[2]) - now)
  end
  start = math.max(start, full[i] - (size - math.min(amount, size)) / per_s)
end
if start - now > tonumber(ARGV[1]) then return {0, tostring(start - now)} end
for i, name in ipairs(KEYS) do
  local per_s, amount = tonumber(ARGV[3*i-1]), tonumber(ARGV[3*i+1])
  local after = math.max(start, full[i]) + amount / per_s
  redis.call('HSET', name, 'full_s', string.format('%.6f', after),
             'written_s', string.format('%.6f', now))
  redis.call('EXPIRE', name, math.ceil(after - now) + 3600)
end
return {1, tostring(start - now)}
"""

_SPEND = """
local checked, tokens, cost = ARGV[1] == '1', tonumber(ARGV[2]), tonumber(ARGV[3])
local totals = {}
for i, name in ipairs(KEYS) do
  local kept = redis.call('HMGET', name, 'tokens', 'cost')
  local t = math.max(0, tonumber(kept[1] or 0) + tokens)
  local c = math.max(0, tonumber(kept[2] or 0) + cost)
  local most_t, most_c = tonumber(ARGV[3*i+1]), tonumber(ARGV[3*i+2])
  if checked and ((most_t and t > most_t) or (most_c and c > most_c + 1e-9)) then return {} end
  totals[2*i-1] = tostring(t)
  totals[2*i] = string.format('%.9f', c)
end
for i, name in ipairs(KEYS) do
  redis.call('HSET', name, 'tokens', totals[2*i-1], 'cost', totals[2*i])
  redis.call('EXPIREAT', name, ARGV[3*i+3])
end
return totals
"""


class RedisBuckets:
    """Buckets in Redis."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    def take(self, takes: Takes, within_s: float) -> tuple[bool, float]:
        """Take a request's place, unless its turn comes later than within that time."""
        numbers = [n for bucket, amount in takes for n in (bucket.per_s, bucket.size, amount)]
        taken, wait_s = self._store.run(
            _TAKE,
            [f"ragqa:bucket:{bucket.name}" for bucket, _ in takes],
            [max(0.0, within_s), *numbers],
        )
        return bool(taken), float(wait_s)


class RedisSpent:
    """What was spent, in Redis."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    def take(self, purses: Sequence[Purse], tokens: int, cost: float) -> list[Spent] | None:
        """Take out of all purses and return what is spent of each, or None if one lacks it."""
        totals = self._spend(purses, tokens, cost, checked=True)
        if not totals:
            return None
        return [(int(float(t)), float(c)) for t, c in zip(totals[::2], totals[1::2], strict=True)]

    def add(self, purses: Sequence[Purse], tokens: int, cost: float) -> None:
        """Add to what was spent, bounds or not; never below nothing."""
        self._spend(purses, tokens, cost, checked=False)

    def spent(self, purse: Purse) -> Spent:
        """Return what is spent of a purse."""
        tokens, cost = self._store.do(lambda redis: redis.hmget(_name(purse), ["tokens", "cost"]))
        return int(float(tokens or 0)), float(cost or 0.0)

    def _spend(
        self, purses: Sequence[Purse], tokens: int, cost: float, *, checked: bool
    ) -> list[str]:
        bounds: list[object] = []
        for purse in purses:
            until_s = purse.until_s or time.time() + SESSION_S
            bounds += [_bound(purse.tokens), _bound(purse.cost), int(until_s)]
        names = [_name(purse) for purse in purses]
        totals: list[str] = self._store.run(
            _SPEND, names, [int(checked), tokens, f"{cost:.9f}", *bounds]
        )
        return totals


def _bound(most: float | None) -> str:
    return "" if most is None else str(most)


def _name(purse: Purse) -> str:
    return f"ragqa:spent:{key(purse)}"
