"""English sentences in which the assistant says that it did something.

What is looked at is the form of the sentence: who acts, the tense, and what makes it a condition,
a possibility, a rule, a question or its contrary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.language.late import late
from ragqa.validation.grounded.claims import english_forms as forms
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import ANY, BASES, NOUNS, PARTICIPLES


def english_claims(sentence: str) -> Iterator[Claim]:
    """Yield what a sentence says that was done, in this run as it seems."""
    if sentence.rstrip().rstrip("\"'”’)").endswith(("?", "？")):
        return
    if not forms.EFFECT.search(sentence):
        return
    found = sorted(_found(sentence), key=lambda item: item[0])
    seen: set[int] = set()
    for at, claim in found:
        if at not in seen:
            seen.add(at)
            yield claim
    if found:
        yield from _joined(sentence, found[0], seen)


def _found(sentence: str) -> Iterator[tuple[int, Claim]]:
    for match in forms.FIRST.finditer(sentence):
        group = next(name for name in ("done", "do", "had", "made", "put") if match[name])
        at, end = match.span(group)
        if _is_said(sentence, match.start(), at, end, first=True) and not forms.OWN_TEXT.match(
            sentence[end:]
        ):
            yield at, _claim(sentence, match[group], by_assistant=match["who"].lower() == "i")
    for match in forms.FIRST_AND.finditer(sentence):
        group = "up" if match["up"] else "done"
        if _is_said(sentence, match.start(), *match.span(group), first=True):
            who = (match["who"] or match["who2"]).lower()
            yield match.start(group), _claim(sentence, match[group], by_assistant=who == "i")
    for pattern, judge in ((forms.PASSIVE, _passive), (forms.PAST, _past), (forms.STATE, _state)):
        for match in pattern.finditer(sentence):
            at, end = match.span("done")
            if judge(match, sentence) and _is_said(sentence, match.start("aux"), at, end):
                yield at, _claim(sentence, match["done"])
    yield from _headless(sentence)


def _headless(sentence: str) -> Iterator[tuple[int, Claim]]:
    """Find claims without a subject: "Done.", "Ticket created.", "Cancelled your order."."""
    for pattern in (forms.NOUN_DONE, forms.NOUN_OF_DONE, forms.BARE):
        match = pattern.match(sentence)
        if match and not forms.NEGATED.search(sentence[: match.end("done")]):
            rest = match["rest"] or ""
            if (
                not forms.LATER_VERB.search(rest)
                and not forms.RULE.match(rest)
                and not _is_general(match, rest)
                and not _is_order(match)
            ):
                yield match.start("done"), _claim(sentence, match["done"])
    for match in (*forms.WENT.finditer(sentence), *forms.ALL_DONE.finditer(sentence)):
        group = match.lastgroup or ""
        if _is_said(sentence, match.start(), match.start(group), match.end(group)):
            yield match.start(group), Claim(sentence, match[group], frozenset({ANY}))


def _is_order(match: re.Match[str]) -> bool:
    """Tell whether "Set the level in …" tells the reader to: its form is the same in the past."""
    head, goes_on = match[0][: match.start("done") - match.start()], bool(match["rest"])
    return goes_on and not head.strip() and match["done"] in _ORDERS


_ORDERS = frozenset({"Set", "Reset"})


def _is_general(match: re.Match[str], rest: str) -> bool:
    return bool(
        forms.AGENT.match(rest)
        or forms.PAST_TIME.search(rest)
        or forms.CONDITION.search(match[0])
        or forms.POSSIBLE.search(match[0])
    )


def _joined(sentence: str, first: tuple[int, Claim], seen: set[int]) -> Iterator[Claim]:
    """Find what is said in one breath with a claim: "I created the ticket and sent a mail"."""
    for match in forms.AND.finditer(sentence, first[0]):
        at, end = match.span("done")
        between = sentence[match.start() : at]
        if at in seen or forms.NEGATED.search(between) or forms.POSSIBLE.search(between):
            continue
        clause = clause_before(sentence, match.start())
        if not forms.CONDITION.search(clause) and not sentence[end:].lstrip().startswith(
            ("no ", "nothing")
        ):
            seen.add(at)
            yield _claim(sentence, match["done"], by_assistant=first[1].by_assistant)


def _passive(match: re.Match[str], sentence: str) -> bool:
    subject = _subject(sentence, match.start())
    if forms.RELATIVE.search(subject) or forms.GENERAL.search(subject):
        return False
    contracted = match["aux"].startswith(("'", "’"))
    if contracted and not _PRONOUN.search(subject) and not forms.YOU.search(subject):
        return False
    if forms.YOU.search(subject):
        return True
    if re.fullmatch(forms.NOTIFIED, match["done"], re.IGNORECASE):
        return (
            bool(re.search(r"\b(?:your|our|the)\b", subject, re.I)) or subject.strip()[:1].isupper()
        )
    return bool(
        forms.REQUESTED.search(subject) or forms.YOUR.search(subject) or _is_thing(subject)
    ) and not (forms.AGENT.match(sentence[match.end() :]) or forms.PAST_TIME.search(sentence))


_PRONOUN = late(r"\b(?:it|that|this|everything|there|ticket|order|booking)$", re.IGNORECASE)


def _is_thing(subject: str) -> bool:
    """Tell whether a subject without an article is a thing with a number: "Ticket T-12"."""
    return bool(forms.THINGS.search(subject)) and any(char.isdigit() for char in subject)


def _past(match: re.Match[str], sentence: str) -> bool:
    subject, rest = _subject(sentence, match.start()), sentence[match.end() :]
    if (
        forms.RELATIVE.search(subject)
        or forms.GENERAL.search(sentence)
        or forms.PAST_TIME.search(sentence)
    ):
        return False
    if forms.AGENT.match(rest) or re.match(r"\s+(?:for\s+use|to\s+\w+\s+the|from|as\s+a)\b", rest):
        return False
    if forms.YOU.search(subject):
        return match["done"].lower() in ("refunded", "charged", "enrolled", "registered", "booked")
    pronoun = re.fullmatch(r"\W*(?:it|this|that|they|these|those|both|all)\W*", subject, re.I)
    mine = forms.REQUESTED.search(subject) or forms.YOUR.search(subject)
    return not pronoun and bool(mine or _is_thing(subject))


def _state(match: re.Match[str], sentence: str) -> bool:
    """Judge "your flight is booked": what stays so, not what happens as a rule."""
    subject, rest = _subject(sentence, match.start()), sentence[match.end() :]
    done, is_now = match["done"].lower(), bool(match["now"])
    if forms.RELATIVE.search(subject) or forms.GENERAL.search(sentence):
        return False
    if forms.RULE.match(rest) or forms.AGENT.match(rest):
        return False
    if forms.YOU.search(subject):
        return done not in _HAPPENS
    if re.fullmatch(_ONLY_PRONOUN, subject, re.IGNORECASE):
        return is_now or bool(re.fullmatch(_SETTLED, done))
    if not forms.THINGS.search(subject):
        return False
    ends = bool(re.match(r"\s*(?:[.!,;]|$|(?:for|at|on)\s)", rest))
    return (
        is_now
        or (bool(forms.YOUR.search(subject)) and done not in _HAPPENS)
        or (ends and bool(re.fullmatch(_SETTLED, done)) and match["aux"].strip() != "are")
    )


_ONLY_PRONOUN = r"\W*(?:it|this|that|everything|all|they)\W*"
_SETTLED = r"booked|confirmed|cancell?ed|reserved|set|saved"
_HAPPENS = frozenset(
    {"sent", "paid", "created", "updated", "placed", "deleted", "issued", "processed"}
)


def _subject(sentence: str, at: int) -> str:
    """Return the words before a verb, without introductions and without clauses before them."""
    words = _BEFORE.search(sentence[max(0, at - _MAX_SUBJECT_CHARS) : at])
    subject = forms.INTRODUCTION.sub("", words.group()) if words else ""
    return re.split(r"\b(?:that|and|but|so|because)\s+(?=\w)", subject)[-1]


_BEFORE = late(r"(?:[\w#'’./@-]+\s+){0,8}[\w#'’./@-]+\s*$")
_MAX_SUBJECT_CHARS = 90


def _is_said(sentence: str, start: int, at: int, end: int, *, first: bool = False) -> bool:
    """Tell whether a match is said outright: no condition, no possibility, not denied."""
    before = clause_before(sentence, at if not first else start)
    said = f"{forms.INTRODUCTION.sub('', before)} {sentence[start:at]}"
    if forms.NEGATED.search(said) or forms.POSSIBLE.search(said) or forms.CONDITION.search(said):
        return False
    if forms.ASKING.match(forms.INTRODUCTION.sub("", before)) or forms.QUOTED.search(
        sentence[1:at]
    ):
        return False
    if not first and forms.SIGN.match(sentence[:start]):
        return False
    after = sentence[end : end + 12].lstrip().lower()
    return not after.startswith(("no ", "nothing", "none", "neither"))


def clause_before(sentence: str, at: int) -> str:
    """Return the part of the clause that stands before a position."""
    begin = 0
    for match in forms.BOUNDARY.finditer(sentence, 0, at):
        begin = match.end()
    clause = sentence[begin:at]
    if begin and re.search(
        r"\b(?:if|when|once|after|before|until|unless|whether)\b", sentence[:begin], re.I
    ):
        # "If, as you say, it was sent": a condition that has no words of its own goes on.
        head = sentence[:begin]
        if len(head.split()) < 2:
            clause = head + clause
    return clause


def _claim(sentence: str, verb: str, *, by_assistant: bool = False) -> Claim:
    word = " ".join(verb.lower().split())
    known = (of.get(form) for form in (word, word.removesuffix("s")) for of in _EFFECTS)
    effects = next(filter(None, known), frozenset({ANY}))
    return Claim(sentence.strip(), verb, effects, by_assistant)


_OTHER = {
    "set up": frozenset({"create", "change", "book"}),
    "signed up": frozenset({"create", "change"}),
    "appointment": frozenset({"book", "create"}),
    "put in": frozenset({"create", "change"}),
}
_EFFECTS = (PARTICIPLES, BASES, NOUNS, _OTHER)
