import Authority
import AuthorityStore
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import Policies
import Storage
import Synchronization
import TestSupport
import Testing
import TokenCache

@testable import Broker

@Suite(.timeLimit(.minutes(1)), .indexedStatements) struct FamilyRenewerTests {
    private let key = FamilyKey(uid: 1000, account: "a", client: "c", policy: "p")

    private static let row = TokenRow(
        uid: 1000,
        account: "a",
        client: "c",
        policy: "p",
        resource: "r",
        scopes: [],
        accessToken: Secret("t"),
        expires: Deadline(wall: 1, boot: 1, bootID: "b"),
        expiresAt: 1,
        acr: "1",
        amr: [],
        authTime: 0,
        claims: Data(),
        username: "u"
    )

    @Test("tokens are renewed in the tenth of their life after its half, spread over accounts")
    func jitter() {
        let life: Int64 = 3_600_000
        let leads = (0..<100).map { number in
            TokenRow(
                uid: 1000,
                account: "account-\(number)",
                client: "c",
                policy: "p",
                resource: "r",
                scopes: [],
                accessToken: Secret("t"),
                expires: Deadline(wall: life, boot: life, bootID: "b"),
                expiresAt: life,
                acr: "1",
                amr: [],
                authTime: 0,
                claims: Data(),
                username: "u",
                receivedAt: 0
            ).renewalLead
        }
        #expect(leads.allSatisfy { (life * 2 / 5...life / 2).contains($0) }, "\(leads)")
        #expect(Set(leads).count >= 20)
    }

    @Test("concurrent callers cause one renewal, and share it") func single() async throws {
        let renewer = FamilyRenewer()
        let count = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: TokenRow.self) { group in
            let started = AsyncStream<Void>.makeStream()
            let renew: FamilyRenewer.Renew = {
                count.withLock { $0 += 1 }
                started.continuation.yield()
                for await _ in gate.stream { break }
                return Self.row
            }
            group.addTask { try await renewer.renewed(key, renew) }
            for await _ in started.stream { break }
            for _ in 0..<20 { group.addTask { try await renewer.renewed(key, renew) } }
            // All callers wait for the first renewal. A second renewal would never end, because the gate opens only
            // once.
            try await waitUntil("all of them wait") { await renewer.waiting(key) >= 21 }
            gate.continuation.yield()
            for try await row in group { #expect(row == Self.row) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("a renewal that does not end is given up at its deadline, without a second one in parallel") func late()
        async throws
    {
        let clock = SleepClock()
        let renewer = FamilyRenewer(clock: clock)
        let gate = AsyncStream<Void>.makeStream()
        let isCancelled = Mutex(false)
        let late = Task {
            try await renewer.renewed(key) {
                // The wait is in another task, so that cancellation does not end the renewal.
                await Task { for await _ in gate.stream { break } }.value
                isCancelled.withLock { $0 = Task.isCancelled }
                return Self.row
            }
        }
        try await clock.advance(by: FamilyRenewer.deadline)
        let refusal = await #expect(throws: Refusal.self) { try await late.value }
        #expect(refusal?.reason == .storageFailed && refusal?.facts == [.limit: "renewal"])
        let second = await #expect(throws: Refusal.self) { try await renewer.renewed(key) { Self.row } }
        #expect(second == refusal)
        gate.continuation.finish()
        try await waitUntil("it is renewed again") { (try? await renewer.renewed(key) { Self.row }) != nil }
        #expect(isCancelled.withLock { $0 })
    }

    @Test("a cancelled caller returns at once, and the renewal continues for the others") func leaving()
        async throws
    {
        let renewer = FamilyRenewer()
        let gate = AsyncStream<Void>.makeStream()
        let renew: FamilyRenewer.Renew = {
            for await _ in gate.stream { break }
            try Task.checkCancellation()
            return Self.row
        }
        let first = Task { try await renewer.renewed(key, renew) }
        try await waitUntil("the first one waits") { await renewer.waiting(key) >= 1 }
        let second = Task { try await renewer.renewed(key, renew) }
        try await waitUntil("both wait") { await renewer.waiting(key) >= 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(await renewer.waiting(key) == 1)
        gate.continuation.yield()
        #expect(try await second.value == Self.row)
    }

    @Test("all callers share a failure, and the next caller tries again") func failure() async throws {
        let renewer = FamilyRenewer()
        let refusal = Refusal(.storageFailed, Text("refusal.dataNotStored"))
        await #expect(throws: refusal) { try await renewer.renewed(key) { throw refusal } }
        #expect(try await renewer.renewed(key) { Self.row } == Self.row)
    }
}
