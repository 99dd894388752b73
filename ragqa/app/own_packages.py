"""Make sure that ``chains`` and ``prompts`` are ragqa's: other folders bear these names, too."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ragqa.errors import ConfigError

_HOME = Path(__file__).resolve().parents[2]


def require_own_packages() -> None:
    """Refuse to go on where another package would be taken for ours.

    Raises:
        ConfigError: Names both paths.
    """
    for name in ("chains", "prompts"):
        found, expected = _found(name), _HOME / name
        if not found or Path(found).resolve() != expected:
            raise ConfigError(
                f"Python finds another package named {name!r}: {found or 'none'}, "
                f"where ragqa needs {expected}.",
                hint="Rename it, or take its folder off PYTHONPATH, or install ragqa into an "
                "environment of its own.",
            )


def _found(name: str) -> str:
    spec = find_spec(name)
    if spec is None:
        return ""
    return next(iter(spec.submodule_search_locations or ()), spec.origin or "")
