public import FlowModel
public import OAuth

/// A named parameter of a method, or a named member of a parameter that is an object.
public struct Field: Hashable, Sendable {
    /// The parameter's name in JSON.
    public let name: String
    /// The values that the parameter accepts.
    public let schema: Schema
    /// Whether the parameter must be present.
    public let isRequired: Bool

    /// Creates an optional parameter.
    public init(_ name: String, _ schema: Schema) {
        self.init(name: name, schema: schema, isRequired: false)
    }

    /// Returns a required parameter.
    public static func required(_ name: String, _ schema: Schema) -> Field {
        Field(name: name, schema: schema, isRequired: true)
    }

    private init(name: String, schema: Schema, isRequired: Bool) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }

    /// Returns the first unknown, missing or invalid member, or `nil` if there is none.
    static func problem(
        with members: [String: JSONValue],
        fields: [Field],
        at path: String
    ) -> Schema.Problem? {
        func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
        let known = Set(fields.map(\.name))
        if let unknown = members.keys.filter({ !known.contains($0) }).min() {
            let parameter = place(shown(unknown))
            return Schema.Problem(parameter, Text("refusal.parameterUnknown", ["parameter": parameter]))
        }
        for field in fields {
            guard let value = members[field.name] else {
                if field.isRequired { return Schema.Problem(place(field.name), .missing(place(field.name))) }
                continue
            }
            if let problem = field.schema.problem(with: value, at: place(field.name)) { return problem }
        }
        return nil
    }

    /// The parameter as an OpenRPC content descriptor.
    public var json: JSONValue {
        ["name": .string(name), "required": .bool(isRequired), "schema": schema.json]
    }
}

extension Field {
    /// The parameter for the UUID that the caller assigns to a call.
    static let correlationID = Field("correlationId", .uuid)
}

extension Schema {
    /// The schema for the opaque id of a flow, step, account, user, key or client.
    static let id = Schema.string(1...256)
    /// The schema for names, such as those of groups and policies, and for the random ids of requests and submissions.
    static let name = Schema.string(1...64)
    static let scopes = Schema.list(.string(1...256), 0...64)
    /// The schema for the authentication context classes that a caller requests (RFC 9470 §4).
    static let acrValues = Schema.list(.name, 0...16)
    /// The schema for the maximum time since the user authenticated, in seconds, up to one year.
    static let maxAge = Schema.integer(0...31_536_000)
    /// The schema for an identity provider's token, keyed by the kind of token, such as `id_token`.
    static let providerToken = Schema.map(.string(1...16_384), 1...8)
    /// The schema for the daemon's loopback port to which the browser is redirected, or 0 for any free port.
    static let loopbackPort = Schema.integer(0...65_535)
    /// The schema for the number of the last event that the caller has already received.
    static let since = Schema.integer(0...9_007_199_254_740_991)
    static let limit = Schema.integer(1...1000)

    static func word<Words: CaseIterable & RawRepresentable<String>>(_: Words.Type) -> Schema {
        .choice(Words.allCases.map(\.rawValue))
    }
}

/// The values that a parameter accepts, for validating parameters and generating their JSON Schemas.
public indirect enum Schema: Hashable, Sendable {
    /// A string whose number of Unicode scalars is in the range.
    case string(ClosedRange<Int>)
    case uuid
    case integer(ClosedRange<Int64>)
    case boolean
    case choice([String])
    case list(Schema, ClosedRange<Int>)
    /// An object that has no members other than the given fields.
    case object([Field])
    /// An object with any member names, whose values match the schema and whose member count is in the range.
    case map(Schema, ClosedRange<Int>)
    case anyObject

    func problem(with value: JSONValue, at path: String) -> Problem? {
        switch (self, value) {
        case (.string(let length), .string(let text)):
            return length.contains(text.unicodeScalars.count)
                ? nil : Problem(path, Text("refusal.parameterCharacters", Self.range(length, of: path)))
        case (.uuid, .string(let text)) where CorrelationID(text) != nil: return nil
        case (.integer(let range), .int(let number)):
            return range.contains(number)
                ? nil : Problem(path, Text("refusal.parameterRange", Self.range(range, of: path)))
        case (.boolean, .bool), (.anyObject, .object): return nil
        case (.choice(let words), .string(let word)) where words.contains(word): return nil
        case (.list(let element, let count), .array(let values)):
            guard count.contains(values.count) else {
                return Problem(path, Text("refusal.parameterElements", Self.range(count, of: path)))
            }
            return values.enumerated().lazy.compactMap { element.problem(with: $1, at: "\(path)[\($0)]") }.first
        case (.object(let fields), .object(let members)): return Field.problem(with: members, fields: fields, at: path)
        case (.map(let element, let count), .object(let members)):
            guard members.count <= count.upperBound else {
                return Problem(
                    path,
                    Text("refusal.parameterMembers", ["parameter": path, "most": count.upperBound])
                )
            }
            guard members.count >= count.lowerBound else {
                return Problem(path, Text("refusal.parameterEmpty", ["parameter": path]))
            }
            return members.sorted { $0.key < $1.key }.lazy
                .compactMap { element.problem(with: $1, at: "\(path).\(shown($0))") }.first
        default: return Problem(path, Text("refusal.parameterKind", ["parameter": path, "kind": kind]))
        }
    }

    private static func range<Bound: TextParameter>(
        _ range: ClosedRange<Bound>,
        of parameter: String
    ) -> [String: any TextParameter] {
        ["parameter": parameter, "least": range.lowerBound, "most": range.upperBound]
    }

    private var kind: Text {
        switch self {
        case .string: Text("refusal.kind.string")
        case .uuid: Text("refusal.kind.uuid")
        case .integer: Text("refusal.kind.integer")
        case .boolean: Text("refusal.kind.boolean")
        case .choice(let words):
            Text("refusal.kind.choice", ["words": Text.Value.list(words.map(Text.Value.words), .comma)])
        case .list: Text("refusal.kind.list")
        case .object, .map, .anyObject: Text("refusal.kind.object")
        }
    }

    /// The JSON Schema that accepts the same values as this schema.
    public var json: JSONValue {
        switch self {
        case .string(let length):
            [
                "type": "string", "minLength": .int(Int64(length.lowerBound)),
                "maxLength": .int(Int64(length.upperBound)),
            ]
        case .uuid: ["type": "string", "format": "uuid"]
        case .integer(let range):
            ["type": "integer", "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound)]
        case .boolean: ["type": "boolean"]
        case .choice(let words): ["type": "string", "enum": .array(words.map(JSONValue.string))]
        case .list(let element, let count):
            [
                "type": "array", "items": element.json, "minItems": .int(Int64(count.lowerBound)),
                "maxItems": .int(Int64(count.upperBound)),
            ]
        case .object(let fields):
            [
                "type": "object", "additionalProperties": false,
                "properties": .object(Dictionary(fields.map { ($0.name, $0.schema.json) }) { first, _ in first }),
                "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
            ]
        case .map(let element, let count):
            [
                "type": "object", "additionalProperties": element.json, "minProperties": .int(Int64(count.lowerBound)),
                "maxProperties": .int(Int64(count.upperBound)),
            ]
        case .anyObject: ["type": "object"]
        }
    }

    struct Problem: Hashable {
        let member: String
        let text: Text

        init(_ member: String, _ text: Text) {
            self.member = member
            self.text = text
        }
    }
}

extension Text {
    static func missing(_ parameter: String) -> Text {
        Text("refusal.parameterMissing", ["parameter": parameter])
    }
}

/// The parameters of a call, whose names, types and ranges have already been validated.
public struct Members: Sendable {
    let reader: WireReader

    /// Validates `members`, and throws error -32602 for the first unknown, missing or invalid member.
    init(_ members: [String: JSONValue], fields: [Field]) throws(JSONRPCError) {
        if let problem = Field.problem(with: members, fields: fields, at: "") {
            throw Self.invalid(problem.member, problem.text)
        }
        reader = WireReader(.object(members))
    }

    private init(_ reader: WireReader) {
        self.reader = reader
    }

    /// Returns a JSON-RPC error with the code -32602 (invalid params), whose `data` contains the name of the member.
    public static func invalid(_ member: String, _ text: Text) -> JSONRPCError {
        JSONRPCError(
            code: JSONRPCError.Code.invalidParams,
            text,
            data: ["reason": "invalid_params", "member": .string(member)]
        )
    }

    /// Returns a JSON-RPC error with the code -32602 (invalid params) for a parameter that callers must not set.
    static func reserved(_ member: String) -> JSONRPCError {
        invalid(member, Text("refusal.parameterReserved", ["parameter": member]))
    }

    /// Returns the value of a required member.
    public func required<Value: WireValue>(_ name: String) throws(JSONRPCError) -> Value {
        guard let value: Value = self[name] else { throw Self.invalid(name, .missing(name)) }
        return value
    }

    /// The value of an optional member, or `nil` if the member is absent or cannot be read as a `Value`.
    public subscript<Value: WireValue>(_ name: String) -> Value? { try? reader.optional(name) }

    /// Returns the nested object `name`, whose members have already been validated, or `nil` if the object is absent.
    public func members(_ name: String) -> Members? { reader.value[name].map { Members(WireReader($0)) } }
}

/// Returns at most 64 characters of a caller-supplied name, with control characters replaced, for error messages.
private func shown(_ name: String) -> String {
    var view = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.prefix(64) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: view.append("\u{FFFD}")
        default: view.append(scalar)
        }
    }
    return String(view)
}
