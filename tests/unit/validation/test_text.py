"""Gate 0: endings, refusals, reasoning, marks."""

from __future__ import annotations

import json

import pytest

from ragqa.validation import CheckContext, Passed, Rejected
from ragqa.validation.gate import INTERRUPTED
from ragqa.validation.text import TextGate
from tests.unit.validation.replies import FIELDS, OTHER, VALID, answer, judge, saying


def code(raw, **context):
    outcome = TextGate().check(raw, CheckContext(**context))
    return outcome.faults[0].code if isinstance(outcome, Rejected) else "ok"


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("length", "text.truncated"),
        ("max_tokens", "text.truncated"),
        ("MAX_TOKENS", "text.truncated"),
        ("FinishReason.MAX_TOKENS", "text.truncated"),
        ("FINISH_REASON_MAX_TOKENS", "text.truncated"),
        ("maxTokens", "text.truncated"),
        ("content-filter", "text.content_filter"),
        ("ContentFilter", "text.content_filter"),
        ("time_limit", "text.interrupted"),
        ("end-turn", "ok"),
        ("max_output_tokens", "text.truncated"),
        ("model_length", "text.truncated"),
        ("content_filter", "text.content_filter"),
        ("SAFETY", "text.content_filter"),
        ("sensitive", "text.content_filter"),
        ("guardrail_intervened", "text.content_filter"),
        ("refusal", "text.refusal"),
        (INTERRUPTED, "text.interrupted"),
        ("abort", "text.interrupted"),
        ("error", "text.interrupted"),
        ("stop", "ok"),
        ("STOP", "ok"),
        ("end_turn", "ok"),
        ("eos", "ok"),
        ("tool_calls", "ok"),
        ("something_new", "ok"),
        ("", "ok"),
        (None, "ok"),
    ],
)
def test_finish_reason_decides_even_over_a_valid_object(reason, expected):
    assert code(VALID, finish_reason=reason) == expected


@pytest.mark.parametrize("raw", [VALID, "", "{"])
def test_filter_and_truncation_are_named_whatever_the_text_is(raw):
    assert code(raw, finish_reason="content_filter") == "text.content_filter"
    assert code(raw, finish_reason="length") == "text.truncated"


def test_truncation_says_that_the_limit_cut_it():
    outcome = TextGate().check('{"answer": "a', CheckContext(finish_reason="length"))
    assert isinstance(outcome, Rejected)
    assert "finish_reason=length" in outcome.faults[0].reason
    assert "shorter" in outcome.faults[0].feedback


@pytest.mark.parametrize("blank", ["", "   \n", "\ufeff", "\u200b \u2060", "```"[:0], None])
def test_blank_is_empty(blank):
    assert code(blank) == "text.empty"


def test_marked_refusal_counts_even_beside_an_object():
    assert code(VALID, refusal="I cannot help with that.") == "text.refusal"
    assert code(VALID, refusal="  ") == "ok"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with that request.",
        "Sorry, I can't comply.",
        "I cannot provide that.",
        "I won't discuss this topic.",
        "I must respectfully decline.",
        "I am unable to assist you with this.",
        "As an AI language model, I cannot give medical advice.",
        "Unfortunately, I'm not able to help with that.",
        "很抱歉，我无法回答这个问题。",
        "对不起，我不能提供该内容。",
        "抱歉，无法为您提供帮助。",
        "很抱歉，我無法為您提供協助。",
        "作为一个人工智能助手，我不能讨论这个话题。",
        "我拒绝回答这个问题。",
    ],
)
def test_text_that_declines_is_a_refusal(text):
    assert code(text) == "text.refusal"


@pytest.mark.parametrize(
    "text",
    [
        "I can't find it in the documents.",
        "I cannot answer that from the provided context.",
        "Sorry, the documents do not say how long delivery takes.",
        "I think the kettle holds 1.7 litres.",
        "The warranty cannot be transferred.",
        "You can't return opened items.",
        "I'm sorry for the delay! Delivery takes 5 days.",
        "抱歉，我无法在文档中找到答案。",
        "很抱歉，资料中没有提到退货期限。",
        "本产品不能用于商业用途。",
        "I'm sorry, but I can't help with that." + " Long story." * 60,
        json.dumps({**FIELDS, "answer": "I'm sorry, but I can't help with that."}),
    ],
)
def test_other_text_is_no_refusal(text):
    assert code(text) == "ok"


def test_filter_notice_in_place_of_a_reply():
    notice = "The response was filtered due to the prompt triggering the content management policy."
    assert code(notice) == "text.content_filter"


THOUGHT = f"Perhaps 14 days? Draft: {OTHER}\nNo, 30."


@pytest.mark.parametrize(
    "raw",
    [
        f"<think>{THOUGHT}</think>{VALID}",
        f"<think>\n{THOUGHT}\n</think>\n\n{VALID}",
        f"<THINKING>{THOUGHT}</THINKING>{VALID}",
        f'<reasoning effort="high">{THOUGHT}</reasoning>{VALID}',
        f"<thought>{THOUGHT}</thought>\n```json\n{VALID}\n```",
        f"◁think▷{THOUGHT}◁/think▷{VALID}",
        f"[THINK]{THOUGHT}[/THINK]{VALID}",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|>{VALID}",
        f"<|channel>thought\n{THOUGHT}<channel|>{VALID}",
        f"<|thinking|>{THOUGHT}<|/thinking|>{VALID}",
        f"<|think|>{THOUGHT}<|end|><|begin|>assistant<|content|>{VALID}",
        f"<|inner_prefix|>{THOUGHT}<|inner_suffix|>{VALID}",
        f"<thinking_process>{THOUGHT}</thinking_process>{VALID}",
        f"<思考>{THOUGHT}</思考>{VALID}",
        f"<think>{THOUGHT}</think>Sure:<think>{THOUGHT}</think>{VALID}",
        f"<think>a <think>{THOUGHT}</think> {OTHER}</think>{VALID}",
        f'<think>Draft {{"answer": "use <think> here"}} ok</think>{VALID}',
        f"{THOUGHT}</think>{VALID}",
        f"{OTHER}\n</think>\n{VALID}",
        f'{{"answer": "14 days", "confid... no, wait.\n</think>\n{VALID}',
        f"{VALID}<think></think>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final"
        f"<|message|>{VALID}<|return|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>commentary"
        f" to=functions.QAResponse <|constrain|>json<|message|>{VALID}<|call|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant to=functions.QAResponse"
        f"<|channel|>commentary json<|message|>{VALID}<|call|>",
        f"analysis{THOUGHT}assistantfinal{VALID}",
    ],
)
def test_closed_reasoning_is_dropped(raw):
    verdict = judge(raw)
    assert answer(verdict) == FIELDS["answer"]
    assert "reasoning" in verdict.repairs


@pytest.mark.parametrize(
    "raw",
    [
        f"<think>{VALID}",
        f"<think>Draft: {VALID} and so",
        f"◁think▷{VALID}",
        f"<think>a<think>b</think>{VALID}",
        f"{VALID}\n<think>Was that right?",
        f"<|channel|>analysis<|message|>{VALID}",
        f"<|channel|>analysis<|message|>{VALID}<|end|>",
    ],
)
def test_draft_in_unclosed_reasoning_is_never_taken(raw):
    assert judge(raw).code == "text.truncated"


@pytest.mark.parametrize(
    "raw", [f"{VALID}</think>", f"<think>{VALID}</think>", f"x {VALID}\n</think>\n"]
)
def test_reply_of_reasoning_alone_is_empty(raw):
    assert judge(raw).code == "text.empty"


@pytest.mark.parametrize(
    "words",
    [
        "Use <think>x</think> tags.",
        "Use <think> alone.",
        "Close it with </think> later.",
        "<|channel|>final<|message|>no",
        "[THINK] and ◁think▷",
    ],
)
@pytest.mark.parametrize(
    "write",
    [
        json.dumps,
        lambda fields: json.dumps(json.dumps(fields)),
        lambda fields: json.dumps(json.dumps(fields))[1:-1],
        repr,
        lambda fields: f"Sure:\n```json\n{json.dumps(fields, indent=2)}\n```",
        lambda fields: f"<think>Hm.</think>\n{json.dumps(fields)}",
    ],
)
def test_tag_in_a_string_is_data(words, write):
    verdict = judge(write({**FIELDS, "answer": words}))
    assert answer(verdict) == words


@pytest.mark.parametrize(
    "raw",
    [
        f'{{"note": "a "b <think>Draft: {VALID}</think>',
        f'{{"answer": "the "K2 <think>x</think> kettle", "confidence": 0.9}} {VALID}',
        f'{{"answer": "a", <think>{VALID}</think> "confidence": 0.9}}',
    ],
)
def test_reasoning_behind_or_in_a_broken_object_is_not_taken_for_speech(raw):
    assert judge(raw).code == "syntax.invalid"


def test_braces_in_prose_before_reasoning_do_no_harm():
    raw = f"Sets {{a: b}} and {{x}}: <think>{OTHER}</think>{VALID}"
    assert answer(judge(raw)) == FIELDS["answer"]


def test_tag_in_a_string_of_a_broken_object_is_not_cut_out():
    verdict = judge(saying('"say <think>"x"</think> now"'))
    assert answer(verdict) == 'say <think>"x"</think> now'
    assert "reasoning" not in verdict.repairs


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", "\u2060", "\u200e", "\x00", "\u00ad"])
def test_invisible_marks_at_the_edges_are_dropped_and_recorded(mark):
    verdict = judge(f"{mark}{VALID}\n{mark}")
    assert answer(verdict) == FIELDS["answer"]
    assert verdict.repairs == ("invisible_marks",)


def test_blanks_at_the_edges_are_no_repair():
    outcome = TextGate().check(f" \u3000\n{VALID}\r\n", CheckContext())
    assert outcome == Passed(VALID)


def test_marks_inside_a_text_are_kept():
    assert answer(judge(saying('"a\u200bb\ufeff"'))) == "a\u200bb\ufeff"


@pytest.mark.parametrize("value", [{}, [], 3, b"{}", object(), CheckContext()])
def test_other_values_are_rejected_not_raised(value):
    outcome = TextGate().check(value, CheckContext())
    assert isinstance(outcome, Rejected)
    assert outcome.faults[0].code == "syntax.invalid"
