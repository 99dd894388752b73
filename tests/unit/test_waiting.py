from __future__ import annotations

import pytest

from ragqa.waiting import LONGEST_WAIT_S, retry_after_s, wait_s

NOW_S = 1_800_000_000.0  # 2027-01-15 08:00:00 UTC


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"x-ms-retry-after-ms": "700", "retry-after": "9"}, 0.7),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:20 GMT"}, 20.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "inf", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_s(headers, now=lambda: NOW_S) == expected


def test_waits_grow_to_a_limit_and_differ() -> None:
    longest = [wait_s(tries, None, lambda low, high: high) for tries in range(1, 9)]
    shortest = [wait_s(tries, None, lambda low, high: low) for tries in range(1, 9)]
    assert longest[:3] == pytest.approx([0.3, 0.6, 1.2])
    assert longest[-1] == LONGEST_WAIT_S
    assert shortest == [wait / 2 for wait in longest]


def test_never_shorter_than_asked() -> None:
    assert all(5.0 <= wait_s(tries, 5.0) <= 5.25 for tries in range(1, 9))
