import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// `sign-in --localhost`: a browser of this machine ends at a port of the command, at the built programs.
@Suite(.timeLimit(.minutes(5)))
struct LoopbackSignInTests {
    /// Starts the command, and returns it with the address of the authority that it prints.
    private func started(
        _ scene: OutsideScene,
        _ program: String = "tokenbroker",
        _ more: [String] = []
    ) async throws -> (RunningProgram, String) {
        let process = try BuiltProgram(program).start(
            ["sign-in", "--policy", "contoso", "--localhost"] + more,
            environment: scene.machine.environment
        )
        var address: String?
        try await waitUntil("\(program) printed the address") {
            address = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) }
            return address != nil
        }
        return (process, try #require(address))
    }

    private func redirectURI(_ address: String) throws -> String {
        try #require(try Form(String(address.drop { $0 != "?" }.dropFirst()))["redirect_uri"])
    }

    @Test("the browser ends at the command, which has an account then") func command() async throws {
        try await OutsideScene.run { scene in
            let (process, address) = try await started(scene)
            #expect(address.hasPrefix(scene.provider.issuer), "\(address)")
            let uri = try redirectURI(address)
            #expect(uri.wholeMatch(of: /http:\/\/localhost:[0-9]+/) != nil, "\(uri)")
            var browser = WebBrowser()
            let end = try destination(of: try await browser.open(address))
            #expect(end.hasPrefix(uri))
            // Neither another state nor another place ends it.
            let state = try #require(end.firstMatch(of: /state=([^&]+)/)).1
            for other in [end.replacing(state, with: "another"), uri + "/favicon.ico", uri + "/"] {
                #expect(try await browser.open(other).status != 200)
            }
            let page = try await browser.open(end)
            #expect(page.status == 200 && page.text.contains("goes on in the terminal"), "\(page.text)")
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output().contains("person-1"), "\(process.output())")
            #expect(try scene.token(["scopes": []])["fromCache"]?.bool == true)
            // The port is closed.
            await #expect(throws: (any Error).self) { _ = try await browser.open(end) }
            let code = try #require(end.firstMatch(of: /code=([^&]+)/)).1
            #expect(!process.errors().contains(code) && !scene.daemon.errors().contains(code))
        }
    }

    @Test("who cancels at the authority ends the command with a failure") func cancelled() async throws {
        try await OutsideScene.run { scene in
            scene.provider.tell(.cancels)
            let (process, address) = try await started(scene)
            var browser = WebBrowser()
            _ = try await browser.open(try destination(of: try await browser.open(address)))
            #expect(process.wait() == 77 && process.output().isEmpty, "\(process.errors())")
        }
    }

    @Test("Ctrl-C ends the command and its flow") func interrupted() async throws {
        try await OutsideScene.run { scene in
            let (process, _) = try await started(scene)
            #expect(try scene.connection.call("flow.list")["flows"]?.array?.count == 1)
            process.signal(SIGINT)
            #expect(process.wait() != 0)
            #expect(try scene.connection.call("flow.list")["flows"] == [])
        }
    }

    @Test(
        "the address that is registered there is used: its host, its path, its port",
        arguments: [
            ("http://127.0.0.1", nil), ("http://localhost/cb", nil), ("http://[::1]/", nil),
            ("http://localhost:PORT/x", ""),
        ] as [(String, String?)]
    )
    func registered(_ uri: String, _ port: String?) async throws {
        let free = freePort()
        let known = uri.replacing("PORT", with: "\(free)")
        try await OutsideScene.run(", redirectURIs: [\"\(known)\"]") { scene in
            let (process, address) = try await started(scene, "tokenbroker", port == nil ? [] : ["--port", "\(free)"])
            let sent = try redirectURI(address)
            #expect(port == nil ? sent.replacing(#/:[0-9]+(?=/|$)/#, with: "") == known : sent == known, "\(sent)")
            var browser = WebBrowser()
            let page = try await browser.open(try destination(of: try await browser.open(address)))
            #expect(page.status == 200, "\(page.status) \(page.text)")
            #expect(process.wait() == 0, "\(process.errors())")
        }
    }

    @Test("an authority that sends nobody back here, or to another port, is named with what to do") func elsewhere()
        async throws
    {
        try await OutsideScene.run(", redirectURIs: [\"http://localhost:8400\"]") { scene in
            let browser = try scene.connection.refusal("token.acquire", ["policy": "contoso", "scopes": []])
            #expect(browser.code == 1009 && browser.message.contains("--localhost"), "\(browser)")
            let other = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--localhost"])
            #expect(other.status != 0 && other.errors.contains("must be 8400"), "\(other)")
            // Nobody has to listen where an address is brought by hand.
            let pasted = try scene.connection.call(
                "token.acquire",
                ["policy": "contoso", "scopes": [], "mode": "paste"]
            )
            #expect(pasted["flow"]?["step"]?["data"]?["redirectURI"]?.string == "http://localhost:8400", "\(pasted)")
        }
    }

    @Test("a port goes with a browser of this machine only, and with outside authorities only") func alone()
        async throws
    {
        try await OutsideScene.run { scene in
            let both = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--localhost", "--browser"])
            #expect(both.status == 64 && both.errors.contains("exclude each other"), "\(both)")
            let port = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--port", "8400"])
            #expect(port.status == 64 && port.errors.contains("--localhost"), "\(port)")
            let ours = try scene.machine.tokenbroker(["sign-in", "--localhost"])
            #expect(ours.status != 0 && ours.errors.contains("outside authorities only"), "\(ours)")
            let asked: [String: JSONValue] = ["policy": "contoso", "scopes": [], "loopbackPort": 8400]
            for mode in ["native", "browser", "device"] {
                let refused = try scene.connection.refusal(
                    "token.acquire",
                    .object(asked.merging(["mode": .string(mode)]) { $1 })
                )
                #expect(refused.code == -32602, "\(mode): \(refused)")
            }
        }
    }

    @Test("`tasks sign-in --localhost` does the same") func tasks() async throws {
        try await OutsideScene.run(", scopes: [tasks.read, tasks.write]") { scene in
            let (process, address) = try await started(scene, "tasks", scene.machine.tasksArguments)
            var browser = WebBrowser()
            #expect(try await browser.open(try destination(of: try await browser.open(address))).status == 200)
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output().contains("person-1"), "\(process.output())")
        }
    }

    /// Asks a port for a page.
    private static let stranger = """
        import socket, sys
        peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        peer.sendall(sys.argv[2].encode() + b"\\r\\n\\r\\n")
        print(peer.recv(4096).decode())
        """

    @Test("another user of the machine cannot end it, not even with the whole answer") func otherUser() async throws {
        try requireRoot("becomes another user")
        try await OutsideScene.run { scene in
            let (process, address) = try await started(scene)
            var browser = WebBrowser()
            let end = try destination(of: try await browser.open(address))
            let parts = try #require(end.wholeMatch(of: /http:\/\/localhost:([0-9]+)(\/?\?.*)/))
            let target = parts.2.hasPrefix("/") ? String(parts.2) : "/" + parts.2
            let asked = "GET \(target) HTTP/1.1\r\nHost: localhost:\(parts.1)"
            let answer = try OtherUser.run(Self.stranger, [String(parts.1), asked])
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
            #expect(try await browser.open(end).status == 200)
            #expect(process.wait() == 0, "\(process.errors())")
        }
    }
}
