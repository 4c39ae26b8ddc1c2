import TestSupport
import Testing

@testable import OutgoingHTTP

/// Tests that names that take long to resolve do not delay callers that look up other names.
@Suite(.timeLimit(.minutes(1)))
struct LookUpShareTests {
    /// Runs `test` while the lookups of `names` are pending, and then ends the lookups.
    ///
    /// A lookup with the uid `nil` belongs to no user.
    private func whileStuck(
        _ names: [(name: String, uid: UInt32?)],
        _ test: (AddressCheck, StuckResolver) async throws -> Void
    ) async throws {
        let resolver = StuckResolver()
        let check = AddressCheck(isRefused: resolver.refuses)
        defer { resolver.letGo() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (name, uid) in names { tasks.addTask { try await check.check(name, for: uid) } }
            try await waitUntil("all wait") { check.callers == names.count }
            try await waitUntil("all names are looked up") {
                resolver.asked.count == Set(names.map { $0.name.lowercased() }).count
            }
            try await test(check, resolver)
            resolver.letGo()
            try await tasks.waitForAll()
        }
    }

    private func names(_ count: Int, for uid: UInt32?) -> [(name: String, uid: UInt32?)] {
        (0..<count).map { ("\($0).of-\(uid ?? 0).stuck.example", uid) }
    }

    @Test("callers of one name share a lookup, which counts once") func shared() async throws {
        let callers = (0..<AddressCheck.most + 8).map { ($0 % 2 == 0 ? "stuck.example" : "Stuck.Example", UInt32(7)) }
        try await whileStuck(callers) { check, resolver in
            #expect(resolver.asked == ["stuck.example"])
            try await check.check("quick.example", for: 7)
        }
    }

    @Test("a user with pending lookups is limited to four, and other users are not affected") func share() async throws
    {
        try await whileStuck(names(AddressCheck.mostOfOne, for: 7)) { check, _ in
            await #expect(throws: TooManyLookUps.self) { try await check.check("quick.example", for: 7) }
            for uid in [8, nil] as [UInt32?] { try await check.check("quick.example", for: uid) }
        }
    }

    @Test("pending lookups delay no lookup of another name within the limit") func others() async throws {
        let began = ContinuousClock.now
        try await whileStuck(names(AddressCheck.most - 1, for: nil)) { check, _ in
            try await check.check("quick.example")
        }
        // A shared queue would start only one more thread per second once it has as many threads as there are
        // processors.
        #expect(ContinuousClock.now - began < .seconds(10))
        try await whileStuck(names(AddressCheck.most, for: nil)) { check, _ in
            await #expect(throws: TooManyLookUps.self) { try await check.check("quick.example") }
        }
    }

    @Test("a cancelled caller returns at once, and its lookup counts until the resolver returns")
    func left() async throws {
        let resolver = StuckResolver()
        let check = AddressCheck(isRefused: resolver.refuses)
        defer { resolver.letGo() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (name, uid) in names(AddressCheck.mostOfOne, for: 7) {
                tasks.addTask { try await check.check(name, for: uid) }
            }
            try await waitUntil("all are looked up") { resolver.asked.count == AddressCheck.mostOfOne }
            tasks.cancelAll()
            while let outcome = await tasks.nextResult() {
                #expect(throws: CancellationError.self) { try outcome.get() }
            }
        }
        #expect(check.callers == 0)
        await #expect(throws: TooManyLookUps.self) { try await check.check("quick.example", for: 7) }
        resolver.letGo()
        try await waitUntil("there is room") { (try? await check.check("quick.example", for: 7)) != nil }
    }
}
