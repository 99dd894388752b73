"""Gate 3: what is right by the schema and wrong by the rules of the business.

A rule's fault has the code ``rules.<name>``; what a rule mends is recorded as a repair. Built in:

    invisible_characters     control characters and hidden text are left out (repair)
    duplicate_sources        a title listed twice is left out (repair; ``trimmed_sources`` where
                             only blanks around it were)
    duplicate_follow_ups     likewise a follow-up question (repair)
    declining_answer         a refusal as the answer; its code is ``text.refusal``
    scratchpad               thoughts, planned actions, reasoning tags, echoes of the prompt
    search_dump              rows, keys and scores of a search service, in any text; names of files
                             alone
    json_answer              JSON, a Python literal, a list of fields, a table
    placeholder_answer       "string", "...", a rule of the format, the worked example, what only
                             announces an answer
    echoed_question          the question over again, also as "you asked how …"
    abstention               an answer that says that the documents do not hold it is not sure, and
                             needs a person (repair)
    unsupported_confidence   more than 0.5 without evidence (lowered where not strict: repair)
    language                 another language than the question's
    entities                 products that the answer or the cited passages do not bear out
    category_fit             a category of which nothing, but of another one much is said

:class:`Normalise`, :class:`Refuse` and :class:`Default` make rules of a caller's own functions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ragqa.validation.rules.abstaining import Abstention
from ragqa.validation.rules.categories import CategoryFit
from ragqa.validation.rules.confidence import UnsupportedConfidence
from ragqa.validation.rules.defaults import default_rules
from ragqa.validation.rules.dumps import SearchDump
from ragqa.validation.rules.duplicates import DuplicateFollowUps, DuplicateSources
from ragqa.validation.rules.echoes import EchoedQuestion, PlaceholderAnswer
from ragqa.validation.rules.entities import Entities
from ragqa.validation.rules.gate import RulesGate
from ragqa.validation.rules.invisible import InvisibleCharacters
from ragqa.validation.rules.languages import AnswerLanguage
from ragqa.validation.rules.payloads import JsonAnswer
from ragqa.validation.rules.refusing import DecliningAnswer
from ragqa.validation.rules.scratchpad import Scratchpad

if TYPE_CHECKING:
    from ragqa.validation.rules.cleanups import Default, Normalise, Refuse

__all__ = [
    "Abstention",
    "AnswerLanguage",
    "CategoryFit",
    "DecliningAnswer",
    "Default",
    "DuplicateFollowUps",
    "DuplicateSources",
    "EchoedQuestion",
    "Entities",
    "InvisibleCharacters",
    "JsonAnswer",
    "Normalise",
    "PlaceholderAnswer",
    "Refuse",
    "RulesGate",
    "Scratchpad",
    "SearchDump",
    "UnsupportedConfidence",
    "default_rules",
]

_CLEANUPS = ("Default", "Normalise", "Refuse")


def __getattr__(name: str) -> Any:
    if name not in _CLEANUPS:  # what only callers with rules of their own need
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.cleanups"), name)
