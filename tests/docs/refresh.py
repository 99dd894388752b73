"""Puts the outputs of a fresh run into the READMEs where they differ from those shown.

``python -m tests.docs.refresh`` after a change that alters answers; read the difference before you
commit it. JSON is written by hand, with ``"…"`` for what varies: differences are only printed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.docs.markdown import READMES, Block, agrees, json_agrees
from tests.docs.replies import REPLY
from tests.docs.terminal import Ran
from tests.docs.walk import Walk, runnable
from tests.wire.openai_server import OpenAIServer


def refresh(readme: Path) -> None:
    """Run a README's blocks and correct the outputs that it shows."""
    with OpenAIServer(always=json.dumps(REPLY)) as server, tempfile.TemporaryDirectory() as folder:
        walk = Walk(Path(folder), server.base_url)
        walk.prepare()
        for block in runnable(readme):
            _correct(readme, block, walk.run(block))


def _correct(readme: Path, block: Block, ran: Ran) -> None:
    if ran.code:
        sys.stderr.write(f"{block.name} ended with {ran.code}: {ran.out}{ran.err}\n")
    elif block.shown_language == "json":
        if not json_agrees(json.loads(block.shown or "null"), json.loads(ran.out)):
            sys.stderr.write(f"{block.name} printed {ran.out}\n")
    elif block.shown is not None and not agrees(block.shown, ran.out):
        text = readme.read_text("utf-8")
        at = text.index(f"```text\n{block.shown}", text.index(block.code))
        end = at + len("```text\n") + len(block.shown)
        corrected = f"{text[:at]}```text\n{ran.out.strip()}\n{text[end:]}"
        readme.write_text(corrected, encoding="utf-8")


if __name__ == "__main__":
    for path in READMES:
        refresh(path)
