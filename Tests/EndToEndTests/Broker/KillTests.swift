import Authority
import FlowModel
import Foundation
import GRDB
import OAuth
import Synchronization
import TestSupport
import Testing
import TokenCache

/// The daemon is killed again and again while several programs use it; nothing it has acknowledged is lost.
///
/// `TOKENBROKER_EVERY_INSTANT=1` kills it 200 times; otherwise it is killed 60 times.
@Suite(.timeLimit(.minutes(20)))
struct KillTests {
    /// How often the daemon is killed.
    fileprivate static let kills = ProcessInfo.processInfo.environment["TOKENBROKER_EVERY_INSTANT"] == "1" ? 200 : 60
    /// Programs that use it meanwhile.
    private static let clients = 4

    /// What the clients were told, so what must hold after every kill.
    private struct Ledger {
        /// People whose sign-up was acknowledged.
        var signedUp: [Person] = []
        /// Everybody who was asked for, acknowledged or not.
        var attempted: [String: Person] = [:]
        /// People whose sign-out was acknowledged; they never come back.
        var signedOut: Set<String> = []
        /// People a client is working with, so that no two do.
        var busy: Set<String> = []
        /// How often which client was refused what.
        var refusals: [String: Int] = [:]
        /// How many wrong passwords were sent.
        var guesses = 0
        /// How many wrong passwords were answered as wrong, by address.
        var rejected: [String: Int] = [:]
        /// How many tokens were renewed.
        var renewals = 0
        /// Between how many kills at least one was.
        var roundsWithRenewal = 0
        /// How many kills ended a renewal that was under way.
        var renewalsCut = 0
        /// Who was there for a client that found no account of theirs.
        var missing: [String] = []

        /// True if the load did enough of everything that a kill can cut off.
        var hasEverything: Bool { signedOut.count > 3 && signedUp.count > 15 && hasRenewals }
        /// True if tokens were renewed in enough rounds, and renewals cut off.
        var hasRenewals: Bool {
            roundsWithRenewal > KillTests.kills / 4 && renewals > KillTests.kills && renewalsCut > KillTests.kills / 100
        }
    }

    /// So many stay signed in, for somebody to be renewed between any two kills.
    private static let staying = 5

    /// What a client may be refused in this load.
    private static let expectedRefusals: Set<String> = ["blocked", "limit_exceeded", "account_not_found"]

    @Test("kills under load lose nothing that was acknowledged")
    func killed() async throws {
        let machine = try Machine(
            configuration: ["limits: {mailsPerUid: 1000000, mailsPerUidPerDay: 1000000}"],
            isDurable: true
        )
        try machine.lengthenBlocks()
        let ledger = Mutex(Ledger())
        var daemon = try machine.startBroker()
        let victims = try (0..<3).map { _ in try newPerson(machine, ledger) }
        for _ in 0..<Self.staying / 2 { try newPerson(machine, ledger) }
        var killed = 0
        // On a busy machine little is done in one life of the daemon: it lives longer then, and more often.
        var rounds = 0
        while rounds < Self.kills || rounds < 3 * Self.kills && !ledger.withLock({ $0.hasEverything }) {
            rounds += 1
            let running = daemon
            let before = ledger.withLock { $0.renewals }
            let moment = Int.random(in: 5...(400 + 10 * max(0, rounds - Self.kills)))
            let killer = Thread {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(moment))
                running.signal(SIGKILL)
            }
            killer.start()
            _ = inThreads(Self.clients) { number in
                use(machine, ledger, victims: victims, as: number)
            }
            if daemon.wait() == -SIGKILL { killed += 1 }
            ledger.withLock { if $0.renewals > before { $0.roundsWithRenewal += 1 } }
            daemon = try machine.startBroker()
            try machine.closeFlows()
        }
        #expect(killed == rounds, "every kill met a daemon that ran")
        try verify(machine, ledger.withLock { $0 }, victims)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        try verifyDatabases(machine, ledger.withLock { $0 })
        try await verifyFamilies(machine)
    }

    @Test("a guess that was charged counts though a kill cut it off: after three not even the right password helps")
    func cutOff()
        throws
    {
        let machine = try Machine(isDurable: true)
        try machine.lengthenBlocks()
        let person = Person.random()
        var daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        var left: Int64 = 3
        for round in 0..<40 where left > 0 {
            let (guesser, watcher) = (try machine.connect(), try machine.connect())
            let started = try guesser.call(
                "flow.start",
                ["policy": "b2c_1_sign_in", "requestId": .string("cut-\(round)")]
            )
            let flow = try #require(started["flow"])
            let answers: JSONValue = ["username": .string(person.email), "password": "Wrong-horse-\(round)"]
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": 99, "method": "flow.submit", "params": Connection.submission(flow, answers),
            ]
            try guesser.socket.send(request.text)
            try blockUntil("guess \(round) is being looked at") {
                let now = try watcher.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
                return now?["state"]?.string != "challenge"
            }
            // The guess was charged with its claim, so the kill falls between charge and verdict, or behind both.
            for _ in 0..<(round % 4) { _ = try watcher.call("broker.status") }
            daemon.signal(SIGKILL)
            #expect(daemon.wait() == -SIGKILL)
            daemon = try machine.startBroker()
            let cut = try machine.connect().call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            let now = cut?["step"]?["attempts"]?["remaining"]?.int ?? 0
            #expect(now == left - 1, "guess \(round): \(now) of \(left) are left")
            left = now
            try machine.closeFlows()
        }
        #expect(left == 0, "three guesses were charged")
        let refused = #expect(throws: Connection.Refused.self) { try person.signIn(machine.connect()) }
        #expect(refused?.reason == "blocked")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    /// A client found that the daemon is gone.
    private struct Gone: Error {}

    @discardableResult
    private func newPerson(_ machine: Machine, _ ledger: borrowing Mutex<Ledger>) throws -> Person {
        let person = Person.random()
        ledger.withLock { $0.attempted[person.email] = person }
        let connection = try machine.connect()
        let flow = try person.beginSignUp(connection)
        var code: String?
        try blockUntil("a code is mailed to \(person.email)") {
            code = machine.codeIfMailed(to: person.email, within: 10)
            // A daemon that was killed before it mailed the code will not mail it while this client waits.
            if code == nil, !connection.socket.isSilent { throw Gone() }
            return code != nil
        }
        try person.endSignUp(flow, code: try #require(code), connection)
        ledger.withLock { $0.signedUp.append(person) }
        return person
    }

    /// One client, until the daemon is gone.
    private func use(_ machine: Machine, _ ledger: borrowing Mutex<Ledger>, victims: [Person], as number: Int) {
        do {
            let connection = try machine.connect()
            try blockUntil("the daemon of client \(number) is killed") {
                do {
                    switch number {
                    case 0: try newPerson(machine, ledger)
                    case 1: try guess(connection, ledger, victims)
                    case 2: try acquire(connection, ledger, except: victims)
                    default: try signOutSomebody(connection, ledger, except: victims)
                    }
                } catch let refused as Connection.Refused where Self.expectedRefusals.contains(refused.reason ?? "") {
                    // A refusal ends nothing but what was refused.
                    ledger.withLock { $0.refusals["\(number) \(refused.reason ?? "")", default: 0] += 1 }
                    try idle(connection)
                }
                return false
            }
        } catch is LineSocket.Failure {
            // The daemon was killed.
        } catch is Gone {
            // It was killed while something was awaited.
        } catch {
            Issue.record("client \(number): \(error)")
        }
    }

    /// Leaves the daemon to the others for a moment, then finds out whether it still lives.
    private func idle(_ connection: Connection) throws {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
        _ = try connection.call("policy.list")
    }

    /// Guesses a password now and then; who is blocked costs the budget of the uid nothing.
    private func guess(_ connection: Connection, _ ledger: borrowing Mutex<Ledger>, _ victims: [Person]) throws {
        guard Int.random(in: 0..<20) == 0, let victim = victims.randomElement() else {
            return try idle(connection)
        }
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "requestId": .string("g-\(UInt64.random(in: 0 ... .max))")]
        )
        let flow = try #require(started["flow"])
        ledger.withLock { $0.guesses += 1 }
        let guess = "Wrong-horse-\(UInt64.random(in: 0 ... .max))"
        let answer = try connection.submit(flow, ["username": .string(victim.email), "password": .string(guess)])
        if answer["verdict"]?.string == "rejected" {
            ledger.withLock { $0.rejected[victim.email, default: 0] += 1 }
        }
        _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
    }

    /// Takes somebody whom no other client works with.
    private func take(_ ledger: borrowing Mutex<Ledger>, except victims: [Person]) -> Person? {
        ledger.withLock { book in
            let free = book.signedUp.filter { person in
                !book.busy.contains(person.email) && !book.signedOut.contains(person.email)
                    && !victims.contains { $0.email == person.email }
            }
            guard let person = free.randomElement() else { return nil }
            book.busy.insert(person.email)
            return person
        }
    }

    private func account(of person: Person, _ connection: Connection) throws -> JSONValue? {
        let accounts = try connection.call("account.list")["accounts"]?.array ?? []
        return accounts.first { $0["username"]?.string == person.email }?["account"]
    }

    private func acquire(_ connection: Connection, _ ledger: borrowing Mutex<Ledger>, except victims: [Person]) throws {
        guard let person = take(ledger, except: victims) else {
            return try idle(connection)
        }
        defer { _ = ledger.withLock { $0.busy.remove(person.email) } }
        guard let account = try account(of: person, connection) else {
            return ledger.withLock { $0.missing.append(person.email) }
        }
        _ = try person.token(connection, ["account": account])
        do {
            let token = try person.token(connection, ["account": account, "forceRefresh": true])
            ledger.withLock { if token["fromCache"]?.bool == false { $0.renewals += 1 } }
        } catch let failure as LineSocket.Failure {
            ledger.withLock { $0.renewalsCut += 1 }
            throw failure
        }
    }

    private func signOutSomebody(
        _ connection: Connection,
        _ ledger: borrowing Mutex<Ledger>,
        except victims: [Person]
    ) throws {
        let isCrowded = ledger.withLock { $0.signedUp.count - $0.signedOut.count > victims.count + Self.staying }
        guard isCrowded, Bool.random(), let person = take(ledger, except: victims) else {
            return try idle(connection)
        }
        defer { _ = ledger.withLock { $0.busy.remove(person.email) } }
        guard let account = try account(of: person, connection) else { return }
        do {
            _ = try connection.call("session.signOut", ["account": account])
            _ = ledger.withLock { $0.signedOut.insert(person.email) }
        } catch {
            // Whether it happened is not known, so nothing is expected of this person any more.
            ledger.withLock { $0.signedUp.removeAll { $0.email == person.email } }
            throw error
        }
    }

    /// Tries again when the broker says so, if only too much was asked of it at once.
    private func patiently<R>(_ body: () throws -> R) throws -> R {
        for _ in 0..<20 {
            do {
                return try body()
            } catch let refused as Connection.Refused where refused.reason == "limit_exceeded" {
                let wait = Int(refused.retryAfterMs ?? 1000)
                guard wait <= 60_000 else { throw refused }
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(wait))
            }
        }
        return try body()
    }

    private func verify(_ machine: Machine, _ book: Ledger, _ victims: [Person]) throws {
        let connection = try machine.connect()
        let accounts = try connection.call("account.list")["accounts"]?.array ?? []
        let names = Set(accounts.compactMap { $0["username"]?.string })
        #expect(
            book.hasEverything,
            "\(book.signedUp.count) sign-ups and \(book.signedOut.count) sign-outs: \(book.refusals)"
        )
        #expect(book.missing.isEmpty, "nobody who is signed in was without an account: \(book.missing)")
        #expect(
            book.hasRenewals,
            "\(book.renewals) renewals in \(book.roundsWithRenewal) rounds, \(book.renewalsCut) cut: \(book.refusals)"
        )
        #expect(book.guesses > book.rejected.values.reduce(0, +), "some guesses were cut off or blocked")
        for person in book.signedUp where !book.signedOut.contains(person.email) {
            #expect(names.contains(person.email), "the account of \(person.email) is there")
        }
        for name in book.signedOut {
            #expect(!names.contains(name), "the sign-out of \(name) holds")
        }
        for person in book.signedUp where !book.signedOut.contains(person.email) {
            let account = try #require(try account(of: person, connection))
            let token = try person.token(connection, ["account": account, "forceRefresh": true])
            #expect(token["fromCache"]?.bool == false)
        }
        // In a daemon of one's own only who has just proved a password may look at its people.
        let somebody = try #require(book.signedUp.first { person in !victims.contains { $0.email == person.email } })
        #expect(try patiently { try somebody.signIn(connection) } == "accepted")
        let existing = try connection.call("user.list")["users"]?.array ?? []
        let known = Set(existing.flatMap { $0["signInNames"]?.strings ?? [$0["username"]?.string ?? ""] })
        #expect(!known.isEmpty && !book.attempted.isEmpty && !victims.isEmpty)
        for person in book.attempted.values where known.contains(person.email) {
            guard !victims.contains(where: { $0.email == person.email }) else { continue }
            let verdict = try patiently { try person.signIn(connection) }
            #expect(verdict == "accepted", "the account of \(person.email) is whole")
        }
        for victim in victims {
            let wrong = try book.rejected[victim.email, default: 0] + guessesLeft(of: victim, connection, machine)
            #expect(wrong <= 3, "attempts of \(victim.email) were not given back")
        }
    }

    /// Guesses until the person is blocked.
    ///
    /// - Returns: How many guesses were looked at.
    private func guessesLeft(of victim: Person, _ connection: Connection, _ machine: Machine) throws -> Int {
        var guesser = victim
        for guesses in 0...3 {
            // A sign-in that was refused stays open for another answer, and a uid has few.
            try machine.closeFlows()
            guesser.password = "Wronger-horse-\(guesses)"
            do {
                #expect(try patiently { try guesser.signIn(connection) } == "rejected")
            } catch let refused as Connection.Refused where refused.reason == "blocked" {
                return guesses
            }
        }
        Issue.record("\(victim.email) is not blocked after four guesses")
        return 4
    }

    private func verifyDatabases(_ machine: Machine, _ book: Ledger) throws {
        for name in ["authority.sqlite", "cache.sqlite"] {
            let database = try DatabaseQueue(path: machine.state + "/" + name)
            let words = try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            #expect(words == ["ok"], "\(name)")
        }
        let authority = try DatabaseQueue(path: machine.state + "/authority.sqlite")
        try authority.read { db in
            func count(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, sql: sql) ?? 0 }
            let rows = try count("SELECT COUNT(*) FROM audit")
            let (first, last) = (try count("SELECT MIN(seq) FROM audit"), try count("SELECT MAX(seq) FROM audit"))
            #expect(last - first + 1 == rows, "the audit has no gap")
            let counted = try count("SELECT SUM(kept) + SUM(forgotten) FROM audit_owners")
            #expect(counted == last, "every number of the audit is counted")
            let users = try count("SELECT COUNT(*) FROM users")
            #expect(users >= book.signedUp.count)
            let named = try count("SELECT COUNT(DISTINCT user_id) FROM sign_in_names")
            #expect(named == users, "nobody is without a name")
            let lost = try count(
                "SELECT COUNT(*) FROM audit WHERE event = 'family.revoked' AND detail LIKE '%not_kept%'"
            )
            #expect(lost == 0, "a sign-out ends nobody else's family")
            let made = try count("SELECT COUNT(*) FROM audit WHERE event = 'account.created'")
            #expect(made == users, "every account has its audit row")
        }
    }

    /// Presents the refresh tokens of the cache as another uid does who got hold of them.
    private func verifyFamilies(_ machine: Machine) async throws {
        let library = try Library(machine)
        var presented = 0
        for account in try library.cache.accounts.list(uid: geteuid()) {
            for (client, policy) in account.policies.map({ ("tokenbroker-cli", $0) }) {
                let row = try library.cache.refreshTokens.get(
                    uid: geteuid(),
                    account: account.account,
                    client: client,
                    policy: policy
                )
                guard let row else { continue }
                presented += 1
                let thief = Owner.local(machine: library.machine, uid: geteuid() + 1)
                for owner in [thief, Owner.local(machine: library.machine, uid: geteuid())] {
                    let refusal = await #expect(throws: Refusal.self) {
                        _ = try await library.authority.redeem(row.token, client: client, Caller(owner: owner))
                    }
                    #expect(refusal?.reason == .interactionRequired, "a token that was stolen is nobody's any more")
                }
            }
        }
        #expect(presented > 0)
    }
}
