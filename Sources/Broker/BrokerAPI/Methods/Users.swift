public import FlowModel

/// An operator method whose only parameter is a user.
public protocol UserMethod: BrokerMethod, WireObject {
    /// The user's object id or one of the user's sign-in names.
    var user: String { get }

    init(user: String)
}

extension UserMethod {
    /// The parameters, as JSON members.
    public static var wire: WireMembers<Self> { WireMembers(Self.init(user:), Member("user", \.user, .id)) }
}

/// `user.list`: lets operators list the authority's users.
public struct UserList: BrokerMethod, WireObject {
    /// The response: a page of users.
    public typealias Answer = [UserSummary]

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(after:limit:),
        Member("after", optional: \.after, .id),
        Member("limit", optional: \.limit, .limit)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.list",
        "Lists the users, sorted by object id.",
        wire.fields,
        answer: "users",
        for: .operators
    )

    /// The object id of the last user that the caller has already received, or `nil` to start with the first user.
    public let after: String?
    /// The maximum number of users to return, from 1 to 1000, or `nil` for 100.
    public let limit: Int64?

    /// Creates a request for a page of users.
    public init(after: String? = nil, limit: Int64? = nil) {
        self.after = after
        self.limit = limit
    }
}

/// `user.show`: returns one user to an operator.
public struct UserShow: UserMethod {
    /// The response: the user.
    public typealias Answer = UserSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.show",
        "Returns a user with attributes, sessions and groups.",
        wire.fields,
        answer: "user",
        for: .operators
    )

    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a request for the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.invite`: lets operators invite the owner of an e-mail address to sign up.
public struct UserInvite: BrokerMethod, WireObject {
    /// The response: the invitation.
    public typealias Answer = Invitation

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(email:days:),
        Member("email", \.email, .string(3...256)),
        Member("days", optional: \.days, .integer(1...365))
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.invite",
        "Invites the owner of an email address to sign up, and sends an email message.",
        wire.fields,
        answer: "invitation",
        for: .operators,
        changesState: true
    )

    /// The e-mail address to which the invitation is sent.
    public let email: String
    /// The number of days for which the invitation is valid, from 1 to 365, or `nil` for 14 days.
    public let days: Int64?

    /// Creates a call that invites the owner of `email`.
    public init(email: String, days: Int64? = nil) {
        self.email = email
        self.days = days
    }
}

/// `user.disable`: lets operators disable or enable a user.
public struct UserDisable: BrokerMethod, WireObject {
    /// The response: the user after the call.
    public typealias Answer = UserSummary

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(user:disabled:),
        Member("user", \.user, .id),
        Member("disabled", \.disabled, .boolean, unless: true)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.disable",
        "Disables a user and ends the user's sessions; disabled: false enables the user again.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The user's object id or one of the user's sign-in names.
    public let user: String
    /// Whether the call disables the user, instead of enabling the user.
    public let disabled: Bool

    /// Creates a call that disables the user `user`, or enables the user if `disabled` is `false`.
    public init(user: String, disabled: Bool = true) {
        self.user = user
        self.disabled = disabled
    }
}

/// `user.unlock`: lets operators reset a user's count of failed attempts.
public struct UserUnlock: UserMethod {
    /// The response: the user after the call.
    public typealias Answer = UserSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.unlock",
        "Resets a user's failed attempts, so that the user is no longer blocked.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a call that unlocks the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.expirePassword`: lets operators require a user to set a new password at the next sign-in.
public struct UserExpirePassword: UserMethod {
    /// The response: the user after the call.
    public typealias Answer = UserSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.expirePassword",
        "Requires a new password at the user's next sign-in, and ends sessions and token families.",
        wire.fields,
        answer: "user",
        for: .operators,
        changesState: true
    )

    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a call that expires the password of the user `user`.
    public init(user: String) {
        self.user = user
    }
}

/// `user.delete`: lets operators delete a user.
public struct UserDelete: UserMethod {
    /// The response, which identifies the deleted user.
    public typealias Answer = Removal

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "user.delete",
        "Deletes a user with sessions, flows and token families.",
        wire.fields,
        for: .operators,
        changesState: true
    )

    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a call that deletes the user `user`.
    public init(user: String) {
        self.user = user
    }
}

extension UserSummary: WireObject {
    /// The JSON members, which are used to read and write the user.
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
    /// The JSON members, which are used to read and write the invitation.
    public static let wire = WireMembers(
        Self.init(email:expiresAt:),
        Member("email", \.email),
        Member("expiresAt", \.expiresAt, or: 0)
    )
}

/// The response `{removed}`, which contains the name or id of the object that the call removed.
public struct Removal: WireObject, Hashable {
    /// The JSON members, which are used to read and write the response.
    public static let wire = WireMembers(Self.init(removed:), Member("removed", \.removed))

    /// The name or id of the removed object, as the caller specified it.
    public let removed: String

    /// Creates a response.
    public init(removed: String) {
        self.removed = removed
    }
}
