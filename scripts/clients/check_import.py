"""Imports accounts of other programs: MSAL's serialized cache with a user of Debian's glewlwyd, and the output of Debian's
`oidc-gen -p` with a user of the built authority."""

import contextlib
import json
import os
import pathlib
import secrets
import shlex
import subprocess
import time

import msal

from glewlwyd import Glewlwyd
from proof import *  # noqa: F403
from scene import free_ports

SCOPE = "tasks/tasks.read"
scene = Scene.current()
folder = pathlib.Path(scene.folder)
debian = pathlib.Path(os.environ["CLIENTS_DEBIAN"])


def broker(*arguments, text=""):
    """Runs `tokenbroker` with a text on its standard input, and returns its output."""
    done = subprocess.run(
        [f"{scene.programs}/tokenbroker", *arguments], env={**os.environ, **scene.environment}, input=text, text=True,
        timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    assert done.returncode == 0, f"tokenbroker {arguments[0]} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def open_with(name, status, *scopes):
    """Checks the stored account: its token is valid at its API, and so is the next one, from the stored refresh token."""
    ask = ["token", "--policy", name, "--no-prompt", *scopes]
    first, second = broker(*ask).strip(), broker(*ask, "--force-refresh").strip()
    # Compared outside of the assertion, which would print them.
    another = first != second
    assert another, "the same token after --force-refresh"
    assert status(first) == status(second) == 200, (status(first), status(second))


def of_msal():
    cache = msal.SerializableTokenCache()
    glewlwyd = Glewlwyd(scene, "msal-program", "", CALLBACK, secure=True)
    with glewlwyd.serving():
        app = msal.PublicClientApplication("msal-program", oidc_authority=glewlwyd.issuer, token_cache=cache)
        flow = app.initiate_auth_code_flow([], redirect_uri=CALLBACK)
        result = app.acquire_token_by_auth_code_flow(flow, parameters(glewlwyd.come("ada", flow["auth_uri"])))
        assert "access_token" in result, result
        file = folder / "msal.json"
        file.write_text(cache.serialize())
        said = broker("import", "msal", str(file), "--name", "of-msal")
        assert said.startswith("Imported the account ada@example.org at of-msal. The broker now stores the account's token.\n"), said
        assert f"delete the old cache {file}" in said, said

        def status(token):
            address = f"{glewlwyd.issuer}/userinfo"
            return requests.get(address, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS).status_code

        open_with("of-msal", status)


@contextlib.contextmanager
def agent(environment):
    """Runs oidc-agent until the end of the block."""
    with open(folder / "oidc-agent.log", "w") as log:
        process = subprocess.Popen(
            [debian / "usr/bin/oidc-agent", "--console", f"--socket-path={environment['OIDC_SOCK']}", "--no-scheme"],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
    try:
        end = time.monotonic() + SECONDS
        while not os.path.exists(environment["OIDC_SOCK"]):
            assert process.poll() is None and time.monotonic() < end, (folder / "oidc-agent.log").read_text()
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(SECONDS)


def of_oidc_agent():
    place = folder / "oidc-agent"
    place.mkdir(mode=0o700)
    passphrase = place / "passphrase"
    passphrase.write_text(secrets.token_urlsafe(16) + "\n")
    # oidc-gen opens the browser.
    opener = place / "xdg-open"
    opener.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(HERE / "person.py")])} "$1"\n')
    opener.chmod(0o700)
    person = Person(scene)
    use_browser(person)
    environment = {
        **os.environ, "HOME": str(place), "OIDC_CONFIG_DIR": str(place), "OIDC_SOCK": str(place / "agent.sock"),
        "PATH": f"{place}:{debian}/usr/bin:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": ":".join(map(str, (debian / "usr/lib").glob("*-linux-gnu"))),
    }

    def gen(*arguments):
        done = subprocess.run(
            [debian / "usr/bin/oidc-gen", *arguments, f"--pw-file={passphrase}"], env=environment, text=True,
            timeout=SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        assert done.returncode == 0, f"oidc-gen {arguments[0]} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    name, secret = scene.client("google")
    port, = free_ports(1)
    client = place / "client.json"
    client.write_text(json.dumps({
        "client_id": name, "client_secret": secret, "redirect_uris": [f"http://localhost:{port}/"],
        "scope": f"openid offline_access {SCOPE}",
    }))
    with agent(environment):
        gen(
            "--manual", "--flow=code", "--prompt=none", "--confirm-default", f"--issuer={scene.issuer(SIGN_UP_OR_IN)}",
            f"--file={client}", f"--cert-path={scene.authority_certificate}", "of-agent",
        )
        printed = gen("--print=of-agent")
    assert json.loads(printed).get("refresh_token"), "oidc-gen printed no refresh token"
    said = broker("import", "oidc-agent", "-", text=printed)
    assert said.startswith(f"Imported the account {person.address} at of-agent. The broker now stores the account's token.\n"), said
    assert "Run `oidc-add -r of-agent`" in said, said
    open_with("of-agent", lambda token: tasks_status(scene, token), "--scope", SCOPE)


of_msal()
of_oidc_agent()
