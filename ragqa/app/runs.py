"""The records of past asks, where the settings say that they are kept."""

from __future__ import annotations

from ragqa.app.home import home_of, made_home
from ragqa.records.store import SqliteRuns
from ragqa.settings import Settings


def runs_for(settings: Settings) -> SqliteRuns:
    """Return the store of runs; nothing is opened or made before it is used."""
    return SqliteRuns(
        home_of(settings),
        keeps=settings.records,
        keep_days=settings.records_days,
        make_folder=lambda: made_home(settings),
    )
