"""The command line: one file a command, and the rendering."""

from ragqa.cli.run import run

__all__ = ["run"]
