import Foundation
import OAuth
import TestSupport
import Testing

/// `tokenbroker request`, `exec` and `token`: tokens reach the origins of their API, and nothing else.
@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    /// A machine whose API `tasks` has an origin, somebody who is signed in there, and an API at another origin.
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

        /// The token that the cache has.
        func token() throws -> String {
            let outcome = try machine.tokenbroker(["token", "--no-prompt"])
            return outcome.output.trimmingCharacters(in: .newlines)
        }
    }

    @Test(
        "no token goes to a port of this machine where another user listens, accepting or not",
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
        let words = "\(place) is served by user 54321 of this machine"
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
        #expect(sync.status == 75 && sync.errors.contains("user 54321 of this machine"), "\(sync)")
        let authority: JSONValue = ["name": "theirs", "url": .string(place), "clientId": "c"]
        #expect(try machine.connect().refusal("authority.add", authority).code == 1014)
        #expect(daemon.errors().contains("served by user 54321 of this machine"))
        daemon.signal(15)
        #expect(daemon.wait() == 0)
        // Nothing came over any of the connections that wait.
        try other.run("import select; callers = []")
        try other.run("while select.select([listener], [], [], 0.5)[0]: callers.append(listener.accept()[0])")
        #expect(Int(try other.run("answer = len(callers)")) ?? 0 >= 3)
        try other.run("for caller in callers: caller.settimeout(30)")
        #expect(try other.run("answer = [data for data in [caller.recv(100) for caller in callers] if data]") == "[]")
    }

    @Test("a port where no process listens gets no token, unless it is trusted by name") func stopped() throws {
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
                let words = "No process listens at \(place). Start the service and try again."
                #expect(outcome.status == 77 && outcome.errors.contains(words), "\(outcome)")
                // To trust the port would be unsafe: any user can take it.
                #expect(!outcome.errors.contains("trustedLoopback"), "\(outcome)")
            }
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }
    }

    @Test("a request carries the token of its API, its fields and its body, and the answer is printed as it is")
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

    @Test("no token goes to another scheme, host or port, and the refusal names where tokens go")
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
                    outcome.errors.contains("tokens go to https://notes.example (notes), \(scene.own.base) (tasks)"),
                    "\(outcome.errors)"
                )
            }
        }
        #expect(try scene.own.requests().isEmpty && scene.other.requests().isEmpty)
        scene.end()
    }

    @Test("a redirect is not followed, and says where it led") func redirect() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/to?\(scene.other.base)/x"])
        #expect(
            outcome.status == 1 && outcome.errors.contains("redirects to \(scene.other.base)/x, which is not followed")
        )
        #expect(try scene.own.requests().count == 1 && scene.other.requests().isEmpty)
        scene.end()
    }

    @Test("a token that the API refuses is renewed once, and the same request is sent again") func renewed() throws {
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

    @Test("a second refusal is shown, and no third request is sent") func refusedTwice() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/refuse"])
        #expect(outcome.status == 77 && outcome.output == "never")
        #expect(outcome.errors.contains("insufficient_scope"), "\(outcome.errors)")
        #expect(try scene.own.requests().count == 2)
        scene.end()
    }

    @Test("an API that asks for more gets a token with it, once, with the same request") func steppedUp() throws {
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

    @Test("an API that asks for more again is shown, and no third request is sent") func refusedMore() throws {
        let scene = try Scene()
        let outcome = try scene.request(["\(scene.own.base)/step-up"])
        #expect(outcome.status == 77 && outcome.output == "never")
        #expect(outcome.errors.contains("insufficient_user_authentication"), "\(outcome.errors)")
        #expect(try scene.own.requests().count == 2)
        scene.end()
    }

    @Test(
        "what the API answers decides the exit code",
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

    @Test("an API that does not answer is given up, and one that is not there is unreachable") func slow() throws {
        let scene = try Scene()
        let slow = try scene.request(["--timeout", "1s", "\(scene.own.base)/hang"])
        #expect(slow.status == 69 && slow.errors.contains("did not answer in time"), "\(slow.errors)")
        let json = try scene.request(["--json", "--timeout", "1s", "\(scene.own.base)/hang"])
        #expect(json.status == 69 && json.errors.contains("\"reason\":\"timed_out\""), "\(json.errors)")
        scene.end()
    }

    @Test(
        "what is not a request is 64",
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

    @Test("a file that is not there, or is too large, is not sent") func files() throws {
        let scene = try Scene()
        for file in ["/nonexistent", "/dev/zero"] {
            let outcome = try scene.request(["--data", "@\(file)", scene.own.base])
            #expect(outcome.status == 1 && outcome.errors.contains(file), "\(outcome.errors)")
        }
        #expect(try scene.own.requests().isEmpty)
        scene.end()
    }

    @Test("exec has the token in the environment of the program, with its origins, and ends as that does")
    func exec() throws {
        let scene = try Scene()
        let script = "echo $ACCESS_TOKEN $ACCESS_TOKEN_ORIGINS; test $ACCESS_TOKEN_EXPIRES_AT -gt 1790000000000; exit 7"
        let outcome = try scene.machine.tokenbroker(
            ["exec", "--no-prompt", "--for", "\(scene.own.base)/x", "--", "/bin/sh", "-ec", script, "--json"]
        )
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.output == "\(try scene.token()) \(scene.own.base)\n")
        // What the program inherits is as it was: its signals, its descriptors.
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

    @Test("token --env is for eval, and token --for gives the token of the URL's API") func token() throws {
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

    @Test("the socket tells the origins of each API") func told() throws {
        let scene = try Scene()
        let hello = try scene.machine.connect().call("broker.hello", ["protocol": [1], "client": ["id": "tests"]])
        let apis = try #require(hello["apis"]?.array)
        #expect(apis.map { $0["api"]?.string } == ["notes", "tasks"])
        #expect(apis.last?["origins"]?.strings == [scene.own.base])
        #expect(apis.last?["scopes"]?.strings == ["tasks.read", "tasks.write"])
        scene.end()
    }
}
