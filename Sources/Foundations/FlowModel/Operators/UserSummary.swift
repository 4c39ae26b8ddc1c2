public import OAuth

/// A user of the authority, as reported to operators.
public struct UserSummary: Hashable, Sendable {
    /// The object id, which is a lower-case UUID.
    public let user: String
    /// The sign-in names.
    public let signInNames: [String]
    /// The name that users see.
    public let displayName: String
    /// Whether the user may sign in.
    public let enabled: Bool
    /// The time at which the user signed up, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The user's attributes, present only in the response to `user.show`.
    public var attributes: [String: JSONValue]?
    /// The number of active sessions, present only in the response to `user.show`.
    public var sessions: Int?
    /// The number of active refresh-token families, present only in the response to `user.show`.
    public var families: Int?
    /// The groups that the user belongs to, present only in the response to `user.show`.
    public var groups: [String]?

    /// Creates the summary of a user, with additional details for the response to `user.show`.
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
