import HTTPTypes
import OAuth
import Synchronization
import Tables
import TestSupport
import Testing

@testable import TablesClient

/// A token source whose renewals last until the test ends them.
private final class SlowTokens: Sendable {
    private let state = Mutex((renewals: 0, token: "old"))
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let ended = AsyncStream.makeStream(of: Result<String, any Error>.self)

    var renewals: Int { state.withLock { $0.renewals } }

    func next(_ forceRefresh: Bool) async throws -> Secret {
        guard forceRefresh else { return Secret(state.withLock { $0.token }) }
        state.withLock { $0.renewals += 1 }
        begun.continuation.yield()
        for await outcome in ended.stream {
            let token = try outcome.get()
            state.withLock { $0.token = token }
            return Secret(token)
        }
        throw CancellationError()
    }

    /// Waits until a renewal has started.
    func renewal() async {
        for await _ in begun.stream { return }
    }

    func end(_ outcome: Result<String, any Error>) { ended.continuation.yield(outcome) }
}

@Suite(.timeLimit(.minutes(1)))
struct TokenGateTests {
    private struct Refused: Error {}

    /// Returns a response function that holds requests with the old token until `count` requests have arrived, and then
    /// rejects them.
    private static func gathering(_ count: Int) -> LiveAPI.Answer {
        let (all, arrived) = AsyncStream.makeStream(of: Void.self)
        return { request, number in
            if number == count { arrived.finish() }
            if request.header("Authorization") == "Bearer old" {
                for await _ in all {}
                return .json("{}", .unauthorized)
            }
            return .json(request.method == "POST" ? request.body : "[]")
        }
    }

    @Test("requests that are rejected together get one new token, and each is repeated once unchanged")
    func singleFlight() async throws {
        let tokens = SlowTokens()
        try await LiveAPI.run(Self.gathering(4)) { api, address in
            try await TablesClient.with(address, token: tokens.next) { client in
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for id in ["a", "b", "c", "d"] {
                        tasks.addTask { try await client.table("todoitem").insert(["text": .string(id)], id: id) }
                    }
                    await tokens.renewal()
                    tokens.end(.success("new"))
                    try await tasks.waitForAll()
                }
            }
            #expect(tokens.renewals == 1)
            let sent = api.requests.filter { $0.header("Authorization") == "Bearer new" }
            #expect(api.requests.count == 8 && sent.count == 4)
            for request in sent {
                let first = api.requests.first { $0.header("Idempotency-Key") == request.header("Idempotency-Key") }
                #expect(first?.body == request.body && first?.header("Authorization") == "Bearer old")
            }
        }
    }

    @Test("a request that starts during a renewal waits for the new token") func waits() async throws {
        let tokens = SlowTokens()
        try await LiveAPI.run(Self.gathering(1)) { api, address in
            try await TablesClient.with(address, token: tokens.next) { client in
                async let first = client.table("todoitem").all()
                await tokens.renewal()
                async let second = client.table("other").all()
                tokens.end(.success("new"))
                let rows = try await first + second
                #expect(rows.isEmpty)
            }
            let other = api.requests.filter { $0.target == "/tables/other" }
            #expect(other.map { $0.header("Authorization") } == ["Bearer new"])
        }
    }

    /// Starts `count` tasks whose old token was rejected, and returns when all of them wait for a renewal.
    private static func refused(_ count: Int, _ gate: TokenGate) async throws -> [Task<Secret, any Error>] {
        let tasks = (0..<count).map { _ in Task { try await gate.token(insteadOf: Secret("old")) } }
        try await waitUntil("all of them wait") { await gate.waiters >= count }
        return tasks
    }

    @Test("a failed renewal fails all waiting requests, and the next request tries again") func failure()
        async throws
    {
        let tokens = SlowTokens()
        let gate = TokenGate(tokens.next)
        let both = try await Self.refused(2, gate)
        tokens.end(.failure(Refused()))
        for task in both { await #expect(throws: Refused.self) { try await task.value } }
        let later = try await Self.refused(1, gate)
        tokens.end(.success("new"))
        #expect(try await later[0].value == Secret("new"))
        #expect(tokens.renewals == 2)
    }

    @Test("a request that is cancelled during a renewal does not stop it for the others")
    func cancelledWaiter() async throws {
        let tokens = SlowTokens()
        let gate = TokenGate(tokens.next)
        let both = try await Self.refused(2, gate)
        both[0].cancel()
        await #expect(throws: CancellationError.self) { try await both[0].value }
        tokens.end(.success("new"))
        #expect(try await both[1].value == Secret("new"))
        #expect(tokens.renewals == 1)
    }

    @Test("a renewal without waiting requests is cancelled, and the next request starts a new one")
    func abandoned() async throws {
        let renewals = Mutex(0)
        let gate = TokenGate { _ in
            guard
                renewals.withLock({
                    $0 += 1
                    return $0
                }) == 1
            else { return Secret("new") }
            let (never, source) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            return try withExtendedLifetime(source) { throw CancellationError() }
        }
        let only = try await Self.refused(1, gate)
        only[0].cancel()
        await #expect(throws: CancellationError.self) { try await only[0].value }
        #expect(try await gate.token(insteadOf: Secret("old")) == Secret("new"))
        #expect(renewals.withLock { $0 } == 2)
    }

    @Test("a source that returns the rejected token again is not asked a second time")
    func stubbornSource() async throws {
        try await LiveAPI.run { request, _ in
            request.header("Authorization") == "Bearer new" ? .json("[]") : .json("{}", .unauthorized)
        } test: { api, address in
            try await TablesClient.with(address, token: { Secret($0 ? "new" : "old") }) { client in
                _ = try await client.list("todoitem")
                _ = try await client.list("todoitem")
            }
            #expect(
                api.requests.compactMap { $0.header("Authorization") } == ["Bearer old", "Bearer new", "Bearer new"]
            )
        }
    }

    @Test("a client without tokens sends none, and a 401 fails at once") func anonymous() async throws {
        try await LiveAPI.run { request, _ in
            request.target == "/tables/open" ? .json("[]") : .json("{}", .unauthorized)
        } test: { api, address in
            try await TablesClient.with(address) { client in
                let rows = try await client.list("open")
                #expect(rows.isEmpty)
                let error = await #expect(throws: TablesError.self) { try await client.list("todoitem") }
                #expect(error?.code == .unauthorized)
            }
            #expect(api.requests.count == 2)
            #expect(api.requests.allSatisfy { $0.header("Authorization") == nil })
        }
    }
}
