"""The rules that are built in."""

from __future__ import annotations

from ragqa.validation.gate import Rule
from ragqa.validation.rules.abstaining import Abstention
from ragqa.validation.rules.categories import CategoryFit
from ragqa.validation.rules.confidence import UnsupportedConfidence
from ragqa.validation.rules.dumps import SearchDump
from ragqa.validation.rules.duplicates import DuplicateFollowUps, DuplicateSources
from ragqa.validation.rules.echoes import EchoedQuestion, PlaceholderAnswer
from ragqa.validation.rules.entities import Entities
from ragqa.validation.rules.invisible import InvisibleCharacters
from ragqa.validation.rules.languages import AnswerLanguage
from ragqa.validation.rules.payloads import JsonAnswer
from ragqa.validation.rules.refusing import DecliningAnswer
from ragqa.validation.rules.scratchpad import Scratchpad


def default_rules() -> tuple[Rule, ...]:
    """Return the built-in rules: what normalises first, then what refuses, the gravest first."""
    return (
        InvisibleCharacters(),
        DuplicateSources(),
        DuplicateFollowUps(),
        DecliningAnswer(),
        Scratchpad(),
        SearchDump(),
        JsonAnswer(),
        PlaceholderAnswer(),
        EchoedQuestion(),
        Abstention(),
        UnsupportedConfidence(),
        AnswerLanguage(),
        Entities(),
        CategoryFit(),
    )
