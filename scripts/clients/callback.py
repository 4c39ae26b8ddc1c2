"""The page of a client on loopback, for browsers that follow all redirects."""

import http.server
import queue
import threading
import urllib.parse

from scene import SECONDS


class Site:
    """The client's page on loopback, which receives the authorization responses."""

    onward = None
    """The address to which the callback redirects, or None for a page."""

    def __init__(self, port=0):
        self.port = port

    def __enter__(self):
        answers, site = queue.Queue(), self
        self.answers = answers

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.come(urllib.parse.urlsplit(self.path).query)

            def do_POST(self):
                self.come(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def come(self, form):
                path = urllib.parse.urlsplit(self.path).path
                if path in ("/callback", "/signed-out"):
                    answers.put((self.command, path, dict(urllib.parse.parse_qsl(form))))
                onward = site.onward if path == "/callback" else None
                self.send_response(303 if onward else 200 if path != "/favicon.ico" else 404)
                if onward:
                    self.send_header("Location", onward)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Client</title><h1 id=client>Welcome back</h1>")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path="/callback"):
        """The next response of the authority."""
        method, came, parameters = self.answers.get(timeout=SECONDS)
        assert came == path, (came, parameters)
        return method, parameters

    def is_quiet(self):
        return self.answers.empty()

    def has_only(self, parameters):
        """Whether nothing but repetitions of the same response arrived: a browser may follow the first press of a double
        click before the second one replaces its page."""
        while not self.answers.empty():
            if self.answers.get()[2] != parameters:
                return False
        return True
