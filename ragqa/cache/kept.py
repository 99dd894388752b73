"""An Answer as text and back, with all that the caller may want to know of it."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from ragqa.contract import Answer, Citation, Passage, QAResponse

_FORM = 1
_PASSAGE_FIELDS = tuple(Passage.model_fields)


def as_json(answer: Answer) -> str:
    """Return what is kept of an answer: the response, its evidence, and the run it came from."""
    return json.dumps(
        {
            "form": _FORM,
            "response": answer.response.model_dump(mode="json"),
            "chain": answer.chain,
            "status": answer.status,
            "reason": answer.reason,
            "citations": [citation.model_dump(mode="json") for citation in answer.citations],
            "passages": [_passage(passage) for passage in answer.passages],
            "run_id": answer.run_id,
        },
        ensure_ascii=False,
    )


def _passage(passage: Passage) -> dict[str, Any]:
    # Excluded fields are kept out of the JSON for callers, not out of this one.
    return {name: getattr(passage, name) for name in _PASSAGE_FIELDS}


def from_json(text: str, schema: type[QAResponse]) -> Answer | None:
    """Return a kept answer; None where it was kept in another form, or does not fit the schema.

    Args:
        text: What :func:`as_json` returned.
        schema: The response class; the one with which it was accepted.
    """
    try:
        kept = json.loads(text)
        if kept.pop("form") != _FORM:
            return None
        response = schema.model_validate_json(json.dumps(kept.pop("response")))
        return Answer(
            response=response,
            citations=tuple(Citation.model_validate(item) for item in kept.pop("citations")),
            passages=tuple(Passage.model_validate(item) for item in kept.pop("passages")),
            **kept,
        )
    except (ValueError, ValidationError, TypeError, AttributeError, KeyError):
        return None
