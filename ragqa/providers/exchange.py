"""One call of an endpoint without any I/O: what to send, when to wait, when to give up.

    steps = exchange(payload, at, ...)        sent the result of each step, or thrown its error
    Send(form, timeout_s)                     send this; the result is the reply
    Pause(seconds)                            wait that long
    Admit(run, may_block)                     run this; the result is the seconds to wait

Two things are sent again: a request that the transport failed, as it was, a bounded number of
times; and a request that the endpoint complained about, in a simpler form. A refused form returned
no reply, so it counts as no call. Everything ends at the deadline.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragqa.errors import (
    ContentFilterError,
    ContextOverflowError,
    ProviderError,
    RateLimitError,
    TransportError,
)
from ragqa.language import estimate_tokens
from ragqa.ports.limits import CallLimits, Outcome
from ragqa.ports.transport import happened
from ragqa.providers.abilities import AbilityStore
from ragqa.providers.complaint import complained_about, is_of_the_value
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.fault import Fault
from ragqa.providers.forms import DEFAULT_ORDER, Form, Mode, form_of
from ragqa.providers.refusals import no_tools
from ragqa.providers.translate import cause_of, fault_of, translate
from ragqa.waiting import retry_after_s, wait_s

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Send:
    """Send a form; what comes back is the result of the step."""

    form: Form
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait before the next step."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Admit:
    """Ask whether a request may go; the result is the seconds to wait before it.

    Attributes:
        run: Asks.
        may_block: Whether an event loop needs a thread for it.
    """

    run: Callable[[], float]
    may_block: bool


Step = Send | Pause | Admit
Steps = Generator[Step, Any, Any]


@dataclass
class Exchanges:
    """How one endpoint is called, and what it was found to refuse.

    Attributes:
        at: The endpoint.
        abilities: Where its refusals are remembered.
        timeout_s: Seconds for a call that brings no time-out of its own.
        max_retries: How often a request that the transport failed is sent again.
        order: Ways to ask for a format, the preferred one first.
        limit_name: What this kind of service calls the limit of the reply.
        limits: Let requests go, and hear how they ended; without them all go at once.
        clock: Seconds that only grow.
        draw: Draws a number between two others.
    """

    at: Endpoint
    abilities: AbilityStore
    timeout_s: float
    max_retries: int = 2
    order: tuple[Mode, ...] = DEFAULT_ORDER
    limit_name: str = "max_tokens"
    limits: CallLimits | None = None
    clock: Callable[[], float] = time.monotonic
    draw: Callable[[float, float], float] = random.uniform
    _known: frozenset[str] | None = field(default=None, init=False)

    @property
    def known(self) -> frozenset[str]:
        """Return the features that are not even tried."""
        if self._known is None:
            self._known = self.abilities.refused(self.at.identity)
        return self._known

    @property
    def mode(self) -> Mode | None:
        """Return how a format is asked for now; None where the endpoint refuses every way."""
        return next((mode for mode in self.order if mode not in self.known), None)

    def learn(self, refused: frozenset[str]) -> None:
        """Remember what the endpoint refuses, with what other threads found out meanwhile."""
        self._known = self.known | refused
        self.abilities.remember(self.at.identity, self._known)

    def steps(self, payload: Mapping[str, Any], timeout_s: float | None = None) -> Steps:
        """Return one call as steps; its result is the reply.

        Args:
            payload: The whole request.
            timeout_s: Seconds until the call is given up, with all that is sent again.
        """
        deadline_s = self.clock() + (timeout_s or self.timeout_s)
        return _Call(self, payload, deadline_s).steps()


class _Call:
    def __init__(self, how: Exchanges, payload: Mapping[str, Any], deadline_s: float) -> None:
        self._how = how
        self._payload = payload
        self._deadline_s = deadline_s
        self._refused = how.known
        self._to_learn = how.known
        self._failed_tries = 0

    def steps(self) -> Steps:
        while True:
            form = self._form()
            if "tools" in self._refused and self._payload.get("tools"):
                self._how.learn(self._to_learn)
                raise no_tools(self._how.at)  # without them it would be another request
            yield from self._admitted()
            try:
                reply = yield from self._sent(form)
            except Exception as exc:
                wait = self._after(exc, form)
                if wait:
                    yield Pause(wait)
                continue
            if not self._to_learn <= self._how.known:
                self._how.learn(self._to_learn)
            return reply

    def _admitted(self) -> Steps:
        """Wait until the request may go.

        Raises:
            PaceError: If it may not in time.
            TransportError: If the service is known to be away.
        """
        if (limits := self._how.limits) is None:
            return
        left_s = self._left_s()
        wait: float = yield Admit(lambda: limits.admit(self._most_tokens, left_s), limits.may_block)
        if wait > 0:
            try:
                yield Pause(wait)
            except BaseException:
                limits.report("unknown")
                raise

    def _sent(self, form: Form) -> Steps:
        """Send a form, and tell the limits how it ended."""
        if (limits := self._how.limits) is None:
            return (yield Send(form, self._left_s()))
        outcome: Outcome = "unknown"
        given_s = self._left_s()
        try:
            reply = yield Send(form, given_s)
            outcome = "answered"
            return reply
        except Exception as exc:
            outcome = self._outcome_of(exc, given_s)
            raise
        finally:
            limits.report(outcome)

    def _outcome_of(self, exc: Exception, given_s: float) -> Outcome:
        error = translate(exc, self._how.at)
        if not (isinstance(error, TransportError) and error.retryable):
            return "answered"
        # Who waited too briefly, at the end of a deadline, has learnt nothing of the service.
        is_late = "Timeout" in type(exc).__name__
        too_short = is_late and given_s < min(_FAIR_TIME_S, self._how.timeout_s / 2)
        return "unknown" if too_short else "failed"

    def _most_tokens(self) -> int:
        """Return what the request takes at most, the way services count it before they answer.

        Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota (rate limits)
        """
        payload = self._payload
        longest = payload.get("max_tokens") or payload.get("max_completion_tokens") or 0
        return estimate_tokens(_prompt_of(payload)) + int(longest)

    def _form(self) -> Form:
        how = self._how
        return form_of(self._payload, self._refused, order=how.order, limit_name=how.limit_name)

    def _left_s(self) -> float:
        return max(0.001, self._deadline_s - self._how.clock())

    def _after(self, exc: Exception, form: Form) -> float:
        """Return the seconds to wait before the next try, or raise what ends the call."""
        at, prompt = self._how.at, _prompt_of(self._payload)
        error = translate(exc, at, prompt=prompt)
        fault, headers = fault_of(exc)
        if self._simplified(fault, form, error):
            return 0.0
        if event := _event_of(exc, error, fault):
            happened(event)
        wait = self._wait_s(error, headers)
        if wait is None:
            raise error from cause_of(exc, error, at, prompt)
        _log.info("%s Trying again in %.1f s.", error, wait)
        return wait

    def _simplified(self, fault: Fault | None, form: Form, error: Exception) -> bool:
        """Give up the features that the endpoint complains about, if it does."""
        if fault is None or not isinstance(error, ProviderError):
            return False
        decided = isinstance(error, ContextOverflowError | ContentFilterError | RateLimitError)
        if decided and not fault.param.startswith("max_"):
            return False
        features = complained_about(fault, form.features)
        self._refused |= features
        if features and not is_of_the_value(fault):
            self._to_learn |= features
        if features:
            _log.info("%s refuses %s.", self._how.at.host, ", ".join(sorted(features)))
        return bool(features)

    def _wait_s(self, error: Exception, headers: Any) -> float | None:
        """Return how long to wait before the same is sent again; None where that is no use."""
        again = isinstance(error, RateLimitError | TransportError) and error.retryable
        if not again or headers.get("x-should-retry") == "false":
            return None
        self._failed_tries += 1
        if self._failed_tries > self._how.max_retries:
            return None
        wait = wait_s(self._failed_tries, retry_after_s(headers), self._how.draw)
        return wait if wait < self._deadline_s - self._how.clock() else None


_FAIR_TIME_S = 0.5
"""A service that did not answer within less may be well."""


def _event_of(exc: Exception, error: Exception, fault: Fault | None) -> str:
    """Name what happened on the way to the service; empty where the request was the fault."""
    if fault is not None and fault.status:
        return str(fault.status) if fault.status == 429 or fault.status >= 500 else ""
    if isinstance(error, TransportError):
        return "timeout" if "Timeout" in type(exc).__name__ else "connection"
    return ""


def _prompt_of(payload: Mapping[str, Any]) -> str:
    texts = [str(message.get("content", "")) for message in payload.get("messages", ())]
    return "\n".join([*texts, *payload.get("input", ())])
