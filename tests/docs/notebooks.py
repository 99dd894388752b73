"""Runs a notebook from its beginning in a folder of its own.

``python -m tests.docs.notebooks notebooks/01_first_answers.ipynb`` runs it and keeps the outputs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
TIMEOUT_S = 120


def execute(path: Path, folder: Path) -> Any:
    """Return the notebook with the outputs of a fresh run in ``folder``."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    with _only_defaults():
        NotebookClient(
            notebook,
            timeout=TIMEOUT_S,
            coalesce_streams=True,  # a slow machine prints a line in pieces
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
        ).execute()
    for cell in notebook.cells:
        cell.metadata = {}  # the moments at which cells ran
    notebook.metadata = nbformat.from_dict({"language_info": {"name": "python"}})
    return notebook


@contextmanager
def _only_defaults() -> Iterator[None]:
    """Hide settings of the person who runs this from the notebook."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("RAGQA_", "OPENAI_", "AZURE_", "LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def outputs(notebook: Any) -> list[str]:
    """Return what each code cell printed and gave, as text."""
    return [
        "".join(_text(output) for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _text(output: Any) -> str:
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    if output.output_type == "error":
        return f"error: {output.ename}"
    return f"result: {output.data.get('text/plain', '')}"


def main() -> None:
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(execute(Path(name), Path(folder)), name)


if __name__ == "__main__":
    main()
