public import FlowModel
public import OAuth

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
public struct KeysRotate: BrokerMethod {
    /// The answer.
    public typealias Answer = [KeySummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "keys.rotate",
        "Makes new signing keys and retires those in use.",
        [Field("alg", .choice(["ES256", "EdDSA", "RS256"]))],
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

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        alg = members.string("alg")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("alg", alg)
        return object.members
    }
}

/// `keys.revoke`: ends a signing key at once; operators only.
public struct KeysRevoke: BrokerMethod {
    /// The answer.
    public typealias Answer = [KeySummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "keys.revoke",
        "Revokes a signing key: nothing it signed is accepted any longer.",
        [.requiredID("kid")],
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

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        kid = try members.required("kid")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["kid": .string(kid)] }
}

extension KeySummary: WireValue {
    /// Reads a key's description.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            kid: try reader.string("kid"),
            alg: try reader.string("alg"),
            state: try reader.string("state"),
            publishedAt: reader.value["publishedAt"]?.int ?? 0,
            activeFrom: reader.value["activeFrom"]?.int,
            retiredAt: reader.value["retiredAt"]?.int,
            removeAt: reader.value["removeAt"]?.int
        )
    }

    /// The description as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("kid", kid)
        object.set("alg", alg)
        object.set("state", state)
        object.set("publishedAt", publishedAt)
        object.set("activeFrom", activeFrom)
        object.set("retiredAt", retiredAt)
        object.set("removeAt", removeAt)
        return object.json
    }
}
