import Glibc
import OAuth
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct EndingTests {
    @Test("during shutdown no call begins, and calls in progress complete") func graceful() async throws {
        let gate = Gate()
        let slow = Method.made("slow", changesState: true) { _, _ in
            await gate.pass()
            return MethodResult(result: ["done": true])
        }
        try await TestSocket.open([slow, .echo]) { server, group in
            let socket = try server.connect()
            let other = try server.connect()
            #expect(try await other.ask(#"{"jsonrpc":"2.0","id":0,"method":"echo"}"#)["id"] == 0)
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
            await gate.arrived(1)
            await group.triggerGracefulShutdown()
            try await waitUntil("the end is said") {
                try await other.ask(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)["error"]?["code"] == 1017
            }
            await gate.open()
            #expect(try await socket.next()["result"] == ["done": true])
            #expect(try await socket.closes())
            #expect(try await other.closes())
            #expect(throws: LineSocket.Failure.notConnected(errno: ENOENT)) { try server.connect() }
        }
    }

    @Test("a caller that only waits is notified of the shutdown, and does not delay it") func waiting() async throws {
        let began = Gate()
        let wait = Method.made("wait") { _, _ in
            await began.pass()
            try await untilCancelled()
            return MethodResult(result: [:])
        }
        await began.open()
        try await TestSocket.open([wait]) { server, group in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)
            await began.arrived(1)
            await group.triggerGracefulShutdown()
            let answer = try await socket.next()
            #expect(answer["error"]?["code"] == 1017)
        }
    }

    @Test("a caller that has connected without a request is served once during shutdown") func lastCall() async throws {
        var limits = SocketLimits()
        // The timeouts are much longer than the test, so the call itself must end the wait.
        limits.lastCallTimeout = .seconds(60)
        limits.drainTimeout = .seconds(60)
        try await TestSocket.open([.echo], limits: limits) { server, group in
            let socket = try server.connect()
            let other = try server.connect()
            #expect(try await other.ask(#"{"jsonrpc":"2.0","id":0,"method":"echo"}"#)["id"] == 0)
            await group.triggerGracefulShutdown()
            try await waitUntil("the end is said") {
                try await other.ask(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)["error"]?["code"] == 1017
            }
            try socket.send(
                #"{"jsonrpc":"2.0","id":3,"method":"echo"}"# + "\n" + #"{"jsonrpc":"2.0","id":4,"method":"echo"}"#
            )
            let answers = [try await socket.next(), try await socket.next()]
            #expect(answers.contains { $0["id"] == 3 && $0["result"] != nil })
            #expect(answers.contains { $0["id"] == 4 && $0["error"]?["code"] == 1017 })
            #expect(try await socket.closes())
        }
    }

    @Test("a caller that has connected and sends nothing does not delay the shutdown") func silent() async throws {
        let clock = SleepClock()
        try await TestSocket.open([.echo], deadlines: clock) { server, group in
            let socket = try server.connect()
            let other = try server.connect()
            #expect(try await other.ask(#"{"jsonrpc":"2.0","id":0,"method":"echo"}"#)["id"] == 0)
            await group.triggerGracefulShutdown()
            // Two timers are running: the timeout for last calls and the timeout for calls in progress.
            try await clock.advance(by: SocketLimits().lastCallTimeout, whenSleeping: 2)
            #expect(try await socket.closes())
        }
    }

    @Test("a call that takes too long during shutdown is given up") func late() async throws {
        let (gate, clock) = (Gate(), SleepClock())
        let stuck = Method.made("stuck", changesState: true) { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([stuck], deadlines: clock) { server, group in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"stuck"}"#)
            await gate.arrived(1)
            await group.triggerGracefulShutdown()
            try await clock.advance(by: SocketLimits().drainTimeout, whenSleeping: 2)
            #expect(try await socket.closes())
            await gate.open()
        }
    }

    @Test("a caller that has closed its sending side still gets its response") func halfClosed() async throws {
        let gate = Gate()
        let slow = Method.made("slow") { _, _ in
            await gate.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([slow]) { server, _ in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
            socket.finishSending()
            await gate.arrived(1)
            await gate.open()
            #expect(try await socket.next()["id"] == 1)
            #expect(try await socket.closes())
        }
    }

    @Test(
        "a disconnected caller cancels a call that only reads, and not one that changes something",
        arguments: [false, true]
    )
    func disconnect(changes: Bool) async throws {
        let (gate, ended) = (Gate(), Gate())
        let wasCancelled = Mutex(false)
        let method = Method.made("method", changesState: changes) { _, _ in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                Task { await gate.open() }
            }
            wasCancelled.withLock { $0 = Task.isCancelled }
            await ended.pass()
            return MethodResult(result: [:])
        }
        try await TestSocket.open([method, .echo]) { server, _ in
            var socket: LineSocket? = try server.connect()
            try socket?.send(#"{"jsonrpc":"2.0","id":1,"method":"method"}"#)
            await gate.arrived(1)
            socket = nil
            if changes { await gate.open() }
            await ended.arrived(1)
            await ended.open()
            #expect(wasCancelled.withLock { $0 } == !changes)
        }
    }
}
