import FlowModel
import OAuth
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct LimitsTests {
    private let call = #"{"jsonrpc":"2.0","id":1,"method":"echo"}"#

    @Test("a uid has a limited number of connections, and other uids have their own") func connections() async throws {
        var limits = SocketLimits()
        limits.connectionsPerUID = 2
        try await TestSocket.open([.echo], limits: limits) { server, _ in
            var held = [try server.connect(), try server.connect()]
            for socket in held { #expect(try await socket.ask(call)["result"] == [:]) }
            let third = try server.connect()
            let refusal = try await third.next()
            #expect(refusal["id"] == .null)
            #expect(refusal["error"]?["code"] == 1013)
            #expect(try await third.closes())
            server.peer.withLock { $0 = 1001 }
            #expect(try await server.connect().ask(call)["result"] == [:])
            server.peer.withLock { $0 = 1000 }
            held.removeLast()
            try await untilAdmitted(server)
        }
    }

    /// Waits until the server accepts a new connection.
    ///
    /// The server does not notice immediately that another connection was closed.
    private func untilAdmitted(_ server: TestSocket) async throws {
        try await waitUntil("a connection is accepted") {
            let socket = try server.connect()
            return (try? await socket.ask(call))?["result"] != nil
        }
    }

    @Test("the uid of the user nobody is rejected", arguments: [UInt32.max, PeerCredentials.overflowUID])
    func nobody(_ uid: UInt32) async throws {
        try await TestSocket.open([.echo]) { server, _ in
            server.peer.withLock { $0 = uid }
            let socket = try server.connect()
            #expect(try await socket.next()["error"]?["code"] == 1018)
            #expect(try await socket.closes())
        }
    }

    @Test("a uid has a limited number of requests per second, over all its connections") func rate() async throws {
        var limits = SocketLimits()
        limits.requestsPerSecondPerUID = 3
        try await TestSocket.open([.echo], limits: limits) { server, _ in
            let (first, second) = (try server.connect(), try server.connect())
            for socket in [first, second, first] { #expect(try await socket.ask(call)["result"] == [:]) }
            let refusal = try await second.ask(call)
            #expect(refusal["id"] == 1)
            #expect(refusal["error"]?["code"] == 1013)
            #expect(refusal["error"]?["data"]?["retryAfterMs"]?.int != nil)
            #expect(try await second.ask(#"{"jsonrpc":"1.0","id":"wrong","method":"echo"}"#)["id"] == "wrong")
            server.clock.advance(by: .seconds(1))
            #expect(try await second.ask(call)["result"] == [:])
        }
    }

    @Test("a connection has a limited number of concurrent calls; further calls wait and are executed")
    func backpressure() async throws {
        var limits = SocketLimits()
        limits.inFlightPerConnection = 2
        let gate = Gate()
        let running = Mutex((now: 0, most: 0))
        let slow = Method.made("slow") { _, _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await gate.pass()
            running.withLock { $0.now -= 1 }
            return MethodResult(result: [:])
        }
        try await TestSocket.open([slow], limits: limits) { server, _ in
            let socket = try server.connect()
            for id in 1...20 { try socket.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"slow"}"#) }
            await gate.arrived(2)
            await gate.open()
            var ids: Set<Int64> = []
            for _ in 1...20 { ids.insert(try #require(try await socket.next()["id"]?.int)) }
            #expect(ids == Set(1...20))
            #expect(running.withLock { $0.most } <= 2)
        }
    }

    @Test("a uid has a limited number of concurrent calls over all its connections") func inFlightPerUID() async throws
    {
        var limits = SocketLimits()
        limits.inFlightPerUID = 1
        let gate = Gate()
        let slow = Method.made("slow") { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([slow, .echo], limits: limits) { server, _ in
            let (first, second) = (try server.connect(), try server.connect())
            try first.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
            await gate.arrived(1)
            #expect(try await second.ask(call)["error"]?["code"] == 1013)
            await gate.open()
            #expect(try await first.next()["result"] == [:])
        }
    }

    @Test("responses are sent when they are ready, not in the order of the calls") func order() async throws {
        let gate = Gate()
        let slow = Method.made("slow") { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([slow, .echo]) { server, _ in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
            #expect(try await socket.ask(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)["id"] == 2)
            await gate.open()
            #expect(try await socket.next()["id"] == 1)
        }
    }

    @Test("a call that takes too long is given up, and the connection stays open") func deadline() async throws {
        let (gate, clock) = (Gate(), SleepClock())
        let stuck = Method.made("stuck", deadline: .seconds(30), clock: clock) { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([stuck, .echo]) { server, _ in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"stuck"}"#)
            try await clock.advance(by: .seconds(30))
            let answer = try await socket.next()
            #expect(answer["error"]?["data"]?["reason"] == "deadline_passed")
            #expect(try await socket.ask(call)["result"] == [:])
            await gate.open()
        }
    }

    @Test("a connection without requests closes after a timeout, one that waits for a response does not") func idle()
        async throws
    {
        let gate = Gate()
        let slow = Method.made("slow") { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([slow]) { server, _ in
            let (idle, waiting) = (try server.connect(), try server.connect())
            try waiting.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
            await gate.arrived(1)
            try await server.sweep(after: SocketLimits().idleTimeout + .seconds(1))
            #expect(try await idle.closes())
            await gate.open()
            #expect(try await waiting.next()["id"] == 1)
        }
    }

    @Test("a line that never ends closes the connection") func halfLine() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            try socket.send(bytes: Array("{".utf8))
            try await waitUntil("the connection is closed") {
                try await server.sweep(after: SocketLimits().lineTimeout + .seconds(1))
                return socket.isClosed(within: 0)
            }
        }
    }
}
