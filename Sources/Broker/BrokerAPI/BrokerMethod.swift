public import OAuth

/// One method of the socket; a value of the type is one call of it.
public protocol BrokerMethod: Sendable {
    /// The type of its answers.
    associatedtype Answer: WireValue

    /// The name on the wire.
    static var name: String { get }
    /// One sentence for `rpc.discover`.
    static var summary: String { get }
    /// The parameters; others are refused.
    static var fields: [Field] { get }
    /// True if a call changes state; such a call is logged if it comes as a notification, which is not executed.
    static var changesState: Bool { get }

    /// Makes a call from parameters that have been checked against ``fields``.
    init(_ members: Members) throws(JSONRPCError)
    /// The parameters of this call as they are written.
    var params: [String: JSONValue] { get }
    /// The longest time that this call may take.
    var deadline: Duration { get }
    /// The client that this call names itself; `nil` if it takes that of `broker.hello`.
    var namedClient: String? { get }
    /// True if repeating the call changes nothing more, so that it may be sent again if no answer came.
    var isRepeatable: Bool { get }
}

extension BrokerMethod {
    /// False, unless a method says otherwise.
    public static var changesState: Bool { false }

    /// Ten seconds, unless a method says otherwise.
    public var deadline: Duration { .seconds(10) }

    /// `nil`, unless a method has a parameter for it.
    public var namedClient: String? { nil }

    /// True for a method that only reads.
    public var isRepeatable: Bool { !Self.changesState }

    /// ``fields``, and the correlation id that every method takes.
    public static var allFields: [Field] {
        fields.contains { $0.name == Field.correlationID.name } ? fields : fields + [.correlationID]
    }

    /// Reads parameters as they were received.
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

/// A method without parameters.
public protocol BareMethod: BrokerMethod {
    /// Makes a call.
    init()
}

extension BareMethod {
    /// None.
    public static var fields: [Field] { [] }

    /// Ignores the parameters, of which there are none.
    public init(_ members: Members) throws(JSONRPCError) { self.init() }

    /// None.
    public var params: [String: JSONValue] { [:] }
}
