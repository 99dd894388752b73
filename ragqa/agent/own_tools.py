"""ragqa's own tools of one run: the search, and the calculator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragqa.agent import search_tool
from ragqa.agent.policy import ToolPolicy
from ragqa.errors import AuthError, ConfigError
from ragqa.language import language_of

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ragqa.agent.run import AgentRun

_LEAST_RESULT_CHARS = 8000


def search_of(run: AgentRun) -> BaseTool:
    """Return the search for the caller of a run, as a LangChain tool.

    A fault of settings ends the run: the model could only say that it found nothing.
    """
    from langchain_core.tools import StructuredTool

    search = search_tool.DocumentSearch(run.turn, run.parts, run.found)

    def find(query: str) -> str:
        try:
            return search.search(query, run.remaining_s(), run.config)
        except (AuthError, ConfigError) as error:
            run.fatal = error
            raise

    async def afind(query: str) -> str:
        try:
            return await search.asearch(query, run.remaining_s(), run.config)
        except (AuthError, ConfigError) as error:
            run.fatal = error
            raise

    return StructuredTool(
        name=search_tool.NAME,
        description=search_tool.DESCRIPTION[language_of(run.turn.question.text)],
        args_schema=dict(search_tool.SCHEMA),
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
