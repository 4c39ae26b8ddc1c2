public import FlowModel

/// `keys.list`: lists the authority's signing keys, for operators only.
public struct KeysList: BareMethod {
    /// The response: the signing keys.
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

/// `keys.rotate`: creates new signing keys and retires those in use, for operators only.
public struct KeysRotate: BrokerMethod, WireObject {
    /// The response: the signing keys after the call.
    public typealias Answer = [KeySummary]

    /// The parameters, as JSON members.
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

    /// The algorithm whose key is rotated, or `nil` for all algorithms.
    public let alg: String?

    /// Creates a call that rotates the keys for `alg`, or for all algorithms if `alg` is `nil`.
    public init(alg: String? = nil) {
        self.alg = alg
    }
}

/// `keys.revoke`: revokes a signing key immediately, for operators only.
public struct KeysRevoke: BrokerMethod, WireObject {
    /// The response: the signing keys after the call.
    public typealias Answer = [KeySummary]

    /// The parameters, as JSON members.
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

    /// The `kid` of the key.
    public let kid: String

    /// Creates a call that revokes the key `kid`.
    public init(kid: String) {
        self.kid = kid
    }
}

extension KeySummary: WireObject {
    /// The JSON members, for reading and writing.
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
