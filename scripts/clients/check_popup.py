"""Debian's Chromium at the API's own sign-in: a page opens a window, the user signs in with a provider and presses a button,
and the page gets a token. A page of an unlisted origin gets none, and a token that a page brings is passed to no page.

The provider is the same daemon, with another policy.
"""

import http.server
import json
import threading
import time

from person import PASSWORD
from proof import *  # noqa: F403
from tab import Tab, trust

scene = Scene.current()
port = scene.clients["api"]["port"]
ours, theirs = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
name, _ = scene.client("browser")

PAGE = """<!doctype html><html lang=en><title>App</title><h1>App</h1><button id=in>Sign in</button><script>
const told = [];
addEventListener("message", (event) => told.push({origin: event.origin, data: event.data}));
document.getElementById("in").addEventListener("click", () => open(new URLSearchParams(location.search).get("at")));
</script>"""


class App(http.server.BaseHTTPRequestHandler):
    """An app's page at two origins: one in `cors`, and one that is not."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


def authorize(policy):
    return f"{scene.base}/{scene.tenant}/{policy}/oauth2/v2.0/authorize?" + urllib.parse.urlencode({
        "client_id": name, "response_type": "code", "redirect_uri": "http://127.0.0.1/callback",
        "scope": "openid tasks.read", "state": "s1",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    })


def at_browser(tab, method, **parameters):
    """Calls a DevTools method of the browser instead of a page."""
    session, tab.session = tab.session, None
    try:
        return tab.call(method, **parameters)
    finally:
        tab.session = session


def pages(tab):
    return {target["targetId"] for target in at_browser(tab, "Target.getTargets")["targetInfos"] if target["type"] == "page"}


def window(tab, origin, known):
    """Opens the app, presses its button, and returns the session of the window that opens."""
    start = f"{scene.api}/.auth/login/partner?" + urllib.parse.urlencode({
        "session_mode": "token", "completion_type": "postMessage", "completion_origin": ours,
    })
    tab.open(f"{origin}/?" + urllib.parse.urlencode({"at": start}))
    tab.click("#in")
    end = time.monotonic() + SECONDS
    while not (new := pages(tab) - known):
        assert time.monotonic() < end, "no window has opened"
        time.sleep(0.05)
    session = at_browser(tab, "Target.attachToTarget", targetId=new.pop(), flatten=True)["sessionId"]
    return session


def sign_in(tab, person):
    """Continues in the window until its last page."""
    tab.look(1280, 900, "light")
    ended = "location.pathname === '/.auth/login/done' && document.readyState === 'complete'"
    asked = "document.querySelector('form:not([hidden]) [name=password]')"
    if tab.until(f"({ended}) ? 'done' : {asked} ? 'asked' : ''") == "asked":
        tab.fill(username=person.address, password=PASSWORD)
        tab.send()
        while not tab.value(ended):
            tab.until(f"({ended}) || !!document.querySelector('button[name=allow][value=true]')")
            if not tab.value(ended):
                tab.leave(lambda: tab.click("button[name=allow][value=true]"))
    tab.until("!document.getElementById('ask').hidden")


person = Person(scene)
target = person.visit(authorize(SIGN_UP_OR_IN))
assert "code=" in target, target

server = http.server.ThreadingHTTPServer(("127.0.0.1", port), App)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
with Tab(trust(f"{scene.folder}/server.pem")) as tab:
    # The provider's button on a page with a password.
    tab.open(authorize("b2c_1_both"))
    tab.shows("button[value=partner]")
    tab.leave(lambda: tab.click("button[value=partner]"))
    tab.until("location.pathname.includes('/b2c_1_sign_up_or_in/') || location.pathname.includes('/flow/')")

    known, app = pages(tab), tab.session
    popup = window(tab, ours, known)
    tab.session = popup
    sign_in(tab, person)
    assert ours in tab.value("document.getElementById('ask').innerText"), tab.text()
    tab.session = app
    assert tab.value("told.length") == 0, "the page got a message before the press"
    tab.session = popup
    tab.click("#send", closes=True)
    tab.session = app
    told = tab.until("told[0]")
    assert told["origin"] == scene.api and told["data"]["type"] == "LoginCompleted", told
    token = told["data"]["oauth"]["authenticationToken"]
    assert tasks_status(scene, token) == 200
    me = requests.get(f"{scene.api}/.auth/me", headers={"X-ZUMO-AUTH": token}, timeout=SECONDS).json()
    assert me[0]["user_id"] == told["data"]["oauth"]["user"]["userId"], me

    # Another origin opens the same window: messages go to the listed origin, or nowhere.
    end = time.monotonic() + SECONDS
    while pages(tab) != known:
        assert time.monotonic() < end, "the window did not close"
        time.sleep(0.05)
    popup = window(tab, theirs, known)
    tab.session = popup
    sign_in(tab, person)
    tab.click("#send", closes=True)
    tab.session = app
    while pages(tab) != known:
        assert time.monotonic() < end + SECONDS, "the window did not close"
        time.sleep(0.05)
    assert tab.value("told.length") == 0, "a page of another origin got a message"

    # A page opens the end of a sign-in with its own token, next to the app that it has opened.
    forged = f"{scene.api}/.auth/login/done?" + urllib.parse.urlencode({
        "completion_type": "postMessage", "completion_origin": ours,
    }) + "#token=" + urllib.parse.quote(json.dumps({"authenticationToken": token, "user": {"userId": "x"}}))
    tab.open(f"{ours}/?" + urllib.parse.urlencode({"at": forged}))
    tab.click("#in")
    while not (new := pages(tab) - known):
        assert time.monotonic() < end + 2 * SECONDS, "no window has opened"
        time.sleep(0.05)
    tab.session = at_browser(tab, "Target.attachToTarget", targetId=new.pop(), flatten=True)["sessionId"]
    tab.until("location.pathname === '/.auth/login/done' && document.readyState === 'complete'")
    assert tab.value("document.getElementById('send') === null && document.scripts.length === 0"), tab.text()
    assert "not started in this browser" in tab.text(), tab.text()
    tab.session = app
    assert tab.value("told.length") == 0, "a page got a message of a sign-in that did not begin"
server.shutdown()
