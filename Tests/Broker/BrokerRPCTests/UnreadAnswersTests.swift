import NIOPosix
import OAuth
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

/// Peers that read no responses can use only a bounded amount of memory, and do not affect other peers.
@Suite(.timeLimit(.minutes(1)))
struct UnreadAnswersTests {
    private static let call = #"{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":50000}}"#

    /// A method that returns the requested number of bytes.
    private static let large = Method.made("large") { _, params in
        MethodResult(result: ["a": .string(String(repeating: "x", count: Int(params["size"]?.int ?? 0)))])
    }

    /// Returns a batch of 16 calls, each with a result of `size` bytes.
    private static func batch(_ size: Int) -> String {
        "[" + Array(repeating: call.replacing("50000", with: "\(size)"), count: 16).joined(separator: ",") + "]"
    }

    private static var limits: SocketLimits {
        var limits = SocketLimits()
        limits.unreadPerConnection = 1024 * 1024
        limits.unreadPerUID = 2 * 1024 * 1024
        return limits
    }

    @Test("the response to a batch is a line of at most 1 MiB with an entry for every call") func batch() async throws {
        try await TestSocket.open([Self.large]) { server, _ in
            let answers = try #require(try await server.connect().ask(Self.batch(200_000)).array)
            #expect(answers.count == 16)
            #expect(answers.filter { $0["result"] != nil }.count == 4)
            #expect(answers.filter { $0["error"]?["data"]?["limit"] == "responseBytes" }.count == 12)
        }
    }

    @Test("unread responses are bounded per connection and per uid, and others are served") func bounded()
        async throws
    {
        try await TestSocket.open([Self.large, .echo], limits: Self.limits) { server, _ in
            let deaf = try (0..<8).map { _ in try server.connect() }
            for socket in deaf {
                // The response shows that the server has accepted the connection with the uid 1000.
                #expect(try await socket.ask(#"{"jsonrpc":"2.0","id":0,"method":"echo"}"#)["id"] == 0)
                for _ in 0..<3 { try socket.send(Self.batch(50_000)) }
            }
            server.peer.withLock { $0 = 1001 }
            let other = try server.connect()
            try await untilIdle(server, exceptFor: other)
            let held = try await server.unreadBytes(of: 1000)
            // The limit can be exceeded by the errors that replace large responses.
            #expect(held <= Self.limits.unreadPerUID + 8 * 3 * 16 * 512)
            #expect(held > 512 * 1024)
            #expect(try await other.ask(Self.call)["result"] != nil)
            #expect(try await server.unreadBytes(of: 1001) == 0)
        }
    }

    @Test("a uid with too many unread responses gets an error, and is served again after it has read them") func again()
        async throws
    {
        try await TestSocket.open([Self.large, .echo], limits: Self.limits) { server, _ in
            let deaf = try server.connect()
            for id in 0..<32 { try deaf.send(Self.call.replacing("1,", with: "\(id),")) }
            let (second, third) = (try server.connect(), try server.connect())
            for id in 0..<32 { try second.send(Self.call.replacing("1,", with: "\(id),")) }
            try await untilIdle(server, exceptFor: third)
            var limits: Set<JSONValue> = []
            for socket in [deaf, second] {
                for _ in 0..<32 {
                    let answer = try await socket.next()
                    if let limit = answer["error"]?["data"]?["limit"] { limits.insert(limit) }
                }
            }
            #expect(limits == ["unreadBytes"])
            for socket in [deaf, second] { #expect(try await socket.ask(Self.call)["result"] != nil) }
            #expect(try await server.unreadBytes(of: 1000) == 0)
        }
    }

    @Test("a connection that closes discards its unread responses") func gone() async throws {
        try await TestSocket.open([Self.large, .echo], limits: Self.limits) { server, _ in
            let other = try server.connect()
            var deaf: LineSocket? = try server.connect()
            for _ in 0..<8 { try deaf?.send(Self.call) }
            try await untilIdle(server, exceptFor: other)
            #expect(try await server.unreadBytes(of: 1000) > 0)
            deaf = nil
            try await until { try await server.unreadBytes(of: 1000) == 0 }
        }
    }

    @Test("unread responses are bounded for all uids together, and each uid has a minimum") func inAll()
        async throws
    {
        var limits = Self.limits
        limits.unread = 3 * 1024 * 1024
        try await TestSocket.open([Self.large, .echo], limits: limits) { server, _ in
            var deaf: [LineSocket] = []
            for uid in UInt32(2000)..<2004 {
                server.peer.withLock { $0 = uid }
                for _ in 0..<3 {
                    let socket = try server.connect()
                    #expect(try await socket.ask(#"{"jsonrpc":"2.0","id":0,"method":"echo"}"#)["id"] == 0)
                    for _ in 0..<3 { try socket.send(Self.batch(50_000)) }
                    deaf.append(socket)
                }
            }
            server.peer.withLock { $0 = 1001 }
            let other = try server.connect()
            try await untilIdle(server, exceptFor: other)
            let held = try await server.unreadBytes()
            #expect(held > 2 * 1024 * 1024 && held <= limits.unread + 4 * (128 * 1024) + 12 * 3 * 16 * 512)
            #expect(try await other.ask(Self.call)["result"] != nil)
            #expect(try await other.ask(Self.call.replacing("50000", with: "300000"))["error"] != nil)
        }
    }

    @Test("a peer that reads its responses too slowly loses its connection, and the log reports it") func slow()
        async throws
    {
        try await TestSocket.open([Self.large]) { server, _ in
            let deaf = try server.connect()
            for _ in 0..<8 { try deaf.send(Self.batch(50_000)) }
            try await until {
                try await server.sweep(after: .nanoseconds(Int64(ReadingPace.window)))
                return server.lines.all.contains { $0.hasPrefix("warning: a peer reads its responses too slowly") }
            }
            try await until { try await server.unreadBytes() == 0 }
        }
    }

    /// Waits until no call is in progress.
    ///
    /// Calls over `socket` make sure that the server has read all earlier input.
    private func untilIdle(_ server: TestSocket, exceptFor socket: LineSocket) async throws {
        // Each call takes at least one turn of the event loop. After several turns, all earlier input has been read.
        for _ in 0..<8 { _ = try await socket.ask(#"{"jsonrpc":"2.0","id":0,"method":"none"}"#) }
        try await until { try await server.calls() == 0 }
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await !condition() { try #require(ContinuousClock.now < deadline, "it does not come to that") }
    }
}
