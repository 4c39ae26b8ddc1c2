public import OAuth

/// A user of the authority, as operators see one.
public struct UserSummary: Hashable, Sendable {
    /// The object id.
    public let user: String
    /// The names to sign in with.
    public let signInNames: [String]
    /// The name to show.
    public let displayName: String
    /// `false` for a user who may not sign in.
    public let enabled: Bool
    /// Time of sign-up, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The attributes; `user.show` only.
    public var attributes: [String: JSONValue]?
    /// Live sessions; `user.show` only.
    public var sessions: Int?
    /// Live families of refresh tokens; `user.show` only.
    public var families: Int?
    /// The groups the user is in; `user.show` only.
    public var groups: [String]?

    /// A user, with nothing that only `user.show` answers unless it is given.
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
