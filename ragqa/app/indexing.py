"""Put documents into the index and open it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragqa.app.given import settings_of
from ragqa.app.home import home_of, made_home
from ragqa.settings import Settings
from ragqa.settings.resolve import missing_for_retriever, require

if TYPE_CHECKING:
    from ragqa.ingest.report import IndexReport
    from ragqa.ports import DocumentStore
    from ragqa.retrieval.embedded import EmbeddedIndex

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
GroupsOf = Callable[[Path], tuple[str, ...] | None]
Progress = Callable[[int, int, str], None]
"""Called with the files done, the files in all and the path under way."""

INDEX_FOLDER = "index"


def index(
    paths: Paths,
    *,
    to: Literal["embedded", "azure"] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> IndexReport:
    """Add what is new, replace what changed and remove what has gone.

    >>> import ragqa
    >>> ragqa.index("docs/").added  # doctest: +SKIP
    12

    Args:
        paths: Files, folders or globs.
        to: Where to; ``RAGQA_RETRIEVER`` if not given.
        settings: All settings; read from their sources if not given.
        progress: Told how far it is.
        dry_run: Report only, change nothing.

    Returns:
        How many files were added, updated, unchanged and removed, and what was skipped and why.

    Raises:
        ConfigError: If settings are wrong or missing.
        RetrievalError: If nothing could be indexed.
    """
    settings = settings_of(settings)
    if to is not None and to != settings.retriever:
        settings = settings.model_copy(update={"retriever": to})
    require(settings, missing_for_retriever(settings), purpose="to index documents")
    return _synced(listed(paths), settings, progress, dry_run=dry_run)


def sync_before_asking(
    docs: Paths | None, settings: Settings, progress: Progress | None = None
) -> IndexReport | None:
    """Index what is new or changed of the documents that an ask names.

    Args:
        docs: Files and folders; ``RAGQA_DOCS`` if not given.
        settings: All settings.
        progress: Told how far it is.

    Raises:
        RetrievalError: If nothing of them could be indexed.
    """
    paths = listed(docs if docs is not None else settings.docs)
    if not paths:
        return None
    return _synced(paths, settings, progress, dry_run=False)


def open_index(settings: Settings) -> EmbeddedIndex:
    """Return the embedded index that the settings describe. Nothing is read yet.

    Raises:
        ConfigError: If its search type does not fit.
    """
    from ragqa.app.models import embeddings
    from ragqa.retrieval.embedded import EmbeddedIndex

    return EmbeddedIndex(
        home_of(settings) / INDEX_FOLDER,
        embeddings=embeddings(settings),
        search_type=settings.search_type,
    )


def _synced(
    paths: list[str], settings: Settings, progress: Progress | None, *, dry_run: bool
) -> IndexReport:
    from ragqa.ingest import sync

    home = home_of(settings) if dry_run else made_home(settings)

    def synced(store: DocumentStore) -> IndexReport:
        return sync(
            paths,
            store,
            project=Path.cwd(),
            home=home,
            groups_of=groups_by_folder(settings.folder_groups, Path.cwd()),
            progress=progress,
            max_file_bytes=round(settings.max_file_mb * 1024 * 1024),
            dry_run=dry_run,
        )

    if settings.retriever == "embedded":
        return synced(open_index(settings))

    from ragqa.app.azure_search import azure_store, with_upload

    store = azure_store(settings)
    return with_upload(synced(store), store)


def listed(paths: Paths) -> list[str]:
    """Return paths as a list of strings, whatever way they were given."""
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    return [os.fspath(path) for path in paths]


def groups_by_folder(table: Mapping[str, tuple[str, ...]], project: Path) -> GroupsOf | None:
    """Return a function that tells who may see a file: the groups of the innermost folder.

    Args:
        table: Groups by folder, relative to the project's folder or absolute.
        project: The folder in which ``ragqa.toml`` lies.
    """
    if not table:
        return None
    folders = {(project / folder).resolve(): groups for folder, groups in table.items()}

    def groups_of(path: Path) -> tuple[str, ...] | None:
        place = path.resolve()
        owner = next((folder for folder in (place, *place.parents) if folder in folders), None)
        return folders[owner] if owner is not None else None

    return groups_of
