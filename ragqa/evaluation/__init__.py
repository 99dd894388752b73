"""Measure answers against questions with known answers; no model is the judge.

>>> from ragqa.evaluation import measure, question_of
>>> question_of({"question": "How long?", "answers": ["30 days"]}, 1).answers
('30 days',)
>>> measure([]).values["n"]
0
"""

from ragqa.evaluation.limits import Miss, missed, parse_limits
from ragqa.evaluation.metrics import Metrics, measure
from ragqa.evaluation.outcome import Outcome, worst_first
from ragqa.evaluation.questions import EvalQuestion, Place, question_of, read_questions, sample
from ragqa.evaluation.trial import Trial, run, trial_of

__all__ = [
    "EvalQuestion",
    "Metrics",
    "Miss",
    "Outcome",
    "Place",
    "Trial",
    "measure",
    "missed",
    "parse_limits",
    "question_of",
    "read_questions",
    "run",
    "sample",
    "trial_of",
    "worst_first",
]
