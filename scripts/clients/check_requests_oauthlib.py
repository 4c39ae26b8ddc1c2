"""requests-oauthlib: a session with PKCE signs in, uses the API, refreshes by itself."""

from requests_oauthlib import OAuth2Session

from proof import *  # noqa: F403

scene = Scene.current()
name, secret = scene.client("oauthlib")
person = Person(scene)
endpoints = metadata(scene)
scope = ["openid", "offline_access", "tasks.read"]

for intent in ("sign-up", "sign-in"):
    person = Person(scene, person.address, intent)
    session = OAuth2Session(name, redirect_uri=CALLBACK, scope=scope, pkce="S256")
    address, state = session.authorization_url(endpoints["authorization_endpoint"], nonce="n-1")
    target = person.visit(address)
    token = session.fetch_token(endpoints["token_endpoint"], authorization_response=target, client_secret=secret)
    claims = verified(scene, token["id_token"], name, nonce="n-1")
    assert claims["email"] == person.address
    assert session.get(f"{scene.api}/tables/todoitem", timeout=SECONDS).status_code == 200
    assert session.get(endpoints["userinfo_endpoint"], timeout=SECONDS).json()["sub"] == claims["sub"]

saved = []
session = OAuth2Session(
    name, token={**token, "expires_at": 1}, auto_refresh_url=endpoints["token_endpoint"],
    auto_refresh_kwargs={"client_id": name, "client_secret": secret}, token_updater=saved.append,
)
assert session.get(f"{scene.api}/tables/todoitem", timeout=SECONDS).status_code == 200
assert saved and saved[0]["refresh_token"] != token["refresh_token"]
