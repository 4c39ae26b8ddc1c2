public import FlowModel

/// A method about one user, for operators only.
public protocol UserMethod: BrokerMethod, WireObject {
    /// The object id, or a sign-in name.
    var user: String { get }

    /// A call about the user `user`.
    init(user: String)
}

extension UserMethod {
    /// The parameters.
    public static var wire: WireMembers<Self> { WireMembers(Self.init(user:), Member("user", \.user, .id)) }
}

/// `user.list`: the authority's users; operators only.
public struct UserList: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = [UserSummary]

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(after:limit:),
        Member("after", optional: \.after, .id),
        Member("limit", optional: \.limit, .limit)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "user.list",
        "Lists the users, by object id.",
        wire.fields,
        answer: "users",
        for: .operators
    )

    /// The object id of the last user seen.
    public let after: String?
    /// The greatest number of users, at most 1000.
    public let limit: Int64?

    /// Asks for a page of users.
    public init(after: String? = nil, limit: Int64? = nil) {
        self.after = after
        self.limit = limit
    }
}

/// `user.show`: one user; operators only.
public struct UserShow: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.show",
        "Shows a user, with attributes.",
        wire.fields,
        answer: "user",
        for: .operators
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Asks for the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.invite`: lets the holder of an address sign up with it; operators only.
public struct UserInvite: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = Invitation

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(email:days:),
        Member("email", \.email, .string(3...256)),
        Member("days", optional: \.days, .integer(1...365))
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "user.invite",
        "Invites whoever has an address to sign up with it, and tells them by mail.",
        wire.fields,
        answer: "invitation",
        for: .operators,
        changesState: true
    )

    /// The address.
    public let email: String
    /// The days for which the invitation is open, 1 to 365.
    public let days: Int64?

    /// Invites the holder of `email`.
    public init(email: String, days: Int64? = nil) {
        self.email = email
        self.days = days
    }
}

/// `user.disable`: keeps a user from signing in; operators only.
public struct UserDisable: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = UserSummary

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(user:disabled:),
        Member("user", \.user, .id),
        Member("disabled", \.disabled, .boolean, unless: true)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "user.disable",
        "Keeps a user from signing in and ends what is signed in; disabled: false lets the user in again.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String
    /// True to keep the user from signing in; `false` allows it again.
    public let disabled: Bool

    /// Disables the user `user`, or enables it again.
    public init(user: String, disabled: Bool = true) {
        self.user = user
        self.disabled = disabled
    }
}

/// `user.unlock`: lifts the blocks on a user's attempts; operators only.
public struct UserUnlock: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.unlock",
        "Lifts the blocks on a user's attempts.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Unlocks the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.expirePassword`: asks a user for another password at the next sign-in; operators only.
public struct UserExpirePassword: UserMethod {
    /// The answer.
    public typealias Answer = UserSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "user.expirePassword",
        "Asks a user for another password at the next sign-in, and ends sessions and renewals.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Expires the password of the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.delete`: deletes a user; operators only.
public struct UserDelete: UserMethod {
    /// The answer.
    public typealias Answer = Removal

    /// Describes the method.
    public static let description = MethodDescription(
        "user.delete",
        "Deletes a user, with sessions, flows and renewals.",
        wire.fields,
        for: .operators,
        changesState: true
    )

    /// The object id, or a sign-in name.
    public let user: String

    /// Deletes the user `user`.
    public init(user: String) {
        self.user = user
    }
}

extension UserSummary: WireObject {
    /// The members of a user.
    public static let wire = WireMembers(
        Self.init(user:signInNames:displayName:enabled:createdAt:attributes:sessions:families:groups:),
        Member("user", \.user),
        Member("signInNames", \.signInNames),
        Member("displayName", \.displayName, or: ""),
        Member("enabled", \.enabled, or: true),
        Member("createdAt", \.createdAt, or: 0),
        Member("attributes", optional: \.attributes),
        Member("sessions", optional: \.sessions),
        Member("families", optional: \.families),
        Member("groups", optional: \.groups)
    )
}

extension Invitation: WireObject {
    /// The members of an invitation.
    public static let wire = WireMembers(
        Self.init(email:expiresAt:),
        Member("email", \.email),
        Member("expiresAt", \.expiresAt, or: 0)
    )
}

/// `{removed}`: the thing that was removed, as the call named it.
public struct Removal: WireObject, Hashable {
    /// The members.
    public static let wire = WireMembers(Self.init(removed:), Member("removed", \.removed))

    /// The thing that was removed.
    public let removed: String

    /// Names the thing that was removed.
    public init(removed: String) {
        self.removed = removed
    }
}
