import AuthorityStore
import FlowModel
import Moments
import OAuth
import TestSupport
import Testing

@testable import Administration

@Suite(.timeLimit(.minutes(1)))
struct UsersTests {
    private static let ada = UserID(oid: "0a1b2c3d-0000-4000-8000-000000000001")

    private func office() async throws -> Office {
        let office = try await Office()
        try await office.store.users.add(
            UserRecord(
                id: Self.ada,
                signInNames: [SignInName(.email, "ada@example.org")],
                attributes: ["displayName": "Ada"],
                createdAt: office.time.now.wall
            )
        )
        return office
    }

    @Test("a user is found by id and by name, disabled, enabled and deleted") func life() async throws {
        let office = try await office()
        let root = try await office.root()
        #expect(try await root.user(Self.ada.oid.uppercased()).signInNames == ["ada@example.org"])
        #expect(try await !root.disable("Ada@Example.org").enabled)
        #expect(try await root.enable(Self.ada.oid).enabled)
        try await root.delete(Self.ada.oid)
        let refusal = await #expect(throws: Refusal.self) { try await root.user(Self.ada.oid) }
        #expect(refusal?.reason == .accountNotFound)
        #expect(try await office.events().suffix(3) == ["user.disabled", "user.enabled", "user.deleted"])
        #expect(
            office.consequences.names
                == ["changed", "left \(Self.ada)", "changed", "changed", "left \(Self.ada)"]
        )
    }

    @Test("an invitation to an address that the mail server does not take is refused, and no mail is queued")
    func notTaken() async throws {
        let office = try await Office(takesAddress: { !$0.hasPrefix("j\u{F6}") })
        let root = try await office.root()
        let error = await #expect(throws: InvalidParameters.self) {
            try await root.invite("j\u{F6}@example.org", days: nil)
        }
        #expect(error?.text == Text("refusal.addressNotTaken"))
        #expect(try await !office.store.invitations.has("j\u{F6}@example.org"))
        #expect(office.consequences.names.isEmpty)
        #expect(try await root.invite("jo@example.org", days: nil).email == "jo@example.org")
        #expect(office.consequences.names == ["mail"])
    }

    @Test("attributes, groups and counts are shown for a single user, but not in the list") func detail() async throws {
        let office = try await office()
        let root = try await office.root()
        _ = try await root.add("ada@example.org", toGroup: "admins")
        let shown = try await root.user("ada@example.org")
        #expect(shown.attributes == ["displayName": "Ada"])
        #expect(shown.groups == ["admins"] && shown.sessions == 0 && shown.families == 0)
        let listed = try await root.users(after: nil, limit: 10)
        #expect(listed.map(\.displayName) == ["Ada"])
        #expect(listed.first?.attributes == nil && listed.first?.groups == nil)
        #expect(try await root.users(after: Self.ada.oid, limit: 10).isEmpty)
    }
}
