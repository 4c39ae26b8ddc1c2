"""google-auth-oauthlib: an installed application with its own listener; google-auth verifies the ID token and refreshes."""

import os

from google.auth.transport.requests import Request
from google.oauth2 import id_token
from google_auth_oauthlib.flow import InstalledAppFlow

from proof import *  # noqa: F403

# oauthlib rejects a response with other scopes than requested unless this is set. It is not set.
assert "OAUTHLIB_RELAX_TOKEN_SCOPE" not in os.environ
scene = Scene.current()
name, secret = scene.client("google")
endpoints = metadata(scene)
person = Person(scene)

for intent in ("sign-up", "sign-in"):
    person.intent = intent
    use_browser(person)
    flow = InstalledAppFlow.from_client_config(
        {"installed": {
            "client_id": name, "client_secret": secret, "auth_uri": endpoints["authorization_endpoint"],
            "token_uri": endpoints["token_endpoint"], "redirect_uris": ["http://localhost"],
        }},
        scopes=["openid", "offline_access", "tasks.read"],
    )
    credentials = flow.run_local_server(port=0, timeout_seconds=SECONDS)
    claims = id_token.verify_token(
        credentials.id_token, Request(), audience=name, certs_url=endpoints["jwks_uri"]
    )
    assert claims["iss"] == scene.issuer(SIGN_UP_OR_IN) and claims["email"] == person.address, claims
    assert userinfo(scene, credentials.token)["sub"] == claims["sub"]

before = credentials.token, credentials.refresh_token
credentials.refresh(Request())
assert before[0] != credentials.token and before[1] != credentials.refresh_token
assert tasks_status(scene, credentials.token) == 200
