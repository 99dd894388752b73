"""One suite for every chain: a Runnable that takes a question and gives a valid Answer."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler

import chains
from ragqa.contract import Answer, Caller, Passage, QAResponse, Strategy
from ragqa.errors import ConfigError, UnknownNameError
from ragqa.ports import Category, ModelReply, Parts

QUESTION = "How long can I return an unopened item?"
TEXT = "Unopened items can be returned within 30 days of delivery."
PUBLIC = Passage(id="returns.md", title="returns.md", text=TEXT, end=len(TEXT), score=7.0)
SECRET = Passage(
    id="staff.md",
    title="staff.md",
    text="Staff may return unopened items within 90 days of delivery.",
    end=59,
    score=8.0,
    groups=("staff",),
)
GOOD = json.dumps(
    {
        "answer": TEXT,
        "confidence": 0.9,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
    }
)


class Found:
    """A retriever that ignores who asks, as a careless store might."""

    def retrieve(self, query, config=None):
        return (SECRET, PUBLIC)

    async def aretrieve(self, query, config=None):
        return (SECRET, PUBLIC)

    def version(self) -> str:
        return "1"


class Writer:
    """A model that decides, gathers and answers as asked; it keeps what it was sent."""

    name = "writer"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def complete(self, request, config=None):
        text = "\n".join(message.content for message in request.messages)
        self.prompts.append(text)
        if request.schema is not None:
            return ModelReply(GOOD)
        return ModelReply("yes" if "yes or no" in text else json.dumps([TEXT, "invented words"]))

    async def acomplete(self, request, config=None):
        return self.complete(request, config)

    def stream(self, request, config=None):
        reply = self.complete(request, config)
        yield from (reply.text[at : at + 9] for at in range(0, len(reply.text), 9))
        yield reply

    async def astream(self, request, config=None):
        for event in self.stream(request, config):
            yield event


@pytest.fixture
def parts() -> Parts:
    return Parts(retriever=Found(), model=Writer())


@pytest.fixture(params=chains.names())
def chain(request, parts):
    return chains.load(request.param).build(parts)


def answer_in(result: Any) -> Answer:
    return result["answer"] if isinstance(result, dict) else result


def check(result: Any) -> None:
    answer = answer_in(result)
    assert answer.status == "answered"
    assert "30 days" in answer.response.answer
    assert answer.response.sources == ["returns.md"]
    QAResponse.model_validate_json(answer.response.model_dump_json())
    json.dumps(answer.model_dump(mode="json"))


def test_the_built_in_chains_have_their_names():
    assert {"agent", "extractive", "stuff", "retrieval_qa", "two_stage"} <= set(chains.names())
    assert chains.stuff.__name__ == "chains.stuff"
    with pytest.raises(UnknownNameError, match="extractive"):
        chains.load("nonsense")
    with pytest.raises(AttributeError):
        _ = chains.nonsense


def test_blocking(chain):
    check(chain.invoke(QUESTION))
    check(chain.invoke({"question": QUESTION}))


def test_async(chain):
    check(asyncio.run(chain.ainvoke(QUESTION)))


def test_batches(chain):
    for result in [*chain.batch([QUESTION] * 3), *asyncio.run(chain.abatch([QUESTION] * 3))]:
        check(result)


def test_streams(chain):
    async def collect():
        return [event async for event in chain.astream(QUESTION)]

    for events in (list(chain.stream(QUESTION)), asyncio.run(collect())):
        *pieces, result = events
        check(result)
        assert "".join(pieces) == answer_in(result).response.answer


def test_it_composes(chain):
    composed = chain | (lambda result: answer_in(result).response.category)
    assert composed.invoke(QUESTION) == "policy"


def test_callbacks_and_tags_are_passed_on(chain):
    class Seen(BaseCallbackHandler):
        tags: list[str] | None = None

        def on_chain_start(self, serialized, inputs, **kwargs):
            self.tags = kwargs["tags"]

    seen = Seen()
    chain.invoke(QUESTION, {"callbacks": [seen], "tags": ["mine"]})
    assert seen.tags == ["mine"]


def test_an_empty_question_is_refused(chain):
    with pytest.raises(ConfigError):
        chain.invoke("  \u200b")


def test_what_the_caller_may_not_see_stays_out(chain, parts):
    answer = answer_in(chain.invoke(QUESTION))
    assert [passage.title for passage in answer.passages] == ["returns.md"]
    assert "90 days" not in answer.model_dump_json() + "".join(parts.model.prompts)


def test_what_the_caller_may_see_is_used(chain):
    answer = answer_in(chain.invoke({"question": QUESTION, "caller": Caller(groups=("staff",))}))
    assert "staff.md" in [passage.title for passage in answer.passages]


def test_the_answer_knows_the_strategy_of_its_category(chain, parts):
    strategy = Strategy(k=3, filter={"title": "returns.md"})
    policy = replace(parts.policy, categories=(Category("policy", strategy=strategy),))
    built = chains.load(chain.name).build(replace(parts, policy=policy))
    answer = answer_in(built.invoke(QUESTION))
    assert answer.strategy == strategy
    assert "strategy" not in answer.model_dump(mode="json")


def test_retrieval_qa_has_the_keys_of_retrieval_qa(parts):
    result = chains.retrieval_qa.build(parts).invoke({"query": QUESTION})
    assert result["query"] == QUESTION
    assert result["result"] == result["response"].answer == TEXT
    (document,) = result["source_documents"]
    assert document.page_content == TEXT
    assert document.metadata["title"] == "returns.md"


def test_two_stage_writes_from_quotes_that_stand_in_the_passages(parts):
    answer = chains.two_stage.build(parts).invoke(QUESTION)
    _, _, written_from = parts.model.prompts
    assert TEXT in written_from
    assert "invented words" not in written_from
    assert answer.usage.calls == 3
    assert len(answer.attempts) == 1


def test_two_stage_needs_no_documents_for_a_greeting(parts):
    class Greeter(Writer):
        def complete(self, request, config=None):
            if request.schema is None:
                return ModelReply("No.")
            hello = {
                **json.loads(GOOD),
                "answer": "Hello! How can I help?",
                "confidence": 0.5,
                "sources": [],
            }
            return ModelReply(json.dumps({**hello, "category": "other"}))

    answer = chains.two_stage.build(Parts(retriever=Found(), model=Greeter())).invoke("Hello")
    assert answer.response.answer == "Hello! How can I help?"
    assert answer.passages == ()


@pytest.mark.parametrize("name", ["stuff", "retrieval_qa", "two_stage"])
def test_without_a_model_the_chain_says_what_to_set(name):
    with pytest.raises(ConfigError, match="RAGQA_CHAT_MODEL"):
        chains.load(name).build(Parts(retriever=Found()))
