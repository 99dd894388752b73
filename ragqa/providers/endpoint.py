"""Which service is called, and what its settings are called in messages."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from ragqa.errors import ConfigError
from ragqa.settings.kinds import is_loopback

if TYPE_CHECKING:
    from ragqa.providers.entra import Entra

OFFICIAL_URL = "https://api.openai.com/v1"
NO_KEY = "no-key"
"""Sent where a server needs no key: the SDK insists on one."""

_log = logging.getLogger(__name__)
_warned_hosts: set[str] = set()


class Secret(Protocol):
    """What hides a key from logs, as pydantic's SecretStr."""

    def get_secret_value(self) -> str:
        """Return the key itself."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service that speaks the OpenAI protocol, and one model of it.

    Attributes:
        base_url: The address that ``/chat/completions`` is added to.
        model: The model, as the service calls it.
        key: The key; empty where none is set. Never shown.
        url_setting, key_setting, model_setting: What the user set, for messages.
        service: Whose service it is, which decides how it is called.
        api_version: Sent with every request; empty where the service has none.
        url_hint: What the address looks like, for messages.
        entra: Where tokens come from; None where a key is sent, or nothing.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    url_setting: str = "OPENAI_BASE_URL"
    key_setting: str = "OPENAI_API_KEY"
    model_setting: str = "RAGQA_CHAT_MODEL"
    service: Literal["openai", "azure"] = "openai"
    api_version: str = ""
    url_hint: str = "Its path often ends in /v1."
    entra: Entra | None = None

    @property
    def label(self) -> str:
        """Name service and host, for records; never a key."""
        if self.is_official:
            return "openai"
        return f"{'azure' if self.service == 'azure' else 'openai-compatible'}({self.host})"

    @property
    def host(self) -> str:
        """Return host and port, without a login that may stand in the address."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        return f"{host}:{parts.port}" if parts.port else host

    @property
    def is_official(self) -> bool:
        """Tell whether this is OpenAI itself."""
        host = self.host
        return host == "api.openai.com" or host.endswith(".api.openai.com")

    @property
    def is_loopback(self) -> bool:
        """Tell whether the service runs on this machine."""
        return is_loopback(self.base_url)

    @property
    def identity(self) -> str:
        """Name address, model and version, for what is remembered about them; holds no secret."""
        parts = urlsplit(self.base_url)
        address = f"{parts.scheme}://{self.host}{parts.path.rstrip('/')}"
        return f"{address} {self.model} {self.api_version}".rstrip()


def openai_endpoint(
    base_url: str | None, api_key: Secret | str | None, model: str, *, model_setting: str
) -> Endpoint:
    """Return the endpoint that the settings describe.

    Raises:
        ConfigError: If the model's name is missing, or OpenAI's own service has no key.
    """
    key = key_of(api_key, "OPENAI_API_KEY")
    at = Endpoint(base_url or OFFICIAL_URL, model, key, model_setting=model_setting)
    if not model:
        raise ConfigError(f"{model_setting} is not set.", hint="Name the model to use.")
    if at.is_official and not at.key:
        raise ConfigError(f"{at.key_setting} is not set.", hint=f"{at.host} answers only with one.")
    _warn_of_plain_http(at)
    return at


def key_of(api_key: Secret | str | None, key_setting: str) -> str:
    """Return the key itself; empty where none is set.

    Raises:
        ConfigError: If it cannot be a key.
    """
    key = api_key if isinstance(api_key, str) else api_key and api_key.get_secret_value()
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{key_setting} holds characters that no key has.")
    return key


def _warn_of_plain_http(at: Endpoint) -> None:
    exposed = at.key and urlsplit(at.base_url).scheme == "http" and not at.is_loopback
    if exposed and at.host not in _warned_hosts:
        _warned_hosts.add(at.host)
        _log.warning(
            "%s is sent to %s unencrypted: %s starts with http://. Use https:// where you can.",
            at.key_setting,
            at.host,
            at.url_setting,
        )
