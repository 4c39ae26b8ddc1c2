"""Debian's Chromium at a client whose callback redirects to another origin or to a private-use scheme, after each kind of
response, with and without scripts. The `form-action` of the page with the form must not block these redirects.
"""

import time

from callback import Site
from person import PASSWORD
from proof import *  # noqa: F403
from provider import authorize, redeem
from tab import Tab, trust

APP = "com.example.app:/done"
BACK = "com.example.app:/back"
scene = Scene.current()
person = Person(scene)


def sign_in(tab, callback, mode, scripts):
    """Answers the sign-in page, and presses the button of a response that no script posts."""
    tab.call("Network.enable")
    if not scripts:
        tab.without_scripts()
    tab.open(authorize(scene, SIGN_IN, "browser", callback) + f"&response_mode={mode}")
    tab.fill(username=person.address, password=PASSWORD)
    tab.send()
    if mode == "form_post" and not scripts:
        tab.shows(f"form[action^='{callback}']")
        tab.send()


def follows(tab, address):
    """Waits until Chromium has followed a redirect to an address."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        tab.value("0")  # reads the events that have arrived
        sent = [event["params"] for event in tab.events if event.get("method") == "Network.requestWillBeSent"]
        if any(request["request"]["url"].startswith(address) for request in sent):
            return
        time.sleep(0.05)
    raise AssertionError(f"Chromium does not redirect to {address}: {tab.complaints()}")


def new_tab():
    """A tab of a new browser, since one that has called another program ignores the next click."""
    return Tab(trust(f"{scene.folder}/server.pem"))


def check(client, third, mode, scripts):
    """Signs in at a client, whose callback then redirects to another origin, and to a private-use scheme."""
    callback, client.onward = f"{client.base}/callback", f"{third.base}/signed-out"
    with new_tab() as tab:
        sign_in(tab, callback, mode, scripts)
        tab.until(f"location.href.startsWith({client.onward!r}) && !!document.querySelector('#client')")
        method, answer = client.answer()
        assert method == ("POST" if mode == "form_post" else "GET"), (mode, method)
        if mode == "fragment":
            answer = dict(urllib.parse.parse_qsl(tab.value("location.hash").removeprefix("#")))
        redeem(scene, SIGN_IN, answer, "browser", callback)
        third.answer("/signed-out")
    client.onward = APP
    with new_tab() as tab:
        sign_in(tab, callback, mode, scripts)
        client.answer()
        follows(tab, APP)


# The sign-up also gives the client the user's consent.
assert "code=" in person.visit(authorize(scene, SIGN_UP_OR_IN, "browser", "http://127.0.0.1/callback"))
with Site() as client, Site() as third:
    for scripts in (True, False):
        for mode in ("query", "fragment", "form_post"):
            check(client, third, mode, scripts)
        # A response to a private-use scheme leaves the page open, with a link.
        with new_tab() as tab:
            sign_in(tab, BACK, "query", scripts)
            link = tab.until(f"document.querySelector('a[href^=\"{BACK}\"]')?.href")
            assert "Continue to The browser client" in tab.text(), tab.text()
            redeem(scene, SIGN_IN, parameters(link), "browser", BACK)
