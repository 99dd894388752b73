"""Can an endpoint be reached? Its name, a connection and, for https, the handshake of TLS.

Nothing more is sent: no request, and no key.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ragqa.doctor.finding import Finding
from ragqa.errors import ConfigError, ProviderError, RagqaError, RetrievalError
from ragqa.settings import Settings
from ragqa.settings.kinds import is_loopback
from ragqa.settings.resolve import OPENAI_URL, check_key_target, missing_for_model, provider_of

TIMEOUT_S = 5.0
_SEARCH = "AZURE_SEARCH_ENDPOINT"
_PORTS = {"http": 80, "https": 443}


def endpoints(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the setting and the address of each endpoint in use that a key may go to."""
    named = {
        "azure": ("AZURE_OPENAI_ENDPOINT", settings.azure_openai.endpoint),
        "openai": ("OPENAI_BASE_URL", _openai_url(settings)),
        "none": ("", None),
    }
    for variable, url in (named[provider_of(settings)], (_SEARCH, settings.azure_search.endpoint)):
        if url is None:
            continue
        try:
            check_key_target(settings, variable, url)
        except ConfigError:  # the finding about the model or the index says so
            continue
        yield variable, url


def _openai_url(settings: Settings) -> str | None:
    """Return OpenAI's own address only where all is set that a call needs."""
    default = None if missing_for_model(settings) else OPENAI_URL
    return settings.openai.base_url or default


def reachable(variable: str, url: str) -> Finding:
    """Tell whether an endpoint can be reached; takes five seconds at most.

    Args:
        variable: The setting that names it.
        url: Its address.
    """
    name = f"connection {variable}"
    try:
        attempt = _Attempt.at(url, with_bundle=variable == _SEARCH)
    except ValueError as exc:
        hint = f"Check {variable}, HTTPS_PROXY, HTTP_PROXY and ALL_PROXY."
        return Finding(name, "broken", f"the address or its proxy: {exc}", hint, 2)
    thread = Thread(target=attempt.run, daemon=True)
    thread.start()
    thread.join(TIMEOUT_S)
    if thread.is_alive():
        attempt.fault = f"no end within {TIMEOUT_S:.0f} s"
    if not attempt.fault:
        sent = "nothing else was sent" if attempt.tls else "nothing was sent"
        return Finding(name, "ok", f"{attempt.place}: {', '.join(attempt.done)}; {sent}")
    detail = f"{attempt.place}: {attempt.step} failed: {attempt.fault}"
    kind: type[RagqaError] = RetrievalError if variable == _SEARCH else ProviderError
    return Finding(name, "broken", detail, attempt.hint(variable), kind.exit_code)


@dataclass
class _Attempt:
    """A connection under way.

    Attributes:
        host: Where to connect to: the endpoint, or the proxy before it.
        port: At which port.
        tls: For which name the handshake is made; None for none.
        place: The endpoint, as people are told.
        with_bundle: Whether the client also trusts REQUESTS_CA_BUNDLE.
        step: What is being tried.
        fault: Why it failed.
        done: What went well.
    """

    host: str
    port: int
    tls: str | None
    place: str
    with_bundle: bool = False
    step: str = "DNS"
    fault: str = ""
    done: tuple[str, ...] = ()

    @classmethod
    def at(cls, url: str, *, with_bundle: bool) -> _Attempt:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or _PORTS.get(parts.scheme, 443)
        if proxy := _proxy_of(url):
            via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
            before = via.hostname or "", via.port or _PORTS.get(via.scheme, 1080)
            return cls(*before, None, f"{host} by the proxy {before[0]}:{before[1]}")
        tls = host if parts.scheme == "https" else None
        return cls(host, port, tls, f"{host}:{port}", with_bundle)

    def run(self) -> None:
        """Try one step after the other; the first that fails is the last."""
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            self._went_well("DNS resolves", "TCP connection")
            with self._connected(len({entry[4] for entry in found})) as connection:
                self._went_well("TCP connects", "TLS handshake")
                if self.tls is not None:
                    self._shake_hands(connection, self.tls)
        except ssl.SSLCertVerificationError as exc:
            self.fault = exc.verify_message
        except OSError as exc:
            self.fault = exc.strerror or str(exc) or type(exc).__name__
        except ValueError as exc:  # a name that is none
            self.fault = str(exc)

    def hint(self, variable: str) -> str:
        """Return what to do about the step that failed."""
        if self.step == "TLS handshake":
            return (
                f"Check {variable} and the network; SSL_CERT_FILE names further root certificates."
            )
        return f"Check {variable}, the network and whether the service runs."

    def _connected(self, addresses: int) -> socket.socket:
        limit_s = TIMEOUT_S / max(addresses, 1)  # one that is silent leaves time for the next
        return socket.create_connection((self.host, self.port), timeout=limit_s)

    def _shake_hands(self, connection: socket.socket, name: str) -> None:
        connection.settimeout(TIMEOUT_S)
        with self._trusted().wrap_socket(connection, server_hostname=name) as shaken:
            self._went_well(f"{shaken.version()} handshake ok", "")

    def _trusted(self) -> ssl.SSLContext:
        """Return what the clients trust."""
        import httpx2

        context = httpx2.create_ssl_context()
        bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
        if self.with_bundle and bundle:
            is_folder = os.path.isdir(bundle)  # noqa: PTH112 -- a name from the environment
            context.load_verify_locations(**{"capath" if is_folder else "cafile": bundle})
        return context

    def _went_well(self, said: str, following: str) -> None:
        self.done += (said,)
        self.step = following


def _proxy_of(url: str) -> str | None:
    """Return the proxy that the clients use; none leads to this machine's own servers."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
