"""Two callers ask in turn, with sessions, reuse and records: nothing of one reaches the other."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragqa import Settings, app
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

GROUPS = ("crimson", "teal")


class TwoGroups(OpenAIServer):
    """Answers from the passages of the one group that a request holds."""

    def _next(self, body):
        shown = body["messages"][-1]["content"]
        (group,) = [group for group in GROUPS if group.upper() in shown]
        answer = {
            "answer": f"The {group.upper()} code opens the door.",
            "confidence": 0.95,
            "category": "policy",
            "sources": [f"{group}.md"],
            "follow_up": [],
            "needs_human": False,
        }
        return Reply(json.dumps(answer))


@pytest.fixture
def asker(tmp_path):
    for group in GROUPS:
        text = f"The {group.upper()} code opens the door of the house."
        row = {"id": f"{group}.md", "title": f"{group}.md", "text": text, "groups": [group]}
        (tmp_path / f"{group}.jsonl").write_text(json.dumps(row))
    with TwoGroups() as server:
        settings = Settings.load(
            home=tmp_path / "home", openai_base_url=server.base_url, chat_model="m"
        )
        yield app.asker(docs=[str(tmp_path)], settings=settings)


def other_than(group):
    return GROUPS[1 - GROUPS.index(group)].upper()


def test_nothing_crosses_over(asker):
    def turn(number):
        group = GROUPS[number % 2]
        which = "" if number % 5 else f" {number // 2 % 3}"
        session = f"{group}{number % 3}" if number % 8 == 0 else None
        question = f"Which code opens the door{which}?"
        return group, asker.turn(question, groups=(group,), session=session)

    def check(group, answer):
        assert answer.status in ("answered", "cached")
        assert other_than(group) not in answer.model_dump_json()
        assert all(group in passage.groups for passage in answer.passages)

    async def ask(number):
        group, first = turn(number)
        check(group, await asker.aask(first))

    def ask_blocking(number):
        group, first = turn(number)
        check(group, asker.ask(first))

    async def ask_all():
        await asyncio.gather(*map(ask, range(80)))

    asyncio.run(ask_all())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask_blocking, range(80)))
    kept = list(asker.parts.runs.since(float("-inf")))
    assert len(kept) == 160
    for run in kept:
        (group,) = run.groups
        text = json.dumps(run.record, default=str)
        assert other_than(group) not in text
        assert f"{other_than(group).lower()}.md" not in text
