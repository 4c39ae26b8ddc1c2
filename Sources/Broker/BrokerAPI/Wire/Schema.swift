public import OAuth

/// The values that a parameter may hold: the rule that is enforced, and its JSON Schema in one.
public indirect enum Schema: Hashable, Sendable {
    /// A text with a number of characters in the range.
    case string(ClosedRange<Int>)
    /// A UUID.
    case uuid
    /// A whole number in a range.
    case integer(ClosedRange<Int64>)
    /// `true` or `false`.
    case boolean
    /// One of some texts.
    case choice([String])
    /// A list of elements of one kind, with a number of them in the range.
    case list(Schema, ClosedRange<Int>)
    /// An object of these members and no others.
    case object([Field])
    /// An object of members with any names, each of one kind, with a number of them in the range.
    case map(Schema, ClosedRange<Int>)
    /// An object with any members.
    case anyObject

    /// The first problem with `value`, or nil.
    func problem(with value: JSONValue, at path: String) -> Problem? {
        switch (self, value) {
        case (.string(let length), .string(let text)):
            return length.contains(text.unicodeScalars.count)
                ? nil : Problem(path, "has \(length.lowerBound) to \(length.upperBound) characters")
        case (.uuid, .string(let text)) where CorrelationID(text) != nil: return nil
        case (.integer(let range), .int(let number)):
            return range.contains(number)
                ? nil : Problem(path, "lies between \(range.lowerBound) and \(range.upperBound)")
        case (.boolean, .bool), (.anyObject, .object): return nil
        case (.choice(let words), .string(let word)) where words.contains(word): return nil
        case (.list(let element, let count), .array(let values)):
            guard count.contains(values.count) else {
                return Problem(path, "has \(count.lowerBound) to \(count.upperBound) elements")
            }
            return values.enumerated().lazy.compactMap { element.problem(with: $1, at: "\(path)[\($0)]") }.first
        case (.object(let fields), .object(let members)): return Field.problem(with: members, fields: fields, at: path)
        case (.map(let element, let count), .object(let members)):
            guard members.count <= count.upperBound else {
                return Problem(path, "has at most \(count.upperBound) members")
            }
            guard members.count >= count.lowerBound else { return Problem(path, "is not empty") }
            return members.sorted { $0.key < $1.key }.lazy
                .compactMap { element.problem(with: $1, at: "\(path).\($0)") }.first
        default: return Problem(path, "is \(words)")
        }
    }

    /// The expected value, in words.
    private var words: String {
        switch self {
        case .string: "a string"
        case .uuid: "a UUID"
        case .integer: "a whole number"
        case .boolean: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .list: "a list"
        case .object, .map, .anyObject: "an object"
        }
    }

    /// The JSON Schema of the same rule.
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

    /// A problem: the member, and the expected value.
    struct Problem: Hashable {
        let member: String
        let expectation: String

        init(_ member: String, _ expectation: String) {
            self.member = member
            self.expectation = expectation
        }
    }
}
