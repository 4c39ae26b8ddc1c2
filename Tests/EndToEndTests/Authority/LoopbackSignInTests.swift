import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of sign-ins whose browser is redirected to a loopback port of the daemon.
@Suite(.timeLimit(.minutes(5)))
struct LoopbackSignInTests {
    /// Starts `sign-in --localhost`, and returns the process and the link that it prints.
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
        try await waitUntil("\(program) printed the link") {
            address = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) }
            return address != nil
        }
        return (process, try #require(address))
    }

    /// Starts a flow whose browser is redirected to a loopback port.
    ///
    /// By default, the daemon chooses a free port.
    private func flow(_ scene: OutsideScene, _ more: [String: JSONValue] = ["loopbackPort": 0]) throws -> JSONValue {
        let asked: [String: JSONValue] = [
            "policy": "contoso", "scopes": ["files.read"], "mode": "browser", "prompt": "login",
        ]
        let answer = try scene.connection.call("token.acquire", .object(asked.merging(more) { $1 }))
        return try #require(answer["flow"], "\(answer)")
    }

    private func link(_ flow: JSONValue) throws -> String { try #require(flow["browser"]?["url"]?.string, "\(flow)") }

    private func state(_ flow: JSONValue, _ scene: OutsideScene) throws -> String? {
        try scene.connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]?["state"]?.string
    }

    private func redirectURI(_ address: String) throws -> String {
        try #require(try Form(String(address.drop { $0 != "?" }.dropFirst()))["redirect_uri"])
    }

    private func port(_ redirectURI: String) throws -> Int {
        try #require(redirectURI.firstMatch(of: /:([0-9]+)/).flatMap { Int($0.1) }, "\(redirectURI)")
    }

    /// Waits until no process listens on a port.
    private func closing(_ port: Int) async throws {
        try await waitUntil("the port \(port) is closed") {
            ["127.0.0.1", "::1"].allSatisfy { host in
                guard let client = try? RawClient(host: host, port: port) else { return true }
                client.leave()
                return false
            }
        }
    }

    /// Opens the authority's address, and then the loopback address to which the authority redirects.
    ///
    /// - Returns: The address to which the loopback address redirects the browser.
    private func back(from address: String, _ browser: inout WebBrowser) async throws -> String {
        let answer = try await browser.open(try destination(of: try await browser.open(address)))
        #expect(answer.status == 303, "\(answer.status) \(answer.text)")
        return try destination(of: answer)
    }

    @Test(
        "the command prints the daemon's link; the browser returns to a port of the daemon, and only that ends it"
    )
    func command() async throws {
        try await OutsideScene.run { scene in
            let (process, link) = try await started(scene)
            #expect(link.hasPrefix("\(scene.machine.base)/local/flow/"), "\(link)")
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(link))
            #expect(address.hasPrefix(scene.provider.issuer), "\(address)")
            let uri = try redirectURI(address)
            #expect(uri.wholeMatch(of: /http:\/\/localhost:[0-9]+/) != nil, "\(uri)")
            let end = try destination(of: try await browser.open(address))
            #expect(end.hasPrefix(uri))
            let state = try #require(end.firstMatch(of: /state=([^&]+)/)).1
            for other in [end.replacing(state, with: "another"), uri + "/favicon.ico", uri + "/"] {
                #expect((400..<500).contains(try await browser.open(other).status), "\(other)")
            }
            let on = try await browser.open(end)
            #expect(on.status == 303 && on.text.isEmpty, "\(on.text)")
            #expect(on.headers["Cache-Control"] == ["no-store"] && on.headers["Referrer-Policy"] == ["no-referrer"])
            let place = try destination(of: on)
            #expect(place == "\(scene.machine.base)/local/oauth2/authresp?\(end.drop { $0 != "?" }.dropFirst())")
            #expect(scene.provider.redemptions == 0)
            let page = try await browser.open(place)
            #expect(page.status == 200, "\(page.text)")
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output().contains("person-1"), "\(process.output())")
            #expect(try scene.token(["scopes": []])["fromCache"]?.bool == true)
            try await closing(try port(uri))
            let code = try #require(end.firstMatch(of: /code=([^&]+)/)).1
            #expect(try !process.errors().contains(code) && !scene.daemon.log().contains(code))
        }
    }

    @Test("cancelling at the authority ends the command with a failure") func cancelled() async throws {
        try await OutsideScene.run { scene in
            scene.provider.tell(.cancels)
            let (process, link) = try await started(scene)
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(link))
            _ = try await browser.open(try await back(from: address, &browser))
            #expect(process.wait() == 77 && process.output().isEmpty, "\(process.errors())")
        }
    }

    @Test("Ctrl-C ends the command, its flow, and the port") func interrupted() async throws {
        try await OutsideScene.run { scene in
            let (process, link) = try await started(scene)
            var browser = WebBrowser()
            let uri = try redirectURI(try destination(of: try await browser.open(link)))
            try RawClient(port: try port(uri)).leave()
            process.signal(SIGINT)
            #expect(process.wait() != 0)
            #expect(try scene.connection.call("flow.list")["flows"] == [])
            try await closing(try port(uri))
        }
    }

    @Test(
        "the registered redirect URI is used with its host, path and port",
        arguments: [
            ("http://127.0.0.1", nil), ("http://localhost/cb", nil), ("http://[::1]/", nil),
            ("http://localhost:PORT/x", nil), ("http://localhost:PORT/x", "--port"), ("http://localhost", "--port"),
        ] as [(String, String?)]
    )
    func registered(_ uri: String, _ option: String?) async throws {
        let free = freePort()
        let known = uri.replacing("PORT", with: "\(free)")
        try await OutsideScene.run(", redirectURIs: [\"\(known)\"]") { scene in
            let (process, link) = try await started(scene, "tokenbroker", option.map { [$0, "\(free)"] } ?? [])
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(link))
            let sent = try redirectURI(address)
            if uri.contains("PORT") {
                #expect(sent == known)
            } else {
                #expect(sent.replacing(#/:[0-9]+(?=/|$)/#, with: "") == known, "\(sent)")
            }
            if option != nil { #expect(try port(sent) == free) }
            #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
            #expect(process.wait() == 0, "\(process.errors())")
        }
    }

    @Test("an authority that redirects only to loopback gets a port automatically, in a browser and natively")
    func byItself() async throws {
        try await OutsideScene.run(", redirectURIs: [\"http://127.0.0.1/cb\"]") { scene in
            for mode in ["browser", "native"] {
                let flow = try flow(scene, ["mode": .string(mode)])
                var browser = WebBrowser()
                let address = try destination(of: try await browser.open(try link(flow)))
                let uri = try redirectURI(address)
                #expect(uri.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/cb/) != nil, "\(uri)")
                #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
                #expect(try state(flow, scene) == "succeeded")
                try await closing(try port(uri))
            }
        }
    }

    @Test("an unregistered port and a port in use are each named with what to do") func elsewhere()
        async throws
    {
        let taken = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        defer { taken.close() }
        guard case .tcp(_, let number) = taken.address else {
            Issue.record("\(taken.address) is no port")
            return
        }
        try await OutsideScene.run(", redirectURIs: [\"http://localhost:\(number)\"]") { scene in
            let asked: [String: JSONValue] = ["policy": "contoso", "scopes": []]
            let other = try scene.machine.tokenbroker(
                ["sign-in", "--policy", "contoso", "--localhost", "--port", "1025"]
            )
            #expect(other.status != 0 && other.errors.contains("must be \(number)"), "\(other)")
            // In each of these modes, the process that listens on the port would receive the code.
            for mode in ["browser", "native", "paste"] {
                let refused = try scene.connection.refusal(
                    "token.acquire",
                    .object(asked.merging(["mode": .string(mode)]) { $1 })
                )
                #expect(refused.code == 1009, "\(mode): \(refused)")
                #expect(refused.message.contains("Port \(number), required for the browser"), "\(mode): \(refused)")
                #expect(refused.message.contains("Stop the process that uses it"), "\(mode): \(refused)")
            }
            #expect(try scene.connection.call("flow.list")["flows"] == [])
            let device = try scene.connection.refusal(
                "token.acquire",
                .object(asked.merging(["mode": "device"]) { $1 })
            )
            #expect(device.code == 1009 && device.message.contains("--localhost or --paste"), "\(device)")
        }
    }

    @Test("while the user pastes the address, no other process can listen at the redirect port") func kept()
        async throws
    {
        let free = freePort()
        try await OutsideScene.run(", redirectURIs: [\"http://localhost:\(free)\"]") { scene in
            let flow = try flow(scene, ["mode": "paste"])
            let data = flow["step"]?["data"]
            #expect(data?["redirectURI"]?.string == "http://localhost:\(free)", "\(flow)")
            let taken = #expect(throws: ListenError.self) { try ListeningSocket(.tcp(host: "127.0.0.1", port: free)) }
            #expect(taken?.code == .inUse)
            var browser = WebBrowser()
            let end = try destination(of: try await browser.open(try #require(data?["url"]?.string)))
            #expect(try await browser.open(end).status == 400)
            let done = try scene.connection.submit(flow, ["callbackUrl": .string(end)])
            #expect(done["verdict"]?.string == "accepted", "\(done)")
            try await closing(free)
        }
    }

    @Test("a port is closed once its flow has expired, and no browser can return to it") func expired() async throws {
        try await OutsideScene.run(hasOwnClock: true) { scene in
            let flow = try flow(scene)
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(try link(flow)))
            let port = try port(try redirectURI(address))
            try RawClient(port: port).leave()
            // This time is longer than the lifetime of a flow.
            try scene.machine.wallClock?.set(by: 16)
            #expect(try state(flow, scene) == "expired")
            try await closing(port)
        }
    }

    @Test("a reload keeps an open port, and the shutdown of the daemon closes it") func lives() async throws {
        try await OutsideScene.serve { provider, machine in
            let notify = NotifySocket(machine.folder.path("run/n"))
            let daemon = try machine.startBroker(notify: notify)
            let scene = OutsideScene(
                provider: provider,
                machine: machine,
                daemon: daemon,
                connection: try machine.connect(),
                disk: nil
            )
            let (first, second) = (try flow(scene), try flow(scene, ["loopbackPort": .int(Int64(freePort()))]))
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(try link(first)))
            daemon.signal(SIGHUP)
            #expect(notify.receives("RELOADING=1") && notify.receives("READY=1"))
            #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
            #expect(try state(first, scene) == "succeeded")
            let other = try port(try redirectURI(try destination(of: try await browser.open(try link(second)))))
            try RawClient(port: other).leave()
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            try await closing(other)
        }
    }

    @Test("a port requires a browser on this machine and an external authority") func alone()
        async throws
    {
        try await OutsideScene.run { scene in
            let both = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--localhost", "--browser"])
            #expect(both.status == 64 && both.errors.contains("Use only one of"), "\(both)")
            let port = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--port", "8400"])
            #expect(port.status == 64 && port.errors.contains("--localhost"), "\(port)")
            let ours = try scene.machine.tokenbroker(["sign-in", "--localhost"])
            #expect(ours.status != 0 && ours.errors.contains("applies only to external authorities"), "\(ours)")
            let asked: [String: JSONValue] = ["policy": "contoso", "scopes": [], "loopbackPort": 8400]
            for mode in ["paste", "device"] {
                let refused = try scene.connection.refusal(
                    "token.acquire",
                    .object(asked.merging(["mode": .string(mode)]) { $1 })
                )
                #expect(refused.code == -32602 && refused.message.contains("not to `\(mode)`"), "\(mode): \(refused)")
            }
            let far = try scene.connection.refusal(
                "token.acquire",
                .object(asked.merging(["loopbackPort": 65_536]) { $1 })
            )
            #expect(far.code == -32602, "\(far)")
            for (method, params) in [
                ("token.acquire", ["scopes": ["tasks.read"], "loopbackPort": 0]),
                ("flow.start", ["policy": "b2c_1_sign_in", "loopbackPort": 8400, "requestId": "1"]),
            ] as [(String, JSONValue)] {
                #expect(try scene.connection.refusal(method, params).code == -32602, "\(method)")
            }
        }
    }

    @Test("`tasks sign-in --localhost` also returns to a port of the daemon") func tasks() async throws {
        try await OutsideScene.run(", scopes: [tasks.read, tasks.write]") { scene in
            let (process, link) = try await started(scene, "tasks", scene.machine.tasksArguments)
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(link))
            #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
            #expect(process.wait() == 0, "\(process.errors())")
            #expect(process.output().contains("person-1"), "\(process.output())")
        }
    }

    @Test("`flow.start` also returns to a port, and sign-ins at one port share it") func shared() async throws {
        try await OutsideScene.run { scene in
            let free = freePort()
            var ends: [(flow: JSONValue, browser: WebBrowser, address: String)] = []
            for id in ["one", "two"] {
                let params: JSONValue = [
                    "policy": "contoso", "mode": "browser", "requestId": .string(id), "loopbackPort": .int(Int64(free)),
                    "input": ["username": .string(id)],
                ]
                let flow = try #require(try scene.connection.call("flow.start", params)["flow"])
                var browser = WebBrowser()
                let address = try destination(of: try await browser.open(try link(flow)))
                #expect(try redirectURI(address) == "http://localhost:\(free)")
                ends.append((flow, browser, address))
            }
            for (flow, browser, address) in ends {
                var browser = browser
                #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
                #expect(try state(flow, scene) == "succeeded")
            }
            try await closing(free)
        }
    }

    @Test("a browser that did not start from the link is refused at the end, and no code is redeemed")
    func otherBrowser() async throws {
        try await OutsideScene.run { scene in
            let flow = try flow(scene)
            var (own, other) = (WebBrowser(), WebBrowser())
            let address = try destination(of: try await own.open(try link(flow)))
            let place = try await back(from: address, &other)
            let page = try await other.open(place)
            #expect(page.status == 404 && page.text.contains("flow_not_found"), "\(page.status) \(page.text)")
            #expect(scene.provider.redemptions == 0)
            #expect(try state(flow, scene) == "pending")
            #expect(try scene.connection.call("account.list")["accounts"] == [])
            // The browser that opened the link signs in with its own response.
            #expect(try await own.open(try await back(from: address, &own)).status == 200)
            #expect(scene.provider.redemptions == 1)
            #expect(try state(flow, scene) == "succeeded")
        }
    }

    /// A Python script that follows redirects from an authority's address, without the cookies of another browser.
    private static let visitor = """
        import http.cookiejar, json, sys, urllib.request
        seen = []

        class Watch(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, answer, code, message, headers, url):
                seen.append(url)
                return super().redirect_request(request, answer, code, message, headers, url)

        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        opener = urllib.request.build_opener(Watch, jar, urllib.request.ProxyHandler({}))
        try:
            answer = opener.open(sys.argv[1], timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        print(json.dumps({"status": answer.status, "seen": seen, "text": answer.read().decode()}))
        """

    @Test("the caller gets no tokens of another user who opens the authority's address")
    func otherUser() async throws {
        try requireRoot("becomes another user")
        try await OutsideScene.run(isService: true) { scene in
            let flow = try flow(scene)
            var browser = WebBrowser()
            let address = try destination(of: try await browser.open(try link(flow)))
            let uri = try redirectURI(address)
            // The daemon listens on the port, so the caller cannot listen on it.
            for host in ["127.0.0.1", "::1"] {
                let number = try port(uri)
                let taken = #expect(throws: ListenError.self) { try ListeningSocket(.tcp(host: host, port: number)) }
                #expect(taken?.code == .inUse, "\(host)")
            }
            let visit = try StrictJSON.parse(Array(try OtherUser.run(Self.visitor, [address]).utf8))
            #expect(visit["status"]?.int == 404, "\(visit)")
            let seen = visit["seen"]?.strings ?? []
            #expect(seen.count == 2 && seen.first?.hasPrefix(uri) == true, "\(seen)")
            #expect(seen.last?.hasPrefix("\(scene.machine.base)/local/oauth2/authresp?") == true, "\(seen)")
            #expect(scene.provider.redemptions == 0)
            #expect(try state(flow, scene) == "pending")
            #expect(try scene.connection.call("account.list")["accounts"] == [])
            // The caller's own program cannot submit the other user's response either.
            let refused = try scene.connection.refusal(
                "flow.submit",
                Connection.submission(flow, ["callbackUrl": .string(seen.first ?? "")])
            )
            #expect(refused.code != 0 && scene.provider.redemptions == 0, "\(refused)")
            // The sign-in succeeds in the browser that opened the link.
            #expect(try await browser.open(try await back(from: address, &browser)).status == 200)
            #expect(try state(flow, scene) == "succeeded")
        }
    }
}
