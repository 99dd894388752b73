"""What answers questions, made from a command's arguments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragqa.app import Asker


def asker_for(args: argparse.Namespace) -> tuple[Asker, int]:
    """Index what the arguments name, with a progress bar; return what answers questions.

    Returns:
        The asker, and how many questions it may be given at a time.
    """
    from ragqa import app
    from ragqa.cli.progress import Bar
    from ragqa.cli.report_text import say_skipped
    from ragqa.settings import Settings

    settings = Settings.load()
    with Bar() as bar:
        asker = app.asker(docs=args.docs, chain=args.chain, settings=settings, progress=bar.update)
    if asker.report is not None:
        say_skipped(asker.report)
    return asker, settings.concurrency
