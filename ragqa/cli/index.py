"""``ragqa index``: read documents into the index."""

from __future__ import annotations

import argparse

from ragqa.cli import terminal
from ragqa.errors import RetrievalError

SUMMARY = "read documents into the index"
DESCRIPTION = """\
Read documents into the index: what is new is added, what changed is replaced, what has gone is
removed; the rest costs a look. Reads txt, md, html, pdf, docx, csv, tsv, json and jsonl.
"""
EPILOG = """\
examples:
  ragqa index docs/ prices.csv
  ragqa index "manuals/**/*.pdf" --dry-run
  ragqa index docs/ --to azure                  into AZURE_SEARCH_INDEX
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="files, folders or globs")
    add("--to", choices=("embedded", "azure"), help="where to; default: RAGQA_RETRIEVER")
    add("--dry-run", action="store_true", help="say what would be done, change nothing")
    add("--json", action="store_true", help="print the report as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Index the paths and show the report."""
    from ragqa import app
    from ragqa.cli.progress import Bar
    from ragqa.cli.report_text import report_text, say_skipped

    with Bar() as bar:
        report = app.index(args.paths, to=args.to, progress=bar.update, dry_run=args.dry_run)
    if terminal.for_people(as_json=args.json):
        terminal.write(report_text(report))
    else:
        terminal.write_json(report.model_dump(mode="json"))
        say_skipped(report)
    if report.failed:
        terminal.say(f"ragqa: {report.failed} passages did not get into the index.")
        return RetrievalError.exit_code
    return 0
