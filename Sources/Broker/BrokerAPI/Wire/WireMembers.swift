public import OAuth

/// The JSON members of a value, declared once for reading and writing the value and for describing method parameters.
public struct WireMembers<Value: Sendable>: Sendable {
    /// The members that are parameters of a method.
    public let fields: [Field]
    let read: @Sendable (WireReader) throws(UnreadableAnswer) -> Value
    let write: @Sendable (Value) -> [String: JSONValue]

    /// Declares a value's members, in the order in which `make` takes their contents to create the value.
    init<each Content>(
        _ make: @escaping @Sendable (repeat each Content) -> Value,
        _ members: repeat Member<Value, each Content>
    ) {
        var fields: [Field] = []
        for member in repeat each members { if let field = member.field { fields.append(field) } }
        self.fields = fields
        read = { (reader) throws(UnreadableAnswer) in make(repeat try (each members).read(reader)) }
        write = { value in
            var written: [String: JSONValue] = [:]
            for member in repeat each members { written[member.name] = member.write(value) }
            return written
        }
    }
}

/// The declaration of a JSON member, which is also a parameter of a method if it has a schema.
struct Member<Value, Content>: Sendable {
    let name: String
    var field: Field?
    let read: @Sendable (WireReader) throws(UnreadableAnswer) -> Content
    let write: @Sendable (Value) -> JSONValue?
}

extension Member {
    init(_ name: String, _ path: any KeyPath<Value, Content> & Sendable, _ schema: Schema? = nil)
    where Content: WireValue {
        self.name = name
        field = schema.map { .required(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.one(name) }
        write = { $0[keyPath: path].json }
    }

    /// Creates a member that is left out of the JSON object if its value is `nil`.
    init<Present: WireValue>(
        _ name: String,
        optional path: any KeyPath<Value, Content> & Sendable,
        _ schema: Schema? = nil
    )
    where Content == Present? {
        self.name = name
        field = schema.map { Field(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.optional(name) }
        write = { $0[keyPath: path]?.json }
    }

    /// Creates a member that is always written, and whose value is `absent` if it is missing from a JSON object.
    init(_ name: String, _ path: any KeyPath<Value, Content> & Sendable, _ schema: Schema? = nil, or absent: Content)
    where Content: WireValue {
        self.name = name
        field = schema.map { Field(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.optional(name) ?? absent }
        write = { $0[keyPath: path].json }
    }

    /// Creates a member that is left out of the JSON object if its value is `absent`.
    init(
        _ name: String,
        _ path: any KeyPath<Value, Content> & Sendable,
        _ schema: Schema? = nil,
        unless absent: Content
    )
    where Content: WireValue & Equatable {
        self.name = name
        field = schema.map { Field(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.optional(name) ?? absent }
        write = { value in
            // A `?:` expression would convert `nil` to the JSON value `null` instead of leaving the member out.
            guard value[keyPath: path] != absent else { return nil }
            return value[keyPath: path].json
        }
    }

    /// Creates a member that is converted by `write` and `read`, and that is left out if `write` returns `nil`.
    init<Form: WireValue>(
        _ name: String,
        _ schema: Schema? = nil,
        write: @escaping @Sendable (Value) -> Form?,
        read: @escaping @Sendable (Form?) -> Content?
    ) {
        self.name = name
        field = schema.map { Field(name, $0) }
        self.read = { (reader) throws(UnreadableAnswer) in
            try WireReader(reader.value, name).some(read(try reader.optional(name)))
        }
        self.write = { write($0)?.json }
    }
}

/// A value that is written as a JSON object with declared members.
public protocol WireObject: WireValue {
    static var wire: WireMembers<Self> { get }
}

extension WireObject {
    /// Reads the value from a JSON object.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try Self.wire.read(reader) }

    /// The value as a JSON object.
    public var json: JSONValue { .object(Self.wire.write(self)) }
}

extension BrokerMethod where Self: WireObject {
    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        do {
            try self.init(members.reader)
        } catch {
            throw Members.invalid(error.member, .missing(error.member))
        }
    }

    /// The parameters of this call as JSON members.
    public var params: [String: JSONValue] { Self.wire.write(self) }
}
