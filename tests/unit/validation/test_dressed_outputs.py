"""Search results and working notes in many clothes: none of them is an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragqa.validation.checking import check

TITLES = ["returns.md", "shipping.html", "shipping.pdf", "退货政策.md"]


def _raw(answer: str = "Unopened items can be returned.", **fields: Any) -> str:
    whole = {
        "answer": answer,
        "confidence": 0.9,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
    }
    return json.dumps({**whole, **fields}, ensure_ascii=False)


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps({"@odata.context": "x", "value": [{"@search.score": 1, "content": "a"}]}),
        json.dumps({"id": "1", "title": "returns.md", "content": "Unopened …", "score": 0.3}),
        "Thought: I know.\nFinal Answer: Unopened items can be returned.",
        'Action:\n```json\n{"action": "search", "action_input": "K2"}\n```',
        'Action:\n```json\n{"action": "Final Answer", "action_input": "Yes."}\n```',
        "思考：需要查询\n行动：search\n行动输入：K2 容量",
    ],
)
def test_no_object_of_ours(raw: str) -> None:
    verdict = check(raw, TITLES)
    assert (verdict.accepted, verdict.handling) == (False, "retry")


@pytest.mark.parametrize(
    "answer",
    [
        "{'content': 'Unopened items can be returned', 'score': 0.83}",
        "| title | score |\n|---|---|\n| returns.md | 2.3 |",
        "title: returns.md\ncontent: Unopened items can be returned.\nscore: 2.4",
        "Document(metadata={'source': 'returns.md'}, page_content='Unopened items')",
        "id,title,score\n1,returns.md,0.3\n2,shipping.html,0.2",
        "1. returns.md (score 0.83): Unopened\n2. shipping.html (score 0.71): Delivery",
        '<tool_call>{"name": "search"}</tool_call>',
        "<doc><title>returns.md</title><content>Unopened</content></doc>",
        "- title: returns.md\n  content: Unopened\n- title: shipping.html\n  content: Delivery",
        "标题：退货政策.md\n内容：30天内可退货\n得分：2.31",
        "思考：我需要查一下。\n行动：search_docs",
        _raw(),
    ],
)
def test_no_answer_although_the_object_fits(answer: str) -> None:
    verdict = check(_raw(answer), TITLES)
    assert verdict.code.startswith("rules.")
    assert verdict.handling == "retry"


@pytest.mark.parametrize(
    "answer",
    [
        "Opening hours: Monday to Friday, 9 to 17.",
        "You need: the receipt, the box and the order number.",
        "The thought behind it: less waste.",
        "需要：收据、包装盒和订单号。",
    ],
)
def test_answers_that_only_look_a_little_like_it_pass(answer: str) -> None:
    assert check(_raw(answer), TITLES).accepted


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("returns", "returns.md"),
        ('"returns.md"', "returns.md"),
        ("docs\\returns.md", "returns.md"),
        ("returns.md, page 3", "returns.md"),
        ("《退货政策》", "退货政策.md"),
        ("[1]", "returns.md"),
        ("returns.md [1]", "returns.md"),
        ("Passage 1: returns.md", "returns.md"),
        ("【0†returns.md】", "returns.md"),
        ("returns.md†L1-L5", "returns.md"),
        ("returns.md [2]", None),  # the second is another document
        ("文档2：returns.md", None),
        ("【4:0†source】", None),
        ("shipping", None),  # two have that name
        ("returns.pdf", None),
        ("returns.md.bak", None),
        ("[9]", None),
    ],
)
def test_a_source_is_one_title_or_none(source: str, title: str | None) -> None:
    verdict = check(_raw(sources=[source]), TITLES)
    assert (verdict.response.sources if verdict.accepted else None) == (title and [title])
    assert title or verdict.code.startswith("context.")


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d")
def test_a_dash_of_another_kind_is_the_same_title(dash: str) -> None:
    verdict = check(_raw(sources=[f"returns{dash}policy.md"]), ["returns-policy.md"])
    assert verdict.accepted
    assert verdict.response.sources == ["returns-policy.md"]
    titles = ["returns-policy.md", f"returns{dash}policy.md"]
    assert check(_raw(sources=titles), titles).response.sources == titles


def test_where_nothing_was_retrieved_the_feedback_asks_for_no_sources() -> None:
    verdict = check(_raw(), [])
    assert verdict.code == "rules.unsupported_confidence"
    assert "sources must be []" in verdict.feedback
    assert "Name in sources" not in verdict.feedback


@pytest.mark.parametrize(
    "answer",
    [
        'Search results for "returns": 1. returns.md - Unopened … 2. shipping.html - Delivery …',
        "Found 3 documents: returns.md, shipping.html, shipping.pdf",
        "检索到2篇相关文档：退货政策.md、returns.md",
        "content_vector: [0.12, 0.33, -0.52]",
    ],
)
def test_heads_of_search_output_and_vectors_are_dumps(answer: str) -> None:
    assert check(_raw(answer), TITLES).code == "rules.search_dump"


@pytest.mark.parametrize(
    "answer",
    [
        '请在配置文件中写入 {"mode": "eco"}。',
        'Set mode to {"mode": "eco"} in the config.',
        "Found a fault? Write to us.",
        "我们找到了3个原因：电源、开关和保险丝。",
        "The position vector [3, 4] has the length 5.",
    ],
)
def test_snippets_and_findings_in_sentences_pass(answer: str) -> None:
    assert check(_raw(answer), TITLES).accepted
