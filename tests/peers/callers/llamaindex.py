"""LlamaIndex: CitationQueryEngine over its BM25 retriever."""

from __future__ import annotations

from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import TextNode
from llama_index.llms.openai_like import OpenAILike
from llama_index.retrievers.bm25 import BM25Retriever

from tests.peers.material import Document
from tests.peers.serving import Caller, serve


def prepare(documents: list[Document], base_url: str) -> dict[str, Caller]:
    nodes = [TextNode(text=one.text, metadata={"title": one.title}) for one in documents]
    llm = OpenAILike(
        model="m",
        api_base=base_url,
        api_key="k",
        is_chat_model=True,
        context_window=16_000,
        timeout=60,
        reuse_client=True,
    )
    engine = CitationQueryEngine.from_args(
        index=None,
        llm=llm,
        retriever=BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=5),
        citation_chunk_size=512,
    )
    return {"LlamaIndex CitationQueryEngine": Caller(engine.query, engine.aquery)}


if __name__ == "__main__":
    serve(prepare)
