"""Debian's glewlwyd as a process next to the daemon, with one issuer, two users and one client."""

import contextlib
import json
import os
import pathlib
import secrets
import sqlite3

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric import ec

from person import SECONDS
from provider import running


class Session:
    """A user that is signed in at glewlwyd, as with its pages."""

    def __init__(self, site, name, password):
        self.site, self.cookie = site, ""
        answer = self.call("POST", "auth/", {"username": name, "password": password})
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]

    def call(self, method, path, body=None):
        address = path if path.startswith(self.site) else f"{self.site}/api/{path}"
        answer = requests.request(
            method, address, json=body, headers={"Cookie": self.cookie}, allow_redirects=False, timeout=SECONDS
        )
        assert answer.status_code < 400, f"{method} {address} answered {answer.status_code}: {answer.text}"
        return answer


class Glewlwyd:
    """A glewlwyd with an issuer, its users, and one client, which is public without a secret."""

    def __init__(self, scene, client, secret, callback, secure=False):
        self.debian, self.port = os.environ["CLIENTS_DEBIAN"], scene.providers["glewlwyd"]["port"]
        self.site = f"http{'s' if secure else ''}://localhost:{self.port}"
        self.issuer = f"{self.site}/api/op"
        self.folder = pathlib.Path(scene.folder) / "glewlwyd"
        self.client, self.secret, self.callback = client, secret, callback
        self.people = {name: secrets.token_urlsafe(12) for name in ("ada", "bob")}
        self.secure = {
            "use_secure_connection": True, "secure_connection_key_file": f"{scene.folder}/server.key",
            "secure_connection_pem_file": f"{scene.folder}/server.pem",
        } if secure else {}

    @contextlib.contextmanager
    def serving(self):
        """Runs it, configured, until the end of the block."""
        self._prepare()
        program = [f"{self.debian}/usr/bin/glewlwyd", f"--config-file={self.folder}/glewlwyd.conf"]
        with running(program, self.port, self.folder / "log"):
            self._configure()
            yield

    def come(self, name, address):
        """Passes through glewlwyd: signs in, consents, and returns the address of the final redirect."""
        assert address.startswith(f"{self.issuer}/auth?"), address
        session = Session(self.site, name, self.people[name])
        session.call("PUT", f"auth/grant/{self.client}", {"scope": "openid"})
        return session.call("GET", address + "&g_continue").headers["Location"]

    def _prepare(self):
        """Creates an empty glewlwyd with the tables of its package."""
        (self.folder / "none").mkdir(parents=True)
        tables = pathlib.Path(f"{self.debian}/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
        with sqlite3.connect(self.folder / "glewlwyd.db") as database:
            database.executescript(tables.read_text())
        values = {
            "port": self.port, "bind_address": "127.0.0.1", "external_url": self.site, "login_url": "login.html",
            "api_prefix": "api", "log_mode": "console", "log_level": "ERROR", "cookie_domain": "localhost",
            "cookie_secure": 0, "session_key": "SESSION", "session_expiration": 3600, "admin_scope": "g_admin",
            "profile_scope": "g_profile", "hash_algorithm": "SHA512", "login_api_enabled": True,
            **{f"{kind}_module_path": f"{self.debian}/usr/lib/glewlwyd/{path}" for kind, path in (
                ("user", "user"), ("client", "client"), ("user_auth_scheme", "scheme"), ("plugin", "plugin"),
            )},
            "user_middleware_module_path": f"{self.folder}/none", **self.secure,
        }
        lines = [f"{name} = {json.dumps(value)};" for name, value in values.items()]
        lines.append(f'database = {{ type = "sqlite3"; path = "{self.folder}/glewlwyd.db"; }};')
        (self.folder / "glewlwyd.conf").write_text("\n".join(lines) + "\n")

    def _configure(self):
        """Adds the issuer, the users and the client."""
        admin = Session(self.site, "admin", "password")
        key = {**jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True),
               "kid": "k1", "alg": "ES256", "use": "sig"}
        admin.call("POST", "mod/plugin/", {"module": "oidc", "name": "op", "display_name": "op", "parameters": {
            "iss": self.issuer, "jwt-type": "ecdsa", "jwt-key-size": "256", "jwks-private": json.dumps({"keys": [key]}),
            "default-kid": "k1", "access-token-duration": 600, "refresh-token-duration": 3600, "code-duration": 600,
            "auth-type-code-enabled": True, "allow-non-oidc": False, "pkce-allowed": True,
            "pkce-method-plain-allowed": False, "auth-type-refresh-enabled": True, "jwks-show": True,
            "subject-type": "public", "name-claim": "mandatory", "email-claim": "mandatory", "claims": [], "scope": [],
            "additional-parameters": [], "introspection-revocation-auth-scope": [],
        }})
        for name, password in self.people.items():
            admin.call("POST", "user/", {
                "username": name, "name": f"{name} elsewhere", "email": f"{name}@example.org", "password": password,
                "scope": ["openid", "g_profile"], "enabled": True,
            })
        secret = {"client_secret": self.secret, "token_endpoint_auth_method": ["client_secret_basic"]}
        admin.call("POST", "client/", {
            "client_id": self.client, "name": "us", "confidential": bool(self.secret), "scope": [],
            "authorization_type": ["code", "refresh_token"], "redirect_uri": [self.callback], "enabled": True,
            **(secret if self.secret else {"token_endpoint_auth_method": ["none"]}),
        })
