"""Make an English follow-up question self-contained, by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from ragqa.language import is_function_word
from ragqa.stages.conversation.preamble import (
    ASKS,
    AUXILIARIES,
    LONG_FRAGMENT,
    PREPOSITION,
    without_preamble,
)
from ragqa.stages.conversation.things import WORD, Thing, is_model, is_name, things_in
from ragqa.stages.conversation.words import (
    ASPECTS,
    CLASSES,
    DETERMINERS,
    FORMS,
    OWN_ASPECTS,
    POINTERS,
    POSSESSIVES,
    PRONOUNS,
    PROPERTIES,
    TOPICS,
    VERBS,
)

_OPENING = re.compile(
    r"(?:(?:and|but|or|so|ok|okay|then|also)[, ]+)?(?:(?:what|how) about|(?P<and>and|but|or))\s+",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:and|but|or|so|ok|okay|then|also)[, ]+", re.IGNORECASE)
_BE = re.compile(r"(?:and |but |so )?(?:is|are|was|were)\b", re.IGNORECASE)
_IN = re.compile(r"in (?:the )?", re.IGNORECASE)
_ONE = re.compile(r"\bones?\b", re.IGNORECASE)
_POINTED = re.compile(r"\b(?:this|that|these|those) ones?\b", re.IGNORECASE)
_IN_PROPERTY = re.compile(rf" in (?:{'|'.join(sorted(PROPERTIES))})\b(?=[?.! ]*$)", re.IGNORECASE)
_THEIRS = re.compile(r"they (?:ship|deliver|accept|offer|sell|have|open|close)\b", re.IGNORECASE)
_DUMMY = re.compile(r"\b(?:is|was) it (?:possible|allowed|ok|okay|true|necessary)\b", re.IGNORECASE)
_ABOUT = re.compile(r"(?:\w+[, ]+)?(?:what|how) about\b", re.IGNORECASE)
_FRAGMENT_WORDS = 4


@dataclass(frozen=True)
class EnglishQuestion:
    """A question, as far as the rules read it."""

    text: str

    @cached_property
    def things(self) -> tuple[Thing, ...]:
        """The phrases that name something of their own, in order."""
        return tuple(things_in(self.text))

    @property
    def subject(self) -> Thing | None:
        """What the question is about: a name, else the first thing with an article."""
        things = self.things
        named = next((thing for thing in things if thing.is_named), None)
        determined = next((thing for thing in things if thing.determiner), None)
        chosen = named or determined or next(iter(things), None)
        ends = chosen and not self.text[chosen.end :].strip("?!. ")
        if chosen and ends and len(chosen.words) > 1 and _BE.match(self.text):
            words, last = chosen.words[:-1], chosen.words[-1]  # "is the kettle waterproof?"
            if not is_name(last):
                return replace(chosen, words=words, end=chosen.end - len(last) - 1)
        return chosen

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(match.group().lower() for match in WORD.finditer(self.text))

    @cached_property
    def rest(self) -> str:
        """What stands behind "and", "what about" and the like; empty without such an opening."""
        opening = _OPENING.match(self.text) or _LEAD.match(self.text)
        return self.text[opening.end() :] if opening else ""

    @property
    def is_fragment(self) -> bool:
        """Tell whether it is no sentence of its own: "and the white one?"."""
        said = self.rest or self.text
        words = tuple(match.group().lower() for match in WORD.finditer(said))
        if _ABOUT.match(self.text):
            return len(words) <= LONG_FRAGMENT
        if ASKS.match(said) and not PREPOSITION.match(said):
            return False
        if self.rest:
            return len(words) <= LONG_FRAGMENT and not set(words) & AUXILIARIES
        shop = set(words) & (ASPECTS - OWN_ASPECTS) and not self.things
        few = len(words) <= _FRAGMENT_WORDS and not set(words) & (VERBS | AUXILIARIES)
        return few and self.text.endswith("?") and not shop

    @property
    def pronoun(self) -> re.Match[str] | None:
        """The first word that stands for something said before."""
        if _DUMMY.search(self.text):
            return None
        if (pointed := _POINTED.search(self.text)) is not None:
            return pointed
        for match in WORD.finditer(self.text):
            word = match.group().lower().partition("'")[0].partition("’")[0]
            if _THEIRS.match(self.text, match.start()) or self._determines(match):
                continue
            before = any(thing.end <= match.start() for thing in self.things)
            if not before and (word in PRONOUNS or (word in POINTERS and self._points(match))):
                return match
        return None

    @property
    def only_varies(self) -> bool:
        """Tell whether it names properties alone: "the white one", "white?"."""
        said = (match.group().lower() for match in WORD.finditer(self.rest or self.text))
        named = [word for word in said if word not in DETERMINERS | FORMS]
        return bool(named) and all(word in PROPERTIES or is_model(word) for word in named)

    @property
    def topic(self) -> Thing | None:
        """What a question about no thing is about: delivery, payment."""
        for match in WORD.finditer(self.text):
            if match.group().lower() in TOPICS:
                return Thing((match.group(),), "", match.start(), match.end())
        return None

    def _determines(self, match: re.Match[str]) -> bool:
        """Tell whether "them" stands where "the" would: "how them factors work"."""
        before = self.text[: match.start()].split()[-1:]
        return match.group() == "them" and before in (["What"], ["what"], ["How"], ["how"])

    def _points(self, match: re.Match[str]) -> bool:
        following = WORD.match(self.text, match.end() + 1)
        return following is None or is_function_word(following.group().lower())

    @property
    def depends(self) -> bool:
        """Tell whether it cannot be understood alone."""
        if self.pronoun or self.is_fragment or (_ONE.search(self.text) and not self.things):
            return True
        matter = [word for word in self.words if not is_function_word(word)] or ["much"]
        return not self.things and all(word in OWN_ASPECTS | VERBS for word in matter)

    @property
    def stands_alone(self) -> bool:
        """Tell whether it can certainly be understood alone."""
        return not self.depends and bool(self.things or set(self.words) & (ASPECTS - OWN_ASPECTS))


def carried(question: str, earlier: str, answer: str = "") -> str | None:
    """Return a follow-up question made self-contained; None where no rule fits.

    >>> carried("and the white one?", "How much is the black L4 lamp?")
    'How much is the white L4 lamp?'
    >>> carried("How long is its warranty?", "How much is the kettle?")
    "How long is the kettle's warranty?"
    >>> carried("How long is delivery?", "How much is the kettle?")

    Args:
        question: What the user asked.
        earlier: The question before, self-contained.
        answer: What was answered to it: names what the question only asked for.
    """
    question = without_preamble(question)
    said, before = EnglishQuestion(question), EnglishQuestion(earlier)
    subject = _named_by(answer, before) or (None if said.only_varies else before.topic)
    if not said.depends:
        return None
    if said.is_fragment and not said.pronoun:
        return _completed(said, before, subject)
    if subject is None:
        return None
    if (pronoun := said.pronoun) is not None:
        return _replaced(said, pronoun, subject)
    if _ONE.search(question):
        return _ONE.sub(lambda _: " ".join(subject.words), question, count=1)
    return _about(said.text, subject.text)


def _named_by(answer: str, before: EnglishQuestion) -> Thing | None:
    """Return the subject, under the name that the answer gives it ("which kettle is …?")."""
    subject = before.subject
    if subject is None or subject.is_named or subject.determiner not in ("which", "what"):
        return subject
    head = subject.words[-1].lower()
    for thing in EnglishQuestion(answer).things:
        if thing.is_named and head in map(str.lower, thing.words):
            return Thing(thing.words, thing.determiner or "the", subject.start, subject.end)
    return subject


def _replaced(said: EnglishQuestion, pronoun: re.Match[str], subject: Thing) -> str:
    word = pronoun.group()
    bare, _, contracted = word.partition("'")
    name = subject.text
    following = WORD.match(said.text, pronoun.end() + 1)
    owns = bare.lower() in POSSESSIVES and (bare.lower() != "her" or following is not None)
    if owns:
        name += "'" if name.endswith("s") else "'s"
    elif contracted:
        name += " is"
    text = said.text[: pronoun.start()] + name + said.text[pronoun.end() :]
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    return text[:1].upper() + text[1:]


def _completed(said: EnglishQuestion, before: EnglishQuestion, subject: Thing | None) -> str | None:
    """Complete a fragment by the question before."""
    rest = (said.rest or said.text).strip().rstrip("?!. ")
    rest = _IN.sub("", rest) if EnglishQuestion(_IN.sub("", rest)).only_varies else rest
    frame = before.text.rstrip("?!. ")
    if subject is None and said.only_varies:
        return None
    if subject is None or PREPOSITION.match(rest):
        return f"{_placed(frame, rest)}?" if PREPOSITION.match(rest) else f"{frame}, {rest}?"
    fragment = EnglishQuestion(rest)
    matter = fragment.things or set(fragment.words) & ASPECTS
    if _ONE.search(rest) or fragment.only_varies or not matter:
        return _IN_PROPERTY.sub("", _swapped(before, subject, _variant(subject, rest)))
    if fragment.things:
        return _swapped(before, subject, rest)
    return f"What about {rest} for {subject.text}?"


def _placed(frame: str, phrase: str) -> str:
    """Put a phrase with a preposition behind a question, or in the place of such a one."""
    preposition = phrase.split(maxsplit=1)[0].lower()
    name = r"[A-Z][\w-]*(?: [A-Z][\w-]*)*"
    taken = re.search(rf" {preposition} (?:the )?(?:{name}|[\w-]+(?: {name})?$)", frame)
    if taken is None:
        return f"{frame} {phrase}"
    return f"{frame[: taken.start()]} {phrase}{frame[taken.end() :]}"


def _swapped(before: EnglishQuestion, subject: Thing, name: str) -> str:
    text = before.text[: subject.start] + name + before.text[subject.end :]
    return text[:1].upper() + text[1:]


def _variant(subject: Thing, fragment: str) -> str:
    """Return the subject with other properties: what excludes the new ones is left out.

    What the user typed stays as it is: a number that is taken apart is none any more, neither for
    a search nor for the masking of records.
    """
    dropped = DETERMINERS | FORMS
    typed = [word for word in fragment.split() if word.strip("?!.,;:").lower() not in dropped]
    new = [word for word in _words(fragment) if word.lower() not in dropped]
    lower = {word.lower() for word in new}
    excluded = {word for kind in CLASSES if kind & lower for word in kind} - lower
    models = any(map(is_model, new))
    kept = [
        word
        for word in subject.words
        if word.lower() not in excluded | lower and not (models and is_model(word))
    ]
    return " ".join(["the", *typed, *kept])


def _words(text: str) -> list[str]:
    return [match.group() for match in WORD.finditer(text)]


def _about(text: str, name: str) -> str:
    """Say what a question without a subject is about."""
    text = text.rstrip("?!. ")
    if re.fullmatch(r"how (?:much|heavy|big|large|tall|wide|old|loud|fast|expensive)", text, re.I):
        return f"{text} is {name}?"
    return f"{text} for {name}?"
