import BrokerAPI
import FlowModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Broker
@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct NotificationTests {
    /// Holds the latest subscription with a weak reference, as the broker does.
    private final class Subscriber: Sendable {
        private struct Held { weak var subscription: TokenSubscription? }
        private let held = Mutex(Held())
        let ended = Mutex(0)

        var isThere: Bool { held.withLock { $0.subscription != nil } }

        /// A method that subscribes the caller to notifications.
        var method: Method {
            .made("token.subscribe") { _, _ in
                let subscription = TokenSubscription(account: nil) { self.ended.withLock { $0 += 1 } }
                // This event is sent before the response, but must arrive after the response.
                subscription.tell(.sessionChanged(account: "early", .signedIn))
                self.held.withLock { $0.subscription = subscription }
                return MethodResult(result: ["ok": true], subscription: subscription)
            }
        }

        func tell(_ account: String) {
            held.withLock(\.subscription)?.tell(.sessionChanged(account: account, .signedOut))
        }
    }

    private static let subscribe = #"{"jsonrpc":"2.0","id":7,"method":"token.subscribe"}"#
    private static let echo = #"{"jsonrpc":"2.0","id":8,"method":"echo","params":{"a":1}}"#

    @Test("notifications follow the response, have no id, and do not disturb later calls") func order() async throws {
        let subscriber = Subscriber()
        try await TestSocket.open([subscriber.method, .echo]) { server, _ in
            let socket = try server.connect()
            #expect(try await socket.ask(Self.subscribe)["id"] == 7)
            let early = try await socket.next()
            #expect(early["method"] == "session.changed" && early["id"] == nil && early["jsonrpc"] == "2.0")
            #expect(early["params"] == ["account": "early", "change": "signedIn"])
            #expect(try await socket.ask(Self.echo)["result"] == ["a": 1])
            subscriber.tell("later")
            #expect(try await socket.next()["params"]?["account"] == "later")
            // A call in a batch can also subscribe. The new subscription replaces the previous one.
            #expect(try await socket.ask("[\(Self.subscribe)]").array?.count == 1)
            #expect(try await socket.next()["params"]?["account"] == "early")
            #expect(subscriber.ended.withLock { $0 } == 1)
        }
    }

    @Test("a subscription ends with its connection") func end() async throws {
        let subscriber = Subscriber()
        try await TestSocket.open([subscriber.method]) { server, _ in
            do {
                let socket = try server.connect()
                _ = try await socket.ask(Self.subscribe)
                #expect(subscriber.isThere)
            }
            try await waitUntil("there is no subscription") { subscriber.ended.withLock { $0 } == 1 }
            #expect(!subscriber.isThere)
        }
    }

    @Test("a subscribed connection is not idle; one without a subscription is") func idle() async throws {
        let subscriber = Subscriber()
        try await TestSocket.open([subscriber.method, .echo]) { server, _ in
            let (waiting, idle) = (try server.connect(), try server.connect())
            _ = try await waiting.ask(Self.subscribe)
            _ = try await waiting.next()
            _ = try await idle.ask(Self.echo)
            try await server.sweep(after: SocketLimits().idleTimeout + .seconds(1))
            #expect(idle.isClosed())
            subscriber.tell("still")
            #expect(try await waiting.next()["params"]?["account"] == "still")
        }
    }

    @Test("a subscriber that does not read is dropped, and others are served meanwhile") func slow() async throws {
        let subscriber = Subscriber()
        var limits = SocketLimits()
        limits.unreadPerConnection = 64 * 1024
        try await TestSocket.open([subscriber.method, .echo], limits: limits) { server, _ in
            let deaf = try server.connect()
            try deaf.send(Self.subscribe)
            try await waitUntil("there is a subscription") { subscriber.isThere }
            let other = try server.connect()
            let long = String(repeating: "x", count: 1_000)
            try await waitUntil("the silent subscriber is dropped") {
                for _ in 0..<100 { subscriber.tell(long) }
                let answer = try await other.ask(Self.echo)
                #expect(answer["id"] == 8)
                return !subscriber.isThere
            }
            let held = try await server.unreadBytes(of: 1000)
            #expect(held < 64 * 1024)
            #expect(server.lines.all.contains { $0.contains("a subscriber does not read its notifications") })
        }
    }
}
