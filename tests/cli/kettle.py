"""A question about the documents of ``shop``, what models reply to it, and where a model is."""

import json

QUESTION = "How long do I have to return a kettle?"
GOOD = {
    "answer": "A kettle can be returned within 30 days of delivery.",
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns.md"],
    "follow_up": [],
    "needs_human": False,
}
GOOD_TEXT = json.dumps(GOOD)
INVENTED = GOOD | {"answer": "A kettle can be returned within 45 days of delivery."}


def at(server, **environ):
    """Return the settings of a model behind a server, and more."""
    return {
        "OPENAI_BASE_URL": server.base_url,
        "RAGQA_CHAT_MODEL": "m",
        "RAGQA_TIMEOUT_S": "10",
        **environ,
    }
