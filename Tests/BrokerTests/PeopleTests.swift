import AuthorityStore
import FlowModel
import Moments
import OAuth
import TestSupport
import Testing
import TokenCache

@testable import Broker

@Suite(.timeLimit(.minutes(2))) struct PeopleTests {
    private let id = CorrelationID.random()

    @Test("nobody but an operator invites, sees groups, changes them or makes a backup") func refused() async throws {
        let daemon = try await Daemon()
        let (broker, caller) = (daemon.broker, daemon.caller())
        let calls: [@Sendable () async throws -> Void] = [
            { [id] in _ = try await broker.invite("a@example.org", days: nil, caller: caller) },
            { [id] in _ = try await broker.groups(nil, after: nil, caller: caller) },
            { [id] in _ = try await broker.addToGroup("x", user: "y", caller: caller) },
            { [id] in try await broker.removeFromGroup("x", user: "y", caller: caller) },
            { [id] in _ = try await broker.backup(caller: caller) },
        ]
        for call in calls {
            let refusal = await #expect(throws: Refusal.self) { try await call() }
            #expect(refusal?.reason == .notPermitted)
        }
        let events = try await daemon.store.audit.all(limit: 1000).filter {
            $0.event == "operator.refused"
        }
        #expect(
            events.map { $0.detail["method"] } == [
                "user.invite", "group.list", "group.add", "group.remove", "store.backup",
            ]
        )
    }

    @Test("the groups of a person stand in the very next token, and no longer than that") func groups() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let root = daemon.caller(0)
        #expect(ada.claims["groups"] == nil)
        let added = try await daemon.broker.addToGroup(
            "admins",
            user: "ADA@example.org",
            caller: root
        )
        #expect(added.count == 1)
        #expect(try await daemon.token("tasks.read").claims["groups"] == ["admins"])
        let oid = try #require(ada.claims["oid"]?.string)
        let shown = try await daemon.broker.user(oid, caller: root)
        #expect(shown.groups == ["admins"])
        let members = try await daemon.broker.groups("admins", after: nil, caller: root)
        #expect(members.first?.members == [oid])
        try await daemon.broker.removeFromGroup("admins", user: oid, caller: root)
        #expect(try await daemon.token("tasks.read").claims["groups"] == nil)
        #expect(try await daemon.broker.groups(nil, after: nil, caller: root).isEmpty)
        let events = try await daemon.events()
        #expect(events.contains("group.added") && events.contains("group.removed"))
    }

    @Test("a group has a plain name, and a member who is there") func names() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = daemon.caller(0)
        for name in ["", "a b", "a\"b", "ä", String(repeating: "x", count: 65)] {
            await #expect(throws: OAuthError.self) {
                try await daemon.broker.addToGroup(name, user: "ada@example.org", caller: root)
            }
        }
        for body: @Sendable () async throws -> Void in [
            { [id] in _ = try await daemon.broker.addToGroup("g", user: "ghost", caller: root) },
            { [id] in
                try await daemon.broker.removeFromGroup("g", user: "ada@example.org", caller: root)
            },
        ] {
            let refusal = await #expect(throws: Refusal.self) { try await body() }
            #expect(refusal?.reason == .accountNotFound)
        }
    }

    @Test("who is invited is mailed; what is no address, or has an account, is refused") func invite() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = daemon.caller(0)
        let invitation = try await daemon.broker.invite("bob@example.org", days: 2, caller: root)
        #expect(invitation.expiresAt == daemon.time.now.wall + 2 * 86_400_000)
        let mail = try await daemon.store.outbox.take(limit: 9, lease: .seconds(1)).last?.mail
        #expect(mail?.to == "bob@example.org" && mail?.body.reveal().contains("2 days") == true)
        for address in ["bob", "ada@example.org"] {
            await #expect(throws: OAuthError.self) {
                try await daemon.broker.invite(address, days: nil, caller: root)
            }
        }
        try await daemon.broker.deleteUser("bob@example.org", caller: root)
        #expect(try await !daemon.store.invitations.has("bob@example.org"))
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.deleteUser("bob@example.org", caller: root)
        }
        #expect(refusal?.reason == .accountNotFound)
    }

    @Test("where sign-up is closed nobody is invited, and its policy says so") func closed() async throws {
        let settings = BrokerSettings(
            version: "1.2.3",
            defaultPolicy: Daemon.policy("b2c_1_sign_up_or_in"),
            daemonUID: 0,
            isPersonal: false,
            isSignUpClosed: true
        )
        let daemon = try await Daemon(settings: settings)
        await #expect(throws: OAuthError.self) {
            try await daemon.broker.invite("bob@example.org", days: nil, caller: daemon.caller(0))
        }
        let policies = daemon.broker.policies()
        #expect(policies.filter { !$0.available }.map(\.policy) == ["b2c_1_sign_up"])
        #expect(policies.first { !$0.available }?.missing?.contains("closed") == true)
    }

    @Test("one backup at a time is made") func backups() async throws {
        let daemon = try await Daemon()
        let root = daemon.caller(0)
        #expect(daemon.broker.backups.begin())
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.backup(caller: root)
        }
        #expect(refusal?.reason == .limitExceeded)
        daemon.broker.backups.end()
        let backup = try await daemon.broker.backup(caller: root)
        #expect(backup.path.hasPrefix(daemon.folder.path("state") + "/backups/") && backup.bytes > 0)
        #expect(try await daemon.events().contains("store.backed_up"))
    }
}
