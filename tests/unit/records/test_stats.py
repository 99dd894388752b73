from dataclasses import replace

import pytest

from ragqa.contract import Usage
from ragqa.ports import Run
from ragqa.records.chance import chance_of_drop
from ragqa.records.stats import MAX_CHANCE, drops, period, quantile, transport_summary

OK = {"verdict": "accepted", "code": "ok", "repairs": [], "gate": "", "faults": []}
MENDED = OK | {"repairs": ["fences"]}
REFUSED = {
    "verdict": "rejected",
    "code": "rules.figures",
    "repairs": [],
    "gate": "rules",
    "faults": [["rules.figures", "answer"], ["rules.dump", "answer"]],
}


def run(*attempts, status="answered", reason=None, human=False, ms=10.0, **more):
    answer = {"status": status, "reason": reason, "response": {"needs_human": human}}
    record = {
        "attempts": list(attempts),
        "answer": answer,
        "timings_ms": {"total": ms},
        "category": "policy",
        "versions": {"ragqa": "1", "model": "m"},
        "calls": [],
        "transport": {},
    }
    return Run(id="r", state="completed", chain="stuff", record=record, **more)


def rates(*runs):
    return period(runs).as_json()["rates"]


def test_how_replies_became_valid_adds_up_to_one():
    found = rates(
        run(OK), run(OK), run(MENDED), run(REFUSED, OK), run(REFUSED, REFUSED, status="degraded")
    )
    assert found["valid_at_first_try"] == 0.4
    assert found["repaired_without_call"] == 0.2
    assert found["repaired_by_call"] == 0.2
    assert found["valid"] == 0.8
    assert found["degraded"] == 0.2
    assert found["answered"] == 0.8


def test_failures_are_counted_by_gate_field_and_rule():
    failures = period([run(REFUSED, OK), run(REFUSED, REFUSED)]).as_json()["failures"]
    assert failures == {
        "gate": {"rules": 3},
        "field": {"answer": 3},
        "rule": {"rules.figures": 3, "rules.dump": 3},
    }


def test_a_cached_answer_counts_as_a_hit_and_not_as_a_reply():
    found = rates(run(OK, status="cached"), run(OK))
    assert found["cached"] == 0.5
    assert period([run(OK, status="cached")]).as_json()["rates"].get("valid_at_first_try") is None


def test_an_ask_that_raised_counts_as_degraded():
    failed = Run(id="r", state="failed", last_error={"code": "retrieval", "message": ""})
    counted = period([failed, run(OK)]).as_json()
    assert counted["rates"]["degraded"] == 0.5
    assert counted["degraded_reasons"] == {"retrieval": 1}


@pytest.mark.parametrize("state", ["queued", "in_progress", "requires_action", "cancelled"])
def test_what_has_no_outcome_is_in_no_rate(state):
    counted = period([replace(run(OK), state=state)]).as_json()
    assert (counted["runs"], counted["states"], counted["rates"]) == (1, {state: 1}, {})


def test_needs_human_is_counted_by_chain_category_and_version():
    by = period([run(OK, human=True), run(OK)]).as_json()["needs_human_by"]
    share = {"rate": 0.5, "runs": 2}
    assert by == {
        "chain": {"stuff": share},
        "category": {"policy": share},
        "version": {"1": share},
        "model": {"m": share},
    }


def test_tokens_cost_and_times_are_added_up():
    usage = Usage(calls=1, prompt_tokens=10, completion_tokens=5, cost=0.25)
    counted = period([run(OK, usage=usage, ms=n) for n in range(1, 101)]).as_json()
    assert counted["usage"]["prompt_tokens"] == 1000
    assert counted["usage"]["cost"] == 25.0
    assert counted["latency_ms"] == {"p50": 50, "p95": 95}


def test_an_empty_period_has_no_rates():
    counted = period([]).as_json()
    assert (counted["runs"], counted["rates"]) == (0, {})
    assert counted["latency_ms"] == {"p50": None, "p95": None}


def test_a_clear_drop_is_reported_and_a_small_one_is_not():
    good, bad = [run(OK)] * 20, [run(REFUSED, OK)] * 10 + [run(OK)] * 10
    (drop,) = drops(period(good), period(bad))
    assert (drop["rate"], drop["before"], drop["now"]) == ("valid_at_first_try", 1.0, 0.5)
    assert drop["chance"] < 0.001
    assert drops(period(good), period([run(REFUSED, OK), *[run(OK)] * 19])) == []
    assert drops(period(bad), period(good)) == []
    assert drops(period([]), period(bad)) == []
    assert drops(period(good), period([])) == []


def test_more_cases_for_people_are_a_drop():
    before, now = [run(OK)] * 20, [run(OK, human=True)] * 20
    assert [drop["rate"] for drop in drops(period(before), period(now))] == ["needs_human"]


def test_a_certain_but_tiny_change_is_none():
    before = [run(OK)] * 1000
    now = [run(OK)] * 990 + [run(REFUSED, OK)] * 10
    assert chance_of_drop(1000, 1000, 990, 1000) < MAX_CHANCE
    assert drops(period(before), period(now)) == []


@pytest.mark.parametrize(
    ("before", "now", "chance"),
    [  # counted exactly: sums of products of math.comb
        ((5, 5), (0, 5), 0.003968),
        ((9, 10), (5, 10), 0.070433),
        ((3, 3), (0, 3), 0.05),
        ((5, 10), (5, 10), 0.671859),
        ((0, 10), (10, 10), 1.0),
    ],
)
def test_the_chance_of_a_drop(before, now, chance):
    assert chance_of_drop(*before, *now) == pytest.approx(chance, abs=1e-5)


def test_what_happened_on_the_way_is_summed_up():
    events = {"429": 3, "500": 1, "503": 2, "timeout": 4, "connection": 1, "418": 1}
    assert transport_summary(events) == {
        "429": 3,
        "5xx": 3,
        "timeouts": 4,
        "connection": 1,
        "other": 1,
    }


def test_a_quantile_is_one_of_the_values():
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([1.0], 0.95) == 1.0
    assert quantile(range(1, 101), 0.95) == 95
    assert quantile(range(1, 101), 0.07) == 7
    assert quantile(range(1, 21), 0.5) == 10
    assert quantile([], 0.5) is None
