"""instructor: a response model in JSON mode, with the context handed in."""

from __future__ import annotations

import instructor
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from tests.peers.material import Document
from tests.peers.serving import Caller, serve


class Answer(BaseModel):
    answer: str
    confidence: float
    category: str
    sources: list[str]
    follow_up: list[str]
    needs_human: bool


def prepare(documents: list[Document], base_url: str) -> dict[str, Caller]:
    context = "\n\n".join(document.text for document in documents[:2])[:1200]
    access = {"base_url": base_url, "api_key": "k", "timeout": 60}
    blocking = instructor.from_openai(OpenAI(**access), mode=instructor.Mode.JSON)

    def messages(question: str) -> list[dict]:
        content = f"Answer only from the context.\n{context}\nQuestion: {question}"
        return [{"role": "user", "content": content}]

    def ask(question: str) -> str:
        return blocking.chat.completions.create(
            model="m", response_model=Answer, messages=messages(question)
        ).answer

    clients: dict[int, object] = {}

    async def aask(question: str) -> str:
        import asyncio

        loop = id(asyncio.get_running_loop())
        if loop not in clients:
            clients.clear()
            clients[loop] = instructor.from_openai(AsyncOpenAI(**access), mode=instructor.Mode.JSON)
        reply = await clients[loop].chat.completions.create(
            model="m", response_model=Answer, messages=messages(question)
        )
        return reply.answer

    return {"instructor, context handed in": Caller(ask, aask)}


if __name__ == "__main__":
    serve(prepare)
