"""A bare HTTP call with the same passages, checked by json and pydantic: the least there is."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import httpx
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
    context = "\n".join(document.text for document in documents[:2])[:1200]
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    headers = {"content-type": "application/json", "authorization": "Bearer k"}

    def body(question: str) -> dict:
        content = f"Answer as JSON.\n{context}\nQuestion: {question}"
        return {"model": "m", "messages": [{"role": "user", "content": content}]}

    def ask(question: str) -> str:
        connection.request("POST", "/v1/chat/completions", json.dumps(body(question)), headers)
        reply = json.loads(connection.getresponse().read())
        return Answer.model_validate_json(reply["choices"][0]["message"]["content"]).answer

    clients: dict[int, httpx.AsyncClient] = {}

    async def aask(question: str) -> str:
        import asyncio

        loop = id(asyncio.get_running_loop())
        if loop not in clients:
            clients.clear()
            limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
            clients[loop] = httpx.AsyncClient(limits=limits, timeout=60)
        reply = await clients[loop].post(
            f"{base_url}/chat/completions", json=body(question), headers=headers
        )
        content = reply.json()["choices"][0]["message"]["content"]
        return Answer.model_validate_json(content).answer

    return {"bare": Caller(ask, aask)}


if __name__ == "__main__":
    serve(prepare)
