public import FlowModel
public import OAuth

/// `keys.rotate`: brings the next signing keys forward; operators only.
public struct KeysRotate: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<KeySummary>

    /// The name on the wire.
    public static let name = "keys.rotate"
    /// The sentence of `rpc.discover`.
    public static let summary = "Makes new signing keys and retires those in use."
    /// The parameters.
    public static let fields: [Field] = [Field("alg", .choice(["ES256", "EdDSA", "RS256"]))]
    /// True: a call changes state.
    public static var changesState: Bool { true }

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
