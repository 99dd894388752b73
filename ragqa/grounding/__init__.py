"""What in the passages answers a question, how well, and what stands behind an answer."""

from ragqa.grounding.answer_spans import answer_spans
from ragqa.grounding.asked import Asked, asked
from ragqa.grounding.choice import Candidate, rank_sentences
from ragqa.grounding.evidence import Evidence, weigh
from ragqa.grounding.excerpt import GAP, excerpts
from ragqa.grounding.quotes import Quote, citations_for, cite, locate

__all__ = [
    "GAP",
    "Asked",
    "Candidate",
    "Evidence",
    "Quote",
    "answer_spans",
    "asked",
    "citations_for",
    "cite",
    "excerpts",
    "locate",
    "rank_sentences",
    "weigh",
]
