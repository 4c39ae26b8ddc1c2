"""MSAL: interactive with its own listener, a web application, form_post, a device, a service, refresh and its cache."""

import msal

from proof import *  # noqa: F403

SCOPES = ["tasks/tasks.read"]
scene = Scene.current()


def fine(result, person=None):
    assert "access_token" in result, result
    assert tasks_status(scene, result["access_token"]) == 200
    if person:
        claims = result["id_token_claims"]
        assert claims["email"] == person.address and claims["tfp"].lower().startswith("b2c_1_sign"), claims
        assert userinfo(scene, result["access_token"])["sub"] == claims["sub"]
    return result


def refreshes(app, before):
    account, = app.get_accounts()
    assert account["username"] == before["id_token_claims"]["email"], account
    assert app.acquire_token_silent(SCOPES, account)["access_token"] == before["access_token"]
    for _ in range(2):
        after = fine(app.acquire_token_silent(SCOPES, account, force_refresh=True))
        assert after["access_token"] != before["access_token"]
        before = after
    # Without a scope from its caller, MSAL requests only OpenID Connect scopes. The token still has those of the API.
    fine(app.acquire_token_silent([], account, force_refresh=True))
    app.remove_account(account)
    assert not app.get_accounts()


def interactive():
    """Signs up, and signs in again in another browser."""
    person = Person(scene)
    for intent in ("sign-up", "sign-in"):
        person.intent = intent
        use_browser(person)
        names = {"msal": msal}
        exec(pasted(scene, "msal", "MSAL for Python"), names)
        app = names["app"]
        refreshes(app, fine(app.acquire_token_interactive(SCOPES, timeout=SECONDS), person))


def web():
    name, secret = scene.client("msal-web")
    authority = f"{scene.base}/{scene.tenant}/{SIGN_UP_OR_IN}"
    app = msal.ConfidentialClientApplication(name, authority=authority, client_credential=secret)
    person = Person(scene)
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=CALLBACK)
    answer = parameters(person.visit(flow["auth_uri"]))
    refreshes(app, fine(app.acquire_token_by_auth_code_flow(flow, answer), person))
    # The browser is signed in, and a request with prompt=none gets a response.
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=CALLBACK, prompt="none")
    silent = parameters(person.visit(flow["auth_uri"]))
    fine(app.acquire_token_by_auth_code_flow(flow, silent), person)


def device():
    name, _ = scene.client("device")
    app = msal.PublicClientApplication(name, authority=f"{scene.base}/{scene.tenant}/{SIGN_UP_OR_IN}")
    flow = app.initiate_device_flow(SCOPES)
    assert "user_code" in flow, flow
    person = Person(scene)
    person.user_code = flow["user_code"]
    person.visit(flow["verification_uri"])
    refreshes(app, fine(app.acquire_token_by_device_flow(flow), person))


def service():
    name, secret = scene.client("service")
    authority = f"{scene.base}/{scene.tenant}/{SIGN_IN}"
    app = msal.ConfidentialClientApplication(name, authority=authority, client_credential=secret)
    result = app.acquire_token_for_client(["tasks/.default"])
    assert "access_token" in result, result
    assert app.acquire_token_for_client(["tasks/.default"])["access_token"] == result["access_token"], "not cached"


interactive()
web()
device()
service()
