"""ragqa's own tools of one run: the search, and the tables for the calculator."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ragqa.agent.calculator.tables import CalculationTables
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools import search
from ragqa.errors import AuthError, ConfigError, RagqaError
from ragqa.language import language_of
from ragqa.ports.tables import TableSource

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ragqa.agent.run.state import AgentRun

_LEAST_RESULT_CHARS = 8000


def search_of(run: AgentRun) -> BaseTool:
    """Return the search for the caller of a run, as a LangChain tool.

    A fault of settings ends the run: the model could only say that it found nothing.
    """
    from langchain_core.tools import StructuredTool

    documents = search.DocumentSearch(run.turn, run.parts, run.found)

    def find(query: str) -> str:
        try:
            return documents.search(query, run.remaining_s(), run.config)
        except (AuthError, ConfigError) as error:
            run.fatal = error
            raise

    async def afind(query: str) -> str:
        try:
            return await documents.asearch(query, run.remaining_s(), run.config)
        except (AuthError, ConfigError) as error:
            run.fatal = error
            raise

    return StructuredTool(
        name=search.NAME,
        description=search.DESCRIPTION[language_of(run.turn.question.text)],
        args_schema=dict(search.SCHEMA),
        func=find,
        coroutine=afind,
    )


def search_policy(run: AgentRun) -> ToolPolicy:
    """Return the search's policy: it only reads, and its result fits its own budget."""
    most = max(_LEAST_RESULT_CHARS, 2 * run.parts.policy.max_context_chars)
    return ToolPolicy(
        read_only=True,
        timeout_s=run.parts.policy.timeout_s,
        fields=None,
        max_result_chars=most,
    )


_MAX_DESCRIPTIONS = 32


class TableDescriptions:
    """What models were told of tables: all rows have to be read for it, so it is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Any, str] = {}

    def of(self, key: Any, tables: CalculationTables) -> str:
        """Return the description of tables; the key names their state and who sees them."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            return kept
        described = tables.described()
        with self._lock:
            while len(self._kept) >= _MAX_DESCRIPTIONS:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = described
        return described


def tables_of(run: AgentRun, descriptions: TableDescriptions) -> CalculationTables:
    """Return the tables that the caller of a run may compute with; none where none can be read.

    What is wrong with an index the first search says.
    """
    retriever, caller = run.parts.retriever, run.turn.caller
    if not isinstance(retriever, TableSource):
        return CalculationTables()
    try:
        version = retriever.version()
        tables = CalculationTables(retriever.tables(caller))
        tables.description = descriptions.of((version, caller), tables) if tables else ""
    except RagqaError:
        return CalculationTables()
    return tables
