"""What the model is told of a call, in English and Chinese."""

from __future__ import annotations

import prompts
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.results.text import bounded
from ragqa.masking import mask

MAX_DETAIL_CHARS = 1500


def phrase(language: str, part: str, tool: str, detail: str = "", max_chars: int = 0) -> str:
    """Return a message about a tool call; what stands in it is data, never a template."""
    detail = bounded(detail, max_chars or MAX_DETAIL_CHARS)
    parts = dict(prompts.load("tool_results", language).render(tool=tool[:100], detail=detail))
    return parts[part].strip()


def state_phrase(language: str, record: ToolRecord, max_chars: int) -> tuple[str, bool]:
    """Return what the model is told of a record as it stands, and whether that is an error."""
    if record.state == "verified":
        return _result(language, "confirmed", record, max_chars), False
    if record.state == "succeeded":
        if not record.is_done:
            return _result(language, "unconfirmed", record, max_chars), False
        return record.result or phrase(language, "nothing", record.name), False
    if record.state == "running" and record.asynchronous and record.owner is None:
        return _result(language, "accepted", record, max_chars), False
    return _problem(language, record, mask(record.error)), True


def _problem(language: str, record: ToolRecord, error: str) -> str:
    if record.state == "running":
        return phrase(language, "elsewhere", record.name)
    if record.state == "unknown":
        return phrase(language, "unknown", record.name, error)
    return _failure(language, record, error)


def _failure(language: str, record: ToolRecord, error: str) -> str:
    finding = (record.verification or {}).get("finding")
    if record.was_declined and record.approval is not None:
        kind = "refused" if record.approval.decision == "refused" else "expired"
        return phrase(language, kind, record.name, mask(record.approval.reason))
    if finding == "mismatch":
        return phrase(language, "mismatch", record.name, _differing(record) or error)
    if finding == "not_found":
        return phrase(language, "absent", record.name, error)
    if record.attempt == 0:
        return phrase(language, "not_run", record.name, error)
    return phrase(language, "failed", record.name, error)


def _differing(record: ToolRecord) -> str:
    differing = (record.verification or {}).get("differing") or {}
    return "; ".join(
        f"{name}: {each.get('asked')!r} → {each.get('found')!r}" for name, each in differing.items()
    )


def _result(language: str, part: str, record: ToolRecord, max_chars: int) -> str:
    return phrase(language, part, record.name, record.result, max_chars)
