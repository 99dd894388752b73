"""Where the steps of runs are kept, so that a run that waits goes on in another process.

LangGraph's SqliteSaver raises in an event loop, and its async twin cannot be made
outside of one. Here one saver serves both: its async methods run in threads. The steps of a run
are deleted when it ends. A run holds a connection of its own to their file, which is closed under
the saver's lock: a cancelled event loop leaves threads that may still write.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ragqa.errors import StorageError
from ragqa.storage.faults import translated

FILE_NAME = "agent_steps.sqlite"
_BUSY_S = 10.0


class StepSaver(SqliteSaver):
    """SqliteSaver for blocking callers and event loops alike."""

    def close(self) -> None:
        """Close the file once nobody is writing: SQLite crashes where it is closed meanwhile.

        A cancelled run leaves threads behind; their writes then fail, and nobody waits for them.
        """
        with self.lock:
            self.conn.close()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first."""

        def listed() -> list[CheckpointTuple]:
            return list(self.list(config, filter=filter, before=before, limit=limit))

        for found in await asyncio.to_thread(listed):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task has written."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Forget a run."""
        await asyncio.to_thread(self.delete_thread, thread_id)


@contextmanager
def opened_steps(folder: Path) -> Iterator[StepSaver]:
    """Open the file of a state folder for one run; each run has a connection of its own.

    Raises:
        StorageError: If the file cannot be used.
    """
    path = folder / FILE_NAME
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
    except (OSError, sqlite3.Error) as exc:
        raise StorageError(
            f"{path} cannot be used: {exc}.",
            hint="Name a folder that you may write to in RAGQA_HOME.",
        ) from exc
    saver = StepSaver(connection)
    try:
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is in no free page
        yield saver
    except sqlite3.Error as exc:
        raise translated(exc, path) from exc
    finally:
        saver.close()


def kept_turn(folder: Path, run_id: str) -> str | None:
    """Return the turn of a run whose steps are kept, as JSON; None where none are."""
    if not (folder / FILE_NAME).is_file():
        return None
    with opened_steps(folder) as steps:
        found = steps.get_tuple({"configurable": {"thread_id": run_id}})
    if found is None:
        return None
    kept = found.checkpoint["channel_values"].get("turn")
    return kept if isinstance(kept, str) else None


def forget_steps(folder: Path, run_ids: Collection[str]) -> None:
    """Delete the steps of runs, which cannot go on then."""
    if not (folder / FILE_NAME).is_file():
        return
    with opened_steps(folder) as steps:
        for run_id in run_ids:
            steps.delete_thread(run_id)
        steps.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # it holds what was deleted
