import Foundation
import Synchronization
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NearConnectionsTests {
    @Test("consecutive requests near the connections do not change threads")
    func thread() async throws {
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            try await TablesClient.with(address) { client in
                let threads = try await client.nearConnections {
                    var threads: Set = [currentThread()]
                    for _ in 0..<5 {
                        _ = try await client.list("todoitem")
                        threads.insert(currentThread())
                    }
                    return threads
                }
                #expect(threads.count == 1)
            }
            #expect(api.requests.count == 5)
        }
    }

    @Test("a filter, which may block, runs on a different thread") func filter() async throws {
        let seen = Mutex<UInt?>(nil)
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { _, address in
            try await TablesClient.with(address) { client in
                let near = try await client.nearConnections { currentThread() }
                let filtered = client.filtered { request, next in
                    seen.withLock { $0 = currentThread() }
                    return try await next(request)
                }
                _ = try await filtered.nearConnections { try await filtered.list("todoitem") }
                #expect(seen.withLock { $0 } != near)
            }
        }
        #expect(seen.withLock { $0 } != nil)
    }
}

private func currentThread() -> UInt { UInt(pthread_self()) }
