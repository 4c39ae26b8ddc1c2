import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of `tokenbroker request`, `exec` and `token`, which send a token only to the origins of its API.
@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    /// A machine with a signed-in user, a server at the origin of the API `tasks`, and a server at an unknown origin.
    private struct Scene {
        let own: RecordingAPI
        let other: RecordingAPI
        let machine: Machine
        let daemon: RunningProgram

        init() throws {
            (own, other) = (try RecordingAPI(), try RecordingAPI())
            machine = try Machine(configuration: [
                "apis:",
                "  tasks: {audience: tasks, origins: [\"\(own.base)\"], scopes: {tasks.read: Read, tasks.write: Change}}",
                "  notes: {audience: notes, origins: [\"https://notes.example\"], scopes: {notes.read: Read}}",
            ])
            daemon = try machine.startBroker()
            let person = Person.random()
            try person.signUp(machine.connect(), on: machine)
        }

        func end() {
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }

        func request(_ arguments: [String], input: String = "") throws -> BuiltProgram.Outcome {
            try machine.tokenbroker(["request", "--no-prompt"] + arguments, input: input)
        }

        func token() throws -> String {
            let outcome = try machine.tokenbroker(["token", "--no-prompt"])
            return outcome.output.trimmingCharacters(in: .newlines)
        }
    }

    @Test(
        "no token is sent to a port of this machine where another user listens, accepting or not",
        arguments: ["127.0.0.1", "::ffff:127.0.0.1", "::", "127.0.0.2"]
    )
    func stranger(_ address: String) throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: address)
        let host = address == "127.0.0.2" ? address : "localhost"
        let place = "http://\(host):\(port)"
        let machine = try Machine(configuration: [
            "apis:",
            "  tasks: {audience: tasks, origins: [\"\(place)\"], scopes: {tasks.read: Read, tasks.write: Change}}",
        ])
        let daemon = try machine.startBroker()
        try Person.random().signUp(machine.connect(), on: machine)
        let words = "A process owned by user 54321 is listening on \(place)"
        for (command, more) in [
            (["request"], [place]), (["exec", "--for", place], ["--", "true"]), (["token", "--for"], [place]),
        ] {
            let refused = try machine.tokenbroker([command[0], "--no-prompt"] + command.dropFirst() + more)
            #expect(refused.status == 77 && refused.errors.contains(words), "\(refused)")
        }
        let git = try machine.tokenbroker(
            ["credential", "git", "get"],
            input: "capability[]=authtype\nprotocol=http\nhost=\(host):\(port)\n\n"
        )
        #expect(git.status == 77 && git.output.isEmpty, "\(git)")
        let docker = try machine.tokenbroker(["credential", "docker", "get"], input: "\(host):\(port)")
        #expect(docker.status == 77 && docker.output.isEmpty, "\(docker)")
        try machine.write(["api: \(place)"], to: "etc/tasks.yaml")
        let sync = try machine.tasks(["sync"])
        #expect(sync.status == 75 && sync.errors.contains("user 54321"), "\(sync)")
        let authority: JSONValue = ["name": "theirs", "url": .string(place), "clientId": "c"]
        #expect(try machine.connect().refusal("authority.add", authority).code == 1014)
        #expect(daemon.errors().contains("user 54321"))
        daemon.signal(15)
        #expect(daemon.wait() == 0)
        // The connections that wait at the other user's port have received no data.
        try other.run("import select; callers = []")
        try other.run("while select.select([listener], [], [], 0.5)[0]: callers.append(listener.accept()[0])")
        #expect(Int(try other.run("answer = len(callers)")) ?? 0 >= 3)
        try other.run("for caller in callers: caller.settimeout(30)")
        #expect(try other.run("answer = [data for data in [caller.recv(100) for caller in callers] if data]") == "[]")
    }

    @Test("a port without a listening process gets no token, unless it is trusted by name") func stopped() throws {
        let port = freePort()
        let place = "http://localhost:\(port)"
        func machine(_ more: [String]) throws -> Machine {
            try Machine(
                configuration: more + [
                    "apis:",
                    "  tasks: {audience: tasks, origins: [\"\(place)\"], scopes: {tasks.read: Read, tasks.write: Change}}",
                ]
            )
        }
        for (more, isTrusted) in [([], false), (["outgoing: {trustedLoopback: [\(port)]}"], true)] as [([String], Bool)]
        {
            let machine = try machine(more)
            let daemon = try machine.startBroker()
            try Person.random().signUp(machine.connect(), on: machine)
            let outcome = try machine.tokenbroker(["token", "--no-prompt", "--for", place])
            if isTrusted {
                #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
            } else {
                let words = "Nothing is listening on \(place). Start the service and try again."
                #expect(outcome.status == 77 && outcome.errors.contains(words), "\(outcome)")
                // The message must not suggest trusting the port, because any user could listen on it.
                #expect(!outcome.errors.contains("trustedLoopback"), "\(outcome)")
            }
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }
    }

    @Test("a request has the token of its API, its fields and its body, and the response is printed unchanged")
    func carries() throws {
        let scene = try Scene()
        let body = scene.machine.folder.path("body.json")
        try Data("{\"a\":1}".utf8).write(to: URL(fileURLWithPath: body))
        let outcome = try scene.request([
            "-X", "PUT", "-H", "X-One: 1", "--data", "@\(body)", "\(scene.own.base)/some/place?b=%2F#part",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "hello {\"a\":1}")
        let request = try #require(try scene.own.requests().first)
        #expect(request.method == "PUT" && request.path == "/some/place?b=%2F" && request.body == "{\"a\":1}")
        #expect(request.headers["x-one"] == "1" && request.headers["content-type"] == "application/json")
        #expect(request.headers["authorization"] == "Bearer \(try scene.token())")
        #expect(request.headers["client-request-id"].map { UUID(uuidString: $0) != nil } == true)
        let typed = try scene.request(
            ["--data", "@-", "-H", "Content-Type: text/plain", scene.own.base],
            input: "text"
        )
        #expect(typed.output == "hello text", "\(typed.errors)")
        #expect(try scene.own.requests().last?.headers["content-type"] == "text/plain")
        #expect(try scene.own.requests().last?.method == "POST")
        let json = try scene.request(["--json", scene.own.base])
        let answer = try StrictJSON.parse(Array(json.output.utf8))
        #expect(answer["status"]?.int == 200 && answer["body"]?.string == "hello ")
        scene.end()
    }

    @Test("-i prints the status and the fields before the body; -v prints both requests to stderr, without the token")
    func shown() throws {
        let scene = try Scene()
        let included = try scene.request(["-i", scene.own.base])
        #expect(included.status == 0 && included.output.hasPrefix("HTTP/1.1 200 "), "\(included)")
        #expect(included.output.hasSuffix("\n\nhello "), "\(included)")
        let verbose = try scene.request([
            "-v", "-H", "X-One: 1", "-H", "X-ZUMO-AUTH: planted", "\(scene.own.base)/place",
        ])
        #expect(verbose.output == "hello ", "\(verbose)")
        for line in ["> GET \(scene.own.base)/place\n", "> X-One: 1\n", "< HTTP/1.1 200 "] {
            #expect(verbose.errors.contains(line), "\(verbose)")
        }
        #expect(verbose.errors.contains("> Authorization: <redacted>\n"), "\(verbose)")
        #expect(!verbose.errors.contains(try scene.token()) && !verbose.errors.contains("planted"), "\(verbose)")
        let both = try scene.request(["-i", "--json", scene.own.base])
        #expect(both.status == 64 && both.output.isEmpty, "\(both)")
        scene.end()
    }

    @Test("a token that the API returns in a header field is not shown", arguments: ["/echo", "/echo-refuse"])
    func echo(_ path: String) throws {
        let scene = try Scene()
        for options in [[], ["-v"], ["-i"], ["--json"]] {
            let outcome = try scene.request(options + [scene.own.base + path])
            let sent = try scene.own.requests().compactMap { $0.headers["authorization"]?.split(separator: " ").last }
            #expect(!sent.isEmpty)
            for token in sent {
                #expect(!outcome.output.contains(token) && !outcome.errors.contains(token), "\(options) \(outcome)")
            }
        }
        #expect(try scene.request(["-i", scene.own.base + path]).output.contains("<redacted>"))
        scene.end()
    }

    @Test("no token is sent to another scheme, host or port, and the refusal names the allowed origins")
    func elsewhere() throws {
        let scene = try Scene()
        let port = scene.own.port
        for url in [
            scene.other.base, "http://127.0.0.1:\(port)/", "https://localhost:\(port)/", "http://localhost.:\(port)/",
            "\(scene.own.base)@localhost:\(scene.other.port)/", "http://user@localhost:\(port)/", "localhost:\(port)",
            "\(scene.own.base)\\@localhost:\(scene.other.port)/", "http://localhost:\(port)0/", "",
            "file:///etc/passwd",
        ] {
            for command in [["request"], ["token", "--for"], ["exec", "--for"]] {
                let tail = command[0] == "exec" ? ["--", "true"] : []
                let outcome = try scene.machine.tokenbroker(command + [url, "--no-prompt"] + tail)
                #expect(outcome.status == 77 && outcome.output.isEmpty, "\(url) \(outcome)")
                #expect(
                    outcome.errors.contains(
                        "Tokens are only sent to https://notes.example (notes), \(scene.own.base) (tasks)."
                    ),
                    "\(outcome.errors)"
                )
            }
        }
        #expect(try scene.own.requests().isEmpty && scene.other.requests().isEmpty)
        scene.end()
    }

    @Test("a redirect is not followed, and its target is printed") func redirect() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/to?\(scene.other.base)/x"])
        #expect(
            outcome.status == 1 && outcome.errors.contains("redirects to \(scene.other.base)/x (")
        )
        #expect(try scene.own.requests().count == 1 && scene.other.requests().isEmpty)
        scene.end()
    }

    @Test("a rejected token is renewed once, and the same request is sent again") func renewed() throws {
        let scene = try Scene()
        let before = try scene.token()
        let outcome = try scene.request(["--data", "@-", "\(scene.own.base)/refuse-first"], input: "once")
        #expect(outcome.status == 0 && outcome.output == "hello once", "\(outcome.errors)")
        let requests = try scene.own.requests()
        #expect(requests.map(\.body) == ["once", "once"])
        #expect(requests.first?.headers["authorization"] == "Bearer \(before)")
        #expect(requests.last?.headers["authorization"] == "Bearer \(try scene.token())")
        #expect(try scene.token() != before)
        scene.end()
    }

    @Test("a second rejection is shown, and no third request is sent") func refusedTwice() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/refuse"])
        #expect(outcome.status == 77 && outcome.output == "never")
        #expect(outcome.errors.contains("insufficient_scope"), "\(outcome.errors)")
        #expect(try scene.own.requests().count == 2)
        scene.end()
    }

    @Test("an API that requires more scopes gets such a token once, with the same request") func steppedUp() throws {
        let scene = try Scene()
        let arguments = ["--scope", "tasks.read", "--data", "@-", "\(scene.own.base)/step-up-first"]
        let outcome = try scene.request(arguments, input: "once")
        #expect(outcome.status == 0 && outcome.output == "hello once", "\(outcome.errors)")
        let requests = try scene.own.requests()
        #expect(requests.map(\.body) == ["once", "once"])
        let scopes = try requests.map { request in
            let token = try #require(request.headers["authorization"])
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            return try StrictJSON.parse(payload)["scope"]?.string?.split(separator: " ") ?? []
        }
        #expect(Set(scopes.last ?? []).isSuperset(of: ["tasks.read", "tasks.write"]), "\(scopes)")
        scene.end()
    }

    @Test("a second step-up response of an API is shown, and no third request is sent") func refusedMore() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/step-up"])
        #expect(outcome.status == 77 && outcome.output == "never")
        #expect(outcome.errors.contains("insufficient_user_authentication"), "\(outcome.errors)")
        #expect(try scene.own.requests().count == 2)
        scene.end()
    }

    @Test(
        "the API's status decides the exit code",
        arguments: [("204", 0), ("403", 77), ("404", 1), ("429", 75), ("500", 1), ("503", 75)] as [(String, Int32)]
    )
    func exitCode(_ status: String, _ code: Int32) throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/status/\(status)"])
        #expect(outcome.status == code, "\(outcome.errors)")
        let json = try scene.request(["--json", "\(scene.own.base)/status/\(status)"])
        #expect(try StrictJSON.parse(Array(json.output.utf8))["status"]?.int == Int64(status))
        scene.end()
    }

    @Test("a request to an API that does not respond times out, and a missing API is unreachable") func slow() throws {
        let scene = try Scene()
        let slow = try scene.request(["--timeout", "1s", "\(scene.own.base)/hang"])
        #expect(slow.status == 69 && slow.errors.contains("did not respond in time"), "\(slow.errors)")
        let json = try scene.request(["--json", "--timeout", "1s", "\(scene.own.base)/hang"])
        #expect(json.status == 69 && json.errors.contains("\"reason\":\"timed_out\""), "\(json.errors)")
        scene.end()
    }

    @Test(
        "invalid arguments of `tokenbroker request` exit with 64",
        arguments: [
            ["-X", "GE T"], ["-H", "nocolon"], ["-H", "Authorization: Bearer x"], ["-H", "Host: x"],
            ["-H", "Content-Length: 1"], ["-H", "a: b\r\nc: d"], ["-H", "sp ace: x"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let scene = try Scene()
        let outcome = try scene.request(arguments + [scene.own.base])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(try scene.own.requests().isEmpty)
        scene.end()
    }

    @Test("a missing or too large file is not sent") func files() throws {
        let scene = try Scene()
        for file in ["/nonexistent", "/dev/zero"] {
            let outcome = try scene.request(["--data", "@\(file)", scene.own.base])
            #expect(outcome.status == 1 && outcome.errors.contains(file), "\(outcome.errors)")
        }
        #expect(try scene.own.requests().isEmpty)
        scene.end()
    }

    @Test("exec sets the token and its origins in the program's environment, and exits as the program does")
    func exec() throws {
        let scene = try Scene()
        let script = "echo $ACCESS_TOKEN $ACCESS_TOKEN_ORIGINS; test $ACCESS_TOKEN_EXPIRES_AT -gt 1790000000000; exit 7"
        let outcome = try scene.machine.tokenbroker(
            ["exec", "--no-prompt", "--for", "\(scene.own.base)/x", "--", "/bin/sh", "-ec", script, "--json"]
        )
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.output == "\(try scene.token()) \(scene.own.base)\n")
        // The program must inherit the signal settings and the open descriptors unchanged.
        let inherited = try scene.machine.tokenbroker(
            [
                "exec", "--no-prompt", "--", "/bin/sh", "-c",
                "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd | wc -w",
            ]
        )
        #expect(inherited.output.split(separator: "\n").last == "4", "\(inherited)")
        let signals = inherited.output.split(separator: "\n").prefix(2).map { $0.split(separator: "\t").last }
        #expect(signals.first == "0000000000000000", "\(inherited.output)")
        #expect(try scene.machine.tokenbroker(["exec", "--no-prompt", "--", "/nonexistent"]).status == 1)
        #expect(try scene.machine.tokenbroker(["exec", "--no-prompt"]).status == 64)
        scene.end()
    }

    @Test("token --env prints shell assignments, and token --for prints the token of the URL's API") func token() throws
    {
        let scene = try Scene()
        let script = "eval \"$(\"$0\" token --no-prompt --for \(scene.own.base)/x --env)\"; sh -c 'echo $ACCESS_TOKEN'"
        let outcome = try BuiltProgram(path: "/bin/sh").run(
            ["-c", script, BuiltProgram("tokenbroker").url.path],
            environment: scene.machine.environment
        )
        #expect(outcome.output == "\(try scene.token())\n", "\(outcome.errors)")
        let notes = try scene.machine.tokenbroker(["token", "--no-prompt", "--for", "https://notes.example/"])
        #expect(notes.status == 77 && notes.output.isEmpty, "\(notes)")
        scene.end()
    }

    @Test("the socket reports the origins of each API") func told() throws {
        let scene = try Scene()
        let hello = try scene.machine.connect().call("broker.hello", ["protocol": [1], "client": ["id": "tests"]])
        let apis = try #require(hello["apis"]?.array)
        #expect(apis.map { $0["api"]?.string } == ["notes", "tasks"])
        #expect(apis.last?["origins"]?.strings == [scene.own.base])
        #expect(apis.last?["scopes"]?.strings == ["tasks.read", "tasks.write"])
        scene.end()
    }
}
