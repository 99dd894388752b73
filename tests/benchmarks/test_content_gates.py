"""How long the rules and the context gate take on a valid reply that cites three passages."""

from __future__ import annotations

from typing import Any

import pytest

from ragqa.contract import Passage, QAResponse
from ragqa.grounding.figures.lookup import figure_set
from ragqa.ports import Category
from ragqa.validation.gate import CheckContext, Passed
from ragqa.validation.grounded import ContextGate, FiguresSupported
from ragqa.validation.rules import RulesGate

MORE = {
    "en": "Standard delivery takes 3 to 5 working days and costs 4.95 euros. Express orders have to"
    " reach us before 15:00. The shop in Rotterdam is open from 9:00 to 17:30. ",
    "zh": "标准配送需要3至5个工作日，运费为35元。加急订单须在15:00之前提交。"
    "门店营业时间为9:00至17:30。",
}
REPLIES = {
    "en": (
        "How long do I have to return a kettle?",
        "You can return a kettle within thirty days of delivery if it is empty, dry and complete.",
        "You can return a kettle within 30 days of delivery if it is empty, dry and packed. ",
    ),
    "zh": (
        "水壶买了多久可以退货？",
        "水壶签收后三十天内可以退货，须清空、擦干并配件齐全。",
        "水壶签收后30天内可以退货，须清空、擦干，并连同底座一起包装。",
    ),
}


def reply(language: str) -> tuple[QAResponse, CheckContext]:
    """Return a valid response and its context: three passages of 500 to 800 characters."""
    question, answer, said = REPLIES[language]
    titles = ("returns.md", "shipping.md", "shop.md")
    passages = tuple(
        Passage(id=title, title=title, text=(said if at == 0 else "") + MORE[language] * 4)
        for at, title in enumerate(titles)
    )
    value = QAResponse(
        answer=answer,
        confidence=0.9,
        category="policy",
        sources=list(titles),
        follow_up=[],
        needs_human=False,
    )
    categories = (Category("policy", keywords=("return", "退货")), Category("pricing"))
    context = CheckContext(
        question=question, titles=titles, passages=passages, categories=categories
    )
    return value, context


@pytest.mark.benchmark(group="content gates")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("gates", [(RulesGate(),), (ContextGate(),), (RulesGate(), ContextGate())])
def test_valid_reply(benchmark: Any, gates: tuple[Any, ...], language: str) -> None:
    value, context = reply(language)

    def judge() -> list[Any]:
        return [gate.check(value, context) for gate in gates]

    assert all(isinstance(outcome, Passed) for outcome in benchmark(judge))


@pytest.mark.benchmark(group="content gates")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_figures_of_passages_met_for_the_first_time(benchmark: Any, language: str) -> None:
    value, context = reply(language)
    check = FiguresSupported()
    outcome = benchmark.pedantic(
        check.check, (value, context), setup=figure_set.cache_clear, rounds=200
    )
    assert isinstance(outcome, Passed)
