public import FlowModel
public import OAuth

/// `policy.get`: one policy.
public struct PolicyGet: BrokerMethod {
    /// The answer.
    public typealias Answer = PolicySummary

    /// The name on the wire.
    public static let name = "policy.get"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows one policy."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("policy")]

    /// The policy's id, in any case.
    public let policy: String

    /// Asks for the policy `policy`.
    public init(policy: String) {
        self.policy = policy
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        policy = try members.required("policy")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["policy": .string(policy)] }
}
