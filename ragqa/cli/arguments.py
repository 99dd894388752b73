"""Arguments that several commands take, in the same words."""

from __future__ import annotations

import argparse


def add_docs(parser: argparse.ArgumentParser) -> None:
    """Declare ``--docs``."""
    parser.add_argument(
        "--docs",
        nargs="+",
        action="extend",
        metavar="PATH",
        help="files, folders or globs; what is new or changed is indexed first",
    )


def add_chain(parser: argparse.ArgumentParser) -> None:
    """Declare ``--chain``."""
    parser.add_argument(
        "--chain",
        metavar="NAME",
        help="how to answer; default: stuff with a model, else extractive",
    )


def add_groups(parser: argparse.ArgumentParser, verb: str = "used") -> None:
    """Declare ``--group``.

    Args:
        parser: The command's.
        verb: What the groups decide of documents: whether they may be used, or found.
    """
    parser.add_argument(
        "--group",
        nargs="+",
        action="extend",
        metavar="NAME",
        help=f"groups of the caller: decide which documents may be {verb}",
    )
