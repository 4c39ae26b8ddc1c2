public import FlowModel
public import OAuth

/// A name that a user signs in with.
public struct SignInName: Hashable, Sendable, Codable {
    /// The kinds of sign-in names.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case email
        case username
    }

    /// The kind of name.
    public let kind: Kind
    /// The name as the user wrote it.
    public let value: String

    /// Creates a sign-in name.
    public init(_ kind: Kind, _ value: String) {
        self.kind = kind
        self.value = value
    }
}

extension SignInName: JSONConvertible {
    /// Decodes a name from JSON, or returns `nil` if the value is missing, or if the kind is missing or unknown.
    public init?(json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)), let value = json["value"]?.string else {
            return nil
        }
        self.init(kind, value)
    }

    /// The name as JSON, in the same format that `encode(to:)` uses.
    public var json: JSONValue { ["kind": .string(kind.rawValue), "value": .string(value)] }
}

/// A user of the authority.
public struct UserRecord: Hashable, Sendable {
    /// The object id.
    public let id: UserID
    /// Whether the user is allowed to sign in.
    public let enabled: Bool
    /// The sign-in names, each of which belongs to only one user, regardless of the kind of name.
    public let signInNames: [SignInName]
    /// The user's attributes, by name.
    public internal(set) var attributes: [String: JSONValue]
    /// The password's PHC string, or `nil` if the user has no password.
    public internal(set) var passwordHash: Secret?
    /// The time at which the password was set, in milliseconds since 1970 UTC.
    public internal(set) var passwordSetAt: Int64
    /// Whether the user must set a new password at the next sign-in with the current password.
    public internal(set) var mustChangePassword: Bool
    /// The time at which the account was created, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The names of the user's groups.
    public var groups: [String] = []

    /// Creates a user.
    public init(
        id: UserID,
        enabled: Bool = true,
        signInNames: [SignInName],
        attributes: [String: JSONValue] = [:],
        passwordHash: Secret? = nil,
        passwordSetAt: Int64? = nil,
        mustChangePassword: Bool = false,
        createdAt: Int64
    ) {
        self.id = id
        self.enabled = enabled
        self.signInNames = signInNames
        self.attributes = attributes
        self.passwordHash = passwordHash
        self.passwordSetAt = passwordSetAt ?? createdAt
        self.mustChangePassword = mustChangePassword
        self.createdAt = createdAt
    }

    /// The name to display: the first that exists of user name, e-mail address, display name and user id.
    ///
    /// The domain of an e-mail address is in Unicode.
    public var username: String {
        signInNames.first { $0.kind == .username }?.value ?? (signInNames.first?.value ?? email).map(MailAddress.shown)
            ?? displayName ?? id.oid
    }

    /// The display name, or `nil` if the user has none.
    public var displayName: String? { attributes["displayName"]?.string }

    /// The first e-mail address, with its domain in ASCII, or `nil` if the user has none.
    public var email: String? { signInNames.first { $0.kind == .email }?.value ?? attributes["email"]?.string }
}
