"""``search_documents``: the agent's way to the documents. It returns numbered, condensed passages.

Only what it returned counts as retrieved: sources, citations and the gates know nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragqa import context
from ragqa.contract import ContextBlock, Passage, Turn
from ragqa.language import language_of, looked_up
from ragqa.ports import Parts, SearchQuery, TraceConfig

NAME = "search_documents"
DESCRIPTION: Mapping[str, str] = {
    "en": "Searches the documents and returns the passages that fit best, numbered, with "
    "their titles. Use it for every question whose answer may stand in the documents, before you "
    "answer. Write the query as a short question or as keywords, in the language of the documents.",
    "zh": "在文档中检索，返回最相关的段落，带编号和标题。"
    "凡是答案可能在文档里的问题，回答之前都要先用它查找。"
    "query 写成简短的问题或关键词，使用文档的语言。",
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for.", "minLength": 1},
    },
    "required": ["query"],
    "additionalProperties": False,
}
_NOTHING = {"en": "Nothing was found.", "zh": "没有找到相关内容。"}


@dataclass(slots=True)
class FoundPassages:
    """What the searches of a run have returned, numbered through; safe for threads."""

    blocks: list[ContextBlock] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.Lock)

    def add(self, blocks: Sequence[ContextBlock]) -> tuple[ContextBlock, ...]:
        """Keep blocks, and return them under the numbers that they have in this run."""
        with self._lock:
            return tuple(self._numbered(block) for block in blocks)

    def _numbered(self, block: ContextBlock) -> ContextBlock:
        for known in self.blocks:
            if known.spans == block.spans and _is_same(known.passage, block.passage):
                return known
        numbered = replace(block, number=len(self.blocks) + 1)
        self.blocks.append(numbered)
        return numbered

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Return the passages, each once, in the order in which they were found."""
        kept: list[Passage] = []
        for block in self.blocks:
            if not any(_is_same(block.passage, passage) for passage in kept):
                kept.append(block.passage)
        return tuple(kept)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the blocks as a checkpoint keeps them."""
        return [
            {
                "spans": [list(span) for span in block.spans],
                "text": block.text,
                "passage": {name: getattr(block.passage, name) for name in Passage.model_fields},
            }
            for block in self.blocks
        ]

    @classmethod
    def of_json(cls, kept: Sequence[Mapping[str, Any]]) -> FoundPassages:
        """Return what :meth:`as_json` has kept."""
        found = cls()
        for number, block in enumerate(kept, 1):
            spans = tuple((start, end) for start, end in block["spans"])
            passage = Passage.model_validate(block["passage"])
            found.blocks.append(ContextBlock(number, passage, spans, block["text"]))
        return found


def _is_same(one: Passage, other: Passage) -> bool:
    return (one.id, one.page, one.start, one.end, one.text) == (
        other.id,
        other.page,
        other.start,
        other.end,
        other.text,
    )


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """Searches for the caller of one turn.

    Attributes:
        turn: Who asks, and how documents are looked up for the question.
        parts: The retriever and the budget of what it returns.
        found: Where the passages are kept.
    """

    turn: Turn
    parts: Parts
    found: FoundPassages

    def search(self, query: str, timeout_s: float | None, config: TraceConfig = None) -> str:
        """Return the passages that fit, as a prompt shows them."""
        seen = self._visible(self.parts.retriever.retrieve(self._query(query, timeout_s), config))
        if self.parts.reranker is not None and seen:
            seen = tuple(self.parts.reranker.rerank(query, seen, config))
        return self._rendered(query, seen)

    async def asearch(self, query: str, timeout_s: float | None, config: TraceConfig = None) -> str:
        """Do the same without blocking the event loop."""
        found = await self.parts.retriever.aretrieve(self._query(query, timeout_s), config)
        seen = self._visible(found)
        if self.parts.reranker is not None and seen:
            seen = tuple(await self.parts.reranker.arerank(query, seen, config))
        return self._rendered(query, seen)

    def _query(self, query: str, timeout_s: float | None) -> SearchQuery:
        return SearchQuery(
            text=looked_up(query),
            k=self.turn.strategy.k or self.parts.policy.top_k,
            caller=self.turn.caller,
            strategy=self.turn.strategy,
            timeout_s=timeout_s,
        )

    def _visible(self, found: Sequence[Passage]) -> tuple[Passage, ...]:
        # The retriever has trimmed already; a store that did not must not leak.
        return tuple(p for p in found if self.turn.caller.may_see(p.groups))

    def _rendered(self, query: str, seen: Sequence[Passage]) -> str:
        blocks = context.fit(query, seen, max_chars=self.parts.policy.max_context_chars)
        if not blocks:
            return _NOTHING[language_of(self.turn.question.text)]
        return context.render(self.found.add(blocks))
