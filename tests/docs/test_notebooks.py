"""Every notebook runs from its beginning and gives what it shows."""

import json
import re

import nbformat
import pytest

from tests.docs.notebooks import NOTEBOOKS, execute, outputs

MACHINE_TRACES = re.compile(r"/(home|root|Users|tmp|work|var)/|sk-[A-Za-z0-9]|\b\d+(\.\d+)? ?ms\b")


def test_there_are_notebooks():
    assert [path.name for path in NOTEBOOKS][:1] == ["01_first_answers.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_fresh_run_gives_the_outputs_shown(path, tmp_path):
    shown = nbformat.read(path, as_version=4)
    assert outputs(execute(path, tmp_path)) == outputs(shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_hold_no_trace_of_a_machine(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        assert not MACHINE_TRACES.search(json.dumps(cell.get("outputs", []), ensure_ascii=False))
        assert not cell.metadata, "cells carry no metadata: moments, editors"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_cell_failed(path):
    for cell in nbformat.read(path, as_version=4).cells:
        assert all(output.output_type != "error" for output in cell.get("outputs", []))
