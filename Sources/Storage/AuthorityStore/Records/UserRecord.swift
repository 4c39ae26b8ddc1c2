public import FlowModel
public import OAuth

/// A name that somebody signs in under.
public struct SignInName: Hashable, Sendable, Codable {
    /// The kinds of sign-in names.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// An e-mail address.
        case email
        /// A chosen name.
        case username
    }

    /// The kind of name.
    public let kind: Kind
    /// The name as the person wrote it.
    public let value: String

    /// A name that somebody signs in under.
    public init(_ kind: Kind, _ value: String) {
        self.kind = kind
        self.value = value
    }
}

extension SignInName: JSONConvertible {
    /// Reads a name; nil for one of an unknown kind.
    public init?(json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)), let value = json["value"]?.string else {
            return nil
        }
        self.init(kind, value)
    }

    /// The members as `encode(to:)` names them.
    public var json: JSONValue { ["kind": .string(kind.rawValue), "value": .string(value)] }
}

/// A person whom the authority knows.
public struct UserRecord: Hashable, Sendable {
    /// The object id.
    public let id: UserID
    /// True if the person may sign in.
    public let enabled: Bool
    /// The names; each belongs to one person only, of whatever kind it is.
    public let signInNames: [SignInName]
    /// The person's attributes, by name.
    public internal(set) var attributes: [String: JSONValue]
    /// The PHC string of the password, if there is one.
    public internal(set) var passwordHash: Secret?
    /// Time at which the password was set, in milliseconds since 1970 UTC.
    public internal(set) var passwordSetAt: Int64
    /// True if the person must choose another password at the next sign-in with it.
    public internal(set) var mustChangePassword: Bool
    /// Time of the account's creation, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The groups the person is in, by name.
    public var groups: [String] = []

    /// A person whom the authority knows.
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

    /// The name to show: the first user name, or else the first e-mail address; of a person without either, who signs in
    /// with a provider, what the provider said.
    public var username: String {
        (signInNames.first { $0.kind == .username } ?? signInNames.first)?.value ?? email ?? displayName ?? id.oid
    }

    /// The display name, if there is one.
    public var displayName: String? { attributes["displayName"]?.string }

    /// The first e-mail address, if there is one.
    public var email: String? { signInNames.first { $0.kind == .email }?.value ?? attributes["email"]?.string }
}
