import FlowModel
import Foundation
import Moments
import Origins
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct PushedRequestsTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private func request(_ hash: String) -> PushedRequestRow {
        PushedRequestRow(
            hash: hash,
            client: "c",
            policy: "p",
            body: Data("parameters".utf8),
            expires: Deadline(.seconds(90), after: fixture.clock.now)
        )
    }

    @Test("a pushed request is used once, across all stores of one database") func once() async throws {
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        try await fixture.store.pushedRequests.add(request("h"), share: .client)
        let taken = try await withThrowingTaskGroup(of: PushedRequestRow?.self) { group in
            for number in 0..<12 {
                let store = number.isMultiple(of: 2) ? second : fixture.store
                group.addTask { try await store.pushedRequests.take("h", client: "c", policy: "p") }
            }
            return try await group.reduce(into: [PushedRequestRow?]()) { $0.append($1) }
        }
        #expect(taken.compactMap { $0 }.count == 1)
        #expect(taken.compactMap { $0 }.first == request("h"))
    }

    @Test("a pushed request is invalid for another client or policy, and expires after 90 seconds") func bound()
        async throws
    {
        let requests = fixture.store.pushedRequests
        try await requests.add(request("h"), share: .client)
        #expect(try await requests.take("h", client: "d", policy: "p") == nil)
        #expect(try await requests.take("h", client: "c", policy: "q") == nil)
        fixture.clock.advance(by: .seconds(90))
        #expect(try await requests.sweep(limit: 10) == 1)
        try await requests.add(request("i"), share: .client)
        fixture.clock.advance(by: .seconds(90))
        #expect(try await requests.take("i", client: "c", policy: "p") == nil)
    }

    @Test("the pushed requests of one origin leave room for others") func share() async throws {
        let requests = fixture.store.pushedRequests
        let (own, other) = (OriginLevels(alone: "a"), OriginLevels(alone: "b"))
        for number in 0..<AuthorityStore.PushedRequests.perOrigin {
            try await requests.add(request("h\(number)"), share: .origin(own))
        }
        let full = await #expect(throws: StoreError.self) {
            try await requests.add(request("more"), share: .origin(own))
        }
        #expect(full?.code == .limitExceeded && full?.retryAfterMs == 90_000)
        try await requests.add(request("other"), share: .origin(other))
    }

    @Test("an authenticated client has its own share, from any origin") func client()
        async throws
    {
        let requests = fixture.store.pushedRequests
        for number in 0..<AuthorityStore.PushedRequests.greatestNumber / 4 {
            try await requests.add(request("h\(number)"), share: .client)
        }
        let full = await #expect(throws: StoreError.self) { try await requests.add(request("more"), share: .client) }
        #expect(full?.code == .limitExceeded && full?.retryAfterMs == 90_000)
    }
}
