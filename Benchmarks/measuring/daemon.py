"""A daemon on temporary state, and its socket."""

import json
import os
import signal
import socket
import subprocess
import time

from .build import ROOT

PATIENCE = 20
"""The timeout of every operation, in seconds."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


SCOPES = "tasks.read: Read, tasks.write: Change, accessRestricted: See your balance, transferPrivilege: Move money"
"""The scopes that the shipped policies grant."""


class Answer(Exception):
    """An error response of the daemon."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']}")
        self.code = error["code"]
        self.data = error.get("data", {})


class Connection:
    """A JSON-RPC connection with one message per line. Only root can open one for another user."""

    def __init__(self, path, uid=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        own = os.geteuid()
        # The kernel reports the effective uid of the connecting process to the daemon.
        if uid is not None and own == 0:
            os.seteuid(uid)
        try:
            self.socket.connect(path)
        finally:
            os.seteuid(own)
        self.held = b""
        self.last = 0

    def close(self):
        self.socket.close()

    def exchange(self, line):
        """Sends one line and returns the next received one."""
        self.socket.sendall(line + b"\n")
        while b"\n" not in self.held:
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("the daemon closed the connection")
            self.held += more
        answer, _, self.held = self.held.partition(b"\n")
        return answer

    def call(self, method, **params):
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        answer = json.loads(self.exchange(json.dumps(request).encode()))
        if "error" in answer:
            raise Answer(answer["error"])
        return answer["result"]


def end(process):
    """Terminates a process that may be running, and kills it after a timeout."""
    if process and process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until_http(port, began, process, host=None):
    """Milliseconds from `began` to the first response of `/healthz`."""
    request = f"GET /healthz HTTP/1.1\r\nHost: {host or f'localhost:{port}'}\r\nConnection: close\r\n\r\n".encode()
    while time.perf_counter() - began < PATIENCE:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                connection.sendall(request)
                if connection.recv(64).startswith(b"HTTP/1.1 200"):
                    return (time.perf_counter() - began) * 1e3
        except OSError:
            pass
        time.sleep(0.0002)
    raise TimeoutError("no response over HTTP")


class Daemon:
    """A daemon with its folder, which can be stopped and started again."""

    host = None
    """Its host name over HTTP, if it differs from its address."""

    @property
    def base(self):
        """The address in the tokens."""
        return f"https://{self.host}" if self.host else f"http://localhost:{self.port}"

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.port = free_port()
        self.api_port = free_port()
        self.socket = os.path.join(folder, "broker.sock")
        self.outbox = os.path.join(folder, "outbox")
        self.process = None
        self.config = os.path.join(folder, "tokenbrokerd.yaml")
        os.makedirs(os.path.join(folder, "state"), mode=0o700)
        # Other users can reach the socket of a system daemon. The daemon sets the mode of the socket.
        for place in (folder, os.path.dirname(folder)):
            os.chmod(place, 0o711)
        with open(self.config, "w") as file:
            file.write(
                f"issuerBase: http://localhost:{self.port}\n"
                f'listen: ["127.0.0.1:{self.port}"]\n'
                f"mail: {{transport: outbox, from: noreply@localhost, directory: {self.outbox}}}\n"
                "limits: {mailsPerUid: 1000000, mailsPerUidPerDay: 1000000}\n"
                f'apis: {{tasks: {{audience: tasks, origins: ["http://localhost:{self.api_port}"], scopes: {{{SCOPES}}}}}}}\n'
                "log: {level: warning, format: text}\n"
            )

    @property
    def serves_all(self):
        """Whether the daemon is a system daemon, which serves all users."""
        return os.geteuid() == 0 and "XDG_RUNTIME_DIR" not in os.environ

    def start(self):
        """Starts it, and returns the milliseconds to its first response over HTTP and at the socket."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TOKENBROKER_")}
        log = open(os.path.join(self.folder, "log"), "ab")
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [
                self.program, "--config", self.config, "--policies", os.path.join(ROOT, "policies"),
                "--state-directory", os.path.join(self.folder, "state"), "--socket", self.socket,
            ],
            env=environment, stdout=log, stderr=log,
        )
        try:
            http = until_http(self.port, began, self.process, self.host)
            while True:
                try:
                    connection = Connection(self.socket)
                    break
                except OSError:
                    if time.perf_counter() - began > PATIENCE:
                        raise
                    time.sleep(0.0002)
            connection.call("broker.hello", protocol=[1], client={"id": "tokenbroker-cli"})
            connection.close()
            return {"http": http, "socket": (time.perf_counter() - began) * 1e3}
        except Exception as error:
            self.stop()
            with open(os.path.join(self.folder, "log")) as file:
                raise RuntimeError(f"the daemon did not start: {error}\n{file.read()[-2000:]}") from error

    def stop(self):
        end(self.process)

    def memory(self):
        """Its memory in KiB by kind, as reported by the kernel."""
        found = {}
        with open(f"/proc/{self.process.pid}/smaps_rollup") as file:
            for line in file.read().splitlines()[1:]:
                name, value = line.split(":")
                found[name] = int(value.split()[0])
        return {name: found[name] for name in ("Rss", "Pss", "Anonymous")}
