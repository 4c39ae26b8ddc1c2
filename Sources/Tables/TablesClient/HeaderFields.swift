/// Header fields of a request or an answer; names have no case, and one may stand several times.
public struct HeaderFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// Its name, as it was written.
        public let name: String
        /// Its value.
        public let value: String
    }

    /// The fields in their order.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// The fields as written in the source.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first value of a name; set, it replaces every value of the name.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            fields.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { add(name, newValue) }
        }
    }

    /// Adds a field behind the others.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// True if every field can stand in a message (RFC 9110 §5.1, §5.5): nothing in it ends a line.
    var areSendable: Bool {
        fields.allSatisfy { field in
            !field.name.isEmpty && field.name.utf8.allSatisfy(Self.isTokenByte)
                && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
