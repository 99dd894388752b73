"""Forms of English sentences: who acts, in which tense, and what takes a claim back."""

from __future__ import annotations

import re

from ragqa.language.late import late
from ragqa.validation.grounded.claims.effects import BASES, PARTICIPLES, either

DONE = either({**PARTICIPLES, "set up": None, "signed up": None, "taken care of": None})
DO = either({**BASES, "set up": None, "sign up": None, "take care of": None})
ADV = (
    r"(?:(?:just|now|already|also|since|then|both|all|gone ahead and|went ahead and|\w+ly|hereby|"
    r"today|for you|on your behalf|as requested|as you asked),?\s+){0,3}"
)
THING = (
    r"(?:tickets?|cases?|issues?|incidents?|requests?|orders?|purchases?|bookings?|reservations?|"
    r"appointments?|meetings?|events?|invites?|invitations?|reminders?|e-?mails?|mails?|messages?|"
    r"notifications?|confirmations?|letters?|refunds?|payments?|transfers?|invoices?|charges?|"
    r"subscriptions?|accounts?|profiles?|address(?:es)?|passwords?|files?|documents?|records?|"
    r"entry|entries|tasks?|flights?|hotels?|rooms?|tables?|seats?|trips?|changes?|updates?|claims?|"
    r"complaints?|returns?|replacements?|shipments?|deliver(?:y|ies)|packages?|labels?|vouchers?|"
    r"coupons?|discounts?|memberships?|contracts?|settings|preferences|notes?|comments?|"
    r"phone numbers?|cancell?ations?|forms?|applications?|plans?|calls?|amount|money|balance|"
    r"reports?|drafts?|posts?|pages?|items?|products?|services?|technicians?|couriers?|pickups?|repairs?|"
    r"visits?|cards?|users?|licen[cs]es?|permissions?|everything)"
)
ITSELF = r"(?:it|this|that|they|these|those|both|all)"
NOTIFIED = r"(?:notified|informed|alerted|e-?mailed|contacted|messaged|texted|invited)"

EFFECT = late(
    rf"\b(?:{DONE}|able\s+to|managed\s+to|made|put|took|taken|done|all\s+set|sorted|through|gone\s+out|"
    r"went\s+out|successful|complete|on\s+(?:its|the|their)\s+way|in\s+place|signed)\b",
    re.IGNORECASE,
)
FIRST = late(
    rf"\b(?P<who>I|we)(?:['’]ve|\s+have|['’]d|\s+had)?\s+{ADV}(?:"
    rf"(?P<done>{DONE})\b"
    rf"|(?:(?:was|were)\s+able\s+to|managed\s+to)\s+{ADV}(?P<do>{DO})\b"
    rf"|(?:got|had|have)\s+(?:\w+\s+){{1,4}}(?P<had>{DONE})\b"
    r"|made\s+(?:\w+\s+){1,3}?(?P<made>reservations?|bookings?|payments?|appointments?|changes?|"
    r"orders?|transfers?|updates?|purchases?)\b"
    r"|(?P<put>put\s+(?:in|through)|took\s+care\s+of|taken\s+care\s+of)\b)",
    re.IGNORECASE,
)
PASSIVE = late(
    rf"(?P<aux>['’](?:s|ve)|\s+(?:has|have))\s+{ADV}been\s+"
    rf"{ADV}(?P<done>{DONE}|made|done)\b",
    re.IGNORECASE,
)
PAST = late(
    r"\b(?P<aux>was|were)\s+"
    rf"{ADV}(?P<done>{DONE})\b",
    re.IGNORECASE,
)
STATE = late(
    r"(?P<aux>['’](?:s|re)|\s+(?:is|are))\s+"
    r"(?P<now>now\s+|all\s+|already\s+|successfully\s+|officially\s+)*"
    r"(?P<done>booked|confirmed|cancell?ed|scheduled|reserved|refunded|submitted|registered|enrolled|"
    r"subscribed|unsubscribed|signed\s+up|set\s+up|deleted|closed|paid|placed|sent|updated|created|set|"
    r"saved|activated|approved|changed|issued|processed|added|renewed|reset|opened|logged|removed|"
    r"blocked|unblocked|locked|unlocked|frozen|rescheduled|rebooked|upgraded|deactivated|enabled|disabled|"
    r"suspended|restored)\b",
    re.IGNORECASE,
)
WENT = late(
    r"\b(?:payment|order|booking|refund|e-?mail|message|transfer|request|reservation|cancell?ation|"
    r"change|confirmation|purchase|update)(?:\s+of\s+\S+)?\s+(?:(?P<went>went|has\s+gone)\s+(?:through|out)"
    r"|(?:was|has\s+been)\s+(?P<ok>successful)|is\s+(?:now\s+)?(?P<is>complete|in\s+place))\b"
    r"|\b(?:order|refund|e-?mail|message|confirmation|purchase|replacement|parcel|package|card|technician|"
    r"courier)\s+is\s+(?:now\s+)?(?P<way>on\s+(?:its|the|their)\s+way)(?=\s*(?:[.!,;]|$|to\b))",
    re.IGNORECASE,
)
HEAD = (
    r"^\W*(?:(?:ok(?:ay)?|great|sure thing|sure|perfect|certainly|of course|absolutely|good news|"
    r"all right|alright|hi|hello|thanks|thank you|right|yes|confirmed|done|success|(?:you )?got it|"
    r"no problem|no worries)\b[,!.:–—\s-]*)*"
)
ALL_DONE = late(
    r"(?:^|[.!,:;–—-]\s*)\W*(?:it['’]?s\s+|it\s+is\s+|that['’]?s\s+|this\s+is\s+|everything\s+is\s+|"
    r"consider\s+it\s+)?(?:(?:all|now|already|been)\s+)*"
    r"(?P<done>done|all\s+set|sorted|taken\s+care\s+of)\b(?=\s*(?:[.!,:;–—-]|$|for\s+you\b))"
    r"|\byou(?:['’]re|\s+are)\s+(?:now\s+)?(?P<set>all\s+set)\b",
    re.IGNORECASE,
)
NOUN_DONE = late(
    rf"{HEAD}(?:(?:the|your|a|an|new)\s+)*(?:[\w'’-]*[^\Ws]\s+){{0,2}}?{THING}(?:\s+[#\w-]*\d[\w-]*)?\s+"
    rf"(?:(?:successfully|now|has|all)\s+)?(?P<done>{DONE})\b(?P<rest>[^.!;\n]*)",
    re.IGNORECASE,
)
AMOUNT = (
    r"(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|euros?|dollars?|pounds?|yuan|eur|usd|gbp|cny|rmb))"
)
NOUN_OF_DONE = late(
    rf"{HEAD}(?:(?:(?:the|your|a|an)\s+)?{THING}(?:\s+[#\w-]*\d[\w-]*)?\s*(?:\s(?:of|for|to|no\.?)\s+(?:[^\s,;:]+\s+){{0,3}}?"
    rf"[^\s,;:]+|\([^()]{{1,30}}\))|{AMOUNT})\s+(?:successfully\s+)?(?P<done>{DONE})"
    rf"(?P<rest>(?:\s+(?:to|into|for|from)\s+(?:you|your\s[^.!;\n]{{1,40}}))?)\W*$",
    re.IGNORECASE,
)
"""Nothing stands behind the verb but for whom it was: else it may be an attribute."""
BARE = late(
    rf"{HEAD}(?:successfully\s+|just\s+)?(?P<done>{DONE})(?:\s*(?:[.!:–—]|[\u2190-\U0010ffff]|$)|\s+(?:successfully\b|"
    rf"(?:your|the|a|an|it|them|that|this|those|these|both|all|for\s+you)\b|{THING}\s+[#\w-]*\d|[$€£¥]\s?\d[\d.,]*)(?P<rest>[^.!;\n]*))",
    re.IGNORECASE,
)
AND = late(
    rf"(?:,|\band\b|\bthen\b|&)\s+(?:(?:also|then|I|we|have|I['’]ve|has|been|was|were)\s+){{0,3}}{ADV}(?P<done>{DONE})\b",
    re.IGNORECASE,
)

NEGATED = late(
    r"\b(?:not|never|no|cannot|unable|without|nothing|none|neither|nor|hardly|yet\s+to|fail(?:ed|s)?|"
    r"instead\s+of|rather\s+than|error)\b|n['’]t\b",
    re.IGNORECASE,
)
POSSIBLE = late(
    r"\b(?:will|would|can|could|may|might|must|should|shall|going\s+to|needs?\s+to|has\s+to|have\s+to|"
    r"ought|wants?\s+to|to\s+be|to\s+have|let['’]s|let\s+me|please|likely|probably|perhaps|maybe|pretend|"
    r"example|e\.g\.|seems?|appears?|supposed)\b|['’](?:ll|d\s+(?:like|be|have))\b",
    re.IGNORECASE,
)
CONDITION = late(
    r"\b(?:if|when|whenever|once|after|before|until|till|unless|whether|while|in\s+case|as\s+soon\s+as|"
    r"provided|assuming|suppose|how|why|what|where|whose|whichever|every\s+time|each\s+time)\b",
    re.IGNORECASE,
)
# "When the light has turned green, your router has been reset": a sign by which users know it.
SIGN = late(
    r"^\W*(?:if|once|when|whenever|as\s+soon\s+as|after)\s+"
    r"(?:you\s+(?:see|receive|get|hear|press|click|tap|select)\b"
    r"|(?<!if )you(?:\s+have|['’]ve)\s+(?:\w+ed|paid|sent|made|done|set|chosen)\b"
    r"|(?:the|a|an|this|it)\s+(?:[\w'’-]+\s+){0,4}?"
    r"(?:is|are|has|have|shows?|turns?|appears?|blinks?|reads?|says|displays?|lights?|flashes|stops?)\b)"
    r"(?:(?!\b(?:I|we|was|were|did|had)\b)[^,])*,\s",
    re.IGNORECASE,
)
GENERAL = late(
    r"\b(?:usually|typically|normally|generally|always|often|sometimes|every|each|any|most|many|some|"
    r"several\s+times|times|traditionally|historically|who|which)\b",
    re.IGNORECASE,
)
RULE = late(
    r"^\s*(?:within|by|if|when|once|after|before|until|unless|only|in\s+accordance|according|according\s+to|"
    r"automatically|every|each|via|using|through|as\s+(?:soon|long)|depending|separately|in\s+full|per|"
    r"from|free\s+of|at\s+least|up\s+to|where|and\s+(?:will|can)|or\b)",
    re.IGNORECASE,
)
AGENT = late(
    r"^(?:\s+\w+){0,5}?\s+by\s+(?!our\s+system|the\s+system|e-?mail|mistake|phone|post|me\b|us\b|"
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|"
    r"August|September|October|November|December)\b)(?:the|a|an|your|his|her|their|its|[A-Z][a-z]+)\b"
)
PAST_TIME = late(
    r"\b(?:in|since|during|around|until|between|from)\s+(?:the\s+)?(?:early\s+|late\s+|\w+\s+)?(?:1\d{3}|20\d\d)s?\b"
    r"|\bago\b|\blast\s+(?:week|month|year|century)\b|\bcentur(?:y|ies)\b"
)
INTRODUCTION = late(
    r"\b(?:I|we)(?:\s+(?:can|am|are|would|want|wanted|will)|['’](?:m|re|d|ll))?\s*(?:now\s+|also\s+|"
    r"happy\s+to\s+|pleased\s+to\s+|glad\s+to\s+|like\s+to\s+|to\s+|here\s+to\s+)*"
    r"(?:confirm|report|tell\s+you|let\s+you\s+know|inform\s+you|say|assure\s+you|advise)(?:\s+that)?\b"
    r"|\b(?:please|kindly)\s+(?:note|be\s+advised|be\s+informed|know)(?:\s+that)?\b|\brest\s+assured(?:\s+that)?\b"
    r"|\bas\s+(?:soon\s+as\s+possible|you\s+(?:asked|requested|wanted)|requested)\b|\bno\s+problem\b|\bno\s+worries\b",
    re.IGNORECASE,
)
ASKING = late(
    r"^\W*(?:please\s+)?(?:check|confirm|verify|ensure|make\s+sure|see|wait|ask|say|imagine|find\s+out|"
    r"look)\b",
    re.IGNORECASE,
)
BOUNDARY = late(
    r"[,;:–—(]\s|\s-\s|\bbut\s|\band\s(?=I\b|we\b|your\b|the\b|it\b)|\bso\s|\bbecause\s",
    re.IGNORECASE,
)
OWN_TEXT = late(
    r"^\s+(?:my|this|that|the|your|some|more|a)?\s*(?:\w+\s+)?(?:answer|response|reply|list|summary|explanation|"
    r"wording|question|sources?|mind|assumptions?|details?\s+(?:above|below))\b",
    re.IGNORECASE,
)
LATER_VERB = late(
    r"\b(?:is|are|was|were|will|can|may|must|has|have|had|should|would|need|needs|takes?|costs?|ships?|"
    r"arrives?|gets?|do|does|cannot|includes?|receives?|qualif\w+|requires?|comes?|remains?|count|go|"
    r"leave|expire|differ)\b",
    re.IGNORECASE,
)
FIRST_AND = late(
    rf"\b(?P<who>I|we)(?:['’]ve|\s+have)?\s+{ADV}(?:\w+ed|found|looked\s+\w+|went|took|got|saw|read|spoke)\b"
    rf"[^.;!?]{{0,80}}?\b(?:and|then)\s+{ADV}(?P<done>{DONE})\b"
    r"|\b(?P<who2>I|we)(?:['’]ve|\s+have)?\s+(?P<up>signed\s+(?:you|him|her|them|everyone)\s+up)\b",
    re.IGNORECASE,
)
REQUESTED = late(
    rf"\b(?:your|the|this|that|a|an|new|my)\s+(?:[\w#'’./@-]+\s+){{0,5}}{THING}\b"
    rf"|^\s*(?:{ITSELF}|everything)\s*$|\b(?:both|all|two|three|\d+)\s+(?:of\s+)?(?:your\s+|the\s+)?{THING}\s*$",
    re.IGNORECASE,
)
THINGS = late(rf"\b{THING}\b", re.IGNORECASE)
YOU = late(r"\byou\s*$|\byou['’]?$", re.IGNORECASE)
YOUR = late(r"\byour\b", re.IGNORECASE)
RELATIVE = late(r"\b(?:that|which|who|whose|what)\s*$", re.IGNORECASE)
QUOTED = late(r"[\"“「][^\"”」]{0,200}$")
