public import JSONRPC
public import OAuth

/// One method of the socket; a value of the type is one call of it.
public protocol BrokerMethod: Sendable {
    /// What a call answers.
    associatedtype Answer: WireValue

    /// The name on the wire.
    static var name: String { get }
    /// One sentence for `rpc.discover`.
    static var summary: String { get }
    /// The parameters; nothing else is accepted.
    static var fields: [Field] { get }
    /// Whether a call changes something; such a call is logged if it comes as a notification, which is not executed.
    static var changesState: Bool { get }

    /// A call, from parameters that have been checked against ``fields``.
    init(_ members: Members) throws(JSONRPCError)
    /// The parameters of this call as they are written.
    var params: [String: JSONValue] { get }
    /// How long this call may take, at the most.
    var deadline: Duration { get }
    /// Whether the same call again does no more than the first one, so that it may be sent again if no answer came.
    var isRepeatable: Bool { get }
}

extension BrokerMethod {
    /// Reading is the rule.
    public static var changesState: Bool { false }

    /// Ten seconds, where a method says nothing else.
    public var deadline: Duration { .seconds(10) }

    /// What only reads.
    public var isRepeatable: Bool { !Self.changesState }

    /// ``fields``, and the correlation id that every method takes.
    public static var allFields: [Field] {
        fields.contains { $0.name == Field.correlationID.name } ? fields : fields + [.correlationID]
    }

    /// A call, from parameters as they came.
    ///
    /// - Throws: -32602 naming the first member that is unknown, missing, of a wrong type or out of range.
    public init(params: [String: JSONValue]) throws(JSONRPCError) {
        try self.init(try Members(params, fields: Self.allFields))
    }

    /// The method as `rpc.discover` shows it (OpenRPC 1.3 method object).
    public static var description: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(allFields.map(\.json)),
            "result": ["name": "result", "schema": ["type": "object"]],
        ]
    }
}

/// A call without parameters.
public protocol BareMethod: BrokerMethod {
    /// A call.
    init()
}

extension BareMethod {
    /// None.
    public static var fields: [Field] { [] }

    /// A call.
    public init(_ members: Members) throws(JSONRPCError) { self.init() }

    /// None.
    public var params: [String: JSONValue] { [:] }
}
