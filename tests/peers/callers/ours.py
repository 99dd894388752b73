"""ragqa: the embedded index, the chain ``stuff`` with all gates; kept in RAGQA_HOME."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.peers.material import Document
from tests.peers.serving import Caller, serve


def prepare(documents: list[Document], base_url: str) -> dict[str, Caller]:
    import ragqa
    from ragqa.settings import Settings

    home = Path(os.environ["RAGQA_HOME"])
    source = home.with_name("documents.jsonl")
    settings = Settings.load(
        openai_base_url=base_url, openai_api_key="k", chat_model="m", timeout_s=60, cache="off"
    )
    if not source.exists():
        records = ({"id": one.id, "title": one.title, "text": one.text} for one in documents)
        source.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
        ragqa.index([source], settings=settings)
    chain = ragqa.chain("stuff", settings=settings)

    def text_of(answer: ragqa.Answer) -> str:
        assert answer.status == "answered", (answer.status, answer.attempts)
        return answer.response.answer

    async def aask(question: str) -> str:
        return text_of(await chain.ainvoke(question))

    return {"ragqa stuff": Caller(lambda question: text_of(chain.invoke(question)), aask)}


if __name__ == "__main__":
    serve(prepare)
