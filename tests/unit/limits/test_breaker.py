"""When a service counts as away, and when it is tried again."""

from __future__ import annotations

import random

import pytest

from ragqa.limits.breaker import FAILURES_IN_A_ROW, LONGEST_REST_S, PROBE_S, Breaker


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return Breaker(clock)


def fail(breaker, times):
    for _ in range(times):
        breaker.report("failed")


def test_failures_in_a_row_open_it_and_it_says_for_how_long(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW - 1)
    assert breaker.closed_in_s() == 0
    fail(breaker, 1)
    rest_s = breaker.closed_in_s()
    assert rest_s > 0
    clock.now_s += rest_s / 2
    assert breaker.closed_in_s() == pytest.approx(rest_s / 2)


def test_one_probe_goes_and_its_success_closes_it(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW)
    clock.now_s += breaker.closed_in_s()
    assert breaker.closed_in_s() == 0
    assert breaker.closed_in_s() > 0  # no second probe
    breaker.report("answered")
    assert breaker.closed_in_s() == 0
    fail(breaker, FAILURES_IN_A_ROW - 1)
    assert breaker.closed_in_s() == 0  # counting began anew


def test_a_failed_probe_opens_it_for_longer_up_to_a_bound(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW)
    rests = []
    for _ in range(8):
        rests.append(breaker.closed_in_s())
        clock.now_s += rests[-1]
        assert breaker.closed_in_s() == 0
        breaker.report("failed")
    assert rests == sorted(rests)
    assert rests[1] > rests[0]
    assert rests[-1] == LONGEST_REST_S


def test_a_probe_that_nobody_waits_for_lets_the_next_one_go(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW)
    clock.now_s += breaker.closed_in_s()
    assert breaker.closed_in_s() == 0
    breaker.report("unknown")
    assert breaker.closed_in_s() == 0


def test_a_probe_that_is_lost_lets_another_go_after_a_time(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW)
    clock.now_s += breaker.closed_in_s()
    assert breaker.closed_in_s() == 0
    clock.now_s += PROBE_S
    assert breaker.closed_in_s() == 0


def test_late_failures_of_requests_sent_before_do_not_prolong_the_rest(breaker, clock):
    fail(breaker, FAILURES_IN_A_ROW)
    rest_s = breaker.closed_in_s()
    fail(breaker, 40)
    assert breaker.closed_in_s() == rest_s


def test_a_service_that_fails_at_times_is_still_asked(breaker):
    chance = random.Random(3)
    for _ in range(20_000):
        breaker.report("failed" if chance.random() < 0.2 else "answered")
        assert breaker.closed_in_s() == 0


def test_one_that_goes_away_after_good_days_is_noticed(breaker):
    for _ in range(1000):
        breaker.report("answered")
    fail(breaker, 20)
    assert breaker.closed_in_s() > 0
