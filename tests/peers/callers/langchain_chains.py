"""LangChain: RetrievalQA, LCEL with structured output, with a retriever and without."""

from __future__ import annotations

import warnings

warnings.simplefilter("ignore")

from langchain_core.documents import Document as LangChainDocument  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import RunnablePassthrough  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402
from pydantic import BaseModel  # noqa: E402

from tests.peers.material import Document  # noqa: E402
from tests.peers.serving import Caller, serve  # noqa: E402


class Answer(BaseModel):
    """An answer with its sources."""

    answer: str
    confidence: float
    category: str
    sources: list[str]
    follow_up: list[str]
    needs_human: bool


def prepare(documents: list[Document], base_url: str) -> dict[str, Caller]:
    llm = ChatOpenAI(model="m", base_url=base_url, api_key="k", timeout=60)
    retriever = _retriever(documents)
    prompt = ChatPromptTemplate.from_template(
        "Answer only from the context, with the titles of your sources.\n{context}\n"
        "Question: {question}"
    )
    structured = llm.with_structured_output(Answer)
    handed = "\n\n".join(document.text for document in documents[:2])[:1200]
    with_retriever = (
        {"context": retriever | _joined, "question": RunnablePassthrough()} | prompt | structured
    )
    without = {"context": lambda _: handed, "question": RunnablePassthrough()} | prompt | structured
    chat = llm | StrOutputParser()
    return {
        "RetrievalQA": _retrieval_qa(llm, retriever),
        "LCEL, retriever": _caller(with_retriever),
        "LCEL, context handed in": _caller(without),
        "ChatOpenAI alone": _caller(chat),
    }


def _retriever(documents: list[Document]):
    from langchain_community.retrievers import BM25Retriever

    kept = [LangChainDocument(one.text, metadata={"title": one.title}) for one in documents]
    return BM25Retriever.from_documents(kept, k=5)


def _joined(documents: list[LangChainDocument]) -> str:
    return "\n\n".join(f"{one.metadata['title']}: {one.page_content}" for one in documents)


def _caller(chain) -> Caller:
    return Caller(chain.invoke, chain.ainvoke)


def _retrieval_qa(llm, retriever) -> Caller:
    from langchain_classic.chains import RetrievalQA

    chain = RetrievalQA.from_chain_type(llm, retriever=retriever, return_source_documents=True)

    async def aask(question: str) -> str:
        return (await chain.ainvoke({"query": question}))["result"]

    return Caller(lambda question: chain.invoke({"query": question})["result"], aask)


if __name__ == "__main__":
    serve(prepare)
