"""The values that travel through ragqa and reach the caller.

Only values: nothing here reads a setting, opens a file or talks to a service.
"""

from ragqa.contract.answer import (
    Answer,
    Attempt,
    Citation,
    Passage,
    ScoreKind,
    Status,
    Usage,
)
from ragqa.contract.question import (
    EVERYONE,
    MAX_QUESTION_CHARS,
    Caller,
    Question,
    Strategy,
)
from ragqa.contract.response import (
    CHINESE_CATEGORIES,
    DEFAULT_CATEGORIES,
    Entity,
    QAResponse,
    QAResponseWithEntities,
    response_type,
)
from ragqa.contract.turn import ContextBlock, Turn

__all__ = [
    "CHINESE_CATEGORIES",
    "DEFAULT_CATEGORIES",
    "EVERYONE",
    "MAX_QUESTION_CHARS",
    "Answer",
    "Attempt",
    "Caller",
    "Citation",
    "ContextBlock",
    "Entity",
    "Passage",
    "QAResponse",
    "QAResponseWithEntities",
    "Question",
    "ScoreKind",
    "Status",
    "Strategy",
    "Turn",
    "Usage",
    "response_type",
]
