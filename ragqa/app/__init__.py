"""Turn settings into parts and a name into a chain: the functions that ``import ragqa`` offers."""

from ragqa.app.asking import Asker, aask, ask, asker, chain, check_question, default_chain, stream
from ragqa.app.indexing import INDEX_FOLDER, index, open_index
from ragqa.app.parts import parts_for, policy_for
from ragqa.app.searching import retriever, search

__all__ = [
    "INDEX_FOLDER",
    "Asker",
    "aask",
    "ask",
    "asker",
    "chain",
    "check_question",
    "default_chain",
    "index",
    "open_index",
    "parts_for",
    "policy_for",
    "retriever",
    "search",
    "stream",
]
