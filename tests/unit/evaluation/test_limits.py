import pytest

from ragqa.errors import ConfigError, UnknownNameError
from ragqa.evaluation import measure, missed, parse_limits
from tests.unit.evaluation.outcomes import UNANSWERABLE, outcome


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("recall_at_5=0.9", {"recall_at_5": 0.9}),
        (" recall_at_5 = 0.9 , mrr=1,", {"recall_at_5": 0.9, "mrr": 1.0}),
        ("latency_ms=20", {"latency_ms.p95": 20.0}),
        ("latency_ms.p50=20,rates.degraded=0", {"latency_ms.p50": 20.0, "rates.degraded": 0.0}),
    ],
)
def test_limits_are_read(text, limits):
    assert parse_limits(text) == limits


@pytest.mark.parametrize(
    "name",
    ["recall", "recall_at_3", "accuracy", "", "rates", "curve", "reliability", "intervals",
     "rates.rejected", "intervals.mrr"],
)  # fmt: skip
def test_an_unknown_name_is_refused_and_the_known_are_told(name):
    with pytest.raises(UnknownNameError) as raised:
        parse_limits(f"{name}=0.5")
    assert raised.value.exit_code == 2
    assert "recall_at_5" in raised.value.hint


@pytest.mark.parametrize(
    "text", ["", " , ", "mrr", "mrr=", "mrr=high", "mrr=nan", "mrr=inf", "mrr=1,mrr=0"]
)
def test_what_is_no_limit_is_refused(text):
    with pytest.raises(ConfigError):
        parse_limits(text)


@pytest.mark.parametrize(
    ("limit", "reached"),
    [
        ("answer_holds_gold=0.5", True),
        ("answer_holds_gold=0.51", False),
        ("false_refusals=0.5", True),
        ("false_refusals=0.4", False),  # here less is better
        ("refused_unanswerable=1", True),
        ("latency_ms.p95=5", True),
        ("latency_ms.p95=4.9", False),
        ("rates.valid_first_try=1", True),
        ("rates.needs_human=0.1", False),
        ("cost=1", False),  # nobody told a price
    ],
)
def test_limits_are_held(limit, reached):
    metrics = measure(
        [outcome(), outcome(status="abstained"), outcome(UNANSWERABLE, status="abstained")]
    )
    misses = missed(metrics, parse_limits(limit))
    assert (not misses) is reached
    assert all(limit.partition("=")[0] in str(miss) for miss in misses)


def test_every_figure_that_stands_alone_can_be_limited():
    for name in measure([outcome()]).figures():
        assert parse_limits(f"{name}=0")
