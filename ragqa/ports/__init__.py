"""What a chain needs from the outside world, as Protocols, and the frozen Parts it gets.

Whatever does I/O or is configured stands here; pure modules are imported where they are used.
"""

from ragqa.ports.documents import Chunk, DocumentStore, IndexWriter, StoredFile
from ragqa.ports.models import (
    AskedModel,
    ChatModel,
    Message,
    ModelReply,
    ModelRequest,
    Role,
    offered_by,
)
from ragqa.ports.parts import Parts
from ragqa.ports.policy import Category, Policy
from ragqa.ports.retrieval import Reranker, Retriever, SearchQuery
from ragqa.ports.reuse import AnswerStore
from ragqa.ports.running import Clock, TraceConfig
from ragqa.ports.runs import ENDED, KeptText, Run, RunState, RunStore
from ragqa.ports.sessions import History, PastTurn, SessionStore, Summary, UsedSource

__all__ = [
    "ENDED",
    "AnswerStore",
    "AskedModel",
    "Category",
    "ChatModel",
    "Chunk",
    "Clock",
    "DocumentStore",
    "History",
    "IndexWriter",
    "KeptText",
    "Message",
    "ModelReply",
    "ModelRequest",
    "Parts",
    "PastTurn",
    "Policy",
    "Reranker",
    "Retriever",
    "Role",
    "Run",
    "RunState",
    "RunStore",
    "SearchQuery",
    "SessionStore",
    "StoredFile",
    "Summary",
    "TraceConfig",
    "UsedSource",
    "offered_by",
]
