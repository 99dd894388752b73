"""The frozen Parts that a chain gets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragqa.ports.limits import Spending
from ragqa.ports.models import ChatModel
from ragqa.ports.policy import Policy
from ragqa.ports.retrieval import Reranker, Retriever
from ragqa.ports.reuse import Reuse
from ragqa.ports.running import Clock
from ragqa.ports.runs import RunStore
from ragqa.ports.sessions import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All that a chain gets from outside.

    Attributes:
        retriever: Finds passages.
        policy: What is configured.
        model: Writes answers; ``None`` where none is configured.
        fallback_model: Asked when handling says ``fallback``.
        reranker: Cuts the retrieved passages to the best few.
        gates: A ``ragqa.validation.Gates`` in place of the default gates.
        sessions: Keeps conversations; ``None`` where none are kept.
        answers: How accepted answers are reused; ``None`` where none are.
        spending: Keeps what was spent of budgets; ``None`` where none is set.
        runs: Keeps a record of every ask; ``None`` where none are kept.
        tracer: An OpenTelemetry tracer; ``None`` where nothing is traced.
        home: Makes and returns the folder of the agent's ledger and waiting runs; ``None``: they
            live as long as the chain does.
        clock: Tells the time, for deadlines and timings.
    """

    retriever: Retriever
    policy: Policy = Policy()
    model: ChatModel | None = None
    fallback_model: ChatModel | None = None
    reranker: Reranker | None = None
    gates: Any = None
    sessions: SessionStore | None = None
    answers: Reuse | None = None
    spending: Spending | None = None
    runs: RunStore | None = None
    tracer: Any = None
    home: Callable[[], Path] | None = None
    clock: Clock = time.monotonic
