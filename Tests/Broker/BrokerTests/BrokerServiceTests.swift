import Administration
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

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct BrokerServiceTests {
    @Test("policies are listed with their issuers") func policies() async throws {
        let daemon = try await Daemon()
        #expect(daemon.broker.policies().map(\.policy) == ["b2c_1_sign_in", "b2c_1_sign_up", "b2c_1_sign_up_or_in"])
        let policy = try daemon.broker.policy("B2C_1_SIGN_IN")
        #expect(policy.issuer == "http://localhost:8420/local/b2c_1_sign_in/v2.0")
        #expect(policy.kind == "sign-in")
        #expect(policy.available)
        for name in ["b2c_1_nothing", "../x"] {
            let refusal = #expect(throws: Refusal.self) { try daemon.broker.policy(name) }
            #expect(refusal?.reason == .unknownPolicy)
        }
    }

    @Test("status counts the uid's accounts and tokens") func status() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        _ = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        daemon.time.advance(by: .seconds(5))
        let status = try await daemon.broker.status(caller: daemon.caller())
        #expect(status.version == "1.2.3")
        #expect(status.counts == ["accounts": 1, "tokens": 1, "flows": 1])
        #expect(status.uptimeMs == 5000)
        let other = try await daemon.broker.status(caller: daemon.caller(1001))
        #expect(other.counts == ["accounts": 0, "tokens": 0, "flows": 0])
    }

    @Test("tokens are listed without their values, until they expire") func tokens() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let listed = try await daemon.broker.tokens.list(account: token.account, caller: daemon.caller())
        #expect(listed.map(\.scopes) == [["tasks.read"]])
        #expect(!"\(listed)".contains(token.accessToken.reveal()))
        daemon.time.advance(by: .seconds(3601))
        #expect(try await daemon.broker.tokens.list(account: nil, caller: daemon.caller()).isEmpty)
        let others = await #expect(throws: Refusal.self) {
            try await daemon.broker.tokens.list(account: token.account, caller: daemon.caller(1001))
        }
        #expect(others?.reason == .accountNotFound)
    }

    @Test("a use is recorded in memory, shown at once and written later") func lastUsed() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        daemon.time.advance(by: .seconds(60))
        daemon.broker.tokens.noteUse(uid: 1000, account: token.account)
        let generation = daemon.broker.tokens.generation(uid: 1000)
        #expect(
            try await daemon.broker.accounts.get(token.account, caller: daemon.caller()).lastUsed
                == daemon.time.now.wall
        )
        await daemon.broker.housekeeping()
        #expect(try daemon.cache.accounts.get(uid: 1000, id: token.account)?.lastUsed == daemon.time.now.wall)
        #expect(daemon.broker.tokens.generation(uid: 1000) == generation)
    }

    @Test("a reloaded configuration, or a change by another daemon, raises the generation") func generation()
        async throws
    {
        let place = try Place()
        let daemon = try await Daemon(in: place)
        let first = daemon.broker.tokens.generation(uid: 1000)
        daemon.broker.changed()
        let second = daemon.broker.tokens.generation(uid: 1000)
        #expect(second > first)
        let other = try await Daemon(in: place, cacheFile: "other-machine")
        _ = try await other.root().rotateKeys(algorithm: nil)
        #expect(daemon.broker.tokens.generation(uid: 1000) == second)
        await daemon.broker.refresh()
        #expect(daemon.broker.tokens.generation(uid: 1000) > second)
    }

    @Test("a call without an id is recorded") func unanswerable() async throws {
        let daemon = try await Daemon()
        await daemon.broker.noteUnanswerable(method: "flow.submit", caller: daemon.caller())
        let rows = try await daemon.ownEvents()
        #expect(rows.last?.event == "request.unanswerable")
        #expect(rows.last?.detail == ["method": "flow.submit"])
    }

    @Test("events belong to the uid, and start after the given one") func audit() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        try await daemon.signUp("bob@example.org", uid: 1001)
        let mine = try await daemon.ownEvents()
        #expect(mine.allSatisfy { $0.uid == 1000 })
        #expect(mine.contains { $0.event == "token.issued" })
        let last = try #require(mine.last)
        #expect(try await daemon.ownEvents(since: last.sequence).isEmpty)
    }
}
