public import FlowModel

/// The `keys.list` method, with which operators list the authority's signing keys.
public struct KeysList: BareMethod {
    /// The type of the response, which contains the signing keys.
    public typealias Answer = [KeySummary]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "keys.list",
        "Lists the signing keys.",
        answer: "keys",
        for: .operators
    )

    /// Creates a call without parameters.
    public init() {}
}

/// The `keys.rotate` method, with which operators create new signing keys and retire those in use.
public struct KeysRotate: BrokerMethod, WireObject {
    /// The type of the response, which contains the signing keys in their state after the call.
    public typealias Answer = [KeySummary]

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(alg:),
        Member("alg", optional: \.alg, .choice(["ES256", "EdDSA", "RS256"]))
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "keys.rotate",
        "Creates new signing keys and retires those in use.",
        wire.fields,
        answer: "keys",
        for: .operators,
        changesState: true
    )

    /// The algorithm whose key is rotated, or `nil` to rotate the keys of all algorithms.
    public let alg: String?

    /// Creates a call that rotates the key of the algorithm `alg`, or the keys of all algorithms if `alg` is `nil`.
    public init(alg: String? = nil) {
        self.alg = alg
    }
}

/// The `keys.revoke` method, with which operators revoke a signing key immediately.
public struct KeysRevoke: BrokerMethod, WireObject {
    /// The type of the response, which contains the signing keys in their state after the call.
    public typealias Answer = [KeySummary]

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(kid:), Member("kid", \.kid, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "keys.revoke",
        "Revokes a signing key: tokens that it signed are no longer accepted.",
        wire.fields,
        answer: "keys",
        for: .operators,
        changesState: true
    )

    /// The `kid` of the key to revoke.
    public let kid: String

    /// Creates a call that revokes the key `kid`.
    public init(kid: String) {
        self.kid = kid
    }
}

extension KeySummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(kid:alg:state:publishedAt:activeFrom:retiredAt:removeAt:),
        Member("kid", \.kid),
        Member("alg", \.alg),
        Member("state", \.state),
        Member("publishedAt", \.publishedAt, or: 0),
        Member("activeFrom", optional: \.activeFrom),
        Member("retiredAt", optional: \.retiredAt),
        Member("removeAt", optional: \.removeAt)
    )
}
