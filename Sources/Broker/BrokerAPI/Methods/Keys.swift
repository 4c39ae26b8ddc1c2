public import FlowModel

/// `keys.list`: the authority's signing keys; operators only.
public struct KeysList: BareMethod {
    /// The answer.
    public typealias Answer = [KeySummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "keys.list",
        "Lists the signing keys.",
        answer: "keys",
        for: .operators
    )

    /// A call without parameters.
    public init() {}
}

/// `keys.rotate`: brings the next signing keys forward; operators only.
public struct KeysRotate: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = [KeySummary]

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(alg:),
        Member("alg", optional: \.alg, .choice(["ES256", "EdDSA", "RS256"]))
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "keys.rotate",
        "Makes new signing keys and retires those in use.",
        wire.fields,
        answer: "keys",
        for: .operators,
        changesState: true
    )

    /// The algorithm whose key is rotated; all of them if it is nil.
    public let alg: String?

    /// Rotates the keys of `alg`, or of all algorithms.
    public init(alg: String? = nil) {
        self.alg = alg
    }
}

/// `keys.revoke`: ends a signing key at once; operators only.
public struct KeysRevoke: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = [KeySummary]

    /// The parameters.
    public static let wire = WireMembers(Self.init(kid:), Member("kid", \.kid, .id))

    /// Describes the method.
    public static let description = MethodDescription(
        "keys.revoke",
        "Revokes a signing key: nothing it signed is accepted any longer.",
        wire.fields,
        answer: "keys",
        for: .operators,
        changesState: true
    )

    /// The key's id.
    public let kid: String

    /// Revokes the key `kid`.
    public init(kid: String) {
        self.kid = kid
    }
}

extension KeySummary: WireObject {
    /// The members on the wire.
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
