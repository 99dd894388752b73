"""Answers questions from a team's documents, in a form that a program can consume.

>>> import ragqa
>>> answer = ragqa.ask("How long do I have to return a kettle?", docs="docs/")  # doctest: +SKIP
>>> answer.response.answer, answer.response.sources                             # doctest: +SKIP

Importing the package loads nothing else; each name is loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing.TYPE_CHECKING without its 10 ms; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

    from ragqa.agent.policy import ToolPolicy
    from ragqa.app import aask, ask, chain, index, retriever, stream
    from ragqa.app.resuming import aresume, resume
    from ragqa.contract import Answer, Caller, Citation, Passage, QAResponse, Question
    from ragqa.errors import RagqaError
    from ragqa.settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "Answer": "ragqa.contract",
    "Caller": "ragqa.contract",
    "Citation": "ragqa.contract",
    "Passage": "ragqa.contract",
    "QAResponse": "ragqa.contract",
    "Question": "ragqa.contract",
    "RagqaError": "ragqa.errors",
    "Settings": "ragqa.settings",
    "ToolPolicy": "ragqa.agent.policy",
    "aask": "ragqa.app",
    "aresume": "ragqa.app.resuming",
    "ask": "ragqa.app",
    "chain": "ragqa.app",
    "index": "ragqa.app",
    "resume": "ragqa.app.resuming",
    "retriever": "ragqa.app",
    "stream": "ragqa.app",
}

__all__ = [
    "Answer",
    "Caller",
    "Citation",
    "Passage",
    "QAResponse",
    "Question",
    "RagqaError",
    "Settings",
    "ToolPolicy",
    "__version__",
    "aask",
    "aresume",
    "ask",
    "chain",
    "index",
    "resume",
    "retriever",
    "stream",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
