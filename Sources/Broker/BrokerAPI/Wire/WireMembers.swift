public import OAuth

/// The members of a value on the wire, each said once for its reader, its writer and the schema of a parameter.
public struct WireMembers<Value: Sendable>: Sendable {
    /// The members that are parameters.
    public let fields: [Field]
    let read: @Sendable (WireReader) throws(UnreadableAnswer) -> Value
    let write: @Sendable (Value) -> [String: JSONValue]

    /// Describes a value that `make` makes of its members, in their order.
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

/// A member of a value on the wire; a member with a schema is a parameter.
struct Member<Value, Content>: Sendable {
    let name: String
    var field: Field?
    /// Reads the member from the value that it belongs to.
    let read: @Sendable (WireReader) throws(UnreadableAnswer) -> Content
    let write: @Sendable (Value) -> JSONValue?
}

extension Member {
    /// A member that must be present.
    init(_ name: String, _ path: any KeyPath<Value, Content> & Sendable, _ schema: Schema? = nil)
    where Content: WireValue {
        self.name = name
        field = schema.map { .required(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.one(name) }
        write = { $0[keyPath: path].json }
    }

    /// A member that is left out for `nil`.
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

    /// A member that is always written, and has a value if it is absent.
    init(_ name: String, _ path: any KeyPath<Value, Content> & Sendable, _ schema: Schema? = nil, or absent: Content)
    where Content: WireValue {
        self.name = name
        field = schema.map { Field(name, $0) }
        read = { (reader) throws(UnreadableAnswer) in try reader.optional(name) ?? absent }
        write = { $0[keyPath: path].json }
    }

    /// A member that is left out if it has the value `absent`.
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
        write = { $0[keyPath: path] == absent ? nil : $0[keyPath: path].json }
    }

    /// A member that has another form on the wire; nil is left out.
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

/// A value on the wire that is an object of described members.
public protocol WireObject: WireValue {
    /// The members.
    static var wire: WireMembers<Self> { get }
}

extension WireObject {
    /// Reads the members.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try Self.wire.read(reader) }

    /// The members as they are written.
    public var json: JSONValue { .object(Self.wire.write(self)) }
}

extension BrokerMethod where Self: WireObject {
    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        do {
            try self.init(members.reader)
        } catch {
            throw Members.invalid(error.member, .missing(error.member))
        }
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { Self.wire.write(self) }
}
