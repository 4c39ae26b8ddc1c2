import AuthorityStore
import FlowModel
import OAuth
import TestSupport
import Testing

@testable import Attempts

/// Tests a user who can sign in with either a username or an e-mail address.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TypedNameTests {
    private static let user = UserID(oid: "ada")
    private static let username = Subject.typed("ada", user)
    private static let address = Subject.typed("ada@example.org", user)
    /// A name that belongs to no user.
    private static let unknown = Subject.name("nobody@example.org")

    private let folder: TemporaryFolder
    private let clock = TestClock()
    private let store: AuthorityStore
    private let attempts: Attempts
    private let check = CheckBudget(credential: .password, maxAttempts: 3, block: .seconds(60), dailyLimit: 4)

    init() throws {
        folder = try TemporaryFolder()
        store = try AuthorityStore.open(
            AuthorityStore.Options(
                directory: folder.path("state"),
                key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
                clock: clock.clock
            )
        )
        attempts = Attempts(store: store)
    }

    private func origin(_ uid: UInt32) -> Origin { Origin.local(machine: "machine", uid: uid) }

    @discardableResult
    private func charge(_ subject: Subject, _ uid: UInt32) async throws -> ChargeTicket {
        try await attempts.charge(check: check, subject: subject, origin: origin(uid))
    }

    private func status(_ subject: Subject, _ uid: UInt32) async throws -> AttemptStatus {
        try await attempts.status(check: check, subject: subject, origin: origin(uid))
    }

    @Test("a block under one name does not apply to the other, so a name looks the same with and without a user")
    func separate()
        async throws
    {
        for left in [2, 1, 0] { #expect(try await charge(Self.username, 1).remaining == left) }
        let refused = await #expect(throws: Refusal.self) { try await charge(Self.username, 1) }
        #expect(refused?.reason == .blocked && refused?.retryAfterMs == 60_000)
        #expect(try await status(Self.username, 1).remaining == 0)
        #expect(try await status(Self.address, 1) == status(Self.unknown, 1))
        let (known, unknown) = (try await charge(Self.address, 1), try await charge(Self.unknown, 1))
        #expect(known.remaining == unknown.remaining && known.max == unknown.max && known.blockedForMs == nil)
    }

    @Test("the daily limit counts both names, and its refusal looks the same as for a name without a user") func daily()
        async throws
    {
        for uid: UInt32 in [1, 2] {
            #expect(try await !charge(Self.username, uid).isVoid)
            #expect(try await !charge(Self.address, uid).isVoid)
            try await charge(Self.unknown, uid)
            try await charge(.name("nobody"), uid)
        }
        // The user's fifth answer is not evaluated, but it looks the same as an answer under a name without a user.
        for (subject, stranger) in [(Self.username, Self.unknown), (Self.address, .name("nobody"))] {
            #expect(try await status(subject, 3) == status(stranger, 3))
            let (ticket, other) = (try await charge(subject, 3), try await charge(stranger, 3))
            #expect(ticket.isVoid && !other.isVoid)
            #expect(ticket.remaining == other.remaining && ticket.blockedForMs == other.blockedForMs)
            #expect(try await status(subject, 3) == status(stranger, 3))
            #expect(try await charge(subject, 4).isVoid)
            try await charge(stranger, 4)
            // After four answers under a name, the fifth is refused openly, whether or not the name belongs to a user.
            let refusals = [
                await #expect(throws: Refusal.self) { try await charge(subject, 5) },
                await #expect(throws: Refusal.self) { try await charge(stranger, 5) },
            ]
            #expect(refusals.map { $0?.reason } == [.blocked, .blocked])
            #expect(refusals.first??.retryAfterMs == refusals.last??.retryAfterMs)
        }
        clock.advance(by: .seconds(86_400))
        #expect(try await !charge(Self.address, 5).isVoid)
    }

    @Test("a known caller sees the daily limit") func known() async throws {
        for uid: UInt32 in [1, 2] {
            try await charge(Self.username, uid)
            try await charge(Self.address, uid)
        }
        #expect(try await status(.user(Self.user), 3).refusal?.reason == .blocked)
    }

    @Test("a user who signed in under one name is not locked out by attempts of others under the other") func proven()
        async throws
    {
        try await attempts.settle(try await charge(Self.username, 1000))
        for uid: UInt32 in [1, 2] {
            try await charge(Self.username, uid)
            try await charge(Self.address, uid)
        }
        #expect(try await charge(Self.address, 3).isVoid)
        #expect(try await !charge(Self.address, 1000).isVoid)
        #expect(try await !charge(Self.username, 1000).isVoid)
    }

    @Test("repeating a wrong answer reveals nothing") func repeated() async throws {
        for _ in 0..<2 {
            let ticket = try await charge(Self.username, 1)
            try await attempts.note(
                wrong: Secret("wrong"),
                ticket,
                check: check,
                subject: Self.username,
                origin: origin(1)
            )
        }
        for uid: UInt32 in [2, 3] { for _ in 0..<2 { _ = try? await charge(Self.username, uid) } }
        #expect(try await charge(Self.address, 1).isVoid)
    }

    @Test("an operator restores the budgets of all names") func unlock() async throws {
        for _ in 0..<3 { try await charge(Self.username, 1) }
        try await charge(Self.address, 2)
        #expect(try await charge(Self.address, 2).isVoid)
        let root = Caller(owner: .local(machine: "machine", uid: 0))
        #expect(try await attempts.unlock(Self.user, by: root) > 0)
        #expect(try await status(Self.username, 1).refusal == nil)
        #expect(try await !charge(Self.address, 2).isVoid)
    }
}
