"""Runs that are killed in the middle of an effect: a small version of ``make crash``."""

import json
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_no_ticket_exists_twice_and_no_record_lies():
    done = subprocess.run(
        [sys.executable, "-m", "tests.quality.crash", "--runs", "8", "--seed", "7"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert done.returncode == 0
    assert report["kills"] >= 4
    assert set(report["states_at_the_end"]) <= {"verified", "failed", "requested", "never asked"}
