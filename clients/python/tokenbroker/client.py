"""A client of the broker on the same machine."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType

from ._flows import FlowRunner
from ._wire import Members
from .connection import Connection, socket_paths
from .errors import BrokerError, Disconnected, Reason, UnreadableAnswer
from .handlers import Handlers
from .values import Account, BrowserPlace, CachedToken, Event, Flow, Policy, Secret, SignedOut, Status, Token, UserHint

_VERSION = "0.1.0"
#: The client id that the daemon uses for a program that does not specify one.
_STANDARD_CLIENT = "tokenbroker-cli"
#: Seconds that a call waits beyond the daemon's own deadline.
_PATIENCE = 2.0
#: The maximum number of idle connections that stay open for later calls.
_KEPT = 4
#: The daemon's deadlines in seconds (docs/jsonrpc.md); 10 for others.
_DEADLINES = {
    "token.acquire": 90.0,
    "flow.start": 90.0,
    "flow.submit": 90.0,
    "flow.action": 90.0,
    "check.login": 90.0,
    "credential.enrol": 30.0,
    "credential.remove": 30.0,
    "session.signOut": 30.0,
    "account.import": 40.0,
    "authority.add": 30.0,
    "authority.remove": 30.0,
    "broker.lock": 60.0,
    "broker.unlock": 60.0,
}
#: Methods that are sent again if their response was lost, in addition to those with a request or submission id.
_REPEATABLE = {
    "rpc.discover", "broker.hello", "broker.status", "policy.list", "policy.get",
    "account.list", "account.get", "account.use", "token.list", "flow.get", "flow.wait", "flow.list", "flow.cancel",
    "session.signOut", "store.key", "audit.query", "authority.list",
}
#: The time limit of one `flow.wait`, in milliseconds.
_WAIT_MS = 30_000


class Client:
    """A client of the broker. It connects on its first call. Threads can share it.

    Each call uses its own connection, and up to four connections stay open. After a connection has ended, the next call
    opens a new one. A repeatable call is sent again if its response was lost.

    `client_id` is the name of the program for cache keys and prompts. It is never a security boundary. `language` is
    the language of the prompts. `handlers` answer the steps of flows. `browsing` shows the user the address where a
    browser continues a flow; without it no identity provider is offered. `deadline` is the time limit of one call in
    seconds; without it each method has the daemon's limit.
    """

    def __init__(
        self,
        socket: str | None = None,
        *,
        client_id: str | None = None,
        correlation_id: str | None = None,
        language: str | None = None,
        handlers: Handlers = Handlers(),
        browsing: Callable[[BrowserPlace], None] | None = None,
        deadline: float | None = None,
    ) -> None:
        self.paths = socket_paths(socket)
        self.client_id = client_id
        self.correlation_id = correlation_id
        self.language = language
        self.handlers = handlers
        self.browsing = browsing
        self.deadline = deadline
        self._lock = threading.Lock()
        self._kept: list[Connection] = []
        self._process = os.getpid()
        self._is_closed = False

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all open connections. A later call opens a new one and closes it afterwards."""
        with self._lock:
            self._is_closed = True
            kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()

    def call(self, method: str, params: Mapping[str, object] | None = None) -> Members:
        """Calls any method of docs/jsonrpc.md and returns the members of its result.

        Raises `BrokerError` if the daemon refuses, or a `ClientError` if there is no valid response.
        """
        given = dict(params or {})
        if self.correlation_id is not None:
            given.setdefault("correlationId", self.correlation_id)
        is_repeatable = method in _REPEATABLE or "requestId" in given or "submissionId" in given
        try:
            return self._call_once(method, given)
        except Disconnected:
            if not is_repeatable:
                raise
            return self._call_once(method, given, anew=True)
        except BrokerError as refused:
            # The service is stopping and has not started the call. The new one listens on the same socket.
            if refused.reason != Reason.SHUTTING_DOWN:
                raise
            return self._call_once(method, given, anew=True)

    def _call_once(self, method: str, params: Mapping[str, object], anew: bool = False) -> Members:
        connection = self._connected(anew)
        is_whole = False
        try:
            result = connection.call(method, params, self._seconds(method, params))
            is_whole = True
            return result
        except BrokerError:
            is_whole = True
            raise
        finally:
            self._keep(connection) if is_whole else connection.close()

    def _seconds(self, method: str, params: Mapping[str, object]) -> float:
        own = _DEADLINES.get(method, 10.0)
        if method == "flow.wait":
            waits = params.get("timeoutMs")
            own = (waits if isinstance(waits, int) else _WAIT_MS) / 1000 + 5
        own += _PATIENCE
        return own if self.deadline is None else min(own, self.deadline)

    def _connected(self, anew: bool) -> Connection:
        if not anew:
            with self._lock:
                if self._process != os.getpid():
                    # These connections belong to the parent: two processes would read each other's responses.
                    for connection in self._kept:
                        connection.close()
                    self._kept, self._process = [], os.getpid()
                while self._kept:
                    connection = self._kept.pop()
                    if connection.is_fresh:
                        return connection
                    connection.close()
        return self._introduced()

    def _introduced(self) -> Connection:
        made = Connection.open(self.paths)
        try:
            self._introduce(made)
        except BaseException:
            made.close()
            raise
        return made

    def _introduce(self, connection: Connection) -> None:
        if self.client_id is None and self.language is None and self.browsing is None:
            return
        params: dict[str, object] = {
            "protocol": [1],
            "client": {"id": self.client_id or _STANDARD_CLIENT, "name": "python", "version": _VERSION},
        }
        if self.language is not None:
            params["locale"] = self.language
        if self.browsing is not None:
            params["steps"] = ["form", "provider"]
        connection.call("broker.hello", params, self._seconds("broker.hello", params))

    def _keep(self, connection: Connection) -> None:
        with self._lock:
            if not self._is_closed and self._process == os.getpid() and len(self._kept) < _KEPT:
                self._kept.append(connection)
                return
        connection.close()

    # Tokens and flows

    def acquire_token(
        self,
        scopes: Sequence[str] = (),
        *,
        policy: str | None = None,
        account: str | None = None,
        user: UserHint | None = None,
        additional_scopes: Sequence[str] = (),
        resource: str | None = None,
        acr_values: Sequence[str] = (),
        max_age: int | None = None,
        claims: Mapping[str, object] | None = None,
        prompt: str | None = None,
        mode: str | None = None,
        loopback_port: int | None = None,
        provider: str | None = None,
        provider_token: Mapping[str, str | Secret] | None = None,
        min_validity: float | None = None,
        force_refresh: bool = False,
        extra_query_parameters: Mapping[str, str] | None = None,
    ) -> Token:
        """Acquires a bearer token: from the cache, by renewal, or by a flow whose steps the handlers answer.

        `max_age` and `min_validity` are seconds. `prompt` is auto, none, login, create or select. `mode` is native,
        browser, device or, at external authorities, paste. The step of `paste` contains the address to open in a
        browser and prompts for the address where the user's sign-in ended. With `loopback_port` the browser returns to
        that loopback port of the daemon (0 for any available port), which requires the mode native or browser.
        `claims` is the claims request of OpenID Connect Core 5.5. `provider` names the identity provider for a sign-in,
        if one is required. `provider_token` is a token of that provider, under the name `id_token` or `access_token`,
        which identifies the user. `extra_query_parameters` are sent to an external authority.
        Raises `BrokerError` if the daemon refuses, `FlowEnded` if the flow ended without success, or the error that a
        handler raised.
        """
        params: dict[str, object] = {"scopes": list(scopes), "requestId": _random_name()}
        optional: dict[str, object] = {
            "policy": policy,
            "client": self.client_id,
            "account": account,
            "user": None if user is None else {"id": user.id, "type": user.kind},
            "additionalScopes": list(additional_scopes) or None,
            "resource": resource,
            "acrValues": list(acr_values) or None,
            "maxAge": max_age,
            "claims": None if claims is None else dict(claims),
            "prompt": prompt,
            "mode": mode,
            "loopbackPort": loopback_port,
            "provider": provider,
            "providerToken": _revealed(provider_token),
            "minValidityMs": None if min_validity is None else round(min_validity * 1000),
            "forceRefresh": force_refresh or None,
            "extraQueryParameters": dict(extra_query_parameters or {}) or None,
        }
        params |= {name: value for name, value in optional.items() if value is not None}
        answer = self.call("token.acquire", params)
        if answer.text("kind") == "flow":
            flow, token = self._runner().finish(Flow._read(answer.member("flow")))
            if token is not None:
                return token
            # Another caller of this flow received the token, or the flow ended in a browser: the token is in the cache.
            if account is None and flow.account is not None:
                params["account"] = flow.account
            params.pop("forceRefresh", None)
            answer = self.call("token.acquire", params | {"prompt": "none", "requestId": _random_name()})
        if answer.text("kind") != "token":
            raise UnreadableAnswer("The broker started a flow although flows were not allowed.")
        return Token._read(answer.member("token"))

    def run_flow(
        self,
        policy: str,
        *,
        input: Mapping[str, object] | None = None,
        account: str | None = None,
        acr_values: Sequence[str] = (),
        max_age: int | None = None,
        mode: str | None = None,
        provider: str | None = None,
        provider_token: Mapping[str, str | Secret] | None = None,
    ) -> Flow:
        """Runs a flow that results in a session, such as sign-up or sign-in, and returns the finished flow.

        `provider` and `provider_token` are those of `acquire_token`.
        """
        params: dict[str, object] = {"policy": policy, "requestId": _random_name()}
        optional: dict[str, object | None] = {
            "input": input or None,
            "account": account,
            "acrValues": list(acr_values) or None,
            "maxAge": max_age,
            "mode": mode,
            "provider": provider,
            "providerToken": _revealed(provider_token),
        }
        params |= {name: value for name, value in optional.items() if value is not None}
        return self.continue_flow(Flow._read(self.call("flow.start", params).member("flow")))

    def continue_flow(self, flow: Flow) -> Flow:
        """Continues an open flow until it succeeds, even after a restart of the daemon."""
        return self._runner().finish(flow)[0]

    def flows(self) -> tuple[Flow, ...]:
        """Returns this user's open flows, without their steps."""
        return tuple(Flow._read(flow) for flow in self.call("flow.list").members("flows"))

    def _runner(self) -> FlowRunner:
        wait_ms = _WAIT_MS if self.deadline is None else min(_WAIT_MS, int(self.deadline * 500))
        return FlowRunner(self.call, self.handlers, self.browsing, _random_name, wait_ms)

    # Accounts and state

    def accounts(self) -> tuple[Account, ...]:
        """Returns this user's accounts."""
        return tuple(Account._read(one) for one in self.call("account.list").members("accounts"))

    def account(self, account: str) -> Account:
        """Returns the account with the given id."""
        return Account._read(self.call("account.get", {"account": account}))

    def use(self, account: str) -> Account:
        """Sets the account that calls use if several are signed in and the call specifies none."""
        return Account._read(self.call("account.use", {"account": account}))

    def policies(self) -> tuple[Policy, ...]:
        """Returns the daemon's policies."""
        return tuple(Policy._read(one) for one in self.call("policy.list").members("policies"))

    def policy(self, policy: str) -> Policy:
        """Returns the policy with the given id."""
        return Policy._read(self.call("policy.get", {"policy": policy}))

    def tokens(self, account: str | None = None) -> tuple[CachedToken, ...]:
        """Describes the cached tokens of an account, or of all accounts."""
        params = {} if account is None else {"account": account}
        return tuple(CachedToken._read(one) for one in self.call("token.list", params).members("tokens"))

    def events(self, account: str | None = None) -> Iterator[Event]:
        """Returns an iterator over changes to this user's tokens and accounts, or to those of `account`.

        The subscription is active when this returns. A lost event does no harm: a token call returns a current token.
        The iterator has its own connection, and raises `Disconnected` when the daemon closes that. Close it when done.
        """
        params = {} if account is None else {"account": account}
        connection = self._introduced()
        try:
            names = connection.call("token.subscribe", params, self._seconds("token.subscribe", params))
            known = frozenset(names.texts("notifications"))
        except BaseException:
            connection.close()
            raise
        return self._events(connection, known)

    @staticmethod
    def _events(connection: Connection, known: frozenset[str]) -> Iterator[Event]:
        try:
            while True:
                name, members = connection.notification()
                if name in known:
                    yield Event._read(name, members)
        finally:
            connection.close()

    def status(self) -> Status:
        """Returns the state of the daemon."""
        return Status._read(self.call("broker.status"))

    def store_key(self, account: str, purpose: str) -> Secret:
        """Returns the base64url key with which this program encrypts its data for an account."""
        return Secret(self.call("store.key", {"account": account, "purpose": purpose}).text("key"))

    def lock(self, passphrase: str) -> None:
        """Locks this user's cache with a passphrase until `unlock`."""
        self.call("broker.lock", {"passphrase": passphrase})

    def unlock(self, passphrase: str) -> None:
        """Unlocks this user's cache."""
        self.call("broker.unlock", {"passphrase": passphrase})

    def sign_out(self, account: str) -> SignedOut:
        """Signs out one account."""
        return SignedOut._read(self.call("session.signOut", {"account": account}))

    def sign_out_all(self) -> SignedOut:
        """Signs out all accounts of this user."""
        return SignedOut._read(self.call("session.signOut", {"all": True}))


def _revealed(token: Mapping[str, str | Secret] | None) -> dict[str, str] | None:
    if token is None:
        return None
    return {name: text.reveal() if isinstance(text, Secret) else text for name, text in token.items()}


def _random_name() -> str:
    return str(uuid.uuid4())
