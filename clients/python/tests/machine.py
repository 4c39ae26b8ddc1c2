"""A separate machine for a test: temporary state, a free port, the built daemon."""

from __future__ import annotations

import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS") or ROOT / ".build" / "debug")
#: The time limit of each wait, in seconds.
DEADLINE = 30.0


def free_port() -> int:
    """Returns a port that is free on both loopback addresses."""
    answer = subprocess.run([str(ROOT / "scripts" / "free-ports"), "1"], capture_output=True, text=True, check=True)
    return int(answer.stdout)


class Machine:
    """Runs `tokenbrokerd` as the user of the test."""

    def __init__(self, configuration: str = "", policies: Mapping[str, str] | None = None) -> None:
        """Creates a machine with additional lines for `tokenbrokerd.yaml`, and additional policies by name."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tokenbroker-python-"))
        self.socket = str(self.folder / "run" / "tokenbroker.sock")
        self.base = f"http://localhost:{(port := free_port())}"
        self.outbox = self.folder / "state" / "outbox"
        for name in ("run", "home"):
            (self.folder / name).mkdir(mode=0o700)
        (self.folder / "tokenbrokerd.yaml").write_text(
            f'issuerBase: {self.base}\nlisten: ["127.0.0.1:{port}", "[::1]:{port}"]\nlog: {{format: text}}\n'
            + configuration
        )
        shutil.copytree(ROOT / "policies", self.folder / "policies")
        for name, text in (policies or {}).items():
            (self.folder / "policies" / f"{name}.yaml").write_text(text)
        self._daemon: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the daemon and waits until it reports that it is ready."""
        ready = self.folder / "run" / "notify"
        ready.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end, (self.folder / "log").open("ab") as log:
            end.bind(str(ready))
            self._daemon = subprocess.Popen(
                [
                    str(PROGRAMS / "tokenbrokerd"), "--config", str(self.folder / "tokenbrokerd.yaml"),
                    "--policies", str(self.folder / "policies"), "--state-directory", str(self.folder / "state"),
                    "--socket", self.socket,
                ],
                env={
                    "HOME": str(self.folder / "home"), "XDG_RUNTIME_DIR": str(self.folder / "run"),
                    "LC_ALL": "C.UTF-8", "TZ": "UTC", "NOTIFY_SOCKET": str(ready), "PATH": os.environ["PATH"],
                },
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
            end.settimeout(0.5)
            until = time.monotonic() + DEADLINE
            while True:
                try:
                    if b"READY=1" in end.recv(4096):
                        return
                except TimeoutError:
                    pass
                if self._daemon.poll() is not None or time.monotonic() > until:
                    self.stop()
                    raise AssertionError(f"tokenbrokerd is not ready:\n{(self.folder / 'log').read_text()}")

    def stop(self) -> None:
        """Stops the daemon."""
        if self._daemon is None:
            return
        self._daemon.terminate()
        try:
            self._daemon.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()
        self._daemon = None

    def remove(self) -> None:
        """Stops the daemon and removes its files."""
        self.stop()
        shutil.rmtree(self.folder)

    def code(self, address: str) -> str:
        """Waits for the code that is mailed to `address`, and removes the message."""
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            for mail in self.outbox.glob("*.eml"):
                text = mail.read_text()
                if address in text and (found := re.search(r"^(\d{6})\r?$", text, re.MULTILINE)):
                    mail.unlink()
                    return found[1]
            select.select([], [], [], 0.02)
        raise AssertionError(f"no mail to {address}")
