/// A value that stands in JSON member by member, for rows that every request reads or writes.
///
/// A coder that finds its way through any `Codable` takes several times as long.
public protocol JSONConvertible {
    /// Reads the value; nil if the JSON is of another form. Members that it does not know are left out.
    init?(json: JSONValue)
    /// The value as JSON.
    var json: JSONValue { get }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Reads an array; nil if any of its elements is of another form.
    public init?(json: JSONValue) {
        guard let elements = json.array else { return nil }
        self = []
        reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(json: element) else { return nil }
            append(value)
        }
    }

    /// The elements in their order.
    public var json: JSONValue { .array(map(\.json)) }
}
