"""instructor's own reading of a reply in JSON mode."""

from __future__ import annotations

from typing import Any

import instructor
from openai.types.chat import ChatCompletion

from tests.peers.reading import Answer, read


def parse(raw: str) -> Any:
    completion = ChatCompletion.model_validate(
        {
            "id": "1",
            "created": 0,
            "model": "m",
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": raw},
                }
            ],
        }
    )

    def create(**_: Any) -> ChatCompletion:
        return completion

    client = instructor.patch(create=create, mode=instructor.Mode.MD_JSON)
    messages = [{"role": "user", "content": "?"}]
    return Answer.model_validate(
        client(response_model=Answer, messages=messages, max_retries=0).model_dump()
    )


if __name__ == "__main__":
    read(parse)
