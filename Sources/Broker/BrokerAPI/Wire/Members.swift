public import OAuth

/// Parameters whose names, types and ranges have been checked.
public struct Members: Sendable {
    private let members: [String: JSONValue]

    /// Checks `members` against `fields`.
    ///
    /// - Throws: -32602 naming the first member that is unknown, missing, of a wrong type or out of range.
    init(_ members: [String: JSONValue], fields: [Field]) throws(JSONRPCError) {
        if let problem = Field.problem(with: members, fields: fields, at: "") {
            throw Self.invalid(problem.member, problem.expectation)
        }
        self.members = members
    }

    private init(checked members: [String: JSONValue]) {
        self.members = members
    }

    /// Error -32602 about one member.
    public static func invalid(_ member: String, _ expectation: String) -> JSONRPCError {
        JSONRPCError(
            code: JSONRPCError.Code.invalidParams,
            message: "The parameter \(member) \(expectation).",
            data: ["reason": "invalid_params", "member": .string(member)]
        )
    }

    /// A text that must be present.
    public func required(_ name: String) throws(JSONRPCError) -> String {
        guard let value = string(name) else { throw Self.invalid(name, "must be given") }
        return value
    }

    /// A text, or nil if it is absent.
    public func string(_ name: String) -> String? { members[name]?.string }

    /// A whole number, or nil if it is absent.
    public func int(_ name: String) -> Int64? { members[name]?.int }

    /// A truth value, or nil if it is absent.
    public func bool(_ name: String) -> Bool? { members[name]?.bool }

    /// Whole numbers; empty if the list is absent.
    public func ints(_ name: String) -> [Int64] { (members[name]?.array ?? []).compactMap(\.int) }

    /// A truth value; false if it is absent.
    public func flag(_ name: String) -> Bool { members[name]?.bool ?? false }

    /// A list of texts; empty if it is absent.
    public func strings(_ name: String) -> [String] { members[name]?.strings ?? [] }

    /// One of the words of `Choice`, or nil if it is absent.
    public func choice<Choice: RawRepresentable<String>>(_ name: String, _: Choice.Type) -> Choice? {
        string(name).flatMap(Choice.init)
    }

    /// The members of an object, or nil if it is absent.
    public func object(_ name: String) -> [String: JSONValue]? { members[name]?.object }

    /// An object whose members were checked with the rest, or nil if it is absent.
    public func members(_ name: String) -> Members? {
        object(name).map { Members(checked: $0) }
    }

    /// The members of an object that are texts; empty if it is absent.
    public func map(_ name: String) -> [String: String] {
        (object(name) ?? [:]).compactMapValues(\.string)
    }

    /// A UUID, or nil if it is absent.
    public func correlationID() -> CorrelationID? { string("correlationId").flatMap { CorrelationID($0) } }
}
