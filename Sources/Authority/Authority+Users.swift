import Attempts
import AuthorityStore
public import FlowModel
import Moments
public import OAuth
import Policies
import Storage

extension Authority {
    /// A person as operators see them.
    public struct Person: Hashable, Sendable {
        /// The object id, the sign-in name and the display name.
        public let summary: UserSummary
        /// All sign-in names.
        public let signInNames: [String]
        /// Whether the person may sign in.
        public let isEnabled: Bool
        /// When the account was made, in milliseconds since 1970 UTC.
        public let createdAt: Int64
        /// What is known about the person.
        public let attributes: [String: JSONValue]
        /// The groups the person is in.
        public let groups: [String]
    }

    /// People in the order of their ids, after `after`.
    public func users(after: UserID?, limit: Int) async throws -> [Person] {
        try await Self.storing { try await store.users.list(after: after, limit: limit).map { Person($0) } }
    }

    /// A person by object id or sign-in name.
    ///
    /// - Throws: `account_not_found`.
    public func user(_ name: String) async throws -> Person {
        Person(try await record(name))
    }

    /// Whether a person is there and may sign in, as last seen; what was issued to anybody else is not handed out.
    ///
    /// A change by another daemon is seen with the next comparison of the store's epoch, after 5 s at the latest.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.storing { try await memory.isEnabled(user) }
    }

    /// Lets a person sign in, or no longer; who may not loses sessions, families and flows at once.
    public func setEnabled(_ name: String, _ enabled: Bool, _ caller: Caller) async throws -> Person {
        let user = try await record(name)
        try await Self.storing {
            let name = enabled ? "user.enabled" : "user.disabled"
            try await store.users.setEnabled(user.id, enabled, events: [event(name, caller, user: user.id)])
        }
        memory.forget()
        return Person(try await record(user.id.oid))
    }

    /// Gives a person's attempts back, at every door.
    public func unlock(_ name: String, _ caller: Caller) async throws -> Person {
        let user = try await record(name)
        try await Self.storing {
            _ = try await attempts.unlock(
                user.id,
                names: user.signInNames.map(\.value),
                by: caller
            )
        }
        return Person(user)
    }

    /// Deletes a person with everything that is theirs.
    public func deleteUser(_ name: String, _ caller: Caller) async throws {
        let user = try await record(name)
        try await Self.storing {
            try await store.users.delete(user.id, events: [event("user.deleted", caller, user: user.id)])
        }
        memory.forget()
    }

    /// How many live sessions and refresh-token families a person has, at all doors of all machines.
    public func holdings(of user: UserID) async throws -> (sessions: Int, families: Int) {
        try await Self.storing {
            let holdings = try await store.users.holdings(of: user)
            return (holdings.sessions, holdings.families)
        }
    }

    /// Whether nobody has an account yet.
    public func hasNobody() async throws -> Bool {
        try await Self.storing { try await store.users.list(limit: 1).isEmpty }
    }

    func record(_ name: String) async throws -> UserRecord {
        try await Self.storing {
            if let user = try await store.users.get(UserID(oid: name.lowercased())) { return user }
            if let user = try await store.users.find(signInName: name) { return user }
            throw Refusal(.accountNotFound, "there is no such user")
        }
    }
}

extension Authority.Person {
    init(_ user: UserRecord) {
        self.init(
            summary: UserSummary(user),
            signInNames: user.signInNames.map(\.value),
            isEnabled: user.enabled,
            createdAt: user.createdAt,
            attributes: user.attributes,
            groups: user.groups
        )
    }
}
