"""SQLite as the embedded state is kept in: one file, safe for threads, processes and forks."""

from ragqa.storage.database import Database

__all__ = ["Database"]
