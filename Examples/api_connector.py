#!/usr/bin/env python3
"""An API connector that policies call between steps (docs/policies.md).

    python3 Examples/api_connector.py [--port 8902] [--user NAME:PASSWORD | --token TOKEN] [--unwanted NAME]
        [--fault FAULT] [--until FILE] [--certificate FILE --key FILE --clients FILE]

It blocks the display name "Mallory", and rejects the name "Admin", or that of --unwanted, with a validation error. All
other users continue, with the city set to Oxford and the level "gold" in tokens. With --until it responds only after FILE
exists. With --clients it requires a client certificate from the authority in FILE.

--fault simulates a faulty connector:
    slow      responds after three seconds
    error     responds with 500
    once      responds with 500 to the first request
    html      responds with an HTML page
    big       responds with a mebibyte
    version   responds with another version
    action    responds with an unknown action
    mute      blocks all users without a sentence
    status    returns status 400 in a response with HTTP status 200
    rude      blocks all users with escape sequences and direction marks
    greedy    returns claims that identify the user
"""

import argparse
import base64
import hmac
import http.server
import json
import os
import ssl
import time

STEPS = {"PostFederationSignup", "PostAttributeCollection", "PreTokenIssuance"}


class Connector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0
    told: object = None
    options: argparse.Namespace

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", "0")), 65536)
        try:
            claims = json.loads(self.rfile.read(length))
        except ValueError:
            return self.send(400, "application/json", b"{}")
        if not self.is_known():
            return self.send(401, "application/json", b"{}")
        if not isinstance(claims, dict) or claims.get("step") not in STEPS:
            return self.send(404, "application/json", b"{}")
        self.told = claims
        Connector.count += 1
        print("received", claims["step"], flush=True)
        while self.options.until and not os.path.exists(self.options.until):
            time.sleep(0.01)
        self.say(*self.decide(claims))

    def is_known(self):
        given = self.headers.get("Authorization", "")
        expected = ""
        if self.options.user:
            expected = "Basic " + base64.b64encode(self.options.user.encode()).decode()
        elif self.options.token:
            expected = "Bearer " + self.options.token
        return hmac.compare_digest(given.encode(), expected.encode())

    def decide(self, claims):
        fault = self.options.fault
        if fault == "rude":
            return 200, {"action": "ShowBlockPage", "userMessage": "\x1b[2J\u202eevil\u202c go away"}
        if fault == "mute":
            return 200, {"action": "ShowBlockPage"}
        if fault == "action":
            return 200, {"action": "Explode"}
        if fault == "status":
            return 200, {"action": "ValidationError", "status": 400, "userMessage": "no"}
        if claims.get("displayName") == "Mallory":
            return 200, {"version": "1.0.0", "action": "ShowBlockPage", "userMessage": "Mallory is not allowed to sign in."}
        if claims.get("displayName") in ("Admin", self.options.unwanted):
            sentence = "Choose another name."
            return 400, {"version": "1.0.0", "status": 400, "action": "ValidationError", "userMessage": sentence}
        answer = {"version": "2.0.0" if fault == "version" else "1.0.0", "action": "Continue"}
        if fault == "greedy":
            answer.update({"email": "root@example.org", "oid": "0", "sub": "0", "scp": "all", "aud": "x", "unasked": "x"})
        if claims["step"] == "PreTokenIssuance":
            answer["extension_level"] = "gold"
        else:
            answer["city"] = "Oxford"
        return 200, answer

    def say(self, status, answer):
        fault = self.options.fault
        if fault == "slow":
            time.sleep(3)
        if fault == "error" or (fault == "once" and Connector.count == 1):
            return self.send(500, "application/json", b"{}")
        if fault == "html":
            return self.send(200, "text/html", b"<html>Log in here</html>")
        if fault == "big":
            return self.send(200, "application/json", b'{"action":"Continue","x":"' + b"x" * 1048576 + b'"}')
        self.send(status, "application/json", json.dumps(answer).encode())

    def send(self, status, kind, body):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format, *args):
        print(args[1] if len(args) > 1 else "", json.dumps(self.told, sort_keys=True), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=8902)
    parser.add_argument("--user")
    parser.add_argument("--token")
    parser.add_argument("--unwanted", default="Admin")
    parser.add_argument("--until")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--clients")
    faults = ["slow", "error", "once", "html", "big", "version", "action", "mute", "status", "rude", "greedy"]
    parser.add_argument("--fault", choices=faults)
    options = Connector.options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Connector)
    scheme = "http"
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        if options.clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(options.clients)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    print(f"listening on {scheme}://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
