"""Gate 1: the one JSON object of a reply.

    a text ─▶ search ─▶ reader (strings, scalars) ─▶ choice (wrappers) ─▶ a dict

``REPAIRS`` names everything that may be mended on the way.
"""

from __future__ import annotations

from ragqa.validation.syntax.gate import SyntaxGate
from ragqa.validation.syntax.repairs import REPAIRS

__all__ = ["REPAIRS", "SyntaxGate"]
