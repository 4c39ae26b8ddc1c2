import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of sign-ins at an external authority that a user completes by pasting an address.
@Suite(.timeLimit(.minutes(5)))
struct OutsidePasteTests {
    private static let asked: JSONValue = ["policy": "contoso", "scopes": ["tasks.read"], "mode": "paste"]

    /// Signs the user in at an address of the external authority, and returns the final address of the browser.
    private func end(of address: String, _ pair: OutsidePair) async throws -> String {
        #expect(address.hasPrefix(pair.outside.base), "\(address)")
        var theirs = WebBrowser()
        let asked = try await theirs.open(address)
        let answers = ["username": pair.person.email, "password": pair.person.password]
        return try destination(of: try await theirs.submit(asked, answers))
    }

    private func submit(_ flow: JSONValue, _ address: String, _ connection: Connection) throws -> JSONValue {
        try connection.submit(flow, ["callbackUrl": .string(address)])
    }

    @Test("the final address of a browser on another device gives the tokens once, and may be submitted again")
    func pasted() async throws {
        let pair = try OutsidePair()
        let connection = try pair.machine.connect()
        let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
        #expect(flow["state"]?.string == "challenge" && flow["browser"] == nil, "\(flow)")
        #expect(flow["step"]?["type"]?.string == "browser", "\(flow)")
        let again = try connection.call("token.acquire", Self.asked)
        #expect(again["joined"]?.bool == true && again["flow"]?["step"] == flow["step"], "\(again)")
        let address = try await end(of: try #require(flow["step"]?["data"]?["url"]?.string), pair)
        let answer = Connection.submission(flow, ["callbackUrl": .string(" \(address)\n")], submission: "once")
        for _ in 0..<2 {
            let done = try connection.call("flow.submit", answer)
            #expect(done["verdict"]?.string == "accepted", "\(done)")
            #expect(done["flow"]?["account"]?.string != nil, "\(done)")
        }
        let other = Connection.submission(flow, ["callbackUrl": .string(address)], submission: "twice")
        #expect(try connection.refusal("flow.submit", other).code == 1003)
        let none: JSONValue = ["policy": "contoso", "scopes": ["tasks.read"], "prompt": "none"]
        #expect(try connection.call("token.acquire", none)["token"]?["fromCache"]?.bool == true)
        pair.end()
    }

    @Test("an address of another sign-in, redirect URI or issuer is refused, and too many end the flow")
    func refused() async throws {
        let pair = try OutsidePair()
        let connection = try pair.machine.connect()
        let flow = try #require(try connection.call("token.acquire", Self.asked)["flow"])
        let address = try await end(of: try #require(flow["step"]?["data"]?["url"]?.string), pair)
        let code = try #require(address.firstMatch(of: /code=([^&]+)/)).1
        let state = try #require(address.firstMatch(of: /state=([^&]+)/)).1
        let wrong = [
            "http://localhost:1/x?\(address.drop { $0 != "?" }.dropFirst())",
            address.replacing("state=\(state)", with: "state=another"),
            address.replacing("state=\(state)", with: ""), "\(code)", "\(address)&code=\(code)",
        ]
        for text in wrong {
            let refused = try connection.refusal(
                "flow.submit",
                Connection.submission(flow, ["callbackUrl": .string(text)])
            )
            #expect(refused.code == 1006 && refused.data["nodes"]?.array?.count == 1, "\(refused)")
            #expect(!"\(refused)".contains(code))
            let told = refused.data["nodes"]?.array?.first?["text"]?.string
            #expect(told?.contains("not the address that your browser showed") == true, "\(refused)")
        }
        let unknown: JSONValue = ["callbackUrl": .string(address), "more": true]
        #expect(try connection.refusal("flow.submit", Connection.submission(flow, unknown)).code == 1006)
        #expect(try connection.call("account.list")["accounts"] == [])
        // The wrong addresses have not used up the code. The right address with a different issuer ends the flow.
        let lie = address.replacing(#/iss=[^&]+/#, with: "iss=https%3A%2F%2Fother.example")
        #expect(lie != address)
        let done = try submit(flow, lie, connection)
        #expect(done["verdict"]?.string == "rejected", "\(done)")
        #expect(done["flow"]?["state"]?.string == "failed", "\(done)")

        let second = try #require(try connection.call("token.acquire", Self.asked)["flow"])
        for _ in 0..<20 {
            #expect(
                try connection.refusal("flow.submit", Connection.submission(second, ["callbackUrl": "x"])).code == 1006
            )
        }
        let last = try submit(second, "x", connection)
        #expect(last["flow"]?["state"]?.string == "failed" && last["flow"]?["reason"]?.string == "denied", "\(last)")
        pair.end()
        #expect(try !pair.daemon.log().contains(code))
    }

    @Test("a redirect URI without a path may end at `/`, and another port is refused")
    func withoutPath() async throws {
        try await OutsideScene.run(", redirectURIs: [\"http://127.0.0.1\"]") { scene in
            let flow = try #require(try scene.connection.call("token.acquire", Self.asked)["flow"])
            var browser = WebBrowser()
            let there = try #require(flow["step"]?["data"]?["url"]?.string)
            let end = try destination(of: try await browser.open(there))
            #expect(end.hasPrefix("http://127.0.0.1?"), "\(end)")
            let written = end.replacing("http://127.0.0.1?", with: "http://127.0.0.1/?")
            let elsewhere = end.replacing("http://127.0.0.1?", with: "http://127.0.0.1:8400/?")
            let refused = try scene.connection.refusal(
                "flow.submit",
                Connection.submission(flow, ["callbackUrl": .string(elsewhere)])
            )
            #expect(refused.code == 1006, "\(refused)")
            let done = try submit(flow, written, scene.connection)
            #expect(done["verdict"]?.string == "accepted", "\(done)")
        }
    }

    @Test("an authority that does not redirect shows its response to the user, and only pasting works")
    func outOfBand() async throws {
        try await OutsideScene.run(", redirectURIs: [\"urn:ietf:wg:oauth:2.0:oob\"]") { scene in
            let sentBack: JSONValue = ["policy": "contoso", "scopes": ["tasks.read"], "mode": "browser"]
            let refused = try scene.connection.refusal("token.acquire", sentBack)
            #expect(refused.code == 1009 && refused.message.contains("--paste"), "\(refused)")
            let flow = try #require(try scene.connection.call("token.acquire", Self.asked)["flow"])
            var browser = WebBrowser()
            let there = try #require(flow["step"]?["data"]?["url"]?.string)
            let end = try destination(of: try await browser.open(there))
            #expect(end.hasPrefix("urn:ietf:wg:oauth:2.0:oob?"), "\(end)")
            let longer = end.replacing("oob?", with: "oob:auto?")
            let other = Connection.submission(flow, ["callbackUrl": .string(longer)])
            #expect(try scene.connection.refusal("flow.submit", other).code == 1006)
            let done = try submit(flow, end, scene.connection)
            #expect(done["verdict"]?.string == "accepted", "\(done)")
        }
    }

    @Test("a local policy does not redirect to another address, so nothing can be pasted") func ours() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        for (method, params) in [
            ("token.acquire", ["scopes": ["tasks.read"], "mode": "paste"]),
            ("flow.start", ["policy": "b2c_1_sign_in", "mode": "paste", "requestId": "1"]),
        ] as [(String, JSONValue)] {
            #expect(try connection.refusal(method, params).code == -32602)
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("`sign-in --paste` shows the address, and reads the final one from standard input") func command()
        async throws
    {
        let pair = try OutsidePair()
        let command = ["sign-in", "--policy", "contoso", "--paste"]
        let both = try pair.machine.tokenbroker(command + ["--device"])
        let sentence = "Use only one of --browser, --device, --localhost and --paste."
        #expect(both.status == 64 && both.errors.contains(sentence))
        let alone = try pair.machine.tokenbroker(command)
        #expect(alone.status == 77 && alone.errors.contains("Address that the browser shows after sign-in"), "\(alone)")
        let process = try BuiltProgram("tokenbroker").start(command, environment: pair.machine.environment)
        var address: String?
        try await waitUntil("the address is printed") {
            address = process.errors().firstMatch(of: /: (http\S+)\n/).map { String($0.1) }
            return address != nil
        }
        let end = try await end(of: try #require(address), pair)
        process.input.write(Data("\(end)\n".utf8))
        try process.input.close()
        #expect(process.wait() == 0, "\(process.errors())")
        let token = try pair.machine.tokenbroker(["token", "--policy", "contoso", "--no-prompt"])
        #expect(token.status == 0 && token.output.split(separator: ".").count == 3, "\(token)")
        let code = try #require(end.firstMatch(of: /code=([^&]+)/)).1
        #expect(!process.errors().contains(code) && !process.output().contains(code))
        pair.end()
    }

    @Test("at a terminal `sign-in --paste` shows the address, and prompts for the final one") func terminal()
        async throws
    {
        try await OutsideScene.run { scene in
            let outcome = try scene.machine.atTerminal(
                "tokenbroker",
                ["sign-in", "--policy", "contoso", "--paste"],
                answers: ["Address that the browser shows after sign-in=@visit"]
            )
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(scene.provider.issuer + "/authorize?"), "\(outcome.output)")
            let token = try scene.machine.tokenbroker(["token", "--policy", "contoso", "--no-prompt"])
            #expect(token.output == "access-1\n", "\(token)")
        }
    }
}
