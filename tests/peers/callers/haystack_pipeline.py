"""Haystack: BM25 in memory, a prompt builder, OpenAI's chat generator."""

from __future__ import annotations

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from tests.peers.material import Document
from tests.peers.serving import Caller, serve

TEMPLATE = """Answer only from the passages, with the titles of your sources.
{% for document in documents %}{{ document.meta.title }}: {{ document.content }}
{% endfor %}Question: {{ question }}"""


def prepare(documents: list[Document], base_url: str) -> dict[str, Caller]:
    store = InMemoryDocumentStore()
    store.write_documents(
        [HaystackDocument(content=one.text, meta={"title": one.title}) for one in documents]
    )
    pipeline = _built(store, base_url)

    async def aask(question: str) -> str:
        return _text(await pipeline.run_async(_inputs(question)))

    name = "Haystack pipeline"
    return {name: Caller(lambda question: _text(pipeline.run(_inputs(question))), aask)}


def _built(store, base_url: str) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=5))
    pipeline.add_component(
        "prompt",
        ChatPromptBuilder([ChatMessage.from_user(TEMPLATE)], required_variables=["question"]),
    )
    pipeline.add_component(
        "llm",
        OpenAIChatGenerator(
            model="m", api_base_url=base_url, api_key=Secret.from_token("k"), timeout=60
        ),
    )
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    return pipeline


def _inputs(question: str) -> dict:
    return {"retriever": {"query": question}, "prompt": {"question": question}}


def _text(result: dict) -> str:
    return result["llm"]["replies"][0].text


if __name__ == "__main__":
    serve(prepare)
