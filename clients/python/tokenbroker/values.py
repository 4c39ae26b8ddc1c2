"""The values that the daemon returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ._wire import Members


class Secret:
    """A string that prints as `<redacted>`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Returns the string."""
        return self._text

    def __repr__(self) -> str:
        return "<redacted>"

    __str__ = __repr__

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("A secret cannot be pickled.")


@dataclass(frozen=True)
class UserHint:
    """The user that a token must be for.

    `kind` says what `id` is: a sign-in name (RequiredDisplayableId; no other user is accepted), a sign-in name to fill
    in that the user can change (OptionalDisplayableId), or the object id (UniqueId).
    """

    id: str
    kind: Literal["RequiredDisplayableId", "OptionalDisplayableId", "UniqueId"] = "RequiredDisplayableId"


@dataclass(frozen=True)
class Token:
    """A bearer token with its account, scopes and lifetime."""

    access_token: Secret
    expires_at: datetime
    scopes: tuple[str, ...]
    account: str
    username: str
    acr: str
    amr: tuple[str, ...]
    auth_time: datetime | None
    claims: Mapping[str, object]
    policy: str
    correlation_id: str
    from_cache: bool
    cached: bool

    @property
    def authorization(self) -> str:
        """The value of the header `Authorization`."""
        return f"Bearer {self.access_token.reveal()}"

    @classmethod
    def _read(cls, members: Members) -> Token:
        return cls(
            access_token=Secret(members.text("accessToken")),
            expires_at=members.time("expiresAt"),
            scopes=members.texts("scopes"),
            account=members.text("account"),
            username=members.text("username"),
            acr=members.maybe_text("acr") or "",
            amr=members.texts("amr"),
            auth_time=members.maybe_time("authTime"),
            claims=members.mapping("claims"),
            policy=members.text("policy"),
            correlation_id=members.maybe_text("correlationId") or "",
            from_cache=members.flag("fromCache"),
            cached=members.flag("cached"),
        )


@dataclass(frozen=True)
class Account:
    """An account that is signed in for this local user."""

    account: str
    username: str
    display_name: str
    authority: str
    policies: tuple[str, ...]
    last_used: datetime | None
    is_default: bool

    @classmethod
    def _read(cls, members: Members) -> Account:
        return cls(
            account=members.text("account"),
            username=members.text("username"),
            display_name=members.maybe_text("displayName") or "",
            authority=members.maybe_text("authority") or "local",
            policies=members.texts("policies"),
            last_used=members.maybe_time("lastUsed"),
            is_default=members.flag("default"),
        )


@dataclass(frozen=True)
class Policy:
    """A policy of the daemon. If it is not available, `missing` says what to configure."""

    policy: str
    kind: str
    display_name: str
    issuer: str | None
    available: bool
    missing: str | None
    scopes: tuple[str, ...]

    @classmethod
    def _read(cls, members: Members) -> Policy:
        return cls(
            policy=members.text("policy"),
            kind=members.text("kind"),
            display_name=members.maybe_text("displayName") or "",
            issuer=members.maybe_text("issuer"),
            available=members.flag("available", missing=True),
            missing=members.maybe_text("missing"),
            scopes=members.texts("scopes"),
        )


@dataclass(frozen=True)
class CachedToken:
    """A description of a cached token, without the token itself."""

    account: str
    username: str
    client: str
    policy: str
    scopes: tuple[str, ...]
    expires_at: datetime

    @classmethod
    def _read(cls, members: Members) -> CachedToken:
        return cls(
            account=members.text("account"),
            username=members.maybe_text("username") or "",
            client=members.maybe_text("client") or "",
            policy=members.maybe_text("policy") or "",
            scopes=members.texts("scopes"),
            expires_at=members.time("expiresAt"),
        )


@dataclass(frozen=True)
class Event:
    """A change to this user's tokens or accounts.

    `name` is token.rotated or token.expiring, with `token`; or session.changed, with `change`: signedIn, signedOut, or
    changed (tokens were removed before they expired).
    """

    name: str
    account: str
    token: CachedToken | None = None
    change: str | None = None

    @classmethod
    def _read(cls, name: str, members: Members) -> Event:
        return cls(
            name=name,
            account=members.text("account"),
            token=CachedToken._read(members) if name.startswith("token.") else None,
            change=members.maybe_text("change"),
        )


@dataclass(frozen=True)
class Status:
    """The state of the daemon."""

    version: str
    uptime_ms: int
    policies: tuple[str, ...]
    accounts: int
    locked: bool

    @classmethod
    def _read(cls, members: Members) -> Status:
        counts = members.maybe_member("counts")
        return cls(
            version=members.text("version"),
            uptime_ms=members.number("uptimeMs"),
            policies=members.texts("policies"),
            accounts=(counts.maybe_number("accounts") if counts else None) or 0,
            locked=members.flag("locked"),
        )


@dataclass(frozen=True)
class SignedOut:
    """The result of a sign-out. `left` names what could not be revoked yet and is retried."""

    tokens: int
    sessions: int
    flows: int
    left: tuple[str, ...]

    @classmethod
    def _read(cls, members: Members) -> SignedOut:
        removed = members.member("removed")
        return cls(
            tokens=removed.number("tokens"),
            sessions=removed.number("sessions"),
            flows=removed.number("flows"),
            left=members.texts("left"),
        )


@dataclass(frozen=True)
class Node:
    """A field of a step. Read the answers to `secret` and `code` without echo."""

    name: str
    kind: str
    label: str
    required: bool
    value: str | None
    min_length: int | None
    max_length: int | None
    pattern: str | None
    options: tuple[str, ...]

    @property
    def is_secret(self) -> bool:
        """Whether the input must not be shown."""
        return self.kind in ("secret", "code")

    @classmethod
    def _read(cls, members: Members) -> Node:
        name = members.text("name")
        return cls(
            name=name,
            kind=members.text("kind"),
            label=members.maybe_text("label") or name,
            required=members.flag("required"),
            value=members.maybe_text("value"),
            min_length=members.maybe_number("minLength"),
            max_length=members.maybe_number("maxLength"),
            pattern=members.maybe_text("pattern"),
            options=members.texts("options"),
        )


@dataclass(frozen=True)
class Message:
    """A sentence that a step shows."""

    code: str
    level: str
    text: str
    node: str | None


@dataclass(frozen=True)
class Step:
    """The open step of a flow. A client that does not know its type prompts for its nodes."""

    id: str
    type: str
    check: str | None
    title: str
    nodes: tuple[Node, ...]
    remaining_attempts: int | None
    messages: tuple[Message, ...]
    actions: tuple[str, ...]
    data: Mapping[str, object]

    @classmethod
    def _read(cls, members: Members) -> Step:
        attempts = members.maybe_member("attempts")
        return cls(
            id=members.text("id"),
            type=members.text("type"),
            check=members.maybe_text("check"),
            title=members.maybe_text("title") or "",
            nodes=tuple(Node._read(node) for node in members.members("nodes")),
            remaining_attempts=attempts.number("remaining") if attempts else None,
            messages=tuple(
                Message(
                    one.text("code"), one.maybe_text("level") or "info", one.maybe_text("text") or "",
                    one.maybe_text("node"),
                )
                for one in members.members("messages")
            ),
            actions=tuple(one.text("name") for one in members.members("actions")),
            data=members.mapping("data"),
        )


@dataclass(frozen=True)
class BrowserPlace:
    """The address where a browser continues a flow.

    `url` is that address. With `mode="device"` the user can also type `user_code` at `page`. In a browser of another
    user or machine the page prompts for `words`, so show them to the user. Do not pass `url` in the arguments of a
    program: every user of the machine can read them.
    """

    url: str
    words: tuple[str, ...]
    user_code: str | None = None
    page: str | None = None


@dataclass(frozen=True)
class LinkOpener:
    """The other user of this machine, or the network address, whose browser opened the link of a flow."""

    uid: int | None = None
    user: str | None = None
    address: str | None = None


@dataclass(frozen=True)
class Flow:
    """A flow: the steps a user must complete before there is a token or a session."""

    id: str
    rev: int
    policy: str
    state: str
    reason: str | None
    expires_at: datetime
    wanted_scopes: tuple[str, ...]
    step: Step | None = field(repr=False)
    retry_after: float | None
    account: str | None
    browser: BrowserPlace | None
    opened_by: LinkOpener | None = None

    @property
    def is_open(self) -> bool:
        """Whether the flow has not ended."""
        return self.state in ("challenge", "pending")

    @classmethod
    def _read(cls, members: Members) -> Flow:
        step = members.maybe_member("step")
        want = members.maybe_member("want")
        milliseconds = members.maybe_number("retryAfterMs")
        return cls(
            id=members.text("id"),
            rev=members.number("rev"),
            policy=members.text("policy"),
            state=members.text("state"),
            reason=members.maybe_text("reason"),
            expires_at=members.time("expiresAt"),
            wanted_scopes=want.texts("scopes") if want else (),
            step=Step._read(step) if step else None,
            retry_after=None if milliseconds is None else milliseconds / 1000,
            account=members.maybe_text("account"),
            browser=_place(members),
            opened_by=_opener(members),
        )


def _opener(members: Members) -> LinkOpener | None:
    if opener := members.maybe_member("openedBy"):
        return LinkOpener(opener.maybe_number("uid"), opener.maybe_text("user"), opener.maybe_text("address"))
    return None


def _place(members: Members) -> BrowserPlace | None:
    if browser := members.maybe_member("browser"):
        return BrowserPlace(browser.text("url"), browser.texts("words"))
    if device := members.maybe_member("device"):
        return BrowserPlace(
            url=device.text("verificationUriComplete"),
            words=device.texts("words"),
            user_code=device.text("userCode"),
            page=device.text("verificationUri"),
        )
    return None
