public import OAuth

/// The name, parameters, permission and limits of a method that can be called over the socket.
public struct MethodDescription: Sendable {
    /// The callers that are allowed to use a method.
    public enum Permission: String, Sendable {
        /// All uids are allowed to use the method, but only for their own data.
        case anyone
        /// Only operators are allowed to use the method, and every call is authorized and audited.
        case operators
    }

    /// The method's name in JSON-RPC requests.
    public let name: String
    /// A one-sentence summary of the method, which `rpc.discover` returns.
    public let summary: String
    /// The parameters that the method accepts.
    public let fields: [Field]
    /// The name of the member of `result` that contains the response, or `nil` if `result` itself is the response.
    public let answer: String?
    /// The callers that are allowed to use the method.
    public let permission: Permission
    /// Whether the method works while the caller's cache is locked, instead of failing with error 1021 (contract §4).
    public let isServedLocked: Bool
    /// Whether the method changes state, in which case a call without an id is logged, although it is not executed.
    public let changesState: Bool
    /// Whether a client can repeat a call whose response was lost, because the repetition has no further effect.
    public let isRepeatable: Bool
    /// The maximum duration of a call to the method.
    public let deadline: Duration

    /// Creates a description.
    ///
    /// If `isRepeatable` is `nil`, a call can be repeated unless the method changes state. Methods for operators always
    /// work while the cache is locked.
    public init(
        _ name: String,
        _ summary: String,
        _ fields: [Field] = [],
        answer: String? = nil,
        for permission: Permission = .anyone,
        whileLocked isServedLocked: Bool = false,
        changesState: Bool = false,
        isRepeatable: Bool? = nil,
        deadline: Duration = .seconds(10)
    ) {
        self.name = name
        self.summary = summary
        self.fields = fields
        self.answer = answer
        self.permission = permission
        self.isServedLocked = isServedLocked || permission == .operators
        self.changesState = changesState
        self.isRepeatable = isRepeatable ?? !changesState
        self.deadline = deadline
    }

    /// The parameters in ``fields`` and the correlation id, which every method accepts.
    public var allFields: [Field] {
        fields.contains { $0.name == Field.correlationID.name } ? fields : fields + [.correlationID]
    }

    /// The OpenRPC 1.3 method object that `rpc.discover` returns for the method.
    public var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(allFields.map(\.json)),
            "result": ["name": "result", "schema": ["type": "object"]],
            "x-permission": .string(permission.rawValue), "x-whileLocked": .bool(isServedLocked),
        ]
    }
}

/// A method that can be called over the socket; each value of a conforming type represents one call.
public protocol BrokerMethod: Sendable {
    associatedtype Answer: WireValue

    static var description: MethodDescription { get }

    /// Creates a call from parameters that have been checked against the description.
    init(_ members: Members) throws(JSONRPCError)
    var params: [String: JSONValue] { get }
    var deadline: Duration { get }
    /// The client that this call specifies, or `nil` if the client from `broker.hello` is used.
    var namedClient: String? { get }
    var isRepeatable: Bool { get }
}

extension BrokerMethod {
    /// The deadline in the method's description, which is the default.
    public var deadline: Duration { Self.description.deadline }

    /// The default is `nil`, because most methods have no parameter for the client.
    public var namedClient: String? { nil }

    /// The value in the method's description, which is the default.
    public var isRepeatable: Bool { Self.description.isRepeatable }

    /// Reads a request's parameters, or throws error -32602 for the first unknown, missing or invalid parameter.
    public init(params: [String: JSONValue]) throws(JSONRPCError) {
        try self.init(try Members(params, fields: Self.description.allFields))
    }

    /// Returns the value of the JSON-RPC member `result` that contains the response.
    public static func result(_ answer: Answer) -> JSONValue {
        guard let member = description.answer else { return answer.json }
        return .object([member: answer.json])
    }

    /// Reads the response from the value of the JSON-RPC member `result`.
    public static func answer(in result: JSONValue) throws(UnreadableAnswer) -> Answer {
        let reader = WireReader(result)
        guard let member = description.answer else { return try Answer(reader) }
        return try reader.one(member)
    }
}

/// A method without parameters.
public protocol BareMethod: BrokerMethod {
    init()
}

extension BareMethod {
    /// Creates a call without reading any parameters.
    public init(_ members: Members) throws(JSONRPCError) { self.init() }

    /// An empty dictionary, because the method has no parameters.
    public var params: [String: JSONValue] { [:] }
}
