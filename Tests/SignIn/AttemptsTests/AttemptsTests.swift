import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Origins
import TestSupport
import Testing

@testable import Attempts

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AttemptsTests {
    let folder: TemporaryFolder
    let clock = TestClock()
    let store: AuthorityStore
    let attempts: Attempts
    let check = CheckBudget(credential: .password, maxAttempts: 3, block: .seconds(60))
    let ada = Subject.user(UserID(oid: "ada"))

    init() throws {
        folder = try TemporaryFolder()
        store = try AuthorityStore.open(Self.options(folder, clock))
        attempts = Attempts(store: store)
    }

    private static func options(_ folder: TemporaryFolder, _ clock: TestClock) -> AuthorityStore.Options {
        AuthorityStore.Options(
            directory: folder.path("state"),
            key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
            clock: clock.clock
        )
    }

    private func origin(_ uid: UInt32 = 1000) -> Origin { Origin.local(machine: "machine", uid: uid) }

    /// Returns how many of `count` simultaneous charges are accepted.
    private func taken(_ count: Int, uid: UInt32 = 1000) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let ticket = try? await attempts.charge(check: check, subject: ada, origin: origin(uid))
                    return ticket != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    /// Charges the check until it is blocked, and returns the waiting time in milliseconds.
    private func exhaust(_ attempts: Attempts? = nil) async throws -> Int64 {
        let attempts = attempts ?? self.attempts
        for _ in 0..<3 { _ = try await attempts.charge(check: check, subject: ada, origin: origin()) }
        let refusal = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: ada, origin: origin())
        }
        #expect(refusal?.reason == .blocked)
        return refusal?.retryAfterMs ?? 0
    }

    @Test("of 50 simultaneous answers 3 are evaluated") func parallel() async throws {
        #expect(await taken(50) == 3)
    }

    @Test("each of 7 uids has 3 answers, and all together 20") func origins() async throws {
        var counts: [Int] = []
        for uid in 1...7 { counts.append(await taken(10, uid: UInt32(uid))) }
        #expect(counts == [3, 3, 3, 3, 3, 3, 2])
    }

    @Test("a charge returns the remaining attempts, and the last one the duration of the block") func left()
        async throws
    {
        var tickets: [ChargeTicket] = []
        for _ in 0..<3 { tickets.append(try await attempts.charge(check: check, subject: ada, origin: origin())) }
        #expect(tickets.map(\.remaining) == [2, 1, 0])
        #expect(tickets.map(\.blockedForMs) == [nil, nil, 60_000])
        let status = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(status == AttemptStatus(remaining: 0, max: 3, retryAfterMs: 60_000))
    }

    @Test("the duration of blocks doubles up to an hour") func escalation() async throws {
        var waits: [Int64] = []
        for _ in 0..<8 {
            let wait = try await exhaust()
            waits.append(wait / 1000)
            clock.advance(by: .milliseconds(Int(wait)))
            // Another hour passes, so that the hourly limit on wrong answers does not interfere.
            clock.advance(by: .seconds(3600))
        }
        #expect(waits == [60, 120, 240, 480, 960, 1920, 3600, 3600])
    }

    @Test("a day without a charge resets the block duration") func decay() async throws {
        _ = try await exhaust()
        clock.advance(by: .seconds(3660))
        #expect(try await exhaust() == 120_000)
        clock.advance(by: .seconds(25 * 3600))
        #expect(try await exhaust() == 60_000)
    }

    /// Charges one answer to a check that allows `most` attempts.
    private func charge(_ most: Int) async throws -> ChargeTicket {
        try await attempts.charge(check: Self.check(most), subject: ada, origin: origin())
    }

    private func status(_ most: Int) async throws -> AttemptStatus {
        try await attempts.status(check: Self.check(most), subject: ada, origin: origin())
    }

    private static func check(_ most: Int) -> CheckBudget {
        CheckBudget(credential: .password, maxAttempts: most, block: .seconds(60))
    }

    @Test("lowering `maxAttempts` to the number already used restores no attempts: the next wrong answer blocks")
    func lowered() async throws {
        for left in [4, 3, 2] { #expect(try await charge(5).remaining == left) }
        for most in 1...3 { #expect(try await status(most) == AttemptStatus(remaining: 1, max: most, retryAfterMs: 0)) }
        let last = try await charge(3)
        #expect(last.remaining == 0 && last.blockedForMs == 60_000)
        #expect(try await status(3) == AttemptStatus(remaining: 0, max: 3, retryAfterMs: 60_000))
        let refused = await #expect(throws: Refusal.self) { try await charge(3) }
        #expect(refused?.reason == .blocked && refused?.retryAfterMs == 60_000)
        // Raising `maxAttempts` again neither ends the block nor shows remaining attempts.
        #expect(try await status(5) == AttemptStatus(remaining: 0, max: 5, retryAfterMs: 60_000))
        let again = await #expect(throws: Refusal.self) { try await charge(5) }
        #expect(again?.reason == .blocked && again?.retryAfterMs == 60_000)
        // After the block, all attempts that the current limit allows are available, and the next block lasts twice as
        // long.
        clock.advance(by: .seconds(60))
        #expect(try await status(5).remaining == 5)
        for left in [4, 3, 2, 1] { #expect(try await charge(5).remaining == left) }
        #expect(try await charge(5).blockedForMs == 120_000)
    }

    @Test("after a block the budget is restored once: later answers count when `maxAttempts` is lowered")
    func loweredAfterBlock() async throws {
        _ = try await exhaust()
        clock.advance(by: .seconds(60))
        for left in [4, 3, 2] { #expect(try await charge(5).remaining == left) }
        #expect(try await status(3).remaining == 1)
        #expect(try await charge(3).blockedForMs == 120_000)
    }

    @Test("raising `maxAttempts` before a block allows the additional answers, and a right one restores all")
    func raised() async throws {
        for left in [2, 1] { #expect(try await charge(3).remaining == left) }
        #expect(try await status(5) == AttemptStatus(remaining: 3, max: 5, retryAfterMs: 0))
        for left in [2, 1] { #expect(try await charge(5).remaining == left) }
        try await attempts.settle(try await charge(3))
        #expect(try await status(3) == AttemptStatus(remaining: 3, max: 3, retryAfterMs: 0))
    }

    @Test(
        "with a block of zero seconds lowering `maxAttempts` blocks no user, and a day without an answer resets the budget"
    )
    func loweredWithoutBlock() async throws {
        func open(_ most: Int) -> CheckBudget {
            CheckBudget(credential: .password, maxAttempts: most, block: .zero)
        }
        for most in [5, 5, 5, 3, 3, 3, 3] {
            let ticket = try await attempts.charge(check: open(most), subject: ada, origin: origin())
            #expect((ticket.blockedForMs ?? 0) == 0)
        }
        clock.advance(by: .seconds(25 * 3600))
        #expect(try await status(3).remaining == 3)
    }

    @Test("setting the clock forward or back does not change a block") func clocks() async throws {
        _ = try await exhaust()
        clock.setWall(by: .seconds(3600))
        #expect(await taken(1) == 0)
        clock.setWall(by: .seconds(-7200))
        #expect(await taken(1) == 0)
        clock.advance(by: .seconds(59))
        #expect(await taken(1) == 0)
        clock.advance(by: .seconds(1))
        #expect(await taken(10) == 3)
    }

    @Test("a sweep with the clock set forward ends no block") func sweep() async throws {
        _ = try await exhaust()
        clock.setWall(by: .seconds(400 * 24 * 3600))
        _ = try await store.attempts.sweep(limit: 1000)
        #expect(await taken(1) == 0)
        clock.advance(by: .seconds(26 * 3600))
        #expect(try await store.attempts.sweep(limit: 1000) > 0)
    }

    @Test("restarting the daemon or the machine ends no block") func restart() async throws {
        _ = try await exhaust()
        try store.close()
        let second = try AuthorityStore.open(Self.options(folder, clock))
        clock.reboot(after: .seconds(30))
        let refusal = await #expect(throws: Refusal.self) {
            try await Attempts(store: second).charge(check: check, subject: ada, origin: origin())
        }
        #expect(refusal?.retryAfterMs == 30_000)
    }

    @Test("a right answer refunds its charges") func success() async throws {
        for _ in 0..<2 { _ = try await attempts.charge(check: check, subject: ada, origin: origin()) }
        let ticket = try await attempts.charge(check: check, subject: ada, origin: origin())
        try await attempts.settle(ticket)
        let status = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(status == AttemptStatus(remaining: 3, max: 3, retryAfterMs: 0))
    }

    @Test("a user who signed in before is not locked out by other uids") func proven() async throws {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        for uid in 1...7 { _ = await taken(3, uid: UInt32(uid)) }
        #expect(await taken(10, uid: 8) == 0)
        #expect(await taken(10) == 3)
    }

    @Test("an unknown name locks like an existing one, in every spelling") func names() async throws {
        for name in ["Nobody@example.org", "nobody@EXAMPLE.org", "nobody@example.org"] {
            _ = try await attempts.charge(check: check, subject: .name(name), origin: origin())
        }
        let refusal = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: .name("nobody@example.org"), origin: origin())
        }
        #expect(refusal?.retryAfterMs == 60_000)
    }

    @Test("one uid has 30 answers in ten minutes, for all users together") func perOrigin() async throws {
        for index in 0..<30 {
            _ = try await attempts.charge(check: check, subject: .name("n\(index)"), origin: origin())
        }
        let refusal = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: .name("other"), origin: origin())
        }
        #expect(refusal?.reason == .blocked)
        #expect(refusal?.retryAfterMs == 600_000)
        _ = try await attempts.charge(check: check, subject: .name("other"), origin: origin(2))
    }

    @Test("one address has 150 answers in ten minutes, and users with an earlier sign-in there are not affected")
    func perAddress()
        async throws
    {
        let office = Origin.address("192.0.2.7")
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: office))
        for index in 0..<Attempts.perAddress {
            if index.isMultiple(of: 50) { clock.advance(by: .seconds(61)) }
            _ = try await attempts.charge(check: check, subject: .name("n\(index)"), origin: office)
        }
        let stranger = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: .name("other"), origin: office)
        }
        #expect(stranger?.reason == .blocked && (stranger?.retryAfterMs ?? 0) > 0)
        #expect(try await attempts.status(check: check, subject: ada, origin: office).refusal == nil)
        // The limit of three wrong answers still applies to Ada.
        for _ in 0..<3 { _ = try await attempts.charge(check: check, subject: ada, origin: office) }
        let blocked = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: ada, origin: office)
        }
        #expect(blocked?.reason == .blocked && blocked?.retryAfterMs == 60_000)
        _ = try await attempts.charge(check: check, subject: .name("other"), origin: .address("192.0.2.8"))
    }

    @Test("a user with an earlier sign-in at an address is not affected when others use up its evaluations of a minute")
    func addressRate() async throws {
        let office = Origin.address("192.0.2.7")
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: office))
        for index in 0..<59 {
            _ = try await attempts.charge(check: check, subject: .name("n\(index)"), origin: office)
        }
        let stranger = await #expect(throws: Refusal.self) {
            try await attempts.charge(check: check, subject: .name("other"), origin: office)
        }
        #expect(stranger?.reason == .limitExceeded)
        let ticket = try await attempts.charge(check: check, subject: ada, origin: office)
        #expect(ticket.settled.count == 1)
        try await attempts.settle(ticket)
        #expect(try await attempts.status(check: check, subject: ada, origin: office).remaining == 3)
    }

    /// Uses up `count` of the current minute's evaluations, each from a different uid.
    private func fill(_ count: Int) async throws {
        for index in 0..<count {
            try await attempts.chargeHash(origin: origin(UInt32(6000 + index)))
        }
    }

    private func refusal(at uid: UInt32) async -> Refusal? {
        await #expect(throws: Refusal.self) { try await attempts.chargeHash(origin: origin(uid)) }
    }

    @Test("one origin has 60 of a minute's 600 evaluations of all kinds, and others do not wait for it")
    func share() async throws {
        for _ in 0..<40 { try await attempts.chargeHash(origin: origin()) }
        for index in 0..<20 {
            try await attempts.settle(
                try await attempts.charge(check: check, subject: .name("n\(index)"), origin: origin())
            )
        }
        clock.advance(by: .seconds(25))
        let refused = await refusal(at: 1000)
        #expect(refused?.reason == .limitExceeded)
        #expect(refused?.facts[.limit] == "evaluations")
        #expect(refused?.retryAfterMs == 35_000)
        let status = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(status == AttemptStatus(remaining: 3, max: 3, retryAfterMs: 35_000, isCrowded: true))
        try await attempts.chargeHash(origin: origin(2))
        clock.advance(by: .seconds(35))
        for _ in 0..<60 { try await attempts.chargeHash(origin: origin()) }
        #expect(await refusal(at: 1000)?.facts[.limit] == "evaluations")
    }

    @Test("a share ends with the shared minute, so no origin ever gets more than 60") func aligned() async throws {
        try await attempts.chargeHash(origin: origin(2))
        clock.advance(by: .seconds(59))
        for _ in 0..<60 { try await attempts.chargeHash(origin: origin()) }
        #expect(await refusal(at: 1000)?.retryAfterMs == 1_000)
        clock.advance(by: .seconds(1))
        for _ in 0..<60 { try await attempts.chargeHash(origin: origin()) }
        #expect(await refusal(at: 1000)?.retryAfterMs == 60_000)
    }

    @Test("the last quarter of a minute's evaluations is reserved for origins with an earlier sign-in") func reserved()
        async throws
    {
        try await signIn(at: 1000)
        try await fill(Attempts.evaluations.strangers)
        let status = try await attempts.status(check: check, subject: ada, origin: origin(20_000))
        #expect(status.isCrowded)
        #expect(await refusal(at: 20_000)?.facts[.limit] == "evaluations")
        #expect(await refusal(at: 30_000)?.retryAfterMs == 60_000)
        #expect(try await attempts.status(check: check, subject: ada, origin: origin()).refusal == nil)
        for _ in 0..<60 { try await attempts.chargeHash(origin: origin()) }
        #expect(await refusal(at: 1000)?.facts[.limit] == "evaluations")
        // After 90 days, the origin counts as unknown again.
        clock.advance(by: .seconds(90 * 24 * 3600))
        try await fill(Attempts.evaluations.strangers)
        #expect(await refusal(at: 1000)?.facts[.limit] == "evaluations")
    }

    private func signIn(at uid: UInt32) async throws {
        let flow = FlowRow(
            idHash: "sign-in of \(uid)",
            owner: .local(machine: "machine", uid: uid),
            client: "tasks",
            policy: "p",
            state: Data(),
            rev: 1,
            isOpen: true,
            createdAt: clock.now.wall,
            expires: Deadline(.seconds(900), after: clock.now),
            keptUntil: Deadline(.seconds(900), after: clock.now)
        )
        let user = UserID(oid: "user \(uid)")
        _ = try await store.flows.open(flow)
        var finish = FlowCommit(flow: flow, expectedRev: 1, authentication: Authentication(user: user, proofs: []))
        let record = UserRecord(id: user, signInNames: [], attributes: [:], passwordHash: nil, createdAt: 1)
        finish.changes = [.createUser(record, needsInvitation: false)]
        finish.origin = origin(uid).levels
        try await store.flows.commit(finish)
    }

    @Test("600 wrong passwords a minute from one user's 100 uids leave most of the evaluations to others")
    func manyUIDs()
        async throws
    {
        let file = folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        try await SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            var looked = 0
            for number in 0..<600 {
                let uid = UInt32(100_000 + number % 100)
                let ticket = try? await attempts.charge(check: check, subject: .name("n\(number)"), origin: origin(uid))
                looked += ticket == nil ? 0 : 1
            }
            #expect(looked == Attempts.evaluations.mostOfLevel)
            // The limit also applies to the user's own uid, but not to another user.
            #expect(await refusal(at: 1001)?.facts[.limit] == "evaluations")
            try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin(1002)))
        }
    }

    @Test("600 wrong passwords a minute from as many networks leave evaluations for an origin with an earlier sign-in")
    func manyNetworks() async throws {
        try await signIn(at: 1000)
        for number in 0..<600 {
            let network = Origin.address("32.1.\(number / 256).\(number % 256).0.0.0.1/64")
            _ = try? await attempts.charge(check: check, subject: .name("n\(number)"), origin: network)
        }
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
    }

    @Test("right answers of one user from ten networks of one site get at most a quarter of a minute's evaluations")
    func manyProven() async throws {
        try await signIn(at: 1000)
        let networks = (0..<10).map { Origin.address("32.1.13.184.0.1.0.\($0)/64") }
        var evaluated = 0
        for number in 0..<600 {
            let here = networks[number % networks.count]
            guard let ticket = try? await attempts.charge(check: check, subject: ada, origin: here) else { continue }
            evaluated += 1
            try await attempts.settle(ticket)
        }
        #expect(evaluated == Attempts.evaluations.mostOfLevel)
        let bob = Subject.user(UserID(oid: "bob"))
        try await attempts.settle(try await attempts.charge(check: check, subject: bob, origin: origin()))
    }

    @Test("all users share the evaluations, and each gets no more than are left for the others")
    func fewUsers() async throws {
        var counts: [UInt32: Int] = [:]
        for _ in 0..<30 {
            for uid: UInt32 in 1...10 {
                for offset: UInt32 in 0..<2 {
                    let here = Origin.address("192.0.\(uid).\(offset)")
                    if (try? await attempts.chargeHash(origin: here)) != nil { counts[uid, default: 0] += 1 }
                }
            }
        }
        #expect(counts.values.reduce(0, +) < Attempts.evaluations.strangers)
        try await attempts.chargeHash(origin: .address("198.51.100.1"))
        try await attempts.chargeHash(origin: .address("203.0.113.1"))
    }

    @Test("user codes tried by one user's 100 uids get a quarter of a minute's evaluations") func userCodes()
        async throws
    {
        let file = folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        try await SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            var tried = 0
            for number in 0..<600 {
                let uid = UInt32(100_000 + number % 100)
                if (try? await attempts.chargeUserCode(origin: origin(uid))) != nil { tried += 1 }
            }
            #expect(tried == Attempts.userCodes.mostOfLevel)
            try await attempts.chargeUserCode(origin: origin(1002))
        }
    }

    @Test("shares survive a restart") func shareSurvives() async throws {
        for _ in 0..<60 { try await attempts.chargeHash(origin: origin()) }
        try store.close()
        let second = Attempts(store: try AuthorityStore.open(Self.options(folder, clock)))
        let refused = await #expect(throws: Refusal.self) { try await second.chargeHash(origin: origin()) }
        #expect(refused?.retryAfterMs == 60_000)
    }

    @Test("the daily limit of a check counts all origins and ends with the day") func dailyLimit() async throws {
        let strict = CheckBudget(credential: .password, maxAttempts: 3, block: .seconds(60), dailyLimit: 4)
        func answer(_ uid: UInt32) async -> Refusal? {
            do {
                _ = try await attempts.charge(check: strict, subject: ada, origin: origin(uid))
                return nil
            } catch { return error as? Refusal }
        }
        for uid: UInt32 in [1, 1, 1, 2] { #expect(await answer(uid) == nil) }
        let refused = await answer(2)
        #expect(refused?.reason == .blocked)
        #expect(refused?.retryAfterMs == 86_400_000)
        let status = try await attempts.status(check: strict, subject: ada, origin: origin(3))
        #expect(status == AttemptStatus(remaining: 0, max: 3, retryAfterMs: 86_400_000))
        // After an hour, the hourly limit allows answers again, but the daily limit still applies.
        clock.advance(by: .seconds(3601))
        #expect(await answer(3)?.retryAfterMs == 82_799_000)
        // The daily limit is counted separately for each user and each credential.
        _ = try await attempts.charge(check: strict, subject: .name("other"), origin: origin(3))
        let code = CheckBudget(credential: .email, maxAttempts: 5, block: .seconds(60), dailyLimit: 4)
        _ = try await attempts.charge(check: code, subject: ada, origin: origin(3))
        clock.advance(by: .seconds(82_799))
        #expect(await answer(3) == nil)
    }

    @Test("a mail that would be refused can be detected beforehand, without a charge") func requireMail()
        async throws
    {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        func ask() async throws {
            try await attempts.requireMail(
                to: "ada@example.org",
                for: ada,
                provenBy: [.email, .password],
                origin: origin()
            )
        }
        for _ in 0..<40 { try await ask() }
        for _ in 0..<Attempts.mailsPerAddressHourly.most {
            try await attempts.chargeMail(
                to: "ada@example.org",
                for: ada,
                provenBy: [.email, .password],
                origin: origin()
            )
        }
        let refused = await #expect(throws: Refusal.self) { try await ask() }
        #expect(refused?.facts[.limit] == "mailsPerAddressPerHour")
        #expect(refused?.retryAfterMs == 3_600_000)
    }

    @Test("when the limit of evaluations for all is used up no user is blocked, because only a resource is exhausted")
    func crowded()
        async throws
    {
        try await fill(Attempts.evaluations.strangers)
        let crowded = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(crowded == AttemptStatus(remaining: 3, max: 3, retryAfterMs: 60_000, isCrowded: true))
        #expect(crowded.refusal?.reason == .limitExceeded)
        #expect(crowded.refusal?.facts[.limit] == "evaluations")
        #expect(crowded.refusal?.retryAfterMs == 60_000)
        clock.advance(by: .seconds(60))
        #expect(try await attempts.status(check: check, subject: ada, origin: origin()).refusal == nil)
        _ = try await exhaust()
        try await fill(Attempts.evaluations.strangers - 4)
        // If the limit is used up and the user is also blocked, the refusal states the block as its reason.
        let blocked = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(blocked.refusal?.reason == .blocked)
    }

    /// Requests an e-mail to Ada's address, and returns the refusal, or `nil` if the request is accepted.
    private func mail(from uid: UInt32) async -> Refusal? {
        do {
            try await attempts.chargeMail(
                to: "ada@example.org",
                for: ada,
                provenBy: [.email, .password],
                origin: origin(uid)
            )
            return nil
        } catch { return error as? Refusal }
    }

    @Test("one address gets 10 mails an hour, and 5 more from origins where its user has given a right answer")
    func mailsOfStrangers() async throws {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        // A single origin gets at most 5 of the 10 mails, so that as many are left for other origins.
        for _ in 0..<5 { #expect(await mail(from: 2000) == nil) }
        let refused = await mail(from: 2000)
        #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "mailsPerAddressPerHour")
        #expect(refused?.retryAfterMs == 3_600_000)
        for uid: UInt32 in [2001, 2001, 2001, 2002, 2003] { #expect(await mail(from: uid) == nil) }
        #expect(await mail(from: 2004)?.facts[.limit] == "mailsPerAddressPerHour")
        for _ in 0..<5 { #expect(await mail(from: 1000) == nil) }
        #expect(await mail(from: 1000)?.facts[.limit] == "mailsPerAddressPerHour")
        clock.advance(by: .seconds(3600))
        #expect(await mail(from: 2005) == nil)
    }

    @Test("ten uids can lock a user out at new origins, but not at origins with an earlier sign-in") func lockOut()
        async throws
    {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        for uid: UInt32 in 2000..<2010 { _ = await taken(3, uid: uid) }
        for uid: UInt32 in 2000..<2020 { _ = await mail(from: uid) }
        // At a new origin, neither a password nor a code works until the hour ends, as the docs and SECURITY.md state.
        #expect(await taken(1, uid: 3000) == 0)
        #expect(await mail(from: 3000) != nil)
        #expect(await mail(from: 1000) == nil)
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        clock.advance(by: .seconds(3600))
        #expect(await taken(1, uid: 3000) == 1)
        #expect(await mail(from: 3000) == nil)
    }

    @Test(
        "100 mails a day from unknown origins close an address, except for origins where its user has given a right answer"
    )
    func mailsOfDay() async throws {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        for uid: UInt32 in 2000..<2100 {
            if uid.isMultiple(of: 10) { clock.advance(by: .seconds(3600)) }
            #expect(await mail(from: uid) == nil)
        }
        clock.advance(by: .seconds(3600))
        let refused = await mail(from: 2100)
        #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "mailsPerAddressPerDay")
        #expect(await mail(from: 1000) == nil)
    }

    @Test("the networks of one site get 150 mails in ten minutes, and other sites and known origins get more")
    func mailsOfSite() async throws {
        try await signIn(at: 1000)
        func send(_ number: Int, from origin: Origin) async -> Refusal? {
            let address = "a\(number)@example.org"
            do {
                try await attempts.chargeMail(
                    to: address,
                    for: .name(address),
                    provenBy: [.email, .password],
                    origin: origin
                )
                return nil
            } catch { return error as? Refusal }
        }
        func site(_ site: Int, _ network: Int) -> Origin { .address("32.1.13.184.0.\(site).0.\(network)/64") }
        var sent = 0
        for number in 0..<200 {
            if await send(number, from: site(1, number % 20)) == nil { sent += 1 }
        }
        #expect(sent == Attempts.mails.mostOfLevel)
        let refused = await send(1000, from: site(1, 21))
        #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "mails")
        #expect(refused?.retryAfterMs == 600_000)
        #expect(await send(1001, from: site(2, 1)) == nil)
        // Unknown origins use up their share of the limit. A quarter of the limit remains for known origins.
        for number in 0..<400 { _ = await send(2000 + number, from: site(3 + number % 200, number % 20)) }
        _ = await send(2999, from: site(250, 1))
        #expect(await send(3000, from: site(251, 1))?.facts[.limit] == "mails")
        #expect(await send(3001, from: origin(1000)) == nil)
        clock.advance(by: .seconds(600))
        #expect(await send(1002, from: site(1, 21)) == nil)
    }

    @Test("a newly created credential counts as verified at its origin") func made() async throws {
        let flow = FlowRow(
            idHash: "f",
            owner: .local(machine: "machine", uid: 1000),
            client: "tasks",
            policy: "p",
            state: Data(),
            rev: 1,
            isOpen: true,
            createdAt: clock.now.wall,
            expires: Deadline(.seconds(900), after: clock.now),
            keptUntil: Deadline(.seconds(900), after: clock.now)
        )
        let user = UserID(oid: "ada")
        _ = try await store.flows.open(flow)
        var finish = FlowCommit(flow: flow, expectedRev: 1, authentication: Authentication(user: user, proofs: []))
        let record = UserRecord(id: user, signInNames: [], attributes: [:], passwordHash: nil, createdAt: 1)
        finish.changes = [.createUser(record, needsInvitation: false)]
        finish.proven = attempts.proofs(of: [.password], by: user, at: origin())
        try await store.flows.commit(finish)
        for uid in 1...7 { _ = await taken(3, uid: UInt32(uid)) }
        #expect(await taken(10, uid: 8) == 0)
        #expect(await taken(10) == 3)
    }

    @Test("an operator unlocks a user, and the audit records the operator") func unlock() async throws {
        _ = try await exhaust()
        let count = try await attempts.unlock(UserID(oid: "ada"), by: Caller(owner: .local(machine: "machine", uid: 0)))
        #expect(count == 3)
        #expect(await taken(10) == 3)
        #expect(try await store.audit.all(limit: 10).map(\.event) == ["user.unlocked"])
    }

    @Test("unlocking a user keeps the origins with an earlier right answer") func unlockKnown()
        async throws
    {
        try await attempts.settle(try await attempts.charge(check: check, subject: ada, origin: origin()))
        _ = try await exhaust()
        let root = Caller(owner: .local(machine: "machine", uid: 0))
        #expect(try await attempts.unlock(UserID(oid: "ada"), by: root) > 0)
        #expect(try await attempts.status(check: check, subject: ada, origin: origin()).remaining == 3)
        for uid in 1...7 { _ = await taken(3, uid: UInt32(uid)) }
        #expect(await taken(10, uid: 8) == 0)
        #expect(await taken(10) == 3)
        // After the user has been unlocked, the next block is as short as the first one.
        let status = try await attempts.status(check: check, subject: ada, origin: origin())
        #expect(status.retryAfterMs == 60_000)
    }

    @Test("a block of one user does not affect others") func others() async throws {
        _ = try await exhaust()
        let bob = Subject.user(UserID(oid: "bob"))
        #expect(try await attempts.charge(check: check, subject: bob, origin: origin()).remaining == 2)
    }

    @Test("the credentials of a user have separate budgets") func credentials() async throws {
        _ = try await exhaust()
        let code = CheckBudget(credential: .email, maxAttempts: 5, block: .seconds(60))
        #expect(try await attempts.charge(check: code, subject: ada, origin: origin()).remaining == 4)
    }
}
