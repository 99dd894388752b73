"""How likely chance alone makes a rate drop that much."""

from __future__ import annotations

from math import exp, lgamma


def chance_of_drop(old_hits: int, old_of: int, new_hits: int, new_of: int) -> float:
    """Return the one-sided p of Fisher's exact test that the new rate is no lower than the old one.

    It holds for few runs as for many. Source: R. A. Fisher, The Logic of Inductive Inference
    (1935), https://doi.org/10.2307/2342435

    >>> round(chance_of_drop(5, 5, 0, 5), 4)
    0.004
    >>> chance_of_drop(0, 5, 5, 5)
    1.0
    """
    hits, of = old_hits + new_hits, old_of + new_of
    fewest = max(0, hits - old_of)
    chance = sum(
        exp(_ln_choose(new_of, k) + _ln_choose(old_of, hits - k) - _ln_choose(of, hits))
        for k in range(fewest, new_hits + 1)
    )
    return min(1.0, chance)


def _ln_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
