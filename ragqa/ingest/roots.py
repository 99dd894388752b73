"""What a path that was given covers: a file, a folder, or what matches a glob."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

_MAGIC = re.compile(r"[*?\[]")
_CLASS_MARK = re.compile(r"[\\^\[]")


@dataclass(frozen=True, slots=True)
class Root:
    """A path that was given.

    Attributes:
        given: As the user wrote it.
        location: The file or folder; for a glob, the folder before its first wildcard. Absolute,
            symbolic links resolved.
        pattern: What the path below ``location`` has to match; ``None`` for no glob.
    """

    given: str
    location: Path
    pattern: re.Pattern[str] | None = None

    def covers(self, location: Path) -> bool:
        """Tell whether a file belongs to this path, whether or not it still exists."""
        if location != self.location and self.location not in location.parents:
            return False
        return self.pattern is None or self.matches(location.relative_to(self.location))

    def matches(self, relative: PurePath) -> bool:
        """Tell whether a path below the folder, or a folder above it, matches the glob.

        As in a shell, a folder that matches stands for all that is in it.
        """
        if self.pattern is None:
            return True
        return any(self.pattern.fullmatch(name) for name in _prefixes(relative))


def root_of(given: str) -> Root:
    """Return what a path stands for; a name that exists is no glob, whatever signs it holds."""
    path = _expanded(Path(given))
    if _MAGIC.search(given) is None or path.exists():
        return Root(given, real(path))
    parts = path.parts
    first = next(at for at, part in enumerate(parts) if _MAGIC.search(part))
    return Root(given, real(Path(*parts[:first])), _compiled("/".join(parts[first:])))


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # a name that begins like the home of a user whom nobody knows
        return path


def real(path: Path) -> Path:
    """Return a path absolute and without symbolic links; one in a loop stays as it is."""
    return Path(os.path.realpath(path))


def _prefixes(relative: PurePath) -> Iterator[str]:
    for length in range(1, len(relative.parts) + 1):
        yield "/".join(relative.parts[:length])


def _compiled(glob: str) -> re.Pattern[str]:
    """Translate a glob: ``**`` stands for any folders, the other wildcards stay inside a name."""
    out, at = [], 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            out.append(".*")
            at += 2
        elif glob[at] == "[" and (end := glob.find("]", at + 2)) > 0:
            out.append(_character_class(glob[at + 1 : end]))
            at = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[at], re.escape(glob[at])))
            at += 1
    return re.compile("".join(out), re.DOTALL)


def _character_class(inside: str) -> str:
    negated = inside.startswith(("!", "^"))
    chars = _CLASS_MARK.sub(r"\\\g<0>", inside[1:] if negated else inside)
    return f"[^/{chars}]" if negated else f"[{chars}]"
