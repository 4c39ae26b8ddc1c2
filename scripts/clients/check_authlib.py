"""Authlib: its Flask client signs up and in, validates the ID token, requests userinfo; its session refreshes, revokes and introspects."""

import flask
from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session

from proof import *  # noqa: F403

scene = Scene.current()
name, secret = scene.client("authlib")
person = Person(scene)
app = flask.Flask("client")
app.secret_key = "only for this test"
oauth = OAuth(app)
exec(pasted(scene, "authlib", "Authlib"), {"oauth": oauth})
tokens = []


@app.route("/login")
def login():
    return oauth.tokenbroker.authorize_redirect(CALLBACK, **flask.request.args)


@app.route("/callback")
def callback():
    token = oauth.tokenbroker.authorize_access_token()
    info = oauth.tokenbroker.userinfo(token=token)
    assert info["sub"] == token["userinfo"]["sub"] and info["name"] == "Pat Person", info
    assert token["userinfo"]["nonce"] and token["userinfo"]["aud"] == name, token["userinfo"]
    tokens.append(token)
    return "signed in"


@app.route("/logout")
def logout():
    return oauth.tokenbroker.logout_redirect(id_token_hint=tokens[-1]["id_token"])


def sign_in(**request):
    browser = app.test_client()
    start = browser.get("/login", query_string=request)
    target = person.visit(start.location)
    assert target.startswith(CALLBACK + "?"), target
    done = browser.get(target.replace(CALLBACK, "/callback"))
    assert done.text == "signed in", done.text
    return tokens[-1]


first = sign_in()
second = sign_in(prompt="none")
assert first["userinfo"]["sub"] == second["userinfo"]["sub"]
pages = len(person.pages)
person.intent = "sign-in"
sign_in(prompt="login")
assert len(person.pages) > pages, "prompt=login showed no page"

endpoints = metadata(scene)
session = OAuth2Session(name, secret, token=second, token_endpoint=endpoints["token_endpoint"])
renewed = session.refresh_token(endpoints["token_endpoint"])
assert renewed["refresh_token"] != second["refresh_token"] and renewed["access_token"] != second["access_token"]
assert session.get(endpoints["userinfo_endpoint"], timeout=SECONDS).json()["sub"] == second["userinfo"]["sub"]
described = session.introspect_token(endpoints["introspection_endpoint"], renewed["access_token"]).json()
assert described["active"] is True and described["client_id"] == name, described
session.revoke_token(endpoints["revocation_endpoint"], renewed["refresh_token"], "refresh_token").raise_for_status()
described = session.introspect_token(endpoints["introspection_endpoint"], renewed["access_token"]).json()
assert described == {"active": False}, described

person.visit(app.test_client().get("/logout").location)
asked = app.test_client().get("/login", query_string={"prompt": "none"}).location
assert parameters(person.visit(asked))["error"] == "login_required", "the session outlived the logout"
