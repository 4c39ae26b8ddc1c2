import Authority
import FlowModel
import Foundation
import GRDB
import OAuth
import Synchronization
import TestSupport
import Testing
import TokenCache

/// Tests that kill the daemon repeatedly while several programs use it.
///
/// No acknowledged change may be lost.
///
/// If the environment variable `TOKENBROKER_EVERY_INSTANT` is `1`, the daemon is killed at least 200 times, otherwise
/// at least 60 times.
@Suite(.timeLimit(.minutes(20)))
struct KillTests {
    /// The minimum number of kills.
    fileprivate static let kills = ProcessInfo.processInfo.environment["TOKENBROKER_EVERY_INSTANT"] == "1" ? 200 : 60
    /// The number of clients that use the daemon at the same time.
    private static let clients = 4

    /// A record of the changes that the daemon acknowledged, which must survive every kill, and of the clients' calls.
    private struct Ledger {
        /// The users whose sign-up the daemon acknowledged.
        var signedUp: [Person] = []
        /// All users whose sign-up was started, keyed by e-mail address.
        var attempted: [String: Person] = [:]
        /// The e-mail addresses of the users whose sign-out the daemon acknowledged.
        ///
        /// Their accounts must never reappear.
        var signedOut: Set<String> = []
        /// The e-mail addresses of the users that a client is working with.
        ///
        /// No other client may work with these users at the same time.
        var busy: Set<String> = []
        /// The number of refusals, keyed by client and reason.
        var refusals: [String: Int] = [:]
        /// The number of wrong passwords that a client sent.
        var guesses = 0
        /// The number of wrong passwords that the daemon verified and rejected, keyed by e-mail address.
        var rejected: [String: Int] = [:]
        var renewals = 0
        /// The number of rounds with at least one renewal.
        ///
        /// A round ends with a kill.
        var roundsWithRenewal = 0
        /// The number of renewals that a kill interrupted.
        var renewalsCut = 0
        /// The e-mail addresses of signed-in users whose account a client did not find.
        var missing: [String] = []

        /// Whether the clients did enough sign-ups, sign-outs and renewals for the kills to interrupt.
        var hasEverything: Bool { signedOut.count > 3 && signedUp.count > 15 && hasRenewals }
        /// Whether tokens were renewed in enough rounds, and enough renewals were interrupted.
        var hasRenewals: Bool {
            roundsWithRenewal > KillTests.kills / 4 && renewals > KillTests.kills && renewalsCut > KillTests.kills / 100
        }
    }

    /// The minimum number of users who stay signed in, so that each round has a token to renew.
    private static let staying = 5

    /// The reasons for which the daemon may refuse calls under this load.
    private static let expectedRefusals: Set<String> = ["blocked", "limit_exceeded", "account_not_found"]

    @Test("kills under load lose no acknowledged change")
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
        // A round achieves little on a busy machine, so further and longer rounds may follow.
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
        #expect(killed == rounds, "every kill hit a running daemon")
        try verify(machine, ledger.withLock { $0 }, victims)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        try verifyDatabases(machine, ledger.withLock { $0 })
        try await verifyFamilies(machine)
    }

    @Test("a counted guess stays counted after a kill: after three the right password is refused, too")
    func cutOff() throws {
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
            try blockUntil("guess \(round) is being verified") {
                let now = try watcher.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
                return now?["state"]?.string != "challenge"
            }
            // The guess is counted before it is verified. These calls delay the kill, so that some kills happen before
            // the verification has ended and others afterwards.
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
        #expect(left == 0, "three guesses were counted")
        let refused = #expect(throws: Connection.Refused.self) { try person.signIn(machine.connect()) }
        #expect(refused?.reason == "blocked")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    /// An error for a daemon that was killed while a client waited for a mail.
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
            // A closed connection means that the daemon was killed. It will not mail the code while this client waits.
            if code == nil, !connection.socket.isSilent { throw Gone() }
            return code != nil
        }
        try person.endSignUp(flow, code: try #require(code), connection)
        ledger.withLock { $0.signedUp.append(person) }
        return person
    }

    /// Runs one client until the daemon is killed.
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
                    // A refusal ends only the refused call, and the client continues.
                    ledger.withLock { $0.refusals["\(number) \(refused.reason ?? "")", default: 0] += 1 }
                    try idle(connection)
                }
                return false
            }
        } catch is LineSocket.Failure {
            // The daemon was killed.
        } catch is Gone {
            // The daemon was killed while this client waited for a mail.
        } catch {
            Issue.record("client \(number): \(error)")
        }
    }

    /// Lets the other clients work for a moment, and throws an error if the daemon was killed.
    private func idle(_ connection: Connection) throws {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
        _ = try connection.call("policy.list")
    }

    /// Guesses a password in about one of twenty calls.
    ///
    /// A guess for a blocked user does not use up the rate limits of the uid.
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

    /// Reserves a user for one client, or returns `nil` if no user is free.
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
            // It is unknown whether the daemon completed the sign-out, so the test no longer checks this user.
            ledger.withLock { $0.signedUp.removeAll { $0.email == person.email } }
            throw error
        }
    }

    /// Retries a call that the broker refuses because of a rate limit.
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
        #expect(book.missing.isEmpty, "signed-in users without an account: \(book.missing)")
        #expect(
            book.hasRenewals,
            "\(book.renewals) renewals in \(book.roundsWithRenewal) rounds, \(book.renewalsCut) cut: \(book.refusals)"
        )
        #expect(book.guesses > book.rejected.values.reduce(0, +), "some guesses were interrupted or blocked")
        for person in book.signedUp where !book.signedOut.contains(person.email) {
            #expect(names.contains(person.email), "the account of \(person.email) exists")
        }
        for name in book.signedOut {
            #expect(!names.contains(name), "the sign-out of \(name) holds")
        }
        for person in book.signedUp where !book.signedOut.contains(person.email) {
            let account = try #require(try account(of: person, connection))
            let token = try person.token(connection, ["account": account, "forceRefresh": true])
            #expect(token["fromCache"]?.bool == false)
        }
        // In a per-user daemon, only a user who has just entered a password may list the users.
        let somebody = try #require(book.signedUp.first { person in !victims.contains { $0.email == person.email } })
        #expect(try patiently { try somebody.signIn(connection) } == "accepted")
        let existing = try connection.call("user.list")["users"]?.array ?? []
        let known = Set(existing.flatMap { $0["signInNames"]?.strings ?? [$0["username"]?.string ?? ""] })
        #expect(!known.isEmpty && !book.attempted.isEmpty && !victims.isEmpty)
        for person in book.attempted.values where known.contains(person.email) {
            guard !victims.contains(where: { $0.email == person.email }) else { continue }
            let verdict = try patiently { try person.signIn(connection) }
            #expect(verdict == "accepted", "the account of \(person.email) is complete")
        }
        for victim in victims {
            let wrong = try book.rejected[victim.email, default: 0] + guessesLeft(of: victim, connection, machine)
            #expect(wrong <= 3, "attempts of \(victim.email) were not restored")
        }
    }

    /// Sends wrong passwords until the user is blocked.
    ///
    /// - Returns: The number of guesses that the daemon verified before the block.
    private func guessesLeft(of victim: Person, _ connection: Connection, _ machine: Machine) throws -> Int {
        var guesser = victim
        for guesses in 0...3 {
            // A rejected sign-in leaves its flow open, and a uid may have only a few open flows.
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
            #expect(named == users, "every user has a name")
            let lost = try count(
                "SELECT COUNT(*) FROM audit WHERE event = 'family.revoked' AND detail LIKE '%not_kept%'"
            )
            #expect(lost == 0, "a sign-out revokes no other family")
            let made = try count("SELECT COUNT(*) FROM audit WHERE event = 'account.created'")
            #expect(made == users, "every account has its audit row")
        }
    }

    /// Presents each cached refresh token as a thief with another uid, and then as its owner.
    ///
    /// The theft must make the token unusable for both.
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
                    #expect(refusal?.reason == .interactionRequired, "a stolen token is valid for no user")
                }
            }
        }
        #expect(presented > 0)
    }
}
