from __future__ import annotations

import pytest

from ragqa.cli.runs_store import moment_s
from ragqa.errors import ConfigError


def test_spans_and_dates() -> None:
    assert moment_s("7d", now_s=700_000.0) == 700_000.0 - 7 * 86_400
    assert moment_s(" 2026-05-01T00:00:00+00:00 ") == 1_777_593_600.0
    assert moment_s(None) == float("-inf")


@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01T00:00:00+05:00", "1900-01-01"])
def test_dates_before_all_records_are_dates(text: str) -> None:
    assert moment_s(text) < 0


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "-1d"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="that is no time"):
        moment_s(text)
