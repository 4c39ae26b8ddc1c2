import Hummingbird
import Logging
import NIOCore
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import HTTPServer

/// Tests clients that request a lot and do not read the responses.
@Suite(.timeLimit(.minutes(2)))
struct UnreadAnswersTests {
    private static let mebibyte = 1024 * 1024
    private static let large = "GET /large HTTP/1.1\r\nHost: tasks.test\r\n\r\n"
    private static let small = "GET /small HTTP/1.1\r\nHost: tasks.test\r\n\r\n"

    private let lines = LogLines()

    private func serve(
        limits: HTTPLimits = HTTPLimits(),
        answers: AnswerBudget? = nil,
        made: @escaping @Sendable () -> Void = {},
        _ test: (ListenAddress) async throws -> Void
    ) async throws {
        try await LiveServer.run(
            limits: limits,
            answers: answers,
            logger: lines.logger,
            routes: { router in
                router.get("large") { _, _ in
                    made()
                    return Response(
                        status: .ok,
                        body: .init(byteBuffer: ByteBuffer(repeating: 0x61, count: 7 * Self.mebibyte))
                    )
                }
                router.get("small") { _, _ in Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "ok"))) }
                router.post("large") { _, _ in
                    Response(
                        status: .ok,
                        body: .init(byteBuffer: ByteBuffer(repeating: 0x61, count: 2 * Self.mebibyte))
                    )
                }
            },
            test: { try await test($0[0]) }
        )
    }

    private func budget(perOwner: Int) -> AnswerBudget {
        var limits = AnswerBudget.Limits()
        limits.perOwner = perOwner
        return AnswerBudget(limits: limits, logger: lines.logger)
    }

    @Test("a client that reads its response too slowly is disconnected, and this is logged") func slow()
        async throws
    {
        var limits = HTTPLimits()
        limits.pace = ReadingPace(window: 10_000_000_000, least: Self.mebibyte)
        try await serve(limits: limits, answers: budget(perOwner: 64 * Self.mebibyte)) { address in
            let client = try RawClient(address)
            client.send(Self.large)
            try await waitUntil("the connection is closed") {
                lines.all.contains { $0.contains("reads its responses too slowly") }
            }
            // Only the bytes that were already in the kernel's buffers still arrive.
            let count = await client.countToEnd()
            #expect(count < 7 * Self.mebibyte)
        }
    }

    @Test("a client that reads all the time stays connected") func steady() async throws {
        var limits = HTTPLimits()
        limits.pace = ReadingPace(window: 10_000_000_000, least: 1)
        try await serve(limits: limits) { address in
            let client = try RawClient(address)
            client.send(Self.large.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
            #expect(await client.countToEnd() > 7 * Self.mebibyte)
        }
    }

    @Test("of pipelined requests, the next is not started before the last response is read") func pipelined()
        async throws
    {
        let count = Mutex(0)
        let made: @Sendable () -> Void = { count.withLock { $0 += 1 } }
        try await serve(made: made) { address in
            let client = try RawClient(address)
            client.send(String(repeating: Self.large, count: 50))
            let other = try RawClient(address)
            for _ in 0..<200 {
                other.send(Self.small)
                #expect(await other.readHead().hasPrefix("HTTP/1.1 200"))
            }
            #expect(count.withLock { $0 } == 1)
            client.leave()
            other.leave()
        }
    }

    @Test("an owner's responses beyond its budget are 503 with Retry-After, and short ones are served") func bounded()
        async throws
    {
        let answers = budget(perOwner: 16 * Self.mebibyte)
        try await serve(answers: answers) { address in
            let deaf = try (0..<2).map { _ in try RawClient(address) }
            for client in deaf { client.send(Self.large) }
            try await waitUntil("both are reserved") { answers.reserved > 13 * Self.mebibyte }
            let third = try RawClient(address)
            third.send(Self.large)
            let head = await third.readHead()
            #expect(head.hasPrefix("HTTP/1.1 503"))
            #expect(head.lowercased().contains("retry-after: 5"))
            third.send(Self.small)
            #expect(await third.readHead().hasPrefix("HTTP/1.1 200"))
            for client in deaf { client.leave() }
            try await waitUntil("both are released") { answers.reserved == 0 }
            third.send(Self.large)
            #expect(await third.readHead().hasPrefix("HTTP/1.1 200"))
            third.leave()
        }
    }

    @Test("a change whose response is not admitted is not refused: the connection closes") func change()
        async throws
    {
        try await serve(answers: budget(perOwner: Self.mebibyte)) { address in
            let client = try RawClient(address)
            client.send("POST /large HTTP/1.1\r\nHost: tasks.test\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readToEnd() == "")
        }
    }
}
