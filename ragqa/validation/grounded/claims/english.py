"""English sentences in which the assistant says that it did something.

What is looked at is the form of the sentence: who acts, the tense, and what makes it a condition,
a possibility, a rule, a question or its contrary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.language.late import late
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import ANY, BASES, PARTICIPLES, either

_DONE = either({**PARTICIPLES, "set up": None, "signed up": None, "taken care of": None})
_DO = either({**BASES, "set up": None, "sign up": None, "take care of": None})
_ADV = (
    r"(?:(?:just|now|already|also|since|then|both|all|gone ahead and|went ahead and|\w+ly|hereby|"
    r"today|for you|on your behalf|as requested|as you asked),?\s+){0,3}"
)
_THING = (
    r"(?:tickets?|cases?|issues?|incidents?|requests?|orders?|purchases?|bookings?|reservations?|"
    r"appointments?|meetings?|events?|invites?|invitations?|reminders?|e-?mails?|mails?|messages?|"
    r"notifications?|confirmations?|letters?|refunds?|payments?|transfers?|invoices?|charges?|"
    r"subscriptions?|accounts?|profiles?|address(?:es)?|passwords?|files?|documents?|records?|"
    r"entry|entries|tasks?|flights?|hotels?|rooms?|tables?|seats?|trips?|changes?|updates?|claims?|"
    r"complaints?|returns?|replacements?|shipments?|deliver(?:y|ies)|packages?|labels?|vouchers?|"
    r"coupons?|discounts?|memberships?|contracts?|settings|preferences|notes?|comments?|"
    r"phone numbers?|cancell?ations?|forms?|applications?|plans?|calls?|amount|money|balance|"
    r"reports?|drafts?|posts?|pages?|items?|products?|services?|technicians?|couriers?|pickups?|repairs?|"
    r"visits?|users?|licen[cs]es?|permissions?|everything)"
)
_ITSELF = r"(?:it|this|that|they|these|those|both|all)"
_PEOPLE = (
    r"(?:team|manager|support|agents?|technicians?|department|customers?|suppliers?|staff|colleagues?|"
    r"hr|it department|engineers?|owner|recipients?|participants?|attendees|everyone|\w+)"
)
_NOTIFIED = r"(?:notified|informed|alerted|e-?mailed|contacted|messaged|texted|invited)"

_EFFECT = late(
    rf"\b(?:{_DONE}|able\s+to|managed\s+to|made|put|took|taken|done|all\s+set|sorted|through|gone\s+out|"
    r"went\s+out|successful|complete|on\s+its\s+way|in\s+place|signed)\b",
    re.IGNORECASE,
)
_FIRST = late(
    rf"\b(?P<who>I|we)(?:['’]ve|\s+have|['’]d|\s+had)?\s+{_ADV}(?:"
    rf"(?P<done>{_DONE})\b"
    rf"|(?:(?:was|were)\s+able\s+to|managed\s+to)\s+{_ADV}(?P<do>{_DO})\b"
    rf"|(?:got|had|have)\s+(?:\w+\s+){{1,4}}(?P<had>{_DONE})\b"
    r"|made\s+(?:\w+\s+){1,3}?(?P<made>reservations?|bookings?|payments?|appointments?|changes?|"
    r"orders?|transfers?|updates?|purchases?)\b"
    r"|(?P<put>put\s+(?:in|through)|took\s+care\s+of|taken\s+care\s+of)\b)",
    re.IGNORECASE,
)
_PASSIVE = late(
    rf"(?P<aux>['’](?:s|ve)|\s+(?:has|have))\s+{_ADV}been\s+"
    rf"{_ADV}(?P<done>{_DONE}|made|done)\b",
    re.IGNORECASE,
)
_PAST = late(
    r"\b(?P<aux>was|were)\s+"
    rf"{_ADV}(?P<done>{_DONE})\b",
    re.IGNORECASE,
)
_STATE = late(
    r"(?P<aux>['’](?:s|re)|\s+(?:is|are))\s+"
    r"(?P<now>now\s+|all\s+|already\s+|successfully\s+|officially\s+)*"
    r"(?P<done>booked|confirmed|cancell?ed|scheduled|reserved|refunded|submitted|registered|enrolled|"
    r"subscribed|unsubscribed|signed\s+up|set\s+up|deleted|closed|paid|placed|sent|updated|created|set|"
    r"saved|activated|approved|changed|issued|processed|added|renewed|reset|opened|logged|removed)\b",
    re.IGNORECASE,
)
_WENT = late(
    r"\b(?:payment|order|booking|refund|e-?mail|message|transfer|request|reservation|cancell?ation|"
    r"change|confirmation|purchase|update)\s+(?:(?P<went>went|has\s+gone)\s+(?:through|out)"
    r"|(?:was|has\s+been)\s+(?P<ok>successful)|is\s+(?:now\s+)?(?P<is>complete|on\s+its\s+way|in\s+place))\b",
    re.IGNORECASE,
)
_HEAD = (
    r"^\W*(?:(?:ok(?:ay)?|great|sure|perfect|certainly|of course|absolutely|good news|all right|"
    r"alright|hi|hello|thanks|thank you|right|yes|confirmed|done|success)\b[,!.:–—\s-]*)*"
)
_ALL_DONE = late(
    r"(?:^|[.!,:;–—-]\s*)\W*(?:it['’]?s\s+|it\s+is\s+|that['’]?s\s+|this\s+is\s+|everything\s+is\s+|"
    r"consider\s+it\s+|all\s+)?"
    r"(?P<done>done|all\s+set|sorted|taken\s+care\s+of)\b(?=\s*(?:[.!,:;–—-]|$|for\s+you\b))"
    r"|\byou(?:['’]re|\s+are)\s+(?:now\s+)?(?P<set>all\s+set)\b",
    re.IGNORECASE,
)
_NOUN_DONE = late(
    rf"{_HEAD}(?:(?:the|your|a|an|new)\s+)*(?:[\w'’-]*[^\Ws]\s+){{0,2}}?{_THING}(?:\s+[#\w-]*\d[\w-]*)?\s+"
    rf"(?:(?:successfully|now|has|all)\s+)?(?P<done>{_DONE})\b(?P<rest>[^.!;\n]*)",
    re.IGNORECASE,
)
_BARE = late(
    rf"{_HEAD}(?:successfully\s+|just\s+)?(?P<done>{_DONE})(?:\s*(?:[.!:–—]|$)|\s+(?:successfully\b|"
    rf"(?:your|the|a|an|it|them|that|this|those|these|both|all|for\s+you)\b|{_THING}\s+[#\w-]*\d)(?P<rest>[^.!;\n]*))",
    re.IGNORECASE,
)
_AND = late(
    rf"(?:,|\band\b|\bthen\b|&)\s+(?:(?:also|then|I|we|have|I['’]ve|has|been|was|were)\s+){{0,3}}{_ADV}(?P<done>{_DONE})\b",
    re.IGNORECASE,
)

_NEGATED = late(
    r"\b(?:not|never|no|cannot|unable|without|nothing|none|neither|nor|hardly|yet\s+to|fail(?:ed|s)?|"
    r"instead\s+of|rather\s+than|error)\b|n['’]t\b",
    re.IGNORECASE,
)
_POSSIBLE = late(
    r"\b(?:will|would|can|could|may|might|must|should|shall|going\s+to|needs?\s+to|has\s+to|have\s+to|"
    r"ought|wants?\s+to|to\s+be|to\s+have|let['’]s|let\s+me|please|likely|probably|perhaps|maybe|pretend|"
    r"example|e\.g\.|seems?|appears?|supposed)\b|['’](?:ll|d\s+(?:like|be|have))\b",
    re.IGNORECASE,
)
_CONDITION = late(
    r"\b(?:if|when|whenever|once|after|before|until|till|unless|whether|while|in\s+case|as\s+soon\s+as|"
    r"provided|assuming|suppose|how|why|what|where|whose|whichever|every\s+time|each\s+time)\b",
    re.IGNORECASE,
)
_GENERAL = late(
    r"\b(?:usually|typically|normally|generally|always|often|sometimes|every|each|any|most|many|some|"
    r"several\s+times|times|traditionally|historically|who|which)\b",
    re.IGNORECASE,
)
_RULE = late(
    r"^\s*(?:within|by|if|when|once|after|before|until|unless|only|in\s+accordance|according|according\s+to|"
    r"automatically|every|each|via|using|through|as\s+(?:soon|long)|depending|separately|in\s+full|per|"
    r"from|free\s+of|at\s+least|up\s+to|where|and\s+(?:will|can)|or\b)",
    re.IGNORECASE,
)
_AGENT = late(
    r"^(?:\s+\w+){0,5}?\s+by\s+(?!our\s+system|the\s+system|e-?mail|mistake|phone|post|me\b|us\b|"
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|"
    r"August|September|October|November|December)\b)(?:the|a|an|your|his|her|their|its|[A-Z][a-z]+)\b"
)
_PAST_TIME = late(
    r"\b(?:in|since|during|around|until|between)\s+(?:the\s+)?(?:early\s+|late\s+|\w+\s+)?(?:1\d{3}|20\d\d)s?\b"
    r"|\bago\b|\blast\s+(?:week|month|year|century)\b|\bcentur(?:y|ies)\b"
)
_INTRODUCTION = late(
    r"\b(?:I|we)(?:\s+(?:can|am|are|would|want|wanted|will)|['’](?:m|re|d|ll))?\s*(?:now\s+|also\s+|"
    r"happy\s+to\s+|pleased\s+to\s+|glad\s+to\s+|like\s+to\s+|to\s+|here\s+to\s+)*"
    r"(?:confirm|report|tell\s+you|let\s+you\s+know|inform\s+you|say|assure\s+you|advise)(?:\s+that)?\b"
    r"|\b(?:please|kindly)\s+(?:note|be\s+advised|be\s+informed|know)(?:\s+that)?\b|\brest\s+assured(?:\s+that)?\b"
    r"|\bas\s+(?:soon\s+as\s+possible|you\s+(?:asked|requested|wanted)|requested)\b|\bno\s+problem\b|\bno\s+worries\b",
    re.IGNORECASE,
)
_ASKING = late(
    r"^\W*(?:please\s+)?(?:check|confirm|verify|ensure|make\s+sure|see|wait|ask|say|imagine|find\s+out|"
    r"look)\b",
    re.IGNORECASE,
)
_BOUNDARY = late(
    r"[,;:–—(]\s|\s-\s|\bbut\s|\band\s(?=I\b|we\b|your\b|the\b|it\b)|\bso\s|\bbecause\s",
    re.IGNORECASE,
)
_OWN_TEXT = late(
    r"^\s+(?:my|this|that|the|your|some|more|a)?\s*(?:\w+\s+)?(?:answer|response|reply|list|summary|explanation|"
    r"wording|question|sources?|mind|assumptions?|details?\s+(?:above|below))\b",
    re.IGNORECASE,
)
_LATER_VERB = late(
    r"\b(?:is|are|was|were|will|can|may|must|has|have|had|should|would|need|needs|takes?|costs?|ships?|"
    r"arrives?|gets?|do|does|cannot|includes?|receives?|qualif\w+|requires?|comes?|remains?|count|go|"
    r"leave|expire|differ)\b",
    re.IGNORECASE,
)
_FIRST_AND = late(
    rf"\b(?P<who>I|we)(?:['’]ve|\s+have)?\s+{_ADV}(?:\w+ed|found|looked\s+\w+|went|took|got|saw|read|spoke)\b"
    rf"[^.;!?]{{0,80}}?\b(?:and|then)\s+{_ADV}(?P<done>{_DONE})\b"
    r"|\b(?P<who2>I|we)(?:['’]ve|\s+have)?\s+(?P<up>signed\s+(?:you|him|her|them|everyone)\s+up)\b",
    re.IGNORECASE,
)
_REQUESTED = late(
    rf"\b(?:your|the|this|that|a|an|new|my)\s+(?:[\w#'’./@-]+\s+){{0,5}}{_THING}\b"
    rf"|^\s*(?:{_ITSELF}|everything)\s*$|\b(?:both|all|two|three|\d+)\s+(?:of\s+)?(?:your\s+|the\s+)?{_THING}\s*$",
    re.IGNORECASE,
)
_THINGS = late(rf"\b{_THING}\b", re.IGNORECASE)
_YOU = late(r"\byou\s*$|\byou['’]?$", re.IGNORECASE)
_YOUR = late(r"\byour\b", re.IGNORECASE)
_RELATIVE = late(r"\b(?:that|which|who|whose|what)\s*$", re.IGNORECASE)
_QUOTED = late(r"[\"“「][^\"”」]{0,200}$")


def english_claims(sentence: str) -> Iterator[Claim]:
    """Yield what a sentence says that was done, in this run as it seems."""
    if sentence.rstrip().rstrip("\"'”’)").endswith(("?", "？")):
        return
    if not _EFFECT.search(sentence):
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
    for match in _FIRST.finditer(sentence):
        group = next(name for name in ("done", "do", "had", "made", "put") if match[name])
        at, end = match.span(group)
        if _is_said(sentence, match.start(), at, end, first=True) and not _OWN_TEXT.match(
            sentence[end:]
        ):
            yield at, _claim(sentence, match[group], by_assistant=match["who"].lower() == "i")
    for match in _FIRST_AND.finditer(sentence):
        group = "up" if match["up"] else "done"
        if _is_said(sentence, match.start(), *match.span(group), first=True):
            who = (match["who"] or match["who2"]).lower()
            yield match.start(group), _claim(sentence, match[group], by_assistant=who == "i")
    for pattern, judge in ((_PASSIVE, _passive), (_PAST, _past), (_STATE, _state)):
        for match in pattern.finditer(sentence):
            at, end = match.span("done")
            if judge(match, sentence) and _is_said(sentence, match.start("aux"), at, end):
                yield at, _claim(sentence, match["done"])
    yield from _headless(sentence)


def _headless(sentence: str) -> Iterator[tuple[int, Claim]]:
    """Find claims without a subject: "Done.", "Ticket created.", "Cancelled your order."."""
    for pattern in (_NOUN_DONE, _BARE):
        match = pattern.match(sentence)
        if match and not _NEGATED.search(sentence[: match.end("done")]):
            rest = match["rest"] or ""
            if (
                not _LATER_VERB.search(rest)
                and not _RULE.match(rest)
                and not _is_general(match, rest)
            ):
                yield match.start("done"), _claim(sentence, match["done"])
    for match in (*_WENT.finditer(sentence), *_ALL_DONE.finditer(sentence)):
        group = match.lastgroup or ""
        if _is_said(sentence, match.start(), match.start(group), match.end(group)):
            yield match.start(group), Claim(sentence, match[group], frozenset({ANY}))


def _is_general(match: re.Match[str], rest: str) -> bool:
    return bool(
        _AGENT.match(rest)
        or _PAST_TIME.search(rest)
        or _CONDITION.search(match[0])
        or _POSSIBLE.search(match[0])
    )


def _joined(sentence: str, first: tuple[int, Claim], seen: set[int]) -> Iterator[Claim]:
    """Find what is said in one breath with a claim: "I created the ticket and sent a mail"."""
    for match in _AND.finditer(sentence, first[0]):
        at, end = match.span("done")
        between = sentence[match.start() : at]
        if at in seen or _NEGATED.search(between) or _POSSIBLE.search(between):
            continue
        clause = _clause_before(sentence, match.start())
        if not _CONDITION.search(clause) and not sentence[end:].lstrip().startswith(
            ("no ", "nothing")
        ):
            seen.add(at)
            yield _claim(sentence, match["done"], by_assistant=first[1].by_assistant)


def _passive(match: re.Match[str], sentence: str) -> bool:
    subject = _subject(sentence, match.start())
    if _RELATIVE.search(subject) or _GENERAL.search(subject):
        return False
    contracted = match["aux"].startswith(("'", "’"))
    if contracted and not _PRONOUN.search(subject) and not _YOU.search(subject):
        return False
    if _YOU.search(subject):
        return True
    if re.fullmatch(_NOTIFIED, match["done"], re.IGNORECASE):
        return (
            bool(re.search(r"\b(?:your|our|the)\b", subject, re.I)) or subject.strip()[:1].isupper()
        )
    return bool(_REQUESTED.search(subject) or _YOUR.search(subject) or _is_thing(subject)) and not (
        _AGENT.match(sentence[match.end() :]) or _PAST_TIME.search(sentence)
    )


_PRONOUN = late(r"\b(?:it|that|this|everything|there|ticket|order|booking)$", re.IGNORECASE)


def _is_thing(subject: str) -> bool:
    """Tell whether a subject without an article is a thing with a number: "Ticket T-12"."""
    return bool(_THINGS.search(subject)) and any(char.isdigit() for char in subject)


def _past(match: re.Match[str], sentence: str) -> bool:
    subject, rest = _subject(sentence, match.start()), sentence[match.end() :]
    if _RELATIVE.search(subject) or _GENERAL.search(sentence) or _PAST_TIME.search(sentence):
        return False
    if _AGENT.match(rest) or re.match(r"\s+(?:for\s+use|to\s+\w+\s+the|from|as\s+a)\b", rest):
        return False
    if _YOU.search(subject):
        return match["done"].lower() in ("refunded", "charged", "enrolled", "registered", "booked")
    pronoun = re.fullmatch(r"\W*(?:it|this|that|they|these|those|both|all)\W*", subject, re.I)
    return not pronoun and bool(_REQUESTED.search(subject) or _is_thing(subject))


def _state(match: re.Match[str], sentence: str) -> bool:
    """Judge "your flight is booked": what stays so, not what happens as a rule."""
    subject, rest = _subject(sentence, match.start()), sentence[match.end() :]
    done, is_now = match["done"].lower(), bool(match["now"])
    if _RELATIVE.search(subject) or _GENERAL.search(sentence):
        return False
    if _RULE.match(rest) or _AGENT.match(rest):
        return False
    if _YOU.search(subject):
        return done not in _HAPPENS
    if re.fullmatch(_ONLY_PRONOUN, subject, re.IGNORECASE):
        return is_now or bool(re.fullmatch(_SETTLED, done))
    if not _THINGS.search(subject):
        return False
    ends = bool(re.match(r"\s*(?:[.!,;]|$|(?:for|at|on)\s)", rest))
    return (
        is_now
        or (bool(_YOUR.search(subject)) and done not in _HAPPENS)
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
    subject = _INTRODUCTION.sub("", words.group()) if words else ""
    return re.split(r"\b(?:that|and|but|so|because)\s+(?=\w)", subject)[-1]


_BEFORE = late(r"(?:[\w#'’./@-]+\s+){0,8}[\w#'’./@-]+\s*$")
_MAX_SUBJECT_CHARS = 90


def _is_said(sentence: str, start: int, at: int, end: int, *, first: bool = False) -> bool:
    """Tell whether a match is said outright: no condition, no possibility, not denied."""
    before = _clause_before(sentence, at if not first else start)
    said = f"{_INTRODUCTION.sub('', before)} {sentence[start:at]}"
    if _NEGATED.search(said) or _POSSIBLE.search(said) or _CONDITION.search(said):
        return False
    if _ASKING.match(_INTRODUCTION.sub("", before)) or _QUOTED.search(sentence[1:at]):
        return False
    after = sentence[end : end + 12].lstrip().lower()
    return not after.startswith(("no ", "nothing", "none", "neither"))


def _clause_before(sentence: str, at: int) -> str:
    """Return the part of the clause that stands before a position."""
    begin = 0
    for match in _BOUNDARY.finditer(sentence, 0, at):
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
    base = word.removesuffix("s")
    effects = PARTICIPLES.get(word) or BASES.get(word) or _OTHER.get(word) or _OTHER.get(base)
    return Claim(sentence.strip(), verb, effects or frozenset({ANY}), by_assistant)


_OTHER = {
    "set up": frozenset({"create", "change", "book"}),
    "signed up": frozenset({"create", "change"}),
    "reservation": frozenset({"book", "create"}),
    "booking": frozenset({"book", "create"}),
    "appointment": frozenset({"book", "create"}),
    "payment": frozenset({"pay"}),
    "transfer": frozenset({"pay", "change"}),
    "change": frozenset({"change"}),
    "update": frozenset({"change"}),
    "order": frozenset({"book", "create", "pay"}),
    "purchase": frozenset({"book", "pay"}),
    "put in": frozenset({"create", "change"}),
}
