"""An external authority on loopback that renews refresh tokens, on request slowly or not at all."""

import collections
import http.server
import json
import threading
import time
import urllib.parse


class Provider:
    """The authority. It has no sign-in, since its accounts are imported with their refresh tokens."""

    def __init__(self):
        self.delay = 0.0
        """The duration of a renewal, in seconds."""
        self.life = 3600
        """The lifetime of its access tokens, in seconds."""
        self.free = threading.Event()
        """While it is cleared, renewals wait."""
        self.free.set()
        self.calls = collections.Counter()
        self.waiting = 0
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"provider": self}))
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.free.set()
        self.server.shutdown()
        self.server.server_close()

    def renew(self, user):
        """Counts a renewal, waits for its duration, and returns the number of the access token."""
        with self.lock:
            self.calls[user] += 1
            self.calls["all"] += 1
            number = self.calls["all"]
            self.waiting += 1
        try:
            time.sleep(self.delay)
            self.free.wait()
        finally:
            with self.lock:
                self.waiting -= 1
        return number

    def until_waiting(self, patience=20):
        """Waits until a renewal is in progress."""
        deadline = time.monotonic() + patience
        while not self.waiting:
            if time.monotonic() > deadline:
                raise TimeoutError("no renewal came")
            time.sleep(0.001)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    provider: Provider

    def do_GET(self):
        issuer = self.provider.issuer
        if self.path == "/.well-known/openid-configuration":
            return self.send({
                "issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
                "userinfo_endpoint": f"{issuer}/userinfo", "jwks_uri": f"{issuer}/keys",
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"],
                "scopes_supported": ["openid", "offline_access", "files.read", "files.write"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            })
        if self.path == "/keys":
            return self.send({"keys": []})
        if self.path == "/userinfo":
            # The access token names its user: access-NUMBER-USER.
            user = self.headers.get("Authorization", "").rsplit("-", 1)[-1]
            return self.send({"sub": user, "preferred_username": f"{user}@bench.example"})
        self.send({}, 404)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()))
        if self.path != "/token" or form.get("grant_type") != "refresh_token":
            return self.send({"error": "invalid_request"}, 400)
        user = form["refresh_token"].rsplit("-", 1)[-1]
        number = self.provider.renew(user)
        self.send({
            "access_token": f"access-{number}-{user}",
            "token_type": "Bearer", "expires_in": self.provider.life, "refresh_token": f"refresh-{number}-{user}",
        })

    def send(self, document, status=200):
        body = json.dumps(document).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_):
        pass
