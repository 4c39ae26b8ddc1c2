import AuthorityStore
import FlowModel
import Moments
import OAuth
import TestSupport
import Testing
import TokenCache

@testable import Administration
@testable import Broker

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct PeopleTests {
    @Test("a user's groups are in the very next token, and no longer than the membership") func groups() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let root = try await daemon.root()
        #expect(ada.claims["groups"] == nil)
        #expect(try await root.add("ADA@example.org", toGroup: "admins").count == 1)
        #expect(try await daemon.token("tasks.read").claims["groups"] == ["admins"])
        let oid = try #require(ada.claims["oid"]?.string)
        #expect(try await root.user(oid).groups == ["admins"])
        #expect(try await root.group("admins", after: nil).members == [oid])
        try await root.remove(oid, fromGroup: "admins")
        #expect(try await daemon.token("tasks.read").claims["groups"] == nil)
        #expect(try await root.groups().isEmpty)
        let events = try await daemon.events()
        #expect(events.contains("group.added") && events.contains("group.removed"))
    }

    @Test("a group requires a valid name and an existing member") func names() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = try await daemon.root()
        for name in ["", "a b", "a\"b", "ä", String(repeating: "x", count: 65)] {
            let error = await #expect(throws: InvalidParameters.self) {
                try await root.add("ada@example.org", toGroup: name)
            }
            #expect(error?.text == Text("refusal.groupName"))
        }
        for body: @Sendable () async throws -> Void in [
            { _ = try await root.add("ghost", toGroup: "g") },
            { try await root.remove("ada@example.org", fromGroup: "g") },
        ] {
            let refusal = await #expect(throws: Refusal.self) { try await body() }
            #expect(refusal?.reason == .accountNotFound)
        }
    }

    @Test("the refusal of one group too many says that the user is in too many") func tooManyGroups()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = try await daemon.root()
        for number in 0..<64 { _ = try await root.add("ada@example.org", toGroup: "g\(number)") }
        let refusal = await #expect(throws: Refusal.self) { try await root.add("ada@example.org", toGroup: "more") }
        #expect(refusal?.text == Text("refusal.groupsOfUserFull", ["count": 64]))
        #expect(refusal?.facts[.limit] == "groups")
    }

    @Test("an unknown group is an error, not an empty group") func unknownGroup() async throws {
        let root = try await Daemon().root()
        let error = await #expect(throws: InvalidParameters.self) { try await root.group("nope", after: nil) }
        #expect(error?.text == Text("refusal.noSuchGroup"))
    }

    @Test("an invited user gets a mail; an invalid address, or one with an account, is rejected") func invite()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = try await daemon.root()
        let invitation = try await root.invite("bob@example.org", days: 2)
        #expect(invitation.expiresAt == daemon.time.now.wall + 2 * 86_400_000)
        let mail = try await daemon.store.outbox.take(limit: 9, lease: .seconds(1)).last?.mail
        #expect(mail?.to == "bob@example.org" && mail?.body.reveal().contains("2 days") == true)
        let unicode = try await root.invite("bob@B\u{DC}CHER.example", days: nil).email
        #expect(unicode == "bob@b\u{FC}cher.example")
        // The Kelvin sign (U+212A) becomes the letter K in the address of the invitation.
        let kelvin = try await root.invite("\u{212A}ate@example.org", days: nil).email
        #expect(Array(kelvin.unicodeScalars) == Array("Kate@example.org".unicodeScalars))
        for (address, key) in [("bob", "refusal.noAddress"), ("ada@example.org", "refusal.addressTaken")] {
            let error = await #expect(throws: InvalidParameters.self) { try await root.invite(address, days: nil) }
            #expect(error?.text == Text(key))
        }
        try await root.delete("bob@example.org")
        #expect(try await !daemon.store.invitations.has("bob@example.org"))
        let refusal = await #expect(throws: Refusal.self) { try await root.delete("bob@example.org") }
        #expect(refusal?.reason == .accountNotFound)
    }

    @Test("if sign-up is closed no user can be invited, and the policy reports it") func closed() async throws {
        let daemon = try await Daemon(settings: .init(daemonUID: 0, isPersonal: false, isSignUpClosed: true))
        let root = try await daemon.root()
        let error = await #expect(throws: InvalidParameters.self) {
            try await root.invite("bob@example.org", days: nil)
        }
        #expect(error?.text == Text("refusal.nobodyCanSignUp"))
        let policies = daemon.broker.policies()
        #expect(policies.filter { !$0.available }.map(\.policy) == ["b2c_1_sign_up"])
        #expect(policies.first { !$0.available }?.missing == Text("refusal.signUpClosed"))
    }

    @Test("one backup runs at a time") func backups() async throws {
        let daemon = try await Daemon()
        let root = try await daemon.root()
        #expect(daemon.administration.backups.begin())
        let refusal = await #expect(throws: Refusal.self) { try await root.backUp() }
        #expect(refusal?.reason == .limitExceeded)
        daemon.administration.backups.end()
        let backup = try await root.backUp()
        #expect(backup.path.hasPrefix(daemon.folder.path("state") + "/backups/") && backup.bytes > 0)
        #expect(try await daemon.events().contains("store.backed_up"))
    }
}
