public import FlowModel
public import OAuth

/// `keys.revoke`: ends a signing key at once; operators only.
public struct KeysRevoke: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<KeySummary>

    /// The name on the wire.
    public static let name = "keys.revoke"
    /// The sentence of `rpc.discover`.
    public static let summary = "Revokes a signing key: nothing it signed is accepted any longer."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("kid")]
    /// True: a call changes state.
    public static var changesState: Bool { true }

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
