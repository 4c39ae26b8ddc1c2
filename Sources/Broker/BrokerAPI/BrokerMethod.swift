public import OAuth

/// The name, parameters, permission and limits of one of the socket's methods.
public struct MethodDescription: Sendable {
    /// The callers that are allowed to use a method.
    public enum Permission: String, Sendable {
        /// All uids. Each can access only its own data.
        case anyone
        /// Operators only. Every call is authorized and audited.
        case operators
    }

    /// The method's name in JSON-RPC requests.
    public let name: String
    /// A one-sentence summary for `rpc.discover`.
    public let summary: String
    /// The parameters that the method accepts.
    public let fields: [Field]
    /// The name of the result member that contains the response, or `nil` if the result itself is the response.
    public let answer: String?
    /// The callers that are allowed to use the method.
    public let permission: Permission
    /// Whether the method works while the caller's cache is locked (contract §4, error 1021).
    public let isServedLocked: Bool
    /// Whether a call changes state.
    ///
    /// If so, a call without an id is logged and not executed.
    public let changesState: Bool
    /// Whether repeating a call has no further effect.
    ///
    /// If so, a client can send the call again if the response was lost.
    public let isRepeatable: Bool
    /// The maximum duration of a call.
    public let deadline: Duration

    /// Describes a method.
    ///
    /// Methods for operators always work while the cache is locked. `isRepeatable` defaults to `!changesState`.
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

    /// All accepted parameters: those in ``fields``, and the correlation id, which every method accepts.
    public var allFields: [Field] {
        fields.contains { $0.name == Field.correlationID.name } ? fields : fields + [.correlationID]
    }

    /// The OpenRPC 1.3 method object that `rpc.discover` returns.
    public var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(allFields.map(\.json)),
            "result": ["name": "result", "schema": ["type": "object"]],
            "x-permission": .string(permission.rawValue), "x-whileLocked": .bool(isServedLocked),
        ]
    }
}

/// A method that can be called over the socket.
///
/// A value of a conforming type represents one call.
public protocol BrokerMethod: Sendable {
    /// The type of the response.
    associatedtype Answer: WireValue

    /// The name, parameters, permission and limits of the method.
    static var description: MethodDescription { get }

    /// Creates a call from parameters that have been checked against the description.
    init(_ members: Members) throws(JSONRPCError)
    /// The parameters of this call in JSON.
    var params: [String: JSONValue] { get }
    /// The maximum duration of this call.
    var deadline: Duration { get }
    /// The client that this call specifies, or `nil` to use the client from `broker.hello`.
    var namedClient: String? { get }
    /// Whether repeating this call has no further effect.
    var isRepeatable: Bool { get }
}

extension BrokerMethod {
    /// The default: the deadline in the method's description.
    public var deadline: Duration { Self.description.deadline }

    /// The default, `nil`, for methods without a client parameter.
    public var namedClient: String? { nil }

    /// The default: the value in the method's description.
    public var isRepeatable: Bool { Self.description.isRepeatable }

    /// Reads the parameters of a received request.
    ///
    /// - Throws: Error -32602, which names the first member that is unknown, missing, of the wrong type or out of
    ///   range.
    public init(params: [String: JSONValue]) throws(JSONRPCError) {
        try self.init(try Members(params, fields: Self.description.allFields))
    }

    /// Returns the response as the `result` member.
    public static func result(_ answer: Answer) -> JSONValue {
        guard let member = description.answer else { return answer.json }
        return .object([member: answer.json])
    }

    /// Reads the response from the `result` member.
    public static func answer(in result: JSONValue) throws(UnreadableAnswer) -> Answer {
        let reader = WireReader(result)
        guard let member = description.answer else { return try Answer(reader) }
        return try reader.one(member)
    }
}

/// A method without parameters.
public protocol BareMethod: BrokerMethod {
    /// Creates a call.
    init()
}

extension BareMethod {
    /// Creates a call without parameters.
    public init(_ members: Members) throws(JSONRPCError) { self.init() }

    /// An empty object.
    public var params: [String: JSONValue] { [:] }
}
