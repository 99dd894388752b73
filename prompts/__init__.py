"""Every prompt, as a text file in English and Chinese, and the loader.

A prompt file begins with front matter that declares its variables, then holds one part a message,
each under a line ``=== role ===``. A variable stands in double braces. Values are put in by one
pass over the template, so nothing inside a value is ever read as a template.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ragqa.errors import ConfigError, UnknownNameError

_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"^=== (\w+) ===$", re.MULTILINE)
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it stands in its file.

    Attributes:
        name: The file's name without language and suffix.
        language: ``en`` or ``zh``.
        variables: What :meth:`render` must be given.
        parts: Pairs of a role (or a part's name) and its template.
        digest: Changes whenever the text does; part of cache keys and records.
    """

    name: str
    language: str
    variables: frozenset[str]
    parts: tuple[tuple[str, str], ...]
    digest: str

    def render(self, **values: str) -> tuple[tuple[str, str], ...]:
        """Return the parts with the values put in.

        Raises:
            ConfigError: If the values are not exactly the declared variables.
        """
        if values.keys() != self.variables:
            differing = ", ".join(sorted(values.keys() ^ self.variables))
            raise ConfigError(f"The prompt {self.name} is given wrong variables: {differing}.")
        return tuple((role, _filled(template, values)) for role, template in self.parts)

    def part(self, name: str) -> str:
        """Return the template of one part."""
        return dict(self.parts)[name]


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values[match.group(1)], template)


def names() -> tuple[str, ...]:
    """Return the names of all prompts."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted({name.split(".")[0] for name in files if name.endswith(".md")}))


@cache
def load(name: str, language: str) -> Prompt:
    """Return a prompt in a language; English where it does not stand in that one.

    Raises:
        UnknownNameError: If there is no such prompt.
    """
    folder = resources.files(__name__)
    for wanted in (language, "en"):
        file = folder / f"{name}.{wanted}.md"
        if file.is_file():
            return parse(name, wanted, file.read_text(encoding="utf-8"))
    raise UnknownNameError("prompt", name, names())


def parse(name: str, language: str, text: str) -> Prompt:
    """Read a prompt file's text.

    Raises:
        ConfigError: If declared and used variables differ, or the front matter is missing.
    """
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if match is None:
        raise ConfigError(f"The prompt {name}.{language} has no front matter.")
    declared = _declared(match.group(1))
    pieces = _PART.split(text[match.end() :])[1:]
    parts = tuple(
        (role, body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True)
    )
    used = {variable for _, body in parts for variable in _VARIABLE.findall(body)}
    if used != declared:
        differing = ", ".join(sorted(used ^ declared))
        raise ConfigError(
            f"The prompt {name}.{language} declares other variables than it uses: {differing}."
        )
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return Prompt(name, language, frozenset(declared), parts, digest)


def _declared(front_matter: str) -> set[str]:
    for line in front_matter.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "variables":
            return {name.strip() for name in value.split(",") if name.strip()}
    return set()
