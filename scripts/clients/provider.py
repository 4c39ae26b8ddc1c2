"""Third-party providers as processes next to the daemon, and a user that signs in with one."""

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
    """Runs a third-party server until the end of the block."""
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
    """The address of a client's authorization request for this policy."""
    query = urllib.parse.urlencode({
        "client_id": scene.client(client)[0], "response_type": "code", "redirect_uri": callback, "state": "s1", "nonce": "n1",
        "scope": "openid tasks.read", "code_challenge": CHALLENGE, "code_challenge_method": "S256", "prompt": "login",
    })
    return f"{scene.base}/{scene.tenant}/{policy}/oauth2/v2.0/authorize?{query}"


def sign_in(scene, policy, at_provider):
    """Signs a user in with the provider of a policy, and returns the claims of the ID token.

    `at_provider` takes the address at the provider, and returns the address that the provider redirects to.
    """
    person = Person(scene)
    there = person.visit(authorize(scene, policy))
    back = at_provider(there)
    assert back.startswith(f"{scene.base}/{scene.tenant}/oauth2/authresp?"), back
    return redeem(scene, policy, parameters(person.visit(back)))


def redeem(scene, policy, answer, client="curl", callback=CALLBACK):
    """Redeems a code, tests its access token at the tasks API, and returns the claims of its ID token."""
    assert answer["state"] == "s1" and answer["iss"] == scene.issuer(policy), answer
    name, secret = scene.client(client)
    tokens = requests.post(metadata(scene, policy)["token_endpoint"], auth=(name, secret), timeout=SECONDS, data={
        "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": callback, "code_verifier": VERIFIER,
    }).json()
    claims = verified(scene, tokens["id_token"], name, policy, nonce="n1")
    assert tasks_status(scene, tokens["access_token"]) == 200
    assert userinfo(scene, tokens["access_token"], policy)["sub"] == claims["sub"]
    return claims
