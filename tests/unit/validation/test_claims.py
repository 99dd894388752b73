"""An answer says that something was done only if a record of the run says so."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.validation import CheckContext, check
from ragqa.validation.grounded import ClaimsProven, ContextGate
from ragqa.validation.grounded.claims import claims_in
from tests.unit.validation.answers import codes, passage, response
from tests.unit.validation.claim_sentences import CLAIMS_EN, CLAIMS_ZH, OTHERS_EN, OTHERS_ZH

QA = Path(__file__).parents[3].parent / "shared" / "data" / "qa"
needs_data = pytest.mark.skipif(not QA.is_dir(), reason="the shared data is not here")

CODE = "context.unproven_claim"


def record(name: str, state: str = "succeeded", **more: Any) -> dict[str, Any]:
    """Return a record as an Answer shows it."""
    done = state in ("succeeded", "verified")
    return {"name": name, "call_id": "c1", "state": state, "done": done, "effect": ""} | more


def judged(answer: str, *records: dict[str, Any], sources: Any = (), **known: Any) -> list[str]:
    """Return the codes that the check finds for an answer."""
    context = CheckContext(records=records, **({"titles": (), "passages": ()} | known))
    return codes(ClaimsProven().check(response(answer, sources=list(sources)), context))


@pytest.mark.parametrize("sentence", CLAIMS_EN + CLAIMS_ZH)
def test_claims_without_a_record_are_refused(sentence):
    assert judged(sentence) == [CODE] * len(judged(sentence))
    assert judged(sentence)


@pytest.mark.parametrize("sentence", OTHERS_EN + OTHERS_ZH)
def test_rules_conditions_questions_and_history_are_no_claims(sentence):
    assert judged(sentence) == []


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("create_ticket", "I have created the ticket."),
        ("createTicket", "Your ticket has been opened."),
        ("open_support_case", "已为您创建工单。"),
        ("send_email", "Email sent to Ana."),
        ("send_email", "I've notified the team by mail."),
        ("book_room", "Your room has been reserved."),
        ("book_room", "房间已预订。"),
        ("cancel_order", "Your order has been cancelled."),
        ("cancel_order", "订单已取消。"),
        ("delete_file", "The file has been deleted."),
        ("delete_file", "我已删除该文件。"),
        ("refund_payment", "A refund of 30 euros has been issued."),
        ("update_address", "I've changed your address."),
        ("reschedule_meeting", "我帮你把会议改到了周三。"),
        ("cancel_order", "Done."),
        ("cancel_order", "已完成。"),
        ("submit_leave_request", "Your request has been submitted."),
        ("place_order", "I ordered two kettles for you."),
    ],
)
def test_a_record_with_that_effect_bears_a_claim_out(tool, answer):
    assert judged(answer, record(tool)) == []
    assert judged(answer, record(tool, "verified")) == []
    for state in ("requested", "waiting_for_approval", "running", "failed", "unknown"):
        assert judged(answer, record(tool, state)) == [CODE], state
    # The policy asks for a look-up that has not taken place.
    assert judged(answer, record(tool, "succeeded", done=False)) == [CODE]
    assert judged(answer, record(tool, read_only=True)) == [CODE]


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("create_ticket", "I have sent you an email."),
        ("create_ticket", "Your order has been cancelled."),
        ("create_account", "I have created the ticket."),
        ("send_email", "Your room has been booked."),
        ("cancel_order", "Your subscription has been cancelled."),
        ("cancel_order", "I have refunded you."),
        ("update_address", "已为您创建工单。"),
        ("create_ticket", "订单已取消。"),
        ("create_ticket", "已通知客服团队。"),
        ("search_documents", "I have created the ticket."),
        ("get_order", "I have cancelled your order."),
        ("get_order", "我已取消您的订单。"),
    ],
)
def test_a_record_with_another_effect_does_not(tool, answer):
    assert judged(answer, record(tool)) == [CODE]


def test_each_claim_of_an_answer_needs_its_own_record():
    answer = "I created the ticket and sent you an email."

    assert judged(answer, record("create_ticket")) == [CODE]
    assert judged(answer, record("send_email")) == [CODE]
    assert judged(answer, record("create_ticket"), record("send_email")) == []
    assert judged("工单已创建，并且已通知客服。", record("create_ticket")) == [CODE]


def test_a_policy_says_what_a_tool_of_any_name_does():
    answer = "I have opened the ticket."

    assert judged(answer, record("crm_7", effect="created ticket")) == []
    assert judged(answer, record("crm_7", claims=["opened"])) == []
    assert judged("工单已登记。", record("crm_7", effect="创建工单")) == []
    assert judged(answer, record("crm_7", effect="sent mail")) == [CODE]


def test_an_unknown_outcome_may_be_told_as_unknown():
    unknown = record("create_ticket", "unknown")
    for answer in (
        "It is not known whether the ticket was created.",
        "The ticket may have been created; we could not verify it.",
        "目前无法确认工单是否已创建。",
        "工单可能已创建，结果尚不清楚。",
    ):
        assert judged(answer, unknown) == []
    assert judged("The ticket has been created.", unknown) == [CODE]


def test_the_model_is_told_the_facts_of_the_ledger():
    failed = record("create_ticket", "failed", error="503 from the service")
    context = CheckContext(titles=(), passages=(), records=(failed,))

    outcome = ClaimsProven().check(response("I created the ticket.", sources=[]), context)

    assert "create_ticket: failed (503 from the service)" in outcome.faults[0].feedback
    nothing = ClaimsProven().check(response("Done.", sources=[]), CheckContext(passages=()))
    assert "No tool has done anything" in nothing.faults[0].feedback


def test_a_number_that_no_result_holds_is_refused():
    done = record("create_ticket")
    known: dict[str, Any] = {"evidence": ('{"id": "T-1042"}',)}

    assert judged("I created ticket T-1042.", done, **known) == []
    assert judged("I created ticket T-1043.", done, **known) == [CODE]
    assert judged("已创建工单T-9。", done, **known) == [CODE]
    assert judged("I cancelled order 4711.", record("cancel_order"), question="Cancel 4711") == []


# --- what is cited or looked up -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The contract was cancelled.", "In May the contract was cancelled by both sides."),
        (
            "Your account has been moved to the new system.",
            "Every account has been moved to the new system.",
        ),
        ("We have updated our privacy policy.", "We have updated our privacy policy."),
        ("The request was submitted and approved.", "The request was submitted and approved."),
        ("合同已取消。", "由于疫情，合同已取消。"),
        ("服务已升级。", "本月起服务已升级为高级版。"),
    ],
)
def test_what_a_cited_passage_says_is_no_claim(answer, text):
    known: dict[str, Any] = {"titles": ("a.md",), "passages": (passage("a.md", text),)}

    assert judged(answer, sources=["a.md"], **known) == []
    other = {**known, "passages": (passage("a.md", "Kettles are made of steel."),)}
    assert judged(answer, sources=["a.md"], **other)
    assert judged(answer, sources=[], **known), "the passage is not cited"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Your order has been cancelled.", "Orders can be cancelled before dispatch."),
        ("Your order has been cancelled.", "If your order has been cancelled, you get a mail."),
        ("Your order has been cancelled.", "An order will be cancelled after three days."),
        ("Your order is cancelled.", "Orders are cancelled after 3 days without payment."),
        ("Order cancelled.", "Cancelled orders are refunded within 14 days."),
        ("Cancelled.", "Orders can be cancelled before dispatch."),
        ("Your refund has been issued.", "Refunds are issued to the original payment method."),
        ("Your password has been reset.", "To reset your password, choose Reset."),
        ("A confirmation email has been sent.", "A confirmation email is sent after the order."),
        ("订单已取消。", "订单发货前可取消。"),
        ("订单已取消。", "取消订单请打开账户页面。"),
        ("订单已取消。", "订单已取消后不能恢复。"),
        ("您的账户已注销。", "账户停用30天后会被注销。"),
        ("退款已退回您的账户。", "退款将原路退回您的账户。"),
    ],
)
def test_what_may_be_or_is_a_rule_bears_no_claim_out(answer, text):
    known: dict[str, Any] = {"titles": ("a.md",), "passages": (passage("a.md", text),)}

    assert judged(answer, sources=["a.md"], **known) == [CODE]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Your account was closed.", "Your account was closed on 3 May because of inactivity."),
        ("You are enrolled in the plan.", "Employees are enrolled in the plan."),
        ("The meeting was scheduled for Friday.", "The meeting is scheduled for Friday."),
        ("The payment has been sent.", "Payment sent on 3 May."),
        ("The order was canceled.", "In May the order was cancelled by both sides."),
        ("Order 17 has been cancelled.", "order: 17; status: cancelled"),
        ("您的账户已注销。", "您的账户已于5月注销。"),
        ("订单已取消。", "订单17因缺货于5月3日被取消。"),
        ("服务已升级。", "本月起服务升级了。"),
    ],
)
def test_what_a_passage_tells_in_other_words_bears_a_claim_out(answer, text):
    known: dict[str, Any] = {"titles": ("a.md",), "passages": (passage("a.md", text),)}

    assert judged(answer, sources=["a.md"], **known) == []


def test_what_the_assistant_says_of_itself_needs_a_record_whatever_is_cited():
    text = "A ticket was created for the customer and the order was cancelled."
    known: dict[str, Any] = {"titles": ("a.md",), "passages": (passage("a.md", text),)}

    for answer in ("I created a ticket for the customer.", "I cancelled the order."):
        assert judged(answer, sources=["a.md"], **known) == [CODE]


def test_what_a_look_up_returned_may_be_told_but_not_claimed():
    read = record("get_order", read_only=True)
    known: dict[str, Any] = {"evidence": ("Order 4711 was cancelled on 3 May.",)}

    assert judged("Order 4711 was cancelled.", read, **known) == []
    assert judged("I have cancelled order 4711.", read, **known) == [CODE]
    for status in ('"cancelled": true', '"status": "CANCELLED"', '"cancelled_at": "2026-05-03"'):
        told: dict[str, Any] = {"evidence": (f'{{"order": 4711, {status}}}',)}
        assert judged("Order 4711 has been cancelled.", read, **told) == [], status
    denied: dict[str, Any] = {"evidence": ('{"order": 4711, "cancelled": false}',)}
    assert judged("Order 4711 has been cancelled.", read, **denied) == [CODE]
    for never in ("null", '""', "None"):
        open_yet: dict[str, Any] = {"evidence": (f'{{"order": 4711, "cancelled_at": {never}}}',)}
        assert judged("Order 4711 has been cancelled.", read, **open_yet) == [CODE], never
    open_order: dict[str, Any] = {"evidence": ('{"order": 4711, "status": "open"}',)}
    assert judged("Order 4711 has been cancelled.", read, **open_order) == [CODE]


@pytest.mark.parametrize(
    ("answer", "returned"),
    [
        ("订单已发货。", '{"order_id": "A1", "status": "shipped", "carrier": "顺丰"}'),
        ("您的订單A1已經發貨了。", '{"order_id": "A1", "status": "shipped"}'),
        ("您的订单已寄出。", '{"order_id": "A1", "status": "dispatched"}'),
        ("订单A2已发货。", '{"id": "A2", "status": "shipped", "items": [{"sku": 1}, {"sku": 2}]}'),
        ("订单已取消。", '{"order_id": "A1", "status": "CANCELLED"}'),
        ("退款已完成，金额1280元。", '{"id": "RT-5", "status": "已退款", "amount": 1280}'),
        ("The refund has been processed.", '{"id": "RT-5", "refundedAt": "2026-06-12"}'),
        ("Order A1 has been paid and delivered.", '{"id": "A1", "paid": 1, "deliveredAt": "May"}'),
        ("您的订单A1已付款。", '{"order_id": "A1", "paid": true}'),
        ("工单已创建。", '{"ticket": "T-8", "created_at": "2026-02-11"}'),
        ("工单T-8已分配给林悦。", '{"ticket": "T-8", "assignee": "林悦"}'),
        (
            "Yes, order A1 was shipped.",
            '{"order_id": "A1", "status": "shipped", "carrier": "顺丰"}',
        ),
        ("Your order A1 has been dispatched.", '{"order_id": "A1", "status": "shipped"}'),
        ("Your order A1 has been shipped.", '{"订单号": "A1", "状态": "已发货"}'),
        (
            "Order A2 has been shipped.",
            '[{"id": "A1", "状态": "已取消"}, {"id": "A2", "状态": "已发货"}]',
        ),
    ],
)
def test_what_was_looked_up_may_be_told_in_other_words(answer, returned):
    read = record("get_status", read_only=True)

    assert judged(answer, read, evidence=(returned,)) == []
    assert judged(answer, record("get_status", "failed", read_only=True)) == [CODE]


@pytest.mark.parametrize(
    ("answer", "text", "told"),
    [
        ("会议已改到3月12日。", "The meeting was moved to 12 March.", True),
        ("The meeting has been moved to 12 March.", "会议原定3月5日，改至3月12日举行。", True),
        ("The meeting has been moved to 12 March.", "原定3月5日的会议改至3月12日举行。", True),
        ("Customers have been notified by email.", "Customers were informed by email.", True),
        ("会议地点已更改为线上。", "会议地点由301会议室改为线上。", True),
        ("会议已改到3月13日。", "The meeting was moved to 12 March.", False),
        ("会议已改到3月12日。", "The meeting may be moved to 12 March.", False),
        ("会议已取消，不再于3月12日举行。", "The meeting was moved to 12 March.", False),
        ("会议已取消。", "The meeting was cancelled.", False),
        ("CA1234航班已取消。", "受台风影响，3月12日CA1234航班取消，旅客可免费改签。", True),
        ("会议已经取消了。", "通知：3月12日会议取消，4月2日例会照常举行。", True),
        ("订单已取消。", "3月12日前未付款的订单自动取消。", False),
        ("订单已取消。", "买家未付款，订单取消。", False),
        ("会议室已预订。", "会议室可于3月12日预订。", False),
        (
            "The plan has been approved, and the contract has been awarded to Bauko.",
            "On Monday the council approved the plan. The contract was awarded to Bauko.",
            True,
        ),
        (
            "The plan has been approved, and your ticket has been closed.",
            "On Monday the council approved the plan. The contract was awarded to Bauko.",
            False,
        ),
        ("5月3日的订单已取消。", "The flight of 3 May was cancelled.", False),
        ("5月3日的订单已取消。", "The order of 3 May was cancelled.", True),
    ],
)
def test_a_passage_may_say_it_in_other_words(answer, text, told):
    known = passage("notice.md", text)
    found = judged(answer, sources=["notice.md"], titles=("notice.md",), passages=(known,))

    assert found == ([] if told else [CODE])


@pytest.mark.parametrize(
    ("answer", "returned"),
    [
        ("订单已取消。", '{"order_id": "A1", "status": "shipped"}'),
        ("您的订单A1已付款。", '{"order_id": "A1", "paid": false}'),
        ("订单已发货。", '{"order_id": "A1", "status": "open", "shipped_at": null}'),
        ("订单A2已发货。", '[{"id": "A1", "status": "shipped"}, {"id": "A2", "status": "open"}]'),
        ("Order A2 has been shipped.", '[{"id": "A1", "status": "shipped"}, {"id": "A2"}]'),
        (
            "Order A2 has been shipped.",
            '{"n": 2, "of": [{"id": "A1", "shipped": 1}, {"id": "A2"}]}',
        ),
        ("Order A1 has been delivered.", '{"id": "A1", "status": "open", "deliveredAt": null}'),
        ("您的退款已发出。", '{"order_id": "A1", "status": "shipped"}'),
        ("已为您取消订单。", '{"order_id": "A1", "status": "cancelled"}'),
        ("我已取消您的订单。", '{"order_id": "A1", "status": "cancelled"}'),
        ("已通知客服团队。", '{"order_id": "A1", "status": "shipped"}'),
        ("Your order A1 has been shipped.", '{"订单号": "A1", "状态": "未发货"}'),
    ],
)
def test_a_look_up_bears_out_no_act_and_nothing_else(answer, returned):
    assert judged(answer, record("get_order", read_only=True), evidence=(returned,)) == [CODE]


def test_texts_that_are_not_known_cannot_bear_out_or_contradict():
    raw = json.dumps(
        {
            "answer": "The ticket has been created.",
            "confidence": 0.9,
            "category": "other",
            "sources": ["faq.md"],
            "follow_up": [],
            "needs_human": False,
        }
    )
    assert check(raw, titles=["faq.md"]).accepted
    claimed = raw.replace("The ticket has been created", "I have created the ticket")
    for titles in (["faq.md"], None):
        verdict = check(claimed, titles=titles)
        assert verdict.code == CODE
        assert verdict.handling == "retry"
    bare = raw.replace('["faq.md"]', "[]").replace("0.9", "0.4")
    assert check(bare, titles=[]).code == CODE
    assert check(bare).code == CODE


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_documents_and_gold_answers_hold_next_to_no_claims(language):
    corpus = (QA / language / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {row["id"]: row["text"] for row in map(json.loads, corpus)}
    questions = (QA / language / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = 0
    for row in map(json.loads, questions):
        known = (passage("a.md", texts.get(row.get("gold_doc"), "")),)
        for answer in row["answers"]:
            found = judged(answer, sources=["a.md"], titles=("a.md",), passages=known)
            wrong += bool(found)

    assert wrong == 0
    assert sum(bool(list(claims_in(text))) for text in texts.values()) <= len(texts) // 200
    for text in texts.values():
        known = (passage("a.md", text),)
        for claim in claims_in(text):
            assert judged(claim.text, sources=["a.md"], titles=("a.md",), passages=known) == []


# --- robustness ---------------------------------------------------------------------------------


def test_the_check_stands_in_the_gate():
    assert "claims" in [each.name for each in ContextGate().checks]
    outcome = ContextGate().check(response("Done.", sources=[]), CheckContext(passages=()))
    assert codes(outcome) == [CODE]


@pytest.mark.parametrize(
    "text",
    [
        "I have " * 20_000,
        "Your ticket has been " * 10_000,
        "your order was the " * 10_000 + "created.",
        "created and " * 20_000,
        "已为您" * 30_000,
        "工单已创建" * 20_000,
        "a " * 100_000 + "been created",
        "I looked and " * 10_000,
        "don't created " * 10_000,
    ],
)
def test_long_texts_take_linear_time(text):
    started = time.perf_counter()
    list(claims_in(text))
    assert time.perf_counter() - started < 2


_PIECES = [
    *("I", "we", "your", "the", "ticket", "has", "been", "was", "created", "sent", "and", "not"),
    *("if", ",", ".", "?", ":", "我", "已", "为", "您", "创建", "工单", "了", "未", "的"),
]


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(_PIECES),
        max_size=14,
    ).map(" ".join)
)
@settings(max_examples=300)
def test_no_text_makes_it_fail(text):
    assert all(claim.verb in claim.text or claim.verb for claim in claims_in(text))


@pytest.mark.parametrize("odd", [{}, {"name": None}, {"name": "x", "state": 3, "claims": None}])
def test_odd_records_bear_nothing_out(odd):
    assert judged("I created the ticket.", odd) == [CODE]


def made(name: str = "create_ticket", **more: Any) -> dict[str, Any]:
    return record(name, **({"id": "r1", "arguments": {"title": "Kettle"}} | more))


@pytest.mark.parametrize(
    ("answer", "records", "accepted"),
    [
        ("I created two tickets for the kettle.", [made()], False),
        ("Both tickets have been created.", [made()], False),
        ("I created 3 new tickets.", [made(), made(id="r2")], False),
        ("我已为您创建了两个工单。", [made()], False),
        ("两张工单已创建。", [made(), made(id="r2", state="failed")], False),
        ("I created two tickets.", [made(), made(id="r2", same_as="r1")], False),
        ("I created two tickets.", [made(), made(id="r2")], True),
        ("已创建两个工单。", [made(), made(id="r2")], True),
        ("I created two tickets.", [made("create_tickets")], True),
        ("I created two tickets.", [made(arguments={"titles": ["a", "b"]})], True),
        ("I created two tickets.", [made(arguments={"count": 2})], True),
        ("I created the ticket for two orders.", [made()], True),
        ("I booked a room for two meetings.", [made("book_room")], True),
    ],
)
def test_no_more_is_said_to_be_done_than_was(answer, records, accepted):
    known = {"evidence": ('{"number": 1}',), "question": "Please create two tickets."}
    assert judged(answer, *records, **known) == ([] if accepted else [CODE])


@pytest.mark.parametrize(
    ("answer", "given", "accepted"),
    [
        ("I cancelled order 4711.", {"order_id": "4712"}, False),
        ("已取消订单 4711。", {"order_id": 4712}, False),
        ("I cancelled order 4711.", {"order_id": 4711}, True),
        ("I cancelled order 4711.", {}, True),
        ("I cancelled the order “Desk lamp”.", {"item": "kettle"}, False),
        ("已取消订单《台灯》。", {"item": "水壶"}, False),
        ("I cancelled the order 'Kettle'.", {"item": "kettle"}, True),
        ("I've cancelled the order; it's off today's list.", {"item": "kettle"}, True),
    ],
)
def test_another_target_than_the_records_is_not_done(answer, given, accepted):
    known = {"evidence": ("ok",), "question": "Cancel order 4711."}
    assert judged(answer, made("cancel_order", arguments=given), **known) == (
        [] if accepted else [CODE]
    )


def test_what_stands_in_a_passage_between_marks_is_no_claim():
    text = "1) **Rating:** 5\n   **Review:** I bought the tent in May.\n"
    known: dict[str, Any] = {"titles": ("a.md",), "passages": (passage("a.md", text),)}
    assert judged("Review: I bought the tent in May.", sources=["a.md"], **known) == []
    assert judged("I bought the kettle in May.", sources=["a.md"], **known) == [CODE]
