import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of external authorities that a user adds without an operator.
@Suite(.timeLimit(.minutes(5)))
struct OwnAuthorityTests {
    /// Runs `test` with an authority in this process, and a daemon whose operator has configured another, `theirs`.
    private func withAuthority(
        _ test: (LocalProvider, Machine, RunningProgram, Connection) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try Machine(configuration: [
            "authorities:",
            "  theirs: {url: \"https://login.theirs.example\", clientId: x}",
        ])
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            try await test(provider, machine, daemon, try machine.connect())
            daemon.signal(SIGTERM)
            _ = daemon.wait()
            #expect(try !daemon.log().contains("refresh-") && !daemon.log().contains(provider.secret))
        }
    }

    private func request(_ provider: LocalProvider, _ more: [String: JSONValue] = [:]) -> JSONValue {
        let members: [String: JSONValue] = [
            "name": "mine", "url": .string(provider.issuer), "clientId": .string(provider.clientID),
            "clientSecret": .string(provider.secret), "scopes": ["files.read"],
        ]
        return .object(members.merging(more) { $1 })
    }

    private static let asked: JSONValue = ["policy": "mine", "scopes": []]
    private static let silent: JSONValue = ["policy": "mine", "scopes": [], "prompt": "none"]

    @Test(
        "a user's own authority works like the operator's, survives a restart, and is removed with its tokens"
    )
    func whole() async throws {
        try await withAuthority { provider, machine, daemon, connection in
            let slash = provider.issuer + "/"
            let added = try connection.call("authority.add", request(provider, ["url": .string(slash)]))["authority"]
            #expect(added?["url"]?.string == provider.issuer && added?["own"]?.bool == true, "\(added ?? .null)")
            #expect(added?["found"]?["idTokens"]?.bool == true && added?["found"]?["revokes"]?.bool == true)
            let listed = try connection.call("authority.list")
            #expect(listed["redirectURI"]?.string == "\(machine.base)/local/oauth2/authresp")
            #expect(listed["authorities"]?.array?.map { $0["name"] } == ["theirs", "mine"], "\(listed)")
            #expect(!listed.text.contains(provider.secret))

            let started = try connection.call("token.acquire", Self.asked)
            let done = try await WebBrowser.thereAndBack(try #require(started["flow"]?["browser"]?["url"]?.string))
            #expect(done.status == 200, "\(done.text)")
            let token = try connection.call("token.acquire", Self.silent)["token"]
            #expect(token?["accessToken"]?.string == "access-1" && token?["policy"]?.string == "mine")

            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
            let next = try machine.startBroker()
            let again = try machine.connect()
            let account = try #require(try again.call("token.acquire", Self.silent)["token"]?["account"])
            let renewed = try again.call("token.acquire", ["account": account, "scopes": [], "forceRefresh": true])
            #expect(renewed["token"]?["fromCache"]?.bool == false, "\(renewed)")

            #expect(try again.call("authority.remove", ["name": "mine"]) == ["removed": "mine", "left": []])
            #expect(provider.revoked.count == 1)
            #expect(try again.call("account.list")["accounts"] == [])
            #expect(try again.refusal("token.acquire", Self.silent).code == 1010)
            #expect(try again.refusal("authority.remove", ["name": "mine"]).code == 1023)
            let events = try again.call("audit.query")["events"]?.array?.compactMap { $0["event"]?.string } ?? []
            #expect(events.contains("authority.added") && events.contains("authority.removed"))
            next.signal(SIGTERM)
            #expect(next.wait() == 0)
        }
    }

    @Test("`authority add` accepts only an authority that may be called, under a free name") func refused() async throws
    {
        try await withAuthority { provider, _, _, connection in
            func code(_ more: [String: JSONValue]) throws -> Int64 {
                try connection.refusal("authority.add", request(provider, more)).code
            }
            #expect(try code(["name": "theirs"]) == 1018)
            for name in ["b2c_1_sign_in", "local", "a b", ".x", "ü"] {
                #expect(try code(["name": .string(name)]) == -32602, "\(name)")
            }
            for url in [
                "http://login.example", "ftp://login.example", "https://169.254.169.254", "https://[fe80::1]",
                "https://me:secret@login.example", "file:///etc/passwd",
                "https://login.example/a b", "https://login.example/#x",
            ] { #expect(try code(["url": .string(url)]) == -32602, "\(url)") }
            #expect(try code(["parameters": ["client_id": "x"]]) == -32602)
            #expect(try code(["preset": "github"]) == -32602)
            let nowhere = try connection.refusal("authority.add", ["name": "mine", "clientId": "x"])
            #expect(nowhere.code == -32602 && nowhere.message.contains("url"))
            let down = try connection.refusal("authority.add", request(provider, ["url": "http://127.0.0.1:1"]))
            #expect(down.code == 1014, "\(down)")
            provider.tell(.metadataIssuer)
            let lie = try connection.refusal("authority.add", request(provider))
            #expect(lie.code == 1015 && !lie.message.contains("other.example"), "\(lie)")
            provider.tell(.metadataElsewhere)
            #expect(try code([:]) == 1015)
            provider.tell(nil)
            _ = try connection.call("authority.add", request(provider))
            #expect(try code([:]) == -32602)
            #expect(try connection.call("authority.list")["authorities"]?.array?.count == 2)
        }
    }

    @Test("`authority add` accepts the URL of the metadata, and adds the issuer") func metadata() async throws {
        try await withAuthority { provider, _, _, connection in
            let url = JSONValue.string(provider.issuer + "/.well-known/openid-configuration")
            let added = try connection.call("authority.add", request(provider, ["url": url]))["authority"]
            #expect(added?["url"]?.string == provider.issuer, "\(added ?? .null)")
        }
    }

    @Test("a cloud's metadata service is not called, however its address is written") func linkLocal() async throws {
        try await withAuthority { provider, _, _, connection in
            // The code 1015 means that the address was refused. A failed connection would have the code 1014.
            for url in ["https://2852039166", "https://0xa9fea9fe", "https://[::ffff:a9fe:a9fe]"] {
                let refused = try connection.refusal("authority.add", request(provider, ["url": .string(url)]))
                #expect(refused.code == 1015, "\(url): \(refused)")
            }
        }
    }

    @Test("a preset knows the requirements of its authority") func presets() async throws {
        try await withAuthority { provider, _, _, connection in
            let google = try connection.call("authority.add", request(provider, ["preset": "google", "scopes": []]))
            #expect(google["authority"]?["displayName"]?.string == "Google")
            #expect(google["authority"]?["found"]?["refreshTokens"]?.bool == true)
            let there = try await address(connection, "mine")
            #expect(there.contains("access_type=offline") && there.contains("prompt=consent"), "\(there)")
            #expect(there.contains("scope=openid%20email%20profile"), "\(there)")

            let hub: JSONValue = ["name": "hub", "preset": "github", "clientId": "x"]
            let github = try connection.call("authority.add", hub)["authority"]
            #expect(github?["url"]?.string == "https://github.com", "\(github ?? .null)")
            #expect(github?["found"]?["idTokens"]?.bool == false && github?["found"]?["refreshTokens"]?.bool == false)
            let gone = try await address(connection, "hub")
            #expect(gone.hasPrefix("https://github.com/login/oauth/authorize?") && gone.contains("scope=read%3Auser"))
            let elsewhere: JSONValue = ["name": "x", "preset": "github", "clientId": "x", "url": "https://hub.example"]
            #expect(try connection.refusal("authority.add", elsewhere).code == -32602)
            for preset in ["entra", "keycloak"] {
                let nowhere: JSONValue = ["name": "x", "preset": .string(preset), "clientId": "x"]
                #expect(try connection.refusal("authority.add", nowhere).message.contains("url"), "\(preset)")
            }
        }
    }

    @Test("`authority add --preset` applies what the preset knows and reports what is still missing")
    func presetCommand() async throws {
        try await withAuthority { _, machine, _, connection in
            let add = ["authority", "add", "--client-id", "x", "--no-sign-in", "--preset"]
            let hub = try machine.tokenbroker(add + ["github", "--name", "hub"])
            #expect(hub.status == 0, "\(hub)")
            let found = try connection.call("authority.list")["authorities"]?.array?.last
            #expect(found?["name"] == "hub" && found?["url"] == "https://github.com", "\(found ?? .null)")
            #expect(found?["scopes"]?.strings == ["read:user"] && found?["own"]?.bool == true, "\(found ?? .null)")
            let nowhere = try machine.tokenbroker(add + ["keycloak", "--name", "realm"])
            #expect(nowhere.status != 0 && nowhere.errors.contains("url"), "\(nowhere)")
            let unknown = try machine.tokenbroker(add + ["myspace", "--name", "my"])
            #expect(unknown.status == 64 && unknown.errors.contains("myspace"), "\(unknown)")
            #expect(try connection.call("authority.list")["authorities"]?.array?.count == 2)
        }
    }

    /// Starts a sign-in at an authority, and returns the address to which the browser is redirected.
    private func address(_ connection: Connection, _ name: String) async throws -> String {
        let started = try connection.call("token.acquire", ["policy": .string(name), "scopes": []])
        var browser = WebBrowser()
        return try destination(of: try await browser.open(try #require(started["flow"]?["browser"]?["url"]?.string)))
    }

    @Test("a sign-in that returns to a removed authority creates no account, and its token is revoked")
    func removedMeanwhile() async throws {
        try await withAuthority { provider, _, _, connection in
            _ = try connection.call("authority.add", request(provider))
            let started = try connection.call("token.acquire", Self.asked)
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let link = try #require(started["flow"]?["browser"]?["url"]?.string)
            let there = try await theirs.open(try destination(of: try await ours.open(link)))
            _ = try connection.call("authority.remove", ["name": "mine"])
            _ = try await ours.open(try destination(of: there))
            let flow = try connection.call("flow.get", ["flow": started["flow"]?["id"] ?? .null])["flow"]
            #expect(flow?["state"]?.string == "cancelled", "\(flow ?? .null)")
            #expect(provider.redemptions == 1 && provider.revoked.count == 1)
            #expect(try connection.call("account.list")["accounts"] == [])
        }
    }

    @Test("an operator's authority takes over a name, without the tokens that the former authority issued")
    func taken() async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let other = try LocalProvider(issuer: "http://\(socket.address)")
        try await other.serve(socket) {
            try await withAuthority { provider, machine, daemon, connection in
                _ = try connection.call("authority.add", request(provider))
                let started = try connection.call("token.acquire", Self.asked)
                #expect(
                    try await WebBrowser.thereAndBack(try #require(started["flow"]?["browser"]?["url"]?.string)).status
                        == 200
                )
                let account = try #require(try connection.call("token.acquire", Self.silent)["token"]?["account"])
                daemon.signal(SIGTERM)
                #expect(daemon.wait() == 0)

                // The operator configures another issuer with the same name and client id.
                let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
                let line = "  mine: {url: \"\(other.issuer)\", clientId: \(other.clientID), scopes: [files.read]}"
                try machine.write([text, line], to: "etc/tokenbrokerd.yaml")
                let next = try machine.startBroker()
                let again = try machine.connect()
                let listed = try again.call("authority.list")["authorities"]?.array ?? []
                #expect(listed.map { $0["own"]?.bool } == [false, false], "\(listed)")
                #expect(try again.refusal("authority.add", request(provider)).code == 1018)
                #expect(try again.refusal("token.acquire", Self.silent).code == 1001)
                for more: [String: JSONValue] in [[:], ["forceRefresh": true], ["policy": "mine"]] {
                    let named: [String: JSONValue] = ["account": account, "scopes": [], "prompt": "none"]
                    let refused = try again.refusal("token.acquire", .object(named.merging(more) { $1 }))
                    #expect(refused.code == (more["policy"] == nil ? 1010 : 1023), "\(refused)")
                }
                // The name now belongs to the operator's authority.
                // Tokens of the former authority are revoked at the former authority, and at no other.
                #expect(try again.call("authority.remove", ["name": "mine"])["left"] == [])
                #expect(provider.revoked.count == 1 && other.revoked.isEmpty && other.renewals == 0)
                #expect(try again.call("account.list")["accounts"] == [])
                next.signal(SIGTERM)
                #expect(next.wait() == 0)
            }
        }
    }

    @Test("each uid has a limit of authority lookups") func budget() async throws {
        try await withAuthority { provider, _, _, connection in
            for number in 0..<10 {
                _ = try connection.call("authority.add", request(provider, ["name": .string("a\(number)")]))
            }
            let refused = try connection.refusal("authority.add", request(provider, ["name": "a10"]))
            #expect(refused.code == 1013 && refused.retryAfterMs ?? 0 > 0, "\(refused)")
            // An authority that was added before can still be used.
            #expect(try connection.call("token.acquire", ["policy": "a0", "scopes": []])["flow"] != nil)
        }
    }

    @Test("tokens of a user's own authority go only to the origins given when it was added")
    func origins() async throws {
        try await withAuthority { provider, machine, _, connection in
            let (theirs, other) = (try RecordingAPI(), try RecordingAPI())
            for wrong in [
                "https://files.example/", "https://files.example/x", "https://files.example?x", "http://files.example",
                "https://Files.example", "https://files.example:443", "https://a@files.example", "files.example",
                "https://169.254.169.254",
            ] {
                let refused = try connection.refusal("authority.add", request(provider, ["origins": [.string(wrong)]]))
                #expect(refused.code == -32602 && refused.data["member"] == "origins", "\(wrong): \(refused)")
            }
            let process = try BuiltProgram("tokenbroker").start(
                [
                    "authority", "add", provider.issuer, "--name", "mine", "--client-id", "ours", "--secret-stdin",
                    "--scope", "files.read", "--origin", theirs.base, "--no-sign-in",
                ],
                environment: machine.environment
            )
            process.input.write(Data("\(provider.secret)\n".utf8))
            try process.input.close()
            #expect(process.wait() == 0, "\(process.errors())")
            let started = try connection.call("token.acquire", Self.asked)
            #expect(
                try await WebBrowser.thereAndBack(try #require(started["flow"]?["browser"]?["url"]?.string)).status
                    == 200
            )

            let hello: JSONValue = ["protocol": [1], "client": ["id": "tests"]]
            let apis = try machine.connect().call("broker.hello", hello)["apis"]?.array ?? []
            #expect(apis.last?["api"] == "mine" && apis.last?["origins"]?.strings == [theirs.base], "\(apis)")
            let sent = try machine.tokenbroker(["request", "--no-prompt", theirs.base + "/files"])
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try theirs.requests().last?.headers["authorization"] == "Bearer access-1")
            let refused = try machine.tokenbroker(["request", "--no-prompt", other.base + "/files"])
            #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
            #expect(try other.requests().isEmpty)
            // While the cache is locked, `broker.hello` succeeds but lists no origins.
            _ = try connection.call("broker.lock", ["passphrase": "a passphrase"])
            let locked = try machine.connect().call("broker.hello", hello)["apis"]?.array ?? []
            #expect(!locked.contains { $0["api"] == "mine" })
        }
    }

    @Test("a locked cache also locks the user's own authorities") func locked() async throws {
        try await withAuthority { provider, _, _, connection in
            _ = try connection.call("authority.add", request(provider))
            _ = try connection.call("broker.lock", ["passphrase": "a passphrase"])
            #expect(try connection.refusal("authority.list").code == 1021)
            _ = try connection.call("broker.unlock", ["passphrase": "a passphrase"])
            #expect(try connection.call("authority.list")["authorities"]?.array?.count == 2)
        }
    }

    /// Adds the provider as the authority `mine` with the command `tokenbroker`, without a sign-in.
    private func add(_ provider: LocalProvider, on machine: Machine) throws {
        let process = try BuiltProgram("tokenbroker").start(
            [
                "authority", "add", provider.issuer, "--name", "mine", "--client-id", "ours", "--secret-stdin",
                "--no-sign-in",
            ],
            environment: machine.environment
        )
        process.input.write(Data("\(provider.secret)\n".utf8))
        try process.input.close()
        #expect(process.wait() == 0, "\(process.errors())")
    }

    /// Starts `sign-in --localhost` at the authority `mine`, and returns the process and the link that it prints.
    private func local(_ machine: Machine) async throws -> (RunningProgram, String) {
        let process = try BuiltProgram("tokenbroker").start(
            ["sign-in", "--policy", "mine", "--localhost"],
            environment: machine.environment
        )
        var address = ""
        try await waitUntil("the address is printed") {
            address = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) } ?? ""
            return !address.isEmpty
        }
        return (process, address)
    }

    @Test("if only loopback is registered, a browser sign-in stops, `--localhost` works, and `add` reports this")
    func loopbackOnly() async throws {
        try await withAuthority { provider, machine, _, connection in
            provider.sendBack { !$0.hasSuffix("/oauth2/authresp") }
            let first = try machine.tokenbroker(["authority", "add", provider.issuer])
            let way = "`tokenbroker sign-in --policy NAME --localhost`"
            #expect(first.status == 64 && first.errors.contains("--no-sign-in") && first.errors.contains(way))
            try add(provider, on: machine)

            let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let link = try #require(flow["browser"]?["url"]?.string)
            #expect(try await theirs.open(try destination(of: try await ours.open(link))).status == 400)
            let waiting = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            #expect(waiting?["state"]?.string == "pending" && provider.redemptions == 0)

            let (process, other) = try await local(machine)
            let there = try destination(of: try await ours.open(other))
            let end = try await ours.open(try destination(of: try await theirs.open(there)))
            let page = try await ours.open(try destination(of: end))
            #expect(end.status == 303 && page.status == 200, "\(page.text)")
            #expect(process.wait() == 0, "\(process.errors())")
            let token = try machine.tokenbroker(["token", "--policy", "mine", "--no-prompt"])
            #expect(token.output == "access-1\n", "\(token.errors)")
        }
    }

    @Test("if only `oauth2/authresp` is registered, a browser sign-in works and `--localhost` stops")
    func returnHereOnly() async throws {
        try await withAuthority { provider, machine, _, connection in
            let listed = try machine.tokenbroker(["authority", "list"])
            provider.sendBack { $0.hasSuffix("/oauth2/authresp") }
            #expect(listed.output.contains("\(machine.base)/local/oauth2/authresp"), "\(listed.output)")
            try add(provider, on: machine)
            let (process, link) = try await local(machine)
            var browser = WebBrowser()
            #expect(try await browser.open(try destination(of: try await browser.open(link))).status == 400)
            process.signal(SIGINT)
            #expect(process.wait() != 0)
            #expect(try connection.call("flow.list")["flows"] == [])
            let started = try connection.call("token.acquire", Self.asked)
            #expect(
                try await WebBrowser.thereAndBack(try #require(started["flow"]?["browser"]?["url"]?.string)).status
                    == 200
            )
            #expect(try connection.call("token.acquire", Self.silent)["token"] != nil)
        }
    }

    @Test("the command line names what to register, adds with a sign-in, lists and removes") func commands()
        async throws
    {
        try await withAuthority { provider, machine, _, _ in
            let first = try machine.tokenbroker(["authority", "add", provider.issuer])
            #expect(
                first.status == 64 && first.errors.contains("\(machine.base)/local/oauth2/authresp"),
                "\(first.errors)"
            )
            let add = ["authority", "add", provider.issuer, "--name", "mine", "--client-id", "ours", "--secret-stdin"]
            for (start, end, problem) in [("", "\u{A0}\n", "blank"), ("'", "'\n", "quotation marks")] {
                let altered = try machine.tokenbroker(add, input: start + provider.secret + end)
                #expect(altered.status == 64 && altered.errors.contains(problem), "\(altered.errors)")
                #expect(!altered.errors.contains(provider.secret))
            }
            let process = try BuiltProgram("tokenbroker").start(add, environment: machine.environment)
            process.input.write(Data("\(provider.secret)\n".utf8))
            try process.input.close()
            var link = ""
            try await waitUntil("the link is printed") {
                link = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) } ?? ""
                return !link.isEmpty
            }
            #expect(try await WebBrowser.thereAndBack(link).status == 200)
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output().contains("+ identifies users"), "\(process.output())")
            let token = try machine.tokenbroker(["token", "--policy", "mine", "--no-prompt"])
            #expect(token.output == "access-1\n", "\(token.errors)")
            let listed = try machine.tokenbroker(["authority", "list"])
            #expect(listed.output.contains("mine") && listed.output.contains("theirs"), "\(listed.output)")
            let removed = try machine.tokenbroker(["authority", "remove", "mine"])
            #expect(removed.status == 0 && removed.output.contains("Removed mine."))
            #expect(provider.revoked.count == 1)
        }
    }
}
