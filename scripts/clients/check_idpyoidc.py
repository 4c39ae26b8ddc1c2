"""idpy-oidc's relying party: discovery, PKCE, ID token, userinfo, refresh, logout."""

import os
import tempfile

from idpyoidc.client.defaults import DEFAULT_CLIENT_CONFIGS, DEFAULT_OIDC_SERVICES
from idpyoidc.client.rp_handler import RPHandler

from proof import *  # noqa: F403
from scene import SIGNED_OUT

scene = Scene.current()
name, secret = scene.client("idpy")
issuer = scene.issuer(SIGN_UP_OR_IN)
person = Person(scene)


def handler():
    configuration = {
        **DEFAULT_CLIENT_CONFIGS[""], "issuer": issuer, "client_id": name, "client_secret": secret,
        "client_authn_methods": ["client_secret_basic"], "redirect_uris": [CALLBACK], "post_logout_redirect_uris": [SIGNED_OUT],
    }
    services = {
        **DEFAULT_OIDC_SERVICES, "end_session": {"class": "idpyoidc.client.oidc.end_session.EndSession"},
    }
    # By default it disables certificate checks in `requests`.
    http = {"verify": scene.authority_certificate, "timeout": SECONDS}
    return RPHandler("https://client.example", client_configs={issuer: configuration}, services=services, httpc_params=http)


# It writes its keys to files in the working folder.
os.chdir(tempfile.mkdtemp(dir=scene.folder))
for intent in ("sign-up", "sign-in"):
    person = Person(scene, person.address, intent)
    parties = handler()
    start = parties.begin(issuer, req_args={"scope": ["openid", "offline_access", "profile"]})
    address = start if isinstance(start, str) else start["url"]
    target = person.visit(address)
    result = parties.finalize(issuer, parameters(target))
    assert "error" not in result, result
    assert result["userinfo"]["name"] == "Pat Person", result["userinfo"]
    assert result["id_token"]["iss"] == issuer and result["id_token"]["email"] == person.address

state = result["state"]
renewed = parties.refresh_access_token(state)
assert renewed["access_token"] != result["token"], renewed
assert parties.get_user_info(state, access_token=renewed["access_token"])["sub"] == result["id_token"]["sub"]
leave = parties.logout(state, post_logout_redirect_uri=SIGNED_OUT)
assert person.visit(leave["url"]).startswith(SIGNED_OUT), leave
