"""``python -m ragqa`` and the installed command ``ragqa``."""

from __future__ import annotations

import os
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: The arguments without the program's name; those of the process if not given.
    """
    _look_at_home_last()
    try:
        from ragqa.cli import run

        return run(argv)
    except KeyboardInterrupt:  # while the package was still loading
        return 130


def _look_at_home_last() -> None:
    """Move the working directory to the end of the path.

    ``python -m`` puts it first, where a folder named chains or prompts would be taken for ours.
    The installed command has none there; where ``RAGQA_TOOLS`` names tools, both find the same.
    """
    try:
        here = os.getcwd()  # noqa: PTH109 -- pathlib is not loaded yet, and need not be
    except OSError:  # the folder was deleted
        here = ""
    local = [entry for entry in sys.path if entry in ("", here)]
    if not local and here and os.environ.get("RAGQA_TOOLS") and not sys.flags.safe_path:
        local = [here]
    sys.path[:] = [entry for entry in sys.path if entry not in ("", here)] + local


if __name__ == "__main__":
    sys.exit(main())
