"""Debian's glewlwyd as an identity provider: its users sign in, and each is the same user every time."""

from functools import partial

from glewlwyd import Glewlwyd
from proof import *  # noqa: F403
from provider import sign_in

POLICY = "B2C_1_glewlwyd"
scene = Scene.current()
partner = scene.providers["glewlwyd"]
callback = f"{scene.base}/{scene.tenant}/oauth2/authresp"
glewlwyd = Glewlwyd(scene, partner["id"], partner["secret"], callback)

with glewlwyd.serving():
    seen = [sign_in(scene, POLICY, partial(glewlwyd.come, name)) for name in ("ada", "ada", "bob")]
    assert all(claims["idp"] == "glewlwyd" and claims["amr"] == ["fed"] for claims in seen), seen
    assert seen[0]["sub"] == seen[1]["sub"] != seen[2]["sub"], seen
    assert seen[0]["name"] == "ada elsewhere", seen
