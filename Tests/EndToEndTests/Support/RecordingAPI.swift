import Foundation
import OAuth
import TestSupport
import Testing

/// An API for tests that listens on a free port and records the requests.
///
/// The API runs in Debian's Python, so that the project's client is also tested with another server implementation.
final class RecordingAPI: Sendable {
    let port = freePort()
    private let folder: TemporaryFolder
    private let program: RunningProgram

    var base: String { "http://localhost:\(port)" }

    /// Starts the API, which serves Git repositories from the folder `repositories` below `/git/`.
    ///
    /// `/git/` requires a token in the form of a JWT, as a bearer token or as the password of any user.
    init(repositories: String = "/nonexistent") throws {
        folder = try TemporaryFolder()
        program = try BuiltProgram(path: "/usr/bin/python3").start([
            "-c", Self.script, "\(port)", folder.path("requests"), repositories,
        ])
        let program = program
        try blockUntil("the API listens") { program.output().contains("ready") }
    }

    deinit { program.signal(9) }

    struct Request {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
    }

    /// Returns the requests that the API has received, in order.
    func requests() throws -> [Request] {
        let text = (try? String(contentsOfFile: folder.path("requests"), encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").map { line in
            let json = try StrictJSON.parse(Array(line.utf8))
            return Request(
                method: json["method"]?.string ?? "",
                path: json["path"]?.string ?? "",
                headers: (json["headers"]?.object ?? [:]).compactMapValues(\.string),
                body: json["body"]?.string ?? ""
            )
        }
    }

    /// The Python program of the API, whose responses depend on the path.
    ///
    /// `/refuse-first` rejects the first token, and `/refuse` rejects every token. `/step-up-first` requires additional
    /// verification for the first request, and `/step-up` and `/api/balance` require it for every request. `/to?URL`
    /// redirects. `/echo` and `/echo-refuse` return the token in a header field.
    private static let script = #"""
        import base64, http.server, json, os, subprocess, sys, threading
        port, record, repositories = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        first = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def answer(self, status, body=b"", **fields):
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                line = {"method": self.command, "path": self.path, "headers": headers, "body": body.decode("latin-1")}
                with open(record, "a") as file:
                    file.write(json.dumps(line) + "\n")
                token = headers.get("authorization", "")
                if self.path == "/refuse-first":
                    first.append(token)
                    if token == first[0]:
                        return self.answer(401, b"old", WWW_Authenticate='Bearer error="invalid_token"')
                if self.path in ("/step-up", "/step-up-first", "/api/balance"):
                    first.append(token)
                    if self.path != "/step-up-first" or len(first) == 1:
                        return self.answer(401, b"never", WWW_Authenticate='Bearer error="insufficient_user_authentication", '
                            'scope="tasks.write", max_age="3600"')
                if self.path == "/refuse":
                    return self.answer(401, b"never", WWW_Authenticate='Bearer error="insufficient_scope"')
                if self.path == "/echo":
                    return self.answer(200, b"echo", X_Echo=token)
                if self.path == "/echo-refuse":
                    return self.answer(401, b"no", WWW_Authenticate=f'Bearer realm="{token}"')
                if self.path.startswith("/to?"):
                    return self.answer(302, Location=self.path[4:])
                if self.path.startswith("/status/"):
                    return self.answer(int(self.path[8:]), b"so be it")
                if self.path == "/hang":
                    return threading.Event().wait(30)
                if self.path.startswith("/git/"):
                    return self.git(token, body)
                self.answer(200, b"hello " + body)

            def git(self, token, body):
                kind, _, value = token.partition(" ")
                if kind == "Basic":
                    value = base64.b64decode(value).decode().partition(":")[2]
                if value.count(".") != 2:
                    return self.answer(401, WWW_Authenticate='Basic realm="git"')
                path, _, query = self.path[4:].partition("?")
                variables = dict(os.environ, GIT_PROJECT_ROOT=repositories, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path)
                variables |= dict(QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER="git")
                variables |= dict(CONTENT_TYPE=self.headers.get("Content-Type", ""), CONTENT_LENGTH=str(len(body)))
                run = subprocess.run(["git", "http-backend"], input=body, env=variables, stdout=subprocess.PIPE)
                head, _, rest = run.stdout.partition(b"\r\n\r\n")
                fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
                status = int(fields.pop("Status", "200").split()[0])
                self.answer(status, rest, **{name.replace("-", "_"): value for name, value in fields.items()})

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        print("ready", flush=True)
        server.serve_forever()
        """#
}
