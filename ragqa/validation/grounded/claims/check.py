"""An answer says that something was done only if a record of this run says so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.language import sentences
from ragqa.language.late import late
from ragqa.language.script import has_han
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, sources_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.grounded.visible import cited_passages

if TYPE_CHECKING:
    from ragqa.validation.grounded.claims.claim import Claim

CODE = "context.unproven_claim"
_MAX_FAULTS = 3
_MAX_SHOWN_CHARS = 120
_MAX_SENTENCE_CHARS = 2000
# Nearly every answer holds none of these, and then nothing more is looked at.
_SIGN_EN = late(
    r"ed\b|\b(?:sent|been|reset|set|paid|made|bought|took|taken|put|done|withdrew|withdrawn|went|gone|sorted|able|"
    r"managed|successful|complete|way|frozen)\b",
    re.IGNORECASE,
)
_SIGN_ZH = late(r"[已了好]|成功|完[成毕]|刚|搞定")


class ClaimsProven:
    """Refuse an answer that says, without a record that bears it out, that something was done.

    "Your ticket has been created" needs a tool of this run that creates things and has succeeded,
    or has been verified where its policy asks for that. A statement that a cited passage supports
    is none, nor is a rule, a condition, a question, or what may or will happen; what a look-up
    returned may be told, but not as something that the assistant did.

    Where passages are cited whose texts are not known, only what the assistant says of itself
    ("I have created it") is judged.
    """

    name = "claims"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on in which every such claim is borne out."""
        answer = answer_of(value)
        answer = simplified(answer or "")
        if not answer or not (_SIGN_EN.search(answer) or _SIGN_ZH.search(answer)):
            return Passed(value)
        cited = cited_passages(value, context)
        unknown = cited is None and bool(sources_of(value))
        texts = [each.text for each in cited or ()]
        faults = [
            fault
            for claim in claims_in(answer)
            if not (unknown and not claim.by_assistant)
            and (fault := _fault(claim, texts, context)) is not None
        ]
        once = tuple({fault.feedback: fault for fault in reversed(faults)}.values())[::-1]
        return Rejected(once[:_MAX_FAULTS], value=value) if once else Passed(value)


def claims_in(text: str) -> Iterator[Claim]:
    """Yield what a text says that the assistant did, or had done, in this run.

    >>> [claim.verb for claim in claims_in("I have created the ticket and sent you a mail.")]
    ['created', 'sent']
    >>> list(claims_in("Orders can be cancelled until they are shipped."))
    []
    >>> [claim.verb for claim in claims_in("已为您取消订单。")]
    ['取消']
    """
    from ragqa.validation.grounded.claims.chinese import chinese_claims
    from ragqa.validation.grounded.claims.english import english_claims

    text = simplified(text)
    for start, end in sentences(text):
        sentence = text[start : min(end, start + _MAX_SENTENCE_CHARS)]
        if has_han(sentence):
            if _SIGN_ZH.search(sentence):
                yield from chinese_claims(sentence)
        elif _SIGN_EN.search(sentence):
            yield from english_claims(sentence)


def _fault(claim: Claim, texts: list[str], context: CheckContext) -> Fault | None:
    """Return what is wrong with a claim; None where it is borne out."""
    from ragqa.validation.grounded.claims import proof

    if proof.is_supported(claim, texts):
        return None
    bearing = [record for record in context.records if proof.bears(record, claim)]
    if bearing:
        return _misreported(claim, bearing, texts, context)
    if not claim.by_assistant and _is_looked_up(claim, context):
        return None
    shown = " ".join(claim.text.split())[:_MAX_SHOWN_CHARS]
    feedback = (
        f"answer: it says {shown!r}, but no tool of this run has done that."
        f" {proof.told(context.records)} Say only what was done; what failed, waits or is not known"
        " yet, say so."
    )
    return Fault(
        CODE, f"the answer says {claim.verb!r}, and no record bears it out", feedback, "answer"
    )


def _misreported(
    claim: Claim, bearing: list[Mapping[str, Any]], texts: list[str], context: CheckContext
) -> Fault | None:
    """Return what a claim says of another thing, or of more things, than its records do."""
    from ragqa.validation.grounded.claims import proof
    from ragqa.validation.grounded.claims.counted import too_many

    known = [*context.evidence, *texts, *map(_as_text, bearing)]
    if not proof.names_ids(bearing):  # else they say themselves which one it was
        known.append(context.question)
    wrong = proof.unknown_ids(claim, known) if context.evidence else []
    wrong += proof.unknown_names(claim, [*known, context.question]) if context.evidence else []
    if wrong:
        return _wrong_id(claim, wrong)
    counted = too_many(claim, bearing, context.evidence)
    if not counted:
        return None
    return Fault(
        CODE,
        f"the answer says {counted!r}, and {len(bearing)} were done",
        f"answer: it says {counted!r}, but fewer were done. {proof.told(context.records)}"
        " Say how many were.",
        "answer",
    )


def _is_looked_up(claim: Claim, context: CheckContext) -> bool:
    """Tell whether tools returned what is claimed, and one that only reads was among them."""
    from ragqa.validation.grounded.claims.proof import is_done, is_supported
    from ragqa.validation.grounded.claims.reported import about, is_reported

    reads = [each for each in context.records if each.get("read_only") and is_done(each)]
    if not reads:
        return False
    tools = [str(record.get("name") or "") for record in reads]
    returned = [row for text in context.evidence for row in about(claim, text)]
    return is_supported(claim, returned) or is_reported(claim, returned, tools)


def _wrong_id(claim: Claim, wrong: list[str]) -> Fault:
    named = ", ".join(repr(each[:40]) for each in wrong)
    reason = f"the answer names {named}, which no result holds"
    return Fault(
        CODE,
        reason,
        f"answer: {named} stands in no tool's result. Give it as the result has it.",
        "answer",
    )


def _as_text(record: Mapping[str, Any]) -> str:
    return json.dumps(dict(record), ensure_ascii=False, default=str)
