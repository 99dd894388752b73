"""Every error that ragqa raises on purpose.

    RagqaError
    ├── ConfigError            a setting, an argument or a name is wrong         exit 2
    │   ├── MissingExtraError  an optional package is not installed
    │   ├── UnknownNameError   no chain, retriever or field bears that name
    │   └── StorageError       a file of the state folder cannot be used
    │       └── StorageBusyError  others keep it busy
    ├── ProviderError          a model service did not do its part               exit 3
    │   ├── AuthError          it refuses the key or the deployment
    │   ├── RateLimitError     it asks to slow down
    │   │   ├── QuotaError     the account has nothing left
    │   │   └── PaceError      our own pacing cannot let the call go in time
    │   ├── BudgetError        what may be spent is used up
    │   ├── TransportError     it could not be reached, broke off or took too long
    │   │   └── WrongEndpointError  what answers there is no model service  exit 2
    │   ├── ToolsRefusedError  the model takes no tools
    │   ├── ContextOverflowError  the prompt is longer than the model's window
    │   └── RefusalError       the model declined
    │       └── ContentFilterError  the service's content filter did
    ├── RetrievalError         documents could not be indexed or searched        exit 4
    ├── OutputError            no reply passed the gates                         exit 5
    ├── AgentLimitError        the agent reached a limit                         exit 6
    ├── IllegalMoveError       a record of a tool call cannot become that state
    ├── SessionError           a session is busy or unreadable                   exit 7
    │   └── SessionBusyError   another run holds it
    └── PermissionDenied       the caller may not do that                        exit 8

A message names what is wrong; the hint says what to do about it. Neither holds a secret.
"""

from __future__ import annotations

from typing import ClassVar


class RagqaError(Exception):
    """Root of all errors that ragqa raises on purpose.

    Attributes:
        code: Stable machine-readable name of the kind of error.
        exit_code: What the command line exits with.
        retryable: Whether the same call may succeed later, unchanged.
        hint: What the reader can do about it; empty when the message says it all.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def message(self) -> str:
        """Return the message without the hint."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        """Join message and hint, so that a bare traceback tells what to do, too."""
        return f"{self.message} {self.hint}".strip()


class ConfigError(RagqaError):
    """Report a setting, an argument or a question that cannot be used."""

    code = "config"
    exit_code = 2


class MissingExtraError(ConfigError):
    """Report an optional package that is not installed.

    Args:
        extra: Name of ragqa's extra, for instance ``azure``.
        package: The package that could not be imported.
    """

    code = "config.missing_extra"

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(
            f"The package {package} is not installed.",
            hint=f"Install it with: pip install 'ragqa[{extra}]' (in a clone: '.[{extra}]')",
        )


class UnknownNameError(ConfigError):
    """Report a name that nothing bears, and list the names that exist.

    Args:
        kind: What was looked up, for instance ``chain``.
        name: The name that was asked for.
        known: The names that exist; none where there are too many to list.
    """

    code = "config.unknown_name"

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        super().__init__(
            f"There is no {kind} named {name!r}.",
            hint=f"Known: {', '.join(sorted(known))}." if known else "",
        )


class StorageError(ConfigError):
    """Report a file of the state folder that cannot be opened, read or written."""

    code = "config.storage"


class StorageBusyError(StorageError):
    """Report a file of the state folder that other threads or processes keep busy."""

    code = "config.storage_busy"
    retryable = True


class ProviderError(RagqaError):
    """Report a model service that did not do its part."""

    code = "provider"
    exit_code = 3


class AuthError(ProviderError):
    """Report a service that refuses the key or the deployment."""

    code = "provider.auth"


class RateLimitError(ProviderError):
    """Report a service that asks to slow down.

    Args:
        message: What the service said.
        retry_after_s: Seconds to wait as told by the service, if it said so.
        hint: What to do.
    """

    code = "provider.rate_limit"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class QuotaError(RateLimitError):
    """Report an account that has nothing left: waiting does not help."""

    code = "provider.quota"
    retryable = False


class PaceError(RateLimitError):
    """Report a call that our own pacing, below the service's quota, cannot let go in time."""

    code = "limit"
    retryable = False


class BudgetError(ProviderError):
    """Report a call that would spend more than a budget allows.

    Args:
        message: Which budget is used up.
        scope: Whose budget: ``run``, ``session`` or ``day``.
        resets_s: Seconds since the epoch at which it starts anew; None where it does not.
        hint: What to do.
    """

    code = "budget"

    def __init__(
        self, message: str, *, scope: str, resets_s: float | None = None, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.scope = scope
        self.resets_s = resets_s


class TransportError(ProviderError):
    """Report a service that could not be reached, broke off or took too long."""

    code = "provider.transport"
    retryable = True


class WrongEndpointError(TransportError):
    """Report an address where something answers that is no model service."""

    code = "provider.endpoint"
    exit_code = 2
    retryable = False


class ToolsRefusedError(ProviderError):
    """Report a model or a server that takes no tools."""

    code = "provider.tools"


class ContextOverflowError(ProviderError):
    """Report a prompt that is longer than the model's window."""

    code = "provider.context_overflow"


class RefusalError(ProviderError):
    """Report that the model or its content filter declined to answer."""

    code = "provider.refusal"


class ContentFilterError(RefusalError):
    """Report that the service's content filter stopped the prompt or the answer."""

    code = "provider.content_filter"


class RetrievalError(RagqaError):
    """Report documents that could not be indexed or searched."""

    code = "retrieval"
    exit_code = 4


class OutputError(RagqaError):
    """Report that no reply passed the gates, where an exception was asked for."""

    code = "output"
    exit_code = 5


class AgentLimitError(RagqaError):
    """Report that the agent reached a limit, where an exception was asked for."""

    code = "agent.limit"
    exit_code = 6


class IllegalMoveError(RagqaError):
    """Report a move of a tool call's record that its state does not allow."""

    code = "agent.illegal_move"


class SessionError(RagqaError):
    """Report a session that is busy or cannot be read."""

    code = "session"
    exit_code = 7
    retryable = True


class SessionBusyError(SessionError):
    """Report a session that another run holds."""

    code = "session.busy"


class PermissionDenied(RagqaError):
    """Report something that the caller may not do."""

    code = "permission"
    exit_code = 8
