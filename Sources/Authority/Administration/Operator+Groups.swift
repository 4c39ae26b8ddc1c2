import Authority
import AuthorityStore
public import FlowModel
import OAuth
import Storage
import StoreRefusals

extension Operator {
    /// The maximum number of group members in one response.
    public static let membersPage = 1_000

    /// Returns all groups, ordered by name.
    public func groups() async throws -> [GroupSummary] {
        try await Administration.rows.storing { try await store.groups.list() }
    }

    /// Returns a group with its first page of members, or with the page that follows the member id `after`.
    ///
    /// - Throws: `InvalidParameters` if the group has no members and therefore does not exist.
    public func group(_ name: String, after: String?) async throws -> GroupSummary {
        try await Administration.rows.storing {
            guard var group = try await store.groups.get(name) else {
                throw InvalidParameters(Text("refusal.noSuchGroup"))
            }
            group.members = try await store.groups.members(
                of: name,
                after: after.map { UserID(oid: $0.lowercased()) },
                limit: Self.membersPage
            ).map(\.oid)
            return group
        }
    }

    /// Adds a user to a group, and creates the group if necessary.
    ///
    /// - Throws: `account_not_found`, `limit_exceeded` for too many groups, or `InvalidParameters` for a bad name.
    public func add(_ user: String, toGroup name: String) async throws -> GroupSummary {
        try Self.requireGroupName(name)
        let user = try await record(user)
        let group: GroupSummary?
        do {
            group = try await store.groups.add(
                user.id,
                to: name,
                events: [AuditEvent(.groupAdded, by: caller, user: user.id, detail: ["group": name])]
            )
        } catch  where error.code == .limitExceeded {
            throw Refusal(.limitExceeded, Self.fullGroups(user)).with(.limit, "groups")
        } catch {
            throw Administration.rows.refusal(error)
        }
        await changed(user.id)
        return group ?? GroupSummary(group: name, count: 0)
    }

    /// Removes a user from a group, or throws `account_not_found` if the user does not exist or is not a member.
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
            throw Refusal(.accountNotFound, Text("refusal.notInGroup", ["group": name]))
        } catch {
            throw Administration.rows.refusal(error)
        }
        await changed(user)
    }

    private static func fullGroups(_ user: UserRecord) -> Text {
        let most = AuthorityStore.Groups.greatestNumberOfUser
        return user.groups.count >= most
            ? Text("refusal.groupsOfUserFull", ["count": most])
            : Text("refusal.groupsFull", ["count": AuthorityStore.Groups.greatestNumber])
    }

    private func changed(_ user: UserID) async {
        authority.forget()
        await administration.consequences.userChanged(user)
    }

    /// Checks that the name consists of 1 to 64 ASCII letters, digits, dots, underscores and hyphens.
    private static func requireGroupName(_ name: String) throws(InvalidParameters) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw InvalidParameters(Text("refusal.groupName"))
        }
    }
}
