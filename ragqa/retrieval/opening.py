"""Opens the files of a text index, also where they cannot be written.

tantivy locks even to read. What lies in a container's image, or belongs to somebody else, is read
through links in a folder of this process's own.
"""

from __future__ import annotations

import shutil
import weakref
from pathlib import Path

import tantivy

from ragqa.retrieval.analysis import ANALYZER, analyzer
from ragqa.retrieval.faults import is_denied

_LOCK = ".lock"


def opened(folder: Path) -> tantivy.Index:
    """Return the index that lies in a folder."""
    index = tantivy.Index.open(str(folder))
    index.register_tokenizer(ANALYZER, analyzer())
    index.config_reader("manual")
    return index


def opened_to_read(folder: Path) -> tuple[tantivy.Index, Links | None]:
    """Return the index, and the links that it is read through, if it has to be.

    They show the state of now, and last as long as they are held.
    """
    try:
        return opened(folder), None
    except ValueError as exc:
        if not is_denied(exc):
            raise
        links = Links(folder)
        return opened(links.folder), links


class Links:
    """A folder of links to the files of an index, without its locks; it goes with this object.

    Args:
        index: The folder of the index.
    """

    def __init__(self, index: Path) -> None:
        from tempfile import mkdtemp  # only where it is needed

        self.folder = Path(mkdtemp(prefix="ragqa-index-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        for file in index.iterdir():
            if file.suffix != _LOCK:
                (self.folder / file.name).symlink_to(file.absolute())
