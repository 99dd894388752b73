"""Put documents into an index of Azure AI Search: a DocumentStore.

The service has no transactions. What a break leaves is mended by the next run: a file's first
chunk, which says that the file is there, is written last, after its outdated chunks have gone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ragqa.errors import RagqaError, RetrievalError
from ragqa.ports import StoredFile
from ragqa.retrieval.analysis import well_formed
from ragqa.retrieval.azure import definition as definitions
from ragqa.retrieval.azure.clients import Access, Clients, imported
from ragqa.retrieval.azure.definition import FILE_FIELD, Definition
from ragqa.retrieval.azure.faults import no_service, status_of, translate
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.odata import all_of, literal, search_in
from ragqa.retrieval.azure.patience import patiently
from ragqa.retrieval.azure.uploads import Uploads
from ragqa.retrieval.embedding import EmbeddingModel

if TYPE_CHECKING:
    from ragqa.retrieval.azure.writing import AzureWriter
    from ragqa.retrieval.embedding import Embeddings

_PAGE = 1000
_PATHS = 500  # in one filter
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class FailedUpload:
    """A passage that did not get into the index.

    Attributes:
        path: Its file.
        document: Its document's own id.
        reason: Why.
        hint: What to do.
        held_back: Whether it was not even sent.
    """

    path: str
    document: str
    reason: str
    hint: str = ""
    held_back: bool = False


class AzureStore:
    """The documents of one index. Nothing is sent before it is used.

    Args:
        access: How the service is reached; writing takes an admin key.
        fields: What the fields are called.
        embeddings: Makes vectors; without it the index has none.
        semantic_config: Name of the semantic configuration that a new index gets.
        sleep: Waits.

    Attributes:
        failures: What did not get into the index in the last run.
    """

    def __init__(
        self,
        access: Access,
        *,
        fields: FieldNames = FieldNames(),  # noqa: B008  (frozen)
        embeddings: Embeddings | None = None,
        semantic_config: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.access = access
        self.fields = fields
        self.model = EmbeddingModel(embeddings) if embeddings is not None else None
        self.failures: list[FailedUpload] = []
        self._semantic_config = semantic_config
        self._sleep = sleep
        self._clients = Clients(access)
        self.uploads = Uploads(self._clients, fields.id, sleep)

    def files(self) -> Mapping[str, StoredFile]:
        """Return every file in the index by its path; none where there is no index of ours."""
        try:
            hits = list(self._hits(f"{FILE_FIELD} ne null", [FILE_FIELD]))
        except NoIndexError:
            return {}
        files = (self._file(json.loads(hit[FILE_FIELD])) for hit in hits)
        return {file.path: file for file in files}

    def _file(self, record: dict[str, Any]) -> StoredFile:
        """Return a file's record; one that was put in another way counts as changed."""
        groups, model = record.get("groups_field"), record.get("model")
        file = StoredFile.of_record(record)
        is_current = groups == self.fields.groups and (
            self.model is None or model == self.model.name
        )
        return file if is_current else replace(file, content_hash="")

    def file_record(self, file: StoredFile) -> str:
        """Return what is known of a file as the text that its first chunk carries."""
        model = self.model.name if self.model is not None else None
        made = {"groups_field": self.fields.groups, "model": model}
        return json.dumps(asdict(file) | made)

    @contextmanager
    def writer(self) -> Iterator[AzureWriter]:
        """Open a writer; leaving it sends what is left.

        What was sent before an exception stays: the next run goes on from there.
        """
        from ragqa.retrieval.azure.writing import AzureWriter

        self.failures.clear()
        writer = AzureWriter(self)
        yield writer
        writer.flush()

    def keys_of(
        self, paths: Sequence[str], *, records_only: bool = False
    ) -> Mapping[str, list[str]]:
        """Return the keys of what the index holds of these files.

        Args:
            paths: The files.
            records_only: Only the chunks that say that a file is there.
        """
        field = self._path_field
        found: dict[str, list[str]] = {}
        for at in range(0, len(paths), _PATHS):
            names = [well_formed(path) for path in paths[at : at + _PATHS]]
            records = f"{FILE_FIELD} ne null" if records_only else None
            wanted = all_of([search_in(field, names), records]) or "false"
            for hit in self._hits(wanted, [field]):
                found.setdefault(hit[field], []).append(hit[self.fields.id])
        return found

    def definition(self, metadata: Iterable[str] = (), dimensions: int | None = None) -> Definition:
        """Return the definition that a new index gets."""
        return definitions.definition_of(
            self.access.index,
            self.fields,
            dimensions=dimensions,
            with_vectors=self.model is not None,
            semantic_config=self._semantic_config,
            metadata=metadata,
        )

    def held_definition(self) -> Definition | None:
        """Return the definition of the index as it is; None where there is none."""
        try:
            with self._index_client() as client:
                name, limits = self.access.index, self._limits()
                found = patiently(lambda: client.get_index(name, **limits), self._sleep)
        except Exception as exc:
            if status_of(exc) == 404:
                return None
            raise self.translated(exc) from None
        held: Definition = found.as_dict()
        if not isinstance(held.get("fields"), list):
            raise no_service(self.access.host)
        return held

    def define(self, definition: Definition, *, new: bool) -> None:
        """Make the index, or add fields to it."""
        try:
            with self._index_client() as client:
                change = client.create_index if new else client.create_or_update_index
                limits = self._limits()
                patiently(lambda: change(definition, **limits), self._sleep)
        except Exception as exc:
            raise self.translated(exc) from None

    def translated(self, exc: Exception) -> RagqaError:
        """Return the error to raise for one of the SDK's."""
        return translate(exc, index=self.access.index, host=self.access.host)

    def _index_client(self) -> Any:
        kind = imported("azure.search.documents.indexes").SearchIndexClient
        return kind(self.access.endpoint, self.access.credential(), **self.access.options())

    def _limits(self) -> dict[str, Any]:
        return self.access.limits(_TIMEOUT_S)

    @property
    def _path_field(self) -> str:
        return self.fields.path or "path"

    def _hits(self, filter_text: str, fields: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield all documents that a filter fits, by key: skipping ends at 100,000."""
        after: str | None = None
        key = self.fields.id
        while True:
            beyond = None if after is None else f"{key} gt {literal(after)}"
            page = self._page(all_of([filter_text, beyond]), [key, *fields])
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1][key]

    def _page(self, filter_text: str | None, fields: list[str]) -> list[Any]:
        def first_page() -> list[Any]:
            found = self._clients.blocking().search(
                search_text="*",
                filter=filter_text,
                select=fields,
                order_by=[f"{self.fields.id} asc"],
                top=_PAGE,
                **self._limits(),
            )
            return list(next(found.by_page(), ()))

        try:
            return patiently(first_page, self._sleep)
        except Exception as exc:
            translated = self.translated(exc)
            is_missing = status_of(exc) == 404 and isinstance(translated, RetrievalError)
            if is_missing or (status_of(exc) == 400 and FILE_FIELD in translated.message):
                raise NoIndexError(translated.message, hint=translated.hint) from None
            raise translated from None


class NoIndexError(RetrievalError):
    """Report an index that does not exist, or that ragqa has put nothing into."""
