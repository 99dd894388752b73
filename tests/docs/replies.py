"""What the model of the READMEs' examples replies."""

REPLY = {
    "answer": "You have 30 days from delivery, if the kettle is empty and dry.",
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns-policy.md"],
    "follow_up": [],
    "needs_human": False,
}
