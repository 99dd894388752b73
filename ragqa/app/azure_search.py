"""Azure AI Search, made from the settings; its key leaves the settings here alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragqa.app.models import embeddings
from ragqa.contract import Passage
from ragqa.settings import Settings
from ragqa.settings.resolve import check_key_target, missing_for_retriever, require

if TYPE_CHECKING:
    from ragqa.ingest.report import IndexReport
    from ragqa.retrieval.azure.clients import Access
    from ragqa.retrieval.azure.fields import FieldNames
    from ragqa.retrieval.azure.retriever import AzureRetriever
    from ragqa.retrieval.azure.store import AzureStore
    from ragqa.retrieval.embedding import Embeddings

_LAST_RANKING = {"similarity": "vector", "semantic_hybrid": "reranker"}
"""The kind of score that orders the hits of a search type, where it has another name."""


def azure_store(settings: Settings) -> AzureStore:
    """Return the index that documents are put into. Nothing is sent yet.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says.
    """
    from ragqa.retrieval.azure.store import AzureStore

    return AzureStore(
        _access(settings),
        fields=_fields(settings),
        embeddings=_embeddings(settings),
        semantic_config=settings.azure_search.semantic_config,
    )


def azure_retriever(settings: Settings) -> AzureRetriever:
    """Return what finds passages at Azure AI Search. Nothing is sent yet.

    Raises:
        ConfigError: If a key of the environment would go where a file of the folder says.
    """
    from ragqa.retrieval.azure.retriever import azure_retriever as made

    model = _embeddings(settings)
    kind = settings.search_type or ("keyword" if model is None else "hybrid")
    lowest = settings.min_score
    return made(
        _access(settings),
        embeddings=model,
        search_type=kind,
        fields=_fields(settings),
        semantic_config=settings.azure_search.semantic_config,
        filter=settings.azure_search.filter,
        min_scores=None if lowest is None else {_LAST_RANKING.get(kind, kind): lowest},
    )


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index is like.

    Attributes:
        name: The index and its host.
        field_count: How many fields it has; None where the key may not read its definition.
        faults: What it lacks for the searches that are configured.
        passage: Some passage of it; None where a search for everything found nothing.
        is_older: Whether an older version made it, without the words of the embedded index.
    """

    name: str
    field_count: int | None
    faults: tuple[str, ...]
    passage: Passage | None
    is_older: bool = False


def azure_index_state(settings: Settings, dimensions: int | None = None) -> IndexState:
    """Return what the index is like, and what it lacks.

    With a key that may only search, a search is all that can be tried.

    Args:
        settings: All settings.
        dimensions: Length of the embedding model's vectors, where it is known.

    Raises:
        RagqaError: If the settings do not fit, the service cannot be used, or has no such index.
    """
    from ragqa.errors import AuthError, RetrievalError
    from ragqa.ports import SearchQuery
    from ragqa.retrieval.azure.definition import is_older
    from ragqa.retrieval.azure.review import any_passage, faults_of

    retriever, store = azure_retriever(settings), azure_store(settings)
    name = f"{settings.azure_search.index} at {store.access.host}"
    try:
        held = store.held_definition()
    except AuthError:
        retriever.retrieve(SearchQuery("?", k=1, timeout_s=settings.timeout_s))
        return IndexState(name, None, (), any_passage(retriever))
    if held is None:
        raise RetrievalError(
            f"{store.access.host} has no index {settings.azure_search.index!r}.",
            hint="Check AZURE_SEARCH_INDEX, or make it: ragqa index PATH --to azure",
        )
    faults = tuple(faults_of(held, retriever.plan, dimensions))
    passage = None if faults else any_passage(retriever)
    older = is_older(held, store.fields)
    return IndexState(name, len(held["fields"]), faults, passage, older)


def with_upload(report: IndexReport, store: AzureStore) -> IndexReport:
    """Return a report that also tells what did not get into the index, or its definition.

    Args:
        report: What indexing did, as far as it read the files.
        store: What it put them into.
    """
    from ragqa.ingest.report import SkippedFile

    if report.dry_run:
        return report.model_copy(update={"definition": store.definition()})
    skipped = tuple(
        SkippedFile(
            path=f.path, reason=f"(document {f.document!r}): {f.reason.rstrip('.')}", hint=f.hint
        )
        for f in store.failures
    )
    if not skipped:
        return report
    failed = [failure.path for failure in store.failures if not failure.held_back]
    # A file that is not wholly there is none that was added; the next run takes it up again.
    added = tuple(path for path in report.added_paths if path not in failed)
    updated = tuple(path for path in report.updated_paths if path not in failed)
    update = {
        "added": len(added),
        "added_paths": added,
        "updated": len(updated),
        "updated_paths": updated,
        "skipped": (*report.skipped, *skipped),
        "failed": len(failed),
    }
    return report.model_copy(update=update)


def _access(settings: Settings) -> Access:
    from ragqa.retrieval.azure.clients import Access

    search = settings.azure_search
    require(settings, missing_for_retriever(settings), purpose="to reach Azure AI Search")
    assert search.endpoint is not None
    assert search.index is not None
    check_key_target(settings, "AZURE_SEARCH_ENDPOINT", search.endpoint)
    key = search.api_key
    return Access(search.endpoint, search.index, key.get_secret_value() if key else None)


def _fields(settings: Settings) -> FieldNames:
    from ragqa.retrieval.azure.fields import FieldNames

    return FieldNames(**settings.azure_search.fields.model_dump())


def _embeddings(settings: Settings) -> Embeddings | None:
    return None if settings.search_type == "keyword" else embeddings(settings)
