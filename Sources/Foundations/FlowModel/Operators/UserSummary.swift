public import OAuth

/// A user of the authority, as reported to operators.
public struct UserSummary: Hashable, Sendable {
    /// The object id, a lower-case UUID.
    public let user: String
    /// The sign-in names.
    public let signInNames: [String]
    /// The name that users see.
    public let displayName: String
    /// Whether the user may sign in.
    public let enabled: Bool
    /// The time of sign-up, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The attributes, for `user.show` only.
    public var attributes: [String: JSONValue]?
    /// The number of active sessions, for `user.show` only.
    public var sessions: Int?
    /// The number of active refresh-token families, for `user.show` only.
    public var families: Int?
    /// The groups of the user, for `user.show` only.
    public var groups: [String]?

    /// Creates the summary of a user, with optional details for `user.show`.
    public init(
        user: String,
        signInNames: [String],
        displayName: String,
        enabled: Bool,
        createdAt: Int64,
        attributes: [String: JSONValue]? = nil,
        sessions: Int? = nil,
        families: Int? = nil,
        groups: [String]? = nil
    ) {
        self.user = user
        self.signInNames = signInNames
        self.displayName = displayName
        self.enabled = enabled
        self.createdAt = createdAt
        self.attributes = attributes
        self.sessions = sessions
        self.families = families
        self.groups = groups
    }
}
