import pytest

from ragqa.contract import Usage
from ragqa.errors import TransportError
from ragqa.evaluation import Outcome, measure, question_of, worst_first
from ragqa.evaluation.outcome import failed_row
from tests.unit.evaluation.outcomes import SETUP, UNANSWERABLE, citation, outcome, passage

NAMES = [
    "n", "recall_at_1", "recall_at_5", "recall_at_10", "mrr", "answer_holds_gold", "token_f1",
    "citation_precision", "citation_recall", "citation_verbatim", "refused_unanswerable",
    "false_refusals", "ece", "rates", "latency_ms",
]  # fmt: skip


def found(rank, of=10):
    """Return retrieved passages, the one at a rank from the right document."""
    return [passage("a" if at == rank else f"x{at}") for at in range(1, of + 1)]


def test_all_names_stand_there_even_of_nothing():
    values = measure([]).values
    assert list(values)[: len(NAMES)] == NAMES
    assert values["n"] == 0
    assert values["recall_at_5"] is None
    assert set(values["latency_ms"]) == {"p50", "p95"}


def test_retrieval():
    values = measure([outcome(retrieved=found(rank)) for rank in (1, 2, 5, 6, 11)]).values
    assert (values["recall_at_1"], values["recall_at_5"], values["recall_at_10"]) == (0.2, 0.6, 0.8)
    assert values["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 5 + 1 / 6) / 5, abs=1e-4)


def test_a_document_that_is_also_right_counts():
    other = outcome({"alt_docs": ["x1"]}, retrieved=found(3))
    assert measure([other]).values["recall_at_1"] == 1


def test_pages_count_where_they_are_named():
    record = {"truth": "30 days. [m.pdf#page=2] [m.pdf#page=9]", "answers": None, "gold_doc": None}
    pages = [passage("m.pdf", page, title="m.pdf") for page in (1, 2)]
    cited = [citation("m.pdf", page, title="m.pdf") for page in (2, 3, 4)]
    values = measure([outcome(record, retrieved=pages, citations=cited)]).values
    assert (values["recall_at_1"], values["recall_at_5"]) == (0, 1)
    assert values["citation_precision"] == pytest.approx(1 / 3, abs=1e-4)
    assert values["citation_recall"] == 0.5
    assert values["answer_holds_gold"] is None
    assert values["token_f1"] == 1
    assert values["ece"] is None


def test_answers_and_refusals():
    values = measure(
        [
            outcome(),
            outcome(text="14 days."),
            outcome(status="abstained", text="30 days"),  # a refusal claims nothing
            outcome(UNANSWERABLE, status="abstained"),
            outcome(UNANSWERABLE),
            outcome(UNANSWERABLE),
        ]
    ).values
    assert values["answer_holds_gold"] == pytest.approx(1 / 3, abs=1e-4)
    assert values["token_f1"] == pytest.approx((1 + 0.5 + 0) / 3, abs=1e-4)
    assert values["false_refusals"] == pytest.approx(1 / 3, abs=1e-4)
    assert values["refused_unanswerable"] == pytest.approx(1 / 3, abs=1e-4)
    assert values["recall_at_1"] == 1  # unanswerable questions have no right document
    assert values["citation_recall"] == pytest.approx(2 / 3, abs=1e-4)


def test_verbatim_is_told_of_what_could_be_checked():
    values = measure(
        [
            outcome(citations=[citation(), citation()], verbatim=[True, False]),
            outcome(citations=[citation()], verbatim=[None]),
        ]
    ).values
    assert values["citation_verbatim"] == 0.5
    assert values["citations_unchecked"] == 1


def test_calibration_error_by_hand():
    values = measure(
        [
            outcome(confidence=0.95), outcome(confidence=0.95, text="no"),
            outcome(confidence=0.25, text="no"), outcome(UNANSWERABLE, confidence=1.0),
            outcome(confidence=0.99, status="abstained"),
        ]
    ).values  # fmt: skip
    # Bin 0.9 to 1.0: mean confidence 2.9 / 3, a third right; bin 0.2 to 0.3: 0.25, none right.
    by_hand = 3 / 4 * (2.9 / 3 - 1 / 3) + 1 / 4 * 0.25
    assert values["ece"] == pytest.approx(by_hand, abs=1e-4)
    assert [each["n"] for each in values["reliability"]] == [1, 3]


def test_the_whole_trade_off():
    values = measure(
        [
            outcome(confidence=0.9), outcome(confidence=0.5), outcome(confidence=0.3),
            outcome(confidence=0.8, status="abstained"),
            outcome(UNANSWERABLE, confidence=0.4), outcome(UNANSWERABLE, status="abstained"),
        ]
    ).values  # fmt: skip
    points = [(p["false_refusals"], p["refused_unanswerable"]) for p in values["curve"]]
    assert points == [(0, 0), (0.25, 0.5), (0.5, 0.5), (0.5, 1), (0.75, 1), (1, 1)]
    own = [p for p in values["curve"] if p["own"]]
    assert [(p["false_refusals"], p["refused_unanswerable"]) for p in own] == [(0.25, 0.5)]
    assert own[0]["false_refusals"] == values["false_refusals"]
    assert own[0]["refused_unanswerable"] == values["refused_unanswerable"]
    assert [p["threshold"] for p in values["curve"]] == [None, None, 0.4, 0.5, 0.9, None]


@pytest.mark.parametrize("status", ["answered", "abstained"])
def test_the_trade_off_marks_a_chain_that_refuses_nothing_or_everything(status):
    curve = measure([outcome(status=status), outcome(UNANSWERABLE, status=status)]).values["curve"]
    own = [(p["false_refusals"], p["refused_unanswerable"]) for p in curve if p["own"]]
    assert own == [(1, 1) if status == "abstained" else (0, 0)]


def test_rates():
    good = {"verdict": "accepted", "code": "ok"}
    bad = {"verdict": "rejected", "code": "schema.type", "gate": "schema",
           "faults": (("schema.type", "confidence"),)}  # fmt: skip
    question = question_of({"question": "Q?", "answers": ["x"]}, 9)
    failed = Outcome(question, failed_row(question, SETUP, TransportError("It broke.")))
    rates = measure(
        [
            outcome(attempts=[good]),
            outcome(attempts=[good | {"repairs": ("fence",)}]),
            outcome(attempts=[bad, good], status="repaired"),
            outcome(attempts=[bad, bad], status="degraded", text="-"),
            failed,
        ]
    ).values["rates"]
    assert rates["valid_first_try"] == rates["repaired_without_call"] == 0.2
    assert rates["repaired_by_call"] == rates["degraded"] == rates["failed"] == 0.2
    assert rates["needs_human"] == 0.4
    assert rates["rejected"] == {"schema.type": 3}
    assert rates["rejected_by_gate"] == {"schema": 3}
    assert rates["rejected_fields"] == {"confidence": 3}


def test_tokens_cost_and_time():
    used = Usage(calls=2, prompt_tokens=100, completion_tokens=20, cached_tokens=5, cost=0.25)
    values = measure(
        [outcome(usage=used, latency_ms=n) for n in range(1, 100)] + [outcome(latency_ms=500.0)]
    ).values
    assert values["tokens"] == {"calls": 198, "prompt": 9900, "completion": 1980, "cached": 495}
    assert values["cost"] == pytest.approx(24.75)
    assert values["latency_ms"] == {"p50": 50, "p95": 95}
    assert measure([outcome()]).values["cost"] is None


def test_intervals_hold_the_value_and_shrink():
    few = [outcome(), outcome(text="no")] * 5
    low, high = measure(few).values["intervals"]["answer_holds_gold"]
    assert 0 < low < 0.5 < high < 1
    more_low, more_high = measure(few * 20).values["intervals"]["answer_holds_gold"]
    assert low < more_low < 0.5 < more_high < high
    assert measure(few).values["intervals"] == measure(few).values["intervals"]


def test_the_worst_come_first():
    sure = outcome(text="14 days", confidence=0.9, number=1)
    unsure = outcome(text="14 days", confidence=0.3, number=2)
    refused = outcome(status="abstained", number=3)
    right = outcome(number=4)
    degraded = outcome(status="degraded", number=5)
    ordered = worst_first([right, refused, unsure, sure, degraded])
    assert [each.question.number for each in ordered] == [5, 1, 2, 3, 4]
