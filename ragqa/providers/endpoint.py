"""Which service is called, and what its settings are called in messages."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from ragqa.errors import ConfigError
from ragqa.settings.kinds import is_loopback

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
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    url_setting: str = "OPENAI_BASE_URL"
    key_setting: str = "OPENAI_API_KEY"
    model_setting: str = "RAGQA_CHAT_MODEL"

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
        """Name address and model, for what is remembered about them; holds no secret."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{self.host}{parts.path.rstrip('/')} {self.model}"


def openai_endpoint(
    base_url: str | None, api_key: Secret | str | None, model: str, *, model_setting: str
) -> Endpoint:
    """Return the endpoint that the settings describe.

    Raises:
        ConfigError: If the model's name is missing, or OpenAI's own service has no key.
    """
    key = api_key if isinstance(api_key, str) else api_key and api_key.get_secret_value()
    key = (key or "").strip()
    at = Endpoint(base_url or OFFICIAL_URL, model, key, model_setting=model_setting)
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{at.key_setting} holds characters that no key has.")
    if not model:
        raise ConfigError(f"{model_setting} is not set.", hint="Name the model to use.")
    if at.is_official and not at.key:
        raise ConfigError(f"{at.key_setting} is not set.", hint=f"{at.host} answers only with one.")
    _warn_of_plain_http(at)
    return at


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
