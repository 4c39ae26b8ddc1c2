#!/usr/bin/env python3
"""A custom identity provider with one user: john.lennon with the password 12345.

    python3 Examples/custom_identity_provider.py [--port 8901] [--steps 2] [--text-only] [--fault FAULT]

It implements the protocol of Mobile Client Access: POST /apps/TENANT/REALM/startAuthorization and
.../handleChallengeAnswer. After a wrong password it repeats the challenge. With --steps 2 it requires the code 2468 next.
With --text-only a challenge names no fields.

--fault simulates a faulty or unusual provider:
    slow      responds after eleven seconds
    error     responds with 500
    html      responds with an HTML page
    big       responds with a mebibyte
    status    responds with 201
    unnamed   reports success without a userName
    rude      adds escape sequences and direction marks to its texts
    known     reports success at once, without a challenge
    refuses   reports failure at once
    terse     sends its stateId with the first challenge only, and requires it with every answer
"""

import argparse
import http.server
import json
import secrets
import time

PEOPLE = {"john.lennon": ("12345", "John Lennon", {"dob": "October 9, 1940"})}


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The user that passed the first step, by stateId.
    conversations: dict[str, str] = {}
    # The stateIds with the fault `terse`.
    named: set[str] = set()
    told: object = None
    options: argparse.Namespace

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", "0")), 65536)
        try:
            request = json.loads(self.rfile.read(length))
        except ValueError:
            return self.send(400, "application/json", b"{}")
        segments = self.path.split("/")
        if len(segments) != 5 or segments[1] != "apps":
            return self.send(404, "application/json", b"{}")
        if not self.headers.get("Authorization", "").startswith("Bearer "):
            # A real provider verifies the token with the keys that the broker publishes.
            return self.send(401, "application/json", b"{}")
        answers = {"startAuthorization": self.start, "handleChallengeAnswer": self.answer}
        if segments[4] not in answers:
            return self.send(404, "application/json", b"{}")
        # The broker sends only the headers that its configuration lists.
        self.told = request.get("headers")
        self.say(answers[segments[4]](request))

    def start(self, request):
        if self.options.fault == "known":
            return self.success("john.lennon")
        if self.options.fault == "refuses":
            return {"status": "failure"}
        state = None
        if self.options.fault == "terse":
            state = secrets.token_urlsafe(16)
            Provider.named.add(state)
        return self.challenge("Enter username and password", ["username", "password"], state)

    def answer(self, request):
        if self.options.fault == "terse" and request.get("stateId") not in Provider.named:
            return {"status": "failure"}
        given = request.get("challengeAnswer")
        given = given if isinstance(given, dict) else {}
        name = Provider.conversations.pop(request.get("stateId") or "", None)
        if name is not None:
            if given.get("code") == "2468":
                return self.success(name)
            return {"status": "failure"}
        name = given.get("username")
        person = PEOPLE.get(name) if isinstance(name, str) else None
        if person is None or not secrets.compare_digest(str(given.get("password")).encode(), person[0].encode()):
            return self.challenge("Enter username and password", ["username", "password"])
        if self.options.steps == 1:
            return self.success(name)
        state = secrets.token_urlsafe(16)
        if len(Provider.conversations) < 1000:
            Provider.conversations[state] = name
        return self.challenge("Enter the code 2468", ["code"], state)

    def challenge(self, text, fields, state=None):
        if self.options.fault == "rude":
            text = "\x1b[2J\u202eevil\u202c " + text
        answer = {"status": "challenge", "challenge": {"text": text}}
        if not self.options.text_only:
            answer["challenge"]["fields"] = fields
        if state:
            answer["stateId"] = state
        return answer

    def success(self, name):
        _, display, attributes = PEOPLE[name]
        identity = {"userName": name, "displayName": display, "attributes": attributes}
        if self.options.fault == "unnamed":
            del identity["userName"]
        return {"status": "success", "userIdentity": identity}

    def say(self, answer):
        fault = self.options.fault
        if fault == "slow":
            time.sleep(11)
        if fault == "error":
            return self.send(500, "application/json", b"{}")
        if fault == "html":
            return self.send(200, "text/html", b"<html>Log in here</html>")
        if fault == "big":
            return self.send(200, "application/json", b'{"status":"failure","x":"' + b"x" * 1048576 + b'"}')
        self.send(201 if fault == "status" else 200, "application/json", json.dumps(answer).encode())

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
        print(self.command, self.path, args[1] if len(args) > 1 else "", json.dumps(self.told), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=8901)
    parser.add_argument("--steps", type=int, choices=[1, 2], default=1)
    parser.add_argument("--text-only", action="store_true")
    faults = ["slow", "error", "html", "big", "status", "unnamed", "rude", "known", "refuses", "terse"]
    parser.add_argument("--fault", choices=faults)
    Provider.options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", Provider.options.port), Provider)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
