"""Bearer tokens from the broker of this machine: the client of tokenbrokerd for Python."""

from ._wire import Members
from .client import Client
from .errors import (
    BrokerError,
    Candidate,
    ClientError,
    DeadlinePassed,
    Disconnected,
    FlowEnded,
    Problem,
    Reason,
    TokenbrokerError,
    UnhandledChallenge,
    Unreachable,
    UnreadableAnswer,
    UntrustedServer,
)
from .handlers import Action, Answer, Challenge, Handler, Handlers, answering
from .values import (
    Account,
    BrowserPlace,
    CachedToken,
    Event,
    Flow,
    LinkOpener,
    Message,
    Node,
    Policy,
    Secret,
    SignedOut,
    Status,
    Step,
    Token,
    UserHint,
)

__all__ = [
    "Account", "Action", "Answer", "BrokerError", "BrowserPlace", "CachedToken", "Candidate", "Challenge", "Client",
    "ClientError", "DeadlinePassed", "Disconnected", "Event", "Flow", "FlowEnded", "Handler", "Handlers", "LinkOpener", "Members",
    "Message", "Node", "Policy", "Problem", "Reason", "Secret", "SignedOut", "Status", "Step", "Token", "TokenbrokerError",
    "UnhandledChallenge", "Unreachable", "UnreadableAnswer", "UntrustedServer", "UserHint", "answering",
]
