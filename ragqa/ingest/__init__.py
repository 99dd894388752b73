"""Files to an index: found, decoded, parsed, split, and kept up to date.

Importing it is cheap: the parsers and the libraries behind them load with the first file of theirs.
"""

from ragqa.ingest.parse import parse
from ragqa.ingest.report import IndexReport, SkippedFile
from ragqa.ingest.sync import sync

__all__ = ["IndexReport", "SkippedFile", "parse", "sync"]
