import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing
import TokenCache

/// Tests that search for planted secrets in logs, databases, responses and processes.
@Suite(.timeLimit(.minutes(5)))
struct SecrecyTests {
    @Test("no log, database, response or argument contains a password, code, token or key")
    func planted() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        let flow = try person.beginSignUp(connection)
        let code = try machine.code(for: person.email)
        var replies: [String] = []
        func keep(_ value: JSONValue) { replies.append(value.text) }

        keep(try connection.submit(flow, ["code": .string(code)]))
        let token = try #require(try person.token(connection)["accessToken"]?.string)
        let signIn = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "s"])["flow"]
        )
        let wrong = "Planted-wrong-9"
        keep(try connection.submit(signIn, ["username": .string(person.email), "password": .string(wrong)]))
        keep(try connection.call("flow.get", ["flow": signIn["id"] ?? .null]))
        let misplaced = try connection.refusal(
            "flow.submit",
            Connection.submission(signIn, ["username": .string(person.email), "password": [.string(person.password)]])
        )
        replies.append(misplaced.message + misplaced.data.text)
        for (method, params) in [
            ("token.list", [:]), ("audit.query", [:]), ("account.list", [:]), ("flow.list", [:]),
            ("broker.status", [:]),
        ] as [(String, JSONValue)] {
            keep(try connection.call(method, params))
        }
        try connection.socket.send(#"{"jsonrpc":"2.0","id":1,"method":"flow.submit","params":{"answers":{"password":"#)
        replies.append(try connection.socket.receive())
        try connection.socket.send("\(person.password) \(token)")
        replies.append(try connection.socket.receive())

        daemon.signal(SIGTERM)
        daemon.wait()
        let secrets =
            try [person.password, wrong, code, token].map { Data($0.utf8) } + keys(of: machine)
            + refreshTokens(of: machine)
        let log = try Data(daemon.log().utf8)
        for secret in secrets {
            #expect(log.range(of: secret) == nil, "in the log")
            for reply in replies { #expect(Data(reply.utf8).range(of: secret) == nil, "in \(reply.prefix(80))") }
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: machine.state)
        #expect(files.contains("authority.sqlite") && files.contains("cache.sqlite"), "\(files)")
        for name in files where name.hasPrefix("authority.sqlite") || name.hasPrefix("cache.sqlite") {
            let content = try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + name))
            for secret in secrets where secret.count > 6 {
                #expect(content.range(of: secret) == nil, "in \(name)")
            }
            #expect(content.range(of: Data(person.email.utf8)) == nil, "the address is sealed in \(name)")
        }
    }

    @Test("neither the log nor the audit contains a mail's subject or its code", arguments: [true, false])
    func subjects(codeInSubject: Bool) throws {
        let machine = try Machine(configuration: ["mail: {codeInSubject: \(codeInSubject)}"])
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        let flow = try person.beginSignUp(connection)
        let code = try machine.code(for: person.email)
        let path = try #require(FolderWatch(machine.outbox).file { _, content in content.contains(person.email) })
        let headers = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n")
        let subject = try #require(headers.first { $0.hasPrefix("Subject: ") }).dropFirst("Subject: ".count)
        #expect(subject == (codeInSubject ? "\(code) is your code for Tasks" : "Your code for Tasks"))
        try person.endSignUp(flow, code: code, connection)
        let audit = try connection.call("audit.query").text
        #expect(audit.contains("code.sent"), "\(audit)")
        daemon.signal(SIGTERM)
        daemon.wait()
        let log = try daemon.log()
        #expect(!log.isEmpty)
        for planted in [String(subject), code, "your code for", "Your code for"] {
            #expect(!log.contains(planted) && !audit.contains(planted), "\(planted)")
        }
    }

    @Test("the request log of both daemons contains the routes of requests, but no path, query, header field or body")
    func requests() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        let id = UUID().uuidString.lowercased()
        func send(_ method: HTTPMethod, _ url: String, type: String, body: String) async throws {
            var request = HTTPClientRequest(url: url)
            request.method = method
            for (name, value) in [
                ("client-request-id", id), ("Authorization", "Bearer planted-token"), ("X-Planted", "planted-field"),
                ("User-Agent", "planted-agent"), ("Cookie", "session=planted-cookie"), ("Content-Type", type),
            ] {
                request.headers.add(name: name, value: value)
            }
            request.body = .bytes(ByteBuffer(string: body))
            _ = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        }
        let form = "application/x-www-form-urlencoded"
        let token = "\(machine.base)/local/b2c_1_sign_in/oauth2/v2.0/token"
        try await send(.POST, "\(token)?planted-query=1", type: form, body: "grant_type=x&planted-name=planted-body")
        try await send(.POST, "\(machine.base)/planted-path?planted-query=1", type: form, body: "planted-body=1")
        let row = "\(machine.api)/tables/todoitem/planted-row?planted-query=1"
        try await send(.PATCH, row, type: "application/json", body: "{\"text\": \"planted-body\"}")
        let routes = ["/{tenant}/{policy}/oauth2/v2.0/token", "/tables/"]
        for (program, route) in zip([daemon, api], routes) {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
            let log = try program.log()
            #expect(!log.contains("planted"), "\(log)")
            let lines = log.split(separator: "\n").filter { $0.contains("request answered") && $0.contains(id) }
            #expect(lines.contains { $0.contains("route=\(route)") }, "\(log)")
            #expect(lines.allSatisfy { $0.contains(" ms=") && $0.contains("uid \(geteuid())") }, "\(log)")
        }
    }

    /// Returns the keys of both stores in every encoding in which a program could write them.
    private func keys(of machine: Machine) throws -> [Data] {
        try ["cache-key", "authority-key"].flatMap { name in
            let text = try String(contentsOfFile: machine.state + "/" + name, encoding: .utf8)
                .trimmingCharacters(in: .newlines)
            let raw = Data(try #require(Base64URL.decode(text)))
            try #require(raw.count == 32)
            let hex = raw.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return [raw] + [text, raw.base64EncodedString(), hex, hex.uppercased()].map { Data($0.utf8) }
        }
    }

    private func refreshTokens(of machine: Machine) throws -> [Data] {
        let library = try Library(machine)
        let tokens = try library.cache.accounts.list(uid: geteuid()).flatMap { account in
            try account.policies.compactMap { policy in
                try library.cache.refreshTokens.get(
                    uid: geteuid(),
                    account: account.account,
                    client: "tokenbroker-cli",
                    policy: policy
                ).map { Data($0.token.revealBytes()) }
            }
        }
        try #require(!tokens.isEmpty)
        return tokens
    }

    @Test(
        "no argument or environment contains a password, code or key, and the daemon has no child process"
    )
    func processes() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        // This random password belongs to no other process on the machine.
        var person = Person.random()
        person.password = "Correct-\(UInt64.random(in: 0 ... .max))"
        let process = try BuiltProgram("tasks").start(
            ["sign-up"] + machine.tasksArguments + [
                "--answer", "email=\(person.email)", "--answer", "displayName=\(person.name)",
                "--answer", "city=Oslo", "--answer", "extension_team=red", "--password-stdin",
            ],
            environment: machine.environment
        )
        process.input.write(Data("\(person.password)\n".utf8))
        // When the code has been mailed, the program has sent the password and waits for the code.
        let code = try machine.code(for: person.email)
        let secrets = try [person.password].map { Data($0.utf8) } + keys(of: machine)
        for pid in [daemon.pid, api.pid, process.pid] {
            let arguments = try #require(read(pid, "cmdline"))
            #expect(arguments.range(of: Data(machine.folder.url.path.utf8)) != nil, "the arguments were read")
            let children = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").flatMap { task in
                [UInt8](read(pid, "task/\(task)/children") ?? Data())
            }
            #expect(children.isEmpty, "\(String(decoding: children, as: UTF8.self))")
            let limits = String(decoding: read(pid, "limits") ?? Data(), as: UTF8.self)
            #expect(limits.contains(/Max core file size +0 +0\b/), "core dumps are disabled: \(limits)")
        }
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        for pid in all where pid != getpid() {
            for name in ["cmdline", "environ"] {
                // The process may have ended, and the environment of another user's process is not readable.
                guard let content = read(pid, name) else { continue }
                for secret in secrets { #expect(content.range(of: secret) == nil, "in \(name) of \(pid)") }
            }
        }
        process.input.write(Data("\(code)\n".utf8))
        try process.input.close()
        #expect(process.wait() == 0, "\(process.errors())")
        for secret in secrets + [Data(code.utf8)] {
            for said in [process.output(), process.errors(), daemon.output(), try daemon.log()] {
                #expect(Data(said.utf8).range(of: secret) == nil, "in what was printed")
            }
        }
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    private func read(_ pid: Int32, _ name: String) -> Data? {
        try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/\(name)"))
    }
}
