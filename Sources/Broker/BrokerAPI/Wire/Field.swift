public import OAuth

/// A named parameter of a method, or a member of such a parameter.
public struct Field: Hashable, Sendable {
    /// Its name on the wire.
    public let name: String
    /// The values it may hold.
    public let schema: Schema
    /// True if it must be present.
    public let isRequired: Bool

    /// A parameter that may be left out.
    public init(_ name: String, _ schema: Schema) {
        self.init(name: name, schema: schema, isRequired: false)
    }

    /// A parameter that must be present.
    public static func required(_ name: String, _ schema: Schema) -> Field {
        Field(name: name, schema: schema, isRequired: true)
    }

    private init(name: String, schema: Schema, isRequired: Bool) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }

    /// The first problem with `members`: one that is unknown, one that is missing, or the value of one.
    static func problem(
        with members: [String: JSONValue],
        fields: [Field],
        at path: String
    ) -> Schema.Problem? {
        func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
        let known = Set(fields.map(\.name))
        if let unknown = members.keys.filter({ !known.contains($0) }).min() {
            return Schema.Problem(place(String(unknown.prefix(64))), "is not known here")
        }
        for field in fields {
            guard let value = members[field.name] else {
                if field.isRequired { return Schema.Problem(place(field.name), "must be given") }
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
    /// An opaque id, of a flow, step, account, user, key or client.
    static func id(_ name: String) -> Field { Field(name, .string(1...256)) }
    /// An opaque id that must be present.
    static func requiredID(_ name: String) -> Field { .required(name, .string(1...256)) }
    /// A group's name.
    static let group = Field("group", .string(1...64))
    /// A group's name that must be present.
    static let requiredGroup = Field.required("group", .string(1...64))
    /// A policy's id.
    static let policy = Field("policy", .string(1...64))
    /// A client's random name for a request or submission (contract: at most 64 characters).
    static func token(_ name: String) -> Field { Field(name, .string(1...64)) }
    /// The caller's UUID for this call.
    static let correlationID = Field("correlationId", .uuid)
    /// The requested scopes.
    static func scopes(_ name: String) -> Field { Field(name, .list(.string(1...256), 0...64)) }
    /// Authentication contexts (RFC 9470 §4).
    static let acrValues = Field("acrValues", .list(.string(1...64), 0...16))
    /// The greatest age of a proof in seconds; at most a year.
    static let maxAge = Field("maxAge", .integer(0...31_536_000))
    /// A provider's own token, by its name: one of them, and no other member.
    static let providerToken = Field("providerToken", .map(.string(1...16_384), 1...8))
    /// The daemon's port on loopback to which a browser comes back; 0 for any that serves.
    static let loopbackPort = Field("loopbackPort", .integer(0...65_535))
    /// The number of the last event that the caller has.
    static let since = Field("since", .integer(0...9_007_199_254_740_991))
    /// The greatest number of rows in the answer, at most 1000.
    static let limit = Field("limit", .integer(1...1000))
}
