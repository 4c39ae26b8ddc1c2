"""Other people's providers as processes beside the daemon, and a person who signs in with one."""

import contextlib
import socket
import subprocess
import time
import urllib.parse

import requests

from person import SECONDS, Person
from proof import metadata, parameters, tasks_status, userinfo, verified
from scene import CALLBACK

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@contextlib.contextmanager
def running(program, port, log):
    """A server of somebody else's, from when it listens until the end of the block."""
    with open(log, "w") as output:
        server = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        end = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None and time.monotonic() < end, f"{program[0]} did not start"
            time.sleep(0.05)
        yield
    except BaseException:
        with open(log) as output:
            print(output.read()[-6000:])
        raise
    finally:
        server.terminate()
        server.wait(SECONDS)


def authorize(scene, policy, client="curl", callback=CALLBACK):
    """The address to which a client sends a person for this policy."""
    query = urllib.parse.urlencode({
        "client_id": scene.client(client)[0], "response_type": "code", "redirect_uri": callback, "state": "s1", "nonce": "n1",
        "scope": "openid tasks.read", "code_challenge": CHALLENGE, "code_challenge_method": "S256", "prompt": "login",
    })
    return f"{scene.base}/{scene.tenant}/{policy}/oauth2/v2.0/authorize?{query}"


def sign_in(scene, policy, at_provider):
    """Signs a person in by the provider of a policy; returns the claims of the ID token.

    `at_provider` is given the address there, and returns the one to which the provider sends the person back.
    """
    person = Person(scene)
    there = person.visit(authorize(scene, policy))
    back = at_provider(there)
    assert back.startswith(f"{scene.base}/{scene.tenant}/oauth2/authresp?"), back
    return redeem(scene, policy, parameters(person.visit(back)))


def redeem(scene, policy, answer, client="curl", callback=CALLBACK):
    """The claims of the ID token that a code gives; its access token is tried at the tasks API."""
    assert answer["state"] == "s1" and answer["iss"] == scene.issuer(policy), answer
    name, secret = scene.client(client)
    tokens = requests.post(metadata(scene, policy)["token_endpoint"], auth=(name, secret), timeout=SECONDS, data={
        "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": callback, "code_verifier": VERIFIER,
    }).json()
    claims = verified(scene, tokens["id_token"], name, policy, nonce="n1")
    assert tasks_status(scene, tokens["access_token"]) == 200
    assert userinfo(scene, tokens["access_token"], policy)["sub"] == claims["sub"]
    return claims
