public import FlowModel
public import JSONRPC
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

    /// Its id, in any case.
    public let policy: String

    /// A call.
    public init(policy: String) {
        self.policy = policy
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        policy = try members.required("policy")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["policy": .string(policy)] }
}
