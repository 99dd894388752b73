"""Budgets of run, conversation and day."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from chains import stuff
from ragqa import flow
from ragqa.contract import Usage
from ragqa.errors import StorageError
from ragqa.limits.buckets import SCHEMA
from ragqa.limits.spending import Budgets, KeptSpending, SqliteSpent
from ragqa.ports import Parts, Policy
from ragqa.stages.begin import begin
from ragqa.stages.seal import answered
from ragqa.stages.spend import within_budgets
from ragqa.storage import Database
from tests.unit.stages.asked import PUBLIC, TEXT, Shelf, Writer, reply

NOON_S = 1_782_043_200.0


class Clock:
    now_s = NOON_S

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def kept(tmp_path, clock):
    def make(prices=None, **budgets):
        store = SqliteSpent(Database(tmp_path / "limits.sqlite", SCHEMA), now=clock)
        return KeptSpending(Budgets(**budgets), store, prices or {}, now=clock)

    return make


class Asked:
    def __init__(self, spending=None, *, model=None, policy=None):
        self.model = model or Writer()
        self.parts = Parts(
            retriever=Shelf(PUBLIC),
            model=self.model,
            policy=policy or Policy(),
            spending=spending,
        )
        self.pipeline = within_budgets(stuff.pipeline(self.parts), self.parts)

    def turn(self, question="How long can I return an unopened item?", **given):
        return begin(self.parts, "stuff")({"question": question, **given})

    def __call__(self, *question, **given):
        return flow.invoke(self.pipeline, self.turn(*question, **given)).answer


def test_without_budgets_nothing_changes():
    parts = Parts(retriever=Shelf(), model=Writer())
    pipeline = stuff.pipeline(parts)
    assert within_budgets(pipeline, parts) is pipeline


def test_what_calls_took_is_counted_not_what_they_might(kept):
    spending = kept(day_tokens=100_000)
    asked = Asked(spending)
    for _ in range(3):
        assert asked().status == "answered"
    (purse,) = spending.purses("local", None)
    assert spending.store.spent(purse)[0] == 3 * 250


def test_a_day_that_is_used_up_is_a_clear_refusal_that_says_when_it_ends(kept, clock):
    asked = Asked(kept(day_tokens=4000))
    answers = [asked() for _ in range(20)]
    refused = [answer for answer in answers if answer.reason == "budget"]
    assert answers[0].status == "answered"
    assert len(refused) >= 5
    assert {answer.status for answer in refused} == {"degraded"}
    assert "2026-06-22 00:00 UTC" in refused[0].response.answer
    assert refused[0].response.needs_human
    assert refused[0].response.sources == []
    assert refused[0].usage.calls == 0
    assert asked.model.calls == len(answers) - len(refused)
    assert asked.model.calls * 250 <= 4000
    clock.now_s += 43_200
    assert asked().status == "answered"


def test_a_chinese_question_is_refused_in_chinese(kept):
    answer = Asked(kept(day_tokens=500))("多少天内可以退货？")
    assert answer.reason == "budget"
    assert "预算" in answer.response.answer
    assert "UTC" in answer.response.answer


def test_a_conversation_has_a_budget_of_its_own(kept):
    asked = Asked(kept(session_tokens=2500))
    statuses = [asked(session="s1").reason for _ in range(10)]
    assert statuses[0] is None
    assert statuses[-1] == "budget"
    assert "new one" in asked(session="s1").response.answer
    assert asked(session="s2").status == "answered"
    assert asked(session="s1", principal="anna").status == "answered"
    assert asked().status == "answered"


def test_money_is_bounded_by_the_price_table(kept):
    spending = kept({"writer": lambda prompt, completion: 0.05}, day_cost=0.1)
    asked = Asked(spending)
    reasons = [asked().reason for _ in range(10)]
    assert reasons == [None] * 6 + ["budget"] * 4  # 0.01 each, 0.05 reserved


def test_a_warning_comes_once_at_four_fifths(kept, caplog):
    asked = Asked(kept(day_tokens=5000))
    with caplog.at_level(logging.WARNING, "ragqa.limits"):
        for _ in range(20):
            asked()
    warnings = [record.message for record in caplog.records if "nearly" in record.message]
    assert len(warnings) == 1
    assert "of 5,000 tokens" in warnings[0]
    assert "2026-06-22" in warnings[0]


def test_the_refusal_is_logged_with_what_bounds_it(kept, caplog):
    with caplog.at_level(logging.WARNING):
        Asked(kept(day_tokens=500))()
    assert "RAGQA_DAY_BUDGET_TOKENS" in caplog.text


def test_quoted_sentences_may_stand_in(kept):
    asked = Asked(kept(day_tokens=500), policy=Policy(fallback="extractive"))
    answer = asked()
    assert (answer.status, answer.reason) == ("answered", "budget")
    assert answer.response.answer == TEXT


def test_a_stream_shows_the_refusal_and_nothing_else(kept):
    asked = Asked(kept(day_tokens=500))
    *shown, answer = flow.stream(asked.pipeline, asked.turn())
    assert "".join(shown) == answer.response.answer
    assert "UTC" in answer.response.answer


def test_an_accepted_stream_shows_its_text(kept):
    asked = Asked(kept(day_tokens=50_000))
    *shown, answer = flow.stream(asked.pipeline, asked.turn())
    assert "".join(shown) == answer.response.answer == TEXT


def test_the_repair_of_a_run_is_refused_where_the_run_has_spent_too_much():
    asked = Asked(model=Writer(lambda prompt: "no JSON"), policy=Policy(run_budget_cost=0.011))
    answer = asked()
    assert asked.model.calls == 2  # no price is known, so the second one costs nothing beforehand
    bounded = Asked(model=Writer(lambda prompt: "no JSON"), policy=Policy(run_budget_cost=0.005))
    answer = bounded()
    assert (answer.status, answer.reason) == ("degraded", "budget")
    assert bounded.model.calls == 1


def test_a_call_that_fails_costs_nothing(kept):
    from ragqa.errors import TransportError

    spending = kept(day_tokens=100_000)
    asked = Asked(spending, model=Writer(lambda prompt: TransportError("Away.")))
    assert asked().reason == "model_unavailable"
    assert spending.store.spent(*spending.purses("local", None)) == (0, 0.0)


def test_many_at_once_do_not_spend_more_than_there_is(kept):
    asked = Asked(kept(day_tokens=6000), model=Writer(delay_s=0.01))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: asked(), range(60)))
    assert 0 < asked.model.calls * 250 <= 6000
    assert {answer.reason for answer in answers} == {None, "budget"}


async def test_tasks_neither(kept):
    asked = Asked(kept(day_tokens=6000), model=Writer(delay_s=0.01))
    turns = await asyncio.gather(*(flow.ainvoke(asked.pipeline, asked.turn()) for _ in range(60)))
    assert 0 < asked.model.calls * 250 <= 6000
    assert {turn.answer.reason for turn in turns} == {None, "budget"}


def test_calls_that_show_only_at_the_end_are_counted_too(kept):
    spending = kept(day_tokens=100_000)
    asked = Asked(spending)

    def act(turn):
        used = Usage(calls=3, prompt_tokens=900, completion_tokens=100, cost=0.5)
        return answered(replace(turn, usage=used), Policy().schema.model_validate_json(reply()))

    pipeline = within_budgets(flow.Pipeline((flow.Stage("act", act),)), asked.parts)
    flow.invoke(pipeline, asked.turn())
    assert spending.store.spent(*spending.purses("local", None)) == (1000, 0.5)


def test_a_note_that_fails_afterwards_loses_no_reply(kept, caplog):
    spending = kept(day_tokens=100_000)

    class Full(SqliteSpent):
        def add(self, purses, tokens, cost):
            raise StorageError("The disk is full.")

    store = Full(spending.store._database)
    asked = Asked(KeptSpending(spending.budgets, store))
    assert asked().status == "answered"
    assert "disk is full" in caplog.text
