"""`tasksd` on temporary state, with rows, and the requests to it."""

import http.client
import json
import os
import secrets
import sqlite3
import subprocess
import time
import uuid

from .daemon import PATIENCE, end, until_http

PEOPLE = 32
"""The number of users with rows, and of concurrent requests."""
FEW, MANY = 1_000, 1_000_000
"""The numbers of rows of the small and the large table."""
PLACES = 256
"""The number of positions in a table where pages begin."""
PAGE = 50

COLUMNS = (
    "{text: {type: string, required: true, maxLength: 4096}, complete: {type: boolean, default: false}, "
    "duration: {type: number}, due: {type: date}, notes: {type: string}, tags: {type: string}, "
    "priority: {type: number, enum: [1, 2, 3]}}"
)
"""The columns of the default table of `tasksd`."""


def example(number):
    return {
        "text": f"row{number}", "complete": number % 2 == 1, "duration": number % 10 + 0.5,
        "due": "2026-12-24T18:00:00.000Z", "notes": "buy it before the shops close, and no earlier than noon",
        "tags": "home, errands", "priority": number % 3 + 1,
    }


def message(port, method, path, token=None, body=None, fields=()):
    """Returns a complete request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: localhost:{port}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in fields]
    content = b""
    if body is not None:
        content = json.dumps(body, separators=(",", ":")).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


def new_id(milliseconds):
    """Returns a UUID of version 7, as `tasksd` does (RFC 9562 section 5.7)."""
    bits = milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=bits))


class Tasks:
    """A `tasksd` that trusts the authority of a broker."""

    def __init__(self, program, folder, broker):
        self.program = program
        self.folder = folder
        self.port = broker.api_port
        self.process = None
        self.config = os.path.join(folder, "tasksd.yaml")
        self.state = os.path.join(folder, "state")
        os.makedirs(self.state, mode=0o700)
        tables = ", ".join(f"{name}: {{columns: {COLUMNS}}}" for name in ("todoitem", "inserted", "few", "many"))
        authority = os.path.join(os.path.dirname(broker.socket), "authority.sock")
        with open(self.config, "w") as file:
            file.write(
                f'listen: ["127.0.0.1:{self.port}"]\n'
                f'trust: [{{authority: "unix:{authority}", base: "{broker.base}"}}]\n'
                f"tables: {{{tables}}}\n"
                f"limits: {{rowsPerOwner: {2 * MANY}}}\n"
                "log: {level: warning, format: text}\n"
            )

    def start(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TOKENBROKER_")}
        log = open(os.path.join(self.folder, "log"), "ab")
        command = [self.program, "--config", self.config, "--state-directory", self.state]
        self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            until_http(self.port, time.perf_counter(), self.process)
        except Exception as error:
            self.stop()
            with open(os.path.join(self.folder, "log")) as file:
                raise RuntimeError(f"tasksd did not start: {error}\n{file.read()[-2000:]}") from error

    def stop(self):
        end(self.process)

    def cpu(self):
        """Its processor time with all threads, in seconds."""
        # The kernel's clock of another process, in nanoseconds (man 3 clock_getcpuclockid).
        return time.clock_gettime((~self.process.pid << 3) | 2)

    # Filling

    def insert(self, table, token, numbers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        fields = {"Host": f"localhost:{self.port}", "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        for number in numbers:
            connection.request("POST", f"/tables/{table}", json.dumps(example(number)), fields)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 201:
                raise RuntimeError(f"an insert responded with {answer.status}: {text[:500]}")
        connection.close()

    def fill(self, token, many=MANY):
        """Fills `few` and `many` with copies of the first rows, which were inserted over the API.

        Writes directly to the file while the daemon is stopped: its schema, and rows like those that it wrote.
        """
        for table in ("few", "many"):
            self.insert(table, token, range(1))
        self.stop()
        database = sqlite3.connect(os.path.join(self.state, "tasks.sqlite"), isolation_level=None)
        database.create_function("new_id", 1, new_id)
        for pragma in ("journal_mode = DELETE", "synchronous = OFF", "cache_size = -400000"):
            database.execute(f"PRAGMA {pragma}")
        for table, count in (("few", FEW), ("many", many)):
            names = [row[1] for row in database.execute(f"PRAGMA table_info(t_{table})")]
            changed = {
                "id": "new_id(createdAt + n)", "createdAt": "createdAt + n", "updatedAt": "updatedAt + n", "c_complete": "n % 2",
                "c_text": "'row' || n", "k_text": "'row' || n", "c_duration": "n % 10 + 0.5", "c_priority": "n % 3 + 1",
            }
            values = ", ".join(changed.get(name, name) for name in names)
            database.execute("BEGIN")
            database.execute(
                f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {count}) "
                f"INSERT INTO t_{table} ({', '.join(names)}) SELECT {values} FROM numbers, t_{table} AS first"
            )
            database.execute(
                f"UPDATE clocks SET last = (SELECT max(updatedAt) FROM t_{table}) WHERE table_name = '{table}'"
            )
            database.execute("COMMIT")
        database.close()
        self.start()

    # Requests

    def requests(self, name, messages):
        """A file of requests."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            for one in messages:
                file.write(one + b"\0")
        return path

    def list(self, token):
        filter = "complete%20eq%20false%20and%20duration%20gt%201"
        return message(self.port, "GET", f"/tables/todoitem?$filter={filter}&$top={PAGE}", token)

    def insertion(self, number, token):
        return message(self.port, "POST", "/tables/inserted", token, example(number))

    def pages(self, table, key, token):
        """Pages that start after a key, as in a sync, spread over the table."""
        database = sqlite3.connect(f"file:{self.state}/tasks.sqlite?mode=ro", uri=True)
        column = {"time": "updatedAt", "id": "id"}[key]
        keys = [row[0] for row in database.execute(f"SELECT {column} FROM t_{table} ORDER BY {column}")]
        database.close()
        step = (len(keys) - PAGE - 1) / PLACES
        found = []
        for place in range(PLACES):
            value = keys[int(place * step)]
            if key == "time":
                seconds, rest = divmod(value, 1000)
                text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03}Z"
                query = f"$filter=updatedAt%20gt%20datetimeoffset'{text}'&$orderby=updatedAt&__includeDeleted=true"
            else:
                query = f"$filter=id%20gt%20'{value}'&$orderby=id"
            found.append(message(self.port, "GET", f"/tables/{table}?{query}&$top={PAGE}", token))
        return found

    def answer(self, one):
        """Sends a request and returns the JSON of the response."""
        head, _, body = one.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        method, path, _ = lines[0].split(" ")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body or None, dict(line.split(": ", 1) for line in lines[1:]))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{path} answered {answer.status}: {text[:500]}")
        return json.loads(text), len(text)
