import OAuth
import ServiceLifecycle
import TestSupport
import Testing

@testable import BrokerRPC

/// When a connection ends, its responses are still delivered, whatever their size.
@Suite(.timeLimit(.minutes(1)))
struct LastAnswersTests {
    private static let size = 230_000

    /// A way in which a connection with unread responses can end.
    enum End: CaseIterable, Sendable {
        case halfClosed
        case tooLong
        case service
    }

    @Test("large responses arrive completely, however the connection ends", arguments: End.allCases)
    func answers(_ end: End) async throws {
        let gate = Gate()
        try await TestSocket.open([Self.large(gate)]) { server, group in
            let socket = try server.connect()
            for id in 1...3 { try socket.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"large"}"#) }
            await gate.arrived(3)
            switch end {
            case .halfClosed: socket.finishSending()
            case .tooLong: try socket.send(bytes: [UInt8](repeating: 65, count: 70_000))
            case .service: await group.triggerGracefulShutdown()
            }
            await gate.open()
            var ids: Set<JSONValue> = []
            while ids.count < 3 {
                let answer = try await socket.next()
                guard let id = answer["id"], id != .null else { continue }
                #expect(answer["result"]?["text"]?.string?.utf8.count == Self.size)
                ids.insert(id)
            }
            #expect(ids == [1, 2, 3])
        }
    }

    @Test("calls that wait for room when the caller closes its sending side are executed") func waiting() async throws {
        var limits = SocketLimits()
        limits.inFlightPerConnection = 2
        let gate = Gate()
        try await TestSocket.open([Self.large(gate)], limits: limits) { server, _ in
            let socket = try server.connect()
            for id in 1...8 { try socket.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"large"}"#) }
            socket.finishSending()
            await gate.arrived(2)
            await gate.open()
            var ids: Set<JSONValue> = []
            for _ in 1...8 { ids.insert(try await socket.next()["id"] ?? .null) }
            #expect(ids.count == 8)
            #expect(try await socket.closes())
        }
    }

    @Test("a peer that does not read its last responses is disconnected after a timeout") func unread() async throws {
        var limits = SocketLimits()
        limits.connectionsPerUID = 1
        let gate = Gate()
        try await TestSocket.open([Self.large(gate), .echo], limits: limits) { server, _ in
            let socket = try server.connect()
            for id in 1...3 { try socket.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"large"}"#) }
            socket.finishSending()
            await gate.arrived(3)
            await gate.open()
            try await waitUntil("all are answered") { try await server.calls() == 0 }
            try await server.sweep(after: limits.closeTimeout)
            // The closed connection no longer counts towards the limit.
            try await waitUntil("the next connection is accepted") {
                let next = try server.connect()
                return (try? await next.ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#))?["result"] != nil
            }
            withExtendedLifetime(socket) {}
        }
    }

    /// Creates a method whose response is larger than the socket buffer.
    private static func large(_ gate: Gate) -> Method {
        .made("large", changesState: true) { _, _ in
            await gate.pass()
            return MethodResult(result: ["text": .string(String(repeating: "a", count: size))])
        }
    }
}
