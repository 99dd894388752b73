"""The packages' modules, as their sources stand on disk."""

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("ragqa", "chains", "prompts")


@dataclass(frozen=True)
class Module:
    name: str
    path: Path

    @property
    def tree(self):
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @property
    def lines(self):
        return len(self.path.read_text(encoding="utf-8").splitlines())


def modules():
    return [
        Module(_name(path), path)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    ]


def _name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
