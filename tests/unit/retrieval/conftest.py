from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import WordEmbeddings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index"


@pytest.fixture
def opened(folder: Path) -> Callable[..., EmbeddedIndex]:
    """Open the test's index once more, as another process would."""

    def make(**options: Any) -> EmbeddedIndex:
        return EmbeddedIndex(folder, **options)

    return make


@pytest.fixture
def index(opened: Callable[..., EmbeddedIndex]) -> EmbeddedIndex:
    return opened()


@pytest.fixture
def embeddings() -> WordEmbeddings:
    return WordEmbeddings()
