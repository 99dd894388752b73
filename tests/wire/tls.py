"""Certificates for local servers that speak TLS, from an authority that nobody knows."""

from __future__ import annotations

import ssl

import trustme

_AUTHORITY = trustme.CA()


def server_context() -> ssl.SSLContext:
    """Return what a server on this machine shows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _AUTHORITY.issue_cert("127.0.0.1").configure_cert(context)
    return context


def trusting_context() -> ssl.SSLContext:
    """Return what a client needs that trusts it."""
    context = ssl.create_default_context()
    _AUTHORITY.configure_trust(context)
    return context
