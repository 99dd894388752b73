"""Accepted answers are reused for the same question by those who may see the same."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from chains import stuff
from ragqa import flow
from ragqa.cache.sqlite import SCHEMA, SqliteAnswers
from ragqa.contract import Caller, QAResponse, response_type
from ragqa.errors import AuthError, StorageError, TransportError
from ragqa.ports import Parts, Policy
from ragqa.ports.reuse import NearQuestions, Reuse
from ragqa.stages.begin import begin
from ragqa.stages.reuse import reused
from ragqa.storage import Database
from tests.unit.stages.asked import PUBLIC, SECRET_TEXT, TEXT, Shelf, Writer, reply

QUESTION = "How long can I return an unopened item?"


class Asked:
    """A chain with reuse, asked blocking."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.pipeline = reused(stuff.pipeline(parts), parts)

    def __call__(self, question=QUESTION, *, run_id="run", history=(), search="", **given):
        return flow.invoke(self.pipeline, self.turn(question, run_id, history, search, **given))

    def turn(self, question=QUESTION, run_id="run", history=(), search="", **given):
        turn = begin(self.parts, "stuff")({"question": question, "run_id": run_id, **given})
        return replace(turn, history=tuple(history), search_text=search)


@pytest.fixture
def store(tmp_path):
    return SqliteAnswers(Database(tmp_path / "answers.sqlite", SCHEMA))


@pytest.fixture
def parts(store):
    return Parts(retriever=Shelf(PUBLIC), model=Writer(), answers=Reuse(store))


@pytest.fixture
def asked(parts):
    return Asked(parts)


def with_secret(parts):
    return replace(parts, retriever=Shelf())


class TestSameQuestion:
    def test_it_is_answered_from_what_is_kept(self, asked, parts):
        first = asked(run_id="run_1").answer
        second = asked(run_id="run_2").answer
        assert parts.model.calls == 1
        assert (first.status, second.status) == ("answered", "cached")
        assert second.run_id == "run_1"
        assert second.usage.calls == second.usage.prompt_tokens == 0
        assert second.response == first.response
        assert second.citations == first.citations
        assert second.passages == first.passages  # with their texts
        assert second.attempts == ()
        assert set(second.timings_ms) == {"reuse", "total"}

    def test_form_does_not_matter(self, asked, parts):
        asked("How long can I return an unopened item?")
        assert asked("  HOW long can I return an unopened  item ").answer.status == "cached"
        assert parts.model.calls == 1

    def test_another_process_finds_it(self, asked, parts, tmp_path):
        asked()
        other = SqliteAnswers(Database(tmp_path / "answers.sqlite", SCHEMA))
        again = Asked(replace(parts, answers=Reuse(other)))
        assert again().answer.status == "cached"

    def test_a_stream_shows_its_whole_text(self, asked):
        asked()
        *shown, last = flow.stream(asked.pipeline, asked.turn())
        assert "".join(shown) == last.response.answer == TEXT
        assert last.status == "cached"

    async def test_async_does_the_same(self, asked, parts):
        await flow.ainvoke(asked.pipeline, asked.turn())
        turn = await flow.ainvoke(asked.pipeline, asked.turn())
        assert turn.answer.status == "cached"
        assert parts.model.calls == 1

    def test_without_a_store_nothing_changes(self, parts):
        pipeline = stuff.pipeline(parts)
        assert reused(pipeline, replace(parts, answers=None)) is pipeline

    def test_what_an_agent_does_is_never_reused(self, parts):
        acting = flow.Stage("act", lambda turn: turn) | stuff.pipeline(parts)
        assert reused(acting, parts) is acting


class TestWhatItDependsOn:
    @pytest.mark.parametrize(
        "change",
        [
            lambda p: replace(p, policy=replace(p.policy, top_k=3)),
            lambda p: replace(p, policy=replace(p.policy, max_context_chars=900)),
            lambda p: replace(p, policy=replace(p.policy, temperature=0.9)),
            lambda p: replace(
                p, policy=replace(p.policy, schema=response_type(max_answer_chars=150))
            ),
            lambda p: replace(p, answers=replace(p.answers, scope="another search type")),
            lambda p: replace(p, retriever=_at_version("2")),
            lambda p: replace(p, model=_named("another model")),
        ],
        ids=["k", "context", "temperature", "schema", "scope", "index", "model"],
    )
    def test_an_answer_of_other_circumstances_is_not_reused(self, asked, parts, change):
        asked()
        assert Asked(change(parts))().answer.status == "answered"

    def test_time_and_budget_do_not_matter(self, asked, parts):
        asked()
        policy = replace(parts.policy, timeout_s=5, run_budget_tokens=100_000)
        assert Asked(replace(parts, policy=policy))().answer.status == "cached"

    def test_another_chain_is_asked_anew(self, asked, parts):
        asked()
        turn = replace(asked.turn(), chain="two_stage")
        assert flow.invoke(asked.pipeline, turn).answer.status == "answered"

    def test_an_index_that_changes_makes_old_answers_void(self, asked, parts):
        asked()
        parts.retriever.now = "2"
        assert asked().answer.status == "answered"
        assert asked().answer.status == "cached"

    def test_an_index_that_does_not_tell_is_searched_first(self, parts):
        asked = Asked(replace(parts, answers=replace(parts.answers, version_tells=False)))
        asked()
        assert asked().answer.status == "cached"
        changed = "Unopened items can be returned within 14 days of delivery."
        parts.retriever.passages = (PUBLIC.model_copy(update={"text": changed}),)
        parts.model._says = lambda prompt: reply(changed)
        answer = asked().answer
        assert (answer.status, answer.response.answer) == ("answered", changed)

    def test_an_answer_expires(self, parts):
        asked = Asked(replace(parts, answers=replace(parts.answers, lifetime_s=0.05)))
        asked()
        time.sleep(0.1)
        assert asked().answer.status == "answered"


def _at_version(version):
    shelf = Shelf(PUBLIC)
    shelf.now = version
    return shelf


def _named(name):
    writer = Writer()
    writer.name = name
    return writer


class TestWhatIsKept:
    @pytest.mark.parametrize(
        "says",
        [
            lambda prompt: reply(confidence=0.6),
            lambda prompt: "no JSON at all",
            lambda prompt: TransportError("The service is away."),
        ],
        ids=["unsure", "degraded", "away"],
    )
    def test_nothing_unsure_or_degraded(self, parts, says):
        asked = Asked(replace(parts, model=Writer(says)))
        statuses = {asked().answer.status for _ in range(2)}
        assert "cached" not in statuses

    def test_no_quotation_that_stood_in_for_a_model(self, parts):
        away = Writer(lambda prompt: TransportError("The service is away."))
        policy = Policy(fallback="extractive")
        asked = Asked(replace(parts, model=away, policy=policy))
        first, second = asked().answer, asked().answer
        assert (first.status, first.reason) == ("answered", "model_unavailable")
        assert (second.status, second.reason) == ("answered", "model_unavailable")

    def test_not_an_abstention(self, parts):
        asked = Asked(replace(parts, retriever=Shelf(PUBLIC.model_copy(update={"groups": ("x",)}))))
        assert [asked().answer.status for _ in range(2)] == ["abstained"] * 2

    def test_fields_of_a_subclass_survive(self, parts):
        class Priced(QAResponse):
            price: float

        says = lambda prompt: reply()[:-1] + ', "price": 2.5}'  # noqa: E731
        asked = Asked(replace(parts, model=Writer(says), policy=Policy(schema=Priced)))
        asked()
        answer = asked().answer
        assert answer.status == "cached"
        assert answer.model_dump(mode="json")["response"]["price"] == 2.5

    def test_a_damaged_entry_is_no_answer(self, asked, store):
        asked()
        with store._database.transaction():
            store._database.change("UPDATE answer SET answer = substr(answer, 1, 40)")
        assert asked().answer.status == "answered"
        assert asked().answer.status == "cached"

    def test_a_store_that_cannot_be_used_stops_no_answer(self, parts):
        class Broken:
            def get(self, *what):
                raise StorageError("The disk is full.")

            put = note = noted = get

        asked = Asked(replace(parts, answers=Reuse(Broken())))
        assert [asked().answer.status for _ in range(2)] == ["answered"] * 2


class TestWhoAsks:
    def test_an_answer_for_some_is_not_for_others(self, parts):
        asked = Asked(with_secret(parts))
        staff = asked(groups=["staff"]).answer
        assert staff.response.answer == SECRET_TEXT
        outsider = asked(groups=[]).answer
        assert outsider.status == "answered"
        assert outsider.response.answer == TEXT
        assert SECRET_TEXT not in str(outsider)
        assert asked(groups=["staff"]).answer.status == "cached"
        assert asked(groups=["staff", "x"]).answer.status == "answered"

    def test_order_and_doubles_of_groups_do_not_matter(self, parts):
        asked = Asked(with_secret(parts))
        asked(groups=["b", "staff"])
        assert asked(groups=["staff", "b", "b"]).answer.status == "cached"

    def test_a_caller_with_a_token_reuses_only_what_this_token_showed(self, parts):
        asked = Asked(parts)
        one, other = (Caller("anna", token=token) for token in ("t1", "t2"))
        asked(caller=one)
        assert asked(caller=one).answer.status == "cached"
        assert asked(caller=other).answer.status == "answered"
        assert asked().answer.status == "answered"

    def test_a_document_that_was_withdrawn_from_a_caller_is_not_shown(self, parts, store):
        asked = Asked(with_secret(parts))
        asked(groups=["staff"])
        row = store._database.row("SELECT key, answer FROM answer")
        asked.parts.retriever.now = "2"
        turn = asked.turn(groups=["x"])
        sealed = asked.pipeline.run.__self__._sealed(row[1], turn, 0.0)
        assert sealed is None


class TestConversations:
    def test_a_resolved_question_is_what_counts(self, asked, parts):
        asked("How long can I return an unopened item?")
        answer = asked("and that?", search="How long can I return an unopened item?").answer
        assert answer.status == "cached"
        assert asked("and that?", search="What about lamps?").answer.status == "answered"

    def test_what_a_conversation_told_stays_in_it(self, asked, parts):
        told = ("My order number is TEST-1001.",)
        asked(history=told, session="s1", principal="anna")
        assert asked(session="s2").answer.status == "answered"
        assert asked(history=told, session="s1", principal="anna").answer.status == "cached"
        other = asked(history=told, session="s1", principal="ben").answer
        assert other.status == "cached"  # the shared answer that was written without a history

    def test_an_answer_of_a_conversation_alone_is_not_for_others(self, asked):
        told = ("My order number is TEST-1001.",)
        asked(history=told, session="s1", principal="anna")
        assert asked(history=told, session="s1", principal="ben").answer.status == "answered"


class TestAtTheSameTime:
    def test_many_threads_cost_one_call(self, parts):
        parts.model.delay_s = 0.2
        asked = Asked(parts)
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda n: asked(run_id=f"run_{n}").answer, range(40)))
        assert parts.model.calls == 1
        assert sum(answer.status == "answered" for answer in answers) == 1
        assert {answer.status for answer in answers} == {"answered", "cached"}
        assert len({answer.run_id for answer in answers}) == 1

    async def test_many_tasks_cost_one_call(self, parts):
        parts.model.delay_s = 0.1
        asked = Asked(parts)
        turns = await asyncio.gather(
            *(flow.ainvoke(asked.pipeline, asked.turn()) for _ in range(50))
        )
        assert parts.model.calls == 1
        assert all(turn.answer.response.answer == TEXT for turn in turns)

    async def test_one_that_is_cancelled_hands_over(self, parts):
        parts.model.delay_s = 0.2
        asked = Asked(parts)
        tasks = [asyncio.create_task(flow.ainvoke(asked.pipeline, asked.turn())) for _ in range(10)]
        await asyncio.sleep(0.1)
        tasks[0].cancel()
        turns = await asyncio.gather(*tasks[1:])
        assert all(turn.answer.response.answer == TEXT for turn in turns)
        assert parts.model.calls == 1  # the first one never came back
        assert tasks[0].cancelled()

    async def test_one_that_fails_fails_nobody_in_silence(self, parts):
        outcomes = iter([TransportError("Away.")])
        parts = replace(parts, model=Writer(lambda p: next(outcomes, reply()), delay_s=0.05))
        asked = Asked(parts)
        turns = await asyncio.gather(
            *(flow.ainvoke(asked.pipeline, asked.turn()) for _ in range(10))
        )
        statuses = sorted(turn.answer.status for turn in turns)
        assert (
            statuses == ["answered", *["cached"] * 8, "degraded"] or statuses.count("degraded") == 1
        )
        assert parts.model.calls == 2

    async def test_a_fault_of_the_settings_reaches_everybody(self, parts):
        parts = replace(parts, model=Writer(lambda p: AuthError("The key is wrong."), 0.02))
        asked = Asked(parts)
        outcomes = await asyncio.gather(
            *(flow.ainvoke(asked.pipeline, asked.turn()) for _ in range(6)),
            return_exceptions=True,
        )
        assert all(isinstance(outcome, AuthError) for outcome in outcomes)

    async def test_an_abstention_is_shared_but_not_kept(self, parts):
        parts = replace(parts, model=Writer(lambda p: reply(confidence=0.3), delay_s=0.05))
        asked = Asked(parts)
        turns = await asyncio.gather(
            *(flow.ainvoke(asked.pipeline, asked.turn()) for _ in range(10))
        )
        assert parts.model.calls == 1
        assert {turn.answer.status for turn in turns} == {"answered", "cached"}
        await flow.ainvoke(asked.pipeline, asked.turn())
        assert parts.model.calls == 2

    def test_a_reader_of_a_stream_may_ask_the_same_meanwhile(self, asked, parts):
        events = flow.stream(asked.pipeline, asked.turn())
        next(events)
        began_s = time.monotonic()
        assert asked().answer.status == "answered"
        assert time.monotonic() - began_s < 5
        assert list(events)[-1].status == "answered"

    def test_a_stream_that_is_left_lets_others_go_on(self, asked, parts):
        events = flow.stream(asked.pipeline, asked.turn())
        next(events)
        box = []
        thread = threading.Thread(target=lambda: box.append(asked()))
        thread.start()
        time.sleep(0.1)
        assert not box
        events.close()
        thread.join(5)
        assert box[0].answer.status == "answered"

    def test_callers_with_other_groups_do_not_wait_for_each_other(self, parts):
        asked = Asked(with_secret(parts))
        asked.parts.model.delay_s = 0.1
        groups = [["staff"], []] * 10
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda g: asked(groups=g).answer, groups))
        assert asked.parts.model.calls == 2
        for given, answer in zip(groups, answers, strict=True):
            assert answer.response.answer == (SECRET_TEXT if given else TEXT)


class TestNearlyTheSame:
    @pytest.fixture
    def asked(self, parts):
        def embed(text):
            return [1.0, 0.02 * len(text)] if "return" in text.lower() else [-1.0, 0.5]

        async def aembed(text):
            return embed(text)

        near = NearQuestions(embed, aembed, similarity=0.9)
        return Asked(replace(parts, answers=replace(parts.answers, near=near)))

    def test_a_paraphrase_is_answered_from_what_is_kept(self, asked, parts):
        asked("How long can I return an unopened item?")
        assert asked("How long could I return the unopened items?").answer.status == "cached"
        assert parts.model.calls == 1

    @pytest.mark.parametrize(
        "question",
        [
            "How long can I return 2 unopened items?",
            "How long can't I return an unopened item?",
            "How long can Bob return an unopened item?",
            "How long is the warranty?",
        ],
    )
    def test_another_number_denial_name_or_vector_is_not(self, asked, question):
        asked("How long can I return an unopened item?")
        assert asked(question).answer.status == "answered"

    def test_other_groups_never_see_it(self, asked):
        asked("How long can I return an unopened item?")
        answer = asked("How long could I return an unopened item?", groups=["x"]).answer
        assert answer.status == "answered"
