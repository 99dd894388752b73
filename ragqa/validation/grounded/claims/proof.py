"""What bears a claim out: the record of a tool that has that effect, or what is cited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragqa.grounding.figures import figures, missing
from ragqa.grounding.readable import readable
from ragqa.language import content_terms, sentences
from ragqa.language.late import late
from ragqa.language.script import has_han
from ragqa.language.traditional import simplified
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import ANY, effects_named, things_named
from ragqa.validation.grounded.claims.telling import stands, tells
from ragqa.validation.grounded.claims.wording import worded

Record = Mapping[str, Any]
_SHARE = 0.6
"""Of a claim's words that one sentence of a passage has to hold, its verb among them."""
_ID = late(r"#\s?[A-Za-z]*\d[A-Za-z0-9-]*|(?<![A-Za-z0-9])(?:[A-Z]{1,8}-?\d[A-Za-z0-9-]*|\d{4,})")

_QUOTED = late(
    r"(?<!\w)[\"“'‘]([^\"“”'‘’\n]{2,80})[\"”'’](?!\w)|[“‘「『《]([^”’」』》\n]{2,80})[”’」』》]"
)


_CLAUSES = late(r"[,;，；]\s*(?:and\s+)?|\band\s+(?=(?:the|its|an?|it|they)\b)")


def is_done(record: Record) -> bool:
    """Tell whether what was asked of a tool is done, as its policy defines it."""
    state = record.get("state")
    if state not in ("succeeded", "verified"):
        return False
    return record.get("done") is not False


def bears(record: Record, claim: Claim) -> bool:
    """Tell whether a record bears a claim out: done, with an effect, and with that one."""
    if not is_done(record) or record.get("read_only"):
        return False
    told = " ".join(str(record.get(key) or "") for key in ("name", "effect", "description"))
    if _is_named(claim, record.get("claims") or ()):
        return True
    effects = effects_named(told)
    if ANY in claim.effects:
        return True
    about = things_named(told)
    if not effects:
        return not about or bool(about & things_named(claim.text))
    if effects.isdisjoint(claim.effects):
        return False
    claimed = things_named(claim.text)
    alike = not about or not claimed or bool(about & claimed)
    return alike or "send" in claim.effects or "change" in claim.effects


def _is_named(claim: Claim, words: Sequence[str]) -> bool:
    verb = claim.verb.lower()
    for word in words:
        folded = str(word).lower()
        if folded in (verb, claim.verb) or (len(folded) > 1 and folded in claim.text.lower()):
            return True
    return False


def _stands(said: str, text: str) -> bool:
    return stands(said, " ".join(text.split()).lower())


def is_supported(claim: Claim, texts: Iterable[str]) -> bool:
    """Tell whether a sentence of the texts says the same, not only that it may be or is a rule.

    What names the assistant as who did it has to stand there word by word, but for the marks of
    lists and emphasis, which a quote leaves out. A sentence in the other
    language says the same if it tells it, and holds every figure of the claim.
    """
    said = " ".join(claim.text.split()).strip(" .。!！").lower()
    words = [frozenset(content_terms(each)) for each in {claim.text, _clause(claim)}]
    for text in map(simplified, texts):
        if said and (_stands(said, text) or _stands(said, readable(text))):
            return True
        if claim.by_assistant:
            continue
        for start, end in sentences(text):
            sentence = text[start:end]
            alike = any(_holds_words(sentence, each) for each in words) or _holds_figures(
                sentence, _clause(claim)
            )
            if alike and any(tells(sentence, each) for each in worded(claim)):
                return True
    return False


def _clause(claim: Claim) -> str:
    """Return the part of a claim's sentence that its verb stands in."""
    at = max(0, claim.text.find(claim.verb))
    starts = [match.end() for match in _CLAUSES.finditer(claim.text)]
    begin = max((start for start in starts if start <= at), default=0)
    return claim.text[begin : min((start for start in starts if start > at), default=None)]


def _holds_words(sentence: str, words: frozenset[str]) -> bool:
    held = frozenset(content_terms(sentence))
    return len(words & held) / max(1, len(words)) >= _SHARE


def _holds_figures(sentence: str, claimed: str) -> bool:
    """Tell whether a sentence of the other language holds all figures of a claim, one at least."""
    if has_han(sentence) == has_han(claimed):
        return False
    about, told_of = things_named(claimed), things_named(sentence)
    if about and told_of and about.isdisjoint(told_of):
        return False
    found = [each for each in figures(claimed) if not each.loose]
    return bool(found) and not missing(found, [sentence])


def names_ids(records: Sequence[Record]) -> bool:
    """Tell whether what the records' tools were given names things by numbers or ids."""
    given = [str(value) for record in records for value in (record.get("arguments") or {}).values()]
    return any(_ID.search(value) for value in given)


def unknown_ids(claim: Claim, texts: Sequence[str]) -> list[str]:
    """Return numbers and ids in a claim that stand in none of the texts."""
    known = " ".join(texts).lower()
    found = (match.group().lstrip("# ") for match in _ID.finditer(claim.text))
    return [each for each in dict.fromkeys(found) if each.lower() not in known]


def unknown_names(claim: Claim, texts: Sequence[str]) -> list[str]:
    """Return what a claim quotes as a name or title and no text has a word of."""
    known = frozenset(term for text in texts for term in content_terms(text))
    quoted = [match[1] or match[2] for match in _QUOTED.finditer(claim.text)]
    return [
        each
        for each in dict.fromkeys(quoted)
        if (terms := frozenset(content_terms(each))) and terms.isdisjoint(known)
    ]


def told(records: Sequence[Record]) -> str:
    """Return the facts of the records in a line, for whoever writes the answer."""
    if not records:
        return "No tool has done anything in this run."
    facts = []
    for record in records[:10]:
        done = "done" if is_done(record) and not record.get("read_only") else ""
        reads = "only looks things up" if record.get("read_only") else ""
        error = " ".join(str(record.get("error") or "").split())[:120]
        more = ", ".join(part for part in (done, reads, error) if part)
        facts.append(
            f"{record.get('name')}: {record.get('state')}" + (f" ({more})" if more else "")
        )
    return f"The tools of this run: {'; '.join(facts)}."
