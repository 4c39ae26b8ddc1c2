"""A connection to the daemon. The uid of the server is checked before anything is sent."""

from __future__ import annotations

import json
import os
import select
import socket
import stat
import struct
import time
from collections.abc import Callable, Mapping, Sequence

from ._wire import Members
from .errors import BrokerError, DeadlinePassed, Disconnected, Unreachable, UnreadableAnswer, UntrustedServer

#: The path of the system service's socket.
SERVICE_PATH = "/run/tokenbroker/tokenbroker.sock"
#: The largest response in bytes (docs/jsonrpc.md).
ANSWER_LIMIT = 1 << 20
#: The time limit for connecting, in seconds.
CONNECT_TIMEOUT = 5.0


def socket_paths(
    override: str | None = None, environment: Mapping[str, str] | None = None, uid: int | None = None
) -> tuple[str, ...]:
    """Returns the paths to try: `override`, else `TOKENBROKER_SOCKET`, else the per-user socket and the service's.

    If `XDG_RUNTIME_DIR` is not an absolute path, the per-user socket is in `/run/user/UID`, and root uses the service.
    """
    variables = os.environ if environment is None else environment
    if path := override or variables.get("TOKENBROKER_SOCKET"):
        return (path,)
    uid = os.geteuid() if uid is None else uid
    own = variables.get("XDG_RUNTIME_DIR", "")
    if not own.startswith("/"):
        if uid == 0:
            return (SERVICE_PATH,)
        own = f"/run/user/{uid}"
    return (f"{own.removesuffix('/')}/tokenbroker/tokenbroker.sock", SERVICE_PATH)


def trusts(uid: int, path: str) -> bool:
    """Returns whether a server is trusted: this user, root, or at the service's path the owner of its directory."""
    if uid in (os.geteuid(), 0):
        return True
    if path != SERVICE_PATH:
        return False
    try:
        folder = os.lstat(os.path.dirname(path))
    except OSError:
        return False
    return stat.S_ISDIR(folder.st_mode) and folder.st_uid == uid


class Connection:
    """A connection that carries one call at a time."""

    def __init__(self, path: str, end: socket.socket) -> None:
        self.path = path
        self._socket = end
        self._received = b""
        self._last_id = 0

    @classmethod
    def open(cls, paths: Sequence[str], trust: Callable[[int, str], bool] = trusts) -> Connection:
        """Connects to the first path on which a server is listening."""
        failures = []
        for path in paths:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                end.settimeout(CONNECT_TIMEOUT)
                end.connect(path)
                uid = struct.unpack("3I", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
            except OSError as error:
                end.close()
                failures.append(f"{path}: {error.strerror or error}")
                continue
            if trust(uid, path):
                return cls(path, end)
            end.close()
            raise UntrustedServer(
                f"The server at {path} runs as uid {uid}, which is neither your uid nor the service's. "
                "Nothing was sent. Find out which process is listening there."
            )
        places = "; ".join(failures)
        advice = "Start tokenbrokerd, or run `tokenbroker doctor`."
        if len(paths) > 1 and not os.environ.get("XDG_RUNTIME_DIR", "").startswith("/"):
            advice = (
                "XDG_RUNTIME_DIR is not set to an absolute path. Start tokenbrokerd. If it is running, set "
                "XDG_RUNTIME_DIR as for the daemon, or set TOKENBROKER_SOCKET to the path of its socket."
            )
        raise Unreachable(f"The broker does not respond on its socket ({places}). {advice}")

    @property
    def is_fresh(self) -> bool:
        """Whether the server has neither closed the connection nor sent anything unexpected."""
        return not self._received and not select.select([self._socket], [], [], 0)[0]

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()

    def call(self, method: str, params: Mapping[str, object], deadline: float) -> Members:
        """Calls a method and waits for its result, for at most `deadline` seconds."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": dict(params)}
        end = time.monotonic() + deadline
        try:
            self._wait_until(end)
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            answer = self._answer(end)
        except TimeoutError:
            raise DeadlinePassed(
                "The broker did not respond in time. Try again, or run `tokenbroker doctor`."
            ) from None
        except OSError as error:
            raise Disconnected(
                "The broker closed the connection before it responded. Try again, or run `tokenbroker doctor`."
            ) from error
        return self._result(answer)

    def notification(self) -> tuple[str, Members]:
        """Waits without a time limit for the next notification. Returns its name and its members."""
        try:
            members = Members(self._answer(None))
        except OSError as error:
            raise Disconnected("The broker closed the connection.") from error
        return members.text("method"), members.member("params")

    def _wait_until(self, end: float | None) -> None:
        if end is None:
            self._socket.settimeout(None)
            return
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def _answer(self, end: float | None) -> object:
        while b"\n" not in self._received:
            if len(self._received) > ANSWER_LIMIT:
                raise UnreadableAnswer(f"The broker's response has more than {ANSWER_LIMIT} bytes.")
            self._wait_until(end)
            part = self._socket.recv(65536)
            if not part:
                raise ConnectionResetError
            self._received += part
        line, _, self._received = self._received.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise UnreadableAnswer("The broker's response is not JSON.") from None

    def _result(self, answer: object) -> Members:
        members = Members(answer)
        error = members.maybe_member("error")
        # An error about the connection itself, such as a refused uid, has no id.
        if members.any("id") != self._last_id and not (error and members.any("id") is None):
            raise UnreadableAnswer("The broker responded to a different request.")
        if error:
            raise BrokerError(error.number("code"), error.text("message"), error.mapping("data"))
        return members.member("result")
