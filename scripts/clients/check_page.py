"""Debian's Chromium at an app of one page: from the app's own origin, its script signs in, renews, reads userinfo and signs
out with `fetch`. A page of another origin can read only the metadata and the keys, and uses up nothing.
"""

import http.server
import json
import threading

from person import PASSWORD
from proof import *  # noqa: F403
from tab import Tab, trust

scene = Scene.current()
name, _ = scene.client("page")
port = scene.clients["page"]["port"]
own, other = f"http://localhost:{port}", f"http://127.0.0.1:{port}"

PAGE = """<!doctype html><html lang=en><title>App</title><h1 id=app>App</h1><script>
const settings = SETTINGS, parameters = new URLSearchParams(location.search);
const encoded = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function read(address, options) {
    try {
        const answer = await fetch(address, options), text = await answer.text();
        return {status: answer.status, ...(text ? JSON.parse(text) : {})};
    } catch (error) {
        return {failed: String(error)};
    }
}

const metadata = () => read(settings.metadata);

async function authorize(more) {
    sessionStorage.verifier = encoded(crypto.getRandomValues(new Uint8Array(32)));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(sessionStorage.verifier));
    const query = new URLSearchParams({
        client_id: settings.client, response_type: "code", redirect_uri: settings.page,
        scope: "openid offline_access tasks.read", state: "s1", nonce: "n1", code_challenge: encoded(digest),
        code_challenge_method: "S256", ...more,
    });
    location.assign(`${(await metadata()).authorization_endpoint}?${query}`);
}

async function send(endpoint, form) {
    const body = new URLSearchParams({client_id: settings.client, ...form});
    return read((await metadata())[endpoint], {method: "POST", body});
}

const redeem = (code, verifier) => send("token_endpoint", {
    grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: settings.page,
});
const renew = (token) => send("token_endpoint", {grant_type: "refresh_token", refresh_token: token});
const revoke = (token) => send("revocation_endpoint", {token});
const keys = async () => read((await metadata()).jwks_uri);
const claims = async (token) => read((await metadata()).userinfo_endpoint, {headers: {Authorization: `Bearer ${token}`}});

async function signOut(hint) {
    const query = new URLSearchParams({
        id_token_hint: hint, post_logout_redirect_uri: `${settings.page}signed-out`, state: "bye",
    });
    location.assign(`${(await metadata()).end_session_endpoint}?${query}`);
}
</script>"""
SETTINGS = {"metadata": scene.metadata(SIGN_IN), "client": name, "page": f"{own}/"}


class App(http.server.BaseHTTPRequestHandler):
    """The app's page, at its own origin and at another one."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.replace("SETTINGS", json.dumps(SETTINGS)).encode())

    def log_message(self, *_):
        pass


def called(tab, origin, function, *arguments):
    """The result of a function of the page at an origin."""
    if tab.value("location.origin") != origin:
        tab.open(f"{origin}/")
    tab.until("!!document.getElementById('app')")
    return tab.value(f"{function}({', '.join(map(json.dumps, arguments))})")


def sign_in(tab, person):
    """Lets the page start a sign-in, answers the authority's pages, and returns the page's parameters."""
    tab.open(f"{own}/")
    tab.until("!!document.getElementById('app')")
    tab.value("void authorize({})")
    ended = f"location.origin === {json.dumps(own)} && location.search !== '' && document.readyState === 'complete'"
    consent = "button[name=allow][value=true]"
    tab.shows("form:not([hidden]) [name=password]")
    tab.fill(username=person.address, password=PASSWORD)
    tab.send()
    if tab.until(f"({ended}) ? 'ended' : document.querySelector('{consent}') ? 'consent' : ''") == "consent":
        tab.click(consent)
    tab.until(ended)
    assert tab.value("parameters.get('state')") == "s1", tab.address()
    return tab.value("[parameters.get('code'), sessionStorage.verifier]")


def signed_up():
    """A user with an account."""
    client, _ = scene.client("browser")
    person = Person(scene)
    target = person.visit(f"{scene.base}/{scene.tenant}/{SIGN_UP_OR_IN}/oauth2/v2.0/authorize?" + urllib.parse.urlencode({
        "client_id": client, "response_type": "code", "redirect_uri": "http://127.0.0.1/callback",
        "scope": "openid tasks.read", "state": "s1",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    }))
    assert "code=" in target, target
    return person


person = signed_up()
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), App)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
with Tab(trust(f"{scene.folder}/server.pem")) as tab:
    code, verifier = sign_in(tab, person)
    assert "failed" in called(tab, other, "redeem", code, verifier), "a page of another origin redeemed the code"
    tokens = called(tab, own, "redeem", code, verifier)
    assert tokens.get("status") == 200, tokens
    assert verified(scene, tokens["id_token"], name, SIGN_IN, nonce="n1")["sub"]
    assert 0 < tokens["refresh_token_expires_in"] <= 86_400, tokens
    assert tasks_status(scene, tokens["access_token"]) == 200

    for function, token in (("renew", "refresh_token"), ("revoke", "refresh_token"), ("claims", "access_token")):
        answer = called(tab, other, function, tokens[token])
        assert "failed" in answer, (function, answer)
    for function in ("metadata", "keys"):
        answer = called(tab, other, function)
        assert answer.get("status") == 200, (function, answer)

    renewed = called(tab, own, "renew", tokens["refresh_token"])
    assert renewed.get("status") == 200 and renewed["refresh_token"] != tokens["refresh_token"], renewed
    assert renewed["refresh_token_expires_in"] <= tokens["refresh_token_expires_in"], renewed
    answer = called(tab, own, "claims", renewed["access_token"])
    assert answer.get("status") == 200 and answer["sub"], answer

    answer = called(tab, own, "revoke", renewed["refresh_token"])
    assert answer == {"status": 200}, answer
    answer = called(tab, own, "renew", renewed["refresh_token"])
    assert answer.get("error") == "invalid_grant", answer
    tab.value(f"void signOut({json.dumps(renewed.get('id_token') or tokens['id_token'])})")
    tab.until("location.pathname === '/signed-out' && document.readyState === 'complete'")
    assert tab.value("parameters.get('state')") == "bye", tab.address()
    tab.value("void authorize({prompt: 'none'})")
    tab.until("location.pathname === '/' && location.search !== '' && document.readyState === 'complete'")
    assert tab.value("parameters.get('error')") == "login_required", tab.address()
server.shutdown()
