"""Sentences, clauses, words and question cues of English and Chinese text.

Importing it is cheap: the Chinese dictionary and the English stemmer load at first use.
"""

from ragqa.language.boundaries import clauses, sentences
from ragqa.language.function_words import is_function_word
from ragqa.language.likeness import likeness
from ragqa.language.measures import Measure, looked_up, measure_asked, without_phrase
from ragqa.language.questions import (
    AnswerType,
    answer_type,
    asks_name,
    is_question,
    refers_back,
    sub_questions,
)
from ragqa.language.script import Language, has_han, language_of
from ragqa.language.terms import (
    Word,
    content_terms,
    content_words,
    rarity,
    search_terms,
    tagged,
    words,
)
from ragqa.language.token_count import estimate_tokens
from ragqa.language.turning import turns

__all__ = [
    "AnswerType",
    "Language",
    "Measure",
    "Word",
    "answer_type",
    "asks_name",
    "clauses",
    "content_terms",
    "content_words",
    "estimate_tokens",
    "has_han",
    "is_function_word",
    "is_question",
    "language_of",
    "likeness",
    "looked_up",
    "measure_asked",
    "rarity",
    "refers_back",
    "search_terms",
    "sentences",
    "sub_questions",
    "tagged",
    "turns",
    "without_phrase",
    "words",
]
