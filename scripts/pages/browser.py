"""Controls Chromium over the pipes of its DevTools protocol, without a window unless requested."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

PROGRAM = "/usr/bin/chromium"
HEADLESS = "--headless=new"
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--no-first-run", "--no-proxy-server",
    # A click before the first paint of the page would be lost.
    "--allow-pre-commit-input",
    "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "--remote-debugging-pipe",
]
SECONDS = 60


def has_screen():
    """Whether a window can be shown."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


class Browser:
    """A tab of a browser with a new profile, and with a visible window if requested."""

    def __init__(self, *options, window=False):
        self.options = ["--ozone-platform-hint=auto" if window else HEADLESS, *OPTIONS, *options]

    def __enter__(self):
        if not os.access(PROGRAM, os.X_OK):
            raise SystemExit(f"{PROGRAM} is missing; scripts/dependencies test installs it")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4. `sh` moves the pipes to these numbers.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", PROGRAM, *self.options,
             f"--user-data-dir={self.folder.name}", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"XAUTHORITY": os.path.expanduser("~/.Xauthority"), **os.environ, "HOME": self.folder.name},
        )
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        # Without a window nothing has the focus unless it is emulated.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS)
        os.close(self.to)
        os.close(self.answers)
        self.folder.cleanup()

    def begin(self, method, **parameters):
        """Calls a method without waiting for its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")

    def call(self, method, **parameters):
        self.begin(method, **parameters)
        return self._until(lambda answer: answer.get("id") == self.number)["result"]

    def _until(self, wanted):
        """Reads messages until the expected one, and stores events."""
        end = time.monotonic() + SECONDS
        while True:
            while b"\0" not in self.rest:
                if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                    raise TimeoutError("the browser does not respond")
                self.rest += os.read(self.answers, 1 << 20)
            line, self.rest = self.rest.split(b"\0", 1)
            message = json.loads(line)
            if "error" in message and message.get("id") == self.number:
                raise RuntimeError(message["error"])
            if wanted(message):
                return message
            self.events.append(message)

    def look(self, width, height, theme, motion="reduce"):
        """Sets the width, height and theme of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion},
        ])

    def without_scripts(self):
        """Disables the scripts of pages."""
        self.call("Emulation.setScriptExecutionDisabled", value=True)

    def open(self, address):
        """Opens a page and waits until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        if not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self._until(lambda message: message.get("method") == "Page.loadEventFired")

    def complaints(self):
        """The messages of the page's console."""
        return [event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"]

    def value(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def picture(self, width, height):
        """The window as a PNG."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"])
