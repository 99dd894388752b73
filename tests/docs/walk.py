"""Walks through a README as a newcomer: every block in order, in one folder."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.markdown import ROOT, Block, blocks
from tests.docs.terminal import Ran, environment, on_terminal, piped

MODEL_ADDRESS = "http://localhost:11434/v1"
NOT_RUN = re.compile(r"(pip install|python3 -m venv|\. \.venv/bin/activate|make (test|check)$)")
"""Commands that set up what the tests already run in, or that would run the tests again."""


@dataclass
class Walk:
    """One page's blocks, run in the folder as a reader would run them.

    Attributes:
        folder: Where they run.
        model_address: What stands for the address of a model.
        more: More of the environment.
        stands_for: What else on the page stands for what in the tests.
    """

    folder: Path
    model_address: str
    more: dict[str, str] = field(default_factory=dict)
    stands_for: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Lay out what a clone holds, as far as the README speaks of it."""
        shutil.copy(ROOT / "Makefile", self.folder)
        shutil.copytree(ROOT / "ragqa" / "samples", self.folder / "ragqa" / "samples")

    def run(self, block: Block) -> Ran:
        """Run a block; what it shows decides whether its output goes to a terminal."""
        if block.language == "python":
            name = f"{block.name.replace(':', '_')}.py"
            (self.folder / name).write_text(block.code, encoding="utf-8")
            return piped(f"python -P {name}", self.folder, self._environment)
        script = self.script(block)
        if block.shown_language == "text":
            return on_terminal(script, self.folder, self._environment)
        return piped(script, self.folder, self._environment)

    def script(self, block: Block) -> str:
        """Return the block's commands, less those that set up the environment."""
        commands = [command for command in block.commands if not NOT_RUN.match(command)]
        made = f"make VENV={sys.prefix} -o {sys.prefix}/bin/.installed "
        script = "\n".join(re.sub(r"^make ", made, command) for command in commands)
        for shown, real in {MODEL_ADDRESS: self.model_address, **self.stands_for}.items():
            script = script.replace(shown, real)
        return script

    @property
    def _environment(self) -> dict[str, str]:
        return environment(HOME=str(self.folder), PYTHONSAFEPATH="1", **self.more)


def runnable(path: Path) -> list[Block]:
    """Return the blocks that a reader runs."""
    return blocks(path, "sh", "python")
