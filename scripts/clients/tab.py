"""A tab of Chromium as a user has it: real clicks and keys, and reads of the current page."""

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
    """Chromium's option that trusts one server's key without its certificate store."""
    public = subprocess.run(
        f"openssl x509 -in '{certificate}' -noout -pubkey | openssl pkey -pubin -outform DER",
        shell=True, stdout=subprocess.PIPE, check=True, timeout=SECONDS,
    ).stdout
    digest = base64.b64encode(hashlib.sha256(public).digest()).decode()
    return f"--ignore-certificate-errors-spki-list={digest}"


class Tab(Browser):
    """A tab. All its waits have a deadline."""

    said = ()

    def open(self, address):
        """Opens a page, and keeps earlier console messages."""
        self.said = (*self.said, *self.complaints())
        super().open(address)

    def until(self, expression, seconds=SECONDS):
        """Waits until an expression is true, also on a next page, and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.value(expression)
            except RuntimeError:
                value = None  # the page is being replaced
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"timeout for {expression}; the page at {self.address()} has:\n{self.text()}")

    def address(self):
        return self.value("location.href")

    def text(self):
        return self.value("document.body ? document.body.innerText : ''")

    def shows(self, selector):
        return self.until(f"!!document.querySelector({json.dumps(selector)})")

    def fill(self, **answers):
        """Types into fields by name, with keys, and replaces their content."""
        for name, answer in answers.items():
            field = f"document.querySelector('form:not([hidden]) [name={json.dumps(name)}]')"
            self.until(f"!!{field}")
            if self.value(f"{field}.tagName") == "SELECT":
                self.value(f"{field}.value = {json.dumps(answer)}")
                continue
            self.value(f"({field}.focus(), {field}.select())")
            self.call("Input.insertText", text=answer)
            assert self.value(f"{field}.value") == answer, f"{name} does not contain the typed text"

    def click(self, selector, times=1, closes=False):
        """Clicks the middle of an element, twice for a double click.

        If the click closes the window, Chromium may not respond to it.
        """
        place = self.until(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element || document.readyState !== 'complete') return null;
            // Chromium can lose a click until the new page has been on the screen for a moment.
            const [paint] = performance.getEntriesByType('paint');
            if (!paint || performance.now() - paint.startTime < 300) return null;
            element.scrollIntoView({{block: 'center'}});
            const box = element.getBoundingClientRect();
            return box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        }})()""")
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                call = self.begin if closes and kind == "mouseReleased" else self.call
                call(
                    "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=count
                )

    def press(self, key):
        """Presses and releases a key: `Tab`, `Enter` or `Space`."""
        number, text = {"Tab": (9, None), "Enter": (13, "\r"), "Space": (32, " ")}[key]
        named = {"key": text if key == "Space" else key, "code": key, "windowsVirtualKeyCode": number}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **down, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def reach(self, selector, most=40):
        """Presses Tab until an element has the focus and shows it."""
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
        """Performs an action that leads to another page, and waits until it is loaded."""
        self.value("document.documentElement.dataset.left = 'true'")
        action()
        self.until("!document.documentElement.dataset.left && document.readyState === 'complete'")

    def back(self):
        history = self.call("Page.getNavigationHistory")
        self.call("Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])

    def forget(self):
        """Deletes all cookies, as in another user's browser."""
        self.call("Network.enable")
        self.call("Network.clearBrowserCookies")
