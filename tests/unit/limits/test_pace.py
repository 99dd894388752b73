"""The arithmetic of token buckets, driven by a clock of its own."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.limits.pace import Bucket, after, bucket_for, turn_s


class Kept:
    """Buckets as a store keeps them."""

    def __init__(self, *buckets: Bucket) -> None:
        self.buckets = buckets
        self.full_s = [0.0] * len(buckets)

    def take(self, now_s: float, *amounts: float) -> float:
        takes = list(zip(self.buckets, amounts, strict=True))
        start = turn_s(now_s, self.full_s, takes)
        self.full_s = [
            after(start, full, bucket, amount)
            for full, (bucket, amount) in zip(self.full_s, takes, strict=True)
        ]
        return start


def most_in(moments: list[float], window_s: float) -> int:
    return max(
        sum(start <= other < start + window_s - 1e-6 for other in moments) for start in moments
    )


@given(
    per_minute=st.sampled_from([6, 60, 100, 600, 3000]),
    arrivals=st.lists(st.floats(0, 30), min_size=1, max_size=60),
)
@settings(max_examples=60)
def test_no_window_of_any_length_holds_more_than_the_quota(per_minute, arrivals):
    kept = Kept(bucket_for("r", per_minute, 0.7, window_s=1.0))
    moments = [kept.take(now_s, 1) for now_s in sorted(arrivals)]
    for window_s in (1.0, 10.0, 60.0):
        assert most_in(moments, window_s) <= math.ceil(per_minute * window_s / 60)


def test_a_waiting_queue_goes_at_the_full_permitted_rate_in_order():
    kept = Kept(bucket_for("r", 600, 0.7, window_s=1.0))
    moments = [kept.take(0.0, 1) for _ in range(421)]
    assert moments == sorted(moments)
    assert 59 < moments[-1] < 60.001  # 420 a minute


def test_what_rests_may_burst_but_no_more_than_it_holds():
    kept = Kept(Bucket("r", per_s=7.0, size=3))
    assert [kept.take(100.0, 1) for _ in range(3)] == [100.0] * 3
    assert kept.take(100.0, 1) > 100.0


def test_a_request_larger_than_the_bucket_goes_when_it_is_full_and_leaves_a_debt():
    kept = Kept(Bucket("t", per_s=100.0, size=200))
    assert kept.take(10.0, 1000) == 10.0
    assert kept.take(10.0, 1) >= 10.0 + 8.0


def test_the_slower_of_two_buckets_decides_and_the_other_loses_nothing_meanwhile():
    kept = Kept(Bucket("r", per_s=10.0, size=1), Bucket("t", per_s=100.0, size=100))
    assert kept.take(0.0, 1, 100) == 0.0
    assert kept.take(0.0, 1, 100) == 1.0
    assert abs(kept.take(0.0, 1, 0) - 1.1) < 1e-9
