"""An answer that no model wrote, on its way to the gates."""

from __future__ import annotations

from dataclasses import dataclass

from ragqa.contract import Citation


@dataclass(frozen=True, slots=True)
class Draft:
    """What the stage ``quote`` leaves in ``turn.notes["draft"]``.

    Attributes:
        response_json: The answer as the gates take it: a JSON object of the schema.
        citations: The quoted sentences, whole.
        abstained: Whether the evidence is too thin to answer.
    """

    response_json: str
    citations: tuple[Citation, ...] = ()
    abstained: bool = False
