"""What is known of a tool beside its schema: what it may do, when, and how that is made sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragqa.agent.verification import Verifier
from ragqa.contract import Caller
from ragqa.errors import ConfigError
from ragqa.validation.gate import Rule
from ragqa.validation.grounded.arguments import Due
from ragqa.validation.grounded.gate import ContextCheck

OperationKey = str | tuple[str, ...] | Callable[[Mapping[str, Any]], str]
Permission = Callable[[Caller, Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPolicy:
    """What is known of a tool beside its schema. Without one, a tool counts as an effect.

    >>> policy = ToolPolicy(
    ...     effect="created ticket",
    ...     claims=("created", "opened", "创建"),
    ...     key=("customer", "subject"),
    ...     key_parameter="idempotency_key",
    ...     key_lifetime_s=24 * 3600,
    ...     approval=True,
    ... )
    >>> policy.completes_when
    'succeeded'

    Attributes:
        read_only: Whether calling it changes nothing. Anything else is an effect.
        effect: What it does, in the past tense ("created ticket"), for people and the model.
        claims: Words of an answer that only a record of this tool makes true.
        timeout_s: How long one call may take.
        retries: More tries: of a read-only tool after any fault that may pass, of an effect only
            after its verifier has said that nothing happened, with the same key.
        approval: Whether a person has to say yes before it runs; a function of the arguments
            decides call by call.
        approval_lifetime_s: How long that person has.
        key: What makes two calls the same operation: names of arguments, or a function of them.
            None: all arguments, within one run.
        key_scope: Where the same key is the same operation.
        key_parameter: The tool's parameter that gets the key; the model never sees it.
        key_lifetime_s: How long the service knows a key. After it, "not found" says nothing and
            nothing is tried again. None: for good.
        repeatable: Whether asking again is a new operation each time; only without ``key``.
        settle_s: How long after an effect the service may still not show it.
        verifier: Looks up what became of an operation; changes nothing.
        verifier_timeout_s: How long one look-up may take.
        patience_s: How long a call waits for a look-up to become clear, before it reports unknown.
        compares: What has to be the same in what the verifier finds: names of arguments, or a
            mapping from an argument to the field that holds it there.
        completes: Which state counts as done. None: verified where there is a verifier.
        asynchronous: Whether the service only accepts a job: it stays running until the verifier
            says that it is finished.
        rules: Normalise, default and refuse arguments, as ``ragqa.validation.rules`` has them.
        state: Names in the state of the session that have to be there; or checks.
        groups: Callers have to belong to one of them; empty: everybody may call it.
        permission: Decides on the caller and the arguments.
        fields: What an argument is for, where its name does not tell: see SuspiciousArguments.
            None: arguments are not looked at for attacks.
        fallback: A read-only tool that is asked with the same arguments if this one fails.
        request_id: Finds the service's id of a request in what the tool returned.
        max_result_chars: How much of a result the model gets to see.
    """

    read_only: bool = False
    effect: str = ""
    claims: tuple[str, ...] = ()
    timeout_s: float = 30.0
    retries: int = 0
    approval: bool | Callable[[Mapping[str, Any]], bool] = False
    approval_lifetime_s: float = 7 * 24 * 3600.0
    key: OperationKey | None = None
    key_scope: Literal["everywhere", "session", "run"] = "everywhere"
    key_parameter: str | None = None
    key_lifetime_s: float | None = None
    repeatable: bool = False
    settle_s: float = 0.0
    verifier: Verifier | None = None
    verifier_timeout_s: float = 10.0
    patience_s: float = 5.0
    compares: tuple[str, ...] | Mapping[str, str] = ()
    completes: Literal["succeeded", "verified"] | None = None
    asynchronous: bool = False
    rules: tuple[Rule, ...] = ()
    state: tuple[str | ContextCheck, ...] = ()
    groups: tuple[str, ...] = ()
    permission: Permission | None = None
    fields: Mapping[str, Due] | None = field(default_factory=dict)
    fallback: str | None = None
    request_id: Callable[[Any], str | None] | None = None
    max_result_chars: int = 8000

    def __post_init__(self) -> None:
        for name in ("claims", "rules", "state", "groups", "compares", "key"):
            object.__setattr__(self, name, _several(getattr(self, name)))
        for problem in _problems(self):
            raise ConfigError(f"This tool policy cannot hold: {problem}.")

    @property
    def completes_when(self) -> Literal["succeeded", "verified"]:
        """Return the state that counts as done."""
        if self.completes is not None:
            return self.completes
        return "succeeded" if self.verifier is None else "verified"

    @property
    def compared(self) -> Mapping[str, str]:
        """Return what is compared: for each argument the field of the thing found."""
        if isinstance(self.compares, Mapping):
            return self.compares
        return {name: name for name in self.compares}


def _several(value: Any) -> Any:
    """Return one name as a tuple of one, and a list as a tuple; anything else as it is."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _problems(policy: ToolPolicy) -> Iterator[str]:
    """Yield what contradicts itself."""
    for name in ("timeout_s", "approval_lifetime_s", "verifier_timeout_s", "max_result_chars"):
        if not getattr(policy, name) > 0:
            yield f"{name} has to be above zero"
    for name in ("settle_s", "patience_s", "retries"):
        if not getattr(policy, name) >= 0:
            yield f"{name} cannot be negative"
    if policy.key_lifetime_s is not None and not policy.key_lifetime_s > 0:
        yield "key_lifetime_s has to be above zero"
    yield from _problems_of_reading(policy) if policy.read_only else _problems_of_effects(policy)


def _problems_of_reading(policy: ToolPolicy) -> Iterator[str]:
    if policy.asynchronous or policy.claims or policy.effect:
        yield "a read-only tool has no effect, claims none and starts no job"
    if policy.key is not None or policy.key_parameter or policy.verifier is not None:
        yield "a read-only tool needs neither an operation key nor a verifier"


def _problems_of_effects(policy: ToolPolicy) -> Iterator[str]:
    if policy.asynchronous and policy.verifier is None:
        yield "an asynchronous job needs a verifier that tells when it is finished"
    if policy.completes == "verified" and policy.verifier is None:
        yield "completes='verified' needs a verifier"
    if policy.repeatable and policy.key is not None:
        yield "a key makes two calls the same operation, so it is not repeatable"
    if policy.retries and not (policy.verifier and policy.key_parameter):
        yield "an effect is only tried again with a verifier and a key_parameter"


UNDECLARED = ToolPolicy()
"""The policy of a tool without one: an effect, without approval, not retried."""
