"""The errors of the client."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._wire import Members

if TYPE_CHECKING:
    from .values import Flow


class Reason(enum.StrEnum):
    """The reasons why the daemon refuses a call (docs/jsonrpc.md). A newer daemon may have more."""

    INTERACTION_REQUIRED = "interaction_required"
    FLOW_NOT_FOUND = "flow_not_found"
    FLOW_FINISHED = "flow_finished"
    STALE_STEP = "stale_step"
    SUBMISSION_IN_PROGRESS = "submission_in_progress"
    INVALID_ANSWER = "invalid_answer"
    BLOCKED = "blocked"
    UNMET_AUTHENTICATION_REQUIREMENTS = "unmet_authentication_requirements"
    UNSUPPORTED_STEP = "unsupported_step"
    UNKNOWN_POLICY = "unknown_policy"
    UNKNOWN_CHECK = "unknown_check"
    SCOPE_DENIED = "scope_denied"
    LIMIT_EXCEEDED = "limit_exceeded"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    PROVIDER_PROTOCOL = "provider_protocol"
    EXPIRED_STEP = "expired_step"
    SHUTTING_DOWN = "shutting_down"
    NOT_PERMITTED = "not_permitted"
    ACCOUNT_AMBIGUOUS = "account_ambiguous"
    WRONG_USER = "wrong_user"
    LOCKED = "locked"
    UNKNOWN_CLIENT = "unknown_client"
    ACCOUNT_NOT_FOUND = "account_not_found"
    STORAGE_FAILED = "storage_failed"
    PARSE_ERROR = "parse_error"
    INVALID_REQUEST = "invalid_request"
    METHOD_NOT_FOUND = "method_not_found"
    INVALID_PARAMS = "invalid_params"
    INTERNAL_ERROR = "internal_error"
    DEADLINE_PASSED = "deadline_passed"

    @property
    def code(self) -> int:
        """The JSON-RPC error code: -32xxx, or 1001 to 1024."""
        return _CODES[self]


_STANDARD = {
    Reason.PARSE_ERROR: -32700,
    Reason.INVALID_REQUEST: -32600,
    Reason.METHOD_NOT_FOUND: -32601,
    Reason.INVALID_PARAMS: -32602,
    Reason.INTERNAL_ERROR: -32603,
    Reason.DEADLINE_PASSED: -32603,
}
_OWN = (reason for reason in Reason if reason not in _STANDARD)
_CODES: Mapping[Reason, int] = dict(_STANDARD) | {reason: 1001 + index for index, reason in enumerate(_OWN)}


@dataclass(frozen=True)
class Problem:
    """A problem with one answer to a step."""

    name: str
    code: str
    text: str


@dataclass(frozen=True)
class Candidate:
    """One of several matching accounts. The call must name one of them."""

    account: str
    username: str


class TokenbrokerError(Exception):
    """The base of every error of this package."""


class BrokerError(TokenbrokerError):
    """A call that the daemon refused.

    `code` and `reason` are described in docs/jsonrpc.md. Compare `reason`: it is a `Reason` if this version knows it,
    else a plain string. `message` is an English sentence for users. `key` and `parameters` identify it for translation.
    """

    def __init__(self, code: int, message: str, data: Mapping[str, object]) -> None:
        super().__init__(code, message, data)
        members = Members(data)
        self.code = code
        self.message = message
        self.data = data
        self.reason: str = _known(members.maybe_text("reason") or _standard_reason(code))
        self.correlation_id = members.maybe_text("correlationId")
        key, parameters = members.any("key"), members.any("parameters")
        #: The key of the sentence in the catalogs of the daemon, or `None` if they do not contain it.
        self.key = key if isinstance(key, str) else None
        #: The parameters of the sentence, by name.
        self.parameters: Mapping[str, object] = parameters if isinstance(parameters, Mapping) else {}
        milliseconds = members.maybe_number("retryAfterMs")
        #: Seconds to wait before trying again, or `None` if the daemon did not specify a time.
        self.retry_after = None if milliseconds is None else milliseconds / 1000
        self.problems = tuple(
            Problem(node.text("name"), node.text("code"), node.maybe_text("text") or "")
            for node in members.members("nodes")
        )
        self.candidates = tuple(
            Candidate(one.text("account"), one.maybe_text("username") or "") for one in members.members("candidates")
        )

    def __str__(self) -> str:
        text = f"{self.reason} ({self.code}): {self.message}"
        if self.reason == Reason.INTERACTION_REQUIRED:
            text += " To answer the steps in this program, pass handlers=."
        return text


def _known(word: str) -> str:
    return Reason(word) if word in Reason._value2member_map_ else word


def _standard_reason(code: int) -> str:
    return next((str(reason) for reason, number in _STANDARD.items() if number == code), Reason.INTERNAL_ERROR)


class ClientError(TokenbrokerError):
    """An error on the side of the client."""


class Unreachable(ClientError):
    """No daemon is listening on any of the paths."""


class UntrustedServer(ClientError):
    """The server at the socket is not trusted. Nothing was sent."""


class Disconnected(ClientError):
    """The connection ended before the response arrived."""


class DeadlinePassed(ClientError):
    """The response did not arrive in time."""


class UnreadableAnswer(ClientError):
    """The response does not follow the protocol."""


class UnhandledChallenge(ClientError):
    """A step of a flow has no handler. The flow was cancelled."""


class FlowEnded(ClientError):
    """A flow that ended without success. `flow` is its last state."""

    def __init__(self, message: str, flow: Flow) -> None:
        super().__init__(message)
        self.flow = flow
