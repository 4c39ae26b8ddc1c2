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

@Suite(.timeLimit(.minutes(2))) struct OperatorsTests {
    @Test("a service's operators are its own uid and those that are named") func who() async throws {
        let daemon = try await Daemon(settings: Daemon.settings(daemonUID: 500))
        #expect(daemon.broker.caller(uid: 0, gid: 0, pid: 1).isOperator)
        #expect(daemon.broker.caller(uid: 500, gid: 500, pid: 1).isOperator)
        #expect(daemon.broker.caller(uid: 1000, gid: 27, pid: 1).isOperator)
        #expect(!daemon.broker.caller(uid: 1000, gid: 1000, pid: 1).isOperator)
        let personal = try await Daemon(settings: Daemon.settings(personal: true, daemonUID: 1000))
        #expect(personal.broker.caller(uid: 1000, gid: 1000, pid: 1).isOperator)
        #expect(!personal.broker.caller(uid: 0, gid: 27, pid: 1).isOperator)
    }

    @Test("nobody else may, and that is audited with uid and pid") func refused() async throws {
        let daemon = try await Daemon()
        let id = CorrelationID.random()
        let caller = daemon.caller()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await daemon.broker.auditAll(since: nil, limit: 1, caller: caller) },
            { _ = try await daemon.broker.addClient(.init(name: "x"), correlationID: id, caller: caller) },
            { _ = try await daemon.broker.clients(correlationID: id, caller: caller) },
            { try await daemon.broker.removeClient("x", correlationID: id, caller: caller) },
            { _ = try await daemon.broker.users(after: nil, limit: 1, correlationID: id, caller: caller) },
            { _ = try await daemon.broker.user("x", correlationID: id, caller: caller) },
            { _ = try await daemon.broker.setUser("x", enabled: false, correlationID: id, caller: caller) },
            { _ = try await daemon.broker.unlockUser("x", correlationID: id, caller: caller) },
            { try await daemon.broker.deleteUser("x", correlationID: id, caller: caller) },
            { _ = try await daemon.broker.keys(correlationID: id, caller: caller) },
            { _ = try await daemon.broker.rotateKeys(algorithm: nil, correlationID: id, caller: caller) },
            { _ = try await daemon.broker.revokeKey("x", correlationID: id, caller: caller) },
        ]
        for call in calls {
            let refusal = await #expect(throws: Refusal.self) { try await call() }
            #expect(refusal?.reason == .notPermitted)
        }
        let rows = try await daemon.broker.auditAll(since: nil, limit: 100, caller: daemon.caller(0))
        let refused = rows.filter { $0.event == "operator.refused" }
        #expect(refused.count == calls.count)
        #expect(refused.allSatisfy { $0.uid == 1000 && $0.pid == 42 })
    }

    @Test("clients and people are shown, changed and audited") func operate() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = daemon.caller(0)
        let id = CorrelationID.random()
        var new = AddClientRequest(name: "Robot")
        new.isConfidential = true
        let client = try await daemon.broker.addClient(new, correlationID: id, caller: root)
        #expect(client.secret != nil)
        let listed = try await daemon.broker.clients(correlationID: id, caller: root)
        #expect(listed.contains { $0.id == client.id && $0.secret == nil && !$0.isConfigured })
        try await daemon.broker.removeClient(client.id, correlationID: id, caller: root)
        let user = try #require(
            try await daemon.broker.users(after: nil, limit: 10, correlationID: id, caller: root).first
        )
        let shown = try await daemon.broker.user(user.id, correlationID: id, caller: root)
        #expect(shown.sessions == 1)
        #expect(shown.families == 1)
        #expect(shown.attributes["displayName"] == "Ada")
        let disabled = try await daemon.broker.setUser(user.id, enabled: false, correlationID: id, caller: root)
        #expect(!disabled.isEnabled)
        let forced = AcquireRequest("tasks.read") {
            $0.forceRefresh = true
            $0.prompt = .none
        }
        await #expect(throws: Refusal.self) { try await daemon.token(forced) }
        try await daemon.broker.deleteUser(user.id, correlationID: id, caller: root)
        let keys = try await daemon.broker.rotateKeys(algorithm: "ES256", correlationID: id, caller: root)
        #expect(Set(keys.map(\.state)) == ["active", "retired"])
        await #expect(throws: OAuthError.self) {
            try await daemon.broker.rotateKeys(algorithm: "HS256", correlationID: id, caller: root)
        }
        let events = try await daemon.events()
        for name in ["client.added", "client.removed", "user.disabled", "user.deleted", "key.generated"] {
            #expect(events.contains(name))
        }
    }

    @Test("the user of a personal daemon must have proved a password shortly before") func personal() async throws {
        let daemon = try await Daemon(settings: Daemon.settings(personal: true, daemonUID: 1000))
        _ = try await daemon.broker.clients(correlationID: .random(), caller: daemon.caller())
        try await daemon.signUp()
        _ = try await daemon.broker.clients(correlationID: .random(), caller: daemon.caller())
        daemon.time.advance(by: .seconds(301))
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.clients(correlationID: .random(), caller: daemon.caller())
        }
        #expect(refusal?.reason == .interactionRequired)
    }
}
