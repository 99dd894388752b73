"""The kinds of values that settings take, each with the check that belongs to it.

A check raises ValueError with what is allowed; the loader adds which setting it was and where the
value stood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

from ragqa.settings.tidy import inner_marks, listed

_HOST = re.compile(r"(?!\.)[^\s<>{}|\\^`\"'%,;!$&*()+=~@/?#]+(?<!\.\.)")
_REQUEST_PATH = re.compile(r"/(chat/completions|completions|embeddings|deployments)(/|$)")
_SEARCH_PATH = re.compile(r"/indexes\b")


def is_loopback(url: str) -> bool:
    """Tell whether a URL leads to this machine itself."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    import ipaddress  # only where a plain address is in doubt

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_v1_form(url: str) -> bool:
    """Tell whether an address of Azure OpenAI selects the v1 form.

    >>> is_v1_form("https://name.openai.azure.com/openai/v1/")
    True
    """
    return url.rstrip("/").lower().endswith("/openai/v1")


def _http_url(value: str) -> str:
    allowed = "an http(s) URL, for instance https://name.example.com"
    if inner_marks(value) or not value.isprintable():
        raise ValueError(f"{allowed}, without blanks")
    parts = _parsed(value)
    if parts is None or parts.scheme not in ("http", "https"):
        raise ValueError(allowed)
    if not _HOST.fullmatch(parts.hostname or ""):
        raise ValueError(f"{allowed}, with a real host name")
    if parts.query or parts.fragment:
        raise ValueError(f"{allowed}, without ? and #")
    return value


def _parsed(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return None if parts.port == 0 else parts  # reading the port checks it
    except ValueError:
        return None


def _model_url(value: str) -> str:
    if found := _REQUEST_PATH.search(urlsplit(_http_url(value)).path):
        raise ValueError(f"the address before {found.group().rstrip('/')}; the rest is added to it")
    return value


def _azure_url(value: str) -> str:
    parts = urlsplit(_http_url(value))
    if parts.username or parts.password:
        raise ValueError("a URL without a user name and password")
    if parts.scheme == "http" and not is_loopback(value):
        raise ValueError("an https:// URL; http:// only on loopback (localhost, 127.0.0.1)")
    return value


def _azure_search_url(value: str) -> str:
    if found := _SEARCH_PATH.search(urlsplit(_azure_url(value)).path):
        raise ValueError(f"the address before {found.group()}; the rest is added to it")
    return value


def _azure_model_url(value: str) -> str:
    _azure_url(_model_url(value))
    return value


def _sendable(secret: SecretStr) -> SecretStr:
    value = secret.get_secret_value()
    if inner_marks(value) or not value.isascii():
        raise ValueError("a key in plain ASCII without blanks or line breaks inside")
    return secret


def _redis_url(secret: SecretStr) -> SecretStr:
    value = secret.get_secret_value()
    if not value.startswith(("redis://", "rediss://", "unix://")) or inner_marks(value):
        raise ValueError("a URL that begins with redis://, rediss:// or unix://")
    return secret


def _matching(pattern: str, allowed: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not value.isprintable() or not compiled.fullmatch(value):
            raise ValueError(allowed)
        return value

    return AfterValidator(check)


def _plain(value: str) -> str:
    if not value.isprintable():
        raise ValueError("text in UTF-8 on one line")
    return value


def _as_list(value: Any) -> Any:
    return listed(value) if isinstance(value, str) else value


def _distinct(items: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((item for at, item in enumerate(items) if item in items[:at]), None)
    if twice is not None:
        raise ValueError(f"a list that names {twice!r} once")
    return items


def _as_pairs(value: Any) -> Any:
    """Read ``a=b, c=d``; tables of a file come as they are."""
    if not isinstance(value, str):
        return value
    pairs = [item.partition("=") for item in listed(value)]
    if not all(key.strip() and mark and text.strip() for key, mark, text in pairs):
        raise ValueError("pairs like name=value, separated by commas")
    return {key.strip(): text.strip() for key, _, text in pairs}


def _writable_name(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("a path")
    try:
        return path.expanduser() if str(path).startswith("~") else path
    except RuntimeError:  # ~name, and nobody bears it
        raise ValueError("a path; there is no user with that home") from None


Endpoint = Annotated[str, AfterValidator(_model_url)]
AzureEndpoint = Annotated[str, AfterValidator(_azure_search_url)]
AzureModelEndpoint = Annotated[str, AfterValidator(_azure_model_url)]
Key = Annotated[SecretStr, AfterValidator(_sendable)]
RedisUrl = Annotated[SecretStr, AfterValidator(_redis_url)]
ModelName = Annotated[str, _matching(r"[^\s?#]+", "a model's name without blanks")]
# learn.microsoft.com/azure/ai-foundry/openai/how-to/create-resource: letters, digits, - _ .
Deployment = Annotated[
    str, _matching(r"[\w.\-]+", "a deployment's name: letters, digits, dashes, dots, underscores")
]
ApiVersion = Annotated[
    str,
    _matching(
        r"\d{4}-\d{2}-\d{2}(-preview)?|preview|latest|v1",
        "a date like 2024-10-21 or 2025-04-01-preview",
    ),
]
# learn.microsoft.com/rest/api/searchservice/naming-rules
IndexName = Annotated[
    str,
    _matching(
        r"(?=.{2,128}$)[a-z0-9]+(-[a-z0-9]+)*",
        "2 to 128 lower case letters, digits and single dashes inside",
    ),
]
FieldName = Annotated[
    str, _matching(r"[A-Za-z][A-Za-z0-9_/]{0,127}", "letters, digits and underscores")
]
Name = Annotated[str, _matching(r"[\w.\-]+", "a name of letters, digits, dashes, dots")]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_list), AfterValidator(_distinct)]
Labels = Annotated[
    tuple[Annotated[str, AfterValidator(_plain)], ...],
    BeforeValidator(_as_list),
    AfterValidator(_distinct),
]
Line = Annotated[str, AfterValidator(_plain)]
PAIRS = BeforeValidator(_as_pairs)
Pairs = Annotated[Mapping[str, Any], PAIRS]
Folder = Annotated[Path, AfterValidator(_writable_name)]
