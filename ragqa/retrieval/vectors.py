"""The vectors of one embedding model, in files that grow and are mapped into memory.

    vectors-DIGEST/manifest.json   model, dimensions, generation, covers
    vectors-DIGEST/GENERATION.rows float32, a row for each key
    vectors-DIGEST/GENERATION.keys uint64, the keys of chunks

Rows are written before their keys, and both before the index commits: a row that no chunk of the
index asks for is an orphan, never a fault. Only the holder of the index's writer lock writes.
Exact search takes about 7 ms for 100,000 vectors of 384 numbers; for many more use Azure.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from ragqa.errors import RetrievalError
from ragqa.retrieval.faults import INDEX_COMMAND, translated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragqa.retrieval.embedding import Matrix

    Keys = NDArray[np.uint64]
    Positions = NDArray[np.intp]

_KINDS = ("rows", "keys")
_KEY_BYTES = 8
_NUMBER_BYTES = 4
_MAX_ORPHANS = 0.1  # share of rows above which the files are written anew


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files hold.

    Attributes:
        model: The embedding model's name.
        dimensions: Numbers per vector.
        generation: Begins the names of the files.
        covers: The version of the index all of whose chunks are known to have a vector.
        rows: How many rows there were then.
    """

    model: str
    dimensions: int
    generation: str
    covers: str = ""
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Vectors:
    """Keys and the rows that belong to them, as they were when they were read.

    ``order`` sorts the keys.
    """

    manifest: Manifest
    keys: Keys
    rows: Matrix
    order: Positions

    def positions(self, keys: Keys) -> Positions | None:
        """Return which rows belong to keys; None where a key has none."""
        import numpy as np

        at = np.searchsorted(self.keys, keys, sorter=self.order)
        rows = self.order[at[at < len(self.order)]]
        return rows if np.array_equal(self.keys[rows], keys) else None

    def cover(self, version: str) -> bool:
        """Tell whether every chunk of that version is known to have a vector here."""
        return self.manifest.covers == version and len(self.keys) >= self.manifest.rows

    def scores(self, query: Matrix) -> Matrix:
        """Return the cosine of the query and every row.

        Raises:
            RetrievalError: If the query's vector has another size.
        """
        if query.shape[1] != self.manifest.dimensions:
            raise RetrievalError(
                f"The embedding model {self.manifest.model} now makes vectors of "
                f"{query.shape[1]} numbers; the index holds vectors of {self.manifest.dimensions}.",
                hint=f"Index the documents again: {INDEX_COMMAND}",
            )
        result: Matrix = self.rows @ query[0]
        return result


class VectorFiles:
    """Reads and grows the files of one model.

    Args:
        folder: Where the index lies.
        model: The embedding model's name.
    """

    def __init__(self, folder: Path, model: str) -> None:
        digest = blake2b(model.encode(), digest_size=6).hexdigest()
        self.model = model
        self._index_folder = folder
        self._folder = folder / f"vectors-{digest}"
        self._manifest = self._folder / "manifest.json"
        self._read: tuple[Manifest, int, Vectors] | None = None

    def read(self) -> Vectors | None:
        """Return what the files hold now; None where there are none."""
        with translated(self._index_folder, "read"):
            for _ in range(3):  # a sweep may delete the files between two steps
                manifest = self.manifest()
                if manifest is None:
                    return None
                try:
                    return self._mapped(manifest)
                except FileNotFoundError:
                    continue
        return None

    def manifest(self) -> Manifest | None:
        """Return the manifest; None where there are no vectors yet."""
        try:
            return Manifest(**json.loads(self._manifest.read_bytes()))
        except (FileNotFoundError, ValueError, TypeError):
            return None  # a manifest that cannot be read is replaced with the next vectors

    def _mapped(self, manifest: Manifest) -> Vectors:
        import numpy as np

        count = self._count(manifest)
        if self._read is not None and self._read[:2] == (manifest, count):
            return self._read[2]
        keys = np.fromfile(self._path(manifest, "keys"), dtype=np.uint64, count=count)
        shape = (count, manifest.dimensions)
        rows = np.zeros(shape, dtype=np.float32)
        if count:  # an empty file cannot be mapped
            rows = np.memmap(self._path(manifest, "rows"), dtype=np.float32, mode="r", shape=shape)
        order = np.argsort(keys, kind="stable")
        vectors = Vectors(manifest, keys, np.asarray(rows), order)
        self._read = (manifest, count, vectors)
        return vectors

    def _count(self, manifest: Manifest) -> int:
        """Count the rows that were written whole."""
        rows = self._path(manifest, "rows").stat().st_size
        keys = self._path(manifest, "keys").stat().st_size
        return min(rows // (_NUMBER_BYTES * manifest.dimensions), keys // _KEY_BYTES)

    def append(self, keys: Keys, rows: Matrix) -> None:
        """Add rows; they are on disk when this returns."""
        with translated(self._index_folder, "write"):
            manifest = self._writable(rows.shape[1])
            count = self._count(manifest)
            row_bytes = _NUMBER_BYTES * manifest.dimensions
            _write_at(self._path(manifest, "rows"), count * row_bytes, rows.tobytes())
            _write_at(self._path(manifest, "keys"), count * _KEY_BYTES, keys.tobytes())

    def covers(self, version: str) -> None:
        """Record that every chunk of that version has a vector."""
        with translated(self._index_folder, "write"):
            vectors = self.read()
            if vectors is not None and not vectors.cover(version):
                self._put(replace(vectors.manifest, covers=version, rows=len(vectors.keys)))

    def sweep(self, live: Keys) -> None:
        """Drop rows that no chunk asks for, where those are many, and files of no use.

        Args:
            live: The keys of all chunks in the index.
        """
        import numpy as np

        vectors = self.read()
        if vectors is None:
            return
        manifest = vectors.manifest
        _, first = np.unique(vectors.keys, return_index=True)
        kept = np.sort(first[np.isin(vectors.keys[first], live)])
        with translated(self._index_folder, "write"):
            if len(vectors.keys) - len(kept) > _MAX_ORPHANS * len(vectors.keys):
                manifest = replace(self._fresh(manifest), covers="")
                _write_at(self._path(manifest, "rows"), 0, vectors.rows[kept].tobytes())
                _write_at(self._path(manifest, "keys"), 0, vectors.keys[kept].tobytes())
                self._put(manifest)
            self._tidy(manifest)

    def _writable(self, dimensions: int) -> Manifest:
        """Return the manifest of files that take such rows; begin anew where there are none."""
        manifest = self.manifest()
        if (
            manifest is not None
            and manifest.dimensions == dimensions
            and all(self._path(manifest, kind).exists() for kind in _KINDS)
        ):
            return manifest
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = self._fresh(Manifest(self.model, dimensions, ""))
        self._put(new)
        return new

    def _fresh(self, manifest: Manifest) -> Manifest:
        new = replace(manifest, generation=secrets.token_hex(4))
        for kind in _KINDS:
            self._path(new, kind).touch()
        return new

    def _put(self, manifest: Manifest) -> None:
        beside = self._folder / f"{secrets.token_hex(4)}.tmp"
        beside.write_text(json.dumps(asdict(manifest)), encoding="utf-8")
        beside.replace(self._manifest)

    def _tidy(self, current: Manifest) -> None:
        """Delete the files of other generations, and the vectors of other models."""
        self._read = None
        names = {self._manifest.name, *(self._path(current, kind).name for kind in _KINDS)}
        for path in self._folder.iterdir():
            if path.name not in names:
                _delete(path)
        for folder in self._index_folder.glob("vectors-*"):
            if folder != self._folder:
                shutil.rmtree(folder, ignore_errors=True)

    def _path(self, manifest: Manifest, kind: str) -> Path:
        return self._folder / f"{manifest.generation}.{kind}"


def _write_at(path: Path, offset: int, data: bytes) -> None:
    """Write at an offset, drop what a killed process left behind it, and wait for the disk."""
    with path.open("r+b") as file:
        file.truncate(offset)
        file.seek(offset)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _delete(path: Path) -> None:
    with suppress(OSError):  # Windows keeps a mapped file; it is deleted the next time
        path.unlink()
