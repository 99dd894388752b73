"""A chain with parts that a program brings along: schema, rules, retriever, reranker."""

import json
from collections.abc import Callable

import pytest
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever

import ragqa
from ragqa.errors import ConfigError
from ragqa.settings import Settings
from ragqa.validation.rules import Refuse
from tests.wire.openai_server import OpenAIServer

TEXT = "Unopened kettles can be returned within 30 days of delivery."


class TicketResponse(ragqa.QAResponse):
    categories = ("billing", "returns")
    ticket: str | None = None


class OwnRetriever(BaseRetriever):
    text: str = TEXT

    def _get_relevant_documents(self, query, *, run_manager):
        return [
            Document(self.text, metadata={"title": "returns.md", "id": "r"}),
            Document("Lamps glow for ten hours.", metadata={"title": "lamps.md", "id": "l"}),
        ]


class OnlyReturns(BaseDocumentCompressor):
    def compress_documents(self, documents, query, callbacks=None):
        return [document for document in documents if "returned" in document.page_content]


def reply(**changed):
    fields = {
        "answer": TEXT,
        "confidence": 0.9,
        "category": "returns",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
        "ticket": "T-17",
    }
    return json.dumps({**fields, **changed})


@pytest.fixture
def server():
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def settings(server, tmp_path):
    return Settings.load(
        cwd=tmp_path,
        environ={},
        home=tmp_path / "home",
        openai_base_url=server.base_url,
        chat_model="m",
    )


QUESTION = "How long can I return a kettle?"


def test_a_schema_of_ones_own_is_asked_for_and_kept(server, settings):
    server.add(reply())
    chain = ragqa.chain("stuff", settings=settings, schema=TicketResponse, retriever=OwnRetriever())
    answer = chain.invoke(QUESTION)
    assert answer.status == "answered", answer
    assert answer.response.ticket == "T-17"
    assert "ticket" in json.dumps(server.chats[0])


class NoCategory(ragqa.QAResponse):
    categories = ()


class NoText(ragqa.QAResponse):
    max_answer_chars = 0


class WithFunction(ragqa.QAResponse):
    called: Callable[[], None] = print


@pytest.mark.parametrize("schema", [NoCategory, NoText, WithFunction])
def test_a_schema_that_nothing_can_fit_is_refused_when_the_chain_is_made(settings, schema):
    with pytest.raises(ConfigError, match=f"The schema {schema.__name__} cannot be used"):
        ragqa.chain("stuff", settings=settings, schema=schema)


def test_a_rule_of_ones_own_is_fed_back(server, settings):
    server.add(reply(ticket="17"), reply())

    def is_malformed(response):
        return response.ticket is not None and not response.ticket.startswith("T-")

    chain = ragqa.chain(
        "stuff",
        settings=settings,
        schema=TicketResponse,
        rules=[Refuse(is_malformed, "A ticket begins with T-.", "ticket_form", field="ticket")],
        retriever=OwnRetriever(),
    )
    answer = chain.invoke(QUESTION)
    assert answer.status == "repaired"
    assert [attempt.code for attempt in answer.attempts] == ["rules.ticket_form", "ok"]
    assert "A ticket begins with T-." in server.chats[1]["messages"][-1]["content"]


def test_a_reranker_of_langchain_cuts_the_passages(server, settings):
    server.add(reply())
    chain = ragqa.chain(
        "stuff",
        settings=settings,
        schema=TicketResponse,
        retriever=OwnRetriever(),
        reranker=OnlyReturns(),
    )
    assert [one.title for one in chain.invoke(QUESTION).passages] == ["returns.md"]


@pytest.mark.parametrize("wrong", [{"schema": dict}, {"retriever": 3}, {"reranker": "x"}])
def test_a_part_of_another_kind_is_refused(settings, wrong):
    with pytest.raises(ConfigError):
        ragqa.chain("stuff", settings=settings, **wrong)


def test_answers_are_reused_while_ones_own_retriever_finds_the_same(server, settings):
    server.add(reply(), reply(answer="Kettles can be returned within 14 days."))
    retriever = OwnRetriever()
    chain = ragqa.chain("stuff", settings=settings, schema=TicketResponse, retriever=retriever)
    assert chain.invoke(QUESTION).status == "answered"
    assert chain.invoke(QUESTION).status == "cached"
    retriever.text = "Kettles can be returned within 14 days."
    assert chain.invoke(QUESTION).response.answer == retriever.text
