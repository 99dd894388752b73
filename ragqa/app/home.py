"""The state folder: private, and ignored by git."""

from __future__ import annotations

from pathlib import Path

from ragqa.errors import ConfigError
from ragqa.settings import Settings

_IGNORE_ALL = "*\n"


def home_of(settings: Settings) -> Path:
    """Return the state folder, whether it exists or not."""
    return settings.home.absolute()


def made_home(settings: Settings) -> Path:
    """Return the state folder, made if need be: readable by its owner alone, ignored by git.

    A folder that was there before with other things in it is used as it is: neither its mode nor
    its ``.gitignore`` are ours to change.

    Raises:
        ConfigError: If it cannot be made.
    """
    home = home_of(settings)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if is_ours(home):
            home.chmod(0o700)
            _ignore_all(home / ".gitignore")
    except OSError as exc:
        raise ConfigError(
            f"RAGQA_HOME is {str(settings.home)!r} ({settings.source_of('RAGQA_HOME')}), "
            f"and that folder cannot be used: {exc.strerror}.",
            hint="Name a folder that you may write to.",
        ) from exc
    return home


def is_ours(home: Path) -> bool:
    """Tell whether a folder is empty or carries our mark."""
    ignore = home / ".gitignore"
    if ignore.is_file():
        return ignore.read_text(encoding="utf-8", errors="replace") == _IGNORE_ALL
    return not any(home.iterdir())


def _ignore_all(path: Path) -> None:
    if not path.exists():
        path.write_text(_IGNORE_ALL, encoding="utf-8")
