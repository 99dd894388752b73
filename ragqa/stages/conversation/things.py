"""The phrases of an English question that name something of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragqa.language import is_function_word
from ragqa.language.function_words import EVERYDAY
from ragqa.stages.conversation.words import ASPECTS, DETERMINERS, KEPT, PROPERTIES, VERBS

WORD = re.compile(r"[^\W_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Thing:
    """A phrase that names something in a question, with its place."""

    words: tuple[str, ...]
    determiner: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The phrase as it is carried over."""
        name = " ".join(self.words)
        if not self.determiner:
            return name
        return f"{self.determiner if self.determiner in KEPT else 'the'} {name}"

    @property
    def is_named(self) -> bool:
        """Tell whether a model number or a proper name stands in it."""
        return any(map(is_name, self.words))


def things_in(text: str) -> Iterator[Thing]:
    """Yield the runs of words that carry matter and name no mere aspect."""
    run: list[re.Match[str]] = []
    determiner, end = "", 0
    for match in WORD.finditer(text):
        apart = text[end : match.start()].strip() != ""
        if run and apart:
            yield from _thing(run, determiner)
            run, determiner = [], ""
        end = match.end()
        if match.group() == "of" and run and _joins_names(text, run[-1], end):
            run.append(match)
            continue
        if _carries(match.group(), first=match.start() == 0):
            run.append(match)
            continue
        yield from _thing(run, determiner)
        word = match.group().lower()
        run, determiner = [], word if word in DETERMINERS else ""
    yield from _thing(run, determiner)


def _thing(run: list[re.Match[str]], determiner: str) -> Iterator[Thing]:
    while run and _is_aspect(run[-1].group()):
        run = run[:-1]
    whole = run
    while run and _is_aspect(run[0].group()):
        run = run[1:]
    if not run:
        return
    cut = len(whole) != len(run)
    if all(match.group().lower() in PROPERTIES for match in run):
        return
    words = tuple(match.group() for match in run)
    known = determiner and not cut
    if not known and all(word.lower() in EVERYDAY for word in words):
        return  # "is it free of charge" names nothing
    start = run[0].start() - (len(determiner) + 1 if known else 0)
    yield Thing(words, determiner if known else "", start, run[-1].end())


def _joins_names(text: str, before: re.Match[str], end: int) -> bool:
    """Tell whether "of" stands inside a name: "University of Cambridge"."""
    following = WORD.match(text, end + 1)
    return before.group()[0].isupper() and following is not None and following.group()[0].isupper()


def _carries(word: str, *, first: bool) -> bool:
    lower = word.lower()
    lower = lower.partition("'")[0].partition("’")[0]
    if is_model(word) or (word[0].isupper() and not first and not is_function_word(lower)):
        return True
    return not is_function_word(lower) and lower not in VERBS


def _is_aspect(word: str) -> bool:
    return word.lower() in ASPECTS


def is_model(word: str) -> bool:
    """Tell whether a word is a model number, as L4."""
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def is_name(word: str) -> bool:
    """Tell whether a word is a model number or begins with a capital letter."""
    return is_model(word) or word[0].isupper()
