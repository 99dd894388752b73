"""Numbers as arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def count(low: int, high: int) -> Callable[[str], int]:
    """Return a type for argparse: a whole number within limits."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} to {high}")
        return number

    return convert
