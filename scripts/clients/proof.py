"""Checks of tokens and responses that all clients' tests use."""

import os
import shlex
import subprocess
import sys
import urllib.parse

import jwt
import requests

from person import SECONDS, Person
from scene import CALLBACK, HERE, Scene

SIGN_UP_OR_IN = "B2C_1_sign_up_or_in"
SIGN_IN = "B2C_1_sign_in"


def parameters(address):
    """The parameters of a response, each of which must occur once."""
    pairs = urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query, strict_parsing=True, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs), address
    return dict(pairs)


def metadata(scene, policy=SIGN_UP_OR_IN):
    return requests.get(scene.metadata(policy), timeout=SECONDS).json()


def verified(scene, id_token, client, policy=SIGN_UP_OR_IN, nonce=None):
    """The claims of an ID token, verified by PyJWT, for libraries that do not verify it."""
    keys = jwt.PyJWKClient(metadata(scene, policy)["jwks_uri"], timeout=SECONDS)
    keys.fetch_data = lambda: requests.get(keys.uri, timeout=SECONDS).json()
    key = keys.get_signing_key_from_jwt(id_token)
    claims = jwt.decode(
        id_token, key.key, algorithms=metadata(scene, policy)["id_token_signing_alg_values_supported"],
        audience=client, issuer=scene.issuer(policy), options={"require": ["exp", "iat", "iss", "aud", "sub"]},
    )
    assert claims.get("nonce") == nonce, claims
    return claims


def userinfo(scene, access_token, policy=SIGN_UP_OR_IN):
    answer = requests.get(
        metadata(scene, policy)["userinfo_endpoint"], headers={"Authorization": f"Bearer {access_token}"},
        timeout=SECONDS,
    )
    answer.raise_for_status()
    return answer.json()


def tasks_status(scene, access_token):
    """The status of a read request at the tasks API."""
    address = f"{scene.api}/tables/todoitem"
    return requests.get(address, headers={"Authorization": f"Bearer {access_token}"}, timeout=SECONDS).status_code


def pasted(scene, client, title):
    """The lines from `tokenbroker client show` for a library, with the client's secret."""
    parts = scene.clients[client]["shown"].split("\n\n")
    part = next(part for part in parts if part.startswith(f"# {title}\n"))
    return part.replace("SECRET", scene.client(client)[1])


def use_browser(person):
    """Makes the user the browser that the library opens."""
    program = [sys.executable, str(HERE / "person.py")]
    # The ampersand runs it in the background, since a browser does not end before the library continues.
    os.environ["BROWSER"] = f"{shlex.join(program)} %s &"
    os.environ["CLIENTS_EMAIL"] = person.address
    os.environ["CLIENTS_INTENT"] = person.intent
