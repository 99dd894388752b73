"""SQLite as the embedded state is kept in: one file, safe for threads, processes and forks."""

from ragqa.storage.database import Database
from ragqa.storage.holders import Holder

__all__ = ["Database", "Holder"]
