"""Two callers ask the same questions in turn: nothing of one is in the records of the other."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import chains
from ragqa import flow
from ragqa.contract import Caller, Passage
from ragqa.ports import Parts
from ragqa.records.store import SqliteRuns
from ragqa.records.view import shown
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole

GROUPS = ("crimson", "teal")


def passage(group):
    text = f"The {group} code opens the {group} door after 30 days."
    return Passage(
        id=f"{group}.md", title=f"{group}.md", text=text, end=len(text), groups=(group,), score=9.0
    )


class Everything:
    """A retriever that finds the documents of all."""

    def retrieve(self, query, config=None):
        return [passage(group) for group in GROUPS]

    async def aretrieve(self, query, config=None):
        return self.retrieve(query, config)

    def version(self):
        return "1"


@pytest.fixture
def runs(tmp_path):
    store = SqliteRuns(tmp_path)
    yield store
    store.close()


def test_no_record_holds_anything_of_the_other_group(runs):
    parts = Parts(retriever=Everything(), runs=runs)
    pipeline = whole(chains.extractive.pipeline(parts), parts)
    first = begin(parts, "extractive")

    def ask(number):
        group = GROUPS[number % 2]
        caller = Caller(principal=f"{group}-{number}", groups=(group,))
        flow.invoke(pipeline, first({"question": "Which code opens the door?", "caller": caller}))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(200)))
    kept = list(runs.since(float("-inf")))
    assert len(kept) == 200
    for run in kept:
        own = run.groups[0]
        other = GROUPS[1 - GROUPS.index(own)]
        assert other not in json.dumps(dict(run.record))
        assert own in json.dumps(shown(run, Caller(groups=(own,)))["answer"])
        seen = json.dumps(
            {**shown(run, Caller(groups=(other,))), "groups": None, "principal": None}
        )
        assert own not in seen
