"""A tab of Chromium that a person uses: real clicks and keys, and a look at the page that is there."""

import base64
import hashlib
import json
import subprocess
import sys
import time

from scene import HERE, SECONDS

sys.path.insert(0, str(HERE.parent / "pages"))
from browser import Browser  # noqa: E402


def trust(certificate):
    """Chromium's option that takes one server's key without its store of authorities."""
    public = subprocess.run(
        f"openssl x509 -in '{certificate}' -noout -pubkey | openssl pkey -pubin -outform DER",
        shell=True, stdout=subprocess.PIPE, check=True, timeout=SECONDS,
    ).stdout
    digest = base64.b64encode(hashlib.sha256(public).digest()).decode()
    return f"--ignore-certificate-errors-spki-list={digest}"


class Tab(Browser):
    """One tab; what it waits for has a deadline."""

    said = ()

    def open(self, address):
        """Opens a page; what the console said before is kept."""
        self.said = (*self.said, *self.complaints())
        super().open(address)

    def until(self, expression, seconds=SECONDS):
        """Waits for an expression of the page that is there by then; returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.value(expression)
            except RuntimeError:
                value = None  # the page is just being left
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{expression} did not come; the page at {self.address()} says:\n{self.text()}")

    def address(self):
        return self.value("location.href")

    def text(self):
        return self.value("document.body ? document.body.innerText : ''")

    def shows(self, selector):
        return self.until(f"!!document.querySelector({json.dumps(selector)})")

    def fill(self, **answers):
        """Types into fields by their names, as keys do; what stood there is replaced."""
        for name, answer in answers.items():
            field = f"document.querySelector('form:not([hidden]) [name={json.dumps(name)}]')"
            self.until(f"!!{field}")
            if self.value(f"{field}.tagName") == "SELECT":
                self.value(f"{field}.value = {json.dumps(answer)}")
                continue
            self.value(f"({field}.focus(), {field}.select())")
            self.call("Input.insertText", text=answer)
            assert self.value(f"{field}.value") == answer, f"{name} did not take what was typed"

    def click(self, selector, times=1):
        """Presses and lets go the mouse in the middle of an element; twice for a double click."""
        place = self.until(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element || document.readyState !== 'complete') return null;
            // A click on a page that has not painted yet is lost.
            if (!performance.getEntriesByType('paint').length) return null;
            element.scrollIntoView({{block: 'center'}});
            const box = element.getBoundingClientRect();
            return box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        }})()""")
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call(
                    "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=count
                )

    def press(self, key):
        """Presses and lets go one key: `Tab`, `Enter` or `Space`."""
        number, text = {"Tab": (9, None), "Enter": (13, "\r"), "Space": (32, " ")}[key]
        named = {"key": text if key == "Space" else key, "code": key, "windowsVirtualKeyCode": number}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **down, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def reach(self, selector, most=40):
        """Goes on by Tab, until an element has the focus and shows it."""
        for _ in range(most):
            if self.value(f"!!document.activeElement?.matches({json.dumps(selector)})"):
                assert self.value("document.activeElement.matches(':focus-visible')"), f"{selector} shows no focus"
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {selector} at {self.address()}:\n{self.text()}")

    def send(self, times=1):
        """Clicks the page's main button."""
        self.click("form:not([hidden]) button.primary", times)

    def leave(self, action):
        """Does what leads to another page, and waits until that is there."""
        self.value("document.documentElement.dataset.left = 'true'")
        action()
        self.until("!document.documentElement.dataset.left && document.readyState === 'complete'")

    def back(self):
        history = self.call("Page.getNavigationHistory")
        self.call("Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])

    def forget(self):
        """Removes every cookie: another person's browser."""
        self.call("Network.enable")
        self.call("Network.clearBrowserCookies")
