"""The READMEs name every file of the state folder."""

import re

import pytest

from ragqa.agent.ledger.reader import LEDGER_FILE
from ragqa.agent.run.checkpoints import FILE_NAME as STEPS_FILE
from ragqa.app.indexing import INDEX_FOLDER
from ragqa.app.limits import LIMITS_FILE
from ragqa.app.reuse import ANSWERS_FILE
from ragqa.app.sessions import SESSIONS_FILE
from ragqa.providers.abilities import FILE_NAME as ABILITIES_FILE
from ragqa.records.store import _FILE as RECORDS_FILE
from ragqa.records.store import _HOLDERS as HOLDERS_FOLDER
from tests.docs.markdown import READMES, table_rows

THERE = {
    INDEX_FOLDER,
    RECORDS_FILE,
    HOLDERS_FOLDER,
    SESSIONS_FILE,
    ANSWERS_FILE,
    LIMITS_FILE,
    LEDGER_FILE,
    STEPS_FILE,
    ABILITIES_FILE,
}


@pytest.mark.parametrize(
    ("readme", "header"),
    list(zip(READMES, ("| in `RAGQA_HOME`", "| `RAGQA_HOME` 中"), strict=True)),
)
def test_every_file_is_named(readme, header):
    rows = table_rows(readme, header)
    assert {name for row in rows for name in re.findall(r"`([\w.]+)`", row[0])} == THERE
