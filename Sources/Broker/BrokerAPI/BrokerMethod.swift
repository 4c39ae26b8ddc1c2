public import OAuth

/// The description of one method of the socket: everything that holds for each of its calls.
public struct MethodDescription: Sendable {
    /// The callers that a method is for.
    public enum Permission: String, Sendable {
        /// Every uid, for its own data.
        case anyone
        /// Operators; the administration permits and audits every call.
        case operators
    }

    /// The name on the wire.
    public let name: String
    /// One sentence for `rpc.discover`.
    public let summary: String
    /// The parameters that it reads.
    public let fields: [Field]
    /// The member in which the answer stands, for example `flow`; `nil` if the answer is the whole result.
    public let answer: String?
    /// The callers that it is for.
    public let permission: Permission
    /// Whether it is served while the caller's cache is locked, because it uses no sealed data (contract §4, 1021).
    public let isServedLocked: Bool
    /// Whether a call changes state; such a call is logged if it comes as a notification, which is not executed.
    public let changesState: Bool
    /// Whether repeating a call changes nothing more, so that it may be sent again if no answer came.
    public let isRepeatable: Bool
    /// The longest time that a call may take.
    public let deadline: Duration

    /// Describes a method.
    ///
    /// - Parameters:
    ///   - name: The name on the wire.
    ///   - summary: One sentence for `rpc.discover`.
    ///   - fields: The parameters.
    ///   - answer: The member in which the answer stands; `nil` if the answer is the whole result.
    ///   - permission: The callers that it is for; calls of operators are served while their cache is locked.
    ///   - isServedLocked: Whether it is served while the caller's cache is locked.
    ///   - changesState: Whether a call changes state.
    ///   - isRepeatable: Whether a repetition changes nothing more; `nil` says so of a method that only reads.
    ///   - deadline: The longest time that a call may take.
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

    /// ``fields``, and the correlation id that every method takes; other parameters are refused.
    public var allFields: [Field] {
        fields.contains { $0.name == Field.correlationID.name } ? fields : fields + [.correlationID]
    }

    /// The method as `rpc.discover` shows it (OpenRPC 1.3 method object).
    public var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(allFields.map(\.json)),
            "result": ["name": "result", "schema": ["type": "object"]],
            "x-permission": .string(permission.rawValue), "x-whileLocked": .bool(isServedLocked),
        ]
    }
}

/// One method of the socket; a value of the type is one call of it.
public protocol BrokerMethod: Sendable {
    /// The type of its answers.
    associatedtype Answer: WireValue

    /// Describes the method.
    static var description: MethodDescription { get }

    /// Makes a call from parameters that have been checked against the description.
    init(_ members: Members) throws(JSONRPCError)
    /// The parameters of this call as they are written.
    var params: [String: JSONValue] { get }
    /// The longest time that this call may take.
    var deadline: Duration { get }
    /// The client that this call names itself; `nil` if it takes that of `broker.hello`.
    var namedClient: String? { get }
    /// Whether repeating this call changes nothing more.
    var isRepeatable: Bool { get }
}

extension BrokerMethod {
    /// The deadline of the method, unless its parameters decide.
    public var deadline: Duration { Self.description.deadline }

    /// `nil`, unless a method has a parameter for it.
    public var namedClient: String? { nil }

    /// As the method says, unless its parameters decide.
    public var isRepeatable: Bool { Self.description.isRepeatable }

    /// Reads parameters as they were received.
    ///
    /// - Throws: -32602 naming the first member that is unknown, missing, of a wrong type or out of range.
    public init(params: [String: JSONValue]) throws(JSONRPCError) {
        try self.init(try Members(params, fields: Self.description.allFields))
    }

    /// The member `result` of a response with this answer.
    public static func result(_ answer: Answer) -> JSONValue {
        guard let member = description.answer else { return answer.json }
        return .object([member: answer.json])
    }

    /// Reads the answer in the member `result` of a response.
    public static func answer(in result: JSONValue) throws(UnreadableAnswer) -> Answer {
        let reader = WireReader(result)
        guard let member = description.answer else { return try Answer(reader) }
        return try reader.one(member)
    }
}

/// A method without parameters.
public protocol BareMethod: BrokerMethod {
    /// Makes a call.
    init()
}

extension BareMethod {
    /// Ignores the parameters, of which there are none.
    public init(_ members: Members) throws(JSONRPCError) { self.init() }

    /// None.
    public var params: [String: JSONValue] { [:] }
}
