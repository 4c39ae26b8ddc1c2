import Authority
import AuthorityStore
public import FlowModel
import OAuth
import Storage
import StoreRefusals

extension Operator {
    /// The greatest number of members in one answer about a group.
    public static let membersPage = 1_000

    /// All groups, by name.
    public func groups() async throws -> [GroupSummary] {
        try await Administration.rows.storing { try await store.groups.list() }
    }

    /// One group with its members after `after`.
    ///
    /// - Throws: `invalid_request` if there is no such group; a group without members does not exist.
    public func group(_ name: String, after: String?) async throws -> GroupSummary {
        try await Administration.rows.storing {
            guard var group = try await store.groups.get(name) else {
                throw OAuthError.invalidRequest("there is no group of this name")
            }
            group.members = try await store.groups.members(
                of: name,
                after: after.map { UserID(oid: $0.lowercased()) },
                limit: Self.membersPage
            ).map(\.oid)
            return group
        }
    }

    /// Puts a person into a group, which is made if there is none; the person's next token names it.
    ///
    /// - Throws: `account_not_found`, `limit_exceeded`, or `invalid_request` for an invalid name of a group.
    public func add(_ user: String, toGroup name: String) async throws -> GroupSummary {
        try Self.requireGroupName(name)
        let user = try await record(user).id
        let group: GroupSummary?
        do {
            group = try await store.groups.add(
                user,
                to: name,
                events: [AuditEvent(.groupAdded, by: caller, user: user, detail: ["group": name])]
            )
        } catch  where error.code == .limitExceeded {
            throw Refusal(.limitExceeded, error.message).with(.limit, "groups")
        } catch {
            throw Administration.rows.refusal(error)
        }
        await changed(user)
        return group ?? GroupSummary(group: name, count: 0)
    }

    /// Takes a person out of a group; the person's next token no longer names it.
    ///
    /// - Throws: `account_not_found` for a person who does not exist or is not a member.
    public func remove(_ user: String, fromGroup name: String) async throws {
        try Self.requireGroupName(name)
        let user = try await record(user).id
        do {
            try await store.groups.remove(
                user,
                from: name,
                events: [AuditEvent(.groupRemoved, by: caller, user: user, detail: ["group": name])]
            )
        } catch  where error.code == .notFound {
            throw Refusal(.accountNotFound, "this user is not in the group \(name)")
        } catch {
            throw Administration.rows.refusal(error)
        }
        await changed(user)
    }

    private func changed(_ user: UserID) async {
        authority.forget()
        await administration.consequences.userChanged(user)
    }

    /// Refuses a name other than 1 to 64 ASCII letters, digits, dots, underscores and hyphens.
    private static func requireGroupName(_ name: String) throws(OAuthError) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw .invalidRequest("a group's name has 1 to 64 letters, digits, `.`, `_` and `-`")
        }
    }
}
