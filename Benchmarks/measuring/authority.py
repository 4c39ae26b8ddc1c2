"""An authority behind a proxy's address on temporary state, a signed-in browser, and loads by wrk."""

import base64
import contextlib
import hashlib
import html
import http.client
import json
import os
import re
import secrets
import sqlite3
import subprocess
import urllib.parse

from .daemon import PATIENCE, Daemon
from .person import PASSWORD, Person
from .processes import cpu_seconds, written_bytes

HOST = "auth.bench.example"
POLICY = "/local/b2c_1_sign_up_or_in"
TOKEN = f"{POLICY}/oauth2/v2.0/token"
CALLBACK = "https://client.example/callback"
WRK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "wrk")
FORM = "application/x-www-form-urlencoded"


def form(**fields):
    return urllib.parse.urlencode(fields)


class Authority(Daemon):
    """A daemon with an https address, as behind a proxy, which lets sessions outlive their flow."""

    host = HOST
    connecting = contextlib.nullcontext()
    """Locks the opening of a connection. A lock is required if other threads change the effective uid, which identifies a proxy."""

    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.secret = secrets.token_urlsafe(32)
        path = os.path.join(folder, "client.secret")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(self.secret + "\n")
        client = f"type: confidential, secretFile: {path}, apis: [tasks]"
        with open(self.config, "w") as file:
            file.write(
                f"issuerBase: https://{HOST}\n"
                f'listen: ["127.0.0.1:{self.port}"]\n'
                'behindProxy: true\nproxies: ["127.0.0.1"]\nforwardedHeader: Forwarded\n'
                f"mail: {{transport: outbox, from: noreply@localhost, directory: {self.outbox}}}\n"
                "log: {level: error, format: text}\n"
                "apis:\n  tasks:\n    audience: tasks\n    scopes:\n"
                "      {tasks.read: Read, tasks.write: Write, accessRestricted: Restricted, transferPrivilege: Transfer}\n"
                "clients:\n"
                f"  service: {{{client}, name: Service, grants: [client_credentials]}}\n"
                f"  web: {{{client}, name: Web, firstParty: true, grants: [authorization_code, refresh_token], redirectURIs: [\"{CALLBACK}\"]}}\n"
            )

    def basic(self, client):
        return "Basic " + base64.b64encode(f"{client}:{self.secret}".encode()).decode()

    def ask(self, method, path, body=None, origin=None, **fields):
        """Sends one request over a separate connection and returns status, fields and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Host": HOST, **{name.replace("_", "-"): value for name, value in fields.items()}}
        if body is not None:
            headers["Content-Type"] = FORM
        if origin:
            headers["Forwarded"] = f"for={origin}"
        try:
            with self.connecting:
                connection.connect()
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def token(self, client, **fields):
        status, _, text = self.ask("POST", TOKEN, form(**fields), Authorization=self.basic(client))
        if status != 200:
            raise RuntimeError(f"the token endpoint responded with {status}: {text}")
        return json.loads(text)

    def grow(self, count):
        """Creates `count` users, each with a refresh token family like the existing ones. The daemon must be stopped."""
        database = sqlite3.connect(os.path.join(self.folder, "state", "authority.sqlite"), isolation_level=None)
        numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
        database.execute("BEGIN")
        for table, changed in (
            ("users", {"id": "'many-' || n"}),
            ("sign_in_names", {"mac": "'many-' || n", "user_id": "'many-' || n"}),
            ("families", {"id": "'many-' || n", "user_id": "'many-' || n", "session_id": "NULL"}),
        ):
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(changed.get(name, name) for name in names)
            database.execute(
                f"{numbers} INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM numbers, (SELECT * FROM {table} LIMIT 1)"
            )
        database.execute("COMMIT")
        found = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("users", "families")]
        database.close()
        return found


class Browser:
    """A user that signs in at the pages, with a separate address in front of the proxy."""

    def __init__(self, authority, person, origin):
        self.authority, self.person, self.origin, self.cookies = authority, person, origin, {}

    def ask(self, method, path, body=None):
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        status, fields, text = self.authority.ask(method, path, body, self.origin, **({"Cookie": cookie} if cookie else {}))
        for line in fields.get_all("Set-Cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name] = value
        return status, fields, text

    def begin(self, **more):
        """Requests a code, and reaches the sign-in page or the client."""
        self.verifier = secrets.token_urlsafe(40)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        return self.follow("GET", authorize(code_challenge=challenge, **more))

    def follow(self, method, path, body=None):
        """The page that an address leads to, with its address, or the client's address without a page."""
        for _ in range(10):
            status, fields, text = self.ask(method, path, body)
            # After a form, a page leads to the client.
            onward = fields["Location"] or (fields["Refresh"] or "").removeprefix("0; url=")
            if status == 200 and not onward:
                return path, text
            if status not in (200, 302, 303):
                raise RuntimeError(f"{path} answered {status}: {text[:500]}")
            method, body = "GET", None
            path = urllib.parse.urljoin(f"https://{HOST}{path}", onward)
            if not path.startswith(f"https://{HOST}/"):
                return path, None
            path = path.removeprefix(f"https://{HOST}")
        raise RuntimeError("redirects without an end")

    def answer(self, path, page):
        """Sends name and password in the page's form, and returns the resulting page."""
        known = {"username": self.person.address, "password": PASSWORD}
        one = re.search(r"<form[^>]*>.*?</form>", page, re.S)[0]
        target = html.unescape(re.search(r'action="([^"]*)"', one)[1])
        fields = {}
        for tag in re.findall(r"<input[^>]*>", one):
            attributes = {name: html.unescape(value) for name, value in re.findall(r'([a-z-]+)="([^"]*)"', tag)}
            if "name" in attributes and attributes.get("type") != "checkbox":
                fields.setdefault(attributes["name"], known.get(attributes["name"], attributes.get("value", "")))
        path = urllib.parse.urljoin(path, target).removeprefix(f"https://{HOST}")
        return self.follow("POST", path, form(**fields))

    def sign_in(self):
        """Returns the code after a sign-in with name and password."""
        path, page = self.begin()
        for _ in range(3):
            if page is None:
                return code_of(path)
            path, page = self.answer(path, page)
        raise RuntimeError(f"no end of the sign-in at {path}: {page[:3000] if page else ''}")

    def redeem(self, code):
        return self.authority.token(
            "web", grant_type="authorization_code", code=code, redirect_uri=CALLBACK, code_verifier=self.verifier
        )

    def family(self):
        """The tokens of a new family, from the existing session."""
        path, page = self.begin(prompt="none")
        if page is not None:
            raise RuntimeError("the session cannot be used")
        return self.redeem(code_of(path))


def authorize(**more):
    return f"{POLICY}/oauth2/v2.0/authorize?" + form(
        client_id="web", response_type="code", redirect_uri=CALLBACK, scope="openid offline_access tasks.read",
        state="s", nonce="n", code_challenge_method="S256", **more,
    )


def code_of(address):
    found = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    if "code" not in found:
        raise RuntimeError(f"no code in {address}")
    return found["code"][0]


UNITS = {"us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}


def load(pids, port, path, connections, seconds, script=None, fields=(), host=HOST, each=False, **environment):
    """Runs wrk, and counts the processor time and writes of the server. `each`: one thread per connection."""
    words = ["wrk", "-t", str(connections) if each else "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "20s", "--latency"]
    words += ["-H", f"Host: {host}"]
    for field in fields:
        words += ["-H", field]
    if script:
        words += ["-s", os.path.join(WRK, script)]
    before, wrote = cpu_seconds(pids), written_bytes(pids)
    run = subprocess.run(
        [*words, f"http://127.0.0.1:{port}{path}"], env={**os.environ, **environment}, text=True, timeout=seconds + 60,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    spent, written = cpu_seconds(pids) - before, written_bytes(pids) - wrote
    requests = re.search(r"(\d+) requests in", run.stdout)
    if not requests:
        raise RuntimeError(f"wrk failed: {run.stdout}")
    count = int(requests[1])
    flows = re.search(r"^flows (\d+) failed (\d+) (.*)$", run.stdout, re.M)
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", run.stdout)
    errors = re.search(r"Socket errors: (.*)", run.stdout)
    if wrong or errors or flows and int(flows[2]):
        raise RuntimeError(f"{path}: wrong answers: {run.stdout}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1])
    operations = int(flows[1]) if flows else count
    times = {share: float(value) * UNITS[unit] for share, value, unit in re.findall(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s|m)$", run.stdout, re.M)}
    return {
        "operations": operations, "per_second": rate * operations / count, "cpu_us": spent * 1e6 / operations,
        "written": written / operations, "p50_us": times["50"], "p99_us": times["99"],
    }


def signed_in(authority):
    """A user with an account and a browser session."""
    person = Person(0, authority)
    person.sign_up()
    browser = Browser(authority, person, "192.0.2.1")
    browser.redeem(browser.sign_in())
    return browser
