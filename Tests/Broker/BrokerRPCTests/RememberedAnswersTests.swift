import Authority
import BrokerAPI
import FlowModel
import Foundation
import Moments
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Broker
@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct RememberedAnswersTests {
    private let call = #"{"jsonrpc":"2.0","id":7,"method":"token.acquire","params":{"scopes":["tasks.read"]}}"#
    private let hello = #"{"jsonrpc":"2.0","id":1,"method":"broker.hello","params":{}}"#

    @Test("the same request gets the cached response without a call to the broker, under its own ids") func remembered()
        async throws
    {
        try await withTokens { server, asked in
            let socket = try server.connect()
            let first = try await socket.ask(call)
            let second = try await socket.ask(call.replacing("7", with: #""x""#))
            #expect(asked.withLock { $0 } == 1)
            #expect(second["id"] == "x")
            #expect(first["result"]?["token"]?["fromCache"] == false)
            #expect(second["result"]?["token"]?["fromCache"] == true)
            #expect(second["result"]?["token"]?["accessToken"] == first["result"]?["token"]?["accessToken"])
            #expect(second["result"]?["token"]?["claims"] == first["result"]?["token"]?["claims"])
            let ids = [first, second].compactMap { $0["result"]?["token"]?["correlationId"]?.string }
            #expect(Set(ids).count == 2)
            #expect(ids.allSatisfy { CorrelationID($0) != nil })
            #expect(server.broker.accounts.lastUsed.take().keys.map(\.account) == ["a1"])
        }
    }

    @Test("another uid never gets a cached response") func otherUID() async throws {
        try await withTokens { server, asked in
            _ = try await server.connect().ask(call)
            server.peer.withLock { $0 = 1001 }
            #expect(try await server.connect().ask(call)["result"]?["token"]?["accessToken"] == "token-local:m1:1001-2")
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test("another client of the same uid never gets a cached response") func otherClient() async throws {
        try await withTokens { server, asked in
            _ = try await server.connect().ask(call)
            let socket = try server.connect()
            _ = try await socket.ask(hello)
            _ = try await socket.ask(call)
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test("a response for a client that not every process of the uid may use is not served from the cache")
    func confidentialClient() async throws {
        try await withTokens { server, asked in
            server.clients.all.withLock { $0 = [Self.confidential(for: [1000])] }
            let socket = try server.connect()
            _ = try await socket.ask(hello)
            for _ in 0..<3 { #expect(try await socket.ask(call)["result"] != nil) }
            #expect(asked.withLock { $0 } == 3)
        }
    }

    @Test("no call reaches its method for a client that the caller may not use, and the log reports it")
    func closedClient() async throws {
        try await withTokens { server, asked in
            server.clients.all.withLock { $0 = [Self.confidential(for: [1000])] }
            let socket = try server.connect()
            _ = try await socket.ask(hello)
            server.clients.all.withLock { $0 = [Self.confidential(for: [])] }
            #expect(try await socket.ask(call)["error"]?["code"] == 1022)
            #expect(asked.withLock { $0 } == 0)
            #expect(server.lines.all.contains { $0.contains("a confidential client was refused at the socket") })
        }
    }

    @Test("a response belongs to the client of its call, whatever client the connection names later")
    func otherClientMeanwhile() async throws {
        let gate = Gate()
        try await withTokens(gate) { server, asked in
            let socket = try server.connect()
            try socket.send(call)
            await gate.arrived(1)
            #expect(try await socket.ask(hello)["id"] == 1)
            await gate.open()
            #expect(try await socket.next()["result"]?["token"]?["accessToken"] == "token-local:m1:1000-1")
            #expect(try await socket.ask(call)["result"]?["token"]?["accessToken"] == "token-local:m1:1000-2 of app")
            #expect(try await server.connect().ask(call)["result"]?["token"]?["accessToken"] == "token-local:m1:1000-1")
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test("a cached response is dropped when the uid's generation rises") func generation() async throws {
        try await withTokens { server, asked in
            let socket = try server.connect()
            _ = try await socket.ask(call)
            server.broker.changed()
            #expect(try await socket.ask(call)["result"]?["token"]?["accessToken"] == "token-local:m1:1000-2")
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test("a cached response is dropped when its time ends, by either clock", arguments: [false, true])
    func time(wallOnly: Bool) async throws {
        try await withTokens { server, asked in
            let socket = try server.connect()
            _ = try await socket.ask(call)
            if wallOnly { server.clock.setWall(by: .seconds(3600)) } else { server.clock.advance(by: .seconds(3600)) }
            _ = try await socket.ask(call)
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test(
        "a request with an id, or one that forces something new, is executed each time",
        arguments: [
            #""requestId":"r1""#, #""correlationId":"0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111""#, #""forceRefresh":true"#,
            #""prompt":"login""#,
        ]
    )
    func notRemembered(_ member: String) async throws {
        try await withTokens { server, asked in
            let socket = try server.connect()
            let call = call.replacing(#""scopes""#, with: member + #","scopes""#)
            _ = try await socket.ask(call)
            _ = try await socket.ask(call)
            #expect(asked.withLock { $0 } == 2)
        }
    }

    @Test("a uid has a limited number of cached responses, the newest ones; other uids keep their own")
    func boundPerUID() {
        var remembered = RememberedAnswers(limit: 8, perUID: 3, paramsLimit: 1024)
        insert(0, uid: 2, into: &remembered)
        for number in 0..<10 { insert(number, uid: 1, into: &remembered) }
        #expect(found(uid: 1, in: &remembered) == [7, 8, 9])
        #expect(found(uid: 2, in: &remembered) == [0])
    }

    @Test("a response that is cached again counts once, as the newest") func again() {
        var remembered = RememberedAnswers(limit: 8, perUID: 3, paramsLimit: 1024)
        for number in [0, 1, 2, 0, 3] { insert(number, uid: 1, into: &remembered) }
        #expect(found(uid: 1, in: &remembered) == [0, 2, 3])
    }

    @Test("all uids together have a limited number of cached responses, the newest ones") func bound() {
        var remembered = RememberedAnswers(limit: 4, perUID: 3, paramsLimit: 1024)
        for uid in UInt32(1)...5 { for number in 0..<2 { insert(number, uid: uid, into: &remembered) } }
        let all = (UInt32(1)...5).map { found(uid: $0, in: &remembered).count }
        #expect(all.reduce(0, +) == 4)
        #expect(found(uid: 5, in: &remembered).contains(1))
    }

    @Test("a response to long parameters is not cached") func longParams() async throws {
        try await withTokens { server, asked in
            let socket = try server.connect()
            for (length, count) in [(900, 1), (1100, 3)] {
                let scope = String(repeating: "a", count: 100)
                let scopes = (0..<(length / 100)).map { "\"\(scope)\($0)\"" }.joined(separator: ",")
                let call = call.replacing("\"tasks.read\"", with: scopes)
                _ = try await socket.ask(call)
                _ = try await socket.ask(call)
                #expect(asked.withLock { $0 } == count)
            }
        }
    }

    private func insert(_ number: Int, uid: UInt32, into remembered: inout RememberedAnswers) {
        let memo = MethodResult.Memo(
            account: "a",
            generation: 0,
            usableUntil: Deadline(.seconds(60), after: TestClock().now)
        )
        let token: JSONValue = ["correlationId": "0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111"]
        let answer = CorrelationID("0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111").flatMap {
            RememberedAnswer(
                uid: uid,
                client: nil,
                params: Array("{\"a\":\(number)}".utf8),
                memo: memo,
                result: ["token": token],
                correlationID: $0
            )
        }
        if let answer { remembered.insert(answer) }
    }

    private func found(uid: UInt32, in remembered: inout RememberedAnswers) -> [Int] {
        let now = TestClock().now
        return (0..<10).filter { number in
            Array("{\"a\":\(number)}".utf8).withUnsafeBytes {
                remembered.find(uid: uid, client: nil, params: $0, now: now, generation: { _ in 0 })
            } != nil
        }
    }

    /// Returns the confidential client `app`, which only the given uids may use over the socket.
    private static func confidential(for uids: Set<UInt32>) -> OAuthClient {
        OAuthClient(
            ClientSummary(client: "app", name: "App", type: .confidential, configured: true),
            allowed: AllowedPeers(uids: uids, gids: [])
        )
    }

    /// Runs `body` with a server that issues tokens, and with the counter of the token requests it receives.
    ///
    /// Each token contains the caller and the number of the request. If there is a gate, no token is issued before it
    /// opens.
    private func withTokens(
        _ gate: Gate? = nil,
        _ body: (TestSocket, borrowing Mutex<Int>) async throws -> Void
    ) async throws {
        let asked = Mutex(0)
        let clock = TestClock()
        let acquire = Method(description: AcquireRequest.description, permission: .anyone) {
            params throws(JSONRPCError) in
            let request = try AcquireRequest(params: params)
            return .init(deadline: CallDeadline(duration: .seconds(30), survivesCaller: true)) { call in
                let count = asked.withLock {
                    $0 += 1
                    return $0
                }
                await gate?.pass()
                let client = (call.hello?.client).map { " of \($0)" } ?? ""
                let token = AcquiredToken(
                    accessToken: Secret("token-\(call.caller.owner.key)-\(count)\(client)"),
                    expiresAt: 0,
                    scopes: request.scopes,
                    account: "a1",
                    username: #"x","correlationId":"0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111""#,
                    acr: "1",
                    amr: [],
                    authTime: 0,
                    claims: ["correlationId": "0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111"],
                    policy: "p",
                    correlationID: call.caller.correlationID.description,
                    fromCache: false,
                    cached: true
                )
                var outcome = MethodResult(result: AcquireRequest.Answer.token(token).json)
                if request.isAskedAgain {
                    let deadline = Deadline(.seconds(3600), after: clock.now)
                    let generation = call.broker.tokens.generation(uid: call.caller.peer?.uid ?? 0)
                    outcome.memo = .init(account: "a1", generation: generation, usableUntil: deadline)
                }
                return outcome
            }
        }
        let hello = Method.made("broker.hello") { _, _ in MethodResult(result: [:], hello: BrokerHello(client: "app")) }
        try await TestSocket.open([acquire, hello]) { server, _ in try await body(server, asked) }
    }
}
