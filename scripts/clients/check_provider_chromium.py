"""A provider from PyPI, and Chromium: the button next to the password, the provider's page, and back."""

import sys

from callback import Site
from proof import *  # noqa: F403
from provider import authorize, redeem, running, sign_in
from tab import Tab, trust

POLICY, BOTH = "B2C_1_pypi", "B2C_1_password_or_pypi"
scene = Scene.current()
partner = scene.providers["pypi"]
site = f"http://localhost:{partner['port']}"


def at_provider(subject):
    """Passes through the provider without a browser."""
    def come(address):
        assert address.startswith(f"{site}/oauth2/authorize?"), address
        return requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=SECONDS).headers["Location"]

    return come


def press(tab, callback):
    """Presses the provider's button, and waits for the provider's page."""
    tab.open(authorize(scene, BOTH, "browser", callback))
    tab.shows("[name=password]")
    tab.click("button[name=_provider][value=pypi]")
    tab.until(f"location.href.startsWith({site!r})")


program = [
    sys.executable, "-m", "oidc_provider_mock", "--port", str(partner["port"]), "--user-claims",
    '{"sub": "person-1", "name": "Pat of PyPI", "email": "pat@example.org", "email_verified": true}',
]
with running(program, partner["port"], f"{scene.folder}/pypi.log"):
    first, second = (sign_in(scene, POLICY, at_provider("person-1")) for _ in range(2))
    assert first["sub"] == second["sub"] and first["idp"] == "pypi" and first["name"] == "Pat of PyPI", (first, second)
    for scripts in (True, False):
        with Site() as client, Tab(trust(f"{scene.folder}/server.pem")) as tab:
            callback = f"{client.base}/callback"
            if not scripts:
                tab.without_scripts()
            press(tab, callback)
            # Its refusal comes without `state`, so it belongs to no flow. The client starts again.
            tab.click("button[value=deny]")
            tab.until(f"location.href.startsWith({scene.base!r})")
            press(tab, callback)
            tab.fill(sub="person-1")
            tab.click("button[type=submit]")
            tab.until("!!document.querySelector('#client, button[name=allow][value=true]')")
            if not tab.value("!!document.querySelector('#client')"):
                tab.click("button[name=allow][value=true]")
            claims = redeem(scene, BOTH, client.answer()[1], "browser", callback)
            assert claims["sub"] == first["sub"], (claims, first)
